"""A strict, small HTTP/1.1 client for tests that care about bytes.

`Reader` holds no socket: bytes in, whole responses out. `Raw` is a connection that sends exactly
what it is told to.
"""

import socket
import struct
from collections import deque
from dataclasses import dataclass, field
from typing import Self

from serving import DEADLINE, Deadline

_TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")


class BadResponse(AssertionError):
    """The server sent what is no HTTP/1.1 response."""


@dataclass
class Response:
    """A whole response."""

    status: int
    reason: str
    headers: list[tuple[str, str]]
    body: bytes | bytearray = b""
    framing: str = "none"
    """How the body was framed: none, length, chunked or close."""
    interim: list[int] = field(default_factory=list[int])
    """The 1xx responses that came before."""

    def all(self, name: str) -> list[str]:
        """Every value of a header."""
        return [value for known, value in self.headers if known == name]

    def header(self, name: str) -> str | None:
        """The value of a header that must not be there twice."""
        values = self.all(name)
        if len(values) > 1:
            raise BadResponse(f"{name} came {len(values)} times: {values}")
        return values[0] if values else None

    @property
    def says_close(self) -> bool:
        """Whether it announces the end of the connection."""
        return "close" in (self.header("connection") or "").lower().replace(" ", "").split(",")


class Reader:
    """Takes what a server sends apart, and is never lenient about it."""

    def __init__(self) -> None:
        self.responses: deque[Response] = deque()
        """Whole responses, in order."""
        self.interim: list[int] = []
        """The 1xx responses since the last final one."""
        self.heads_of_head = 0
        """How many of the next responses answer a HEAD and so have no body."""
        self._input = bytearray()
        self._at = 0
        self._current: Response | None = None
        self._left = 0

    def feed(self, data: bytes) -> None:
        """Takes some bytes in."""
        self._input += data
        while self._step():
            pass
        del self._input[: self._at]
        self._at = 0

    def end(self) -> None:
        """Takes the end of the connection in."""
        if self._current is not None and self._current.framing == "close":
            self._finish()
        elif self._current is not None or self._input:
            raise BadResponse(f"ended in the middle: {self._current}, {bytes(self._input[:200])}")

    @property
    def pending(self) -> bool:
        """Whether a response has begun and is not whole yet."""
        return self._current is not None or bool(self._input)

    @property
    def partial(self) -> Response | None:
        """The response whose body is coming in."""
        return self._current

    def _step(self) -> bool:
        if self._current is None:
            return self._head()
        if self._current.framing == "chunked":
            return self._chunked(self._current)
        if self._current.framing == "close":
            self._current.body += self._take(len(self._input) - self._at)
            return False
        data = self._take(min(self._left, len(self._input) - self._at))
        self._current.body += data
        self._left -= len(data)
        if self._left == 0:
            self._finish()
            return True
        return False

    def _take(self, length: int) -> bytes:
        data = bytes(self._input[self._at : self._at + length])
        self._at += length
        return data

    def _line(self) -> bytes | None:
        end = self._input.find(b"\r\n", self._at)
        if end < 0:
            return None
        line = self._take(end - self._at)
        self._at += 2
        if b"\n" in line or b"\r" in line or b"\0" in line:
            raise BadResponse(f"control byte in {line!r}")
        return line

    def _finish(self) -> None:
        assert self._current is not None
        self._current.body = bytes(self._current.body)
        self.responses.append(self._current)
        self._current = None

    def _head(self) -> bool:
        end = self._input.find(b"\r\n\r\n", self._at)
        if end < 0:
            return False
        lines: list[bytes] = []
        while line := self._line():
            lines.append(line)
        response = _parse_head(lines)
        if 100 <= response.status < 200:
            if response.header("content-length") or response.header("transfer-encoding"):
                raise BadResponse(f"framing in {response}")
            self.interim.append(response.status)
            return True
        response.interim, self.interim = self.interim, []
        response.body = bytearray()
        self._current = response
        self._frame(response)
        return True

    def _frame(self, response: Response) -> None:
        length = response.header("content-length")
        coding = response.header("transfer-encoding")
        if length is not None and not (length.isascii() and length.isdigit()):
            raise BadResponse(f"Content-Length {length!r}")
        if coding is not None and (coding != "chunked" or length is not None):
            raise BadResponse(f"Transfer-Encoding {coding!r}, Content-Length {length!r}")
        to_head, self.heads_of_head = self.heads_of_head > 0, max(0, self.heads_of_head - 1)
        if response.status == 204 and (coding is not None or length is not None):
            raise BadResponse(f"framing in {response}")
        if to_head or response.status in (204, 304):
            self._finish()
        elif coding is not None:
            response.framing = "chunked"
            self._left = -1
        elif length is not None:
            response.framing = "length"
            self._left = int(length)
            if self._left == 0:
                self._finish()
        else:
            response.framing = "close"

    def _chunked(self, response: Response) -> bool:
        if self._left < 0:  # before a chunk-size line
            line = self._line()
            if line is None:
                return False
            if not line or any(byte not in b"0123456789abcdefABCDEF" for byte in line):
                raise BadResponse(f"chunk size {line!r}")
            self._left = int(line, 16)
            return True
        if len(self._input) - self._at < self._left + 2:
            return False
        last = self._left == 0
        response.body += self._take(self._left)
        if self._take(2) != b"\r\n":
            raise BadResponse("chunk without CRLF behind it")
        self._left = -1
        if last:
            self._finish()
        return True


