"""What a route's plan is made from: plain data, read once from the framework."""

from collections.abc import Callable
from dataclasses import dataclass
from re import Pattern
from typing import Any


@dataclass(frozen=True)
class Endpoint:
    """What FastAPI's own request handler of a route works with; its closure, by name."""

    handler: Callable[..., Any]
    """FastAPI's request handler, which it was read from."""
    dependant: Any
    body_field: Any
    is_body_form: bool
    is_coroutine: bool
    is_sse_stream: bool
    is_json_stream: bool
    status_code: int | None
    default_response_class: bool
    """Whether no response class was set."""
    response_class: type[Any]
    response_field: Any
    dump_options: dict[str, Any]
    """include, exclude, by_alias, exclude_unset, exclude_defaults, exclude_none."""
    overrides_provider: Any
    embed_body_fields: bool
    strict_content_type: bool
    stream_item_field: Any
    form_limits: dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A route as the router sees it: in order, with its pattern, and an endpoint if it has one."""

    path: str
    name: str
    regex: Pattern[str] | None
    """None if the route may match anything."""
    convertors: dict[str, Callable[[str], Any]]
    """How parameters are converted, without those that stay as they are."""
    methods: frozenset[str] | None
    """None if all."""
    route: Any
    """What the router shows as the scope's `route`; for one of an included router the original;
    None if it shows none."""
    app: Any
    """What the route calls; None if only the router itself can."""
    holder: Any
    """The object whose attribute `app` that is."""
    endpoint: Endpoint | None
    reason: str | None
    """Why there is no endpoint."""
    extra_scope: dict[str, Any]
    """What the router adds to the scope's key `fastapi`."""
    body_limit: int | None = None
    """The most bytes of a body, if FastAPI was told a limit."""
