"""A test client that serves FastAPI applications compiled, as `alula serve` does, without a socket.

It is Starlette's `TestClient`, which must be installed with `httpx`, and takes its arguments:

    from alula.testing import TestClient

    with TestClient(app) as client:
        assert client.get("/").status_code == 200
"""

from contextlib import suppress
from typing import Any, Self

from starlette.testclient import TestClient as StarletteTestClient

from alula._internal.compiled import CompiledApp, Counts, compile_app
from alula.errors import NotCompiled

__all__ = ["TestClient"]


class TestClient(StarletteTestClient):
    """Starlette's test client over the compiled application; `app` stays the original.

    An application that cannot be compiled is served as it is.
    """

    __test__ = False  # pytest would collect it

    def __init__(self, app: Any, *args: Any, **options: Any) -> None:
        self._compiled: CompiledApp | None = None
        with suppress(NotCompiled):
            self._compiled = compile_app(app)
        target = app if self._compiled is None else self._compiled
        super().__init__(target, *args, **options)  # pyright: ignore[reportUnknownMemberType]
        self.app = app

    @property
    def counts(self) -> Counts | None:
        """How many requests plans of the application have answered; None if it is not compiled."""
        return self._compiled.counts if self._compiled is not None else None

    def __enter__(self) -> Self:
        """Starts the application's lifespan."""
        if self._compiled is not None:
            self._compiled.prepare()
        return super().__enter__()
