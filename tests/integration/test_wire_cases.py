"""Raw requests with known right outcomes: whole, split at every byte, and a byte at a time.

That a piece really is received by itself is not left to chance: the next one is sent when the
kernel says that the server has taken all that came before out of its socket.
"""

import base64
import json
import select
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from rawhttp import Reader, Response
from serving import DEADLINE, Deadline, Server, serve

TESTS = Path(__file__).parents[1]
CASES: list[dict[str, Any]] = json.loads((TESTS / "data" / "http1_cases.json").read_text())
AT_ONCE = 100
"""Connections that are open at the same time."""
LISTEN = "0A"
"""How /proc/net/tcp writes that state."""
PATIENT = ("--timeout-request-head", "600", "--min-body-rate", "0")
"""A byte at a time may take longer than a server should put up with."""


@pytest.fixture(scope="module", params=["asyncio", "uvloop"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    app = "integration.apps.echo:app"
    options = ("--loop", request.param, "--no-access-log", "--lifespan", "off", *PATIENT)
    with serve(app, *options, app_dir=TESTS) as running:
        yield running


@dataclass
class Delivery:
    """A case's bytes, cut into pieces, on a connection of its own."""

    case: dict[str, Any]
    pieces: list[bytes]
    socket: socket.socket
    local_port: int

    def send_next(self) -> None:
        """Sends a piece; the server may have hung up already, which is judged later."""
        piece = self.pieces.pop(0)
        try:
            self.socket.sendall(piece)
        except (BrokenPipeError, ConnectionResetError):
            self.pieces.clear()


def deliver(server: Server, plans: list[tuple[dict[str, Any], list[bytes]]]) -> list[str]:
    """Delivers every plan and says what went wrong."""
    wrong: list[str] = []
    for at in range(0, len(plans), AT_ONCE):
        deliveries = [connect(server, case, pieces) for case, pieces in plans[at : at + AT_ONCE]]
        try:
            sending = deliveries
            while sending := [delivery for delivery in sending if delivery.pieces]:
                for delivery in sending:
                    delivery.send_next()
                wait_until_taken(server.port, {delivery.local_port for delivery in sending})
            for delivery in deliveries:
                if delivery.case["expect"].get("half_close"):
                    half_close(delivery.socket)
            wrong += [problem for delivery in deliveries for problem in judge(delivery)]
        finally:
            for delivery in deliveries:
                delivery.socket.close()
    return wrong


def connect(server: Server, case: dict[str, Any], pieces: list[bytes]) -> Delivery:
    connection = socket.create_connection(("127.0.0.1", server.port), DEADLINE)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Delivery(case, list(pieces), connection, connection.getsockname()[1])


def half_close(connection: socket.socket) -> None:
    with suppress(OSError):  # the server may have closed it
        connection.shutdown(socket.SHUT_WR)


def wait_until_taken(server_port: int, local_ports: set[int]) -> None:
    """Waits until the server has nothing more to read from these connections."""
    deadline = Deadline(what="the server to read")
    here = f":{server_port:04X}"
    while deadline.left():
        waiting = False
        for line in Path("/proc/net/tcp").read_text().splitlines():
            fields = line.split() if here in line else [""] * 5
            if fields[1].endswith(here) and fields[3] != LISTEN:
                unread = int(fields[4].partition(":")[2], 16)
                waiting |= unread > 0 and int(fields[2][-4:], 16) in local_ports
        if not waiting:
            return


def judge(delivery: Delivery) -> list[str]:
    """What is wrong with the answers to a case, if anything."""
    expect = delivery.case["expect"]
    reader = Reader()
    reader.heads_of_head = int(expect.get("head_first", False))
    responses: list[Response] = []
    ended = False
    try:
        # As many answers as there have to be, or the end.
        wanted = expect.get("responses", 1)
        while not ended and (len(reader.responses) < wanted or must_close(expect, reader)):
            ended = read_some(delivery.socket, reader)
        if not ended:
            # Then, told that nothing more comes, the server must not have more to say.
            half_close(delivery.socket)
            while not ended:
                ended = read_some(delivery.socket, reader)
        responses = list(reader.responses)
    except (AssertionError, OSError) as error:
        return [f"{delivery.case['name']}: {error!r} after {list(reader.responses)}"]
    return [f"{delivery.case['name']}: {problem}" for problem in compare(delivery.case, responses)]


def must_close(expect: dict[str, Any], reader: Reader) -> bool:
    """An error in the request ends the connection, as do the cases that say so."""
    return expect["must_close"] or any(one.status >= 400 for one in reader.responses)


def read_some(connection: socket.socket, reader: Reader) -> bool:
    readable, _, _ = select.select([connection], [], [], DEADLINE)
    assert readable, "neither an answer nor the end"
    data = connection.recv(65536)
    if data:
        reader.feed(data)
        return False
    reader.end()
    return True


def compare(case: dict[str, Any], responses: list[Response]) -> Iterator[str]:
    expect = case["expect"]
    # Cut before its body, a request that asks for a 100 may get one.
    may_continue = [[100]] if b"100-continue" in content(case) else []
    lawful = expect.get("prefer") or expect["status_in"]
    # Only of a request that breaks off may nothing be said; every other error is answered.
    if not responses and expect.get("silent_close_ok") and expect.get("half_close"):
        return
    if len(responses) != expect.get("responses", 1):
        yield f"{len(responses)} answers: {responses}"
    interim = [expect["interim"]] if "interim" in expect else [[], *may_continue]
    for response in responses:
        if response.status not in lawful:
            yield f"{response.status} instead of {lawful}"
        if response.status >= 400 and not response.says_close:
            yield "an error that does not say that it closes"
        if response.interim not in interim:
            yield f"interim {response.interim}"
        if "body" in expect and response.body != expect["body"].encode("latin-1"):
            yield f"body {response.body!r}"
        if response.status == 200 and "body" not in expect and response.body not in (b"OK", b""):
            yield f"body {response.body!r}"


def content(case: dict[str, Any]) -> bytes:
    return base64.b64decode(case["bytes_b64"])


def test_there_are_38_cases() -> None:
    assert len(CASES) == 38
    assert len({case["name"] for case in CASES}) == 38


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_whole(server: Server, case: dict[str, Any]) -> None:
    assert deliver(server, [(case, [content(case)])]) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_split_in_two_at_every_byte(server: Server, case: dict[str, Any]) -> None:
    whole = content(case)
    plans = [(case, [whole[:at], whole[at:]]) for at in range(1, len(whole))]
    assert deliver(server, plans) == []


def test_a_byte_at_a_time(server: Server) -> None:
    plans = [(case, [bytes([byte]) for byte in content(case)]) for case in CASES]
    assert deliver(server, plans) == []
