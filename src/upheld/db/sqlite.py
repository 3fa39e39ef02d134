"""The embedded store: one SQLite file, through apsw's own SQLite.

Durability first: write-ahead log, `synchronous=FULL`, and every write starts with `BEGIN IMMEDIATE`, so a
transaction never reads first and upgrades later (SQLite refuses such upgrades at once, whatever the timeout).
Several processes may write. They queue at a lock file beside the store, then one at a time waits for SQLite's own
lock: polling SQLite's lock alone starves some writers for seconds.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from upheld.db.file import connect, is_closed_to_us, is_in_use, require_place, require_whole
from upheld.db.projection import DEFAULT_CACHE_BYTES, Projection
from upheld.db.rows import Row
from upheld.db.session import Session
from upheld.db.statements import STATEMENTS
from upheld.db.turn import Turn
from upheld.errors import Busy, Corrupt, Misconfigured, Unavailable, UpheldError
from upheld.standing import Seq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OLDEST_SQLITE = (3, 51, 3)
"""Before it, two connections that write and checkpoint at once could corrupt the file."""

APPLICATION_ID = 0x75706864  # "uphd", so that another program's database is never taken for a store
_POLL_S = 0.0003
_TABLES = "select count(*) from sqlite_schema"
_MIGRATIONS = "create table if not exists migration (number integer primary key, name text not null) strict"
_HAS_MIGRATIONS = "select count(*) from sqlite_schema where name = 'migration'"
_APPLIED = "select number from migration order by number"
_INTEGRITY = "pragma integrity_check"
_APPLY = "insert into migration values (?, ?)"


def version(text: str) -> tuple[int, ...]:
    """A dotted version as numbers.

    >>> version("3.54.1")
    (3, 54, 1)
    """
    return tuple(int(part) for part in text.split("."))


def require_sqlite(found: str) -> None:
    """Refuse an SQLite that may lose or keep what it should not."""
    if version(found) < OLDEST_SQLITE:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise Misconfigured(
            f"SQLite {found} is too old: {needed} or newer is needed (a write-ahead-log fault in older ones can "
            "corrupt a store). Upheld uses the SQLite inside apsw: pip install -U apsw"
        )


CACHE_KIB = 16 * 1024
"""SQLite's own 2 MiB hold less than one bulk transaction touches: it would write pages out and read them back in."""

CHECKPOINT_PAGES = 8000
"""At 4 KiB: pages that a bulk write touches again and again are copied back once in 32 MiB, not once in 4."""


