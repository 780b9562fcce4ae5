"""Keeps worker processes running: replaces those that end, rolls, grows, shrinks.

The supervisor never imports the application. It binds plainly first, so that a busy port is
noticed, then holds one listener a worker, between which the system spreads connections (a Unix
socket or an inherited descriptor is one for all). A replacement gets the listener of its place, and
the worker that leaves accepts whatever is queued: no connection is refused or reset.
"""

import logging
import os
import selectors
import signal
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from socket import socket

from alula._internal.ansi import style
from alula._internal.control import LIMIT, PONG, READY
from alula._internal.exits import STARTUP_FAILURE
from alula._internal.orders import Order
from alula._internal.process import State, WorkerProcess
from alula._internal.serving import log_location
from alula._internal.signals import SignalQueue
from alula._internal.slots import Slot
from alula._internal.sockets import bind
from alula._internal.stopping import END_GRACE
from alula._internal.timers import Timers
from alula.config import Config

_LEAVE_GRACE = END_GRACE + 5.0
"""Seconds beyond the graceful shutdown after which a worker is killed: it has not ended itself."""

_START_GRACE = 10.0
"""Seconds that a worker has to leave when it was still starting."""

_CHECK_INTERVAL = 1.0
"""Seconds between two health checks, at most."""

_logger = logging.getLogger("uvicorn.error")


