"""The command `alula`: exit codes, what it says, where it listens."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import sysconfig
from pathlib import Path

import httpx
import pytest
from integration.lifecycle import eventually
from serving import DEADLINE, serve

TESTS = Path(__file__).parents[1]
APP = "integration.apps.lifecycle:app"
ALULA = str(Path(sysconfig.get_path("scripts")) / "alula")


def alula(*arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    """The command, run to its end."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ALULA_")}
    return subprocess.run(
        [ALULA, *arguments],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        cwd=cwd or TESTS,
        env=kept | env,
    )


def test_version_and_help() -> None:
    for arguments in (["--version"], ["serve", "--version"]):
        done = alula(*arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert re.fullmatch(r"alula \d+\.\d+\.\d+ \(cpython \d\S+, linux\)\n", done.stdout)
    assert "serve" in alula().stdout
    done = alula("serve", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--timeout-graceful-shutdown <SECONDS>" in done.stdout


def test_bench_is_a_command_of_its_own_and_measures_a_server() -> None:
    assert "bench" in alula().stdout
    done = alula("bench", "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "--rate" in done.stdout
    done = alula("bench", "http://127.0.0.1:1/", "--prot", "1")
    assert done.returncode == 2
    assert "--prot" in done.stderr
    with serve("integration.apps.raw_hello:app", app_dir=TESTS) as server:
        load = ("-c", "2", "-n", "200", "--json", "-", "--quiet")
        done = alula("bench", f"{server.url}/text", *load)
    assert done.returncode == 0, done.stderr
    assert '"p99' in done.stdout


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "alula", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == alula("--version").stdout


@pytest.mark.parametrize(
    ("arguments", "env", "line"),
    [
        (
            ["serve", APP, "--port", "65536"],
            {},
            (
                'alula: --port: "65536" on the command line is not accepted;'
                " expected a whole number from 0 to 65535"
            ),
        ),
        (
            ["serve", APP],
            {"ALULA_LIFESPAN": "maybe"},
            (
                'alula: ALULA_LIFESPAN: "maybe" in the environment is not accepted;'
                " expected one of auto, on, off"
            ),
        ),
        (
            ["serve", APP, "--ssl-keyfile", "key.pem"],
            {},
            (
                "alula: --ssl-keyfile on the command line: TLS is not supported yet by this version"
                " of Alula"
            ),
        ),
        (
            ["serve", APP, "--ws", "none"],
            {},
            (
                "alula: --ws on the command line: WebSocket is not supported yet by this version of"
                " Alula"
            ),
        ),
        (
            ["serve"],
            {},
            "alula: APP: nothing to serve; expected the application as module:attribute",
        ),
        ([APP], {}, f"alula: {APP}: no such command; did you mean `alula serve {APP}`?"),
    ],
    ids=["value", "variable", "later", "websocket", "no app", "no command"],
)
def test_a_bad_option_is_one_line_and_code_2(
    arguments: list[str], env: dict[str, str], line: str
) -> None:
    done = alula(*arguments, **env)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"{line}\n")


def test_a_bad_file_is_one_line_and_code_2(tmp_path: Path) -> None:
    file = tmp_path / "alula.toml"
    file.write_text("prot = 1\n")
    done = alula("serve", APP, "--config", str(file))
    assert (done.returncode, done.stderr) == (
        2,
        f"alula: prot in {file}: there is no such option\n",
    )
    log = tmp_path / "log.json"
    log.write_text("{")
    done = alula("serve", APP, "--log-config", str(log))
    assert done.returncode == 2
    assert done.stderr.startswith(f"alula: log_config: '{log}' cannot be used: ")
    assert done.stderr.count("\n") == 1


def test_an_unknown_option_gets_a_suggestion() -> None:
    done = alula("serve", APP, "--prot", "1")
    assert done.returncode == 2
    assert "unexpected argument '--prot' found" in done.stderr
    assert "'--port'" in done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(
    ("app", "line"),
    [
        ("nowhere:app", 'Error loading ASGI app. Could not import module "nowhere".'),
        (
            "integration.apps.lifecycle:nope",
            (
                'Error loading ASGI app. Attribute "nope" not found in module'
                ' "integration.apps.lifecycle".'
            ),
        ),
        ("nowhere", 'Error loading ASGI app. "nowhere" is not "module:attribute".'),
    ],
)
def test_an_app_that_is_not_there_is_one_line_and_code_3(app: str, line: str, workers: str) -> None:
    done = alula("serve", app, "--port", "0", "--workers", workers)
    assert done.returncode == 3
    if workers == "1":
        assert done.stderr == f"ERROR:    {line}\n"
    assert f"ERROR:    {line}\n" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_exception_in_the_module_keeps_its_traceback(workers: str) -> None:
    options = ("serve", APP, "--port", "0", "--workers", workers)
    done = alula(*options, LIFECYCLE_IMPORT="raise")
    assert done.returncode == 3
    assert "LookupError: raised while importing\n" in done.stderr
    first = done.stderr.partition("Traceback (most recent call last):\n")[2].splitlines()[0]
    assert first.startswith(f'  File "{TESTS}/integration/apps/lifecycle.py"')


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_busy_port_is_one_line_and_code_3(workers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = alula("serve", APP, "--port", str(port), "--workers", workers)
    assert done.returncode == 3
    line = f"ERROR:    Cannot listen on 127.0.0.1:{port}: address already in use\n"
    assert done.stderr == line


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize(("loop", "kind"), [("os:getcwd", "str"), ("asyncio:Event", "Event")])
def test_a_loop_that_is_none_is_one_line_and_code_3(loop: str, kind: str, workers: str) -> None:
    done = alula("serve", APP, "--port", "0", "--loop", loop, "--workers", workers)
    assert done.returncode == 3
    line = (
        f'ERROR:    --loop: "{loop}" returned an object of type {kind}; expected auto, asyncio,'
        " uvloop, or a function without arguments that returns an asyncio event loop, as"
        " module:function.\n"
    )
    assert line in done.stderr
    if workers == "1":
        assert done.stderr == line
    assert "Traceback" not in done.stderr


def test_an_exception_in_a_loop_factory_keeps_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "loops.py").write_text("def make():\n    raise LookupError('no loop')\n")
    options = ("--port", "0", "--loop", "loops:make", "--app-dir", str(tmp_path))
    (tmp_path / "main.py").write_text("async def app(scope, receive, send): ...\n")
    done = alula("serve", "main:app", *options)
    assert done.returncode == 3
    assert done.stderr == (
        "Traceback (most recent call last):\n"
        f'  File "{tmp_path}/loops.py", line 2, in make\n'
        "    raise LookupError('no loop')\n"
        "LookupError: no loop\n"
    )


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("numbers", [[1], [2], [0, 1, 2]])
def test_closed_standard_streams_are_opened_to_nowhere(
    numbers: list[int], workers: str, tmp_path: Path
) -> None:
    path = tmp_path / "alula.sock"
    command = shlex.join([ALULA, "serve", APP, "--uds", str(path), "--workers", workers])
    closing = " ".join(f"{number}>&-" for number in numbers)
    process = subprocess.Popen(["/bin/sh", "-c", f"exec {command} {closing}"], cwd=TESTS)
    try:
        eventually(lambda: connects(path), "a connection")
        transport = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=transport, base_url="http://alula") as client:
            pid = client.get("/").text
        for number in numbers:
            assert Path(f"/proc/{pid}/fd/{number}").readlink() == Path(os.devnull)
    finally:
        code = end(process)
    assert code == 0


def connects(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def end(process: "subprocess.Popen[bytes]") -> int:
    process.terminate()
    try:
        return process.wait(DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_descriptor_that_cannot_listen_is_one_line_and_code_3(workers: str) -> None:
    done = alula("serve", APP, "--fd", "77", "--workers", workers)
    assert (done.returncode, done.stderr) == (
        3,
        (
            "ERROR:    Cannot listen on file descriptor 77 (--fd): it is not open; expected a"
            " stream socket, TCP or Unix, that is bound to an address or listens already\n"
        ),
    )


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_failing_startup_is_code_3_and_is_not_tried_again(workers: str, tmp_path: Path) -> None:
    options = ("serve", APP, "--port", "0", "--workers", workers)
    done = alula(*options, LIFECYCLE_STARTUP="fail")
    assert done.returncode == 3
    assert "ERROR:    no database\n" in done.stderr
    assert "ERROR:    Application startup failed. Exiting.\n" in done.stderr
    assert done.stderr.count("Waiting for application startup.") <= int(workers)
    assert "running on" not in done.stderr


@pytest.mark.parametrize("loop", ["asyncio", "uvloop"])
def test_a_server_says_what_uvicorn_says(loop: str) -> None:
    with serve(APP, "--loop", loop, app_dir=TESTS) as server:
        assert httpx.get(f"{server.url}/?a=b").text == str(server.pid)
        server.wait_for_log("200 OK")
        server.stop()
        lines = server.log
    address = r"127\.0\.0\.1:\d+"
    assert re.fullmatch(
        rf"INFO:     Started server process \[{server.pid}\]\n"
        r"INFO:     Waiting for application startup\.\n"
        r"INFO:     Application startup complete\.\n"
        rf"INFO:     Alula running on http://127\.0\.0\.1:{server.port} \(Press CTRL\+C to quit\)\n"
        rf'INFO:     {address} - "GET /\?a=b HTTP/1\.1" 200 OK\n'
        r"INFO:     Shutting down\n"
        r"INFO:     Waiting for application shutdown\.\n"
        r"INFO:     Application shutdown complete\.\n"
        rf"INFO:     Finished server process \[{server.pid}\]\n",
        lines,
    ), lines


def test_the_working_directory_and_app_dir_are_looked_in_first(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("async def app(scope, receive, send): raise SystemExit(7)\n")
    done = alula("serve", "missing_here:app", "--port", "0", cwd=tmp_path)
    assert done.returncode == 3
    with serve("apps.lifecycle:app", app_dir=TESTS / "integration") as server:
        assert httpx.get(f"{server.url}/path").text.splitlines()[0] == str(TESTS / "integration")


def test_options_come_from_environment_and_file(tmp_path: Path) -> None:
    variables = tmp_path / "env"
    variables.write_text("GREETING='from the file'\nHOME=ignored\n")
    file = tmp_path / "alula.toml"
    file.write_text(f'headers = ["X-From: file"]\nenv-file = "{variables}"\n')
    env = {"ALULA_SERVER_HEADER": "false", "ALULA_CONFIG": str(file), "ALULA_UNHEARD_OF": "1"}
    with serve(APP, app_dir=TESTS, env=env) as server:
        answer = httpx.get(f"{server.url}/environ/GREETING")
        assert answer.text == "from the file"
        assert answer.headers["x-from"] == "file"
        assert "server" not in answer.headers
        assert httpx.get(f"{server.url}/environ/HOME").text == os.environ["HOME"]
        server.wait_for_log("ALULA_UNHEARD_OF is set, but is no option of Alula")


def test_a_factory() -> None:
    with serve("integration.apps.lifecycle:make", "--factory", app_dir=TESTS) as server:
        assert httpx.get(server.url).text == str(server.pid)
        assert "factory detected" not in server.log


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_unix_socket(workers: str, tmp_path: Path) -> None:
    path = tmp_path / "alula.sock"
    process = start("serve", APP, "--uds", str(path), "--workers", workers)
    try:
        wait_for(process, f"Alula running on unix socket {path} (Press CTRL+C to quit)")
        transport = httpx.HTTPTransport(uds=str(path))
        with httpx.Client(transport=transport, base_url="http://alula") as client:
            assert client.get("/").text.isdigit()
    finally:
        assert finish(process) == 0
    assert not path.exists()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_inherited_descriptor(workers: str) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        options = ("serve", APP, "--fd", str(listener.fileno()), "--workers", workers)
        process = start(*options, fds=[listener.fileno()])
        try:
            wait_for(process, "Alula running on socket")
            assert httpx.get(f"http://127.0.0.1:{listener.getsockname()[1]}/").text.isdigit()
        finally:
            assert finish(process) == 0


def test_interrupting_the_import_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import sys, time\nprint('importing', file=sys.stderr, flush=True)\ntime.sleep(60)\n"
    )
    process = start("serve", "slow:app", "--port", "0", "--app-dir", str(tmp_path))
    wait_for(process, "importing")
    process.send_signal(signal.SIGINT)
    assert process.wait(DEADLINE) == 130
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def start(*arguments: str, fds: list[int] | None = None) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [ALULA, *arguments],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        cwd=TESTS,
        pass_fds=fds or [],
    )


def wait_for(process: "subprocess.Popen[str]", text: str) -> None:
    assert process.stderr is not None
    lines: list[str] = []
    for line in process.stderr:
        lines.append(line)
        if text in line:
            return
    raise AssertionError(f"no {text!r} in {lines}")


def finish(process: "subprocess.Popen[str]") -> int:
    process.terminate()
    _, rest = process.communicate(timeout=DEADLINE)
    assert "Traceback" not in rest
    return process.returncode


def test_routes_are_listed_with_what_becomes_of_them() -> None:
    shop = str(TESTS.parent / "examples" / "shop")
    done = alula("routes", "shop.main:app", "--app-dir", shop)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert re.search(r"GET +/products/\{product_id\} +get_product +compiled: path", done.stdout)
    total = len(lines) - 1
    assert lines[-1] == f"{total} of {total} routes are compiled."
    done = alula("routes", "shop.main:app", "--app-dir", shop, "--json")
    keys = {"path", "methods", "name", "steps", "reason", "compiled"}
    assert json.loads(done.stdout)[0].keys() == keys


def test_routes_says_why_an_application_is_not_compiled() -> None:
    done = alula("routes", "integration.apps.raw_hello:app")
    assert done.returncode == 3
    assert "all of it runs as plain ASGI: it is no FastAPI application" in done.stderr
    done = alula("routes", "integration.apps.nowhere:app")
    assert done.returncode == 3
    assert 'Could not import module "integration.apps.nowhere"' in done.stderr
    assert alula("routes").returncode == 2


def test_accelerate_require_refuses_what_is_not_compiled() -> None:
    done = alula(
        "serve", "integration.apps.raw_hello:app", "--accelerate", "require", "--port", "0"
    )
    assert done.returncode == 3
    assert "--accelerate require: the application is not compiled: it is no FastAPI" in done.stderr
    done = alula("serve", "integration.apps.mounted:app", "--accelerate", "require", "--port", "0")
    assert done.returncode == 3
    assert "routes are not compiled: /sub/{path} (a Starlette Mount)" in done.stderr
    done = alula("serve", "integration.apps.raw_hello:app", "--accelerate", "perhaps")
    assert done.returncode == 2
    assert "expected one of auto, off, require" in done.stderr


def test_the_log_says_how_many_routes_are_compiled() -> None:
    app = "integration.apps.fastapi_hello:app"
    with serve(app, "--accelerate", "require", app_dir=TESTS) as server:
        assert httpx.get(f"{server.url}/json").status_code == 200
        server.wait_for_log(r"Compiled (\d+) of \1 routes")
    with serve(app, "--accelerate", "off", app_dir=TESTS) as server:
        assert httpx.get(f"{server.url}/json").status_code == 200
        assert "Compiled" not in server.log
