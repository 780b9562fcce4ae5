"""What a compiled FastAPI application notices, keeps in order, and leaves alone."""

import asyncio
import contextvars
import warnings
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Annotated, Any

import alula
import fastapi.routing
import pytest
from fastapi import BackgroundTasks, Depends, FastAPI, HTTPException, Request, Response
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from opentelemetry import trace
from pydantic import BaseModel

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Starlette would have another client than httpx
    from alula.testing import TestClient


@pytest.fixture(autouse=True)
def no_loop_is_left() -> Iterator[None]:
    yield
    asyncio.set_event_loop(None)


def counts(client: TestClient) -> tuple[int, dict[str, int]]:
    assert client.counts is not None
    return client.counts.answered, client.counts.declined


# ---- Changes after the start


def test_a_route_that_is_added_removed_or_replaced_later_is_noticed() -> None:
    app = FastAPI()
    client = TestClient(app)
    assert client.get("/later").status_code == 404
    app.add_api_route("/later", lambda: "first")
    assert client.get("/later").json() == "first"
    app.router.routes[-1] = APIRoute("/later", lambda: "second")
    assert client.get("/later").json() == "second"
    app.router.routes.pop()
    assert client.get("/later").status_code == 404
    app.router.routes = [*app.router.routes, APIRoute("/later", lambda: "third")]
    assert client.get("/later").json() == "third"
    assert counts(client) == (5, {})


def test_a_route_of_an_included_router_that_is_added_later_is_noticed() -> None:
    app, router = FastAPI(), fastapi.APIRouter()
    app.include_router(router, prefix="/in")
    client = TestClient(app)
    assert client.get("/in/later").status_code == 404
    router.add_api_route("/later", lambda: "there")
    assert client.get("/in/later").json() == "there"


def test_an_endpoint_that_is_exchanged_runs_instead_of_the_compiled_one() -> None:
    app = FastAPI()
    app.add_api_route("/", lambda: "first")
    client = TestClient(app)
    assert client.get("/").json() == "first"
    route: Any = app.router.routes[-1]
    route.dependant.call = lambda: "second"
    assert client.get("/").json() == "second"
    assert counts(client) == (1, {"the route was changed": 1})


def test_dependency_overrides_are_seen_at_once_and_gone_at_once() -> None:
    def inner(x: int = 1) -> int:
        return x

    def outer(value: Annotated[int, Depends(inner)]) -> int:
        return value * 10

    app = FastAPI()

    @app.get("/")
    async def read(value: Annotated[int, Depends(outer)]) -> int:
        return value

    client = TestClient(app)
    assert client.get("/?x=2").json() == 20
    app.dependency_overrides[inner] = lambda: 7
    assert client.get("/?x=2").json() == 70
    app.dependency_overrides[outer] = lambda y: y
    assert client.get("/?y=5").json() == 5
    assert client.get("/").status_code == 422
    app.dependency_overrides.clear()
    assert client.get("/?x=3").json() == 30
    assert counts(client) == (5, {})


# ---- What runs when


@pytest.mark.parametrize("middleware", [False, True])
def test_dependencies_end_in_fastapis_order(middleware: bool) -> None:
    def events(accelerated: bool) -> list[str]:
        seen: list[str] = []
        app = FastAPI()
        if middleware:
            app.add_middleware(GZipMiddleware)

        async def on_request() -> AsyncIterator[str]:
            seen.append("enter request")
            yield "r"
            seen.append("leave request")

        def on_function() -> Iterator[str]:
            seen.append("enter function")
            yield "f"
            seen.append("leave function")

        @app.get("/")
        async def read(
            tasks: BackgroundTasks,
            one: Annotated[str, Depends(on_request)],
            two: Annotated[str, Depends(on_function, scope="function")],
        ) -> str:
            tasks.add_task(seen.append, "background")
            seen.append("handler")
            return one + two

        async def main() -> None:
            async def send(message: Any) -> None:
                seen.append(message["type"])

            target: Any = alula.compile(app) if accelerated else app
            await target(scope("/"), receive, send)

        asyncio.run(main())
        return seen

    assert events(accelerated=True) == events(accelerated=False)
    assert events(accelerated=True).index("leave request") > 5


async def receive() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


def scope(path: str) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.5"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"here")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "state": {},
    }


def test_a_handler_runs_in_the_callers_task_and_context() -> None:
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")
    app = FastAPI()
    tasks: list[Any] = []

    @app.get("/")
    async def read() -> None:
        variable.set("by the handler")
        tasks.append(asyncio.current_task())

    async def main() -> None:
        async def send(message: Any) -> None:
            pass

        await alula.compile(app)(scope("/"), receive, send)
        assert variable.get() == "by the handler"
        assert tasks == [asyncio.current_task()]

    asyncio.run(main())


def test_middlewares_are_made_once_and_see_the_scope_that_fastapi_leaves() -> None:
    made: list[Any] = []
    keys: list[Any] = []

    class Middleware:
        def __init__(self, app: Any) -> None:
            made.append(self)
            self.app = app

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await self.app(scope, receive, send)
            if scope["type"] == "http":
                keys.append((scope["route"].path, scope["endpoint"], scope["path_params"]))

    app = FastAPI(middleware=[fastapi.middleware.Middleware(Middleware)])

    @app.get("/items/{name}")
    async def read(name: str) -> str:
        return name

    with TestClient(app) as client:
        assert client.get("/items/lamp").json() == "lamp"
    assert TestClient(app).get("/items/desk").json() == "desk"
    assert len(made) == 1
    assert keys == [
        ("/items/{name}", read, {"name": "lamp"}),
        ("/items/{name}", read, {"name": "desk"}),
    ]


