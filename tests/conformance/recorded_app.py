"""An application that is, after `GET /choose/NAME`, the recorded case of that name, compiled.

`GET /settle` is answered when no other request runs, background tasks included.
"""

import asyncio
from typing import Any

import alula
from conformance.recorded import cases, load

_PREFIX = "/choose/"
_known = {case["name"]: case for case in cases()}
_chosen: list[Any] = []
_settled = asyncio.Event()
_settled.set()
_running: set[Any] = set()


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/settle":
        await _settled.wait()
    elif scope["path"].startswith(_PREFIX):
        _chosen[:] = [alula.compile(load(_known[scope["path"][len(_PREFIX) :]]))]
    else:
        await _answer(scope, receive, send)
        return
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    task = asyncio.current_task()
    _running.add(task)
    _settled.clear()
    try:
        await _chosen[-1](scope, receive, send)
    finally:
        _running.discard(task)
        if not _running:
            _settled.set()
