"""The recorded FastAPI cases: applications, requests, and the answers of FastAPI under uvicorn."""

import base64
import json
import sys
import types
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

Case = dict[str, Any]

DATA = Path(__file__).parents[1] / "data" / "fastapi_cases.json"


@cache
def cases() -> list[Case]:
    return json.loads(DATA.read_text())


def load(case: Case) -> Any:
    """A fresh application: cases may keep state in it."""
    module = types.ModuleType("caseapp")
    sys.modules["caseapp"] = module
    exec(compile(case["app_source"], "caseapp.py", "exec"), module.__dict__)
    return module.app


def pairs(headers: dict[str, str] | list[list[str]]) -> list[tuple[str, str]]:
    if isinstance(headers, dict):
        return list(headers.items())
    return [(name, value) for name, value in headers]


def body(request: dict[str, Any]) -> bytes | None:
    if encoded := request.get("body_base64"):
        return base64.b64decode(encoded)
    return None if request["body"] is None else request["body"].encode()


def differences(
    case: Case, status: int, headers: Iterable[tuple[str, str]], content: bytes
) -> list[str]:
    """What an answer has that the recorded one has not, or the other way round."""
    expected = case["response"]
    found = [] if status == expected["status"] else [f"status {status}"]
    found += _header_differences(case, headers)
    changing = " ".join(case.get("nondeterministic", []))
    kind = expected.get("body_kind")
    text = content.decode("utf-8", "replace")
    if kind == "bytes":
        same = base64.b64encode(content).decode() == expected["body_base64"]
    elif kind == "contains":
        same = all(part in text for part in expected["body_contains"])
    elif kind == "json":
        same = text == expected.get("body_text", text) and json.loads(text) == expected["body"]
    else:
        same = "boundary" in changing or text == expected["body"]
    return found if same else [*found, f"body {text[:300]!r}"]


def _header_differences(case: Case, headers: Iterable[tuple[str, str]]) -> list[str]:
    got: dict[str, Any] = {}
    for name, value in headers:
        got.setdefault(name.lower(), []).append(value)
    changing = " ".join(case.get("nondeterministic", []))
    found: list[str] = []
    for name, value in case["response"]["headers"].items():
        framed = name in ("content-type", "content-length") and "boundary" in changing
        if name in changing or framed:
            continue
        values = got.get(name, [])
        if (values[0] if len(values) == 1 else values) != value:
            found.append(f"header {name}: {values}, not {value!r}")
    return found
