"""What a store keeps beside its log: documents, verdicts, notices, an outbox, receipts. The same on every store."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

import upheld
from upheld import Citation, Invalid, Memory
from upheld.db.shelf import StoredShelf
from upheld.db.sqlite import Sqlite
from upheld.db.statements import STATEMENTS
from upheld.document import Chunk, Document, Finding, Verdict
from upheld.errors import UpheldError
from upheld.note import Channel, Evidence, Source, Verb
from upheld.ports import Writing
from upheld.remember import Journal
from upheld.shelf import Acquitted, Passage, Replaced, Served, Settled
from worlds import HashEmbedder, a_note

if TYPE_CHECKING:
    import apsw

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
HOUR = timedelta(hours=1)
PLACE = "docs"
EMBEDDER = HashEmbedder()


@pytest.fixture
def database(store: Memory) -> Sqlite:
    """The database of an empty store, on every kind of store that there is."""
    return store._database


def document(name: str, *lines: str, **more: Any) -> Document:
    """A document of one chunk a line; a line "a.b: c" stands under the heading "a"."""
    text = "\n".join(lines)
    chunks, start = [], 0
    for line in lines:
        chunks.append(Chunk(start=start, end=start + len(line), text=line, headings=(line.split(".")[0],)))
        start += len(line) + 1
    return Document(name=name, version=sha256(text.encode()).hexdigest(), text=text, chunks=tuple(chunks), **more)


def stated(found: Document) -> dict[str, list[tuple[str, str | None]]]:
    """The keys of its chunks: a line "port.orders: 5" states the port of orders, one "port" only something of port."""
    keys: dict[str, list[tuple[str, str | None]]] = {}
    for chunk in found.chunks:
        subject, _, attribute = chunk.text.partition(":")[0].partition(".")
        keys[chunk.digest] = [(subject, attribute or None)]
    return keys


def vectors(found: Document) -> dict[str, Any]:
    rows = EMBEDDER.embed([chunk.text for chunk in found.chunks])
    return {chunk.digest: row for chunk, row in zip(found.chunks, rows, strict=True)}


def put(database: Sqlite, found: Document, *, place: str = PLACE, at: datetime = NOW) -> Replaced | None:
    with database.writing() as tx:
        return tx.shelf.put(found, place=place, at=at, stated=stated(found), vectors=vectors(found))


def texts(passages: Sequence[Passage]) -> list[str]:
    return [passage.chunk.text for passage in passages]


# --- documents -------------------------------------------------------------------------------------


def test_a_document_comes_back_as_it_was_put(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432", "\U0001f600 caf\u00e9.owner: Zo\u00eb", title="Ports", dated=NOW)
    dated = replace(found.chunks[0], dated=LATER, headings=("Ports", "Orders \u201cnew\u201d"))
    found = replace(found, owner="person:ana", authority=Channel.SYSTEM_OF_RECORD, chunks=(dated, *found.chunks[1:]))
    assert put(database, found) == Replaced(name="a.md", version=found.version, former=None, chunks=found.chunks)
    with database.reading() as reading:
        shelf = reading.shelf
        passages = shelf.passages(["a.md", "missing.md"])
        assert [passage.chunk for passage in passages] == [*found.chunks]
        assert {(each.document, each.version, each.authority, each.dated) for each in passages} == {
            ("a.md", found.version, Channel.SYSTEM_OF_RECORD, NOW)
        }
        assert shelf.text("a.md", found.version) == found.text
        assert shelf.text("a.md", "0" * 64) is None
        [listed] = shelf.documents()
    assert (listed.name, listed.place, listed.version, listed.title) == ("a.md", PLACE, found.version, "Ports")
    assert (listed.owner, listed.authority, listed.dated) == ("person:ana", Channel.SYSTEM_OF_RECORD, NOW)
    assert (listed.passages, listed.added_at, listed.recorded_at, listed.removed_at) == (2, NOW, NOW, None)


def test_only_what_the_former_version_did_not_have_is_new(database: Sqlite) -> None:
    first = document("a.md", "port.orders: 5432", "owner.orders: Ana")
    put(database, first)
    second = document("a.md", "owner.orders: Ana", "port.orders: 6432")
    replaced = put(database, second, at=LATER)
    assert replaced is not None
    assert (replaced.former, [chunk.text for chunk in replaced.chunks]) == (first.version, ["port.orders: 6432"])
    with database.reading() as reading:
        assert texts(reading.shelf.passages(["a.md"])) == ["owner.orders: Ana", "port.orders: 6432"]
        assert reading.shelf.text("a.md", first.version) == first.text, "versions are kept"
        [listed] = reading.shelf.documents()
        assert (listed.added_at, listed.recorded_at) == (NOW, LATER)


def test_the_same_words_under_another_heading_or_date_are_new(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432")
    put(database, found)
    for number, change in enumerate(({"headings": ("Old",)}, {"dated": NOW}), start=1):
        other = replace(found, version=str(number) * 64, chunks=(replace(found.chunks[0], **change),))
        replaced = put(database, other)
        assert replaced is not None
        assert replaced.chunks == other.chunks


def test_to_add_an_unchanged_version_again_does_no_work(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432")
    put(database, found)
    asked: list[str] = []
    with database.writing() as tx:

        def execute(name: str, wanted: Any) -> list[Any]:
            asked.append(name)
            return tx.execute(name, wanted)

        shelf = StoredShelf(execute, tx.execute_many, EMBEDDER.model)
        assert shelf.put(found, place=PLACE, at=LATER, stated=stated(found), vectors=vectors(found)) is None
        assert asked == ["document"]
        assert shelf.put(replace(found, owner="person:ana"), place=PLACE, at=LATER) is None
        assert asked == ["document", "document", "make_current"], "the control: what is said about it is taken over"
        assert shelf.documents()[0].owner == "person:ana"


def test_a_removed_document_has_no_current_passage_and_all_are_new_when_it_is_back(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432", "owner.orders: Ana")
    put(database, found)
    put(database, document("b.md", "port.billing: 1"))
    with database.writing() as tx:
        assert tx.shelf.remove("a.md", at=LATER) == found.version
        assert tx.shelf.remove("a.md", at=LATER) is None
        assert tx.shelf.remove("missing.md", at=LATER) is None
        assert tx.shelf.versions(["a.md"]) == {}
        assert tx.shelf.passages(["a.md"]) == []
        assert tx.shelf.passages_with([chunk.digest for chunk in found.chunks]) == {}
        assert tx.shelf.passages_stating([("port", "orders"), ("owner", None)]) == {}
        assert len(tx.shelf.current_vectors()[0]) == 1
        assert [each.name for each in tx.shelf.documents()] == ["b.md"]
        [gone, _] = tx.shelf.documents(removed=True)
        assert (gone.version, gone.removed_at) == (found.version, LATER)
        assert tx.shelf.text("a.md", found.version) == found.text, "evidence can still be shown"
    back = put(database, found, at=LATER)
    assert back is not None
    assert (back.former, back.chunks) == (None, found.chunks)
    with database.reading() as reading:
        assert reading.shelf.versions(["a.md"]) == {"a.md": found.version}
        assert set(reading.shelf.passages_stating([("port", "orders"), ("owner", None)])) == {
            ("port", "orders"),
            ("owner", None),
        }
        assert len(reading.shelf.current_vectors()[0]) == 3


def test_documents_are_listed_by_the_place_that_they_came_from(database: Sqlite) -> None:
    put(database, document("b.md", "x"), place="here")
    put(database, document("a.md", "y"), place="there")
    with database.reading() as reading:
        listed = {place: [each.name for each in reading.shelf.documents(place=place)] for place in ("here", "no")}
        assert listed == {"here": ["b.md"], "no": []}
        assert [each.name for each in reading.shelf.documents()] == ["a.md", "b.md"]


@pytest.mark.parametrize(
    "change",
    [
        {"chunks": (Chunk(start=0, end=4, text="made"),)},
        {"chunks": (Chunk(start=5, end=4, text=""),)},
        {"chunks": (Chunk(start=-2, end=-1, text="2"),)},
        {"chunks": (Chunk(start=0, end=99, text="port.orders: 5432 and more"),)},
        {"text": "port\0", "chunks": ()},
        {"text": "port\ud800", "chunks": ()},
    ],
    ids=["another text", "backwards", "before", "past the end", "NUL", "half a pair"],
)
def test_a_chunk_that_code_did_not_cut_is_refused_and_nothing_is_written(
    database: Sqlite, change: dict[str, Any]
) -> None:
    found = document("a.md", "port.orders: 5432")
    with database.writing() as tx, pytest.raises(Invalid), tx.savepoint():
        tx.shelf.put(replace(found, version="1" * 64, **change), place=PLACE, at=NOW)
    with database.reading() as reading:
        assert reading.shelf.documents() == []
    assert put(database, found) is not None


def test_keys_and_vectors_of_chunks_that_are_there_can_be_kept_later(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432", "owner.orders: Ana")
    digests = [chunk.digest for chunk in found.chunks]
    with database.writing() as tx:
        tx.shelf.put(found, place=PLACE, at=NOW)
        assert tx.shelf.unembedded(digests) == digests
        assert tx.shelf.passages_stating([("port", "orders")]) == {}
        tx.shelf.keep_vectors({digests[1]: vectors(found)[digests[1]]})
        tx.shelf.keep_stated(stated(found))
        tx.shelf.keep_stated(stated(found))
        assert tx.shelf.unembedded([*digests, "0" * 64]) == [digests[0], "0" * 64]
        assert list(tx.shelf.vectors(digests)) == [digests[1]]
        assert len(tx.shelf.passages_stating([("port", "orders")])["port", "orders"]) == 1


def test_vectors_come_back_as_near_as_half_floats_allow(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432", "owner.orders: Ana")
    put(database, found)
    wanted = vectors(found)
    with database.reading() as reading:
        digests, matrix = reading.shelf.current_vectors()
        assert sorted(digests) == sorted(wanted)
        assert (matrix.dtype, matrix.shape) == (np.float32, (2, EMBEDDER.dimension))
        for digest, row in zip(digests, matrix, strict=True):
            assert np.allclose(row, wanted[digest], atol=1e-3)
            assert np.array_equal(row, reading.shelf.vectors([digest])[digest])


def test_of_another_model_there_is_no_vector(database: Sqlite) -> None:
    found = document("a.md", "port.orders: 5432")
    put(database, found)
    digests = [chunk.digest for chunk in found.chunks]
    with database.reading() as session:
        other = StoredShelf(session.execute, session.execute_many, "another model")
        assert other.unembedded(digests) == digests
        assert other.vectors(digests) == {}
        assert other.current_vectors()[1].shape == (0, 0)
        assert session.shelf.unembedded(digests) == []


# --- any order of additions and removals -----------------------------------------------------------

NAMES = ("a.md", "b.md")
LINES = ("port.orders: 1", "port.orders: 2", "port.billing: 1", "port", "owner.orders: Ana", "\u00e9\U0001f600")
lines = st.lists(st.sampled_from(LINES), max_size=4)


class Shelves(RuleBasedStateMachine):
    """One store, and a dictionary of what is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.database = Sqlite(":memory:", model=EMBEDDER.model, dimension=EMBEDDER.dimension)
        self.current: dict[str, Document] = {}
        self.known: dict[tuple[str, str], str] = {}

    def teardown(self) -> None:
        self.database.close()

    @rule(name=st.sampled_from(NAMES), lines=lines)
    def put(self, name: str, lines: list[str]) -> None:
        found = document(name, *lines)
        former = self.current.get(name)
        replaced = put(self.database, found)
        if former is not None and former.version == found.version:
            assert replaced is None
        else:
            before = set() if former is None else {chunk.digest for chunk in former.chunks}
            new = tuple(chunk for chunk in found.chunks if chunk.digest not in before)
            assert replaced == Replaced(
                name=name, version=found.version, former=None if former is None else former.version, chunks=new
            )
        self.current[name] = found
        self.known[name, found.version] = found.text

    @rule(name=st.sampled_from(NAMES))
    def remove(self, name: str) -> None:
        with self.database.writing() as tx:
            gone = tx.shelf.remove(name, at=LATER)
        there = self.current.pop(name, None)
        assert gone == (None if there is None else there.version)

    @invariant()
    def it_holds_what_the_dictionary_holds(self) -> None:
        with self.database.reading() as reading:
            shelf = reading.shelf
            assert shelf.versions(NAMES) == {name: each.version for name, each in self.current.items()}
            assert [each.name for each in shelf.documents()] == sorted(self.current)
            places = [(name, chunk) for name in sorted(self.current) for chunk in self.current[name].chunks]
            passages = shelf.passages(NAMES)
            assert [(each.document, each.chunk) for each in passages] == places
            by_digest: dict[str, list[Passage]] = {}
            by_key: dict[tuple[str, str | None], list[Passage]] = {}
            keys = {digest: said for each in self.current.values() for digest, said in stated(each).items()}
            for passage in passages:
                by_digest.setdefault(passage.chunk.digest, []).append(passage)
                for subject, attribute in keys[passage.chunk.digest]:
                    for key in {(subject, attribute or ""), (subject, None)}:
                        by_key.setdefault(key, []).append(passage)
            asked = [(subject, attribute) for subject in ("port", "owner", "no") for attribute in ("orders", "", None)]
            assert shelf.passages_with([*by_digest, "0" * 64]) == {d: tuple(each) for d, each in by_digest.items()}
            assert shelf.passages_stating(asked) == {key: tuple(by_key[key]) for key in asked if key in by_key}
            assert set(shelf.current_vectors()[0]) == set(by_digest)
            for (name, version), text in self.known.items():
                assert shelf.text(name, version) == text


