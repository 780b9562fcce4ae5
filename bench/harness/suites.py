"""What is measured, and the targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["throughput", "logged", "latency", "open", "memory", "idle", "startup"]


@dataclass(frozen=True)
class Target:
    """A bound on the ratio of Alula's figure to another's, or on the figure itself."""

    against: Literal["best peer", "uvicorn", "itself"]
    bound: float


@dataclass(frozen=True)
class Metric:
    """A figure: how it is shown, which way is better and what is aimed at."""

    key: str
    title: str
    scale: float = 1.0
    digits: int = 1
    higher_is_better: bool = True
    targets: tuple[Target, ...] = ()


@dataclass(frozen=True)
class Suite:
    """One table of the report."""

    name: str
    title: str
    kind: Kind
    exchange: str
    metrics: tuple[Metric, ...]
    connections: int = 64
    ceiling: bool = True
    least_rounds: int = 1


def _best(bound: float) -> Target:
    return Target("best peer", bound)


def _uvicorn(bound: float) -> Target:
    return Target("uvicorn", bound)


def _speed(per_cpu: tuple[Target, ...], per_second: tuple[Target, ...]) -> tuple[Metric, ...]:
    return (
        Metric("per_cpu", "k req / server CPU s", 1e-3, targets=per_cpu),
        Metric("per_second", "k req / s", 1e-3, targets=per_second),
    )


def _lower(key: str, title: str, scale: float, digits: int, *targets: Target) -> Metric:
    return Metric(key, title, scale, digits, higher_is_better=False, targets=targets)


_RAW = _speed((_best(1.3), _uvicorn(2.5)), (_best(1.0),))
_ALL_BEST = _speed((_best(1.0),), (_best(1.0),))
_FASTAPI = _speed((_best(1.1),), (_best(1.1),))
_TAIL = (
    _lower("p99", "p99 ms", 1e-3, 3, _best(0.7)),
    _lower("p50", "p50 ms", 1e-3, 3),
    _lower("p99.9", "p99.9 ms", 1e-3, 3),
)
_OPEN = (
    _lower("p50", "p50 ms", 1e-3, 3, _best(1.0)),
    _lower("p99", "p99 ms", 1e-3, 3, _best(1.0)),
    _lower("p99.9", "p99.9 ms", 1e-3, 3, _best(1.0)),
)
_MEMORY = (
    _lower("rss_idle", "RSS idle MiB", 2**-20, 1, _uvicorn(1.0)),
    _lower("rss_load", "under load MiB", 2**-20, 1),
    _lower("rss_after", "after MiB", 2**-20, 1),
)
_IDLE = (
    _lower("bytes_per_connection", "KiB / idle connection", 2**-10, 2, Target("itself", 4096)),
    _lower("first_ratio", "first answer, 10,000 : 10", 1, 2, Target("itself", 1.0)),
    _lower("first_among_many", "first answer among 10,000, us", 1, 0),
)
_STARTUP = (_lower("startup", "start to first answer ms", 1e3, 0, _uvicorn(1.0)),)

_LISTED = (
    Suite("plain", "raw ASGI, plain text, 64 connections", "throughput", "plain", _RAW),
    Suite("json", "raw ASGI, JSON, 64 connections", "throughput", "json", _RAW),
    Suite("echo4k", "raw ASGI, echo of 4 KiB, 64 connections", "throughput", "echo4k", _RAW),
    Suite("body64k", "64 KiB response, 64 connections", "throughput", "body64k", _ALL_BEST),
    Suite("plain-1", "plain text, 1 connection", "throughput", "plain", _ALL_BEST, 1),
    Suite("plain-8", "plain text, 8 connections", "throughput", "plain", _ALL_BEST, 8),
    Suite("fastapi", "FastAPI JSON route", "throughput", "fastapi", _FASTAPI, ceiling=False),
    Suite("p99-64", "closed loop, 64 connections", "latency", "plain", _TAIL, 64),
    Suite("p99-8", "closed loop, 8 connections", "latency", "plain", _TAIL, 8),
    Suite("open", "open loop at half of uvicorn's capacity", "open", "plain", _OPEN, 64),
    Suite("idle10k", "10,000 idle connections", "idle", "plain", _IDLE, ceiling=False),
    Suite("memory", "memory, raw app, 64 KiB responses", "memory", "body64k", _MEMORY, 64, False),
    Suite("startup", "start-up, raw app", "startup", "plain", _STARTUP, 1, False, 5),
    Suite("log", "plain text, access log on", "logged", "plain", _RAW, 64, False),
    Suite("log-fastapi", "FastAPI, access log on", "logged", "fastapi", _FASTAPI, 64, False),
)

_MORE = (
    Suite("log-json", "JSON, access log on", "logged", "json", _RAW, 64, False),
    Suite("log-echo4k", "echo of 4 KiB, access log on", "logged", "echo4k", _RAW, 64, False),
    Suite("headers", "plain text, 11 request headers", "throughput", "headers", _ALL_BEST),
    Suite("plain-256", "plain text, 256 connections", "throughput", "plain", _ALL_BEST, 256),
    Suite("plain-1000", "plain text, 1,000 connections", "throughput", "plain", _ALL_BEST, 1000),
    Suite(
        "fastapi-post",
        "FastAPI, POST with a model",
        "throughput",
        "fastapi-post",
        _FASTAPI,
        ceiling=False,
    ),
    Suite("open-fastapi", "FastAPI, open loop", "open", "fastapi", _OPEN, ceiling=False),
)

SUITES = {suite.name: suite for suite in (*_LISTED, *_MORE)}
GROUPS = {"all": [suite.name for suite in _LISTED], "everything": list(SUITES)}


def chosen(names: str) -> list[Suite]:
    """The suites of a comma-separated list of names and groups, in its order.

    Raises `ValueError` for a name that does not exist.
    """
    wanted = [name for part in names.split(",") for name in GROUPS.get(part, [part])]
    for name in wanted:
        if name not in SUITES:
            known = ", ".join([*GROUPS, *SUITES])
            raise ValueError(f"no suite {name!r}; there are: {known}")
    return [SUITES[name] for name in dict.fromkeys(wanted)]
