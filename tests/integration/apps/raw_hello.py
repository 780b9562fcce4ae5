"""The hello application without a framework, and what the other five must answer alike."""

import asyncio
import email.parser
import email.policy
import hashlib
import json
from collections.abc import Awaitable, Callable
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs, parse_qsl, unquote

from content import pattern

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

done: dict[str, asyncio.Event] = {}
tasks: set[asyncio.Task[None]] = set()


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "lifespan":
        await lifespan(scope, receive, send)
        return
    assert scope["type"] == "http"
    request = Exchange(scope, receive, send)
    first, *rest = scope["path"].strip("/").split("/")
    handler = ROUTES.get((scope["method"].replace("HEAD", "GET"), first))
    if handler is None:
        await request.text("Not here", 404)
    else:
        await handler(request, *rest)


async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            scope["state"]["greeting"] = "from the lifespan"
            await send({"type": "lifespan.startup.complete"})
        else:
            await send({"type": "lifespan.shutdown.complete"})
            return


class Exchange:
    """A request and its response."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self.headers = dict(scope["headers"])

    async def body(self) -> bytes:
        parts: list[bytes] = []
        more = True
        while more:
            message = await self._receive()
            assert message["type"] == "http.request", message
            parts.append(message.get("body", b""))
            more = message.get("more_body", False)
        return b"".join(parts)

    async def start(self, status: int, media_type: str, *headers: tuple[bytes, bytes]) -> None:
        all_headers = [(b"content-type", media_type.encode()), *headers]
        await self._send({"type": "http.response.start", "status": status, "headers": all_headers})

    async def piece(self, body: bytes, *, more: bool) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": more})

    async def respond(
        self, body: bytes, media_type: str, status: int = 200, *headers: tuple[bytes, bytes]
    ) -> None:
        await self.start(status, media_type, *headers)
        await self.piece(body, more=False)

    async def text(self, text: str, status: int = 200, *headers: tuple[bytes, bytes]) -> None:
        await self.respond(text.encode(), "text/plain; charset=utf-8", status, *headers)

    async def json(self, value: object) -> None:
        await self.respond(json.dumps(value).encode(), "application/json")


async def hello(request: Exchange) -> None:
    await request.text("Hello, wörld")


async def hello_json(request: Exchange) -> None:
    await request.json({"hello": "wörld"})


async def echo_json(request: Exchange) -> None:
    await request.json(json.loads(await request.body()))


async def item(request: Exchange, name: str) -> None:
    query = parse_qs(request.scope["query_string"].decode())
    await request.json({"name": unquote(name), "q": query.get("q", [])})


async def form(request: Exchange) -> None:
    await request.json(dict(parse_qsl((await request.body()).decode())))


async def upload(request: Exchange) -> None:
    head = b"Content-Type: " + request.headers[b"content-type"] + b"\r\n\r\n"
    parser = email.parser.BytesParser(policy=email.policy.HTTP)
    parts = {
        part.get_param("name", header="content-disposition"): part
        for part in parser.parsebytes(head + await request.body()).iter_parts()
    }
    content = parts["file"].get_payload(decode=True)
    await request.json(
        {
            "note": parts["note"].get_content(),
            "name": parts["file"].get_filename(),
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
        }
    )


async def stream(request: Exchange) -> None:
    await request.start(200, "application/octet-stream")
    for at in range(20):
        await request.piece(pattern(1000, at * 1000), more=True)
        await asyncio.sleep(0)
    await request.piece(b"", more=False)


async def mirror(request: Exchange) -> None:
    await request.respond(await request.body(), "application/octet-stream")


async def large(request: Exchange) -> None:
    await request.respond(pattern(8_000_000), "application/octet-stream")


async def set_cookies(request: Exchange) -> None:
    await request.text(
        "ok", 200, (b"set-cookie", b"one=1; Path=/; HttpOnly"), (b"set-cookie", b"two=zwei; Path=/")
    )


async def cookies(request: Exchange) -> None:
    jar = SimpleCookie(request.headers.get(b"cookie", b"").decode())
    await request.json({name: morsel.value for name, morsel in jar.items()})


async def boom(request: Exchange) -> None:
    raise RuntimeError("boom, as the test wants")


async def state(request: Exchange) -> None:
    await request.json({"greeting": request.scope["state"]["greeting"]})


async def start_background(request: Exchange, key: str) -> None:
    event = done[key] = asyncio.Event()
    task = asyncio.create_task(finish_later(event))
    tasks.add(task)
    task.add_done_callback(tasks.discard)
    await request.text("started")


async def finish_later(event: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    event.set()


async def wait_background(request: Exchange, key: str) -> None:
    await done[key].wait()
    await request.text("done")


Handler = Callable[..., Awaitable[None]]
ROUTES: dict[tuple[str, str], Handler] = {
    ("GET", "text"): hello,
    ("GET", "json"): hello_json,
    ("POST", "json"): echo_json,
    ("GET", "items"): item,
    ("POST", "form"): form,
    ("POST", "upload"): upload,
    ("GET", "stream"): stream,
    ("POST", "mirror"): mirror,
    ("GET", "large"): large,
    ("GET", "set-cookies"): set_cookies,
    ("GET", "cookies"): cookies,
    ("GET", "boom"): boom,
    ("GET", "state"): state,
    ("POST", "background"): start_background,
    ("GET", "background"): wait_background,
}
