"""Fusing the ways of searching: one order of all that was found, by reciprocal ranks.

Ranks count notes in force only, so what does not hold never moves what does. What a supersession links is placed among
them as if it still stood, because its replacement takes that place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from upheld.note import MAX_RECALL
from upheld.ports import Arm, Found
from upheld.standing import Seq

FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): how little rank 1 outweighs rank 2."""

_WEIGHTS = {"meaning": 1.0, "words": 1.0, "subject": 0.1}
"""That the question names a note's subject decides between notes that fit it about as well, and no more."""
_SHARES = {
    name: [weight / (FUSION + rank) for rank in range(1, 2 * MAX_RECALL + 1)] for name, weight in _WEIGHTS.items()
}
"""What each rank of an arm adds to a note's score."""


def fuse(found: Found) -> Iterator[tuple[float, Seq]]:
    """What some arm found, best first: the sum of a note's reciprocal ranks, and its position; ties: newer first."""
    scores: dict[Seq, float] = {}
    arms = [(name, arm) for name, arm in found.arms() if arm.together or arm.rest]
    for name, arm in arms:
        _add(scores, arm.in_force, _SHARES[name])
        for place, (seq, ahead) in enumerate(zip(arm.rest, arm.ahead, strict=True), start=1):
            behind = _WEIGHTS[name] / (FUSION + ahead + place / (len(arm.rest) + 1))
            scores[seq] = scores[seq] + behind if seq in scores else behind
    order = sorted(zip(scores.values(), scores, strict=True), reverse=True)
    linked = found.linked
    return _with_linked(arms, linked, order) if linked else iter(order)


def _with_linked(
    arms: Sequence[tuple[str, Arm]], linked: Collection[Seq], order: Sequence[tuple[float, Seq]]
) -> Iterator[tuple[float, Seq]]:
    """An order with what a supersession links: each ahead of all in force that it would be ahead of if it stood.

    By its place among notes in force alone it would fall behind some of these: without what fell among them they are
    closer to the top of each arm, and a replacement would come later than what it replaced.
    """
    together: dict[Seq, float] = {}
    for name, arm in arms:
        _add(together, arm.together, _SHARES[name])
    waiting = sorted([(together.get(seq, 0.0), seq) for seq in linked])
    for score, seq in order:
        while waiting and seq in together and (together[seq], seq) < waiting[-1]:  # the rest never stand in the way
            yield score, waiting.pop()[1]
        yield score, seq
    for _, seq in reversed(waiting):
        yield 0.0, seq


def _add(scores: dict[Seq, float], order: Sequence[Seq], shares: Sequence[float]) -> None:
    if not scores:
        scores.update(zip(order, shares, strict=False))
        return
    for seq, share in zip(order, shares, strict=False):
        scores[seq] = scores[seq] + share if seq in scores else share
