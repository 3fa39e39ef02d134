"""Reads a value from a database by one query that may only read: SQLite, or PostgreSQL with the `postgres` extra."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from datetime import date, datetime
from datetime import time as time_of_day
from decimal import Decimal
from pathlib import Path
from uuid import UUID

from upheld import limits
from upheld.errors import Invalid, Misconfigured, UpheldError, shown
from upheld.verification import Asked, Changed, Reply, Unavailable
from upheld.verifiers import query as queries
from upheld.verifiers.asking import Place, Rows
from upheld.verifiers.postgres import Postgres
from upheld.verifiers.sqlite_file import SqliteFile

LONGEST_S = 60.0

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")


class Sql:
    """A verifier that asks a database. The first column of the only row is the value.

    Args:
        database: An SQLite file as a path or `sqlite:///path`, or `postgresql://user@host/name`.
        query: One SELECT, VALUES or WITH that reads. `:subject`, `:attribute` and `:scope` are bound, never pasted in;
            `:subject` must be there.
        source: The name that is cited; by default that of the file or database.
        timeout_s: How long one call may take, in seconds, above 0 and at most 60.
        ticks: Seconds that pass; for tests.

    Raises:
        Misconfigured: The database, the query or the limit cannot be used, or the extra is missing.

    >>> Sql("billing.db", "select plan from account where name = :subject")
    Sql(source='billing.db')
    """

    def __init__(
        self,
        database: str | Path,
        query: str,
        *,
        source: str | None = None,
        timeout_s: float = 2.0,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        if isinstance(timeout_s, bool) or not isinstance(timeout_s, int | float) or not 0 < timeout_s <= LONGEST_S:
            raise Misconfigured(
                f"timeout_s must be above 0 and at most {LONGEST_S:.0f} seconds, not {shown(timeout_s)}"
            )
        self._place, name = _place(database, query)
        try:
            self._source = limits.name(name if source is None else source, "source")
        except Invalid as error:
            raise Misconfigured(str(error)) from None
        self._timeout_s = float(timeout_s)
        self._ticks = ticks

    def __repr__(self) -> str:
        return f"Sql(source={self._source!r})"

    @property
    def source(self) -> str:
        """The name that is cited."""
        return self._source

    def verify(self, asked: Sequence[Asked]) -> list[Reply]:
        """One reply for each note, over one connection: the value that the database has, or why there is none."""
        ends = self._ticks() + self._timeout_s
        questions = [(each.subject, each.attribute, each.scope) for each in asked]
        answers: dict[tuple[str, str, str], Reply] = {}
        failed = Unavailable("it was not asked")
        try:
            with self._place.open(lambda: ends - self._ticks()) as ask:
                for question in dict.fromkeys(questions):
                    rows = ask(dict(zip(queries.PARAMETERS, question, strict=True)))
                    answers[question] = _reply(rows)
        except UpheldError as error:
            failed = Unavailable(str(error))
        return [answers.get(question, failed) for question in questions]


def _place(database: object, query: object) -> tuple[Place, str]:
    """The database with its query, and its name."""
    if not isinstance(database, str | Path) or not str(database) or "\0" in str(database):
        raise Misconfigured("name the database: a path, sqlite:///path or postgresql://user@host/name")
    named = str(database)
    if isinstance(database, str) and named.startswith(_POSTGRES):
        server = Postgres(named, queries.read(query, postgres=True).postgres)
        return server, server.name
    named = named.removeprefix(_SQLITE)
    if not named or named.startswith((":", "file:")) or "://" in named:
        raise Misconfigured("a database is an SQLite file (a path, sqlite:///path) or postgresql://user@host/name")
    path = Path(named)
    return SqliteFile(path, queries.read(query, postgres=False).sqlite), path.name


def _reply(rows: Rows) -> Reply:
    if not rows:
        return Unavailable("the database has no row for it")
    if len(rows) > 1:
        return Unavailable("the database has several rows for it; the query must give one")
    if not rows[0]:
        return Unavailable("the query gives no column")
    return _value(rows[0][0])


def _value(found: object) -> Reply:
    if found is None:
        return Unavailable("the database has a row for it, without a value")
    text = _text(found)
    if text is None:
        return Unavailable(f"the database has no text or number for it, but {_called(found)}")
    try:
        return Changed(limits.name(text.strip(), "the value"))
    except Invalid:
        return Unavailable("what the database has for it is no value: empty, too long, or not on one line")


def _text(found: object) -> str | None:
    """A value as text; None for what is none."""
    if isinstance(found, str):
        return found
    if isinstance(found, bool):
        return "true" if found else "false"
    if isinstance(found, float | Decimal):
        return format(Decimal(str(found)), "f") if math.isfinite(found) else None
    if isinstance(found, datetime | date | time_of_day):
        return found.isoformat()
    return str(found) if isinstance(found, int | UUID) else None


def _called(found: object) -> str:
    if isinstance(found, float | Decimal):
        return "not a number"
    if isinstance(found, bytes | bytearray | memoryview):
        return "a blob"
    return f"a {type(found).__name__}"
