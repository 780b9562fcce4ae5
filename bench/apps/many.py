"""A FastAPI application of 500 routes: what reading them takes of the start."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI
from pydantic import BaseModel

ROUTERS = 100


class Thing(BaseModel):
    """What goes in and out."""

    name: str
    price: float
    tags: list[str] = []


async def page(limit: int = 10, offset: int = 0) -> tuple[int, int]:
    """A dependency that most lists have."""
    return limit, offset


def router(number: int) -> APIRouter:
    """Five routes, as of one resource."""
    things = APIRouter(prefix=f"/things{number}", tags=[f"things{number}"])

    @things.get("")
    async def list_things(page: Annotated[tuple[int, int], Depends(page)]) -> list[Thing]:
        return [Thing(name=str(place), price=1.0) for place in range(*page)]

    @things.get("/{thing_id}")
    async def read_thing(thing_id: int, q: str | None = None):
        return {"number": number, "id": thing_id, "q": q}

    @things.post("", status_code=201)
    async def create_thing(thing: Thing) -> Thing:
        return thing

    @things.put("/{thing_id}")
    def replace_thing(thing_id: int, thing: Thing) -> Thing:
        return thing

    @things.delete("/{thing_id}", status_code=204)
    async def delete_thing(thing_id: int) -> None:
        return None

    return things


app = FastAPI()
for number in range(ROUTERS):
    app.include_router(router(number))
