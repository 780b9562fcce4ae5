"""Which files a reloading server watches."""

from pathlib import Path

import pytest
from alula._internal.patterns import Patterns

FILES = (
    "main.py",
    "page.html",
    ".hidden.py",
    "main.pyc",
    "pkg/mod.py",
    "pkg/.venv/lib.py",
    "pkg/__pycache__/cached.py",
    "templates/a.html",
    "skipped/mod.py",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def watched(folder: Path, patterns: Patterns) -> set[str]:
    """The files that count; a poll and the check of single paths agree on them."""
    polled = {str(path.relative_to(folder)) for path in patterns.files()}
    covered = {
        name
        for name in FILES
        if folder / name in patterns
        and any((folder / name).is_relative_to(root) for root in patterns.directories)
    }
    assert polled == covered
    return polled


def test_python_files_of_the_working_directory_by_default(folder: Path) -> None:
    patterns = Patterns([], [], [])
    assert patterns.directories == [folder]
    assert watched(folder, patterns) == {"main.py", "pkg/mod.py", "skipped/mod.py"}


def test_includes_add_patterns(folder: Path) -> None:
    files = watched(folder, Patterns([], ["*.html"], []))
    assert {"page.html", "templates/a.html", "main.py"} <= files
    assert ".hidden.py" not in files


def test_an_include_lifts_a_default_exclusion(folder: Path) -> None:
    assert ".hidden.py" in watched(folder, Patterns([], [".*"], []))


def test_excludes_win_over_includes(folder: Path) -> None:
    assert watched(folder, Patterns([], ["*.html"], ["*.html", "mod.py"])) == {"main.py"}
    assert watched(folder, Patterns([], ["*.html"], ["*.py"])) == {"page.html", "templates/a.html"}


def test_an_excluded_directory_is_left_out(folder: Path) -> None:
    assert watched(folder, Patterns([], [], ["skipped"])) == {"main.py", "pkg/mod.py"}
    assert watched(folder, Patterns([], [], [str(folder / "pkg")])) == {"main.py", "skipped/mod.py"}


def test_given_directories_are_watched_instead_and_nested_ones_once(folder: Path) -> None:
    patterns = Patterns(["pkg", "pkg/.venv"], [], [])
    assert patterns.directories == [folder / "pkg"]
    assert watched(folder, patterns) == {"pkg/mod.py"}


def test_an_included_directory_is_watched_too(folder: Path) -> None:
    patterns = Patterns(["pkg"], ["templates", "*.html"], [])
    assert patterns.directories == [folder / "pkg", folder / "templates"]
    assert watched(folder, patterns) == {"pkg/mod.py", "templates/a.html"}


def test_a_hidden_directory_counts_when_it_is_named(folder: Path) -> None:
    assert watched(folder, Patterns(["pkg/.venv"], [], [])) == {"pkg/.venv/lib.py"}
