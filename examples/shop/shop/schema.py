"""The tables, and a few hundred products to look at: made on first start."""

import os
import random
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from .db import Database

SCHEMA = """
CREATE TABLE products (
    id INTEGER PRIMARY KEY,
    sku TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    category TEXT NOT NULL,
    price_cents INTEGER NOT NULL CHECK (price_cents >= 0),
    stock INTEGER NOT NULL CHECK (stock >= 0)
);
CREATE INDEX products_by_category ON products (category, id);
CREATE INDEX products_by_price ON products (price_cents, id);

CREATE VIRTUAL TABLE products_text USING fts5 (
    name, description, content = 'products', content_rowid = 'id'
);
CREATE TRIGGER products_text_insert AFTER INSERT ON products BEGIN
    INSERT INTO products_text (rowid, name, description)
    VALUES (new.id, new.name, new.description);
END;
CREATE TRIGGER products_text_delete AFTER DELETE ON products BEGIN
    INSERT INTO products_text (products_text, rowid, name, description)
    VALUES ('delete', old.id, old.name, old.description);
END;
CREATE TRIGGER products_text_update AFTER UPDATE OF name, description ON products BEGIN
    INSERT INTO products_text (products_text, rowid, name, description)
    VALUES ('delete', old.id, old.name, old.description);
    INSERT INTO products_text (rowid, name, description)
    VALUES (new.id, new.name, new.description);
END;

CREATE TABLE orders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    customer TEXT NOT NULL,
    total_cents INTEGER NOT NULL,
    created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
);
-- A line keeps the name and the price of the day: products change, orders do not.
CREATE TABLE order_lines (
    order_id INTEGER NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    product_id INTEGER REFERENCES products (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    price_cents INTEGER NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0)
);
CREATE INDEX order_lines_by_order ON order_lines (order_id);
CREATE INDEX order_lines_by_product ON order_lines (product_id);

CREATE TABLE files (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    media_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL
);
"""
VERSION = 1
SEED_PRODUCTS = 360

_MATERIALS = ("Oak", "Steel", "Linen", "Copper", "Glass", "Cork", "Wool", "Bamboo", "Slate", "Felt")
_QUALITIES = (
    "Compact",
    "Folding",
    "Classic",
    "Light",
    "Sturdy",
    "Quiet",
    "Round",
    "Tall",
    "Little",
)
_THINGS = {
    "kitchen": ("Kettle", "Bread Knife", "Mixing Bowl", "Pepper Mill"),
    "office": ("Desk Lamp", "Notebook", "Pen Tray", "Paper Clip"),
    "garden": ("Watering Can", "Trowel", "Bird House", "Plant Pot"),
    "travel": ("Day Pack", "Water Bottle", "Toilet Bag", "Luggage Tag"),
    "play": ("Kite", "Spinning Top", "Chess Set", "Juggling Ball"),
}


def prepare(database: Database) -> None:
    """Creates and seeds the database unless it is there."""
    path = database.path
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Several workers start at once. Each makes a whole database beside the right place; the
        # first to put it there wins, and nobody ever sees a half-made one.
        with TemporaryDirectory(dir=path.parent, prefix=".new-") as folder:
            made = Path(folder) / path.name
            _create(made)
            with suppress(FileExistsError):
                os.link(made, path)
    with database.connection() as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise RuntimeError(f"{path} has schema version {version}, this shop wants {VERSION}")


def _create(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # the file remembers it
        connection.executescript(SCHEMA)
        _seed(connection)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.commit()


def _seed(connection: sqlite3.Connection) -> None:
    choose = random.Random(1)  # the same shop everywhere
    kinds = [(category, thing) for category, things in _THINGS.items() for thing in things]
    rows: list[tuple[str, str, str, str, int, int]] = []
    for number in range(SEED_PRODUCTS):
        category, thing = kinds[number % len(kinds)]
        quality = _QUALITIES[number // len(kinds) % len(_QUALITIES)]
        material = choose.choice(_MATERIALS)
        rows.append(
            (
                f"{category[:3].upper()}-{number + 1:04}",
                f"{quality} {material} {thing}",
                f"A {quality.lower()} {thing.lower()} made of {material.lower()}, for {category}.",
                category,
                choose.randrange(199, 19_999, 50),
                choose.choice((0, *range(5, 120))),
            )
        )
    connection.executemany(
        "INSERT INTO products (sku, name, description, category, price_cents, stock)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        rows,
    )
