"""Which middlewares are known, and what makes them faster."""

from collections.abc import Callable
from types import FunctionType
from typing import Any, cast

from starlette.middleware import cors, gzip, httpsredirect, trustedhost

from alula._internal.asgi import Application
from alula._internal.compiled.make import check_versions, is_own
from alula._internal.compiled.middleware.cors import fast_cors
from alula._internal.compiled.middleware.gzip import fast_gzip
from alula._internal.compiled.middleware.https_redirect import fast_https_redirect
from alula._internal.compiled.middleware.trusted_host import fast_trusted_host
from alula.errors import NotCompiled

_MAKERS: dict[type[Any], Callable[[Any], Application]] = {
    cors.CORSMiddleware: fast_cors,
    gzip.GZipMiddleware: fast_gzip,
    trustedhost.TrustedHostMiddleware: fast_trusted_host,
    httpsredirect.HTTPSRedirectMiddleware: fast_https_redirect,
}

_PARTS: dict[type[Any], tuple[type[Any], ...]] = {
    gzip.GZipMiddleware: (gzip.IdentityResponder, gzip.GZipResponder),
}
"""The classes of its module that a middleware makes use of."""

_FUNCTIONS = {
    kind: dict(vars(kind))
    for kind in (
        *_MAKERS,
        *(part for of in _PARTS.values() for part in of),
    )
}
"""What was in each class when this was imported."""


def accelerate(layer: Application) -> Application:
    """An application that does what this middleware does, or the middleware itself.

    To be called when the layer's `app` is set. It is itself if its class is not known, if somebody
    has replaced one of its methods, or for a version of Starlette that was not tested.
    """
    try:
        check_versions()
    except NotCompiled:
        return layer
    kind = cast("type[Any]", type(layer))
    make = _MAKERS.get(kind)
    if make is None or not _is_whole(kind) or not vars(kind).keys().isdisjoint(vars(layer)):
        return layer
    try:
        made: Any = make(layer)
        made.app = cast("Any", layer).app  # FastAPI follows it, to see who instruments what
        return cast("Application", made)
    except (AttributeError, TypeError, UnicodeEncodeError):
        # Attributes that it has not of its constructor: it may still do something with them.
        return layer


def _is_whole(kind: type[Any]) -> bool:
    """Whether a middleware's class and those it uses have the methods that they came with."""
    return all(_is_untouched(part) for part in (kind, *_PARTS.get(kind, ())))


def _is_untouched(kind: type[Any]) -> bool:
    present = vars(kind)
    functions = {
        name: value for name, value in _FUNCTIONS[kind].items() if _function(value) is not None
    }
    return all(
        present.get(name) is value and is_own(_function(value), kind.__module__)
        for name, value in functions.items()
    )


def _function(value: object) -> FunctionType | None:
    """The function of a method, a static method or a property."""
    if isinstance(value, staticmethod):
        value = cast("Any", value).__func__
    elif isinstance(value, property):
        value = value.fget
    return value if isinstance(value, FunctionType) else None
