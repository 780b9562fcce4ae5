"""Instructions per request, in user space, counted by valgrind's callgrind.

The counts repeat to within a percent whatever else the machine does, so they tell small changes
apart where a clock can't. They know nothing of the kernel, of caches or of the clock.

- `server`: a server is warmed up uncounted, then answers a number of requests.
- `example`: a Rust example that takes a request count as its first argument is run with the count
  and with twice the count; the difference is what the requests cost.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from harness import python_env, servers, tools
from harness.exchange import EXCHANGES, Exchange, ask, receive
from harness.places import ALULA, CACHE, OUT, ROOT
from harness.process import Running, running
from harness.python_env import Interpreter
from harness.servers import PEER_NAMES, Server

_WARMUP_ROUNDS = 300
_VALGRIND = ["valgrind", "--tool=callgrind", "--error-limit=no"]


def main(arguments: list[str]) -> int:
    """Counts what the arguments ask for and prints it."""
    options = _parser().parse_args(arguments)
    try:
        tools.require("valgrind", install=options.install)
        profile = _server(options) if options.what == "server" else _example(options)
    except (tools.MissingTool, RuntimeError) as error:
        print(f"callgrind: {error}", file=sys.stderr)
        return 2
    _annotate(profile, options.top, options.inclusive)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench/callgrind",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--install", action="store_true", help="install valgrind (as root)")
    parser.add_argument("--top", type=int, default=25, help="functions to list (default 25)")
    parser.add_argument("--inclusive", action="store_true", help="count callees as well")
    parser.add_argument("--requests", type=int, default=2000, help="to count (default 2000)")
    what = parser.add_subparsers(dest="what", required=True)
    server = what.add_parser("server", help="count in a server")
    server.add_argument("--name", default="alula", choices=("alula", "engine", *PEER_NAMES))
    server.add_argument("--alula", type=Path, default=ALULA, help="default .venv/bin/alula")
    server.add_argument("--engine", type=Path, help="alula-server's example hello, built")
    server.add_argument("--exchange", default="plain", choices=EXCHANGES)
    server.add_argument("--connections", type=int, default=1, help="asked together, round by round")
    example = what.add_parser("example", help="count in a Rust example")
    example.add_argument("package")
    example.add_argument("example")
    example.add_argument("arguments", nargs="*", help="after the request count")
    return parser


def _chosen(options: argparse.Namespace) -> tuple[Server, Interpreter]:
    program: Path = options.alula.absolute()
    interpreter = python_env.behind(program) or python_env.newest()
    if options.name == "engine":
        if options.engine is None:
            raise RuntimeError("--name engine needs --engine PATH")
        return servers.engine(options.engine.absolute()), interpreter
    if options.name != "alula":
        return servers.peer(options.name, interpreter), interpreter
    if not program.exists():
        raise RuntimeError(f"no alula at {options.alula} (make build)")
    return servers.alula(program), interpreter


def _server(options: argparse.Namespace) -> Path:
    exchange = EXCHANGES[options.exchange]
    server, interpreter = _chosen(options)
    profile = _profile(f"{options.name}-{exchange.name}")
    packages = python_env.common(interpreter)
    rounds = -(-options.requests // options.connections)
    with (
        tempfile.TemporaryDirectory(dir=CACHE) as scratch,
        running(
            _under_valgrind(server, profile),
            exchange,
            cpu=0,
            packages=packages,
            log=Path(scratch) / "log",
        ) as up,
    ):
        clients = [
            socket.create_connection(("127.0.0.1", up.port), timeout=60)
            for _ in range(options.connections)
        ]
        _ask_all(clients, exchange, max(2, _WARMUP_ROUNDS // options.connections))
        _control(up, "--instr=on")
        _ask_all(clients, exchange, rounds)
        _control(up, "--dump")
        _control(up, "--instr=off")
        for client in clients:
            client.close()
    dump = profile.with_name(profile.name + ".1")
    count = rounds * options.connections
    print(f"{options.name}, {exchange.name}, {options.connections} connection(s): ", end="")
    print(f"{_total(dump) / count:,.0f} instructions per request ({count} requests)")
    return dump


def _under_valgrind(server: Server, profile: Path) -> Server:
    python = Path(server.program).parent / "python"
    command = [str(python)] if python.exists() else []
    seed = "PYTHONHASHSEED=0"  # so that counts repeat
    prefix = [seed, *_VALGRIND, "--instr-atstart=no", f"--callgrind-out-file={profile}"]

    def arguments(app: str, port: int) -> list[str]:
        return [*prefix, *command, *server.command(app, port)]

    return replace(server, program="env", arguments=arguments)


def _ask_all(clients: list[socket.socket], exchange: Exchange, rounds: int) -> None:
    if len(clients) == 1:
        for _ in range(rounds):
            ask(clients[0], exchange)
        return
    for _ in range(rounds):
        for client in clients:
            client.sendall(exchange.request)
        for client in clients:
            receive(client, exchange)


def _control(up: Running, command: str) -> None:
    line = ["callgrind_control", command, str(up.process.pid)]
    run = subprocess.run(line, capture_output=True, text=True, check=False)
    if run.returncode != 0 or "Error" in run.stdout:
        raise RuntimeError(f"{' '.join(line)}: {run.stdout} {run.stderr}")


def _example(options: argparse.Namespace) -> Path:
    build = ["cargo", "build", "--release", "-p", options.package, "--example", options.example]
    environment = {**os.environ, "CARGO_PROFILE_RELEASE_DEBUG": "line-tables-only"}
    subprocess.run(build, cwd=ROOT, env=environment, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    program = target / "release" / "examples" / options.example
    profile = _profile(f"{options.package}-{options.example}")
    totals: list[int] = []
    for count in (options.requests, 2 * options.requests):
        command = [*_VALGRIND, f"--callgrind-out-file={profile}", str(program), str(count)]
        subprocess.run([*command, *options.arguments], cwd=ROOT, check=True, capture_output=True)
        totals.append(_total(profile))
    each = (totals[1] - totals[0]) / options.requests
    print(f"{options.example}: {each:,.0f} instructions per request ({options.requests} requests)")
    return profile


def _profile(name: str) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    for old in OUT.glob(f"callgrind.{name}*"):
        old.unlink()
    return OUT / f"callgrind.{name}"


def _total(profile: Path) -> int:
    match = re.search(r"^(?:totals|summary): (\d+)", profile.read_text(), re.MULTILINE)
    if match is None:
        raise RuntimeError(f"no totals in {profile}")
    return int(match[1])


def _annotate(profile: Path, top: int, inclusive: bool) -> None:
    command = ["callgrind_annotate", "--auto=no", "--show-percs=yes"]
    command += [f"--inclusive={'yes' if inclusive else 'no'}", str(profile)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = [line for line in run.stdout.splitlines() if re.match(r"\s*[\d,]+ \(", line)]
    for row in rows[: top + 1]:
        print(re.sub(r"[^\s\[]*/", "", row)[:120])
    print(f"whole profile: {os.path.relpath(profile)}")
