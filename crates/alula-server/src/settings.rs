//! What the engine is told once, when a worker starts.

use std::time::Duration;

use alula_http::Limits;
use alula_reactor::Waiting;

/// The engine's limits, deadlines and response defaults. `Default` gives the documented defaults.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bounds on what a request may look like.
    pub limits: Limits,
    /// From the first byte of a head to its end; a new connection's first byte likewise.
    pub head_timeout: Duration,
    /// How long an idle connection is kept after an answer.
    pub keep_alive: Duration,
    /// How long the peer may accept no byte while output waits.
    pub write_timeout: Duration,
    /// The least rate of a request body, in bytes a second, averaged over [`Settings::body_window`].
    /// Zero switches the check off.
    pub min_body_rate: u32,
    /// The window (and the first grace) of the body rate.
    pub body_window: Duration,
    /// Unsent bytes above which a sender is told to wait.
    pub high_water: usize,
    /// Unsent bytes below which a waiting sender goes on.
    pub low_water: usize,
    /// Request body bytes read ahead of the handler.
    pub read_ahead: usize,
    /// Most unread body bytes thrown away to keep a connection after an early answer.
    pub discard_bytes: u64,
    /// Longest time that takes.
    pub discard_timeout: Duration,
    /// How long a closed connection is drained so that a reset does not eat the answer.
    pub linger: Duration,
    /// How long a just-used idle connection may still bring a request once the worker drains.
    pub drain_idle_grace: Duration,
    /// Most connections driven in one turn.
    pub turn_connections: usize,
    /// Longest that one turn starts requests.
    pub turn_time: Duration,
    /// How long a complete answer may wait, while other connections have their turn, so that several
    /// go out together: to the end of the turn that passes it. None waits where the last turn came
    /// later than that; what else the loop does before the next one is added.
    pub gather_time: Duration,
    /// How the worker waits. Another loop can watch only the default poller.
    pub waiting: Waiting,
    /// No write hands the kernel more than so many bytes (`None`: no bound). For tests: a small
    /// quantum makes partial writes certain.
    pub send_quantum: Option<usize>,
    /// The `server` header's value; `None` adds none.
    pub server_header: Option<String>,
    /// Whether a `date` header is added.
    pub date_header: bool,
    /// Further headers of each response: name and value, already checked.
    pub headers: Vec<(String, String)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            head_timeout: Duration::from_secs(15),
            keep_alive: Duration::from_secs(5),
            write_timeout: Duration::from_secs(30),
            min_body_rate: 240,
            body_window: Duration::from_secs(10),
            high_water: 256 * 1024,
            low_water: 64 * 1024,
            read_ahead: 64 * 1024,
            discard_bytes: 256 * 1024,
            discard_timeout: Duration::from_secs(1),
            linger: Duration::from_secs(2),
            drain_idle_grace: Duration::from_secs(1),
            turn_connections: 16,
            turn_time: Duration::from_micros(200),
            gather_time: Duration::from_millis(1),
            waiting: Waiting::default(),
            send_quantum: None,
            server_header: Some(String::from("alula")),
            date_header: true,
            headers: Vec::new(),
        }
    }
}

impl Settings {
    /// The extra headers as they stand on the wire: `name: value\r\n` each.
    pub(crate) fn encoded_headers(&self) -> Vec<u8> {
        let mut lines = Vec::new();
        for (name, value) in &self.headers {
            lines.extend_from_slice(name.as_bytes());
            lines.extend_from_slice(b": ");
            lines.extend_from_slice(value.as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
        lines
    }
}
