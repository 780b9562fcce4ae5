"""Deadlines that are set outside a turn of the engine, where nothing else wakes the loop.

The handler waits before it answers, so that the answer is sent by its task and no event of the
connection follows. The server is otherwise silent: one client, no lifespan, no health check.
"""

import select
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from integration.faults import TESTS
from rawhttp import Raw, request
from serving import Deadline, Server

APP = "integration.apps.waits:app"
LOOPS = pytest.mark.parametrize("loop", ["asyncio", "uvloop"])


def silent(loop: str, notes: Path, *options: str) -> Server:
    options = ("--loop", loop, "--lifespan", "off", "--no-access-log", *options)
    return Server(APP, *options, app_dir=TESTS, env={"WAITS_FILE": str(notes)})


def becomes(text: str, notes: Path, seconds: float) -> None:
    """Waits for what the application notes, without a word to the server."""
    deadline = Deadline(seconds, f"{text!r} in the application's notes")
    while not (notes.exists() and notes.read_text() == text):
        time.sleep(min(0.05, deadline.left()))


@LOOPS
@pytest.mark.parametrize("kept", [0, 1], ids=["the first answer", "a later answer"])
def test_an_idle_connection_is_closed(loop: str, kept: int, tmp_path: Path) -> None:
    options = ("--timeout-keep-alive", "1")
    with silent(loop, tmp_path / "notes", *options) as server, Raw(server.port) as connection:
        for _ in range(kept + 1):
            assert connection.get("/late").read().body == b"late"
        answered = time.monotonic()
        connection.expect_end(10)
        assert 0.8 <= time.monotonic() - answered < 5


@LOOPS
@pytest.mark.parametrize("path", ["/large", "/pieces"])
def test_an_answer_that_nobody_reads_is_given_up(loop: str, path: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with (
        silent(loop, notes, "--timeout-write", "1") as server,
        Raw(server.port, receive_buffer=64 * 1024) as connection,
    ):
        connection.get(path)
        becomes("sending", notes, 10)
        begun = time.monotonic()
        becomes("ClientDisconnected", notes, 10)
        assert time.monotonic() - begun >= 0.8
        assert len(connection.expect_cut()) < 30_000_000


@LOOPS
def test_a_body_that_trickles_while_the_handler_waits_is_408(loop: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with (
        silent(loop, notes, "--min-body-rate", "1000000") as server,
        Raw(server.port) as connection,
    ):
        connection.send(request("POST", "/upload", "Content-Length: 100000000"))
        begun = time.monotonic()
        send_until_answered(connection, lambda: time.monotonic() - begun < 25)
        response = connection.read(seconds=5)
        assert (response.status, response.says_close) == (408, True)
        becomes("http.disconnect", notes, 5)


def send_until_answered(connection: Raw, go_on: Callable[[], bool]) -> None:
    """Sends three bytes, and then nothing: a byte more would wake the server."""
    for _ in range(3):
        connection.send(b"x")
        time.sleep(0.1)
    while not select.select([connection.socket], [], [], 0.1)[0]:
        assert go_on(), "no answer"
