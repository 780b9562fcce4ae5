"""How the servers are started whose instructions are counted; one worker, no access log.

For the comparison of servers the suites say so (`suites/servers-*.toml`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness import python_env
from harness.python_env import Interpreter

# The application to serve, and the port on 127.0.0.1.
Arguments = Callable[[str, int], list[str]]

PEER_NAMES = ("uvicorn", "fastpysgi")
"""The peers that run under valgrind."""


@dataclass(frozen=True)
class Server:
    """A server that can be started: its program and how the program is called."""

    name: str
    program: str
    arguments: Arguments = field(repr=False)

    def command(self, app: str, port: int) -> list[str]:
        """The command line that serves `app` on 127.0.0.1."""
        return [self.program, *self.arguments(app, port)]


def _uvicorn(app: str, port: int) -> list[str]:
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--http", "httptools"]
    return [*arguments, "--loop", "uvloop", "--no-access-log", "--log-level", "warning", app]


def _fastpysgi(app: str, port: int) -> list[str]:
    return ["--host", "127.0.0.1", "--port", str(port), app]


def peer(name: str, interpreter: Interpreter) -> Server:
    """One of `PEER_NAMES`, installed if need be."""
    program = python_env.peer(name, interpreter) / name
    return Server(name, str(program), _uvicorn if name == "uvicorn" else _fastpysgi)


def alula(program: Path) -> Server:
    """Alula from `program`."""

    def arguments(app: str, port: int) -> list[str]:
        line = ["serve", "--host", "127.0.0.1", "--port", str(port)]
        return [*line, "--no-access-log", "--log-level", "warning", app]

    return Server("alula", str(program), arguments)


def engine(program: Path) -> Server:
    """Our engine without Python: the example `hello` of alula-server, whose argument is a port."""

    def arguments(_app: str, port: int) -> list[str]:
        return [str(port)]

    return Server("engine", str(program), arguments)
