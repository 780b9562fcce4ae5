"""The same small application in six frameworks, each on both event loops, through a real socket."""

import hashlib
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from content import pattern
from serving import DEADLINE, Server, serve

TESTS = Path(__file__).parents[1]
FRAMEWORKS = ("raw", "fastapi", "starlette", "litestar", "django", "quart")
LOOPS = ("asyncio", "uvloop")


@pytest.fixture(
    scope="module",
    params=[(framework, loop) for framework in FRAMEWORKS for loop in LOOPS],
    ids="-".join,
)
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, Server]]:
    framework, loop = request.param
    for module in {framework.replace("raw", "json"), loop}:
        if importlib.util.find_spec(module) is None:
            pytest.fail(f"{module} is not installed: see the test requirements")
    app = f"integration.apps.{framework}_hello:app"
    with serve(app, "--loop", loop, app_dir=TESTS) as server:
        yield framework, server


@pytest.fixture
def client(served: tuple[str, Server]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served[1].url, timeout=DEADLINE) as opened:
        yield opened


def test_text(client: httpx.Client) -> None:
    answer = client.get("/text")
    assert (answer.status_code, answer.text) == (200, "Hello, wörld")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-length"] == str(len("Hello, wörld".encode()))
    assert len(answer.headers.get_list("date")) == 1
    assert len(answer.headers.get_list("server")) == 1


def test_head_has_no_body(client: httpx.Client, served: tuple[str, Server]) -> None:
    answer = client.head("/text")
    assert (answer.status_code, answer.content) == (200, b"")
    if served[0] in ("fastapi", "starlette", "quart"):  # which declare it themselves
        assert answer.headers["content-length"] == str(len("Hello, wörld".encode()))
    assert client.get("/text").text == "Hello, wörld"


def test_json(client: httpx.Client) -> None:
    answer = client.get("/json")
    assert answer.headers["content-type"].partition(";")[0] == "application/json"
    assert answer.json() == {"hello": "wörld"}


def test_path_and_query(client: httpx.Client) -> None:
    answer = client.get("/items/caf%C3%A9%20au%20lait?q=a%26b&q=%C3%A4&r=1")
    assert answer.json() == {"name": "café au lait", "q": ["a&b", "ä"]}


@pytest.mark.parametrize("value", [{"a": [1, 2.5, None, True, "ü"]}, [], {"n": "x" * 100_000}])
def test_json_echo(client: httpx.Client, value: object) -> None:
    answer = client.post("/json", json=value)
    assert (answer.status_code, answer.json()) == (200, value)


def test_form(client: httpx.Client) -> None:
    fields = {"user": "Ada", "text": "a&b=c + ü"}
    assert client.post("/form", data=fields).json() == fields


def test_upload(client: httpx.Client) -> None:
    content = pattern(700_000)
    answer = client.post(
        "/upload",
        data={"note": "for you"},
        files={"file": ("a.bin", content, "application/octet-stream")},
    )
    assert answer.json() == {
        "note": "for you",
        "name": "a.bin",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def test_streamed_response(client: httpx.Client) -> None:
    with client.stream("GET", "/stream") as answer:
        assert "content-length" not in answer.headers
        assert answer.headers["transfer-encoding"] == "chunked"
        assert b"".join(answer.iter_raw()) == pattern(20_000)


def test_streamed_request(client: httpx.Client) -> None:
    pieces = (pattern(10_007, at * 10_007) for at in range(50))  # httpx sends it chunked
    answer = client.post("/mirror", content=pieces)
    assert answer.content == pattern(500_350)


def test_large_bodies_both_ways(client: httpx.Client) -> None:
    content = pattern(6_000_000)
    answer = client.post("/mirror", content=content)
    assert (answer.status_code, answer.content == content) == (200, True)
    assert client.get("/large").content == pattern(8_000_000)


def test_empty_body(client: httpx.Client) -> None:
    answer = client.post("/mirror", content=b"")
    assert (answer.status_code, answer.content) == (200, b"")


def test_cookies(client: httpx.Client) -> None:
    answer = client.get("/set-cookies")
    assert len(answer.headers.get_list("set-cookie")) == 2
    assert client.get("/cookies").json() == {"one": "1", "two": "zwei"}


def test_not_found(client: httpx.Client) -> None:
    assert client.get("/missing").status_code == 404
    assert client.get("/text").status_code == 200


def test_an_exception_is_a_500_and_only_that(
    client: httpx.Client, served: tuple[str, Server]
) -> None:
    for _ in range(3):
        answer = client.get("/boom")
        assert answer.status_code == 500
        assert "as the test wants" not in answer.text
        assert client.get("/text").text == "Hello, wörld"
    if served[0] not in ("litestar", "django"):  # which by default keep it to themselves
        served[1].wait_for_log("boom, as the test wants")


def test_lifespan(client: httpx.Client, served: tuple[str, Server]) -> None:
    if served[0] == "django":  # has none, which must not keep it from being served
        assert client.get("/state").status_code == 404
    else:
        assert client.get("/state").json() == {"greeting": "from the lifespan"}


def test_background_task(client: httpx.Client) -> None:
    for key in ("first", "second"):
        assert client.post(f"/background/{key}").text == "started"
        assert client.get(f"/background/{key}").text == "done"
