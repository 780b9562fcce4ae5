"""Bodies that one side does not take: memory stays bounded and nobody else notices."""

import hashlib
import select
import time
from collections.abc import Callable

from content import pattern
from integration.faults import MIB, ask, bounded_memory, faulty_app
from rawhttp import Raw, request
from serving import Deadline
from witness import Witness

DOWNLOAD = 200_000_000
UPLOAD = 150_000_000
PIECE = 1_000_000
KERNEL = 16 * MIB
"""What the socket buffers of both ends may hold between them, at the very most."""


def settle(read: Callable[[], int], witness: Witness) -> int:
    """The value of something that grows, once it has stopped while others were served."""
    deadline = Deadline(what="a value that stops growing")
    last, same = read(), 0
    while same < 5:
        witness.expect(20)
        now = read()
        last, same = now, (same + 1 if now == last else 0)
        assert deadline.left()
    return last


def read_download(
    connection: Raw, length: int, piece: int = PIECE, after: Callable[[int], object] = int
) -> None:
    """Reads a body of `pattern` piece by piece, without keeping it; calls `after` each of them."""
    head = bytearray()
    while not head.endswith(b"\r\n\r\n"):
        head += connection.socket.recv(1)
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\ncontent-length: %d\r\n" % length in bytes(head).lower()
    at = 0
    while at < length:
        data = connection.socket.recv(piece)
        assert data, f"ended after {at} bytes"
        assert data == pattern(len(data), at), f"wrong after {at} bytes"
        at += len(data)
        after(at)


def push(connection: Raw, length: int) -> int:
    """Sends a body of `pattern` for as long as the server's side takes it within a second."""
    connection.socket.setblocking(False)
    at = 0
    while at < length:
        _, writable, _ = select.select([], [connection.socket], [], 1)
        if not writable:
            break
        at += connection.socket.send(pattern(min(PIECE, length - at), at))
    connection.socket.setblocking(True)
    return at


def test_a_reader_that_stops_and_goes_on_gets_everything() -> None:
    with (
        faulty_app() as server,
        bounded_memory(server, 8 * MIB),
        Witness(server.port) as witness,
        Raw(server.port, receive_buffer=64 * 1024) as reader,
    ):
        reader.get(f"/download/{DOWNLOAD}")
        sent = settle(lambda: int(ask(server, "/progress")), witness)
        assert 0 < sent < KERNEL, f"the application could send {sent} bytes that nobody reads"
        witness.expect(200)
        assert int(ask(server, "/progress")) == sent
        read_download(reader, DOWNLOAD)
        assert ask(server, "/wait/download") == "complete"


def test_a_reader_that_never_goes_on_is_closed_by_the_write_timeout() -> None:
    with (
        faulty_app("--timeout-write", "2") as server,
        bounded_memory(server, 8 * MIB),
        Witness(server.port) as witness,
        Raw(server.port, receive_buffer=64 * 1024) as reader,
    ):
        reader.get(f"/download/{DOWNLOAD}")
        assert ask(server, "/wait/download") == "ClientDisconnected"
        assert int(ask(server, "/progress")) < KERNEL
        assert len(reader.expect_cut()) < KERNEL
        witness.expect(50)


def test_a_reader_that_is_slow_but_reads_is_not_closed() -> None:
    length, seconds = 3_000_000, 5
    with (
        faulty_app("--timeout-write", "2") as server,
        Witness(server.port, fresh=False) as witness,
        Raw(server.port, receive_buffer=8 * 1024) as reader,
    ):
        reader.get(f"/download/{length}")
        begun = time.monotonic()

        def take_time(at: int) -> None:
            while time.monotonic() - begun < seconds * at / length:
                witness.expect(1)

        read_download(reader, length, 4096, take_time)


def test_an_upload_nobody_reads_stalls_and_then_goes_through_whole() -> None:
    with (
        faulty_app() as server,
        bounded_memory(server, 8 * MIB),
        Witness(server.port) as witness,
        Raw(server.port) as sender,
    ):
        sender.send(request("POST", "/read-late", f"Content-Length: {UPLOAD}"))
        taken = push(sender, UPLOAD)
        assert 0 < taken < KERNEL, f"the server took {taken} bytes that nobody reads"
        witness.expect(200)
        ask(server, "/wait/read-late")
        ask(server, "/release")
        digest = hashlib.sha256()
        for at in range(0, UPLOAD, PIECE):
            digest.update(pattern(PIECE, at))
        for at in range(taken, UPLOAD, PIECE):
            sender.send(pattern(min(PIECE, UPLOAD - at), at))
        assert sender.read().body == f"{UPLOAD} {digest.hexdigest()}".encode()
        assert sender.get("/witness/1").read().body == b"witness 1"


def test_an_upload_nobody_ever_reads_is_answered_and_cut_off() -> None:
    with (
        faulty_app() as server,
        bounded_memory(server, 8 * MIB),
        Witness(server.port) as witness,
        Raw(server.port) as sender,
    ):
        sender.send(request("POST", "/unread", f"Content-Length: {UPLOAD}"))
        taken = push(sender, UPLOAD)
        assert 0 < taken < KERNEL, f"the server took {taken} bytes that nobody reads"
        ask(server, "/wait/unread")
        ask(server, "/release")
        # The answer comes through although far more of the body than is drained was never sent.
        assert sender.read().body == b"not read"
        witness.expect(100)
        sender.expect_end()


def test_an_unread_upload_whose_sender_leaves() -> None:
    with (
        faulty_app() as server,
        bounded_memory(server, 8 * MIB),
        Witness(server.port) as witness,
    ):
        with Raw(server.port) as sender:
            sender.send(request("POST", "/read-late", f"Content-Length: {UPLOAD}"))
            assert push(sender, UPLOAD) < KERNEL
            sender.reset()
        witness.expect(50)
        ask(server, "/release")
        assert ask(server, "/wait/read-late")
        assert ask(server, "/quiet/read-late") == "quiet"
