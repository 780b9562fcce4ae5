"""Sends at once, or given up half-way, never put a byte where it does not belong."""

from collections.abc import Iterator

import pytest
from integration.apps.semantics import overlapping_pieces
from integration.asgi import SERVERS, new_key, notes, ok, semantics
from rawhttp import Raw
from serving import Server


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


def test_overlapping_sends_go_out_one_after_another(server: Server) -> None:
    with Raw(server.port) as connection:
        response = connection.get("/overlapping").read()
        assert response.body == b"".join(overlapping_pieces()) + b"end"
        assert connection.get("/never_waits").read().status == 200


@pytest.mark.parametrize("framing", ["length", "chunks"])
def test_a_piece_given_up_ends_the_answer(server: Server, framing: str) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        connection.get(f"/given_up?{framing}", f"X-Key: {key}")
        assert notes(server, key) == ["given up", "ClientDisconnected"]
        received = b"".join(iter(lambda: connection.socket.recv(1 << 20), b""))
        head, body = received.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200")
        assert body.endswith(b"x"), body[-40:]
        assert len(body) < 8_000_000
    assert ok(server, "/never_waits")
