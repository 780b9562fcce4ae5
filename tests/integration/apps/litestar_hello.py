"""The hello application in Litestar."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from content import pattern
from litestar import Litestar, MediaType, Request, Response, get, head, post
from litestar.background_tasks import BackgroundTask
from litestar.datastructures import Cookie, State, UploadFile
from litestar.enums import RequestEncodingType
from litestar.params import Body
from litestar.response import Stream

done: dict[str, asyncio.Event] = {}
UrlEncoded = Annotated[dict[str, str], Body(media_type=RequestEncodingType.URL_ENCODED)]
Multipart = Annotated[dict[str, Any], Body(media_type=RequestEncodingType.MULTI_PART)]
BINARY = "application/octet-stream"


@get("/text", media_type=MediaType.TEXT)
async def hello() -> str:
    return "Hello, wörld"


@head("/text", media_type=MediaType.TEXT)
async def hello_head() -> None:
    return None


@get("/json")
async def hello_json() -> dict[str, str]:
    return {"hello": "wörld"}


@post("/json", status_code=200)
async def echo_json(data: Any) -> Any:
    return data


@get("/items/{name:str}")
async def item(name: str, q: list[str]) -> dict[str, Any]:
    return {"name": name, "q": q}


@post("/form", status_code=200)
async def form(data: UrlEncoded) -> dict[str, str]:
    return data


@post("/upload", status_code=200)
async def upload(data: Multipart) -> dict[str, Any]:
    file = data["file"]
    assert isinstance(file, UploadFile)
    content = await file.read()
    digest = hashlib.sha256(content).hexdigest()
    return {"note": data["note"], "name": file.filename, "size": len(content), "sha256": digest}


@get("/stream")
async def stream() -> Stream:
    async def pieces() -> AsyncIterator[bytes]:
        for at in range(20):
            yield pattern(1000, at * 1000)
            await asyncio.sleep(0)

    return Stream(pieces(), media_type=BINARY)


@post("/mirror", status_code=200, request_max_body_size=None)
async def mirror(request: Request[Any, Any, Any]) -> Response[bytes]:
    return Response(await request.body(), media_type=BINARY)


@get("/large")
async def large() -> Response[bytes]:
    return Response(pattern(8_000_000), media_type=BINARY)


@get("/set-cookies")
async def set_cookies() -> Response[str]:
    return Response("ok", cookies=[Cookie("one", value="1"), Cookie("two", value="zwei")])


@get("/cookies")
async def cookies(request: Request[Any, Any, Any]) -> dict[str, str]:
    return request.cookies


@get("/boom")
async def boom() -> None:
    raise RuntimeError("boom, as the test wants")


@get("/state")
async def state(state: State) -> dict[str, str]:
    return {"greeting": state.greeting}


@post("/background/{key:str}", status_code=200, media_type=MediaType.TEXT)
async def start_background(key: str) -> Response[str]:
    event = done[key] = asyncio.Event()
    return Response("started", background=BackgroundTask(finish_later, event))


async def finish_later(event: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    event.set()


@get("/background/{key:str}", media_type=MediaType.TEXT)
async def wait_background(key: str) -> str:
    await done[key].wait()
    return "done"


@asynccontextmanager
async def lifespan(app: Litestar) -> AsyncIterator[None]:
    app.state.greeting = "from the lifespan"
    yield


app = Litestar(
    lifespan=[lifespan],
    openapi_config=None,
    route_handlers=[
        hello,
        hello_head,
        hello_json,
        echo_json,
        item,
        form,
        upload,
        stream,
        mirror,
        large,
        set_cookies,
        cookies,
        boom,
        state,
        start_background,
        wait_background,
    ],
)
