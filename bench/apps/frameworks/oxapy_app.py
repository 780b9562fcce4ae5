"""OxAPY: plain handlers, its own way, with typed path parameters and a serializer."""

from __future__ import annotations

import sys

from oxapy import HttpServer, Router, get, post, serializer  # pyright: ignore[reportMissingImports]


class Item(serializer.Serializer):
    """What the POST route takes and gives back."""

    name = serializer.CharField()
    price = serializer.NumberField()
    tags = serializer.CharField(many=True)
    in_stock = serializer.BooleanField()


@get("/items/{item_id:int}")
def read_item(request, item_id: int):
    """A path parameter and two query parameters."""
    query = request.query
    return {
        "id": item_id,
        "name": query.get("q", "widget"),
        "price": item_id * 1.5,
        "tags": ["new", "sale"][: int(query.get("limit", "10"))],
    }


@get("/users/{user_id:int}")
def read_user(request, user_id: int):
    """A path parameter and a query parameter."""
    return {"id": user_id, "q": request.query.get("q")}


@post("/items")
def create_item(request):
    """A validated JSON body, and the same back."""
    item = Item(request.data)
    item.is_valid()
    return item.validated_data


if __name__ == "__main__":
    router = Router()
    router.routes([read_item, read_user, create_item])
    HttpServer(("127.0.0.1", int(sys.argv[1]))).attach(router).run(1)
