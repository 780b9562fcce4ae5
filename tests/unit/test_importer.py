"""What `module:attribute` finds, and what is said when it finds nothing."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alula import StartupError
from alula._internal.importer import add_app_dir, load_application, resolve

MODULE = """
import types

async def app(scope, receive, send): ...
def make(): return app
def broken(): raise LookupError("in the factory")
def wsgi(environ, start_response): ...
def asgi2(scope): ...
class Api:
    async def __call__(self, scope, receive, send): ...
space = types.SimpleNamespace(api=Api())
number = 1
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "found_here.py").write_text(MODULE)
    (tmp_path / "failing_here.py").write_text("import missing_dependency\n")
    add_app_dir(str(tmp_path))
    yield tmp_path
    for name in ("found_here", "failing_here"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("attribute", ["app", "space.api", "asgi2"])
def test_an_application_is_found(module: Path, attribute: str) -> None:
    assert callable(load_application(f"found_here:{attribute}", factory=False))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("nowhere:app", 'Error loading ASGI app. Could not import module "nowhere".'),
        ("found_here.sub:app", 'Error loading ASGI app. Could not import module "found_here.sub".'),
        ("nowhere.py:app", 'Could not import module "nowhere.py". Did you mean "nowhere"?'),
        (
            "./found_here.py:app",
            'Could not import module "./found_here.py": it takes a dotted name',
        ),
        ("..found_here:app", 'Could not import module "..found_here": it takes a dotted name'),
        ("found_here:nope", 'Attribute "nope" not found in module "found_here".'),
        ("found_here:space.nope", 'Attribute "space.nope" not found in module "found_here".'),
        ("found_here", '"found_here" is not "module:attribute".'),
        (":app", '":app" is not "module:attribute".'),
        ("found_here:", '"found_here:" is not "module:attribute".'),
        ("found_here:number", '"found_here:number" is of type int, not an application.'),
        ("found_here:wsgi", "takes two arguments, like a WSGI application;"),
    ],
)
def test_a_path_that_leads_nowhere_is_one_line(module: Path, path: str, text: str) -> None:
    with pytest.raises(StartupError) as caught:
        load_application(path, factory=False)
    assert text in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_a_module_raises_is_passed_on(module: Path) -> None:
    with pytest.raises(ModuleNotFoundError, match="missing_dependency"):
        load_application("failing_here:app", factory=False)


def test_a_factory_is_called(module: Path, caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("uvicorn").propagate = True
    app = load_application("found_here:make", factory=True)
    assert app is sys.modules["found_here"].app
    assert caplog.text == ""
    assert load_application("found_here:make", factory=False) is app
    assert "ASGI app factory detected." in caplog.text


def test_a_factory_that_cannot_be_called_or_raises(module: Path) -> None:
    with pytest.raises(StartupError, match='"found_here:app" cannot be called without arguments'):
        load_application("found_here:app", factory=True)
    with pytest.raises(LookupError, match="in the factory"):
        load_application("found_here:broken", factory=True)


def test_an_object_is_checked_too() -> None:
    with pytest.raises(StartupError, match="It is of type int, not an application"):
        resolve(1, factory=False)


def test_an_empty_app_dir_is_the_working_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["elsewhere"])
    add_app_dir("")
    assert sys.path == [str(Path.cwd()), "elsewhere"]
