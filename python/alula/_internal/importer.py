"""Finds the application that `module:attribute` names."""

import importlib
import inspect
import logging
import sys
from pathlib import Path
from types import ModuleType

from alula._internal.asgi import Application
from alula._internal.asgi2 import adapt
from alula.errors import StartupError

_logger = logging.getLogger("uvicorn.error")


def add_app_dir(app_dir: str) -> None:
    """Makes modules in the directory (the working directory if empty) importable, before others."""
    sys.path.insert(0, str(Path(app_dir).absolute()))


def import_object(path: str, what: str) -> object:
    """What the path names.

    Raises `StartupError` if there is no such module or attribute, and what the module raises.
    """
    module_name, _, attributes = path.partition(":")
    if not module_name or not attributes or ":" in attributes:
        raise StartupError(f'Error loading {what}. "{path}" is not "module:attribute".')
    if module_name.startswith("."):
        raise StartupError(
            f'Error loading {what}. Could not import module "{module_name}": it takes a dotted'
            ' name, such as "package.module:attribute", as seen from the working directory or'
            " --app-dir."
        )
    found: object = _import_module(module_name, what)
    for attribute in attributes.split("."):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            raise StartupError(
                f'Error loading {what}. Attribute "{attributes}" not found in module'
                f' "{module_name}".'
            ) from None
    return found


def _import_module(name: str, what: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if name != missing and not name.startswith(f"{missing}."):
            raise
        hint = f' Did you mean "{name[:-3]}"?' if name.endswith(".py") else ""
        raise StartupError(
            f'Error loading {what}. Could not import module "{name}".{hint}'
        ) from None


def load_application(path: str, *, factory: bool) -> Application:
    """The ASGI application that the path names, or that the function it names returns.

    Raises `StartupError` if there is no such thing, and whatever the application's code raises.
    """
    return resolve(import_object(path, "ASGI app"), factory=factory, name=f'"{path}"')


def resolve(found: object, *, factory: bool, name: str = "It") -> Application:
    """The application that an object is, or returns.

    Raises `StartupError` if it is none, and whatever a factory raises.
    """
    if factory or _is_factory(found):
        found = _call_factory(name, found, expected=factory)
    if not callable(found):
        kind = type(found).__name__
        raise StartupError(f"Error loading ASGI app. {name} is of type {kind}, not an application.")
    try:
        return adapt(found)
    except TypeError as error:
        raise StartupError(f"Error loading ASGI app. {error}") from None


def _call_factory(name: str, found: object, *, expected: bool) -> object:
    if not callable(found) or not _takes(found, 0):
        raise StartupError(
            f"Error loading ASGI app factory. {name} cannot be called without arguments."
        )
    if not expected:
        _logger.warning(
            "ASGI app factory detected. Using it, but please consider setting the --factory flag"
            " explicitly."
        )
    return found()


def _is_factory(found: object) -> bool:
    """Whether it can be called without arguments and not like an application."""
    return _takes(found, 0) and not _takes(found, 3)


def _takes(function: object, count: int) -> bool:
    """Whether it can be called with so many arguments; if nobody can tell, with those of ASGI 3."""
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(*(None,) * count)
    except TypeError:
        return False
    except ValueError:
        return count == 3
    return True
