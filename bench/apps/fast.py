"""The FastAPI application: routes as a user writes them, with parameters and models."""

from __future__ import annotations

from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI()


class Item(BaseModel):
    """What the GET route answers."""

    id: int
    name: str
    price: float
    tags: list[str]


class Order(BaseModel):
    """What the POST route takes."""

    item_id: int = Field(ge=1)
    quantity: int = Field(ge=1, le=1000)
    note: str | None = None


class Receipt(BaseModel):
    """What the POST route answers."""

    item_id: int
    quantity: int
    total: float
    note: str | None


@app.get("/items/{item_id}")
async def read_item(item_id: int, q: str | None = None, limit: int = 10) -> Item:
    """A path parameter, two query parameters and a response model."""
    return Item(id=item_id, name=q or "widget", price=item_id * 1.5, tags=["new", "sale"][:limit])


@app.post("/orders")
async def create_order(order: Order) -> Receipt:
    """A validated JSON body and a response model."""
    return Receipt(
        item_id=order.item_id,
        quantity=order.quantity,
        total=order.quantity * 1.5,
        note=order.note,
    )
