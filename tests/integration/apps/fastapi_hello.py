"""The hello application in FastAPI."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from content import pattern
from fastapi import BackgroundTasks, Body, FastAPI, Form, Query, Request, UploadFile
from fastapi.responses import PlainTextResponse, Response, StreamingResponse

done: dict[str, asyncio.Event] = {}


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[dict[str, str]]:
    yield {"greeting": "from the lifespan"}


app = FastAPI(lifespan=lifespan)


@app.head("/text")
@app.get("/text")
async def hello() -> PlainTextResponse:
    return PlainTextResponse("Hello, wörld")


@app.get("/json")
def hello_json() -> dict[str, str]:
    return {"hello": "wörld"}


@app.post("/json")
async def echo_json(value: Annotated[Any, Body()]) -> Any:
    return value


@app.get("/items/{name}")
async def item(name: str, q: Annotated[list[str], Query()]) -> dict[str, Any]:
    return {"name": name, "q": q}


@app.post("/form")
async def form(user: Annotated[str, Form()], text: Annotated[str, Form()]) -> dict[str, str]:
    return {"user": user, "text": text}


@app.post("/upload")
async def upload(note: Annotated[str, Form()], file: UploadFile) -> dict[str, Any]:
    content = await file.read()
    digest = hashlib.sha256(content).hexdigest()
    return {"note": note, "name": file.filename, "size": len(content), "sha256": digest}


@app.get("/stream")
def stream() -> StreamingResponse:
    # A plain generator: Starlette runs it in threads.
    pieces = (pattern(1000, at * 1000) for at in range(20))
    return StreamingResponse(pieces, media_type="application/octet-stream")


@app.post("/mirror")
async def mirror(request: Request) -> Response:
    return Response(await request.body(), media_type="application/octet-stream")


@app.get("/large")
def large() -> Response:
    return Response(pattern(8_000_000), media_type="application/octet-stream")


@app.get("/set-cookies")
async def set_cookies(response: Response) -> str:
    response.set_cookie("one", "1", httponly=True)
    response.set_cookie("two", "zwei")
    return "ok"


@app.get("/cookies")
async def cookies(request: Request) -> dict[str, str]:
    return request.cookies


@app.get("/boom")
def boom() -> None:
    raise RuntimeError("boom, as the test wants")


@app.get("/state")
async def state(request: Request) -> dict[str, str]:
    return {"greeting": request.state.greeting}


@app.post("/background/{key}")
async def start_background(key: str, background: BackgroundTasks) -> PlainTextResponse:
    done[key] = asyncio.Event()
    background.add_task(finish_later, done[key])
    return PlainTextResponse("started", background=background)


async def finish_later(event: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    event.set()


@app.get("/background/{key}")
async def wait_background(key: str) -> PlainTextResponse:
    await done[key].wait()
    return PlainTextResponse("done")
