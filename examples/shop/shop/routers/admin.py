"""What only the admin may see and do, besides changing products and files."""

from typing import Annotated

from fastapi import APIRouter, Query

from ..db import Connection, Transaction
from ..models import Id, OrderPage, OrderSummary, Paging, Product, Restock, Stats
from ..security import Admin
from .products import find_product

router = APIRouter(prefix="/admin", tags=["admin"], dependencies=[Admin])


@router.get("/stats")
def stats(connection: Connection) -> Stats:
    """The shop in four numbers."""
    row = connection.execute(
        "SELECT (SELECT count(*) FROM products) AS products,"
        " (SELECT count(*) FROM products WHERE stock = 0) AS out_of_stock,"
        " count(*) AS orders, coalesce(sum(total_cents), 0) AS revenue_cents FROM orders"
    ).fetchone()
    return Stats(**dict(row))


@router.get("/orders")
def list_orders(connection: Connection, paging: Annotated[Paging, Query()]) -> OrderPage:
    """The orders, newest first."""
    (total,) = connection.execute("SELECT count(*) FROM orders").fetchone()
    rows = connection.execute(
        "SELECT * FROM orders ORDER BY id DESC LIMIT ? OFFSET ?", (paging.limit, paging.offset)
    )
    return OrderPage(items=[OrderSummary(**dict(row)) for row in rows], total=total)


@router.post("/products/{product_id}/restock")
def restock(connection: Transaction, product_id: Id, arrived: Restock) -> Product:
    """Adds to a product's stock."""
    connection.execute(
        "UPDATE products SET stock = stock + ? WHERE id = ?", (arrived.quantity, product_id)
    )
    return find_product(connection, product_id)
