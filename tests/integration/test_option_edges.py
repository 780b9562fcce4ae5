"""Values at the edge of what uvicorn takes: its command lines can be taken over as they are."""

import httpx
import pytest
from integration.lifecycle import APP, TESTS
from rawhttp import Raw, request
from serving import serve


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_backlog_of_0_still_lets_connections_in(workers: str) -> None:
    with serve(APP, "--backlog", "0", "--workers", workers, app_dir=TESTS) as server:
        assert httpx.get(server.url).status_code == 200


def test_with_a_concurrency_of_0_everything_is_turned_away() -> None:
    with serve(APP, "--limit-concurrency", "0", app_dir=TESTS) as server:
        assert httpx.get(server.url).status_code == 503


@pytest.mark.parametrize("size", [0, 1, 100, 1023])
def test_heads_may_be_limited_to_less_than_any_real_one(size: int) -> None:
    options = ("--h11-max-incomplete-event-size", str(size))
    with serve(APP, *options, app_dir=TESTS) as server:
        bare = len(request("GET", "/", "x-fill: "))
        for length, status in ((size, 200), (size + 1, 431), (3000, 431)):
            if length >= bare:
                fill = "x" * (length - bare)
                with Raw(server.port) as connection:
                    connection.send(request("GET", "/", f"x-fill: {fill}"))
                    assert connection.read().status == status
