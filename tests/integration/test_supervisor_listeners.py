"""A supervisor whose workers drain holds no listener open: nobody connects and then waits."""

import signal
import socket
from pathlib import Path

import pytest
from integration.lifecycle import Notes, eventually, workers
from serving import DEADLINE


def refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), DEADLINE).close()
    except ConnectionRefusedError:
        return True
    except ConnectionResetError:
        pass  # the listener was closed in the middle of the handshake: the next one is refused
    return False


@pytest.mark.parametrize("count", [2, 3])
def test_connections_are_refused_while_workers_drain(count: int, tmp_path: Path) -> None:
    notes = Notes(tmp_path / "notes")
    with workers(count, notes) as server:
        with socket.create_connection(("127.0.0.1", server.port), DEADLINE) as connection:
            connection.sendall(b"GET /sleep/4 HTTP/1.1\r\nHost: a\r\n\r\n")
            notes.wait_for("sleeping")
            server.send_signal(signal.SIGTERM)
            eventually(lambda: refused(server.port), "a refused connection")
            assert len(notes.of("shutdown")) < count, "all workers have left before"
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert server.wait() == 0
