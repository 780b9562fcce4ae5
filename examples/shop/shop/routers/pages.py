"""The page at /, and the health check."""

from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from ..db import Connection

router = APIRouter()

_INDEX = (Path(__file__).parent.parent / "index.html").read_text("utf-8")


@router.get("/", include_in_schema=False)
async def index() -> HTMLResponse:
    """A page for a first look around."""
    return HTMLResponse(_INDEX)


@router.get("/health", tags=["health"])
def health(connection: Connection) -> dict[str, str]:
    """Whether the shop can reach its database."""
    connection.execute("SELECT 1 FROM products LIMIT 1").fetchone()
    return {"status": "ok"}
