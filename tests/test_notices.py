"""The inbox: what the owners of notes are told, and how they answer, once. Nobody else learns the old text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import apsw
import pytest

import upheld
from upheld import Citation, Conflict, Invalid, Memory, NotFound, Refused, Standing, UpheldError, wire
from upheld.note import Verb
from upheld.receipts import AT_ONCE
from upheld.remember import Journal
from upheld.shelf import Settled
from worlds import Clock, Counter, HashEmbedder

OLD, NEW = "The port of the orders database is 5432.", "The port of the orders database is 6432."
BACKUPS, OTHER_BACKUPS = "Backups run every 6 hours.", "Backups run every 4 hours."
OWNER = "The billing team owns invoices."
QUESTION = "which port does the orders database use, how often do backups run, who owns invoices?"


@pytest.fixture
def memory(clock: Clock, ids: Counter, embedder: HashEmbedder) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=embedder, clock=clock, ids=ids) as opened:
        yield opened


def fallen(memory: Memory, **fields: Any) -> tuple[upheld.Written, int]:
    """A note that a document contradicts, and the number of its notice."""
    note = memory.remember(OLD, **fields)
    memory.corpus.add_text("ops.md", NEW)
    [told] = memory.inbox.list()
    assert told.note == note.id
    return note, told.number


def many(memory: Memory, count: int) -> list[str]:
    """So many notes that have fallen, each with a notice, oldest first."""
    notes = [memory.remember(f"The port of service {number} is 8000.").id for number in range(count)]
    memory.corpus.add_text("ports.md", "\n\n".join(f"The port of service {number} is 7000." for number in range(count)))
    return notes


def head(memory: Memory) -> int:
    with memory._database.reading() as reading:
        return reading.head().seq


# --- listing ---------------------------------------------------------------------------------------


def test_notices_come_newest_first_page_by_page_each_once(memory: Memory) -> None:
    notes = many(memory, 7)
    whole = memory.inbox.list()
    assert sorted(told.note for told in whole) == sorted(notes)
    numbers = [told.number for told in whole]
    assert numbers == sorted(numbers, reverse=True)
    for limit in (1, 2, 3, 7, 8):
        paged: list[int] = []
        while page := memory.inbox.list(limit=limit, before=paged[-1] if paged else None):
            assert len(page) == min(limit, 7 - len(paged))
            paged += [told.number for told in page]
        assert paged == numbers


def test_notices_are_listed_by_scope_and_by_whether_they_were_answered(memory: Memory) -> None:
    here = memory.remember(OLD, scope="here")
    there = memory.remember(BACKUPS, scope="there")
    memory.corpus.add_text("ops.md", f"{NEW}\n\n{OTHER_BACKUPS}")
    assert [told.note for told in memory.inbox.list("here")] == [here.id]
    assert [told.note for told in memory.inbox.list(["there"])] == [there.id]
    assert {told.note for told in memory.inbox.list(["here", "there"])} == {here.id, there.id}
    assert memory.inbox.list("her") == ()
    memory.inbox.accept(memory.inbox.list("here")[0].number)
    assert [told.note for told in memory.inbox.list()] == [there.id]
    assert [told.note for told in memory.inbox.list(settled=True)] == [here.id]
    assert {told.note for told in memory.inbox.list(settled=None)} == {here.id, there.id}


def erase(memory: Memory, note: str) -> None:
    with memory._database.writing() as tx:
        journal = Journal.open(tx, memory._clock())
        journal.event(tx.seqs([note])[note], Verb.ERASED, actor="person:owner")


def test_a_notice_about_an_erased_note_is_gone_and_ends_no_page(memory: Memory) -> None:
    many(memory, 5)
    whole = memory.inbox.list()
    gone = [whole[0], whole[1], whole[3]]
    for told in gone:
        erase(memory, told.note)
    kept = [whole[2].number, whole[4].number]
    assert [told.number for told in memory.inbox.list()] == kept
    assert [told.number for told in memory.inbox.list(limit=1)] == kept[:1]
    assert [told.number for told in memory.inbox.list(limit=1, before=kept[0])] == kept[1:]
    before = head(memory)
    for answer in (memory.inbox.accept, memory.inbox.undo):
        with pytest.raises(UpheldError):
            answer(gone[0].number)
    with pytest.raises(UpheldError):
        memory.inbox.correct(gone[0].number, "The port of service 9 is 3.")
    assert head(memory) == before
    memory.inbox.accept(kept[0])


@pytest.mark.parametrize("number", [None, "x", {}, [], 0, -1, 1.5, True, 10**30, 999])
def test_a_notice_that_there_is_not_is_a_typed_error(memory: Memory, number: Any) -> None:
    note, real = fallen(memory)
    before = head(memory)
    for answer in (memory.inbox.accept, memory.inbox.undo, lambda n: memory.inbox.correct(n, NEW)):
        with pytest.raises(Invalid if number != 999 else NotFound):
            answer(number)
    assert head(memory) == before
    assert memory.inbox.undo(real).note == note.id


@pytest.mark.parametrize(
    "options", [{"limit": 0}, {"limit": 1001}, {"limit": "x"}, {"before": "x"}, {"before": -1}, {"scope": 5}]
)
def test_a_listing_that_makes_no_sense_is_refused(memory: Memory, options: dict[str, Any]) -> None:
    with pytest.raises(Invalid):
        memory.inbox.list(**options)


# --- answering -------------------------------------------------------------------------------------


def test_who_accepts_leaves_the_note_as_it_is(memory: Memory, clock: Clock) -> None:
    note, number = fallen(memory)
    before = head(memory)
    clock.move(hours=1)
    told = memory.inbox.accept(number, by="person:ana")
    assert (told.standing, told.settled_as, told.settled_by) == (Standing.CONTRADICTED, Settled.ACCEPT, "person:ana")
    assert told.settled_at == clock.now
    assert head(memory) == before
    assert memory.inbox.list(settled=True) == (told,)
    assert memory.get(note.id).standing is Standing.CONTRADICTED


def test_who_undoes_brings_the_note_and_what_rests_on_it_back(memory: Memory) -> None:
    note, number = fallen(memory)
    rests = memory.remember("Rule 7 opens the port.", depends_on=note.id)
    assert memory.get(rests.id).standing is Standing.NEEDS_CHECK
    told = memory.inbox.undo(number, by="person:ana", reason="a typo in the runbook")
    assert (told.standing, told.settled_as) == (Standing.IN_FORCE, Settled.UNDO)
    assert memory.get(rests.id).standing is Standing.IN_FORCE
    assert note.id in {each.id for each in memory.recall(QUESTION).upheld}


def test_who_corrects_says_what_holds_instead(memory: Memory) -> None:
    note, number = fallen(memory, scope="team", kind="attribute")
    written = memory.inbox.correct(number, "The port of the orders database is 7432.", reason="asked the owner")
    assert (written.note.scope, written.note.kind, written.replaces) == ("team", "attribute", (note.id,))
    [found] = memory.recall(QUESTION, scope="team").upheld
    assert (found.id, found.replaces) == (written.id, (note.id,))
    [told] = memory.inbox.list(settled=True)
    assert told.settled_as is Settled.CORRECT
    memory.corpus.sweep()
    assert memory.get(written.id).standing is Standing.CONTRADICTED, "the document disagrees with that too"


Answer = Callable[[Memory, int], Any]
ANSWERS: dict[str, Answer] = {
    "accept": lambda memory, number: memory.inbox.accept(number),
    "undo": lambda memory, number: memory.inbox.undo(number),
    "correct": lambda memory, number: memory.inbox.correct(number, "The port of the orders database is 7432."),
}


@pytest.mark.parametrize("first", ANSWERS)
@pytest.mark.parametrize("second", ANSWERS)
def test_a_notice_is_answered_once(memory: Memory, first: str, second: str) -> None:
    _, number = fallen(memory)
    ANSWERS[first](memory, number)
    before, notes = head(memory), memory.scopes()
    with pytest.raises(Conflict, match=f"settled already, as {first}"):
        ANSWERS[second](memory, number)
    assert (head(memory), memory.scopes()) == (before, notes)
    [told] = memory.inbox.list(settled=None)
    assert told.settled_as == first


@pytest.mark.parametrize("answer", ANSWERS)
def test_of_eight_that_answer_at_once_one_does(tmp_path: Path, answer: str) -> None:
    with upheld.open(tmp_path / "m.db", embedder=None) as memory:
        _, number = fallen(memory)

        def attempt(_: int) -> bool:
            try:
                ANSWERS[answer](memory, number)
            except Conflict:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(attempt, range(8))) == 1


def test_an_answer_that_fails_leaves_the_notice_open(memory: Memory) -> None:
    _, number = fallen(memory)
    before = head(memory)
    for statement in ("", "half \ud800", None):
        with pytest.raises(Invalid):
            memory.inbox.correct(number, statement)  # type: ignore[arg-type]
    for by in ("ana", "", None):
        with pytest.raises(Invalid):
            memory.inbox.accept(number, by=by)  # type: ignore[arg-type]
        with pytest.raises(Invalid):
            memory.inbox.undo(number, by=by)  # type: ignore[arg-type]
    assert head(memory) == before
    assert [told.number for told in memory.inbox.list()] == [number]
    memory.inbox.undo(number)


@pytest.mark.parametrize(
    ("source", "by", "may"),
    [
        ("person:ana", "agent:planner", False),
        ("person:ana", "tool:scan", False),
        ("person:ana", "person:ben", True),
        ("person:ana", "system:crm", True),
        ("agent:planner", "agent:other", True),
    ],
)
def test_who_is_less_trusted_than_a_note_may_not_undo_what_happened_to_it(
    memory: Memory, source: str, by: str, *, may: bool
) -> None:
    note, number = fallen(memory, by=source)
    if may:
        assert memory.inbox.undo(number, by=by).standing is Standing.IN_FORCE
        return
    with pytest.raises(Refused, match="less trusted"):
        memory.inbox.undo(number, by=by)
    assert memory.get(note.id).standing is Standing.CONTRADICTED
    assert [told.number for told in memory.inbox.list()] == [number]


def test_undo_takes_back_one_thing_and_not_what_else_stands_against_the_note(memory: Memory) -> None:
    note = memory.remember(OLD, by="person:ana")
    memory.corpus.add_text("low.md", NEW, authority="tool")
    memory.corpus.add_text("high.md", "The port of the orders database is 7432.")
    dispute, contradiction = sorted(memory.inbox.list(), key=lambda told: told.number)
    assert (dispute.kind, contradiction.kind) == (Verb.DISPUTED, Verb.CONTRADICTED)
    assert memory.inbox.undo(contradiction.number).standing is Standing.DISPUTED
    assert memory.inbox.undo(dispute.number).standing is Standing.IN_FORCE
    memory.corpus.sweep()
    assert memory.get(note.id).standing is Standing.IN_FORCE


def test_what_was_taken_back_meanwhile_cannot_be_undone_and_can_be_accepted(memory: Memory) -> None:
    note, number = fallen(memory)
    memory.restore(note.id)
    with pytest.raises(Refused, match="taken back already"):
        memory.inbox.undo(number)
    assert memory.inbox.accept(number).standing is Standing.IN_FORCE


def test_a_lost_source_can_be_undone_too(memory: Memory) -> None:
    memory.corpus.add_text("ops.md", OLD)
    note = memory.remember(OLD, sources=Citation(original=OLD, ref="ops.md", quote=OLD))
    memory.corpus.remove("ops.md")
    [told] = memory.inbox.list()
    assert (told.kind, told.standing) == (Verb.UNSOURCED, Standing.NEEDS_CHECK)
    assert memory.inbox.undo(told.number).standing is Standing.IN_FORCE
    memory.corpus.add_text("ops.md", OLD)
    assert memory.get(note.id).standing is Standing.IN_FORCE


# --- which answers it had been in ------------------------------------------------------------------


def test_a_notice_tells_the_answers_that_the_note_was_in_also_after_the_store_was_closed(
    tmp_path: Path, clock: Clock, ids: Counter, embedder: HashEmbedder
) -> None:
    def opened() -> Memory:
        return upheld.open(tmp_path / "m.db", embedder=embedder, clock=clock, ids=ids)

    with opened() as memory:
        memory.remember(OLD, scope="here")
        memory.remember(OWNER, scope="there")
        memory.recall("first: the port of orders?", scope="here")
        memory.recall("not about it", scope="there")
        clock.move(hours=1)
    with opened() as memory:
        memory.recall("second: the port of orders?", scope=["here", "there"])
        memory.recall("third: the port of orders?", scope="here", documents=[NEW])
        memory.corpus.add_text("ops.md", NEW)
        memory.recall("fourth: the port of orders?", scope="here")
        [told] = memory.inbox.list()
    assert [(used.question.split(":")[0], used.scopes, used.mode) for used in told.used_in] == [
        ("second", ("here", "there"), "answer"),
        ("first", ("here",), "answer"),
    ]
    assert [used.at.hour for used in told.used_in] == [1, 0]
    assert len({used.id for used in told.used_in}) == 2
    with opened() as memory:
        assert memory.inbox.list() == (told,)


def test_a_store_that_keeps_no_receipts_tells_none(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock, keep_receipts=False) as memory:
        memory.remember(OLD)
        memory.recall("port of the orders database")
        memory.corpus.add_text("ops.md", NEW)
        [told] = memory.inbox.list()
        assert told.used_in == ()


def test_many_receipts_are_all_kept_and_the_last_twenty_told(memory: Memory) -> None:
    memory.remember(OLD)
    for number in range(600):
        memory.recall(f"port of the orders database {number}", limit=1)
    memory.corpus.add_text("ops.md", NEW)
    [told] = memory.inbox.list()
    assert [int(used.question.split()[-1]) for used in told.used_in] == list(range(599, 579, -1))
    assert memory._database._connection.execute("select count(*) from receipt").fetchone() == (600,)


def test_a_receipt_that_waits_holds_no_text_of_a_note(memory: Memory) -> None:
    memory.remember(OLD)
    before = memory.recall("port of the orders database").receipt
    receipts = memory._answering._receipts
    [(receipt, [seq])] = receipts._waiting
    assert (receipt, seq) == (before, 1), "the control: it waits, and knows the note by its position"
    assert OLD not in repr(receipts._waiting)
    memory.corpus.add_text("ops.md", NEW)
    [told] = memory.inbox.list()
    assert [used.question for used in told.used_in] == [receipt.query]


def test_receipts_that_cannot_be_written_wait_and_none_is_lost_or_doubled(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, clock=clock, busy_s=0.0) as memory:
        memory.remember(OLD)
        other = apsw.Connection(str(path))
        other.execute("begin immediate")
        for number in range(600):
            memory.recall(f"port of the orders database {number}")
        counted = "select count(*), count(distinct id) from receipt"
        assert other.execute(counted).fetchone() == (0, 0), "the control: nothing could be written"
        other.execute("rollback")
        assert memory.consolidations.staleness().answers == 600
        assert memory.consolidations.staleness().answers == 600
        assert other.execute(counted).fetchone() == (600, 600)
        other.close()


def test_receipts_of_many_threads_are_each_kept_once(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, clock=clock) as memory, ThreadPoolExecutor(8) as threads:
        memory.remember(OLD)
        [*threads.map(lambda n: memory.recall(f"port of the orders database {n}"), range(1000))]
        raw = apsw.Connection(str(path))
        kept = "select count(*), count(distinct question) from receipt"
        written: Any = raw.execute(kept).fetchone()
        assert written >= (3 * AT_ONCE, 0), "the control: some were written on the way"
    assert raw.execute(kept).fetchone() == (1000, 1000)
    raw.close()


# --- who learns the old text -----------------------------------------------------------------------

CANARY = "5432"


def ways_out(memory: Memory, ids: list[str]) -> dict[str, str]:
    """What each way out gives an agent, as JSON."""
    answer = memory.recall(QUESTION)
    found: dict[str, Any] = {
        "recall": answer,
        "recall explained": memory.recall(QUESTION, explain=True),
        "prompt": answer.prompt(),
        "list": memory.list("default"),
        "current": list(memory.export(current=True)),
        "corpus": memory.corpus.list(),
        "swept": memory.corpus.sweep(dry_run=True),
    }
    for id in ids:
        found[f"get {id}"] = memory.get(id)
        found[f"explain {id}"] = memory.explain(id)
    with memory._database.reading() as reading:
        found["outbox"] = [dict(message.payload) for message in reading.shelf.waiting()]
    return {way: wire.dumps(what) for way, what in found.items()}


@pytest.mark.parametrize("authority", ["document", "tool"])
def test_the_text_of_what_fell_leaves_by_no_way_out_but_the_inbox(memory: Memory, authority: str) -> None:
    note = memory.remember(OLD)
    rests = memory.remember("Rule 7 opens what 5432 names.", depends_on=note.id)
    derived = memory.remember("In short, 5432 it is.", derived_from=note.id)
    control = memory.remember(OWNER)
    ids = [note.id, rests.id, derived.id]
    before = ways_out(memory, ids)
    assert {"recall", "prompt", "list", "current", f"get {note.id}"} <= {w for w in before if CANARY in before[w]}
    added = memory.corpus.add_text("ops.md", f"{NEW}\n\nLunch.", authority=authority)
    assert note.id in added.report.to_retire + added.report.to_dispute
    assert CANARY not in wire.dumps(added)
    assert memory.get(note.id).standing is (Standing.CONTRADICTED if authority == "document" else Standing.DISPUTED)
    after = ways_out(memory, ids if authority == "document" else ids[:2])
    if authority == "tool":
        memory.retract(derived.id)  # what is disputed was not corrected, so what derives from it stands
        after = ways_out(memory, ids)
    assert [way for way, said in after.items() if CANARY in said] == []
    assert control.id in after["recall"]
    [told] = memory.inbox.list()
    assert CANARY in json.dumps(wire.shaped(told.evidence)), "the owner is shown what the note had said"
    assert CANARY in wire.dumps(memory.get(note.id, mode="history")), "and history has it"
