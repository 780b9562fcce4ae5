//! A tiny server, and suites of such. It is this test program itself, started again with the
//! ignored test `tiny_server`, which the environment tells how to behave:
//!
//! - `TINY`: what it does, see [`serve`]
//! - `TINY_NAME`, `TINY_LOG`: it appends its name to that file when it is started
//! - `TINY_LIFELINE`: it keeps a connection to that port for as long as it lives
//! - `PORT`: where it listens

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use alula_testkit::Scratch;

/// What every right answer holds, but those below `/json`.
pub(crate) const BODY: &str = "abcdefghij";

/// What a server says that never listens.
const BORN: &str = "born";

/// The part of the server; returns only if it is to end by itself.
pub(crate) fn serve() {
    let setting = |name: &str| std::env::var(name).unwrap_or_default();
    let told = setting("TINY");
    if told.is_empty() {
        return; // Somebody runs the ignored tests.
    }
    if let Ok(path) = std::env::var("TINY_LOG") {
        let file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path);
        let line = format!("{}\n", setting("TINY_NAME"));
        file.expect("a log")
            .write_all(line.as_bytes())
            .expect("written");
    }
    // Held until the end of the process.
    let _lifeline = std::env::var("TINY_LIFELINE").ok().map(|port| {
        let port: u16 = port.parse().expect("a port");
        TcpStream::connect(("127.0.0.1", port)).expect("the test listens")
    });
    let (what, number) = told.split_once(':').unwrap_or((&told, "0"));
    match what {
        // Ends at once, with words.
        "ends" => {
            eprintln!("first line\ncannot find the flux");
            std::process::exit(3);
        }
        // Never listens.
        "silent" => {
            println!("{BORN}");
            eprintln!("still looking for the flux");
            forever();
        }
        // Has a child that left its process group and its session.
        "parent" => {
            // It is the comparison's part to end it.
            #[allow(clippy::zombie_processes)]
            let mut child = Command::new("setsid")
                .arg(std::env::current_exe().expect("a program"))
                .args(["--exact", "tiny_server", "--ignored", "--nocapture"])
                .env("TINY", "silent")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .spawn()
                .expect("a child");
            // Only then does the server answer, so that the child lives whenever it does.
            let lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
            let mut lines = lines.map_while(Result::ok);
            assert!(lines.any(|line| line.ends_with(BORN)), "the child was born");
            answer(RIGHT);
        }
        // Answers rightly, so many times.
        "right" => answer(match number {
            "0" => RIGHT,
            number => Script {
                right_until: number.parse().expect("a number"),
                ..RIGHT
            },
        }),
        // Answers rightly from that request on.
        "late" => answer(Script {
            right_from: number.parse().expect("a number"),
            ..RIGHT
        }),
        // Closes the connection of that request behind its answer.
        "forgetful" => answer(Script {
            closes_at: number.parse().expect("a number"),
            ..RIGHT
        }),
        other => panic!("TINY={other}"),
    }
}

fn forever() -> ! {
    loop {
        std::thread::park();
    }
}

/// What a server does with which request, counted from 0 over all connections.
#[derive(Clone, Copy)]
struct Script {
    right_from: u64,
    right_until: u64,
    closes_at: u64,
}

const RIGHT: Script = Script {
    right_from: 0,
    right_until: u64::MAX,
    closes_at: u64::MAX,
};

fn answer(script: Script) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let port: u16 = std::env::var("PORT")
        .expect("PORT")
        .parse()
        .expect("a port");
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("bound");
    for client in listener.incoming() {
        let client = client.expect("a connection");
        std::thread::spawn(move || answer_one(client, script, &COUNT));
    }
}

/// Serves a connection until the client or the script closes it.
fn answer_one(mut client: TcpStream, script: Script, count: &AtomicU64) {
    let mut reader = BufReader::new(client.try_clone().expect("a second handle"));
    while let Some(path) = request(&mut reader) {
        let number = count.fetch_add(1, Ordering::Relaxed);
        let right = (script.right_from..script.right_until).contains(&number);
        let body = match path.as_str() {
            // Another one each time, with a value that stays.
            "/json" => format!("{{\"count\":{number},\"right\":{right}}}"),
            _ if right => BODY.to_owned(),
            _ => "abcdefghiX".to_owned(),
        };
        let length = body.len();
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}");
        if client.write_all(answer.as_bytes()).is_err() || number == script.closes_at {
            return;
        }
    }
}

