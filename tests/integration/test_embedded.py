"""`alula.run` and `alula.Server` inside programs."""

import asyncio
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import alula
import httpx
import pytest
from serving import DEADLINE

TESTS = Path(__file__).parents[1]


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "lifespan":
        await receive()
        scope["state"]["greeting"] = b"hello"
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await send({"type": "lifespan.shutdown.complete"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["state"]["greeting"]})


def quiet(target: Any = app, **options: Any) -> alula.Config:
    return alula.Config(target, port=0, log_config=None, **options)


@asynccontextmanager
async def serving(server: alula.Server, **how: Any) -> AsyncIterator[str]:
    """The server, running in this loop; its URL."""
    task = asyncio.create_task(server.serve(**how))
    assert await asyncio.wait_for(server.wait_started(), DEADLINE)
    host, port = server.addresses[0]
    yield f"http://{host}:{port}"
    server.shutdown()
    await asyncio.wait_for(task, DEADLINE)


def runners() -> list[Any]:
    import uvloop

    return [asyncio.new_event_loop, uvloop.new_event_loop]


@pytest.mark.parametrize("factory", runners(), ids=["asyncio", "uvloop"])
def test_serving_in_a_running_loop_leaves_signal_handlers_alone(factory: Any) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]

    async def main() -> None:
        inside = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        server = alula.Server(quiet())
        assert not server.started
        async with serving(server) as url:
            assert server.started
            now = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
            assert now == inside
            async with httpx.AsyncClient() as client:
                assert (await client.get(url)).text == "hello"

    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main())
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_signal_handlers_are_installed_when_asked_for_and_put_back() -> None:
    async def main() -> None:
        before = signal.getsignal(signal.SIGTERM)
        server = alula.Server(quiet())
        task = asyncio.create_task(server.serve(install_signal_handlers=True))
        assert await server.wait_started()
        assert signal.getsignal(signal.SIGTERM) != before
        signal.raise_signal(signal.SIGTERM)
        await asyncio.wait_for(task, DEADLINE)
        assert server.should_exit
        assert signal.getsignal(signal.SIGTERM) == before

    asyncio.run(main())


def test_a_server_in_a_thread() -> None:
    loop = asyncio.new_event_loop()
    server = alula.Server(quiet())
    thread = threading.Thread(target=lambda: loop.run_until_complete(server.serve()))
    thread.start()
    started = asyncio.run_coroutine_threadsafe(server.wait_started(), loop)
    assert started.result(DEADLINE)
    host, port = server.addresses[0]
    assert httpx.get(f"http://{host}:{port}").text == "hello"
    server.should_exit = True
    thread.join(DEADLINE)
    assert not thread.is_alive()
    loop.close()


def test_signal_handlers_cannot_be_installed_from_a_thread() -> None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(alula.Server(quiet()).serve(install_signal_handlers=True))
        except alula.Error as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(DEADLINE)
    assert "main thread" in str(raised[0])


def test_two_servers_share_a_loop() -> None:
    async def other(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope["state"] = {"greeting": b"other"}
            await app(scope, receive, send)

    async def main() -> None:
        first, second = alula.Server(quiet()), alula.Server(quiet(other))
        async with (
            serving(first) as one,
            serving(second) as two,
            httpx.AsyncClient() as client,
        ):
            assert (await client.get(one)).text == "hello"
            assert (await client.get(two)).text == "other"

    asyncio.run(main())


def test_given_sockets_are_used_and_left_open() -> None:
    async def main(listener: socket.socket) -> None:
        server = alula.Server(quiet())
        async with serving(server, sockets=[listener]), httpx.AsyncClient() as client:
            port = listener.getsockname()[1]
            assert server.addresses == [("127.0.0.1", port)]
            assert (await client.get(f"http://127.0.0.1:{port}")).text == "hello"

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        asyncio.run(main(listener))
        assert listener.fileno() >= 0


def test_a_failing_startup_raises() -> None:
    async def failing(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "lifespan.startup.failed", "message": "no"})

    async def main() -> None:
        server = alula.Server(quiet(failing))
        with pytest.raises(alula.StartupError, match="Application startup failed"):
            await server.serve()
        assert not await server.wait_started()
        with pytest.raises(alula.Error, match="has served already"):
            await server.serve()

    asyncio.run(main())


def test_a_busy_port_raises() -> None:
    async def main() -> None:
        with closing(socket.create_server(("127.0.0.1", 0))) as listener:
            config = alula.Config(app, port=listener.getsockname()[1], log_config=None)
            with pytest.raises(alula.StartupError, match="address already in use"):
                await alula.Server(config).serve()

    asyncio.run(main())


def test_cancelling_the_task_ends_requests_and_lifespan() -> None:
    ended: list[str] = []

    async def waiting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            ended.append("lifespan")
            return
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("request")

    begun: asyncio.Event

    async def main() -> None:
        nonlocal begun
        begun = asyncio.Event()
        server = alula.Server(quiet(waiting))
        task = asyncio.create_task(server.serve())
        assert await server.wait_started()
        host, port = server.addresses[0]
        _, writer = await asyncio.open_connection(host, port)
        writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await asyncio.wait_for(begun.wait(), DEADLINE)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        writer.close()

    asyncio.run(main())
    assert sorted(ended) == ["lifespan", "request"]


def script(text: str, tmp_path: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    path = tmp_path / "program.py"
    path.write_text(text)
    return subprocess.run(
        [sys.executable, *flags, str(path)],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        cwd=TESTS,
    )


def test_run_serves_until_told_to_stop_and_returns(tmp_path: Path) -> None:
    program = """
import os, signal, threading, alula, urllib.request

async def app(scope, receive, send):
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})
        os.kill(os.getpid(), signal.SIGINT)

server = alula.Server(alula.Config(app, port=0))

def ask():
    while not server.started:
        pass
    print(urllib.request.urlopen("http://127.0.0.1:%d" % server.addresses[0][1]).read())

asking = threading.Thread(target=ask)
asking.start()
server.run()
asking.join()
print("returned")
"""
    done = script(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "b'ok'" in done.stdout
    assert done.stdout.endswith("returned\n")


def test_run_ends_with_code_3_when_it_cannot_start(tmp_path: Path) -> None:
    done = script("import alula\nalula.run('nowhere:app', port=0)\n", tmp_path)
    assert done.returncode == 3
    assert done.stderr == 'ERROR:    Error loading ASGI app. Could not import module "nowhere".\n'


def test_run_with_workers_needs_a_path(tmp_path: Path) -> None:
    done = script("import alula\nalula.run(lambda s, r, t: None, workers=2)\n", tmp_path)
    assert done.returncode == 3
    assert "You must pass the application as an import string" in done.stderr


def test_run_refuses_options_by_an_exception(tmp_path: Path) -> None:
    done = script("import alula\nalula.run('a:b', prot=1)\n", tmp_path)
    assert done.returncode == 1
    assert done.stderr.endswith("ConfigError: prot: there is no such option\n")


def test_run_is_refused_while_a_worker_imports_the_application(tmp_path: Path) -> None:
    text = (
        "import alula\nasync def app(s, r, t): ...\nalula.run('program:app', port=0, workers=2)\n"
    )
    done = script(text, tmp_path)
    assert done.returncode == 3
    assert 'put the call to alula.run() under `if __name__ == "__main__":`' in done.stderr
