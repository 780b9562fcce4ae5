"""The shop of `examples/shop`, with a database of its own for each server.

Two things are not as the shop makes them, so that answers are the same in each run: an order is
there already, and the product that is ordered never runs out.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path

_folder = tempfile.mkdtemp(prefix="shop-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)
os.environ["SHOP_DATABASE"] = str(Path(_folder) / "shop.db")
os.environ["SHOP_ADMIN_PASSWORD"] = "not-the-demo-password"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "shop"))

from shop import schema  # noqa: E402
from shop.db import Database  # noqa: E402
from shop.main import app  # noqa: E402
from shop.settings import settings  # noqa: E402

__all__ = ["app"]

ORDERED = 7
"""The product that is ordered again and again."""


def _prepare() -> None:
    with closing(Database(settings.database)) as database:
        schema.prepare(database)
        with database.transaction() as connection:
            connection.execute("UPDATE products SET stock = 1000000000 WHERE id = ?", [ORDERED])
            connection.execute(
                "INSERT INTO orders (id, customer, total_cents, created_at)"
                " VALUES (1, 'Ada', 500, '2026-01-01T00:00:00Z')"
            )
            connection.execute(
                "INSERT INTO order_lines (order_id, product_id, name, price_cents, quantity)"
                " VALUES (1, 3, 'Sample', 250, 2)"
            )


_prepare()
