"""JustAPI: an async handler that returns a dictionary."""

from __future__ import annotations

import sys

from justapi import JustAPIApp  # pyright: ignore[reportMissingImports]

app = JustAPIApp()


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


if __name__ == "__main__":
    app.run(f"127.0.0.1:{sys.argv[1]}")
