"""Robyn: async handlers that return dictionaries, and a pydantic model for the body.

It does not look up annotations that are texts.
"""

import sys

from pydantic import BaseModel
from robyn import Robyn  # pyright: ignore[reportMissingImports]

app = Robyn(__file__)


class Item(BaseModel):
    """What the POST route takes and gives back."""

    name: str
    price: float
    tags: list[str] = []
    in_stock: bool = True


@app.get("/items/:item_id")
async def read_item(request):
    """A path parameter and two query parameters."""
    item_id = int(request.path_params["item_id"])
    query = request.query_params
    limit = int(query.get("limit", "10"))
    return {
        "id": item_id,
        "name": query.get("q", "widget"),
        "price": item_id * 1.5,
        "tags": ["new", "sale"][:limit],
    }


@app.get("/users/:user_id")
async def read_user(request):
    """A path parameter and a query parameter."""
    return {"id": int(request.path_params["user_id"]), "q": request.query_params.get("q", None)}


@app.post("/items")
async def create_item(item: Item):
    """A validated JSON body, and the same back."""
    return item


if __name__ == "__main__":
    # Before Robyn reads the other arguments.
    port = int(sys.argv.pop(1))
    app.start(host="127.0.0.1", port=port)
