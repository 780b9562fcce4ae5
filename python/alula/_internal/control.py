"""What a supervisor and its workers say to each other, over a pair of connected sockets.

One line a message. First the supervisor sends the order (JSON), then either side what it likes. A
side that reads the end knows that the other one is gone, however it ended.
"""

from contextlib import suppress
from socket import socket
from threading import Lock

from alula._internal.orders import Order

PING = b"ping"
"""Supervisor: are you there?"""

PONG = b"pong"
"""Worker: yes."""

DRAIN = b"drain"
"""Supervisor: finish what is in flight, and end."""

READY = b"ready"
"""Worker: the application has started and connections are accepted."""

LIMIT = b"limit"
"""Worker: so many requests have been answered as may be; to be replaced."""


class Channel:
    """One end of the pair."""

    def __init__(self, sock: socket) -> None:
        self._socket = sock
        self._buffer = b""
        self._sending = Lock()

    def fileno(self) -> int:
        """The descriptor, for selectors and for handing it on."""
        return self._socket.fileno()

    def close(self) -> None:
        """Closes this end."""
        self._socket.close()

    def send(self, message: bytes) -> None:
        """Sends a message; from any thread. Nothing happens if the other side is gone."""
        with self._sending, suppress(OSError):
            self._socket.sendall(message + b"\n")

    def send_order(self, order: Order) -> None:
        """Sends the first message."""
        self.send(order.encode())

    def receive_order(self) -> Order:
        """Waits for the first message."""
        while b"\n" not in self._buffer:
            if not self._fill():
                raise EOFError("The supervisor is gone.")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return Order.decode(line)

    def receive(self) -> list[bytes] | None:
        """Waits for messages, and returns all that are there; None at the end."""
        if b"\n" not in self._buffer and not self._fill():
            return None
        *messages, self._buffer = self._buffer.split(b"\n")
        return messages

    def _fill(self) -> bool:
        try:
            data = self._socket.recv(65536)
        except OSError:
            return False
        self._buffer += data
        return bool(data)