def test_in_whatever_order_documents_come_and_go(long: bool) -> None:
    run_state_machine_as_test(Shelves, settings=settings(max_examples=400 if long else 40, stateful_step_count=12))


# --- verdicts --------------------------------------------------------------------------------------

SAID = Verdict(
    finding=Finding.CONTRADICTED,
    confidence=0.75,
    claim_quote="is 5",
    chunk_quote="is 3",
    effective_from=LATER,
    acts=True,
    why="another value",
)


def notes(database: Sqlite, count: int = 3) -> None:
    with database.writing() as tx:
        tx.append_notes([(a_note(seq), None) for seq in range(1, count + 1)])


def test_a_verdict_is_kept_for_a_note_a_passage_and_a_judge_and_the_first_word_stands(database: Sqlite) -> None:
    notes(database)
    with database.writing() as tx:
        tx.shelf.keep_verdicts("values/1", [(1, "c1", SAID), (2, "c1", Verdict(finding=Finding.ABSTAIN))], at=NOW)
        tx.shelf.keep_verdicts("values/1", [(1, "c1", Verdict(finding=Finding.UNRELATED))], at=LATER)
        tx.shelf.keep_verdicts("values/2", [(1, "c1", Verdict(finding=Finding.UNRELATED))], at=LATER)
    with database.reading() as reading:
        pairs = [(3, "c1"), (1, "c2"), (2, "c1"), (1, "c1")]
        assert reading.shelf.verdicts(pairs, "values/1") == {
            (1, "c1"): SAID,
            (2, "c1"): Verdict(finding=Finding.ABSTAIN),
        }
        assert reading.shelf.unjudged(pairs, "values/1") == [(3, "c1"), (1, "c2")]
        assert reading.shelf.unjudged(pairs, "values/2") == [(3, "c1"), (1, "c2"), (2, "c1")]
        assert reading.shelf.unjudged([], "values/1") == []


