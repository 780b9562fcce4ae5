"""Calls of sync functions in threads: what a user sees is as with `run_in_threadpool`."""

import asyncio
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterator
from contextvars import ContextVar
from typing import Any

import anyio
import pytest
from anyio import from_thread, to_thread
from anyio.lowlevel import checkpoint

pytest.importorskip("starlette")

from alula._internal.compiled import anyio_parts, threads
from alula._internal.compiled.threads import ThreadCall, run_in_thread

NAME = "AnyIO worker thread"

Run = Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """After each test, the threads of its loops end."""
    yield
    for thread in threading.enumerate():
        if thread.name == NAME:
            thread.join(60)
            assert not thread.is_alive()


def own_pool() -> object:
    """The loop's pool, which must be there: else a test would be one of anyio."""
    pool = threads.current_pool()
    assert pool is not None
    return pool


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a coroutine function in a new loop that has a pool."""
    factory: Any = None
    if request.param == "uvloop":
        factory = pytest.importorskip("uvloop").new_event_loop

    async def within(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        own_pool()
        return await main()

    def in_loop(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(within(main))

    return in_loop


class Blocked:
    """A function that ends when it may."""

    def __init__(self) -> None:
        self.began = threading.Event()
        self.may_end = threading.Event()

    def __call__(self, **arguments: object) -> str:
        self.began.set()
        assert self.may_end.wait(60)
        return "ended"


async def turns(condition: Callable[[], bool]) -> None:
    """Lets the loop turn until something is so."""
    while not condition():  # noqa: ASYNC110  # threads set no event of the loop's
        await asyncio.sleep(0)


def call(function: Callable[..., Any]) -> Coroutine[Any, Any, Any]:
    """A call without arguments."""
    return run_in_thread(function, {})


def waiting() -> int:
    """How many wait for a token."""
    return to_thread.current_default_thread_limiter().statistics().tasks_waiting


def borrowed() -> int:
    """How many tokens are not there."""
    return to_thread.current_default_thread_limiter().statistics().borrowed_tokens


# ---- What it returns


def test_a_function_is_called_in_a_worker_thread(run: Run) -> None:
    def function(number: int, text: str) -> tuple[int, str, threading.Thread]:
        return number, text, threading.current_thread()

    async def main() -> Any:
        return await ThreadCall(function)({"number": 1, "text": "a"})

    number, text, thread = run(main)
    assert (number, text, thread.name) == (1, "a", NAME)
    assert thread is not threading.current_thread()
    assert not thread.daemon


def test_an_exception_has_its_traceback(run: Run) -> None:
    def fails() -> None:
        raise LookupError("nothing here")

    async def main() -> None:
        await call(fails)

    with pytest.raises(LookupError, match="nothing here") as caught:
        run(main)
    assert caught.traceback[-1].name == "fails"


def test_an_exception_is_not_kept_by_a_cycle(run: Run) -> None:
    class Special(Exception):
        pass

    def fails() -> None:
        raise Special

    async def main() -> Any:
        try:
            await call(fails)
        except Special as error:
            return weakref.ref(error)

    gc.disable()
    try:
        assert run(main)() is None
    finally:
        gc.enable()


def test_stop_iteration_becomes_a_runtime_error(run: Run) -> None:
    def stops() -> None:
        raise StopIteration(5)

    async def main() -> None:
        await call(stops)

    with pytest.raises(RuntimeError, match="coroutine raised StopIteration") as caught:
        run(main)
    assert isinstance(caught.value.__cause__, StopIteration)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_what_ends_a_process_reaches_the_loop(run: Run, kind: type[BaseException]) -> None:
    def ends() -> None:
        raise kind

    async def main() -> None:
        await call(ends)

    with pytest.raises(kind):
        run(main)


def test_a_cancelled_error_is_raised_like_any(run: Run) -> None:
    def cancels() -> None:
        raise asyncio.CancelledError("mine")

    async def main() -> str:
        with pytest.raises(asyncio.CancelledError, match="mine"):
            await call(cancels)
        return "goes on"

    assert run(main) == "goes on"


def test_arguments_and_result_are_not_kept(run: Run) -> None:
    class Thing:
        pass

    def function(thing: Thing) -> Thing:
        assert isinstance(thing, Thing)
        return Thing()

    async def main() -> None:
        argument = Thing()
        result = await run_in_thread(function, {"thing": argument})
        seen = weakref.ref(argument), weakref.ref(result)
        del argument, result
        await turns(lambda: seen[0]() is None and seen[1]() is None)

    run(main)


# ---- Context


VARIABLE: ContextVar[str] = ContextVar("VARIABLE", default="unset")


def test_the_context_is_a_copy(run: Run) -> None:
    def function() -> str:
        seen = VARIABLE.get()
        VARIABLE.set("from the thread")
        return seen

    async def main() -> tuple[str, str, str]:
        VARIABLE.set("from the task")
        return await call(function), VARIABLE.get(), await call(VARIABLE.get)

    assert run(main) == ("from the task", "from the task", "from the task")


def test_no_async_library_runs_in_a_thread() -> None:
    sniffio = pytest.importorskip("sniffio")

    def function() -> str:
        try:
            return sniffio.current_async_library()
        except sniffio.AsyncLibraryNotFoundError:
            return "none"

    async def main() -> tuple[str, str]:
        own_pool()
        return await call(function), sniffio.current_async_library()

    assert anyio.run(main) == ("none", "asyncio")


def test_a_thread_gets_back_to_the_loop(run: Run) -> None:
    async def in_loop(number: int) -> tuple[int, object]:
        await asyncio.sleep(0)
        return number, asyncio.get_running_loop()

    def function() -> tuple[Any, Any]:
        return from_thread.run(in_loop, 7), from_thread.run_sync(asyncio.get_running_loop)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert await call(function) == ((7, loop), loop)

    run(main)


def test_a_thread_sees_that_its_scope_was_cancelled(run: Run) -> None:
    blocked = Blocked()
    raised: list[BaseException] = []

    def function() -> None:
        from_thread.check_cancelled()
        blocked()
        try:
            from_thread.check_cancelled()
        except asyncio.CancelledError as error:
            raised.append(error)
            raise

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(call, function)
            await turns(blocked.began.is_set)
            group.cancel_scope.cancel()
            blocked.may_end.set()
        assert len(raised) == 1
        # The next call in the same thread is in no scope.
        await call(from_thread.check_cancelled)

    run(main)


# ---- Cancellation


def test_a_scope_waits_for_the_thread(run: Run) -> None:
    blocked = Blocked()

    async def main() -> list[str]:
        log: list[str] = []

        async def calls() -> None:
            log.append(await call(blocked))
            await checkpoint()
            log.append("not cancelled")

        async with anyio.create_task_group() as group:
            group.start_soon(calls)
            await turns(blocked.began.is_set)
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                for _ in range(20):
                    await asyncio.sleep(0)
            log.append("may end")
            blocked.may_end.set()
        return log

    assert run(main) == ["may end", "ended"]


def test_a_cancelled_scope_keeps_a_function_from_being_called(run: Run) -> None:
    calls: list[int] = []

    async def main() -> None:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await call(lambda: calls.append(1))
        assert scope.cancelled_caught
        assert borrowed() == 0

    run(main)
    assert calls == []


def test_cancelling_a_task_does_not_wait_for_the_thread(run: Run) -> None:
    blocked = Blocked()

    async def main() -> None:
        task = asyncio.create_task(call(blocked))
        await turns(blocked.began.is_set)
        assert borrowed() == 1
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert borrowed() == 0
        assert await call(lambda: "others go on") == "others go on"
        blocked.may_end.set()

    run(main)


def test_a_task_that_was_cancelled_calls_nothing(run: Run) -> None:
    calls: list[int] = []

    async def cancels_itself() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await call(lambda: calls.append(1))

    async def main() -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(cancels_itself())
        await call(lambda: None)

    run(main)
    assert calls == []


# ---- Tokens


def test_the_default_limiter_holds_and_can_be_changed(run: Run) -> None:
    first, second, third = Blocked(), Blocked(), Blocked()

    async def main() -> None:
        limiter = to_thread.current_default_thread_limiter()
        limiter.total_tokens = 1
        tasks = [asyncio.create_task(call(function)) for function in (first, second, third)]
        await turns(first.began.is_set)
        await turns(lambda: waiting() == 2)
        assert not second.began.is_set()
        limiter.total_tokens = 2
        await turns(second.began.is_set)
        assert not third.began.is_set()
        second.may_end.set()
        await turns(third.began.is_set)
        first.may_end.set()
        third.may_end.set()
        assert await asyncio.gather(*tasks) == ["ended"] * 3
        assert borrowed() == 0

    run(main)


def test_tokens_of_others_count(run: Run) -> None:
    theirs, mine = Blocked(), Blocked()
    mine.may_end.set()

    async def main() -> None:
        to_thread.current_default_thread_limiter().total_tokens = 1
        other = asyncio.create_task(to_thread.run_sync(theirs))
        await turns(theirs.began.is_set)
        task = asyncio.create_task(call(mine))
        await turns(lambda: waiting() == 1)
        assert not mine.began.is_set()
        theirs.may_end.set()
        assert await task == "ended"
        await other

    run(main)


def test_a_task_borrows_one_token_at_most(run: Run) -> None:
    async def main() -> None:
        async with to_thread.current_default_thread_limiter():
            await call(lambda: None)

    with pytest.raises(RuntimeError, match="already holding"):
        run(main)


def test_a_failed_call_gives_its_token_back(run: Run) -> None:
    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await call(lambda: 1 / 0)
        assert borrowed() == 0

    run(main)


# ---- Where there is no pool


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The calls of starlette's function."""
    made: list[str] = []
    original = threads.run_in_threadpool

    def noted(function: Callable[..., Any], **arguments: Any) -> Awaitable[Any]:
        made.append("run_in_threadpool")
        return original(function, **arguments)

    monkeypatch.setattr(threads, "run_in_threadpool", noted)
    return made


