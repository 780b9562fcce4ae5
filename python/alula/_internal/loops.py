"""Which event loop a server runs in."""

import asyncio
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeVar, cast

from alula._internal.importer import import_object
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
    factory = import_object(name, "the event loop")
    if not callable(factory):
        raise StartupError(f'Error loading the event loop. "{name}" is not callable.')
    return cast("Callable[[], AbstractEventLoop]", factory)


def _uvloop() -> "Callable[[], AbstractEventLoop]":
    import uvloop  # pyright: ignore[reportMissingTypeStubs]

    return uvloop.new_event_loop


_T = TypeVar("_T")


def run(main: Coroutine[Any, Any, _T], name: str) -> _T:
    """Runs a coroutine to its end, in a loop of this name that is closed afterwards."""
    try:
        factory = loop_factory(name)
    except BaseException:
        main.close()
        raise
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(main)
