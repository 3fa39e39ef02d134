"""The demo: real imports, real answers, counted figures, and commands that work as they stand."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

import upheld
from upheld.cli import app
from upheld.cli.demo import asking
from upheld.cli.demo import record as records
from upheld.errors import Conflict, Misconfigured
from upheld.note import Draft, Standing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from typer.testing import Result

ROOT = Path(__file__).resolve().parents[2]
BOOK: dict[str, Any] = tomllib.loads((ROOT / "examples/pierhead/questions.toml").read_text(encoding="utf-8"))
ENTRIES = sorted((ROOT / "examples/pierhead").glob("*/*.md"))


def run(*arguments: str) -> Result:
    return CliRunner(env={"NO_COLOR": "1", "COLUMNS": "100"}).invoke(app, arguments)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("demo")
    before = Path.cwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


@pytest.fixture(scope="module")
def told(place: Path) -> Result:
    """The demo as people see it, with its picture; run once, with the embedded model."""
    return run("demo", "--svg", "demo.svg")


@pytest.fixture(scope="module")
def found(place: Path, told: Result) -> dict[str, Any]:
    """The demo as JSON, made anew over the store of the first run."""
    done = run("demo", "--json")
    assert done.stderr == ""
    result: dict[str, Any] = json.loads(done.stdout)
    return result


# --- with the embedded model ---------------------------------------------------------------------


def test_every_answer_is_the_one_that_the_record_expects(told: Result, found: dict[str, Any]) -> None:
    assert found["faults"] == []
    assert told.exit_code == 0, told.output


def test_every_question_of_the_record_is_asked(found: dict[str, Any]) -> None:
    assert [each["ask"] for each in found["asked"]] == [each["ask"] for each in BOOK["question"]]
    assert [each["ask"] for each in found["march"]] == [
        each["ask"] for each in BOOK["question"] if "expect_then" in each
    ]
    assert len(found["two_times"]) == len(BOOK["two_times"])
    assert found["direction"]["moves"] == BOOK["direction"]["moves"]


def test_the_figures_are_counted_from_the_answers(found: dict[str, Any]) -> None:
    counts = found["counts"]
    assert counts["questions"] == len(found["asked"])
    assert counts["plain_old_first"] == sum(each["plain"][0]["standing"] != "in_force" for each in found["asked"])
    assert counts["unexpected"] == len(found["faults"])


def test_plain_search_is_misled_and_upheld_is_not(found: dict[str, Any]) -> None:
    traps = {each["ask"]: each["plain_trap"] for each in BOOK["question"] if "plain_trap" in each}
    misled = {each["ask"]: each["plain"][0]["id"] for each in found["asked"] if each["ask"] in traps}
    assert sum(misled[ask] == trap for ask, trap in traps.items()) >= len(traps) - 2
    assert found["counts"]["plain_old_first"] >= 15
    assert found["counts"]["old_served"] == 0


def test_no_answer_delivers_a_text_that_does_not_stand(place: Path, found: dict[str, Any]) -> None:
    with upheld.open(found["store"], embedder=None) as memory:
        texts = {}
        for path in ENTRIES:
            text = path.read_text(encoding="utf-8").split("+++\n")[2].strip()
            id = tomllib.loads(path.read_text(encoding="utf-8").split("+++\n")[1])["id"]
            texts[id] = text
        gone = {id for id in texts if id not in standing_ids(memory)}
        assert 15 < len(gone) < len(texts) - 15
        for each in found["asked"]:
            delivered = json.dumps(each["answer"], ensure_ascii=False)
            assert not [id for id in gone if json.dumps(texts[id], ensure_ascii=False)[1:-1] in delivered]
            assert [id for id in texts if json.dumps(texts[id], ensure_ascii=False)[1:-1] in delivered]


def standing_ids(memory: upheld.Memory) -> set[str]:
    page = memory.list(["pierhead/product", "pierhead/operations"], limit=1000, valid_at=records.TODAY)
    return {view.id for view in page.notes}


def test_people_are_shown_a_dozen_questions_march_and_the_way_on(told: Result) -> None:
    text = told.stdout
    for heading in ("What did we believe in March?", "filed in November", "Where is this heading?", "Counted"):
        assert heading in text
    assert [f"{number}. " in text for number in (1, asking.SHOWN, asking.SHOWN + 1)] == [True, True, False]
    for label in ("plain search", "upheld", "withheld", "path", "open"):
        assert f"\n{label} " in text
    assert "  because " in text
    assert "delivered by Upheld: 0" in text


def test_the_picture_holds_an_answer_and_an_open_question_and_fetches_nothing(place: Path, told: Result) -> None:
    picture = (place / "demo.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    for text in ("plain&#160;search", "upheld", "withheld", "path", "open", "not&#160;in&#160;force"):
        assert f">{text}" in picture or text in picture
    assert not re.search(r"@font-face|url\(\W*http|href=\W*http|<image|<script", picture)
    assert len(picture) < 60_000


def test_the_commands_that_are_printed_work_as_they_stand(place: Path, found: dict[str, Any]) -> None:
    assert len(found["commands"]) == 5
    verbs = set()
    for command in found["commands"]:
        words = shlex.split(command)
        at = words.index("upheld") if "upheld" in words else 0
        verbs.add(words[at + 1])
        done = subprocess.run(
            words, cwd=place, capture_output=True, text=True, check=False, timeout=120,
            env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        )  # fmt: skip
        assert done.returncode == 0, (command, done.stderr)
        assert done.stdout
    assert verbs == {"recall", "explain", "history", "doctor"}


def test_the_store_is_kept_and_healthy(place: Path, found: dict[str, Any]) -> None:
    assert found["store"] == "upheld-demo.db"
    with upheld.open(place / "upheld-demo.db") as memory:
        assert sum(memory.scopes().values()) == found["notes"]
        history = memory.history("product-2026-01-12-booking-store")
    assert [view.standing for view in history] == [Standing.SUPERSEDED, Standing.SUPERSEDED, Standing.IN_FORCE]


# --- without the model ---------------------------------------------------------------------------


@pytest.fixture
def filed() -> Iterator[tuple[upheld.Memory, records.Record]]:
    record, calendar = records.read(records.folder()), records.Calendar()
    with upheld.open(":memory:", embedder=None, clock=calendar) as memory:
        records.file_into(memory, record, calendar, lambda *_: None)
        yield memory, record


def test_entries_are_filed_on_their_own_day(filed: tuple[upheld.Memory, records.Record]) -> None:
    memory, record = filed
    notes = {note.id: note for note in memory.export() if isinstance(note, upheld.Note)}
    assert len(record.entries) == len(ENTRIES)
    for note in notes.values():
        late = note.id in {"ops-2026-06-09-orrin-report", "ops-undated-scan-retention"}
        assert note.recorded_at == (records.ARCHIVED if late else note.valid_from)
    assert {note.scope for note in notes.values()} == set(record.scopes) == {"pierhead/product", "pierhead/operations"}


def test_every_note_cites_its_own_file(filed: tuple[upheld.Memory, records.Record]) -> None:
    memory, _ = filed
    for note in memory.export():
        if isinstance(note, upheld.Note):
            [source] = note.sources
            path = ROOT / "examples/pierhead" / source.ref
            assert path.read_text(encoding="utf-8")[source.start : source.end] == note.statement == source.excerpt


def test_a_wrong_expectation_is_a_fault(filed: tuple[upheld.Memory, records.Record]) -> None:
    memory, record = filed
    [question] = [each for each in record.questions if each.ask.startswith("Who owns the on-call rota")]
    assert asking._asked(memory, None, record, question).faults == ()
    old, new = "ops-2026-02-16-boarding-rota", "ops-2026-08-31-boarding-rota"
    wrong = {
        "first": replace(question, expect=(old,), absent=()),
        "also": replace(question, expect=(new, old), absent=()),
        "absent": replace(question, absent=(new,)),
        "open": replace(question, open_about=(new,)),
    }
    for name, each in wrong.items():
        assert asking._asked(memory, None, record, each).faults, name


def test_an_old_note_that_is_served_is_counted(
    filed: tuple[upheld.Memory, records.Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, record = filed
    [question] = [each for each in record.questions if each.ask.startswith("Who owns the on-call rota")]
    assert asking._asked(memory, None, record, question).served_old == 0
    honest = memory.recall(question.ask, scope=record.scopes)
    [*_, old] = memory.history("ops-2026-02-16-boarding-rota")[:1]
    leak = replace(honest.upheld[0], id=old.id)
    monkeypatch.setattr(memory, "recall", lambda *_, **__: replace(honest, upheld=(leak,)))
    assert asking._asked(memory, None, record, question).served_old == 1


def test_plain_search_looks_at_the_same_texts(filed: tuple[upheld.Memory, records.Record]) -> None:
    memory, record = filed
    recorded = {note.statement for note in memory.export() if isinstance(note, upheld.Note)}
    with asking.plain_store(memory, record, None) as plain:
        notes = [note for note in plain.export() if isinstance(note, upheld.Note)]
        assert {note.statement for note in notes} == recorded
        page = plain.list(record.scopes, limit=1000)
        assert len(page.notes) == len(recorded)


def test_an_entry_that_is_not_taken_in_stops_the_demo(tmp_path: Path) -> None:
    record = records.read(records.folder())
    bad = replace(record.entries[0], line=replace(draft(record), supersedes=("nowhere",)))
    calendar = records.Calendar()
    with (
        upheld.open(":memory:", embedder=None, clock=calendar) as memory,
        pytest.raises(Conflict, match="no note 'nowhere'"),
    ):
        records.file_into(memory, replace(record, entries=(bad,)), calendar, lambda *_: None)


def draft(record: records.Record) -> Draft:
    line = record.entries[0].line
    assert isinstance(line, Draft)
    return line


# --- its store -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["a store", "a text", "an empty file"])
def test_a_file_that_is_not_the_demos_is_left_alone(tmp_path: Path, kind: str) -> None:
    store = tmp_path / "mine.db"
    if kind == "a store":
        with upheld.open(store, embedder=None) as memory:
            memory.remember("Mine.")
    else:
        store.write_bytes(b"Mine." if kind == "a text" else b"")

    def kept() -> object:
        if kind != "a store":
            return store.read_bytes()
        with upheld.open(store, embedder=None) as memory:
            return list(memory.export())

    before = kept()
    done = run("--words-only", "demo", "--store", str(store))
    assert done.exit_code == 1
    assert "name another file with --store" in " ".join(done.stderr.split())
    assert kept() == before
    assert before or kind == "an empty file"


def test_an_interrupted_demo_is_made_anew(tmp_path: Path) -> None:
    store = tmp_path / "demo.db"
    with records.opened(store, records.Calendar(), None) as memory:
        memory.remember("Only the first of many.")
    records.make_room(store)
    assert not [path.name for path in tmp_path.iterdir()]


def test_the_record_is_found_in_a_checkout_and_in_an_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert records.folder() == ROOT / "examples" / "pierhead"
    installed = tmp_path / "site-packages" / "upheld"
    shutil.copytree(ROOT / "examples", installed / "examples")
    monkeypatch.setattr(records, "files", lambda _: installed)
    assert records.folder() == installed / "examples" / "pierhead"
    monkeypatch.setattr(records, "files", lambda _: tmp_path / "elsewhere" / "upheld")
    with pytest.raises(Misconfigured, match="not installed"):
        records.folder()


@pytest.mark.slow
def test_the_demo_runs_as_a_program_in_less_than_a_minute(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "upheld", "demo", "--all"], cwd=tmp_path, capture_output=True, text=True, check=False,
        timeout=60, env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert f"{len(BOOK['question'])}. " in done.stdout
    assert "\x1b" not in done.stdout
