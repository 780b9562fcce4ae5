"""TurboAPI: typed handlers, as in FastAPI; plain functions, which it runs quickest.

It does not look up annotations that are texts. There is no POST route: its models lose lists.
"""

import sys

from turboapi import TurboAPI  # pyright: ignore[reportMissingImports]

app = TurboAPI()


@app.get("/items/{item_id}")
def read_item(item_id: int, q: str = "widget", limit: int = 10):
    """A path parameter and two query parameters."""
    return {
        "id": item_id,
        "name": q,
        "price": item_id * 1.5,
        "tags": ["new", "sale"][:limit],
    }


@app.get("/users/{user_id}")
def read_user(user_id: int, q: str | None = None):
    """A path parameter and a query parameter."""
    return {"id": user_id, "q": q}


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(sys.argv[1]))
