"""What the tests of the wire share: the server, and questions to its application."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest
from integration.faults import TESTS
from rawhttp import Raw, Response
from serving import Server

APP = "integration.apps.wire:app"
LENGTH_5 = ("Content-Length: 5",)
HOST = b"Host: example.test\r\n"
GET = b"GET /fine HTTP/1.1\r\n" + HOST + b"\r\n"
_keys = itertools.count()


def wire_app(*options: str) -> Server:
    """A server with `apps/wire.py`."""
    return Server(APP, "--no-access-log", "--lifespan", "off", *options, app_dir=TESTS)


@pytest.fixture(scope="module")
def patient_server() -> Iterator[Server]:
    """One for a module's tests, where idle connections outlast any of them."""
    with wire_app("--timeout-keep-alive", "600") as running:
        yield running


def new_key() -> str:
    """A name under which the application notes what one test's request sees."""
    return f"key-{next(_keys)}"


def ask(server: Server, target: str) -> bytes:
    """A question on a connection of its own."""
    with Raw(server.port) as connection:
        response = connection.get(target, "Connection: close").read()
    assert response.status == 200, response
    return bytes(response.body)


def seen(server: Server, key: str) -> list[Any]:
    """What the application received and what its sends raised, once its handler has ended."""
    return json.loads(ask(server, f"/seen/{key}"))


def told(response: Response) -> dict[str, Any]:
    """What the application tells about the request that it got."""
    assert response.status == 200, response
    return json.loads(response.body)


def exchange(server: Server, data: bytes, *, heads: int = 0) -> list[Response]:
    """Everything that is answered to these bytes and the end of the sending side."""
    with Raw(server.port) as connection:
        connection.send(data).half_close()
        return connection.read_to_end(heads=heads)


def expect_error(server: Server, data: bytes, *statuses: int) -> Response:
    """The bytes are answered with one error, and the server then ends the connection."""
    with Raw(server.port) as connection:
        connection.send(data)
        responses = connection.read_to_end()  # without having been told that nothing more comes
    assert len(responses) == 1, responses
    (response,) = responses
    assert response.status in statuses, response
    assert response.says_close, response
    assert response.header("content-type") == "text/plain; charset=utf-8"
    return response


def line(start: bytes) -> bytes:
    """A request that begins with this line."""
    return start + b"\r\n" + HOST + b"\r\n"


def header(text: bytes) -> bytes:
    """A GET with these header lines."""
    return b"GET / HTTP/1.1\r\n" + HOST + text + b"\r\n\r\n"


def post(headers: bytes, body: bytes) -> bytes:
    """A POST with these header lines and these bytes behind them."""
    return b"POST / HTTP/1.1\r\n" + HOST + headers + b"\r\n\r\n" + body


def chunked(body: bytes, *headers: bytes) -> bytes:
    """A POST that says its body is chunked, with these bytes for one."""
    return post(b"\r\n".join([b"Transfer-Encoding: chunked", *headers]), body)
