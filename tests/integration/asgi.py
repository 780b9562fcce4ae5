"""What the tests of ASGI's meaning share: servers with `apps/semantics.py`."""

import itertools
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from integration.faults import TESTS
from rawhttp import Raw, Response, request
from serving import Server, serve

SEMANTICS = "integration.apps.semantics"

SERVERS = ["asyncio", "uvloop", "plain factory"]
"""The ways in which requests are run: lazy tasks on two loops, and tasks of a factory."""
if sys.version_info >= (3, 12):
    SERVERS.append("eager factory")

_keys = itertools.count()


@contextmanager
def semantics(kind: str = "asyncio", *options: str, app: str = "app") -> Iterator[Server]:
    """A server with one of the applications."""
    factory = kind.partition(" ")[0] if kind.endswith("factory") else ""
    loop = "asyncio" if factory else kind
    path = f"{SEMANTICS}:{app}"
    env = {"TASK_FACTORY": factory}
    with serve(path, "--loop", loop, *options, app_dir=TESTS, env=env) as server:
        yield server


def new_key() -> str:
    """A name for what one request's handler notes down."""
    return f"asgi-{next(_keys)}"


def get(server: Server, target: str, *headers: str) -> Response:
    """The answer to a GET on a connection of its own."""
    with Raw(server.port) as connection:
        return connection.get(target, "Connection: close", *headers).read()


def ok(server: Server, target: str, *headers: str) -> bytes:
    """The body of an answer that must be a success."""
    response = get(server, target, *headers)
    assert response.status == 200, response
    return bytes(response.body)


def notes(server: Server, key: str) -> list[Any]:
    """What a handler has noted down, once it has ended."""
    return json.loads(ok(server, f"/notes/{key}"))


def post(target: str, body: bytes, *headers: str) -> bytes:
    """The bytes of a POST."""
    return request("POST", target, *headers, body=body)
