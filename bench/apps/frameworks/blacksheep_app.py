"""BlackSheep: typed parameters, a pydantic model and dictionaries as JSON."""

from __future__ import annotations

from blacksheep import Application, FromJSON, json  # pyright: ignore[reportMissingImports]
from pydantic import BaseModel

app = Application()


class Item(BaseModel):
    """What the POST route takes and gives back."""

    name: str
    price: float
    tags: list[str] = []
    in_stock: bool = True


@app.router.get("/items/{item_id}")
async def read_item(item_id: int, q: str = "widget", limit: int = 10):
    """A path parameter and two query parameters."""
    return json(
        {
            "id": item_id,
            "name": q,
            "price": item_id * 1.5,
            "tags": ["new", "sale"][:limit],
        }
    )


@app.router.get("/users/{user_id}")
async def read_user(user_id: int, q: str | None = None):
    """A path parameter and a query parameter."""
    return json({"id": user_id, "q": q})


@app.router.post("/items")
async def create_item(item: FromJSON[Item]):
    """A validated JSON body, and the same back."""
    return json(item.value.model_dump())
