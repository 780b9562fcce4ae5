"""The framing of requests, their sizes, and Expect: a test for each rule, by name."""

import select
from collections.abc import Iterator

import pytest
from content import pattern
from integration.wire import (
    GET,
    HOST,
    LENGTH_5,
    ask,
    chunked,
    expect_error,
    header,
    line,
    new_key,
    patient_server,
    post,
    seen,
    told,
    wire_app,
)
from rawhttp import Raw, request
from serving import Server

server = patient_server


# Framing


@pytest.mark.parametrize(
    "value",
    [b"", b"+5", b"-5", b"5 5", b"0x5", b"5,5", b"5, 5", b"5;", b"1e0", b"5.0", b"a", b"1" * 20],
)
def test_a_content_length_that_is_none_is_400(server: Server, value: bytes) -> None:
    expect_error(server, post(b"Content-Length: " + value, b"hello"), 400)


def test_a_content_length_of_19_digits_is_one() -> None:
    with wire_app("--limit-request-body", "1000") as server:
        expect_error(server, post(b"Content-Length: " + b"9" * 19, b""), 413)


def test_differing_content_lengths_are_400(server: Server) -> None:
    expect_error(server, post(b"Content-Length: 5\r\nContent-Length: 6", b"hello!"), 400)


def test_equal_content_lengths_are_one(server: Server) -> None:
    with Raw(server.port) as connection:
        connection.send(post(b"Content-Length: 5\r\nContent-Length: 5", b"hello") + GET)
        assert told(connection.read())["body"] == "hello"
        assert told(connection.read())["path"] == "/fine"


@pytest.mark.parametrize(
    "both",
    [
        b"Transfer-Encoding: chunked\r\nContent-Length: 5",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked",
        b"Content-Length: 0\r\nTransfer-Encoding: chunked",
    ],
)
def test_transfer_encoding_with_content_length_is_400(server: Server, both: bytes) -> None:
    expect_error(server, post(both, b"0\r\n\r\n"), 400)


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (b"Transfer-Encoding: gzip, chunked", 501),
        (b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", 501),
        (b"Transfer-Encoding: x-new,chunked", 501),
        (b"Transfer-Encoding: gzip", 400),
        (b"Transfer-Encoding: identity", 400),
        (b"Transfer-Encoding: xchunked", 400),
        (b"Transfer-Encoding: chunkedx", 400),
        (b"Transfer-Encoding: chunked, gzip", 400),
        (b"Transfer-Encoding: chunked, chunked", 400),
        (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400),
        (b"Transfer-Encoding: chunked;q=1", 400),
        (b'Transfer-Encoding: "chunked"', 400),
        (b"Transfer-Encoding: \x0bchunked", 400),
        (b"Transfer-Encoding:", 400),
    ],
)
def test_a_transfer_encoding_that_is_not_chunked(server: Server, lines: bytes, status: int) -> None:
    expect_error(server, post(lines, b"5\r\nhello\r\n0\r\n\r\n"), status)


def test_transfer_encoding_on_http_1_0_is_400(server: Server) -> None:
    head = b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
    expect_error(server, head + b"5\r\nhello\r\n0\r\n\r\n", 400)


@pytest.mark.parametrize(
    "body",
    [
        b"5\r\nhello\r\n0\r\n\r\n",
        b"1\r\nh\r\n4\r\nello\r\n0\r\n\r\n",
        b"00000005\r\nhello\r\n0\r\n\r\n",
        b"0000000000000005\r\nhello\r\n000\r\n\r\n",
    ],
)
def test_chunked_bodies(server: Server, body: bytes) -> None:
    with Raw(server.port) as connection:
        connection.send(chunked(body) + GET)
        assert told(connection.read())["body"] == "hello"
        assert told(connection.read())["path"] == "/fine"


def test_chunk_sizes_and_codings_in_any_case(server: Server) -> None:
    with Raw(server.port) as connection:
        connection.send(
            post(
                b"transfer-ENCODING: Chunked",
                b"aB\r\n" + pattern(0xAB) + b"\r\nA\r\n" + pattern(10, 0xAB) + b"\r\n0\r\n\r\n",
            )
        )
        assert told(connection.read())["body"] == pattern(0xAB + 10).decode()


