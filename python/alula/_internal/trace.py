"""Logs every message between server and application, at the level `trace`, as uvicorn does."""

import itertools
import logging
from typing import Any

from alula._internal.asgi import Application, Message, Receive, Scope, Send
from alula.logging import TRACE_LOG_LEVEL

_LONG = ("body", "bytes", "text", "headers")
"""What is shown by its size alone."""


class Traced:
    """An application whose messages are logged."""

    def __init__(self, app: Application) -> None:
        self.asgi_version: str = getattr(app, "asgi_version", "3.0")
        self._app = app
        self._count = itertools.count(1)
        self._logger = logging.getLogger("uvicorn.asgi")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Calls the application."""
        client = scope.get("client")
        prefix = f"{client[0]}:{client[1]} - ASGI" if client else "ASGI"
        prefix = f"{prefix} [{next(self._count)}]"

        async def logged_receive() -> Message:
            message = await receive()
            self._log("%s Receive %s", prefix, _shown(message))
            return message

        async def logged_send(message: Message) -> None:
            self._log("%s Send %s", prefix, _shown(message))
            await send(message)

        self._log("%s Started scope=%s", prefix, _shown(scope))
        try:
            await self._app(scope, logged_receive, logged_send)
        except BaseException:
            self._log("%s Raised exception", prefix)
            raise
        self._log("%s Completed", prefix)

    def _log(self, text: str, *arguments: object) -> None:
        self._logger.log(TRACE_LOG_LEVEL, text, *arguments)


def traced(app: Application) -> Application:
    """The application, its messages logged if the log's level asks for it."""
    is_enabled = logging.getLogger("uvicorn.error").isEnabledFor(TRACE_LOG_LEVEL)
    return Traced(app) if is_enabled else app


def _shown(message: Message) -> dict[str, Any]:
    """A copy in which long values are replaced by their sizes."""
    return {key: _size(value) if key in _LONG else value for key, value in message.items()}


def _size(value: Any) -> Any:
    if isinstance(value, (bytes, str)):
        return f"<{len(value)} {'bytes' if isinstance(value, bytes) else 'chars'}>"
    return "<...>" if isinstance(value, (list, tuple)) else value
