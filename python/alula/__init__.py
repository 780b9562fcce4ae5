"""Alula: an application server for Python, with its engine in Rust.

What it is: `alula serve main:app` on the command line, `alula.run("main:app")` in a program, and
`await alula.Server(alula.Config(app)).serve()` in a running event loop. It is no framework.

Layout:

- `server`: `run` and `Server`.
- `config`: `Config`, every option of a server; `docs/options.md` lists them.
- `compiling`: `compile`, which makes plans of a FastAPI application's routes.
- `testing`: `TestClient`, which serves an application compiled and without a socket.
- `errors`: the exceptions; all descend from `Error`.
- `logging`: the formatters of the log, for use in log configurations.
- `_internal`: the rest; it can change at any time.
"""

from alula._alula import __version__
from alula.compiling import compile  # noqa: A004
from alula.config import Config
from alula.errors import ClientDisconnected, ConfigError, Error, NotCompiled, StartupError
from alula.server import Server, run

__all__ = [
    "ClientDisconnected",
    "Config",
    "ConfigError",
    "Error",
    "NotCompiled",
    "Server",
    "StartupError",
    "__version__",
    "compile",
    "run",
]
