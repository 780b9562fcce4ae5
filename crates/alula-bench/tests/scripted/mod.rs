//! A server that does as a script says and writes down when it did: a thread a connection.

#![allow(dead_code, reason = "each test file uses its part")]

mod wire;

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use alula_bench::load::{Observer, Progress};
use alula_bench::plan::{Extent, Plan};
use alula_bench::{Report, load};

pub(crate) use wire::{Reply, Request, answer};

/// What to do with a request: the script is told its number, from 0 over all connections.
type Script = dyn Fn(usize, &Request) -> Reply + Send + Sync;

/// What a connection has seen, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Log {
    pub(crate) requests: Vec<Entry>,
    /// When the client closed.
    pub(crate) closed: Option<Instant>,
}

/// A request that was answered.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) request: Request,
    /// When all of it had been read.
    pub(crate) read: Instant,
    /// When the answer was about to be written.
    pub(crate) answered: Instant,
}

/// What the server's threads share.
pub(crate) struct Shared {
    script: Box<Script>,
    count: AtomicUsize,
    stop: AtomicBool,
    logs: Mutex<Vec<Arc<Mutex<Log>>>>,
    /// Connections on which something may still happen.
    open: Mutex<usize>,
    changed: Condvar,
}

/// A running server; it listens until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn new(script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::new(Box::new(script)));
        let accepted = Arc::clone(&shared);
        let accepting = std::thread::spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if accepted.stop.load(Ordering::SeqCst) {
                    break;
                }
                stream.set_nodelay(true).unwrap();
                wire::serve(stream, &accepted);
            }
        });
        Self {
            address,
            shared,
            accepting: Some(accepting),
        }
    }

    /// Listens on a Unix socket for two connections: the probe's, and the run's.
    pub(crate) fn unix(
        path: &Path,
        script: impl Fn(usize, &Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let shared = Arc::new(Shared::new(Box::new(script)));
        let accepted = Arc::clone(&shared);
        let accepting = std::thread::spawn(move || {
            for _ in 0..2 {
                wire::serve(listener.accept().unwrap().0, &accepted);
            }
        });
        Self {
            address: SocketAddr::from(([0; 4], 0)),
            shared,
            accepting: Some(accepting),
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A plan for this server that sends `requests` on one connection, without warm-up.
    pub(crate) fn plan(&self, requests: u64) -> Plan {
        let mut plan = Plan::new(&self.url("/path")).unwrap();
        plan.connections = 1;
        plan.warmup = Duration::ZERO;
        plan.extent = Extent::Requests(requests);
        plan
    }

    /// No more connections are accepted: further ones are refused.
    pub(crate) fn stop_listening(&mut self) {
        let Some(accepting) = self.accepting.take() else {
            return;
        };
        self.shared.stop.store(true, Ordering::SeqCst);
        // It wakes the thread, whether it is accepted or not.
        let _ = TcpStream::connect(self.address);
        accepting.join().unwrap();
    }

    /// What the connections have seen, the probe's first, once all clients are gone.
    pub(crate) fn logs(&self) -> Vec<Log> {
        let open = self.shared.open.lock().unwrap();
        drop(
            self.shared
                .changed
                .wait_while(open, |open| *open > 0)
                .unwrap(),
        );
        let logs = self.shared.logs.lock().unwrap();
        logs.iter().map(|log| log.lock().unwrap().clone()).collect()
    }

    /// The requests of a run with one kind of request, without the probe's.
    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen_behind(1)
    }

    /// The requests of a run with so many kinds, each of which has had a probe and a connection for
    /// it.
    pub(crate) fn seen_behind(&self, kinds: usize) -> Vec<Request> {
        let logs = self.logs();
        let entries = logs.iter().skip(kinds).flat_map(|log| &log.requests);
        entries.map(|entry| entry.request.clone()).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.address.port() > 0 {
            self.stop_listening();
        }
    }
}

impl Shared {
    fn new(script: Box<Script>) -> Self {
        Self {
            script,
            count: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            logs: Mutex::default(),
            open: Mutex::new(0),
            changed: Condvar::new(),
        }
    }

    fn log(&self) -> Arc<Mutex<Log>> {
        let log = Arc::new(Mutex::new(Log::default()));
        self.logs.lock().unwrap().push(Arc::clone(&log));
        log
    }

    fn opened(&self) {
        *self.open.lock().unwrap() += 1;
    }

    fn ended(&self) {
        *self.open.lock().unwrap() -= 1;
        self.changed.notify_all();
    }
}

/// Waits for so long at least; how long it was in truth is for the server's log.
pub(crate) fn wait(time: Duration) {
    let (until, never) = (Instant::now() + time, (Mutex::new(()), Condvar::new()));
    let mut guard = never.0.lock().unwrap();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        guard = never.1.wait_timeout(guard, left).unwrap().0;
    }
}

/// Runs a plan that is expected to give a report.
pub(crate) fn run(plan: &Plan) -> Report {
    load::run(plan, &mut ()).unwrap()
}

/// Finds out between which times the measured interval began.
pub(crate) struct Bracket {
    pub(crate) earliest: Instant,
    pub(crate) latest: Instant,
    last_call: Instant,
}

impl Bracket {
    pub(crate) fn new() -> Self {
        let now = Instant::now();
        Self {
            earliest: now,
            latest: now + Duration::from_secs(3600),
            last_call: now,
        }
    }
}

impl Observer for Bracket {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        let now = Instant::now();
        if progress.seconds > 0.0 {
            // `seconds` was read between the last call and this one.
            let since = Duration::from_secs_f64(progress.seconds);
            let sooner = self.last_call.checked_sub(since).unwrap_or(self.earliest);
            self.earliest = self.earliest.max(sooner);
            self.latest = self.latest.min(now.checked_sub(since).unwrap_or(now));
        }
        self.last_call = Instant::now();
        ControlFlow::Continue(())
    }
}
