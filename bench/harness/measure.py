"""One kind of measurement each, on one running server; the answers are figures by name.

A figure that could not be had honestly is no figure: `NoSpeed`, `WrongAnswer` or `ServerFailed`.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from harness.exchange import Exchange, check
from harness.load import Load, NoSpeed, Run
from harness.machine import CpuWatch, own_cpu_seconds
from harness.process import Running

Figures = dict[str, float]

_WARMUP = 0.5
_LOG_DEADLINE = 10.0


@dataclass(frozen=True)
class Conditions:
    """What is the same for every measurement of a run of the benchmark."""

    load: Load
    packages: Path
    server_cpu: int
    load_cpu: int
    seconds: int
    generator: str


class Foreign:
    """Watches for others on the two cores while a measurement runs."""

    def __init__(self, running: Running, conditions: Conditions) -> None:
        self._running = running
        self._begun = time.monotonic()
        self._cores = (CpuWatch(conditions.server_cpu), CpuWatch(conditions.load_cpu))
        self._ours = (running.cpu_seconds(), own_cpu_seconds())

    def shares(self) -> Figures:
        """Of each core, the share that neither the server nor we used; nothing of an instant."""
        elapsed = time.monotonic() - self._begun
        if elapsed < _WARMUP:
            return {}
        used = (self._running.cpu_seconds(), own_cpu_seconds())
        shares = [
            max(0.0, core.busy_seconds() - (now - before)) / elapsed
            for core, before, now in zip(self._cores, self._ours, used, strict=True)
        ]
        return {"foreign_on_server_core": shares[0], "foreign_on_load_core": shares[1]}


def throughput(
    running: Running, exchange: Exchange, conditions: Conditions, connections: int
) -> Figures:
    """Closed loop: requests per second, and per second of the server's CPU time."""
    load, port = conditions.load, running.port
    check(port, exchange)
    load.ours(port, exchange, connections=connections, seconds=_WARMUP)
    server_before = running.cpu_seconds()
    begun = time.monotonic()
    if conditions.generator == "wrk":
        run = load.wrk(port, exchange, connections=connections, seconds=conditions.seconds)
    else:
        run = load.ours(port, exchange, connections=connections, seconds=conditions.seconds)
    elapsed = time.monotonic() - begun
    used = running.cpu_seconds() - server_before
    check(port, exchange)
    return {
        "per_cpu": run.answered / max(used, 0.01),
        "per_second": run.requests_per_second,
        "server_share": used / elapsed,
        "generator_share": run.cpu_share,
    }


def logged(
    running: Running, exchange: Exchange, conditions: Conditions, connections: int
) -> Figures:
    """The same with the access log on; each answer must have left its line."""
    lines = running.log_lines()
    figures = throughput(running, exchange, conditions, connections)
    wanted = figures["per_second"] * conditions.seconds * 0.99
    deadline = time.monotonic() + _LOG_DEADLINE
    while (written := running.log_lines() - lines) < wanted:
        if time.monotonic() > deadline:
            raise NoSpeed(f"{written} lines logged for {wanted:.0f} answers")
        time.sleep(0.1)
    return figures


def latency(
    running: Running, exchange: Exchange, conditions: Conditions, connections: int
) -> Figures:
    """Closed loop by our own generator: percentiles, counted from the send."""
    return _percentiles(_checked(running, exchange, conditions, connections))


def open_loop(
    running: Running, exchange: Exchange, conditions: Conditions, connections: int, rate: float
) -> Figures:
    """A fixed offered rate: percentiles, counted from when each request was due."""
    run = _checked(running, exchange, conditions, connections, rate)
    return {**_percentiles(run), "lag_p99": run.lag_p99_us}


def memory(
    running: Running, exchange: Exchange, conditions: Conditions, connections: int
) -> Figures:
    """Resident memory idle, under load (the highest reading) and a second after it."""
    check(running.port, exchange)
    time.sleep(0.5)
    idle = highest = running.rss_bytes()
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(
            conditions.load.ours,
            running.port,
            exchange,
            connections=connections,
            seconds=conditions.seconds,
        )
        while not run.done():
            time.sleep(0.05)
            highest = max(highest, running.rss_bytes())
        run.result()
    time.sleep(1)
    check(running.port, exchange)
    return {"rss_idle": idle, "rss_load": highest, "rss_after": running.rss_bytes()}


def startup(running: Running) -> Figures:
    """From the start of the process to its first right answer."""
    return {"startup": running.seconds_to_first_answer}


def _checked(
    running: Running,
    exchange: Exchange,
    conditions: Conditions,
    connections: int,
    rate: float = 0,
) -> Run:
    """A run of our own generator, with the answer looked at before and after."""
    check(running.port, exchange)
    run = conditions.load.ours(
        running.port,
        exchange,
        connections=connections,
        seconds=conditions.seconds,
        warmup=_WARMUP,
        rate=rate,
    )
    check(running.port, exchange)
    return run


def _percentiles(run: Run) -> Figures:
    rates = {"per_second": run.requests_per_second, "generator_share": run.cpu_share}
    return {**run.latency_us, **rates}
