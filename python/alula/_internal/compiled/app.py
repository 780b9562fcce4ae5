"""The compiled application."""

from abc import ABC, abstractmethod
from typing import Any

from alula._internal.asgi import Receive, Scope, Send
from alula._internal.compiled.report import Counts, RouteReport
from alula.errors import NotCompiled

_ATTRIBUTE = "_alula_compiled"
"""Where an application keeps its compiled self: middlewares can be made only once."""


class CompiledApp(ABC):
    """An ASGI application that answers as `app`, which it was made from, by its routes' plans.

    `counts` says how many requests the plans answered.
    """

    def __init__(self, app: Any) -> None:
        self.app = app
        self.counts = Counts()

    @abstractmethod
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, by a plan if there is one."""

    @abstractmethod
    def prepare(self) -> None:
        """Makes the application's middlewares, if they are not made yet, as its start would."""

    @abstractmethod
    def report(self) -> list[RouteReport]:
        """What became of each route, in order of registration."""


def compile_app(app: object) -> CompiledApp:
    """Compiles a FastAPI application.

    It is compiled once: the same application gives the same object.

    Raises `NotCompiled` if it is none, one of a version that was not tested, or one whose
    machinery somebody has replaced.
    """
    if not _is_fastapi(app):
        raise NotCompiled(f"it is no FastAPI application, but of class {type(app).__name__}")
    # These import FastAPI: only for applications that have done so themselves.
    from alula._internal.compiled.make import check_versions

    check_versions()
    from alula._internal.compiled.stack import Stack

    known: CompiledApp | None = vars(app).get(_ATTRIBUTE)
    if known is None or known.app is not app:  # of what this one is a copy of
        known = Stack(app)
        vars(app)[_ATTRIBUTE] = known
    return known


def _is_fastapi(app: object) -> bool:
    return any(
        kind.__name__ == "FastAPI" and kind.__module__ == "fastapi.applications"
        for kind in type(app).__mro__
    )
