"""The interleaved rounds of a suite: A B C, A B C, ..., each server started anew each time."""

from __future__ import annotations

import statistics
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from harness import measure, servers
from harness.exchange import EXCHANGES, Exchange, WrongAnswer
from harness.idle import idle_connections
from harness.load import NoSpeed
from harness.measure import Conditions, Figures, Foreign
from harness.process import Running, ServerFailed, running
from harness.servers import Server, Setting
from harness.suites import Suite

# Of a core; more use by others than this is noted.
_FOREIGN = 0.05


@dataclass
class Result:
    """What a suite found: the figures of each server, round by round, or why there are none."""

    suite: Suite
    figures: dict[str, list[Figures]] = field(default_factory=dict[str, list[Figures]])
    failures: dict[str, str] = field(default_factory=dict[str, str])
    notes: list[str] = field(default_factory=list[str])

    def values(self, server: str, key: str) -> list[float]:
        """One figure of one server, round by round; nothing if a round of it failed."""
        if server in self.failures:
            return []
        return [figures[key] for figures in self.figures.get(server, []) if key in figures]

    def median(self, server: str, key: str) -> float | None:
        """The median over the rounds."""
        values = self.values(server, key)
        return statistics.median(values) if values else None


@dataclass(frozen=True)
class Rounds:
    """Runs suites: which servers, under which conditions, how often."""

    subjects: list[Server]
    uvicorn: Server
    ceiling_program: str
    engine: Server | None
    conditions: Conditions
    count: int
    rate: float | None

    def run(self, suite: Suite) -> Result:
        """All the rounds of one suite."""
        exchange = EXCHANGES[suite.exchange]
        result = Result(suite)
        rate = self._open_rate(suite, exchange, result) if suite.kind == "open" else 0.0
        setting = Setting(exchange.app, suite.kind == "logged", suite.kind == "idle")
        taking_part = self._taking_part(suite, exchange, result)
        count = max(self.count, suite.least_rounds)
        for number in range(1, count + 1):
            for server in taking_part:
                if server.name in result.failures:
                    continue
                figures = self._one(server, setting, suite, exchange, rate, result)
                if figures is not None:
                    result.figures.setdefault(server.name, []).append(figures)
                    _show(f"{suite.name} {number}/{count}", server, suite, figures)
        self._note_noise(result)
        return result

    def _taking_part(self, suite: Suite, exchange: Exchange, result: Result) -> list[Server]:
        subjects = list(self.subjects)
        if suite.kind == "logged":
            silent = [server.name for server in subjects if not server.has_access_log]
            result.failures.update(dict.fromkeys(silent, "has no access log"))
        if self.engine and suite.ceiling and exchange.path == "/plain":
            subjects.append(self.engine)
        if suite.ceiling:
            answer = self._scratch(f"{exchange.name}.answer")
            answer.write_bytes(exchange.constant_answer())
            length = len(exchange.request)
            subjects.append(servers.ceiling(self.ceiling_program, length, answer))
        return subjects

    def _one(
        self,
        server: Server,
        setting: Setting,
        suite: Suite,
        exchange: Exchange,
        rate: float,
        result: Result,
    ) -> Figures | None:
        try:
            with self._started(server, setting, exchange) as up:
                foreign = Foreign(up, self.conditions)
                figures = _measure(up, suite, exchange, self.conditions, rate)
                return {**figures, **foreign.shares()}
        except (NoSpeed, WrongAnswer, ServerFailed, OSError) as error:
            result.failures[server.name] = f"{type(error).__name__}: {error}"
            print(f"  {suite.name:12} {server.name:10} no speed: {error}", flush=True)
            return None

    def _started(
        self, server: Server, setting: Setting, exchange: Exchange
    ) -> AbstractContextManager[Running]:
        return running(
            server,
            setting,
            exchange,
            cpu=self.conditions.server_cpu,
            packages=self.conditions.packages,
            log=self._scratch(f"{server.name}.log"),
        )

    def _scratch(self, name: str) -> Path:
        return self.conditions.load.folder / name

    def _open_rate(self, suite: Suite, exchange: Exchange, result: Result) -> float:
        """Half of what uvicorn answers in a closed loop here and now, unless a rate was given."""
        if self.rate is not None:
            result.notes.append(f"offered: {self.rate:.0f} requests/s, as told")
            return self.rate
        capacities: list[float] = []
        for _ in range(3):
            with self._started(self.uvicorn, Setting(exchange.app), exchange) as up:
                figures = measure.latency(up, exchange, self.conditions, suite.connections)
                capacities.append(figures["per_second"])
        rate = statistics.median(capacities) / 2
        result.notes.append(
            f"offered: {rate:.0f} requests/s, half of uvicorn's {2 * rate:.0f} (median of 3)"
        )
        return rate

    def _note_noise(self, result: Result) -> None:
        for core in ("server", "load"):
            key = f"foreign_on_{core}_core"
            shares = {name: result.median(name, key) or 0.0 for name in result.figures}
            noisy = [f"{share:.0%} ({name})" for name, share in shares.items() if share > _FOREIGN]
            if noisy:
                result.notes.append(f"noisy: others used the {core} core: {', '.join(noisy)}")


def _measure(
    up: Running, suite: Suite, exchange: Exchange, conditions: Conditions, rate: float
) -> Figures:
    match suite.kind:
        case "throughput":
            return measure.throughput(up, exchange, conditions, suite.connections)
        case "logged":
            return measure.logged(up, exchange, conditions, suite.connections)
        case "latency":
            return measure.latency(up, exchange, conditions, suite.connections)
        case "open":
            return measure.open_loop(up, exchange, conditions, suite.connections, rate)
        case "memory":
            return measure.memory(up, exchange, conditions, suite.connections)
        case "idle":
            return idle_connections(up, exchange)
        case "startup":
            return measure.startup(up)


def _show(progress: str, server: Server, suite: Suite, figures: Figures) -> None:
    shown = ", ".join(
        f"{metric.title} {figures[metric.key] * metric.scale:,.{metric.digits}f}"
        for metric in suite.metrics
        if metric.key in figures
    )
    print(f"  {progress:16} {server.name:10} {shown}", flush=True)
