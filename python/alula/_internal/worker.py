"""A worker process, as it sees itself: `python -m alula._internal.worker DESCRIPTOR`."""

import signal
import sys
import threading
from socket import socket

from alula._internal import logs, loops, running, starting
from alula._internal.control import DRAIN, LIMIT, PING, PONG, READY, Channel
from alula._internal.exits import STARTUP_FAILURE
from alula._internal.orders import Order
from alula._internal.serving import Service
from alula._internal.signals import StopSignals, blocked, ignore
from alula._internal.stopping import END_GRACE, StopRequest
from alula._internal.watchdog import Watchdog
from alula.config import Config


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
    stop.then(Watchdog(config.timeout_graceful_shutdown + END_GRACE).start)
    listen = threading.Thread(target=_obey, args=(channel, stop), daemon=True)
    with blocked():
        listen.start()
    return starting.exit_code(lambda: _serve(config, order, channel, stop))


def _serve(config: Config, order: Order, channel: Channel, stop: StopRequest) -> int:
    logs.configure(config)
    app = starting.load(config)
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


def _obey(channel: Channel, stop: StopRequest) -> None:
    """Answers the supervisor, in a thread of its own; without supervisor, the worker ends."""
    while (messages := channel.receive()) is not None:
        for message in messages:
            if message == PING:
                channel.send(PONG)
            elif message == DRAIN:
                stop.ask()
    stop.ask()


if __name__ == "__main__":
    sys.exit(main())
