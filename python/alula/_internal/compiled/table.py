"""Finds the route of a request, as Starlette does: the first, in order, that matches in full."""

from collections.abc import Callable, Sequence
from re import Pattern
from typing import Any, Generic, NamedTuple, TypeVar

Target = TypeVar("Target")


class Unknown(Exception):
    """Raised when only the application's own router can tell what a request leads to."""


class Row(NamedTuple, Generic[Target]):
    """A route: its path as written, its pattern, converters, methods, and what it leads to."""

    path: str
    regex: Pattern[str] | None
    convertors: dict[str, Callable[[str], Any]]
    methods: frozenset[str] | None
    target: Target | None


class Table(Generic[Target]):
    """The routes of an application, indexed.

    Paths without parameters are looked up; the others are tried in order, those only whose first
    segment can be the path's.
    """

    def __init__(self, rows: Sequence[Row[Target]]) -> None:
        known: list[Row[Target]] = []
        for row in rows:
            if row.regex is None:
                break  # It may match anything: what comes after it is not ours to decide.
            known.append(row)
        self._known = known
        self._ends_early = len(known) < len(rows)
        self._static = self._looked_up(known)
        self._wild = [row for row in known if _segment(row.path) is None]
        self._buckets = {
            segment: [row for row in known if _segment(row.path) in (segment, None)]
            for segment in {_segment(row.path) for row in known} - {None}
        }

    @staticmethod
    def _looked_up(rows: list[Row[Target]]) -> dict[str, dict[str, Row[Target]]]:
        found: dict[str, dict[str, Row[Target]]] = {}
        for path in {row.path for row in rows if "{" not in row.path}:
            by_method: dict[str, Row[Target]] = {}
            for row in rows:
                if row.regex is None or not row.regex.match(path):
                    continue
                for method in row.methods or ("*",):
                    by_method.setdefault(method, row)
                if row.methods is None:
                    break
            if "*" not in by_method:
                found[path] = by_method
        return found

    def find(self, method: str, path: str) -> tuple[Target, dict[str, Any]] | None:
        """The target and the parameters of the first full match; None if there is none.

        Raises `Unknown` if that is one without a target, or cannot be told.
        """
        by_method = self._static.get(path)
        if by_method is not None:
            row = by_method.get(method)
            if row is None:
                return self._nothing()
            if row.target is None:
                raise Unknown
            if "{" not in row.path:
                return row.target, {}
            return self.match(row, path)
        if "\n" in path:  # `$` in a pattern matches before the last one
            raise Unknown
        for row in self._buckets.get(path[1:].partition("/")[0], self._wild):
            if row.methods is None or method in row.methods:
                match = self.match(row, path)
                if match is not None:
                    return match
        return self._nothing()

    def _nothing(self) -> None:
        if self._ends_early:
            raise Unknown

    def matches(self, path: str) -> Row[Target] | None:
        """The first route whose pattern matches, whatever its methods.

        Raises `Unknown` if that cannot be told.
        """
        if "\n" in path:
            raise Unknown
        for row in self._known:
            if row.regex is not None and row.regex.match(path):
                return row
        self._nothing()
        return None

    @staticmethod
    def match(row: Row[Target], path: str) -> tuple[Target, dict[str, Any]] | None:
        """The target and the parameters if a route's pattern matches.

        Raises `Unknown` if it does, and the route has no target.
        """
        match = row.regex.match(path) if row.regex is not None else None
        if match is None:
            return None
        if row.target is None:
            raise Unknown
        parameters: dict[str, Any] = match.groupdict()
        for name, convert in row.convertors.items():
            parameters[name] = convert(parameters[name])
        return row.target, parameters


def _segment(path: str) -> str | None:
    """The first segment of all paths that match, if there is but one."""
    literal, brace, _ = path.partition("{")
    first, slash, _ = literal[1:].partition("/")
    if brace and not slash:
        return None
    return first
