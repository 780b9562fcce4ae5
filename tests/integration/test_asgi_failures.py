"""An application's failure ends its request, is logged once, and harms nobody else."""

from collections.abc import Iterator

import pytest
from integration.asgi import SERVERS, get, new_key, notes, ok, semantics
from rawhttp import Raw
from serving import Server

FAILURE = "Exception in ASGI application"


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


BOTH = pytest.mark.parametrize("when", ["", "?late"], ids=["at once", "after a wait"])
FAILURES = pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("fails", "RuntimeError: on purpose"),
        ("exits", "SystemExit: 7"),
        ("odd", "OddError"),
        ("interrupts", "KeyboardInterrupt"),
        ("cancels", "CancelledError"),
        ("generator_exit", "GeneratorExit"),
    ],
)


def logged_failures(server: Server, after: int) -> int:
    return sum(FAILURE in line for line in server.log.splitlines()[after:])


@FAILURES
@BOTH
def test_a_failure_is_a_500_and_the_worker_goes_on(
    server: Server, name: str, shown: str, when: str
) -> None:
    begun = server.log_length
    response = get(server, f"/{name}{when}")
    assert response.status == 500
    assert response.body == b"Internal Server Error"
    server.wait_for_log(FAILURE, after=begun)
    server.wait_for_log("Traceback", after=begun)
    server.wait_for_log(shown, after=begun)
    assert ok(server, "/never_waits")
    assert logged_failures(server, begun) == 1


@BOTH
def test_a_failure_behind_the_start_alone_is_a_500(server: Server, when: str) -> None:
    begun = server.log_length
    assert get(server, f"/fails/after-start{when}").status == 500
    server.wait_for_log("RuntimeError: on purpose", after=begun)
    assert logged_failures(server, begun) == 1


@BOTH
def test_a_failure_within_the_body_cuts_it(server: Server, when: str) -> None:
    begun = server.log_length
    with Raw(server.port) as connection:
        connection.get(f"/fails/after-body{when}")
        assert connection.expect_cut() == b"some"
    server.wait_for_log("RuntimeError: on purpose", after=begun)
    assert logged_failures(server, begun) == 1


@BOTH
def test_an_application_that_says_nothing_is_a_500(server: Server, when: str) -> None:
    begun = server.log_length
    assert get(server, f"/says_nothing{when}").status == 500
    server.wait_for_log("ASGI callable returned without starting response.", after=begun)


@BOTH
def test_an_application_that_does_not_finish_is_cut(server: Server, when: str) -> None:
    begun = server.log_length
    with Raw(server.port) as connection:
        connection.get(f"/only_starts{when}")
        assert connection.expect_cut() == b"some"
    server.wait_for_log("ASGI callable returned without completing response.", after=begun)


def test_a_failure_is_no_task_exception_that_was_never_retrieved(server: Server) -> None:
    for _ in range(3):
        assert get(server, "/fails?late").status == 500
    assert ok(server, "/many")
    assert "never retrieved" not in server.log
    assert "was destroyed" not in server.log


def test_a_kept_connection_survives_a_failure(server: Server) -> None:
    with Raw(server.port) as connection:
        for _ in range(3):
            assert connection.get("/fails").read().status == 500
            assert connection.get("/never_waits").read().status == 200


def test_a_return_value_is_said() -> None:
    with semantics(app="returning") as server:
        assert ok(server, "/") == b"answered"
        server.wait_for_log("ASGI callable should return None, but returned 'something'.")


@BOTH
def test_the_access_log_tells_the_status_that_went_out(when: str) -> None:
    with semantics("asyncio", "--access-log") as server:
        get(server, f"/fails{when}")
        get(server, f"/fails/after-start{when}")
        server.wait_for_log(r'"GET /fails(\?late)? HTTP/1.1" 500 Internal Server Error')
        server.wait_for_log(r'"GET /fails/after-start(\?late)? HTTP/1.1" 500 Internal')
        assert "200 OK" not in server.log


def test_what_comes_after_the_answer_is_not_waited_for(server: Server) -> None:
    key = new_key()
    assert ok(server, "/background", f"X-Key: {key}") == b"answered"
    assert notes(server, key) == ["http.disconnect"]
