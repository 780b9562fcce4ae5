"""JustAPI: async handlers that return dictionaries, and a schema that it checks in Rust."""

from __future__ import annotations

import sys

from justapi import JustAPIApp, Schema  # pyright: ignore[reportMissingImports]

app = JustAPIApp()


class Item(Schema):
    """What the POST route takes and gives back."""

    name: str
    price: float
    tags: list[str]
    in_stock: bool


@app.get("/items/{item_id}")
async def read_item(request):
    """A path parameter and two query parameters."""
    item_id = int(request["path_params"]["item_id"])
    query = request["query_params"]
    limit = int(query.get("limit", "10"))
    return {
        "id": item_id,
        "name": query.get("q", "widget"),
        "price": item_id * 1.5,
        "tags": ["new", "sale"][:limit],
    }


@app.get("/users/{user_id}")
async def read_user(request):
    """A path parameter and a query parameter."""
    user_id = int(request["path_params"]["user_id"])
    return {"id": user_id, "q": request["query_params"].get("q")}


@app.post("/items", body_schema=Item)
async def create_item(request):
    """A validated JSON body, and the same back."""
    return request.json()


if __name__ == "__main__":
    app.run(f"127.0.0.1:{sys.argv[1]}")
