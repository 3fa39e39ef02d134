"""Confidence that ages from the last confirmation, the bands it falls through, and that reading never refreshes it."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import upheld
from onlooker import at
from upheld import Band, Key, Memory, Standing, Written
from upheld.note import Verb
from upheld.remember import Journal
from upheld.standing import confidence
from worlds import Clock, Counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SAID = at("2026-01-14T10:00:00+00:00")
HALF_LIFE = 730
"""Days: two years, the half-life of the kinds attribute and entitlement in the default policy."""

TIER = Key(subject="Acme", attribute="plan tier")
ASKED = "Acme plan tier"


@pytest.fixture
def memory(clock: Clock, ids: Counter) -> Iterator[Memory]:
    clock.now = SAID
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as opened:
        yield opened


def said(memory: Memory, **fields: Any) -> Written:
    known: dict[str, Any] = {
        "id": "team", "kind": "attribute", "key": TIER, "value": "Team", "by": "person:our conversation",
        "confidence": 0.94, "observed_at": SAID,
    }  # fmt: skip
    return memory.remember("The plan tier of Acme is Team.", **known | fields)


def served(memory: Memory, **asked: Any) -> upheld.Recall:
    return memory.recall(ASKED, **asked)


def level(memory: Memory, **asked: Any) -> float:
    (note,) = served(memory, **asked).upheld
    return note.confidence


def say(memory: Memory, note: Written, verb: Verb, when: datetime) -> None:
    """Write what the owner of a value, or a person, said of a note: one event, as the flows write it."""
    with memory._database.writing() as tx:
        journal = Journal.open(tx, memory._clock())
        journal.event(tx.seqs([note.id])[note.id], verb, actor="system:billing", effective_from=when)


def after(days: float) -> float:
    return round(0.94 * 0.5 ** (days / HALF_LIFE), 4)


# --- the essay's figure --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["attribute", "entitlement"])
def test_94_percent_after_85_days_of_a_two_year_half_life_are_87(memory: Memory, clock: Clock, kind: str) -> None:
    said(memory, kind=kind)
    assert level(memory) == 0.94
    clock.move(days=85)
    (note,) = served(memory).upheld
    assert round(note.confidence, 2) == 0.87
    assert note.confidence == after(85) == 0.8671
    assert note.band is Band.ASSERT
    # The pure function says the same.
    day = timedelta(days=1) // timedelta(microseconds=1)
    assert confidence(0.94, age=85 * day, half_life=HALF_LIFE * day) == pytest.approx(note.confidence, abs=1e-4)


@pytest.mark.parametrize("years", [2, 4, 6])
def test_each_half_life_halves_it(memory: Memory, clock: Clock, years: int) -> None:
    said(memory, confidence=1.0)
    policy_floor = 0.2
    clock.move(days=365 * years)
    expected = 0.5 ** (years / 2)
    found = served(memory)
    assert [note.confidence for note in found.upheld] == ([expected] if expected >= policy_floor else [])


def test_a_kind_without_half_life_does_not_age(memory: Memory, clock: Clock) -> None:
    memory.remember("The plan tier of Acme is a decision.", kind="decision", confidence=0.94, extract_key=False)
    said(memory)
    clock.move(days=85)
    assert sorted(note.confidence for note in served(memory).upheld) == [0.8671, 0.94]


def test_age_counts_from_when_it_was_seen_and_not_from_when_it_was_recorded(memory: Memory, clock: Clock) -> None:
    clock.move(days=85)
    said(memory)
    assert level(memory) == after(85)
    other = memory.remember("The plan tier of Acme is old.", kind="attribute", confidence=0.94, extract_key=False)
    assert {note.id: note.confidence for note in served(memory).upheld} == {"team": after(85), other.id: 0.94}


# --- bands -----------------------------------------------------------------------------------------------


def lasts(share: float) -> float:
    """How many days it takes 0.94 to fall to a share."""
    return HALF_LIFE * math.log2(0.94 / share)


@pytest.mark.parametrize(
    ("days", "band"),
    [
        (0, Band.ASSERT),
        (lasts(0.75) - 0.01, Band.ASSERT),
        (lasts(0.75) + 0.01, Band.HEDGE),
        (lasts(0.5) - 0.01, Band.HEDGE),
        (lasts(0.5) + 0.01, Band.ASK),
        (lasts(0.2) - 0.01, Band.ASK),
        (lasts(0.2) + 0.01, None),
    ],
)
def test_a_note_falls_through_the_bands_as_it_ages(
    memory: Memory, clock: Clock, days: float, band: Band | None
) -> None:
    said(memory)
    clock.move(days=days)
    assert [note.band for note in served(memory).upheld] == ([] if band is None else [band])


@pytest.mark.parametrize(
    ("share", "band"),
    [(0.75, Band.ASSERT), (0.7499, Band.HEDGE), (0.5, Band.HEDGE), (0.4999, Band.ASK), (0.2, Band.ASK), (0.1999, None)],
)
def test_a_band_begins_at_its_edge(memory: Memory, share: float, band: Band | None) -> None:
    said(memory, confidence=share)
    assert [note.band for note in served(memory).upheld] == ([] if band is None else [band])


def test_a_policy_moves_the_edges_of_its_kind(clock: Clock) -> None:
    policy = {"kinds": {"attribute": {"assert_from": 0.95, "hedge_from": 0.9, "ask_from": 0.87, "half_life": "2y"}}}
    clock.now = SAID
    with upheld.open(":memory:", embedder=None, clock=clock, policy=policy) as memory:
        said(memory)
        bands = []
        for _ in range(4):
            bands.append([note.band for note in served(memory).upheld])
            clock.move(days=40)
    assert bands == [[Band.HEDGE], [Band.HEDGE], [Band.ASK], []]


def test_below_the_floor_a_note_is_demoted_and_not_deleted(memory: Memory, clock: Clock) -> None:
    said(memory)
    clock.move(days=math.ceil(lasts(0.2)))
    control = memory.remember("The plan tier of Acme is billed monthly.", id="control", extract_key=False)
    answer = served(memory)
    assert [note.id for note in answer.upheld] == [control.id], "the control is delivered"
    [kept] = answer.withheld
    assert (kept.id, kept.standing, kept.label, kept.statement) == (
        "team",
        Standing.DEMOTED,
        "too long unconfirmed",
        None,
    )
    assert "Team" not in answer.prompt()
    history = served(memory, mode="history")
    [found] = [view for view in history.timeline if view.id == "team"]
    assert (found.standing, found.statement) == (Standing.DEMOTED, "The plan tier of Acme is Team.")
    # It still stands: whoever asks by id gets it, and one word brings it back.
    assert memory.get("team").standing is Standing.IN_FORCE
    memory.confirm("team")
    assert {note.id for note in served(memory).upheld} == {"team", control.id}


def test_a_question_about_an_earlier_moment_gets_the_confidence_of_that_moment(memory: Memory, clock: Clock) -> None:
    said(memory)
    clock.move(days=math.ceil(lasts(0.2)))
    assert served(memory).upheld == ()
    assert level(memory, valid_at=SAID + timedelta(days=85)) == after(85)


# --- reading never refreshes; only a confirmation does -------------------------------------------------------

READS: dict[str, Callable[[Memory], object]] = {
    "recall": lambda memory: served(memory).prompt(),
    "recall in history mode": lambda memory: served(memory, mode="history").prompt("de"),
    "recall about then": lambda memory: served(memory, valid_at=SAID, known_at=SAID),
    "get": lambda memory: memory.get("team"),
    "list": lambda memory: memory.list("default"),
    "history": lambda memory: memory.history("team"),
    "explain": lambda memory: memory.explain("team"),
    "export": lambda memory: [*memory.export()],
    "export of what is current": lambda memory: [*memory.export(current=True)],
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_reading_a_hundred_times_does_not_refresh_it(
    memory: Memory, clock: Clock, read: Callable[[Memory], object]
) -> None:
    said(memory)
    for _ in range(100):
        clock.move(days=0.85)
        assert read(memory)
    assert level(memory) == after(85)
    with memory._database.reading() as reading:
        assert len([*reading.log(0)]) == 1, "the log holds the note and nothing else"
    memory.confirm("team")
    assert level(memory) == 0.94, "the control: a confirmation is seen"


def test_a_reader_that_starts_anew_does_not_refresh_it_either(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "m.db"
    clock.now = SAID
    for day in range(6):
        with upheld.open(path, embedder=None, clock=clock) as memory:
            if day == 0:
                said(memory)
            assert level(memory) == after(17 * day)
        clock.move(days=17)


@pytest.mark.parametrize("verb", [Verb.CONFIRMED, Verb.VERIFIED])
def test_a_confirmation_and_a_verification_start_its_age_again(memory: Memory, clock: Clock, verb: Verb) -> None:
    note = said(memory)
    clock.move(days=400)
    assert level(memory) == after(400)
    say(memory, note, verb, clock.now)
    assert level(memory) == 0.94
    clock.move(days=85)
    assert level(memory) == after(85)
    # What was not yet said by then does not count.
    assert level(memory, known_at=SAID + timedelta(days=399), valid_at=SAID + timedelta(days=399)) == after(399)


@pytest.mark.parametrize("verb", [Verb.CORRECTED, Verb.RESTORED])
def test_what_confirms_nothing_leaves_its_age_alone(memory: Memory, clock: Clock, verb: Verb) -> None:
    note = said(memory)
    clock.move(days=85)
    say(memory, note, verb, clock.now)
    assert level(memory) == after(85)


def test_a_confirmation_counts_from_when_it_was_seen_and_an_older_one_changes_nothing(
    memory: Memory, clock: Clock
) -> None:
    note = said(memory)
    clock.move(days=100)
    memory.confirm(note.id, observed_at=SAID - timedelta(days=30))
    assert level(memory) == after(100)
    memory.confirm(note.id, observed_at=SAID + timedelta(days=60))
    assert level(memory) == after(40)
    memory.confirm(note.id, observed_at=SAID + timedelta(days=30))
    assert level(memory) == after(40)


def test_saying_it_again_confirms_it(memory: Memory, clock: Clock) -> None:
    said(memory)
    clock.move(days=85)
    again = said(memory, id=None, observed_at=clock.now)
    assert (again.outcome, again.id) == ("confirmed", "team")
    assert level(memory) == 0.94


# --- observed, confirmed, verified: three times -------------------------------------------------------------


def test_seen_confirmed_and_verified_stay_apart(clock: Clock) -> None:
    clock.now = SAID
    tiers: dict[str, str | None] = {"Acme": None}
    with upheld.open(":memory:", embedder=None, clock=clock, verifiers={"plan tier": tiers.get}) as memory:
        note = said(memory)

        def times() -> tuple[datetime | None, datetime | None, datetime | None]:
            (found,) = served(memory).upheld
            return found.note.observed_at, found.confirmed_at, found.verified_at

        assert times() == (SAID, None, None)
        confirmed = clock.move(days=10)
        memory.confirm(note.id, by="person:ana")
        assert times() == (SAID, confirmed, None), "a person's word is no verification"
        tiers["Acme"] = "Team"
        verified = clock.move(days=10)
        assert times() == (SAID, confirmed, verified), "a verification is no person's word"
        tiers["Acme"] = None
        again = clock.move(days=10)
        memory.confirm(note.id, by="person:ana")
        assert times() == (SAID, again, verified), "a person's word does not move the time of verification"
        assert note.note.recorded_at == SAID
        (untouched,) = (line for line in memory.export() if line == note.note)
        assert untouched.observed_at == SAID, "the note itself is as it was written"  # type: ignore[union-attr]


def test_a_note_that_nobody_confirmed_has_neither_time(memory: Memory) -> None:
    said(memory, observed_at=None)
    (note,) = served(memory).upheld
    assert (note.note.observed_at, note.confirmed_at, note.verified_at) == (None, None, None)
    assert note.known_since == datetime(2026, 1, 14, 10, tzinfo=UTC)
