"""The benches compute every figure from the rows they keep, and their rows from what the store really did."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

import upheld
from upheld import bench
from upheld.bench import authored, documents, evidence, factconsolidation, facts, recall_speed, writes
from upheld.bench.__main__ import run as command
from upheld.bench.documents import heads, longest_chain
from upheld.bench.evidence import RowsFile
from upheld.bench.progress import Steps
from upheld.db.rows import folded
from upheld.errors import Invalid, Misconfigured
from upheld.note import MAX_STATEMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Rows = list[dict[str, Any]]


def kept(path: Path, suite: str, run: Callable[[RowsFile, Steps], None]) -> Rows:
    """Run a suite, and read its rows from the file they were kept in."""
    with RowsFile.create(path, suite) as rows, Steps() as steps:
        run(rows, steps)
    return evidence.read(path)


def write_lines(path: Path, lines: list[Any]) -> None:
    path.write_text("".join(f"{each if isinstance(each, str) else json.dumps(each)}\n" for each in lines), "utf-8")


# --- authored ------------------------------------------------------------------------------------


def document(id: str, title: str, created: str = "", text: str = "", corpus: str = "rfc") -> dict[str, str]:
    return {"corpus": corpus, "id": id, "title": title, "status": "Final", "created": created, "text": text}


def edge(old: str, new: str, corpus: str = "rfc") -> dict[str, str]:
    return {"corpus": corpus, "old": old, "new": new, "field": "supersededby"}


DOCUMENTS = [
    document("1", "Carrier pigeons", "2001-01-01", "How packets travel by pigeon."),
    document("2", "Carrier ravens", "2003-05-01", "How packets travel by raven."),
    document("3", "Carrier drones", "2002-01-01", "How packets travel by drone, written before the ravens."),
    document("4", "Tea brewing", "1999-04-01", "A protocol for pots."),
    document("5", "Pots", "2004-04-01", "What a pot answers."),
    document("6", "Leaves", "2004-04-01", "What a leaf answers."),
    document("7", "Equal titles", "2005-01-01"),
    document("8", "Equal titles", "2006-01-01"),
    document("9", "Round one", "2005-01-01", "Says that two is newer."),
    document("10", "Round two", "2005-02-01", "Says that one is newer."),
    document("11", "Twins", text="The first that bears this number."),
    document("11", "Twins again", text="The second that bears this number."),
    document("12", "", text="A document whose title is missing speaks of lighthouses and their keepers."),
    document("13", "Lighthouses", text="Keepers are no longer needed."),
    document("14", ""),
    document("15", "Shortcuts", text="Ravens that stop half way, which drones replace as well."),
]
EDGES = [
    edge("1", "2"),
    edge("2", "3"),
    edge("1", "3"),
    edge("4", "5"),
    edge("4", "6"),
    edge("7", "8"),
    edge("9", "10"),
    edge("10", "9"),
    edge("12", "13"),
    edge("14", "13"),
    edge("1", "2"),
    edge("1", "99"),
    edge("98", "1"),
    edge("11", "5"),
    edge("15", "15"),
]


@pytest.fixture
def library_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / documents.FOLDER
    folder.mkdir(parents=True)
    write_lines(folder / documents.DOCUMENTS, [*DOCUMENTS, DOCUMENTS[0], "not json", '{"corpus": "rfc"}'])
    write_lines(folder / documents.EDGES, EDGES)
    return folder.parent


@pytest.fixture
def authored_rows(library_folder: Path, tmp_path: Path) -> Rows:
    return kept(
        tmp_path / "rows.jsonl",
        authored.SUITE,
        lambda rows, steps: authored.run(rows, steps, library_folder, embedder=None, given=True),
    )


def test_no_replaced_document_is_served_and_every_replacement_has_its_place(authored_rows: Rows) -> None:
    found = authored.figures(authored_rows)
    assert found["n"] == 7  # 1, 2, 4, 7, 9, 12, 14
    assert found["refused"] == found["kept_as_another"] == 0
    assert found["old_served_pct"] == found["any_replaced_served_pct"] == 0
    assert found["any_replacement_upheld_pct"] == 100
    assert found["history_shows_old_pct"] == 100
    assert found["plain_old_first_pct"] >= 70  # the control: the old text is there, and plain search finds it
    assert found["chain_max"] == 2
    assert found["forks"] == 1
    assert found["asked_without_title"] == 2


def test_what_is_wrong_with_the_documents_is_counted_and_left_out(library_folder: Path) -> None:
    counts = documents.read(library_folder / documents.FOLDER).counts
    assert counts["documents"] == len(DOCUMENTS)
    assert counts["documents_repeated"] == 1
    assert counts["documents_sharing_number"] == 1
    assert counts["documents_without_number"] == 1
    assert counts["lines_unreadable"] == 1
    assert counts["edges_read"] == len(EDGES)
    assert counts["edges_missing_end"] == 2
    assert counts["edges_ambiguous"] == 1
    assert counts["edges_repeated"] == 1
    assert counts["edges_in_cycles"] == 2
    assert counts["edges"] == len(EDGES) - 6


def test_documents_are_written_after_all_that_they_replace(library_folder: Path) -> None:
    library = documents.read(library_folder / documents.FOLDER)
    drafts = authored.drafts(library)
    place = {draft.id: at for at, draft in enumerate(drafts)}
    assert len(place) == len(library.documents)
    assert all(place[old] < place[new] for old, new in library.edges)
    by_id = {draft.id: draft for draft in drafts}
    assert by_id["rfc/6"].alongside == ("rfc/5",)  # the second of a fork
    assert by_id["rfc/3"].alongside == ("rfc/2",)  # replaces what its other old replaced before


def test_a_date_is_given_only_where_no_edge_runs_backwards(library_folder: Path) -> None:
    drafts = {draft.id: draft for draft in authored.drafts(documents.read(library_folder / documents.FOLDER))}
    assert drafts["rfc/2"].observed_at is drafts["rfc/3"].observed_at is None  # 3 replaces 2 and is older
    assert drafts["rfc/4"].observed_at is not None
    assert drafts["rfc/5"].observed_at is not None


def test_equal_documents_stay_apart(library_folder: Path) -> None:
    texts = documents.read(library_folder / documents.FOLDER).statements
    assert texts["rfc/7"] != texts["rfc/8"]
    assert texts["rfc/1"] == "Carrier pigeons\n\nHow packets travel by pigeon."
    assert texts["rfc/14"] == "RFC 14"


def library_of(folder: Path, lines: list[Any], edges: list[Any] | None = None) -> documents.Library:
    write_lines(folder / documents.DOCUMENTS, lines)
    write_lines(folder / documents.EDGES, edges or [])
    return documents.read(folder)


def test_a_long_document_is_cut_between_characters(tmp_path: Path) -> None:
    long = "\u00e9" * MAX_STATEMENT_BYTES
    library = library_of(tmp_path, [document("1", "a", text=long), document("2", "a", text=f"{long}!")])
    assert len({*library.statements.values()}) == 2
    for text in library.statements.values():
        assert len(text.encode()) in (MAX_STATEMENT_BYTES - 1, MAX_STATEMENT_BYTES)
        assert "\ufffd" not in text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (document("1", "Minutes", text="First."), document("2", "Minutes", text="Second.")),
        (document("1", "Minutes", text="First."), document("2", "MINUTES!", text="Second.")),
        (document("1", "Caf\u00e9"), document("2", "Cafe\u0301")),
        (document("1", "zero\u200bwidth"), document("2", "zerowidth")),
        (document("1", "..."), document("2", "\u2014")),
        (document("1", "", text="The same."), document("2", "The same.")),
        (document("a", "Minutes"), document("A", "Minutes")),
    ],
)
def test_documents_that_would_be_asked_for_alike_are_told_apart_by_their_number(
    tmp_path: Path, one: dict[str, str], other: dict[str, str]
) -> None:
    library = library_of(tmp_path, [one, other, document("3", "Alone", text="No other is called so.")])
    assert library.counts["documents_told_apart"] == 2
    said = {folded(text) for text in library.statements.values()}
    assert len(said) == len({folded(text) for text in library.questions.values()}) == 3
    assert library.questions["rfc/3"] == "Alone"  # the control
    assert library.statements["rfc/3"] == "Alone\n\nNo other is called so."


def test_a_title_without_a_word_is_not_what_a_document_is_asked_for_by(tmp_path: Path) -> None:
    library = library_of(tmp_path, [document("1", "...", text="What the dots are for."), document("2", "404")])
    assert library.questions == {"rfc/1": "... What the dots are for.", "rfc/2": "404"}


@pytest.mark.parametrize("nothing", [" ", "\u200b", "\u00a0\u2060", "\u0301", "\t\x07"])
def test_what_cannot_be_seen_is_not_there(tmp_path: Path, nothing: str) -> None:
    library = library_of(tmp_path, [document("1", nothing, text=nothing), document(nothing, "No number")])
    assert library.statements == {"rfc/1": "RFC 1"}
    assert library.counts["documents_without_number"] == 1


def test_ids_stay_apart_however_corpus_number_and_count_are_joined(tmp_path: Path) -> None:
    lines = [
        document("x/1", "One", corpus="a"),
        document("1", "Two", corpus="a/x"),
        document("7", "Three"),
        document("7", "Four"),
        document("7#2", "Five"),
    ]
    library = library_of(tmp_path, lines, [edge("7#2", "x"), edge("x/1", "x/2", "a")])
    assert {each.title for each in library.documents.values()} == {"One", "Two", "Three", "Four", "Five"}


@pytest.mark.parametrize("name", ["line\nbreak", "bell\x07", "x" * 600])
def test_a_document_whose_name_no_store_holds_is_left_out(tmp_path: Path, name: str) -> None:
    lines = [document(name, "Number"), document("1", "Corpus", corpus=name), document("2", "Both")]
    library = library_of(tmp_path, lines, [edge(name, "2")])
    assert [*library.documents] == ["rfc/2"]
    assert library.counts["documents_unnameable"] == 2
    assert library.counts["edges_missing_end"] == 1


def test_a_file_is_read_with_its_mark_its_line_ends_and_its_ruins(tmp_path: Path) -> None:
    good = json.dumps(document("1", "One"))
    (tmp_path / documents.DOCUMENTS).write_bytes(f"\ufeff{good}\r\n{'[' * 100_000}\r\n".encode())
    (tmp_path / documents.EDGES).write_bytes(b"")
    library = documents.read(tmp_path)
    assert [*library.documents] == ["rfc/1"]
    assert library.counts["lines_unreadable"] == 1


@pytest.mark.parametrize("created", ["9" * 30 + "-01-01", "0-0-0", "9999-12-31"])
def test_a_date_that_cannot_be_or_is_to_come_is_not_given(tmp_path: Path, created: str) -> None:
    library = library_of(tmp_path, [document("1", "One", created), document("2", "Two", "1066-10-14")])
    dated = {draft.id: draft.observed_at is not None for draft in authored.drafts(library)}
    assert dated == {"rfc/1": False, "rfc/2": True}


def test_the_heads_of_a_chain_are_where_it_ends() -> None:
    edges = [("a", "b"), ("b", "c"), ("a", "d"), ("d", "c"), ("b", "e")]
    assert heads(edges, "a") == ["c", "e"]
    assert heads(edges, "e") == ["e"]
    assert longest_chain(edges) == 2
    assert longest_chain([]) == 0


def test_a_long_chain_needs_no_recursion() -> None:
    edges = [(str(i), str(i + 1)) for i in range(3000)]
    assert longest_chain(edges) == 3000
    assert documents.oldest_first((str(i) for i in reversed(range(3001))), edges)[0] == "0"


def test_only_an_author_replaces_a_document(tmp_path: Path) -> None:
    """Each says another port than the one before, and another of the same key follows what replaced it."""
    lines = [document(str(port), f"The port of orders is {port}.") for port in (5432, 6432, 7432)]
    write_lines(tmp_path / documents.DOCUMENTS, lines)
    write_lines(tmp_path / documents.EDGES, [edge("5432", "6432")])
    rows = kept(
        tmp_path / "rows.jsonl",
        authored.SUITE,
        lambda rows, steps: authored.run(rows, steps, tmp_path, embedder=None, given=True),
    )
    assert authored.figures(rows)["replacement_in_slot_pct"] == 100
    with upheld.open(":memory:", embedder=None) as memory:  # the control: a key would have retired it
        written = [memory.remember(each["title"]) for each in lines]
        assert memory.get(written[1].id).standing == "superseded"


def test_the_figures_follow_the_rows(authored_rows: Rows) -> None:
    """Each figure moves when the rows say otherwise: none is a constant."""

    def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        rows = deepcopy(authored_rows)
        for row in rows:
            if row["row"] == "question":
                change(row)
        return authored.figures(rows)

    assert changed(lambda row: row["upheld"].append(row["old"]))["old_served_pct"] == 100
    assert changed(lambda row: row.update(old_text_delivered=True))["old_served_pct"] == 100
    assert changed(lambda row: row["upheld"].clear())["replacement_in_slot_pct"] == 0
    assert changed(lambda row: row["history"].clear())["history_shows_old_pct"] == 0
    assert changed(lambda row: row["upheld_deep"].append(row["old"]))["old_served_pct"] == 100
    assert changed(lambda row: row["plain_deep"].clear())["plain_old_first_pct"] == 0
    late = changed(lambda row: row.update(plain=[row["old"]], upheld=["other", *row["upheld"]]))
    assert late["replacement_in_slot_pct"] == 0
    assert late["any_replacement_upheld_pct"] == 100
    behind = changed(
        lambda row: row.update(plain=[], plain_deep=[row["old"]], upheld_deep=["other", *row["upheld_deep"]])
    )
    assert behind["replacement_in_slot_pct"] == 0
    one_of_two = changed(lambda row: row.update(upheld=[id for id in row["upheld"] if id != "rfc/6"]))
    assert one_of_two["not_in_slot"].count("rfc/4") == 1
    assert one_of_two["any_replacement_upheld_pct"] == 100


# --- factconsolidation ---------------------------------------------------------------------------

FACTS = [
    "The capital of Freedonia is Fredville.",
    "Rufus Firefly is a citizen of Freedonia.",
    "The capital of Sylvania is Trentino City.",
    "Chess was created in the country of Freedonia.",
    "The capital of Freedonia is Washington, D.C..",
    "Chess was created in the country of Sylvania.",
    "The capital of Sylvania is Washington, D.C..",
    "Blorple grunk the zork of frobozz.",
    "Blorple grunk the zork of quendor.",
]
QUESTIONS = [
    ("What is the capital of Freedonia?", ["Washington, D.C."]),
    ("Which country was Chess created in?", ["Sylvania"]),
    ("What is Rufus Firefly a citizen of?", ["Freedonia"]),
    ("Whom did Blorple grunk the zork of?", ["quendor"]),
    ("What is the capital of Sylvania?", ["Trentino City"]),
]


@pytest.fixture
def facts_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "sets" / facts.FOLDER
    folder.mkdir(parents=True)
    whole = {
        "context": "Here is a list of facts:\n" + "\n".join(f"{i}. {fact}" for i, fact in enumerate(FACTS)),
        "questions": [question for question, _ in QUESTIONS],
        "answers": [answers for _, answers in QUESTIONS],
        "metadata": {},
    }
    (folder / "factconsolidation_sh_tiny.json").write_text(json.dumps(whole), "utf-8")
    (folder / "factconsolidation_mh_tiny.json").write_text("not looked at", "utf-8")
    return folder.parent


def fact_figures(facts_folder: Path, tmp_path: Path) -> tuple[Rows, dict[str, Any]]:
    rows = kept(
        tmp_path / "rows.jsonl",
        factconsolidation.SUITE,
        lambda rows, steps: factconsolidation.run(rows, steps, facts_folder, embedder=None, given=True),
    )
    return rows, factconsolidation.figures(rows)["sizes"]["tiny"]


def test_stale_facts_stay_away_and_plain_search_finds_them(facts_folder: Path, tmp_path: Path) -> None:
    _, found = fact_figures(facts_folder, tmp_path)
    assert found["n"] == len(QUESTIONS)
    assert found["facts"] == len(FACTS)
    assert found["pairs"] == found["questions_with_conflict"] == 4
    assert found["stale_served_pct"] == 0
    assert found["plain_stale_top10_pct"] == 100
    assert found["gold_not_latest"] == ["What is the capital of Sylvania?"]
    assert found["top1_missed"] == ["What is the capital of Sylvania?"]
    assert found["top1_current_pct"] == 80


def test_pairs_are_found_without_the_extractor(facts_folder: Path, tmp_path: Path) -> None:
    """A pair that no grammar keys is a pair all the same, and lowers the share that was keyed."""
    _, found = fact_figures(facts_folder, tmp_path)
    assert found["pairs_not_keyed"] == [[FACTS[7], FACTS[8]]]
    assert found["pairs_keyed"] == 3
    assert found["keyed_pct"] == 75


def test_the_facts_figures_follow_the_rows(facts_folder: Path, tmp_path: Path) -> None:
    rows, _ = fact_figures(facts_folder, tmp_path)
    for row in rows:
        if row["row"] == "question":
            row["upheld"], row["value"] = [0, 3], "Sylvania"
    found = factconsolidation.figures(rows)["sizes"]["tiny"]
    assert found["stale_served_pct"] == pytest.approx(66.67)  # two of the three keyed pairs
    assert found["top1_current_pct"] == 20  # Freedonia stands in fact 0
    assert found["top1_strict_pct"] == 20


def test_the_same_fact_said_again_is_not_stale() -> None:
    said = {0: "The capital of Peru is Lima.", 1: "The capital of Peru is Cusco.", 2: "The capital of Peru is Lima."}
    assert facts.subject("What is the capital of Peru?", ["Lima"], said) == facts.Subject(gold=2, latest=2, older=(1,))
    assert facts.subject("What is the capital of Peru?", ["Quito"], said) is None


def test_a_file_that_holds_no_facts_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="factconsolidation_sh"):
        facts.read_all(tmp_path)
    (tmp_path / "factconsolidation_sh_1k.json").write_text('{"context": "", "questions": [], "answers": []}', "utf-8")
    with pytest.raises(Invalid, match="no numbered facts"):
        facts.read_all(tmp_path)


# --- recall-speed and writes: that they measure, not how fast it is ------------------------------


def test_recall_speed_measures_the_store_it_made(tmp_path: Path) -> None:
    rows = kept(
        tmp_path / "rows.jsonl",
        recall_speed.SUITE,
        lambda rows, steps: recall_speed.run(rows, steps, sizes=((500, 1), (200, 4)), asked=20),
    )
    for size, scopes in (("500", 1), ("200", 4)):
        found = recall_speed.figures(rows)["sizes"][size]
        assert found["n"] == 20
        assert found["scopes"] == scopes
        assert 15 < found["not_in_force_pct"] < 45
        assert found["not_in_force_served"] == 0
        assert found["plain_not_in_force_top10_pct"] > 50  # the control: without validity they are served
        assert found["recall_at_10"] == 1  # so few notes are compared without a shortlist
        assert found["p50_ms"] > 0
        assert found["ratio"] == round(found["p50_ms"] / found["plain_p50_ms"], 3)
        assert found["disk_mb"] > 0
    assert len([row for row in rows if row["row"] == "cold"]) == 1 + 4


def test_recall_at_10_counts_what_was_not_found(tmp_path: Path) -> None:
    rows = kept(
        tmp_path / "rows.jsonl",
        recall_speed.SUITE,
        lambda rows, steps: recall_speed.run(rows, steps, sizes=((200, 1),), asked=10),
    )
    next(row for row in rows if row["row"] == "query")["nearest_found"] = 5
    assert recall_speed.figures(rows)["sizes"]["200"]["recall_at_10"] == 0.95


def test_writes_measures_what_stays_in_the_store(tmp_path: Path) -> None:
    amounts = writes.Amounts(single=20, processes=2, seconds=0.3, bulk=600)
    rows = kept(tmp_path / "rows.jsonl", writes.SUITE, lambda rows, steps: writes.run(rows, steps, amounts))
    found = writes.figures(rows)
    assert found["n"] == 20
    assert found["processes"] == 2
    assert found["busy_errors"] == found["other_errors"] == found["bulk_refused"] == 0
    there, written = found["kept_of_written"]
    assert there == written > 0
    assert found["bulk_notes"] == 600
    assert found["bulk_keyed_share_pct"] == 100
    assert [row["not_added"] for row in rows if row["row"] == "bulk"] == [0, 0, 0]
    assert min(found["bulk_notes_per_s"], found["bulk_keyed_notes_per_s"], found["bulk_vectors_notes_per_s"]) > 0


# --- the command ---------------------------------------------------------------------------------


def said(capsys: pytest.CaptureFixture[str]) -> Mapping[str, Any]:
    """The one JSON object on stdout."""
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1
    found: dict[str, Any] = json.loads(lines[0])
    return found


@pytest.fixture
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise Misconfigured("no weights here")

    monkeypatch.setattr("upheld.bench.model.default_embedder", missing)


def test_a_run_prints_one_object_and_its_rows_give_it_again(
    library_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words_only: None
) -> None:
    rows = tmp_path / "kept" / "rows.jsonl"
    assert bench.main("authored", library_folder, rows=rows, long=False, as_json=True) == 0
    first = said(capsys)
    assert {"n", "plain_old_first_pct", "old_served_pct", "replacement_in_slot_pct"} <= first.keys()
    assert {"history_shows_old_pct", "chain_max", "run", "rows_file"} <= first.keys()
    assert first["model"] == "words only: no weights here"
    assert command(["--recompute", str(rows), "--json"]) == 0
    assert said(capsys) == first


def test_the_sizes_are_those_of_the_files(
    facts_folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words_only: None
) -> None:
    given = ["factconsolidation", "--data", str(facts_folder / facts.FOLDER), "--rows", str(tmp_path / "rows.jsonl")]
    assert command([*given, "--json"]) == 0
    assert list(said(capsys)["sizes"]) == ["tiny"]
    assert command(given) == 0
    shown = capsys.readouterr().out
    assert "stale_served_pct" in shown
    assert "tiny" in shown


def test_what_cannot_run_is_refused_with_the_way_out(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert command(["weather"]) == 2
    assert "there are authored, factconsolidation, recall-speed, writes" in capsys.readouterr().err
    assert command(["authored"]) == 2
    assert "--data FOLDER" in capsys.readouterr().err
    rows = str(tmp_path / "rows.jsonl")
    assert command(["authored", "--data", str(tmp_path), "--rows", rows]) == 3
    assert documents.FOLDER in capsys.readouterr().err
    (tmp_path / "other.jsonl").write_text('{"row": "note"}\n', "utf-8")
    assert command(["--recompute", str(tmp_path / "other.jsonl")]) == 2
    assert command(["list"]) == 0
    assert capsys.readouterr().out.count("\n") == len(bench.SUITES)


def test_a_share_of_nothing_is_unknown() -> None:
    assert evidence.share([]) is None
    assert evidence.percentile([], 50) is None
    assert evidence.percentile([5.0, 1.0], 100) == 5.0
