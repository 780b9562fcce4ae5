"""Generated Python: lines with indentation, and the objects that they name."""

import linecache
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import count
from typing import Any
from weakref import finalize

_numbers = count(1)


class Source:
    """The text of a function that is being written.

    `constant(value)` gives a name under which the text finds an object; `name()` gives a local
    variable that nothing else uses.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names: dict[str, Any] = {}
        self._depth = 0
        self._known: dict[int, str] = {}
        self._locals = count(1)

    def line(self, text: str) -> None:
        """Adds a line at the present depth."""
        self.lines.append(self.indent + text)

    @property
    def indent(self) -> str:
        """The white space before a line at the present depth."""
        return "    " * self._depth

    @contextmanager
    def block(self, head: str) -> Generator[None]:
        """Adds a line that opens a block, and indents what follows within the `with`."""
        self.line(head)
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._depth -= 1

    def name(self, stem: str = "v") -> str:
        """A local variable's name that is not used yet."""
        return f"{stem}_{next(self._locals)}"

    def constant(self, value: object, stem: str = "C") -> str:
        """The global name of an object; the same name for the same object."""
        known = self._known.get(id(value))
        if known is None:
            known = f"{stem}_{len(self.names)}"
            self._known[id(value)] = known
            self.names[known] = value
        return known

    def function(self, name: str, title: str) -> Callable[..., Any]:
        """Compiles the text, which defines a function of this name, and returns the function.

        Tracebacks show its lines; `title` says whose they are.
        """
        text = "\n".join(self.lines) + "\n"
        filename = f"<alula plan {next(_numbers)}: {title}>"
        linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
        names = dict(self.names)
        exec(compile(text, filename, "exec"), names)  # noqa: S102
        function: Callable[..., Any] = names.pop(name)
        finalize(function, linecache.cache.pop, filename, None)
        return function
