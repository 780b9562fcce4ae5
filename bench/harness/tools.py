"""The programs the benchmark needs, and the C ones it builds."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from harness.places import BIN

# Program -> the Debian package that has it.
PACKAGES = {"cc": "gcc libc6-dev", "valgrind": "valgrind", "wrk": "wrk"}


class MissingTool(Exception):
    """A program is not installed; the message names the package."""


def require(*programs: str, install: bool = False) -> None:
    """Makes sure of `programs`; installs what is missing if asked to and allowed to.

    Raises `MissingTool` otherwise.
    """
    missing = [program for program in programs if shutil.which(program) is None]
    if not missing:
        return
    packages = " ".join(PACKAGES.get(program, program) for program in missing)
    if install and os.geteuid() == 0 and shutil.which("apt-get"):
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq"]):
            arguments = packages.split() if "install" in command else []
            subprocess.run(
                [*command, *arguments], check=True, env=environment, stdout=subprocess.DEVNULL
            )
        return
    raise MissingTool(
        f"not found: {', '.join(missing)}; install the Debian package(s) {packages} "
        "(as root, --install does it)"
    )


def build(source: Path) -> str:
    """Compiles a C file if it, or a header beside it, is newer than the program; returns that."""
    sources = [source, *source.parent.glob("*.h")]
    program = BIN / source.stem
    newest = max(source.stat().st_mtime for source in sources)
    if not program.exists() or program.stat().st_mtime < newest:
        BIN.mkdir(parents=True, exist_ok=True)
        command = ["cc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-o", str(program)]
        subprocess.run([*command, str(sources[0])], check=True)
    return str(program)
