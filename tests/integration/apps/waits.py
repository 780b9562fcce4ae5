"""An application whose handlers wait before they answer, and note in a file how it went."""

import asyncio
import os
from pathlib import Path
from typing import Any

SIZE = 30_000_000
WAIT = 0.3


def note(text: str) -> None:
    """Replaces what has been noted, in one step."""
    path = Path(os.environ["WAITS_FILE"])
    draft = path.with_suffix(".draft")
    draft.write_text(text)
    draft.rename(path)


answers: list[str] = []


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/at_once":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(50_000)})
        answers.append(scope["path"])
        note(str(len(answers)))
        return
    await asyncio.sleep(WAIT)
    if scope["path"] == "/upload":
        await upload(receive)
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    if scope["path"] == "/late":
        await send({"type": "http.response.body", "body": b"late"})
        return
    if scope["path"] == "/told":
        await told(receive, send)
        return
    note("sending")
    step = SIZE if scope["path"] == "/large" else SIZE // 100
    try:
        for at in range(step, SIZE + 1, step):
            message = {"type": "http.response.body", "body": bytes(step), "more_body": at < SIZE}
            await send(message)
    except OSError as error:
        note(type(error).__name__)
        raise
    note("sent")


async def told(receive: Any, send: Any) -> None:
    """Sends on once it has been told that the client is gone."""
    await send({"type": "http.response.body", "body": b"begun", "more_body": True})
    while (await receive())["type"] != "http.disconnect":
        pass
    try:
        await send({"type": "http.response.body", "body": b"more", "more_body": True})
    except OSError as error:
        note(type(error).__name__)
        raise
    note("sent")


async def upload(receive: Any) -> None:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect" or not message["more_body"]:
            note(message["type"])
            return
