"""How one process stops: what is in flight ends, streams are told, the rest is cancelled."""

import signal
import socket
import time

import httpx
import pytest
from integration.lifecycle import Notes, fresh_notes, stop_while_starting, workers
from serving import DEADLINE, Server

notes = fresh_notes


def ask(server: Server, path: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), DEADLINE)
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    return connection


def rest(connection: socket.socket) -> bytes:
    """Everything up to the end."""
    received = b""
    while data := connection.recv(65536):
        received += data
    return received


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_request_in_flight_is_answered_and_the_code_is_0(
    number: signal.Signals, loop: str, notes: Notes
) -> None:
    with workers(1, notes, "--loop", loop) as server, ask(server, "/sleep/0.3") as connection:
        notes.wait_for("sleeping")
        server.send_signal(number)
        answer = rest(connection)
        assert answer.endswith(str(server.pid).encode())
        assert b"connection: close" in answer.lower()
        assert server.wait() == 0
        assert len(notes.of("shutdown")) == 1
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.port), DEADLINE)


def test_an_idle_connection_does_not_hold_it_up(notes: Notes) -> None:
    with workers(1, notes, "--timeout-keep-alive", "60") as server:
        with httpx.Client() as client:
            client.get(server.url)
            server.send_signal(signal.SIGTERM)
            start = time.monotonic()
            assert server.wait() == 0
        assert time.monotonic() - start < 5


def test_a_stream_is_told_after_a_second(notes: Notes) -> None:
    with workers(1, notes) as server, ask(server, "/stream") as connection:
        notes.wait_for("streaming")
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait_for_log("Waiting for connections to close")
        answer = rest(connection)
        assert b"begun\n" in answer
        assert b"end\n" in answer
        assert 0.9 <= time.monotonic() - start < 10
        assert server.wait() == 0
        assert len(notes.of("disconnected")) == 1


def test_what_does_not_end_is_cancelled_at_the_deadline(notes: Notes) -> None:
    options = ("--timeout-graceful-shutdown", "1.5")
    with workers(1, notes, *options) as server, ask(server, "/stubborn") as connection:
        notes.wait_for("stubborn")
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait_for_log(
            r"Cancel 1 running task\(s\), timeout graceful shutdown exceeded", seconds=DEADLINE
        )
        assert 1.4 <= time.monotonic() - start < 10
        rest(connection)
        assert server.wait() == 0
        assert len(notes.of("cancelled")) == 1
        assert len(notes.of("shutdown")) == 1


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_second_signal_ends_it_at_once(loop: str, notes: Notes) -> None:
    with workers(1, notes, "--loop", loop) as server, ask(server, "/stubborn"):
        notes.wait_for("stubborn")
        server.send_signal(signal.SIGTERM)
        server.wait_for_log("Shutting down")
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait() == -signal.SIGTERM
        assert time.monotonic() - start < 5
        assert notes.of("shutdown") == []


def test_a_second_signal_ends_even_a_blocked_loop(notes: Notes) -> None:
    with workers(1, notes) as server, ask(server, "/block/600"):
        notes.wait_for("blocking")
        server.send_signal(signal.SIGINT)
        server.send_signal(signal.SIGTERM)
        assert server.wait() < 0


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_an_application_that_never_shuts_down_is_cancelled(
    loop: str, count: int, notes: Notes
) -> None:
    options = ("--timeout-graceful-shutdown", "1", "--loop", loop)
    with workers(count, notes, *options, LIFECYCLE_SHUTDOWN="wait") as server:
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 0
        assert 4.9 < time.monotonic() - start < 10, "the least that it is given are 5 seconds"
        text = (
            "Application shutdown not complete after 5 seconds, timeout graceful shutdown exceeded."
        )
        assert server.log.count(text) == count
        assert "Traceback" not in server.log
        assert notes.of("shutdown") == []


@pytest.mark.parametrize(("count", "how"), [(1, "block"), (2, "stubborn")])
def test_an_application_that_cannot_be_cancelled_is_ended(
    count: int, how: str, notes: Notes
) -> None:
    options = ("--timeout-graceful-shutdown", "1")
    with workers(count, notes, *options, LIFECYCLE_SHUTDOWN=how) as server:
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait() == (1 if count == 1 else 0)
        assert 10.9 < time.monotonic() - start < 15
        text = "Still running 11 seconds after the request to stop, ending the process."
        assert server.log.count(text) == count


def test_a_thread_that_an_application_leaves_does_not_keep_the_process(notes: Notes) -> None:
    options = ("--timeout-graceful-shutdown", "1")
    with workers(1, notes, *options, LIFECYCLE_SHUTDOWN="thread") as server:
        start = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 1
        assert 9.9 < time.monotonic() - start < 15
        text = "Still running 10 seconds after the server has ended, ending the process."
        assert server.log.count(text) == 1


def test_stopping_during_a_startup_that_hangs(notes: Notes) -> None:
    stop_while_starting(notes, hanging=1)
