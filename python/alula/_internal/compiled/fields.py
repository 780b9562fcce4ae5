"""What is known of one field of a request before there is a request."""

# pyright: reportPrivateUsage=false

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from fastapi import params
from fastapi._compat import Undefined, field_annotation_is_sequence
from fastapi.dependencies.utils import (
    _get_param_aliases,
    _get_param_model,
    _is_json_field,
)

_CONSTANTS = (type(None), bool, int, float, str, bytes)


@dataclass(frozen=True)
class Field:
    """A parameter or a body that one validator checks, found under one name."""

    name: str
    alias: str
    location: tuple[str, ...]
    """What its errors' `loc` begins with."""
    is_list: bool
    """Whether all values of that name belong to it, instead of the last."""
    required: bool
    default: Any
    """What an absent one is, if that is always the same object."""
    new_default: Callable[[], Any] | None
    """Makes what an absent one is, if it is not."""
    validate_default: bool
    validate: Callable[..., Any]
    """The validator, called with the value and `from_attributes=True`."""
    keeps_text: bool
    """Whether the validator returns every text as it is."""


def read(field: Any, where: str) -> Field | None:
    """A field of a request, or None if it takes FastAPI's own code to find its value."""
    if _get_param_model(field) is not None or _is_json_field(field):
        return None
    aliases = _get_param_aliases(field)
    if len(aliases) != 1 or not isinstance(field.field_info, params.Param):
        return None
    alias = aliases[0][1]
    found = _describe(field, alias, (where, alias))
    return None if found.is_list and where in ("path", "cookie") else found


def read_body(field: Any) -> Field:
    """The one field that a whole body is."""
    return replace(_describe(field, field.alias, ("body",)), keeps_text=False)


def _describe(field: Any, alias: str, location: tuple[str, ...]) -> Field:
    info = field.field_info
    required = info.is_required()
    constant = not required and info.default_factory is None and _is_constant(info.default)
    return Field(
        name=field.name,
        alias=alias,
        location=location,
        is_list=field_annotation_is_sequence(info.annotation),
        required=required,
        default=info.default if constant else Undefined,
        new_default=None if constant or required else lambda: deepcopy(field.default),
        validate_default=bool(info.validate_default),
        validate=validator(field),
        keeps_text=field.config is None and _keeps_text(field._type_adapter.core_schema),
    )


def _is_constant(value: object) -> bool:
    return type(value) in _CONSTANTS


def validator(field: Any) -> Callable[..., Any]:
    """A field's validator: pydantic's own, without the layer above it, where it is ready."""
    adapter = field._type_adapter
    ready = getattr(adapter, "pydantic_complete", False)
    return adapter.validator.validate_python if ready else adapter.validate_python  # type: ignore[no-any-return]


def _keeps_text(schema: Any) -> bool:
    """Whether a schema is `str`, without rules, or that or None."""
    kind = schema.get("type")
    if kind == "str":
        return not schema.keys() - {"type", "metadata"}
    if kind in ("default", "nullable"):
        known = {"type", "schema", "default", "metadata"}
        return not schema.keys() - known and _keeps_text(schema["schema"])
    return False
