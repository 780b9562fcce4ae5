"""Puts the shop together. Run it with `alula serve shop.main:app`."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypedDict

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware

from . import schema
from .db import Database
from .feed import Feed
from .routers import admin, events, export, files, orders, pages, products, search
from .settings import DEMO_PASSWORD, settings

logger = logging.getLogger("shop")


class State(TypedDict):
    """What a route finds in ``request.state``."""

    database: Database
    feed: Feed


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[State]:
    """Opens the database and watches it for new orders, in each worker process."""
    if settings.admin_password == DEMO_PASSWORD:
        logger.warning("the admin has the demo password: set SHOP_ADMIN_PASSWORD")
    database = Database(settings.database)
    await asyncio.to_thread(schema.prepare, database)
    feed = Feed(database)
    async with asyncio.TaskGroup() as tasks:
        watcher = tasks.create_task(feed.watch())
        yield {"database": database, "feed": feed}
        watcher.cancel()
    database.close()


app = FastAPI(
    title="Shop",
    summary="A small shop to start from",
    version="1.0.0",
    lifespan=lifespan,
    max_body_size=settings.max_body,
)
# The last one added is the outermost.
app.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)
app.add_middleware(
    CORSMiddleware,
    allow_origins=settings.cors_origins,
    allow_methods=["GET", "POST", "PATCH", "DELETE"],
    allow_headers=["Authorization", "Content-Type", "Last-Event-ID"],
    expose_headers=["Location"],
)
for router in (pages, products, orders, search, files, export, events, admin):
    app.include_router(router.router)
