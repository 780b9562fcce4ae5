"""The lifespan protocol, without a server."""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import pytest
from alula._internal.lifespan import Lifespan

Lines = Callable[[], list[str]]


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Lines:
    logging.getLogger("uvicorn").propagate = True
    caplog.set_level(logging.INFO, "uvicorn.error")
    return lambda: [record.getMessage() for record in caplog.records]


async def polite(scope: Any, receive: Any, send: Any) -> None:
    assert scope["type"] == "lifespan"
    assert scope["asgi"] == {"version": "3.0", "spec_version": "2.0"}
    assert await receive() == {"type": "lifespan.startup"}
    scope["state"]["database"] = "open"
    await send({"type": "lifespan.startup.complete"})
    assert await receive() == {"type": "lifespan.shutdown"}
    scope["state"]["database"] = "closed"
    await send({"type": "lifespan.shutdown.complete"})


async def silent(scope: Any, receive: Any, send: Any) -> None:
    """Returns at once."""


async def ignorant(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("only http here")


def through(app: Any, mode: str) -> tuple[bool, bool]:
    """Startup and shutdown."""

    async def both() -> tuple[bool, bool]:
        lifespan = Lifespan(app, mode)
        return await lifespan.startup(), await lifespan.shutdown(5)

    return asyncio.run(both())


@pytest.mark.parametrize("mode", ["auto", "on"])
def test_an_application_is_told_and_shares_its_state(mode: str, lines: Lines) -> None:
    async def both() -> list[Any]:
        lifespan = Lifespan(polite, mode)
        assert await lifespan.startup()
        states = [dict(lifespan.state)]
        assert await lifespan.shutdown(5)
        return [*states, lifespan.state]

    assert asyncio.run(both()) == [{"database": "open"}, {"database": "closed"}]
    assert lines() == [
        "Waiting for application startup.",
        "Application startup complete.",
        "Waiting for application shutdown.",
        "Application shutdown complete.",
    ]


def test_off_calls_nothing(lines: Lines) -> None:
    assert through(ignorant, "off") == (True, True)
    assert lines() == []


def test_auto_takes_an_early_exception_for_a_missing_protocol(lines: Lines) -> None:
    assert through(ignorant, "auto") == (True, True)
    assert "ASGI 'lifespan' protocol appears unsupported." in lines()


def test_on_takes_it_for_a_failure(lines: Lines, caplog: pytest.LogCaptureFixture) -> None:
    assert through(ignorant, "on") == (False, False)
    assert "only http here" in caplog.text


@pytest.mark.parametrize("mode", ["auto", "on"])
def test_an_application_that_returns_at_once_has_started(mode: str) -> None:
    assert through(silent, mode) == (True, True)


@pytest.mark.parametrize("mode", ["auto", "on"])
def test_a_reported_failure_stops_the_start(mode: str, lines: Lines) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no database"})

    assert through(app, mode)[0] is False
    assert "no database" in lines()


def test_exiting_in_a_startup_is_its_failure(lines: Lines) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        sys.exit(5)

    assert through(app, "auto")[0] is False


@pytest.mark.parametrize("mode", ["auto", "on"])
def test_a_shutdown_that_hangs_is_cancelled(mode: str, lines: Lines) -> None:
    cancelled = list[bool]()

    async def endless(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)

    async def both() -> list[bool]:
        lifespan = Lifespan(endless, mode)
        assert await lifespan.startup()
        assert not await lifespan.shutdown(0.05)
        return list(cancelled)

    assert asyncio.run(both()) == [True]
    assert lines()[2:] == [
        "Waiting for application shutdown.",
        "Application shutdown not complete after 0.05 seconds, timeout graceful shutdown exceeded."
        " Exiting.",
    ]


def test_a_failing_shutdown_is_logged(lines: Lines) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.failed", "message": "still open"})

    assert through(app, "auto") == (True, False)
    assert lines()[-2:] == ["still open", "Application shutdown failed. Exiting."]


def test_an_exception_after_the_start_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        raise LookupError("in the shutdown")

    assert through(app, "auto") == (True, False)
    assert "LookupError: in the shutdown" in caplog.text


@pytest.mark.parametrize(
    "types",
    [
        ["lifespan.shutdown.complete"],
        ["lifespan.startup.complete", "lifespan.startup.complete"],
        ["lifespan.startup.complete", "lifespan.startup.failed"],
        ["http.response.start"],
        ["lifespan.startup"],
    ],
    ids=lambda types: types[-1],
)
def test_messages_out_of_order_raise_in_the_application(types: list[str]) -> None:
    raised: list[BaseException] = []

    async def app(scope: Any, receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
        await receive()
        for kind in types[:-1]:
            await send({"type": kind})
        try:
            await send({"type": types[-1]})
        except RuntimeError as error:
            raised.append(error)
        if len(types) == 1:
            await send({"type": "lifespan.startup.complete"})

    assert through(app, "on") == (True, True)
    assert [types[-1] in str(error) for error in raised] == [True]


def test_aborting_cancels_a_startup_that_does_not_end() -> None:
    cancelled: list[bool] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)

    async def abort() -> None:
        lifespan = Lifespan(app, "on")
        startup: Coroutine[Any, Any, bool] = lifespan.startup()
        task = asyncio.create_task(startup)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await lifespan.abort()
        assert await task is False

    asyncio.run(abort())
    assert cancelled == [True]
