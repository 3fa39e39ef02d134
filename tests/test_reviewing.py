"""What failed its check waits for a person; nobody else lets it in, and no search finds it meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import upheld
from judges_for_tests import Accuser
from upheld.aside import Origin
from upheld.db.sqlite import Sqlite
from upheld.errors import HedgeLost, Invalid, NotFound, Refused
from upheld.note import Certainty, Citation, Draft, Key
from upheld.policy import load
from upheld.reviewing import Reviews
from upheld.transition import Ground, Kind, Transition

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from upheld import Memory
    from worlds import Clock, Counter, HashEmbedder

GUESS = "My guess is API v1 is still using this column, but I haven't confirmed it."
FACT = "API v1 uses the customer_legacy column."
WHY = ("its evidence is not sure of it, and it is stated as sure",)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def memory(path: Path, clock: Clock, ids: Counter, embedder: HashEmbedder) -> Iterator[Memory]:
    with upheld.open(path, embedder=embedder, clock=clock, ids=ids) as opened:
        yield opened


@pytest.fixture
def reviews(memory: Memory, path: Path, clock: Clock, ids: Counter, embedder: HashEmbedder) -> Iterator[Reviews]:
    """The reviews of the same store, over a connection of their own."""
    database = Sqlite(path, model=embedder.model, dimension=embedder.dimension)
    yield Reviews(database, policy=load(None), embedder=embedder, clock=clock, ids=ids)
    database.close()


def test_what_is_set_aside_waits_and_is_found_nowhere_else(memory: Memory, reviews: Reviews) -> None:
    memory.remember("The orders service runs in two regions.")
    kept = reviews.set_aside(
        Origin.EXTRACTION, WHY, [Draft(statement=FACT, by="agent:extractor")], by="agent:extractor"
    )
    assert [(each.id, each.what, each.why, each.by) for each in reviews.list()] == [
        (kept.id, Origin.EXTRACTION, WHY, "agent:extractor")
    ]
    assert [draft.statement for draft in reviews.list()[0].drafts] == [FACT]
    answer = memory.recall(FACT)
    assert FACT not in answer.prompt()
    assert len(memory.list("default").notes) == 1
    assert not [line for line in memory.export() if FACT in str(line)]
    # Once it is let in, all of these find it: the same questions, another answer.
    reviews.accept(kept.id)
    assert FACT in memory.recall(FACT).prompt()
    assert len(memory.list("default").notes) == 2
    assert [line for line in memory.export() if FACT in str(line)]


def test_everything_of_a_draft_comes_back_as_it_was(reviews: Reviews, clock: Clock) -> None:
    draft = Draft(
        statement=FACT,
        scope="project/orders",
        by="agent:extractor",
        key=Key(subject="API v1", attribute="column", single=False),
        value="customer_legacy",
        applies_when={"environment": ("production",)},
        certainty=Certainty.HYPOTHESIS,
        valid_from=clock(),
        sources=(Citation(original=GUESS, ref="m1", quote=GUESS),),
        reason="the incident",
    )
    reviews.set_aside("import", WHY, [draft], by="person:ana")
    assert reviews.list()[0].drafts == (draft,)


def test_accepting_writes_it_as_the_word_of_who_accepts(memory: Memory, reviews: Reviews) -> None:
    kept = reviews.set_aside("extraction", WHY, [Draft(statement=FACT, by="agent:extractor")], by="agent:extractor")
    written = reviews.accept(kept.id, by="person:ana")
    assert [(each.outcome, each.note.by, each.note.channel.value) for each in written] == [
        ("added", "person:ana", "person")
    ]
    assert reviews.list() == ()
    with pytest.raises(NotFound):
        reviews.accept(kept.id, by="person:ana")
    assert memory.recall(FACT).upheld[0].statement == FACT


@pytest.mark.parametrize("by", ["agent:extractor", "tool:importer", "document:report.md"])
def test_nothing_lets_itself_in(memory: Memory, reviews: Reviews, by: str) -> None:
    kept = reviews.set_aside("extraction", WHY, [Draft(statement=FACT, by="agent:extractor")], by="agent:extractor")
    with pytest.raises(Refused):
        reviews.accept(kept.id, by=by)
    with pytest.raises(Refused):
        reviews.reject(kept.id, by=by)
    assert len(reviews.list()) == 1
    assert memory.list("default").notes == ()
    reviews.accept(kept.id, by="person:ana")
    assert len(memory.list("default").notes) == 1


def test_accepting_raises_no_trust(memory: Memory, reviews: Reviews) -> None:
    kept = reviews.set_aside("import", WHY, [Draft(statement=FACT, by="system:crm")], by="tool:importer")
    assert [each.note.channel.value for each in reviews.accept(kept.id, by="person:ana")] == ["person"]
    assert memory.remember(FACT, scope="other", by="system:crm").note.channel.value == "system_of_record"


def test_all_of_it_or_nothing(memory: Memory, reviews: Reviews) -> None:
    good = Draft(statement=FACT, by="agent:extractor")
    bad = Draft(statement="The port is 5432.", by="agent:extractor", supersedes=("nobody",))
    kept = reviews.set_aside("extraction", WHY, [good, bad], by="agent:extractor")
    with pytest.raises(NotFound):
        reviews.accept(kept.id)
    assert memory.list("default").notes == ()
    assert len(reviews.list()) == 1
    whole = reviews.set_aside("extraction", WHY, [good], by="agent:extractor")
    assert len(reviews.accept(whole.id)) == 1


def test_a_lost_doubt_comes_in_as_a_guess_only(memory: Memory, reviews: Reviews) -> None:
    source = Citation(original=GUESS, ref="m1", quote=GUESS)
    old = memory.remember("Nobody uses the customer_legacy column.")
    draft = Draft(statement=FACT, by="agent:extractor", sources=(source,), supersedes=(old.id,))
    kept = reviews.set_aside("extraction", WHY, [draft], by="agent:extractor")
    with pytest.raises(HedgeLost):
        reviews.accept(kept.id)
    assert len(reviews.list()) == 1
    written = reviews.accept(kept.id, as_guess=True)
    assert [(each.outcome, each.note.certainty) for each in written] == [("proposed", Certainty.HYPOTHESIS)]
    assert memory.get(old.id).standing.value == "in_force"


def test_rejecting_throws_it_away(memory: Memory, reviews: Reviews) -> None:
    kept = reviews.set_aside("extraction", WHY, [Draft(statement=FACT)], by="agent:extractor")
    reviews.reject(kept.id, by="person:ana")
    assert reviews.list() == ()
    assert memory.list("default").notes == ()
    with pytest.raises(NotFound):
        reviews.reject(kept.id, by="person:ana")


def test_bad_input_keeps_nothing(reviews: Reviews) -> None:
    draft = Draft(statement=FACT)
    for what, why, drafts, by in (
        ("gossip", WHY, [draft], "agent:x"),
        ("import", (), [draft], "agent:x"),
        ("import", WHY, [], "agent:x"),
        ("import", WHY, [draft], "nobody"),
    ):
        with pytest.raises(Invalid):
            reviews.set_aside(what, why, drafts, by=by)
    assert reviews.list() == ()
    reviews.set_aside("import", WHY, [draft], by="agent:x")
    assert len(reviews.list()) == 1


def test_a_judge_is_asked_about_what_code_lets_pass(memory: Memory, path: Path, clock: Clock, ids: Counter) -> None:
    told = Ground(ref="m1", text="The port is 5432.")
    right = Transition(evidence=[told], drafts=[Draft(statement="The port is 5432 now.")])
    wrong = Transition(evidence=[told], drafts=[Draft(statement="The port is 5433.")])
    database = Sqlite(path, model=None, dimension=0)
    try:
        alone = Reviews(database, policy=load(None), embedder=None, clock=clock, ids=ids)
        assert alone.check(right) == ()
        assert {problem.kind for problem in alone.check(wrong)} >= {Kind.FAITHFULNESS}
        judge = Accuser()
        judging = Reviews(database, policy=load(None), embedder=None, clock=clock, ids=ids, judge=judge)
        assert {problem.kind for problem in judging.check(right)} == {Kind.FAITHFULNESS}
    finally:
        database.close()
