"""What comes before serving (logging, environment, application), and what is said if it fails."""

import importlib
import logging
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from alula._internal import importer, logs
from alula._internal.acceleration import accelerate
from alula._internal.asgi import Application
from alula._internal.exits import BAD_OPTION, STARTUP_FAILURE
from alula.config import Config
from alula.errors import ConfigError, StartupError

_logger = logging.getLogger("uvicorn.error")


class UserFailure(StartupError):
    """The user's code raised the exception that this one's `__cause__` is, before it served."""


def prepare(config: Config) -> None:
    """Sets up what a process has one of: logging and the environment."""
    logs.configure(config)
    if config.variables:
        _logger.info("Loading environment from '%s'", config.env_file)
        os.environ.update(config.variables)
    for name in config.unknown_variables:
        _logger.warning("%s is set, but is no option of Alula.", name)
    choosy = config.reload_dirs or config.reload_includes or config.reload_excludes
    if choosy and not config.reload:
        _logger.warning("The --reload-* options have no effect without --reload.")
    if config.reload and config.workers > 1:
        _logger.warning('"workers" flag is ignored when reloading is enabled.')


def application(config: Config) -> Application:
    """The application. Raises `StartupError` if there is none, and what importing it raises."""
    app: object = config.app
    if app is None:
        raise StartupError("There is no application to serve.")
    if isinstance(app, str):
        return importer.load_application(app, factory=config.factory)
    return importer.resolve(app, factory=config.factory)


def load(config: Config) -> Application:
    """The application, compiled if it is to be. Raises `StartupError`, as `imported` does."""
    return accelerate(imported(config), config)


def imported(config: Config) -> Application:
    """The application. Raises `StartupError`: `UserFailure` if importing it raised."""
    try:
        return application(config)
    except StartupError:
        raise
    except Exception as error:
        raise UserFailure("Importing the application failed.") from error


def exit_code(call: Callable[[], int]) -> int:
    """Calls; says in one line why a server could not start, or shows the traceback of user code."""
    try:
        return call()
    except UserFailure as failure:
        cause = failure.__cause__
        assert cause is not None
        _show(cause.with_traceback(_from_user_code(cause.__traceback__)))
        return STARTUP_FAILURE
    except StartupError as error:
        _logger.error("%s", error)  # noqa: TRY400 - one line, no traceback
        return STARTUP_FAILURE
    except ConfigError as error:
        complain(str(error))
        return BAD_OPTION


def _show(error: BaseException) -> None:
    """Shows an exception as the interpreter would; in one piece, for workers fail together."""
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
        return
    sys.stderr.write("".join(traceback.format_exception(error)))


def _from_user_code(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback that begins behind our own frames and those of the import system."""
    ours = str(Path(__file__).parent)
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith((ours, "<frozen importlib")) and name != importlib.__file__:
            break
        trace = trace.tb_next
    return trace


def complain(text: str) -> None:
    """Tells the user of the command line what is wrong with it."""
    sys.stderr.write(f"alula: {text}\n")
