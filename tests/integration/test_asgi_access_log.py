"""The access log: uvicorn's lines, for every request that was answered, each once."""

import re
from pathlib import Path

import pytest
from integration.asgi import get, ok, semantics
from rawhttp import Raw, request

LINE = re.compile(r'^INFO:     127\.0\.0\.1:\d+ - "(.*)" (.*)$', re.MULTILINE)


@pytest.mark.parametrize("kind", ["asyncio", "uvloop"])
def test_each_request_has_its_line(kind: str) -> None:
    with semantics(kind, "--access-log", "--no-use-colors") as server:
        with Raw(server.port) as connection:
            for number in range(200):
                connection.get(f"/never_waits?{number}").read()
        get(server, "/touched?late")
        get(server, "/fails?late")
        with Raw(server.port) as connection:
            connection.send(request("HEAD", "/scope/%C3%A9%20b", version="1.0")).read(to_head=True)
        server.stop()
    lines = [match.groups() for match in LINE.finditer(server.log)]
    assert lines == [
        *((f"GET /never_waits?{number} HTTP/1.1", "200 OK") for number in range(200)),
        ("GET /touched?late HTTP/1.1", "200 OK"),
        ("GET /fails?late HTTP/1.1", "500 Internal Server Error"),
        ("HEAD /scope/%C3%A9%20b HTTP/1.0", "200 OK"),
    ]


def test_a_line_comes_before_the_failure_that_followed_it() -> None:
    with semantics("asyncio", "--access-log", "--no-use-colors") as server:
        assert ok(server, "/never_waits")
        assert get(server, "/fails").status == 500
        server.stop()
    assert server.log.index("GET /never_waits") < server.log.index("Exception in ASGI application")


def test_colours_are_uvicorn_s() -> None:
    with semantics("asyncio", "--access-log", "--use-colors") as server:
        assert ok(server, "/never_waits")
        server.stop()
    assert "\x1b[32mINFO\x1b[0m:     127.0.0.1:" in server.log
    assert ' - "\x1b[1mGET /never_waits HTTP/1.1\x1b[0m" \x1b[32m200 OK\x1b[0m\n' in server.log


def test_a_logging_configuration_of_the_user_s_gets_the_records(tmp_path: Path) -> None:
    config = tmp_path / "log.ini"
    config.write_text(
        """
[loggers]
keys=root,access
[handlers]
keys=out
[formatters]
keys=plain
[logger_root]
level=INFO
handlers=out
[logger_access]
level=INFO
handlers=out
qualname=uvicorn.access
propagate=0
[handler_out]
class=StreamHandler
args=(sys.stdout,)
formatter=plain
[formatter_plain]
format=%(name)s|%(args)s|%(message)s
"""
    )
    with semantics("asyncio", "--log-config", str(config)) as server:
        assert ok(server, "/never_waits?a=1")
        server.wait_for_log(
            r"uvicorn.access\|\('127.0.0.1:\d+', 'GET', '/never_waits\?a=1', '1.1', 200\)\|"
            r'127.0.0.1:\d+ - "GET /never_waits\?a=1 HTTP/1.1" 200'
        )
