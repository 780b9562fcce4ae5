"""Runs sync dependencies with `yield` in threads, as `fastapi.concurrency` does.

    contexts = ThreadContexts(function)                          # once
    value = await stack.enter_async_context(contexts(arguments))

Entering needs a token of anyio's default limiter; leaving does not, as others may hold all of them
and wait for what this one gives back. Leaving is not ended by a cancel scope's cancellation.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from functools import partial
from types import TracebackType
from typing import Any

from fastapi.concurrency import contextmanager_in_threadpool

from alula._internal.compiled.pool import Pool
from alula._internal.compiled.threads import call_in_pool, call_to_clean_up, current_pool
from alula._internal.compiled.workers import Pace


class ThreadContexts:
    """A generator function whose contexts are entered and left in threads.

    Knows whether it is slow, so keep it.
    """

    __slots__ = ("_entry", "_exit", "_make")

    def __init__(self, function: Callable[..., Generator[Any, None, None]]) -> None:
        self._make = contextmanager(function)
        self._entry = Pace()
        self._exit = Pace()

    def __call__(self, arguments: dict[str, Any]) -> AbstractAsyncContextManager[Any]:
        """A context of the function, called with these keyword arguments."""
        manager = self._make(**arguments)
        pool = current_pool()
        if pool is None:
            return contextmanager_in_threadpool(manager)
        return _Context(pool, manager, self._entry, self._exit)


class _Context(AbstractAsyncContextManager[Any]):
    __slots__ = ("_entry", "_exit", "_manager", "_pool")

    def __init__(
        self, pool: Pool, manager: AbstractContextManager[Any], entry: Pace, exit_: Pace
    ) -> None:
        self._pool = pool
        self._manager = manager
        self._entry = entry
        self._exit = exit_

    async def __aenter__(self) -> Any:
        return await call_in_pool(self._pool, self._entry, self._manager.__enter__, {})

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        leave = partial(self._manager.__exit__, kind, error, trace)
        return bool(await call_to_clean_up(self._pool, self._exit, leave, {}))
