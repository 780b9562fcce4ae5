"""What becomes of an exception out of a plan: Starlette's own middlewares decide, as ever.

They are called with an application inside that does nothing but raise the exception again.
"""

# pyright: reportPrivateUsage=false

from typing import Any

from starlette._exception_handler import wrap_app_handling_exceptions
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import Request

from alula._internal.asgi import Application, Message, Receive, Scope, Send

_STARTED: Message = {"type": "http.response.start"}


class Sender:
    """A `send` that knows whether a response was started."""

    __slots__ = ("_send", "started")

    def __init__(self, send: Send, started: bool) -> None:
        self._send = send
        self.started = started

    async def __call__(self, message: Message) -> None:
        """Sends a message on."""
        if message is _STARTED:
            return
        if message["type"] == "http.response.start":
            self.started = True
        await self._send(message)


def _raising(error: Exception, sender: Sender) -> Application:
    """An application that raises, behind the start of a response if there was one."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
        if sender.started:
            await send(_STARTED)
        raise error

    return app


async def handle_in_route(
    scope: Scope, receive: Receive, sender: Sender, request: Request, error: Exception
) -> None:
    """As around a route: the application's handlers answer. Raises what they do not handle."""
    app = wrap_app_handling_exceptions(_raising(error, sender), request)
    await app(scope, receive, sender)


async def handle_in_app(scope: Scope, receive: Receive, sender: Sender, error: Exception) -> None:
    """As around the router: what a handler raised may have a handler too."""
    request = Request(scope, receive, sender)
    app = wrap_app_handling_exceptions(_raising(error, sender), request)
    await app(scope, receive, sender)


async def handle_in_server(
    scope: Scope, receive: Receive, sender: Sender, handler: Any, error: Exception
) -> None:
    """As outermost: a 500, and the exception goes on to the server."""
    app = ServerErrorMiddleware(_raising(error, sender), handler=handler)
    await app(scope, receive, sender)
