"""Robyn: an async handler that returns a dictionary; typed path and query parameters."""

from __future__ import annotations

import sys

from robyn import Robyn  # pyright: ignore[reportMissingImports]

app = Robyn(__file__)


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


if __name__ == "__main__":
    # Before Robyn reads the other arguments.
    port = int(sys.argv.pop(1))
    app.start(host="127.0.0.1", port=port)
