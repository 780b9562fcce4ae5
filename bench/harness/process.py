"""A running server: its start, CPU time, memory and end."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from harness.exchange import Exchange, WrongAnswer, ask
from harness.machine import pinned
from harness.places import APPS
from harness.servers import Server, Setting

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_START_DEADLINE = 60.0
_STOP_DEADLINE = 5.0


class ServerFailed(Exception):
    """The server did not start, or ended by itself; the message has the end of its output."""


@dataclass
class Running:
    """A server that answers, with all the processes of its session."""

    server: Server
    port: int
    process: subprocess.Popen[bytes]
    log: Path
    seconds_to_first_answer: float

    def cpu_seconds(self) -> float:
        """User and system time of all its processes, ended children included."""
        return sum(_cpu_ticks(stat) for stat in self._stats()) / _TICKS

    def rss_bytes(self) -> int:
        """Resident memory, summed over its processes (shared pages count in each)."""
        return sum(int(stat[21]) for stat in self._stats()) * _PAGE

    def log_lines(self) -> int:
        """How many lines it has written to its output so far."""
        with self.log.open("rb") as log:
            return sum(block.count(b"\n") for block in iter(lambda: log.read(1 << 20), b""))

    def _stats(self) -> Iterator[list[str]]:
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text()
            except OSError:
                continue  # it ended meanwhile
            # The fields after the command's name, which may itself have spaces: state is first.
            fields = stat[stat.rindex(")") + 2 :].split()
            if int(fields[3]) == self.process.pid:
                yield fields


def _cpu_ticks(fields: list[str]) -> int:
    return sum(int(ticks) for ticks in fields[11:15])  # utime, stime, cutime, cstime


@contextmanager
def running(
    server: Server, setting: Setting, exchange: Exchange, *, cpu: int, packages: Path, log: Path
) -> Generator[Running]:
    """Starts the server on one core, waits for its first right answer, and ends it afterwards.

    Raises `ServerFailed` if it never answers.
    """
    port = _free_port()
    command = server.command(setting, port)
    begun = time.perf_counter()
    with log.open("wb") as output, pinned(cpu):
        process = subprocess.Popen(
            command,
            cwd=APPS,
            env=_environment(packages),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _await_answer(process, port, exchange, log)
        yield Running(server, port, process, log, time.perf_counter() - begun)
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
