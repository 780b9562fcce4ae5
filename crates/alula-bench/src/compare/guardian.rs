//! Ends a server with all its children, even when we are ended ourselves.
//!
//! Each server has a guardian: a shell that reads commands from a pipe. When the pipe closes without
//! a word, because this process was killed or panicked, it kills the server. Nothing but the system
//! holds the other end, so there is no way past it. It is also what sends the signals while
//! we live, as without `unsafe` there is no other way to signal a process group.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

/// The variable in the environment of a server and its children, by which they are found.
pub const MARK: &str = "ALULA_BENCH_SERVER";

/// `$1` is the mark's value. The first line is the process group, which is not known before the
/// server has been started. A child that left the group is found by the mark in its environment.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
read -r group
while read -r word; do
    case $word in
        stop) kill -s TERM -- "-$group" 2>/dev/null ;;
        *) break ;;
    esac
done
[ -n "$group" ] && kill -s KILL -- "-$group" 2>/dev/null
for file in $(grep -lszxF "ALULA_BENCH_SERVER=$1" /proc/[0-9]*/environ 2>/dev/null); do
    pid=${file#/proc/}
    kill -s KILL "${pid%/environ}" 2>/dev/null
done
exit 0
"#;

/// The guardian of one server.
#[derive(Debug)]
pub struct Guardian {
    shell: Child,
    pipe: Option<ChildStdin>,
}

impl Guardian {
    /// Guards processes that have [`MARK`]`=mark` in their environment. It stands ready before the
    /// first of them is started.
    ///
    /// # Errors
    ///
    /// If there is no shell.
    pub fn new(mark: &str) -> io::Result<Self> {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "guardian", mark])
            // A group of its own: a Ctrl-C that ends us must not end it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .env_remove(MARK)
            .spawn()?;
        let pipe = shell.stdin.take();
        Ok(Self { shell, pipe })
    }

    /// Says which process group they are.
    pub fn guard(&mut self, group: u32) {
        self.say(&format!("{group}\n"));
    }

    /// Asks the group to stop.
    pub fn stop(&mut self) {
        self.say("stop\n");
    }

    fn say(&mut self, line: &str) {
        if let Some(pipe) = &mut self.pipe {
            // A guardian that is gone has killed the group.
            let _ = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Guardian {
    /// Kills whatever is left of the group and its descendants, and waits until that is done.
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.shell.wait();
    }
}