class Supervisor:
    """Runs `config.workers` worker processes, and sees to it that there are always so many."""

    name = "parent"
    """What the log calls it."""
    manner = ""
    """What the log says about it when it starts."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.count = config.workers
        self.slots: list[Slot] = []
        self.stopping = False
        self._order = Order.of(config)
        self._leaving: set[WorkerProcess] = set()
        self._rolling: deque[Slot] = deque()
        self._booted = False
        self._code = 0
        self._timers = Timers()
        self._selector = selectors.DefaultSelector()
        self._actions: dict[int, Callable[[int], None]] = {
            signal.SIGINT: self._stop,
            signal.SIGTERM: self._stop,
            signal.SIGHUP: self.roll,
            signal.SIGTTIN: self.grow,
            signal.SIGTTOU: self.shrink,
            signal.SIGCHLD: self._wake,
        }
        self.signals = SignalQueue(self._actions)

    def run(self) -> int:
        """Supervises until told to end. Returns the exit code.

        Raises `StartupError` if the sockets cannot be had.
        """
        with self._selector, self.signals, bind(self.config) as binding:
            log_own("Started", self.name, self.manner)
            self._binding = binding
            self._location = binding.location(self.config)
            self._selector.register(self.signals, selectors.EVENT_READ)
            try:
                self.start()
                while not self.stopping or any(self._processes()):
                    self._turn()
            finally:
                self._close()
        log_own("Stopping", self.name)
        return self._code

    def start(self) -> None:
        """Starts the workers."""
        if self.count > 1 and not self._binding.is_shared:
            self._binding.spread()
        self._add_slot(self._binding.sockets)
        for _ in range(1, self.count):
            self._add_slot(self._listeners())
        self._check_health()

    def _turn(self) -> None:
        """Waits for something to happen, and sees to everything that has."""
        for key, _ in self._selector.select(self._timers.next_in()):
            if isinstance(key.data, WorkerProcess):
                self._hear(key.data)
        for number in self.signals.take():
            self._actions[number](number)
        for process in list(self._processes()):
            if process.exit_code is not None:
                self._bury(process)
        self._timers.run_due()
        self.woken()
        self._roll_next()

    def woken(self) -> None:
        """Called once a turn."""

    # What a worker says, and what its end means.

    def _hear(self, process: WorkerProcess) -> None:
        messages = process.channel.receive()
        if messages is None:  # it ends; that it has ended is seen elsewhere
            self._selector.unregister(process.channel)
            return
        for message in messages:
            if message == READY:
                self._ready(process)
            elif message == PONG:
                process.answered()
            elif message == LIMIT:
                self._recycle(process)

    def _ready(self, process: WorkerProcess) -> None:
        process.become_ready()
        slot = self._slot_of(process)
        if slot is not None and slot.coming is process:
            old = slot.hand_over()
            if old is not None:
                self.retire(old)
        if not self._booted and all(slot.is_ready() for slot in self.slots):
            self._booted = True
            log_location(self._location)

    def _bury(self, process: WorkerProcess) -> None:
        if process.channel.fileno() in self._selector.get_map():
            self._selector.unregister(process.channel)
        process.channel.close()
        slot = self._slot_of(process)
        if slot is None:
            self._leaving.discard(process)
            self.left(process)
        elif slot.coming is process and slot.current is not None:
            slot.coming = None
            self._replacement_failed(slot, slot.current, process)
        else:
            slot.remove(process)
            self._worker_ended(slot, process)

    def left(self, process: WorkerProcess) -> None:
        """Called when a process that was to leave has left."""

    def _worker_ended(self, slot: Slot, process: WorkerProcess) -> None:
        if self.stopping:
            return
        early = process.ready_at is None
        if early and (process.exit_code == STARTUP_FAILURE or not self._booted):
            self.failed_to_start(process)
            return
        _logger.error("Child process [%d] died (%s)", process.pid, process.ending())
        if slot.coming is None:
            self._timers.call_later(slot.delay_after(process), partial(self.fill, slot))

    def failed_to_start(self, process: WorkerProcess) -> None:
        """Called when an application does not start: it would not the next time either."""
        _logger.error(
            "Child process [%d] failed to start (%s), stopping the parent process.",
            process.pid,
            process.ending(),
        )
        self._code = STARTUP_FAILURE
        self._drain_all()

    def _replacement_failed(self, slot: Slot, old: WorkerProcess, new: WorkerProcess) -> None:
        if self.stopping:
            return
        _logger.error(
            "New child process [%d] failed to start (%s), keeping [%d]",
            new.pid,
            new.ending(),
            old.pid,
        )
        if slot.rolling:
            slot.rolling = False
            self._rolling.clear()
            _logger.error("Restart aborted.")
        if slot.full:
            self._timers.call_later(slot.delay_after(new), partial(self._replace, slot))

    # What is done to workers.

    def fill(self, slot: Slot) -> None:
        """Starts a worker in a place that has none."""
        if slot in self.slots and not any(slot.processes()) and not self.stopping:
            slot.current = self._spawn(slot)

    def _replace(self, slot: Slot) -> None:
        """Starts the worker that takes over from the one in this place."""
        if slot in self.slots and slot.coming is None and not self.stopping:
            slot.coming = self._spawn(slot)

    def _recycle(self, process: WorkerProcess) -> None:
        slot = self._slot_of(process)
        if slot is not None and slot.current is process:
            _logger.info("Child process [%d] has reached its request limit.", process.pid)
            slot.full = True
            self._replace(slot)

    def _spawn(self, slot: Slot) -> WorkerProcess:
        process = WorkerProcess(self._order, slot.listeners)
        self._selector.register(process.channel, selectors.EVENT_READ, process)
        return process

    def retire(self, process: WorkerProcess) -> None:
        """Has a worker finish what is in flight and leave; its place is free at once."""
        if slot := self._slot_of(process):
            slot.remove(process)
        self._leaving.add(process)
        limit = self.config.timeout_graceful_shutdown + _LEAVE_GRACE
        if process.state is State.STARTING:
            limit = _START_GRACE
        process.leave()
        self._timers.call_later(limit, partial(self._kill_overdue, process))

    def _kill_overdue(self, process: WorkerProcess) -> None:
        if process in self._leaving:
            _logger.error("Child process [%d] does not leave, killing it.", process.pid)
            process.kill()

    def _check_health(self) -> None:
        timeout = self.config.timeout_worker_healthcheck
        for process in [slot.current for slot in self.slots if slot.is_ready()]:
            if process is not None and not process.check(timeout):
                _logger.error("Child process [%d] does not answer, killing it.", process.pid)
                process.kill()
        self._end_overdue_starts()
        limit = min(timeout, self.config.timeout_worker_startup)
        self._timers.call_later(min(_CHECK_INTERVAL, limit / 2), self._check_health)

    def _end_overdue_starts(self) -> None:
        """Kills workers that take too long to start, once the others of their kind have done it."""
        limit = self.start_limit()
        if not self._booted or limit is None:
            return
        for process in [process for slot in self.slots for process in slot.processes()]:
            if process.starting_for() >= limit:
                text = "Child process [%d] is not ready after %g seconds (--%s), killing it."
                _logger.error(text, process.pid, limit, "timeout-worker-startup")
                process.kill()

    def start_limit(self) -> float | None:
        """Seconds that a worker may take to start; None if as long as it likes."""
        return self.config.timeout_worker_startup

    # What signals ask for.

    def _wake(self, _: int) -> None:
        """Nothing: a process has ended, and the loop that is awake now looks at them all."""

    def _stop(self, number: int) -> None:
        name = signal.Signals(number).name
        if not self.stopping:
            _logger.info("Received %s, exiting.", name)
            self._drain_all()
            return
        _logger.info("Received %s again, killing all processes.", name)
        self._code = 128 + number
        for process in self._processes():
            process.kill()

    def _drain_all(self) -> None:
        self.stopping = True
        # The workers' own copies are the last: a connection made now must not wait for nobody.
        self._close_all_listeners()
        for process in list(self._processes()):
            if process not in self._leaving:
                self.retire(process)

    def roll(self, _: int) -> None:
        """Replaces all workers, one by one; those that start just now may be out of date."""
        _logger.info("Received SIGHUP, restarting processes.")
        self._rolling = deque(self.slots)
        for slot in self.slots:
            if slot.coming is not None:
                text = "Child process [%d] is still starting, replacing it too."
                _logger.info(text, slot.coming.pid)
                slot.rolling = False
                self.retire(slot.coming)
                self.fill(slot)

    def _roll_next(self) -> None:
        """Rolls the next place, when the last one is through: its old worker has left."""
        busy = self._leaving or any(slot.coming for slot in self.slots)
        if not self._rolling or busy or self.stopping:
            return
        slot = self._rolling.popleft()
        if slot in self.slots and slot.current is not None:
            slot.rolling = True
            self._replace(slot)

    def grow(self, _: int) -> None:
        """Adds a worker."""
        _logger.info("Received SIGTTIN, increasing the number of processes.")
        if not self.stopping:
            self._add_slot(self._listeners())

    def shrink(self, _: int) -> None:
        """Has the youngest worker leave, unless it is the last one."""
        _logger.info("Received SIGTTOU, decreasing number of processes.")
        if len(self.slots) <= 1:
            _logger.info(
                "Already reached one process, cannot decrease the number of processes anymore."
            )
            return
        slot = self.slots[-1]
        for process in list(slot.processes()):
            self.retire(process)
        self.slots.remove(slot)
        self._close_listeners(slot)

    # Places.

    def _add_slot(self, listeners: list[socket]) -> None:
        slot = Slot(listeners)
        self.slots.append(slot)
        self.fill(slot)

    def _listeners(self) -> list[socket]:
        return self._binding.sockets if self._binding.is_shared else self._binding.siblings()

    def _close_listeners(self, slot: Slot) -> None:
        if slot.listeners is not self._binding.sockets:
            for listener in slot.listeners:
                listener.close()

    def _slot_of(self, process: WorkerProcess) -> Slot | None:
        return next((slot for slot in self.slots if process in slot.processes()), None)

    def _processes(self) -> Iterator[WorkerProcess]:
        for slot in self.slots:
            yield from slot.processes()
        yield from self._leaving

    def _close(self) -> None:
        for process in self._processes():  # none, unless something went wrong here
            process.kill()
        self._close_all_listeners()

    def _close_all_listeners(self) -> None:
        for slot in self.slots:
            self._close_listeners(slot)
        self._binding.close()


def log_own(what: str, name: str, manner: str = "") -> None:
    """Logs that this process starts or stops its work."""
    message = f"{what} {name} process [%d]{manner}"
    color_message = f"{what} {name} process [{style('%d', fg='cyan', bold=True)}]{manner}"
    _logger.info(message, os.getpid(), extra={"color_message": color_message})
