"""The lifespan protocol of ASGI, version 2.0."""

import asyncio
import logging
from typing import Any

from alula._internal.asgi import Application, Message, Scope

_CANCEL_GRACE = 1.0
"""Seconds that a cancelled lifespan has to clean up."""

_logger = logging.getLogger("uvicorn.error")


class Lifespan:
    """Tells an application that the server starts and stops.

    `mode` is `on`, `off` or `auto`: with `auto` an application that raises before it has answered
    is taken to be one without lifespan. `state` is the dictionary of the lifespan's scope, of which
    every request gets a copy.
    """

    def __init__(self, app: Application, mode: str) -> None:
        self.state: dict[str, Any] = {}
        self._app = app
        self._mode = mode
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._started = asyncio.Event()
        self._stopped = asyncio.Event()
        self._failed = False
        self._task: asyncio.Task[None] | None = None

    async def startup(self) -> bool:
        """Has the application start up. Returns whether it did."""
        if self._mode == "off":
            return True
        _logger.info("Waiting for application startup.")
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._messages.put_nowait({"type": "lifespan.startup"})
        await self._started.wait()
        if self._failed:
            return False
        _logger.info("Application startup complete.")
        return True

    async def shutdown(self, seconds: float) -> bool:
        """Has the application shut down. Returns whether it did so without failing.

        After so many seconds it is cancelled.
        """
        if self._task is None or self._task.done():
            return not self._failed
        _logger.info("Waiting for application shutdown.")
        self._messages.put_nowait({"type": "lifespan.shutdown"})
        try:
            async with asyncio.timeout(seconds):
                await self._stopped.wait()
        except TimeoutError:
            _logger.error(  # noqa: TRY400 - one line, no traceback
                "Application shutdown not complete after %.3g seconds, timeout graceful shutdown"
                " exceeded. Exiting.",
                seconds,
            )
            await self.abort()
            return False
        if self._failed:
            _logger.error("Application shutdown failed. Exiting.")
            return False
        _logger.info("Application shutdown complete.")
        return True

    async def abort(self) -> None:
        """Cancels the application's lifespan, wherever it is, and waits a moment for its end."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=_CANCEL_GRACE)

    async def _run(self) -> None:
        version = getattr(self._app, "asgi_version", "3.0")
        asgi = {"version": version, "spec_version": "2.0"}
        scope: Scope = {"type": "lifespan", "asgi": asgi, "state": self.state}
        try:
            await self._app(scope, self._receive, self._send)
        except asyncio.CancelledError:
            self._failed = True
        except BaseException as error:  # noqa: BLE001 - sys.exit() in a startup is its failure
            self._note(error)
        finally:
            self._started.set()
            self._stopped.set()

    def _note(self, error: BaseException) -> None:
        if self._failed:  # the application has said so itself, and then raised
            return
        unsupported = self._mode == "auto" and isinstance(error, Exception)
        if unsupported and not self._started.is_set():
            _logger.info("ASGI 'lifespan' protocol appears unsupported.")
            return
        self._failed = True
        _logger.error("Exception in 'lifespan' protocol\n", exc_info=error)

    async def _receive(self) -> Message:
        return await self._messages.get()

    async def _send(self, message: Message) -> None:
        kind: str = message["type"]
        phase, _, outcome = kind.removeprefix("lifespan.").partition(".")
        if phase not in {"startup", "shutdown"} or outcome not in {"complete", "failed"}:
            raise RuntimeError(f"Expected a lifespan message, got {kind!r}.")
        done = self._started if phase == "startup" else self._stopped
        if done.is_set() or (phase == "shutdown" and not self._started.is_set()):
            raise RuntimeError(f"Got {kind!r} out of order on the lifespan protocol.")
        if outcome == "failed":
            self._failed = True
            if text := message.get("message"):
                _logger.error(text)
        done.set()
