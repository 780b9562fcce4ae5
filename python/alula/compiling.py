"""FastAPI applications whose routes are compiled, for use under any server and in tests."""

from alula._internal.compiled import CompiledApp, Counts, RouteReport, compile_app
from alula.errors import NotCompiled

__all__ = ["CompiledApp", "Counts", "NotCompiled", "RouteReport", "compile"]


def compile(app: object) -> CompiledApp:  # noqa: A001
    """Compiles a FastAPI application's routes into plans.

    Returns an ASGI application that answers as the original, for any ASGI server:

        app = alula.compile(app)

    `alula serve` does it by itself. The original is not changed; what is added to it later is
    noticed. Raises `NotCompiled` for anything but a FastAPI application of a version that was
    tested; the message says why.
    """
    return compile_app(app)
