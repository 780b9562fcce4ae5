"""Which FastAPI this is: only makes that were tested are compiled, and unpatched ones."""

from types import CodeType, FunctionType
from typing import Any

import fastapi
import starlette

from alula.errors import NotCompiled

FASTAPI = ((0, 165), (0, 165))
"""The first and the last minor version of FastAPI whose routes are read."""

STARLETTE = ((1, 10), (1, 10))
"""The same for Starlette."""


def _minor(version: str) -> tuple[int, int]:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


def check_versions() -> None:
    """Raises `NotCompiled` for a FastAPI or Starlette that was not tested."""
    for what, version, (first, last) in (
        ("FastAPI", fastapi.__version__, FASTAPI),
        ("Starlette", starlette.__version__, STARLETTE),
    ):
        try:
            known = first <= _minor(version) <= last
        except ValueError:
            known = False
        if not known:
            low, high = ".".join(map(str, first)), ".".join(map(str, last))
            span = low if low == high else f"{low} to {high}"
            raise NotCompiled(f"{what} {version} is not known; known is {span}")


def is_own(function: object, module: str) -> bool:
    """Whether a function is the one that this module defines, not somebody's replacement."""
    return comes_from(function, module) and getattr(function, "__module__", None) == module


def comes_from(function: object, module: str) -> bool:
    """Whether a function stands in the file of this module, whatever it calls itself."""
    path = module.replace(".", "/")
    return isinstance(function, FunctionType) and function.__code__.co_filename.endswith(
        (f"{path}.py", f"{path}/__init__.py")
    )


def code_within(function: FunctionType, *names: str) -> CodeType:
    """The code of a function that is defined within another, by the names on the way."""
    code = function.__code__
    for name in names:
        code = next(
            constant
            for constant in code.co_consts
            if isinstance(constant, CodeType) and constant.co_name == name
        )
    return code


def cells(function: FunctionType) -> dict[str, Any]:
    """What a closure holds, by name. Raises `ValueError` for a cell that is empty."""
    names = function.__code__.co_freevars
    return dict(
        zip(names, (cell.cell_contents for cell in function.__closure__ or ()), strict=True)
    )
