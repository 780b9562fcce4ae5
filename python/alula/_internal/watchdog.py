"""Ends a process that was asked to end, and hangs."""

import _thread
import logging
import os
from threading import Event

from alula._internal.signals import blocked, flush

_OVERDUE = 1
"""The exit code of a process that had to be ended."""

_LAST_WORDS = 1.0
"""Seconds for the log."""

_logger = logging.getLogger("uvicorn.error")


class Watchdog:
    """Once started, ends the process after so many seconds, unless it is stopped before.

    What no cancelling reaches is left to it: a loop that an application blocks, a task that does
    not let itself be cancelled, a thread that the executor or the interpreter waits for.
    """

    def __init__(self, seconds: float, since: str = "the request to stop") -> None:
        self._seconds = seconds
        self._since = since
        self._stopped = Event()
        self._awake = Event()
        self._told = Event()

    def start(self) -> None:
        """Begins to count; in a signal handler too, so without the locks of `threading.Thread`."""
        with blocked():
            # At once, since an interpreter that is about to end starts no thread (CPython 3.12).
            _thread.start_new_thread(self._tell, ())
            _thread.start_new_thread(self._run, ())

    def stop(self) -> None:
        """The process goes on, or ends by itself."""
        self._stopped.set()
        self._awake.set()

    def _run(self) -> None:
        if self._stopped.wait(self._seconds):
            return
        self._awake.set()
        self._told.wait(_LAST_WORDS)
        os._exit(_OVERDUE)

    def _tell(self) -> None:
        """Says why; in a thread of its own, for it may be the log that hangs."""
        self._awake.wait()
        if self._stopped.is_set():
            return
        _logger.error(
            "Still running %.3g seconds after %s, ending the process.",
            self._seconds,
            self._since,
        )
        flush()
        self._told.set()
