"""A store is brought up to date wholly or not at all, once, and never backwards; what is no store is left alone.

`snapshots/schema.sql` is what the migrations make of an empty file. After a change on purpose:
`./run test tests/test_migrations.py --write-snapshots`.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import apsw
import pytest

import upheld
from upheld import Corrupt, Misconfigured
from upheld.db import sqlite
from upheld.db.sqlite import OLDEST_SQLITE, migrate, migrations, require_sqlite
from upheld.db.words import scope_token, tokens
from upheld.doctor import examine
from upheld.note import Note, Standing
from worlds import Clock, HashEmbedder

SCHEMA = Path(__file__).with_name("snapshots") / "schema.sql"
PROCESSES = 6


@pytest.fixture
def connection() -> Iterator[apsw.Connection]:
    opened = apsw.Connection(":memory:")
    yield opened
    opened.close()


def schema(connection: apsw.Connection) -> str:
    """Everything that is in a database, in order of kind and name; what a full-text table makes for itself left out."""
    listed = connection.execute(
        "select sql from sqlite_schema where sql is not null and tbl_name not glob 'words_*' order by type, name"
    )
    return "".join(f"{row[0]};\n\n" for row in listed)


def contents(connection: apsw.Connection) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = [(schema(connection),)]
    return rows + connection.execute("select * from migration order by number").fetchall()


# --- the schema ------------------------------------------------------------------------------------


def test_the_migrations_make_the_schema_that_is_committed(
    connection: apsw.Connection, pytestconfig: pytest.Config
) -> None:
    migrate(connection, migrations())
    found = schema(connection)
    if pytestconfig.getoption("--write-snapshots"):
        SCHEMA.parent.mkdir(exist_ok=True)
        SCHEMA.write_text(found, encoding="utf-8")
    assert "CREATE TABLE note (" in found
    assert found == SCHEMA.read_text(encoding="utf-8")


def test_migrations_are_numbered_from_one_without_a_gap() -> None:
    assert [number for number, _, _ in migrations()] == [*range(1, len(migrations()) + 1)]


# --- wholly or not at all, and once ----------------------------------------------------------------

GOOD = (901, "901_good", "create table good (a integer) strict; insert into good values (1);")
BROKEN = (902, "902_broken", "create table half (a integer) strict; insert into nothing values (1);")


def test_a_migration_whose_second_statement_fails_leaves_nothing_and_no_record(connection: apsw.Connection) -> None:
    wanted = [*migrations(), GOOD]
    migrate(connection, wanted)
    before = contents(connection)
    with pytest.raises(apsw.SQLError, match="nothing"):
        migrate(connection, [*wanted, BROKEN])
    assert not connection.in_transaction
    assert contents(connection) == before
    mended = (BROKEN[0], BROKEN[1], BROKEN[2].replace("nothing", "half"))
    assert migrate(connection, [*wanted, mended]) == [BROKEN[1]]
    assert connection.execute("select a from half").get == 1


def test_those_before_a_failing_migration_stay_applied(connection: apsw.Connection) -> None:
    with pytest.raises(apsw.SQLError):
        migrate(connection, [*migrations(), GOOD, BROKEN])
    names = [name for _, name, _ in migrations()]
    assert connection.execute("select name from migration order by number").get == [*names, GOOD[1]]


def test_to_migrate_twice_changes_nothing(connection: apsw.Connection) -> None:
    wanted = [*migrations(), GOOD]
    assert migrate(connection, wanted) == [name for _, name, _ in wanted]
    before = contents(connection)
    assert migrate(connection, wanted) == []
    assert contents(connection) == before
    assert connection.execute("select count(*) from good").get == 1


# --- what earlier versions wrote -------------------------------------------------------------------


def aged(new: Path, old: Path, migration: int) -> None:
    """Write what a store holds as the version of that migration wrote it."""
    made = apsw.Connection(str(old))
    made.pragma("application_id", sqlite.APPLICATION_ID)
    made.pragma("journal_mode", "wal")
    migrate(made, migrations()[:migration])
    made.execute("attach ? as new", (str(new),))
    for table in ("note", "link", "event", "vector", "request", "setting"):
        columns = ", ".join(row[1] for row in made.execute(f"pragma main.table_info({table})"))
        made.execute(f"insert into {table} ({columns}) select {columns} from new.{table}")
    # The full-text index keeps no text that could be copied.
    notes = made.execute("select seq, scope, statement from note").fetchall()
    made.executemany(
        "insert into words (rowid, scope, body) values (?, ?, ?)",
        [(seq, scope_token(scope), " ".join(tokens(statement))) for seq, scope, statement in notes],
    )
    made.execute("detach new")
    made.close()


def told(memory: upheld.Memory) -> list[object]:
    """What a store says of everything in it."""
    lines = [*memory.export()]
    ids = [line.id for line in lines if isinstance(line, Note)]
    asked = [memory.recall("which database does orders use", scope=["a", "b"], mode=mode) for mode in MODES]
    views = [memory.list(["a", "b"], mode=mode).notes for mode in MODES]
    return [lines, asked, views, *map(memory.explain, ids), *map(memory.history, ids), memory.scopes()]


MODES: tuple[Literal["answer", "history"], ...] = ("answer", "history")


def test_a_store_of_the_first_version_says_the_same_after_it_is_opened(
    tmp_path: Path, clock: Clock, embedder: HashEmbedder
) -> None:
    new, old = tmp_path / "new.db", tmp_path / "old.db"
    with upheld.open(new, embedder=embedder, clock=clock) as memory:
        first = memory.remember("Orders stores its data in MongoDB.", scope="a", idempotency_key="k")
        rests = memory.remember("The orders dump is a BSON file.", scope="a", depends_on=first.id)
        memory.confirm(first.id, by="person:ana", observed_at="2025-12-01")
        memory.supersede(first.id, "Orders moved to PostgreSQL.", reason="two outages")
        gone = memory.remember("The orders database is sharded.", scope="b", expires_at="2026-06-01T00:00:00Z")
        memory.retract(gone.id, reason="a mistake")
        memory.restore(gone.id)
        memory.remember("Omar's blood type is A.", scope="b", by="agent:reader")
        memory.remember("Omar's blood type is 0-.", scope="b", by="person:omar")
        memory.remember("Omar's blood type is B.", scope="b", by="agent:reader")
        said = told(memory)
        assert {view.standing.value for view in memory.list(["a", "b"], mode="history").notes} == {
            "in_force",
            "superseded",
            "needs_check",
            "disputed",
        }
    aged(new, old, 1)
    with upheld.open(old, embedder=embedder, clock=clock) as memory:
        assert told(memory) == said
        assert memory.remember("Orders stores its data in MongoDB.", scope="a", idempotency_key="k").id == first.id
        assert not examine(memory, now=clock()).findings
        assert memory.restore(first.id).standing is Standing.IN_FORCE
        assert memory.get(rests.id).standing is Standing.IN_FORCE
    made = apsw.Connection(str(old))
    fresh = apsw.Connection(str(new))
    assert contents(made) == contents(fresh)
    assert made.execute("pragma foreign_key_check").fetchall() == []
    for broken in ("update event set reason = 'x'", "delete from event"):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            made.execute(broken)
    made.close()
    fresh.close()


# --- not backwards ---------------------------------------------------------------------------------


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """A store that a later version wrote."""
    path = tmp_path / "newer.db"
    with upheld.open(path, embedder=None) as memory:
        memory.remember("The plan is kept.")
    with sqlite3.connect(path) as later:
        later.execute("insert into migration values (907, '907_from_the_future')")
    later.close()
    return path


@pytest.mark.parametrize("flags", [None, apsw.SQLITE_OPEN_READONLY], ids=["to write", "read-only"])
def test_a_store_of_a_later_version_is_refused_by_name(
    newer: Path, monkeypatch: pytest.MonkeyPatch, flags: int | None
) -> None:
    if flags is not None:
        monkeypatch.setattr(sqlite.apsw, "Connection", partial(apsw.Connection, flags=flags))
    with pytest.raises(Misconfigured, match=r"newer Upheld \(migration 907\); upgrade"):
        upheld.open(newer, embedder=None)
    with sqlite3.connect(newer) as later:
        later.execute("delete from migration where number = 907")
    later.close()
    with upheld.open(newer, embedder=None) as memory:
        assert [note.statement for note in memory.recall("plan").upheld] == ["The plan is kept."]


@pytest.mark.parametrize("found", ["3.40.1", "3.51.2", "3.9.0"])
def test_an_sqlite_that_may_damage_a_store_is_refused_and_the_cure_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: str
) -> None:
    monkeypatch.setattr(sqlite.apsw, "sqlite_lib_version", lambda: found)
    with pytest.raises(Misconfigured, match=f"SQLite {found} is too old.*pip install -U apsw"):
        upheld.open(tmp_path / "new.db", embedder=None)
    assert not [*tmp_path.iterdir()]


def test_the_oldest_sqlite_that_is_good_enough_and_any_later_one_are_taken() -> None:
    require_sqlite(".".join(map(str, OLDEST_SQLITE)))
    require_sqlite("3.100.0")
    require_sqlite(apsw.sqlite_lib_version())


# --- several at once -------------------------------------------------------------------------------

OPEN = """
import sys, upheld
print("ready", flush=True)
sys.stdin.readline()
with upheld.open(sys.argv[1], embedder=None) as memory:
    memory.remember(f"Process {sys.argv[2]} was here.", extract_key=False)
