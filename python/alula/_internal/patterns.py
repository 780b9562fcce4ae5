"""Which files a reloading server watches: uvicorn's rules for its options."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_INCLUDED = ("*.py",)
_EXCLUDED = (".*", ".py[cod]", ".sw.*", "~*")
_PASSED_OVER = ("__pycache__", "node_modules")


class Patterns:
    """Directories to watch, and which of the files in them count.

    Patterns are matched from the right, as `pathlib` does; one that is the path of a directory, or
    matches one in the working directory, adds or leaves out that directory. Hidden directories
    below a watched one are passed over.
    """

    def __init__(
        self, directories: Iterable[str], includes: Iterable[str], excludes: Iterable[str]
    ) -> None:
        includes, excludes = list(includes), list(excludes)
        self._includes = [pattern for pattern in _INCLUDED if pattern not in excludes]
        self._includes += [pattern for pattern in includes if pattern not in excludes]
        self._excludes = [pattern for pattern in _EXCLUDED if pattern not in includes]
        self._excludes += excludes
        self._left_out = {path.resolve() for path in _directories(excludes)}
        wanted = {Path(path).resolve() for path in directories}
        wanted |= {path.resolve() for path in _directories(includes)}
        wanted = {path for path in wanted if not self._is_left_out(path)}
        self.directories = _topmost(wanted) or [Path.cwd()]

    def __contains__(self, path: Path) -> bool:
        """Whether a change of this file counts."""
        if not any(path.match(pattern) for pattern in self._includes):
            return False
        if self._is_left_out(path) or self._is_passed_over(path):
            return False
        return not any(path.match(pattern) for pattern in self._excludes)

    def files(self) -> Iterator[Path]:
        """Every file there is that counts."""
        for directory in self.directories:
            for folder, names, files in os.walk(directory):
                names[:] = [name for name in names if not _is_hidden(name)]
                yield from (path for path in map(Path(folder).joinpath, files) if path in self)

    def _is_left_out(self, path: Path) -> bool:
        return path in self._left_out or not self._left_out.isdisjoint(path.parents)

    def _is_passed_over(self, path: Path) -> bool:
        for directory in self.directories:
            if path.is_relative_to(directory):
                return any(map(_is_hidden, path.relative_to(directory).parts[:-1]))
        return False


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name in _PASSED_OVER


def _directories(patterns: Iterable[str]) -> Iterator[Path]:
    """The directories among the patterns, and those that they match."""
    for pattern in patterns:
        path = Path(pattern)
        if path.is_dir():
            yield path
        elif pattern != ".*" and not path.is_absolute():
            yield from (match for match in Path.cwd().glob(pattern) if match.is_dir())


def _topmost(directories: set[Path]) -> list[Path]:
    return sorted(path for path in directories if directories.isdisjoint(path.parents))
