"""The recorded FastAPI cases through compiled applications, in process and over a socket."""

import asyncio
import gzip
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from conformance.recorded import Case, body, cases, differences, load, pairs
from rawhttp import Raw
from serving import DEADLINE, Server
from starlette.websockets import WebSocketDisconnect

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # Starlette would have another client than httpx
    from alula.testing import TestClient

TESTS = Path(__file__).parents[1]
HTTP = [case for case in cases() if case["request"]["method"] != "WEBSOCKET"]
WEBSOCKET = [case for case in cases() if case["request"]["method"] == "WEBSOCKET"]

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 13), reason="they were recorded on CPython 3.13, which words errors anew"
)

answered: Counter[str] = Counter()
ran: set[str] = set()


@pytest.fixture(autouse=True)
def loop() -> Iterator[None]:
    yield
    asyncio.set_event_loop(None)


def named(case: Case) -> str:
    return str(case["name"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", HTTP, ids=named)
def test_in_process(case: Case) -> None:
    client = TestClient(load(case), raise_server_exceptions=False, follow_redirects=False)
    with client:
        for setup in case.get("setup_requests", []):
            ask(client, setup)
        answer = ask(client, case["request"])
    found = differences(case, answer.status_code, answer.headers.multi_items(), answer.content)
    assert not found
    assert client.counts is not None
    ran.add(named(case))
    answered["a plan"] += client.counts.answered
    answered.update(client.counts.declined)


def ask(client: TestClient, request: dict[str, Any]) -> Any:
    return client.request(
        request["method"], request["path"], headers=pairs(request["headers"]), content=body(request)
    )


def test_plans_answer_nine_of_ten_requests() -> None:
    """Declining is no way to be right. Behind the cases above, which it counts."""
    if len(ran) < len(HTTP):
        pytest.skip("it counts the requests of all cases, which did not all run")
    assert answered["a plan"] >= 0.9 * answered.total(), answered


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", WEBSOCKET, ids=named)
def test_websockets_in_process(case: Case) -> None:
    request = case["request"]
    frames: list[dict[str, Any]] = []
    try:
        with TestClient(load(case)).websocket_connect(
            request["path"], request.get("subprotocols")
        ) as session:
            headers = [
                [name.decode(), value.decode()] for name, value in session.extra_headers or []
            ]
            subprotocol = session.accepted_subprotocol
            frames.append({"type": "accept", "subprotocol": subprotocol, "headers": headers})
            for step in request["steps"]:
                if step[0] == "send_text":
                    session.send_text(step[1])
                    continue
                message = session.receive()
                frames.append({key: value for key, value in message.items() if value is not None})
                if message["type"] == "websocket.close":
                    break
    except WebSocketDisconnect as left:
        kind = "disconnect" if frames else "rejected_before_accept"
        frames.append({"type": kind, "code": left.code, "reason": left.reason})
    assert frames == case["response"]["body"]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    app = "conformance.recorded_app:app"
    with Server(app, "--no-access-log", "--lifespan", "off", app_dir=TESTS) as running:
        yield running


@pytest.mark.parametrize("case", HTTP, ids=named)
def test_over_a_socket(case: Case, server: Server) -> None:
    cookies: list[str] = []
    with Raw(server.port) as connection:
        assert connection.get(f"/choose/{named(case)}").read().status == 204
        for setup in case.get("setup_requests", []):
            cookies += exchange(server.port, setup, cookies).cookies
            assert connection.get("/settle").read().status == 204
    answer = exchange(server.port, case["request"], cookies)
    assert not differences(case, answer.status, answer.headers, answer.content)


@dataclass
class Answer:
    status: int
    headers: list[tuple[str, str]]
    content: bytes

    @property
    def cookies(self) -> list[str]:
        return [value.split(";")[0] for name, value in self.headers if name == "set-cookie"]


DEFAULTS = [
    ("host", "testserver"),
    ("accept", "*/*"),
    ("accept-encoding", "gzip, deflate"),
    ("connection", "keep-alive"),
    ("user-agent", "testclient"),
]
"""What the client sent that the cases were recorded with."""


def exchange(port: int, request: dict[str, Any], cookies: list[str]) -> Answer:
    """Sends a request as it was recorded, in a connection of its own."""
    headers = pairs(request["headers"])
    content = body(request)
    names = {name.lower() for name, _ in headers}
    sent = [(name, value) for name, value in DEFAULTS if name not in names] + headers
    if cookies and "cookie" not in names:
        sent.append(("cookie", "; ".join(cookies)))
    sized = content is not None and (content or request["method"] != "GET")
    if sized and "content-length" not in names:
        sent.append(("content-length", str(len(content or b""))))
    connection = HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    # The recorded targets are sent as they are, also those that this client would refuse.
    connection._validate_path = lambda _: None
    connection._encode_request = lambda line: line.encode()
    try:
        connection.putrequest(
            request["method"], request["path"], skip_host=True, skip_accept_encoding=True
        )
        for name, value in sent:
            connection.putheader(name, value)
        connection.endheaders(content)
        response = connection.getresponse()
        received = response.read()
    finally:
        connection.close()
    found = [(name.lower(), value) for name, value in response.getheaders()]
    if dict(found).get("content-encoding") == "gzip":
        received = gzip.decompress(received)
    return Answer(response.status, found, received)
