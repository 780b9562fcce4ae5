"""What the tests of ASGI's meaning run against: each path names a handler below.

A handler that returns bytes is answered with them; one that returns `None` has answered by itself.
An assertion that fails in a handler is a 500, with its traceback in the server's log. What a
handler notes down under the key of `X-Key` is answered by `/notes/KEY` once it has ended.

`TASK_FACTORY=plain` or `eager` sets a task factory when the application starts.
"""

import asyncio
import contextvars
import gc
import inspect
import json
import os
import sys
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import alula
import anyio
import anyio.to_thread

Message = dict[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Coroutine[Any, Any, Message]]
Send = Callable[[Any], Coroutine[Any, Any, None]]

variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="fresh")
ended: dict[str, list[Any]] = {}
changed = asyncio.Condition()
held: list[Any] = []
counts: dict[str, int] = {"factory": 0}


class Call:
    """A request, and what its handler notes down."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self.receive, self.send = scope, receive, send
        self.notes: list[Any] = []

    def header(self, name: bytes) -> str:
        return dict(self.scope["headers"]).get(name, b"").decode()

    async def start(self, status: Any = 200, headers: Any = ()) -> None:
        await self.send({"type": "http.response.start", "status": status, "headers": headers})

    async def piece(self, body: Any, more: bool = True) -> None:
        await self.send({"type": "http.response.body", "body": body, "more_body": more})

    async def respond(self, body: bytes) -> None:
        await self.start(200, [(b"content-type", b"text/plain")])
        await self.piece(body, more=False)

    async def body(self) -> bytes:
        body = b""
        while True:
            message = await self.receive()
            assert message["type"] == "http.request", message
            body += message["body"]
            if not message["more_body"]:
                return body

    async def disconnected(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def late(self) -> None:
        """Waits, where the client asks for it, so that the loop runs the handler."""
        if self.scope["query_string"] == b"late":
            await asyncio.sleep(0.001)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(scope, receive, send)
        return
    call = Call(scope, receive, send)
    name, _, rest = scope["path"].removeprefix("/").partition("/")
    key = call.header(b"x-key")
    try:
        body = await HANDLERS[name](call, *([rest] if rest else []))
        if body is not None:
            await call.respond(body)
    except BaseException as error:
        call.notes.append(type(error).__name__)
        raise
    finally:
        if key:
            ended[key] = call.notes
            async with changed:
                changed.notify_all()


async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            scope["state"]["made"] = "at startup"
            set_factory(os.environ.get("TASK_FACTORY", ""))
            await send({"type": "lifespan.startup.complete"})
        else:
            await send({"type": "lifespan.shutdown.complete"})
            return


class OwnTask(asyncio.Task[Any]):
    """A task of the application's own kind."""


