"""Request lines, header fields, Host and targets: a test for each rule, by name."""

import pytest
from integration.wire import (
    GET,
    HOST,
    exchange,
    expect_error,
    header,
    line,
    patient_server,
    told,
)
from rawhttp import Raw, request
from serving import Server

server = patient_server


# The request line


@pytest.mark.parametrize("version", [b"0.9", b"2.0", b"3.0", b"9.9"])
def test_another_major_version_is_505(server: Server, version: bytes) -> None:
    expect_error(server, line(b"GET / HTTP/" + version), 505)


@pytest.mark.parametrize("version", [b"1.2", b"1.9"])
def test_a_later_minor_version_is_served_as_1_1(server: Server, version: bytes) -> None:
    with Raw(server.port) as connection:
        scope = told(connection.send(line(b"GET /a HTTP/" + version)).read())
        assert (scope["http_version"], scope["path"]) == ("1.1", "/a")
        assert connection.send(GET).read().status == 200  # kept, as 1.1 is


@pytest.mark.parametrize(
    "start",
    [
        b"GET  / HTTP/1.1",
        b"GET /  HTTP/1.1",
        b"GET\t/ HTTP/1.1",
        b"GET /\tHTTP/1.1",
        b"GET / HTTP/1.1 ",
        b" GET / HTTP/1.1",
        b"GET /a b HTTP/1.1",
        b"GET /",
        b"GET",
        b"GET / ",
        b"GET / HTTP",
        b"GET / HTTP/",
        b"GET / HTTP/1",
        b"GET / HTTP/1.",
        b"GET / HTTP/.1",
        b"GET / HTTP/11",
        b"GET / HTTP/1.10",
        b"GET / HTTP/01.1",
        b"GET / HTTP/1,1",
        b"GET / HTTP/x.y",
        b"GET / http/1.1",
        b"GET / HTTPS/1.1",
        b"GET / 1.1",
        b"G(T / HTTP/1.1",
        b"G\x01T / HTTP/1.1",
        b"G\xc9T / HTTP/1.1",
        b"G:T / HTTP/1.1",
        b" / HTTP/1.1",
        b"GET  HTTP/1.1",
        b"GET /a#b HTTP/1.1",
        b"GET /a\x01 HTTP/1.1",
        b"GET /a\x7f HTTP/1.1",
        b"GET /a\x00b HTTP/1.1",
        b"GET /caf\xc3\xa9 HTTP/1.1",
        b"GET a HTTP/1.1",
    ],
)
def test_a_malformed_request_line_is_400(server: Server, start: bytes) -> None:
    expect_error(server, line(start), 400)


@pytest.mark.parametrize("method", ["GET", "get", "PURGE", "M-SEARCH", "X!#$%&'*+-.^_`|~9"])
def test_any_token_is_a_method(server: Server, method: str) -> None:
    with Raw(server.port) as connection:
        assert told(connection.send(request(method, "/")).read())["method"] == method


# Lines and fields


@pytest.mark.parametrize(
    "head",
    [
        b"GET / HTTP/1.1\nHost: example.test\n\n",
        b"GET / HTTP/1.1\nHost: example.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: example.test\nX: 1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: example.test\r\n\nGET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\rHost: example.test\r\n\r\n",
        b"GET / HTTP/1.1\r\r\nHost: example.test\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: example.test\r\r\n\r\n",
        header(b"X: a\rb"),
        header(b"X: a\nb: c"),
        header(b"X\n: a"),
    ],
)
def test_a_bare_cr_or_lf_in_the_head_is_400(server: Server, head: bytes) -> None:
    expect_error(server, head, 400)


@pytest.mark.parametrize("byte", [0x00, 0x01, 0x08, 0x0B, 0x0C, 0x1B, 0x1F, 0x7F])
def test_a_control_byte_in_a_value_is_400(server: Server, byte: int) -> None:
    expect_error(server, header(b"X: a%cb" % byte), 400)
    expect_error(server, header(b"X: %c" % byte), 400)


@pytest.mark.parametrize(
    "lines",
    [
        b"X: a\r\n b",
        b"X: a\r\n\tb",
        b"X: a\r\n \r\nY: b",
    ],
)
def test_a_folded_line_is_400(server: Server, lines: bytes) -> None:
    expect_error(server, header(lines), 400)


def test_white_space_before_the_first_field_is_400(server: Server) -> None:
    expect_error(server, b"GET / HTTP/1.1\r\n X: 1\r\n" + HOST + b"\r\n", 400)


@pytest.mark.parametrize(
    "field",
    [
        b"X : 1",
        b"X\t: 1",
        b"X X: 1",
        b": 1",
        b":",
        b"X@: 1",
        b"X/: 1",
        b"X\x00: 1",
        b"X\xe9: 1",
        b'"X": 1',
        b"no colon",
        b"X",
    ],
)
def test_a_field_name_that_is_no_token_is_400(server: Server, field: bytes) -> None:
    expect_error(server, header(field), 400)


