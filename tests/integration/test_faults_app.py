"""Applications that end in ways an application should not: that request is over, and only that."""

from collections.abc import Iterator

import pytest
from integration.faults import MIB, ask, bounded_memory, faulty_app
from rawhttp import Raw, request
from serving import Server
from witness import Witness

KINDS = (
    "exit",
    "exit0",
    "interrupt",
    "cancelled",
    "generator",
    "stop",
    "own",
    "group",
    "memory",
    "recursion",
)


@pytest.fixture(scope="module", params=["asyncio", "uvloop"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with faulty_app("--loop", request.param) as running:
        yield running


@pytest.mark.parametrize("when", ["now", "later"])
@pytest.mark.parametrize("kind", KINDS)
def test_before_the_response_it_is_a_500(server: Server, kind: str, when: str) -> None:
    with Witness(server.port), Raw(server.port) as connection:
        for _ in range(3):
            response = connection.get(f"/fail/{kind}/{when}").read()
            assert response.status == 500
            assert (response.header("content-type") or "").startswith("text/plain")
            assert b"Traceback" not in response.body
            # There was no body to leave unread: the connection goes on.
            assert connection.get("/witness/7").read().body == b"witness 7"


@pytest.mark.parametrize("kind", KINDS)
def test_within_the_response_the_connection_is_cut(server: Server, kind: str) -> None:
    with Witness(server.port), Raw(server.port) as connection:
        connection.get(f"/fail/{kind}/started")
        assert connection.expect_cut() == b"some"


@pytest.mark.parametrize("kind", KINDS)
def test_after_the_response_nothing_is_lost(server: Server, kind: str) -> None:
    with Witness(server.port), Raw(server.port) as connection:
        response = connection.get(f"/fail/{kind}/complete").read()
        assert (response.status, response.body) == (200, b"complete")


def test_a_task_that_cancels_itself(server: Server) -> None:
    with Witness(server.port), Raw(server.port) as connection:
        assert connection.get("/fail/own/task").read().status == 500
        assert connection.get("/witness/7").read().body == b"witness 7"


def test_a_body_unread_by_a_handler_that_fails(server: Server) -> None:
    with Witness(server.port), Raw(server.port) as connection:
        connection.send(request("POST", "/fail/exit/now", body=b"x" * 1000))
        assert connection.read().status == 500
        if not connection.ended:
            assert connection.get("/witness/7").read().body == b"witness 7"


def test_failures_leave_nothing_behind() -> None:
    with faulty_app() as server, Raw(server.port) as connection:
        for _ in range(50):
            connection.get("/fail/own/now").read()
        with bounded_memory(server, 4 * MIB):
            for _ in range(2000):
                assert connection.get("/fail/exit/now").read().status == 500
        assert ask(server, "/quiet/fail") == "quiet"
