"""The sweep bench: its labels hold in the texts that are written, and its figures are right to the digit."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from upheld import bench
from upheld.bench import pairs, sources, sweep, world
from upheld.bench.__main__ import run as command
from upheld.bench.evidence import RowsFile, read
from upheld.bench.progress import Steps
from upheld.bench.world import CONSISTENT, CONTRADICTING, OTHER_SUBJECT, SAME_SUBJECT, Sizes, World
from upheld.errors import Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]

FIRST = ("Ada", "Bo", "Cleo", "Dov", "Ines", "Juno", "Kai", "Lio", "Mara", "Nils")
LAST = ("Ahlberg", "Brandt", "Costa", "Dahl")
PEOPLE = [f"{first} {last}" for last in LAST for first in FIRST]
CITIES = ("Lisbon", "Quito", "Oslo", "Accra", "Perth", "Turin")
TRADES = ("goalkeeper", "sweeper", "winger", "striker")
MOVED = 8
SIZES = Sizes(notes=110, documents=40, contradicting=6, changes=4)
SMALL = Sizes(notes=60, documents=20, contradicting=4)


def write(path: Path, lines: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in lines), encoding="utf-8")


def facts() -> dict[str, Any]:
    """Everybody's place of birth and position; the first few were said to be born elsewhere before."""
    said = [f"{one} was born in the city of {CITIES[at % 6]}." for at, one in enumerate(PEOPLE[:MOVED])]
    said += [f"{one} was born in the city of {CITIES[(at + 1) % 6]}." for at, one in enumerate(PEOPLE)]
    said += [f"{one} plays the position of {TRADES[at % 4]}." for at, one in enumerate(PEOPLE)]
    return {
        "context": "\n".join(f"{number}. {text}" for number, text in enumerate(said)),
        "questions": [f"In which city was {one} born?" for one in PEOPLE[:MOVED]],
        "answers": [[CITIES[(at + 1) % 6]] for at in range(MOVED)],
    }


def answer(subject: str, value: str, *, before: bool = False) -> dict[str, Any]:
    template = "Who was the previous head of {subject}?" if before else "Who is the head of {subject} currently?"
    return {"subject": {"subLabel": subject}, "text answers": [value], "template": template}


def passages(number: int, *, misinformed: bool) -> dict[str, Any]:
    """Two halls of one name; where misinformed, a passage on the first that gives another year."""
    name, year = f"Larkspur{number} Hall", 1900 + number
    text = f"{name} was opened in the summer of {year}. A brick front with nine tall windows faces the road{number}."
    other = f"The theatre called {name} stands on a hill beside the mill. It seats some four hundred and {number}."
    documents = [
        {"type": "correct", "answer": f"{year}", "text": text},
        {"type": "correct", "answer": f"{1700 + number}", "text": other},
        {"type": "noise", "answer": "unknown", "text": "Menu. Search."},
    ]
    if misinformed:
        documents.append({"type": "misinfo", "answer": "1850", "text": text.replace(f"{year}", "1850")})
    return {"question": f"When was {name} opened?", "documents": documents}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    write(folder / "factconsolidation" / "factconsolidation_sh_tiny.json", [facts()])
    heads = {date: [answer(f"Guild{n}", f"Head{n}") for n in range(20)] for date in ("Dec2021", "Dec2023")}
    for n in range(6):
        heads["Dec2023"][n] = answer(f"Guild{n}", f"Successor{n}")
    heads["Dec2023"] += [answer(f"Guild{n}", f"Former{n}", before=True) for n in range(20)]
    for date, listed in heads.items():
        write(folder / "pat_questions" / date / "PAT-singlehop.json", [{str(at): x for at, x in enumerate(listed)}])
    write(folder / "ramdocs" / "test.jsonl", [passages(n, misinformed=n < 3) for n in range(12)])
    documents = [
        {"corpus": "xep", "id": f"{n}", "title": f"Codec{n}", "status": "Draft", "created": "2001-02-03",
         "text": f"Codec{n} packs stripes into words. It is read by zebra{n} alone."}
        for n in range(1, 31)
    ]  # fmt: skip
    write(folder / "authored_supersession" / "documents.jsonl", documents)
    edges = [{"corpus": "xep", "old": f"{n}", "new": f"{n + 10}"} for n in range(1, 7)]
    write(folder / "authored_supersession" / "supersedes_edges.jsonl", edges)
    return folder


