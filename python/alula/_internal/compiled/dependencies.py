"""Writes what solves a dependant: its dependencies, depth first, then its own parameters."""

# pyright: reportPrivateUsage=false

from collections import Counter
from collections.abc import Callable
from contextlib import asynccontextmanager
from typing import Any, cast

from fastapi.background import BackgroundTasks
from fastapi.dependencies.models import (
    _get_cache_key,
    _get_oauth_scopes,
    _is_async_gen_callable,
    _is_coroutine_callable,
    _is_gen_callable,
)
from fastapi.dependencies.utils import _solve_generator, get_dependant
from fastapi.security import SecurityScopes

from alula._internal.compiled import parameters
from alula._internal.compiled.parameters import Taken
from alula._internal.compiled.source import Source
from alula._internal.compiled.threads import ThreadCall
from alula._internal.compiled.threads_context import ThreadContexts
from alula.errors import NotCompiled

Overrides = dict[Callable[..., Any], Callable[..., Any]]

_ABSENT = object()


def is_generator(call: Callable[..., Any]) -> bool:
    """Whether a dependency is left again, after its `yield`."""
    return bool(_is_gen_callable(call) or _is_async_gen_callable(call))


def overridden(sub: Any, overrides: Overrides) -> Any:
    """What FastAPI solves in place of a dependency while anything is overridden."""
    if not overrides:
        return sub
    return get_dependant(
        path=sub.path,
        call=cast(Callable[..., Any], overrides.get(sub.call, sub.call)),
        name=sub.name,
        parent_oauth_scopes=_get_oauth_scopes(dependant=sub),
        scope=sub.scope,
        concurrency=sub.concurrency,
    )


