"""The pool of threads: nobody waits for another, and no more threads wake than need to."""

import asyncio
import gc
import os
import sys
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

pytest.importorskip("starlette")

from alula._internal.compiled import bells, pool, threads, workers
from alula._internal.compiled.pool import Pool
from alula._internal.compiled.threads import ThreadCall, run_in_thread

NAME = "AnyIO worker thread"

NEVER = 3600.0

Run = Callable[[Callable[[], Coroutine[Any, Any, Any]]], Any]


@pytest.fixture(autouse=True)
def ended() -> Iterator[None]:
    """After each test, the threads of its loops end."""
    yield
    for thread in threading.enumerate():
        if thread.name == NAME:
            thread.join(60)
            assert not thread.is_alive()


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Runs a coroutine function in a new loop."""
    factory: Any = None
    if request.param == "uvloop":
        factory = pytest.importorskip("uvloop").new_event_loop

    def in_loop(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        with asyncio.Runner(loop_factory=factory) as runner:
            return runner.run(main())

    return in_loop


@pytest.fixture
def unlooked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop never looks after queued calls."""
    monkeypatch.setattr(pool, "LOOK_SECONDS", NEVER)


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No call is found to be slow."""
    monkeypatch.setattr(workers, "SLOW_SECONDS", NEVER)


async def turns(condition: Callable[[], bool]) -> None:
    """Lets the loop turn until something is so."""
    while not condition():  # noqa: ASYNC110  # threads set no event of the loop's
        await asyncio.sleep(0)


class Blocked:
    """Functions of which those that block end when they may."""

    def __init__(self) -> None:
        self.began = threading.Semaphore(0)
        self.may_end = threading.Event()

    def block(self) -> str:
        self.began.release()
        assert self.may_end.wait(60)
        return "ended"

    async def have_begun(self, count: int = 1) -> None:
        """Lets the loop turn until so many have begun."""
        for _ in range(count):
            await turns(lambda: self.began.acquire(blocking=False))


@pytest.fixture
def blocked() -> Iterator[Blocked]:
    made = Blocked()
    yield made
    # A test that failed leaves no thread that keeps the process.
    made.may_end.set()


def the_pool() -> Pool:
    """The running loop's."""
    found = threads.current_pool()
    assert found is not None
    return found


def known(function: Callable[..., Any], slow_calls: int = 0) -> ThreadCall:
    """A function that is known as quick, or as slow."""
    made = ThreadCall(function)
    made.slow_calls = slow_calls
    return made


def start(call: ThreadCall, arguments: dict[str, Any] | None = None) -> asyncio.Task[Any]:
    """A task that makes a call."""

    async def calls() -> Any:
        return await call(arguments or {})

    return asyncio.create_task(calls())


# ---- Nobody waits for another


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("kind", ["new", "known as quick", "called once"])
def test_39_blocked_calls_do_not_hold_up_the_40th(run: Run, kind: str, blocked: Blocked) -> None:
    async def main() -> None:
        if kind == "called once":
            the_pool().pace.slow_calls = 0
            tasks = [asyncio.create_task(run_in_thread(blocked.block, {})) for _ in range(39)]
            assert await run_in_thread(lambda: "not held up", {}) == "not held up"
        else:
            call = known(blocked.block) if kind == "known as quick" else ThreadCall(blocked.block)
            tasks = [start(call) for _ in range(39)]
            assert await known(lambda: "not held up")({}) == "not held up"
        await blocked.have_begun(39)
        blocked.may_end.set()
        assert await asyncio.gather(*tasks) == ["ended"] * 39

    run(main)


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_a_slow_function_gets_a_thread_for_each_call_at_once(run: Run, blocked: Blocked) -> None:
    async def main() -> None:
        call = known(blocked.block, slow_calls=8)
        tasks = [start(call), start(call)]
        await blocked.have_begun(2)
        assert await known(lambda: "a third")({}) == "a third"
        blocked.may_end.set()
        await asyncio.gather(*tasks)

    run(main)


async def one_thread_with(blocked: Blocked) -> list[asyncio.Task[str]]:
    """Three calls that one thread takes: the last blocks, those before it are finished."""
    other = Blocked()
    tasks = [start(known(other.block))]
    await other.have_begun()
    tasks += [start(known(lambda: "finished")), start(known(blocked.block))]
    await turns(lambda: len(the_pool().jobs) == 2)
    other.may_end.set()
    await blocked.have_begun()
    assert len(the_pool().workers) == 1
    return tasks


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_what_is_finished_is_not_held_back_by_what_blocks(run: Run, blocked: Blocked) -> None:
    async def main() -> None:
        _, quick, slow = await one_thread_with(blocked)
        for _ in range(20):
            await asyncio.sleep(0)
        assert not quick.done()
        the_pool()._look()
        assert await quick == "finished"
        assert not slow.done()
        blocked.may_end.set()
        assert await slow == "ended"

    run(main)


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_what_is_finished_goes_back_before_a_slow_call(run: Run, blocked: Blocked) -> None:
    async def main() -> None:
        other = Blocked()
        before = start(known(other.block))
        await other.have_begun()
        # A second thread takes both, as the first is in `before`.
        quick, slow = start(known(lambda: "finished")), start(known(blocked.block, slow_calls=8))
        assert await quick == "finished"
        assert not slow.done()
        other.may_end.set()
        blocked.may_end.set()
        await asyncio.gather(before, slow)

    run(main)


