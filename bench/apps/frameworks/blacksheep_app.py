"""BlackSheep: typed parameters and a dictionary as JSON."""

from __future__ import annotations

from blacksheep import Application, json  # pyright: ignore[reportMissingImports]

app = Application()


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
