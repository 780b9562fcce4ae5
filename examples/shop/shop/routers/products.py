"""Products: list, get, and for the admin create, change, delete."""

import sqlite3
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Response, status

from ..db import Connection, Transaction
from ..models import Id, NewProduct, Product, ProductChange, ProductFilter, ProductPage
from ..security import Admin

router = APIRouter(prefix="/products", tags=["products"])

_ORDER = {
    "id": "id",
    "name": "name, id",
    "price": "price_cents, id",
    "-price": "price_cents DESC, id",
}


@router.get("")
def list_products(connection: Connection, wanted: Annotated[ProductFilter, Query()]) -> ProductPage:
    """Products that pass every filter given, a page at a time."""
    where, values = _conditions(wanted)
    (total,) = connection.execute(f"SELECT count(*) FROM products{where}", values).fetchone()
    rows = connection.execute(
        f"SELECT * FROM products{where} ORDER BY {_ORDER[wanted.sort]} LIMIT ? OFFSET ?",
        [*values, wanted.limit, wanted.offset],
    )
    return ProductPage(items=[Product(**dict(row)) for row in rows], total=total)


@router.get("/{product_id}")
def get_product(connection: Connection, product_id: Id) -> Product:
    """One product."""
    return find_product(connection, product_id)


@router.post("", status_code=status.HTTP_201_CREATED, dependencies=[Admin])
def create_product(connection: Transaction, product: NewProduct, response: Response) -> Product:
    """A new product."""
    try:
        cursor = connection.execute(
            "INSERT INTO products (sku, name, description, category, price_cents, stock)"
            " VALUES (:sku, :name, :description, :category, :price_cents, :stock)",
            product.model_dump(),
        )
    except sqlite3.IntegrityError:
        raise HTTPException(
            status.HTTP_409_CONFLICT, f"There is a product {product.sku} already"
        ) from None
    assert cursor.lastrowid is not None
    response.headers["Location"] = f"/products/{cursor.lastrowid}"
    return Product(id=cursor.lastrowid, **product.model_dump())


@router.patch("/{product_id}", dependencies=[Admin])
def change_product(connection: Transaction, product_id: Id, change: ProductChange) -> Product:
    """Changes the fields that are given."""
    fields = change.model_dump(exclude_unset=True)
    if fields:
        # The names are the model's, not the client's.
        assignments = ", ".join(f"{name} = :{name}" for name in fields)
        connection.execute(
            f"UPDATE products SET {assignments} WHERE id = :id", {**fields, "id": product_id}
        )
    return find_product(connection, product_id)


@router.delete("/{product_id}", status_code=status.HTTP_204_NO_CONTENT, dependencies=[Admin])
def delete_product(connection: Transaction, product_id: Id) -> None:
    """Deletes a product; orders keep its name and price."""
    if connection.execute("DELETE FROM products WHERE id = ?", [product_id]).rowcount == 0:
        raise _no_product(product_id)


def find_product(connection: sqlite3.Connection, product_id: int) -> Product:
    """The product, or a 404."""
    row = connection.execute("SELECT * FROM products WHERE id = ?", [product_id]).fetchone()
    if row is None:
        raise _no_product(product_id)
    return Product(**dict(row))


def _no_product(product_id: int) -> HTTPException:
    return HTTPException(status.HTTP_404_NOT_FOUND, f"There is no product {product_id}")


def _conditions(wanted: ProductFilter) -> tuple[str, list[Any]]:
    conditions: list[str] = []
    values: list[Any] = []
    if wanted.category is not None:
        conditions.append("category = ?")
        values.append(wanted.category)
    if wanted.min_price is not None:
        conditions.append("price_cents >= ?")
        values.append(wanted.min_price)
    if wanted.max_price is not None:
        conditions.append("price_cents <= ?")
        values.append(wanted.max_price)
    if wanted.in_stock is not None:
        conditions.append("stock > 0" if wanted.in_stock else "stock = 0")
    return (" WHERE " + " AND ".join(conditions) if conditions else ""), values
