"""The ways of searching the images of some scopes: by meaning, by words, by the subject that the question names.

Notes are ranked in three groups: those in force, those that a supersession links, the rest. None takes the place of one
of another group, so however many notes fell, what is in force is found, and what may lead to it.

Vectors are compared exactly: of each group those of the `SHORTLIST` that share most sign bits with the query (over 99 %
of the true top ten on real text; all, where there are no more).

Words are ranked by BM25 whose statistics (how many notes, how long, how many hold a token) count notes in force
only. A shared full-text score would let notes that no longer hold reorder those that do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from upheld.db.index import (
    BLOCK,
    GROUP,
    GROUP_BITS,
    KEY_BITS,
    LINKED,
    REST,
    STANDING,
    Look,
    Mask,
    Postings,
    Rows,
    ScopeIndex,
    signs,
)
from upheld.ports import Arm, Most
from upheld.standing import Seq

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORTLIST = (400, 80, 40)
"""How many vectors of each group are compared exactly."""
WITHIN = 100
"""Of the others only those with signs as near as those of this many in force, where what fits worse is not wanted."""
COMMON = 0.05
COMMON_FROM = 1000
KEPT_TOKENS = 3
MAX_QUERY_TOKENS = 64
_K1, _B = 1.2, 0.75
_TIE = 10**5  # scores that differ by less than one part of it are ties, so a row's place cannot order them
_KEY = (1 << KEY_BITS) - 1
_CROWD = 200
"""From how many on they are thinned out before they are gone through one by one."""

Scored = tuple[Rows, "NDArray[np.float32]", Mask]
"""Rows of one scope that were found: the key of each, how well it fits, and whether it is in force."""


def by_meaning(looks: Sequence[Look], query: NDArray[np.float32], most: Most) -> Arm:
    """The notes nearest to a query vector."""
    bits = signs(query.reshape(1, -1))[0]
    scored: list[Scored] = []
    for look in looks:
        index = look.index
        if index.count == 0:  # a scope without notes has no lanes either
            continue
        rows = _closest(_differing_signs(index, bits), look, within=most.within)
        scored.append((look.keys[rows], _similarity(index, rows, query), look.live[rows]))
    return _ranked(scored, most)


def _similarity(index: ScopeIndex, rows: Rows, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosine of some rows, block by block: so the matrix product starts no threads of its own either."""
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        block = index.scratch.block[: len(part)]
        np.take(index.vectors, part, axis=0, out=block, mode="clip")
        np.dot(block, query, out=scores[start : start + len(part)])
    return scores


