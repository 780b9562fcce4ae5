"""FastAPI's limit of an application's request bodies, out of the way of requests without one."""

# pyright: reportPrivateUsage=false

from typing import Any

from fastapi._body_limit import AppBodyLimitMiddleware, get_body_limit_error
from starlette.middleware.body_limit import MAX_BODY_SIZE_SCOPE_KEY

from alula._internal.asgi import Application, Receive, Scope, Send


class BodyLimit:
    """An application within `AppBodyLimitMiddleware`, where only a body makes the detour."""

    def __init__(self, app: Application, limit: int | None) -> None:
        self.app = app
        self._limited = AppBodyLimitMiddleware(app, max_body_size=limit)
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if MAX_BODY_SIZE_SCOPE_KEY not in scope and (self._limit is None or has_no_body(scope)):
            await self.app(scope, receive, send)
        else:
            await self._limited(scope, receive, send)


def has_no_body(scope: Scope) -> bool:
    """Whether the request's head says so: RFC 9112 section 6.3, which is HTTP/1's alone."""
    if scope["type"] != "http" or not scope.get("http_version", "").startswith("1"):
        return False
    framing = (b"content-length", b"transfer-encoding")
    return not any(name in framing for name, _ in scope["headers"])


def limit_error(scope: Scope, error: Exception) -> Exception | None:
    """What a limit raised while a body was read, if that is why it could not be."""
    if MAX_BODY_SIZE_SCOPE_KEY not in scope:
        return None
    found: Any = get_body_limit_error(error)
    return found if isinstance(found, Exception) else None
