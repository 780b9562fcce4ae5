"""Processes that end while requests are under way."""

import os
import signal
import socket
from pathlib import Path

import pytest
from content import pattern
from integration.faults import MIB, ask, bounded_memory, faulty_app
from integration.load import Load
from rawhttp import Raw, request
from serving import Deadline, Server

CLIENTS = 12
GROWTH = 8 * MIB


def load(server: Server, *, kept: bool) -> Load:
    """Clients that ask for `/job/NAME`."""
    return Load(server.port, "/job/{name}", clients=CLIENTS, kept=kept)


def wrong(clients: Load) -> list[str]:
    """The answers that are not the right ones."""
    return [
        f"{name}: {answer}"
        for name, answer in clients.answers.items()
        if (answer.status, answer.body) != (200, pattern(4000) + name.encode())
    ]


def process_of(port: int) -> int:
    """The process that answers a fresh connection."""
    with Raw(port) as connection:
        return int(connection.get("/process", "Connection: close").read().body)


def wait_for_processes(port: int, count: int, without: int = 0) -> set[int]:
    """Asks until so many processes have answered, none of them the one that is gone."""
    deadline = Deadline(what=f"{count} processes")
    seen: set[int] = set()
    while len(seen) < count:
        seen.add(process_of(port))
        assert deadline.left()
    assert without not in seen
    return seen


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "fresh"])
def test_kill_9_of_a_worker_loses_only_what_was_in_flight(kept: bool) -> None:
    with faulty_app("--workers", "2") as server:
        workers = wait_for_processes(server.port, 2)
        victim = workers.pop()
        with load(server, kept=kept) as clients:
            clients.expect(200)
            with bounded_memory(server, GROWTH):
                os.kill(victim, signal.SIGKILL)
                clients.expect(400)
                assert victim not in wait_for_processes(server.port, 2, without=victim)
                clients.expect(200)
        assert not wrong(clients)
        assert clients.refused == 0
        assert len(clients.lost) <= CLIENTS, clients.lost
        assert workers < wait_for_processes(server.port, 2), "the other worker was touched"


def test_kill_9_again_and_again() -> None:
    with faulty_app("--workers", "2") as server:
        with load(server, kept=False) as clients:
            wait_for_processes(server.port, 2)
            clients.expect(200)
            with bounded_memory(server, GROWTH):
                for _ in range(3):
                    victim = process_of(server.port)
                    os.kill(victim, signal.SIGKILL)
                    clients.expect(50)
                    assert victim not in wait_for_processes(server.port, 2, without=victim)
        assert not wrong(clients)
        assert clients.refused == 0
        assert len(clients.lost) <= 3 * CLIENTS


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "fresh"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_sigterm_under_load_loses_nothing(tmp_path: Path, workers: str, kept: bool) -> None:
    begun_file, shutdown_file = tmp_path / "begun", tmp_path / "shutdown"
    files = {"FAULTS_BEGUN_FILE": str(begun_file), "FAULTS_SHUTDOWN_FILE": str(shutdown_file)}
    with (
        faulty_app("--workers", workers, **files) as server,
        load(server, kept=kept) as clients,
    ):
        clients.expect(200)
        server.send_signal(signal.SIGTERM)
        clients.join()  # each until it is refused
        assert server.wait() == 0
        begun = set(begun_file.read_text().split())
        assert not wrong(clients)
        answered = set(clients.answers)
        assert begun <= answered, f"lost: {begun - answered}"
        assert answered <= begun
        # Between the last accept() and the close() of a listener the kernel may finish one more
        # handshake (several, when the process is interrupted just there), and then has to reset
        # it; nobody can help that.
        assert len(clients.lost) <= 3 * int(workers), clients.lost
        assert clients.refused == CLIENTS
        assert shutdown_file.read_text() == "shut down\n" * int(workers)


def fifo(folder: Path) -> Path:
    path = folder / "fifo"
    os.mkfifo(path)
    return path


def expect_refusal(port: int) -> None:
    """Waits until nobody listens any more."""
    deadline = Deadline(what="the listener to be closed")
    while deadline.left():
        try:
            socket.create_connection(("127.0.0.1", port), deadline.left()).close()
        except ConnectionRefusedError:
            return


def test_sigterm_lets_what_is_under_way_finish(tmp_path: Path) -> None:
    path = fifo(tmp_path)
    with (
        faulty_app("--timeout-keep-alive", "600", FAULTS_FIFO=str(path)) as server,
        Raw(server.port) as idle,
        Raw(server.port) as busy,
        Raw(server.port) as uploading,
    ):
        assert idle.get("/witness/1").read().body == b"witness 1"
        busy.get("/fifo")
        uploading.send(request("POST", "/read", "Content-Length: 20000") + pattern(5000))
        ask(server, "/busy/fifo/1")
        ask(server, "/busy/read/1")
        server.send_signal(signal.SIGTERM)
        idle.expect_end()  # so the server has begun to shut down
        expect_refusal(server.port)
        uploading.send(pattern(15_000, 5000))
        response = uploading.read()
        assert (response.body, response.says_close) == (pattern(20_000), True)
        uploading.expect_end()
        path.write_text("at last")
        response = busy.read()
        assert (response.body, response.says_close) == (b"at last", True)
        busy.expect_end()
        assert server.wait() == 0


def test_a_silent_stream_is_told_of_the_shutdown() -> None:
    with faulty_app() as server, Raw(server.port) as streaming:
        streaming.get("/feed")
        streaming.read_body(10)
        server.send_signal(signal.SIGTERM)
        response = streaming.read()  # it ends in order, and long before the deadline of 30 s
        assert response.body == b"beginning, end"
        assert server.wait(25) == 0


def test_the_deadline_of_a_shutdown_holds() -> None:
    with (
        faulty_app("--timeout-graceful-shutdown", "1") as server,
        Raw(server.port) as stuck,
    ):
        stuck.get("/wait/what-never-comes")
        ask(server, "/busy/wait/1")
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 0


def test_a_second_signal_ends_it_at_once() -> None:
    with (
        faulty_app("--timeout-graceful-shutdown", "600", "--timeout-keep-alive", "600") as server,
        Raw(server.port) as stuck,
        Raw(server.port) as idle,
    ):
        idle.get("/witness/1").read()
        stuck.get("/wait/what-never-comes")
        ask(server, "/busy/wait/1")
        server.send_signal(signal.SIGTERM)
        idle.expect_end()  # so it has seen the first one
        server.send_signal(signal.SIGTERM)
        assert server.wait() == -signal.SIGTERM
