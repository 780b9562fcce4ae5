"""Starlette's middlewares do the same when they are accelerated: every message, every exception.

Generated settings, requests and inner applications run through both.
"""

import asyncio
import copy
import random
from collections.abc import Callable
from typing import Any

import pytest
from alula._internal.compiled.middleware import accelerate
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.httpsredirect import HTTPSRedirectMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

Log = list[Any]
ROUNDS = 400
TURNS = 100
"""How many turns of the loop a client stays that has sent everything."""


def scope_of(headers: Any = (), **changes: Any) -> dict[str, Any]:
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "path": "/a b/ü",
        "query_string": b"q=1",
        "server": ("here", 8000),
        "headers": headers,
    }
    return {**scope, **changes}


def outcome(error: BaseException, depth: int = 3) -> Any:
    """An exception as far as it is to be the same. Causes can go round in a circle."""
    if depth == 0:
        return type(error)
    inner = [outcome(one, depth - 1) for one in getattr(error, "exceptions", ())]
    cause = error.__cause__
    return (type(error), str(error), inner, cause and outcome(cause, depth - 1))


async def run(app: Any, scope: Any, incoming: list[Any], log: Log) -> None:
    """Runs a request. When there is nothing more to receive, the client leaves at length."""
    messages = iter(incoming)

    async def receive() -> Any:
        for message in messages:
            if isinstance(message, Exception):
                raise message
            return dict(message)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        log.append("left")
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        log.append(("sent", copy.deepcopy(message)))

    try:
        await app(scope, receive, send)
    except BaseException as error:
        log.append(("raised", outcome(error)))
    log.append(("scope", scope.get("headers")))


def assert_same(
    make: Callable[[Log], Any], scope: dict[str, Any], incoming: list[Any] | None = None
) -> Log:
    logs: list[Log] = []
    for change in (lambda layer: layer, accelerate):
        log: Log = []
        layer = make(log)
        app = change(layer)
        assert change is not accelerate or app is not layer, "it is not accelerated"
        given = copy.deepcopy(scope)
        asyncio.run(run(app, given, incoming or [], log))
        logs.append(log)
    assert logs[0] == logs[1]
    return logs[0]


def replay(messages: list[Any]) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        for message in copy.deepcopy(messages):
            if isinstance(message, Exception):
                raise message
            await send(message)

    return app


NAMES = [b"vary", b"Vary", b"content-length", b"content-type", b"x-a"]
NAMES += [b"access-control-allow-origin", b"content-encoding", b"access-control-expose-headers"]
VALUES = [b"*", b"Accept", b"text/html; charset=x", b"image/png", b"TEXT/Event-Stream", b"\xe9"]
VALUES += [b"application/grpc+proto", b"video/mp4", b"application/json", b"5"]


def some_headers(pick: random.Random) -> Any:
    kind = pick.choice([list, list, tuple])
    return kind((pick.choice(NAMES), pick.choice(VALUES)) for _ in range(pick.randrange(5)))


