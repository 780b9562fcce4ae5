"""What a connection may take its time for, and for how long."""

import select

import pytest
from integration.wire import GET, LENGTH_5, ask, exchange, new_key, seen, told, wire_app
from rawhttp import Raw, request
from serving import Deadline


def test_an_unfinished_head_is_408_and_silence_is_closed_silently() -> None:
    with (
        wire_app("--timeout-request-head", "1", "--timeout-keep-alive", "600") as server,
        Raw(server.port) as silent,
        Raw(server.port) as begun,
        Raw(server.port) as second,
        Raw(server.port) as kept,
    ):
        begun.send(b"GET / HTTP/1.1\r\nHost: exam")
        assert told(second.send(GET).read())["path"] == "/fine"
        second.send(b"G")
        assert told(kept.send(GET).read())["path"] == "/fine"
        for connection in (begun, second):
            (response,) = connection.read_to_end()
            assert (response.status, response.says_close) == (408, True)
        silent.expect_end()
        # Between requests it is the keep-alive time that counts.
        assert told(kept.send(GET).read())["path"] == "/fine"


def test_a_trickle_does_not_extend_the_deadline_of_the_head() -> None:
    with wire_app("--timeout-request-head", "2") as server, Raw(server.port) as connection:
        connection.send(b"GET / HTTP/1.1\r\nX: ")
        deadline = Deadline(what="the deadline of the head")
        while not select.select([connection.socket], [], [], 0.1)[0]:
            connection.send(b"x")
            assert deadline.left()
        (response,) = connection.read_to_end()
        assert response.status == 408


def test_idle_connections_are_closed_silently() -> None:
    with wire_app("--timeout-keep-alive", "1") as server, Raw(server.port) as connection:
        for _ in range(3):
            assert told(connection.send(GET).read())["path"] == "/fine"
        connection.expect_end()


def test_the_keep_alive_time_does_not_run_while_requests_wait() -> None:
    slow = request("GET", "/", "X-Do: linger")  # 2.5 seconds
    with wire_app("--timeout-keep-alive", "1") as server:
        responses = exchange(server, slow + slow + GET)
        assert [response.body for response in responses[:2]] == [b"slow", b"slow"]
        assert told(responses[2])["path"] == "/fine"
        with Raw(server.port) as connection:
            connection.send(slow + slow)
            assert [connection.read().body, connection.read().body] == [b"slow", b"slow"]
            connection.expect_end()


def test_the_keep_alive_time_can_be_nothing() -> None:
    with wire_app("--timeout-keep-alive", "0") as server, Raw(server.port) as connection:
        assert told(connection.send(GET).read())["path"] == "/fine"
        connection.expect_end()


@pytest.mark.timeout(120)
def test_a_trickling_body_is_408_and_a_slow_one_is_not() -> None:
    with (
        wire_app("--min-body-rate", "200") as server,
        Raw(server.port) as trickle,
        Raw(server.port) as slow,
    ):
        key = new_key()
        trickle.send(request("POST", "/", f"X-Key: {key}", "Content-Length: 1000000"))
        size, sent = 20_000, 0
        slow.send(request("POST", "/", f"Content-Length: {size}"))
        deadline = Deadline(90, "a trickle to be ended")
        ended = False
        while sent < size or not ended:
            # Four times the rate here, a twentieth of it there.
            if sent < size:
                slow.send(b"x" * 200)
                sent += 200
            ended = ended or bool(select.select([trickle.socket], [], [], 0.25)[0])
            if not ended:
                trickle.send(b"xx")
            elif sent < size:
                select.select([slow.socket], [], [], 0.25)
            assert deadline.left()
        (response,) = trickle.read_to_end()
        assert (response.status, response.says_close) == (408, True)
        assert seen(server, key)[-1] == "http.disconnect"
        assert len(told(slow.read())["body"]) == size


@pytest.mark.timeout(120)
def test_a_body_that_the_application_does_not_want_yet_is_not_too_slow() -> None:
    with wire_app("--min-body-rate", "1000000") as server, Raw(server.port) as connection:
        key = new_key()
        lines = ("X-Do: read-late", f"X-Key: {key}", "Expect: 100-continue", *LENGTH_5)
        connection.send(request("POST", "/", *lines))
        # Longer than the ten seconds of grace and the ten seconds over which it is averaged: the
        # client rightly waits for the 100, and that for the application.
        assert not select.select([connection.socket], [], [], 22)[0]
        ask(server, f"/release/{key}")
        assert connection.read_interim() == [100]
        assert told(connection.send(b"hello").read())["body"] == "hello"
