"""The four failures of essay 002, told through the verbs. No job runs in any of them.

A summary that floats free of its inputs; a chain of rewritings; what was said and what is claimed in one store; and a
pass that leaves the store half changed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import upheld
from onlooker import all_text, at, said
from upheld import Conflict, Memory, Refused, Standing
from upheld.aside import Quote, Sentence, Work
from worlds import Clock, Counter

SCOPE = "customer/42"


@pytest.fixture
def clock() -> Clock:
    return Clock(at("2026-03-02T09:00+00:00"))


@pytest.fixture
def memory(clock: Clock) -> Memory:
    return upheld.open(":memory:", embedder=None, clock=clock, ids=Counter())


def heard(memory: Memory, id: str, text: str, **fields: object) -> str:
    return memory.remember(text, id=id, scope=SCOPE, extract_key=False, **fields).id  # type: ignore[arg-type]


def published(memory: Memory, *notes: str, **fields: object) -> str:
    made = memory.consolidations.compress(notes, **fields)  # type: ignore[arg-type]
    [written] = memory.consolidations.publish(made.id or "")
    return written.id


def test_derived_items_name_their_input_range(memory: Memory, clock: Clock) -> None:
    """A summary that floats free cannot be invalidated, regenerated or checked. This one names what it covers."""
    heard(memory, "deadline", "The migration of Nordwind is due on 30 June.")
    clock.move(days=1)
    heard(memory, "owner", "Petra owns the migration of Nordwind.")
    made = memory.consolidations.compress(scope=SCOPE, since="2026-03-01", until="2026-03-31")
    [summary] = memory.consolidations.publish(made.id or "")
    refs = [source.ref for source in summary.note.sources]
    assert refs[:2] == [
        "compress/extractive-1",
        "range/recorded/2026-03-01T00:00:00+00:00/2026-03-31T23:59:59.999999+00:00",
    ]
    asked = "when is the migration of Nordwind due, and who owns it?"
    before = memory.recall(asked, scope=SCOPE)
    assert summary.id in [note.id for note in before.upheld], "the control: while its notes stand, it is served"
    assert "30 June" in all_text(before)

    clock.move(days=20)
    memory.supersede("deadline", "The migration of Nordwind was moved to 15 September.", reason="a late audit")

    assert memory.get(summary.id).standing is Standing.STALE, "nobody noticed anything, and no job ran"
    answer = memory.recall(asked, scope=SCOPE)
    assert "30 June" not in all_text(answer)
    assert any("15 September" in text for text in said(answer))
    assert (summary.id, Standing.STALE) in [(note.id, note.standing) for note in answer.withheld]
    counted = memory.consolidations.staleness()
    assert (counted.answers, counted.stale) == (2, 1), "the share of answers that would have served it is known"

    again = memory.consolidations.compress(summary.id)
    assert [view.id for view in again.replaces] == [summary.id], "to make it again is a defined operation"
    [renewed] = memory.consolidations.publish(again.id or "")
    assert "15 September" in renewed.statement
    assert "30 June" not in renewed.statement


def test_generations_are_bounded_and_what_cannot_be_grounded_again_is_not_rewritten(
    memory: Memory, clock: Clock
) -> None:
    """Each rewriting loses something. At the cap the first notes are read again; where one is gone, nothing is."""
    heard(memory, "a", "Nordwind has twelve depots in Norway.")
    heard(memory, "b", "The depot in Bergen is closed on Sundays.")
    heard(memory, "c", "Deliveries to Bergen need a permit.", expires_at="2026-06-01")
    first = published(memory, "a", "b")
    second = published(memory, first, "c")
    assert memory.get(second).note is not None
    with pytest.raises(Refused, match="generations"):
        heard(memory, "third", "Bergen is closed.", derived_from=[second])

    heard(memory, "d", "Bergen has a new crane.")
    made = memory.consolidations.compress([second, "d"])
    assert set(made.inputs) == {"a", "b", "c", "d"}, "not the summary of a summary, but what was heard"
    assert made.generation == 1
    memory.consolidations.discard(made.id or "")

    clock.now = at("2026-06-02")
    assert memory.get(second).standing is Standing.EXPIRED, "it ends with the first of its notes"
    memory.retract("a", reason="it was another customer")
    assert memory.get(first).standing is Standing.STALE
    with pytest.raises(Refused, match="note a, which it was made from, is retracted"):
        memory.consolidations.compress([first, "d"])
    assert memory.get(first).standing is Standing.STALE, "demoted, and not rewritten"
    assert "twelve depots" not in all_text(memory.recall("how many depots has Nordwind?", scope=SCOPE))


class Eager:
    """A writer that infers where it was asked to compress."""

    name = "eager-1"

    def write(self, work: Work) -> list[Sentence]:
        quotes = tuple(Quote(note=note.id, text=note.statement) for note in work.notes)
        return [Sentence(text="Lena always works to tight deadlines.", quotes=quotes, confidence=0.9)]


def test_what_was_said_and_what_is_claimed_are_two_operations(memory: Memory) -> None:
    """ "She mentioned a deadline on Tuesday" and "she works to tight deadlines" are not the same kind of object."""
    for day in (3, 10, 17):
        heard(memory, f"d{day}", f"Lena mentioned a deadline on {day} March.")
    asked = "does Lena work to tight deadlines?"

    compressed = memory.consolidations.compress(scope=SCOPE, writer=Eager())
    assert compressed.id is None, "compression asserts nothing that was not said"
    assert compressed.problems

    guessed = memory.consolidations.infer(scope=SCOPE, writer=Eager())
    [claim] = memory.consolidations.publish(guessed.id or "")
    assert claim.outcome == "proposed"
    assert {source.ref for source in claim.note.sources if source.excerpt} == {"note:d3", "note:d10", "note:d17"}
    answer = memory.recall(asked, scope=SCOPE)
    assert "tight deadlines" not in all_text(answer).replace(asked, "")
    assert (claim.id, Standing.PROPOSED) in [(note.id, note.standing) for note in answer.withheld]

    faithful = memory.consolidations.compress(scope=SCOPE)
    [summary] = memory.consolidations.publish(faithful.id or "")
    assert memory.get(summary.id).standing is Standing.IN_FORCE, "the control: a faithful one is served"
    memory.retract(claim.id, reason="three deadlines are no habit")
    once_more = memory.consolidations.infer(scope=SCOPE, writer=Eager())
    assert once_more.id is None, "and what was contested does not come back by itself"


def test_stage_and_swap_leaves_the_store_whole_at_every_moment(clock: Clock, tmp_path: Path) -> None:
    """A pass that edits the live store as it goes shows retrieval a half. This one shows all or nothing."""
    path = tmp_path / "memory.db"
    with upheld.open(path, embedder=None, clock=clock, ids=Counter()) as memory:
        heard(memory, "plan", "Nordwind is on the Pro plan.")
        heard(memory, "seats", "Nordwind has forty seats.")
        former = published(memory, "plan", "seats")
        heard(memory, "region", "Nordwind is hosted in Frankfurt.")
        before = list(memory.export())
        staged = memory.consolidations.compress(scope=SCOPE)
        assert list(memory.export()) == before
    # The pass died here. Another process opens the store: it finds what was live, and what the pass would have done.
    with upheld.open(path, embedder=None, clock=clock, ids=Counter()) as memory:
        assert list(memory.export()) == before
        [left] = memory.consolidations.list()
        assert left == staged
        memory.supersede("seats", "Nordwind has sixty seats.")
        with pytest.raises(Conflict) as moved:
            memory.consolidations.publish(staged.id or "")
        assert moved.value.current == ("seats",)
        memory.consolidations.discard(staged.id or "")
        assert memory.get(former).standing is Standing.STALE
        made = memory.consolidations.compress(scope=SCOPE)
        [summary] = memory.consolidations.publish(made.id or "")
        assert "sixty seats" in summary.statement
        assert [view.id for view in memory.list(SCOPE, kinds=["summary"]).notes] == [summary.id]
