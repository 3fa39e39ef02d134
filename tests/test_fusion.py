"""Fusing the arms of a search: what is not in force keeps its place, and moves nothing that is."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

import upheld
from upheld.fusion import fuse
from upheld.ports import Arm, Found

OLD, LIVE = 99, 1


def arm(*order: int, fallen: frozenset[int]) -> Arm:
    """An arm that found these notes in this order."""
    standing = [seq for seq in order if seq not in fallen]
    return Arm(standing, [seq for seq in order if seq in fallen], order)


def order(*arms: Arm) -> list[int]:
    return [seq for _, seq in fuse(Found(by_meaning=arms[0], by_words=arms[1]))]


def test_a_fallen_note_is_ahead_of_what_it_was_ahead_of_while_it_stood() -> None:
    """Between other fallen notes a live one comes to the top of each arm; that takes no place from who was above it."""
    others = [*range(10, 20)]
    fallen = frozenset({OLD, *others})
    found = order(arm(OLD, *others, LIVE, fallen=fallen), arm(OLD, *others, LIVE, fallen=fallen))
    assert found.index(OLD) == 0
    assert order(arm(OLD, *others, LIVE, fallen=frozenset()), arm(OLD, *others, LIVE, fallen=frozenset()))[0] == OLD


def test_a_fallen_note_is_behind_what_it_was_behind() -> None:
    found = order(*[arm(1, 2, 3, OLD, 4, fallen=frozenset({OLD}))] * 2)
    assert found == [1, 2, 3, OLD, 4]


def test_fallen_notes_stand_among_themselves_as_they_did() -> None:
    fallen = frozenset({7, 8, 9})
    assert order(*[arm(8, 7, 9, LIVE, fallen=fallen)] * 2) == [8, 7, 9, LIVE]
    assert order(*[arm(LIVE, 9, 7, 8, fallen=fallen)] * 2) == [LIVE, 9, 7, 8]


def test_among_equal_scores_a_fallen_note_stands_by_its_age_as_others_do() -> None:
    for place, replaced in ((0, 5), (5, 0)):  # newer first, so what replaces the last one written comes first
        with upheld.open(":memory:", embedder=None) as memory:
            notes = [memory.remember(f"Proposal {letter} for quorum.") for letter in "abcdef"]
            newer = memory.supersede(notes[replaced].id, "Something else altogether.")
            answer = memory.recall("proposal for quorum")
            assert [note.id for note in answer.upheld].index(newer.id) == place


@given(
    st.permutations(range(1, 16)),
    st.permutations(range(1, 16)),
    st.frozensets(st.integers(1, 15)),
)
def test_a_replacement_is_never_later_than_the_note_it_replaces_was(
    one: list[int], other: list[int], fallen: frozenset[int]
) -> None:
    """As many notes are ahead of a fallen one as while all of them stood; and the fallen move none that is in force."""
    was = order(arm(*one, fallen=frozenset()), arm(*other, fallen=frozenset()))
    found = order(arm(*one, fallen=fallen), arm(*other, fallen=fallen))
    assert sorted(found) == sorted(was)
    assert all(found.index(old) <= was.index(old) for old in fallen)
    lives = [seq for seq in found if seq not in fallen]
    bare = order(
        arm(*(seq for seq in one if seq not in fallen), fallen=frozenset()),
        arm(*(seq for seq in other if seq not in fallen), fallen=frozenset()),
    )
    assert lives == bare
    scores = [score for score, _ in fuse(Found(by_meaning=arm(*one, fallen=fallen)))]
    assert all(first >= second for first, second in pairwise(scores))
