"""The interpreter that every server runs on, and a virtual environment for each peer."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from harness.places import CACHE, PEERS

_CANDIDATES = tuple(f"python3.{minor}" for minor in range(19, 10, -1))


@dataclass(frozen=True)
class Interpreter:
    """A CPython: its executable (outside any virtual environment) and its full version."""

    executable: str
    version: str


def probe(executable: str) -> Interpreter | None:
    """The interpreter behind `executable`, or None if it does not run."""
    code = "import sys; print(sys._base_executable); print(sys.version.split()[0])"
    try:
        run = subprocess.run([executable, "-c", code], capture_output=True, text=True, check=False)
    except OSError:
        return None
    lines = run.stdout.splitlines()
    return Interpreter(lines[0], lines[1]) if run.returncode == 0 and len(lines) == 2 else None


def behind(program: Path) -> Interpreter | None:
    """The interpreter of the virtual environment that `program` was installed into."""
    python = program.parent / "python"
    return probe(str(python)) if python.exists() else None


def newest() -> Interpreter:
    """The newest CPython that can be found, on the path or among pyenv's."""
    found = [interpreter for name in _candidates() if (interpreter := probe(name))]
    if not found:
        raise RuntimeError("no CPython 3.11 or newer found, on the path or among pyenv's")
    return max(found, key=lambda interpreter: _sortable(interpreter.version))


def _candidates() -> list[str]:
    on_path = [path for name in _CANDIDATES if (path := shutil.which(name))]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return on_path + [str(path) for path in pyenv.glob("versions/3.1[1-9]*/bin/python3")]


def _sortable(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def peer(name: str, interpreter: Interpreter) -> Path:
    """The `bin` folder of the peer's virtual environment, made from `peers/NAME.txt` if need be."""
    pins = PEERS / f"{name}.txt"
    folder = CACHE / f"venv-{name}-{interpreter.version}"
    if not _is_made(folder, pins):
        print(f"making the environment of {name} ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([interpreter.executable, "-m", "venv", str(folder)], check=True)
        _install([str(folder / "bin" / "python")], [], pins)
        _mark_made(folder, pins)
    return folder / "bin"


def common(interpreter: Interpreter) -> Path:
    """The folder of packages that every server sees first: `peers/common.txt`."""
    pins = PEERS / "common.txt"
    folder = CACHE / f"common-{interpreter.version}"
    if not _is_made(folder, pins):
        print("fetching the framework and the loop that all servers share ...", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        _install([interpreter.executable], ["--target", str(folder)], pins)
        _mark_made(folder, pins)
    return folder


def _install(python: list[str], options: list[str], pins: Path) -> None:
    pip = [*python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    environment = {**os.environ, "PIP_ROOT_USER_ACTION": "ignore"}
    command = [*pip, "--no-deps", *options, "-r", str(pins)]
    subprocess.run(command, check=True, env=environment)


def _digest(pins: Path) -> str:
    return hashlib.sha256(pins.read_bytes()).hexdigest()


def _is_made(folder: Path, pins: Path) -> bool:
    mark = folder / "made-from"
    return mark.exists() and mark.read_text() == _digest(pins)


def _mark_made(folder: Path, pins: Path) -> None:
    (folder / "made-from").write_text(_digest(pins))
