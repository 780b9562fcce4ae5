"""FastAPI applications, compiled: each route a plan that runs without the framework's machinery.

What it is: `compile_app(app)` reads a FastAPI application's routes and returns an ASGI application
that answers the same bytes. What it is not: a rewrite of anything a user wrote; handlers,
dependencies, models and middleware are called as ever. What it does not know for certain, it leaves
to the application, before any of the user's code has run.

Layout, from the outside in:

- `app`: what a compiled application is, and `compile_app`; `report`: what became of its routes.
- `stack`: the middlewares, as the user ordered them, around the `core`; `body_limit`.
- `core`: finds a request's plan (`table`, `watch`) and handles what plans raise (`failures`).
  Requests that no route answers: `misses`. Routes that are not compiled: `passing`.
- `make`, `reading`: which FastAPI this is, and what its routes run; `plan`: what was read.
- `writing`: writes a route's plan as Python `source`: its `dependencies`, their `parameters` (of
  `fields`), the call, the answer. `values`, `answers`: what plans call.
- `threads`: sync handlers and dependencies; `pool`, `workers`, `bells`, `anyio_parts` are its
  inside, `threads_context` what is left again after a `yield`.
"""

from alula._internal.compiled.app import CompiledApp, compile_app
from alula._internal.compiled.report import Counts, RouteReport
from alula.errors import NotCompiled

__all__ = ["CompiledApp", "Counts", "NotCompiled", "RouteReport", "compile_app"]
