//! A bound server: listeners, threads, and their end.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::sync::Arc;

use alula_reactor::{Listener, Peer};
use alula_server::Worker;
use alula_server::guards::forwarded::Trusted;

use crate::control::{Control, Handle};
use crate::mailbox::Mailbox;
use crate::reactor_thread::OnReactor;
use crate::routes::Site;
use crate::serving::Serving;
use crate::signals::Heeding;
use crate::{Config, Error};

/// A server that listens; see [`App::bind`](crate::App::bind).
///
/// ```no_run
/// let server = alula::App::new()
///     .get("/", |_: &alula::Request| "hello")
///     .bind(alula::Config::default().port(0))?;
/// println!("listening on {}", server.address());
/// server.run()?;
/// # Ok::<(), alula::Error>(())
/// ```
#[derive(Debug)]
pub struct Server {
    site: Arc<Site>,
    config: Config,
    address: Peer,
    /// One a thread.
    listeners: Vec<Listener>,
    control: Arc<Control>,
}

impl Server {
    pub(crate) fn bind(mut site: Site, config: Config) -> Result<Self, Error> {
        config.check()?;
        let options = config.options();
        site.trusted = options
            .proxy_headers
            .then(|| Trusted::new(&options.forwarded_allow_ips));
        let listeners = match &options.uds {
            Some(path) => Listener::unix(path, options.backlog)
                .and_then(|first| copies(first, config.thread_count()))
                .map_err(|source| Error::Listen {
                    place: path.display().to_string(),
                    source,
                })?,
            None => tcp(&config).map_err(|source| Error::Listen {
                place: format!("{}:{}", options.host, options.port),
                source,
            })?,
        };
        Ok(Self {
            address: listeners[0].local(),
            control: Arc::new(Control::new(options.timeout_graceful_shutdown)),
            site: Arc::new(site),
            listeners,
            config,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> &Peer {
        &self.address
    }

    /// The TCP port that it listens on; `None` for a Unix socket.
    pub fn port(&self) -> Option<u16> {
        self.address.inet().map(|address| address.port())
    }

    /// What stops it, from any thread.
    pub fn handle(&self) -> Handle {
        Handle::new(self.control.clone())
    }

    /// Serves until it is stopped, by its [handle](Self::handle) or a signal. One of the threads is
    /// the caller's.
    ///
    /// # Errors
    ///
    /// Where the system gives no readiness queue or thread, or lets no signal be caught.
    pub fn run(self) -> Result<(), Error> {
        let heeds = self.config.heeds_signals();
        let heeding = heeds.then(|| Heeding::begin(self.handle())).transpose()?;
        let Self {
            site,
            config,
            listeners,
            control,
            ..
        } = self;
        let outcome = run_all(listeners, &site, &config, &control);
        control.end();
        drop(heeding);
        Ok(outcome?)
    }
}

/// A reactor a listener, the first on this thread.
fn run_all(
    listeners: Vec<Listener>,
    site: &Arc<Site>,
    config: &Config,
    control: &Arc<Control>,
) -> io::Result<()> {
    std::thread::scope(|scope| {
        let mut listeners = listeners.into_iter();
        let first = listeners.next();
        let others: Vec<_> = listeners
            .enumerate()
            .map(|(number, listener)| {
                std::thread::Builder::new()
                    .name(format!("alula-{}", number + 1))
                    .spawn_scoped(scope, || run_one(listener, site, config, control))
                    .inspect_err(|_| control.abort())
            })
            .collect();
        let mut outcome = match first {
            Some(listener) => run_one(listener, site, config, control),
            None => Ok(()),
        };
        for other in others {
            let ended = other.and_then(|thread| match thread.join() {
                Ok(ended) => ended,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            outcome = outcome.and(ended);
        }
        outcome
    })
}

/// One reactor, until it is told to end. If it fails, so do the others.
fn run_one(
    listener: Listener,
    site: &Arc<Site>,
    config: &Config,
    control: &Control,
) -> io::Result<()> {
    let mut failing = Failing(Some(control));
    let mailbox = Arc::<Mailbox>::default();
    let serving = Serving::new(site.clone(), mailbox.clone(), config);
    let worker = Worker::new(config.settings(), serving)?;
    mailbox.set_waker(worker.waker());
    control.register(worker.waker());
    worker.listen(listener)?;
    let _here = OnReactor::new();
    let mut obeyed = 0;
    worker.run(|worker| {
        worker.handler().heed_messages(worker);
        control.obey(worker, &mut obeyed)
    })?;
    failing.0 = None;
    Ok(())
}

/// Ends all reactors when one ends by an error or a panic.
struct Failing<'a>(Option<&'a Control>);

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        if let Some(control) = self.0 {
            control.abort();
        }
    }
}

/// Listens on the first of the host's addresses that can be had, once a thread.
fn tcp(config: &Config) -> io::Result<Vec<Listener>> {
    let options = config.options();
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (options.host.as_str(), options.port).to_socket_addrs()? {
        match tcp_at(address, config) {
            Ok(listeners) => return Ok(listeners),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn tcp_at(address: SocketAddr, config: &Config) -> io::Result<Vec<Listener>> {
    let backlog = config.options().backlog;
    let shared = config.shares_port() || config.thread_count() > 1;
    if shared && !config.shares_port() {
        // A port that is to be shared does not show that it is taken; this does.
        drop(Listener::tcp(address, backlog, false)?);
    }
    let first = Listener::tcp(address, backlog, shared)?;
    let bound = first.local().inet().unwrap_or(address);
    let mut listeners = vec![first];
    for _ in 1..config.thread_count() {
        listeners.push(Listener::tcp(bound, backlog, true)?);
    }
    Ok(listeners)
}

/// The same listening socket for each thread: a Unix socket can't be bound twice.
fn copies(first: Listener, count: usize) -> io::Result<Vec<Listener>> {
    let first = OwnedFd::from(first);
    let mut listeners = Vec::new();
    for _ in 1..count {
        listeners.push(Listener::inherited(first.try_clone()?)?);
    }
    listeners.push(Listener::inherited(first)?);
    Ok(listeners)
}
