"""The inside of a compiled application: finds a request's plan, and handles what plans raise."""

# pyright: reportPrivateUsage=false

from typing import Any

from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.requests import Request

from alula._internal.asgi import Application, Receive, Scope, Send
from alula._internal.compiled import reading
from alula._internal.compiled.dependencies import Overrides
from alula._internal.compiled.failures import (
    Sender,
    handle_in_app,
    handle_in_route,
    handle_in_server,
)
from alula._internal.compiled.misses import default_is_usual, not_allowed, not_found
from alula._internal.compiled.passing import pass_on, redirect, refuse, with_limit
from alula._internal.compiled.plan import Entry
from alula._internal.compiled.report import Counts, RouteReport
from alula._internal.compiled.table import Row, Table, Unknown
from alula._internal.compiled.watch import Watch
from alula._internal.compiled.writing import Plan, Surroundings, steps_of, write_plan
from alula.errors import NotCompiled

MAX_OVERRIDES = 16
"""How many sets of `dependency_overrides` a route keeps plans for."""


class Target:
    """What a request for a route leads to. `cause`: why it is not compiled, if it is not."""

    def __init__(self, entry: Entry, plan: Plan, cause: str | None = None) -> None:
        self.entry = entry
        self.plan = plan
        self.cause = cause

    def current(self) -> Plan | None:
        """The plan as things stand: None if the route was changed since it was read."""
        return self.plan if self.entry.holder.app is self.entry.app else None


class Compiled(Target):
    """A route with its plan, and the plans for what overrides its dependencies."""

    def __init__(self, entry: Entry, around: Surroundings, app_limit: int | None) -> None:
        self._around = around
        self._own_limit = entry.body_limit not in (None, app_limit)
        super().__init__(entry, self._write(entry, {}))
        endpoint = entry.endpoint
        assert endpoint is not None
        self.provider = endpoint.overrides_provider if endpoint.dependant.dependencies else None
        self._call = endpoint.dependant.call
        self._dependant = endpoint.dependant
        self._others: list[tuple[Overrides, Plan | None]] = []

    def current(self) -> Plan | None:
        """The plan as things stand: None if the route was changed since it was read."""
        if self.entry.holder.app is not self.entry.app or self._dependant.call is not self._call:
            return None
        if self.provider is not None and self.provider.dependency_overrides:
            return self._overridden(self.provider.dependency_overrides)
        return self.plan

    def _write(self, entry: Entry, overrides: Overrides) -> Plan:
        plan = write_plan(entry, self._around, overrides)
        return with_limit(entry, self._around, plan) if self._own_limit else plan

    def _overridden(self, overrides: Overrides) -> Plan | None:
        for known, plan in self._others:
            if known == overrides:
                return plan
        plan: Plan | None
        try:
            plan = self._write(self.entry, dict(overrides))
        except Exception:  # noqa: BLE001  # FastAPI raises it for the request, as it should
            plan = None
        self._others[MAX_OVERRIDES - 1 :] = []
        self._others.insert(0, (dict(overrides), plan))
        return plan


