"""Orders: place one, look at one."""

import sqlite3

from fastapi import APIRouter, BackgroundTasks, HTTPException, Request, Response, status

from ..db import Connection, Transaction
from ..models import Id, NewOrder, NewOrderLine, Order, OrderLine
from .products import find_product

router = APIRouter(prefix="/orders", tags=["orders"])


@router.post("", status_code=status.HTTP_201_CREATED)
def place_order(
    connection: Transaction,
    order: NewOrder,
    request: Request,
    response: Response,
    background: BackgroundTasks,
) -> Order:
    """Takes the products out of stock: all of the order or, if anything is short, none of it."""
    lines = [_take(connection, line) for line in order.lines]
    total = sum(line.price_cents * line.quantity for line in lines)
    row = connection.execute(
        "INSERT INTO orders (customer, total_cents) VALUES (?, ?) RETURNING *",
        (order.customer, total),
    ).fetchone()
    connection.executemany(
        "INSERT INTO order_lines (order_id, product_id, name, price_cents, quantity)"
        " VALUES (?, ?, ?, ?, ?)",
        [
            (row["id"], line.product_id, line.name, line.price_cents, line.quantity)
            for line in lines
        ],
    )
    # Background tasks run after the response, and so after the commit.
    background.add_task(request.state.feed.poke)
    response.headers["Location"] = f"/orders/{row['id']}"
    return Order(**dict(row), lines=lines)


@router.get("/{order_id}")
def get_order(connection: Connection, order_id: Id) -> Order:
    """One order with its lines."""
    row = connection.execute("SELECT * FROM orders WHERE id = ?", [order_id]).fetchone()
    if row is None:
        raise HTTPException(status.HTTP_404_NOT_FOUND, f"There is no order {order_id}")
    lines = connection.execute(
        "SELECT product_id, name, price_cents, quantity FROM order_lines"
        " WHERE order_id = ? ORDER BY rowid",
        [order_id],
    )
    return Order(**dict(row), lines=[OrderLine(**dict(line)) for line in lines])


def _take(connection: sqlite3.Connection, line: NewOrderLine) -> OrderLine:
    """Takes a line's products out of stock, or raises and so rolls the whole order back."""
    product = find_product(connection, line.product_id)
    if product.stock < line.quantity:
        raise HTTPException(
            status.HTTP_409_CONFLICT,
            f"Only {product.stock} of {product.name!r} left, {line.quantity} ordered",
        )
    # We hold the write lock since the transaction began: the stock just read is still right.
    connection.execute(
        "UPDATE products SET stock = stock - ? WHERE id = ?", (line.quantity, product.id)
    )
    return OrderLine(
        product_id=product.id,
        name=product.name,
        price_cents=product.price_cents,
        quantity=line.quantity,
    )
