"""An application that knows that its client is gone, and sends all the same."""

import time
from pathlib import Path

import pytest
from integration.faults import TESTS
from rawhttp import Raw
from serving import Deadline, serve


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_sending_to_nobody_raises(loop: str, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    options = ("--loop", loop, "--lifespan", "off")
    env = {"WAITS_FILE": str(notes)}
    with serve("integration.apps.waits:app", *options, app_dir=TESTS, env=env) as server:
        connection = Raw(server.port)
        assert connection.get("/told").read_body(5) == b"begun"
        connection.reset()
        deadline = Deadline(what="the end of the handler")
        while not notes.exists():
            time.sleep(min(0.02, deadline.left()))
        assert notes.read_text() == "ClientDisconnected"
        assert "Exception in ASGI application" not in server.log
