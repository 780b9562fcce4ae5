"""What the tests of the wire run against: an application that tells what it sees.

`X-Do: NAME` chooses a handler below, so that the target stays free; without it, the application
reads the whole body and answers with the scope and the body as JSON. With `X-Key: KEY` what it
receives, and what `send` raises, is noted down: `/seen/KEY` waits for the handler to end and
answers with the notes, `/reached/KEY` waits for it to begin.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

changed = asyncio.Condition()
begun: set[str] = set()
ended: dict[str, list[Any]] = {}
released: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    assert scope["type"] == "http", scope
    path: str = scope["path"]
    for prefix, answer in ASKED.items():
        if path.startswith(prefix):
            await answer(path.removeprefix(prefix), send)
            return
    headers = {name.decode(): value.decode("latin-1") for name, value in scope["headers"]}
    key = headers.get("x-key", "")
    call = Call(scope, receive, send, key)
    await note(begun.add, key)
    try:
        await HANDLERS[headers.get("x-do", "tell")](call)
    except BaseException as error:
        call.notes.append(type(error).__name__)
        raise
    finally:
        await note(ended.__setitem__, key, call.notes)


async def note(keep: Callable[..., object], *values: object) -> None:
    async with changed:
        keep(*values)
        changed.notify_all()


async def respond(
    send: Send, body: bytes, status: int = 200, headers: tuple[tuple[bytes, bytes], ...] = ()
) -> None:
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})
    await send({"type": "http.response.body", "body": body})


async def seen(key: str, send: Send) -> None:
    async with changed:
        await changed.wait_for(lambda: key in ended)
    await respond(send, json.dumps(ended[key]).encode())


async def reached(key: str, send: Send) -> None:
    async with changed:
        await changed.wait_for(lambda: key in begun)
    await respond(send, b"reached")


async def was_reached(key: str, send: Send) -> None:
    await respond(send, str(key in begun).encode())


async def release(key: str, send: Send) -> None:
    released[key].set()
    await respond(send, b"released")


ASKED: dict[str, Callable[[str, Send], Awaitable[None]]] = {
    "/seen/": seen,
    "/reached/": reached,
    "/was-reached/": was_reached,
    "/release/": release,
}


class Call:
    """A request, what it receives and what comes of what it sends."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, key: str) -> None:
        self.scope, self._receive, self._send, self.key = scope, receive, send, key
        self.notes: list[Any] = []

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self.notes.append([message["body"].decode("latin-1"), message["more_body"]])
        else:
            self.notes.append(message["type"])
        return message

    async def body(self) -> bytes | None:
        """The whole body, or None if the client went away before its end."""
        parts: list[bytes] = []
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message["body"])
            if not message["more_body"]:
                return b"".join(parts)

    async def start(self, status: Any = 200, *headers: tuple[bytes, bytes]) -> None:
        await self._note_failure(
            {"type": "http.response.start", "status": status, "headers": list(headers)}
        )

    async def piece(self, body: bytes, more: bool = True) -> None:
        await self._note_failure({"type": "http.response.body", "body": body, "more_body": more})

    async def _note_failure(self, message: Message) -> None:
        try:
            await self._send(message)
        except Exception as error:
            kind = "OSError" if isinstance(error, OSError) else "refused"
            self.notes.append(f"send: {kind}")
            raise

    async def respond(self, body: bytes, status: Any = 200, *headers: tuple[bytes, bytes]) -> None:
        await self.start(status, *headers)
        await self.piece(body, more=False)

    async def released(self) -> None:
        await released[self.key].wait()

    async def disconnected(self) -> None:
        while (await self.receive())["type"] != "http.disconnect":
            pass


# Requests


async def tell(call: Call) -> None:
    body = await call.body()
    if body is None:
        return
    scope = call.scope
    told = {
        name: scope[name]
        for name in ("method", "path", "http_version", "scheme", "root_path", "client", "server")
    }
    told |= {name: scope[name].decode("latin-1") for name in ("raw_path", "query_string")}
    told["headers"] = [[n.decode("latin-1"), v.decode("latin-1")] for n, v in scope["headers"]]
    told["body"] = body.decode("latin-1")
    await call.respond(json.dumps(told).encode(), 200, (b"content-type", b"application/json"))


async def read_late(call: Call) -> None:
    await call.released()
    await tell(call)


async def unread(call: Call) -> None:
    await call.respond(b"unread")


async def unread_late(call: Call) -> None:
    await call.released()
    await call.respond(b"unread")


async def stream_until_gone(call: Call) -> None:
    """Streams until the client is gone and `send` says so."""
    await call.start()
    while True:
        await call.piece(b"x" * 1000)
        await asyncio.sleep(0)


async def answer_after_disconnect(call: Call) -> None:
    """Waits for the client to say that it sends nothing more, then answers."""
    await call.disconnected()
    await call.start()
    await call.piece(b"still ")
    await call.released()
    await call.piece(b"here", more=False)


