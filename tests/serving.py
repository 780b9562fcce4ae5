"""Real server processes for the tests: start one, wait for it, look at it, end it.

Without more said, a server is `alula serve`, from the environment that runs the tests.
"""

import os
import re
import resource
import shlex
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

DEADLINE = 60.0
"""Seconds after which something that should have happened has not: a guard against hanging."""

_READY = re.compile(r"running on \S*?://\S+?:(\d+)")
_PAGE = resource.getpagesize()
_TICKS = os.sysconf("SC_CLK_TCK")

# For developing a test against another server: `ALULA_TEST_SERVER="uvicorn {app}"`.
_OVERRIDE = os.environ.get("ALULA_TEST_SERVER")


class Deadline:
    """Counts down; `left()` fails the test when there is nothing left."""

    def __init__(self, seconds: float = DEADLINE, what: str = "the server") -> None:
        self._end = time.monotonic() + seconds
        self._what = what

    def left(self) -> float:
        """Seconds that are left, never 0."""
        left = self._end - time.monotonic()
        assert left > 0, f"waited too long for {self._what}"
        return left


class Server:
    """A server process with an application, on a port of its own."""

    def __init__(
        self,
        app: str,
        *options: str,
        app_dir: Path,
        env: dict[str, str] | None = None,
    ) -> None:
        self._command = [*_serve(app), "--app-dir", str(app_dir), "--port", "0", *options]
        self._env = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ALULA_", "UVICORN_")) and name != "WEB_CONCURRENCY"
        }
        self._env |= {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"} | (env or {})
        self._lines: list[str] = []
        self._changed = threading.Condition()
        self._process: subprocess.Popen[str] | None = None
        self._expected: tuple[int, ...] = (0,)
        self.port = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.kill()
            print(f"--- log of {shlex.join(self._command)}\n{self.log}---", file=sys.stderr)
        else:
            self.stop()

    def start(self) -> None:
        """Starts the process and waits until it listens."""
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._env,
            text=True,
            errors="replace",
        )
        self._log_reader = threading.Thread(target=self._read_log, daemon=True)
        self._log_reader.start()
        try:
            self.port = int(self.wait_for_log(_READY).group(1))
            self._wait_until_it_listens()
        except BaseException:
            self.kill()
            raise

    def _wait_until_it_listens(self) -> None:
        deadline = Deadline(what="the first connection")
        while deadline.left():
            try:
                socket.create_connection(("127.0.0.1", self.port), deadline.left()).close()
            except ConnectionRefusedError:
                with self._changed:
                    self._changed.wait(0.05)
            else:
                return

    def _read_log(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        with self._process.stdout as log:
            for line in log:
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        with self._changed:
            self._lines.append("")  # the end: wakes who waits for a line that does not come
            self._changed.notify_all()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The process that was started: the worker, or the supervisor if there are several."""
        assert self._process is not None
        return self._process.pid

    @property
    def log(self) -> str:
        """What it has written so far."""
        with self._changed:
            return "".join(self._lines)

    def wait_for_log(
        self, pattern: str | re.Pattern[str], *, after: int = 0, seconds: float = DEADLINE
    ) -> re.Match[str]:
        """Waits for a line that matches, among those after the first so many."""
        deadline = Deadline(seconds, f"a log line {pattern!r}")
        compiled = re.compile(pattern)
        with self._changed:
            while True:
                for line in self._lines[after:]:
                    if match := compiled.search(line):
                        return match
                ended = self._lines and self._lines[-1] == ""
                assert not ended, f"no log line {pattern!r} in:\n{''.join(self._lines)}"
                self._changed.wait(deadline.left())

    @property
    def log_length(self) -> int:
        """How many lines it has written so far, for `wait_for_log(after=)`."""
        with self._changed:
            return len(self._lines)

    def send_signal(self, number: signal.Signals) -> None:
        """Sends a signal to the process that was started."""
        os.kill(self.pid, number)

    def wait(self, seconds: float = DEADLINE) -> int:
        """Waits for the process to end; returns its exit code, which the caller judges."""
        assert self._process is not None
        code = self._process.wait(seconds)
        self._expected = (code,)
        return code

    def stop(self) -> None:
        """Ends the process with SIGTERM, and expects that to go well."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.terminate()
        try:
            code = self._process.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"the server did not end. Its log:\n{self.log}") from None
        self._log_reader.join(DEADLINE)
        assert code in self._expected or _OVERRIDE, (
            f"exit code {code}. The server's log:\n{self.log}"
        )

    def kill(self) -> None:
        """Ends the process and its workers at once."""
        assert self._process is not None
        if self._process.poll() is None:
            for child in children(self.pid):
                os.kill(child, signal.SIGKILL)
            self._process.kill()
        self._process.wait(DEADLINE)
        self._log_reader.join(DEADLINE)


def _serve(app: str) -> list[str]:
    if _OVERRIDE:
        return shlex.split(_OVERRIDE.format(app=app))
    return [str(Path(sysconfig.get_path("scripts")) / "alula"), "serve", app]


@contextmanager
def serve(
    app: str,
    *options: str,
    app_dir: Path,
    env: dict[str, str] | None = None,
) -> Iterator[Server]:
    """A running server, for the length of a `with` block."""
    with Server(app, *options, app_dir=app_dir, env=env) as server:
        yield server


def rss(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


def cpu_seconds(pid: int) -> float:
    """The processor time that a process has used, its own and the kernel's for it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def descriptors(pid: int) -> int:
    """How many descriptors a process has open."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def children(pid: int) -> Sequence[int]:
    """The processes that a process has started, and theirs."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # the thread may end meanwhile
            for child in map(int, task.read_text().split()):
                found += [child, *children(child)]
    return found


def allow_many_descriptors(wanted: int) -> None:
    """Raises this process's limit, which those it starts inherit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard == resource.RLIM_INFINITY or hard >= wanted, f"needs {wanted} descriptors"
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
