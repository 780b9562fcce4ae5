"""Plans of routes that are not compiled: what the route calls, called without the routing."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any

from starlette.datastructures import URL
from starlette.responses import RedirectResponse

from alula._internal.asgi import Application, Receive, Scope, Send
from alula._internal.compiled.body_limit import has_no_body
from alula._internal.compiled.failures import Sender
from alula._internal.compiled.plan import Entry
from alula._internal.compiled.writing import Plan, Surroundings


def pass_on(entry: Entry, around: Surroundings) -> Plan:
    """A plan that calls what the route calls, in the surroundings it knows."""
    app: Application = entry.app

    async def plan(scope: Scope, receive: Receive, send: Send, path_params: dict[str, Any]) -> None:
        around.expose(scope, entry, path_params)
        sender = Sender(send, started=False)
        try:
            async with AsyncExitStack() as file_stack:
                scope["fastapi_middleware_astack"] = file_stack
                await app(scope, receive, sender)
        except Exception as error:  # noqa: BLE001
            await around.failed(scope, receive, sender, error)

    return plan


def refuse(entry: Entry | None, around: Surroundings, error: Callable[[], Exception]) -> Plan:
    """A plan that raises what the router raises: `entry` is the route that matched in part."""

    async def plan(scope: Scope, receive: Receive, send: Send, path_params: dict[str, Any]) -> None:
        around.expose(scope, entry, path_params)
        async with AsyncExitStack() as file_stack:
            scope["fastapi_middleware_astack"] = file_stack
        await around.failed(scope, receive, Sender(send, started=False), error())

    return plan


def with_limit(entry: Entry, around: Surroundings, compiled: Plan) -> Plan:
    """A plan for a route with a limit of its own for bodies: what has a body, the route answers."""
    whole = pass_on(entry, around)

    async def plan(scope: Scope, receive: Receive, send: Send, path_params: dict[str, Any]) -> None:
        chosen = compiled if has_no_body(scope) else whole
        await chosen(scope, receive, send, path_params)

    return plan


def redirect(around: Surroundings) -> Plan:
    """A plan that sends the client to the path with a slash at its end, or without."""

    async def plan(scope: Scope, receive: Receive, send: Send, path_params: dict[str, Any]) -> None:
        around.expose(scope, None, path_params)
        target = dict(scope)
        path: str = scope["path"]
        target["path"] = path.rstrip("/") if path.endswith("/") else path + "/"
        sender = Sender(send, started=False)
        try:
            async with AsyncExitStack() as file_stack:
                scope["fastapi_middleware_astack"] = file_stack
                response = RedirectResponse(url=str(URL(scope=target)))
                await response(scope, receive, sender)
        except Exception as error:  # noqa: BLE001
            await around.failed(scope, receive, sender, error)

    return plan
