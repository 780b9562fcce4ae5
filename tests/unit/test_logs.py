"""How logging is configured, and who writes the access log."""

import configparser
import importlib.util
import io
import json
import logging
import logging.config
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alula import Config, ConfigError
from alula._internal import logs
from alula._internal.orders import Order
from alula.logging import LOGGING_CONFIG, AccessFormatter, DefaultFormatter

NAMES = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")

UVICORN_STYLE: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "default": {
            "()": "uvicorn.logging.DefaultFormatter",
            "fmt": "D %(levelprefix)s %(message)s",
        },
        "access": {"()": "uvicorn.logging.AccessFormatter", "fmt": "A %(request_line)s"},
    },
    "handlers": {
        "default": {"class": "logging.StreamHandler", "formatter": "default"},
        "access": {"class": "logging.StreamHandler", "formatter": "access"},
    },
    "loggers": {
        "uvicorn": {"handlers": ["default"], "level": "INFO", "propagate": False},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
    },
}


@pytest.fixture(autouse=True)
def loggers() -> Iterator[None]:
    """Leaves the loggers as they were."""
    saved = {}
    for name in NAMES:
        logger = logging.getLogger(name)
        saved[name] = (logger.handlers[:], logger.level, logger.propagate, logger.filters[:])
    yield
    for name, (handlers, level, propagate, filters) in saved.items():
        logger = logging.getLogger(name)
        logger.handlers[:], logger.propagate, logger.filters[:] = handlers, propagate, filters
        logger.setLevel(level)


@pytest.fixture
def without_uvicorn(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "uvicorn" else find(name)
    )
    monkeypatch.setitem(sys.modules, "uvicorn", None)


def pretend_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undoes pytest's capture, as far as the decision is concerned.

    Not in a fixture: pytest replaces the stream again before it calls the test.
    """
    stream = io.TextIOWrapper(io.BytesIO())
    stream.fileno = lambda: 1  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "__stdout__", stream)


def record(
    name: str, level: int, message: str, *args: object, **extra: object
) -> logging.LogRecord:
    return logging.getLogger(name).makeRecord(name, level, "", 0, message, args, None, extra=extra)


def formatters() -> tuple[Any, Any]:
    handlers = [logging.getLogger(name).handlers for name in ("uvicorn", "uvicorn.access")]
    return handlers[0][0].formatter, handlers[1][0].formatter


def test_the_default_lines_are_uvicorns() -> None:
    logs.configure(Config(use_colors=False))
    default, access = formatters()
    assert default.format(record("uvicorn.error", 30, "careful")) == "WARNING:  careful"
    assert default.format(record("uvicorn.error", 5, "deep")) == "TRACE:    deep"
    line = record(
        "uvicorn.access", 20, '%s - "%s %s HTTP/%s" %d', "1.2.3.4:5", "GET", "/a?b", "1.1", 404
    )
    assert access.format(line) == 'INFO:     1.2.3.4:5 - "GET /a?b HTTP/1.1" 404 Not Found'


def test_colours_are_uvicorns() -> None:
    formatter = DefaultFormatter("%(levelprefix)s %(message)s", use_colors=True)
    line = record("uvicorn.error", 20, "plain %d", 7, color_message="\033[1mbold %d\033[0m")
    assert formatter.format(line) == "\033[32mINFO\033[0m:     \033[1mbold 7\033[0m"
    access = AccessFormatter("%(request_line)s %(status_code)s", use_colors=True)
    line = record("uvicorn.access", 20, "%s%s%s%s%d", "", "GET", "/", "1.1", 500)
    assert access.format(line) == (
        "\033[1mGET / HTTP/1.1\033[0m \033[91m500 Internal Server Error\033[0m"
    )


def test_lines_equal_uvicorns_own(without_uvicorn: None) -> None:
    """Against uvicorn's formatters, loaded by their path."""
    sys.modules.pop("uvicorn")
    theirs = importlib.import_module("uvicorn.logging")
    for colours in (False, True):
        for level in (5, 10, 20, 30, 40, 50, 17):
            line = record("uvicorn.error", level, "text")
            fmt = "%(levelprefix)s %(message)s"
            assert DefaultFormatter(fmt, use_colors=colours).format(line) == (
                theirs.DefaultFormatter(fmt, use_colors=colours).format(line)
            )
        for status in (101, 200, 304, 404, 503, 799):
            line = record("uvicorn.access", 20, "%s%s%s%s%d", "c", "GET", "/", "1.1", status)
            fmt = LOGGING_CONFIG["formatters"]["access"]["fmt"]
            assert AccessFormatter(fmt, use_colors=colours).format(line) == (
                theirs.AccessFormatter(fmt, use_colors=colours).format(line)
            )


@pytest.mark.parametrize(
    ("level", "number"), [("trace", 5), ("debug", 10), ("INFO", 20), ("critical", 50), (15, 15)]
)
def test_levels(level: str | int, number: int) -> None:
    logs.configure(Config(log_level=level))
    assert [logging.getLogger(name).level for name in NAMES[1:]] == [number] * 3


def test_without_a_configuration_the_loggers_are_left_alone() -> None:
    logger = logging.getLogger("uvicorn")
    marker = logging.NullHandler()
    logger.handlers[:] = [marker]
    logs.configure(Config(log_config=None))
    assert logger.handlers == [marker]