def event(tx: Writing, note: int, verb: Verb, evidence: Evidence | None = None, undoes: int | None = None) -> int:
    journal = Journal.open(tx, NOW)
    journal.event(note, verb, actor="document:a.md", evidence=evidence, undoes=undoes)
    return journal.seq


def test_a_judgement_that_was_taken_back_names_its_version_and_passage(database: Sqlite) -> None:
    notes(database)

    def judged(version: str, chunk: str) -> Evidence:
        return Evidence(document="a.md", version=version, chunk=chunk, judge="values/1", confidence=1.0)

    with database.writing() as tx:
        first = event(tx, 1, Verb.CONTRADICTED, judged("v1", "c1"))
        disputed = event(tx, 1, Verb.DISPUTED, judged("v1", "c2"))
        event(tx, 1, Verb.CONTRADICTED, judged("v2", "c1"))
        person = event(tx, 1, Verb.DISPUTED)
        gone = event(tx, 1, Verb.UNSOURCED, Evidence(document="a.md", version="v1"))
        other = event(tx, 2, Verb.CONTRADICTED, judged("v1", "c1"))
        assert tx.shelf.acquitted([1, 2]) == set()
        for undone in (first, disputed, person, gone):
            event(tx, 1, Verb.RESTORED, undoes=undone)
        event(tx, 2, Verb.RESTORED, undoes=other)
        assert tx.shelf.acquitted([1]) == {
            Acquitted(note=1, document="a.md", version="v1", chunk="c1"),
            Acquitted(note=1, document="a.md", version="v1", chunk="c2"),
        }
        assert {found.note for found in tx.shelf.acquitted([1, 2, 3])} == {1, 2}


