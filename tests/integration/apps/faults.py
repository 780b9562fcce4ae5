"""What the fault tests run against: raw ASGI, one handler for each kind of trouble.

`/wait/NAME` tells when something has happened in here: it answers once NAME has been noted.
"""

import asyncio
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from content import pattern

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

PIECE = 64 * 1024
changed = asyncio.Condition()
noted: dict[str, str] = {}
running: Counter[str] = Counter()
sent: Counter[str] = Counter()
released = asyncio.Event()


class Refusal(BaseException):
    """Not an Exception: what a broad `except Exception` does not catch."""


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    first, *rest = scope["path"].strip("/").split("/")
    running[first] += 1
    try:
        await ROUTES[first](receive, send, *rest)
    finally:
        running[first] -= 1
        await tell()


async def lifespan(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    if path := os.environ.get("FAULTS_SHUTDOWN_FILE"):
        append(path, "shut down")
    await send({"type": "lifespan.shutdown.complete"})


def append(path: str, line: str) -> None:
    """Adds a line to a file, in one piece."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(fd, f"{line}\n".encode())
    os.close(fd)


async def tell() -> None:
    async with changed:
        changed.notify_all()


async def note(name: str, value: str) -> None:
    noted[name] = value
    await tell()


async def respond(send: Send, text: str, status: int = 200) -> None:
    await start(send, status)
    await send({"type": "http.response.body", "body": text.encode()})


async def start(send: Send, status: int = 200, length: int | None = None) -> None:
    headers = [(b"content-type", b"text/plain")]
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def witness(receive: Receive, send: Send, number: str) -> None:
    await respond(send, f"witness {number}")


async def process(receive: Receive, send: Send) -> None:
    await respond(send, str(os.getpid()))


async def wait(receive: Receive, send: Send, name: str) -> None:
    async with changed:
        await changed.wait_for(lambda: name in noted)
    await respond(send, noted[name])


async def quiet(receive: Receive, send: Send, name: str) -> None:
    """Answers when no handler of that name runs any more."""
    async with changed:
        await changed.wait_for(lambda: not running[name])
    await respond(send, "quiet")


async def busy(receive: Receive, send: Send, name: str, count: str) -> None:
    """Answers when so many handlers of that name run."""
    async with changed:
        await changed.wait_for(lambda: running[name] >= int(count))
    await respond(send, "busy")


async def download(receive: Receive, send: Send, length: str) -> None:
    """A body that goes out piece by piece, as fast as it is taken."""
    left = int(length)
    await start(send, length=left)
    sent.clear()
    try:
        while left:
            piece = pattern(min(PIECE, left), sent["download"])
            left -= len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": left > 0})
            sent["download"] += len(piece)
    except OSError as error:
        await note("download", type(error).__name__)
        raise
    await note("download", "complete")


async def progress(receive: Receive, send: Send) -> None:
    await respond(send, str(sent["download"]))


async def endless(receive: Receive, send: Send) -> None:
    """Streams until the client is gone."""
    await start(send)
    while True:
        await send({"type": "http.response.body", "body": pattern(PIECE), "more_body": True})
        await asyncio.sleep(0)


async def parked(receive: Receive, send: Send) -> None:
    """Reads the body, then waits for the client to go."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def unread(receive: Receive, send: Send) -> None:
    """Does not touch the body; answers when it is released."""
    await note("unread", "waiting")
    await released.wait()
    released.clear()
    await respond(send, "not read")


async def read_late(receive: Receive, send: Send) -> None:
    """Does not touch the body until it is released, then reads all of it."""
    await note("read-late", "waiting")
    await released.wait()
    released.clear()
    digest, length, more = hashlib.sha256(), 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            await note("read-late", "disconnect")
            return
        digest.update(message["body"])
        length += len(message["body"])
        more = message["more_body"]
    await respond(send, f"{length} {digest.hexdigest()}")


async def release(receive: Receive, send: Send) -> None:
    released.set()
    await respond(send, "released")


async def job(receive: Receive, send: Send, number: str) -> None:
    """A request that takes a moment and says, outside of the process, that it has begun."""
    if path := os.environ.get("FAULTS_BEGUN_FILE"):
        append(path, number)
    await start(send)
    for at in range(4):
        await asyncio.sleep(0.002)
        await send(
            {"type": "http.response.body", "body": pattern(1000, at * 1000), "more_body": True}
        )
    await send({"type": "http.response.body", "body": number.encode()})


async def read(receive: Receive, send: Send) -> None:
    """Echoes the body."""
    parts: list[bytes] = []
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        parts.append(message["body"])
        more = message["more_body"]
    await respond(send, b"".join(parts).decode())


async def feed(receive: Receive, send: Send) -> None:
    """A stream that says nothing until the server tells it to end."""
    await start(send)
    await send({"type": "http.response.body", "body": b"beginning, ", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass
    await send({"type": "http.response.body", "body": b"end"})


async def fifo(receive: Receive, send: Send) -> None:
    """Answers when somebody writes into the pipe."""
    await respond(send, await asyncio.to_thread(Path(os.environ["FAULTS_FIFO"]).read_text))


ERRORS: dict[str, Callable[[], object]] = {
    "exit": lambda: sys.exit(3),
    "exit0": sys.exit,
    "interrupt": lambda: throw(KeyboardInterrupt()),
    "cancelled": lambda: throw(asyncio.CancelledError()),
    "generator": lambda: throw(GeneratorExit()),
    "stop": lambda: throw(StopAsyncIteration()),
    "own": lambda: throw(Refusal("no")),
    "group": lambda: throw(BaseExceptionGroup("several", [SystemExit(4), Refusal("no")])),
    "memory": lambda: throw(MemoryError()),
    "recursion": lambda: recurse(0),
}


def throw(error: BaseException) -> None:
    raise error


def recurse(depth: int) -> int:
    return recurse(depth + 1) + 1


async def fail(receive: Receive, send: Send, kind: str, when: str) -> None:
    """Fails before or after the start of the response, or after a wait."""
    if when == "later":
        await asyncio.sleep(0.001)
    elif when == "started":
        await start(send)
        await send({"type": "http.response.body", "body": b"some", "more_body": True})
    elif when == "complete":
        await respond(send, "complete")
    elif when == "task":
        # The task itself is cancelled, as by a library with a wrong idea of whose it is.
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)
    ERRORS[kind]()


ROUTES: dict[str, Callable[..., Awaitable[None]]] = {
    "witness": witness,
    "process": process,
    "wait": wait,
    "quiet": quiet,
    "busy": busy,
    "download": download,
    "progress": progress,
    "endless": endless,
    "parked": parked,
    "unread": unread,
    "read-late": read_late,
    "release": release,
    "job": job,
    "read": read,
    "feed": feed,
    "fifo": fifo,
    "fail": fail,
}