def test_trio_has_its_own_threads(runs: list[str]) -> None:
    pytest.importorskip("trio")

    async def main() -> Any:
        return await call(lambda: 1), await ThreadCall(int)({})

    assert anyio.run(main, backend="trio") == (1, 0)
    assert len(runs) == 2


def test_whoever_wraps_anyio_is_called(runs: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    original = to_thread.run_sync
    wrapped: list[str] = []

    async def wrapper(*arguments: Any, **options: Any) -> Any:
        wrapped.append("run_sync")
        return await original(*arguments, **options)

    async def main() -> None:
        await call(lambda: None)
        assert wrapped == []
        monkeypatch.setattr(to_thread, "run_sync", wrapper)
        await call(lambda: None)
        await ThreadCall(int)({})

    asyncio.run(main())
    assert wrapped == ["run_sync"] * 2
    assert len(runs) == 2


@pytest.fixture
def fresh_look() -> Iterator[None]:
    """Has the look at anyio, which is taken once, taken anew."""
    anyio_parts.look_up.cache_clear()
    yield
    anyio_parts.look_up.cache_clear()


async def find() -> object:
    return anyio_parts.find()


@pytest.mark.usefixtures("fresh_look")
@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("anyio._core._eventloop", "threadlocals"),
        ("anyio._backends._asyncio", "_task_states"),
    ],
)
def test_an_anyio_without_a_part_is_left_alone(
    where: str, name: str, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> Any:
        with monkeypatch.context() as patch:
            patch.delattr(sys.modules[where], name)
            assert threads.current_pool() is None
        return await call(lambda: 5)

    assert asyncio.run(main()) == 5
    assert len(runs) == 1


@pytest.mark.usefixtures("fresh_look")
def test_an_anyio_whose_threads_differ_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anyio._core._eventloop.threadlocals", threading.local())
    assert asyncio.run(find()) is None


@pytest.mark.usefixtures("fresh_look")
def test_an_anyio_whose_scopes_differ_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asyncio.run(find()) is not None
    monkeypatch.setattr(anyio_parts, "scope_of", lambda *_: None)
    assert asyncio.run(find()) is None


# ---- The end


def workers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == NAME}


