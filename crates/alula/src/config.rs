//! Where and how to serve. Options that the Python side has too are the same ones, with the same
//! names, defaults and bounds: they are read from the one table in `alula_server::config`.

use std::path::PathBuf;
use std::time::Duration;

use alula_reactor::Poller;
use alula_server::Settings;
use alula_server::config::{self, ConfigError, OPTIONS, Origin, resolve};

use crate::Error;

/// The most threads: as many as the Python side has workers.
const MOST_THREADS: usize = 4096;

/// Where and how to serve. Values are checked when the server [binds](crate::App::bind).
///
/// ```
/// use std::time::Duration;
///
/// let config = alula::Config::default()
///     .host("0.0.0.0")
///     .port(8080)
///     .threads(4)
///     .timeout_keep_alive(Duration::from_secs(20));
/// # let _ = config;
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    options: config::Config,
    threads: usize,
    reuse_port: bool,
    body_buffer: usize,
    send_quantum: Option<usize>,
    poller: Poller,
    signals: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            options: resolve(&[]).expect("the defaults are consistent, which a test checks"),
            threads: 1,
            reuse_port: false,
            body_buffer: 1024 * 1024,
            send_quantum: None,
            poller: Poller::default(),
            signals: true,
        }
    }
}

/// Each option of the table that applies here, as a method that sets it.
macro_rules! options {
    ($($(#[doc = $text:literal])+ $name:ident: $type:ty => $value:expr;)+) => {$(
        $(#[doc = $text])+
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.options.$name = $value;
            self
        }
    )+};
}

impl Config {
    options! {
        /// The host name or address to listen on. `127.0.0.1` by default.
        host: impl Into<String> => host.into();
        /// The TCP port to listen on, 8000 by default; with 0 the system picks a free one, which
        /// [`Server::port`](crate::Server::port) tells.
        port: u16 => port;
        /// Listen on a Unix socket at this path instead.
        uds: impl Into<PathBuf> => Some(uds.into());
        /// The number of connections the system may hold until they are accepted. 2048 by default.
        backlog: u32 => backlog;
        /// Look for the next request for so long, at most a millisecond, before a thread sleeps, as
        /// long as they come quicker than that. For threads that have a core each, which this keeps
        /// busy. Zero, which is never, by default.
        busy_poll: Duration => busy_poll;
        /// Take the client's address and scheme from `X-Forwarded-For` and `X-Forwarded-Proto`:
        /// [`Request::client`](crate::Request::client),
        /// [`Request::scheme`](crate::Request::scheme). On by default.
        proxy_headers: bool => proxy_headers;
        /// The peers whose proxy headers are believed: addresses and networks, or `*` alone.
        /// `127.0.0.1` and `::1` by default.
        forwarded_allow_ips: impl IntoIterator<Item: Into<String>> =>
            forwarded_allow_ips.into_iter().map(Into::into).collect();
        /// Add a `server` header to responses that have none. On by default.
        server_header: bool => server_header;
        /// Add a `date` header to responses that have none. On by default.
        date_header: bool => date_header;
        /// Answer 503 when so many connections are open on a thread. No limit by default.
        limit_concurrency: u64 => Some(limit_concurrency);
        /// The most bytes of any request body, streamed ones too; more is answered with 413. No
        /// limit by default.
        limit_request_body: u64 => Some(limit_request_body);
        /// The most bytes of a request head; more is answered with 431. 64 KiB by default.
        h11_max_incomplete_event_size: u64 => h11_max_incomplete_event_size;
        /// The fewest bytes a second of a request body, averaged over ten seconds; 0 for no
        /// minimum. 240 by default.
        min_body_rate: u32 => min_body_rate;
        /// Close a connection whose request head is not complete after so long. 15 s by default.
        timeout_request_head: Duration => timeout_request_head;
        /// Close a connection that has been idle between two requests for so long. 5 s by default.
        timeout_keep_alive: Duration => timeout_keep_alive;
        /// Close a connection that has accepted no byte of its response for so long. 30 s by
        /// default.
        timeout_write: Duration => timeout_write;
        /// Close what is still open so long after the server was asked to stop. 30 s by default.
        timeout_graceful_shutdown: Duration => timeout_graceful_shutdown;
    }

    /// Add this header to every response. May be given several times; a `server` or `date` header
    /// takes the place of the usual one.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options.headers.push((name.into(), value.into()));
        self
    }

    /// The number of threads that serve, each with its own connections. 1 by default.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Let other processes listen on the same port (`SO_REUSEPORT`): the system spreads connections
    /// over all that do. Off by default.
    #[must_use]
    pub fn reuse_port(mut self, reuse_port: bool) -> Self {
        self.reuse_port = reuse_port;
        self
    }

    /// The most bytes of a request body that is gathered for its handler; more is answered with
    /// 413. 1 MiB by default. Routes of [`App::streaming`](crate::App::streaming) gather nothing.
    #[must_use]
    pub fn body_buffer(mut self, bytes: usize) -> Self {
        self.body_buffer = bytes;
        self
    }

    /// No write hands the kernel more than so many bytes. For tests: a small quantum makes partial
    /// writes certain. No bound by default.
    #[must_use]
    pub fn send_quantum(mut self, bytes: usize) -> Self {
        self.send_quantum = Some(bytes);
        self
    }

    /// How connections are watched. In some virtual machines [`Poller::Poll`] is the quicker one
    /// with a few hundred connections that are all busy; measure before you choose it.
    #[must_use]
    pub fn poller(mut self, poller: Poller) -> Self {
        self.poller = poller;
        self
    }

    /// End gracefully on SIGINT and SIGTERM, and at once on the second. On by default.
    #[must_use]
    pub fn signals(mut self, signals: bool) -> Self {
        self.signals = signals;
        self
    }

    /// Every value, looked at by its option.
    pub(crate) fn check(&self) -> Result<(), Error> {
        for (spec, value) in OPTIONS.iter().zip(self.options.values()) {
            let shown = value.to_string();
            if let Err(accepted) = spec.accept(value) {
                return Err(refused(spec.name(), shown, accepted));
            }
        }
        if !(1..=MOST_THREADS).contains(&self.threads) {
            let accepted = format!("a whole number from 1 to {MOST_THREADS}");
            return Err(refused("threads", self.threads.to_string(), accepted));
        }
        if self.send_quantum == Some(0) {
            let accepted = "a whole number from 1 on".to_owned();
            return Err(refused("send_quantum", "0".to_owned(), accepted));
        }
        Ok(())
    }

    /// What the engine is told.
    pub(crate) fn settings(&self) -> Settings {
        let mut settings = self.options.settings();
        settings.send_quantum = self.send_quantum;
        settings.waiting.poller = self.poller;
        settings
    }

    pub(crate) fn options(&self) -> &config::Config {
        &self.options
    }

    pub(crate) fn thread_count(&self) -> usize {
        self.threads
    }

    pub(crate) fn shares_port(&self) -> bool {
        self.reuse_port
    }

    pub(crate) fn body_bound(&self) -> usize {
        self.body_buffer
    }

    pub(crate) fn heeds_signals(&self) -> bool {
        self.signals
    }
}

