"""Full-text search."""

from typing import Annotated

from fastapi import APIRouter, Query

from ..db import Connection
from ..models import Hit

router = APIRouter(tags=["search"])


@router.get("/search")
def search(
    connection: Connection,
    q: Annotated[
        str, Query(min_length=1, max_length=100, description="Words, or their beginnings")
    ],
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> list[Hit]:
    """The products that have every word, best first."""
    words = "".join(letter if letter.isalnum() else " " for letter in q).split()
    if not words:
        return []
    rows = connection.execute(
        "SELECT products.id, products.name, category, price_cents, stock,"
        " snippet(products_text, 1, '[', ']', '…', 12) AS snippet"
        " FROM products_text JOIN products ON products.id = products_text.rowid"
        " WHERE products_text MATCH ? ORDER BY rank, products.id LIMIT ?",
        # Quoted, a word can't be one of FTS5's operators.
        (" ".join(f'"{word}"*' for word in words), limit),
    )
    return [Hit(**dict(row)) for row in rows]
