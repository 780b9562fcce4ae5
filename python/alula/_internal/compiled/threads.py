"""Runs sync handlers and dependencies in threads."""

from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool


async def run_in_thread(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """What the function returns, called with these keyword arguments in a worker thread."""
    return await run_in_threadpool(function, **arguments)
