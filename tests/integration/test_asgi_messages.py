"""What `receive()` gives and what `send()` takes."""

from collections.abc import Iterator

import pytest
from integration.asgi import SERVERS, get, new_key, notes, ok, post, semantics
from rawhttp import Raw, request
from serving import Server


@pytest.fixture(scope="module", params=SERVERS)
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    with semantics(request.param) as server:
        yield server


def test_a_body_comes_whole(server: Server) -> None:
    body = bytes(range(256)) * 1000
    with Raw(server.port) as connection:
        for _ in range(3):
            assert connection.send(post("/read", body)).read().body == body


def test_receive_waits_for_the_disconnect_behind_the_body(server: Server) -> None:
    with Raw(server.port) as connection:
        for _ in range(3):
            assert connection.send(post("/receive_again", b"body")).read().body == b"open closed"
    assert "Exception" not in server.log


def send_in_two(server: Server, target: str) -> bytes:
    """Sends the second half of a body when the handler says so."""
    key = new_key()
    whole = post(target, b"first second", f"X-Key: {key}")
    with Raw(server.port) as connection:
        connection.send(whole[:-6])
        assert notes(server, f"{key}-go") == []
        connection.send(whole[-6:])
        response = connection.read()
    assert response.status == 200
    assert notes(server, key) == []
    return bytes(response.body)


def test_a_cancelled_receive_takes_nothing_with_it(server: Server) -> None:
    assert send_in_two(server, "/receive_cancelled") == b"second"


def test_several_receives_are_all_woken(server: Server) -> None:
    assert send_in_two(server, "/receive_together") == b"second"


@pytest.mark.parametrize(
    "shape", ["list", "tuple", "lists", "iterator", "items", "bytearrays", "generators"]
)
def test_headers_may_be_any_iterable_of_pairs(server: Server, shape: str) -> None:
    response = get(server, f"/headers/{shape}")
    assert response.status == 200
    assert (response.header("x-one"), response.header("x-two")) == ("1", "2")


@pytest.mark.parametrize(
    ("what", "raised"),
    [
        (
            "order",
            "RuntimeError: Expected ASGI message 'http.response.start', but got "
            "'http.response.body'.",
        ),
        (
            "unknown",
            "RuntimeError: Expected ASGI message 'http.response.start', but got "
            "'http.response.push'.",
        ),
        ("no-type", "KeyError: \"an ASGI message needs a 'type'\""),
        ("odd-type", "TypeError: an ASGI message's 'type' is a str, not int (1)"),
        ("no-dict", "TypeError: an ASGI message is a dict, not list ([1])"),
        ("no-status", "KeyError: "),
        ("odd-status", "TypeError: 'status' must be an int from 200 to 599, not str ('200')"),
        ("low-status", "RuntimeError: status int (199) is not valid: 200 to 599 are"),
        ("high-status", "RuntimeError: status int (600) is not valid: 200 to 599 are"),
        ("huge-status", "TypeError: 'status' must be an int from 200 to 599, not int"),
        ("str-name", "TypeError: a header's name must be bytes, not str ('x-name')"),
        ("str-value", "TypeError: the value of header \"x-name\" must be bytes, not str ('text')"),
        ("none-value", 'TypeError: the value of header "x-name" must be bytes, not NoneType'),
        ("odd-pair", "TypeError: each of 'headers' must be a (name, value) pair of bytes"),
        ("no-pair", "TypeError: 'headers' must be an iterable of (name, value) pairs"),
        ("no-headers", "TypeError: 'headers' must be an iterable of (name, value) pairs"),
        ("bad-name", "RuntimeError: a header name is not valid"),
        ("bad-value", "RuntimeError: a header value is not valid"),
    ],
)
def test_a_wrong_message_is_named(server: Server, what: str, raised: str) -> None:
    told = ok(server, f"/wrong/{what}").decode()
    assert told.startswith(raised), told


@pytest.mark.parametrize(
    ("what", "raised"),
    [
        (
            "twice",
            "RuntimeError: Expected ASGI message 'http.response.body', but got "
            "'http.response.start'.",
        ),
        (
            "unknown",
            "RuntimeError: Expected ASGI message 'http.response.body', but got "
            "'http.response.push'.",
        ),
        ("str-body", "TypeError: 'body' must be bytes, not str ('text')"),
        ("list-body", "TypeError: 'body' must be bytes, not list ([1, 2])"),
    ],
)
def test_a_wrong_message_behind_the_start_is_named(server: Server, what: str, raised: str) -> None:
    assert ok(server, f"/wrong_later/{what}").decode() == raised


def test_a_message_behind_the_end_is_refused(server: Server) -> None:
    key = new_key()
    assert ok(server, "/after_the_end", f"X-Key: {key}") == b"whole"
    assert notes(server, key) == [
        "Unexpected ASGI message 'http.response.body' sent, after response already completed."
    ]


def test_sending_on_after_too_much_tells_the_same_mistake(server: Server) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        connection.get("/too_much", f"X-Key: {key}")
        assert connection.read().body == b"abcde"
    assert notes(server, key) == ["RuntimeError: Response content longer than Content-Length"] * 3


def test_bodies_may_be_like_bytes(server: Server) -> None:
    assert ok(server, "/bodies") == b"array view bytes mapping"


@pytest.mark.parametrize("handler", ["large", "one_large"])
def test_a_slow_reader_holds_the_sender_up_and_gets_everything(
    server: Server, handler: str
) -> None:
    key, size = new_key(), 12_000_000
    with Raw(server.port, receive_buffer=8192) as connection:
        connection.get(f"/{handler}?{size}", f"X-Key: {key}")
        connection.read_head()
        assert ok(server, "/never_waits")  # nobody else is held up
        body = connection.read().body
    assert body == (bytes(range(256)) * (size // 256 + 1))[:size]
    assert notes(server, key) == [True if handler == "large" else "sent"]


def test_pipelined_requests_run_one_after_the_other(server: Server) -> None:
    paths = ["/current_task", "/never_waits", "/read", "/timeout", "/touched?late"]
    with Raw(server.port) as connection:
        connection.send(b"".join(request("GET", path) for path in paths))
        bodies = [bytes(connection.read().body) for _ in paths]
    assert bodies[0] == b"same"
    assert bodies[2:] == [b"", b"timed out", b"touched"]


def test_middleware_may_wrap_send(server: Server) -> None:
    with semantics(app="add_header") as wrapped:
        response = get(wrapped, "/never_waits")
    assert response.header("x-added") == "1"
