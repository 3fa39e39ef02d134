"""Asks a PostgreSQL server by psycopg (the `postgres` extra): in a transaction that may only read, and is undone.

The query is declared as a cursor, of which two rows are fetched. The server itself stops it when its time is up; if
the server is not heard at all, the connection is cut.
"""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import TYPE_CHECKING

from upheld.errors import Misconfigured, Unavailable
from upheld.verifiers.asking import Ask, Left, Parameters, Rows

if TYPE_CHECKING:
    import psycopg

MOST_ROWS = 2
SHORTEST_CONNECT_S = 2
"""What psycopg waits at least for a connection."""
GRACE_S = 0.5
"""How much longer than the server, which stops the query itself, we wait before we cut the connection."""

_LIMIT = "select set_config('statement_timeout', %s, true)"
_MAY_NOT = frozenset({"25006", "0A000", "42P11"})  # read-only transaction; what no cursor can be declared for
_STOPPED = "57014"


class Postgres:
    """A PostgreSQL database and the query that it is asked, over a new connection each time."""

    def __init__(self, url: str, query: str) -> None:
        try:
            from psycopg import ProgrammingError
            from psycopg.conninfo import conninfo_to_dict
        except ImportError:
            raise Misconfigured("asking PostgreSQL needs an extra: pip install 'upheld[postgres]'") from None
        try:
            known = conninfo_to_dict(url)
        except ProgrammingError:  # its words may hold the password
            raise Misconfigured("the URL of the database cannot be read: postgresql://user@host:5432/name") from None
        self.name = str(known.get("dbname") or known.get("host") or "postgresql")
        self._url = url
        self._query = query.encode()

    @contextmanager
    def open(self, left: Left) -> Iterator[Ask]:
        """A way to ask until the time is up. Raises `Unavailable` with a reason that holds no value."""
        import psycopg

        connection = self._connection(left)
        try:
            with _cut_off(connection, max(0.0, left()) + GRACE_S):

                def ask(parameters: Parameters) -> Rows:
                    try:
                        connection.execute(_LIMIT, [f"{max(1, int(left() * 1000))}ms"])
                        with connection.cursor("asked") as cursor:
                            cursor.execute(self._query, parameters)
                            return cursor.fetchmany(MOST_ROWS)
                    except (psycopg.Error, UnicodeError) as error:
                        raise Unavailable(_reason(error, left)) from None

                yield ask
        finally:
            connection.close()

    def _connection(self, left: Left) -> psycopg.Connection[tuple[object, ...]]:
        import psycopg

        seconds = max(SHORTEST_CONNECT_S, math.ceil(left()))
        try:
            connection = psycopg.connect(self._url, connect_timeout=seconds, fallback_application_name="upheld")
        except (psycopg.Error, OSError, UnicodeError):  # their words name users and addresses
            raise Unavailable("the database cannot be reached, or it refuses the login") from None
        connection.read_only = True
        return connection


@contextmanager
def _cut_off(connection: psycopg.Connection[tuple[object, ...]], seconds: float) -> Iterator[None]:
    """Cut a connection after some seconds: who waits on it then hears that it ended."""
    end = os.dup(connection.fileno())
    with socket.socket(fileno=end) as own:
        timer = Timer(seconds, _shut, [own])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _shut(end: socket.socket) -> None:
    with suppress(OSError):  # it may have ended by itself
        end.shutdown(socket.SHUT_RDWR)


def _reason(error: Exception, left: Left) -> str:
    """What went wrong, in one line. What the server says of data may hold values; of the query itself it cannot."""
    state = getattr(error, "sqlstate", None)
    if state == _STOPPED or left() <= 0:
        return "the query took too long"
    if state in _MAY_NOT:
        return "the query does more than read, which a verifier may not"
    if state is not None and state.startswith("42"):
        said = getattr(getattr(error, "diag", None), "message_primary", None)
        return f"the database refused the query: {said or state}"
    return f"the query failed ({state or type(error).__name__})"
