"""Litestar: typed parameters and msgspec models, its quickest way."""

from __future__ import annotations

from litestar import Litestar, get, post
from msgspec import Struct


class Read(Struct):
    """What the first route answers."""

    id: int
    name: str
    price: float
    tags: list[str]


class User(Struct):
    """What the second route answers."""

    id: int
    q: str | None


class Item(Struct):
    """What the POST route takes and gives back."""

    name: str
    price: float
    tags: list[str] = []
    in_stock: bool = True


@get("/items/{item_id:int}")
async def read_item(item_id: int, q: str = "widget", limit: int = 10) -> Read:
    """A path parameter and two query parameters."""
    return Read(id=item_id, name=q, price=item_id * 1.5, tags=["new", "sale"][:limit])


@get("/users/{user_id:int}")
async def read_user(user_id: int, q: str | None = None) -> User:
    """A path parameter and a query parameter."""
    return User(id=user_id, q=q)


@post("/items", status_code=200)
async def create_item(data: Item) -> Item:
    """A validated JSON body, and the same back."""
    return data


app = Litestar([read_item, read_user, create_item], openapi_config=None)
