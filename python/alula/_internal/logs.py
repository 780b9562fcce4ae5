"""Configures logging, and decides who writes the access log."""

import importlib.util
import json
import logging
import logging.config
import sys
from collections.abc import Callable, Mapping
from configparser import RawConfigParser
from copy import deepcopy
from pathlib import Path
from typing import IO, Any, Literal, cast

from alula import logging as formatters
from alula.config import Config
from alula.errors import ConfigError

AccessLog = Callable[[str | None, str, str, str, int], None]
"""Logs a request: client address, method, path with query, HTTP version, status."""

_LOGGERS = ("uvicorn.error", "uvicorn.access", "uvicorn.asgi")


def configure(config: Config) -> None:
    """Sets up logging as the options say.

    Raises `ConfigError` if the configuration cannot be read or used.
    """
    logging.addLevelName(formatters.TRACE_LOG_LEVEL, "TRACE")
    given: object = config.log_config
    try:
        _apply(given, config.use_colors)
    except ConfigError:
        raise
    except Exception as error:
        shown = given if isinstance(given, str) else type(given).__name__
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(f"log_config: {shown!r} cannot be used: {reason}") from error
    if config.log_level is not None:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(_level(config.log_level))
    if not config.access_log:
        access = logging.getLogger("uvicorn.access")
        access.handlers = []
        access.propagate = False


def _level(name: str) -> int:
    if name.isdigit():
        return int(name)
    return (
        formatters.TRACE_LOG_LEVEL
        if name == "trace"
        else logging.getLevelNamesMapping()[name.upper()]
    )


def _apply(given: object, use_colors: bool | None) -> None:
    if given is None:
        return
    if isinstance(given, Mapping):
        logging.config.dictConfig(_with_colors(cast("Mapping[str, Any]", given), use_colors))
    elif isinstance(given, str) and given.endswith(".json"):
        logging.config.dictConfig(_ours(json.loads(Path(given).read_text("utf-8"))))
    elif isinstance(given, str) and given.endswith((".yaml", ".yml")):
        logging.config.dictConfig(_ours(_load_yaml(given)))
    else:
        logging.config.fileConfig(_read_ini(given), disable_existing_loggers=False)


def _with_colors(given: Mapping[str, Any], use_colors: bool | None) -> dict[str, Any]:
    """A copy of a configuration, with the option in the two formatters that uvicorn sets it in."""
    settings = _ours(given)
    if use_colors is not None:
        for name in ("default", "access"):
            formatter = settings.get("formatters", {}).get(name)
            if formatter is not None and "()" in formatter:
                formatter["use_colors"] = use_colors
    return settings


def _load_yaml(path: str) -> dict[str, Any]:
    try:
        import yaml  # pyright: ignore[reportMissingModuleSource]
    except ImportError:
        raise ConfigError(
            f"log_config: {path!r} is YAML, and PyYAML is not installed; expected .json or .ini"
        ) from None
    return yaml.safe_load(Path(path).read_text("utf-8"))


def _read_ini(given: object) -> RawConfigParser:
    parser = RawConfigParser()
    if isinstance(given, RawConfigParser):
        parser.read_dict({name: dict(given.items(name)) for name in given.sections()})
    elif isinstance(given, str):
        parser.read_string(Path(given).read_text("utf-8"), source=given)
    else:
        parser.read_file(cast("IO[str]", given))
    for section in parser.sections():
        for key, value in parser.items(section):
            parser.set(section, key, _our_name(value))
    return parser


def _ours(settings: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a configuration in which the formatters of an absent uvicorn are ours."""
    return {key: _our_value(value) for key, value in settings.items()}


def _our_value(value: object) -> object:
    if isinstance(value, dict):
        return _ours(cast("dict[str, Any]", value))
    if isinstance(value, list):
        return [_our_value(item) for item in cast("list[object]", value)]
    return _our_name(value) if isinstance(value, str) else value


def _our_name(name: str) -> str:
    missing = name.startswith("uvicorn.logging.") and importlib.util.find_spec("uvicorn") is None
    return name.replace("uvicorn.logging.", "alula.logging.", 1) if missing else name


def access_log(config: Config) -> AccessLog | Literal["native"] | None:
    """Who writes the access log.

    The native worker does where it can do exactly what the logging module would: nobody has touched
    the configuration of `uvicorn.access`. Otherwise each request becomes a log record. None if no
    line would be written.
    """
    logger = logging.getLogger("uvicorn.access")
    if not config.access_log or not logger.hasHandlers():
        return None
    if not logger.isEnabledFor(logging.INFO):
        return None
    return "native" if _is_standard(logger) else _log_request


def _log_request(client: str | None, method: str, path: str, version: str, status: int) -> None:
    logging.getLogger("uvicorn.access").info(
        '%s - "%s %s HTTP/%s" %d', client or "", method, path, version, status
    )


def _is_standard(logger: logging.Logger) -> bool:
    """Whether the logger writes the default lines to standard output, and does only that."""
    if type(logger) is not logging.Logger or logger.filters or logger.propagate:
        return False
    if logging.getLogRecordFactory() is not logging.LogRecord or len(logger.handlers) != 1:
        return False
    (handler,) = logger.handlers
    if type(handler) is not logging.StreamHandler or handler.filters:
        return False
    if handler.level > logging.INFO or not _is_standard_output(cast("object", handler.stream)):  # pyright: ignore[reportUnknownMemberType]
        return False
    formatter = handler.formatter
    standard = formatters.LOGGING_CONFIG["formatters"]["access"]["fmt"]
    return (
        type(formatter) is formatters.AccessFormatter
        and formatter._fmt == standard  # noqa: SLF001 - there is no public way to it
        and formatter.datefmt is None
    )


def _is_standard_output(stream: object) -> bool:
    if stream is not sys.__stdout__ or sys.__stdout__ is None:
        return False
    try:
        return sys.__stdout__.fileno() == 1
    except (OSError, ValueError):
        return False


def portable(given: object) -> object:
    """A log configuration in a form that can be handed to another process as JSON.

    Raises `ConfigError` if it holds an object that has no such form.
    """
    if isinstance(given, RawConfigParser):
        return {"ini": {name: dict(given.items(name)) for name in given.sections()}}
    if given is None or isinstance(given, str):
        return given
    if not isinstance(given, Mapping):
        return {"ini": portable_sections(cast("IO[str]", given))}
    try:
        return {"dict": json.loads(json.dumps(given))}
    except TypeError as error:
        raise ConfigError(
            f"log_config: cannot be handed to worker processes ({error}); expected names of"
            " classes instead of objects"
        ) from None


def portable_sections(stream: IO[str]) -> dict[str, dict[str, str]]:
    """The sections of an open ini file."""
    parser = RawConfigParser()
    parser.read_file(stream)
    return {name: dict(parser.items(name)) for name in parser.sections()}


def restored(given: object) -> object:
    """The log configuration that `portable` made the argument from."""
    if not isinstance(given, dict):
        return given
    form = cast("dict[str, dict[str, Any]]", given)
    if "dict" in form:
        return deepcopy(form["dict"])
    parser = RawConfigParser()
    parser.read_dict(form["ini"])
    return parser
