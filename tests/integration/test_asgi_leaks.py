"""Nothing is left of a request: neither objects nor memory."""

import json
from collections.abc import Iterator

import pytest
from integration.asgi import SERVERS, ok, post, semantics
from rawhttp import Raw, request
from serving import Server, rss

ROUNDS = 300
KIB = 1024


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


def objects(server: Server) -> int:
    """How many objects the collector of the server knows."""
    return int(json.loads(ok(server, "/many"))[0])


def run(server: Server, data: bytes, rounds: int) -> None:
    """One request many times, on connections of a hundred requests each."""
    for _ in range(rounds // 100):
        with Raw(server.port) as connection:
            for _ in range(100):
                connection.send(data).read()


REQUESTS = pytest.mark.parametrize(
    "data",
    [
        pytest.param(request("GET", "/never_waits"), id="at once"),
        pytest.param(request("GET", "/touched?late", "X-Odd: a"), id="after a wait"),
        pytest.param(post("/read", b"abcdefgh" * 1000), id="with a body"),
        pytest.param(request("GET", "/receive_again?0"), id="waiting receives"),
        pytest.param(request("GET", "/fails"), id="failing at once"),
        pytest.param(request("GET", "/fails?late"), id="failing after a wait"),
        pytest.param(request("GET", "/wrong/str-value"), id="wrong message"),
        pytest.param(request("GET", "/cancel_itself"), id="cancelled"),
        pytest.param(request("GET", "/awaitables"), id="tasks of receives and sends"),
        pytest.param(request("GET", "/spoil"), id="spoilt scope"),
    ],
)


@REQUESTS
def test_no_object_stays(server: Server, data: bytes) -> None:
    run(server, data, 100)
    before = objects(server)
    run(server, data, ROUNDS)
    grown = objects(server) - before
    assert grown < ROUNDS / 3, f"{grown} more objects after {ROUNDS} requests"


def test_memory_stays_flat(server: Server) -> None:
    paths = ["/never_waits", "/touched?late", "/scope/a?b=c", "/context"]
    data = [request("GET", path) for path in paths] + [post("/read", bytes(5000))]
    for one in data:
        run(server, one, 1000)
    before = rss(server.pid)
    for one in data:
        run(server, one, 2000)
    grown = rss(server.pid) - before
    assert grown < 600 * KIB, f"grew by {grown / KIB:.0f} KiB in 10,000 requests"


def test_a_body_is_not_kept(server: Server) -> None:
    size = 8_000_000
    run_once(server, post("/read", bytes(1000)))
    before = rss(server.pid)
    for _ in range(3):
        run_once(server, post("/read", bytes(size)))
    ok(server, "/many")
    grown = rss(server.pid) - before
    assert grown < size / 2, f"grew by {grown / KIB:.0f} KiB"


def run_once(server: Server, data: bytes) -> None:
    with Raw(server.port) as connection:
        connection.send(data).read()
