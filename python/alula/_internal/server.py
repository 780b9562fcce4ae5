"""One server in this process."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from socket import socket
from typing import Any

from alula._internal import loops, starting
from alula._internal.asgi import Application
from alula._internal.serving import Service, log_location
from alula._internal.signals import StopSignals
from alula._internal.sockets import Binding, adopt, bind
from alula._internal.stopping import END_GRACE, StopRequest
from alula._internal.watchdog import Watchdog
from alula.config import Config
from alula.errors import Error


class Server:
    """One server in this process, on one event loop. Can serve once."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._stop = StopRequest()
        self._settled = asyncio.Event()
        self._started = False
        self._served = False
        self._addresses: list[Any] = []
        starting.prepare(config)

    @property
    def started(self) -> bool:
        """Whether the application has started and connections are accepted."""
        return self._started

    @property
    def addresses(self) -> list[Any]:
        """Where the server listens: `(host, port, ...)` of TCP sockets, paths of Unix ones."""
        return list(self._addresses)

    @property
    def should_exit(self) -> bool:
        """Whether the server has been asked to stop. Setting it to true asks."""
        return self._stop.asked

    @should_exit.setter
    def should_exit(self, asked: bool) -> None:
        if asked:
            self._stop.ask()

    def shutdown(self) -> None:
        """Asks the server to finish what is in flight and to stop; from any thread."""
        self._stop.ask()

    async def wait_started(self) -> bool:
        """Waits until the server accepts connections or has ended. Returns whether it accepted."""
        await self._settled.wait()
        return self._started

    def run(self, sockets: Sequence[socket] | None = None) -> None:
        """Serves in an event loop of its own until the process is told to end."""
        with self._serving(sockets) as binding:
            app = starting.load(self.config)
            watchdog = Watchdog(self.config.timeout_graceful_shutdown + END_GRACE)
            self._stop.then(watchdog.start)
            try:
                with StopSignals(self._stop.ask, default=True):
                    loops.run(self._serve(binding, app, interrupts=False), self.config.loop)
            finally:
                watchdog.stop()

    async def serve(
        self, sockets: Sequence[socket] | None = None, *, install_signal_handlers: bool = False
    ) -> None:
        """Serves in the running event loop until `shutdown()` is called.

        `sockets` are used instead of those that the options ask for, and are left open. Signal
        handlers are left alone, unless they are asked for: then SIGINT and SIGTERM stop the server.
        Cancelling the task cancels the requests too. Raises `StartupError` if the server cannot
        start, and whatever importing the application raises.
        """
        with ExitStack() as stack:
            binding = stack.enter_context(self._serving(sockets))
            if install_signal_handlers:
                stack.enter_context(StopSignals(self._stop.ask))
            app = starting.application(self.config)
            await self._serve(binding, app, interrupts=not install_signal_handlers)

    @contextmanager
    def _serving(self, sockets: Sequence[socket] | None) -> Generator[Binding]:
        """Everything around serving: the sockets, and that it happens once."""
        if self._served:
            raise Error("This server has served already; make another one.")
        self._served = True
        try:
            with bind(self.config) if sockets is None else adopt(sockets) as binding:
                yield binding
        finally:
            self._settled.set()

    async def _serve(self, binding: Binding, app: Application, *, interrupts: bool) -> None:
        location = binding.location(self.config)
        self._addresses = [sock.getsockname() for sock in binding.sockets]

        def ready() -> None:
            self._started = True
            self._settled.set()
            log_location(location)

        service = Service(app, self.config, self._stop, on_ready=ready, interrupts=interrupts)
        await service.serve(binding.sockets)
