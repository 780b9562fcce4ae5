"""A request to stop, from anywhere: a signal, another thread, or before the loop runs."""

import asyncio
from contextlib import suppress


class StopRequest:
    """Asks one server to stop. Asking again changes nothing."""

    def __init__(self) -> None:
        self._asked = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None

    def ask(self) -> None:
        """Asks the server to stop; from any thread, from a signal handler too."""
        self._asked = True
        if self._loop is not None and self._event is not None:
            with suppress(RuntimeError):  # the loop is closed: the server has stopped
                self._loop.call_soon_threadsafe(self._event.set)

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
