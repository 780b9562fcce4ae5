"""Runs servers: `run` for a whole process, `Server` inside a running event loop."""

import sys
from collections.abc import Callable
from typing import Any, Unpack

from alula._internal import running
from alula._internal.asgi import Application
from alula._internal.options import Options
from alula._internal.server import Server
from alula.config import Config

__all__ = ["Server", "run"]


def run(app: Application | Callable[..., Any] | str, **options: Unpack[Options]) -> None:
    """Serves an application until the process is told to end; options as in `Config`.

    With `workers` or `reload` the application has to be given as `module:attribute`. A server that
    cannot start ends the process with code 3, as `alula serve` does. Raises `ConfigError`.
    """
    if code := running.run(Config(app, **options)):
        sys.exit(code)
