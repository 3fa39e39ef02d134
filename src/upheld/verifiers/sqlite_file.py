"""Asks an SQLite file: opened to read, and nothing but reading let through by SQLite itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import apsw

from upheld.errors import Unavailable
from upheld.verifiers.asking import Ask, Left, Parameters, Rows

MAX_VALUE_BYTES = 1024 * 1024
MOST_ROWS = 2
"""One is the answer; the second says that there are several."""

_STEPS = 1000  # of SQLite's machine, between two looks at the time: well under a millisecond
_ALLOWED = frozenset(
    {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE}  # all else is denied
)
_LIMITS = {
    apsw.SQLITE_LIMIT_LENGTH: MAX_VALUE_BYTES,
    apsw.SQLITE_LIMIT_ATTACHED: 0,
    apsw.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1000,
    apsw.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_SETTINGS = {
    apsw.SQLITE_DBCONFIG_DEFENSIVE: 1,
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA: 0,
    apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION: 0,
    # Otherwise a column that is not there, written "plan", would be the text 'plan', and pass for its value.
    apsw.SQLITE_DBCONFIG_DQS_DML: 0,
    apsw.SQLITE_DBCONFIG_DQS_DDL: 0,
}


class SqliteFile:
    """An SQLite file and the query that it is asked. It is opened anew each time, so a replaced file is seen."""

    def __init__(self, path: Path, query: str) -> None:
        self._path = path
        self._query = query

    @contextmanager
    def open(self, left: Left) -> Iterator[Ask]:
        """A way to ask until the time is up. Raises `Unavailable` with a reason that holds no value."""
        connection = self._connection(left)
        is_running = False

        def begins(cursor: apsw.Cursor, _statement: str, _bindings: apsw.Bindings | None) -> bool:
            nonlocal is_running
            is_running = True
            return cursor.is_readonly and not cursor.is_explain

        connection.exec_trace = begins
        connection.authorizer = _authorized
        connection.set_progress_handler(lambda: left() <= 0, _STEPS)

        def ask(parameters: Parameters) -> Rows:
            nonlocal is_running
            is_running = False
            try:
                return list(islice(connection.execute(self._query, parameters), MOST_ROWS))
            except (apsw.Error, UnicodeError) as error:
                raise Unavailable(_reason(error, is_running)) from None

        try:
            yield ask
        finally:
            connection.close(True)

    def _connection(self, left: Left) -> apsw.Connection:
        if not self._path.is_file():  # a pipe would never open
            raise Unavailable("the database file is not there")
        try:
            connection = apsw.Connection(str(self._path), flags=apsw.SQLITE_OPEN_READONLY)
            for name, value in _SETTINGS.items():
                connection.config(name, value)
            for name, value in _LIMITS.items():
                connection.limit(name, value)
            connection.set_busy_timeout(max(1, int(left() * 1000)))
        except apsw.Error as error:
            raise Unavailable(_reason(error, False)) from None
        return connection


def _authorized(action: int, _first: str | None, second: str | None, _schema: str | None, _by: str | None) -> int:
    if action not in _ALLOWED or (action == apsw.SQLITE_FUNCTION and second == "load_extension"):
        return apsw.SQLITE_DENY
    return apsw.SQLITE_OK


_REASONS: tuple[tuple[type[apsw.Error], str], ...] = (
    (apsw.InterruptError, "the query took too long"),
    (apsw.BusyError, "the database is locked by another process"),
    (apsw.LockedError, "the database is locked by another process"),
    (apsw.TooBigError, "what the query found is too long to be a value"),
    (apsw.AuthError, "the query does more than read, which a verifier may not"),
    (apsw.ExecTraceAbort, "the query does more than read, which a verifier may not"),
    (apsw.ReadOnlyError, "the database needs to be repaired or written before it can be read"),
    (apsw.CantOpenError, "the database file cannot be opened"),
    (apsw.NotADBError, "the file is not an SQLite database"),
    (apsw.CorruptError, "the database is damaged"),
)


def _reason(error: Exception, is_running: bool) -> str:
    """What went wrong, in one line. What SQLite says of a query that runs may hold values; before that it cannot."""
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, apsw.SQLError) and not is_running:
        return f"the database refused the query: {error}"
    return f"the query failed ({type(error).__name__})"
