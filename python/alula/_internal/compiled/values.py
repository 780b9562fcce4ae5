"""What generated plans call for each request, where FastAPI would have made an object first."""

import json
from collections.abc import Iterable
from email.message import Message
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

from fastapi._compat.v2 import _regenerate_error_with_loc
from fastapi.encoders import jsonable_encoder
from pydantic import ValidationError
from starlette.requests import ClientDisconnect, cookie_parser

from alula._internal.asgi import Message as AsgiMessage
from alula._internal.asgi import Receive

RawHeaders = Iterable[tuple[bytes, bytes]]


def parse_query(query: bytes) -> list[tuple[str, str]]:
    """The pairs of a query string, as `starlette.datastructures.QueryParams` has them."""
    return parse_qsl(query.decode("latin-1"), keep_blank_values=True) if query else []


def query_dict(query: bytes) -> dict[str, str]:
    """The last value of each name in a query string."""
    return dict(parse_query(query))


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
    return _regenerate_error_with_loc(
        errors=error.errors(include_url=False), loc_prefix=location
    )


@lru_cache(maxsize=256)
def is_json(content_type: str | None, strict: bool) -> bool:  # noqa: FBT001
    """Whether FastAPI parses a body of this content type as JSON."""
    if not content_type:
        return not strict
    message = Message()
    message["content-type"] = content_type
    if message.get_content_maintype() != "application":
        return False
    subtype = message.get_content_subtype()
    return subtype == "json" or subtype.endswith("+json")


def load_json(body: bytes) -> Any:
    """A JSON body, as `Request.json()` has it. Raises what it raises."""
    return json.loads(body)


def encode_json(value: object) -> bytes:
    """An untyped return as `JSONResponse(jsonable_encoder(value))` has it."""
    return json.dumps(
        jsonable_encoder(value),
        ensure_ascii=False,
        allow_nan=False,
        indent=None,
        separators=(",", ":"),
    ).encode("utf-8")


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