def test_configurations_for_uvicorn_work_without_it(without_uvicorn: None) -> None:
    logs.configure(Config(log_config=UVICORN_STYLE, use_colors=False))
    default, access = formatters()
    assert (type(default), type(access)) == (DefaultFormatter, AccessFormatter)
    assert default.format(record("uvicorn.error", 20, "x")) == "D INFO:     x"
    assert UVICORN_STYLE["formatters"]["default"]["()"] == "uvicorn.logging.DefaultFormatter"
    assert "use_colors" not in UVICORN_STYLE["formatters"]["default"]


def test_files_in_json_yaml_and_ini(tmp_path: Path, without_uvicorn: None) -> None:
    as_json = tmp_path / "log.json"
    as_json.write_text(json.dumps(UVICORN_STYLE))
    as_yaml = tmp_path / "log.yaml"
    as_yaml.write_text(json.dumps(UVICORN_STYLE))  # YAML has JSON in it
    as_ini = tmp_path / "log.ini"
    as_ini.write_text(INI)
    for path in (as_json, as_yaml, as_ini):
        logging.getLogger("uvicorn").handlers.clear()
        logs.configure(Config(log_config=path))
        formatter = logging.getLogger("uvicorn").handlers[0].formatter
        assert type(formatter) is DefaultFormatter, path


INI = """
[loggers]
keys=root,uvicorn
[handlers]
keys=out
[formatters]
keys=ours
[logger_root]
handlers=
[logger_uvicorn]
qualname=uvicorn
handlers=out
level=INFO
[handler_out]
class=StreamHandler
formatter=ours
args=()
[formatter_ours]
class=uvicorn.logging.DefaultFormatter
format=%(levelprefix)s %(message)s
"""


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("log.json", "{", "cannot be used: Expecting property name"),
        ("log.yaml", "a: [", "cannot be used: while parsing a flow node"),
        ("log.ini", "nonsense", "cannot be used: "),
        ("log.json", '{"version": 2}', "cannot be used: Unsupported version: 2"),
    ],
)
def test_an_unusable_file_is_one_line(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        logs.configure(Config(log_config=path))
    assert str(caught.value).startswith(f"log_config: {str(path)!r} {complaint}")
    assert "\n" not in str(caught.value)


def test_yaml_without_its_package_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    path = tmp_path / "log.yaml"
    path.write_text("version: 1")
    with pytest.raises(ConfigError, match="PyYAML is not installed"):
        logs.configure(Config(log_config=path))


def test_the_native_log_is_used_when_nobody_has_touched_the_logger(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretend_standard_output(monkeypatch)
    logs.configure(Config())
    assert logs.access_log(Config()) == "native"
    assert logs.access_log(Config(access_log=False)) is None


@pytest.mark.parametrize(
    "touch",
    [
        "handler",
        "filter",
        "handler filter",
        "propagate",
        "format",
        "class",
        "stream",
        "record factory",
    ],
)
def test_records_are_made_when_somebody_has(touch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_standard_output(monkeypatch)
    logs.configure(Config())
    logger = logging.getLogger("uvicorn.access")
    handler = logger.handlers[0]
    assert isinstance(handler, logging.StreamHandler)
    if touch == "handler":
        logger.addHandler(logging.NullHandler())
    elif touch == "filter":
        logger.addFilter(lambda _: True)
    elif touch == "handler filter":
        handler.addFilter(lambda _: True)
    elif touch == "propagate":
        logger.propagate = True
    elif touch == "format":
        handler.setFormatter(AccessFormatter("%(message)s"))
    elif touch == "class":
        handler.setFormatter(logging.Formatter("%(message)s"))
    elif touch == "stream":
        handler.setStream(io.StringIO())
    else:
        monkeypatch.setattr(logging, "_logRecordFactory", lambda *_, **__: None)
    assert callable(logs.access_log(Config()))


def test_nothing_is_logged_below_the_level() -> None:
    logs.configure(Config(log_level="warning"))
    assert logs.access_log(Config()) is None


def test_a_record_has_uvicorns_arguments(caplog: pytest.LogCaptureFixture) -> None:
    logs.configure(Config(log_config=None))
    logging.getLogger("uvicorn").propagate = True
    logger = logging.getLogger("uvicorn.access")
    logger.propagate = True
    caplog.set_level(logging.INFO, "uvicorn.access")
    write = logs.access_log(Config())
    assert callable(write)
    write(None, "GET", "/a?b=c", "1.1", 200)
    (made,) = caplog.records
    assert made.args == ("", "GET", "/a?b=c", "1.1", 200)
    assert made.getMessage() == ' - "GET /a?b=c HTTP/1.1" 200'


def test_log_configurations_can_be_handed_to_workers() -> None:
    parser = configparser.RawConfigParser()
    parser.read_string(INI)
    for given in (UVICORN_STYLE, None, parser, io.StringIO(INI)):
        order = Order.decode(Order.of(Config("main:app", log_config=given)).encode())
        again: Any = order.config.log_config
        if isinstance(again, configparser.RawConfigParser):
            assert again.get("formatter_ours", "format") == "%(levelprefix)s %(message)s"
        else:
            assert again == given
    default = Order.decode(Order.of(Config("main:app")).encode()).config
    assert default.log_config is LOGGING_CONFIG


def test_a_log_configuration_with_objects_cannot_be() -> None:
    with pytest.raises(ConfigError, match="log_config: cannot be handed to worker processes"):
        Order.of(Config("main:app", log_config={"version": 1, "x": object()}))
