//! A server: started, awaited, watched, and ended with all its children.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::exchange::{Exchange, Wrong};
use super::guardian::{Guardian, MARK};

/// How long a server may take to stop when it is asked to.
const STOP: Duration = Duration::from_secs(5);
/// Time between two questions while nobody listens; the start is known as precisely.
const WHILE_REFUSED: Duration = Duration::from_micros(250);
/// Time between two questions while the answer is another.
const WHILE_WRONG: Duration = Duration::from_millis(20);
/// How much of what a server wrote is shown.
const TAIL: u64 = 800;
/// What a server keeps of our environment; everything else comes from the suite file.
const KEPT: [&str; 4] = ["PATH", "HOME", "LANG", "TMPDIR"];

/// Below the ports that the system gives to outgoing connections, so that none of those, our own
/// attempts to connect included, can take a server's port. Five digits, as the ports' length must
/// not change a request's.
const PORTS: std::ops::Range<u16> = 18_000..32_000;

/// Everything that is needed to start a server.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Where it runs.
    pub directory: PathBuf,
    /// Added to the environment.
    pub environment: BTreeMap<String, String>,
    /// Where its output goes.
    pub log: PathBuf,
    /// The port that it listens on.
    pub port: u16,
}

/// Why there is no server, or not any longer.
#[derive(Debug)]
pub enum Failed {
    /// The program can't be run.
    Spawn(String),
    /// It ended by itself.
    Ended {
        /// How.
        status: ExitStatus,
        /// The end of its output.
        tail: String,
    },
    /// It did not give the right answer in time.
    NotReady {
        /// How long it was waited for.
        waited: Duration,
        /// What came instead.
        last: Wrong,
        /// The end of its output.
        tail: String,
    },
    /// The user wants an end.
    Interrupted,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Spawn(why) => write!(f, "it can't be started: {why}"),
            Self::Ended { status, tail } => write!(f, "it ended by itself ({status}): {tail}"),
            Self::NotReady { waited, last, tail } => {
                let seconds = waited.as_secs_f64();
                write!(
                    f,
                    "no right answer within {seconds} s: {last}; its output: {tail}"
                )
            }
            Self::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Failed {}

/// A server that runs. Dropped, it is ended.
#[derive(Debug)]
pub struct Running {
    /// The port that it listens on.
    pub port: u16,
    /// The process that was started.
    pub pid: u32,
    /// From the start to the first right answer.
    pub until_answer: Duration,
    log: PathBuf,
    guardian: Option<Guardian>,
    ended: Receiver<ExitStatus>,
}

impl Running {
    /// Starts a server and waits for its first right answer.
    ///
    /// # Errors
    ///
    /// If it does not come to that; nothing of it is left then.
    pub fn start(
        launch: &Launch,
        exchange: &Exchange,
        ready: Duration,
        interrupted: &AtomicBool,
    ) -> Result<Self, Failed> {
        let (mut running, begun) = Self::spawn(launch)?;
        running.await_answer(exchange, begun, ready, interrupted)?;
        running.until_answer = begun.elapsed();
        Ok(running)
    }

