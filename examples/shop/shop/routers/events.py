"""The feed of new orders, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event

from ..feed import Feed
from ..models import OrderSummary
from ..settings import settings

router = APIRouter(tags=["events"])

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
"""Proxies should neither keep nor hold back what we say."""


@router.get(
    "/events/orders",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {}}}},
)
async def order_events(
    request: Request,
    last_event_id: Annotated[int | None, Header(ge=0, lt=2**63)] = None,
) -> StreamingResponse:
    """Each new order as it is placed; a client that comes back gets what it has missed."""
    feed = cast(Feed, request.state.feed)
    return StreamingResponse(
        _events(feed, last_event_id), media_type="text/event-stream", headers=HEADERS
    )


async def _events(feed: Feed, last_event_id: int | None) -> AsyncIterator[bytes]:
    # When the client leaves, this generator is cancelled at one of its awaits.
    async with feed.listen() as listener:
        yield format_sse_event(comment="listening", retry=2000)
        seen = listener.since
        if last_event_id is not None:
            seen = last_event_id
            while missed := await feed.orders_after(seen):
                for order in missed:
                    yield _event(order)
                    seen = order.id
        while not listener.lost:
            order = await listener.next(settings.heartbeat)
            if order is None:
                yield format_sse_event(comment="heartbeat")
            elif order.id > seen:
                yield _event(order)


def _event(order: OrderSummary) -> bytes:
    return format_sse_event(event="order", id=str(order.id), data_str=order.model_dump_json())
