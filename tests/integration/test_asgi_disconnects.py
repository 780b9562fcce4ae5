"""The client leaves: whoever waits is told, and whoever sends finds out."""

from collections.abc import Iterator

import pytest
from integration.asgi import SERVERS, new_key, notes, ok, semantics
from rawhttp import Raw
from serving import Server


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


LEAVE = pytest.mark.parametrize("leave", ["close", "reset"])


def leave_after(server: Server, target: str, leave: str, length: int) -> str:
    """Leaves after so many bytes of the body; returns the key of the notes."""
    key = new_key()
    connection = Raw(server.port)
    connection.get(target, f"X-Key: {key}")
    if length:
        connection.read_body(length)
    else:
        ok(server, "/never_waits")  # the request has been seen by then
    getattr(connection, leave)()
    return key


@LEAVE
def test_a_silent_stream_ends(server: Server, leave: str) -> None:
    key = leave_after(server, "/silent_stream", leave, 1)
    assert notes(server, key) == ["left"]


@LEAVE
def test_a_silent_stream_of_starlette_ends(server: Server, leave: str) -> None:
    begun = server.log_length
    key = leave_after(server, "/starlette_stream", leave, 1)
    assert notes(server, key) == ["left"]
    assert "Exception" not in "".join(server.log.splitlines(keepends=True)[begun:])


@LEAVE
def test_polling_with_starlette_finds_out(server: Server, leave: str) -> None:
    key = leave_after(server, "/starlette_polling", leave, 1)
    assert notes(server, key) == [True]


@LEAVE
def test_a_parked_receive_is_told(server: Server, leave: str) -> None:
    key = leave_after(server, "/parked", leave, 0)
    assert notes(server, key) == ["left"]


def test_send_raises_and_a_parked_receive_is_woken(server: Server) -> None:
    key = leave_after(server, "/busy_stream", "reset", 5000)
    assert notes(server, key) == [True, "parked receive woken"]


def test_what_send_raised_is_no_failure_of_the_application(server: Server) -> None:
    begun = server.log_length
    key = leave_after(server, "/busy_stream?raise", "reset", 5000)
    assert notes(server, key) == [True, "ClientDisconnected"]
    assert ok(server, "/never_waits")
    assert "Exception" not in "".join(server.log.splitlines(keepends=True)[begun:])


@LEAVE
def test_a_send_that_waits_is_told(server: Server, leave: str) -> None:
    key = leave_after(server, "/stuck_stream", leave, 1)
    assert notes(server, key) == [True]


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_a_stopping_server_tells_streams_and_then_ends(kind: str) -> None:
    with semantics(kind, "--timeout-graceful-shutdown", "20") as server:
        connection = Raw(server.port)
        connection.get("/silent_stream", f"X-Key: {new_key()}")
        connection.read_body(1)
        server.stop()  # within its deadline, with exit code 0
        connection.close()
    assert "Cancel" not in server.log


@pytest.mark.parametrize("kind", SERVERS)
def test_a_stopping_server_cancels_at_the_deadline(kind: str) -> None:
    with semantics(kind, "--timeout-graceful-shutdown", "1") as server:
        with Raw(server.port) as connection:
            connection.get("/notes/never")
            ok(server, "/never_waits")
            server.stop()
    server.wait_for_log(r"Cancel 1 running task\(s\), timeout graceful shutdown exceeded")
    assert "was destroyed" not in server.log