def test_what_a_removed_document_left_open_can_be_found_by_its_name(database: Sqlite) -> None:
    notes(database)
    with database.writing() as tx:
        for note, name in ((1, "a.md"), (2, "a.md"), (3, "b.md")):
            event(tx, note, Verb.UNSOURCED, Evidence(document=name, version="v1"))
        assert [found.note for found in tx.shelf.unsourced_by("a.md")] == [1, 2]
        event(tx, 1, Verb.RESTORED, undoes=tx.shelf.unsourced_by("a.md")[0].seq)
        [left] = tx.shelf.unsourced_by("a.md")
        assert (left.note, left.evidence) == (2, Evidence(document="a.md", version="v1"))


def test_notes_are_found_that_have_no_source_but_a_document(store: Memory) -> None:
    cited = Citation(original="The port is 5432.", ref="a.md", quote="port is 5432")
    elsewhere = Source(channel=Channel.DOCUMENT, ref="b.md")
    only = [
        store.remember("The port is 5432.", sources=[cited]).note,
        store.remember("The port was 6432.", sources=[cited, Source(channel=Channel.TOOL, ref="docs/a.md")]).note,
        store.remember("The port will be 7432.", by="document:a.md").note,
    ]
    store.remember("The port is open.", sources=[cited, elsewhere])
    store.remember("The port is wide.", sources=[elsewhere], by="document:a.md")
    store.remember("The port is deep.", by="person:a.md")
    with store._database.reading() as reading:
        assert reading.shelf.sourced_only_by(["a.md", "docs/a.md"]) == [note.seq for note in only]
        assert reading.shelf.sourced_only_by(["a.md"]) == [only[0].seq, only[2].seq]
        assert reading.shelf.sourced_only_by(["c.md"]) == []
        assert reading.shelf.sourced_only_by([]) == []


