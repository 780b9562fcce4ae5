"""The report in markdown: one table for each suite, and one of targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from harness.rounds import Result
from harness.suites import Metric
from harness.verdict import best, is_saturated, judge, ratio

# A title, and what stands below it for a server.
Column = tuple[str, Callable[[str], str]]


@dataclass(frozen=True)
class Header:
    """What a reader needs to run it again: where, with what, how."""

    date: str
    commit: str
    machine: str
    python: str
    command: str
    conditions: str
    versions: dict[str, str]

    def markdown(self) -> str:
        """The lines above the tables."""
        versions = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        return "\n".join(
            [
                f"- commit {self.commit}, {self.date}",
                f"- {self.machine}; CPython {self.python}",
                f"- `{self.command}`: {self.conditions}",
                f"- {versions}",
            ]
        )


def suite_table(result: Result, subjects: list[str], peers: list[str]) -> str:
    """The figures of one suite: medians, spread and ratios; best first.

    Without peers the ratios are to the first subject, which compares builds of ours.
    """
    columns = _columns(result, subjects, peers)
    rows = [
        ["server", *(title for title, _ in columns)],
        ["---", *["--:"] * len(columns)],
        *(
            [server, *(cell(server) for _, cell in columns)]
            for server in _ordered(result, subjects)
        ),
    ]
    lines = [f"### {result.suite.name}: {result.suite.title}", "", *map(_row, rows)]
    notes = [*result.notes, *_saturation(result, subjects)]
    notes += [f"{server}: no figure ({why})" for server, why in result.failures.items()]
    if notes:
        lines += ["", *(f"- {note}" for note in notes)]
    return "\n".join(lines)


def _columns(result: Result, subjects: list[str], peers: list[str]) -> list[Column]:
    columns: list[Column] = []
    for metric in result.suite.metrics:
        columns.append((metric.title, partial(_spread, result, metric)))
        if metric.targets and metric.targets[0].against != "itself":
            columns += [
                (title, partial(_ratio_cell, result, metric, other=other))
                for title, other in _references(result, metric, subjects, peers).items()
            ]
    columns += [
        (key.replace("_share", " core"), partial(_share_cell, result, key))
        for key in ("server_share", "generator_share")
        if any(result.values(server, key) for server in subjects)
    ]
    return columns


def _references(
    result: Result, metric: Metric, subjects: list[str], peers: list[str]
) -> dict[str, str | None]:
    """Title -> the server that others are compared with."""
    if not peers:
        return {f"× {subjects[0]}": subjects[0]}
    references = {"× best peer": best(result, metric, peers)}
    if "uvicorn" in peers:
        references["× uvicorn"] = "uvicorn"
    return references


def summary(results: list[Result], subject: str, peers: list[str]) -> str:
    """Every target, with what was reached."""
    columns = ["work", "figure", subject, "best peer", "× best", "× uvicorn", "of ceiling"]
    rows = [[*columns, "target", "verdict"], ["---"] * (len(columns) + 2)]
    for result in results:
        for metric in result.suite.metrics:
            judgements = [
                judgement
                for target in metric.targets
                if (judgement := judge(result, metric, target, subject, peers))
            ]
            if judgements:
                rows.append(
                    [
                        *_compared(result, metric, subject, peers),
                        "<br>".join(judgement.target for judgement in judgements),
                        "<br>".join(judgement.verdict for judgement in judgements),
                    ]
                )
    return "\n".join(["### Targets", "", *map(_row, rows)])


def _compared(result: Result, metric: Metric, subject: str, peers: list[str]) -> list[str]:
    leader = best(result, metric, peers)
    leading = f"{leader} {_number(result.median(leader, metric.key), metric)}" if leader else ""
    share = ratio(result, metric.key, subject, "ceiling") if metric.higher_is_better else None
    return [
        result.suite.title,
        metric.title,
        _number(result.median(subject, metric.key), metric),
        leading,
        _ratio_cell(result, metric, subject, leader),
        _ratio_cell(result, metric, subject, "uvicorn"),
        f"{share.median:.0%}" if share else "",
    ]


def _ordered(result: Result, subjects: list[str]) -> list[str]:
    first = result.suite.metrics[0]
    with_figures = [server for server in subjects if result.values(server, first.key)]

    def rank(server: str) -> float:
        return result.median(server, first.key) or 0.0

    return sorted(with_figures, key=rank, reverse=first.higher_is_better)


def _spread(result: Result, metric: Metric, server: str) -> str:
    values = result.values(server, metric.key)
    if not values:
        return ""
    median = _number(result.median(server, metric.key), metric)
    if len(values) == 1:
        return median
    return f"{median} ({_number(min(values), metric)}–{_number(max(values), metric)})"


def _number(value: float | None, metric: Metric) -> str:
    return "" if value is None else f"{value * metric.scale:,.{metric.digits}f}"


def _ratio_cell(result: Result, metric: Metric, server: str, other: str | None) -> str:
    found = ratio(result, metric.key, server, other) if other and other != server else None
    if found is None:
        return ""
    return f"{found.median:.2f}" if found.median < 10 else f"{found.median:,.0f}"


def _share_cell(result: Result, key: str, server: str) -> str:
    share = result.median(server, key)
    return "" if share is None else f"{share:.0%}"


def _saturation(result: Result, subjects: list[str]) -> list[str]:
    keys = {metric.key for metric in result.suite.metrics}
    limited = [server for server in subjects if is_saturated(result, server)]
    if "per_second" not in keys or not limited:
        return []
    return [
        (
            f"the generator was saturated under {', '.join(limited)}: "
            "between these, requests per second are a tie"
        )
    ]


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