@pytest.mark.parametrize(
    "body",
    [
        b"\r\nhello\r\n0\r\n\r\n",
        b"0x5\r\nhello\r\n0\r\n\r\n",
        b"-1\r\nhello\r\n0\r\n\r\n",
        b"+5\r\nhello\r\n0\r\n\r\n",
        b"5g\r\nhello\r\n0\r\n\r\n",
        b" 5\r\nhello\r\n0\r\n\r\n",
        b"5 5\r\nhello\r\n0\r\n\r\n",
        b"00000000000000005\r\nhello\r\n0\r\n\r\n",
        b"10000000000000005\r\nhello\r\n0\r\n\r\n",
        b"5\nhello\r\n0\r\n\r\n",
        b"5\r\nhello\n0\r\n\r\n",
        b"5\r\nhello0\r\n\r\n",
        b"5\r\nhelloXX0\r\n\r\n",
        b"5\r\nhello!\r\n0\r\n\r\n",
        b"5\rhello\r\n0\r\n\r\n",
        b"5\r\nhello\r\n0\n\n",
        b"5\r\nhello\r\n0\r\n\n",
        b"5;a\nb\r\nhello\r\n0\r\n\r\n",
        b"5;a\rb\r\nhello\r\n0\r\n\r\n",
        b"5;a\x00\r\nhello\r\n0\r\n\r\n",
        b"5\r\nhello\r\n0\r\nno colon\r\n\r\n",
        b"5\r\nhello\r\n0\r\nX : 1\r\n\r\n",
        b"5\r\nhello\r\n0\r\nX: \x00\r\n\r\n",
        b"5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n",
        b"5\r\nhello\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"5\r\nhello\r\n0\r\nX: 1\n\r\n",
        b"5\r\nhello\r\n0\r\nX: 1\r\n folded\r\n\r\n",
    ],
)
def test_broken_chunks_are_400_and_a_disconnect_for_the_application(
    server: Server, body: bytes
) -> None:
    key = new_key()
    expect_error(server, chunked(body, b"X-Key: " + key.encode()), 400)
    if ask(server, f"/was-reached/{key}") == b"True":
        notes = seen(server, key)
        assert notes[-1] == "http.disconnect"
        received = "".join(data for data, _ in notes[:-1])
        assert all(more for _, more in notes[:-1]), "a broken body passed for a whole one"
        assert "hello".startswith(received[:5])


@pytest.mark.parametrize("extension", [b";a", b";a=b", b';a="b;c"', b";a=b;c=d", b";" + b"x" * 200])
def test_chunk_extensions_are_ignored(server: Server, extension: bytes) -> None:
    body = b"5%b\r\nhello\r\n0%b\r\n\r\n" % (extension, extension)
    with Raw(server.port) as connection:
        assert told(connection.send(chunked(body)).read())["body"] == "hello"


def test_chunk_extensions_have_a_bound(server: Server) -> None:
    expect_error(server, chunked(b"5;" + b"x" * 400 + b"\r\nhello\r\n0\r\n\r\n"), 400)
    expect_error(server, chunked(b"5;" + b"x" * 400), 400)  # although its end has not come


def test_trailers_are_no_headers(server: Server) -> None:
    body = b"5\r\nhello\r\n0\r\nX-Trailer: 1\r\nCookie: a=b\r\n\r\n"
    with Raw(server.port) as connection:
        scope = told(connection.send(chunked(body)).read())
        assert scope["body"] == "hello"
        assert [name for name, _ in scope["headers"]] == ["host", "transfer-encoding"]
        assert told(connection.send(GET).read())["path"] == "/fine"


def test_trailers_have_a_bound(server: Server) -> None:
    long = b"X: " + b"x" * 9000 + b"\r\n"
    expect_error(server, chunked(b"5\r\nhello\r\n0\r\n" + long + b"\r\n"), 400, 431)
    many = b"X: 1\r\n" * 2000
    expect_error(server, chunked(b"5\r\nhello\r\n0\r\n" + many), 400, 431)


# Sizes


def padded(size: int) -> bytes:
    """A head of exactly so many bytes."""
    start = b"GET /fine HTTP/1.1\r\n" + HOST + b"X: "
    return start + b"x" * (size - len(start) - 4) + b"\r\n\r\n"


def test_a_head_has_a_bound_of_64_kib(server: Server) -> None:
    with Raw(server.port) as connection:
        assert told(connection.send(padded(65_536)).read())["path"] == "/fine"
    expect_error(server, padded(65_537), 431)
    expect_error(server, padded(200_000), 431)
    expect_error(server, padded(70_000)[:-4], 431)  # although its end has not come


