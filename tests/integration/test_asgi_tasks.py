"""Requests run in real tasks: everything that looks at its task behaves as under `create_task`."""

from collections.abc import Iterator

import pytest
from integration.asgi import SERVERS, get, new_key, notes, ok, semantics
from serving import Server


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


BOTH = pytest.mark.parametrize("when", ["", "?late"], ids=["at once", "after a wait"])


def test_the_current_task_stays_the_same(server: Server) -> None:
    for _ in range(3):
        assert ok(server, "/current_task") == b"same"


def test_a_request_that_never_waits_has_a_task(server: Server) -> None:
    for _ in range(3):
        assert ok(server, "/never_waits") in (b"Task", b"OwnTask")


@BOTH
def test_a_task_that_is_looked_at_is_whole(server: Server, when: str) -> None:
    for _ in range(3):
        assert ok(server, f"/touched{when}") == b"touched"


@BOTH
def test_done_callbacks_run(server: Server, when: str) -> None:
    key = new_key()
    assert ok(server, f"/done_callback{when}", f"X-Key: {key}") == b"added"
    assert notes(server, f"{key}-done") == ["True True None"]


@BOTH
def test_a_task_that_somebody_holds_is_not_used_again(server: Server, when: str) -> None:
    assert ok(server, "/let_go") == b"gone"
    assert [ok(server, f"/hold{when}") for _ in range(3)] == [b"0", b"1", b"2"]
    assert ok(server, "/let_go") == b"gone"


def test_a_task_with_a_weak_reference_is_not_used_again(server: Server) -> None:
    assert [ok(server, "/weakly") for _ in range(3)] == [b"weak"] * 3


@BOTH
def test_timeouts_fire(server: Server, when: str) -> None:
    assert ok(server, f"/timeout{when}") == b"timed out"


@BOTH
def test_a_request_can_cancel_itself_and_go_on(server: Server, when: str) -> None:
    assert ok(server, f"/cancel_itself{when}") == b"survived"


def test_task_groups_work(server: Server) -> None:
    assert ok(server, "/task_group") == b"grouped"


@BOTH
def test_anyio_scopes_and_groups_work(server: Server, when: str) -> None:
    for _ in range(2):
        assert ok(server, f"/anyio_scopes{when}") == b"scoped"


def test_receive_and_send_pass_for_coroutines(server: Server) -> None:
    assert ok(server, "/awaitables") == b"onetwothreefour"


def test_an_awaitable_that_is_not_awaited_is_warned_of(server: Server) -> None:
    assert ok(server, "/never_awaited") == b"warned"
    server.wait_for_log(r"RuntimeWarning: awaitable 'receive\(\)' was never awaited")


def test_async_generators_are_closed_by_the_loop(server: Server) -> None:
    assert ok(server, "/async_generators") == b"closed"


def test_receive_on_another_thread_is_refused(server: Server) -> None:
    assert b"belong to the thread" in ok(server, "/other_thread")


@BOTH
def test_each_request_has_its_own_context(server: Server, when: str) -> None:
    for _ in range(3):
        assert ok(server, f"/context{when}") == b"fresh set"


@pytest.mark.parametrize("kind", [kind for kind in SERVERS if kind.endswith("factory")])
@BOTH
def test_a_task_factory_makes_the_tasks(kind: str, when: str) -> None:
    with semantics(kind) as server:
        told = ok(server, f"/factories{when}")
        assert told == (b"OwnTask True" if kind == "plain factory" else b"Task False")


def test_resetting_the_context_hides_what_the_server_s_holds() -> None:
    with semantics("asyncio", "--reset-contextvars") as server:
        assert get(server, "/context").body == b"fresh set"
