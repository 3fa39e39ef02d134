"""A note whose only document was removed: nothing contradicts it, so it is open, until somebody's word settles it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

import upheld
from upheld import Memory, Refused, wire
from upheld.note import Event, Evidence, Standing, Verb, Written
from upheld.remember import Journal
from worlds import Clock, Counter

RUNBOOK = Evidence(document="runbook.md", version="0" * 64)


@pytest.fixture
def memory(clock: Clock, ids: Counter) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as opened:
        yield opened


def lose(memory: Memory, note: Written, reason: str | None = None) -> None:
    with memory._database.writing() as tx:
        seq = tx.seqs([note.id])[note.id]
        journal = Journal.open(tx, memory._clock())
        journal.event(seq, Verb.UNSOURCED, actor="document:runbook.md", reason=reason, evidence=RUNBOOK)


def test_it_is_open_with_what_to_check_and_without_its_text(memory: Memory) -> None:
    note = memory.remember("The retry limit of checkout is 5.", by="document:runbook.md")
    assert [each.id for each in memory.recall("retry limit of checkout").upheld] == [note.id]
    lose(memory, note, reason="runbook.md was removed")
    answer = memory.recall("retry limit of checkout")
    assert answer.upheld == ()
    [question] = answer.open
    assert (question.id, question.standing, question.by) == (note.id, Standing.NEEDS_CHECK, ())
    assert "its only source was removed on 1 January 2026" in question.question
    assert question.check == "Check first: the document it came from is gone, so confirm whether it still holds."
    assert "5" not in question.question + question.check
    view = memory.get(note.id)
    assert (view.statement, view.reason, view.since) == (
        None,
        "runbook.md was removed",
        datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_what_rests_on_it_is_labelled_by_it_and_not_by_the_document(memory: Memory) -> None:
    note = memory.remember("The retry limit of checkout is 5.", by="document:runbook.md")
    rests = memory.remember("Alerts fire after five tries.", depends_on=note.id)
    lose(memory, note)
    view = memory.get(rests.id)
    assert (view.standing, view.since) == (Standing.NEEDS_CHECK, None)
    assert view.label == f"rests on {note.id}, which no longer stands"


def test_a_word_that_it_still_holds_settles_it(memory: Memory) -> None:
    note = memory.remember("The retry limit of checkout is 5.", by="document:runbook.md")
    lose(memory, note)
    with pytest.raises(Refused, match="less trusted"):
        memory.confirm(note.id, by="agent:planner")
    assert memory.get(note.id).standing is Standing.NEEDS_CHECK
    view = memory.confirm(note.id, by="document:manual.md", reason="it is in the manual too")
    assert view.standing is Standing.IN_FORCE
    events = [line for line in memory.export() if isinstance(line, Event)]
    assert [(event.verb, event.undoes) for event in events] == [
        (Verb.UNSOURCED, None),
        (Verb.RESTORED, events[0].seq),
        (Verb.CONFIRMED, None),
    ]
    memory.confirm(note.id, by="document:manual.md")
    assert len([*memory.export()]) == 5, "there is nothing more to take back"


def test_a_premise_that_fell_is_not_settled_by_it(memory: Memory) -> None:
    premise = memory.remember("Checkout runs in one region.")
    note = memory.remember("The retry limit of checkout is 5.", depends_on=premise.id)
    memory.retract(premise.id)
    lose(memory, note)
    with pytest.raises(Refused, match="rests on a note that no longer stands"):
        memory.confirm(note.id)
    memory.restore(premise.id)
    assert memory.confirm(note.id).standing is Standing.IN_FORCE


def test_restore_takes_it_back(memory: Memory) -> None:
    note = memory.remember("The retry limit of checkout is 5.")
    lose(memory, note)
    lose(memory, note)
    assert memory.restore(note.id).standing is Standing.IN_FORCE
    with pytest.raises(Refused, match="nothing stands against"):
        memory.restore(note.id)


def test_a_rival_that_came_back_meanwhile_is_open_beside_it(memory: Memory) -> None:
    old = memory.remember("The retry limit of checkout is 3.")
    note = memory.remember("The retry limit of checkout is 5.")
    assert note.outcome == "superseded"
    lose(memory, note)
    assert memory.restore(old.id).standing is Standing.IN_FORCE
    assert memory.confirm(note.id).standing is Standing.DISPUTED
    assert memory.get(old.id).standing is Standing.DISPUTED


def test_the_evidence_survives_a_log_that_is_written_out_and_taken_over(memory: Memory, clock: Clock) -> None:
    note = memory.remember("The retry limit of checkout is 5.", by="document:runbook.md")
    lose(memory, note)
    judged = Evidence(
        document="runbook.md",
        version="1" * 64,
        chunk="2" * 64,
        claim_quote="is 5",
        chunk_quote="is now 3 \u2013 since June",
        chunk_start=10,
        chunk_end=40,
        judge="values/1",
        confidence=0.5,
    )
    with memory._database.writing() as tx:
        journal = Journal.open(tx, clock())
        journal.event(1, Verb.CONTRADICTED, actor="document:runbook.md", evidence=judged)
    lines = [*memory.export()]
    assert [line.evidence for line in lines if isinstance(line, Event)] == [RUNBOOK, judged]
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        given = [wire.line_of(wire.loads(wire.dumps(wire.line_object(line)))) for line in lines]
        assert other.import_(given) == lines
        assert [*other.export()] == lines
        assert other.get(note.id).standing is Standing.CONTRADICTED