def plain_factory(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> OwnTask:
    counts["factory"] += 1
    return OwnTask(coro, loop=loop, **options)


def set_factory(kind: str) -> None:
    loop = asyncio.get_running_loop()
    if kind == "plain":
        loop.set_task_factory(plain_factory)
    elif kind == "eager":
        loop.set_task_factory(asyncio.eager_task_factory)


# Scope


async def scope(call: Call, _rest: str = "") -> bytes:
    shown = {key: value for key, value in call.scope.items() if key != "headers"}
    shown["raw_path"] = call.scope["raw_path"].decode()
    shown["query_string"] = call.scope["query_string"].decode()
    shown["headers"] = [[name.decode(), value.decode()] for name, value in call.scope["headers"]]
    shown["types"] = {key: type(value).__name__ for key, value in call.scope.items()}
    return json.dumps(shown).encode()


async def spoil(call: Call) -> bytes:
    """Changes everything that another request must not see."""
    before = await scope(call)
    call.scope["asgi"]["version"] = "spoilt"
    call.scope["state"]["made"] = "spoilt"
    call.scope["headers"].append((b"spoilt", b"1"))
    call.scope["server"] = call.scope["client"] = call.scope["extra"] = None
    call.scope["path"] = call.scope["scheme"] = call.scope["root_path"] = "spoilt"
    return before


# Tasks


async def current_task(call: Call) -> bytes:
    task = asyncio.current_task()
    assert isinstance(task, asyncio.Task)
    await call.start()
    assert asyncio.current_task() is task
    for wait in (asyncio.sleep(0), asyncio.sleep(0.001), asyncio.to_thread(int)):
        await wait
        assert asyncio.current_task() is task
        assert task in asyncio.all_tasks()
        assert not task.done()
    await call.piece(b"same", more=False)
    assert asyncio.current_task() is task
    return await nothing()


async def nothing() -> Any:
    """The handler has answered by itself."""
    return None


async def never_waits(call: Call) -> bytes:
    task = asyncio.current_task()
    assert isinstance(task, asyncio.Task)
    return type(task).__name__.encode()


async def touched(call: Call) -> bytes:
    """Looks at its task before it has ever waited."""
    task = asyncio.current_task()
    assert task is not None
    assert "pending" in repr(task)
    task.set_name("mine")
    assert task.cancelling() == 0
    assert task.get_loop() is asyncio.get_running_loop()
    assert task.get_coro() is not None
    task.mark = 1  # type: ignore[attr-defined]
    await call.late()
    if os.environ.get("TASK_FACTORY") != "eager":  # create_task names such a task once more
        assert task.get_name() == "mine"
    assert task.mark == 1  # type: ignore[attr-defined]
    return b"touched"


async def done_callback(call: Call) -> bytes:
    task = asyncio.current_task()
    assert task is not None
    key = call.header(b"x-key")

    async def tell(how: str) -> None:
        ended[key + "-done"] = [how]
        async with changed:
            changed.notify_all()

    def told(done: asyncio.Task[Any]) -> None:
        how = f"{done is task} {done.done()} {done.exception()}"
        held.append(asyncio.ensure_future(tell(how)))

    task.add_done_callback(told)
    await call.late()
    return b"added"


async def hold(call: Call) -> bytes:
    """Keeps its task, and a weak reference to it."""
    task = asyncio.current_task()
    assert task is not None
    others = [other for other in held if isinstance(other, asyncio.Task)]
    assert task not in others
    held.append(task)
    await call.late()
    return str(sum(other.done() for other in others)).encode()


async def let_go(call: Call) -> bytes:
    held.clear()
    return b"gone"


async def weakly(call: Call) -> bytes:
    reference = weakref.ref(asyncio.current_task())
    assert all(other() is not reference() for other in weak)
    weak.append(reference)
    return b"weak"


weak: list[Any] = []


async def timeout(call: Call) -> bytes:
    await call.late()
    try:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)
    except TimeoutError:
        pass
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.01)
    except TimeoutError:
        pass
    async with asyncio.timeout(60):
        await asyncio.sleep(0.001)
    async with asyncio.timeout(60):
        pass
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    return b"timed out"


async def cancel_itself(call: Call) -> bytes:
    await call.late()
    task = asyncio.current_task()
    assert task is not None
    task.cancel("why")
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError as error:
        assert error.args == ("why",)
    assert task.uncancel() == 0
    await asyncio.sleep(0.001)
    return b"survived"


async def task_group(call: Call) -> bytes:
    async def fail() -> None:
        await asyncio.sleep(0)
        raise LookupError

    async with asyncio.TaskGroup() as group:
        results = [group.create_task(asyncio.sleep(0.001, number)) for number in range(3)]
    assert [task.result() for task in results] == [0, 1, 2]
    async with asyncio.TaskGroup():
        pass
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            await asyncio.sleep(60)
    except* LookupError:
        pass
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
    await asyncio.sleep(0.001)
    return b"grouped"


