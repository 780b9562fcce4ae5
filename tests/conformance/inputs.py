"""Requests, right and wrong, from a seed: generated from the grammar, then mutated."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from random import Random

METHODS = [b"GET"] * 6 + [b"POST"] * 6 + [b"PUT", b"HEAD", b"DELETE", b"OPTIONS", b"BREW", b"get"]
TARGETS = [b"/"] * 20 + [
    b"/items/4?q=1&r=%20",
    b"/a/../b;c=d",
    b"http://a.test/p?q",
    b"https://a.test:81",
    b"*",
    b"a.test:80",
    b"/a#b",
    b"/\xc3\xa9",
    b"/" + b"t" * 300,
]
VERSIONS = (
    [b"HTTP/1.1"] * 40 + [b"HTTP/1.0"] * 8 + [b"HTTP/1.2", b"HTTP/2.0", b"HTTP/0.9", b"http/1.1"]
)
HOSTS = [b"a.test"] * 20 + [b"a.test:80", b"[::1]:80", b"", b"a b", b"a/b", b"u@a"]
LINES = [
    b"Accept: */*",
    b"X-Empty:",
    b"X-Blank: \t ",
    b"x_under:  a b ",
    b"X-Obs: \xff\xe9",
    b"X-Long: " + b"v" * 200,
    b"Connection: keep-alive",
    b"Connection: close",
    b"Connection: foo, Close",
    b"Expect: 100-continue",
    b"Upgrade: foo",
    b"Cookie: a=1; b=2",
    b"X-Space : 1",
    b" X-Fold: 1",
    b"No-Colon",
    b": empty",
    b"X-Nul: a\x00b",
    b"X-Del: a\x7fb",
    b"X-Tab: a\tb",
    b"X(Paren): 1",
]
LENGTHS = [b"%d"] * 30 + [
    b"0%d",
    b"+%d",
    b"-%d",
    b"%d, %d",
    b" %d\t",
    b"0x%d",
    b"",
    b"%da",
    b"9" * 19,
    b"9" * 20,
]
CODINGS = [b"chunked"] * 30 + [
    b"Chunked",
    b"gzip, chunked",
    b"chunked, gzip",
    b"chunked, chunked",
    b"identity",
    b"xchunked",
    b"chunked;q=1",
    b"\x0bchunked",
    b"",
]
SIZES = [b"%x"] * 40 + [
    b"%X",
    b"00%x",
    b"0x%x",
    b"-%x",
    b"+%x",
    b" %x",
    b"%x ",
    b"",
    b"%xg",
    b"f" * 16,
    b"f" * 17,
]
EXTENSIONS = [b""] * 60 + [
    b";a",
    b";a=b",
    b';a="b;c"',
    b';a="\\""',
    b";a;b=c",
    b"; a",
    b" ;a",
    b";",
    b";a=",
    b";a b",
    b';a="',
    b";a=\x01",
    b";a\x00",
]
ENDS = [b"\r\n"] * 300 + [b"\n", b"\r", b"\r\r\n", b"\n\r"]
TRAILERS = [b""] * 12 + [b"X-T: 1", b"nonsense", b"X-T : 1", b" folded: 1", b"Content-Length: 5"]
INTERESTING = [
    bytes([byte]) for byte in b"\x00\x09\x0a\x0b\x0d\x20\x22\x23\x2c\x3a\x3b\x7f\x80\xff"
] + [
    b"\r\n",
    b"\r\n\r\n",
    b"\r\n ",
    b"0\r\n\r\n",
    b"Content-Length: 3\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Host: b\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
]
LETTERS = b"abcdefghijklmnopqrstuvwxyz"


def fill(pattern: bytes, number: int) -> bytes:
    """A number in each place of a pattern."""
    return (
        pattern.replace(b"%d", b"%d" % number)
        .replace(b"%x", b"%x" % number)
        .replace(b"%X", b"%X" % number)
    )


def chunks(random: Random, body: bytes) -> bytes:
    """A chunked body, mostly right."""
    parts: list[bytes] = []
    while body:
        size = random.randint(1, len(body))
        line = fill(random.choice(SIZES), size) + random.choice(EXTENSIONS) + random.choice(ENDS)
        parts += [line, body[:size], random.choice(ENDS)]
        body = body[size:]
    parts.append(b"0" + random.choice(EXTENSIONS) + random.choice(ENDS))
    if trailer := random.choice(TRAILERS):
        parts += [trailer, random.choice(ENDS)]
    parts.append(random.choice(ENDS))
    return b"".join(parts)


def request(random: Random) -> bytes:
    """One request, mostly right."""
    parts = [
        random.choice([b""] * 60 + [b"\r\n", b"\n", b"\r\n" * 5]),
        random.choice(METHODS),
        random.choice([b" "] * 100 + [b"  ", b"\t", b""]),
        random.choice(TARGETS),
        random.choice([b" "] * 100 + [b"  ", b"\t", b""]),
        random.choice(VERSIONS),
        random.choice(ENDS),
    ]
    lines = [b"Host: " + random.choice(HOSTS)] * random.choice([1] * 24 + [0, 2])
    lines += random.choices(LINES, k=random.randint(0, 3)) if random.random() < 0.5 else []
    body = bytes(LETTERS[:26] * 3)[: random.choice([0, 1, 3, 10, 30])]
    kind = random.choice(["none", "length", "chunked"] * 5 + ["both"])
    if kind in {"length", "both"}:
        length = b"Content-Length:" + fill(random.choice(LENGTHS), len(body))
        lines += [length] * random.choice([1] * 20 + [2])
    if kind in {"chunked", "both"}:
        lines += [b"Transfer-Encoding: " + random.choice(CODINGS)] * random.choice([1] * 20 + [2])
    random.shuffle(lines)
    for line in lines:
        parts += [line, random.choice(ENDS)]
    parts.append(random.choice(ENDS))
    if kind != "none":
        parts.append(chunks(random, body) if kind != "length" else body)
    return b"".join(parts)


def plain(random: Random) -> bytes:
    """One request that is right, to be mutated."""
    head = b"%s /p?q HTTP/1.1\r\nHost: a.test\r\nX-A: b c\r\n" % random.choice([b"GET", b"POST"])
    match random.randrange(3):
        case 0:
            return head + b"\r\n"
        case 1:
            return head + b"Content-Length: 10\r\n\r\nabcdefghij"
        case _:
            rest = b"\r\n3;a=b\r\nabc\r\nA\r\ndefghijklm\r\n0\r\nX-T: 1\r\n\r\n"
            return head + b"Transfer-Encoding: chunked\r\n" + rest


def mutate(random: Random, data: bytes) -> bytes:
    """The bytes with one to three small changes."""
    out = bytearray(data)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(out) + 1)
        match random.randrange(6):
            case 0 if at < len(out):
                out[at] = random.randrange(256)
            case 1 if at < len(out):
                out[at] ^= 1 << random.randrange(8)
            case 2:
                del out[at : at + random.randint(1, 4)]
            case 3:
                out[at:at] = out[at : at + random.randint(1, 20)]
            case 4:
                del out[at:]
            case _:
                out[at:at] = random.choice(INTERESTING)
    return bytes(out)


def chunked(random: Random, count: int) -> Iterator[bytes]:
    """As many requests with a right head and a chunked body; only the body is mutated."""
    head = b"POST /p HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
    for _ in range(count):
        body = chunks(random, bytes(LETTERS * 3)[: random.choice([0, 1, 3, 10, 30, 70])])
        yield head + (mutate(random, body) if random.random() < 0.5 else body)


def stream(random: Random, count: int) -> Iterator[bytes]:
    """As many inputs; some are several requests in a row."""
    for _ in range(count):
        data = request(random) if random.random() < 0.6 else plain(random)
        if random.random() < 0.5:
            data = mutate(random, data)
        if random.random() < 0.1:
            data += plain(random)
        yield data
