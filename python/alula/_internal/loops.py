"""Which event loop a server runs in."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, cast

from alula._internal.importer import import_object
from alula._internal.starting import UserFailure
from alula.errors import ConfigError, StartupError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


def loop_factory(name: str) -> "Callable[[], AbstractEventLoop]":
    """The function that makes the loop called `auto`, `asyncio`, `uvloop` or `module:factory`.

    Raises `ConfigError` if uvloop is asked for and not installed, `StartupError` if there is no
    such factory.
    """
    if name == "asyncio":
        return asyncio.new_event_loop
    if name in {"auto", "uvloop"}:
        if find_spec("uvloop") is None:
            if name == "auto":
                return asyncio.new_event_loop
            raise ConfigError(
                "loop: 'uvloop' is not installed; expected auto, asyncio, or a factory"
            )
        return _uvloop()
    try:
        factory = import_object(name, "the event loop")
    except StartupError:
        raise
    except Exception as error:
        raise UserFailure("Importing the event loop failed.") from error
    if not callable(factory):
        raise StartupError(f'Error loading the event loop. "{name}" is not callable.')
    return cast("Callable[[], AbstractEventLoop]", factory)


def _uvloop() -> "Callable[[], AbstractEventLoop]":
    import uvloop  # pyright: ignore[reportMissingTypeStubs]

    return uvloop.new_event_loop


def new_loop(name: str) -> "AbstractEventLoop":
    """A loop of this name. Raises as `loop_factory`, and `UserFailure` if the factory raises.

    Raises `StartupError` if what the factory returns is no event loop.
    """
    factory = loop_factory(name)
    try:
        made = cast("object", factory())
    except Exception as error:
        raise UserFailure("Making the event loop failed.") from error
    if isinstance(made, asyncio.AbstractEventLoop):
        return made
    if inspect.iscoroutine(made):
        made.close()
    kind = type(made).__name__
    raise StartupError(
        f'--loop: "{name}" returned an object of type {kind}; expected auto, asyncio, uvloop, or a'
        " function without arguments that returns an asyncio event loop, as module:function."
    )


_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T], name: str) -> _T:
    """Runs a coroutine to its end, in a loop of this name that is closed afterwards."""
    try:
        loop = new_loop(name)
    except BaseException:
        main.close()
        raise
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main)