async def anyio_scopes(call: Call) -> bytes:
    await call.late()
    with anyio.move_on_after(0.01) as scope:
        await anyio.sleep(60)
    assert scope.cancelled_caught
    with anyio.CancelScope() as scope:
        scope.cancel()
        await anyio.sleep(60)
    assert scope.cancelled_caught
    with anyio.CancelScope():
        pass
    try:
        with anyio.fail_after(0.01):
            await asyncio.Event().wait()
    except TimeoutError:
        pass
    seen: list[int] = []

    async def child(number: int) -> None:
        await anyio.sleep(0.001)
        seen.append(number)

    async with anyio.create_task_group() as group:
        group.start_soon(child, 1)
        group.start_soon(child, 2)
    assert sorted(seen) == [1, 2]
    async with anyio.create_task_group() as group:
        group.start_soon(anyio.sleep, 60)
        await anyio.sleep(0.001)
        group.cancel_scope.cancel()
    info = anyio.get_current_task()
    assert info.id == id(asyncio.current_task())
    assert not info.has_pending_cancellation()
    assert await anyio.to_thread.run_sync(lambda: 7) == 7
    await anyio.sleep(0.001)
    return b"scoped"


async def awaitables(call: Call) -> bytes:
    """`receive()` and `send()` pass for coroutines."""
    assert not inspect.isawaitable(call.receive)
    assert inspect.iscoroutinefunction(call.send) == (sys.version_info >= (3, 12))
    first = await asyncio.create_task(call.receive())
    assert first == {"type": "http.request", "body": b"", "more_body": False}
    start = {"type": "http.response.start", "status": 200}
    await asyncio.wait_for(call.send(start), 60)
    await asyncio.gather(call.send(message=body_message(b"one", True)))
    await asyncio.shield(call.send(body_message(b"two", True)))
    await asyncio.ensure_future(call.send(body_message(b"three", True)))
    async with asyncio.TaskGroup() as group:
        group.create_task(call.send(body_message(b"four", False)))
    twice = call.receive()
    assert inspect.isawaitable(twice)
    assert (await twice)["type"] == "http.disconnect"
    try:
        await twice
    except RuntimeError as error:
        assert "already awaited" in str(error)
    else:
        raise AssertionError
    closed = call.receive()
    closed.close()
    thrown = call.receive()
    try:
        thrown.throw(LookupError("thrown"))
    except LookupError:
        pass
    return await nothing()


