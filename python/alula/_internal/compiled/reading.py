"""Reads the routes of FastAPI 0.165: what runs for each, out of the closures that really run."""

# pyright: reportPrivateUsage=false

from collections.abc import Iterator
from types import FunctionType
from typing import Any, cast

import fastapi.routing as made
from fastapi._body_limit import _BodyLimitExceptionMiddleware
from fastapi.datastructures import DefaultPlaceholder
from starlette import routing
from starlette.convertors import PathConvertor, StringConvertor
from starlette.middleware.body_limit import RequestBodyLimitMiddleware

from alula._internal.compiled.make import cells, code_within, is_own
from alula._internal.compiled.plan import Endpoint, Entry
from alula.errors import NotCompiled

_OWN = {
    "fastapi.routing": (
        "request_response",
        "get_request_handler",
        "serialize_response",
        "run_endpoint_function",
        "solve_dependencies",
        "jsonable_encoder",
        "run_in_threadpool",
        "wrap_app_handling_exceptions",
    ),
    "fastapi.dependencies.utils": (
        "request_params_to_args",
        "request_body_to_args",
        "run_in_threadpool",
        "_solve_generator",
    ),
}
_HOMES = {
    "solve_dependencies": "fastapi.dependencies.utils",
    "jsonable_encoder": "fastapi.encoders",
    "run_in_threadpool": "starlette.concurrency",
    "wrap_app_handling_exceptions": "starlette._exception_handler",
}


def check_machinery() -> None:
    """Raises `NotCompiled` if somebody replaced one of the functions that requests run through."""
    import fastapi.dependencies.utils as solving

    for module in (made, solving):
        for name in _OWN[module.__name__]:
            home = _HOMES.get(name, module.__name__)
            if not is_own(vars(module)[name], home):
                raise NotCompiled(f"{module.__name__}.{name} was replaced")
    for owner, names in (
        (made.APIRoute, ("matches", "handle", "get_route_handler")),
        (made.APIRouter, ("app", "matches", "handle")),
        (routing.Router, ("__call__", "not_found")),
        (routing.Route, ("matches", "handle")),
    ):
        for name in names:
            function = vars(owner).get(name)
            if not is_own(function, owner.__module__):
                raise NotCompiled(f"{owner.__name__}.{name} was replaced")


_ROUTE_APP = code_within(cast(FunctionType, made.request_response), "app")
_STARLETTE_APP = code_within(cast(FunctionType, routing.request_response), "app")
_HANDLER = code_within(cast(FunctionType, made.get_request_handler), "app")


def entries(router: Any) -> Iterator[Entry]:
    """The routes of a router for HTTP requests, in the order in which they are tried."""
    if type(router) is not made.APIRouter:
        raise NotCompiled(f"the router is of class {type(router).__name__}")
    for route in router.routes:
        yield from _entry(route)


def routers(router: Any) -> list[Any]:
    """A router and those that it includes, each once."""
    found: list[Any] = []
    pending = [router]
    while pending:
        each = pending.pop()
        if not any(each is known for known in found):
            found.append(each)
            pending += [
                route.original_router
                for route in each.routes
                if isinstance(route, made._IncludedRouter)
            ]
    return found


def _entry(route: Any) -> Iterator[Entry]:
    kind = cast(type[Any], type(route))
    if kind is made._IncludedRouter:
        yield from _included(route)
    elif isinstance(route, routing.WebSocketRoute):
        return
    elif isinstance(route, made.APIRoute):
        yield _read(route, route, {})
    else:
        yield _plain(route)


def _included(included: Any) -> Iterator[Entry]:
    """The routes of an included router, which FastAPI resolves lazily."""
    router = included.original_router
    if type(router) is not made.APIRouter:
        yield _opaque(included, f"its router is of class {type(router).__name__}")
        return
    for candidate in included.effective_candidates():
        if isinstance(candidate, made._IncludedRouter):
            yield from _included(candidate)
            continue
        original = candidate.original_route
        limits = included.include_context.form_limits
        extra = {"included_router": included, "effective_route_context": candidate}
        if isinstance(original, routing.WebSocketRoute):
            continue
        if isinstance(original, made.APIRoute):
            yield _read(original, candidate, extra, limits)
        else:
            yield _plain(candidate.starlette_route or original, extra)


def _plain(route: Any, extra: dict[str, Any] | None = None) -> Entry:
    """A route that is no `APIRoute`: its pattern counts, what it does is its own affair."""
    kind = cast(type[Any], type(route))
    if kind is routing.Route and not _is_patched(route):
        own = getattr(route.app, "__code__", None) is _STARLETTE_APP
        reason = None if own else "a Starlette Route with an application of its own"
        return _with_pattern(route, reason, route.app, extra)
    if kind is routing.Mount and not _is_patched(route):
        return _with_pattern(route, "a Starlette Mount", None, extra)
    return _opaque(route, f"of class {kind.__name__}, which may match anything")


