"""A running server: its start, its first right answer, its end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.exchange import Exchange, WrongAnswer, ask
from harness.machine import pinned
from harness.places import APPS
from harness.servers import Server

_START_DEADLINE = 60.0
_STOP_DEADLINE = 5.0


class ServerFailed(Exception):
    """The server did not start, or ended by itself; the message has the end of its output."""


@dataclass
class Running:
    """A server that answers."""

    port: int
    process: subprocess.Popen[bytes]


@contextmanager
def running(
    server: Server, exchange: Exchange, *, cpu: int, packages: Path, log: Path
) -> Generator[Running]:
    """Starts the server on one core, waits for its first right answer, and ends it afterwards.

    Raises `ServerFailed` if it never answers.
    """
    port = _free_port()
    with log.open("wb") as output, pinned(cpu):
        process = subprocess.Popen(
            server.command(exchange.app, port),
            cwd=APPS,
            env=_environment(packages),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await_answer(process, port, exchange, log)
        yield Running(port, process)
    finally:
        _stop(process)


def _environment(packages: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return {**kept, "PYTHONPATH": f"{packages}:{APPS}"}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_answer(
    process: subprocess.Popen[bytes], port: int, exchange: Exchange, log: Path
) -> None:
    deadline = time.monotonic() + _START_DEADLINE
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=_START_DEADLINE) as client:
                ask(client, exchange)
                return
        except ConnectionRefusedError:
            if process.poll() is not None:
                raise ServerFailed(f"ended with {process.returncode}: {_tail(log)}") from None
            if time.monotonic() > deadline:
                raise ServerFailed(f"no answer in {_START_DEADLINE:.0f} s: {_tail(log)}") from None
            time.sleep(0.001)
        except (OSError, WrongAnswer) as error:
            raise ServerFailed(f"{error}; {_tail(log)}") from error


def _tail(log: Path) -> str:
    return log.read_text(errors="replace")[-600:].strip().replace("\n", " | ")


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Ends the whole session: politely, then for certain."""
    _signal(process, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_STOP_DEADLINE)
    _signal(process, signal.SIGKILL)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except ProcessLookupError:
        return
