"""How each server is started: one worker, in the configuration that its own documents call fastest.

- uvicorn: httptools and uvloop, which is what `uvicorn[standard]` brings.
- granian: the flags of its own benchmark (`--no-ws`, a backlog of 2048), HTTP/1 only, uvloop.
  The runtime mode is left to it; `st`, `mt` and asyncio were no faster.
- hypercorn: uvloop and a backlog of 2048, as in granian's comparison; `keep_alive_max_requests`
  is raised, as it would otherwise close each connection after 1,000 requests.
- peregrine: its defaults; uvloop is used as it is installed, as its README advises.
- fastpysgi: its own command with its defaults; uvloop as the loop and TCP_NODELAY were no faster.
  It has no access log.
- alula: `--busy-poll 0.0001`, which its documents advise for a worker with a core of its own.

Proxy headers, the Date header and so on are left at each server's own default.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from harness import python_env
from harness.places import PEERS
from harness.python_env import Interpreter

# Keeps idle connections open for longer than any measurement; more than 10,000 of them.
_IDLE_SECONDS = 600
_IDLE_CONNECTIONS = 12000


@dataclass(frozen=True)
class Setting:
    """What a suite asks of a server."""

    app: str
    access_log: bool = False
    hold_idle: bool = False


Arguments = Callable[[Setting, int], list[str]]


@dataclass(frozen=True)
class Server:
    """A server that can be started: its program and how the program is called."""

    name: str
    program: str
    arguments: Arguments = field(repr=False)
    version: str = ""
    has_access_log: bool = True

    def command(self, setting: Setting, port: int) -> list[str]:
        """The command line that serves `setting.app` on 127.0.0.1."""
        return [self.program, *self.arguments(setting, port)]


def _uvicorn(setting: Setting, port: int) -> list[str]:
    arguments = ["--host", "127.0.0.1", "--port", str(port)]
    arguments += ["--http", "httptools", "--loop", "uvloop"]
    arguments += _log(setting, ["--access-log", "--log-level", "info"])
    if setting.hold_idle:
        arguments += ["--timeout-keep-alive", str(_IDLE_SECONDS)]
    return [*arguments, setting.app]


def _granian(setting: Setting, port: int) -> list[str]:
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--interface", "asgi", "--no-ws"]
    arguments += ["--http", "1", "--loop", "uvloop", "--workers", "1"]
    arguments += ["--backlog", str(_IDLE_CONNECTIONS if setting.hold_idle else 2048)]
    arguments += _log(setting, ["--access-log", "--log-level", "info"])
    return [*arguments, setting.app]


def _hypercorn(setting: Setting, port: int) -> list[str]:
    arguments = ["--config", str(PEERS / "hypercorn.toml"), "--bind", f"127.0.0.1:{port}"]
    arguments += ["--worker-class", "uvloop", "--workers", "1", "--backlog", "2048"]
    if setting.access_log:
        arguments += ["--access-logfile", "-"]
    if setting.hold_idle:
        arguments += ["--keep-alive", str(_IDLE_SECONDS)]
    return [*arguments, setting.app]


def _peregrine(setting: Setting, port: int) -> list[str]:
    arguments = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    arguments += ["--access-log"] if setting.access_log else ["--log-level", "warning"]
    if setting.hold_idle:
        arguments += ["--keep-alive", str(_IDLE_SECONDS * 1000)]
        arguments += ["--max-connections", str(_IDLE_CONNECTIONS)]
    return [*arguments, setting.app]


def _fastpysgi(setting: Setting, port: int) -> list[str]:
    return ["--host", "127.0.0.1", "--port", str(port), setting.app]


def _alula(more: list[str]) -> Arguments:
    def arguments(setting: Setting, port: int) -> list[str]:
        line = ["serve", "--host", "127.0.0.1", "--port", str(port), "--busy-poll", "0.0001"]
        line += _log(setting, ["--access-log", "--log-level", "info"])
        if setting.hold_idle:
            line += ["--timeout-keep-alive", str(_IDLE_SECONDS)]
        return [*line, *more, setting.app]

    return arguments


def _log(setting: Setting, on: list[str]) -> list[str]:
    return on if setting.access_log else ["--no-access-log", "--log-level", "warning"]


_PEERS: dict[str, Arguments] = {
    "uvicorn": _uvicorn,
    "granian": _granian,
    "hypercorn": _hypercorn,
    "peregrine": _peregrine,
    "fastpysgi": _fastpysgi,
}

PEER_NAMES = tuple(_PEERS)


def peer(name: str, interpreter: Interpreter) -> Server:
    """The peer of that name, installed if need be."""
    program = python_env.peer(name, interpreter) / name
    has_access_log = name != "fastpysgi"
    pinned = python_env.versions(name)
    version = pinned.get(name) or pinned[f"{name}-server"]
    if name == "uvicorn":
        version += f" (httptools {pinned['httptools']})"
    return Server(name, str(program), _PEERS[name], version, has_access_log)


def alula(name: str, program: Path, version: str, more: list[str]) -> Server:
    """Alula from `program`, with `more` options."""
    return Server(name, str(program), _alula(more), version)


def engine(program: Path) -> Server:
    """Our engine without Python: the example `hello` of alula-server, whose argument is a port."""

    def arguments(_setting: Setting, port: int) -> list[str]:
        return [str(port)]

    return Server("engine", str(program), arguments, has_access_log=False)


def ceiling(program: str, request_length: int, response: Path) -> Server:
    """The C loop with a constant answer."""

    def arguments(_setting: Setting, port: int) -> list[str]:
        return [str(port), str(request_length), str(response)]

    return Server("ceiling", program, arguments, has_access_log=False)
