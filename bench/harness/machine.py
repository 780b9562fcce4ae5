"""The machine that is measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from harness.places import ROOT


def describe() -> str:
    """Processor, cores, memory, kernel; no names."""
    cpuinfo = Path("/proc/cpuinfo").read_text()
    model = next((line for line in cpuinfo.splitlines() if line.startswith("model name")), ":?")
    virtual = ", virtual" if " hypervisor" in cpuinfo else ""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{model.partition(':')[2].strip()}, {os.cpu_count()} cores{virtual}, "
        f"{pages / 2**30:.0f} GiB, Linux {platform.release()}"
    )


def commit() -> str:
    """The short commit of the work tree, marked if the tree differs from it."""
    hash_ = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return (hash_ or "unknown") + ("+changes" if changed else "")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


@contextmanager
def pinned(cpu: int) -> Generator[None]:
    """What is started in here runs on that core alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
