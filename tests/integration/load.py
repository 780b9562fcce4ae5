"""Requests without a pause, while something happens to the server."""

import threading
from typing import Self

from rawhttp import BadResponse, Raw, Response
from serving import DEADLINE, Deadline


class Load:
    """Clients that each ask as fast as they get answers, and what became of that.

    `{name}` in the path stands for the name of the request. With `kept`, a client asks on one
    connection for as long as the server leaves it open, otherwise on a new one each time. A client
    that is refused ends.
    """

    def __init__(self, port: int, path: str, *, clients: int, kept: bool = False) -> None:
        self._port = port
        self._path = path
        self._kept = kept
        self._stop = threading.Event()
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._run, args=(number,), daemon=True)
            for number in range(clients)
        ]
        self.answers: dict[str, Response] = {}
        """Those that came whole, by the request's name; for when the clients have ended."""
        self.lost: list[str] = []
        """Requests that were sent, whole or in part, and not answered whole."""
        self.refused = 0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self.join()

    def join(self) -> None:
        """Waits until every client has ended."""
        for thread in self._threads:
            thread.join(DEADLINE)
            assert not thread.is_alive(), "a client hangs"

    def expect(self, more: int) -> None:
        """Waits until so many more requests have been answered."""
        deadline = Deadline(what="answers under load")
        with self._changed:
            wanted = len(self.answers) + more
            while len(self.answers) < wanted:
                self._changed.wait(deadline.left())

    def _run(self, client: int) -> None:
        count = 0
        connection: Raw | None = None
        try:
            while not self._stop.is_set():
                name = f"{client}-{count}"
                count += 1
                if connection is None:
                    try:
                        connection = Raw(self._port)
                    except ConnectionRefusedError:
                        self.refused += 1
                        return
                    except ConnectionResetError:
                        self.lost.append(name)
                        continue
                if self._ask(connection, name) and self._kept:
                    continue
                connection.close()
                connection = None
        finally:
            if connection is not None:
                connection.close()

    def _ask(self, connection: Raw, name: str) -> bool:
        """One request; tells whether the connection may be used again."""
        try:
            response = connection.get(self._path.format(name=name)).read()
        except (OSError, BadResponse):
            self.lost.append(name)
            return False
        with self._changed:
            self.answers[name] = response
            self._changed.notify_all()
        return not response.says_close
