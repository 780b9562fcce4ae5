"""One server process: lifespan, native worker, drain."""

import asyncio
import logging
import os
import time
from collections.abc import Callable, Sequence
from socket import socket
from typing import Any

from alula._alula import Worker
from alula._internal import logs, signals, sockets
from alula._internal.ansi import style
from alula._internal.asgi import Application
from alula._internal.lifespan import Lifespan
from alula._internal.stopping import StopRequest
from alula._internal.trace import traced
from alula.config import Config
from alula.errors import StartupError

STREAM_GRACE = 1.0
"""Seconds after which a draining server tells streams that it goes away."""

_CANCEL_GRACE = 1.0
"""Seconds that cancelled requests have to clean up."""

_SHUTDOWN_GRACE = 5.0
"""Seconds that the lifespan's shutdown has at least, however late the last request has ended."""

_LOOK = 0.1
"""Seconds between two looks whether a draining server is idle, besides those it is told to take."""

_logger = logging.getLogger("uvicorn.error")


class Service:
    """Serves an application on bound sockets until it is asked to stop.

    `on_ready` is called when connections are accepted; `on_limit` when the process has answered so
    many requests as it may, without it the process stops then. With `interrupts` a
    `KeyboardInterrupt` out of the application ends the event loop instead of the request.
    """

    def __init__(
        self,
        app: Application,
        config: Config,
        stop: StopRequest,
        *,
        on_ready: Callable[[], None],
        on_limit: Callable[[], None] | None = None,
        interrupts: bool = False,
    ) -> None:
        self._app = traced(app)
        self._config = config
        self._stop = stop
        self._on_ready = on_ready
        self._on_limit = on_limit
        self._interrupts = interrupts
        self._idle = asyncio.Event()

    async def serve(self, listeners: Sequence[socket]) -> None:
        """Serves, and takes the sockets over. Raises `StartupError` if the startup fails."""
        _log_process("Started server process")
        lifespan = Lifespan(self._app, self._config.lifespan)
        if not await self._startup(lifespan):
            return
        asked_at: float | None = None
        try:
            worker = self._worker(listeners, lifespan.state)
            try:
                worker.start()
                self._on_ready()
                await self._stop.wait()
                asked_at = time.monotonic()
                await self._drain(worker)
            finally:
                worker.close()
        finally:
            await lifespan.shutdown(self._left(asked_at))
        _log_process("Finished server process")

    def _left(self, asked_at: float | None) -> float:
        """Seconds for the lifespan's shutdown: what the requests have left of the deadline."""
        now = time.monotonic()
        end = (now if asked_at is None else asked_at) + self._config.timeout_graceful_shutdown
        return max(end - now, _SHUTDOWN_GRACE)

    async def _startup(self, lifespan: Lifespan) -> bool:
        """Starts the application. Returns false if the server was asked to stop meanwhile."""
        startup = asyncio.ensure_future(lifespan.startup())
        stopped = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait({startup, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not startup.done():
                return False
            if not startup.result():
                raise StartupError("Application startup failed. Exiting.")
            return True
        finally:
            stopped.cancel()
            if not startup.done() or startup.cancelled():
                startup.cancel()
                await lifespan.abort()

    def _worker(self, listeners: Sequence[socket], state: dict[str, Any]) -> Worker:
        sockets.listen(listeners, self._config.backlog)
        with signals.blocked():  # for the thread that writes the access log
            return Worker(
                self._app,
                self._config,
                asyncio.get_running_loop(),
                [listener.detach() for listener in listeners],
                state=state,
                on_limit=self._limit_reached,
                on_idle=self._idle.set,
                access_log=logs.access_log(self._config),
                propagate_interrupts=self._interrupts,
            )

    def _limit_reached(self) -> None:
        if self._on_limit is not None:
            self._on_limit()
            return
        _logger.info(
            "Maximum request limit of %d exceeded. Terminating process.",
            self._config.limit_max_requests,
        )
        self._stop.ask()

    async def _drain(self, worker: Worker) -> None:
        """Finishes what is in flight: streams are told after a second, all is cancelled later."""
        _logger.info("Shutting down")
        limit = self._config.timeout_graceful_shutdown
        worker.stop_accepting()
        worker.drain()
        if await self._is_idle_within(worker, 0):
            return
        _logger.info("Waiting for connections to close. (CTRL+C to force quit)")
        if await self._is_idle_within(worker, min(STREAM_GRACE, limit)):
            return
        worker.disconnect_streams()
        if await self._is_idle_within(worker, limit - STREAM_GRACE):
            return
        if worker.tasks:
            text = "Cancel %d running task(s), timeout graceful shutdown exceeded"
            _logger.error(text, worker.tasks)
            worker.cancel_tasks()
            if await self._is_idle_within(worker, _CANCEL_GRACE):
                return
        if worker.connections:  # their clients do not take the answers
            text = "Close %d connection(s), timeout graceful shutdown exceeded"
            _logger.error(text, worker.connections)

    async def _is_idle_within(self, worker: Worker, seconds: float) -> bool:
        """Waits at most so long for the last connection and the last task to end."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while worker.connections or worker.tasks:
            left = end - loop.time()
            if left <= 0:
                return False
            self._idle.clear()
            waiter = asyncio.ensure_future(self._idle.wait())
            try:
                await asyncio.wait({waiter}, timeout=min(left, _LOOK))
            finally:
                waiter.cancel()
        return True


def _log_process(what: str) -> None:
    """Logs a line that ends with the process id, which is cyan where there are colours."""
    color_message = f"{what} [{style('%d', fg='cyan')}]"
    _logger.info(f"{what} [%d]", os.getpid(), extra={"color_message": color_message})  # noqa: G004


def log_location(location: str) -> None:
    """Logs where clients find the server."""
    hint = "(Press CTRL+C to quit)"
    color_message = f"Alula running on {style('%s', bold=True)} {hint}"
    _logger.info(f"Alula running on %s {hint}", location, extra={"color_message": color_message})  # noqa: G004
