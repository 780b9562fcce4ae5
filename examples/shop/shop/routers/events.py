"""The feed of new orders, as server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, cast

from fastapi import APIRouter, Header, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ..feed import Feed
from ..models import OrderSummary
from ..settings import settings

router = APIRouter(tags=["events"])


@router.get("/events/orders", response_class=EventSourceResponse)
async def order_events(
    request: Request,
    last_event_id: Annotated[int | None, Header(ge=0, lt=2**63)] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Each new order as it is placed; a client that comes back gets what it has missed."""
    feed = cast(Feed, request.state.feed)
    async with feed.listen() as listener:
        yield ServerSentEvent(comment="listening", retry=2000)
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
                yield ServerSentEvent(comment="heartbeat")
            elif order.id > seen:
                yield _event(order)


def _event(order: OrderSummary) -> ServerSentEvent:
    return ServerSentEvent(event="order", id=str(order.id), data=order)
