"""Our head parser and chunk decoder against h11's and llhttp's, on inputs from a fixed seed.

What we read, both others read, and as the same. What we refuse and one of them reads, we refuse for
a reason that is declared below; where one of them refuses what we read, the limit is its own and
declared too. A declaration that no input meets fails the test.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeAlias

import pytest
from conformance import inputs
from conformance.parsers import Verdict, by_h11, by_llhttp, ours

INPUTS = 20_000

STRICTER = {
    "BareCr": "a carriage return alone is no line end, nor white space",
    "BareLf": "a line feed alone is no line end",
    "CodingOnHttp10": "HTTP/1.0 has no Transfer-Encoding",
    "FramingInTrailers": "no trailer says where a body ends",
    "FoldedLine": "a header line that begins with white space is refused, not joined",
    "InvalidChunkExtension": "extensions follow RFC 9112 section 7.1.1, without white space",
    "InvalidChunkSize": "no white space behind a chunk size",
    "InvalidContentLength": "Content-Length is one number, no list",
    "InvalidHeaderValue": "no control byte in a header value",
    "InvalidHost": "Host is a valid authority",
    "InvalidRequestLine": "there is no HTTP/0.9",
    "InvalidTarget": "no # and no byte beyond ASCII in a target",
    "InvalidTargetForm": "a target has a form that its method allows",
    "InvalidTransferEncoding": "Transfer-Encoding is exactly one chunked",
    "InvalidVersion": "exactly one space before the version",
    "LengthAndCoding": "Content-Length and Transfer-Encoding exclude each other",
    "MissingHost": "HTTP/1.1 and later 1.x need Host",
    "RepeatedHost": "there is one Host at most",
    "TooManyEmptyLines": "only a few empty lines are skipped before a request",
    "UnknownExpectation": "the only expectation is 100-continue",
    "UnknownTransferCoding": "the only coding is chunked",
    "UnsupportedVersion": "the only major version is 1",
}
"""Our errors on bytes that another parser reads."""

LIMITS_OF_H11 = {
    "no request line received": "it skips no empty line before a request (RFC 9112 section 2.2)",
    "Closed": "it keeps no HTTP/1.0 connection",
}
LIMITS_OF_LLHTTP = {
    "InvalidMethodError": "it knows a closed list of methods",
    "InvalidVersionError: Invalid HTTP version": "it does not serve HTTP/1.2 as 1.1",
    "InvalidContentLengthError: Invalid character": "it takes no tab behind the number",
    "UnexpectedContentLengthError: Duplicate": "it refuses lines that repeat the same number",
}
"""What another parser says of bytes that we read, by how its words begin."""

Peer: TypeAlias = Callable[[bytes], Verdict]
PEERS: list[tuple[Peer, dict[str, str]]] = [
    (by_h11, LIMITS_OF_H11),
    (by_llhttp, LIMITS_OF_LLHTTP),
]


class Comparison:
    """Gathers what differs, and which declarations were met."""

    def __init__(self) -> None:
        self.undeclared: list[str] = []
        self.met: set[str] = set()
        self.read = 0

    def compare(self, data: bytes, mine: Verdict, theirs: Verdict, limits: dict[str, str]) -> None:
        own = [message.normal() for message in mine.messages]
        other = [message.normal() for message in theirs.messages]
        common = min(len(own), len(other))
        if own[:common] != other[:common]:
            self.undeclared.append(f"{data!r} is read as {own}, not {other}")
        elif len(own) > common:
            self._declared(limits, theirs.error, f"looser: {data!r}: {theirs.error}")
        elif len(other) > common and mine.error != "Closed":
            # Behind a request that closes the connection nothing is read.
            self._declared(STRICTER, mine.error, f"stricter: {data!r}: {mine.error}")

    def _declared(self, table: dict[str, str], said: str | None, complaint: str) -> None:
        found = [start for start in table if (said or "").startswith(start)]
        self.met.update(found)
        if not found:
            self.undeclared.append(complaint)


def compare(data: Iterable[bytes]) -> Comparison:
    comparison = Comparison()
    samples = list(data)
    for sample, mine in zip(samples, ours(samples), strict=True):
        comparison.read += bool(mine.messages)
        for peer, limits in PEERS:
            comparison.compare(sample, mine, peer(sample), limits)
    return comparison


Generator: TypeAlias = Callable[[Random, int], Iterator[bytes]]


@pytest.fixture(scope="module")
def comparisons() -> dict[str, Comparison]:
    generators: dict[str, Generator] = {"heads": inputs.stream, "chunks": inputs.chunked}
    return {
        name: compare(generate(Random(f"alula {name}"), INPUTS))
        for name, generate in generators.items()
    }


@pytest.mark.parametrize("name", ["heads", "chunks"])
def test_never_looser_and_stricter_only_as_declared(
    comparisons: dict[str, Comparison], name: str
) -> None:
    comparison = comparisons[name]
    assert comparison.undeclared[:10] == []
    # Inputs that nobody reads would compare nothing.
    assert comparison.read > INPUTS // 5


def test_every_declaration_is_met(comparisons: dict[str, Comparison]) -> None:
    met: dict[str, bool] = defaultdict(bool)
    for table in (STRICTER, LIMITS_OF_H11, LIMITS_OF_LLHTTP):
        for start in table:
            met[start] = any(start in comparison.met for comparison in comparisons.values())
    assert [start for start, is_met in met.items() if not is_met] == []
