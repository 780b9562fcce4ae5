"""A well-behaved client that goes on asking while others misbehave."""

import threading
from typing import Self

from rawhttp import Raw
from serving import DEADLINE, Deadline


class Witness:
    """Asks `/witness/N` again and again, on a kept connection and on fresh ones by turns.

    Every answer has to be right; leaving the `with` block fails if one was not, or if there was
    none at all.
    """

    def __init__(self, port: int, *, fresh: bool = True) -> None:
        self._port = port
        self._fresh = fresh
        self._stop = threading.Event()
        self._changed = threading.Condition()
        self._answers = 0
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self.expect(1)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.expect(10)
        self._stop.set()
        self._thread.join(DEADLINE)

    def expect(self, more: int) -> None:
        """Waits until so many more right answers have come."""
        deadline = Deadline(what="an answer to the well-behaved client")
        with self._changed:
            wanted = self._answers + more
            while self._answers < wanted and self._error is None:
                self._changed.wait(deadline.left())
            if self._error is not None:
                raise AssertionError("the well-behaved client was let down") from self._error

    def _run(self) -> None:
        try:
            with Raw(self._port) as kept:
                number = 0
                while not self._stop.is_set():
                    if self._fresh and number % 2:
                        with Raw(self._port) as fresh:
                            self._ask(fresh, number)
                    else:
                        self._ask(kept, number)
                    number += 1
        except BaseException as error:
            with self._changed:
                self._error = error
                self._changed.notify_all()

    def _ask(self, connection: Raw, number: int) -> None:
        response = connection.get(f"/witness/{number}").read()
        assert (response.status, response.body) == (200, b"witness %d" % number), response
        with self._changed:
            self._answers += 1
            self._changed.notify_all()