def test_threads_end_with_their_loop(run: Run) -> None:
    async def main() -> set[threading.Thread]:
        first, second = Blocked(), Blocked()
        tasks = [asyncio.create_task(call(function)) for function in (first, second)]
        await turns(lambda: first.began.is_set() and second.began.is_set())
        alive = workers()
        first.may_end.set()
        second.may_end.set()
        await asyncio.gather(*tasks)
        return alive

    made = run(main)
    assert len(made) == 2
    for thread in made:
        thread.join(60)
        assert not thread.is_alive()


def test_a_closed_loop_is_forgotten_when_another_comes(run: Run) -> None:
    async def main() -> Any:
        await call(lambda: None)
        return weakref.ref(asyncio.get_running_loop())

    first = run(main)
    second = run(main)
    for thread in workers():
        thread.join(60)
    gc.collect()
    assert first() is None
    assert second() is not None
    assert len(threads._pools) == 1


@pytest.mark.parametrize("end", ["loop.close()", "pass"])
def test_a_process_ends_though_its_loop_was_not_shut_down(end: str) -> None:
    code = f"""
import asyncio
from alula._internal.compiled.threads import run_in_thread
async def main():
    print(await run_in_thread(lambda: 5, {{}}))
loop = asyncio.new_event_loop()
loop.run_until_complete(main())
{end}
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "5\n")


def test_a_call_while_the_loop_ends_is_still_answered(run: Run) -> None:
    answers: list[str] = []

    async def generator() -> AsyncGenerator[None, None]:
        try:
            yield
        finally:
            answers.append(await call(lambda: "late"))

    made = generator()

    async def main() -> None:
        await anext(made)

    run(main)
    assert answers == ["late"]
