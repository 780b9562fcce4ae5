"""`--reload`: every saved change is served, and one that does not import is waited out."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from serving import Server, children

APP = """
async def app(scope, receive, send):
    assert scope["type"] == "http"
    await send({{"type": "http.response.start", "status": 200, "headers": []}})
    await send({{"type": "http.response.body", "body": b"{}"}})
"""

WITHOUT_WATCHFILES = """
import sys
sys.modules["watchfiles"] = None
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "watchfiles" else find(name, *rest)
"""


@contextmanager
def reloading(folder: Path, watcher: str, *options: str) -> Iterator[Server]:
    """A server that reloads `reloaded.py` in the folder."""
    env = {}
    if watcher == "StatReload":
        (folder / "site").mkdir(exist_ok=True)
        (folder / "site/sitecustomize.py").write_text(WITHOUT_WATCHFILES)
        env["PYTHONPATH"] = str(folder / "site")
    options = ("--reload", "--reload-dir", str(folder), "--reload-delay", "0.05", *options)
    server = Server("reloaded:app", *options, app_dir=folder, env=env)
    with server:
        server.wait_for_log(rf"Started reloader process \[{server.pid}\] using {watcher}")
        yield server


def write(path: Path, text: str) -> None:
    """Saves as editors do: a new file takes the place of the old one."""
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text)
    fresh.replace(path)


@pytest.mark.parametrize("watcher", ["WatchFiles", "StatReload"])
def test_changes_are_served_and_mistakes_waited_out(watcher: str, tmp_path: Path) -> None:
    module = tmp_path / "reloaded.py"
    module.write_text(APP.format("one"))
    with reloading(tmp_path, watcher) as server:
        assert httpx.get(server.url).text == "one"
        for text in ("two", "three"):
            seen = server.log_length
            write(module, APP.format(text))
            server.wait_for_log(rf"{watcher} detected changes in '.*reloaded\.py'", after=seen)
            server.wait_for_log("Application startup complete", after=seen)
            assert httpx.get(server.url).text == text
        seen = server.log_length
        write(module, "this is no Python\n")
        server.wait_for_log("SyntaxError", after=seen)
        server.wait_for_log("failed to start, waiting for changes", after=seen)
        seen = server.log_length
        write(module, APP.format("four"))
        server.wait_for_log("Application startup complete", after=seen)
        assert httpx.get(server.url).text == "four"


def test_a_connection_waits_while_the_worker_starts_anew(tmp_path: Path) -> None:
    module = tmp_path / "reloaded.py"
    module.write_text(APP.format("one"))
    with reloading(tmp_path, "WatchFiles") as server:
        seen = server.log_length
        write(module, f"import time\ntime.sleep(0.5)\n{APP.format('two')}")
        server.wait_for_log("Finished server process", after=seen)
        assert httpx.get(server.url, timeout=30).text == "two"


def test_only_watched_files_count(tmp_path: Path) -> None:
    module = tmp_path / "reloaded.py"
    module.write_text(APP.format("one"))
    (tmp_path / "left_out").mkdir()
    options = ("--reload-include", "*.html", "--reload-exclude", str(tmp_path / "left_out"))
    with reloading(tmp_path, "WatchFiles", *options) as server:
        seen = server.log_length
        (tmp_path / "notes.txt").write_text("")
        (tmp_path / "left_out/other.py").write_text("")
        (tmp_path / "page.html").write_text("")
        server.wait_for_log(r"detected changes in '.*page\.html'\. Reloading", after=seen)
        server.wait_for_log("Application startup complete", after=seen)


def test_a_worker_that_dies_is_replaced_and_sighup_restarts(tmp_path: Path) -> None:
    (tmp_path / "reloaded.py").write_text(APP.format("one"))
    with reloading(tmp_path, "WatchFiles") as server:
        seen = server.log_length
        (worker,) = children(server.pid)
        os.kill(worker, signal.SIGKILL)
        server.wait_for_log("Application startup complete", after=seen)
        seen = server.log_length
        server.send_signal(signal.SIGHUP)
        server.wait_for_log("Application startup complete", after=seen)
        server.send_signal(signal.SIGTTIN)
        assert httpx.get(server.url).text == "one"
        server.stop()
        assert f"Stopping reloader process [{server.pid}]" in server.log
