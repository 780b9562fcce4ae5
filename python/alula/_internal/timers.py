"""Calls that are due later."""

import heapq
import itertools
import time
from collections.abc import Callable


class Timers:
    """A queue of calls, each with the time it is due."""

    def __init__(self) -> None:
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()

    def call_later(self, seconds: float, call: Callable[[], None]) -> None:
        """Calls after so many seconds."""
        heapq.heappush(self._queue, (time.monotonic() + seconds, next(self._order), call))

    def next_in(self) -> float | None:
        """Seconds until the next call is due; None if there is none."""
        return max(0.0, self._queue[0][0] - time.monotonic()) if self._queue else None

    def run_due(self) -> None:
        """Makes the calls that are due."""
        now = time.monotonic()
        while self._queue and self._queue[0][0] <= now:
            heapq.heappop(self._queue)[2]()
