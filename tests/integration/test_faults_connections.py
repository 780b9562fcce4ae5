"""Many connections that do little, or end badly; and too few descriptors for them."""

import resource
import select
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from content import pattern
from integration.faults import MIB, ask, bounded_memory, faulty_app
from rawhttp import Raw, request
from serving import Deadline, Server, allow_many_descriptors, cpu_seconds, descriptors
from witness import Witness

MANY = 2000


@pytest.fixture(autouse=True)
def descriptors_allowed() -> None:
    allow_many_descriptors(MANY + 1000)


@contextmanager
def connections(server: Server, count: int) -> Iterator[list[Raw]]:
    with ExitStack() as stack:
        yield [stack.enter_context(Raw(server.port)) for _ in range(count)]


def has_answer(connection: Raw) -> bool:
    poll = select.poll()
    poll.register(connection.socket, select.POLLIN)
    return bool(poll.poll(0))


def test_2000_slow_heads() -> None:
    timeout = 8
    with (
        faulty_app("--timeout-request-head", str(timeout)) as server,
        bounded_memory(server, MANY * 8 * 1024 + 8 * MIB),
        Witness(server.port) as witness,
        ExitStack() as stack,
    ):
        head = request("GET", "/witness/slow", "X-Padding: " + "x" * 100)
        begun = time.monotonic()
        # Each begins at once: one that says nothing is not told why.
        slow = [stack.enter_context(Raw(server.port)).send(head[:1]) for _ in range(MANY)]
        witness.expect(20)
        # All at the same time, unless this machine is so slow that the first are through already.
        together = descriptors(server.pid)
        assert together >= MANY or time.monotonic() - begun >= timeout
        for byte in head[1:4]:
            for connection in slow:
                if not has_answer(connection):  # its time may be up
                    connection.send(bytes([byte]))
            witness.expect(20)
        # Not one of them gets through, and each is told why.
        for connection in slow:
            (response,) = connection.read_to_end()
            assert (response.status, response.says_close) == (408, True)
        witness.expect(50)


def test_a_head_that_trickles_in_time_is_answered() -> None:
    with faulty_app("--timeout-request-head", "60") as server, Raw(server.port) as connection:
        for byte in request("GET", "/witness/slow"):
            connection.send(bytes([byte]))
        assert connection.read().body == b"witness slow"


def test_2000_idle_connections() -> None:
    with (
        faulty_app("--timeout-keep-alive", "600") as server,
        bounded_memory(server, MANY * 4 * 1024 + 4 * MIB),
        Witness(server.port) as witness,
        connections(server, MANY) as idle,
    ):
        for number, connection in enumerate(idle):
            connection.get(f"/witness/{number}")
        for number, connection in enumerate(idle):
            assert connection.read().body == b"witness %d" % number
        witness.expect(200)
        # Each is still there, and has kept nothing of the others'.
        for number, connection in reversed(list(enumerate(idle))):
            assert connection.get(f"/witness/{number}").read().body == b"witness %d" % number
        witness.expect(50)


def test_2000_connections_that_never_say_a_word() -> None:
    with (
        faulty_app("--timeout-request-head", "8") as server,
        bounded_memory(server, MANY * 4 * 1024 + 4 * MIB),
        Witness(server.port) as witness,
        connections(server, MANY) as silent,
    ):
        witness.expect(100)
        for connection in silent:
            connection.expect_end()  # silently: there was no request to answer


def test_500_clients_that_reset_in_the_middle() -> None:
    upload = request("POST", "/parked", "Content-Length: 1000000") + pattern(50_000)
    stages = (
        b"",
        b"GET /witness/1 HT",
        request("GET", "/parked"),
        request("GET", "/endless"),
        upload,
        request("POST", "/parked", "Transfer-Encoding: chunked") + b"400\r\n" + pattern(600),
        request("GET", "/download/50000000"),
        request("GET", "/witness/1") * 20,
        request("POST", "/unread", body=pattern(200_000)),
        request("GET", "/parked") + request("GET", "/witness/1") * 5,
    )
    with faulty_app() as server, Witness(server.port) as witness:
        open_before = descriptors(server.pid)
        with bounded_memory(server, 24 * MIB):
            for _ in range(50 // 10):
                with connections(server, 100) as clients:
                    for number, client in enumerate(clients):
                        client.send(stages[number % len(stages)])
                    for number, client in enumerate(clients):
                        if stages[number % len(stages)].startswith((b"GET /end", b"GET /down")):
                            client.read_body(100_000)  # so that it really is in the middle
                    for client in clients:
                        client.reset()
                witness.expect(5)
            # Nobody is left behind: not a handler, not a descriptor.
            ask(server, "/release")  # those that wait for this do not listen for a disconnect
            for name in ("parked", "endless", "download", "unread"):
                assert ask(server, f"/quiet/{name}") == "quiet"
            deadline = Deadline(what="the descriptors to be closed")
            while descriptors(server.pid) > open_before + 4:
                witness.expect(1)
                assert deadline.left()


def test_descriptor_exhaustion_neither_spins_nor_loses_the_listener() -> None:
    with faulty_app("--timeout-keep-alive", "600") as server, Raw(server.port) as kept:
        assert kept.get("/witness/0").read().body == b"witness 0"
        room = 20
        limit = descriptors(server.pid) + room
        _, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (limit, hard))
        with bounded_memory(server, 4 * MIB), ExitStack() as stack:
            clients = [stack.enter_context(Raw(server.port)) for _ in range(4 * room)]
            for number, client in enumerate(clients):
                client.get(f"/witness/{number}")
            answered = wait_for_answers(clients, at_least=room // 2)
            assert len(answered) <= room + 1  # the others wait in the queue
            # While nothing can be accepted, those inside are served and the server sleeps.
            waiting = [client for client in clients if client not in answered]
            cpu = cpu_seconds(server.pid)
            quiet_seconds = 3
            readable, _, _ = select.select([one.socket for one in waiting], [], [], quiet_seconds)
            assert not readable, "nobody has left"
            used = cpu_seconds(server.pid) - cpu
            assert used < quiet_seconds / 4, f"spins: {used} s of processor in {quiet_seconds} s"
            for number in range(50):
                response = kept.get(f"/witness/{number}").read()
                assert response.body == b"witness %d" % number
            assert server.log.count("could not be accepted: out of file descriptors") == 1
            # Those who leave make room for those who wait.
            left = list(clients)
            while left:
                for client in wait_for_answers(left, at_least=1):
                    number = clients.index(client)
                    assert client.read().body == b"witness %d" % number
                    client.close()
                    left.remove(client)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (hard, hard))
        with Witness(server.port) as witness:
            witness.expect(50)


def wait_for_answers(clients: list[Raw], at_least: int) -> list[Raw]:
    """The clients that have something to read, once there are enough and no more come."""
    deadline = Deadline(what=f"{at_least} answers")
    by_number = {client.socket.fileno(): client for client in clients}
    poll = select.poll()
    for number in by_number:
        poll.register(number, select.POLLIN)
    ready: list[Raw] = []
    while events := poll.poll(200 if len(ready) >= at_least else deadline.left() * 1000):
        for number, _ in events:
            poll.unregister(number)
            ready.append(by_number[number])
    assert len(ready) >= at_least, f"only {len(ready)} answers"
    return ready
