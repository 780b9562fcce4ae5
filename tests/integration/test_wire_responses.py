"""Responses on the wire: a test for each rule, by name, whatever the application does."""

import re
import select
from collections.abc import Iterator
from email.utils import parsedate_to_datetime

import pytest
from content import pattern
from integration.wire import GET, ask, new_key, seen, told, wire_app
from rawhttp import Raw, Response, request
from serving import Deadline, Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with wire_app("--timeout-keep-alive", "600") as running:
        yield running


def do(connection: Raw, handler: str, *lines: str, method: str = "GET") -> Response:
    """The response of one of the application's handlers."""
    connection.send(request(method, "/", f"X-Do: {handler}", *lines))
    return connection.read(to_head=method == "HEAD")


def expect_kept(connection: Raw) -> None:
    """The connection serves another request: nothing of the last one is in its way."""
    assert told(connection.send(GET).read())["path"] == "/fine"


# Applications that fail


@pytest.mark.parametrize("handler", ["raise-before", "raise-with-head-open"])
def test_an_error_before_anything_is_out_is_a_500(server: Server, handler: str) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        response = do(connection, handler)
        assert response.status == 500
        assert response.header("content-type") == "text/plain; charset=utf-8"
        assert b"before" not in response.body
        expect_kept(connection)
        server.wait_for_log("Failure: .*before the", after=before)
        logged = "".join(server.log.splitlines(keepends=True)[before:])
        assert logged.count("Traceback (most recent call last)") == 1
        assert logged.count("Failure: ") == 1


def test_an_error_within_the_body_cuts_the_connection(server: Server) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        connection.get("/", "X-Do: raise-within")
        assert connection.expect_cut() == b"some"
    server.wait_for_log("Failure: within the body", after=before)


def test_an_error_after_the_body_harms_nobody(server: Server) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        assert do(connection, "raise-after").body == b"complete"
        expect_kept(connection)
    server.wait_for_log("Failure: after the end", after=before)


def test_an_application_that_says_nothing_is_a_500(server: Server) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        assert do(connection, "nothing").status == 500
        expect_kept(connection)
    server.wait_for_log("(?i)error.*return|return.*without", after=before)


def test_an_application_that_does_not_finish_cuts_the_connection(server: Server) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        connection.get("/", "X-Do: unfinished")
        assert connection.expect_cut() == b"some"
    server.wait_for_log("(?i)error.*return|return.*without", after=before)


def test_an_application_that_only_starts_is_a_500_or_cut(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "unfinished-head")
        assert response.status == 500


# Framing


@pytest.mark.parametrize(("handler", "body"), [("single", b"single"), ("empty", b"")])
def test_a_single_body_gets_its_length(server: Server, handler: str, body: bytes) -> None:
    with Raw(server.port) as connection:
        response = do(connection, handler)
        assert (response.body, response.header("content-length")) == (body, str(len(body)))
        assert response.header("transfer-encoding") is None
        expect_kept(connection)


def test_a_body_that_is_left_out_is_empty(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "no-body-key")
        assert (response.body, response.header("content-length")) == (b"", "0")


def test_a_streamed_body_is_chunked(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "streamed")
        assert (response.body, response.framing) == (b"one two three", "chunked")
        expect_kept(connection)


@pytest.mark.parametrize("lines", [(), ("Connection: keep-alive",)])
def test_a_streamed_body_ends_with_the_connection_on_1_0(
    server: Server, lines: tuple[str, ...]
) -> None:
    with Raw(server.port) as connection:
        connection.get("/", "X-Do: streamed", *lines, version="1.0")
        response = connection.read()
        assert (response.body, response.framing) == (b"one two three", "close")
        assert response.header("connection") in (None, "close")


def test_a_piece_goes_out_before_the_next_one_is_there(server: Server) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        connection.get("/", "X-Do: streamed-slowly", f"X-Key: {key}")
        assert connection.read_body(4) == b"one "
        ask(server, f"/release/{key}")
        assert connection.read().body == b"one two"


def test_a_declared_length_is_kept(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "declared")
        assert (response.body, response.framing) == (b"fourfour", "length")
        expect_kept(connection)


