"""Ratios and verdicts: paired by round, against the right server, in the right direction."""

from __future__ import annotations

from harness.measure import Figures
from harness.rounds import Result
from harness.suites import SUITES, Metric, Suite, Target
from harness.verdict import Judgement, best, judge, ratio

_PEERS = ["uvicorn", "granian"]
_SPEED = SUITES["plain"].metrics[0]
_TAIL = SUITES["p99-64"].metrics[0]


def _result(metric: Metric, **values: list[float]) -> Result:
    suite = Suite("test", "test", "throughput", "plain", (metric,))
    rounds: dict[str, list[Figures]] = {
        server: [{metric.key: value} for value in listed] for server, listed in values.items()
    }
    return Result(suite, rounds)


def judged(metric: Metric, bound: float, **values: list[float]) -> Judgement:
    target = Target("best peer", bound)
    judgement = judge(_result(metric, **values), metric, target, "alula", _PEERS)
    assert judgement is not None
    return judgement


def test_a_slow_phase_of_the_machine_cancels_out() -> None:
    result = _result(_SPEED, alula=[150, 90, 150], uvicorn=[50, 30, 50])
    found = ratio(result, _SPEED.key, "alula", "uvicorn")
    assert found is not None
    assert (found.median, found.lowest, found.highest) == (3, 3, 3)


def test_the_best_peer_depends_on_the_direction() -> None:
    assert best(_result(_SPEED, uvicorn=[1], granian=[2]), _SPEED, _PEERS) == "granian"
    assert best(_result(_TAIL, uvicorn=[1], granian=[2]), _TAIL, _PEERS) == "uvicorn"


def test_the_ceiling_is_no_peer() -> None:
    judgement = judged(_SPEED, 1.3, alula=[14], granian=[10], ceiling=[99])
    assert judgement.verdict == "met"


def test_a_miss_says_by_how_much() -> None:
    judgement = judged(_SPEED, 1.25, alula=[10, 10, 10], granian=[10, 10, 10])
    assert judgement.verdict == "missed by 20.0%"
    judgement = judged(_TAIL, 0.5, alula=[10], uvicorn=[10])
    assert judgement.verdict == "missed by 100.0%"


def test_a_miss_within_the_spread_says_so() -> None:
    judgement = judged(_SPEED, 1.0, alula=[9, 9, 11], granian=[10, 10, 10])
    assert judgement.verdict == "missed by 10.0%, within the spread"


def test_a_saturated_generator_makes_a_tie() -> None:
    metric = SUITES["plain"].metrics[1]
    result = _result(metric, alula=[9.0], granian=[10.0])
    result.figures["alula"][0]["generator_share"] = 0.97
    judgement = judge(result, metric, Target("best peer", 1.0), "alula", _PEERS)
    assert judgement is not None
    assert judgement.verdict == "tie (generator saturated)"


def test_a_server_that_failed_a_round_has_no_figure() -> None:
    result = _result(_SPEED, uvicorn=[1], granian=[2])
    result.failures["granian"] = "NoSpeed: 1 wrong"
    assert best(result, _SPEED, _PEERS) == "uvicorn"
