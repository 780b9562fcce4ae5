"""FastAPI routes as a user writes them, one for each kind of work that Alula compiles.

`app` is without middleware; `behind` has the usual three in front of the same typed route. The app
of many routes is `many.py`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from pydantic import BaseModel

app = FastAPI()


class Item(BaseModel):
    """What the POST routes take and give back."""

    name: str
    price: float
    tags: list[str] = []
    in_stock: bool = True


class Store:
    """What a dependency opens and closes for each request."""

    def __init__(self) -> None:
        self.is_open = True

    def find(self, user_id: int) -> dict[str, Any]:
        """A row, as a database would have one."""
        return {"id": user_id, "name": "Ada"}


async def open_store() -> AsyncIterator[Store]:
    """The dependency with a `yield`."""
    store = Store()
    try:
        yield store
    finally:
        store.is_open = False


def page_size(limit: int = 10) -> int:
    """The dependency that is a plain function, and so runs in a thread."""
    return min(limit, 100)


async def find_user(user_id: int, store: Annotated[Store, Depends(open_store)]) -> dict[str, Any]:
    """The dependency that needs another one."""
    return store.find(user_id)


@app.get("/json")
async def read_json():
    """No parameters, a dictionary."""
    return {"message": "Hello, World!"}


@app.get("/users/{user_id}")
async def read_user(user_id: int, q: str | None = None):
    """A typed path parameter and a query parameter."""
    return {"id": user_id, "q": q}


@app.get("/sync/{user_id}")
def read_user_in_a_thread(user_id: int, q: str | None = None):
    """The same as a plain function."""
    return {"id": user_id, "q": q}


@app.post("/items")
async def create_item(item: Item) -> Item:
    """A model in, the same out by a response model."""
    return item


@app.post("/untyped-items")
async def create_untyped_item(item: Item):
    """A model in, the same out without a response model."""
    return item


@app.get("/dependencies/{user_id}")
async def read_with_dependencies(
    user: Annotated[dict[str, Any], Depends(find_user)],
    store: Annotated[Store, Depends(open_store)],
    limit: Annotated[int, Depends(page_size)],
):
    """Three dependencies: one with a `yield`, one in a thread, one that needs another."""
    return {**user, "open": store.is_open, "limit": limit}


behind = FastAPI()


@behind.middleware("http")
async def add_a_header(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """The user's own middleware, the innermost."""
    response = await call_next(request)
    response.headers["x-served-by"] = "bench"
    return response


behind.add_middleware(GZipMiddleware, minimum_size=500)
behind.add_middleware(CORSMiddleware, allow_origins=["https://example.org"])


@behind.get("/users/{user_id}")
async def read_user_behind(user_id: int, q: str | None = None):
    """The typed route, behind three middlewares."""
    return {"id": user_id, "q": q}
