"""`CORSMiddleware`: the headers of an ordinary answer. A preflight is left to the layer."""

from typing import Any

from alula._internal.asgi import Application, Message, Receive, Scope, Send
from alula._internal.compiled.middleware.headers import (
    RawHeaders,
    add_vary,
    first_header,
    own_headers,
    set_header,
)


def fast_cors(layer: Any) -> Application:
    """An application that does what this `CORSMiddleware` does."""
    edit = _Edit(layer)

    async def cors(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await layer.app(scope, receive, send)
            return
        method = scope["method"]
        asked = own_headers(scope)
        if (
            method == "OPTIONS"
            and first_header(asked, b"origin") is not None
            and first_header(asked, b"access-control-request-method") is not None
        ):
            await layer(scope, receive, send)
            return

        async def send_with_cors(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                edit(own_headers(message), first_header(asked, b"origin"))
            await send(message)

        await layer.app(scope, receive, send_with_cors)

    return cors


class _Edit:
    """Adds what a layer adds to the headers of an answer."""

    __slots__ = ("_layer", "_simple")

    def __init__(self, layer: Any) -> None:
        self._layer = layer
        self._simple = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in layer.simple_headers.items()
        ]

    def __call__(self, raw: RawHeaders, origin: bytes | None) -> None:
        if origin is not None:
            for name, value in self._simple:
                set_header(raw, name, value)
            if self._is_mirrored(origin):
                set_header(raw, b"access-control-allow-origin", origin)
        add_vary(raw, b"Origin")

    def _is_mirrored(self, origin: bytes) -> bool:
        """Whether the answer names the request's origin, not `*` or none."""
        layer = self._layer
        if layer.allow_all_origins:
            return bool(layer.allow_credentials)
        text = origin.decode("latin-1")
        pattern = layer.allow_origin_regex
        if pattern is not None and pattern.fullmatch(text):
            return True
        return text in layer.allow_origins