@pytest.fixture(scope="module")
def rows(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    with RowsFile.create(path, sweep.SUITE) as kept, Steps() as steps:
        sweep.run(kept, steps, data, sizes=SIZES, essay=SMALL, embedder=None, given=True)
    return read(path)


# --- what the world is made of -------------------------------------------------------------------


def test_each_set_gives_its_own_contradictions(data: Path) -> None:
    cases, _ = sources.read(data)
    said = {(case.source, case.tag, case.note): case.said for case in cases}
    assert Counter(case.source for case in cases) == {
        "factconsolidation": 8, "authored_supersession": 6, "ramdocs": 3, "pat_questions": 6,
    }  # fmt: skip
    old, new = "Ada Ahlberg was born in the city of Lisbon.", "Ada Ahlberg was born in the city of Quito."
    assert said["factconsolidation", "changed", old] == new
    assert said["authored_supersession", "status", "The status of XEP-2 is Draft."] == (
        "The status of XEP-2 is Superseded."
    )
    assert said["authored_supersession", "replaced", "XEP-1 (Codec1) is in use."] == (
        "XEP-1 (Codec1) is no longer in use; XEP-11 (Codec11) replaced it."
    )
    assert said["pat_questions", "changed", "The head of Guild0 is Head0."] == "The head of Guild0 is Successor0."
    assert said["pat_questions", "ended", "The head of Guild1 is Head1."] == "Head1 is no longer the head of Guild1."
    assert "Head3" not in said["pat_questions", "changed", "The head of Guild3 is Head3."]
    wrong = said["ramdocs", "wrong passage", "Larkspur2 Hall was opened in the summer of 1902."]
    assert wrong.startswith(
        "Larkspur2 Hall was opened in the summer of 1850. A brick front with nine tall windows faces the road2."
    )


def test_what_holds_is_said_once_for_each_key_and_never_of_a_case(data: Path) -> None:
    cases, topics = sources.read(data)
    texts = [text for topic in topics for text in (*topic.notes, *topic.silent)]
    assert len(texts) == len(set(texts))
    assert "Lio Dahl was born in the city of Oslo." in texts
    of_cases = {text for case in cases for text in (case.note, case.said)}
    assert of_cases.isdisjoint(texts)
    assert not [text for text in texts if text.startswith("Ada Ahlberg was born")]
    assert [text for text in texts if text.startswith("Ada Ahlberg plays")]
    assert not [text for text in texts if "Guild2 is" in text or "status of XEP-3 " in text]
    assert [text for text in texts if "Guild9 is" in text]


def test_an_answer_about_what_a_fact_names_is_left_out(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "copy")
    path = tmp_path / "copy" / "factconsolidation" / "factconsolidation_sh_tiny.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    whole["context"] += "\n999. Guild9 is led by Head4.\n1000. Guild0 is led by Head4."
    write(path, [whole])
    cases, topics = sources.read(tmp_path / "copy")
    answers = {topic.name for topic in topics if topic.source == "pat_questions"}
    assert "Guild8" in answers
    assert "Guild9" not in answers
    changed = {case.topic.name for case in cases if case.source == "pat_questions"}
    assert changed == {f"Guild{n}" for n in range(1, 6)}


def test_a_sentence_that_does_not_name_its_subject_is_marked(data: Path) -> None:
    marked = {text: topic.is_named for topic in sources.read(data)[1] for text in topic.notes}
    assert marked["Larkspur5 Hall was opened in the summer of 1905."]
    assert not marked["A brick front with nine tall windows faces the road5."]
    assert {each.statement: each.is_named for each in built(data).notes if not each.is_named}.items() <= marked.items()


def test_a_text_is_cut_between_sentences_where_one_fits() -> None:
    text = "Versions up to 1.5 are old. Later ones are new."
    assert sources.cut(text, 30) == "Versions up to 1.5 are old."
    assert sources.cut(text, 20) == "Versions up to 1.5..."
    assert sources.cut(text, len(text)) == text


def built(data: Path, sizes: Sizes = SIZES, name: str = "x") -> World:
    return world.build(data, sizes, name)


def test_a_world_has_the_sizes_asked_for_and_silence_in_the_majority(data: Path) -> None:
    made = built(data)
    assert len(made.notes) == len({each.id for each in made.notes}) == len({each.statement for each in made.notes})
    assert len(made.notes) == SIZES.notes
    kinds = Counter(each.kind for each in made.files)
    assert kinds == {CONTRADICTING: 6, CONSISTENT: 10, SAME_SUBJECT: 20, OTHER_SUBJECT: 4}
    assert len(made.changes) == 4
    against = [each.against for each in (*made.files, *made.changes) if each.against is not None]
    assert len(against) == len(set(against)) == 10
    assert {each.id for each in made.notes if each.case is not None} == set(against)
    assert len({each.source for each in made.files if each.kind == CONTRADICTING}) == 4


def test_only_the_document_that_contradicts_says_so(data: Path) -> None:
    made = built(data)
    said = {each.said: each.name for each in (*made.files, *made.changes) if each.said is not None}
    for file in made.files:
        assert [name for text, name in said.items() if text in file.text] == [file.name] * (file.said is not None)
        assert len([text for text in file.text.split("\n\n") if not text.startswith("#")]) in (2, 3)


def test_a_document_holds_the_words_of_a_note_only_where_it_agrees(data: Path) -> None:
    made = built(data)
    statements = {each.statement: each.case for each in made.notes}
    for file in made.files:
        held = [case for statement, case in statements.items() if statement in file.text]
        assert bool(held) == (file.kind == CONSISTENT)
        assert held == [None] * len(held)


def test_a_change_turns_a_silent_document_against_its_note(data: Path) -> None:
    made = built(data)
    before = {each.name: each for each in made.files}
    assert len({each.name for each in made.changes}) == len(made.changes)
    for file in made.changes:
        assert before[file.name].kind in (SAME_SUBJECT, OTHER_SUBJECT)
        assert str(file.said) in file.text
        assert str(file.said) not in before[file.name].text
        assert len(set(file.text.split("\n\n")) - set(before[file.name].text.split("\n\n"))) in (1, 2)


def test_the_same_data_gives_the_same_world(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = built(data)
    assert first == built(data)
    assert first != built(data, name="y")
    monkeypatch.setattr(pairs, "SEED", 1)
    assert first != built(data)


def test_sets_that_hold_too_little_are_named(data: Path, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="hold 23 contradictions; this needs 24"):
        built(data, Sizes(notes=60, documents=30, contradicting=24))
    with pytest.raises(Misconfigured, match="none of the data sets"):
        built(tmp_path / "nothing")
    assert len(built(data, Sizes(notes=10_000, documents=30, contradicting=6)).notes) < 10_000


# --- the run -------------------------------------------------------------------------------------


def test_a_run_sweeps_both_worlds_and_notices_the_changes(rows: Rows) -> None:
    found = sweep.figures(rows)
    assert (found["n_notes"], found["n_living"], found["n_documents"], found["contradicting"]) == (110, 110, 40, 6)
    assert (found["essay_n_notes"], found["essay_contradicting"]) == (60, 4)
    assert found["n_passages"] > 100
    assert found["judged_on_adding"] == 0
    assert found["first_sweep_judge_calls"] == found["first_sweep_pairs"] > 110
    assert found["second_sweep_judge_calls"] == found["essay_second_sweep_judge_calls"] == 0
    assert sum(found["verdicts_pct"].values()) == pytest.approx(100, abs=0.1)
    assert found["recall_by_source_pct"]["factconsolidation"] == 100
    assert found["retired_wrong"] == found["essay_retired_wrong"] == found["retired_by_another_document"] == 0
    assert found["contradicted_not_living"] == found["refused"] == found["unread"] == 0
    assert found["changes"] == 4
    assert found["changes_missed"] == len(found["change_missed"]) < 4
    assert 0 < found["change_to_notice_p50_ms"] <= found["change_to_notice_p99_ms"]
    assert len(found["missed"]) == found["contradicting"] - found["retired"]
    assert len([row for row in rows if row["row"] == "heard"]) == 6 + 4 + 4


def test_the_figures_come_from_the_rows_alone(rows: Rows) -> None:
    found = sweep.figures(rows)
    right = next(row for row in rows if row["row"] == "notice" and not row["after"] and row["world"] == sweep.BACKSTOP)
    without = sweep.figures([row for row in rows if row is not right])
    assert without["retired"] == found["retired"] - 1
    assert without["recall_pct"] < found["recall_pct"]
    assert without["precision_pct"] == found["precision_pct"]
    assert len(without["missed"]) == len(found["missed"]) + 1


# --- the figures ---------------------------------------------------------------------------------


def hand_made(name: str) -> Rows:
    """Four notes of eight are contradicted: two are retired, one is disputed, one was never judged; one is wrong."""
    cases = {"n0": "a", "n1": "a", "n2": "b", "n3": "b"}
    rows: Rows = [
        {"row": "took", "what": what, "seconds": seconds, "cpu_seconds": seconds / 2}
        for what, seconds in (("documents", 3.0), ("notes", 2.0), ("sweep 1", 5.0), ("sweep 2", 1.0))
    ]
    rows += [{"row": "passages", "n": 30, "judged_on_adding": 0}, {"row": "unread", "document": "x", "error": "y"}]
    for number in range(8):
        note = {
            "row": "note",
            "id": f"n{number}",
            "source": "a",
            "statement": f"Note {number}.",
            "named": number < 7,
            "outcome": "added",
        }
        case = cases.get(f"n{number}")
        rows.append(note if case is None else {**note, "case": case, "tag": "changed", "standing": "in_force"})
    rows += [
        {"row": "document", "name": f"d{n}", "kind": CONTRADICTING if n < 4 else OTHER_SUBJECT, "source": "a",
         "against": f"n{n}" if n < 4 else None, "said": f"Not {n}." if n < 4 else None}
        for n in range(10)
    ]  # fmt: skip
    counted = {"pairs": 60, "faults": {"j: raised": 2}, "findings": {"unrelated": 6, "contradicted": 2}, "notes": 8}
    rows += [
        {"row": "sweep", "number": 1, "calls": 60, **counted},
        {"row": "sweep", "number": 2, "calls": 0, "retired": 0, "disputed": 1},
    ]
    told = [
        ("contradicted", "n0", "d0"),
        ("contradicted", "n1", "d9"),
        ("contradicted", "n7", "d8"),
        ("disputed", "n2", "d2"),
        ("disputed", "n6", "d2"),
        ("disputed", "n6", "d3"),
    ]
    rows += [
        {
            "row": "notice",
            "after": 0,
            "kind": kind,
            "note": note,
            "document": document,
            "quotes": ["q", "r"],
            "why": "w",
        }
        for kind, note, document in told
    ]
    rows += [
        {"row": "heard", "note": "n2", "document": "d2", "finding": "contradicted", "why": "perhaps"},
        {"row": "heard", "note": "n3", "document": "d3"},
    ]
    return [{**row, "world": name} for row in rows]


def with_changes() -> Rows:
    rows: Rows = [{"row": "run", "suite": sweep.SUITE}, {"row": "model", "model": "m"}]
    rows += [*hand_made(sweep.BACKSTOP), *hand_made(sweep.ESSAY)]
    changes = [("n4", 30.0, True), ("n5", 10.0, True), ("n3", 90.0, False)]
    made: Rows = [
        {"row": "change", "number": number, "document": "d9", "note": note, "said": "s", "noticed": noticed, "ms": ms,
         "cpu_ms": ms / 2, "calls": number}
        for number, (note, ms, noticed) in enumerate(changes, 1)
    ]  # fmt: skip
    made += [
        {"row": "notice", "after": after, "kind": kind, "note": note, "document": "d9", "quotes": [], "why": "w"}
        for after, kind, note in ((1, "contradicted", "n4"), (2, "disputed", "n5"), (2, "contradicted", "n6"))
    ]
    return [*rows, *({**row, "world": sweep.BACKSTOP} for row in made)]


def test_every_figure_of_hand_made_rows() -> None:
    found = sweep.figures(with_changes())
    expected = {
        "n_notes": 8, "n_living": 8, "n_documents": 10, "n_passages": 30, "contradicting": 4,
        "contradicting_pct_of_documents": 40.0, "contradicted_pct_of_notes": 50.0, "retired": 3, "retired_wrong": 1,
        "precision_pct": 66.67, "precision_named_pct": 100.0, "notes_unnamed": 1,
        "precision_interval": [20.77, 93.85], "recall_pct": 50.0,
        "recall_interval": [15.0, 85.0], "recall_by_source_pct": {"a": 100.0, "b": 0.0}, "disputed_contradicted": 1,
        "disputed_others": 1, "retired_by_another_document": 1, "first_sweep_s": 5.0, "first_sweep_cpu_s": 2.5,
        "first_sweep_judge_calls": 60, "verdicts_pct": {"contradicted": 25.0, "unrelated": 75.0}, "faults": 2,
        "second_sweep_s": 1.0, "second_sweep_judge_calls": 0, "second_sweep_events": 1,
        "add_documents_s": 3.0, "write_notes_s": 2.0, "unread": 1,
        "wrong": [["contradicted", "Note 7.", "q", "r", "w", "d8"]],
        "missed": [["changed", "Note 2.", "Not 2.", "d2", "contradicted: perhaps"],
                   ["changed", "Note 3.", "Not 3.", "d3", "not put to a judge"]],
        "essay_sweep_s": 5.0, "essay_precision_pct": 66.67, "essay_retired": 3, "changes": 3,
        "change_to_notice_p50_ms": 10.0, "change_to_notice_p99_ms": 30.0, "change_to_notice_cpu_p50_ms": 5.0,
        "change_judge_calls_p50": 2, "changes_missed": 1, "changes_retired": 1, "change_notices_of_others": 1,
        "change_missed": [["changed", "Note 3.", "s", "d9", "not put to a judge"]], "model": "m",
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


# --- the command ---------------------------------------------------------------------------------


def test_the_command_runs_the_suite_and_recomputes_it(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    less = Sizes(notes=30, documents=16, contradicting=4, changes=1)
    monkeypatch.setattr(sweep, "embedder_or_words", lambda: (None, "words only: a test"))
    monkeypatch.setattr(sweep, "run", partial(sweep.run, sizes=less, essay=less))
    rows = tmp_path / "kept.jsonl"
    assert command(["sweep", "--data", str(data), "--rows", str(rows), "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["suite"] == "sweep"
    assert first["model"] == "words only: a test"
    assert first["retired"] > 0
    assert command(["--recompute", str(rows), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert command(["sweep", "--json"]) != 0
    assert "needs its data set" in capsys.readouterr().err
    assert sweep.SUITE in bench.SUITES
