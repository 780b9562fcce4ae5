"""`TrustedHostMiddleware`: an allowed host is recognised without header objects."""

from functools import lru_cache
from typing import Any

from starlette._utils import parse_host_header

from alula._internal.asgi import Application, Receive, Scope, Send
from alula._internal.compiled.middleware.headers import first_header, own_headers

_HOSTS = 256
"""How many Host headers are remembered. A client chooses what it sends."""


def fast_trusted_host(layer: Any) -> Application:
    """An application that does what this `TrustedHostMiddleware` does."""

    async def trusted_host(scope: Scope, receive: Receive, send: Send) -> None:
        if layer.allow_any or scope["type"] not in ("http", "websocket"):
            await layer.app(scope, receive, send)
            return
        host = _host(first_header(own_headers(scope), b"host"))
        if host is not None and _is_allowed(host, layer.allowed_hosts):
            await layer.app(scope, receive, send)
        else:
            await layer(scope, receive, send)

    return trusted_host


@lru_cache(maxsize=_HOSTS)
def _host(header: bytes | None) -> str | None:
    """The host of a Host header, without its port. None if it is not valid."""
    parsed = parse_host_header(None if header is None else header.decode("latin-1"))
    return None if parsed is None else parsed.host.lower()


def _is_allowed(host: str, patterns: list[str]) -> bool:
    return any(
        host == pattern or (pattern.startswith("*") and host.endswith(pattern[1:]))
        for pattern in patterns
    )
