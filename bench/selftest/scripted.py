"""A server on a thread that answers as a test says, rightly or wrongly."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from harness.exchange import Exchange

EXCHANGE = Exchange("scripted", "none", "/", bytes(65 + index % 26 for index in range(3000)))

# What to send for the n-th request (counted over all connections); None: close without an answer.
Script = Callable[[int], bytes | None]


def answer(body: bytes = EXCHANGE.expected, status: str = "200 OK") -> bytes:
    """A whole response."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@contextmanager
def serving(script: Script, piece: int = 1 << 20) -> Generator[int]:
    """Serves the script on a free port, which is yielded; sends `piece` bytes at a time."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=_accept, args=(listener, script, piece), daemon=True).start()
        port: int = listener.getsockname()[1]
        yield port
        # Wakes the accepting thread, which close() alone would not.
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, script: Script, piece: int) -> None:
    lock = threading.Lock()
    numbers = iter(range(1 << 60))

    def counted() -> int:
        with lock:
            return next(numbers)

    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        arguments = (connection, lambda: script(counted()), piece)
        threading.Thread(target=_serve, args=arguments, daemon=True).start()


def _serve(connection: socket.socket, respond: Callable[[], bytes | None], piece: int) -> None:
    length = len(EXCHANGE.request)
    with connection:
        while True:
            try:
                request = connection.recv(length, socket.MSG_WAITALL)
                response = respond() if len(request) == length else None
                if response is None:
                    return
                for start in range(0, len(response), piece):
                    connection.sendall(response[start : start + piece])
            except OSError:
                return


def stalling(at: int, seconds: float) -> Script:
    """Right answers, but the one numbered `at` comes late, and it holds its connection up."""

    def script(number: int) -> bytes:
        if number == at:
            time.sleep(seconds)
        return answer()

    return script
