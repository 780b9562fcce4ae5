//! The example as a process, or an application on a thread; both end when dropped.

#![allow(dead_code, reason = "each test file uses its part")]

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use alula::{App, Config, Handle};
use alula_testkit::peer::DEADLINE;
use alula_testkit::{Peer, Response};

/// Longer than any test runs.
const PATIENCE: Duration = Duration::from_secs(600);

/// `examples/api` on a free port.
pub(crate) struct Api {
    process: Child,
    out: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// With these arguments besides the port.
    pub(crate) fn with(arguments: &[&str]) -> Self {
        let mut process = Command::new(example())
            .args(["--port", "0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect(
                "run `cargo test -p alula`: with `--test` alone cargo does not build the example",
            );
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let port = line.trim_end().strip_prefix("listening on ");
        let port: u16 = port.expect(&line).parse().unwrap();
        Self {
            process,
            out,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
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
        let answer = get(&mut self.connect(), "/users/7");
        assert_eq!((answer.status, answer.text()), (200, r#"{"id":7}"#));
    }

    /// The process, to be sent a signal or looked at.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Waits for its end; the exit code.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.process.wait().unwrap().code()
    }
}

impl Drop for Api {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Cargo puts examples next to the tests' own folder.
pub(crate) fn example() -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    if path.ends_with("deps") {
        path.pop();
    }
    path.join("examples").join("api")
}

/// An application that is served until dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    pub(crate) handle: Handle,
    thread: Option<JoinHandle<()>>,
    over: Receiver<()>,
}

impl Served {
    pub(crate) fn new(app: App) -> Self {
        Self::with(app, |config| config)
    }

    /// Whose configuration `change` may change.
    pub(crate) fn with(app: App, change: impl FnOnce(Config) -> Config) -> Self {
        // No deadline of a connection wakes a server that has missed something else.
        let patient = Config::default()
            .timeout_request_head(PATIENCE)
            .timeout_keep_alive(PATIENCE)
            .timeout_write(PATIENCE);
        let config = change(patient.port(0).signals(false));
        let server = app.bind(config).unwrap();
        let address = server.address().inet().unwrap();
        let handle = server.handle();
        let (tell, over) = channel();
        let thread = std::thread::spawn(move || {
            server.run().unwrap();
            // Nobody may listen any more.
            let _ = tell.send(());
        });
        Self {
            address,
            handle,
            thread: Some(thread),
            over,
        }
    }

    pub(crate) fn connect(&self) -> Peer {
        Peer::tcp(self.address).unwrap()
    }

    pub(crate) fn send(&self, bytes: impl AsRef<[u8]>) -> Peer {
        let mut peer = self.connect();
        peer.send(bytes.as_ref()).unwrap();
        peer
    }

    /// Waits until a server that was told to stop has ended.
    pub(crate) fn ended(mut self) {
        next(&self.over);
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        self.handle.stop_now();
        // A test that has failed does not wait for a server that may hang.
        if !std::thread::panicking() {
            thread.join().expect("the server does not panic");
        }
    }
}

/// What another thread sends, or the test has failed.
pub(crate) fn next<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(DEADLINE).expect("it was sent in time")
}

/// Waits for what has no event of its own.
pub(crate) fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !is_so() {
        assert!(Instant::now() < deadline, "it never came to be so");
        std::thread::yield_now();
    }
}

/// Asks for `path` on a connection that is kept.
pub(crate) fn get(peer: &mut Peer, path: &str) -> Response {
    ask(peer, "GET", path)
}

/// A request without a body.
pub(crate) fn ask(peer: &mut Peer, method: &str, path: &str) -> Response {
    peer.send(format!("{method} {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes())
        .unwrap();
    peer.read_response(method).unwrap()
}

/// A request with a body of known length.
pub(crate) fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Status and text, to be compared at once.
pub(crate) fn shown(response: &Response) -> (u16, &str) {
    (response.status, response.text())
}
