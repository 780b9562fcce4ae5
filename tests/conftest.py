"""Fixtures for tests that start real servers.

`start` starts `alula serve` on a port of its own and waits until it is ready. When the test ends,
the server must stop with exit code 0; if the test failed, its log is part of the report:

    def test_greets(start: Start) -> None:
        server = start("raw_hello:app", "--no-access-log")
        assert httpx.get(server.url).text == "Hello"

A test that uses it runs twice, on asyncio and on uvloop (`loop_name` says which). Applications come
from tests/integration/apps unless `app_dir` says otherwise. What else there is to do with a server
(signals, log lines, memory, workers) is in serving.py; rawhttp.py has a client that cares about
bytes.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pytest
from serving import Server

TESTS = Path(__file__).parent
APPS = TESTS / "integration" / "apps"
LOOPS = ("asyncio", "uvloop")

_SERVERS = pytest.StashKey[list[Server]]()


class Start(Protocol):
    """What the fixture `start` is."""

    def __call__(
        self,
        app: str,
        *options: str,
        app_dir: Path = APPS,
        env: dict[str, str] | None = None,
    ) -> Server:
        """Starts a server and waits until it is ready."""
        ...


@pytest.fixture(params=LOOPS)
def loop_name(request: pytest.FixtureRequest) -> str:
    """The event loop that the test's servers run on."""
    return str(request.param)


@pytest.fixture
def start(request: pytest.FixtureRequest, loop_name: str) -> Iterator[Start]:
    """Starts servers, and stops them when the test ends."""
    servers: list[Server] = []
    request.node.stash[_SERVERS] = servers

    def start(
        app: str,
        *options: str,
        app_dir: Path = APPS,
        env: dict[str, str] | None = None,
    ) -> Server:
        server = Server(app, "--loop", loop_name, *options, app_dir=app_dir, env=env)
        servers.append(server)
        server.start()
        return server

    yield start
    try:
        for server in servers:
            server.stop()
    finally:
        for server in servers:
            with suppress(AssertionError):  # it never started
                server.kill()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Any:
    """Shows the servers' logs with a failure."""
    report = yield
    if report.failed:
        for server in item.stash.get(_SERVERS, []):
            report.sections.append((f"log of the server on port {server.port}", server.log))
    return report
