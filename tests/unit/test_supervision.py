"""The supervisor's parts that need no process: back-off, timers, channel, watchers."""

import os
import queue
import signal
import socket
import time
from pathlib import Path
from typing import Any, cast

import pytest
from alula import Config
from alula._internal.control import PING, PONG, Channel
from alula._internal.orders import Order
from alula._internal.patterns import Patterns
from alula._internal.process import WorkerProcess
from alula._internal.signals import SignalQueue
from alula._internal.slots import Slot
from alula._internal.timers import Timers
from alula._internal.watching import NotifyingWatcher, PollingWatcher, Watcher


def worker(lived: float) -> WorkerProcess:
    class Fake:
        def lived(self) -> float:
            return lived

    return cast("WorkerProcess", Fake())


def test_the_first_replacement_comes_at_once_and_later_ones_ever_later() -> None:
    slot = Slot([])
    delays = [slot.delay_after(worker(0)) for _ in range(10)]
    assert delays == [0, 0.5, 1, 2, 4, 8, 16, 30, 30, 30]


def test_a_worker_that_has_proved_itself_begins_a_new_count() -> None:
    slot = Slot([])
    assert [slot.delay_after(worker(0)) for _ in range(3)] == [0, 0.5, 1]
    assert slot.delay_after(worker(10)) == 0
    assert slot.delay_after(worker(9.9)) == 0.5


def test_timers_call_in_order_and_not_before_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    timers, called = Timers(), list[str]()
    assert timers.next_in() is None
    timers.call_later(2, lambda: called.append("b"))
    timers.call_later(1, lambda: called.append("a"))
    timers.call_later(2, lambda: called.append("c"))
    assert timers.next_in() == 1
    timers.run_due()
    assert called == []
    now[0] = 101.0
    timers.run_due()
    assert called == ["a"]
    now[0] = 200.0
    assert timers.next_in() == 0
    timers.run_due()
    assert called == ["a", "b", "c"]


def test_an_order_and_messages_go_through_a_channel() -> None:
    left, right = map(Channel, socket.socketpair())
    order = Order.of(Config("main:app", port=7, headers=[("A", "b")], timeout_write=1.5))
    left.send_order(order)
    left.send(PING)
    left.send(PONG)
    received = right.receive_order()
    assert received.sys_path == order.sys_path
    assert received.config.to_dict() == order.config.to_dict()
    assert (received.config.port, received.config.headers) == (7, [("A", "b")])
    assert right.receive() == [PING, PONG]
    left.close()
    assert right.receive() is None
    right.send(PING)  # nobody is there
    right.close()


def test_a_message_that_comes_in_pieces_is_no_end() -> None:
    near, far = socket.socketpair()
    channel = Channel(near)
    far.sendall(b"pi")
    assert channel.receive() == []
    far.sendall(b"ng\npo")
    assert channel.receive() == [PING]
    far.sendall(b"ng\n")
    far.close()
    assert channel.receive() == [PONG]
    assert channel.receive() is None
    channel.close()


def test_an_order_that_never_comes() -> None:
    left, right = map(Channel, socket.socketpair())
    left.close()
    with pytest.raises(EOFError):
        right.receive_order()
    right.close()


def test_signals_wait_in_order_and_the_old_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with SignalQueue([signal.SIGUSR1, signal.SIGUSR2]) as signals:
        assert signals.take() == []
        os.kill(os.getpid(), signal.SIGUSR2)
        os.kill(os.getpid(), signal.SIGUSR1)
        signals.wake()
        assert signals.take() == [signal.SIGUSR2, signal.SIGUSR1]
    assert signal.getsignal(signal.SIGUSR1) == before


def test_no_signal_is_lost_when_many_others_come_first() -> None:
    with SignalQueue([signal.SIGUSR1, signal.SIGUSR2]) as signals:
        for _ in range(5000):
            signals.wake()  # the descriptor takes no more
        os.kill(os.getpid(), signal.SIGUSR1)
        for _ in range(5000):
            os.kill(os.getpid(), signal.SIGUSR2)
        assert set(signals.take()) == {signal.SIGUSR1, signal.SIGUSR2}


@pytest.mark.parametrize("kind", [PollingWatcher, NotifyingWatcher])
def test_changes_new_files_and_removals_are_reported(kind: type[Watcher], tmp_path: Path) -> None:
    kept, gone = tmp_path / "kept.py", tmp_path / "gone.py"
    kept.write_text("")
    gone.write_text("")
    reports: queue.Queue[list[Path]] = queue.Queue()
    watcher = kind(Patterns([str(tmp_path)], [], []), 0.01, reports.put)
    watcher.start()
    try:
        _until(reports, kept, lambda: kept.write_text("changed"))
        _until(reports, tmp_path / "new.py", lambda: (tmp_path / "new.py").write_text("x"))
        _until(reports, gone, gone.unlink)
        (tmp_path / "ignored.txt").write_text("")
        _until(reports, kept, lambda: kept.write_text("changed again"))
    finally:
        watcher.stop()
    assert all(path.suffix == ".py" for report in list(reports.queue) for path in report)


def _until(reports: "queue.Queue[list[Path]]", path: Path, change: Any) -> None:
    """Makes a change, and waits until it is reported; a watcher may need a moment to begin."""
    change()
    deadline = time.monotonic() + 30
    while True:
        try:
            if path in reports.get(timeout=0.5):
                return
        except queue.Empty:
            assert time.monotonic() < deadline, f"no report of {path}"
            if path.exists():
                os.utime(path)
