"""One request and its only right answer, byte for byte."""

from __future__ import annotations

import json
import socket
from dataclasses import dataclass


class WrongAnswer(Exception):
    """The server answered something else, or not at all."""


@dataclass(frozen=True)
class Exchange:
    """A request to one of the applications, and the answer that it must get."""

    name: str
    app: str
    path: str
    expected: bytes
    body: bytes | None = None
    content_type: str = "application/octet-stream"
    headers: tuple[tuple[str, str], ...] = ()

    def constant_answer(self) -> bytes:
        """A whole response for the ceiling, with the headers that a server usually sends."""
        head = (
            "HTTP/1.1 200 OK\r\ndate: Thu, 01 Jan 2026 00:00:00 GMT\r\nserver: ceiling\r\n"
            f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(self.expected)}\r\n"
        )
        return head.encode() + b"\r\n" + self.expected

    @property
    def request(self) -> bytes:
        """The bytes that go over the wire."""
        lines = [f"{'GET' if self.body is None else 'POST'} {self.path} HTTP/1.1"]
        lines.append("Host: 127.0.0.1")
        lines += [f"{name}: {value}" for name, value in self.headers]
        if self.body is not None:
            lines.append(f"Content-Type: {self.content_type}")
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, "", ""]).encode() + (self.body or b"")


def ask(connection: socket.socket, exchange: Exchange) -> None:
    """Sends the request on a connection and checks the answer: status and exact body.

    Raises `WrongAnswer`, or `OSError` if the connection fails.
    """
    connection.sendall(exchange.request)
    receive(connection, exchange)


def receive(connection: socket.socket, exchange: Exchange) -> None:
    """Receives one answer and checks it: status and exact body.

    Raises `WrongAnswer`, or `OSError` if the connection fails.
    """
    received = b""
    while b"\r\n\r\n" not in received:
        received += _receive(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    if status.split(" ")[:2] != ["HTTP/1.1", "200"]:
        raise WrongAnswer(f"status line {status!r}")
    headers = {name.strip().lower(): value.strip() for name, _, value in _pairs(lines)}
    length = headers.get("content-length")
    if length is None or int(length) != len(exchange.expected):
        raise WrongAnswer(f"Content-Length {length}, expected {len(exchange.expected)}")
    while len(body) < len(exchange.expected):
        body += _receive(connection)
    if body != exchange.expected:
        raise WrongAnswer(f"body {body[:80]!r}, expected {exchange.expected[:80]!r}")


def _pairs(lines: list[str]) -> list[tuple[str, str, str]]:
    return [line.partition(":") for line in lines]


def _receive(connection: socket.socket) -> bytes:
    data = connection.recv(262144)
    if not data:
        raise WrongAnswer("the connection was closed before the answer was complete")
    return data


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


# What the applications must answer is written down here once more, and not imported from them.
_PLAIN = b"Hello, World!"
_JSON = b'{"message": "Hello, World!"}'
_LARGE = bytes(32 + (position * 7 + position // 95) % 95 for position in range(65536))
_ECHOED = bytes(33 + (position * 11 + position // 90) % 90 for position in range(4096))

_BROWSER = (
    ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"),
    ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    ("Accept-Language", "en-US,en;q=0.5"),
    ("Accept-Encoding", "gzip, deflate, br, zstd"),
    ("Cookie", "session=4f0c6f2e9a3b4d7c8e1f; theme=dark"),
    ("Upgrade-Insecure-Requests", "1"),
    ("Sec-Fetch-Dest", "document"),
    ("Sec-Fetch-Mode", "navigate"),
    ("Sec-Fetch-Site", "none"),
    ("Cache-Control", "max-age=0"),
)

EXCHANGES = {
    exchange.name: exchange
    for exchange in (
        Exchange("plain", "raw:app", "/plain", _PLAIN),
        Exchange("headers", "raw:app", "/plain", _PLAIN, headers=_BROWSER),
        Exchange("json", "raw:app", "/json", _JSON),
        Exchange("echo4k", "raw:app", "/echo", _ECHOED, body=_ECHOED),
        Exchange("body64k", "raw:app", "/64k", _LARGE),
        Exchange(
            "fastapi",
            "fast:app",
            "/items/42?q=lamp&limit=2",
            _json({"id": 42, "name": "lamp", "price": 63.0, "tags": ["new", "sale"]}),
        ),
        Exchange(
            "fastapi-post",
            "fast:app",
            "/orders",
            _json({"item_id": 7, "quantity": 3, "total": 4.5, "note": "gift"}),
            body=_json({"item_id": 7, "quantity": 3, "note": "gift"}),
            content_type="application/json",
        ),
    )
}