class Sqlite:
    """Implements `Database` on one file, or in memory for ":memory:".

    `model` and `dimension` are those of the embedder (None and 0 for words only); `busy_s` is how many seconds a
    write waits for its turn before it raises `Busy`.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        model: str | None,
        dimension: int,
        busy_s: float = 30.0,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
    ) -> None:
        require_sqlite(apsw.sqlite_lib_version())
        self.path = str(path)
        self._lock = threading.RLock()
        self._busy_s = busy_s
        self._waiting_since = 0.0
        self._process = os.getpid()
        self._model = model
        self._turn = Turn(None if self.path == ":memory:" else Path(self.path + "-turn"))
        try:
            self._connection = self._open()
        except BaseException:
            self._turn.withdraw()
            raise
        self._projection = Projection(dimension, cache_bytes)
        self._session = Session(self._execute, self._execute_many, self._projection, model)

    def _open(self) -> apsw.Connection:
        with translated(self.path), self._turn.taken(self._busy_s):
            # Inside the turn, so that of several processes that open a new store one makes it and the others find it.
            if self.path != ":memory:":
                require_place(Path(self.path))
            self._frozen = is_closed_to_us(self.path) and not is_in_use(self.path)
            connection = connect(self.path)
            connection.set_busy_handler(self._poll)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
        return connection

    def _poll(self, tries: int) -> bool:
        """Whether to ask for SQLite's lock again: every 0.3 ms until the deadline."""
        now = time.monotonic()
        if tries == 0:
            self._waiting_since = now
        time.sleep(_POLL_S)
        return now - self._waiting_since < self._busy_s

    def _prepare(self, connection: apsw.Connection) -> None:
        found = connection.pragma("application_id")
        if found != APPLICATION_ID and (found or connection.execute(_TABLES).get):
            raise Corrupt(f"{self.path} is a database of another program, not a store")
        if self.path != ":memory:":
            require_whole(connection, Path(self.path))
        # Plans must not depend on the values bound: with STAT4, SQLite would plan anew for every note.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        connection.pragma("foreign_keys", True)
        connection.pragma("secure_delete", True)
        connection.pragma("cache_size", -CACHE_KIB)
        connection.pragma("temp_store", "memory")  # each recursive query would otherwise make a temporary file
        if connection.readonly("main"):
            require_known(connection, migrations())
            return
        if found != APPLICATION_ID:
            connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        connection.pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        migrate(connection, migrations())

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One consistent view of the store."""
        with self._mine(), translated(self.path):
            if self._frozen and is_in_use(self.path):  # what is read as it lay there would be what no longer holds
                raise Unavailable(f"others write {self.path} since it was opened to be read; open it again")
            self._session.followed = self._session.added = False
            try:
                self._connection.execute("begin")  # inside: an interrupt right after it must not leave it open
                yield self._session
            finally:
                roll_back(self._connection)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction; an exception inside it undoes everything."""
        with self._mine(), translated(self.path):
            self._session.followed = self._session.added = False
            try:
                with self._turn.taken(self._busy_s):
                    self._connection.execute("begin immediate")
                yield self._session
                self._connection.execute("commit")
            except BaseException:
                roll_back(self._connection)
                if self._session.followed:
                    self._projection.forget()  # it may have taken over lines that are now gone
                raise

    @contextmanager
    def _mine(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise Misconfigured(f"{self.path} was opened before this process forked; open it again in the child")
        with self._lock:
            yield

    def _execute(self, statement: str, parameters: Any) -> list[Row]:
        return self._connection.execute(STATEMENTS[statement], parameters).fetchall()

    def _execute_many(self, statement: str, parameters: Sequence[Any]) -> None:
        self._connection.executemany(STATEMENTS[statement], parameters)

    def without_vector(self, model: str, after: Seq, limit: int) -> list[tuple[Seq, str]]:
        """Notes that have no vector of this model, oldest first: position and statement."""
        with self.reading():
            found = self._execute("without_vector", {"model": model, "after": after, "limit": limit})
        return [(row[0], row[1]) for row in found]

    def count_without_vector(self, model: str) -> int:
        """How many notes have no vector of this model."""
        with self.reading():
            return int(self._execute("count_without_vector", {"model": model})[0][0])

    def keep_vectors(self, model: str, vectors: Mapping[Seq, NDArray[np.float32]]) -> None:
        """Keep vectors of notes that are already there, in one transaction."""
        with self.writing():
            for seq, vector in vectors.items():
                self._execute("keep_vector", (seq, model, vector.astype("<f2").tobytes()))
        self._projection.forget()

    def setting(self, name: str) -> str | None:
        """One setting of the store."""
        with self.reading():
            found = self._execute("setting", {"name": name})
        return found[0][0] if found else None

    def keep_setting(self, name: str, value: str) -> None:
        """Keep one setting of the store."""
        with self.writing():
            self._execute("keep_setting", {"name": name, "value": value})

    def differences(self, now: int) -> list[Seq]:
        """Notes whose searchable image differs from the rule: empty unless something is wrong."""
        with self.reading() as session:
            return self._projection.differences(session, now)

    def check(self) -> list[str]:
        """What SQLite finds wrong with the file; empty if nothing."""
        with self._lock, translated(self.path):
            found = [str(row[0]) for row in self._connection.execute(_INTEGRITY)]
        return [line for line in found if line != "ok"]

    @property
    def is_frozen(self) -> bool:
        """Whether the file is read as it lies there: nobody writes it, and this process may not."""
        return self._frozen

    @property
    def version(self) -> str:
        """The version of SQLite in use."""
        return apsw.sqlite_lib_version()

    def close(self) -> None:
        """Close; the store stays as it is."""
        with self._lock:
            self._connection.close()
            self._turn.close()


def migrations() -> list[tuple[int, str, str]]:
    """The numbered migrations in order: number, name, statements."""
    folder = files("upheld.db").joinpath("migrations", "sqlite")
    found = sorted(
        (entry.name, entry.read_text(encoding="utf-8")) for entry in folder.iterdir() if entry.name.endswith(".sql")
    )
    return [(int(name.split("_")[0]), name.removesuffix(".sql"), text) for name, text in found]


def migrate(connection: apsw.Connection, wanted: Sequence[tuple[int, str, str]]) -> list[str]:
    """Apply the migrations that the store lacks, each in one transaction with its own record; return their names.

    A store that lacks none is only read, so it opens while another process holds the lock.
    """
    if not connection.execute(_HAS_MIGRATIONS).get:
        connection.execute(_MIGRATIONS)
    require_known(connection, wanted)
    applied = connection.execute(_APPLIED).fetchall()
    done: list[str] = []
    for number, name, text in wanted:
        if (number,) in applied:
            continue
        connection.execute("begin immediate")
        try:
            if (number,) not in connection.execute(_APPLIED).fetchall():
                connection.execute(text)
                connection.execute(_APPLY, (number, name))
                done.append(name)
            connection.execute("commit")
        except BaseException:
            roll_back(connection)
            raise
    return done


def require_known(connection: apsw.Connection, known: Sequence[tuple[int, str, str]]) -> None:
    """Refuse a store that a newer version wrote."""
    applied = {row[0] for row in connection.execute(_APPLIED)}
    if unknown := applied - {number for number, _, _ in known}:
        raise Misconfigured(
            f"the store was written by a newer Upheld (migration {max(unknown)}); upgrade: pip install -U upheld"
        )


def roll_back(connection: apsw.Connection) -> None:
    """Undo a transaction, unless SQLite already did (it does on a full disk)."""
    if connection.in_transaction:
        connection.execute("rollback")


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Turn SQLite's errors into ours, the original kept as the cause."""
    try:
        yield
    except UpheldError:
        raise
    except (apsw.BusyError, apsw.LockedError) as error:
        raise Busy(f"{path} is locked by another process; try again, or find the process that holds it") from error
    except apsw.FullError as error:
        raise Unavailable(f"the disk that holds {path} is full; nothing was written") from error
    except apsw.ReadOnlyError as error:
        raise Unavailable(
            f"{path} cannot be written: the file, its folder, or {path}-wal or -shm is read-only"
        ) from error
    except apsw.CantOpenError as error:
        raise Misconfigured(f"cannot open {path}: check that you may read and write the file and its folder") from error
    except (apsw.NotADBError, apsw.CorruptError) as error:
        raise Corrupt(f"{path} is not a store or is damaged ({error}); run: upheld doctor {path}") from error
    except apsw.ConnectionClosedError as error:
        raise Misconfigured(f"{path} was closed; open it again") from error
    except apsw.ConstraintError as error:
        raise Misconfigured(f"{path} refused a row ({error}): an id was given out twice") from error
    except apsw.IOError as error:
        raise Unavailable(f"reading or writing {path} failed: {error}") from error