def _differing_signs(index: ScopeIndex, bits: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many sign bits each row differs from the query."""
    count, scratch = index.count, index.scratch
    apart, differ, ones = scratch.apart[:count], scratch.differ[:count], scratch.ones[:count]
    apart[:] = 0
    for lane, bit in zip(index.signs[:, :count], bits, strict=True):
        np.bitwise_xor(lane, bit, out=differ)
        np.bitwise_count(differ, out=ones)
        np.add(apart, ones, out=apart)
    return apart


def _closest(apart: NDArray[np.uint16], look: Look, *, within: bool) -> Rows:
    """The closest rows of each group: for each, all at the distance of the last that is wanted.

    The cut is by distance, so it depends on no row's place, and for those in force on no row of another group.
    """
    width, before, furthest = look.width, 0, look.width - 1
    np.add(apart, look.band, out=apart)
    upto = np.bincount(apart, minlength=4 * width).cumsum()
    close = np.zeros(len(apart), np.bool_)
    for start, wanted in zip(range(0, 3 * width, width), SHORTLIST, strict=True):
        reached = upto[start : start + width]
        close |= apart <= min(int(reached.searchsorted(before + wanted)), furthest)
        if within and not start:
            furthest = min(int(reached.searchsorted(WITHIN)), furthest)
        apart -= np.uint16(width)  # the next group begins at 0; what was looked at wraps around, far away
        before = int(upto[start + width - 1])
    return np.flatnonzero(close)


def word_scores(
    looks: Sequence[Look], wanted: Sequence[str], postings: Sequence[Postings]
) -> list[NDArray[np.float32]]:
    """How well every note of each scope matches some tokens: BM25 over the notes in force of all of them."""
    notes = sum(look.notes for look in looks)
    length = sum(look.words for look in looks) / max(notes, 1)
    terms: list[tuple[int, str, list[Rows]]] = []
    for token in dict.fromkeys(wanted[:MAX_QUERY_TOKENS]):
        rows = [look.index.posting(token, fetch) for look, fetch in zip(looks, postings, strict=True)]
        holding = sum(int(np.count_nonzero(look.live[r])) for look, r in zip(looks, rows, strict=True))
        terms.append((holding, token, rows))
    terms.sort(key=lambda term: (term[0], term[1]))
    common = COMMON * notes if notes >= COMMON_FROM else notes
    kept = [term for place, term in enumerate(terms) if place < KEPT_TOKENS or term[0] <= common]
    scored: list[NDArray[np.float32]] = []
    for place, look in enumerate(looks):
        scores = look.index.scratch.scores[: look.index.count]
        scores[:] = 0
        for holding, _, held in kept:
            here = held[place]
            weight = np.log1p((notes - holding + 0.5) / (holding + 0.5)) * (_K1 + 1)
            damp = 1 + _K1 * (1 - _B) + look.index.lengths[here] * (_K1 * _B / max(length, 1.0))
            scores[here] += weight / damp
        scored.append(scores)
    return scored


def by_words(looks: Sequence[Look], scores: Sequence[NDArray[np.float32]], most: Most) -> Arm:
    """The notes that best match the words of a question."""
    scored: list[Scored] = []
    for look, score in zip(looks, scores, strict=True):
        rows = np.flatnonzero((score > 0) & look.known)
        scored.append((look.keys[rows], score[rows], look.live[rows]))
    return _ranked(scored, most)


def by_subject(
    looks: Sequence[Look],
    named: Sequence[Rows],
    query: NDArray[np.float32] | None,
    scores: Sequence[NDArray[np.float32]],
    most: Most,
) -> Arm:
    """The notes whose subject the question names, by meaning where there is a vector, else by words.

    A question about Y is answered by statements about Y before those that only mention it.
    """
    scored: list[Scored] = []
    for look, seqs, score in zip(looks, named, scores, strict=True):
        if not len(seqs):
            continue
        rows = look.index.rows_of(seqs)
        rows = rows[look.known[rows]]
        weights = score[rows] if query is None else _similarity(look.index, rows, query)
        scored.append((look.keys[rows], weights, look.live[rows]))
    return _ranked(scored, most)


def _ranked(scored: Sequence[Scored], most: Most) -> Arm:
    """The best hits of each group over all scopes; equal scores put the newer note first, fallen or not."""
    if not scored:
        return Arm()
    keys, scores, stands = scored[0] if len(scored) == 1 else map(np.concatenate, zip(*scored, strict=True))
    # Score and key in one number: no two are equal, so the cut needs no second look at ties.
    order = np.rint(scores * np.float64(_TIE)).astype(np.int64)
    order <<= KEY_BITS
    order += keys
    standing = order[stands]
    if not most.linked:
        in_force = [(key & _KEY) >> GROUP_BITS for key in _first(standing, most.in_force)]
        return Arm(in_force=in_force, together=in_force)
    if most.within and len(standing) >= most.in_force:
        order = order[order >= np.partition(standing, -most.in_force)[-most.in_force]]
    if len(order) > _CROWD:
        groups = order & GROUP
        order = np.concatenate([_greatest(order[groups == group], most[group]) for group in (STANDING, LINKED, REST)])
    return _told_apart(sorted(order.tolist(), reverse=True), most)


def _told_apart(order: Sequence[int], most: Most) -> Arm:
    """The arm that found these, by their groups."""
    in_force: list[Seq] = []
    linked: list[Seq] = []
    together: list[Seq] = []
    rest: list[Seq] = []
    ahead: list[int] = []
    for key in order:
        seq, group = (key & _KEY) >> GROUP_BITS, key & GROUP
        if group == STANDING and len(in_force) < most.in_force:
            in_force.append(seq)
            together.append(seq)
        elif group == LINKED and len(linked) < most.linked:
            linked.append(seq)
            together.append(seq)
        elif group == REST and len(rest) < most.rest:
            rest.append(seq)
            ahead.append(len(in_force))
    return Arm(in_force, linked, together[: most.in_force], rest, ahead)


def _first(order: NDArray[np.int64], most: int) -> list[int]:
    """The greatest, in falling order."""
    return sorted(_greatest(order, most).tolist(), reverse=True)


def _greatest(order: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    return order if len(order) <= most else np.partition(order, len(order) - most)[len(order) - most :]