class Core:
    """Answers requests by plans; what has none, `plain` answers.

    `outermost`: nothing is around it, so that it makes a 500 of what nobody handles, with
    `server_error_handler` if there is one.
    """

    def __init__(
        self,
        app: Any,
        exceptions: ExceptionMiddleware,
        plain: Application,
        counts: Counts,
        *,
        outermost: bool,
        server_error_handler: Any = None,
    ) -> None:
        self.app = app
        self.counts = counts
        self.plain = plain
        self._handlers = (exceptions._exception_handlers, exceptions._status_handlers)
        self._outermost = outermost
        self._server_error_handler = server_error_handler
        self._around = Surroundings(
            self.expose, self.failed_in_route, self.failed, exposed=not outermost
        )
        self.refresh()

    # ---- Routes

    def refresh(self) -> None:
        """Reads the routes anew. What cannot be read, the application's own router decides."""
        router = self.app.router
        self._watch = Watch(reading.routers(router))
        self.reports: list[RouteReport] = []
        rows: list[Row[Target]] = []
        try:
            for entry in reading.entries(router):
                target, reason = self._target(entry)
                rows.append(Row(entry.path, entry.regex, entry.convertors, entry.methods, target))
                self.reports.append(_report(entry, reason))
        except Exception as error:  # noqa: BLE001  # an oddity of the application's: it may serve
            rows.append(Row("", None, {}, None, None))
            self.reports.append(RouteReport("(the rest)", (), "", reason=_unread(error)))
        self._table = Table(rows)

    def _target(self, entry: Entry) -> tuple[Target | None, str | None]:
        """What a route leads to, and why that is no plan of its own."""
        reason = entry.reason
        if entry.endpoint is not None:
            try:
                return Compiled(entry, self._around, self.app.max_body_size), None
            except NotCompiled as error:
                reason = str(error)
            except Exception as error:  # noqa: BLE001  # an oddity of the route's: it may serve
                reason = _unread(error)
        if entry.app is None:
            return None, reason
        return Target(entry, pass_on(entry, self._around), reason), reason

    def is_stale(self) -> bool:
        """Whether routes were added, removed or replaced since they were read."""
        return self._watch.is_over()

    # ---- Requests

    def find(self, scope: Scope) -> tuple[Plan, dict[str, Any]] | None:
        """The plan of a request and its path's parameters; None if the application is to answer."""
        if self._watch.is_over():
            self.refresh()
        path: str = scope["path"]
        root = scope.get("root_path")
        if root:
            path = _below(path, root)
        try:
            found = self._table.find(scope["method"], path)
            if found is None:
                return self._miss(path)
        except Unknown:
            self.counts.decline("a route that is not compiled")
            return None
        target, parameters = found
        plan = target.current()
        if plan is None:
            self.counts.decline("the route was changed")
            return None
        if target.cause is None:
            self.counts.answered += 1
        else:
            self.counts.decline(target.cause)
        if scope.get("path_params"):
            parameters = {**scope["path_params"], **parameters}
        return plan, parameters

    def _miss(self, path: str) -> tuple[Plan, dict[str, Any]] | None:
        """What answers where no route matches in full. Raises `Unknown` if that cannot be told."""
        row = self._table.matches(path)
        if row is not None:
            if row.target is None or row.methods is None:
                raise Unknown
            entry = row.target.entry
            match = self._table.match(row, path)
            if match is None or row.target.current() is None:
                raise Unknown
            self.counts.answered += 1
            methods = entry.holder.methods
            return refuse(entry, self._around, lambda: not_allowed(methods)), match[1]
        router = self.app.router
        if not default_is_usual(router):
            raise Unknown
        if router.redirect_slashes and path != "/":
            other = path.rstrip("/") if path.endswith("/") else path + "/"
            if self._table.matches(other) is not None:
                self.counts.answered += 1
                return redirect(self._around), {}
        self.counts.answered += 1
        return refuse(None, self._around, not_found), {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers in the place of the exception middleware and all that is in it."""
        found = None
        if scope["type"] == "http":
            if "fastapi.telemetry" in scope:
                self.counts.decline("telemetry")
            else:
                found = self.find(scope)
        if found is None:
            await self.plain(scope, receive, send)
            return
        plan, parameters = found
        await plan(scope, receive, send, parameters)

    # ---- What plans call

    def expose(self, scope: Scope, entry: Entry | None, parameters: dict[str, Any]) -> None:
        """Puts into the scope what Starlette and FastAPI have put there by now."""
        scope["app"] = self.app
        if "router" not in scope:
            scope["router"] = self.app.router
        scope["starlette.exception_handlers"] = self._handlers
        if entry is None:
            return
        scope["endpoint"] = entry.holder.endpoint
        scope["path_params"] = parameters
        if entry.route is not None:
            scope["route"] = entry.route
        if entry.extra_scope:
            scope.setdefault("fastapi", {}).update(entry.extra_scope)

    async def failed_in_route(
        self,
        scope: Scope,
        receive: Receive,
        sender: Sender,
        parameters: dict[str, Any],
        entry: Entry,
        request: Request | None,
        raw_body: bytes | None,
        error: Exception,
        *,
        nested: bool = False,
    ) -> None:
        """Handles an exception out of a route. `nested`: the caller handles what is left over."""
        if request is None:
            self.expose(scope, entry, parameters)
            request = Request(scope, receive, sender)
            if raw_body is not None:
                request._body = raw_body
                request._stream_consumed = True
        try:
            await handle_in_route(scope, receive, sender, request, error)
        except Exception as other:
            if nested:
                raise
            await self.failed(scope, receive, sender, other)

    async def failed(
        self, scope: Scope, receive: Receive, sender: Sender, error: Exception
    ) -> None:
        """Handles an exception out of the router. Raises what the server is to see."""
        if not self._outermost:
            await handle_in_app(scope, receive, sender, error)
            return
        try:
            await handle_in_app(scope, receive, sender, error)
        except Exception as other:  # noqa: BLE001
            await handle_in_server(scope, receive, sender, self._server_error_handler, other)


def _report(entry: Entry, reason: str | None) -> RouteReport:
    return RouteReport(
        path=entry.path,
        methods=tuple(sorted(entry.methods or ())),
        name=entry.name,
        steps=steps_of(entry) if reason is None else (),
        reason=reason,
    )


def _unread(error: Exception) -> str:
    return f"reading it failed: {type(error).__name__}: {error}"


def _below(path: str, root: str) -> str:
    """The path below where the application is mounted, as Starlette has it."""
    if not path.startswith(root):
        return path
    if path == root:
        return ""
    return path[len(root) :] if path[len(root)] == "/" else path