class Solver:
    """Writes the solving of one route's dependants.

    `alone`: no middleware of the user's is around, and so no cancel scope; leaving a dependency
    need not be shielded from one then.
    """

    def __init__(
        self, source: Source, route: Any, overrides: Overrides, taken: Taken, *, alone: bool
    ) -> None:
        self._source = source
        self._alone = alone
        self._overrides = overrides
        self._taken = taken
        self._tree = self._resolve(route)
        self._times = Counter(key for key in self._keys(self._tree))
        self._solved: dict[Any, str] = {}
        self._write_body: Callable[[Any, str], dict[str, str]] | None = None

    def _resolve(self, dependant: Any) -> "Node":
        return Node(
            dependant,
            [
                (sub, self._resolve(overridden(sub, self._overrides)))
                for sub in dependant.dependencies
            ],
        )

    def _keys(self, node: "Node") -> list[Any]:
        found: list[Any] = []
        for sub, inner in node.dependencies:
            found += self._keys(inner)
            found.append(_get_cache_key(dependant=sub))
        return found

    def any_of(self, test: Callable[[Any], bool]) -> bool:
        """Whether it is true of the route or any of its dependencies."""
        return self._tree.any_of(test)

    def write(self, write_body: Callable[[Any, str], dict[str, str]]) -> tuple[dict[str, str], str]:
        """Writes it all; `write_body` writes a dependant's part of the body.

        Returns the local variables of the route's arguments by name, and that of its errors.
        """
        self._write_body = write_body
        for key, times in self._times.items():
            if times > 1:
                self._solved[key] = self._source.name("solved")
                self._source.line(f"{self._solved[key]} = {self._source.constant(_ABSENT)}")
        errors = self._source.name("errors")
        self._source.line(f"{errors} = None")
        return self._solve(self._tree, errors), errors

    def _solve(self, node: "Node", errors: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for sub, inner in node.dependencies:
            value = self._dependency(sub, inner, errors)
            if sub.name is not None:
                found[sub.name] = value
        dependant = node.dependant
        found |= parameters.write(self._source, dependant, errors, self._taken)
        if dependant.body_params and self._write_body is not None:
            found |= self._write_body(dependant, errors)
        return found | self._injected(dependant)

    def _injected(self, dependant: Any) -> dict[str, str]:
        source = self._source
        found: dict[str, str] = {}
        for name in (dependant.http_connection_param_name, dependant.request_param_name):
            if name:
                found[name] = "request"
        if dependant.background_tasks_param_name:
            with source.block("if tasks is None:"):
                source.line(f"tasks = {source.constant(BackgroundTasks)}()")
            found[dependant.background_tasks_param_name] = "tasks"
        if dependant.response_param_name:
            found[dependant.response_param_name] = "injected"
        if dependant.security_scopes_param_name:
            scopes = source.constant(_get_oauth_scopes(dependant=dependant))
            make = source.constant(SecurityScopes)
            found[dependant.security_scopes_param_name] = f"{make}(scopes={scopes}.copy())"
        return found

    def _dependency(self, sub: Any, inner: "Node", errors: str) -> str:
        """Solves one dependency; its errors are added to those of what depends on it."""
        source = self._source
        value = source.name()
        source.line(f"{value} = None")
        solved = self._solved.get(_get_cache_key(dependant=sub))
        if solved and sub.use_cache and inner.is_cached_throughout():
            with source.block(f"if {solved} is {source.constant(_ABSENT)}:"):
                self._solve_and_call(sub, inner, errors, value, solved)
            with source.block("else:"):
                source.line(f"{value} = {solved}")
        else:
            self._solve_and_call(sub, inner, errors, value, solved)
        return value

    def _solve_and_call(
        self, sub: Any, inner: "Node", errors: str, value: str, solved: str | None
    ) -> None:
        source = self._source
        if not inner.any_of(parameters.needs_errors):
            self._call_unless_solved(sub, inner, self._solve(inner, errors), value, solved)
            return
        own = source.name("errors")
        source.line(f"{own} = None")
        arguments = self._solve(inner, own)
        with source.block(f"if {own} is not None:"):
            source.line(f"{errors} = {own} if {errors} is None else {errors} + {own}")
        with source.block("else:"):
            self._call_unless_solved(sub, inner, arguments, value, solved)

    def _call_unless_solved(
        self, sub: Any, inner: "Node", arguments: dict[str, str], value: str, solved: str | None
    ) -> None:
        source = self._source
        if solved is None:
            self._call(sub, inner.dependant, arguments, value)
            return
        absent = source.constant(_ABSENT)
        if not sub.use_cache:
            self._call(sub, inner.dependant, arguments, value)
            with source.block(f"if {solved} is {absent}:"):
                source.line(f"{solved} = {value}")
            return
        with source.block(f"if {solved} is {absent}:"):
            self._call(sub, inner.dependant, arguments, value)
            source.line(f"{solved} = {value}")
        with source.block("else:"):
            source.line(f"{value} = {solved}")

    def _call(self, sub: Any, dependant: Any, arguments: dict[str, str], value: str) -> None:
        source = self._source
        call = dependant.call
        name = source.constant(call, "call")
        if is_generator(call):
            stack = "function_stack" if sub.scope == "function" else "request_stack"
            if self._alone and _is_async_gen_callable(call) and dependant.concurrency is None:
                enter = source.constant(asynccontextmanager(call))
                manager = f"{enter}({as_keywords(arguments)})"
                source.line(f"{value} = await {stack}.enter_async_context({manager})")
                return
            if self._alone and dependant.concurrency is None:
                enter = source.constant(ThreadContexts(call))
                manager = f"{enter}({as_dict(arguments)})"
                source.line(f"{value} = await {stack}.enter_async_context({manager})")
                return
            solve = source.constant(_solve_generator)
            source.line(
                f"{value} = await {solve}(dependant={source.constant(dependant)},"
                f" stack={stack}, sub_values={as_dict(arguments)}, request=request)"
            )
            return
        if not _is_coroutine_callable(call) and "func" in arguments:
            raise NotCompiled("FastAPI can call no plain function with a parameter named func")
        text = (
            f"await {name}({as_keywords(arguments)})"
            if _is_coroutine_callable(call)
            else f"await {source.constant(ThreadCall(call))}({as_dict(arguments)})"
        )
        if dependant.concurrency is None:
            source.line(f"{value} = {text}")
            return
        with source.block(f"async with {source.constant(dependant.concurrency)}.get_semaphore():"):
            source.line(f"{value} = {text}")


class Node:
    """A dependant with its dependencies: each as declared, and what is solved in its place."""

    def __init__(self, dependant: Any, dependencies: list[tuple[Any, "Node"]]) -> None:
        self.dependant = dependant
        self.dependencies = dependencies

    def any_of(self, test: Callable[[Any], bool]) -> bool:
        """Whether it is true of this dependant or any below it."""
        return test(self.dependant) or any(inner.any_of(test) for _, inner in self.dependencies)

    def is_cached_throughout(self) -> bool:
        """Whether nothing below is to be called anew each time."""
        return all(
            sub.use_cache and inner.is_cached_throughout() for sub, inner in self.dependencies
        )


def as_keywords(arguments: dict[str, str]) -> str:
    """The arguments of a call."""
    return ", ".join(f"{name}={value}" for name, value in arguments.items())


def as_dict(arguments: dict[str, str]) -> str:
    """The same as a dictionary."""
    return "{" + ", ".join(f"{name!r}: {value}" for name, value in arguments.items()) + "}"