def test_the_bound_of_the_head_can_be_set() -> None:
    with wire_app("--h11-max-incomplete-event-size", "2000") as server:
        with Raw(server.port) as connection:
            assert told(connection.send(padded(2000)).read())["path"] == "/fine"
        expect_error(server, padded(2001), 431)


def test_128_headers_and_no_more(server: Server) -> None:
    with Raw(server.port) as connection:
        lines = b"\r\n".join(b"X-%d: 1" % at for at in range(127))
        assert len(told(connection.send(header(lines)).read())["headers"]) == 128
    expect_error(server, header(lines + b"\r\nX-127: 1"), 431)


def test_a_target_longer_than_the_head_is_414(server: Server) -> None:
    expect_error(server, line(b"GET /" + b"a" * 70_000 + b" HTTP/1.1"), 414)
    expect_error(server, b"GET /" + b"a" * 70_000, 414)


@pytest.fixture(scope="module")
def limited() -> Iterator[Server]:
    with wire_app("--limit-request-body", "1000") as running:
        yield running


def test_a_body_over_the_limit_is_413_at_once(limited: Server) -> None:
    key = new_key()
    lines = f"X-Key: {key}\r\nExpect: 100-continue\r\nContent-Length: 1001".encode()
    response = expect_error(limited, post(lines, b""), 413)
    assert response.interim == []
    assert ask(limited, f"/was-reached/{key}") == b"False"


def test_a_chunked_body_over_the_limit_is_413_as_soon_as_it_is_passed(limited: Server) -> None:
    key = new_key()
    piece = b"1f4\r\n" + pattern(500) + b"\r\n"
    expect_error(limited, chunked(piece * 2 + b"1\r\nx", b"X-Key: " + key.encode()), 413)
    if ask(limited, f"/was-reached/{key}") == b"True":
        assert seen(limited, key)[-1] == "http.disconnect"


def test_a_body_at_the_limit_is_taken(limited: Server) -> None:
    with Raw(limited.port) as connection:
        connection.send(post(b"Content-Length: 1000", pattern(1000)))
        assert told(connection.read())["body"] == pattern(1000).decode()
        piece = b"1f4\r\n%b\r\n" % pattern(500)
        connection.send(chunked(piece * 2 + b"0\r\n\r\n"))
        assert told(connection.read())["body"] == pattern(500).decode() * 2


# Expect


def test_100_goes_out_when_the_application_asks_for_the_body(server: Server) -> None:
    key = new_key()
    with Raw(server.port) as connection:
        head = ("X-Do: read-late", f"X-Key: {key}", "Expect: 100-Continue", "Content-Length: 5")
        connection.send(request("POST", "/", *head))
        ask(server, f"/reached/{key}")
        assert not select.select([connection.socket], [], [], 0)[0], "100 before it was asked for"
        ask(server, f"/release/{key}")
        assert connection.read_interim() == [100]
        response = connection.send(b"hello").read()
        assert (told(response)["body"], response.interim) == ("hello", [100])
        assert connection.send(GET).read().interim == []


def test_no_100_when_the_application_does_not_ask_and_then_it_closes(server: Server) -> None:
    with Raw(server.port) as connection:
        connection.send(request("POST", "/", "X-Do: unread", "Expect: 100-continue", *LENGTH_5))
        response = connection.read()
        assert (response.body, response.interim, response.says_close) == (b"unread", [], True)
        connection.expect_end()


def test_no_100_for_a_body_that_is_there_already(server: Server) -> None:
    with Raw(server.port) as connection:
        head = request("POST", "/", "Expect: 100-continue", *LENGTH_5)
        response = connection.send(head + b"hello").read()
        assert (told(response)["body"], response.interim) == ("hello", [])


def test_no_100_where_there_is_no_body(server: Server) -> None:
    with Raw(server.port) as connection:
        response = connection.get("/fine", "Expect: 100-continue").read()
        assert (told(response)["path"], response.interim) == ("/fine", [])


@pytest.mark.parametrize("value", ["200-ok", "100-continue, other", "x"])
def test_another_expectation_is_417(server: Server, value: str) -> None:
    expect_error(server, request("POST", "/", f"Expect: {value}", *LENGTH_5) + b"hello", 417)


def test_an_expectation_is_ignored_on_http_1_0(server: Server) -> None:
    head = request("POST", "/", "Expect: 100-continue", *LENGTH_5, version="1.0")
    with Raw(server.port) as connection:
        response = connection.send(head + b"hello").read()
        assert (told(response)["body"], response.interim) == ("hello", [])
