"""A pool's threads, and the jobs that they run."""

import asyncio
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from time import perf_counter
from typing import TYPE_CHECKING, Any

from alula._internal.compiled import anyio_parts
from alula._internal.compiled.bells import make_bell

if TYPE_CHECKING:
    from alula._internal.compiled.pool import Pool

SLOW_SECONDS = 100e-6
"""A call that takes longer is slow. Waking a thread takes some 20 microseconds."""

SLOW_CALLS = 8
"""For how many calls a function counts as slow after it was."""


class Pace:
    """Whether a function is slow: for how many more calls it counts as that."""

    __slots__ = ("slow_calls",)

    def __init__(self) -> None:
        self.slow_calls = 1


class Job:
    """A call on its way into a thread and back."""

    __slots__ = ("arguments", "context", "function", "future", "is_slow", "pace", "scope")

    def __init__(
        self,
        pace: Pace,
        function: Callable[..., Any],
        arguments: dict[str, Any],
        future: asyncio.Future[Any],
        scope: Any,
    ) -> None:
        self.pace = pace
        self.is_slow = pace.slow_calls > 0
        self.function = function
        self.arguments = arguments
        self.context = copy_context()
        self.future = future
        self.scope = scope


def _run(
    context: Context, function: Callable[..., Any], arguments: dict[str, Any]
) -> tuple[Any, BaseException | None]:
    """What a function returns or raises.

    This frame stays in the traceback. Hence it has no job, whose future refers to the exception.
    """
    try:
        return context.run(function, **arguments), None
    except StopIteration as error:
        # No future takes it.
        wrapped = RuntimeError("coroutine raised StopIteration")
        wrapped.__cause__ = error
        return None, wrapped
    except BaseException as error:  # noqa: BLE001  # raised where the call is awaited
        return None, error


class Worker(threading.Thread):
    """A thread of a pool. `job` is what it runs."""

    def __init__(self, pool: "Pool") -> None:
        super().__init__(name="AnyIO worker thread")
        self.job: Job | None = None
        self.idle_since = 0.0
        self._pool = pool
        self._bell = make_bell()
        self._is_expired = False

    def wake(self, *, for_good: bool = False) -> None:
        """Ends its waiting, and itself if it is `for_good`. Only for who took it out of `idle`."""
        self._is_expired = for_good
        self._bell.ring()

    def run(self) -> None:
        """Runs jobs until it expires, or the pool is retired."""
        pool = self._pool
        anyio_parts.enter(pool.parts, pool.token)
        try:
            while True:
                self.idle_since = self._work()
                if not pool.is_retired:
                    self._park()
                if (self._is_expired or pool.is_retired) and not self._stays():
                    break
        finally:
            pool.workers.discard(self)
            # Nobody will ring any more. The descriptor is not to wait for a collection.
            del self._bell, self._pool

    def _work(self) -> float:
        """Runs the jobs that there are. Returns when it had none any more."""
        pool = self._pool
        jobs = pool.jobs
        finished = pool.finished
        began = last = perf_counter()
        while jobs:
            try:
                job = jobs.popleft()
            except IndexError:  # another thread was quicker
                break
            if finished and (job.is_slow or last - began > SLOW_SECONDS):
                pool.notify()
                began = last
            self._call(job)
            now = perf_counter()
            pace = job.pace
            if now - last > SLOW_SECONDS:
                pace.slow_calls = SLOW_CALLS
            elif pace.slow_calls:
                pace.slow_calls -= 1
            last = now
            # A waiting thread keeps nothing alive.
            del job
        if finished:
            pool.notify()
        return last

    def _call(self, job: Job) -> None:
        pool = self._pool
        result = error = None
        if not job.future.cancelled():
            self.job = job
            if job.scope is None:
                result, error = _run(job.context, job.function, job.arguments)
            else:
                pool.parts.locals.current_cancel_scope = job.scope
                result, error = _run(job.context, job.function, job.arguments)
                pool.parts.locals.current_cancel_scope = None
            # Before it is finished: the loop must not take it for running after that.
            self.job = None
        pool.finished.append((job, result, error))
        # This frame is reached from the traceback.
        del job, result, error

    def _park(self) -> None:
        """Waits to be woken, unless there is something to do."""
        pool = self._pool
        pool.idle.append(self)
        # What was submitted before this thread counted as idle may have been left to it.
        if (pool.jobs or pool.is_retired) and pool.withdraw(self):
            return
        pool.expire(self.idle_since)
        self._bell.answer()
        pool.waking = None

    def _stays(self) -> bool:
        """Whether something was left to it while it was about to end."""
        self._is_expired = False
        pool = self._pool
        pool.workers.discard(self)
        if not pool.jobs:
            return False
        pool.workers.add(self)
        return True