# --- notices ---------------------------------------------------------------------------------------


def told(tx: Writing, note: int, scope: str = "here") -> int:
    seq = event(tx, note, Verb.CONTRADICTED, Evidence(document="a.md", version="v1"))
    tx.shelf.notify(seq, scope=scope, note=note, kind="contradicted")
    return seq


def test_a_notice_is_there_with_its_event_or_neither_is(database: Sqlite) -> None:
    notes(database)
    with pytest.raises(ZeroDivisionError), database.writing() as tx:
        assert told(tx, 1) / 0
    with database.reading() as reading:
        assert (reading.shelf.notices([]), reading.events([1])) == ([], [])
    with database.writing() as tx:
        seq = told(tx, 1)
    with database.reading() as reading:
        [notice] = reading.shelf.notices(["here"])
        assert (notice.event, notice.note, notice.scope, notice.kind) == (
            reading.events([1])[0],
            "n1",
            "here",
            "contradicted",
        )
        assert reading.shelf.notice(seq) == notice
        assert reading.shelf.notice(seq + 1) is None


def test_notices_are_read_page_by_page_newest_first_by_scope_and_state(database: Sqlite) -> None:
    notes(database)
    with database.writing() as tx:
        seqs = [told(tx, 1 + n % 3, "here" if n % 2 else "there") for n in range(20)]
        for seq in seqs[:7]:
            assert tx.shelf.settle(seq, Settled.ACCEPT, by="person:ana", at=LATER)
    with database.reading() as reading:

        def pages(scopes: Sequence[str], settled: bool | None) -> list[int]:
            found: list[int] = []
            while page := reading.shelf.notices(scopes, settled=settled, before=found[-1] if found else None, limit=3):
                assert len(page) <= 3
                found += [notice.event.seq for notice in page]
            return found

        for scopes in ([], ["here"], ["there"], ["here", "there"], ["nowhere"]):
            wanted = {"here": seqs[1::2], "there": seqs[::2]}
            inside = sorted({s for scope in scopes or wanted for s in wanted.get(scope, [])}, reverse=True)
            assert pages(scopes, None) == inside
            assert pages(scopes, True) == [seq for seq in inside if seq in seqs[:7]]
            assert pages(scopes, False) == [seq for seq in inside if seq not in seqs[:7]]


