"""A supervisor whose one worker starts anew whenever a watched file changes."""

import logging
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from alula._internal.patterns import Patterns
from alula._internal.process import WorkerProcess
from alula._internal.signals import blocked
from alula._internal.supervisor import Supervisor
from alula._internal.watching import watcher
from alula.config import Config

_logger = logging.getLogger("uvicorn.error")


class Reloader(Supervisor):
    """Runs one worker. An application that does not start is tried again after the next change."""

    name = "reloader"

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.count = 1
        patterns = Patterns(config.reload_dirs, config.reload_includes, config.reload_excludes)
        _logger.info(
            "Will watch for changes in these directories: %s", list(map(str, patterns.directories))
        )
        self._changes: deque[list[Path]] = deque()
        self._watcher = watcher(patterns, config.reload_delay, self._report)
        self.manner = f" using {self._watcher.name}"
        self._outgoing: WorkerProcess | None = None

    def _report(self, paths: list[Path]) -> None:
        self._changes.append(paths)
        self.signals.wake()

    def run(self) -> int:
        """As a supervisor, and watches meanwhile."""
        with blocked():
            self._watcher.start()
        try:
            return super().run()
        finally:
            self._watcher.stop()

    def woken(self) -> None:
        """Sees to the changes that have been reported."""
        while self._changes and not self.stopping:
            paths = self._changes.popleft()
            name = self._watcher.name
            _logger.warning("%s detected changes in %s. Reloading...", name, _shown(paths))
            self._restart()

    def roll(self, _: int) -> None:
        """Restarts the worker."""
        _logger.info("Received SIGHUP, restarting the process.")
        self._restart()

    def start_limit(self) -> None:
        """None: somebody may be debugging it."""

    def grow(self, _: int) -> None:
        """Does nothing: there is one worker."""

    def shrink(self, _: int) -> None:
        """Does nothing: there is one worker."""

    def _restart(self) -> None:
        (slot,) = self.slots
        if slot.current is not None:
            self._outgoing = slot.current
            self.retire(slot.current)
        elif self._outgoing is None:
            self.fill(slot)

    def left(self, process: WorkerProcess) -> None:
        """Starts the next worker when the last one has left."""
        if process is self._outgoing:
            self._outgoing = None
            self.fill(self.slots[0])

    def failed_to_start(self, process: WorkerProcess) -> None:
        """Waits for the next change."""
        _logger.warning("Child process [%d] failed to start, waiting for changes.", process.pid)


def _shown(paths: Iterable[Path]) -> str:
    """The paths for a log line, relative to the working directory where they are in it."""
    here = Path.cwd()
    return ", ".join(
        f"'{path.relative_to(here) if path.is_relative_to(here) else path}'" for path in paths
    )