/// Reads the head of a request, and gives its path; `None` at the end of the connection.
fn request(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return None;
        }
    }
    Some(path)
}

/// A suite of tiny servers in a folder of its own.
pub(crate) struct TinySuite {
    pub(crate) scratch: Scratch,
    text: String,
    lifeline: TcpListener,
}

impl TinySuite {
    /// With short measurements and these lines at its front.
    pub(crate) fn new(front: &str) -> Self {
        let text = format!(
            "title = \"tiny\"\nseconds = 0.2\nwarm-up-seconds = 0.05\n{front}\n\
             [[request]]\nname = \"plain\"\npath = \"/plain\"\nexpect-body = \"{BODY}\"\n"
        );
        Self {
            scratch: Scratch::new().expect("a folder"),
            text,
            lifeline: TcpListener::bind("127.0.0.1:0").expect("bound"),
        }
    }

    /// A server that behaves so; `more` are further lines of its table.
    pub(crate) fn server(mut self, name: &str, behaviour: &str, more: &str) -> Self {
        let program = std::env::current_exe().expect("a program");
        let lifeline = self.lifeline.local_addr().expect("an address").port();
        let log = self.scratch.join("started");
        write!(
            self.text,
            "[[server]]\nname = \"{name}\"\n{more}\n\
             command = [\"{}\", \"--exact\", \"tiny_server\", \"--ignored\", \"--nocapture\"]\n\
             env = {{ TINY = \"{behaviour}\", TINY_NAME = \"{name}\", TINY_LOG = \"{}\", \
             TINY_LIFELINE = \"{lifeline}\", PORT = \"{{port}}\" }}\n",
            program.display(),
            log.display()
        )
        .expect("a string");
        self
    }

    /// Further tables.
    pub(crate) fn with(mut self, tables: &str) -> Self {
        self.text.push_str(tables);
        self
    }

    /// A closed loop of two connections.
    pub(crate) fn closed(self, more: &str) -> Self {
        self.with(&format!(
            "[[measure]]\nname = \"plain\"\nkind = \"closed\"\nrequest = \"plain\"\n\
             connections = 2\n{more}\n"
        ))
    }

    /// With measurements of another length.
    pub(crate) fn with_seconds(mut self, seconds: &str) -> Self {
        let line = format!("seconds = {seconds}");
        self.text = self.text.replacen("seconds = 0.2", &line, 1);
        self
    }

    /// Writes the file.
    pub(crate) fn write(&self) -> PathBuf {
        let path = self.scratch.join("tiny.toml");
        std::fs::write(&path, &self.text).expect("written");
        path
    }

    /// The names of the servers in the order in which they were started.
    pub(crate) fn started(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.scratch.join("started")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits for the next process that has begun its life.
    pub(crate) fn life(&self) -> Life {
        self.lifeline.set_nonblocking(false).expect("set");
        let (line, _) = self.lifeline.accept().expect("a process that lives");
        Life(line)
    }

    /// Every process that has begun its life so far.
    pub(crate) fn lives(&self) -> Vec<Life> {
        self.lifeline.set_nonblocking(true).expect("set");
        let lives = std::iter::from_fn(|| self.lifeline.accept().ok());
        lives.map(|(line, _)| Life(line)).collect()
    }
}

/// A process that has begun its life.
pub(crate) struct Life(TcpStream);

impl Life {
    /// Waits for its end; fails the test if that does not come.
    pub(crate) fn await_end(mut self) {
        self.0.set_nonblocking(false).expect("set");
        self.0
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("set");
        match self.0.read(&mut [0]) {
            Ok(0) => {}
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => {}
            other => panic!("a server outlived its comparison: {other:?}"),
        }
    }

    /// Whether it has ended already.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.0.set_nonblocking(true).expect("set");
        !matches!(self.0.read(&mut [0]), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }
}

/// Whether all these programs are on the path; says so if one is not.
pub(crate) fn have(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        !std::env::split_paths(&folders).any(|folder| Path::new(&folder).join(program).is_file())
    });
    if let Some(program) = missing {
        println!("skipped: there is no program {program}");
    }
    missing.is_none()
}
