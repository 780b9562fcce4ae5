"""What generated plans call for each request, where FastAPI would have made an object first."""

# pyright: reportPrivateUsage=false

import json
from collections.abc import Iterable
from contextlib import suppress
from email.message import Message
from functools import lru_cache
from typing import Any, cast
from urllib.parse import parse_qsl

from fastapi._compat.v2 import _regenerate_error_with_loc
from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json
from starlette.requests import ClientDisconnect, cookie_parser

from alula._internal.asgi import Message as AsgiMessage
from alula._internal.asgi import Receive
from alula._internal.compiled.make import is_own

RawHeaders = Iterable[tuple[bytes, bytes]]


def parse_query(query: bytes) -> list[tuple[str, str]]:
    """The pairs of a query string, as `starlette.datastructures.QueryParams` has them."""
    if not query:
        return []
    text = query.decode("latin-1")
    if "%" in text or "+" in text:
        return parse_qsl(text, keep_blank_values=True)
    pairs = [piece.partition("=") for piece in text.split("&") if piece]
    return [(name, value) for name, _, value in pairs]


def query_dict(query: bytes) -> dict[str, str]:
    """The last value of each name in a query string."""
    return dict(parse_query(query)) if query else {}


def header_value(headers: RawHeaders, name: bytes) -> str | None:
    """The first header of a (lower-case) name."""
    for key, value in headers:
        if key == name:
            return value.decode("latin-1")
    return None


def header_list(headers: RawHeaders, name: bytes) -> list[str]:
    """All headers of a (lower-case) name."""
    return [value.decode("latin-1") for key, value in headers if key == name]


def cookies_of(headers: RawHeaders) -> dict[str, str]:
    """A request's cookies, as `starlette.requests.Request` has them."""
    cookies: dict[str, str] = {}
    for key, value in headers:
        if key == b"cookie":
            cookies.update(cookie_parser(value.decode("latin-1")))
    return cookies


def validation_errors(error: ValidationError, location: tuple[str, ...]) -> list[dict[str, Any]]:
    """The errors of a field as FastAPI reports them."""
    return _regenerate_error_with_loc(errors=error.errors(include_url=False), loc_prefix=location)


@lru_cache(maxsize=256)
def is_json(content_type: str | None, strict: bool) -> bool:
    """Whether FastAPI parses a body of this content type as JSON."""
    if not content_type:
        return not strict
    message = Message()
    message["content-type"] = content_type
    if message.get_content_maintype() != "application":
        return False
    subtype = message.get_content_subtype()
    return subtype == "json" or subtype.endswith("+json")


_LOADS = json.loads if is_own(json.loads, "json") else None
"""As it came: where somebody has put something else in its place, that has its say."""


def load_json(body: bytes) -> Any:
    """A JSON body, as `Request.json()` has it. Raises what it raises.

    Pydantic's parser has the same values; what it refuses, the standard library decides.
    """
    if json.loads is _LOADS:
        with suppress(ValueError):
            return from_json(body)
    return json.loads(body)


_ATOMS = frozenset((str, bool, type(None)))
_DEEPEST = 32
_BIG = 2**63
"""From there on the standard library may refuse to write an integer."""

_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=None, separators=(",", ":"))
"""As Starlette's `JSONResponse` has it."""


def _is_plain(value: object, floats: bool, depth: int = 0) -> bool:
    """Whether a value is of the types alone that FastAPI leaves as they are."""
    kind = type(value)
    if kind in _ATOMS:
        return True
    if kind is int:
        return -_BIG < cast(int, value) < _BIG
    if kind is dict:
        items = cast(dict[object, object], value)
        for key in items:
            if type(key) is not str or key.startswith("_sa"):
                return False
        inner = items.values()
    elif kind is list:
        inner = cast(list[object], value)
    else:
        return floats and kind is float
    if depth > _DEEPEST:
        return False
    for item in inner:
        if type(item) not in _ATOMS and not _is_plain(item, floats, depth + 1):
            return False
    return True


def encode_json(value: object) -> bytes:
    """An untyped return as `JSONResponse(jsonable_encoder(value))` has it."""
    if isinstance(value, BaseModel):
        value = value.model_dump(
            mode="json",
            include=None,
            exclude=None,
            by_alias=True,
            exclude_unset=False,
            exclude_none=False,
            exclude_defaults=False,
        )
    if _is_plain(value, floats=False):
        # All encoders write such a value alike: pydantic's is the quickest.
        with suppress(PydanticSerializationError):  # a lone surrogate
            return to_json(value)
    plain = _is_plain(value, floats=True)
    return _encoder.encode(value if plain else jsonable_encoder(value)).encode("utf-8")


async def rest_of_body(message: AsgiMessage, receive: Receive) -> bytes:
    """A body whose first message was received and is not all of it.

    Raises `ClientDisconnect` if the client leaves before its end.
    """
    pieces: list[bytes] = []
    while True:
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        if message["type"] == "http.request":
            pieces.append(message.get("body", b""))
            if not message.get("more_body", False):
                return b"".join(pieces)
        message = await receive()
