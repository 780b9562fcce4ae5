"""Litestar: typed parameters and a msgspec model, its quickest way."""

from __future__ import annotations

from litestar import Litestar, get
from msgspec import Struct


class Item(Struct):
    """What the route answers."""

    id: int
    name: str
    price: float
    tags: list[str]


@get("/items/{item_id:int}")
async def read_item(item_id: int, q: str = "widget", limit: int = 10) -> Item:
    """A path parameter and two query parameters."""
    return Item(id=item_id, name=q, price=item_id * 1.5, tags=["new", "sale"][:limit])


app = Litestar([read_item], openapi_config=None)
