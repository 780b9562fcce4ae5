"""Many requests on a connection, upgrades, and how connections end: a test for each rule."""

import socket
from typing import Any

import pytest
from content import pattern
from integration.wire import (
    GET,
    HOST,
    ask,
    chunked,
    exchange,
    expect_error,
    line,
    new_key,
    patient_server,
    post,
    seen,
    told,
)
from rawhttp import Raw, request
from serving import Server

server = patient_server


# Connections


def test_pipelined_requests_are_answered_in_order_each_once(server: Server) -> None:
    requests = b""
    for number in range(60):
        if number % 3 == 0:
            requests += request("POST", f"/{number}", body=pattern(number * 7))
        elif number % 3 == 1:
            requests += request("GET", f"/{number}")
        else:
            piece = b"%x\r\n%b\r\n0\r\n\r\n" % (number, pattern(number))
            requests += request("POST", f"/{number}", "Transfer-Encoding: chunked") + piece
    responses = exchange(server, requests)
    assert len(responses) == 60
    for number, response in enumerate(responses):
        scope = told(response)
        size = (number * 7, 0, number)[number % 3]
        assert (scope["path"], scope["body"]) == (f"/{number}", pattern(size).decode())


def test_what_is_pipelined_behind_close_is_not_answered(server: Server) -> None:
    responses = exchange(server, request("GET", "/", "Connection: close") + GET)
    assert len(responses) == 1
    assert responses[0].says_close


def test_what_is_pipelined_behind_an_error_is_not_answered(server: Server) -> None:
    responses = exchange(server, GET + line(b"GET * HTTP/1.1") + GET)
    assert [response.status for response in responses] == [200, 400]


@pytest.mark.parametrize(
    ("version", "lines", "kept", "says"),
    [
        ("1.1", (), True, None),
        ("1.1", ("Connection: keep-alive",), True, None),
        ("1.1", ("Connection: close",), False, "close"),
        ("1.1", ("Connection: CLOSE",), False, "close"),
        ("1.1", ("Connection: foo ,\tClose",), False, "close"),
        ("1.1", ("Connection: close, keep-alive",), False, "close"),
        ("1.1", ("Connection: keep-alive", "Connection: close"), False, "close"),
        ("1.1", ("Connection: closed",), True, None),
        ("1.1", ("Connection: ,,",), True, None),
        ("1.0", (), False, "close"),
        ("1.0", ("Connection: keep-alive",), True, "keep-alive"),
        ("1.0", ("Connection: Keep-Alive",), True, "keep-alive"),
        ("1.0", ("Connection: keep-alive, close",), False, "close"),
    ],
)
def test_the_connection_header(
    server: Server, version: str, lines: tuple[str, ...], kept: bool, says: str | None
) -> None:
    with Raw(server.port) as connection:
        response = connection.get("/fine", *lines, version=version).read()
        told(response)
        assert response.header("connection") in ((says,) if version == "1.1" else (says, None))
        if version == "1.0" and kept:
            assert response.header("connection") == "keep-alive"
        if kept:
            assert told(connection.send(GET).read())["path"] == "/fine"
        else:
            connection.expect_end()


@pytest.mark.parametrize(
    "lines",
    [
        ("Connection: Upgrade", "Upgrade: foo/1"),
        ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
        ("Upgrade: websocket",),
    ],
)
def test_an_unknown_upgrade_is_ignored(server: Server, lines: tuple[str, ...]) -> None:
    with Raw(server.port) as connection:
        assert told(connection.get("/fine", *lines).read())["http_version"] == "1.1"
        assert told(connection.send(GET).read())["path"] == "/fine"


HANDSHAKE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
)


def test_a_websocket_handshake_is_501_for_now(server: Server) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        assert connection.get("/", *HANDSHAKE).read().status == 501
    server.wait_for_log("(?i)websocket", after=before)


