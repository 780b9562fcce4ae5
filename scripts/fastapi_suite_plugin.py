"""A pytest plugin: Starlette's test client serves FastAPI applications compiled.

`SUITE_OUTCOMES` names the file to which outcomes and counts are appended; see fastapi-suite.
"""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import starlette.testclient
from alula._internal.compiled import Counts, NotCompiled, compile_app
from starlette.testclient import TestClient

_outcomes = os.environ["SUITE_OUTCOMES"]
_counts: dict[int, Counts] = {}
_refused: Counter[str] = Counter()
_plain = TestClient.__init__


def _write(entry: dict[str, Any]) -> None:
    with Path(_outcomes).open("a") as file:
        file.write(json.dumps(entry) + "\n")


def _compiled(self: TestClient, app: Any, *args: Any, **options: Any) -> None:
    target = app
    if any(kind.__name__ == "FastAPI" for kind in type(app).__mro__):
        try:
            target = compile_app(app)
            _counts[id(target.counts)] = target.counts
        except NotCompiled as error:
            _refused[f"not compiled: {error}"] += 1
    _plain(self, target, *args, **options)
    self.app = target


if os.environ.get("SUITE_COMPILED"):
    starlette.testclient.TestClient.__init__ = _compiled  # type: ignore[method-assign]


def pytest_runtest_logreport(report: Any) -> None:
    if "PYTEST_XDIST_WORKER" in os.environ:
        return  # the process that all report to writes it
    if report.when == "call" or report.outcome != "passed":
        _write({"test": report.nodeid, "outcome": report.outcome})


def pytest_sessionfinish() -> None:
    counted = Counter(_refused)
    for counts in _counts.values():
        counted["a plan"] += counts.answered
        counted.update(counts.declined)
    if counted:
        _write({"counts": counted})