def test_field_names_and_values_as_the_application_sees_them(server: Server) -> None:
    lines = b"X-One:a\r\nx-ONE: \t b c\t \r\nUnder_Score: 1\r\nX-Empty:\r\nX-Byte: \xff\r\nX-One: a"
    with Raw(server.port) as connection:
        headers = told(connection.send(header(lines)).read())["headers"]
    assert headers == [
        ["host", "example.test"],
        ["x-one", "a"],
        ["x-one", "b c"],
        ["under_score", "1"],
        ["x-empty", ""],
        ["x-byte", "\xff"],
        ["x-one", "a"],
    ]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_few_empty_lines_before_a_request_are_skipped(server: Server, count: int) -> None:
    with Raw(server.port) as connection:
        for _ in range(2):
            connection.send(b"\r\n" * count + GET)
            assert told(connection.read())["path"] == "/fine"


@pytest.mark.parametrize("before", [b"\r\n" * 5, b"\n", b"\r\n\n", b"\r\r\n", b" \r\n"])
def test_more_of_them_or_others_are_400(server: Server, before: bytes) -> None:
    expect_error(server, before + GET, 400)


# Host and the forms of the target


@pytest.mark.parametrize(
    "hosts",
    [
        b"",
        b"Host: a\r\nHost: b\r\n",
        b"Host: a\r\nhost: a\r\n",
        b"Host: a b\r\n",
        b"Host: a/b\r\n",
        b"Host: user@a\r\n",
        b"Host: a:b\r\n",
        b"Host: a:80:80\r\n",
        b"Host: [::1\r\n",
        b"Host: ::1\r\n",
        b"Host: http://a\r\n",
        b"Host: a\xe9\r\n",
        b"Host: a?b\r\n",
    ],
)
def test_a_missing_second_or_invalid_host_is_400(server: Server, hosts: bytes) -> None:
    expect_error(server, b"GET / HTTP/1.1\r\n" + hosts + b"\r\n", 400)


@pytest.mark.parametrize("host", ["a", "a.example:8080", "127.0.0.1", "[::1]:80", "a_b-c", "A.b."])
def test_a_valid_host_is_taken(server: Server, host: str) -> None:
    with Raw(server.port) as connection:
        connection.send(f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert told(connection.read())["headers"] == [["host", host]]


def test_http_1_0_needs_no_host(server: Server) -> None:
    (response,) = exchange(server, b"GET / HTTP/1.0\r\n\r\n")
    assert told(response)["http_version"] == "1.0"


@pytest.mark.parametrize(
    ("target", "path", "query", "host"),
    [
        (b"http://other.test:81/p/q?a=1", "/p/q", "a=1", "other.test:81"),
        (b"http://other.test", "/", "", "other.test"),
        (b"http://other.test?a=1", "/", "a=1", "other.test"),
        (b"HTTP://other.test/", "/", "", "other.test"),
        (b"https://other.test/p", "/p", "", "other.test"),
    ],
)
def test_absolute_form(server: Server, target: bytes, path: str, query: str, host: str) -> None:
    with Raw(server.port) as connection:
        scope = told(connection.send(line(b"GET " + target + b" HTTP/1.1")).read())
    assert (scope["path"], scope["query_string"]) == (path, query)
    assert scope["raw_path"] == path
    assert [value for name, value in scope["headers"] if name == "host"] == [host]


@pytest.mark.parametrize("target", [b"http://", b"http:///p", b"http://a b/", b"http://u@a/"])
def test_a_bad_absolute_form_is_400(server: Server, target: bytes) -> None:
    expect_error(server, line(b"GET " + target + b" HTTP/1.1"), 400)


def test_absolute_form_needs_its_host_all_the_same(server: Server) -> None:
    expect_error(server, b"GET http://other.test/ HTTP/1.1\r\n\r\n", 400)


def test_asterisk_form_is_for_options(server: Server) -> None:
    with Raw(server.port) as connection:
        assert told(connection.send(line(b"OPTIONS * HTTP/1.1")).read())["path"] == "*"
    expect_error(server, line(b"GET * HTTP/1.1"), 400)
    expect_error(server, line(b"POST * HTTP/1.1"), 400)


def test_authority_form_is_for_connect_and_that_is_501(server: Server) -> None:
    expect_error(server, line(b"CONNECT example.test:443 HTTP/1.1"), 501)
    expect_error(server, line(b"GET example.test:443 HTTP/1.1"), 400)


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        (b"/a%20b?c%20d", "/a b", "c%20d"),
        (b"/caf%C3%A9", "/café", ""),
        (b"/a%2Fb/%2e%2e/c", "/a/b/../c", ""),
        (b"/%2541", "/%41", ""),
        (b"/a//b/", "/a//b/", ""),
        (b"/a?", "/a", ""),
        (b"/a?b?c=/d", "/a", "b?c=/d"),
        (b"/a+b;c=1&d", "/a+b;c=1&d", ""),
        (b"/100%", "/100%", ""),
        (b"/%zz%4", "/%zz%4", ""),
        (b"/%ff", "/\ufffd", ""),
        (b"//a", "//a", ""),
    ],
)
def test_percent_encoding(server: Server, target: bytes, path: str, query: str) -> None:
    with Raw(server.port) as connection:
        scope = told(connection.send(line(b"GET " + target + b" HTTP/1.1")).read())
    assert (scope["path"], scope["query_string"]) == (path, query)
    assert scope["raw_path"] == target.partition(b"?")[0].decode()
