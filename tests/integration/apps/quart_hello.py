"""The hello application in Quart."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from typing import Any

from content import pattern
from quart import Quart, Response, jsonify, request

app = Quart(__name__)
done: dict[str, asyncio.Event] = {}
greeting: list[str] = []
BINARY = "application/octet-stream"


@app.before_serving
async def start() -> None:
    greeting.append("from the lifespan")


@app.get("/text")
async def hello() -> Response:
    return Response("Hello, wörld", mimetype="text/plain")


@app.get("/json")
async def hello_json() -> dict[str, str]:
    return {"hello": "wörld"}


@app.post("/json")
async def echo_json() -> Response:
    return jsonify(await request.get_json())


@app.get("/items/<name>")
async def item(name: str) -> dict[str, Any]:
    return {"name": name, "q": request.args.getlist("q")}


@app.post("/form")
async def form() -> dict[str, str]:
    return dict(await request.form)


@app.post("/upload")
async def upload() -> dict[str, Any]:
    file = (await request.files)["file"]
    content = file.read()
    return {
        "note": (await request.form)["note"],
        "name": file.filename,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


@app.get("/stream")
async def stream() -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        for at in range(20):
            yield pattern(1000, at * 1000)
            await asyncio.sleep(0)

    return Response(pieces(), mimetype=BINARY)


@app.post("/mirror")
async def mirror() -> Response:
    return Response(await request.get_data(), mimetype=BINARY)


@app.get("/large")
async def large() -> Response:
    return Response(pattern(8_000_000), mimetype=BINARY)


@app.get("/set-cookies")
async def set_cookies() -> Response:
    response = Response("ok")
    response.set_cookie("one", "1", httponly=True)
    response.set_cookie("two", "zwei")
    return response


@app.get("/cookies")
async def cookies() -> dict[str, str]:
    return dict(request.cookies)


@app.get("/boom")
async def boom() -> str:
    raise RuntimeError("boom, as the test wants")


@app.get("/state")
async def state() -> dict[str, str]:
    return {"greeting": greeting[0]}


@app.post("/background/<key>")
async def start_background(key: str) -> str:
    event = done[key] = asyncio.Event()
    app.add_background_task(finish_later, event)
    return "started"


async def finish_later(event: asyncio.Event) -> None:
    await asyncio.sleep(0.01)
    event.set()


@app.get("/background/<key>")
async def wait_background(key: str) -> str:
    await done[key].wait()
    return "done"