def _parse_head(lines: list[bytes]) -> Response:
    if not lines:
        raise BadResponse("an empty line where a status line belongs")
    version, _, rest = lines[0].partition(b" ")
    code, _, reason = rest.partition(b" ")
    if version != b"HTTP/1.1" or len(code) != 3 or not code.isdigit():
        raise BadResponse(f"status line {lines[0]!r}")
    headers: list[tuple[str, str]] = []
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not name or any(byte not in _TOKEN for byte in name):
            raise BadResponse(f"header line {line!r}")
        headers.append((name.decode().lower(), value.strip(b" \t").decode("latin-1")))
    return Response(int(code), reason.decode("latin-1"), headers)


class Raw:
    """A blocking connection that sends the bytes it is given and reads strictly."""

    def __init__(self, port: int, *, receive_buffer: int = 0) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(DEADLINE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        self.reader = Reader()
        self.ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes it in the ordinary way."""
        self.socket.close()

    def send(self, data: bytes) -> Self:
        """Sends exactly these bytes."""
        self.socket.sendall(data)
        return self

    def get(self, target: str, *headers: str, version: str = "1.1") -> Self:
        """Sends a GET."""
        return self.send(request("GET", target, *headers, version=version))

    def half_close(self) -> Self:
        """Says that nothing more comes."""
        self.socket.shutdown(socket.SHUT_WR)
        return self

    def reset(self) -> None:
        """Closes it with a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _more(self, deadline: Deadline) -> bool:
        self.socket.settimeout(deadline.left())
        data = self.socket.recv(256 * 1024)
        if data:
            self.reader.feed(data)
            return True
        self.ended = True
        self.reader.end()
        return False

    def read(self, *, to_head: bool = False, seconds: float = DEADLINE) -> Response:
        """The next final response, whole."""
        deadline = Deadline(seconds, "a response")
        self.reader.heads_of_head = int(to_head)
        while not self.reader.responses:
            if not self._more(deadline) and not self.reader.responses:
                raise BadResponse("the connection was closed without a response")
        return self.reader.responses.popleft()

    def read_head(self) -> Response:
        """A response whose head is in, whether or not its body is."""
        deadline = Deadline(what="a response head")
        while not self.reader.responses and self.reader.partial is None:
            if not self._more(deadline):
                raise BadResponse("the connection was closed without a response head")
        if self.reader.responses:
            return self.reader.responses.popleft()
        assert self.reader.partial is not None
        return self.reader.partial

    def read_body(self, length: int) -> bytes:
        """At least so many bytes of a body that is still coming in."""
        deadline = Deadline(what=f"{length} bytes of a body")
        response = self.read_head()
        while len(response.body) < length:
            assert self._more(deadline), f"ended after {response.body!r}"
        return bytes(response.body)

    def read_interim(self, count: int = 1) -> list[int]:
        """Waits for so many 1xx responses."""
        deadline = Deadline(what="an interim response")
        while len(self.reader.interim) < count:
            if not self._more(deadline):
                raise BadResponse("the connection was closed without an interim response")
        return self.reader.interim

    def read_to_end(self, *, heads: int = 0, seconds: float = DEADLINE) -> list[Response]:
        """Every response until the server ends the connection, which must be in order."""
        deadline = Deadline(seconds, "the end of the connection")
        self.reader.heads_of_head = heads
        while not self.ended and self._more(deadline):
            pass
        responses = list(self.reader.responses)
        self.reader.responses.clear()
        return responses

    def expect_end(self, seconds: float = DEADLINE) -> None:
        """Nothing more comes but the end of the connection."""
        rest = self.read_to_end(seconds=seconds)
        assert not rest, f"unexpected: {rest}"

    def expect_cut(self) -> bytes:
        """The connection ends in the middle of a response; returns the body that had come."""
        deadline = Deadline(what="the end of the connection")
        try:
            while self._more(deadline):
                pass
        except BadResponse:
            assert self.ended
        except ConnectionResetError:
            pass
        else:
            raise AssertionError(f"a whole response came: {self.reader.responses}")
        partial = self.reader.partial
        return b"" if partial is None else bytes(partial.body)


def request(
    method: str, target: str, *headers: str, body: bytes | None = None, version: str = "1.1"
) -> bytes:
    """The bytes of a request; with a body comes its Content-Length."""
    lines = [f"{method} {target} HTTP/{version}", "Host: example.test", *headers]
    if body is not None:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b"")
