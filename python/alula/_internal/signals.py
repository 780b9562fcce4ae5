"""What a process does when it is told to end."""

import logging
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager, suppress
from socket import socketpair
from types import FrameType
from typing import Any

from alula.errors import Error

STOPPING = (signal.SIGINT, signal.SIGTERM)
"""The signals that ask a server to stop."""


class StopSignals:
    """While entered, the first signal to stop calls `stop`, and a second one ends the process.

    A second signal has the effect that it had before: the previous handlers are put back first.
    With `default` it is the system's, whatever was installed before.
    """

    def __init__(self, stop: Callable[[], None], *, default: bool = False) -> None:
        self._stop = stop
        self._default = default
        self._asked = False
        self._previous: dict[int, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise Error("Signal handlers can only be installed in the main thread.")
        for number in STOPPING:
            self._previous[number] = signal.signal(number, self._handle)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            if signal.getsignal(number) == self._handle:
                signal.signal(number, handler)

    def _handle(self, number: int, _frame: FrameType | None) -> None:
        if not self._asked:
            self._asked = True
            self._stop()
            return
        for known, handler in self._previous.items():
            signal.signal(known, signal.SIG_DFL if self._default else handler)
        flush()
        signal.raise_signal(number)


@contextmanager
def blocked() -> Generator[None]:
    """While entered, this thread gets no signals; those that it starts never will.

    A signal that arrives at another thread does not interrupt what the main one waits for.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def ignore(_number: int, _frame: FrameType | None) -> None:
    """A handler that does nothing; unlike SIG_IGN it is not inherited by other programs."""


def flush() -> None:
    """Writes out what the log and the standard streams still hold."""
    for handler in logging.getLogger("uvicorn").handlers:
        with suppress(Exception):
            handler.flush()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()


class SignalQueue:
    """While entered, keeps signals until they are asked for; `fileno()` is readable meanwhile."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = list(numbers)
        self._previous: dict[int, Any] = {}
        self._previous_wakeup = -1
        self._pending: list[int] = []
        self._reader, self._writer = socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)

    def __enter__(self) -> "SignalQueue":
        self._previous_wakeup = signal.set_wakeup_fd(
            self._writer.fileno(), warn_on_full_buffer=False
        )
        for number in self._numbers:
            self._previous[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_wakeup)
        self._reader.close()
        self._writer.close()

    def _note(self, number: int, _frame: FrameType | None) -> None:
        """Remembers the signal: the descriptor may be full. More than twice means no more."""
        if self._pending.count(number) < 2:
            self._pending.append(number)

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._reader.fileno()

    def wake(self) -> None:
        """Makes it readable, without a signal; from any thread."""
        with suppress(OSError):
            self._writer.send(b"\0")

    def take(self) -> list[int]:
        """The signals that have come, in order."""
        with suppress(BlockingIOError):
            self._reader.recv(1 << 16)
        # A signal in the midst of this lands in the old list, or in the new one.
        pending, self._pending = self._pending, []
        return pending
