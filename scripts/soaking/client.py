"""A client on asyncio that knows what it wants to hear."""

import asyncio
import base64
import json
import random
import socket
import struct
import zlib
from typing import Any

from rawhttp import Reader, Response

TIMEOUT = 60.0
"""Seconds to wait for an answer: a guard against hanging."""


class WrongAnswer(AssertionError):
    """The server's answer is not what it should be."""


class Client:
    """Sends a request after the other over a connection that it now and then replaces."""

    def __init__(self, port: int, number: int, seed: int, admin: tuple[str, str]) -> None:
        self._port = port
        self._authorization = "Basic " + base64.b64encode(":".join(admin).encode()).decode()
        self._connection: _Connection | None = None
        self.number = number
        self.random = random.Random(f"{seed} {number}")
        self.requests = 0
        """How many have been sent."""
        self.memory: dict[str, Any] = {}
        """What the mix keeps from one request to the next."""

    async def ask(
        self,
        method: str,
        target: str,
        *lines: str,
        expect: int = 200,
        admin: bool = False,
        value: object = None,
        body: bytes | None = None,
        close: bool = False,
    ) -> Response:
        """Sends a request, with JSON or plain bytes for a body; its answer has this status."""
        head = [f"{method} {target} HTTP/1.1", "Host: localhost", *lines]
        if admin:
            head.append(f"Authorization: {self._authorization}")
        if close:
            head.append("Connection: close")
        if value is not None:
            body = json.dumps(value).encode()
            head.append("Content-Type: application/json")
        if body is not None:
            head.append(f"Content-Length: {len(body)}")
        data = "\r\n".join([*head, "", ""]).encode() + (body or b"")
        connection = await self._connected()
        self.requests += 1
        response = await connection.exchange(data)
        if response.status != expect:
            raise WrongAnswer(f"{method} {target}: {response.status}, not {expect}: {response}")
        if response.header("date") is None or response.header("server") is None:
            raise WrongAnswer(f"{method} {target}: no date or server in {response}")
        if close or response.says_close:
            if not (close and response.says_close):
                raise WrongAnswer(f"{method} {target}: closes unasked, or not: {response}")
            await connection.expect_end()
            self._connection = None
        return response

    async def json(self, method: str, target: str, *lines: str, **options: Any) -> Any:
        """Like `ask`; returns the answer's JSON."""
        response = await self.ask(method, target, *lines, **options)
        if response.header("content-type") != "application/json":
            raise WrongAnswer(f"{method} {target}: {response}")
        return json.loads(unpacked(response))

    async def open_stream(self, target: str) -> "_Connection":
        """A connection of its own on which a body comes that does not end."""
        connection = await _Connection.open(self._port)
        self.requests += 1
        connection.send(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        return connection

    async def break_off(self, data: bytes, received: int) -> None:
        """Sends something, reads some of the answer and resets the connection."""
        connection = await _Connection.open(self._port)
        self.requests += 1
        connection.send(data)
        await connection.read_body(received)
        connection.reset()

    def forget(self) -> None:
        """Leaves the connection without a word; the next request makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    async def _connected(self) -> "_Connection":
        if self._connection is None:
            self._connection = await _Connection.open(self._port)
        return self._connection


def unpacked(response: Response) -> bytes:
    """The body without its gzip coding."""
    if response.header("content-encoding") == "gzip":
        return zlib.decompress(response.body, wbits=31)
    return bytes(response.body)


class _Connection(asyncio.Protocol):
    """A socket that hands what comes to a strict reader."""

    def __init__(self) -> None:
        self._reader = Reader()
        self._transport: asyncio.Transport | None = None
        self._changed = asyncio.Event()
        self._ended = False
        self._error: BaseException | None = None

    @classmethod
    async def open(cls, port: int) -> "_Connection":
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, "127.0.0.1", port)
        return connection

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
        except AssertionError as error:
            self._error = error
        self._changed.set()

    def eof_received(self) -> None:
        try:
            self._reader.end()
        except AssertionError as error:
            self._error = error

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = True
        self._error = self._error or exc
        self._changed.set()

    def send(self, data: bytes) -> None:
        assert self._transport is not None
        self._transport.write(data)

    async def exchange(self, data: bytes) -> Response:
        """Sends a request and waits for the whole answer."""
        assert not self._reader.pending, "something came that nobody had asked for"
        self.send(data)
        while not self._reader.responses:
            await self._change()
        return self._reader.responses.popleft()

    async def read_body(self, size: int) -> bytes:
        """At least so much of a body that is still coming in."""
        while size:
            partial = self._reader.partial
            if partial is not None and len(partial.body) >= size:
                return bytes(partial.body)
            if self._reader.responses:
                return bytes(self._reader.responses[0].body)
            await self._change()
        return b""

    async def expect_end(self) -> None:
        """Waits for the server to close the connection, with nothing more to say."""
        while not self._ended:
            await self._change()
        if self._error is not None:
            raise WrongAnswer(f"no orderly end: {self._error!r}")

    async def _change(self) -> None:
        if self._error is not None or self._ended:
            raise WrongAnswer(f"the connection ended: {self._error!r}")
        self._changed.clear()
        async with asyncio.timeout(TIMEOUT):
            await self._changed.wait()

    def close(self) -> None:
        assert self._transport is not None
        self._transport.close()

    def reset(self) -> None:
        assert self._transport is not None
        plain = self._transport.get_extra_info("socket")
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()
