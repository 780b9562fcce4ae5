"""Keeps results: an entry in the ledger."""

from __future__ import annotations

from harness.places import LEDGER


def append(entry: str, heading: str) -> None:
    """Adds an entry at the end of the ledger; what stands there is never touched."""
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(f"\n## {heading}\n\n{entry}\n")
