"""SQLite, used soundly by several threads and several worker processes.

Every connection is in WAL mode (readers and the writer do not block each other) and waits for a
lock instead of failing at once. A connection serves one request at a time and is then lent to the
next, so that its page cache and prepared statements live on.
"""

import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, cast

from fastapi import Depends, Request

BUSY_TIMEOUT = 10.0
"""Seconds to wait for another process's write lock."""
MAX_IDLE = 8
"""Connections kept open while nobody uses them."""


class Database:
    """A database file and the open connections to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._idle: deque[sqlite3.Connection] = deque()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self.path,
            timeout=BUSY_TIMEOUT,
            isolation_level=None,  # transactions begin where we say so
            check_same_thread=False,  # one thread at a time, but not always the same one
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA cache_size = -256")
        return connection

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """Lends a connection; nobody else has it meanwhile."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        try:
            yield connection
        finally:
            if len(self._idle) < MAX_IDLE and not connection.in_transaction:
                self._idle.append(connection)
            else:
                connection.close()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Lends a connection in a write transaction: committed at the end, or rolled back."""
        with self.connection() as connection:
            # IMMEDIATE takes the write lock now: a transaction that reads first and writes later
            # could find that it can't have the lock any more.
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Closes the idle connections."""
        while self._idle:
            self._idle.pop().close()


def _database(request: Request) -> Database:
    return cast(Database, request.state.database)


async def _read(request: Request) -> AsyncIterator[sqlite3.Connection]:
    # Borrowing does not wait for anything, so it needs no thread of its own.
    with _database(request).connection() as connection:
        yield connection


def _write(request: Request) -> Iterator[sqlite3.Connection]:
    with _database(request).transaction() as connection:
        yield connection


Connection = Annotated[sqlite3.Connection, Depends(_read, scope="function")]
"""A connection for a route that only reads."""

# Scope "function" commits before the response goes out, so that nobody is told of a change that
# then fails. SQLite has one writer; the requests that queue for it wait here, in the event loop:
# if they waited for the lock in threads, they could take all of them, and the transaction that
# holds the lock would find none to go on in.
Transaction = Annotated[sqlite3.Connection, Depends(_write, scope="function", max_concurrency=1)]
"""A connection in a write transaction: committed if the route returns, rolled back if it raises."""
