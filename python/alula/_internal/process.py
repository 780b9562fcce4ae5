"""A worker process, as its supervisor sees it."""

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from enum import Enum
from socket import socket, socketpair

from alula._internal.control import DRAIN, PING, Channel
from alula._internal.orders import Order


class State(Enum):
    """How far a worker has come."""

    STARTING = "starting"
    READY = "ready"
    LEAVING = "leaving"


class WorkerProcess:
    """One worker. All times are those of `time.monotonic()`."""

    def __init__(self, order: Order, listeners: Sequence[socket]) -> None:
        """Starts the process, which inherits the listeners and one end of the channel."""
        order.listeners = [listener.fileno() for listener in listeners]
        ours, theirs = socketpair()
        self.channel = Channel(ours)
        self.state = State.STARTING
        self.ready_at: float | None = None
        self._started_at = time.monotonic()
        self._asked_at: float | None = None
        with theirs:
            self._process = subprocess.Popen(
                [*_interpreter(), "-m", "alula._internal.worker", str(theirs.fileno())],
                pass_fds=[theirs.fileno(), *order.listeners],
            )
        self.channel.send_order(order)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """The exit code, or minus the number of the signal that ended it; None while it runs."""
        return self._process.poll()

    def become_ready(self) -> None:
        """Notes that it serves."""
        if self.state is State.STARTING:
            self.state = State.READY
        self.ready_at = time.monotonic()

    def leave(self) -> None:
        """Has it finish what is in flight; one that still starts is just ended."""
        if self.state is State.STARTING:
            self._process.terminate()
        else:
            self.channel.send(DRAIN)
        self.state = State.LEAVING

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()

    def check(self, timeout: float) -> bool:
        """Asks whether it is there. Returns false if it has not answered for so many seconds."""
        now = time.monotonic()
        if self._asked_at is None:
            self._asked_at = now
            self.channel.send(PING)
        return now - self._asked_at < timeout

    def answered(self) -> None:
        """Notes that it has answered."""
        self._asked_at = None

    def starting_for(self) -> float:
        """Seconds that it has been starting; 0 if it does not any more."""
        return time.monotonic() - self._started_at if self.state is State.STARTING else 0.0

    def lived(self) -> float:
        """Seconds since it became ready; 0 if it never did."""
        return 0.0 if self.ready_at is None else time.monotonic() - self.ready_at

    def ending(self) -> str:
        """How it ended, in words."""
        code = self.exit_code
        if code is None or code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"


def _interpreter() -> list[str]:
    """The interpreter of this process, with the options it was started with."""
    flags = subprocess._args_from_interpreter_flags()  # pyright: ignore  # noqa: SLF001, PGH003
    return [sys.executable, *flags]
