"""The generators: a wrong answer, a lost connection or a stall must show."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from harness import tools
from harness.exchange import WrongAnswer, check
from harness.load import Load, NoSpeed, Run
from harness.places import NATIVE

from selftest.scripted import EXCHANGE, Script, answer, serving, stalling

_SWAPPED = EXCHANGE.expected[1:2] + EXCHANGE.expected[:1] + EXCHANGE.expected[2:]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    return Load(tools.build(NATIVE / "load.c"), tmp_path)


def closed(load: Load, script: Script, *, connections: int = 2, seconds: float = 0.3) -> Run:
    with serving(script) as port:
        return load.ours(port, EXCHANGE, connections=connections, seconds=seconds)


def wrk(load: Load, script: Script) -> Run:
    if shutil.which("wrk") is None:
        pytest.skip("wrk is not installed")
    with serving(script) as port:
        return load.wrk(port, EXCHANGE, connections=2, seconds=1)


def test_right_answers_have_a_speed(load: Load) -> None:
    run = closed(load, lambda _: answer())
    assert run.answered > 10
    assert run.latency_us["p50"] <= run.latency_us["max"]


@pytest.mark.parametrize("piece", [7, 49, 50, 1000])
def test_an_answer_may_come_in_pieces(load: Load, piece: int) -> None:
    with serving(lambda _: answer(), piece) as port:
        run = load.ours(port, EXCHANGE, connections=2, seconds=0.2)
    assert run.answered > 1


def test_swapped_bytes_have_no_speed(load: Load) -> None:
    with pytest.raises(NoSpeed, match="1 wrong"):
        closed(load, lambda number: answer(_SWAPPED if number == 50 else EXCHANGE.expected))


def test_a_short_body_has_no_speed(load: Load) -> None:
    with pytest.raises(NoSpeed, match=r"[12] wrong"):
        closed(load, lambda _: answer(EXCHANGE.expected[:-1]))


def test_bytes_after_the_answer_have_no_speed(load: Load) -> None:
    with pytest.raises(NoSpeed, match=r"[12] wrong"):
        closed(load, lambda _: answer() + b"x")


def test_another_status_has_no_speed(load: Load) -> None:
    with pytest.raises(NoSpeed, match="1 wrong"):
        closed(load, lambda n: answer(status="503 Busy" if n == 20 else "200 OK"))


def test_a_lost_connection_has_no_speed(load: Load) -> None:
    with pytest.raises(NoSpeed, match="1 socket_errors"):
        closed(load, lambda number: None if number == 30 else answer())


def test_a_refused_connection_has_no_speed(load: Load) -> None:
    with serving(lambda _: answer()) as port:
        pass
    with pytest.raises(NoSpeed, match="Connection refused"):
        load.ours(port, EXCHANGE, connections=1, seconds=0.1)


def test_a_stall_shows_in_every_request_that_was_due(load: Load) -> None:
    with serving(stalling(at=100, seconds=0.4)) as port:
        run = load.ours(port, EXCHANGE, connections=1, seconds=1, rate=1000)
    assert run.answered == 1000
    assert run.latency_us["max"] > 390_000
    # 400 of 1,000 requests fell due during the stall: the median of those waited for 0.2 s.
    assert run.latency_us["p90"] > 150_000


def test_a_closed_loop_hides_the_same_stall(load: Load) -> None:
    run = closed(load, stalling(at=100, seconds=0.4), connections=1, seconds=1)
    assert run.latency_us["max"] > 390_000
    assert run.latency_us["p90"] < 150_000


def test_wrk_counts_right_answers(load: Load) -> None:
    assert wrk(load, lambda _: answer()).answered > 10


def test_wrk_sees_another_length(load: Load) -> None:
    with pytest.raises(NoSpeed, match=r"[1-9][0-9]* wrong"):
        wrk(load, lambda number: answer(b"short") if number == 9 else answer())


def test_wrk_sees_another_status(load: Load) -> None:
    with pytest.raises(NoSpeed, match=r"[1-9][0-9]* wrong"):
        wrk(load, lambda n: answer(status="201 Created" if n == 9 else "200 OK"))


def test_wrk_sees_a_lost_connection(load: Load) -> None:
    with pytest.raises(NoSpeed, match=r"[1-9][0-9]* socket_errors"):
        wrk(load, lambda number: None if number == 9 else answer())


def test_the_check_compares_every_byte(load: Load) -> None:
    with serving(lambda _: answer(_SWAPPED)) as port, pytest.raises(WrongAnswer):
        check(port, EXCHANGE)


def test_the_check_asks_twice_on_a_connection(load: Load) -> None:
    script: Script = lambda number: None if number else answer()  # noqa: E731
    with serving(script) as port, pytest.raises(WrongAnswer, match="closed"):
        check(port, EXCHANGE)
