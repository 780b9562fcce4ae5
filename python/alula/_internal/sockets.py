"""Opens the sockets that a server listens on.

They are bound here and listen later, when the application has started: until then a connection is
refused instead of left waiting.
"""

import contextlib
import os
import socket
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from alula.config import Config
from alula.errors import StartupError

Address = tuple[int, tuple[object, ...]]
"""Address family and address."""


def bind(config: Config) -> "Binding":
    """Binds what the options ask for, for one process.

    Raises `StartupError` if it cannot be had, in a line that names it.
    """
    if config.fd is not None:
        return Binding([_adopt(config.fd)], is_shared=True)
    if config.uds is not None:
        return _bind_unix(config.uds)
    return Binding(_bind_all(_addresses(config.host, config.port), config.port))


def adopt(sockets: Iterable[socket.socket]) -> "Binding":
    """Copies of sockets that somebody else has bound."""
    return Binding([sock.dup() for sock in sockets])


class Binding:
    """The bound sockets of a server; closed on leaving a `with` block."""

    def __init__(
        self, sockets: list[socket.socket], *, path: Path | None = None, is_shared: bool = False
    ) -> None:
        self.sockets = sockets
        self.is_shared = is_shared
        """Whether worker processes share one descriptor, instead of having one each."""
        self._path = path
        self._inode = path.stat().st_ino if path is not None else None

    def __enter__(self) -> "Binding":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the sockets, and removes the Unix socket's file if it is still this one's."""
        for sock in self.sockets:
            sock.close()
        if self._path is not None:
            with contextlib.suppress(OSError):
                if self._path.stat().st_ino == self._inode:
                    self._path.unlink()
            self._path = None

    def siblings(self) -> list[socket.socket]:
        """Further sockets on the same TCP addresses, between which the system spreads connections.

        Raises `StartupError` if they cannot be had.
        """
        return [_bind_one(_address(sock), reuse_port=True) for sock in self.sockets]

    def spread(self) -> None:
        """Binds the sockets anew so that they can have siblings.

        At first they are bound plainly, so that a busy port is noticed: the system lets any number
        of sockets of one user share a port once all of them ask for it.
        """
        addresses = [_address(sock) for sock in self.sockets]
        for sock in self.sockets:
            sock.close()
        self.sockets = [_bind_one(address, reuse_port=True) for address in addresses]

    def location(self, config: Config) -> str:
        """Where clients find the server, for its log line."""
        if config.uds is not None:
            return f"unix socket {config.uds}"
        name: object = self.sockets[0].getsockname()
        if config.fd is not None:
            return f"socket {name}"
        assert isinstance(name, tuple)
        host = f"[{config.host}]" if ":" in config.host else config.host or "0.0.0.0"  # noqa: S104
        return f"http://{host}:{name[1]}"


def listen(sockets: Iterable[socket.socket], backlog: int) -> None:
    """Lets connections come in.

    Raises `StartupError` if another process began to listen on the same address meanwhile.
    """
    for sock in sockets:
        try:
            sock.listen(backlog)
        except OSError as error:
            raise _failure(_show(sock.getsockname()), error) from None


def _addresses(host: str, port: int) -> list[Address]:
    try:
        found = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
    except OSError as error:
        raise _failure(_show((host, port)), error) from None
    unique = dict.fromkeys((family, address) for family, _, _, _, address in found)
    return list(unique)


def _bind_all(addresses: list[Address], port: int) -> list[socket.socket]:
    """Binds each address; with port 0 all of them to the port that the first one got."""
    sockets: list[socket.socket] = []
    try:
        for family, address in addresses:
            if port == 0 and sockets:
                address = (address[0], sockets[0].getsockname()[1], *address[2:])  # noqa: PLW2901
            sockets.append(_bind_one((family, address), reuse_port=False))
    except BaseException:
        for sock in sockets:
            sock.close()
        raise
    return sockets


def _bind_one(where: Address, *, reuse_port: bool) -> socket.socket:
    family, address = where
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if reuse_port:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
    except OSError as error:
        sock.close()
        raise _failure(_show(address), error) from None
    return sock


def _bind_unix(path: str) -> Binding:
    permissions = _remove_stale(path)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.bind(path)
        Path(path).chmod(permissions)
    except OSError as error:
        sock.close()
        raise _failure(path, error) from None
    return Binding([sock], path=Path(path).absolute(), is_shared=True)


def _remove_stale(path: str) -> int:
    """Removes a socket that nobody listens on any more. Returns the permissions for the new one."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - `path` may be in the abstract namespace
    except OSError:
        return 0o666
    if not stat.S_ISSOCK(mode):
        raise StartupError(f"Cannot listen on {path}: a file that is no socket is in the way")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            Path(path).unlink()
            return stat.S_IMODE(mode)
        except OSError as error:
            raise _failure(path, error) from None
    raise StartupError(f"Cannot listen on {path}: address already in use")


def _adopt(fd: int) -> socket.socket:
    """A socket of its own for an inherited descriptor, which has to be one that can listen."""
    try:
        copy = os.dup(fd)
    except OSError:
        raise _unfit(fd, "not open") from None
    try:
        sock = socket.socket(fileno=copy)
    except OSError:
        os.close(copy)
        raise _unfit(fd, "no socket") from None
    if reason := _why_unfit(sock):
        sock.close()
        raise _unfit(fd, reason)
    return sock


def _why_unfit(sock: socket.socket) -> str | None:
    """Why a socket cannot listen; None if it can."""
    if sock.family not in {socket.AF_INET, socket.AF_INET6, socket.AF_UNIX}:
        return "a socket of another kind"
    if sock.type != socket.SOCK_STREAM:
        return "no stream socket"
    try:
        sock.getpeername()
    except OSError:
        return None if _is_bound(sock) else "a socket without an address"
    return "a connected socket"


def _is_bound(sock: socket.socket) -> bool:
    name: object = sock.getsockname()
    if not isinstance(name, tuple):
        return bool(name)
    return cast("tuple[object, ...]", name)[1] != 0


def _unfit(fd: int, reason: str) -> StartupError:
    return StartupError(
        f"Cannot listen on file descriptor {fd} (--fd): it is {reason}; expected a stream socket,"
        " TCP or Unix, that is bound to an address or listens already"
    )


def _address(sock: socket.socket) -> Address:
    return sock.family, sock.getsockname()


def _show(address: object) -> str:
    if isinstance(address, tuple):
        host, port, *_ = map(str, cast("tuple[object, ...]", address))
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return str(address)


def _failure(where: str, error: OSError) -> StartupError:
    reason = (error.strerror or str(error)).lower()
    return StartupError(f"Cannot listen on {where}: {reason}")
