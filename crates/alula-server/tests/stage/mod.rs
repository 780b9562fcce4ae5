//! A worker on a thread of its own, with a scripted application behind it.

#![allow(dead_code, reason = "each test file uses its part")]

mod script;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use alula_reactor::{Listener, Waker};
use alula_server::{Settings, Worker};
use alula_testkit::peer::DEADLINE;
use alula_testkit::{Peer, Response};

pub(crate) use script::Script;

const RUN: u8 = 0;
const DRAIN: u8 = 1;
const TELL: u8 = 2;
const STOP: u8 = 3;

/// A running worker; it stops when dropped.
pub(crate) struct Stage {
    pub(crate) address: SocketAddr,
    events: Receiver<String>,
    order: Arc<AtomicU8>,
    obeyed: Receiver<()>,
    waker: Waker,
    thread: Option<JoinHandle<()>>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A worker whose settings `change` may change.
    pub(crate) fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::default();
        change(&mut settings);
        let (tell, told) = channel();
        let (report, events) = channel();
        let order = Arc::new(AtomicU8::new(RUN));
        let orders = order.clone();
        let (acknowledge, acknowledged) = channel();
        let thread = std::thread::spawn(move || {
            let worker = Worker::new(settings, Script::new(report)).unwrap();
            let any = SocketAddr::from(([127, 0, 0, 1], 0));
            let listener = Listener::tcp(any, 4096, false).unwrap();
            let alula_reactor::Peer::Inet(address) = listener.local() else {
                unreachable!()
            };
            worker.listen(listener).unwrap();
            tell.send((address, worker.waker())).unwrap();
            let mut obeyed = RUN;
            worker
                .run(|worker| {
                    let before = obeyed;
                    let stop = obey(worker, &orders, &mut obeyed);
                    if obeyed != before {
                        // Nobody waits any more when the stage is dropped.
                        let _ = acknowledge.send(());
                    }
                    stop
                })
                .unwrap();
        });
        let (address, waker) = told.recv().unwrap();
        Self {
            address,
            events,
            order,
            obeyed: acknowledged,
            waker,
            thread: Some(thread),
        }
    }

    pub(crate) fn connect(&self) -> Peer {
        Peer::tcp(self.address).unwrap()
    }

    /// Sends raw bytes on a new connection.
    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) -> Peer {
        let mut peer = self.connect();
        peer.send(bytes.as_ref()).unwrap();
        peer
    }

    /// A whole exchange on a connection of its own, which shows that others are served.
    pub(crate) fn assert_serves_others(&self) {
        assert_eq!(get(&mut self.connect(), "/").text(), "OK");
    }

    /// The next thing that the application reports.
    pub(crate) fn event(&self) -> String {
        self.events.recv_timeout(DEADLINE).expect("an event")
    }

    /// What the application has reported and nobody has asked for yet.
    pub(crate) fn events_so_far(&self) -> Vec<String> {
        self.events.try_iter().collect()
    }

    /// Stops accepting and lets what is in flight end; then the worker ends by itself.
    pub(crate) fn drain(&self) {
        self.give(DRAIN);
        self.obeyed
            .recv_timeout(DEADLINE)
            .expect("the worker obeys");
    }

    /// Tells streams that their client is gone.
    pub(crate) fn disconnect_streams(&self) {
        self.give(TELL);
        self.obeyed
            .recv_timeout(DEADLINE)
            .expect("the worker obeys");
    }

    /// Waits until a drained worker has ended.
    pub(crate) fn ended(mut self) {
        self.thread.take().unwrap().join().unwrap();
    }

    fn give(&self, order: u8) {
        self.order.store(order, Ordering::SeqCst);
        self.waker.wake();
    }
}

fn obey(worker: &Worker<Script>, orders: &AtomicU8, obeyed: &mut u8) -> bool {
    let order = orders.load(Ordering::SeqCst);
    if order != *obeyed {
        *obeyed = order;
        match order {
            DRAIN => {
                worker.stop_accepting();
                worker.drain();
            }
            TELL => worker.disconnect_streams(),
            _ => worker.abort_all(),
        }
    }
    order == STOP || (order != RUN && worker.connections() == 0 && !worker.again_needed())
}

impl Drop for Stage {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        self.give(STOP);
        let outcome = thread.join();
        assert!(
            outcome.is_ok() || std::thread::panicking(),
            "the worker panicked"
        );
    }
}

/// Asks for `path` on a connection that is kept.
pub(crate) fn get(peer: &mut Peer, path: &str) -> Response {
    peer.send(format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
        .unwrap();
    peer.read_response("GET").unwrap()
}

/// A request with a body of known length.
pub(crate) fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Short deadlines for tests that wait for one.
pub(crate) fn hasty(settings: &mut Settings) {
    settings.head_timeout = Duration::from_millis(150);
    settings.keep_alive = Duration::from_millis(150);
    settings.write_timeout = Duration::from_millis(300);
    settings.body_window = Duration::from_millis(200);
    settings.discard_timeout = Duration::from_millis(150);
    settings.linger = Duration::from_millis(300);
}