@pytest.mark.parametrize(
    "lines", [HANDSHAKE[:3], (*HANDSHAKE[:3], "Sec-WebSocket-Key: short"), HANDSHAKE[:2]]
)
def test_an_invalid_websocket_handshake_is_400(server: Server, lines: tuple[str, ...]) -> None:
    with Raw(server.port) as connection:
        assert connection.get("/", *lines).read().status == 400


def test_the_http_2_preface_is_closed_silently(server: Server) -> None:
    with Raw(server.port) as connection:
        connection.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
        connection.expect_end()


def test_tls_on_a_plain_port_is_400_and_closed(server: Server) -> None:
    hello = bytes.fromhex("1603010200010001fc0303") + bytes(500)
    expect_error(server, hello, 400)


def test_half_close_after_a_whole_request_is_answered_in_full(server: Server) -> None:
    key = new_key()
    lines = ("X-Do: answer-after-disconnect", f"X-Key: {key}", "Content-Length: 5")
    with Raw(server.port) as connection:
        connection.send(request("POST", "/", *lines) + b"hello").half_close()
        assert connection.read_body(6) == b"still "
        ask(server, f"/release/{key}")
        assert connection.read().body == b"still here"
        connection.expect_end()
    notes = seen(server, key)
    assert "".join(data for data, _ in notes[:-1]) == "hello"
    assert notes[-1] == "http.disconnect"


def test_half_close_behind_pipelined_requests(server: Server) -> None:
    assert [told(one)["path"] for one in exchange(server, GET * 5)] == ["/fine"] * 5


def test_a_reset_ends_receiving_and_sending(server: Server) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        connection.get("/", "X-Do: stream-until-gone", f"X-Key: {key}")
        connection.read_body(1000)
        connection.reset()
    notes = seen(server, key)
    assert notes[:2] == ["send: OSError", "ClientDisconnected"]


@pytest.mark.parametrize("how", ["half-close", "close", "reset"])
def test_who_leaves_while_the_application_waits_is_noticed(server: Server, how: str) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        lines = ("X-Do: answer-after-disconnect", f"X-Key: {key}")
        connection.get("/", *lines)
        ask(server, f"/reached/{key}")
        if how == "half-close":
            connection.half_close()
            assert connection.read_body(6) == b"still "
        elif how == "close":
            connection.close()
        else:
            connection.reset()
        ask(server, f"/release/{key}")
        assert "http.disconnect" in seen(server, key)


@pytest.mark.parametrize(
    "part",
    [
        b"GET / HTTP/1.1\r\nHost: exa",
        b"G",
        b"GET / HTTP/1.1\r\nHost: example.test\r\n",
    ],
)
def test_a_fin_within_the_head(server: Server, part: bytes) -> None:
    responses = exchange(server, GET + part)
    assert [response.status for response in responses] in ([200], [200, 400])


@pytest.mark.parametrize(
    "part",
    [
        post(b"Content-Length: 10", b"hello"),
        chunked(b""),
        chunked(b"5\r\nhel"),
        chunked(b"5\r\nhello\r\n"),
        chunked(b"5\r\nhello\r\n0\r\n"),
        chunked(b"5\r\nhello\r\n0\r\nX: 1\r\n"),
    ],
)
def test_a_fin_within_the_body_is_never_its_end(server: Server, part: bytes) -> None:
    key = new_key()
    responses = exchange(server, part.replace(HOST, HOST + f"X-Key: {key}\r\n".encode()))
    assert [response.status for response in responses] in ([], [400])
    if ask(server, f"/was-reached/{key}") == b"True":
        notes: list[Any] = seen(server, key)
        assert notes[-1] == "http.disconnect"
        assert all(more for _, more in notes[:-1])


def test_a_refused_request_does_not_hide_its_answer_behind_a_reset(server: Server) -> None:
    # A client that is still sending gets to read why it should not.
    with Raw(server.port) as connection:
        connection.send(b"GET / HTTP/1.1\r\n\r\n")
        for _ in range(50):
            try:
                connection.socket.send(b"x" * 10_000, socket.MSG_DONTWAIT)
            except BlockingIOError:
                break
        assert connection.read().status == 400