@pytest.mark.parametrize("handler", ["too-long", "too-long-at-once"])
def test_what_exceeds_the_declared_length_is_dropped(server: Server, handler: str) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        response = do(connection, handler, f"X-Key: {key}")
        assert response.body == b"fourfour"[: len(response.body)]
        assert len(response.body) == 8
        connection.expect_end()
    notes = seen(server, key)
    assert notes[0] == "send: refused"


@pytest.mark.parametrize("handler", ["too-short", "too-short-streamed"])
def test_a_body_shorter_than_declared_cuts_the_connection(server: Server, handler: str) -> None:
    before = server.log_length
    with Raw(server.port) as connection:
        connection.get("/", f"X-Do: {handler}")
        assert connection.expect_cut() == b"four"
    server.wait_for_log("(?i)error", after=before)


def test_what_is_sent_after_the_end_goes_nowhere(server: Server) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        assert do(connection, "more-after-the-end", f"X-Key: {key}").body == b"complete"
        expect_kept(connection)
    assert seen(server, key)[0] == "send: refused"


@pytest.mark.parametrize("handler", ["single", "streamed", "declared", "empty", "own-chunked"])
def test_head_has_no_body(server: Server, handler: str) -> None:
    with Raw(server.port) as connection:
        response = do(connection, handler, method="HEAD")
        assert (response.status, response.body) == (200, b"")
        if handler == "declared":
            assert response.header("content-length") == "8"
        expect_kept(connection)


def test_head_and_get_agree_on_a_single_body(server: Server) -> None:
    with Raw(server.port) as connection:
        assert do(connection, "single", method="HEAD").header("content-length") in ("6", None)
        assert do(connection, "single").header("content-length") == "6"


@pytest.mark.parametrize(
    ("handler", "status"), [("body-on-204", 204), ("streamed-204", 204), ("body-on-304", 304)]
)
def test_204_and_304_have_no_body(server: Server, handler: str, status: int) -> None:
    with Raw(server.port) as connection:
        response = do(connection, handler)
        assert (response.status, response.body) == (status, b"")
        assert response.header("transfer-encoding") is None
        if status == 204:
            assert response.header("content-length") is None
        expect_kept(connection)


def test_a_chunked_that_the_application_claims_is_framed_once(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "own-chunked")
        assert (response.body, response.all("transfer-encoding")) == (b"one two", ["chunked"])
        response = do(connection, "own-chunked-and-length")
        assert (response.body, response.framing) == (b"one two", "length")
        expect_kept(connection)


# Heads


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"x-a", b"a\r\nx-b: b"),
        (b"x-a", b"a\nb"),
        (b"x-a", b"a\rb"),
        (b"x-a", b"a\0b"),
        (b"x a", b"b"),
        (b"x-a:", b"b"),
        (b"", b"b"),
        (b"x-a\r\n", b"b"),
        (b"x-\xe9", b"b"),
        (b"content-length", b"x"),
        (b"content-length", b"-1"),
    ],
)
def test_a_header_that_is_none_is_an_error_for_the_application(
    server: Server, name: bytes, value: bytes
) -> None:
    key = new_key()
    lines = (f"X-Key: {key}", f"X-Name: {name.hex()}", f"X-Value: {value.hex()}")
    with Raw(server.port) as connection:
        response = do(connection, "headers-as-asked", *lines)
        assert response.status == 500
        assert response.header("x-b") is None
        expect_kept(connection)
    assert seen(server, key)[0] == "send: refused"


@pytest.mark.parametrize(
    ("name", "value", "right"),
    [
        (b"X-Mixed", b"a", "a"),
        (b"x-bytes", b"caf\xe9", "caf\xe9"),
        (b"x-tab", b"a\tb", "a\tb"),
        (b"x-empty", b"", ""),
    ],
)
def test_any_other_header_goes_out_as_it_is(
    server: Server, name: bytes, value: bytes, right: str
) -> None:
    lines = (f"X-Name: {name.hex()}", f"X-Value: {value.hex()}")
    with Raw(server.port) as connection:
        response = do(connection, "headers-as-asked", *lines)
    assert response.header(name.decode().lower()) == right


