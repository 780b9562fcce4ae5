"""Threads of one event loop, for calls that are mostly too short to be worth a thread each.

What a thread costs is waking it. So the thread that was last busy is woken first, and one that is
awake takes what comes meanwhile, as long as nobody has to wait for it:

- A function that was slow lately (`Pace`) gets a thread of its own for each call, and so does a
  function that was never called.
- While calls are queued, the loop looks each millisecond whether they are taken. If not, what runs
  counts as slow, and more threads are woken: 1, 2, 4 ...
- What is finished goes back to the loop together, once a thread has nothing more to do, comes upon
  a slow call, or has been busy for long. The loop fetches it itself when it looks.

A `Pool` belongs to its loop's thread. Its threads share `jobs`, `finished`, `idle` and `workers`
with it, by operations that the interpreter does not divide, and call `notify`, `withdraw` and
`expire`.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable
from contextvars import Context
from typing import Any

from anyio.lowlevel import current_token
from anyio.to_thread import current_default_thread_limiter

from alula._internal.compiled.anyio_parts import Parts
from alula._internal.compiled.bells import Bell
from alula._internal.compiled.workers import SLOW_CALLS, Job, Pace, Worker

IDLE_SECONDS = 10.0
"""How long a thread without work stays, as in anyio."""

LOOK_SECONDS = 1e-3
"""How often the loop looks after queued calls: the finest that loops' timers do."""


class Pool:
    """The threads of a loop that runs, to be made in a task of it.

    `limiter`: anyio's default one, whose tokens each call but an unlimited one needs.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, parts: Parts) -> None:
        self.loop = loop
        self.parts = parts
        self.token = current_token()
        self.limiter = current_default_thread_limiter()
        self.pace = Pace()
        self.jobs: deque[Job] = deque()
        self.finished: deque[tuple[Job, Any, BaseException | None]] = deque()
        self.workers: set[Worker] = set()
        self.idle: list[Worker] = []
        self.waking: Worker | None = None
        self.is_retired = False
        self.life: AsyncGenerator[None, None] | None = None
        self._context = Context()
        self._is_told = False
        self._bell: Bell | None = None
        self._tell: Callable[[], None] = self._tell_plainly
        self._hang_bell()
        self._unfinished = 0
        self._slow = 0
        self._is_crowded = False
        self._wakes_soon = False
        self._looks = False
        self._head: Job | None = None
        self._reinforcement = 1

    def _hang_bell(self) -> None:
        """A bell of our own costs a loop less than `call_soon_threadsafe`."""
        try:
            bell = Bell(blocking=False)
            # Else the reader would keep the context of this request.
            self._context.run(self.loop.add_reader, bell, self._answer, bell)
        except (OSError, NotImplementedError):
            return
        self._bell = bell
        self._tell = bell.ring

    # ---- Towards the threads

    def submit(
        self, pace: Pace, function: Callable[..., Any], arguments: dict[str, Any], scope: Any
    ) -> asyncio.Future[Any]:
        """Has a function called in a thread, with a copy of the current context.

        `scope`: the cancel scope that the function is in, for `anyio.from_thread`.
        """
        future: asyncio.Future[Any] = self.loop.create_future()
        job = Job(pace, function, arguments, future, scope)
        library = self.parts.library
        if library is not None and library.get() is not None:
            job.context.run(library.set, None)
        self._unfinished += 1
        if job.is_slow:
            self._slow += 1
        self.jobs.append(job)
        # One for each slow one, and one for all the quick ones.
        wanted = self._slow + (self._unfinished > self._slow)
        if len(self.workers) - len(self.idle) + self._wakes_soon < wanted:
            self._wake_for(job)
            is_left = len(self.jobs) > 1
        else:
            is_left = True
        if is_left and not self._looks:
            self._look_later()
        return future

    def _wake_for(self, job: Job) -> None:
        if self._is_crowded and not job.is_slow:
            # There are probably more of them in this turn of the loop.
            self._wakes_soon = True
            self.loop.call_soon(self._wake_soon, context=self._context)
        else:
            self._wake()

    def _wake_soon(self) -> None:
        self._wakes_soon = False
        if self.jobs:
            self._wake()

    def _wake(self) -> None:
        """Wakes a thread, or starts one."""
        try:
            worker = self.idle.pop()
        except IndexError:
            self._start()
        else:
            self.waking = worker
            worker.wake()

    def _start(self) -> None:
        worker = Worker(self)
        self.workers.add(worker)
        try:
            worker.start()
        except RuntimeError as error:  # no more threads to be had
            self.workers.discard(worker)
            if not self.workers:
                while self.jobs:
                    self.finished.append((self.jobs.popleft(), None, error))
                self._deliver()

    def _look_later(self) -> None:
        self._looks = True
        try:
            self._head = self.jobs[0]
        except IndexError:  # taken meanwhile
            self._head = None
        self.loop.call_later(LOOK_SECONDS, self._look, context=self._context)

    def _look(self) -> None:
        """Looks whether the queue moves."""
        self._looks = False
        head, self._head = self._head, None
        if self.finished:
            self._deliver()
        try:
            stuck = self.jobs[0] is head
        except IndexError:
            self._reinforcement = 1
            return
        if not stuck:
            self._reinforcement = 1
        elif self.waking is None:
            self._reinforce()
        self._look_later()

    def _reinforce(self) -> None:
        """Wakes more threads, as what runs takes long."""
        for worker in tuple(self.workers):
            job = worker.job
            if job is not None and not job.is_slow:
                job.is_slow = True
                self._slow += 1
                job.pace.slow_calls = SLOW_CALLS
        for _ in range(min(len(self.jobs), self._reinforcement)):
            self._wake()
        self._reinforcement *= 2

    # ---- Called by any thread

    def withdraw(self, worker: Worker) -> bool:
        """Takes a thread out of `idle`. False if somebody else has, who wakes it."""
        try:
            self.idle.remove(worker)
        except ValueError:
            return False
        return True

    def expire(self, now: float) -> None:
        """Ends the thread that has been idle for longest, if that is long."""
        try:
            worker = self.idle[0]
        except IndexError:
            return
        if now - worker.idle_since >= IDLE_SECONDS and self.withdraw(worker):
            worker.wake(for_good=True)

    def notify(self) -> None:
        """Tells the loop that jobs are finished, unless it was told."""
        if not self._is_told:
            self._is_told = True
            self._tell()

    def _tell_plainly(self) -> None:
        try:
            self.loop.call_soon_threadsafe(self._deliver, context=self._context)
        except RuntimeError:
            if not self.loop.is_closed():
                raise

    # ---- Back from the threads

    def _answer(self, bell: Bell) -> None:
        bell.answer()
        self._deliver()

    def _deliver(self) -> None:
        # Before the first is taken: what is finished after that rings anew.
        self._is_told = False
        finished = self.finished
        self._is_crowded = len(finished) > 1
        while finished:
            job, result, error = finished.popleft()
            self._unfinished -= 1
            if job.is_slow:
                self._slow -= 1
            future = job.future
            if future.cancelled():
                continue
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

    # ---- The end

    def retire(self) -> None:
        """Ends the threads as soon as they have nothing to do."""
        self.is_retired = True
        while self.idle:
            try:
                worker = self.idle.pop()
            except IndexError:  # it withdrew
                return
            worker.wake()

    def leave(self) -> None:
        """Retires, and leaves the loop, which is still open."""
        self.retire()
        if self._bell is not None:
            self.loop.remove_reader(self._bell)
            self._bell = None
            self._tell = self._tell_plainly
            # What the bell told nobody about.
            self._deliver()
