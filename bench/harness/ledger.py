"""Keeps the figures: JSON in `bench/out/`, and, when told to, an entry in the ledger."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from harness.places import LEDGER, OUT
from harness.report import Header
from harness.rounds import Result


def write_json(header: Header, results: list[Result], stamp: str) -> Path:
    """Every figure of every round, as `bench/out/STAMP.json`."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{stamp}.json"
    suites = {
        result.suite.name: {
            "title": result.suite.title,
            "connections": result.suite.connections,
            "rounds": result.figures,
            "failures": result.failures,
            "notes": result.notes,
        }
        for result in results
    }
    path.write_text(json.dumps({"header": asdict(header), "suites": suites}, indent=1) + "\n")
    return path


def append(entry: str, heading: str) -> None:
    """Adds an entry at the end of the ledger; what stands there is never touched."""
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(f"\n## {heading}\n\n{entry}\n")