def body_message(body: Any, more: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


async def never_awaited(call: Call) -> bytes:
    call.receive()
    gc.collect()
    return b"warned"


async def async_generators(call: Call) -> bytes:
    closed = asyncio.Event()

    async def numbers() -> Any:
        try:
            yield 1
            yield 2
        finally:
            await asyncio.sleep(0)
            closed.set()

    async for _ in numbers():
        break
    gc.collect()
    await asyncio.wait_for(closed.wait(), 10)
    return b"closed"


async def other_thread(call: Call) -> bytes:
    awaitable = call.receive()

    def step() -> str:
        try:
            awaitable.send(None)
        except RuntimeError as error:
            return str(error)
        return "nothing was raised"

    told = await asyncio.to_thread(step)
    awaitable.close()
    return told.encode()


async def context(call: Call) -> bytes:
    """Sets a variable; says what it was before, and what a child task saw."""
    before = variable.get()
    variable.set("set")
    await call.late()

    async def child() -> str:
        seen = variable.get()
        variable.set("set by a child")
        return seen

    seen = await asyncio.create_task(child())
    assert variable.get() == "set"
    return f"{before} {seen}".encode()


async def factories(call: Call) -> bytes:
    await call.late()
    return f"{type(asyncio.current_task()).__name__} {counts['factory'] > 0}".encode()


# Receiving


async def read(call: Call) -> bytes:
    return await call.body()


async def receive_again(call: Call) -> bytes:
    """After the body `receive()` waits for the disconnect while the response is open."""
    await call.body()
    patience = float(call.scope["query_string"] or b"0.005")
    waiting = asyncio.create_task(call.receive())
    for _ in range(3):
        try:
            await asyncio.wait_for(call.receive(), patience)
        except TimeoutError:
            pass
        else:
            raise AssertionError
    await call.start()
    await call.piece(b"open ")
    assert not waiting.done()
    await call.piece(b"closed", more=False)
    assert (await waiting) == {"type": "http.disconnect"}
    assert (await call.receive()) == {"type": "http.disconnect"}
    assert (await call.receive()) == {"type": "http.disconnect"}
    return await nothing()


async def receive_cancelled(call: Call) -> bytes:
    """A receive that is cancelled while it waits takes nothing with it."""
    assert (await call.receive())["more_body"]
    waiting = asyncio.create_task(call.receive())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    await release(call, call.header(b"x-key") + "-go")
    return await call.body()


async def receive_together(call: Call) -> bytes:
    """All that wait are woken; the body goes to one of them."""
    assert (await call.receive())["more_body"]
    waiting = [asyncio.create_task(call.receive()) for _ in range(3)]
    await asyncio.sleep(0)
    await release(call, call.header(b"x-key") + "-go")
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    done = [task.result() for task in waiting if task.done()]
    assert len(done) == 1
    await call.respond(done[0]["body"])
    results = await asyncio.gather(*waiting)
    assert sum(result["type"] == "http.disconnect" for result in results) == 2
    return await nothing()


async def release(call: Call, key: str) -> None:
    ended[key] = []
    async with changed:
        changed.notify_all()


# Sending


async def headers(call: Call, shape: str) -> Any:
    pairs: dict[str, Any] = {
        "list": [(b"x-one", b"1"), (b"X-Two", b"2")],
        "tuple": ((b"x-one", b"1"), (b"X-Two", b"2")),
        "lists": [[b"x-one", b"1"], [b"X-Two", b"2"]],
        "iterator": iter([(b"x-one", b"1"), (b"X-Two", b"2")]),
        "items": {b"x-one": b"1", b"X-Two": b"2"}.items(),
        "bytearrays": [(bytearray(b"x-one"), memoryview(b"1")), (b"X-Two", bytearray(b"2"))],
        "generators": [iter((b"x-one", b"1")), (b"X-Two", b"2")],
    }
    await call.start(200, pairs[shape])
    await call.piece(b"", more=False)


async def wrong(call: Call, what: str) -> bytes:
    """Sends a message that is none, notes what is raised, and then answers properly."""
    good_start = {"type": "http.response.start", "status": 200}
    messages: dict[str, Any] = {
        "order": {"type": "http.response.body", "body": b""},
        "unknown": {"type": "http.response.push"},
        "no-type": {"status": 200},
        "odd-type": {"type": 1},
        "no-dict": [1],
        "no-status": {"type": "http.response.start"},
        "odd-status": good_start | {"status": "200"},
        "low-status": good_start | {"status": 199},
        "high-status": good_start | {"status": 600},
        "huge-status": good_start | {"status": 1 << 80},
        "str-name": good_start | {"headers": [("x-name", b"1")]},
        "str-value": good_start | {"headers": [(b"x-name", "text")]},
        "none-value": good_start | {"headers": [(b"x-name", None)]},
        "odd-pair": good_start | {"headers": [(b"x-name",)]},
        "no-pair": good_start | {"headers": [1]},
        "no-headers": good_start | {"headers": 1},
        "bad-name": good_start | {"headers": [(b"x name", b"1")]},
        "bad-value": good_start | {"headers": [(b"x-name", b"1\r\nx-evil: 1")]},
    }
    try:
        await call.send(messages[what])
    except Exception as error:
        return f"{type(error).__name__}: {error}".encode()
    raise AssertionError


async def wrong_later(call: Call, what: str) -> None:
    """The same, for messages behind the start."""
    messages: dict[str, Any] = {
        "twice": {"type": "http.response.start", "status": 200},
        "str-body": {"type": "http.response.body", "body": "text"},
        "list-body": {"type": "http.response.body", "body": [1, 2]},
        "unknown": {"type": "http.response.push"},
    }
    await call.start()
    try:
        await call.send(messages[what])
    except Exception as error:
        await call.piece(f"{type(error).__name__}: {error}".encode(), more=False)


async def after_the_end(call: Call) -> None:
    await call.respond(b"whole")
    try:
        await call.piece(b"more", more=False)
    except RuntimeError as error:
        call.notes.append(str(error))


async def bodies(call: Call) -> None:
    """Bodies that are like bytes, None as under uvicorn, and a mapping that is no dict."""

    class Mapping:
        def __getitem__(self, key: str) -> Any:
            return {"type": "http.response.body", "body": b"mapping"}[key]

    await call.start()
    for body in (bytearray(b"array "), memoryview(b"view "), None, b"bytes "):
        await call.piece(body)
    await call.send({"type": "http.response.body", "more_body": 1})
    await call.send(Mapping())


async def large(call: Call) -> None:
    """More than a client takes that does not read; notes how often it had to wait."""
    size = int(call.scope["query_string"])
    waits = 0
    await call.start(200, [(b"content-length", str(size).encode())])
    piece = bytes(range(256)) * 256
    for at in range(0, size, len(piece)):
        sending = asyncio.ensure_future(call.piece(piece[: size - at], at + len(piece) < size))
        await asyncio.sleep(0)
        if not sending.done():
            waits += 1
        await sending
    call.notes.append(waits > 0)


async def one_large(call: Call) -> None:
    """The same in one message."""
    size = int(call.scope["query_string"])
    await call.start(200, [(b"content-length", str(size).encode())])
    await call.piece((bytes(range(256)) * (size // 256 + 1))[:size], more=False)
    call.notes.append("sent")


def overlapping_pieces() -> list[bytes]:
    """Three pieces, each more than a socket takes, and unlike each other."""
    return [bytes(range(start, start + 100)) * 80_000 for start in (0, 50, 100)]


async def overlapping(call: Call) -> None:
    """Sends three pieces at a time, and then the end."""
    await call.start()
    await asyncio.gather(*(call.piece(piece) for piece in overlapping_pieces()))
    await call.piece(b"end", more=False)


async def too_much(call: Call) -> None:
    """Sends more than it has declared, and goes on; notes what that comes to."""
    await call.start(200, [(b"content-length", b"5")])
    for body, more in ((b"abc", True), (b"defgh", True), (b"ijk", True), (b"", False)):
        try:
            await call.piece(body, more=more)
        except Exception as error:
            call.notes.append(f"{type(error).__name__}: {error}")


async def given_up(call: Call) -> None:
    """Gives a piece up when the client does not take it; notes what sending on comes to."""
    how = call.scope["query_string"].decode()
    await call.start(200, [(b"content-length", b"8000003")] if how == "length" else ())
    try:
        await asyncio.wait_for(call.piece(b"x" * 8_000_000), 0.05)
    except TimeoutError:
        call.notes.append("given up")
    try:
        await call.piece(b"end", more=False)
    except OSError as error:
        call.notes.append(type(error).__name__)


async def background(call: Call) -> None:
    await call.respond(b"answered")
    await asyncio.sleep(0.05)
    call.notes.append((await call.receive())["type"])


# The client leaves


async def silent_stream(call: Call) -> None:
    await call.start(200, [(b"content-type", b"text/event-stream")])
    await call.piece(b"data: hello\n\n")
    await call.disconnected()
    call.notes.append("left")


async def starlette_stream(call: Call) -> None:
    from starlette.responses import StreamingResponse

    async def silence() -> Any:
        yield b"data: hello\n\n"
        try:
            await asyncio.Event().wait()
        finally:
            call.notes.append("left")

    await StreamingResponse(silence())(call.scope, call.receive, call.send)


async def starlette_polling(call: Call) -> None:
    """Asks again and again whether the client is there, as polling handlers do."""
    from starlette.requests import Request

    asked = Request(call.scope, call.receive)
    await call.start()
    await call.piece(b"begun")
    rounds = 0
    while not await asked.is_disconnected():
        rounds += 1
        await asyncio.sleep(0.001)
    call.notes.append(rounds > 0)


async def busy_stream(call: Call) -> None:
    """Streams until `send` raises, while a `receive` is parked."""
    parked = asyncio.create_task(call.disconnected())
    await call.start()
    try:
        while True:
            await call.piece(b"x" * 1000)
            await asyncio.sleep(0)
    except OSError as error:
        call.notes.append(isinstance(error, alula.ClientDisconnected))
        await asyncio.wait_for(parked, 10)
        if call.scope["query_string"] == b"raise":
            raise
        call.notes.append("parked receive woken")


async def stuck_stream(call: Call) -> None:
    """Waits in `send` when the client leaves."""
    await call.start()
    try:
        while True:
            await call.piece(bytes(65536))
    except OSError as error:
        call.notes.append(isinstance(error, alula.ClientDisconnected))


async def parked(call: Call) -> None:
    await call.disconnected()
    call.notes.append("left")


# Failures


def fail_with(kind: Callable[[], BaseException]) -> Callable[..., Awaitable[Any]]:
    async def fail(call: Call, when: str = "before") -> None:
        await call.late()
        if when in ("after-start", "after-body"):
            await call.start()
        if when == "after-body":
            await call.piece(b"some")
        raise kind()

    return fail


async def exits(call: Call) -> None:
    await call.late()
    sys.exit(7)


class OddError(BaseException):
    """Neither an `Exception` nor one of the known others."""


async def returns(call: Call) -> Any:
    """Answers, and then returns what it should not."""
    await call.late()
    await call.respond(b"answered")


class Returns:
    """An application that returns something."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> str:
        if scope["type"] != "http":
            raise NotImplementedError
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"answered"})
        return "something"


returning = Returns()


async def says_nothing(call: Call) -> None:
    await call.late()


async def only_starts(call: Call) -> None:
    await call.start()
    await call.piece(b"some")
    await call.late()


async def many(call: Call) -> bytes:
    """What is alive, for the tests that look for leaks."""
    gc.collect()
    return json.dumps([len(gc.get_objects()), len(asyncio.all_tasks())]).encode()


async def notes(call: Call, key: str) -> bytes:
    async with changed:
        await changed.wait_for(lambda: key in ended)
    return json.dumps(ended[key]).encode()


HANDLERS: dict[str, Callable[..., Awaitable[Any]]] = {
    name: value
    for name, value in globals().items()
    if inspect.iscoroutinefunction(value) and name not in {"app", "lifespan", "nothing", "release"}
} | {
    "fails": fail_with(lambda: RuntimeError("on purpose")),
    "odd": fail_with(OddError),
    "interrupts": fail_with(KeyboardInterrupt),
    "cancels": fail_with(asyncio.CancelledError),
    "generator_exit": fail_with(GeneratorExit),
}


# Applications of other kinds


class Asgi2:
    """ASGI 2: called with the scope, then with receive and send."""

    def __init__(self, scope: Scope) -> None:
        if scope["type"] != "http":
            raise NotImplementedError
        self.scope = scope

    async def __call__(self, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        version = self.scope["asgi"]["version"].encode()
        await send({"type": "http.response.body", "body": b"asgi " + version})


def plain_function(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
    """A function that returns an awaitable which is no coroutine."""
    if scope["type"] != "http":
        raise NotImplementedError

    class Answer:
        def __await__(self) -> Any:
            yield from send({"type": "http.response.start", "status": 200}).__await__()
            yield from asyncio.sleep(0.001).__await__()
            yield from send(body_message(b"awaited", False)).__await__()

    return Answer()


def wsgi(environ: Any, start_response: Any) -> Any:
    """No ASGI application at all."""
    raise AssertionError


async def add_header(scope: Scope, receive: Receive, send: Send) -> None:
    """Wraps another application's `send`, as middleware does."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], (b"x-added", b"1")]
        await send(message)

    await app(scope, receive, sent if scope["type"] == "http" else send)  # type: ignore[arg-type]
