"""Log configurations on real servers: uvicorn's loggers, formatters and records."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from rawhttp import Raw
from serving import serve

TESTS = Path(__file__).parents[1]
APP = "integration.apps.lifecycle:app"

FORMATTERS = {
    "default": {
        "()": "uvicorn.logging.DefaultFormatter",
        "fmt": "server %(levelprefix)s %(message)s",
    },
    "access": {
        "()": "uvicorn.logging.AccessFormatter",
        "fmt": "access %(client_addr)s|%(request_line)s|%(status_code)s",
    },
}


def configuration(**access: Any) -> dict[str, Any]:
    """What a user of uvicorn may have, with something changed for the access log."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": FORMATTERS,
        "handlers": {
            "default": {"class": "logging.StreamHandler", "formatter": "default"},
            "access": {"class": "logging.StreamHandler", "formatter": "access"},
        },
        "loggers": {
            "uvicorn": {"handlers": ["default"], "level": "INFO", "propagate": False},
            "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False}
            | access,
        },
    }


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_configuration_for_uvicorn_is_followed(workers: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(configuration()))
    options = ("--log-config", str(path), "--workers", workers)
    with serve(APP, *options, app_dir=TESTS) as server:
        httpx.get(f"{server.url}/a%20b?c=d")
        server.wait_for_log(r"^access 127\.0\.0\.1:\d+\|GET /a%20b\?c=d HTTP/1\.1\|200 OK$")
        server.wait_for_log(r"^server INFO:     Application startup complete\.$")


def test_a_filter_of_the_users_is_asked(tmp_path: Path) -> None:
    (tmp_path / "quiet.py").write_text(
        "class Quiet:\n    def filter(self, record): return '/health' not in record.getMessage()\n"
    )
    settings = configuration(filters=["quiet"]) | {"filters": {"quiet": {"()": "quiet.Quiet"}}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(settings))
    env = {"PYTHONPATH": str(tmp_path)}
    with serve(APP, "--log-config", str(path), app_dir=TESTS, env=env) as server:
        httpx.get(f"{server.url}/health")
        httpx.get(f"{server.url}/other")
        server.wait_for_log("GET /other")
        assert "/health" not in server.log


def test_an_application_may_change_the_access_logger_when_it_starts(tmp_path: Path) -> None:
    (tmp_path / "changing.py").write_text(
        "import logging\n"
        "logging.getLogger('uvicorn.access').handlers[0].setFormatter(\n"
        "    logging.Formatter('changed %(args)s'))\n"
        "from integration.apps.lifecycle import app\n"
    )
    env = {"PYTHONPATH": str(TESTS)}
    with serve("changing:app", app_dir=tmp_path, env=env) as server:
        httpx.get(f"{server.url}/x?y")
        line = server.wait_for_log(r"changed \('127\.0\.0\.1:\d+', (.*)\)").group(1)
        assert line == "'GET', '/x?y', '1.1', 200"


def test_no_access_log() -> None:
    with serve(APP, "--no-access-log", app_dir=TESTS) as server:
        httpx.get(server.url)
        server.stop()
        assert "GET /" not in server.log
        assert "Finished server process" in server.log


def test_the_trace_level_logs_what_the_application_says() -> None:
    with serve(APP, "--log-level", "trace", app_dir=TESTS) as server:
        httpx.get(server.url)
        server.wait_for_log(
            r"^TRACE: +127\.0\.0\.1:\d+ - ASGI \[2\] Started scope=\{'type': 'http'"
        )
        server.wait_for_log(
            r"ASGI \[2\] Send \{'type': 'http.response.body', 'body': '<\d+ bytes>'\}"
        )
        server.wait_for_log(r"ASGI \[2\] Completed")
        assert "ASGI [1] Started scope={'type': 'lifespan'" in server.log


@pytest.mark.parametrize("native", [True, False])
def test_colours_are_on_when_asked_for(native: bool, tmp_path: Path) -> None:
    options = ["--use-colors"]
    if not native:
        settings = configuration()
        settings["formatters"] = json.loads(json.dumps(FORMATTERS))
        for formatter in settings["formatters"].values():
            formatter["use_colors"] = True
        settings["formatters"]["access"]["fmt"] = (
            '%(levelprefix)s %(client_addr)s - "%(request_line)s" %(status_code)s'
        )
        path = tmp_path / "log.json"
        path.write_text(json.dumps(settings))
        options = ["--log-config", str(path)]
    with serve(APP, *options, app_dir=TESTS) as server:
        httpx.get(f"{server.url}/x")
        line = server.wait_for_log("GET /x").string
        assert line.startswith("\033[32mINFO\033[0m:     127.0.0.1:")
        assert line.endswith(' - "\033[1mGET /x HTTP/1.1\033[0m" \033[32m200 OK\033[0m\n')


def test_a_client_that_leaves_in_the_middle_is_no_warning_and_a_wrong_one_is() -> None:
    with serve(APP, app_dir=TESTS) as server:
        for bytes_, status in ((b"GET / HT", 400), (b"GET  / HTTP/1.1\r\n\r\n", 400)):
            with Raw(server.port) as connection:
                connection.send(bytes_)
                connection.half_close()
                assert connection.read().status == status
    assert server.log.count("Invalid HTTP request received") == 1
    assert "ended early" not in server.log
