"""The load generators: wrk for the closed loop, our own (native/load.c) for percentiles."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.exchange import Exchange
from harness.places import NATIVE

# A run may take this much longer than it should before it is given up.
_GRACE = 30.0


class NoSpeed(Exception):
    """The run had a wrong answer, a socket error or a timeout: it has no speed."""


@dataclass(frozen=True)
class Run:
    """What a generator reports of one run."""

    answered: int
    requests_per_second: float
    cpu_share: float
    latency_us: dict[str, float] = field(default_factory=dict[str, float])
    lag_p99_us: float = 0.0


@dataclass(frozen=True)
class Load:
    """The load generators, on the core that the harness has: its own, and a folder for files."""

    own: str
    folder: Path

    def wrk(self, port: int, exchange: Exchange, *, connections: int, seconds: int) -> Run:
        """A closed loop by wrk; status and length of every answer are checked."""
        request, _ = self._files(exchange)
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "5s"]
        command += ["-s", str(NATIVE / "check.lua"), f"http://127.0.0.1:{port}/", "--"]
        command += [str(request), "200", str(len(exchange.expected))]
        report, share = self._run(command, seconds)
        answered = int(report["answered"])
        return Run(answered, answered / float(report["seconds"]), share)

    def ours(
        self,
        port: int,
        exchange: Exchange,
        *,
        connections: int,
        seconds: float,
        warmup: float = 0,
        rate: float = 0,
    ) -> Run:
        """By our own generator; every byte of every answer is checked.

        A closed loop, whose latency counts from the send; or a fixed offered `rate`, where it
        counts from when each request was due.
        """
        request, body = self._files(exchange)
        command = [self.own, "--port", str(port), "--request", str(request), "--body", str(body)]
        command += ["--connections", str(connections), "--seconds", str(seconds)]
        command += ["--warmup", str(warmup), "--rate", str(rate)]
        report, _ = self._run(command, seconds + warmup)
        return Run(
            answered=int(report["answered"]),
            requests_per_second=float(report["requests_per_second"]),
            cpu_share=float(report["cpu_share"]),
            latency_us={name: float(value) for name, value in report["latency_us"].items()},
            lag_p99_us=float(report["lag_p99_us"]),
        )

    def _files(self, exchange: Exchange) -> tuple[Path, Path]:
        request = self.folder / f"{exchange.name}.request"
        body = self.folder / f"{exchange.name}.body"
        if not body.exists():
            request.write_bytes(exchange.request)
            body.write_bytes(exchange.expected)
        return request, body

    def _run(self, command: list[str], seconds: float) -> tuple[dict[str, Any], float]:
        """Runs a generator; returns its report and the share of its core that it used."""
        before, begun = os.times(), time.monotonic()
        try:
            run = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                timeout=seconds + _GRACE,
            )
        except subprocess.TimeoutExpired:
            raise NoSpeed("the load generator did not come to an end") from None
        after, ended = os.times(), time.monotonic()
        used = after.children_user + after.children_system
        used -= before.children_user + before.children_system
        lines = [line for line in run.stdout.splitlines() if line.startswith("{")]
        if run.returncode != 0 or not lines:
            raise NoSpeed(f"the load generator failed: {run.stderr.strip()[-200:]}")
        report: dict[str, Any] = json.loads(lines[-1])
        bad = {name: report[name] for name in ("wrong", "socket_errors", "timeouts")}
        if any(bad.values()) or not report["answered"]:
            raise NoSpeed(", ".join(f"{count} {name}" for name, count in bad.items()))
        return report, used / (ended - begun)
