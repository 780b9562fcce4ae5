"""What a server listens on."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from alula import Config, StartupError
from alula._internal.sockets import adopt, bind, listen


@pytest.fixture
def busy() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_port_zero_gets_a_free_one() -> None:
    config = Config(port=0)
    with bind(config) as binding:
        port = binding.sockets[0].getsockname()[1]
        assert port > 0
        assert binding.location(config) == f"http://127.0.0.1:{port}"


def test_nothing_is_accepted_before_listening() -> None:
    with bind(Config(port=0)) as binding:
        address = binding.sockets[0].getsockname()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address, 5)
        listen(binding.sockets, 5)
        socket.create_connection(address, 5).close()


def test_a_busy_port_is_one_line(busy: int) -> None:
    with pytest.raises(StartupError) as caught:
        bind(Config(port=busy))
    assert str(caught.value) == f"Cannot listen on 127.0.0.1:{busy}: address already in use"


def test_a_port_that_becomes_busy_is_noticed_when_listening() -> None:
    with bind(Config(port=0)) as first:
        address = first.sockets[0].getsockname()
        with bind(Config(port=address[1])) as second:
            listen(first.sockets, 5)
            with pytest.raises(StartupError, match="address already in use"):
                listen(second.sockets, 5)


def test_a_host_that_does_not_exist_is_one_line() -> None:
    with pytest.raises(StartupError, match=r"^Cannot listen on host\.invalid:8000: "):
        bind(Config(host="host.invalid"))


def test_every_address_of_a_host_gets_the_same_port(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        (socket.AF_INET, 1, 6, "", (host, 0)) for host in ("127.0.0.1", "127.0.0.2", "127.0.0.1")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with bind(Config(port=0)) as binding:
        names = [sock.getsockname() for sock in binding.sockets]
    assert [name[0] for name in names] == ["127.0.0.1", "127.0.0.2"]
    assert len({name[1] for name in names}) == 1


def test_siblings_share_a_port_once_it_is_spread() -> None:
    with bind(Config(port=0)) as binding:
        assert not binding.is_shared
        binding.spread()
        siblings = binding.siblings()
        assert siblings[0].getsockname() == binding.sockets[0].getsockname()
        listen([*binding.sockets, *siblings], 5)
        siblings[0].close()


def test_a_unix_socket_is_made_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    config = Config(uds=path)
    with bind(config) as binding:
        assert path.is_socket()
        assert path.stat().st_mode & 0o777 == 0o666
        assert binding.is_shared
        assert binding.location(config) == f"unix socket {path}"
    assert not path.exists()


def test_a_stale_unix_socket_is_replaced_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(str(path))
    path.chmod(0o600)
    with bind(Config(uds=path)):
        assert path.stat().st_mode & 0o777 == 0o600


def test_a_unix_socket_in_use_and_other_files_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with bind(Config(uds=path)) as binding:
        listen(binding.sockets, 5)
        with pytest.raises(
            StartupError, match=f"^Cannot listen on {path}: address already in use$"
        ):
            bind(Config(uds=path))
    path.write_text("precious")
    with pytest.raises(StartupError, match="a file that is no socket is in the way"):
        bind(Config(uds=path))
    assert path.read_text() == "precious"


def test_somebody_elses_socket_is_not_removed(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with bind(Config(uds=path)):
        path.unlink()
        path.write_text("precious")
    assert path.read_text() == "precious"


def test_an_inherited_descriptor_is_copied(busy: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = Config(fd=listener.fileno())
        with bind(config) as binding:
            assert binding.location(config) == f"socket {listener.getsockname()}"
        os.fstat(listener.fileno())


def refusal(fd: int) -> str:
    with pytest.raises(StartupError) as caught:
        bind(Config(fd=fd))
    start, end = (
        f"Cannot listen on file descriptor {fd} (--fd): it is ",
        "; expected a stream socket, TCP or Unix, that is bound to an address or listens already",
    )
    text = str(caught.value)
    assert text.startswith(start)
    assert text.endswith(end)
    return text.removeprefix(start).removesuffix(end)


def test_a_descriptor_that_cannot_listen_is_one_line(tmp_path: Path) -> None:
    with (tmp_path / "f").open("w") as file:
        assert refusal(file.fileno()) == "no socket"
        closed = os.dup(file.fileno())
    os.close(closed)
    assert refusal(closed) == "not open"
    left, right = socket.socketpair()
    with left, right:
        assert refusal(left.fileno()) == "a connected socket"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        assert refusal(datagrams.fileno()) == "no stream socket"
    for family in (socket.AF_INET, socket.AF_UNIX):
        with socket.socket(family) as unbound:
            assert refusal(unbound.fileno()) == "a socket without an address"
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW) as netlink:
        assert refusal(netlink.fileno()) == "a socket of another kind"


def test_a_descriptor_may_be_bound_or_listen(tmp_path: Path) -> None:
    for family, address in ((socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_UNIX, f"{tmp_path}/s")):
        with socket.socket(family) as mine:
            mine.bind(address)
            for _ in ("bound", "listening"):
                with bind(Config(fd=mine.fileno())) as binding:
                    assert binding.sockets[0].getsockname() == mine.getsockname()
                mine.listen()


def test_given_sockets_stay_open() -> None:
    with socket.socket() as mine:
        mine.bind(("127.0.0.1", 0))
        with adopt([mine]) as binding:
            assert binding.sockets[0].getsockname() == mine.getsockname()
        assert mine.fileno() >= 0
