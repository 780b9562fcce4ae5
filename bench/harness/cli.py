"""The command: which suites, which servers, how long; progress, tables, files."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from harness import ledger, machine, python_env, report, servers, tools
from harness.idle import MANY
from harness.load import Load
from harness.measure import Conditions
from harness.places import ALULA, CACHE, CEILING, NATIVE
from harness.python_env import Interpreter
from harness.rounds import Result, Rounds
from harness.servers import PEER_NAMES, Server
from harness.suites import GROUPS, SUITES, Suite, chosen


def main(arguments: list[str]) -> int:
    """Runs what the arguments ask for; 0 if every server gave every figure it should."""
    options = _parser().parse_args(arguments)
    if options.list:
        _list_suites()
        return 0
    try:
        suites = chosen(options.suite)
        tools.require(
            "cc", *(["wrk"] if options.generator == "wrk" else []), install=options.install
        )
        return _run(options, suites, arguments)
    except (tools.MissingTool, ValueError, RuntimeError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="bench/run", description=__doc__)
    add = parser.add_argument
    add("--suite", default="all", help="names or groups (all, everything), separated by commas")
    add("--list", action="store_true", help="list the suites and end")
    add("--rounds", type=int, default=3, help="interleaved rounds (default 3, the least to quote)")
    add("--seconds", type=int, default=2, help="of each measurement (default 2)")
    add("--peers", default=",".join(PEER_NAMES), help="of: %(default)s; or none")
    add(
        "--alula",
        action="append",
        metavar="[NAME=]PATH",
        help="the alula to measure (default .venv/bin/alula); repeat it to compare builds",
    )
    add("--alula-options", default="", help="more options for alula, as one string")
    add("--engine", type=Path, help="alula-server's example hello: a row for us without Python")
    add("--python", help="the interpreter for the peers (default: alula's, else the newest)")
    add("--generator", choices=("wrk", "own"), default="wrk", help="for throughput suites")
    add("--rate", type=float, help="requests/s of the open loop (default: half of uvicorn's)")
    add("--server-cpu", type=int, default=0)
    add("--load-cpu", type=int, default=1)
    add("--install", action="store_true", help="install missing Debian packages (as root)")
    add("--ledger", action="store_true", help="append the report to bench/LEDGER.md")
    return parser


def _run(options: argparse.Namespace, suites: list[Suite], arguments: list[str]) -> int:
    if len(os.sched_getaffinity(0) & {options.server_cpu, options.load_cpu}) < 2:
        raise RuntimeError("two cores are needed: --server-cpu for the server, --load-cpu for us")
    needed = MANY + 200
    if any(suite.kind == "idle" for suite in suites):
        if machine.raise_descriptor_limit(needed) < needed:
            raise RuntimeError(f"idle10k needs {needed} open files: raise ulimit -n")
    else:
        machine.raise_descriptor_limit(4096)
    paths = _alula_paths(options)
    interpreter = _interpreter(options, paths)
    peers = [servers.peer(name, interpreter) for name in _peer_names(options.peers)]
    subjects = [_alula(name, path, options) for name, path in paths.items()] + peers
    if not subjects and not options.engine:
        raise RuntimeError("nothing to measure: no alula at .venv/bin/alula and no peers")
    packages = python_env.common(interpreter)
    own, ceiling = tools.build(NATIVE / "load.c"), tools.build(CEILING / "epoll.c")
    header = _header(options, arguments, interpreter, subjects)
    print(header.markdown(), flush=True)
    os.sched_setaffinity(0, {options.load_cpu})
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        load = Load(own, Path(scratch))
        rounds = Rounds(
            subjects=subjects,
            uvicorn=servers.peer("uvicorn", interpreter),
            ceiling_program=ceiling,
            engine=servers.engine(options.engine.absolute()) if options.engine else None,
            conditions=Conditions(
                load,
                packages,
                options.server_cpu,
                options.load_cpu,
                options.seconds,
                options.generator,
            ),
            count=options.rounds,
            rate=options.rate,
        )
        results = [_run_suite(rounds, suite) for suite in suites]
    return _finish(options, header, results, list(paths), [server.name for server in peers])


def _run_suite(rounds: Rounds, suite: Suite) -> Result:
    print(f"\n{suite.name}: {suite.title}", flush=True)
    return rounds.run(suite)


def _finish(
    options: argparse.Namespace,
    header: report.Header,
    results: list[Result],
    alulas: list[str],
    peers: list[str],
) -> int:
    names = [*alulas, *peers, "engine", "ceiling"]
    tables = [report.suite_table(result, names, peers) for result in results]
    if peers:
        tables += [report.summary(results, name, peers) for name in alulas]
    text = "\n\n".join([header.markdown(), *tables])
    print(f"\n{text}")
    stamp = re.sub(r"\D", "", header.date)
    print(f"\nfigures: {os.path.relpath(ledger.write_json(header, results, stamp))}")
    if options.ledger:
        ledger.append(text, f"{header.date}, {options.suite}")
    return 1 if any(_failed(result) for result in results) else 0


def _failed(result: Result) -> bool:
    return any(why != "has no access log" for why in result.failures.values())


def _peer_names(listed: str) -> list[str]:
    names = [name for name in listed.split(",") if name not in ("", "none")]
    for name in names:
        if name not in PEER_NAMES:
            raise ValueError(f"no peer {name!r}; there are: {', '.join(PEER_NAMES)}")
    return names


def _alula_paths(options: argparse.Namespace) -> dict[str, Path]:
    given: list[str] = options.alula or ([str(ALULA)] if ALULA.exists() else [])
    paths: dict[str, Path] = {}
    for entry in given:
        name, _, path = entry.rpartition("=")
        program = Path(path).absolute()
        if not program.exists():
            raise RuntimeError(f"no alula at {path}")
        default = "alula" if not paths else f"alula-{len(paths) + 1}"
        paths[name or default] = program
    if not paths:
        print("no alula at .venv/bin/alula (make build): measuring the peers alone")
    return paths


def _interpreter(options: argparse.Namespace, paths: dict[str, Path]) -> Interpreter:
    if options.python:
        found = python_env.probe(options.python)
        if found is None:
            raise RuntimeError(f"{options.python} does not run")
    else:
        behind = [found for path in paths.values() if (found := python_env.behind(path))]
        found = behind[0] if behind else python_env.newest()
    for name, path in paths.items():
        own = python_env.behind(path)
        if own is not None and own.version != found.version:
            raise RuntimeError(f"{name} is on CPython {own.version}, the peers on {found.version}")
    return found


def _alula(name: str, path: Path, options: argparse.Namespace) -> Server:
    run = subprocess.run([str(path), "--version"], capture_output=True, text=True, check=False)
    words = run.stdout.split()
    version = next((word for word in words if word[:1].isdigit()), "?")
    return servers.alula(name, path, version, shlex.split(options.alula_options))


def _header(
    options: argparse.Namespace,
    arguments: list[str],
    interpreter: Interpreter,
    subjects: list[Server],
) -> report.Header:
    shared = python_env.versions("common")
    versions = {server.name: server.version for server in subjects}
    versions.update({name: shared[name] for name in ("uvloop", "fastapi", "pydantic", "starlette")})
    rounds = f"{options.rounds} interleaved rounds of {options.seconds} s"
    return report.Header(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S"),
        commit=machine.commit(),
        machine=machine.describe(),
        python=interpreter.version,
        command=shlex.join(["bench/run", *(_without_path(argument) for argument in arguments)]),
        conditions=f"{rounds}, one worker on one core, load by {options.generator} on another",
        versions=versions,
    )


def _without_path(argument: str) -> str:
    """Paths outside the project mean nothing to a reader elsewhere."""
    name, equals, path = argument.rpartition("=")
    return f"{name}{equals}…/{Path(path).name}" if path.startswith("/") else argument


def _list_suites() -> None:
    for suite in SUITES.values():
        mark = "" if suite.name in GROUPS["all"] else " (not in all)"
        print(f"{suite.name:14} {suite.title}{mark}")
