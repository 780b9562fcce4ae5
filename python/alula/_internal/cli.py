"""The command `alula`."""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from alula._alula import __version__, bench
from alula._internal import importer, routes, running, starting, streams
from alula._internal.exits import BAD_OPTION
from alula._internal.stopping import END_GRACE
from alula._internal.watchdog import Watchdog
from alula.config import Config
from alula.errors import ConfigError

_INTERRUPTED = 130
"""The exit code after Ctrl+C before the server ran, as shells have it."""


def command() -> NoReturn:
    """The process's own command: a thread that an application has left does not keep it alive."""
    code = main()
    Watchdog(END_GRACE, "the server has ended").start()
    sys.exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command with these arguments (the process's own, if None). Returns the exit code."""
    streams.open_standard()
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["bench"]:
        return bench(given[1:])
    if given[:1] == ["routes"]:
        return routes.main(given[1:])
    try:
        config = Config.from_cli(given, os.environ, _version())
    except ConfigError as error:
        starting.complain(str(error))
        return BAD_OPTION
    if isinstance(config, str):
        sys.stdout.write(f"{config.rstrip()}\n")
        return 0
    if config.app is None:
        starting.complain("APP: nothing to serve; expected the application as module:attribute")
        return BAD_OPTION
    if not config.app_dir:
        importer.add_app_dir("")
    try:
        return running.run(config)
    except KeyboardInterrupt:
        return _INTERRUPTED


def _version() -> str:
    implementation = sys.implementation.name
    python = ".".join(map(str, sys.version_info[:3]))
    return f"alula {__version__} ({implementation} {python}, {sys.platform})"
