"""Runs sync handlers and dependencies in threads, as `starlette.concurrency.run_in_threadpool`.

For a function that is called again and again:

    call = ThreadCall(function)      # once
    result = await call(arguments)   # a dictionary of keyword arguments

`run_in_thread(function, arguments)` does it once. What a user can see is anyio's: its default
limiter holds for these calls and anyio's own together, the context is a copy, `anyio.from_thread`
works, a cancel scope's cancellation waits for the thread and `Task.cancel` does not. Where a pool
of our own can't be had (trio, an anyio that is not as expected, after the loop's end), and where
somebody has wrapped `anyio.to_thread.run_sync`, it is `run_in_threadpool`.
"""

import asyncio
import threading
from asyncio import current_task, get_running_loop
from collections.abc import AsyncGenerator, Callable, Coroutine
from typing import Any

from anyio import CancelScope, WouldBlock
from anyio.lowlevel import checkpoint
from starlette.concurrency import run_in_threadpool

from alula._internal.compiled import anyio_parts
from alula._internal.compiled.pool import Pool
from alula._internal.compiled.workers import Pace

_pools: dict[asyncio.AbstractEventLoop, Pool | None] = {}
"""By loop; None where there can't be one. Closed loops go when another one comes."""


class ThreadCall(Pace):
    """A function to be called in threads. Knows whether it is slow, so keep it."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def __call__(self, arguments: dict[str, Any]) -> Coroutine[Any, Any, Any]:
        """What the function returns, called with these keyword arguments."""
        pool = current_pool()
        if pool is None:
            return run_in_threadpool(self._function, **arguments)
        return call_in_pool(pool, self, self._function, arguments)


def run_in_thread(
    function: Callable[..., Any], arguments: dict[str, Any]
) -> Coroutine[Any, Any, Any]:
    """What a function returns, called with these keyword arguments in a thread."""
    pool = current_pool()
    if pool is None:
        return run_in_threadpool(function, **arguments)
    return call_in_pool(pool, pool.pace, function, arguments)


async def call_in_pool(
    pool: Pool, pace: Pace, function: Callable[..., Any], arguments: dict[str, Any]
) -> Any:
    """What a function returns, called in a pool's thread once there is a token for it."""
    task = current_task()
    if task is None:  # as ever, which is an error
        return await run_in_threadpool(function, **arguments)
    scope = anyio_parts.scope_of(pool.parts, task)
    if task.cancelling() or (scope is not None and anyio_parts.is_cancelled(scope)):
        await checkpoint()
    limiter = pool.limiter
    try:
        limiter.acquire_on_behalf_of_nowait(task)
    except WouldBlock:
        await limiter.acquire_on_behalf_of(task)
    try:
        if scope is None:
            return await pool.submit(pace, function, arguments, None)
        with CancelScope(shield=True):
            return await pool.submit(pace, function, arguments, scope)
    finally:
        limiter.release_on_behalf_of(task)


async def call_to_clean_up(
    pool: Pool, pace: Pace, function: Callable[..., Any], arguments: dict[str, Any]
) -> Any:
    """The same without a token, and even if the scope that this is in was cancelled."""
    task = current_task()
    assert task is not None
    with CancelScope(shield=True) as scope:
        if task.cancelling():
            await checkpoint()
        return await pool.submit(pace, function, arguments, scope)


# ---- Pools


def current_pool() -> Pool | None:
    """The running loop's pool. None if it has none, or anyio's calls are to be used as they are."""
    if anyio_parts.is_patched():
        return None
    try:
        return _pools[get_running_loop()]
    except KeyError:
        return _make_pool(get_running_loop())
    except RuntimeError:  # trio
        return None


def _make_pool(loop: asyncio.AbstractEventLoop) -> Pool | None:
    if current_task() is None:
        return None
    for other, pool in tuple(_pools.items()):
        if other.is_closed():
            del _pools[other]
            if pool is not None:
                pool.retire()
    parts = anyio_parts.find()
    pool = None if parts is None else Pool(loop, parts)
    if pool is not None and not _ends_with_loop(pool):
        pool.leave()
        pool = None
    _pools[loop] = pool
    return pool


async def _life(pool: Pool) -> AsyncGenerator[None, None]:
    """Started, it ends in the loop's `shutdown_asyncgens`."""
    try:
        yield
    finally:
        _pools[pool.loop] = None
        pool.leave()


def _ends_with_loop(pool: Pool) -> bool:
    """Has the pool retire with the loop. False if the loop is about to end."""
    pool.life = _life(pool)
    try:
        pool.life.__anext__().send(None)
    except StopIteration:
        return True
    except ResourceWarning:  # of asyncio, raised where warnings are errors
        return False
    return True


def _retire_all() -> None:
    """At the interpreter's end: what did not end with its loop."""
    for pool in tuple(_pools.values()):
        if pool is not None:
            pool.retire()


# What `concurrent.futures` uses: `atexit` runs only when all threads have ended.
_at_exit = getattr(threading, "_register_atexit", None)
if _at_exit is not None:
    _at_exit(_retire_all)
