"""FastAPI applications, compiled: each route a plan that runs without the framework's machinery.

What it is: `compile_app(app)` reads a FastAPI application's routes and returns an ASGI application
that answers the same bytes. What it is not: a rewrite of anything a user wrote; handlers,
dependencies, models and middleware are called as ever. What it does not know for certain, it leaves
to the application, before any of the user's code has run.

Layout:

- `app`: the compiled application, and `compile_app`.
- `report`: what became of routes and requests.
"""

from alula._internal.compiled.app import CompiledApp, compile_app
from alula._internal.compiled.errors import NotCompiled
from alula._internal.compiled.report import Counts, RouteReport

__all__ = ["CompiledApp", "Counts", "NotCompiled", "RouteReport", "compile_app"]
