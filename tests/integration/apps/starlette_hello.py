"""The hello application in Starlette."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from content import pattern
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

done: dict[str, asyncio.Event] = {}


async def hello(request: Request) -> Response:
    return PlainTextResponse("Hello, wörld")


async def hello_json(request: Request) -> Response:
    return JSONResponse({"hello": "wörld"})


async def echo_json(request: Request) -> Response:
    return JSONResponse(await request.json())


async def item(request: Request) -> Response:
    name = request.path_params["name"]
    return JSONResponse({"name": name, "q": request.query_params.getlist("q")})


async def form(request: Request) -> Response:
    async with request.form() as fields:
        return JSONResponse(dict(fields))


async def upload(request: Request) -> Response:
    async with request.form() as fields:
        file = fields["file"]
        assert isinstance(file, UploadFile)
        content = await file.read()
        return JSONResponse(
            {
                "note": fields["note"],
                "name": file.filename,
                "size": len(content),
                "sha256": hashlib.sha256(content).hexdigest(),
            }
        )


async def stream(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        for at in range(20):
            yield pattern(1000, at * 1000)
            await asyncio.sleep(0)

    return StreamingResponse(pieces(), media_type="application/octet-stream")


async def mirror(request: Request) -> Response:
    return Response(await request.body(), media_type="application/octet-stream")


async def large(request: Request) -> Response:
    return Response(pattern(8_000_000), media_type="application/octet-stream")


async def set_cookies(request: Request) -> Response:
    response = PlainTextResponse("ok")
    response.set_cookie("one", "1", httponly=True)
    response.set_cookie("two", "zwei")
    return response


async def cookies(request: Request) -> Response:
    return JSONResponse(request.cookies)


async def boom(request: Request) -> Response:
    raise RuntimeError("boom, as the test wants")


async def state(request: Request) -> Response:
    return JSONResponse({"greeting": request.state.greeting})


async def start_background(request: Request) -> Response:
    event = done[request.path_params["key"]] = asyncio.Event()
    return PlainTextResponse("started", background=BackgroundTask(finish_later, event))


async def finish_later(event: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    event.set()


async def wait_background(request: Request) -> Response:
    await done[request.path_params["key"]].wait()
    return PlainTextResponse("done")


@asynccontextmanager
async def lifespan(_app: Starlette) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "from the lifespan"}


app = Starlette(
    lifespan=lifespan,
    routes=[
        Route("/text", hello),
        Route("/json", hello_json),
        Route("/json", echo_json, methods=["POST"]),
        Route("/items/{name}", item),
        Route("/form", form, methods=["POST"]),
        Route("/upload", upload, methods=["POST"]),
        Route("/stream", stream),
        Route("/mirror", mirror, methods=["POST"]),
        Route("/large", large),
        Route("/set-cookies", set_cookies),
        Route("/cookies", cookies),
        Route("/boom", boom),
        Route("/state", state),
        Route("/background/{key}", start_background, methods=["POST"]),
        Route("/background/{key}", wait_background),
    ],
)
