"""What is left at the deadline of a graceful shutdown is named, and closed."""

import signal
import time
from pathlib import Path

from integration.faults import TESTS
from rawhttp import Raw, request
from serving import Deadline, serve

APP = "integration.apps.waits:app"


def settled(notes: Path) -> int:
    """How many requests the application has answered, once it has not answered one for a while."""
    deadline = Deadline(what="a client that takes no more")
    last, same = "", 0
    while same < 10:
        time.sleep(min(0.1, deadline.left()))
        now = notes.read_text() if notes.exists() else ""
        last, same = now, (same + 1 if now and now == last else 0)
    return int(last)


def test_a_client_that_reads_nothing_is_no_task_and_is_closed(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    options = ("--timeout-graceful-shutdown", "1.5", "--lifespan", "off", "--no-access-log")
    with (
        serve(APP, *options, app_dir=TESTS, env={"WAITS_FILE": str(notes)}) as server,
        Raw(server.port, receive_buffer=4096) as connection,
    ):
        connection.send(request("GET", "/at_once") * 1000)
        assert 0 < settled(notes) < 1000
        begun = time.monotonic()
        server.send_signal(signal.SIGTERM)
        server.wait_for_log(r"Close 1 connection\(s\), timeout graceful shutdown exceeded")
        assert server.wait() == 0
        assert 1.4 < time.monotonic() - begun < 10
        assert "Cancel" not in server.log
