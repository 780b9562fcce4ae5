"""The compiled application."""

from abc import ABC, abstractmethod
from typing import Any

from alula._internal.asgi import Receive, Scope, Send
from alula._internal.compiled.errors import NotCompiled
from alula._internal.compiled.report import Counts, RouteReport


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
    def report(self) -> list[RouteReport]:
        """What became of each route, in order of registration."""


def compile_app(app: object) -> CompiledApp:
    """Compiles a FastAPI application.

    Raises `NotCompiled` if it is none, one of a version that was not tested, or one whose
    machinery somebody has replaced.
    """
    if not _is_fastapi(app):
        raise NotCompiled(f"it is no FastAPI application, but of class {type(app).__name__}")
    # These import FastAPI: only for applications that have done so themselves.
    from alula._internal.compiled.make import check_versions

    check_versions()
    from alula._internal.compiled.stack import Stack

    return Stack(app)


def _is_fastapi(app: object) -> bool:
    return any(
        kind.__name__ == "FastAPI" and kind.__module__ == "fastapi.applications"
        for kind in type(app).__mro__
    )
