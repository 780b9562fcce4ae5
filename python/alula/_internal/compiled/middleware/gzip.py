"""`GZipMiddleware`: an answer is compressed without an object for each part of the work."""

# pyright: reportPrivateUsage=false

import zlib
from typing import Any

from anyio import to_thread
from starlette.middleware.gzip import _get_gzip_capacity_limiter

from alula._internal.asgi import Application, Message, Receive, Scope, Send
from alula._internal.compiled.middleware.headers import (
    add_vary,
    first_header,
    own_headers,
    remove_header,
    set_header,
)


def fast_gzip(layer: Any) -> Application:
    """An application that does what this `GZipMiddleware` does."""

    async def gzip(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await layer.app(scope, receive, send)
            return
        accepted = first_header(own_headers(scope), b"accept-encoding")
        responder = _Responder(layer, send, accepted is not None and b"gzip" in accepted)
        await layer.app(scope, receive, responder.send)

    return gzip


class _Responder:
    """The messages of one answer. The start waits until the body says what its headers are."""

    __slots__ = ("_compresses", "_compressor", "_layer", "_passes", "_send", "_start", "_started")

    def __init__(self, layer: Any, send: Send, compresses: bool) -> None:
        self._layer = layer
        self._send = send
        self._compresses = compresses
        self._compressor: Any = None
        self._start: Message = {}
        self._started = False
        self._passes = False
        """Whether the answer is sent as it is."""

    async def send(self, message: Message) -> None:
        """Sends what is to be sent when the inner application has sent this."""
        kind = message["type"]
        if kind == "http.response.start":
            self._start = message
            self._passes = self._is_excluded(message)
            if self._passes:
                await self._send(message)
        elif kind == "http.response.body":
            await (self._send(message) if self._passes else self._body(message))
        elif kind in ("http.response.early_hint", "http.response.trailers"):
            await self._send(message)
        elif kind == "http.response.pathsend":
            if not self._passes:
                await self._send(self._start)
            await self._send(message)

    def _is_excluded(self, message: Message) -> bool:
        raw = message.setdefault("headers", [])
        encoded = first_header(raw, b"content-encoding") is not None
        partial = message["status"] == 206
        header = (first_header(raw, b"content-type") or b"").decode("latin-1")
        media = header.partition(";")[0].strip().lower()
        excluded = self._layer.exclude_content_types
        return (
            encoded
            or partial
            or media in excluded
            or media.partition("/")[0] + "/*" in excluded
            or (media.startswith("application/grpc+") and "application/grpc" in excluded)
        )

    async def _body(self, message: Message) -> None:
        body = message.get("body", b"")
        more = message.get("more_body", False)
        if self._started:
            message["body"] = await self._compress(body, more)
            await self._send(message)
            return
        self._started = True
        if more or len(body) >= self._layer.minimum_size:
            self._set_headers(message, await self._compress(body, more), more)
        await self._send(self._start)
        await self._send(message)

    def _set_headers(self, message: Message, body: bytes, more: bool) -> None:
        raw = self._start["headers"]
        add_vary(raw, b"Accept-Encoding")
        if body == message["body"]:
            return
        set_header(raw, b"content-encoding", b"gzip")
        if more or self._start.get("trailers", False):
            remove_header(raw, b"content-length")
        else:
            set_header(raw, b"content-length", str(len(body)).encode())
        message["body"] = body

    async def _compress(self, body: bytes, more: bool) -> bytes:
        if not self._compresses:
            return body
        if len(body) >= self._layer.thread_minimum_size:
            limiter = _get_gzip_capacity_limiter()
            return await to_thread.run_sync(self._compress_now, body, more, limiter=limiter)
        return self._compress_now(body, more)

    def _compress_now(self, body: bytes, more: bool) -> bytes:
        compressor = self._compressor
        if compressor is None:
            level = self._layer.compresslevel
            compressor = zlib.compressobj(level, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
            self._compressor = compressor
        if more:
            return compressor.compress(body) + compressor.flush(zlib.Z_SYNC_FLUSH)
        return compressor.compress(body) + compressor.flush()