@pytest.mark.parametrize("how", Settled)
def test_a_notice_is_settled_once(database: Sqlite, how: Settled) -> None:
    notes(database)
    with database.writing() as tx:
        seq = told(tx, 1)
        assert tx.shelf.settle(seq, how, by="person:ana", at=LATER)
        assert not tx.shelf.settle(seq, Settled.ACCEPT, by="person:bo", at=NOW)
        assert not tx.shelf.settle(seq + 99, how, by="person:ana", at=LATER)
        notice = tx.shelf.notice(seq)
        assert notice is not None
        assert (notice.settled_as, notice.settled_by, notice.settled_at) == (how, "person:ana", LATER)


# --- the outbox ------------------------------------------------------------------------------------


def test_messages_wait_in_their_order_until_they_are_taken_each_once(database: Sqlite) -> None:
    with database.writing() as tx:
        seqs = [tx.shelf.post("notice", {"n": n, "text": "caf\u00e9"}, at=NOW) for n in range(5)]
        with pytest.raises(ValueError, match="JSON"):
            tx.shelf.post("notice", {"n": float("nan")}, at=NOW)
    with database.writing() as tx:
        found = tx.shelf.waiting(limit=3)
        assert [(each.seq, each.topic, each.at) for each in found] == [(seq, "notice", NOW) for seq in seqs[:3]]
        assert found[1].payload == {"n": 1, "text": "caf\u00e9"}
        assert [each.seq for each in tx.shelf.waiting(after=seqs[2])] == seqs[3:]
        assert tx.shelf.take([seqs[2], seqs[0], 99], at=LATER) == [seqs[0], seqs[2]]
        assert tx.shelf.take([seqs[2], seqs[1]], at=LATER) == [seqs[1]]
    with database.reading() as reading:
        assert [each.seq for each in reading.shelf.waiting()] == seqs[3:]


