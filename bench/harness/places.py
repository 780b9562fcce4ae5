"""Where things are."""

from __future__ import annotations

from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
APPS = BENCH / "apps"
PEERS = BENCH / "peers"
CEILING = BENCH / "ceiling"
OUT = BENCH / "out"
LEDGER = BENCH / "LEDGER.md"
CACHE = ROOT / ".cache" / "bench"
BIN = CACHE / "bin"
ALULA = ROOT / ".venv" / "bin" / "alula"
