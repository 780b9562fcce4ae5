"""Ten thousand idle keep-alive connections: what each costs, and what they cost the others."""

from __future__ import annotations

import random
import select
import socket
import statistics
import time

from harness.exchange import Exchange, ask, check
from harness.load import NoSpeed
from harness.measure import Figures
from harness.process import Running

FEW = 10
MANY = 10_000
_ASKED = 200


def idle_connections(running: Running, exchange: Exchange) -> Figures:
    """Memory per idle connection, and the time of a first answer among few and among many.

    Every connection has had an answer before it idles. Raises `NoSpeed` if one is dropped.
    """
    check(running.port, exchange)
    clients: list[socket.socket] = []
    try:
        _open(clients, FEW, running, exchange)
        among_few = _first_answers(clients, exchange)
        before = running.rss_bytes()
        _open(clients, MANY, running, exchange)
        time.sleep(1)
        per_connection = (running.rss_bytes() - before) / (MANY - FEW)
        _check_held(clients)
        among_many = _first_answers(clients, exchange)
        check(running.port, exchange)
    finally:
        for client in clients:
            client.close()
    return {
        "bytes_per_connection": per_connection,
        "first_among_few": among_few,
        "first_among_many": among_many,
        "first_ratio": among_many / among_few,
    }


def _open(clients: list[socket.socket], count: int, running: Running, exchange: Exchange) -> None:
    while len(clients) < count:
        client = socket.create_connection(("127.0.0.1", running.port), timeout=10)
        clients.append(client)
        ask(client, exchange)


def _first_answers(clients: list[socket.socket], exchange: Exchange) -> float:
    """The median time, in microseconds, of an answer on a connection that was idle."""
    chosen = random.Random(7).choices(clients, k=_ASKED)
    times: list[float] = []
    for client in chosen:
        time.sleep(0.002)
        begun = time.perf_counter()
        ask(client, exchange)
        times.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(times)


def _check_held(clients: list[socket.socket]) -> None:
    """An idle connection that is readable was closed by the server."""
    poll = select.poll()
    for client in clients:
        poll.register(client, select.POLLIN)
    dropped = len(poll.poll(0))
    if dropped:
        raise NoSpeed(f"{dropped} of {len(clients)} idle connections were dropped")