def test_a_message_whose_taking_failed_waits_again(database: Sqlite) -> None:
    with database.writing() as tx:
        seq = tx.shelf.post("notice", {}, at=NOW)
    with pytest.raises(ZeroDivisionError), database.writing() as tx:
        assert len(tx.shelf.take([seq], at=NOW)) / 0
    with database.reading() as reading:
        assert [each.seq for each in reading.shelf.waiting()] == [seq]


def test_two_that_take_at_once_take_no_message_twice(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    count = 60
    with closing(Sqlite(path, model=None, dimension=0)) as first:
        with first.writing() as tx:
            seqs = [tx.shelf.post("notice", {}, at=NOW) for _ in range(count)]
        taken: list[list[int]] = [[], []]
        start = threading.Barrier(2)

        def drain(place: int) -> None:
            with closing(Sqlite(path, model=None, dimension=0)) as database:
                start.wait()
                for _ in range(count):
                    with database.reading() as reading:
                        seen = [message.seq for message in reading.shelf.waiting(limit=2)]
                    with database.writing() as tx:
                        taken[place] += tx.shelf.take(seen, at=NOW)

        threads = [threading.Thread(target=drain, args=(place,)) for place in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        assert sorted(taken[0] + taken[1]) == seqs


# --- receipts --------------------------------------------------------------------------------------


def test_a_note_names_the_last_answers_that_it_was_served_in(database: Sqlite) -> None:
    notes(database)
    answers = [
        Served(id=f"r{n}", at=NOW + n * HOUR, question=f"which {n}?", scopes=("here", "caf\u00e9"), mode="answer")
        for n in range(4)
    ]
    with database.writing() as tx:
        tx.shelf.keep_receipts([(answers[0], [1, 2]), (answers[1], [1]), (answers[2], []), (answers[3], [1])])
        tx.shelf.keep_receipts([(replace(answers[0], question="another"), [3])])
    with database.reading() as reading:
        assert reading.shelf.used_in([1, 2, 3]) == {
            1: (answers[3], answers[1], answers[0]),
            2: (answers[0],),
        }
        assert reading.shelf.used_in([1], limit=2) == {1: (answers[3], answers[1])}


# --- wholly or not at all --------------------------------------------------------------------------


def write_everything(tx: Writing, shelf: StoredShelf) -> None:
    """A document that changed, what was found of it, and all that follows, in one transaction."""
    found = document("a.md", "port.orders: 6432", "owner.orders: Ana")
    shelf.put(found, place=PLACE, at=LATER, stated=stated(found), vectors=vectors(found))
    shelf.keep_verdicts("values/1", [(1, found.chunks[0].digest, SAID)], at=LATER)
    seq = event(tx, 1, Verb.CONTRADICTED, Evidence(document="a.md", version=found.version))
    shelf.notify(seq, scope="here", note=1, kind="contradicted")
    shelf.post("notice", {"event": seq}, at=LATER)
    shelf.remove("b.md", at=LATER)
    shelf.keep_receipts([(Served(id="r", at=NOW, question="?", scopes=("here",), mode="answer"), [1, 2])])


def begun(database: Sqlite) -> None:
    notes(database)
    put(database, document("a.md", "port.orders: 5432", "owner.orders: Ana"))
    put(database, document("b.md", "port.billing: 1"))


def everything(connection: apsw.Connection) -> list[object]:
    """Every row of every table, but for the index of words."""
    tables = connection.execute("select name from sqlite_schema where type = 'table' and name not glob 'words*'")
    return [(name, connection.execute(f"select * from {name}").fetchall()) for (name,) in tables.fetchall()]


class Stopped(Exception):
    """Something between two statements went wrong."""


def stopping(tx: Any, at: int, stop: Callable[[], None]) -> StoredShelf:
    """A shelf in a transaction whose `at`-th statement is not reached."""
    done = 0

    def counted(call: Callable[[str, Any], Any]) -> Callable[[str, Any], Any]:
        def execute(name: str, wanted: Any) -> Any:
            nonlocal done
            done += 1
            if done == at:
                stop()
            return call(name, wanted)

        return execute

    return StoredShelf(counted(tx.execute), counted(tx.execute_many), EMBEDDER.model)


def fail() -> None:
    raise Stopped


def test_what_fails_between_any_two_statements_leaves_nothing(database: Sqlite) -> None:
    begun(database)
    before = everything(database._connection)
    at = 1
    while True:
        try:
            with database.writing() as tx:
                write_everything(tx, stopping(tx, at, fail))
            break
        except Stopped:
            assert everything(database._connection) == before, f"statement {at}"
        at += 1
    assert at > 15
    assert everything(database._connection) != before


KILLED = """
import os, sys
sys.path[:0] = sys.argv[3:]
from test_store_corpus import EMBEDDER, Sqlite, stopping, write_everything
database = Sqlite(sys.argv[1], model=EMBEDDER.model, dimension=EMBEDDER.dimension)
with database.writing() as tx:
    write_everything(tx, stopping(tx, int(sys.argv[2]), lambda: os._exit(9)))
"""


@pytest.mark.parametrize("at", [5, 9, 99])
def test_a_process_that_is_killed_between_statements_leaves_nothing(tmp_path: Path, at: int) -> None:
    path = tmp_path / "store.db"
    with closing(Sqlite(path, model=EMBEDDER.model, dimension=EMBEDDER.dimension)) as database:
        begun(database)
        before = everything(database._connection)
    places = [str(Path(__file__).parent), str(Path(upheld.__file__).parents[1])]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(at), *places], capture_output=True, check=False, timeout=60
    )
    with closing(Sqlite(path, model=EMBEDDER.model, dimension=EMBEDDER.dimension)) as database:
        after = everything(database._connection)
    killed = at < 99
    assert done.returncode == (9 if killed else 0), done.stderr
    assert (after == before) is killed


