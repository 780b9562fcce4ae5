"""The places of a supervisor: a listener, the worker that serves it, perhaps its replacement."""

from collections.abc import Iterator
from dataclasses import dataclass
from socket import socket

from alula._internal.process import State, WorkerProcess

_STEADY = 10.0
"""Seconds after which a worker has proved itself: its end begins a new count."""

_FIRST_DELAY = 0.5
_LONGEST_DELAY = 30.0


@dataclass(eq=False)
class Slot:
    """One place. A replacement (`coming`) takes over when it is ready."""

    listeners: list[socket]
    current: WorkerProcess | None = None
    coming: WorkerProcess | None = None
    deaths: int = 0
    """How many workers in a row have ended early."""
    rolling: bool = False
    """Whether the replacement comes because somebody asked for a restart."""
    full: bool = False
    """Whether the worker in this place has reached its limit, and must be replaced."""

    def processes(self) -> Iterator[WorkerProcess]:
        """Those that are in this place."""
        if self.current is not None:
            yield self.current
        if self.coming is not None:
            yield self.coming

    def hand_over(self) -> WorkerProcess | None:
        """Puts the replacement in its place. Returns the process that was there."""
        old, self.current, self.coming = self.current, self.coming, None
        self.rolling = self.full = False
        return old

    def remove(self, process: WorkerProcess) -> None:
        """Takes a process out of this place."""
        if self.current is process:
            self.current = None
            self.full = False
        elif self.coming is process:
            self.coming = None

    def is_ready(self) -> bool:
        """Whether the worker in this place serves."""
        return self.current is not None and self.current.state is State.READY

    def delay_after(self, process: WorkerProcess) -> float:
        """Seconds to wait before the next start, after this process has ended: none at first."""
        if process.lived() >= _STEADY:
            self.deaths = 0
        self.deaths += 1
        if self.deaths == 1:
            return 0.0
        return min(_FIRST_DELAY * 2 ** (self.deaths - 2), _LONGEST_DELAY)
