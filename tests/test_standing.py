"""The rule, told as small logs: one claim each, put to the rule in Python and to the rule in SQL.

Instants are microseconds and small; positions are the places of the lines. `worlds.py` makes the lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import pytest

from upheld.db.projection import Projection
from upheld.db.session import Session
from upheld.db.sqlite import Sqlite
from upheld.note import Certainty, Rel, Standing, Verb
from upheld.standing import Ruling, confidence, standings
from worlds import Line, a_link, a_note, an_event, write

Says = Callable[..., Standing]
guess = partial(a_note, certainty=Certainty.HYPOTHESIS)


class _Discarded(Exception):
    pass


@pytest.fixture(scope="module")
def database() -> Iterator[Sqlite]:
    opened = Sqlite(":memory:", model=None, dimension=0)
    yield opened
    opened.close()


@contextmanager
def holding(database: Sqlite, log: Sequence[Line]) -> Iterator[Session]:
    try:
        with database.writing() as tx:
            session = Session(tx.execute, tx.execute_many, Projection(0), None)
            write(session, log)
            yield session
            raise _Discarded
    except _Discarded:
        pass


@pytest.fixture
def ruling(database: Sqlite) -> Callable[..., Ruling]:
    """How a note of a log is ruled on, in both languages alike."""

    def ask(log: Sequence[Line], note: int = 1, *, at: int = 5, known_at: int | None = None) -> Ruling:
        moments = {"valid_at": at, "known_at": log[-1].seq if known_at is None else known_at}
        with holding(database, log) as session:
            ruled = standings(session.world([note]), [note], **moments)[note]
            assert session.standings([note], **moments) == {note: ruled.standing}
            return ruled

    return ask


@pytest.fixture
def standing(ruling: Callable[..., Ruling]) -> Says:
    return lambda *log, **question: ruling(log, **question).standing


# --- its own period --------------------------------------------------------------------------------


def test_nothing_said_against_it_leaves_a_note_in_force(standing: Says) -> None:
    assert standing(a_note(1)) == "in_force"


@pytest.mark.parametrize(
    ("times", "before", "after"),
    [
        ({"expires_at": 5}, "in_force", "expired"),
        ({"valid_to": 5}, "in_force", "ended"),
        ({"valid_from": 5}, "not_yet", "in_force"),
    ],
)
def test_a_period_is_half_open_a_microsecond_decides(
    standing: Says, times: dict[str, int], before: str, after: str
) -> None:
    assert [standing(a_note(1, **times), at=at) for at in (4, 5, 6)] == [before, after, after]


def test_a_hypothesis_is_proposed_and_never_in_force(standing: Says) -> None:
    assert standing(guess(1)) == "proposed"
    assert standing(guess(1, expires_at=3)) == "expired"


# --- what is said against it -----------------------------------------------------------------------


@pytest.mark.parametrize(("verb", "said"), [(Verb.RETRACTED, "retracted"), (Verb.ERASED, "erased")])
def test_what_never_held_held_at_no_time(standing: Says, verb: Verb, said: str) -> None:
    assert {standing(a_note(1), an_event(2, 1, verb), at=at) for at in (-9, 5, 99)} == {said}


def test_a_contradiction_takes_effect_at_its_date_or_always_if_that_is_unknown(standing: Says) -> None:
    dated = a_note(1), an_event(2, 1, Verb.CONTRADICTED, effective_from=5)
    assert [standing(*dated, at=at) for at in (4, 5)] == ["in_force", "contradicted"]
    assert standing(a_note(1), an_event(2, 1, Verb.CONTRADICTED), at=-9) == "contradicted"


@pytest.mark.parametrize("verb", [Verb.RETRACTED, Verb.CONTRADICTED, Verb.DISPUTED, Verb.UNSOURCED])
def test_what_is_taken_back_is_as_if_never_said_from_then_on(standing: Says, verb: Verb) -> None:
    log = a_note(1), an_event(2, 1, verb), an_event(3, 1, Verb.RESTORED, undoes=2)
    assert standing(*log, known_at=2) == {"unsourced": "needs_check"}.get(verb.value, verb.value)
    assert standing(*log) == "in_force"


def test_what_is_said_later_was_not_known_before(standing: Says) -> None:
    log = a_note(1), a_note(2), a_link(3, 2, Rel.SUPERSEDES, 1), an_event(4, 1, Verb.RETRACTED)
    assert [standing(*log, known_at=known_at) for known_at in (1, 2, 3, 4)] == [
        "in_force",
        "in_force",
        "superseded",
        "retracted",
    ]


def test_a_note_that_was_not_recorded_yet_has_no_standing(database: Sqlite) -> None:
    with holding(database, [a_note(1), a_note(2)]) as session:
        assert set(standings(session.world([1, 2]), [1, 2], valid_at=5, known_at=1)) == {1}
        assert set(session.standings([1, 2], valid_at=5, known_at=1)) == {1}


def test_confirmations_and_other_links_take_nothing_away(standing: Says) -> None:
    other = a_note(2), a_link(3, 2, Rel.SUPPORTS, 1), a_link(4, 2, Rel.LED_TO, 1), an_event(5, 1, Verb.CONFIRMED)
    assert standing(a_note(1), *other, an_event(6, 2, Verb.RETRACTED)) == "in_force"


# --- replacement -----------------------------------------------------------------------------------

THEN = a_link(3, 2, Rel.SUPERSEDES, 1)
AFTER = a_link(5, 4, Rel.SUPERSEDES, 2)


def test_a_replacement_retires_what_it_replaces_and_says_so(ruling: Callable[..., Ruling]) -> None:
    ruled = ruling([a_note(1), a_note(2), THEN])
    assert (ruled.standing, ruled.by, ruled.because) == (Standing.SUPERSEDED, (2,), (3,))


def test_a_replacement_counts_from_the_microsecond_in_which_it_begins(standing: Says) -> None:
    log = a_note(1), a_note(2, valid_from=5), THEN
    assert [standing(*log, at=at) for at in (4, 5)] == ["in_force", "superseded"]


@pytest.mark.parametrize(
    "fall",
    [
        [a_note(2, expires_at=3), THEN],
        [a_note(2, valid_to=3), THEN],
        [a_note(2), THEN, an_event(4, 2, Verb.CONTRADICTED)],
        [a_note(2), THEN, an_event(4, 2, Verb.DISPUTED)],
    ],
    ids=["expired", "ended", "contradicted", "disputed"],
)
def test_a_replacement_that_held_and_fell_does_not_revive_what_it_replaced(standing: Says, fall: list[Line]) -> None:
    assert standing(a_note(1), *fall) == "superseded"
    assert standing(a_note(1), *fall, note=2) not in {"in_force", "superseded"}


@pytest.mark.parametrize(
    "never",
    [
        [a_note(2), THEN, an_event(4, 2, Verb.RETRACTED)],
        [a_note(2), THEN, an_event(4, 1, Verb.RESTORED, undoes=3)],
        [guess(2), THEN],
    ],
    ids=["retracted", "withdrawn", "a guess"],
)
def test_a_replacement_that_never_held_leaves_the_old_note_in_force(standing: Says, never: list[Line]) -> None:
    assert standing(a_note(1), *never) == "in_force"


@pytest.mark.parametrize(
    "middle",
    [
        [a_note(2), THEN, a_note(4), AFTER, an_event(6, 2, Verb.RETRACTED)],
        [a_note(2, valid_from=9), THEN, a_note(4), AFTER],
        [guess(2), THEN, a_note(4), AFTER],
    ],
    ids=["retracted", "not yet", "a guess"],
)
def test_a_middle_that_does_not_count_is_looked_through(
    standing: Says, ruling: Callable[..., Ruling], middle: list[Line]
) -> None:
    assert standing(a_note(1), *middle) == "superseded"
    assert ruling([a_note(1), *middle]).by == (4,)
    # With the end of the chain gone too, nothing stands between the first note and the question.
    assert standing(a_note(1), *middle, an_event(7, 4, Verb.RETRACTED)) == "in_force"


def test_a_middle_that_counts_is_not_looked_through(ruling: Callable[..., Ruling]) -> None:
    assert ruling([a_note(1), a_note(2), THEN, a_note(4), AFTER]).by == (2,)


def test_a_withdrawn_link_is_not_looked_through(standing: Says) -> None:
    log = a_note(1), a_note(2), THEN, a_note(4), AFTER, an_event(6, 1, Verb.RESTORED, undoes=3)
    assert standing(*log) == "in_force"
    assert standing(*log, note=2) == "superseded"


def test_of_two_replacements_one_that_counts_is_enough(ruling: Callable[..., Ruling]) -> None:
    both = [a_note(1), a_note(2), THEN, a_note(4), a_link(5, 4, Rel.SUPERSEDES, 1)]
    assert ruling(both).by == (2, 4)
    assert ruling([*both, an_event(6, 2, Verb.RETRACTED)]).by == (4,)


@pytest.mark.parametrize("length", [2, 3, 50])
def test_a_circle_in_a_damaged_file_ends_and_none_of_it_stands(standing: Says, length: int) -> None:
    notes = [a_note(seq) for seq in range(1, length + 1)]
    ring = [a_link(length + seq, seq % length + 1, Rel.SUPERSEDES, seq) for seq in range(1, length + 1)]
    assert {standing(*notes, *ring, note=note.seq) for note in notes} == {"superseded"}
    assert standing(*notes, *ring[:-1], note=length) == "in_force"


def test_a_circle_of_notes_that_never_held_ends_too(standing: Says) -> None:
    log = guess(1), guess(2), guess(3), *(a_link(3 + seq, seq % 3 + 1, Rel.SUPERSEDES, seq) for seq in (1, 2, 3))
    assert standing(a_note(10), *log, a_link(11, 1, Rel.SUPERSEDES, 10), note=10) == "in_force"


# --- support ---------------------------------------------------------------------------------------

RESTS = a_link(3, 2, Rel.DEPENDS_ON, 1)
DRAWN = a_link(3, 2, Rel.DERIVED_FROM, 1)


@pytest.mark.parametrize(
    "fall",
    [
        [a_note(1, expires_at=3)],
        [a_note(1, valid_to=3)],
        [a_note(1, valid_from=9)],
        [guess(1)],
    ],
    ids=["expired", "ended", "not yet", "a guess"],
)
def test_what_only_ran_out_leaves_what_was_derived_from_it_and_shakes_what_depends_on_it(
    standing: Says, fall: list[Line]
) -> None:
    assert standing(*fall, a_note(2), DRAWN, note=2) == "in_force"
    assert standing(*fall, a_note(2), RESTS, note=2) == "needs_check"


@pytest.mark.parametrize("verb", [Verb.RETRACTED, Verb.CONTRADICTED, Verb.ERASED])
def test_what_was_corrected_makes_stale_what_was_derived_and_shakes_what_depends(standing: Says, verb: Verb) -> None:
    assert standing(a_note(1), a_note(2), DRAWN, an_event(4, 1, verb), note=2) == "stale"
    assert standing(a_note(1), a_note(2), RESTS, an_event(4, 1, verb), note=2) == "needs_check"


def test_a_replaced_ground_counts_as_corrected(standing: Says) -> None:
    replaced = a_note(4), a_link(5, 4, Rel.SUPERSEDES, 1)
    assert standing(a_note(1), a_note(2), DRAWN, *replaced, note=2) == "stale"
    assert standing(a_note(1), a_note(2), RESTS, *replaced, note=2) == "needs_check"


def test_a_disputed_ground_shakes_what_depends_on_it_only(standing: Says) -> None:
    assert standing(a_note(1), a_note(2), DRAWN, an_event(4, 1, Verb.DISPUTED), note=2) == "in_force"
    assert standing(a_note(1), a_note(2), RESTS, an_event(4, 1, Verb.DISPUTED), note=2) == "needs_check"


def test_a_ground_that_stands_again_carries_again(standing: Says) -> None:
    fallen = a_note(1), a_note(2), DRAWN, an_event(4, 1, Verb.RETRACTED)
    assert standing(*fallen, an_event(5, 1, Verb.RESTORED, undoes=4), note=2) == "in_force"


def test_a_ground_that_is_let_go_no_longer_matters(standing: Says) -> None:
    fallen = a_note(1), a_note(2), RESTS, an_event(4, 1, Verb.RETRACTED)
    assert standing(*fallen, an_event(5, 2, Verb.RESTORED, undoes=3), note=2) == "in_force"


def test_a_correction_weighs_more_than_a_check(standing: Says) -> None:
    both = a_note(1), a_note(2), a_note(3), a_link(4, 3, Rel.DEPENDS_ON, 1), a_link(5, 3, Rel.DERIVED_FROM, 2)
    assert standing(*both, an_event(6, 1, Verb.RETRACTED), an_event(7, 2, Verb.RETRACTED), note=3) == "stale"
    assert standing(*both, an_event(6, 1, Verb.RETRACTED), note=3) == "needs_check"


def test_what_a_note_is_by_itself_comes_before_what_it_rests_on(standing: Says) -> None:
    assert standing(a_note(1), a_note(2, expires_at=3), RESTS, an_event(4, 1, Verb.RETRACTED), note=2) == "expired"


@pytest.mark.parametrize(("rel", "said"), [(Rel.DEPENDS_ON, "needs_check"), (Rel.DERIVED_FROM, "stale")])
def test_a_fall_is_felt_a_thousand_steps_up(standing: Says, rel: Rel, said: str) -> None:
    tower = [a_note(seq) for seq in range(1, 1002)]
    steps = [a_link(2000 + seq, seq + 1, rel, seq) for seq in range(1, 1001)]
    fall = an_event(4000, 1, Verb.RETRACTED)
    assert standing(*tower, *steps, fall, note=1001) == said
    assert standing(*tower, *steps, fall, note=1001, known_at=3999) == "in_force"


def test_a_shaken_ground_shakes_whatever_way_it_is_used(standing: Says) -> None:
    log = a_note(1), a_note(2), RESTS, a_note(4), a_link(5, 4, Rel.DERIVED_FROM, 2), an_event(6, 1, Verb.RETRACTED)
    assert standing(*log, note=4) == "stale"


# --- disputes --------------------------------------------------------------------------------------


def test_a_dispute_holds_while_the_rival_stands_and_ends_when_it_falls(
    standing: Says, ruling: Callable[..., Ruling]
) -> None:
    log = a_note(1), a_note(2, expires_at=5), an_event(3, 1, Verb.DISPUTED, against=2)
    assert [standing(*log, at=at) for at in (4, 5)] == ["disputed", "in_force"]
    assert ruling(log, at=4).by == (2,)
    assert standing(*log, an_event(4, 2, Verb.RETRACTED), at=4) == "in_force"
    assert standing(*log, a_note(4), a_link(5, 4, Rel.SUPERSEDES, 2), at=4) == "in_force"


def test_a_dispute_with_nobody_holds_until_it_is_taken_back(standing: Says) -> None:
    log = a_note(1), an_event(2, 1, Verb.DISPUTED)
    assert standing(*log) == "disputed"
    assert standing(*log, an_event(3, 1, Verb.RESTORED, undoes=2)) == "in_force"


def test_two_notes_may_dispute_each_other(standing: Says) -> None:
    mutual = a_note(1), a_note(2), an_event(3, 1, Verb.DISPUTED, against=2), an_event(4, 2, Verb.DISPUTED, against=1)
    assert [standing(*mutual, note=note) for note in (1, 2)] == ["disputed", "disputed"]


def test_a_dispute_does_not_hide_a_fallen_ground(standing: Says) -> None:
    log = a_note(1), a_note(2), RESTS, an_event(4, 1, Verb.RETRACTED), an_event(5, 2, Verb.DISPUTED)
    assert standing(*log, note=2) == "needs_check"


# --- lost sources ----------------------------------------------------------------------------------

LOST = an_event(9, 1, Verb.UNSOURCED)


def test_a_note_whose_only_source_was_removed_needs_a_check(ruling: Callable[..., Ruling]) -> None:
    ruled = ruling([a_note(1), LOST])
    assert (ruled.standing, ruled.by, ruled.because) == (Standing.NEEDS_CHECK, (), (9,))


def test_a_lost_source_is_named_after_all_that_is_said_against_a_note_itself(standing: Says) -> None:
    assert standing(a_note(1, expires_at=3), LOST) == "expired"
    assert standing(guess(1), LOST) == "proposed"
    assert standing(a_note(1), an_event(2, 1, Verb.RETRACTED), LOST) == "retracted"
    assert standing(a_note(1), a_note(2), THEN, LOST) == "superseded"
    assert standing(a_note(1), an_event(2, 1, Verb.DISPUTED), LOST) == "disputed"


def test_a_note_without_a_source_still_disputes_and_still_replaces(standing: Says) -> None:
    lost = an_event(9, 2, Verb.UNSOURCED)
    assert standing(a_note(1), a_note(2), an_event(3, 1, Verb.DISPUTED, against=2), lost) == "disputed"
    assert standing(a_note(1), a_note(2), THEN, lost) == "superseded"
    assert standing(a_note(1), a_note(2), THEN, lost, note=2) == "needs_check"


def test_a_lost_source_shakes_what_depends_on_it_and_corrects_nothing(standing: Says) -> None:
    assert standing(a_note(1), a_note(2), RESTS, LOST, note=2) == "needs_check"
    assert standing(a_note(1), a_note(2), DRAWN, LOST, note=2) == "in_force"


def test_a_lost_source_does_not_hide_a_fallen_ground(ruling: Callable[..., Ruling]) -> None:
    fallen = an_event(4, 1, Verb.RETRACTED), an_event(5, 2, Verb.UNSOURCED)
    assert ruling([a_note(1), a_note(2), RESTS, *fallen], note=2).by == (1,)
    assert ruling([a_note(1), a_note(2), DRAWN, *fallen], note=2).standing is Standing.STALE


# --- confidence ------------------------------------------------------------------------------------


def test_confidence_halves_with_each_half_life_and_never_rises_above_the_first() -> None:
    assert [confidence(0.8, age=age, half_life=10) for age in (0, 10, 20)] == [0.8, 0.4, 0.2]
    assert confidence(0.8, age=-99, half_life=10) == 0.8
    assert confidence(0.8, age=10**18, half_life=None) == 0.8
