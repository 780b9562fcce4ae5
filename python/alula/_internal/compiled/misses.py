"""Requests that no route answers: 404 and 405, as the router raises them."""

# pyright: reportPrivateUsage=false

from typing import Any

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.routing import Router

from alula._internal.compiled import reading


def not_allowed(methods: Any) -> HTTPException:
    """What a route raises for a method that is not among its own, which it names in order."""
    return HTTPException(status_code=405, headers={"Allow": ", ".join(methods)})


def not_found() -> HTTPException:
    """What a router raises where nothing matches."""
    return HTTPException(status_code=404)


def default_is_usual(router: APIRouter) -> bool:
    """Whether nothing but a 404 comes of a path that no route matches."""
    usual = getattr(router.default, "__func__", None) is Router.not_found
    return usual and not any(each._low_priority_routes for each in reading.routers(router))
