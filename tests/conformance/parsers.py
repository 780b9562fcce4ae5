"""What three parsers make of the same bytes: ours through `judge`, h11, and llhttp."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import h11
import llhttp

ROOT = Path(__file__).parents[2]

Headers: TypeAlias = list[tuple[bytes, bytes]]


@dataclass
class Message:
    """A request that was read to its end."""

    method: bytes
    target: bytes
    headers: Headers
    body: bytes

    def normal(self) -> tuple[bytes, bytes, Headers, bytes]:
        """Without what parsers may lawfully write in more than one way."""
        headers: Headers = []
        for sent, untrimmed in self.headers:
            name, value = sent.lower(), untrimmed.strip(b" \t")
            if name == b"transfer-encoding":
                value = value.lower()
            # Its authority stands in for Host with us; h11 drops lengths that repeat the first.
            if (name == b"host" and b"://" in self.target.split(b"?")[0]) or (
                name == b"content-length" and (name, value) in headers
            ):
                continue
            headers.append((name, value))
        return self.method, self.target, headers, self.body


@dataclass
class Verdict:
    """The whole requests, in order, and what was wrong with what followed, if anything."""

    messages: list[Message] = field(default_factory=list[Message])
    error: str | None = None


def judge_path() -> Path:
    """The judge, built where it is not given."""
    if given := os.environ.get("ALULA_JUDGE"):
        return Path(given)
    command = ["cargo", "build", "--quiet", "--locked", "-p", "alula-http", "--example", "judge"]
    subprocess.run(command, cwd=ROOT, check=True)
    target = Path(os.environ.get("CARGO_TARGET_DIR", "target"))
    return ROOT / target / "debug" / "examples" / "judge"


def ours(inputs: list[bytes]) -> list[Verdict]:
    """All at once: the judge is a process."""
    framed = b"".join(struct.pack("<I", len(data)) + data for data in inputs)
    done = subprocess.run([judge_path()], input=framed, stdout=subprocess.PIPE, check=True)
    return [_our_verdict(json.loads(line)) for line in done.stdout.splitlines()]


def _our_verdict(said: dict[str, Any]) -> Verdict:
    messages = [
        Message(
            method=request["method"].encode("latin-1"),
            target=request["target"].encode("latin-1"),
            headers=[
                (name.encode("latin-1"), value.encode("latin-1"))
                for name, value in request["headers"]
            ],
            body=request["body"].encode("latin-1"),
        )
        for request in said["requests"]
        if request["whole"]
    ]
    if error := said["error"]:
        return Verdict(messages, error["name"])
    return Verdict(messages, "Closed" if said["closed"] else None)


def by_h11(data: bytes) -> Verdict:
    """As h11's server role sees it."""
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    verdict = Verdict()
    message = Message(b"", b"", [], b"")
    connection.receive_data(data)
    connection.receive_data(b"")
    try:
        while True:
            event = connection.next_event()
            if isinstance(event, h11.Request):
                message = Message(event.method, event.target, list(event.headers), b"")
            elif isinstance(event, h11.Data):
                message.body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                verdict.messages.append(message)
                connection.send(h11.Response(status_code=200, headers=[(b"content-length", b"0")]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE:
                    verdict.error = "Closed"
                    return verdict
                connection.start_next_cycle()
            elif isinstance(event, h11.ConnectionClosed):
                return verdict
            else:
                verdict.error = f"stopped: {event!r}"
                return verdict
    except h11.ProtocolError as error:
        verdict.error = str(error)
        return verdict


class _Listener(llhttp.Request):
    """Puts the callbacks' pieces together."""

    def __init__(self) -> None:
        self.verdict = Verdict()
        self.in_body = False
        self.on_message_begin()

    def on_message_begin(self) -> None:
        self.message = Message(b"", b"", [], b"")
        self.in_body = False
        self.name = b""
        self.value = b""

    def on_method(self, data: memoryview) -> None:
        self.message.method += bytes(data)

    def on_url(self, data: memoryview) -> None:
        self.message.target += bytes(data)

    def on_header_field(self, data: memoryview) -> None:
        self.name += bytes(data)

    def on_header_value(self, data: memoryview) -> None:
        self.value += bytes(data)

    def on_header_value_complete(self) -> None:
        # Behind the body they are trailers.
        if not self.in_body:
            self.message.headers.append((self.name, self.value))
        self.name = self.value = b""

    def on_headers_complete(self) -> None:
        self.in_body = True

    def on_body(self, data: memoryview) -> None:
        self.message.body += bytes(data)

    def on_message_complete(self) -> None:
        self.verdict.messages.append(self.message)


def by_llhttp(data: bytes) -> Verdict:
    """As llhttp sees it, with none of its leniencies."""
    listener = _Listener()
    verdict = listener.verdict
    try:
        listener.execute(data)
        if listener.is_upgrading:
            verdict.error = "Upgrading"
            return verdict
        listener.finish()
    except llhttp.Error as error:
        verdict.error = f"{type(error).__name__}: {error}"
    return verdict
