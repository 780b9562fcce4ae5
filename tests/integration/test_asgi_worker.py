"""The native `Worker`, in a loop of the test's own."""

import asyncio
import gc
import socket
import threading
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import alula
import pytest
import uvloop
from alula._alula import Worker
from rawhttp import Raw, request

LOOPS = pytest.mark.parametrize(
    "new_loop", [asyncio.SelectorEventLoop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
NewLoop = Callable[[], asyncio.AbstractEventLoop]
STYLES = pytest.mark.parametrize("style", ["auto", "create_task"])


def listen() -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    return listener


def make(app: Any, loop: asyncio.AbstractEventLoop, listener: socket.socket, **more: Any) -> Worker:
    return Worker(app, alula.Config(app), loop, [listener.detach()], **more)


async def answer(send: Any, body: bytes = b"answered") -> None:
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": body})


async def app(scope: Any, receive: Any, send: Any) -> None:
    await answer(send)


async def ask(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request("GET", "/", "Connection: close"))
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


def run(new_loop: NewLoop, main: Awaitable[Any]) -> Any:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        return runner.run(main)  # type: ignore[arg-type]


@LOOPS
def test_tasks_are_lazy_where_they_can_be(new_loop: NewLoop) -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        styles: list[str] = []
        with listen() as listener:
            port = listener.getsockname()[1]
            worker = make(app, loop, listener)
        worker.start()
        styles.append(worker.task_style)
        loop.set_task_factory(lambda loop, coro, **more: asyncio.Task(coro, loop=loop, **more))
        assert (await ask(port)).endswith(b"answered")
        styles.append(worker.task_style)
        loop.set_task_factory(None)
        assert (await ask(port)).endswith(b"answered")
        styles.append(worker.task_style)
        assert worker.requests == 2
        worker.close()
        return styles

    assert run(new_loop, main()) == ["lazy", "create_task", "lazy"]


class OwnLoop(asyncio.SelectorEventLoop):
    """A loop that makes tasks in its own way."""

    made = 0

    def create_task(self, coro: Any, **options: Any) -> Any:
        OwnLoop.made += 1
        return asyncio.Task(coro, loop=self, **options)


class OwnKindOfTask(asyncio.Task[Any]):
    """What the loop below makes."""


class OddLoop(asyncio.SelectorEventLoop):
    """A loop whose tasks are of its own kind."""

    def create_task(self, coro: Any, **options: Any) -> Any:
        return OwnKindOfTask(coro, loop=self, **options)


def test_a_loop_with_tasks_of_its_own_kind_makes_them() -> None:
    async def kind(scope: Any, receive: Any, send: Any) -> None:
        await answer(send, type(asyncio.current_task()).__name__.encode())

    async def main() -> bytes:
        with listen() as listener:
            port = listener.getsockname()[1]
            worker = make(kind, asyncio.get_running_loop(), listener)
        worker.start()
        assert worker.task_style == "create_task"
        told = await ask(port)
        worker.close()
        return told

    assert run(OddLoop, main()).endswith(b"OwnKindOfTask")


@LOOPS
@STYLES
@pytest.mark.parametrize("late", [False, True], ids=["at once", "after a wait"])
def test_an_interrupt_goes_on_to_the_loop_where_asked(
    new_loop: NewLoop, style: str, late: bool
) -> None:
    async def interrupts(scope: Any, receive: Any, send: Any) -> None:
        if late:
            await asyncio.sleep(0)
        raise KeyboardInterrupt

    loop = new_loop()
    workers: list[Worker] = []
    with listen() as listener:
        port = listener.getsockname()[1]

        async def main() -> None:
            more: dict[str, Any] = {"propagate_interrupts": True, "task_style": style}
            workers.append(make(interrupts, loop, listener, **more))
            workers[0].start()
            await asyncio.Event().wait()

        with Raw(port) as connection:
            connection.get("/")
            with pytest.raises(KeyboardInterrupt):
                loop.run_until_complete(main())
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(asyncio.sleep(0))
            workers[0].close()
            assert connection.read().status == 500
    loop.close()


@LOOPS
@STYLES
def test_closing_tells_who_still_waits(new_loop: NewLoop, style: Any) -> None:
    told: list[Any] = []

    async def main() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            begun.set()
            await waits(receive, send)
            ended.set()

        with listen() as listener:
            port = listener.getsockname()[1]
            worker = make(app, asyncio.get_running_loop(), listener, task_style=style)
        worker.start()
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request("GET", "/"))
        await begun.wait()
        worker.close()
        worker.close()
        await ended.wait()
        writer.close()

    async def waits(receive: Any, send: Any) -> None:
        await receive()
        told.append((await receive())["type"])
        try:
            await answer(send)
        except alula.ClientDisconnected as error:
            told.append(type(error).__name__)
        told.append((await receive())["type"])

    run(new_loop, main())
    assert told == ["http.disconnect", "ClientDisconnected", "http.disconnect"]


def test_a_worker_belongs_to_its_thread() -> None:
    raised: list[BaseException] = []

    async def main() -> None:
        with listen() as listener:
            worker = make(app, asyncio.get_running_loop(), listener)

        def elsewhere() -> None:
            try:
                worker.start()
            except RuntimeError as error:
                raised.append(error)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert worker.connections == worker.tasks == worker.requests == 0
        worker.close()

    asyncio.run(main())
    assert "another thread" in str(raised[0])


def test_a_worker_that_is_closed_holds_nothing() -> None:
    class App:
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await answer(send)

    async def main() -> weakref.ref[App]:
        kept = App()
        with listen() as listener:
            port = listener.getsockname()[1]
            worker = make(kept, asyncio.get_running_loop(), listener)
        worker.start()
        assert (await ask(port)).endswith(b"answered")
        worker.close()
        return weakref.ref(kept)

    reference = asyncio.run(main())
    gc.collect()
    assert reference() is None


def test_the_limit_is_told_once() -> None:
    called: list[str] = []

    async def main() -> None:
        idle = asyncio.Event()
        with listen() as listener:
            port = listener.getsockname()[1]
            worker = Worker(
                app,
                alula.Config(app, limit_max_requests=2),
                asyncio.get_running_loop(),
                [listener.detach()],
                on_limit=lambda: called.append("limit"),
                on_idle=idle.set,
            )
        worker.start()
        for _ in range(3):
            await ask(port)
        assert called == ["limit"]
        worker.stop_accepting()
        worker.drain()
        await idle.wait()
        worker.close()

    asyncio.run(main())