def _is_patched(route: Any) -> bool:
    """Whether somebody put a method into the route itself."""
    own = cast(dict[str, Any], vars(route))
    return "matches" in own or "handle" in own


def _matches_as_usual(kind: type[Any]) -> bool:
    return kind.matches is made.APIRoute.matches and kind.handle is made.APIRoute.handle


def _with_pattern(route: Any, reason: str | None, app: Any, extra: dict[str, Any] | None) -> Entry:
    return Entry(
        path=route.path_format,
        name=route.name or "",
        regex=route.path_regex,
        convertors=_convertors(route),
        methods=_methods(route),
        route=None,
        app=app,
        holder=route,
        endpoint=None,
        reason=reason,
        extra_scope=extra or {},
    )


def _convertors(route: Any) -> dict[str, Any]:
    return {
        name: convertor.convert
        for name, convertor in route.param_convertors.items()
        if type(convertor) not in (StringConvertor, PathConvertor)
    }


def _methods(route: Any) -> frozenset[str] | None:
    methods = getattr(route, "methods", None)
    return frozenset(methods) if methods else None


def _opaque(route: Any, reason: str) -> Entry:
    return Entry(
        path=str(getattr(route, "path", "") or getattr(route, "host", "") or route),
        name=str(getattr(route, "name", "") or ""),
        regex=None,
        convertors={},
        methods=None,
        route=route,
        app=None,
        holder=route,
        endpoint=None,
        reason=reason,
        extra_scope={},
    )


def _read(
    route: Any, holder: Any, extra: dict[str, Any], limits: dict[str, Any] | None = None
) -> Entry:
    """An `APIRoute`; `holder` is itself, or what an included router made of it."""
    kind = cast(type[Any], type(route))
    if _is_patched(route) or not _matches_as_usual(kind):
        return _opaque(route, f"of class {kind.__name__}, whose methods were replaced")
    endpoint, limit, reason = None, None, None
    if limits:
        reason = "its router has form limits"
    else:
        app, limit = _without_limit(holder.app)
        try:
            endpoint = _endpoint(app)
        except NotCompiled as error:
            reason = str(error)
    return Entry(
        path=holder.path,
        name=holder.name,
        regex=holder.path_regex,
        convertors=_convertors(holder),
        methods=_methods(holder),
        route=route,
        app=None if limits else holder.app,
        holder=holder,
        endpoint=endpoint,
        reason=reason,
        extra_scope=extra,
        body_limit=limit,
    )


def _without_limit(app: Any) -> tuple[Any, int | None]:
    """What FastAPI has put a limit of the body around, and the limit."""
    if type(app) is not RequestBodyLimitMiddleware or "__call__" in vars(app):
        return app, None
    inner: Any = app.app
    if type(inner) is not _BodyLimitExceptionMiddleware:
        return app, None
    return inner.app, app.max_body_size


def _endpoint(app: Any) -> Endpoint:
    """What a route's `app` closes over. Raises `NotCompiled` if it is not FastAPI's own."""
    if not isinstance(app, FunctionType) or app.__code__ is not _ROUTE_APP:
        raise NotCompiled("what it calls is not FastAPI's own")
    handler = cells(app)["f"]
    if not isinstance(handler, FunctionType) or handler.__code__ is not _HANDLER:
        raise NotCompiled("its request handler is a custom one, not FastAPI's own")
    held = cells(handler)
    response_class = held["response_class"]
    return Endpoint(
        handler=handler,
        dependant=held["dependant"],
        body_field=held["body_field"],
        is_body_form=bool(held["is_body_form"]),
        is_coroutine=held["is_coroutine"],
        is_sse_stream=held["is_sse_stream"],
        is_json_stream=held["is_json_stream"],
        status_code=held["status_code"],
        default_response_class=isinstance(response_class, DefaultPlaceholder),
        response_class=held["actual_response_class"],
        response_field=held["response_field"],
        dump_options={
            option: held[f"response_model_{option}"]
            for option in (
                "include",
                "exclude",
                "by_alias",
                "exclude_unset",
                "exclude_defaults",
                "exclude_none",
            )
        },
        overrides_provider=held["dependency_overrides_provider"],
        embed_body_fields=held["embed_body_fields"],
        strict_content_type=held["actual_strict_content_type"],
        stream_item_field=held["stream_item_field"],
        form_limits=held["form_limits"] or {},
    )