    /// The server, and when it was started: the guardian's own start does not count.
    fn spawn(launch: &Launch) -> Result<(Self, Instant), Failed> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let program = &launch.command[0];
        let failed = |error: std::io::Error| Failed::Spawn(format!("{program}: {error}"));
        let output = File::create(&launch.log).map_err(failed)?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{}-{number}", std::process::id());
        let mut guardian = Guardian::new(&mark)
            .map_err(|error| Failed::Spawn(format!("no guardian for it: /bin/sh: {error}")))?;
        let kept = KEPT
            .iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        let begun = Instant::now();
        let mut child = Command::new(program)
            .args(&launch.command[1..])
            .current_dir(&launch.directory)
            .env_clear()
            .envs(kept)
            .envs(&launch.environment)
            .env(MARK, &mark)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(failed)?)
            .stderr(output)
            .spawn()
            .map_err(failed)?;
        let pid = child.id();
        guardian.guard(pid);
        let (sender, ended) = channel();
        std::thread::spawn(move || {
            if let Ok(status) = child.wait() {
                // Nobody may be interested any longer.
                let _ = sender.send(status);
            }
        });
        let running = Self {
            port: launch.port,
            pid,
            until_answer: Duration::ZERO,
            log: launch.log.clone(),
            guardian: Some(guardian),
            ended,
        };
        Ok((running, begun))
    }

    fn await_answer(
        &mut self,
        exchange: &Exchange,
        begun: Instant,
        ready: Duration,
        interrupted: &AtomicBool,
    ) -> Result<(), Failed> {
        loop {
            let Err(wrong) = exchange.ask_once(self.port) else {
                return Ok(());
            };
            let pause = match wrong {
                Wrong::Refused => WHILE_REFUSED,
                _ => WHILE_WRONG,
            };
            if let Ok(status) = self.ended.recv_timeout(pause) {
                let tail = self.tail();
                return Err(Failed::Ended { status, tail });
            }
            if interrupted.load(Ordering::Relaxed) {
                return Err(Failed::Interrupted);
            }
            if begun.elapsed() > ready {
                return Err(Failed::NotReady {
                    waited: ready,
                    last: wrong,
                    tail: self.tail(),
                });
            }
        }
    }

    /// The end of its output, on one line.
    pub fn tail(&self) -> String {
        match tail_of(&self.log) {
            Ok(text) if text.is_empty() => "(it wrote nothing)".to_owned(),
            Ok(text) => text,
            Err(error) => format!("(its output can't be read: {error})"),
        }
    }

    /// How many lines it has written so far.
    ///
    /// # Errors
    ///
    /// If its output can't be read.
    pub fn lines(&self) -> std::io::Result<u64> {
        let mut log = BufReader::with_capacity(1 << 18, File::open(&self.log)?);
        let mut count = 0;
        loop {
            let block = log.fill_buf()?;
            if block.is_empty() {
                return Ok(count);
            }
            count += block.split(|&byte| byte == b'\n').count() as u64 - 1;
            let length = block.len();
            log.consume(length);
        }
    }

    /// Waits so long, or until the server ends by itself.
    ///
    /// # Errors
    ///
    /// That it has ended.
    pub fn wait(&self, time: Duration) -> Result<(), Failed> {
        match self.ended.recv_timeout(time) {
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Ok(status) => Err(Failed::Ended {
                status,
                tail: self.tail(),
            }),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Failed::Spawn("its end was seen already".to_owned()))
            }
        }
    }
}

impl Drop for Running {
    /// Asks the server to stop, waits a while, and kills what is left of it and its children.
    fn drop(&mut self) {
        if let Some(mut guardian) = self.guardian.take() {
            guardian.stop();
            // Ended already, ended now, or not at all: whatever is left is killed with the guardian.
            let _ = self.ended.recv_timeout(STOP);
            drop(guardian);
            // A hundred rounds with the access log on would fill a disk. It may be gone already.
            let _ = std::fs::remove_file(&self.log);
        }
    }
}

fn tail_of(log: &Path) -> std::io::Result<String> {
    let mut file = File::open(log)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let text = plain(&String::from_utf8_lossy(&bytes));
    Ok(text.trim().lines().collect::<Vec<_>>().join(" | "))
}

/// The text without what would colour a terminal or move in it.
fn plain(text: &str) -> String {
    let mut pieces = text.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        // A sequence such as `[1;31m` ends with a letter; ECMA-48 section 5.4.
        let sequence = piece.strip_prefix('[').and_then(|rest| {
            let end = rest.find(|c: char| ('@'..='~').contains(&c))?;
            Some(&rest[end + 1..])
        });
        plain.push_str(sequence.unwrap_or(piece));
    }
    plain.retain(|c| c == '\n' || !c.is_control() || c == '\t');
    plain
}

/// A port that nobody listens on, another one each time.
///
/// # Errors
///
/// If all are taken.
pub fn free_port() -> Result<u16, String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let count = u32::from(PORTS.end - PORTS.start);
    // Two comparisons at once begin at different places.
    let begin = std::process::id().wrapping_mul(97);
    for _ in 0..count {
        let offset = begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % count;
        let port = PORTS.start + offset as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return Ok(port);
        }
    }
    Err(format!(
        "no port from {} to {} is free",
        PORTS.start,
        PORTS.end - 1
    ))
}

#[cfg(test)]
mod tests {
    use super::{free_port, plain};

    #[test]
    fn colours_and_other_controls_are_taken_out_of_what_a_server_wrote() {
        let cases = [
            (
                "\u{1b}[1;31merror\u{1b}[0m: no flux\r\n",
                "error: no flux\n",
            ),
            ("a\tb\u{7}", "a\tb"),
            ("\u{1b}[", "["),
        ];
        for (text, expected) in cases {
            assert_eq!(plain(text), expected);
        }
    }

    #[test]
    fn ports_have_five_digits_and_are_another_one_each_time() {
        let (one, other) = (free_port().expect("a port"), free_port().expect("a port"));
        assert_ne!(one, other);
        assert!(one >= 10_000 && other >= 10_000);
    }
}
