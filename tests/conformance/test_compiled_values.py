"""What compiled routes call instead of the standard library is the same, to the byte."""

import json
import math
import random
import struct
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import pytest
from alula._internal.compiled import values
from fastapi.encoders import jsonable_encoder
from pydantic import BaseModel, Field

DOCUMENTS = 30_000
ODD_NUMBERS = """
    -0 -0.0 0 1E5 1e+5 1e400 -1e400 NaN Infinity -Infinity 9223372036854775808
    -9223372036854775809 1.7976931348623159e308 4.9e-324 2.4e-324 00 01 1. - .5 +1 1e 0x1
""".split()  # noqa: SIM905
ODD_NUMBERS += ["1" * 4301, "1" * 400 + ".5", "0." + "1" * 900]
PIECES = ["a", "é", "\\u00e9", "\\n", "\\ud83d\\ude00", "\\ud800", "\\udc00x", "\\/", "\\\\", '\\"']
PIECES += ["\u2028", "\x7f", "\x1f", "\t", "😀", "\\u0000", "\\x", "\\u12", "\x00", " "]
SPACES = [""] * 12 + [" ", "\n", "\t", "\r", "\x0b", "\x0c", "\u00a0"]


class Documents:
    """Random JSON documents, many of them broken."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> str:
        kind = self.random.random()
        if kind < 0.3:
            limit = 10 ** self.random.randrange(1, 40)
            return str(self.random.randrange(-limit, limit))
        if kind < 0.6:
            (number,) = struct.unpack("d", struct.pack("Q", self.random.getrandbits(64)))
            return repr(number).replace("inf", "1e999").replace("nan", "NaN")
        if kind < 0.8:
            digits = self.random.randrange(10**20)
            return f"{self.random.randrange(-99, 99)}.{digits}e{self.random.randrange(-350, 350)}"
        return self.random.choice(ODD_NUMBERS)

    def text(self) -> str:
        count = self.random.randrange(5)
        return '"' + "".join(self.random.choice(PIECES) for _ in range(count)) + '"'

    def document(self, depth: int = 0) -> str:
        kind = self.random.random()
        if depth > 4 or kind < 0.35:
            return self.number()
        if kind < 0.55:
            return self.text()
        if kind < 0.62:
            return self.random.choice(["true", "false", "null", "True", "nul"])
        space, comma = self.random.choice(SPACES), self.random.choice([""] * 20 + [","])
        count = range(self.random.randrange(4))
        if kind < 0.8:
            return f"[{space}{','.join(self.document(depth + 1) for _ in count)}{comma}]{space}"
        keys = ('"k"', '"k"', '"a"', '""', self.text())
        members = (f"{self.random.choice(keys)}{space}:{self.document(depth + 1)}" for _ in count)
        return "{" + ",".join(members) + comma + "}"

    def body(self) -> bytes:
        """A document as bytes, now and then with a byte changed, or in another encoding."""
        text = self.document()
        data = bytearray(text.encode())
        chance = self.random.random()
        if chance < 0.15:
            data[self.random.randrange(len(data))] = self.random.randrange(256)
        elif chance < 0.17:
            odd = (b"\xef\xbb\xbf" + data, b"", b" ", data + b" x", text.encode("utf-16"))
            return bytes(self.random.choice(odd))
        elif chance < 0.175:
            return b"[" * 300 + data + b"]" * 300
        return bytes(data)


def outcome(call: Callable[[Any], Any], value: object) -> tuple[str, Any]:
    try:
        return "value", exact(call(value))
    except Exception as error:
        return type(error).__name__, str(error)


def exact(value: Any) -> Any:
    """A value that is equal to another only if their types, signs and orders are too."""
    if isinstance(value, dict):
        return [(exact(key), exact(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [exact(item) for item in value]
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("d", value)
    return type(value), value


def test_json_bodies_are_those_of_the_standard_library() -> None:
    documents = Documents(seed=1)
    for _ in range(DOCUMENTS):
        body = documents.body()
        assert outcome(values.load_json, body) == outcome(json.loads, body), body


@pytest.mark.parametrize("depth", [100, 190, 210, 900, 5_000])
def test_deep_json_bodies_are_those_of_the_standard_library(depth: int) -> None:
    body = b"[" * depth + b"]" * depth
    assert outcome(values.load_json, body) == outcome(json.loads, body)


def test_a_replaced_json_loads_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json, "loads", lambda _: "replaced")
    assert values.load_json(b"1") == "replaced"


ATOMS = [1, -5, 2**63, -(2**63) - 1, 10**25, True, False, None, 0.1, 1e16, 1e22, 2.5, "a", "é", ""]
ATOMS += ['\x00\x1f\x7f\u2028"\\/\b\f\n\r\t', "😀", float("nan"), float("inf"), "\ud800", 10**5000]


class Text(str):
    pass


def value(source: random.Random, depth: int = 0) -> Any:
    kind = source.random()
    if depth > 4 or kind < 0.4:
        return source.choice(ATOMS[:-4] * 8 + ATOMS + [Text("t"), {1, 2}])
    inner = [value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind < 0.6:
        return inner
    if kind < 0.65:
        return tuple(inner)
    keys = ("a", "b", "_sa_x", "é", "", 1, None, f"k{source.randrange(9)}", Text("t"))
    return {source.choice(keys): item for item in inner}


def as_fastapi(content: object) -> bytes:
    text = json.dumps(
        jsonable_encoder(content),
        ensure_ascii=False,
        allow_nan=False,
        indent=None,
        separators=(",", ":"),
    )
    return text.encode("utf-8")


def test_untyped_returns_are_encoded_as_by_fastapi() -> None:
    source = random.Random(2)
    for _ in range(DOCUMENTS):
        content = value(source)
        assert outcome(values.encode_json, content) == outcome(as_fastapi, content), content


class Inner(BaseModel):
    number: float = Field(default=1e16, alias="the-number")
    when: datetime = datetime(2026, 1, 2, tzinfo=UTC)


class Outer(BaseModel):
    name: str
    inner: Inner | None = None
    more: dict[str, Any] = {}


@pytest.mark.parametrize(
    "content",
    [
        Outer(name="é"),
        Outer(name="n", inner=Inner(**{"the-number": 2.5})),
        Outer(name="n", more={"_sa_x": 1, "y": {"z": Inner()}}),
        [Outer(name="n"), Inner()],
        {"item": Outer(name="n"), "price": 1e22},
    ],
)
def test_models_without_a_response_model_are_encoded_as_by_fastapi(content: object) -> None:
    assert values.encode_json(content) == as_fastapi(content)


def test_a_return_that_contains_itself_fails_as_in_fastapi() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(RecursionError):
        values.encode_json(endless)


def test_query_strings_are_those_of_starlette() -> None:
    source = random.Random(3)
    pieces = [b"a", b"b", b"=", b"&", b"+", b"%20", b"%", b"%zz", b"%ff", b";", b"\xe9", b"", b"=="]
    for _ in range(DOCUMENTS):
        query = b"".join(source.choice(pieces) for _ in range(source.randrange(12)))
        pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        assert values.parse_query(query) == pairs, query
        assert list(values.query_dict(query).items()) == list(dict(pairs).items()), query


def test_content_types_of_json() -> None:
    accepted = [
        "application/json",
        "application/JSON; charset=x",
        "application/a+json",
        " application/json",
    ]
    for content_type in accepted:
        assert values.is_json(content_type, strict=True)
    for content_type in ("text/json", "application/jsonx", "json", "application", None, ""):
        assert not values.is_json(content_type, strict=True)
    assert values.is_json(None, strict=False)