async def linger(call: Call) -> None:
    """Takes longer than the keep-alive timeout of the test."""
    await asyncio.sleep(2.5)
    await call.respond(b"slow")


# Responses


class Failure(Exception):
    """What these handlers raise."""


async def raise_before(call: Call) -> None:
    raise Failure("before the start")


async def raise_with_head_open(call: Call) -> None:
    await call.start(200, (b"content-type", b"text/html"))
    raise Failure("after the start, before the body")


async def raise_within(call: Call) -> None:
    await call.start()
    await call.piece(b"some")
    raise Failure("within the body")


async def raise_after(call: Call) -> None:
    await call.respond(b"complete")
    raise Failure("after the end")


async def nothing(call: Call) -> None:
    return


async def unfinished(call: Call) -> None:
    await call.start()
    await call.piece(b"some")


async def unfinished_head(call: Call) -> None:
    await call.start(200, (b"content-length", b"5"))


async def single(call: Call) -> None:
    await call.respond(b"single")


async def empty(call: Call) -> None:
    await call.respond(b"")


async def no_body_key(call: Call) -> None:
    await call.start()
    await call._send({"type": "http.response.body"})


async def streamed(call: Call) -> None:
    await call.start()
    for part in (b"one ", b"", b"two ", b"three"):
        await call.piece(part)
    await call.piece(b"", more=False)


async def streamed_slowly(call: Call) -> None:
    await call.start()
    await call.piece(b"one ")
    await call.released()
    await call.piece(b"two", more=False)


async def declared(call: Call) -> None:
    await call.start(200, (b"content-length", b"8"))
    await call.piece(b"four")
    await call.piece(b"four", more=False)


async def too_long(call: Call) -> None:
    await call.start(200, (b"content-length", b"8"))
    await call.piece(b"four")
    await call.piece(b"fourfour", more=False)


async def too_long_at_once(call: Call) -> None:
    await call.respond(b"fourfourfour", 200, (b"content-length", b"8"))


async def too_short(call: Call) -> None:
    await call.respond(b"four", 200, (b"content-length", b"8"))


async def too_short_streamed(call: Call) -> None:
    await call.start(200, (b"content-length", b"8"))
    await call.piece(b"four")
    await call.piece(b"", more=False)


async def more_after_the_end(call: Call) -> None:
    await call.respond(b"complete")
    await call.piece(b"and more", more=False)


async def body_on_204(call: Call) -> None:
    await call.respond(b"never", 204, (b"content-length", b"5"))


async def body_on_304(call: Call) -> None:
    await call.respond(b"never", 304, (b"etag", b'"a"'))


async def streamed_204(call: Call) -> None:
    await call.start(204)
    await call.piece(b"ne")
    await call.piece(b"ver", more=False)


async def own_chunked(call: Call) -> None:
    await call.start(200, (b"transfer-encoding", b"chunked"))
    await call.piece(b"one ")
    await call.piece(b"two", more=False)


async def own_chunked_and_length(call: Call) -> None:
    await call.start(200, (b"transfer-encoding", b"chunked"), (b"content-length", b"7"))
    await call.piece(b"one two", more=False)


async def own_date_and_server(call: Call) -> None:
    await call.respond(b"", 200, (b"Date", b"today"), (b"Server", b"mine"))


async def own_close(call: Call) -> None:
    await call.respond(b"bye", 200, (b"connection", b"close"))


async def cookies(call: Call) -> None:
    await call.respond(b"", 200, (b"set-cookie", b"a=1"), (b"set-cookie", b"b=2"))


async def headers_as_asked(call: Call) -> None:
    """Answers with the header that the request asks for, in hexadecimal."""
    asked = dict(call.scope["headers"])
    name, value = (bytes.fromhex(asked[b"x-" + part].decode()) for part in (b"name", b"value"))
    await call.respond(b"set", 200, (name, value))


async def status_as_asked(call: Call) -> None:
    status = dict(call.scope["headers"])[b"x-status"].decode()
    await call.respond(b"body", json.loads(status))


HANDLERS: dict[str, Callable[[Call], Awaitable[None]]] = {
    handler.__name__.replace("_", "-"): handler
    for handler in (
        tell,
        read_late,
        unread,
        unread_late,
        stream_until_gone,
        answer_after_disconnect,
        linger,
        raise_before,
        raise_with_head_open,
        raise_within,
        raise_after,
        nothing,
        unfinished,
        unfinished_head,
        single,
        empty,
        no_body_key,
        streamed,
        streamed_slowly,
        declared,
        too_long,
        too_long_at_once,
        too_short,
        too_short_streamed,
        more_after_the_end,
        body_on_204,
        body_on_304,
        streamed_204,
        own_chunked,
        own_chunked_and_length,
        own_date_and_server,
        own_close,
        cookies,
        headers_as_asked,
        status_as_asked,
    )
}
