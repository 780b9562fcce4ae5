"""The product list as CSV, streamed."""

import csv
import io
from collections.abc import Iterator
from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from ..db import Database

router = APIRouter(tags=["export"])

COLUMNS = ("id", "sku", "name", "category", "price_cents", "stock")
BATCH = 100


@router.get("/export/products.csv", response_class=StreamingResponse)
def export_products(request: Request) -> StreamingResponse:
    """Every product, a line each. However many there are, only a few are in memory."""
    database = cast(Database, request.state.database)
    return StreamingResponse(
        _lines(database),
        media_type="text/csv",
        headers={"Content-Disposition": 'attachment; filename="products.csv"'},
    )


def _lines(database: Database) -> Iterator[str]:
    yield _csv([COLUMNS])
    last = 0
    while True:
        # A query a batch, not one for all: a slow client must not hold a connection.
        with database.connection() as connection:
            rows = connection.execute(
                f"SELECT {', '.join(COLUMNS)} FROM products WHERE id > ? ORDER BY id LIMIT ?",
                (last, BATCH),
            ).fetchall()
        if not rows:
            return
        last = rows[-1]["id"]
        yield _csv([tuple(row) for row in rows])


def _csv(rows: list[tuple[object, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
