"""Deadlines that are set outside a turn of the engine, where nothing else wakes the loop.

The handler waits before it answers, so that the answer is sent by its task and no event of the
connection follows. The server is otherwise silent: one client, no lifespan, no health check.
"""

import time
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
@pytest.mark.parametrize("expect", [False, True], ids=["at once", "after a 100"])
def test_a_body_that_does_not_come_while_the_handler_waits_is_408(
    loop: str, expect: bool, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    with (
        silent(loop, notes, "--min-body-rate", "1000000") as server,
        Raw(server.port) as connection,
    ):
        lines = ["Content-Length: 100000000", *(["Expect: 100-continue"] if expect else [])]
        connection.send(request("POST", "/upload", *lines))
        if not expect:
            connection.send(b"xxx")  # and then nothing: a byte more would wake the server
        response = connection.read(seconds=25)
        assert (response.status, response.says_close) == (408, True)
        assert response.interim == [100] * expect
        becomes("http.disconnect", notes, 5)