def some_answer(pick: random.Random) -> list[Any]:
    start = {"type": "http.response.start", "status": pick.choice([200, 200, 204, 206, 404])}
    if pick.random() < 0.9:
        start["headers"] = list(some_headers(pick))
    if pick.random() < 0.2:
        start["trailers"] = True
    bodies: list[Any] = []
    count = pick.choice([0, 1, 1, 1, 2, 3])
    for index in range(count):
        size = pick.choice([0, 1, 19, 20, 21, 600, 5000])
        message = {"type": "http.response.body", "body": (b"abcdefg%d" * 900 % ((7,) * 900))[:size]}
        if size == 0 and pick.random() < 0.5:
            del message["body"]
        if index < count - 1 or pick.random() < 0.1:
            message["more_body"] = True
        bodies.append(message)
    others = [
        {"type": "http.response.early_hint", "links": [b"</a>"]},
        {"type": "http.response.trailers", "headers": [(b"a", b"b")]},
        {"type": "http.response.pathsend", "path": "/p"},
        ValueError("broken"),
    ]
    messages = [start, *bodies]
    if pick.random() < 0.3:
        messages.insert(pick.randrange(len(messages) + 1), pick.choice(others))
    return messages


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_cors_is_the_same(seed: int) -> None:
    pick = random.Random(seed)
    origins = ["https://a.example", "https://b.example", "null", "\xe9"]
    options: dict[str, Any] = {
        "allow_origins": pick.choice([(), ["*"], origins[:1], origins]),
        "allow_credentials": pick.random() < 0.5,
        "allow_origin_regex": pick.choice([None, None, r"https://.*\.example"]),
        "allow_methods": pick.choice([["GET"], ["*"]]),
        "allow_headers": pick.choice([[], ["*"], ["X-A"]]),
        "allow_private_network": pick.random() < 0.5,
        "expose_headers": pick.choice([[], ["X-A", "X-B"]]),
    }
    asked = [(b"origin", pick.choice(origins).encode("latin-1"))] * pick.choice([0, 1, 1, 1, 2])
    if pick.random() < 0.5:
        asked.append((b"access-control-request-method", pick.choice([b"GET", b"PUT"])))
    if pick.random() < 0.5:
        asked.append((b"access-control-request-headers", pick.choice([b"x-a", b"X-B, x-a"])))
    if pick.random() < 0.2:
        asked.append((b"access-control-request-private-network", b"true"))
    scope = scope_of(pick.choice([list, tuple])(asked), method=pick.choice(["GET", "OPTIONS"]))
    answer = some_answer(pick)
    assert_same(lambda _: CORSMiddleware(replay(answer), **options), scope)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_gzip_is_the_same(seed: int) -> None:
    pick = random.Random(seed)
    options: dict[str, Any] = {
        "minimum_size": pick.choice([0, 20, 500]),
        "compresslevel": pick.choice([1, 6, 9]),
        "thread_minimum_size": pick.choice([128 * 1024, 1000]),
    }
    if pick.random() < 0.2:
        options["exclude_content_types"] = ("Application/JSON; a=b",)
    accepted = pick.choice([[], [(b"accept-encoding", b"br, gzip")], [(b"accept-encoding", b"br")]])
    answer = some_answer(pick)
    assert_same(lambda _: GZipMiddleware(replay(answer), **options), scope_of(accepted))


HOSTS = [b"a.example", b"A.Example:80", b"www.a.example", b"x.a.example", b"[::1]:8000", b"\xe9"]
HOSTS += [b"[::g]", b"", b"example", b"a.example:443", b"b:99"]


@pytest.mark.parametrize("host", [None, *HOSTS])
@pytest.mark.parametrize("kind", ["http", "websocket", "lifespan"])
@pytest.mark.parametrize("scheme", ["http", "https", "ws", "wss"])
def test_hosts_and_schemes_are_the_same(host: bytes | None, kind: str, scheme: str) -> None:
    answer = [{"type": "http.response.start", "status": 200}, {"type": "http.response.body"}]
    headers = [] if host is None else [(b"host", host), (b"host", b"other")]
    scope = scope_of(headers, type=kind, scheme=scheme)
    for allowed in (None, ["*"], ["a.example"], ["www.a.example"], ["*.example"], ["[::1]"]):
        for redirect in (True, False):
            assert_same(
                lambda _, a=allowed, r=redirect: TrustedHostMiddleware(replay(answer), a, r), scope
            )
    assert_same(lambda _: HTTPSRedirectMiddleware(replay(answer)), scope)


@pytest.mark.parametrize("change", ["subclass", "method", "instance", "unknown"])
def test_leaves_what_it_does_not_know(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    layer: Any = CORSMiddleware(replay([]))
    if change == "subclass":
        layer = type("Mine", (CORSMiddleware,), {})(replay([]))
    elif change == "method":
        monkeypatch.setattr(CORSMiddleware, "is_allowed_origin", lambda *_: True)
    elif change == "instance":
        layer.is_allowed_origin = lambda *_: True
    else:
        layer = replay([])
    assert accelerate(layer) is layer


def test_what_is_inside_can_still_be_seen() -> None:
    inner = replay([])
    assert accelerate(CORSMiddleware(inner)).app is inner  # type: ignore[attr-defined]
