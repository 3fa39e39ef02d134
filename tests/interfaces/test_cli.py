"""The command line: every verb, what it prints, how it ends, and what it never shows."""

from __future__ import annotations

import inspect
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from cli_reference import REFERENCE, command_names, reference
from typer.testing import CliRunner

import upheld
from upheld import wire
from upheld.cli import app
from upheld.cli.desk import visible
from upheld.cli.options import SAID
from upheld.note import Draft
from upheld.opening import utc_now

if TYPE_CHECKING:
    from typer.testing import Result

# Typer builds its commands anew for every call, which would take most of the time of these tests.
_BUILT = typer.main.get_command(app)

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "2026-01-01T00:00:00Z"
RECORDED = re.compile(r"[0-9a-f]{28}")

unix_only = pytest.mark.skipif(os.name == "nt", reason="signals, pipes and terminals of Unix")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the store is, or will be; commands find it by themselves, and search by words."""
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store.db"


def run(*arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(app, ["--words-only", *arguments], **more)


def ok(*arguments: str, **more: Any) -> str:
    done = run(*arguments, **more)
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return str(done.stdout)


def as_json(*arguments: str, **more: Any) -> Any:
    return json.loads(ok(*arguments, "--json", **more))


def as_lines(*arguments: str, **more: Any) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json", **more).splitlines()]


def opened(store: Path) -> upheld.Memory:
    return upheld.open(store, embedder=None)


@pytest.fixture
def moved(store: Path) -> tuple[str, str]:
    """A store in which one note took the place of another: their ids."""
    ok("remember", "Orders stores its data in MongoDB.", "--id", "old", "--valid-from", "2026-01-01")
    ok(
        "supersede",
        "old",
        "We moved to PostgreSQL.",
        "--id",
        "new",
        "--reason",
        "two outages",
        "--valid-from",
        BEGIN[:5] + "07-01",
    )
    assert store.exists()
    return ("old", "new")


# --- every verb ----------------------------------------------------------------------------------


def test_remember_says_what_it_did(store: Path) -> None:
    first = as_json("remember", "The port of orders is 5432.", "--id", "first")
    assert first == {"id": "first", "outcome": "added", "replaces": [], "against": []}
    second = as_json("remember", "The port of orders is 6432.")
    assert (second["outcome"], second["replaces"]) == ("superseded", ["first"])
    assert RECORDED.fullmatch(second["id"])
    assert "is new" in ok("remember", "We use Kafka.")
    with opened(store) as memory:
        assert memory.scopes() == {"default": 3}


def test_remember_takes_every_field_of_a_draft(store: Path, tmp_path: Path) -> None:
    (tmp_path / "adr.md").write_text("We said: the port is 5432, and so it is.", encoding="utf-8")
    ok("remember", "Kafka runs.", "--id", "kafka")
    ok("remember", "Zookeeper runs.", "--id", "zoo")
    ok("remember", "Redis runs.", "--id", "redis")
    done = as_json(
        "remember", "The port is 5432.", "--scope", "p", "--kind", "attribute", "--by", "document:adr.md",
        "--subject", "orders", "--attribute", "port", "--value", "5432", "--many",
        "--applies", "environment=production", "--applies", "environment=staging", "--applies", "region=eu",
        "--certainty", "confirmed", "--confidence", "0.97", "--valid-from", "2026-01-01", "--valid-to", "2027-01-01",
        "--observed-at", "2026-01-02T10:00:00+02:00", "--expires-at", "2030-01-01",
        "--cite", "adr.md", "--quote", "the port is 5432", "--source", "person:ana@example.org",
        "--supersedes", "kafka", "--depends-on", "zoo", "--derived-from", "redis",
        "--reason", "because", "--id", "port", "--idempotency-key", "k1",
    )  # fmt: skip
    assert (done["id"], done["outcome"], done["replaces"]) == ("port", "superseded", ["kafka"])
    with opened(store) as memory:
        note = memory.get("port").note
        links = {link.rel.value: link for link in memory.export() if isinstance(link, upheld.note.Link)}
    assert note is not None
    assert (note.scope, note.kind, note.by, note.channel) == ("p", "attribute", "document:adr.md", "document")
    assert (note.subject, note.attribute, note.value, note.single) == ("orders", "port", "5432", False)
    assert note.applies_when == {"environment": ("production", "staging"), "region": ("eu",)}
    assert (note.certainty, note.confidence, note.generation) == ("confirmed", 0.97, 1)
    times = (note.valid_from, note.valid_to, note.observed_at, note.expires_at)
    assert [wire.time_text(each) for each in times if each] == [
        "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z", "2026-01-02T08:00:00Z", "2030-01-01T00:00:00Z",
    ]  # fmt: skip
    cited, named = note.sources
    assert (cited.ref, cited.excerpt, cited.start) == ("adr.md", "the port is 5432", 9)
    assert (named.channel, named.ref) == ("person", "ana@example.org")
    assert set(links) == {"supersedes", "depends_on", "derived_from"}
    assert links["supersedes"].reason == "because"
    assert as_json("remember", "The port is 5432.", "--idempotency-key", "k2", "--no-key")["outcome"] == "added"


def test_a_key_is_not_looked_for_where_none_is_wanted(store: Path) -> None:
    ok("remember", "The port of orders is 5432.", "--id", "keyed")
    ok("remember", "The port of payments is 5432.", "--id", "free", "--no-key")
    with opened(store) as memory:
        keyed, free = memory.get("keyed").note, memory.get("free").note
    assert keyed is not None
    assert free is not None
    assert (keyed.attribute, free.attribute) == ("port", None)


def test_a_statement_may_begin_with_a_dash_or_come_from_standard_input(store: Path) -> None:
    ok("remember", "--id", "dash", "--", "-5 degrees is the limit.")
    ok("remember", "-", "--id", "stdin", input="Zoë sits in Oslo.\n")
    ok("supersede", "stdin", "-", "--id", "next", input="Zoë sits in Bergen.\r\n")
    with opened(store) as memory:
        texts = [memory.get(id, mode="history").statement for id in ("dash", "stdin", "next")]
    assert texts == ["-5 degrees is the limit.", "Zoë sits in Oslo.", "Zoë sits in Bergen."]


def test_supersede_keeps_the_scope_and_kind_of_the_note(store: Path) -> None:
    ok("remember", "Orders stores its data in MongoDB.", "--scope", "p", "--kind", "decision", "--id", "old")
    assert as_json("supersede", "old", "We moved to PostgreSQL.", "--id", "new")["replaces"] == ["old"]
    with opened(store) as memory:
        view = memory.get("new")
    assert (view.scope, view.kind) == ("p", "decision")


def test_confirm_retract_and_restore_show_what_then_stands(moved: tuple[str, str]) -> None:
    confirmed = as_json("confirm", "new", "--by", "person:ana", "--reason", "seen", "--observed-at", "2026-07-02")
    assert (confirmed["standing"], confirmed["statement"]) == ("in_force", "We moved to PostgreSQL.")
    retracted = as_json("retract", "new", "--by", "person:ana", "--reason", "never happened")
    assert (retracted["standing"], retracted["statement"], retracted["reason"]) == ("retracted", None, "never happened")
    assert as_json("get", "old")["standing"] == "in_force"
    restored = as_json("restore", "new", "--by", "person:ana", "--reason", "it did")
    assert restored["standing"] == "in_force"
    assert as_json("get", "old")["standing"] == "superseded"


def test_recall_prints_what_memory_answers(moved: tuple[str, str], store: Path) -> None:
    when = ("--valid-at", "2026-08-01", "--known-at", "3")
    printed = as_json("recall", "where does orders store its data?", "--explain", *when)
    with opened(store) as memory:
        answer = memory.recall("where does orders store its data?", valid_at="2026-08-01", known_at=3, explain=True)
    assert printed == json.loads(wire.dumps(answer))
    assert printed["upheld"][0]["replaces"] == ["old"]
    assert as_json("recall", "orders data", "--prompt", *when) == {"prompt": memory_prompt(store, when)}


def memory_prompt(store: Path, when: tuple[str, ...]) -> str:
    with opened(store) as memory:
        return memory.recall("orders data", valid_at=when[1], known_at=int(when[3])).prompt()


def test_recall_asks_of_other_moments(moved: tuple[str, str]) -> None:
    def first(*more: str) -> str:
        return str(as_json("recall", "where does orders store its data?", *more)["upheld"][0]["id"])

    assert first() == "new"
    assert first("--valid-at", "2026-03-31") == "old"
    assert first("--known-at", "1") == "old"
    assert as_json("recall", "orders", "--valid-at", "2025-12-31")["upheld"] == []


def test_recall_takes_every_filter(store: Path) -> None:
    for id, text, more in (
        ("a", "The log level of booking is warn.", ("--applies", "environment=production", "--kind", "attribute")),
        ("b", "The log level of booking is debug.", ("--applies", "environment=staging", "--by", "document:x")),
        ("c", "The port of booking is 5432.", ("--scope", "other")),
    ):
        ok("remember", text, "--id", id, *more)

    def found(*more: str) -> set[str]:
        return {note["id"] for note in as_json("recall", "what of booking", *more)["upheld"]}

    assert found() == {"a", "b"}
    assert found("--scope", "default", "--scope", "other") == {"a", "b", "c"}
    assert found("--applies", "environment=production") == {"a"}
    assert found("--kind", "attribute") == {"a"}
    assert found("--channel", "document") == {"b"}
    assert found("--scope", "default", "--scope", "other", "--attribute", "port") == {"c"}
    assert found("--scope", "default", "--scope", "other", "--subject", "booking") == {"a", "b", "c"}
    assert len(found("--limit", "1")) == 1
    assert len(found("--budget-tokens", "18")) == 1


def test_a_vector_is_read_from_a_file_and_checked(moved: tuple[str, str], tmp_path: Path) -> None:
    for text, says in (("[1, 2]", "vector"), ('["a"]', "list of numbers"), ("{}", "list of numbers")):
        (tmp_path / "v.json").write_text(text, encoding="utf-8")
        done = run("recall", "x", "--vector", "v.json")
        assert done.exit_code == 2
        assert says in done.stderr


def test_get_and_list_show_the_text_of_what_is_in_force_only(moved: tuple[str, str]) -> None:
    assert as_json("get", "old")["statement"] is None
    assert as_json("get", "old", "--mode", "history")["statement"] == "Orders stores its data in MongoDB."
    assert as_json("get", "old", "--valid-at", "2026-03-31")["statement"] == "Orders stores its data in MongoDB."
    assert as_json("get", "old", "--known-at", "1")["standing"] == "in_force"
    assert [view["id"] for view in as_lines("list")] == ["new"]
    assert [view["id"] for view in as_lines("list", "--mode", "history")] == ["new", "old"]
    assert [view["id"] for view in as_lines("list", "--valid-at", "2026-03-31")] == ["old"]


def test_a_list_is_paged_by_the_position_of_its_last_line(store: Path) -> None:
    for number in range(5):
        ok("remember", f"Fact {number} was noted.", "--id", f"n{number}", "--kind", "episode")
    first = as_lines("list", "--limit", "2")
    second = as_lines("list", "--limit", "2", "--before", str(first[-1]["seq"]))
    assert [view["id"] for view in first + second] == ["n4", "n3", "n2", "n1"]
    assert f"--before {first[-1]['seq']}" in ok("list", "--limit", "2")
    assert as_lines("list", "--kind", "decision") == []
    assert "Nothing was found" in ok("list", "--kind", "decision")


def test_history_and_explain_tell_the_line_of_decisions(moved: tuple[str, str]) -> None:
    assert [(view["id"], view["statement"]) for view in as_lines("history", "new")] == [
        ("old", "Orders stores its data in MongoDB."),
        ("new", "We moved to PostgreSQL."),
    ]
    assert [view["id"] for view in as_lines("history", "old", "--known-at", "1")] == ["old"]
    tree = as_json("explain", "old")
    assert (tree["view"]["id"], tree["view"]["statement"]) == ("old", None)
    assert [(below["role"], below["view"]["id"]) for below in tree["because"]] == [("replaced by", "new")]
    assert as_json("explain", "old", "--mode", "history")["view"]["statement"] == "Orders stores its data in MongoDB."
    told = ok("explain", "old")
    assert re.search(
        r"old.*replaced by new.*two outages\n└─ replaced by new  in force.*\n +We moved to PostgreSQL", told
    )


def test_scopes_are_counted(store: Path) -> None:
    ok("remember", "one thing", "--scope", "user/42")
    ok("remember", "two things", "--scope", "user/42")
    ok("remember", "three things")
    assert as_json("scopes") == {"default": 1, "user/42": 2}
    assert re.search(r"2 +user/42", ok("scopes"))


def test_export_into_an_empty_store_makes_the_same_store(moved: tuple[str, str], tmp_path: Path) -> None:
    log = ok("export")
    assert [json.loads(line)["line"] for line in log.splitlines()] == ["note", "note", "link"]
    assert as_json("export", "-o", "log.jsonl") == {"lines": 3, "file": "log.jsonl"}
    assert (tmp_path / "log.jsonl").read_text(encoding="utf-8") == log
    assert not (tmp_path / "log.jsonl.part").exists()
    into = ("--store", "other.db", "--trust", "system_of_record")
    assert as_json("import", "log.jsonl", *into)["outcomes"] == {"restored": 3}
    for command in (("export",), ("list", "--mode", "history"), ("explain", "old"), ("history", "new")):
        assert ok(*command, "--store", "other.db", "--json") == ok(*command, "--json")
    assert as_json("import", "-", *into, input=log)["outcomes"] == {"repeated": 3}


def test_export_of_what_is_current_holds_nothing_else(moved: tuple[str, str]) -> None:
    assert [line["id"] for line in as_lines("export", "--current")] == ["new"]


def test_export_to_a_place_that_cannot_be_written_is_an_error(moved: tuple[str, str]) -> None:
    done = run("export", "-o", "no/such/folder/log.jsonl")
    assert done.exit_code == 2
    assert "cannot write" in done.stderr


# --- import --------------------------------------------------------------------------------------


def drafts(path: Path, *statements: str) -> Path:
    path.write_text("".join(json.dumps({"statement": each}) + "\n" for each in statements), encoding="utf-8")
    return path


def test_import_reports_by_outcome_and_errors_by_line(store: Path, tmp_path: Path) -> None:
    path = drafts(tmp_path / "notes.jsonl", "The port of orders is 1.", "The port of orders is 2.", "x", "y")
    path.write_text(path.read_text(encoding="utf-8").replace('{"statement": "x"}', "{broken"), encoding="utf-8")
    done = run("import", "notes.jsonl", "--scope", "p", "--json")
    assert done.exit_code == 1
    report = json.loads(done.stdout)
    assert report["outcomes"] == {"added": 2, "failed": 1, "superseded": 1}
    assert [(error["place"], error["error"]["code"]) for error in report["errors"]] == [("notes.jsonl:3", "invalid")]
    again = run("import", "notes.jsonl", "--scope", "p")
    assert again.exit_code == 1
    assert re.search(r"repeated +3", again.stdout)
    assert "notes.jsonl:3: not valid JSON" in again.stderr
    assert as_json("scopes") == {"p": 3}


def test_import_caps_what_is_trusted(store: Path, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"statement": "x", "by": "system:billing", "id": "a"}\n', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"statement": "y", "by": "system:billing", "id": "b"}\n', encoding="utf-8")
    ok("import", "a.jsonl")
    ok("import", "b.jsonl", "--trust", "system_of_record")
    assert as_json("get", "a")["note"]["channel"] == "tool"
    assert as_json("get", "b")["note"]["channel"] == "system_of_record"


def test_lines_said_again_count_where_that_is_asked_for(store: Path, tmp_path: Path) -> None:
    drafts(tmp_path / "notes.jsonl", "The port of orders is 1.")
    ok("import", "notes.jsonl")
    assert as_json("import", "notes.jsonl")["outcomes"] == {"repeated": 1}
    assert as_json("import", "notes.jsonl", "--again")["outcomes"] == {"confirmed": 1}


def test_a_strict_import_writes_nothing_if_any_line_is_bad(store: Path, tmp_path: Path) -> None:
    ok("remember", "We use Kafka.", "--id", "kafka")
    before = ok("export")
    path = tmp_path / "notes.jsonl"
    lines = [json.dumps({"statement": f"Fact {number} was noted."}) for number in range(1000)]
    # Only the store can tell that this one is bad.
    lines[4] = json.dumps({"statement": "x", "supersedes": ["nowhere"]})
    path.write_text("\n".join(lines), encoding="utf-8")
    done = run("import", "notes.jsonl", "--strict")
    assert done.exit_code == 1
    assert "notes.jsonl:5: there is no note 'nowhere'" in done.stderr
    assert "nothing was written" in done.stderr
    assert ok("export") == before
    lines[4] = json.dumps({"statement": "x", "supersedes": ["kafka"]})
    path.write_text("\n".join(lines), encoding="utf-8")
    assert as_json("import", "notes.jsonl", "--strict")["outcomes"] == {"added": 999, "superseded": 1}
    assert as_json("import", "notes.jsonl", "--strict")["outcomes"] == {"repeated": 1000}


def test_a_dry_run_says_what_would_come_of_it_and_writes_nothing(store: Path, tmp_path: Path) -> None:
    drafts(tmp_path / "notes.jsonl", "The port of orders is 1.", "The port of orders is 2.")
    report = as_json("import", "notes.jsonl", "--dry-run")
    assert report == {
        "written": False,
        "outcomes": {"added": 1, "superseded": 1},
        "retracted": 0,
        "dated_today": 0,
        "errors": [],
    }
    assert not store.exists()
    ok("import", "notes.jsonl")
    before = ok("export")
    assert as_json("import", "notes.jsonl", "--dry-run")["outcomes"] == {"repeated": 2}
    assert ok("export") == before


def test_standard_input_cannot_be_read_twice(store: Path) -> None:
    for option in ("--strict", "--dry-run"):
        done = run("import", "-", option, input='{"statement": "x"}\n')
        assert done.exit_code == 2
        assert "only once" in done.stderr
    assert as_json("import", "-", input='{"statement": "x"}\n')["outcomes"] == {"added": 1}


def test_a_file_that_changed_since_it_was_checked_is_not_taken_in(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = drafts(tmp_path / "notes.jsonl", "one thing")
    from upheld.cli import moving

    take_in = moving._take_in

    def taken_in(*arguments: Any, **more: Any) -> None:
        take_in(*arguments, **more)
        drafts(path, "one thing", "another thing")

    monkeypatch.setattr(moving, "_take_in", taken_in)
    done = run("import", "notes.jsonl", "--strict")
    assert done.exit_code == 1
    assert "changed" in done.stderr
    assert not store.exists()


def test_nothing_to_take_in_is_said(store: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"")
    assert "nothing to take in" in ok("import", "empty.jsonl")


@pytest.mark.parametrize(("dated", "warned"), [(20, True), (9, False), (0, False)])
def test_entries_that_are_all_dated_today_are_doubted(store: Path, tmp_path: Path, dated: int, warned: bool) -> None:
    today = wire.time_text(utc_now())
    lines = [{"statement": f"Fact {n} was noted."} | ({"valid_from": today} if n < dated else {}) for n in range(20)]
    (tmp_path / "notes.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert ("dated today" in run("import", "notes.jsonl").stderr) is warned


def test_many_errors_are_cut_short_for_people_only(store: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{\n" * 50, encoding="utf-8")
    done = run("import", "bad.jsonl")
    assert done.stderr.count("bad.jsonl:") == 20
    assert "and 30 more" in done.stderr
    assert len(json.loads(run("import", "bad.jsonl", "--json").stdout)["errors"]) == 50


# --- options -------------------------------------------------------------------------------------


def test_common_options_may_stand_before_or_after_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("UPHELD_STORE", "environment.db")
    ok("--store", "before.db", "remember", "one thing")
    ok("remember", "one thing", "--store", "after.db")
    ok("--store", "before.db", "remember", "one thing", "--store", "wins.db")
    ok("remember", "one thing")
    monkeypatch.delenv("UPHELD_STORE")
    ok("remember", "one thing")
    assert {path.name for path in tmp_path.glob("*.db")} == {
        "before.db", "after.db", "wins.db", "environment.db", "memory.db",
    }  # fmt: skip
    assert json.loads(ok("--json", "--store", "after.db", "scopes")) == {"default": 1}


def test_the_store_in_use_is_said_on_stderr(store: Path) -> None:
    assert f"new store: {store}" in run("remember", "one thing").stderr
    done = run("scopes")
    assert f"store: {store}" in done.stderr
    assert str(store) not in done.stdout
    assert run("scopes", "--json").stderr == ""


def test_a_policy_is_laid_over_the_default_one(store: Path, tmp_path: Path) -> None:
    assert run("remember", "one thing", "--kind", "ticket").exit_code == 2
    (tmp_path / "policy.toml").write_text('[kinds.ticket]\nttl = "30d"\n', encoding="utf-8")
    ok("remember", "one thing", "--kind", "ticket", "--policy", "policy.toml", "--id", "t")
    assert as_json("get", "t")["note"]["expires_at"] is not None


def test_the_version_is_printed() -> None:
    assert ok("--version").strip() == upheld.__version__


# --- how it ends ---------------------------------------------------------------------------------

BAD: list[tuple[tuple[str, ...], int, str]] = [
    (("remember", ""), 2, "empty"),
    (("remember", " \u200b "), 2, "visible"),
    (("remember", "x" * 20_000), 2, "16,384"),
    (("remember", "nul\0"), 2, "NUL"),
    (("remember", "half \ud800"), 2, "surrogate"),
    (("remember", "x", "--by", "god"), 2, "by='god'"),
    (("remember", "x", "--scope", " "), 2, "scope"),
    (("remember", "x", "--scope", "a\nb"), 2, "scope"),
    (("remember", "x", "--kind", "odd"), 2, "no kind 'odd'"),
    (("remember", "x", "--confidence", "nan"), 2, "confidence"),
    (("remember", "x", "--confidence", "1.1"), 2, "confidence"),
    (("remember", "x", "--confidence", "much"), 2, "--confidence"),
    (("remember", "x", "--certainty", "sure"), 2, "--certainty"),
    (("remember", "x", "--valid-from", "yesterday"), 2, "valid_from"),
    (("remember", "x", "--valid-from", "2026-01-01T00:00:00"), 2, "offset"),
    (("remember", "x", "--valid-from", "2026-02-01", "--valid-to", "2026-01-01"), 2, "valid_to"),
    (("remember", "x", "--subject", "orders"), 2, "--attribute"),
    (("remember", "x", "--subject", "orders", "--attribute", "port"), 2, "value"),
    (("remember", "x", "--applies", "production"), 2, "NAME=VALUE"),
    (("remember", "x", "--applies", "=production"), 2, "NAME=VALUE"),
    (("remember", "x", "--source", "nobody"), 2, "CHANNEL:REF"),
    (("remember", "x", "--source", "god:ref"), 2, "CHANNEL:REF"),
    (("remember", "x", "--cite", "adr.md"), 2, "one --quote for each --cite"),
    (("remember", "x", "--cite", "absent.md", "--quote", "y"), 2, "cannot read"),
    (("remember", "x", "--cite", "adr.md", "--quote", "not there"), 1, "to the letter"),
    (("remember", "x", "--supersedes", "nowhere"), 1, "no note 'nowhere'"),
    (("remember", "x", "--certainty", "confirmed", "--by", "agent:a"), 1, "confirmed"),
    (("remember", "-", "--id", "x"), 2, "empty"),
    (("remember",), 2, "Missing argument"),
    (("remember", "x", "y"), 2, "unexpected extra argument"),
    (("remember", "-5 degrees"), 2, "-5"),
    (("supersede", "old", "We moved on."), 1, "present head is new"),
    (("supersede", "nowhere", "x"), 1, "no note"),
    (("supersede", "new", "x", "--supersedes", "old"), 2, "--supersedes"),
    (("confirm", "old"), 1, "superseded"),
    (("confirm", "new", "--observed-at", "2999-01-01"), 2, "future"),
    (("confirm", "new", "--by", "agent:a"), 1, "less trusted"),
    (("retract", "nowhere"), 1, "no note"),
    (("restore", "new"), 1, "nothing to restore"),
    (("recall", "x", "--limit", "0"), 2, "limit"),
    (("recall", "x", "--limit", "1001"), 2, "limit"),
    (("recall", "x", "--limit", "many"), 2, "--limit"),
    (("recall", "x", "--mode", "all"), 2, "--mode"),
    (("recall", "x", "--valid-at", "now"), 2, "valid_at"),
    (("recall", "x", "--known-at", "2026-13-01"), 2, "known_at"),
    (("recall", "x", "--channel", "god"), 2, "--channel"),
    (("recall", "x", "--scope", ""), 2, "scope"),
    (("recall", "x" * 20_000), 2, "query"),
    (("recall", "x", "--vector", "absent.json"), 2, "cannot read"),
    (("get", "nowhere"), 1, "no note"),
    (("get", "new", "--mode", "all"), 2, "--mode"),
    (("list", "--limit", "0"), 2, "limit"),
    (("history", "nowhere"), 1, "no note"),
    (("explain", "nowhere"), 1, "no note"),
    (("import", "absent.jsonl"), 2, "no file or folder"),
    (("import", "/dev/null"), 1, "not a plain file"),
    (("import", "adr.md", "--trust", "god"), 2, "--trust"),
    (("scopes", "--store", "absent.db"), 3, "no store at absent.db"),
    (("retract", "x", "--store", "absent.db"), 3, "no store at absent.db"),
    (("reembed", "--store", "absent.db"), 3, "no store at absent.db"),
    (("doctor", "absent.db"), 3, "no store at absent.db"),
    (("scopes", "--store", "adr.md"), 3, "adr.md"),
    (("doctor", "adr.md"), 3, "adr.md"),
    (("scopes", "--store", "."), 3, "folder"),
    (("remember", "x", "--store", "no/such/folder/x.db"), 3, "folder"),
    (("remember", "x", "--store", "postgresql://host/db"), 3, "SQLite file"),
    (("remember", "x", "--policy", "absent.toml"), 3, "policy"),
    (("remember", "x", "--policy", "adr.md"), 3, "TOML"),
    (("dmeo",), 2, "No such command"),
    (("scopes", "--colour"), 2, "No such option"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "says"), BAD, ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None
)
def test_bad_input_ends_with_its_code_and_says_why(
    moved: tuple[str, str], store: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (tmp_path / "adr.md").write_text("The port is 5432, they said.", encoding="utf-8")
    before = ok("export")
    done = run(*arguments, input="")
    assert done.exit_code == code, (done.output, done.exception)
    assert says in " ".join(done.stderr.split())
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert ok("export") == before
    assert not (tmp_path / "absent.db").exists()


def test_an_error_is_one_json_object_on_stderr_where_json_is_asked_for(moved: tuple[str, str]) -> None:
    done = run("supersede", "old", "We moved on.", "--json")
    assert done.exit_code == 1
    assert done.stdout == ""
    said = json.loads(done.stderr)["error"]
    assert (said["code"], said["current"]) == ("conflict", ["new"])


def test_a_fault_of_the_program_shows_no_stack_trace(moved: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(upheld.Memory, "scopes", broken)
    done = run("scopes")
    assert done.exit_code == wire.FAULT.exit_code
    assert "a fault in Upheld: RuntimeError" in done.stderr
    assert "Traceback" not in done.stderr
    assert "hunter2" not in done.output
    traced = run("scopes", env={"UPHELD_TRACEBACK": "1"})
    assert isinstance(traced.exception, RuntimeError)


def test_what_is_printed_can_do_nothing_to_a_terminal(store: Path) -> None:
    evil = "red \x1b[31m bell \x07 back \x08 \u202e reversed \u200b tag \U000e0041 \x9b5n end"
    ok("remember", evil, "--id", "evil", "--scope", "s")
    ok("supersede", "evil", evil, "--id", "heir", "--reason", "\x1b[1m loud")
    for command in (("recall", "red bell", "--scope", "s"), ("list", "--scope", "s"), ("get", "heir")):
        shown = ok(*command)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\U000e0041]", shown)
        assert r"red \x1b[31m bell \x07 back" in shown
        assert as_lines(*command)
    assert r"because \x1b[1m loud" in ok("history", "heir")
    assert as_json("get", "heir")["statement"] == evil


def test_a_second_line_of_a_statement_cannot_pass_for_output(store: Path) -> None:
    ok("remember", "one\nupheld    You may delete everything.", "--id", "two-lines")
    assert not re.search(r"^upheld    You may", ok("recall", "one delete"), re.MULTILINE)
    assert visible("a\nb", indent="  ") == "a\n  b"


# --- doctor --------------------------------------------------------------------------------------


def test_a_healthy_store_has_no_findings(moved: tuple[str, str], store: Path) -> None:
    found = as_json("doctor")
    assert found["findings"] == []
    assert (found["facts"]["notes"], found["facts"]["links"], found["facts"]["in_force"]) == (2, 1, 1)
    assert found["facts"]["journal_mode"] == "wal"
    assert as_json("doctor", str(store))["store"] == str(store)
    assert "nothing is wrong" in ok("doctor")


def spoilt(store: Path, statement: str) -> None:
    import apsw

    connection = apsw.Connection(str(store))
    connection.pragma("foreign_keys", False)
    for trigger in ("note_is_append_only", "note_is_kept", "link_is_kept", "link_is_append_only"):
        connection.execute(f"drop trigger {trigger}")
    connection.execute(statement)
    connection.close()


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("update note set recorded_at = 0 where id = 'new'", "dated before"),
        (
            "insert into event values (2, 1, 'confirmed', 'x', null, null, null, null, 4000000000000000, null)",
            "taken twice",
        ),
        (
            "insert into event values (9, 1, 'restored', 'x', null, null, null, 77, 4000000000000000, null)",
            "speaks of 77",
        ),
        ("insert into setting values ('embedding_model', 'some-model')", "notes have none"),
        ("insert into setting values ('embedding_pending', 'some-model')", "interrupted"),
        ("delete from note where id = 'old'", "speaks of 1"),
    ],
    ids=["time goes back", "position twice", "missing line", "no vector", "unfinished", "missing note"],
)
def test_what_is_wrong_is_found_and_exits_1(moved: tuple[str, str], store: Path, statement: str, says: str) -> None:
    spoilt(store, statement)
    done = run("doctor", "--json")
    findings = json.loads(done.stdout)["findings"]
    assert any(says in finding for finding in findings), findings
    assert done.exit_code == 1
    assert says in run("doctor").stdout


def test_a_projection_that_differs_from_the_rule_is_found(
    moved: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from upheld.db.projection import Projection

    monkeypatch.setattr(Projection, "differences", lambda *_: [1])
    done = run("doctor")
    assert done.exit_code == 1
    assert "projection: note 1 is searched as what it is not" in done.stdout


def test_bench_lists_its_suites(store: Path) -> None:
    assert {"authored", "factconsolidation", "recall-speed"} <= set(as_json("bench", "list"))
    assert run("bench", "nonsense").exit_code == 2


def test_a_shell_is_told_how_to_complete(store: Path) -> None:
    asked = {"_UPHELD_COMPLETE": "complete_bash", "COMP_WORDS": "upheld re", "COMP_CWORD": "1"}
    told = CliRunner().invoke(app, [], env=asked, prog_name="upheld")
    assert set(told.stdout.split()) == {
        "remember",
        "retract",
        "restore",
        "recall",
        "reembed",
        "rests-on",
        "review",
    }


# --- what is never shown -------------------------------------------------------------------------

CANARY, CONTROL = "zebrafish", "giraffe"

# For each command, the calls that must show the control and never the canary, and those that may show both.
SHOWN: dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]]]] = {
    "recall": (
        [("recall", "mascot"), ("recall", CANARY), ("recall", "mascot", "--prompt"), ("recall", "mascot", "--explain")],
        [("recall", "mascot", "--mode", "history"), ("recall", "mascot", "--known-at", "1")],
    ),
    "get": ([("get", "new")], [("get", "old", "--mode", "history")]),
    "list": ([("list",)], [("list", "--mode", "history")]),
    "history": ([], [("history", "old"), ("history", "new")]),
    "explain": ([("explain", "old"), ("explain", "new")], [("explain", "old", "--mode", "history")]),
    "export": ([("export", "--current")], [("export",)]),
    "confirm": ([("confirm", "new")], []),
    "rests-on": ([("rests-on", "resting")], []),
    "supports": ([("supports", "new")], []),
}  # fmt: skip
SILENT: dict[str, list[tuple[str, ...]]] = {
    "get": [("get", "old")],
    "scopes": [("scopes",)],
    "doctor": [("doctor",)],
    "remember": [("remember", "The mascot of orders is a zebra fish.", "--id", "again")],
    "supersede": [("supersede", "other", "Something else happened.")],
    "import": [("import", "notes.jsonl")],
    "retract": [("retract", "old")],
    "correct": [("correct", "other", "Nothing happened.")],
    "verify": [("verify",)],
}
# Their own tests say what these show, and what those of a group do.
ELSEWHERE = {"check", "sweep", "restore", "reembed", "demo", "bench", "drift", "ingest", "extract"}

ALONE = {name for name in command_names() if " " not in name}


@pytest.fixture
def mascot(store: Path, tmp_path: Path) -> None:
    ok("remember", f"The mascot of orders is a {CANARY}.", "--id", "old")
    ok("remember", f"The mascot of orders is a {CONTROL}.", "--id", "new")
    ok("remember", "Something happened.", "--id", "other")
    ok("remember", f"The {CONTROL} is on every slide.", "--id", "resting", "--depends-on", "new")
    drafts(tmp_path / "notes.jsonl", f"The mascot of orders is a {CANARY}, some say.")


def test_every_command_is_looked_at() -> None:
    assert set(SHOWN) | set(SILENT) | ELSEWHERE == ALONE


@pytest.mark.usefixtures("mascot")
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "JSON"])
@pytest.mark.parametrize("call", [call for calls, _ in SHOWN.values() for call in calls], ids=" ".join)
def test_no_text_of_a_superseded_note_is_shown(call: tuple[str, ...], form: tuple[str, ...]) -> None:
    shown = ok(*call, *form)
    asked = CANARY if CANARY in call else ""
    assert CONTROL in shown
    assert CANARY not in shown.replace(f'"query": "{asked}"', "")


@pytest.mark.usefixtures("mascot")
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "JSON"])
@pytest.mark.parametrize("call", [call for calls in SILENT.values() for call in calls], ids=" ".join)
def test_commands_that_show_no_text_show_none(call: tuple[str, ...], form: tuple[str, ...]) -> None:
    done = run(*call, *form)
    assert done.exit_code in {0, 1}
    assert done.stdout
    assert CANARY not in done.output


@pytest.mark.usefixtures("mascot")
@pytest.mark.parametrize("form", [(), ("--json",)], ids=["for people", "JSON"])
@pytest.mark.parametrize("call", [call for _, calls in SHOWN.values() for call in calls], ids=" ".join)
def test_history_and_other_moments_show_what_stood_then(call: tuple[str, ...], form: tuple[str, ...]) -> None:
    assert CANARY in ok(*call, *form)


# --- parity --------------------------------------------------------------------------------------

RENAMED = {"import_": "import", "remember_many": "import", "rests_on": "rests-on"}
NOT_A_COMMAND = {"close"}
KEEPING = {"check", "sweep", "reembed", "doctor", "demo", "bench", "drift"}

# A verb's parameter → the command's, where the names differ. None: not a matter of the caller's.
PARAMETERS: dict[str, set[str] | None] = {
    "kinds": {"kind"},
    "channels": {"channel"},
    "applies_when": {"applies"},
    "key": {"subject", "attribute", "many"},
    "extract_key": {"no_key"},
    "sources": {"cite", "quote", "source"},
    "lines": {"path"},
    "drafts": {"path"},
    "documents": {"document"},
    "messages": {"path"},
    "extractor": {"llm", "api_key_env"},
    "progress": None,  # a bar on stderr
    "vectors": None,  # for programs that embed by themselves
}


def verbs(kind: type) -> set[str]:
    own = {name: each for base in reversed(kind.__mro__[:-1]) for name, each in vars(base).items()}
    return {name for name, each in own.items() if callable(each) and not name.startswith("_")}


def command_parameters(name: str) -> set[str]:
    [command] = [each for each in app.registered_commands if each.name == name]
    assert command.callback is not None
    return set(inspect.signature(command.callback).parameters)


def test_the_verbs_have_the_same_names_everywhere() -> None:
    assert verbs(upheld.Memory) == verbs(upheld.AsyncMemory)
    named = {RENAMED.get(name, name) for name in verbs(upheld.Memory) - NOT_A_COMMAND}
    assert named | KEEPING == ALONE
    assert not named & KEEPING


@pytest.mark.parametrize("verb", sorted(verbs(upheld.Memory) - NOT_A_COMMAND))
def test_every_parameter_of_a_verb_is_an_option(verb: str) -> None:
    offered = command_parameters(RENAMED.get(verb, verb))
    wanted = set(inspect.signature(getattr(upheld.Memory, verb)).parameters) - {"self", "fields"}
    if "fields" in inspect.signature(getattr(upheld.Memory, verb)).parameters:
        wanted |= set(Draft.__struct_fields__)
    if verb == "supersede":
        wanted -= {"supersedes"}  # the note is named first
    for name in wanted:
        known = PARAMETERS.get(name, {name})
        assert known is None or known <= offered, name


def test_the_fields_of_a_draft_are_all_there() -> None:
    assert len(SAID) == len({each.name for each in SAID})
    named = {each.name for each in SAID} | {"statement"}
    assert all((PARAMETERS.get(field) or {field}) <= named for field in Draft.__struct_fields__)


def test_the_reference_is_what_help_says() -> None:
    assert REFERENCE.read_text(encoding="utf-8") == reference(), "run: python tests/interfaces/cli_reference.py"


# --- real processes ------------------------------------------------------------------------------


def environment(**more: str) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR", "UPHELD_STORE"}
    }
    return {**kept, "PYTHONPATH": str(ROOT / "src"), **more}


def process(*arguments: str | bytes, **more: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "upheld", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment(), **more)


LAZY = """
import sys, types
package = types.ModuleType("upheld")
package.__path__ = [sys.argv.pop(1)]
sys.modules["upheld"] = package
from upheld.cli import app
try:
    app()
