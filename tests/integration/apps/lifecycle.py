"""An application whose life can be watched and disturbed, through its paths and its environment."""

import asyncio
import os
import sys
import threading
import time
from typing import Any

FILE = os.environ.get("LIFECYCLE_FILE", "")
"""Where starts and stops are noted, a line each."""

if os.environ.get("LIFECYCLE_IMPORT") == "raise":
    raise LookupError("raised while importing")


def note(what: str) -> None:
    if FILE:
        with open(FILE, "a") as file:  # noqa: PTH123 - one write, so that lines stay whole
            file.write(f"{what} {os.getpid()}\n")


async def lifespan(receive: Any, send: Any) -> None:
    await receive()
    if os.environ.get("LIFECYCLE_STARTUP") == "fail" or os.path.exists(f"{FILE}.fail"):  # noqa: ASYNC240, PTH110
        await send({"type": "lifespan.startup.failed", "message": "no database"})
        return
    if os.environ.get("LIFECYCLE_STARTUP") == "hang" or os.path.exists(f"{FILE}.hang"):  # noqa: ASYNC240, PTH110
        note("hanging")
        await asyncio.Event().wait()
    note("startup")
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await hang(os.environ.get("LIFECYCLE_SHUTDOWN"))
    note("shutdown")
    await send({"type": "lifespan.shutdown.complete"})


async def hang(how: str | None) -> None:
    """Never ends, if it is asked to."""
    while how == "stubborn":
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            note("stubborn")
    if how == "block":
        time.sleep(600)  # noqa: ASYNC251 - what it is for
    if how == "thread":
        threading.Thread(target=time.sleep, args=(600,)).start()
    if how == "wait":
        await asyncio.Event().wait()


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    path, _, argument = scope["path"].strip("/").partition("/")
    if path == "sleep":
        note("sleeping")
        await asyncio.sleep(float(argument))
    elif path == "block":
        note("blocking")
        time.sleep(float(argument))  # noqa: ASYNC251 - what it is for
    elif path == "stream":
        await stream(receive, send)
        return
    elif path == "stubborn":
        note("stubborn")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            note("cancelled")
            raise
    elif path == "path":
        await answer(send, "\n".join(sys.path))
        return
    elif path == "environ":
        await answer(send, os.environ.get(argument, "(not set)"))
        return
    await answer(send, str(os.getpid()))


async def answer(send: Any, text: str) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": text.encode()})


async def stream(receive: Any, send: Any) -> None:
    """Sends a line, and goes on until it is told to stop."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"begun\n", "more_body": True})
    note("streaming")
    while (await receive())["type"] != "http.disconnect":
        pass
    note("disconnected")
    await send({"type": "http.response.body", "body": b"end\n"})


def make() -> Any:
    return app