# ---- Failures


class Odd(Exception):
    pass


def failing_app() -> FastAPI:
    app = FastAPI()

    @app.exception_handler(Odd)
    async def on_odd(request: Request, error: Odd) -> JSONResponse:
        if request.url.query:
            raise HTTPException(418, "from the handler")
        body = (await request.body()).decode() if request.method == "POST" else None
        return JSONResponse([str(error), request.scope["route"].path, body], 409)

    @app.get("/odd")
    async def odd() -> None:
        raise Odd("text")

    @app.post("/odd")
    def odd_with_body(item: dict[str, int]) -> None:
        raise Odd(str(item))

    @app.get("/wrong")
    async def wrong() -> None:
        raise ValueError("nobody handles it")

    @app.get("/late")
    async def late(tasks: BackgroundTasks) -> str:
        def fail() -> None:
            raise Odd("too late")

        tasks.add_task(fail)
        return "sent"

    @app.get("/model")
    async def model() -> Model:
        return SimpleNamespace(number="many")  # type: ignore[return-value]

    return app


class Model(BaseModel):
    number: int


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/odd"),
        ("GET", "/odd?raise"),
        ("POST", "/odd"),
        ("GET", "/wrong"),
        ("GET", "/late"),
        ("GET", "/model"),
        ("PUT", "/odd"),
        ("GET", "/odd/"),
    ],
)
def test_failures_are_handled_and_raised_on_as_by_fastapi(method: str, target: str) -> None:
    from starlette.testclient import TestClient as Plain

    def outcome(client: Any) -> Any:
        content = b'{"a": 1}' if method == "POST" else None
        headers = {"content-type": "application/json"} if content else {}
        try:
            answer = client.request(method, target, content=content, headers=headers)
        except Exception as error:
            return type(error), str(error), repr(error.__cause__)
        return answer.status_code, answer.headers.raw, answer.content

    compiled = TestClient(failing_app(), follow_redirects=False)
    assert outcome(compiled) == outcome(Plain(failing_app(), follow_redirects=False))
    assert counts(compiled) == (1, {})


@pytest.mark.parametrize("length", [7, 10, 11])
def test_a_body_over_the_limit_is_refused_as_by_fastapi(length: int) -> None:
    from starlette.testclient import TestClient as Plain

    def limited() -> FastAPI:
        app = FastAPI(max_body_size=10)

        @app.post("/")
        async def write(item: dict[str, int]) -> dict[str, int]:
            return item

        return app

    content = b'{"a":' + b"1" * (length - 6) + b"}"
    headers = {"content-type": "application/json"}
    compiled = TestClient(limited())
    answers = [
        client.post("/", content=content, headers=headers)
        for client in (compiled, Plain(limited()))
    ]
    assert answers[0].status_code == (413 if length > 10 else 200)
    assert (answers[0].headers, answers[0].content) == (answers[1].headers, answers[1].content)
    assert counts(compiled) == (1, {})


# ---- What is not compiled


def test_what_is_no_known_fastapi_application_is_refused_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(alula.NotCompiled, match="no FastAPI application, but of class object"):
        alula.compile(object())
    with pytest.raises(alula.NotCompiled, match="debug=True"):
        alula.compile(FastAPI(debug=True))
    with monkeypatch.context() as patch:
        patch.setattr(fastapi, "__version__", "0.99.1")
        with pytest.raises(
            alula.NotCompiled, match=r"FastAPI 0\.99\.1 is not known; known is 0\.165"
        ):
            alula.compile(FastAPI())
    with monkeypatch.context() as patch:
        patch.setattr(fastapi.routing, "serialize_response", lambda **_: None)
        with pytest.raises(alula.NotCompiled, match="serialize_response was replaced"):
            alula.compile(FastAPI())


def test_a_custom_route_class_runs_as_it_is_and_says_so() -> None:
    class Timed(APIRoute):
        def get_route_handler(self) -> Any:
            handle = super().get_route_handler()

            async def timed(request: Request) -> Response:
                response = await handle(request)
                response.headers["x-timed"] = "yes"
                return response

            return timed

    app = FastAPI()
    app.router.route_class = Timed
    app.add_api_route("/", lambda: 1)
    client = TestClient(app)
    assert client.get("/").headers["x-timed"] == "yes"
    reason = "its request handler is a custom one, not FastAPI's own"
    assert counts(client) == (0, {reason: 1})
    assert [route.reason for route in alula.compile(app).report() if route.path == "/"] == [reason]


def test_telemetry_that_is_switched_on_later_sees_every_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = FastAPI()
    app.add_api_route("/", lambda: 1)
    client = TestClient(app)
    assert client.get("/").json() == 1
    asked: list[str] = []

    class Provider(trace.NoOpTracerProvider):
        def get_tracer(self, *args: Any, **kwargs: Any) -> Any:
            asked.append("tracer")
            return super().get_tracer(*args, **kwargs)

    monkeypatch.setattr(trace, "get_tracer_provider", Provider)
    assert client.get("/").json() == 1
    assert counts(client) == (1, {"telemetry": 1})
