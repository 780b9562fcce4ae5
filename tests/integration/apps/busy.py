"""An application beside which a task of its own runs in every iteration of the loop."""

import asyncio
from typing import Any

rounds = [0]
tasks: set[asyncio.Task[None]] = set()


async def beside() -> None:
    while True:
        rounds[0] += 1
        await asyncio.sleep(0.0001)


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        tasks.add(asyncio.create_task(beside()))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    if scope["path"] == "/late":
        await asyncio.sleep(0.01)
    body = str(rounds[0]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})
