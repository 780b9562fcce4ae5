"""The machine that is measured on: what it is, and who else used it meanwhile."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from harness.places import ROOT

_TICKS = os.sysconf("SC_CLK_TCK")


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


def raise_descriptor_limit(wanted: int) -> int:
    """Lifts the limit on open files for us and our children as far as allowed; returns it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < wanted:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, wanted))
            return wanted
        except (ValueError, PermissionError):
            pass
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(wanted, hard)), hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


@contextmanager
def pinned(cpu: int) -> Generator[None]:
    """What is started in here runs on that core alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def own_cpu_seconds() -> float:
    """CPU time of this process and of the generators that it ran."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class CpuWatch:
    """How much of a core was used between its making and `busy_seconds()`, by whomever."""

    def __init__(self, cpu: int) -> None:
        self._cpu = cpu
        self._from = self._busy_ticks()

    def busy_seconds(self) -> float:
        """CPU time spent on the core since, stolen time included."""
        return (self._busy_ticks() - self._from) / _TICKS

    def _busy_ticks(self) -> int:
        for line in Path("/proc/stat").read_text().splitlines():
            name, *fields = line.split()
            if name == f"cpu{self._cpu}":
                user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, fields[:8])
                return user + nice + system + irq + softirq + steal
        raise ValueError(f"no CPU {self._cpu} in /proc/stat")
