"""Compiles a FastAPI application before it is served, as `--accelerate` has it."""

import logging

from alula._internal.asgi import Application
from alula._internal.compiled import CompiledApp, NotCompiled, compile_app
from alula.config import Config
from alula.errors import StartupError

_logger = logging.getLogger("uvicorn.error")


def accelerate(app: Application, config: Config) -> Application:
    """The application, compiled if it can be and may be.

    Raises `StartupError` if `--accelerate require` is given and a route is not compiled.
    """
    mode = config.accelerate
    if mode == "off":
        return app
    try:
        compiled = compile_app(app)
    except NotCompiled as error:
        if mode == "require":
            raise StartupError(
                f"--accelerate require: the application is not compiled: {error}."
            ) from None
        _logger.debug("The application runs as plain ASGI: %s.", error)
        return app
    _tell(compiled, required=mode == "require")
    return compiled


def _tell(compiled: CompiledApp, *, required: bool) -> None:
    routes = compiled.report()
    plain = [route for route in routes if not route.compiled]
    if required and plain:
        named = "; ".join(f"{route.path} ({route.reason})" for route in plain[:3])
        more = f"; and {len(plain) - 3} more" if len(plain) > 3 else ""
        raise StartupError(
            f"--accelerate require: {len(plain)} of {len(routes)} routes are not compiled:"
            f" {named}{more}."
        )
    _logger.info("Compiled %d of %d routes.", len(routes) - len(plain), len(routes))
    for route in routes:
        methods = ",".join(route.methods) or "*"
        what = ", ".join(route.steps) if route.compiled else f"plain ASGI: {route.reason}"
        _logger.debug("%s %s: %s", methods, route.path, what)
