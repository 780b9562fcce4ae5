"""The parts of anyio's asyncio backend that a thread needs to be one of anyio's.

`find` looks whether they are there and do what they did in anyio 4.11 to 4.16. If not, there are no
threads of our own.
"""

import asyncio
import threading
from collections.abc import MutableMapping
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import anyio
from anyio import from_thread, to_thread
from anyio.lowlevel import current_token

_RUN_SYNC = to_thread.run_sync


class Parts(NamedTuple):
    """What `find` found."""

    locals: Any
    """What `anyio.from_thread` reads: `current_token`, `current_cancel_scope`."""
    states: MutableMapping[Any, Any]
    """By task, what has its innermost `cancel_scope`."""
    library: Any
    """sniffio's variable, which a thread has unset. None without sniffio."""


def is_patched() -> bool:
    """Whether somebody wraps the calls into threads: theirs must be called then."""
    return to_thread.run_sync is not _RUN_SYNC


@cache
def look_up() -> Parts | None:
    """The parts by their names. Once in a process."""
    try:
        core = import_module("anyio._core._eventloop")
        backend = import_module("anyio._backends._asyncio")
        sniffio = core.sniffio
        parts = Parts(
            core.threadlocals,
            backend._task_states,  # looked at by `find`, as the others below
            None if sniffio is None else sniffio.current_async_library_cvar,
        )
    except (ImportError, AttributeError):
        return None
    if _RUN_SYNC.__module__ != "anyio.to_thread" or not isinstance(parts.locals, threading.local):
        return None
    return parts if _works_in_thread(parts) else None


def find() -> Parts | None:
    """The parts, or None if anything is not as expected. To be called in a task of asyncio."""
    parts = look_up()
    return parts if parts is not None and _finds_scopes(parts) else None


def _finds_scopes(parts: Parts) -> bool:
    """Whether a task's scopes are found, and a scope's parent."""
    task = asyncio.current_task()
    assert task is not None
    outer, inner = anyio.CancelScope(), anyio.CancelScope(shield=True)
    is_found = False
    with outer, inner:
        try:
            is_found = scope_of(parts, task) is inner and _parent(inner) is outer
        except (AttributeError, TypeError):
            return False
    return is_found


def _works_in_thread(parts: Parts) -> bool:
    """Whether anyio serves a thread with these locals, and none without."""
    token = current_token()
    answers: list[str] = []

    def ask() -> None:
        try:
            from_thread.check_cancelled()
            answers.append("served")
        except Exception as error:  # noqa: BLE001  # any other answer is not the expected one
            answers.append(type(error).__name__)

    def ask_twice() -> None:
        ask()
        enter(parts, token)
        ask()

    thread = threading.Thread(target=ask_twice)
    thread.start()
    thread.join()
    return answers == ["NoEventLoopError", "served"]


def enter(parts: Parts, token: object) -> None:
    """Makes the current thread one of anyio's for good."""
    parts.locals.current_token = token
    parts.locals.current_cancel_scope = None


def scope_of(parts: Parts, task: asyncio.Task[Any]) -> Any:
    """The innermost cancel scope that a task is in, or None."""
    state = parts.states.get(task)
    return None if state is None else state.cancel_scope


def is_cancelled(scope: Any) -> bool:
    """Whether what is in a scope is to end."""
    while scope is not None:
        if scope.cancel_called:
            return True
        if scope.shield:
            return False
        scope = _parent(scope)
    return False


def _parent(scope: Any) -> Any:
    return scope._parent_scope
