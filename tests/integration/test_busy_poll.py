"""`--busy-poll`: requests are looked for instead of waited for; nothing else is different."""

import pytest
from integration.faults import TESTS
from rawhttp import Raw
from serving import Server

APP = "integration.apps.busy:app"
LOOPS = pytest.mark.parametrize("loop", ["asyncio", "uvloop"])


def looking(loop: str) -> Server:
    options = ("--loop", loop, "--busy-poll", "0.001", "--no-access-log", "--lifespan", "on")
    return Server(APP, *options, app_dir=TESTS)


@LOOPS
def test_the_loops_other_tasks_go_on_while_requests_come_one_upon_the_other(loop: str) -> None:
    """Broke if the worker looked for the next request for as long as one comes."""
    with looking(loop) as server, Raw(server.port) as connection:
        seen = [int(connection.get("/").read().body) for _ in range(1000)]
    assert seen == sorted(seen)
    # However quick the machine, a callback of 200 us has no room for dozens of requests.
    assert seen[-1] - seen[0] > 20


@LOOPS
def test_handlers_that_wait_and_clients_that_leave_are_served_as_ever(loop: str) -> None:
    with looking(loop) as server:
        with Raw(server.port) as quick, Raw(server.port) as late:
            for _ in range(20):
                late.get("/late")
                for _ in range(20):
                    assert quick.get("/").read().status == 200
                assert late.read().status == 200
            late.get("/late")
        with Raw(server.port) as connection:
            assert connection.get("/").read().status == 200