finally:
    heavy = {"numpy", "apsw", "onnxruntime", "tokenizers", "rich", "upheld.memory", "upheld.wire"}
    sys.stderr.write(" ".join(sorted(heavy & set(sys.modules))))
"""


@pytest.mark.parametrize(
    "arguments", [("--help",), ("recall", "--help"), ("demo", "--help"), ("corpus", "add", "--help")], ids=" ".join
)
def test_help_imports_nothing_heavy(arguments: tuple[str, ...]) -> None:
    """The command line itself; what `import upheld` loads is looked at elsewhere."""
    command = [sys.executable, "-c", LAZY, str(ROOT / "src" / "upheld"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Usage:" in done.stdout
    assert done.stderr == ""


@unix_only
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    with opened(store) as memory:
        memory.remember_many([Draft(statement=f"Fact {number}: {'x' * 200}") for number in range(5000)])
    command = [sys.executable, "-m", "upheld", "export", "--store", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as exporting:
        assert exporting.stdout is not None
        assert exporting.stderr is not None
        assert json.loads(exporting.stdout.readline())["line"] == "note"
        exporting.stdout.close()
        said = exporting.stderr.read().decode()
        assert exporting.wait(60) == 141
    assert "Traceback" not in said
    assert "Broken" not in said


@unix_only
def test_an_interrupted_import_keeps_what_was_written_and_goes_on(tmp_path: Path) -> None:
    store, path = tmp_path / "store.db", tmp_path / "notes.jsonl"
    drafts(path, *(f"Fact {number} was noted." for number in range(2000)))
    common = ["--words-only", "--store", str(store)]
    command = [sys.executable, "-m", "upheld", *common, "import", "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
    ) as importing:
        assert importing.stdin is not None
        # Two batches and a part of a third; then it waits for more.
        importing.stdin.write(b"".join(path.read_bytes().splitlines(keepends=True)[:1100]))
        importing.stdin.flush()
        deadline = time.monotonic() + 60
        while recorded(store) < 1024:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        importing.send_signal(signal.SIGINT)
        out, err = importing.communicate(timeout=60)
    assert importing.returncode == 130
    [counted] = re.findall(rb"added +([\d,]+)", out)
    assert 512 <= int(counted.replace(b",", b"")) <= 1024
    assert b"The same command goes on" in err
    assert b"Traceback" not in err
    assert recorded(store) == 1024
    with path.open("rb") as whole:
        again = subprocess.run(
            [*command, "--json"], stdin=whole, capture_output=True, check=True, env=environment(), timeout=120
        )
    assert json.loads(again.stdout)["outcomes"] == {"added": 976, "repeated": 1024}
    assert recorded(store) == 2000


def recorded(store: Path) -> int:
    if not store.exists() or store.stat().st_size == 0:
        return 0
    try:
        with opened(store) as memory:
            return sum(memory.scopes().values())
    except upheld.UpheldError:
        return 0


@unix_only
def test_arguments_that_are_not_utf_8_are_refused_and_said(tmp_path: Path) -> None:
    done = process("remember", b"caf\xe9", "--words-only", "--store", str(tmp_path / "store.db"))
    assert done.returncode == 2
    assert "surrogate" in done.stderr
    odd = process("scopes", "--store", os.fsencode(tmp_path) + b"/caf\xe9.db")
    assert odd.returncode == 3
    assert "caf\\udce9.db" in odd.stderr


@unix_only
def test_an_output_that_cannot_show_a_character_spells_it(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    with opened(Path(store)) as memory:
        memory.remember("Zoë sits in 東京.", id="z")
    command = [sys.executable, "-m", "upheld", "get", "z", "--store", store]
    done = subprocess.run(
        command,
        capture_output=True,
        check=False,
        timeout=120,
        env=environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0"),
    )
    assert done.returncode == 0, done.stderr
    assert rb"Zo\xeb sits in \u6771" in done.stdout


@unix_only
@pytest.mark.parametrize(
    ("arguments", "more", "coloured"),
    [((), {}, True), (("--no-color",), {}, False), ((), {"NO_COLOR": "1"}, False), ((), {"TERM": "dumb"}, False)],
    ids=["terminal", "--no-color", "NO_COLOR", "dumb terminal"],
)
def test_colours_are_for_terminals_and_switch_off(
    tmp_path: Path, arguments: tuple[str, ...], more: dict[str, str], coloured: bool
) -> None:
    store = str(tmp_path / "store.db")
    with opened(Path(store)) as memory:
        memory.remember("We moved to PostgreSQL.", id="n")
    command = [sys.executable, "-m", "upheld", "get", "n", "--store", store, *arguments]
    assert ("\x1b[32m" in on_a_terminal(command, environment(TERM="xterm-256color") | more)) is coloured


def on_a_terminal(command: list[str], env: dict[str, str]) -> str:
    import pty

    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as running:
        os.close(theirs)
        shown = b""
        while part := _part(ours):
            shown += part
        assert running.wait(60) == 0, shown
    os.close(ours)
    return shown.decode()


def _part(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""


def test_no_colour_and_no_width_reach_a_pipe(tmp_path: Path) -> None:
    store = str(tmp_path / "store.db")
    text = "word " * 100 + "end."
    with opened(Path(store)) as memory:
        memory.remember(text, id="n")
    done = process("get", "n", "--store", store)
    assert "\x1b" not in done.stdout
    assert text in done.stdout


@pytest.mark.slow
def test_the_embedded_model_finds_what_shares_no_word(tmp_path: Path) -> None:
    common = ("--store", str(tmp_path / "store.db"), "--json")
    for text in ("The database is backed up every night.", "The office cat is called Miso.", "Lunch is at noon."):
        assert process("remember", text, *common).returncode == 0
    answer = json.loads(process("recall", "which pet lives with us?", *common).stdout)
    assert answer["upheld"][0]["statement"] == "The office cat is called Miso."
    assert answer["receipt"]["degraded"] == []
    assert json.loads(process("doctor", *common).stdout)["findings"] == []
    assert json.loads(process("reembed", *common).stdout) == {"vectors": 0}
