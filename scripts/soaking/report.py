"""The verdict of a soak, its closing line and its row for the ledger."""

from dataclasses import dataclass
from datetime import UTC, datetime

from harness import ledger, machine

from soaking.driver import Soak

GROWTH = 0.05
"""The share by which memory may exceed that of the first tenth."""
SLACK = 8 * 2**20
"""And bytes besides, for a run that is over before every cache is warm."""
SHOWN_LINES = 100
"""How much of a log with trouble in it is shown, from the first of it on."""
TROUBLE = ("Traceback", "ERROR", "CRITICAL")


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    requests: int
    seconds: float
    after_tenth: int
    at_end: int
    highest: int
    problems: tuple[str, ...]
    kinds: str


def judge(soak: Soak) -> Outcome:
    """Compares memory after the first tenth with the rest."""
    tenth = soak.wanted / 10
    after_tenth = max(sample.bytes for sample in soak.samples if sample.requests <= tenth)
    at_end = soak.samples[-1].bytes
    highest = max(sample.bytes for sample in soak.samples)
    problems = list(soak.errors)
    allowed = after_tenth * (1 + GROWTH) + SLACK
    if highest > allowed:
        problems.append(f"memory grew to {mib(highest)}, {mib(int(allowed))} were allowed")
    if soak.requests < soak.wanted and not problems:
        problems.append(f"only {soak.requests} requests were sent")
    kinds = ", ".join(f"{kind} {count}" for kind, count in soak.done.most_common())
    return Outcome(
        soak.requests, soak.seconds, after_tenth, at_end, highest, tuple(problems), kinds
    )


def mib(count: int) -> str:
    """A number of bytes for people."""
    return f"{count / 2**20:.1f} MiB"


def closing_line(outcome: Outcome, log: str, *, to_ledger: bool) -> int:
    """Prints what came of it; returns the exit code."""
    problems = list(outcome.problems)
    lines = log.splitlines()
    trouble = [at for at, line in enumerate(lines) if any(word in line for word in TROUBLE)]
    if trouble:
        shown = "\n    ".join(lines[trouble[0] : trouble[0] + SHOWN_LINES])
        problems.append(f"the server's log has {len(trouble)} lines of trouble:\n    {shown}")
    print(f"\nDone: {outcome.kinds}\n")
    row = (
        f"| date | commit | requests | a second | RSS after a tenth | at the end | highest |\n"
        f"| --- | --- | --: | --: | --: | --: | --: |\n"
        f"| {datetime.now(UTC):%Y-%m-%d} | {machine.commit()} | {outcome.requests:,} "
        f"| {outcome.requests / outcome.seconds:,.0f} | {mib(outcome.after_tenth)} "
        f"| {mib(outcome.at_end)} | {mib(outcome.highest)} |\n\n{machine.describe()}"
    )
    print(f"{row}\n")
    for problem in problems:
        print(f"PROBLEM: {problem}")
    verdict = "failed" if problems else "passed, memory flat"
    print(f"soak: {outcome.requests:,} requests in {outcome.seconds:.0f} s: {verdict}")
    if to_ledger and not problems:
        ledger.append(row, f"{datetime.now(UTC):%Y-%m-%d}, soak")
    return 1 if problems else 0