@pytest.mark.usefixtures("unlooked")
def test_what_is_finished_goes_back_when_a_thread_was_busy_for_long(
    run: Run, blocked: Blocked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SLOW_SECONDS", 0.0)

    async def main() -> None:
        _, quick, slow = await one_thread_with(blocked)
        assert await quick == "finished"
        assert not slow.done()
        blocked.may_end.set()
        assert await slow == "ended"

    run(main)


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_a_call_that_was_cancelled_in_the_queue_is_not_made(run: Run, blocked: Blocked) -> None:
    calls: list[str] = []

    async def main() -> None:
        first = start(known(blocked.block))
        await blocked.have_begun()
        second = start(known(lambda: calls.append("second")))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert to_thread.current_default_thread_limiter().statistics().borrowed_tokens == 1
        blocked.may_end.set()
        await first
        assert await known(lambda: "after")({}) == "after"

    run(main)
    assert calls == []


# ---- No more threads than need to


@pytest.mark.usefixtures("unlooked", "unhurried")
@pytest.mark.parametrize("crowds", [1, 3])
def test_quick_calls_share_a_thread(run: Run, crowds: int) -> None:
    async def main() -> set[int]:
        call = known(threading.get_ident)
        found: set[int] = set()
        for _ in range(crowds):
            found.update(await asyncio.gather(*[start(call) for _ in range(30)]))
        assert len(the_pool().workers) == 1
        return found

    assert len(run(main)) == 1


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_one_call_after_another_uses_one_thread(run: Run) -> None:
    async def main() -> set[int]:
        call = ThreadCall(threading.get_ident)
        return {await call({}) for _ in range(30)}

    assert len(run(main)) == 1


@pytest.mark.parametrize(("limit", "expected"), [(0.0, [8, 8, 8]), (NEVER, [4, 3, 2])])
def test_a_function_is_slow_for_some_calls_after_it_was(
    run: Run, limit: float, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SLOW_SECONDS", limit)

    async def main() -> list[int]:
        call = known(lambda: None, slow_calls=5)
        seen: list[int] = []
        for _ in range(3):
            await call({})
            # The thread learns after it told the loop, at the latest before it parks.
            await turns(lambda: len(the_pool().idle) == 1)
            seen.append(call.slow_calls)
        return seen

    assert run(main) == expected


@pytest.mark.usefixtures("unhurried")
def test_what_did_not_let_others_go_on_counts_as_slow(run: Run, blocked: Blocked) -> None:
    async def main() -> None:
        first = known(blocked.block)
        tasks = [start(first), start(known(lambda: None))]
        await tasks[1]
        assert first.slow_calls == workers.SLOW_CALLS
        assert the_pool()._slow == 1
        blocked.may_end.set()
        await tasks[0]
        assert the_pool()._slow == 0

    run(main)


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_a_crowd_is_waited_for_before_a_thread_is_woken(run: Run) -> None:
    async def main() -> None:
        call = known(lambda: 5)
        await asyncio.gather(*[start(call) for _ in range(30)])
        await turns(lambda: len(the_pool().idle) == 1)
        own = the_pool()
        own._is_crowded = True
        tasks = [start(call), start(call)]
        await asyncio.sleep(0)
        assert len(own.jobs) == 2
        assert len(own.idle) == 1
        assert await asyncio.gather(*tasks) == [5, 5]

    run(main)


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_the_thread_that_was_busy_last_is_woken(run: Run) -> None:
    async def main() -> None:
        own = the_pool()
        first, second = Blocked(), Blocked()
        tasks = [start(ThreadCall(first.block)), start(ThreadCall(second.block))]
        await first.have_begun()
        await second.have_begun()
        first.may_end.set()
        await turns(lambda: len(own.idle) == 1)
        second.may_end.set()
        await turns(lambda: len(own.idle) == 2)
        last = own.idle[-1]
        assert await known(threading.current_thread)({}) is last
        await asyncio.gather(*tasks)

    run(main)


@pytest.mark.usefixtures("unlooked", "unhurried")
def test_no_more_threads_are_woken_while_one_is_about_to_come(run: Run, blocked: Blocked) -> None:
    async def main() -> None:
        own = the_pool()
        first = start(known(blocked.block))
        await blocked.have_begun()
        second = start(known(lambda: 5))
        await turns(lambda: len(own.jobs) == 1)
        (own.waking,) = own.workers
        own._look()
        assert len(own.workers) == 1
        own.waking = None
        own._look()
        assert await second == 5
        assert len(own.workers) == 2
        blocked.may_end.set()
        await first

    run(main)


def test_a_thread_is_about_to_come_from_when_it_is_woken(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    wake = workers.Worker.wake

    def noted(worker: workers.Worker) -> None:
        seen.append(the_pool().waking is worker)
        wake(worker)

    async def main() -> None:
        await known(lambda: 5)({})
        await turns(lambda: len(the_pool().idle) == 1)
        with monkeypatch.context() as patch:
            patch.setattr(workers.Worker, "wake", noted)
            await known(lambda: 5)({})

    run(main)
    assert seen == [True]


def test_a_thread_of_a_retired_pool_does_not_wait() -> None:
    async def main() -> None:
        own = the_pool()
        worker = workers.Worker(own)
        own.is_retired = True
        worker._park()
        assert own.idle == []

    asyncio.run(main())


def test_idle_threads_end(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.0)

    async def main() -> None:
        first = await run_in_thread(threading.current_thread, {})
        first.join(60)
        assert not first.is_alive()
        second = await run_in_thread(threading.current_thread, {})
        assert second is not first
        second.join(60)
        assert the_pool().workers == set()

    run(main)


def test_a_thread_that_is_to_end_takes_what_was_left_to_it() -> None:
    async def main() -> None:
        own = the_pool()
        worker = workers.Worker(own)
        own.workers.add(worker)
        assert not worker._stays()
        assert worker not in own.workers
        # It counts as awake: no other thread is woken.
        own.workers.add(worker)
        future = own.submit(workers.Pace(), lambda: 5, {}, None)
        assert worker._stays()
        assert own.workers == {worker}
        worker.start()
        assert await future == 5

    asyncio.run(main())


# ---- Failures


@pytest.mark.parametrize("after", [0, 1])
def test_a_process_without_descriptors_has_threads(
    run: Run, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`after`: how many descriptors there are."""
    made: list[int] = []
    eventfd = os.eventfd

    def limited(value: int, flags: int) -> int:
        if len(made) == after:
            raise OSError(24, "Too many open files")
        made.append(value)
        return eventfd(value, flags)

    async def main() -> list[Any]:
        call = ThreadCall(lambda: 5)
        several = await asyncio.gather(*[start(call) for _ in range(5)])
        return [*several, await call({})]

    monkeypatch.setattr(bells.os, "eventfd", limited)
    assert run(main) == [5] * 6
    assert len(made) == after


def test_a_call_fails_when_there_is_no_thread(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def main() -> None:
        the_pool()
        call = ThreadCall(lambda: 5)
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", fails)
            with pytest.raises(RuntimeError, match="can't start new thread"):
                await call({})
        limiter = to_thread.current_default_thread_limiter()
        assert limiter.statistics().borrowed_tokens == 0
        assert await call({}) == 5

    run(main)


def test_a_call_waits_for_a_thread_when_there_is_no_other(
    run: Run, blocked: Blocked, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def fails(thread: threading.Thread) -> None:
        asked.append("start")
        raise RuntimeError("can't start new thread")

    async def main() -> None:
        first = start(ThreadCall(blocked.block))
        await blocked.have_begun()
        with monkeypatch.context() as patch:
            patch.setattr(threading.Thread, "start", fails)
            second = start(ThreadCall(lambda: 5))
            await turns(lambda: bool(asked))
        assert not second.done()
        blocked.may_end.set()
        assert await second == 5
        await first

    run(main)


def test_descriptors_are_closed(run: Run) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    async def main() -> list[threading.Thread]:
        call = ThreadCall(lambda: None)
        await asyncio.gather(*[start(call) for _ in range(5)])
        assert count() > before
        return list(the_pool().workers)

    gc.collect()
    before = count()
    gc.disable()
    try:
        for _ in range(3):
            for thread in run(main):
                thread.join(60)
        assert count() == before
    finally:
        gc.enable()


KEPT: ContextVar[object] = ContextVar("KEPT")


def test_the_context_that_made_the_pool_is_not_kept(run: Run) -> None:
    class Thing:
        pass

    async def first_call() -> Any:
        thing = Thing()
        KEPT.set(thing)
        await run_in_thread(lambda: None, {})
        return weakref.ref(thing)

    async def main() -> None:
        seen = await asyncio.create_task(first_call())
        await turns(lambda: seen() is None)

    run(main)


# ---- All at once


def test_no_call_is_lost_however_threads_interleave(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "IDLE_SECONDS", 0.0)
    interval = sys.getswitchinterval()

    async def main() -> list[int]:
        limiter = to_thread.current_default_thread_limiter()
        calls = [ThreadCall(lambda number: number) for _ in range(4)]

        async def caller(number: int) -> int:
            total = 0
            for step in range(25):
                limiter.total_tokens = 1 + (number + step) % 50
                total += await calls[(number + step) % 4]({"number": step})
                if step % 7 == number % 7:
                    await asyncio.sleep(0)
            return total

        return await asyncio.gather(*[caller(number) for number in range(48)])

    sys.setswitchinterval(1e-6)
    try:
        assert run(main) == [sum(range(25))] * 48
    finally:
        sys.setswitchinterval(interval)
