"""What the fault tests share: the server, and a bound on its memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rawhttp import Raw
from serving import Server, children, rss, serve

TESTS = Path(__file__).parents[1]
MIB = 1024 * 1024


@contextmanager
def faulty_app(*options: str, **env: str) -> Iterator[Server]:
    """A server with `apps/faults.py`, warm, so that what its memory grows by is our doing."""
    app = "integration.apps.faults:app"
    with serve(app, "--no-access-log", *options, app_dir=TESTS, env=env) as server:
        with Raw(server.port) as connection:
            for number in range(200):
                connection.get(f"/witness/{number}").read()
        yield server


def memory(server: Server) -> int:
    """The resident memory of a server and its workers, in bytes."""
    return sum(rss(pid) for pid in (server.pid, *children(server.pid)))


@contextmanager
def bounded_memory(server: Server, growth: int) -> Iterator[None]:
    """Fails if the server has grown by more than so many bytes at the end of the block.

    Its workers count with it. Resident memory rarely shrinks, so that a peak in between shows too.
    """
    before = memory(server)
    yield
    grown = memory(server) - before
    assert grown <= growth, f"grew by {grown / MIB:.1f} MiB, not {growth / MIB:.1f}"


def ask(server: Server, target: str) -> str:
    """A question to the application on a connection of its own."""
    with Raw(server.port) as connection:
        response = connection.get(target).read()
    assert response.status == 200, response
    return bytes(response.body).decode()