def test_a_note_that_is_not_there_is_judged_and_told_of_by_nobody(database: Sqlite) -> None:
    notes(database)
    for write in (
        lambda tx: tx.shelf.keep_verdicts("values/1", [(9, "c", SAID)], at=NOW),
        lambda tx: tx.shelf.notify(9, scope="here", note=1, kind="contradicted"),
    ):
        with pytest.raises(UpheldError), database.writing() as tx:
            write(tx)


@pytest.fixture
def plans(database: Sqlite) -> Callable[[str, Any], str]:
    """How SQLite goes about a statement."""

    def plan(name: str, wanted: Any) -> str:
        found = database._connection.execute("explain query plan " + STATEMENTS[name], wanted)
        return "\n".join(str(row[3]) for row in found)

    return plan


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("passages_of", {"names": "[]"}),
        ("passages_with", {"digests": "[]"}),
        ("passages_stating", {"keys": "[]"}),
        ("new_passages", {"edition": 1, "former": 2}),
        ("verdicts", {"pairs": "[]", "judge": "j"}),
        ("unjudged", {"pairs": "[]", "judge": "j"}),
        ("undone", {"seqs": "[]"}),
        ("used_in", {"note": 1, "limit": 1}),
        ("waiting", {"after": 0, "limit": 1}),
    ],
)
def test_what_is_asked_for_every_note_reads_no_whole_table(
    plans: Callable[[str, Any], str], name: str, wanted: Any
) -> None:
    scanned = [line for line in plans(name, wanted).splitlines() if line.startswith("SCAN")]
    assert all(line.split()[1] in {"asked", "stating"} or "outbox_waiting" in line for line in scanned), scanned


def test_a_key_is_looked_up_by_both_its_parts(plans: Callable[[str, Any], str]) -> None:
    """By its subject alone it was: of one that many documents name, every passage was read for every note."""
    assert "stated_key (subject_key=? AND attribute_key=?)" in plans("passages_stating", {"keys": "[]"})
