"""`alula bench` beside wrk, in interleaved rounds: a second opinion on our own ruler.

The generators take turns on one core, the server is on another. With uvicorn and a raw ASGI
application the server is the limit, and both have to find the same throughput. With the C loop and
its constant answer the generators are, and it shows what each can do. wrk counts every answer of
status 200 and looks at nothing else; `alula bench` checks each body.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness import ledger, machine, python_env, servers, tools
from harness.exchange import EXCHANGES, Exchange
from harness.places import ALULA, CACHE, CEILING
from harness.process import ServerFailed, running
from harness.servers import Server


class Unfit(Exception):
    """A generator failed, or had an error: its figures mean nothing."""


@dataclass(frozen=True)
class Figures:
    """What one run of a generator shows."""

    per_second: float
    per_cpu_second: float
    """Requests a second of the generator's own CPU time, user and system."""
    core: float
    """The share of its core that the generator took."""


def main(arguments: list[str]) -> int:
    """Measures and prints a table; 0 if both generators gave every figure."""
    options = _parser().parse_args(arguments)
    try:
        tools.require("cc", "wrk", install=options.install)
        if not options.alula.exists():
            raise Unfit(f"no alula at {options.alula} (make build)")
        text = _measure(options)
    except (tools.MissingTool, ServerFailed, Unfit) as error:
        print(f"generators: {error}", file=sys.stderr)
        return 2
    print(f"\n{text}")
    if options.ledger:
        ledger.append(text, f"{datetime.now(UTC):%Y-%m-%d}, `alula bench` beside wrk")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="bench/generators",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--rounds", type=int, default=5, help="interleaved rounds (default 5)")
    add("--seconds", type=int, default=4, help="of each run (default 4)")
    add("--connections", type=int, default=32, help="(default 32)")
    add("--alula", type=Path, default=ALULA, help="default .venv/bin/alula")
    add("--server-cpu", type=int, default=0)
    add("--load-cpu", type=int, default=1)
    add("--install", action="store_true", help="install missing Debian packages (as root)")
    add("--ledger", action="store_true", help="append the table to bench/LEDGER.md")
    return parser


def _measure(options: argparse.Namespace) -> str:
    """Both servers, one after the other; a report with a table each."""
    exchange = EXCHANGES["plain"]
    conditions = (
        f"{options.connections} connections, {options.rounds} interleaved rounds of "
        f"{options.seconds} s, the server on one core, the load on another; commit "
        f"{machine.commit()}; {machine.describe()}"
    )
    parts = [conditions]
    CACHE.mkdir(parents=True, exist_ok=True)
    python = python_env.behind(options.alula) or python_env.newest()
    with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
        servers_ = {
            "uvicorn with a raw ASGI application, plain text": servers.peer("uvicorn", python),
            "The C epoll loop with a constant answer": _ceiling(exchange, Path(scratch)),
        }
        packages = python_env.common(python)
        log = Path(scratch) / "log"
        for title, server in servers_.items():
            print(title, flush=True)
            cpu = options.server_cpu
            with running(server, exchange, cpu=cpu, packages=packages, log=log) as up:
                found = _rounds(options, f"http://127.0.0.1:{up.port}{exchange.path}")
            parts.append(f"### {title}\n\n{_table(found)}")
    return "\n\n".join(parts)


def _ceiling(exchange: Exchange, scratch: Path) -> Server:
    """The C loop, which counts the bytes of requests and answers each with the same."""
    answer = scratch / "answer"
    answer.write_bytes(exchange.constant_answer())

    def arguments(_app: str, port: int) -> list[str]:
        return [str(port), str(len(exchange.request)), str(answer)]

    return Server("ceiling", tools.build(CEILING / "epoll.c"), arguments)


def _rounds(options: argparse.Namespace, url: str) -> dict[str, list[Figures]]:
    found: dict[str, list[Figures]] = {"wrk": [], "alula bench": []}
    with machine.pinned(options.load_cpu):
        for number in range(1, options.rounds + 1):
            for name, run in (("wrk", _wrk), ("alula bench", _ours)):
                figures = run(options, url)
                found[name].append(figures)
                print(f"{number}/{options.rounds} {name:12} {_shown(figures)}", flush=True)
    return found


def _wrk(options: argparse.Namespace, url: str) -> Figures:
    """One run of wrk, with our `Host`, so that all requests are of one length."""
    command = ["wrk", "-t1", f"-c{options.connections}", f"-d{options.seconds}s"]
    said, cpu = _timed([*command, "-H", "Host: 127.0.0.1", url])
    counted = re.search(r"([0-9]+) requests in", said)
    rate = re.search(r"^Requests/sec: +([0-9.]+)", said, re.MULTILINE)
    errors = re.search(r"Socket errors:.*|Non-2xx.*", said)
    if errors or not counted or not rate:
        raise Unfit(f"wrk: {errors[0] if errors else said.strip()[-200:]}")
    return _figures(int(counted[1]), float(rate[1]), cpu)


def _ours(options: argparse.Namespace, url: str) -> Figures:
    """One run of `alula bench`, without warm-up, as wrk has none.

    It is charged with the load alone: starting Python, which a shorter command does as well, is not
    what is measured.
    """
    command = [str(options.alula), "bench", url, "-q", "-c", str(options.connections)]
    command += ["-d", f"{options.seconds}s", "--warmup", "0s", "-H", "Host: 127.0.0.1"]
    _, start = _timed([str(options.alula), "bench", "--help"])
    said, cpu = _timed([*command, "--json", "-"])
    report = json.loads(said)
    return _figures(report["counts"]["answered"], report["requests_per_second"], cpu - start)


def _figures(answered: int, per_second: float, cpu: float) -> Figures:
    return Figures(per_second, answered / cpu, cpu * per_second / answered)


def _timed(command: list[str]) -> tuple[str, float]:
    """What a command prints, and the CPU seconds that it took, its start included."""
    before = os.times()
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    after = os.times()
    if run.returncode != 0:
        raise Unfit(f"{Path(command[0]).name}: {(run.stderr or run.stdout).strip()[-300:]}")
    used = after.children_user + after.children_system
    return run.stdout, used - before.children_user - before.children_system


def _shown(figures: Figures) -> str:
    return (
        f"{figures.per_second:,.0f} req/s, {figures.per_cpu_second:,.0f} req / generator CPU s, "
        f"{figures.core:.0%} of its core"
    )


def _table(found: dict[str, list[Figures]]) -> str:
    """Medians with their spread, and the ratios taken round by round."""
    ours, wrk = found["alula bench"], found["wrk"]
    rows = [
        ("req / s", [one.per_second for one in ours], [one.per_second for one in wrk]),
        (
            "req / generator CPU s",
            [one.per_cpu_second for one in ours],
            [one.per_cpu_second for one in wrk],
        ),
        ("share of its core", [one.core for one in ours], [one.core for one in wrk]),
    ]
    lines = ["| | alula bench | wrk | ratio |", "| --- | --: | --: | --: |"]
    for title, mine, theirs in rows:
        digits = 0 if max(mine) > 10 else 2
        ratios = [one / other for one, other in zip(mine, theirs, strict=True)]
        cells = [_spread(mine, digits), _spread(theirs, digits), _spread(ratios, 3)]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(values: list[float], digits: int) -> str:
    median = statistics.median(values)
    return f"{median:,.{digits}f} ({min(values):,.{digits}f}–{max(values):,.{digits}f})"
