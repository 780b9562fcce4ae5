"""The scope: what an application is told about a request."""

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import alula
import alula._alula
import pytest
from integration.asgi import get, ok, semantics
from rawhttp import Raw, request
from serving import Server


@pytest.fixture(scope="module", params=["asyncio", "uvloop"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


def scope(server: Server, target: str = "/scope", *headers: str) -> dict[str, Any]:
    return json.loads(ok(server, target, *headers))


def test_a_scope_has_uvicorn_s_keys_and_types(server: Server) -> None:
    told = scope(server, "/scope?a=1&b=%20", "X-One: 1", "x-One:  2 ")
    headers = told.pop("headers")
    assert headers[-3:] == [["connection", "close"], ["x-one", "1"], ["x-one", "2"]]
    assert headers[0][0] == "host"
    assert told["types"] == {
        "type": "str",
        "asgi": "dict",
        "http_version": "str",
        "server": "tuple",
        "client": "tuple",
        "scheme": "str",
        "root_path": "str",
        "headers": "list",
        "state": "dict",
        "method": "str",
        "path": "str",
        "raw_path": "bytes",
        "query_string": "bytes",
    }
    del told["types"]
    host, port = told.pop("client")
    assert (host, type(port)) == ("127.0.0.1", int)
    assert told == {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "server": ["127.0.0.1", server.port],
        "scheme": "http",
        "root_path": "",
        "state": {"made": "at startup"},
        "method": "GET",
        "path": "/scope",
        "raw_path": "/scope",
        "query_string": "a=1&b=%20",
    }


def test_a_scope_is_made_afresh(server: Server) -> None:
    with Raw(server.port) as connection:
        shown = [json.loads(connection.get("/spoil").read().body) for _ in range(3)]
    assert shown[0] == shown[1] == shown[2]


def test_a_path_that_comes_again_and_again_is_always_right(server: Server) -> None:
    targets = ["/scope/a", "/scope/a", "/scope/a", "/scope/%62", "/scope/a", "/scope/%62"] * 2
    targets += ["/scope/%62"] * 3 + ["/spoil", "/spoil", "/spoil", "/scope/" + "c" * 200] * 2
    with Raw(server.port) as connection:
        for target in targets:
            told = json.loads(connection.get(target).read().body)
            assert told["raw_path"] == target
            assert told["path"] == target.replace("%62", "b")


def test_http_1_0_is_told(server: Server) -> None:
    with Raw(server.port) as connection:
        response = connection.get("/scope", version="1.0").read()
    assert json.loads(response.body)["http_version"] == "1.0"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/scope/%C3%A9%20%2F", "/scope/é /"),
        ("/scope/%2541", "/scope/%41"),
        ("/scope/%FF%e2%82", "/scope/\ufffd\ufffd"),
        ("/scope/%zz%4", "/scope/%zz%4"),
        ("/scope/a+b", "/scope/a+b"),
    ],
)
def test_a_path_is_decoded_once(server: Server, target: str, path: str) -> None:
    told = json.loads(ok(server, target))
    assert told["path"] == path
    assert told["raw_path"] == target


def test_proxy_headers_of_a_trusted_peer_are_believed(server: Server) -> None:
    headers = ("X-Forwarded-For: 1.2.3.4:5, 127.0.0.1", "X-Forwarded-Proto: https")
    told = scope(server, "/scope", *headers)
    assert told["client"] == ["1.2.3.4", 5]
    assert told["scheme"] == "https"
    # The connection's next request is not affected.
    with Raw(server.port) as connection:
        connection.get("/scope", *headers).read()
        told = json.loads(connection.get("/scope").read().body)
    assert told["client"][0] == "127.0.0.1"
    assert told["scheme"] == "http"


@pytest.mark.parametrize(
    ("told", "host"),
    [
        ("2001:db8::1", "2001:db8::1"),
        ("unknown", "unknown"),
        ("_hidden.1", "_hidden.1"),
        ("1.2.3.4\x9b31m", "1.2.3.4\\x9b31m"),
        (
            '1.2.3.4 - "GET / HTTP/1.1" 200',
            "1.2.3.4\\x20-\\x20\\x22GET\\x20/\\x20HTTP/1.1\\x22\\x20200",
        ),
    ],
)
def test_a_forwarded_client_that_is_none_is_escaped(told: str, host: str) -> None:
    with semantics("asyncio", "--access-log", "--no-use-colors") as server:
        if told.isascii():  # this handler wants headers in UTF-8
            assert scope(server, "/scope", f"X-Forwarded-For: {told}")["client"] == [host, 0]
        ok(server, "/never_waits", f"X-Forwarded-For: {told}")
        server.stop()
    assert f'INFO:     {host}:0 - "GET /never_waits HTTP/1.1" 200 OK\n' in server.log


@pytest.mark.parametrize("options", [["--no-proxy-headers"], ["--forwarded-allow-ips", "10.1.2.3"]])
def test_proxy_headers_of_others_are_not(options: list[str]) -> None:
    with semantics("asyncio", *options) as server:
        told = scope(server, "/scope", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https")
    assert told["client"][0] == "127.0.0.1"
    assert told["scheme"] == "http"


def test_a_root_path_comes_before_the_path() -> None:
    with semantics("asyncio", "--root-path", "/scope", "--lifespan", "off") as server:
        told = scope(server, "/x%20y")
    assert told["root_path"] == "/scope"
    assert told["path"] == "/scope/x y"
    assert told["raw_path"] == "/x%20y"
    assert told["state"] == {}


def test_a_unix_socket_has_a_path_for_a_server_and_no_client(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    told = asyncio.run(ask_on_unix_socket(listener, path))
    assert told == {"server": (str(path), None), "client": None}


async def ask_on_unix_socket(listener: socket.socket, path: Path) -> dict[str, Any]:
    told: dict[str, Any] = {}

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        told.update({key: scope[key] for key in ("server", "client")})
        await send({"type": "http.response.start", "status": 204})
        await send({"type": "http.response.body"})

    def nothing() -> None:
        pass

    loop = asyncio.get_running_loop()
    worker = alula._alula.Worker(
        app,
        alula.Config(app),
        loop,
        [listener.detach()],
        state={},
        on_limit=nothing,
        on_idle=nothing,
        access_log=None,
    )
    worker.start()
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(request("GET", "/", "Connection: close"))
    assert (await reader.read()).startswith(b"HTTP/1.1 204 ")
    writer.close()
    await writer.wait_closed()
    worker.close()
    return told


def test_asgi_2_is_adapted() -> None:
    with semantics(app="Asgi2") as server:
        assert ok(server, "/") == b"asgi 2.0"


def test_any_awaitable_will_do() -> None:
    with semantics(app="plain_function") as server:
        assert [ok(server, "/") for _ in range(2)] == [b"awaited"] * 2


def test_a_websocket_handshake_is_not_supported_yet(server: Server) -> None:
    headers = (
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    )
    begun = server.log_length
    with Raw(server.port) as connection:
        assert connection.get("/scope", *headers).read().status == 501
    server.wait_for_log("WebSocket is not supported yet", after=begun)
    with Raw(server.port) as connection:
        assert connection.get("/scope", *headers[:3]).read().status == 400


def test_too_many_connections_are_turned_away() -> None:
    with semantics("asyncio", "--limit-concurrency", "2") as server:
        assert get(server, "/never_waits").status == 200
        with Raw(server.port):
            ok_or_full = get(server, "/never_waits")
        assert ok_or_full.status == 503
        assert ok_or_full.body == b"Service Unavailable"
        server.wait_for_log("Exceeded concurrency limit.")
