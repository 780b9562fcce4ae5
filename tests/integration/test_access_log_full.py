"""An access log that goes into a pipe that nobody reads: the server loses lines, and no time."""

import os
import re
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from integration.asgi import SEMANTICS
from integration.faults import MIB, TESTS
from rawhttp import Raw
from serving import DEADLINE, Deadline, rss

LONG = 30_000
"""The length of a query, and so of its line: some hundred of them are more than anything holds."""

NOTICE = re.compile(rb"^WARNING:  (\d+) access log lines dropped: output too slow\n", re.MULTILINE)


class Unread:
    """A server whose standard output goes into a pipe, and whose log goes into a file."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        assert process.stdout is not None
        self.process, self.log = process, log
        self.pipe = process.stdout.fileno()
        self.port = int(self.logged(r"running on http://127\.0\.0\.1:(\d+)").group(1))
        self.asked = 0

    def logged(self, pattern: str) -> re.Match[str]:
        """Waits for a line in the log."""
        deadline = Deadline(what=f"a log line {pattern!r}")
        while not (match := re.search(pattern, self.log.read_text())):
            time.sleep(min(0.05, deadline.left()))
        return match

    def ask(self, count: int, query: str = "") -> None:
        """So many requests on a connection of their own, each of them answered."""
        with Raw(self.port) as connection:
            for _ in range(count):
                assert connection.get(f"/never_waits?{query}").read().status == 200
        self.asked += count

    def fill(self) -> None:
        """More lines than the pipe and the server hold between them."""
        self.ask(200, "x" * LONG)

    def read_until(self, pattern: re.Pattern[bytes], output: bytearray) -> None:
        """Reads the pipe until something is in it."""
        deadline = Deadline(what=f"{pattern.pattern!r} in the output")
        while not pattern.search(output):
            deadline.left()
            data = os.read(self.pipe, MIB)
            assert data, "the server has ended"
            output += data


@contextmanager
def unread(log: Path) -> Iterator[Unread]:
    alula = str(Path(sysconfig.get_path("scripts")) / "alula")
    command = [alula, "serve", f"{SEMANTICS}:app", "--app-dir", str(TESTS), "--port", "0"]
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            [*command, "--no-use-colors"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        ) as process,
    ):
        try:
            yield Unread(process, log)
        except BaseException:
            print(log.read_text())
            raise
        finally:
            process.kill()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Unread]:
    with unread(tmp_path / "log") as server:
        yield server


def test_requests_are_answered_without_delay_and_in_bounded_memory(server: Unread) -> None:
    server.ask(50)
    before = rss(server.process.pid)
    server.fill()
    begun = time.monotonic()
    server.ask(200, "x" * LONG)
    # Fifty milliseconds for each of them would be ten seconds.
    assert time.monotonic() - begun < 5
    server.ask(1000, "x" * LONG)  # 30 MB of lines
    assert rss(server.process.pid) - before < 12 * MIB


def test_what_was_dropped_is_counted_and_said_once(server: Unread) -> None:
    server.fill()
    server.ask(200)
    output = bytearray()
    server.read_until(NOTICE, output)
    server.ask(1, "after")
    server.read_until(re.compile(rb"\?after HTTP/1.1\" 200 OK\n"), output)
    notices = NOTICE.findall(output)
    assert len(notices) == 1
    lines = output.count(b'"GET /never_waits?')
    assert output.count(b"\n") == lines + 1, "every line is whole"
    assert lines + int(notices[0]) == server.asked
    assert int(notices[0]) >= 200, "none of those that came when it was full are in"


def test_the_log_of_failures_is_not_held_up(server: Unread) -> None:
    server.fill()
    begun = time.monotonic()
    with Raw(server.port) as connection:
        for _ in range(20):
            assert connection.get("/fails").read().status == 500
    # Half a second for each of them would be ten seconds.
    assert time.monotonic() - begun < 5
    server.logged("Exception in ASGI application")


def test_the_server_ends_all_the_same(server: Unread) -> None:
    server.fill()
    server.process.terminate()
    assert server.process.wait(DEADLINE) == 0