"""


def test_processes_that_open_a_new_file_at_one_moment_all_find_one_store(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    source = Path(upheld.__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": str(source)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, str(path), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for number in range(PROCESSES)
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in started:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    failed = [err for process in started for err in [process.communicate(timeout=60)[1]] if process.returncode]
    assert not failed
    with upheld.open(path, embedder=None) as memory:
        assert len(memory.list("default").notes) == PROCESSES
    made = apsw.Connection(str(path))
    assert made.execute("select count(*) from migration").get == len(migrations())
    made.close()


# --- what is no store ------------------------------------------------------------------------------


def foreign(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("create table invoice (amount integer)")
    other.close()


def marked(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("pragma application_id = 42")
        other.execute("create table note (id integer)")
    other.close()


NO_STORE = {
    "a database of another program": foreign,
    "a database that says whose it is": marked,
    "a text": lambda path: path.write_text("Dear diary, " * 200, encoding="utf-8"),
    "a short text": lambda path: path.write_text("Dear diary", encoding="utf-8"),
    "one byte": lambda path: path.write_bytes(b"\0"),
    "nothing": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("kind", NO_STORE)
def test_what_is_no_store_is_refused_and_not_touched(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "other.db"
    NO_STORE[kind](path)
    before = path.read_bytes()
    with pytest.raises(Corrupt, match="not a store"):
        upheld.open(path, embedder=None)
    assert path.read_bytes() == before
    with upheld.open(tmp_path / "good.db", embedder=None) as memory:
        assert memory.remember("The control is made.").outcome == "added"
