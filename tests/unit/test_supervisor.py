"""What the supervisor does about what its workers say, with workers that are none."""

import itertools
import socket
from collections.abc import Iterator
from typing import ClassVar

import pytest
from alula import Config
from alula._internal import supervisor
from alula._internal.control import LIMIT, READY, Channel
from alula._internal.process import State
from alula._internal.slots import Slot
from alula._internal.supervisor import Supervisor

_pids = itertools.count(1)


class Fake:
    """Stands for a worker process."""

    made: ClassVar["list[Fake]"] = []

    def __init__(self, *_: object) -> None:
        ours, theirs = socket.socketpair()
        self.channel, self.far = Channel(ours), Channel(theirs)
        self.pid = next(_pids)
        self.state = State.STARTING
        self.exit_code: int | None = None
        self.ready_at: float | None = None
        self.left = self.killed = False
        self.starting = 0.0
        self.made.append(self)

    def become_ready(self) -> None:
        self.state, self.ready_at = State.READY, 0.0

    def leave(self) -> None:
        self.left = True

    def kill(self) -> None:
        self.killed = True

    def check(self, _: float) -> bool:
        return True

    def starting_for(self) -> float:
        return self.starting

    def lived(self) -> float:
        return 0.0

    def ending(self) -> str:
        return f"exit code {self.exit_code}"


class Turned(Supervisor):
    """A supervisor with one place that is told what happens, and turns for it."""

    _location = "nowhere"

    def begin(self) -> Fake:
        self.slots.append(Slot([]))
        self.fill(self.slots[0])
        return self.says(Fake.made[-1], READY)

    def says(self, worker: Fake, *messages: bytes) -> Fake:
        """The worker says this; returns the latest worker."""
        for message in messages:
            worker.far.send(message)
        return self.turned()

    def ends(self, worker: Fake, code: int) -> Fake:
        """The worker has ended; returns the latest one."""
        worker.exit_code = code
        worker.far.close()
        return self.turned()

    def turned(self) -> Fake:
        for _ in range(3):
            self._timers.call_later(0, lambda: None)  # so that it does not wait
            self._turn()
        return Fake.made[-1]


@pytest.fixture
def parent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Turned]:
    Fake.made = []
    monkeypatch.setattr(supervisor, "WorkerProcess", Fake)
    parent = Turned(Config("main:app", workers=2))
    yield parent
    for worker in Fake.made:
        worker.channel.close()
        worker.far.close()
    parent._selector.close()
    parent.signals.__exit__()


def test_a_full_worker_is_replaced_and_leaves(parent: Turned) -> None:
    first = parent.begin()
    second = parent.says(first, LIMIT)
    assert second is not first
    assert not first.left
    parent.says(second, READY)
    assert first.left


def test_a_limit_that_comes_during_a_roll_outlives_its_failure(parent: Turned) -> None:
    first = parent.begin()
    parent.roll(0)
    rolled = parent.turned()
    assert rolled is not first
    assert parent.says(first, LIMIT) is rolled, "one replacement is enough"
    again = parent.ends(rolled, 3)
    assert again is not rolled, "the worker is full and must be replaced all the same"
    parent.says(again, READY)
    assert first.left


def test_a_roll_that_fails_is_not_tried_again(parent: Turned) -> None:
    first = parent.begin()
    parent.roll(0)
    rolled = parent.turned()
    assert parent.ends(rolled, 3) is rolled
    assert not first.left


def test_the_successor_of_a_full_worker_is_not_full(parent: Turned) -> None:
    first = parent.begin()
    parent.roll(0)
    rolled = parent.says(first, LIMIT)
    parent.says(rolled, READY)
    assert first.left
    parent.ends(first, 0)
    third = parent.turned()
    assert third is not rolled, "the restart was asked for before"
    assert parent.ends(third, 3) is third


def test_a_replacement_that_does_not_become_ready_is_killed(parent: Turned) -> None:
    first = parent.begin()
    parent.roll(0)
    hung = parent.turned()
    hung.starting = 119.9
    parent._check_health()
    assert not hung.killed
    hung.starting = 120.0
    parent._check_health()
    assert hung.killed
    assert parent.ends(hung, -9) is hung
    assert not first.left
    parent.roll(0)
    assert parent.turned() is not hung, "a later restart is tried"


def test_the_first_workers_have_all_the_time_they_need(parent: Turned) -> None:
    parent.slots.append(Slot([]))
    parent.fill(parent.slots[0])
    first = Fake.made[-1]
    first.starting = 1e6
    parent._check_health()
    assert not first.killed


def test_a_restart_starts_anew_what_is_just_starting(parent: Turned) -> None:
    first = parent.begin()
    parent.roll(0)
    stale = parent.turned()
    parent.roll(0)
    assert stale.left
    assert parent.turned() is stale, "one at a time"
    fresh = parent.ends(stale, -15)
    assert fresh is not stale
    parent.says(fresh, READY)
    assert first.left
