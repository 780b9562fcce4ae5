"""A request to stop, from anywhere: a signal, another thread, or before the loop runs."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

END_GRACE = 10.0
"""Seconds beyond the graceful shutdown within which a process has ended, or is ended.

Cancelled requests have a second of them, the lifespan's shutdown at least five.
"""


class StopRequest:
    """Asks one server to stop. Asking again changes nothing."""

    def __init__(self) -> None:
        self._asked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None
        self._then: Callable[[], None] | None = None

    def then(self, call: Callable[[], None]) -> None:
        """Has the first one who asks call this too, wherever that is; at once if one has."""
        self._then = call
        if self._asked:
            self._call()

    def ask(self) -> None:
        """Asks the server to stop; from any thread, from a signal handler too."""
        self._asked = True
        self._call()
        if self._loop is not None and self._event is not None:
            with suppress(RuntimeError):  # the loop is closed: the server has stopped
                self._loop.call_soon_threadsafe(self._event.set)

    def _call(self) -> None:
        call, self._then = self._then, None
        if call is not None:
            call()

    @property
    def asked(self) -> bool:
        """Whether somebody has asked."""
        return self._asked

    async def wait(self) -> None:
        """Waits until somebody asks."""
        if self._event is None:
            self._event = asyncio.Event()
            self._loop = asyncio.get_running_loop()
        if not self._asked:
            await self._event.wait()
