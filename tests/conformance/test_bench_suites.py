"""The benchmark's suites and its Python applications: what a suite expects is what they answer.

A suite whose request gets another answer would measure nothing, and be noticed only by who runs it.
Nor would one whose requests no plan answers measure plans: a figure of a compiled route is one only
if all of them were answered by it.
"""

import asyncio
import importlib
import json
import sys
import tomllib
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from alula._internal.compiled import compile_app

ROOT = Path(__file__).resolve().parent.parent.parent
SUITES = ("compiled", "fastapi", "frameworks")


def requests() -> Iterator[Any]:
    for suite in SUITES:
        tables = tomllib.loads((ROOT / "bench" / "suites" / f"{suite}.toml").read_text())
        for request in tables["request"]:
            yield pytest.param(request, id=f"{suite}-{request['name']}")


@pytest.fixture
def apps(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules of `bench/apps`, and nothing of them afterwards."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(ROOT / "bench" / "apps"))
    monkeypatch.setenv("SHOP_DATABASE", "")
    monkeypatch.setenv("SHOP_ADMIN_PASSWORD", "")
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    own = {"fast", "compiled", "many", "shop_app", "shop"}
    for name in set(sys.modules) - before:
        if name.partition(".")[0] in own:
            del sys.modules[name]


async def ask(app: Any, served: Any, request: dict[str, Any]) -> httpx.Response:
    """Asks `served`, which is `app` or made from it, while `app` is up."""
    async with AsyncExitStack() as stack:
        state = await stack.enter_async_context(app.router.lifespan_context(app)) or {}

        async def with_state(scope: Any, receive: Any, send: Any) -> None:
            await served({**scope, "state": dict(state)}, receive, send)

        transport = httpx.ASGITransport(with_state)
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport))
        body = request.get("body")
        return await client.request(
            request.get("method", "POST" if body else "GET"),
            f"http://127.0.0.1{request['path']}",
            headers={**dict(request.get("headers", [])), "Accept-Encoding": "identity"},
            content=body,
        )


def value_at(document: Any, pointer: str) -> Any:
    for step in pointer.split("/")[1:]:
        document = document[int(step) if isinstance(document, list) else step]
    return document


def application(request: dict[str, Any]) -> Any:
    module, _, name = request["set"]["app"].partition(":")
    return getattr(importlib.import_module(module), name)


def check(answer: httpx.Response, request_: dict[str, Any]) -> None:
    assert answer.status_code == request_.get("expect-status", 200), answer.text
    if "expect-json" in request_:
        document = json.loads(answer.content)
        for pointer, value in request_["expect-json"].items():
            assert value_at(document, pointer) == value, pointer
        return
    expected = request_.get("expect-body", "").encode()
    if "expect-file" in request_:
        expected = (ROOT / request_["expect-file"]).read_bytes()
    assert answer.content == expected


@pytest.mark.parametrize("request_", list(requests()))
def test_a_suite_expects_what_its_application_answers(request_: dict[str, Any], apps: None) -> None:
    """Broke if a route, a model or the shop's first products were changed and the suite not."""
    app = application(request_)
    check(asyncio.run(ask(app, app, request_)), request_)


@pytest.mark.parametrize("request_", list(requests()))
def test_a_plan_answers_each_request_that_is_measured(request_: dict[str, Any], apps: None) -> None:
    """Broke if one of the measured routes were declined: its figures would be the framework's."""
    app = application(request_)
    compiled = compile_app(app)
    check(asyncio.run(ask(app, compiled, request_)), request_)
    assert (compiled.counts.answered, compiled.counts.declined) == (1, {})
