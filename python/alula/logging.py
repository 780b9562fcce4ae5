"""The formatters of the log, for use in log configurations, and the configuration used by default.

The records go to uvicorn's logger names (`uvicorn.error`, `uvicorn.access`), so that configurations
written for uvicorn keep working; where uvicorn is not installed, its formatters' names in a
configuration mean the ones here.
"""

import http
import logging
import sys
from copy import copy
from typing import Any, Literal

from alula._internal.ansi import style as ansi_style

TRACE_LOG_LEVEL = 5
"""The level `trace`, below `debug`."""

LOGGING_CONFIG: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "default": {
            "()": "alula.logging.DefaultFormatter",
            "fmt": "%(levelprefix)s %(message)s",
            "use_colors": None,
        },
        "access": {
            "()": "alula.logging.AccessFormatter",
            "fmt": '%(levelprefix)s %(client_addr)s - "%(request_line)s" %(status_code)s',
            "use_colors": None,
        },
    },
    "handlers": {
        "default": {
            "formatter": "default",
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stderr",
        },
        "access": {
            "formatter": "access",
            "class": "logging.StreamHandler",
            "stream": "ext://sys.stdout",
        },
    },
    "loggers": {
        "uvicorn": {"handlers": ["default"], "level": "INFO", "propagate": False},
        "uvicorn.error": {"level": "INFO"},
        "uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": False},
    },
}
"""What logging is configured with where `log_config` is not given: uvicorn's lines and colours."""

_LEVEL_COLORS = {
    TRACE_LOG_LEVEL: "blue",
    logging.DEBUG: "cyan",
    logging.INFO: "green",
    logging.WARNING: "yellow",
    logging.ERROR: "red",
    logging.CRITICAL: "bright_red",
}

_STATUS_COLORS = {1: "bright_white", 2: "green", 3: "yellow", 4: "red", 5: "bright_red"}


class ColourizedFormatter(logging.Formatter):
    """Fills in `%(levelprefix)s`, in colour if asked to, and prefers a record's `color_message`."""

    def __init__(
        self,
        fmt: str | None = None,
        datefmt: str | None = None,
        style: Literal["%", "{", "$"] = "%",
        use_colors: bool | None = None,
    ) -> None:
        self.use_colors = sys.stdout.isatty() if use_colors is None else use_colors
        super().__init__(fmt=fmt, datefmt=datefmt, style=style)

    def color_level_name(self, level_name: str, level_no: int) -> str:
        """The level's name in its colour."""
        color = _LEVEL_COLORS.get(level_no)
        return level_name if color is None else ansi_style(level_name, fg=color)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line for a record, without a traceback."""
        record = copy(record)
        name = record.levelname
        padding = " " * (8 - len(name))
        if self.use_colors:
            name = self.color_level_name(name, record.levelno)
            if "color_message" in record.__dict__:
                record.msg = record.__dict__["color_message"]
                record.message = record.getMessage()
        record.__dict__["levelprefix"] = f"{name}:{padding}"
        return super().formatMessage(record)


class DefaultFormatter(ColourizedFormatter):
    """The formatter of everything but requests."""


class AccessFormatter(ColourizedFormatter):
    """The formatter of requests: fills in `client_addr`, `request_line` and `status_code`.

    A record's arguments are the client's address, the method, the path with its query, the HTTP
    version and the status.
    """

    def get_status_code(self, status_code: int) -> str:
        """The status with its phrase, in its colour."""
        try:
            phrase = http.HTTPStatus(status_code).phrase
        except ValueError:
            phrase = ""
        text = f"{status_code} {phrase}"
        color = _STATUS_COLORS.get(status_code // 100)
        return ansi_style(text, fg=color) if self.use_colors and color else text

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """The line for a request."""
        record = copy(record)
        assert isinstance(record.args, tuple)
        client_addr, method, full_path, http_version, status_code = record.args
        request_line = f"{method} {full_path} HTTP/{http_version}"
        if self.use_colors:
            request_line = ansi_style(request_line, bold=True)
        record.__dict__.update(
            client_addr=client_addr,
            request_line=request_line,
            status_code=self.get_status_code(int(str(status_code))),
        )
        return super().formatMessage(record)
