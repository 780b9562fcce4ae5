"""The types that users of `alula.run` and `alula.Server` meet; checked, never run."""

from pathlib import Path
from typing import Any, assert_type

import alula
from alula.logging import AccessFormatter


async def app(scope: Any, receive: Any, send: Any) -> None: ...


def factory() -> Any: ...


async def serving() -> None:
    config = alula.Config(
        app,
        host="::1",
        port=0,
        uds=Path("alula.sock"),
        headers={"X-Frame-Options": "DENY"},
        forwarded_allow_ips=["10.0.0.0/8"],
        reload_dirs=Path(),
        timeout_write=1,
        log_level=10,
        log_config={"version": 1},
        workers=None,
    )
    assert_type(config.port, int)
    assert_type(config.uds, str | None)
    assert_type(config.headers, list[tuple[str, str]])
    assert_type(config.timeout_write, float)
    assert_type(config.use_colors, bool | None)
    server = alula.Server(config)
    assert_type(server.started, bool)
    assert_type(await server.wait_started(), bool)
    assert_type(await server.serve(install_signal_handlers=True), None)
    server.should_exit = True
    server.shutdown()


def running() -> None:
    alula.run("main:app", workers=4, reload=False)
    alula.run(app, port=8000, headers=[("A", "b")])
    alula.run(factory, factory=True)
    alula.run(app, prot=1)  # pyright: ignore[reportCallIssue]
    alula.run(app, port="8000")  # pyright: ignore[reportArgumentType]
    AccessFormatter("%(message)s", use_colors=True)


def errors(error: alula.ClientDisconnected, other: alula.ConfigError) -> None:
    base: alula.Error = error
    failure: OSError = error
    value: ValueError = other
    assert_type(base, alula.ClientDisconnected)
    assert_type(failure, alula.ClientDisconnected)
    assert_type(value, alula.ConfigError)