@pytest.mark.parametrize("status", ["0", "99", "100", "101", "199", "600", "1000", "-200", "2e2"])
def test_a_status_that_is_none_is_an_error_for_the_application(server: Server, status: str) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        response = do(connection, "status-as-asked", f"X-Key: {key}", f"X-Status: {status}")
        assert response.status == 500
        expect_kept(connection)
    assert seen(server, key)[0] == "send: refused"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (200, "OK"),
        (201, "Created"),
        (301, "Moved Permanently"),
        (400, "Bad Request"),
        (404, "Not Found"),
        (418, None),
        (429, "Too Many Requests"),
        (500, "Internal Server Error"),
        (503, "Service Unavailable"),
        (299, None),
        (599, None),
    ],
)
def test_the_reason_phrase_is_the_standard_one(
    server: Server, status: int, reason: str | None
) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "status-as-asked", f"X-Status: {status}")
        assert (response.status, response.body) == (status, b"body")
        assert reason is None or response.reason == reason


def test_one_date_and_one_server(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "single")
        assert len(response.all("date")) == 1
        assert re.fullmatch(
            r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", response.all("date")[0]
        )
        assert parsedate_to_datetime(response.all("date")[0])
        assert response.all("server") == ["alula"]


def test_the_application_s_own_date_and_server_win(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "own-date-and-server")
    assert (response.all("date"), response.all("server")) == (["today"], ["mine"])


def test_an_error_of_the_server_has_them_too(server: Server) -> None:
    with Raw(server.port) as connection:
        (response,) = connection.send(b"x\r\n\r\n").read_to_end()
    assert len(response.all("date")) == len(response.all("server")) == 1


def test_date_and_server_can_be_left_out_and_others_added() -> None:
    options = ("--no-date-header", "--no-server-header", "--header", "X-A: 1", "--header", "X-A:2")
    with wire_app(*options) as server, Raw(server.port) as connection:
        response = do(connection, "single")
        assert (response.all("date"), response.all("server")) == ([], [])
        assert response.all("x-a") == ["1", "2"]


def test_equal_headers_stay_apart(server: Server) -> None:
    with Raw(server.port) as connection:
        assert do(connection, "cookies").all("set-cookie") == ["a=1", "b=2"]


def test_the_application_may_close_the_connection(server: Server) -> None:
    with Raw(server.port) as connection:
        response = do(connection, "own-close")
        assert (response.body, response.all("connection")) == (b"bye", ["close"])
        connection.expect_end()


# While the body is still coming


def test_an_early_response_to_a_small_body_keeps_the_connection(server: Server) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        connection.send(request("POST", "/", "X-Do: unread", f"X-Key: {key}", "Content-Length: 9"))
        connection.send(b"1234")
        assert connection.read().body == b"unread"
        connection.send(b"56789")
        expect_kept(connection)


def test_an_unread_body_that_is_there_keeps_the_connection(server: Server) -> None:
    with Raw(server.port) as connection:
        body = pattern(100_000)
        connection.send(request("POST", "/", "X-Do: unread", body=body) + GET)
        assert connection.read().body == b"unread"
        assert told(connection.read())["path"] == "/fine"
        chunk = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
        connection.send(request("POST", "/", "X-Do: unread", "Transfer-Encoding: chunked") + chunk)
        assert connection.read().body == b"unread"
        expect_kept(connection)


def test_an_early_response_to_a_large_body_closes_the_connection(server: Server) -> None:
    with Raw(server.port) as connection:
        connection.send(request("POST", "/", "X-Do: unread", "Content-Length: 1000000000000"))
        # This client goes on for as long as it may, and reads what there is to read.
        deadline = Deadline(what="the server to have enough")
        received = bytearray()
        while deadline.left():
            readable, _, _ = select.select([connection.socket], [connection.socket], [])
            try:
                if readable:
                    data = connection.socket.recv(65_536)
                    received += data
                    if not data:
                        break
                connection.socket.send(pattern(100_000))
            except ConnectionError:
                break
    connection.reader.feed(bytes(received))
    (response,) = connection.reader.responses
    assert response.body == b"unread"


def test_a_rest_of_a_body_is_no_request(server: Server) -> None:
    key = new_key()
    hidden = request("GET", "/", f"X-Key: {key}")
    with Raw(server.port) as connection:
        connection.send(request("POST", "/", "X-Do: unread", body=hidden) + GET)
        assert connection.read().body == b"unread"
        assert told(connection.read())["path"] == "/fine"
    assert ask(server, f"/was-reached/{key}") == b"False"
