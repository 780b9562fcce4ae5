"""The raw ASGI application: what a server costs with as little Python as possible behind it.

Each answer is built anew for its request, as an application would, and carries its Content-Length,
so that every server frames it alike.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PLAIN = b"Hello, World!"
LARGE = bytes(32 + (position * 7 + position // 95) % 95 for position in range(65536))


async def app(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Answers by path: `/plain`, `/json`, `/echo` (POST) and `/64k`."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    path = scope["path"]
    if path == "/plain":
        await _respond(send, b"text/plain; charset=utf-8", PLAIN)
    elif path == "/json":
        body = json.dumps({"message": "Hello, World!"}).encode()
        await _respond(send, b"application/json", body)
    elif path == "/echo":
        await _respond(send, b"application/octet-stream", await _read_body(receive))
    elif path == "/64k":
        await _respond(send, b"application/octet-stream", LARGE)
    else:
        await _respond(send, b"text/plain; charset=utf-8", b"Not Found", status=404)


async def _respond(send: Send, content_type: bytes, body: bytes, *, status: int = 200) -> None:
    headers = [(b"content-type", content_type), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _read_body(receive: Receive) -> bytes:
    """The whole body; joined, as one of the servers gives views where the rest give bytes."""
    pieces: list[bytes] = []
    more = True
    while more:
        message = await receive()
        pieces.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(pieces)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": message["type"] + ".complete"})
        if message["type"] == "lifespan.shutdown":
            return
