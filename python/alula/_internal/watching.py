"""Watches files, with watchfiles where it is installed and by polling where it is not."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from alula._internal.patterns import Patterns

Report = Callable[[list[Path]], None]
"""Is told which files have changed, in the watcher's thread."""


class Watcher(ABC):
    """Looks for changes in a thread of its own, from `start` to `stop`."""

    name: str
    """What the log calls it."""

    def __init__(self, patterns: Patterns, delay: float, report: Report) -> None:
        self._patterns = patterns
        self._delay = delay
        self._report = report
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="alula-reload", daemon=True)

    def start(self) -> None:
        """Begins to watch."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the watch."""
        self._stopping.set()
        self._thread.join()

    def _watch(self) -> None:
        for changed in self._changes():
            if paths := sorted(path for path in changed if path in self._patterns):
                self._report(paths)

    @abstractmethod
    def _changes(self) -> Iterable[Iterable[Path]]: ...


class PollingWatcher(Watcher):
    """Compares the files' times of change, every `delay` seconds."""

    name = "StatReload"

    def __init__(self, patterns: Patterns, delay: float, report: Report) -> None:
        super().__init__(patterns, delay, report)
        self._first = self._times()

    def _changes(self) -> Iterable[Iterable[Path]]:
        before = self._first
        while not self._stopping.wait(self._delay):
            now = self._times()
            paths = before.keys() | now.keys()
            yield [path for path in paths if before.get(path) != now.get(path)]
            before = now

    def _times(self) -> dict[Path, int]:
        times: dict[Path, int] = {}
        for path in self._patterns.files():
            try:
                times[path] = path.stat().st_mtime_ns
            except OSError:
                continue  # it has gone meanwhile
        return times


class NotifyingWatcher(Watcher):
    """Is told by the operating system, and gathers what comes within `delay` seconds."""

    name = "WatchFiles"

    def _changes(self) -> Iterable[Iterable[Path]]:
        from watchfiles import watch  # pyright: ignore[reportUnknownVariableType]

        changes = watch(
            *self._patterns.directories,
            watch_filter=None,
            debounce=max(1, int(self._delay * 1000)),
            rust_timeout=1000,
            stop_event=self._stopping,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        return ({Path(path) for _, path in changed} for changed in changes)


def watcher(patterns: Patterns, delay: float, report: Report) -> Watcher:
    """The best watcher that there is."""
    kind = PollingWatcher if find_spec("watchfiles") is None else NotifyingWatcher
    return kind(patterns, delay, report)
