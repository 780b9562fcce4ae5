"""Applications of other kinds than ASGI 3: ASGI 2 is adapted, WSGI refused."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, cast

from alula._internal.asgi import Application, Receive, Scope, Send

Asgi2Application = Callable[[Scope], Callable[[Receive, Send], Awaitable[None]]]


class Asgi2Adapter:
    """An ASGI 2 application (called with the scope, then with receive and send) as ASGI 3."""

    asgi_version = "2.0"

    def __init__(self, app: Asgi2Application) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Calls the application in its two steps."""
        instance = self.app(scope)
        await instance(receive, send)


def adapt(app: Callable[..., Any]) -> Application:
    """The application as ASGI 3.

    A coroutine function is ASGI 3; anything else is told by the number of arguments that it must be
    called with. Where that says nothing, it is ASGI 3.
    """
    if _is_coroutine_function(app):
        return app
    match _required_arguments(app):
        case 1:
            return Asgi2Adapter(cast("Asgi2Application", app))
        case 2:
            message = (
                f"{app!r} takes two arguments, like a WSGI application; an ASGI application takes "
                "three: scope, receive, send. WSGI is not supported yet: wrap it, for example with "
                "a2wsgi.WSGIMiddleware."
            )
            raise TypeError(message)
        case _:
            return app


def _is_coroutine_function(app: Callable[..., Any]) -> bool:
    while isinstance(app, functools.partial):
        app = cast("functools.partial[Any]", app).func
    if inspect.isclass(app):
        return hasattr(app, "__await__")
    if inspect.isroutine(app):
        return inspect.iscoroutinefunction(app)
    return inspect.iscoroutinefunction(getattr(app, "__call__", None))  # noqa: B004


def _required_arguments(app: Callable[..., Any]) -> int | None:
    """How many positional arguments it must be given; `None` where that can't be told."""
    try:
        signature = inspect.signature(app)
    except (TypeError, ValueError):
        return None
    count = 0
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            return None
        positional = parameter.kind in (
            parameter.POSITIONAL_ONLY,
            parameter.POSITIONAL_OR_KEYWORD,
        )
        if positional and parameter.default is parameter.empty:
            count += 1
    return count
