"""New orders, told to whoever listens.

An order may come in through another worker process, so what is watched is the database: one task
in each process looks for new orders while somebody listens. An order placed through this process
wakes it at once.
"""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from .db import Database
from .models import OrderSummary

POLL_INTERVAL = 0.5
"""Seconds until an order that another process took is seen."""
BATCH = 100
QUEUE = 256
"""Orders that wait for one listener; who falls further behind is cut off and may come again."""

logger = logging.getLogger("shop.feed")


class Listener:
    """One subscriber's bounded queue."""

    def __init__(self, since: int) -> None:
        self.since = since
        """The last order that was there before this listener."""
        self.lost = False
        """Whether orders have been dropped, because nobody took them out in time."""
        self._queue: asyncio.Queue[OrderSummary] = asyncio.Queue(QUEUE)

    def put(self, order: OrderSummary) -> None:
        """Queues an order if there is room."""
        try:
            self._queue.put_nowait(order)
        except asyncio.QueueFull:
            self.lost = True

    async def next(self, timeout: float) -> OrderSummary | None:
        """The next order, or None if there is none for so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                return await self._queue.get()
        return None


class Feed:
    """Watches for new orders and hands them to the listeners."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: set[Listener] = set()
        self._last = 0
        self._news = asyncio.Event()

    async def poke(self) -> None:
        """Says that there is a new order."""
        self._news.set()

    @asynccontextmanager
    async def listen(self) -> AsyncIterator[Listener]:
        """Registers a listener: it gets each order that is placed from now on."""
        last = await asyncio.to_thread(self._last_order)
        if not self._listeners:
            self._last = last  # nobody was there to miss those in between
        listener = Listener(last)
        self._listeners.add(listener)
        self._news.set()
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    async def orders_after(self, order: int) -> list[OrderSummary]:
        """The first of the orders with a greater number."""
        return await asyncio.to_thread(self._orders_after, order)

    async def watch(self) -> None:
        """Runs for as long as the application does."""
        while True:
            self._news.clear()
            while self._listeners and await self._hand_out():
                pass
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_INTERVAL if self._listeners else None):
                    await self._news.wait()

    async def _hand_out(self) -> bool:
        """Hands out a batch; tells whether there may be more."""
        try:
            orders = await self.orders_after(self._last)
        except sqlite3.Error:
            logger.exception("could not look for new orders")
            return False
        for order in orders:
            self._last = max(self._last, order.id)
            for listener in self._listeners:
                listener.put(order)
        return len(orders) == BATCH

    def _last_order(self) -> int:
        with self._database.connection() as connection:
            (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM orders").fetchone()
            return int(last)

    def _orders_after(self, order: int) -> list[OrderSummary]:
        with self._database.connection() as connection:
            rows = connection.execute(
                "SELECT * FROM orders WHERE id > ? ORDER BY id LIMIT ?", (order, BATCH)
            ).fetchall()
        return [OrderSummary.model_validate(dict(row)) for row in rows]
