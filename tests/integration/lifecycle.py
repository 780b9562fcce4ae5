"""What the tests of starting and stopping share: the server, and what its application notes."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from serving import Deadline, Server, serve

TESTS = Path(__file__).parents[1]
APP = "integration.apps.lifecycle:app"


class Notes:
    """What the application has noted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def of(self, what: str) -> list[int]:
        """The processes that have noted it."""
        lines = (line.split() for line in self.path.read_text().splitlines())
        return [int(pid) for note, pid in lines if note == what]

    def wait_for(self, what: str, count: int = 1) -> list[int]:
        """Waits until it has been noted so many times."""
        eventually(lambda: len(self.of(what)) >= count, f"{count} times {what!r}")
        return self.of(what)


@pytest.fixture
def fresh_notes(tmp_path: Path) -> Notes:
    """An empty file for the application to note things in."""
    return Notes(tmp_path / "notes")


def eventually(happened: Callable[[], bool], what: str) -> None:
    """Waits for something that can only be seen by looking."""
    deadline = Deadline(what=what)
    pause = threading.Event()
    while not happened():
        deadline.left()
        pause.wait(0.02)


@contextmanager
def workers(count: int, notes: Notes, *options: str, **env: str) -> Iterator[Server]:
    options = ("--workers", str(count), *options)
    env = {"LIFECYCLE_FILE": str(notes.path)} | env
    with serve(APP, *options, app_dir=TESTS, env=env) as server:
        yield server


def stop_while_starting(notes: Notes, *options: str, hanging: int) -> None:
    """A server whose application never finishes starting ends in order when it is told to."""
    env = {"LIFECYCLE_FILE": str(notes.path), "LIFECYCLE_STARTUP": "hang"}
    server = Server(APP, *options, app_dir=TESTS, env=env)
    starter = threading.Thread(target=_start_in_vain, args=(server,))
    starter.start()
    notes.wait_for("hanging", hanging)
    server.send_signal(signal.SIGTERM)
    starter.join()
    assert server.wait() == 0
    assert "Traceback" not in server.log


def _start_in_vain(server: Server) -> None:
    with pytest.raises(AssertionError, match="no log line"):
        server.start()
