"""Processes that end while requests are under way."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from content import pattern
from integration.faults import ask, faulty_app
from rawhttp import BadResponse, Raw, request
from serving import DEADLINE, Deadline, Server

CLIENTS = 12


class Load:
    """Clients that each ask for `/work/N` as fast as they get answers, and what became of that."""

    def __init__(self, server: Server, *, kept: bool) -> None:
        self._port = server.port
        self._kept = kept
        self._stop = threading.Event()
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._run, args=(number,), daemon=True)
            for number in range(CLIENTS)
        ]
        self.answered: set[str] = set()
        self.lost: list[str] = []
        """Requests that were sent, whole or in part, and not answered whole."""
        self.refused = 0
        self.wrong: list[str] = []

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        self.join()

    def join(self) -> None:
        for thread in self._threads:
            thread.join(DEADLINE)
            assert not thread.is_alive(), "a client hangs"

    def expect(self, more: int) -> None:
        """Waits until so many more requests have been answered."""
        deadline = Deadline(what="answers under load")
        with self._changed:
            wanted = len(self.answered) + more
            while len(self.answered) < wanted:
                self._changed.wait(deadline.left())

    def _run(self, client: int) -> None:
        count = 0
        connection: Raw | None = None
        try:
            while not self._stop.is_set():
                name = f"{client}-{count}"
                count += 1
                if connection is None:
                    try:
                        connection = Raw(self._port)
                    except ConnectionRefusedError:
                        self.refused += 1
                        return
                    except ConnectionResetError:
                        self.lost.append(name)
                        continue
                if self._ask(connection, name) and self._kept:
                    continue
                connection.close()
                connection = None
        finally:
            if connection is not None:
                connection.close()

    def _ask(self, connection: Raw, name: str) -> bool:
        """One request; tells whether the connection may be used again."""
        try:
            response = connection.get(f"/work/{name}").read()
        except (OSError, BadResponse):
            self.lost.append(name)
            return False
        if (response.status, response.body) != (200, pattern(4000) + name.encode()):
            self.wrong.append(f"{name}: {response}")
        with self._changed:
            self.answered.add(name)
            self._changed.notify_all()
        return not response.says_close


@contextmanager
def load(server: Server, *, kept: bool) -> Iterator[Load]:
    clients = Load(server, kept=kept)
    clients.start()
    try:
        yield clients
    finally:
        clients.stop()


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
            os.kill(victim, signal.SIGKILL)
            clients.expect(400)
            assert victim not in wait_for_processes(server.port, 2, without=victim)
            clients.expect(200)
        assert not clients.wrong
        assert clients.refused == 0
        assert len(clients.lost) <= CLIENTS, clients.lost
        assert workers < wait_for_processes(server.port, 2), "the other worker was touched"


def test_kill_9_again_and_again() -> None:
    with faulty_app("--workers", "2") as server, load(server, kept=False) as clients:
        for _ in range(3):
            victim = process_of(server.port)
            os.kill(victim, signal.SIGKILL)
            clients.expect(50)
            assert victim not in wait_for_processes(server.port, 2, without=victim)
        assert not clients.wrong
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
        assert not clients.wrong
        assert begun <= clients.answered, f"lost: {begun - clients.answered}"
        assert clients.answered <= begun
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
        server.wait()
