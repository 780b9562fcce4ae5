"""Sync dependencies with `yield` in threads: as with `contextmanager_in_threadpool`."""

import asyncio
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import nullcontext
from typing import Any

import anyio
import pytest
from anyio import to_thread
from anyio.lowlevel import checkpoint

pytest.importorskip("fastapi")

from alula._internal.compiled import threads
from alula._internal.compiled.threads_context import ThreadContexts
from fastapi.concurrency import contextmanager_in_threadpool

NAME = "AnyIO worker thread"


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """After each test, the threads of its loops end."""
    yield
    for thread in threading.enumerate():
        if thread.name == NAME:
            thread.join(60)
            assert not thread.is_alive()


@pytest.fixture(params=["pool", "anyio"])
def is_own(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether there is a pool: without it, FastAPI's own does the same."""
    if request.param == "anyio":
        monkeypatch.setattr("alula._internal.compiled.threads_context.current_pool", lambda: None)
    return request.param == "pool"


async def turns(condition: Callable[[], bool]) -> None:
    """Lets the loop turn until something is so."""
    while not condition():  # noqa: ASYNC110  # threads set no event of the loop's
        await asyncio.sleep(0)


class Log:
    """A dependency that says what happens in it, and where."""

    def __init__(self, handles: type[BaseException] | None = None) -> None:
        self.lines: list[str] = []
        self.threads: list[threading.Thread] = []
        self._handles = handles

    def depend(self, value: str) -> Generator[str, None, None]:
        self._note("entered")
        try:
            yield value
        except BaseException as error:
            self._note(repr(error))
            if self._handles is None or not isinstance(error, self._handles):
                raise
        self._note("left")

    def _note(self, line: str) -> None:
        self.lines.append(line)
        self.threads.append(threading.current_thread())


async def use(log: Log, body: Callable[[], object]) -> None:
    """Does something in a context."""
    async with ThreadContexts(log.depend)({"value": "given"}) as value:
        assert value == "given"
        body()


def test_it_is_entered_and_left_in_threads(is_own: bool) -> None:
    log = Log()
    asyncio.run(use(log, lambda: log.lines.append("body")))
    assert log.lines == ["entered", "body", "left"]
    assert threading.main_thread() not in log.threads


def test_it_is_ours_where_there_is_a_pool(is_own: bool) -> None:
    async def main() -> object:
        return ThreadContexts(Log().depend)({"value": ""})

    made = asyncio.run(main())
    theirs = type(contextmanager_in_threadpool(nullcontext()))
    assert isinstance(made, theirs) is not is_own


@pytest.mark.parametrize("handles", [None, ValueError, Exception])
def test_an_exception_comes_in(is_own: bool, handles: type[BaseException] | None) -> None:
    log = Log(handles)

    def body() -> None:
        raise KeyError("out of the body")

    if handles is Exception:
        asyncio.run(use(log, body))
    else:
        with pytest.raises(KeyError, match="out of the body"):
            asyncio.run(use(log, body))
    expected = ["entered", "KeyError('out of the body')"]
    assert log.lines == [*expected, *(["left"] if handles is Exception else [])]


def test_another_exception_goes_out(is_own: bool) -> None:
    def depend() -> Generator[None, None, None]:
        try:
            yield
        except KeyError as error:
            raise ValueError("instead") from error

    async def main() -> None:
        async with ThreadContexts(depend)({}):
            raise KeyError("first")

    with pytest.raises(ValueError, match="instead") as caught:
        asyncio.run(main())
    assert repr(caught.value.__cause__) == repr(caught.value.__context__) == "KeyError('first')"


def test_a_second_yield_is_an_error(is_own: bool) -> None:
    def depend() -> Generator[None, None, None]:
        yield
        yield

    async def main() -> None:
        async with ThreadContexts(depend)({}):
            pass

    with pytest.raises(RuntimeError, match="generator didn't stop"):
        asyncio.run(main())


def test_entering_needs_a_token_and_leaving_none(is_own: bool) -> None:
    log = Log()

    async def main() -> None:
        limiter = to_thread.current_default_thread_limiter()
        async with ThreadContexts(log.depend)({"value": ""}):
            limiter.total_tokens = 0
        assert log.lines == ["entered", "left"]
        second = asyncio.create_task(use(log, lambda: None))
        await turns(lambda: limiter.statistics().tasks_waiting == 1)
        assert log.lines == ["entered", "left"]
        limiter.total_tokens = 1
        await second
        assert log.lines == ["entered", "left"] * 2

    asyncio.run(main())


def test_it_is_left_though_its_scope_was_cancelled(is_own: bool) -> None:
    log = Log()

    async def main() -> None:
        with anyio.CancelScope() as scope:
            async with ThreadContexts(log.depend)({"value": ""}):
                scope.cancel()
        with anyio.CancelScope() as scope:
            async with ThreadContexts(log.depend)({"value": ""}):
                scope.cancel()
                await checkpoint()
        assert scope.cancelled_caught

    asyncio.run(main())
    assert log.lines[:3] == ["entered", "left", "entered"]
    assert log.lines[3].startswith("CancelledError(")
    assert len(log.lines) == 4


def test_it_is_left_when_its_task_is_cancelled(is_own: bool) -> None:
    log = Log()

    async def inside() -> None:
        async with ThreadContexts(log.depend)({"value": ""}):
            await asyncio.Event().wait()

    async def main() -> None:
        task = asyncio.create_task(inside())
        await turns(lambda: bool(log.lines))
        # Entered, but maybe not yet back in the task.
        await threads.run_in_thread(lambda: None, {})
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert log.lines == ["entered", "CancelledError()"]


def test_the_pool_may_retire_within() -> None:
    log = Log()

    async def main() -> Any:
        context = ThreadContexts(log.depend)({"value": ""})
        await context.__aenter__()
        return context

    async def has_pool() -> bool:
        return threads.current_pool() is not None

    with asyncio.Runner() as runner:
        context = runner.run(main())
        assert runner.run(has_pool()) is True
        runner.get_loop().run_until_complete(runner.get_loop().shutdown_asyncgens())
        assert runner.run(has_pool()) is False
        runner.run(context.__aexit__(None, None, None))
    assert log.lines == ["entered", "left"]
