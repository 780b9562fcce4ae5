"""Whether this interpreter's tasks behave as lazy tasks need. Run once when a worker is made.

`start(loop, coroutine)` is the native launcher: it steps the coroutine at once in a lazy task, and
returns the task if that waits or somebody holds it. The loop here is a stand-in with nothing but
what a task calls, so that the check is quick, exact and independent of the running loop.
"""

import asyncio
import contextvars
import inspect
import sys
import weakref

variable = contextvars.ContextVar("alula_selfcheck", default=0)


class Loop:
    def __init__(self):
        self.ready = []
        self.errors = []

    def get_debug(self):
        return False

    def is_running(self):
        return True

    def call_soon(self, callback, *args, context=None):
        self.ready.append((callback, args, context))

    def call_exception_handler(self, context):
        self.errors.append(context)

    def run(self):
        while self.ready:
            ready, self.ready = self.ready, []
            for callback, args, context in ready:
                context.run(callback, *args)


class Failed(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failed(what)


class Check:
    def __init__(self, loop, start):
        self.loop = loop
        self.start = start
        self.seen = []

    def current(self):
        return asyncio.current_task(self.loop)

    async def finishes(self):
        self.seen.append(id(self.current()))

    async def waits(self, future):
        task = self.current()
        variable.set(id(task))
        try:
            return await future
        finally:
            expect(self.current() is task, "the task is another one after a wait")
            expect(variable.get() == id(task), "the context is another one after a wait")

    async def touches(self, future):
        task = self.current()
        expect(task.get_name(), "a touched task has no name")
        expect(not task.done(), "a touched task is done")
        if future is not None:
            task.cancel()
            await future

    async def yields(self):
        await asyncio.sleep(0)
        return self.current()

    async def holds(self):
        self.seen.append(self.current())

    async def observes(self):
        self.seen.append(weakref.ref(self.current()))

    def future(self):
        return asyncio.Future(loop=self.loop)

    def run(self):
        self.reuse()
        self.wait()
        self.cancel()
        self.touch()
        self.hold()
        expect(not self.loop.errors, "the loop was told of an error")
        expect(self.current() is None, "a task stayed current")

    def reuse(self):
        expect(self.start(self.finishes()) is None, "a finished task was returned")
        expect(self.start(self.finishes()) is None, "a finished task was returned")
        expect(self.seen[0] == self.seen[1] != id(None), "a task was not used again")
        expect(self.current() is None, "a finished task is still current")
        expect(not self.loop.ready, "a finished task has asked the loop for something")

    def wait(self):
        future = self.future()
        coroutine = self.waits(future)
        task = self.start(coroutine)
        expect(isinstance(task, asyncio.Task), "no task was returned")
        expect(self.current() is None, "a waiting task is current")
        expect(task.get_loop() is self.loop and not task.done(), "a waiting task is not set up")
        expect(task.get_coro() is coroutine, "a task does not show its coroutine")
        state = inspect.getcoroutinestate(task.get_coro())
        expect(state == inspect.CORO_SUSPENDED, "a waiting coroutine is not suspended")
        self.loop.run()
        expect(not task.done(), "a waiting task went on")
        future.set_result(7)
        self.loop.run()
        expect(task.done() and task.result() == 7, "a task did not finish")
        expect(variable.get() == 0, "a context leaked")
        task = self.start(self.yields())
        self.loop.run()
        expect(task.done() and task.result() is task, "a task that yielded did not finish")

    def cancel(self):
        future = self.future()
        task = self.start(self.waits(future))
        expect(task.cancel("why"), "a task can't be cancelled")
        self.loop.run()
        expect(task.cancelled() and future.cancelled(), "a task was not cancelled")
        # A future that is done already can't be cancelled, so the coroutine must be told.
        future = self.future()
        task = self.start(self.waits(future))
        future.set_result(None)
        task.cancel()
        self.loop.run()
        expect(task.cancelled(), "a task whose future was done was not cancelled")

    def touch(self):
        task = self.start(self.touches(None))
        self.loop.run()
        expect(task.done() and task.exception() is None, "a touched task did not finish")
        future = self.future()
        task = self.start(self.touches(future))
        self.loop.run()
        expect(task.cancelled() and future.cancelled(), "a task could not cancel itself")

    def hold(self):
        self.seen.clear()
        self.start(self.holds())
        self.start(self.finishes())
        self.loop.run()
        held, other = self.seen
        expect(id(held) != other, "a task that is held was used again")
        expect(held.done() and held.exception() is None, "a task that is held is not done")
        self.seen.clear()
        self.start(self.observes())
        self.start(self.holds())
        self.loop.run()
        reference, other = self.seen
        expect(reference() is not other, "a task with a weak reference was used again")


def check(start):
    """Raises where something is not as it must be."""
    loop = Loop()
    Check(loop, lambda coroutine: start(loop, coroutine)).run()


async def nothing():
    pass


def makes_plain_tasks(loop):
    """Whether `loop.create_task` makes nothing but a plain task."""
    known = [asyncio.BaseEventLoop.create_task]
    if uvloop := sys.modules.get("uvloop"):
        known.append(uvloop.Loop.create_task)
    if getattr(type(loop), "create_task", None) in known:
        return True
    coroutine = nothing()
    task = loop.create_task(coroutine)
    return type(task) is asyncio.Task and task.get_coro() is coroutine


async def await_any(awaitable):
    """A coroutine of any other awaitable."""
    return await awaitable
