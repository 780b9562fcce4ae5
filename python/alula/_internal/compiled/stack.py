"""An application's middlewares around its compiled core."""

# pyright: reportPrivateUsage=false

import os
from collections.abc import Callable
from typing import Any, cast

from fastapi import FastAPI
from fastapi.middleware.asyncexitstack import AsyncExitStackMiddleware
from fastapi.telemetry._asgi import ExceptionTelemetryMiddleware
from opentelemetry import _logs, metrics, trace
from opentelemetry._logs import _internal as _logs_internal
from opentelemetry.metrics import _internal as _metrics
from starlette.applications import Starlette
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.middleware.exceptions import ExceptionMiddleware

from alula._internal.asgi import Application, Receive, Scope, Send
from alula._internal.compiled import reading
from alula._internal.compiled.app import CompiledApp
from alula._internal.compiled.body_limit import BodyLimit
from alula._internal.compiled.core import Core
from alula._internal.compiled.make import comes_from, is_own
from alula._internal.compiled.middleware import accelerate
from alula._internal.compiled.report import RouteReport
from alula.errors import NotCompiled

_TRACERS = trace.get_tracer_provider
_METERS = metrics.get_meter_provider
_LOGGERS = _logs.get_logger_provider

_ENVIRONMENT = (
    "OTEL_PYTHON_TRACER_PROVIDER",
    "OTEL_PYTHON_METER_PROVIDER",
    "OTEL_PYTHON_LOGGER_PROVIDER",
)
"""Variables by which OpenTelemetry finds providers when it is first asked."""


class Stack(CompiledApp):
    """Serves an application: plans where there are some, the application itself where not.

    The core is made with the first request, as the application makes its own middlewares, since
    they may be added until then.
    """

    def __init__(self, app: Any) -> None:
        super().__init__(app)
        _check(app)
        self._core: Core | None = None
        self._ours: Application | None = None
        """The middlewares around the core; None if there are none."""
        self._reason: str | None = None
        self._telemetry_is_off = _question(app)

    def report(self) -> list[RouteReport]:
        """What became of each route."""
        if self._core is None:
            core = Core(
                self.app,
                ExceptionMiddleware(self.app.router),
                self.app,
                self.counts,
                outermost=True,
            )
            return core.reports
        if self._core.is_stale():
            self._core.refresh()
        return self._core.reports

    def prepare(self) -> None:
        """Makes the application's middlewares, if they are not made yet."""
        self._prepare()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        cause = self._prepare()
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        core = self._core
        if cause is not None or core is None:
            self.counts.decline(cause or "not compiled")
            await self.app(scope, receive, send)
            return
        app = self.app
        if app.root_path:
            scope["root_path"] = app.root_path
        if self._ours is not None:
            scope["app"] = app
            await self._ours(scope, receive, send)
            return
        found = core.find(scope)
        if found is None:
            await app(scope, receive, send)
            return
        plan, parameters = found
        await plan(scope, receive, send, parameters)

    def _prepare(self) -> str | None:
        """Makes the core if it is time to. Returns why the application itself is to answer."""
        app = self.app
        if self._core is None:
            if self._reason is None:
                self._reason = self._build()
            if self._reason:
                return self._reason
        if app.middleware_stack is not self._stack:
            return "its middleware stack was replaced"
        if not self._telemetry_is_off() and app._native_telemetry.enabled():
            return "telemetry"
        return None

    def _build(self) -> str:
        """Makes the core. Returns why not, or an empty text."""
        app = self.app
        try:
            _check(app)
            handlers, server_error = _exception_handlers(app)
            exceptions = ExceptionMiddleware(
                AsyncExitStackMiddleware(app.router), handlers=handlers, debug=app.debug
            )
            if not app.user_middleware and app.max_body_size is None:
                if app.middleware_stack is None:
                    app.middleware_stack = app.build_middleware_stack()
                self._core = Core(
                    app,
                    exceptions,
                    app,
                    self.counts,
                    outermost=True,
                    server_error_handler=server_error,
                )
            elif app.middleware_stack is not None:
                return "its middlewares were made before"
            else:
                self._core = Core(app, exceptions, exceptions, self.counts, outermost=False)
                self._ours = app.middleware_stack = _around(app, self._core, server_error)
        except NotCompiled as error:
            return str(error)
        self._stack = app.middleware_stack
        return ""


def _exception_handlers(app: Any) -> tuple[dict[Any, Any], Any]:
    """The application's handlers, and the one for what nobody handles."""
    handlers: dict[Any, Any] = {}
    server_error = None
    for key, handler in app.exception_handlers.items():
        if key in (500, Exception):
            server_error = handler
        else:
            handlers[key] = handler
    return handlers, server_error


def _around(app: Any, core: Application, server_error: Any) -> Application:
    """The user's middlewares in order, between FastAPI's own and the core."""
    inner: Application = core
    for cls, args, kwargs in reversed(app.user_middleware):
        inner = accelerate(cls(inner, *args, **kwargs))
    inner = BodyLimit(inner, app.max_body_size)
    inner = ExceptionTelemetryMiddleware(inner)
    return ServerErrorMiddleware(inner, handler=server_error, debug=app.debug)


def _check(app: Any) -> None:
    """Raises `NotCompiled` for an application that does not do what FastAPI's does."""
    reading.check_machinery()
    kind = cast(type[Any], type(app))
    for name, owner in (
        ("__call__", FastAPI),
        ("build_middleware_stack", FastAPI),
    ):
        if name in vars(app) or getattr(kind, name) is not vars(owner)[name]:
            raise NotCompiled(f"its {name} was replaced")
        if not is_own(vars(owner)[name], owner.__module__):
            raise NotCompiled(f"{owner.__name__}.{name} was replaced")
    if not is_own(vars(Starlette)["__call__"], "starlette.applications"):
        raise NotCompiled("Starlette.__call__ was replaced")
    if app.debug:
        raise NotCompiled("debug=True")
    if app.router.form_limits:
        raise NotCompiled("form_limits is set")


def _telemetry_is_off() -> bool:
    """Whether no OpenTelemetry provider can be set: quicker than FastAPI's own question."""
    return (
        trace._TRACER_PROVIDER is None
        and _metrics._METER_PROVIDER is None
        and _logs_internal._LOGGER_PROVIDER is None
        and trace.get_tracer_provider is _TRACERS
        and metrics.get_meter_provider is _METERS
        and _logs.get_logger_provider is _LOGGERS
    )


def _never_off() -> bool:
    return False


def _question(app: Any) -> Callable[[], bool]:
    """How to know quickly that an application's telemetry is off, if there is a way."""
    config = app._native_telemetry.config
    given = any(config[f"{what}_provider"] is not None for what in ("tracer", "meter", "logger"))
    known = (
        hasattr(trace, "_TRACER_PROVIDER")
        and hasattr(_metrics, "_METER_PROVIDER")
        and hasattr(_logs_internal, "_LOGGER_PROVIDER")
        and comes_from(_TRACERS, "opentelemetry.trace")
        and comes_from(_METERS, "opentelemetry.metrics._internal")
        and comes_from(_LOGGERS, "opentelemetry._logs._internal")
    )
    if given or not known or any(name in os.environ for name in _ENVIRONMENT):
        return _never_off
    return _telemetry_is_off
