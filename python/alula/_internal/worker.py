"""A worker process, as it sees itself: `python -m alula._internal.worker DESCRIPTOR`."""

import os
import signal
import sys
import threading
from socket import socket
from typing import Never

from alula._internal import logs, loops, running
from alula._internal.control import DRAIN, LIMIT, PING, PONG, READY, Channel
from alula._internal.exits import STARTUP_FAILURE
from alula._internal.orders import Order
from alula._internal.serving import Service
from alula._internal.signals import StopSignals, blocked, flush, ignore
from alula._internal.stopping import StopRequest
from alula.config import Config

_ORPHAN_GRACE = 10.0
"""Seconds beyond the graceful shutdown after which a worker without supervisor ends regardless."""


def main() -> int:
    """Serves as the supervisor orders. Returns the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, ignore)
    running.in_worker = True
    channel = Channel(socket(fileno=int(sys.argv[1])))
    try:
        order = channel.receive_order()
    except EOFError:
        return STARTUP_FAILURE
    sys.path[:] = order.sys_path
    config = order.config
    stop = StopRequest()
    deadline = config.timeout_graceful_shutdown + _ORPHAN_GRACE
    listen = threading.Thread(target=_obey, args=(channel, stop, deadline), daemon=True)
    with blocked():
        listen.start()
    return running.exit_code(lambda: _serve(config, order, channel, stop))


def _serve(config: Config, order: Order, channel: Channel, stop: StopRequest) -> int:
    logs.configure(config)
    app = running.load(config)
    service = Service(
        app,
        config,
        stop,
        on_ready=lambda: channel.send(READY),
        on_limit=lambda: channel.send(LIMIT),
    )
    listeners = [socket(fileno=fd) for fd in order.listeners]
    with StopSignals(stop.ask, default=True):
        loops.run(service.serve(listeners), config.loop)
    return 0


def _obey(channel: Channel, stop: StopRequest, deadline: float) -> None:
    """Answers the supervisor, in a thread of its own; without supervisor, the worker ends."""
    while (messages := channel.receive()) is not None:
        for message in messages:
            if message == PING:
                channel.send(PONG)
            elif message == DRAIN:
                stop.ask()
    stop.ask()
    threading.Event().wait(deadline)
    _end()


def _end() -> Never:
    flush()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