fn refused(option: &str, value: String, accepted: String) -> Error {
    Error::Config(ConfigError::Value {
        option: option.to_owned(),
        value,
        accepted,
        origin: Origin::Keyword,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(config: &Config) -> String {
        config.check().expect_err("refused").to_string()
    }

    #[test]
    fn the_defaults_are_accepted_and_are_the_engines() {
        let config = Config::default();
        config.check().expect("accepted");
        let engine = format!("{:?}", Settings::default());
        assert_eq!(format!("{:?}", config.settings()), engine);
    }

    #[test]
    fn what_is_not_accepted_is_named_with_its_value() {
        let config = Config::default();
        assert_eq!(
            said(&config.clone().timeout_write(Duration::ZERO)),
            "timeout_write: \"0\" is not accepted; expected seconds from 0.001 to 100000000"
        );
        assert_eq!(
            said(&config.clone().threads(0)),
            "threads: \"0\" is not accepted; expected a whole number from 1 to 4096"
        );
        assert_eq!(
            said(&config.clone().send_quantum(0)),
            "send_quantum: \"0\" is not accepted; expected a whole number from 1 on"
        );
        let bad = said(&config.clone().header("x-a", "b\r\nc: d"));
        assert!(bad.starts_with("headers: "), "{bad}");
    }

    #[test]
    fn options_reach_the_engine() {
        let settings = Config::default()
            .timeout_keep_alive(Duration::from_secs(7))
            .limit_request_body(9)
            .send_quantum(1500)
            .poller(Poller::Poll)
            .busy_poll(Duration::from_micros(70))
            .header("server", "x")
            .settings();
        assert_eq!(settings.keep_alive.as_secs(), 7);
        assert_eq!(settings.limits.body_bytes, Some(9));
        assert_eq!(settings.send_quantum, Some(1500));
        assert_eq!(settings.server_header, None);
        assert_eq!(settings.waiting.poller, Poller::Poll);
        assert_eq!(settings.waiting.spin, Duration::from_micros(70));
    }
}
