"""Medians, ratios and targets: what the figures of a suite say."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

from harness.rounds import Result
from harness.suites import Metric, Target

# A generator that uses this much of its core is the limit, not the server.
SATURATED = 0.95


@dataclass(frozen=True)
class Ratio:
    """One server's figure over another's, round by round: the median and the spread."""

    median: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        if self.lowest == self.highest:
            return f"{self.median:.2f}"
        return f"{self.median:.2f} ({self.lowest:.2f}–{self.highest:.2f})"


@dataclass(frozen=True)
class Judgement:
    """How Alula's figure stands to one target."""

    target: str
    verdict: str


def ratio(result: Result, key: str, server: str, other: str) -> Ratio | None:
    """The ratio of two servers, paired by round, as a slow phase of the machine hits both."""
    pairs = zip(result.values(server, key), result.values(other, key), strict=False)
    ratios = [mine / theirs for mine, theirs in pairs if theirs]
    if not ratios:
        return None
    return Ratio(statistics.median(ratios), min(ratios), max(ratios))


def best(result: Result, metric: Metric, servers: Iterable[str]) -> str | None:
    """The server with the best median."""
    medians = {
        server: median
        for server in servers
        if (median := result.median(server, metric.key)) is not None
    }
    if not medians:
        return None
    choose = max if metric.higher_is_better else min
    return choose(medians, key=lambda server: medians[server])


def is_saturated(result: Result, server: str) -> bool:
    """Whether the load generator, not this server, was the limit."""
    share = result.median(server, "generator_share")
    return share is not None and share >= SATURATED


def judge(
    result: Result, metric: Metric, target: Target, subject: str, peers: list[str]
) -> Judgement | None:
    """Holds the subject's figure against a target; None if there is nothing to compare."""
    sign = "≥" if metric.higher_is_better else "≤"
    if target.against == "itself":
        values = result.values(subject, metric.key)
        found = Ratio(statistics.median(values), min(values), max(values)) if values else None
        aim = f"{sign} {target.bound * metric.scale:g}"
    else:
        other = best(result, metric, peers) if target.against == "best peer" else target.against
        found = ratio(result, metric.key, subject, other) if other else None
        aim = f"{sign} {target.bound:g} × {target.against}"
    if found is None:
        return None
    return Judgement(aim, _verdict(result, metric, target, subject, found))


def _verdict(result: Result, metric: Metric, target: Target, subject: str, found: Ratio) -> str:
    distance = found.median / target.bound - 1
    missed_by = -distance if metric.higher_is_better else distance
    if missed_by <= 0:
        return "met"
    if metric.key == "per_second" and is_saturated(result, subject):
        return "tie (generator saturated)"
    within = found.lowest <= target.bound <= found.highest
    return f"missed by {missed_by:.1%}" + (", within the spread" if within else "")
