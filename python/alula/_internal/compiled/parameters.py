"""Writes what finds and checks a dependant's parameters."""

# pyright: reportPrivateUsage=false

from collections.abc import Sequence
from typing import Any

from fastapi._compat import get_missing_field_error
from fastapi.dependencies.utils import request_params_to_args
from pydantic import ValidationError
from starlette.datastructures import Headers, QueryParams

from alula._internal.compiled import fields
from alula._internal.compiled.fields import Field
from alula._internal.compiled.source import Source
from alula._internal.compiled.values import (
    cookies_of,
    header_list,
    header_value,
    parse_query,
    query_dict,
    validation_errors,
)


class Taken:
    """What the function takes out of the scope at its beginning, so that it is taken but once."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}

    def add(self, name: str, expression: str) -> None:
        """Has the local variable set to this before all else."""
        self.lines[name] = f"{name} = {expression}"


def write(source: Source, dependant: Any, errors: str, taken: Taken) -> dict[str, str]:
    """Writes the extraction of a dependant's parameters: path, query, header, cookie, as FastAPI.

    Returns the local variable of each by its name; errors are added to `errors`, None or a list.
    """
    found: dict[str, str] = {}
    for where in ("path", "query", "header", "cookie"):
        group: Sequence[Any] = getattr(dependant, f"{where}_params")
        if not group:
            continue
        known = [fields.read(field, where) for field in group]
        if any(field is None for field in known):
            found |= _as_fastapi(source, where, group, errors)
            continue
        for field in known:
            assert field is not None
            found[field.name] = _one(source, where, field, errors, taken)
    return found


def needs_errors(dependant: Any) -> bool:
    """Whether a dependant has anything in the request that can be wrong."""
    return bool(
        dependant.path_params
        or dependant.query_params
        or dependant.header_params
        or dependant.cookie_params
        or dependant.body_params
    )


_RECEIVED = {
    "path": "path_params",
    "query": "{QueryParams}(scope['query_string'])",
    "header": "{Headers}(raw=scope['headers'])",
    "cookie": "{cookies_of}(scope['headers'])",
}


def _as_fastapi(source: Source, where: str, group: Sequence[Any], errors: str) -> dict[str, str]:
    """Leaves a whole group to FastAPI's own function."""
    names = {
        "QueryParams": source.constant(QueryParams),
        "Headers": source.constant(Headers),
        "cookies_of": source.constant(cookies_of),
    }
    values, wrong = source.name("values"), source.name("wrong")
    solve = source.constant(request_params_to_args)
    received = _RECEIVED[where].format(**names)
    source.line(f"{values}, {wrong} = {solve}({source.constant(group)}, {received})")
    with source.block(f"if {wrong}:"):
        source.line(f"{errors} = {wrong} if {errors} is None else {errors} + {wrong}")
    found: dict[str, str] = {}
    for field in group:
        found[field.name] = source.name()
        source.line(f"{found[field.name]} = {values}.get({field.name!r})")
    return found


def _one(source: Source, where: str, field: Field, errors: str, taken: Taken) -> str:
    value = source.name()
    source.line(f"{value} = {_taken(source, where, field, taken)}")
    absent = (
        f"not {value}" if field.is_list and where in ("query", "header") else f"{value} is None"
    )
    check(source, field, value, errors, absent)
    return value


def check(source: Source, field: Field, value: str, errors: str, absent: str) -> None:
    """Writes what becomes of a value: its default if absent, else what its validator makes."""
    with source.block(f"if {absent}:"):
        if field.required:
            missing = source.constant(get_missing_field_error)
            _add(source, errors, f"[{missing}({source.constant(field.location)})]")
        else:
            default = (
                source.constant(field.default)
                if field.new_default is None
                else f"{source.constant(field.new_default)}()"
            )
            source.line(f"{value} = {default}")
            if field.validate_default:
                _validate(source, field, value, errors)
    if field.keeps_text and not field.is_list:
        return
    with source.block("else:"):
        _validate(source, field, value, errors)


def _validate(source: Source, field: Field, value: str, errors: str) -> None:
    with source.block("try:"):
        call = source.constant(field.validate)
        source.line(f"{value} = {call}({value}, from_attributes=True)")
    with source.block(f"except {source.constant(ValidationError)} as wrong:"):
        describe = source.constant(validation_errors)
        _add(source, errors, f"{describe}(wrong, {source.constant(field.location)})")


def _add(source: Source, errors: str, more: str) -> None:
    source.line(f"{errors} = {more} if {errors} is None else {errors} + {more}")


def _taken(source: Source, where: str, field: Field, taken: Taken) -> str:
    """The expression of a field's value in the request: None, or an empty list, if it is absent."""
    if where == "path":
        return f"path_params.get({field.alias!r})"
    if where == "header":
        find = source.constant(header_list if field.is_list else header_value)
        key = field.alias.lower().encode("latin-1")
        return f"{find}(scope['headers'], {key!r})"
    if where == "cookie":
        taken.add("cookies", f"{source.constant(cookies_of)}(scope['headers'])")
        return f"cookies.get({field.alias!r})"
    if field.is_list:
        taken.add("pairs", f"{source.constant(parse_query)}(scope['query_string'])")
        return f"[value for key, value in pairs if key == {field.alias!r}]"
    taken.add("query", f"{source.constant(query_dict)}(scope['query_string'])")
    return f"query.get({field.alias!r})"
