"""The searchable image of one scope, in memory: vectors, postings, and which notes are in force.

It is a projection: it decides only what a search *looks at*. Each row is a note; `live` says whether the rule put
it in force. Vectors are compared exactly: of the notes in force, and of the others, each time the `SHORTLIST` that
share most sign bits with the query (over 99 % of the true top ten on real text; all, where there are no more).

Words are ranked by BM25 whose statistics (how many notes, how long, how many hold a token) count notes in force
only. A shared full-text score would let notes that no longer hold reorder those that do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from upheld.ports import Arm
from upheld.standing import Seq

SHORTLIST = 400
ANCHOR_SHORTLIST = 100
BLOCK = 1000
COMMON = 0.05
COMMON_FROM = 1000
KEPT_TOKENS = 3
MAX_QUERY_TOKENS = 64
MAX_POSTINGS = 4096
_LINES_BYTES = 300
_K1, _B = 1.2, 0.75
_TIE = 10**5  # scores that differ by less than one part of it are ties, so a row's place cannot order them
_POSITION_BITS = 34  # beside them, 29 bits hold any score: 64 tokens at most, each below 40
_POSITION = (1 << _POSITION_BITS) - 1
_LOWEST, _HIGHEST = -2 * _TIE, 1 << 29  # no score is as low, or as high
_SLACK = 0.1  # how far from 1 the squared length of a vector may be: rounding to float16 stays a hundred times below

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]
Postings = Callable[[str, Seq], NDArray[np.int64]]


@dataclass(slots=True)
class Posting:
    """The rows that hold one token, current up to a position of the log."""

    rows: Rows
    upto: Seq


@dataclass(frozen=True, slots=True)
class Scratch:
    """Room for one search at a time, kept so that no search pays for fresh memory."""

    apart: NDArray[np.uint16]
    differ: NDArray[np.uint64]
    ones: NDArray[np.uint8]
    scores: NDArray[np.float32]
    block: NDArray[np.float32]

    @classmethod
    def of(cls, room: int, dimension: int) -> Scratch:
        """Room for as many rows."""
        return cls(
            np.empty(room, np.uint16),
            np.empty(room, np.uint64),
            np.empty(room, np.uint8),
            np.empty(room, np.float32),
            np.empty((min(room, BLOCK), dimension), np.float32),
        )


@dataclass(slots=True)
class ScopeIndex:
    """One scope. Rows are in the order of the log; arrays have spare room at the end."""

    dimension: int
    count: int = 0
    seqs: Rows = field(default_factory=lambda: np.empty(0, np.int64))
    live: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    all: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    embedded: Mask = field(default_factory=lambda: np.empty(0, np.bool_))
    lengths: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    vectors: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    signs: NDArray[np.uint64] = field(default_factory=lambda: np.empty((0, 0), np.uint64))
    scratch: Scratch = field(default_factory=lambda: Scratch.of(0, 0))
    postings: dict[str, Posting] = field(default_factory=dict)
    latest: Look | None = None

    @property
    def size(self) -> int:
        """Bytes held, about; with them the lines that bear on each note."""
        return self.vectors.nbytes + self.signs.nbytes + self.seqs.nbytes * 3 + self.count * _LINES_BYTES

    def add(self, rows: Sequence[tuple[Seq, bytes | None, int]]) -> None:
        """Append notes: position, float16 vector if there is one, number of tokens."""
        if not rows:
            return
        start, self.count = self.count, self.count + len(rows)
        if self.count > len(self.seqs):
            self._grow(start, self.count if start == 0 else self.count + self.count // 2)
        end = self.count
        self.seqs[start:end] = [row[0] for row in rows]
        self.lengths[start:end] = [max(row[2], 0) for row in rows]
        self.live[start:end] = self.all[start:end] = True
        self.latest = None
        width = self.dimension * 2
        if not self.dimension:
            return
        blank = bytes(width)
        raw = b"".join(row[1] if row[1] is not None and len(row[1]) == width else blank for row in rows)
        vectors = self.vectors[start:end]
        vectors[:] = np.frombuffer(raw, np.float16).reshape(len(rows), self.dimension)
        # A damaged vector is none: one that is not of unit length would outweigh all others, or be no number at all.
        sound = np.abs(np.einsum("ij,ij->i", vectors, vectors) - 1) < _SLACK
        vectors[~sound] = 0
        self.embedded[start:end] = sound
        self.signs[:, start:end] = signs(vectors).T

    def _grow(self, kept: int, room: int) -> None:
        def grown(old: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
            array = np.zeros(shape, old.dtype)
            array[:kept] = old[:kept]
            return array

        self.seqs = grown(self.seqs, (room,))
        self.live = grown(self.live, (room,))
        self.all = grown(self.all, (room,))
        self.embedded = grown(self.embedded, (room,))
        self.lengths = grown(self.lengths, (room,))
        self.scratch = Scratch.of(room, self.dimension)
        if self.dimension:
            lanes = np.zeros((-(-self.dimension // 64), room), np.uint64)
            if kept:
                self.vectors = grown(self.vectors, (room, self.dimension))
                lanes[:, :kept] = self.signs[:, :kept]
            else:
                self.vectors = np.zeros((room, self.dimension), np.float32)
            self.signs = lanes

    def rows_of(self, seqs: Rows) -> Rows:
        """The rows of those positions that are in this scope."""
        rows = np.searchsorted(self.seqs[: self.count], seqs)
        rows[rows == self.count] = 0
        return rows[self.seqs[rows] == seqs] if self.count else rows[:0]

    def judge(self, seqs: Sequence[Seq], in_force: Sequence[bool]) -> None:
        """Take over rulings, as far as they are on notes of this scope."""
        order = np.array(seqs, np.int64)
        inside = np.isin(order, self.seqs[: self.count])
        self.live[self.rows_of(order[inside])] = np.array(in_force, np.bool_)[inside]
        self.latest = None

    def look(self) -> Look:
        """The scope as it is now."""
        if self.latest is None:
            self.latest = Look.at(self, self.live[: self.count], self.all[: self.count])
        return self.latest

    def posting(self, token: str, fetch: Postings) -> Rows:
        """The rows that hold a token; asks the database only for notes that came since the last time."""
        last = int(self.seqs[self.count - 1]) if self.count else 0
        known = self.postings.get(token)
        if known is None:
            if len(self.postings) >= MAX_POSTINGS:
                self.postings.clear()
            known = self.postings[token] = Posting(np.empty(0, np.int64), 0)
        if known.upto < last:
            fresh = self.rows_of(fetch(token, known.upto))
            known.rows = np.concatenate([known.rows, fresh]) if len(known.rows) else fresh
            known.upto = last
        return known.rows


def signs(vectors: NDArray[np.float32]) -> NDArray[np.uint64]:
    """The sign bits of each vector, 64 to a lane."""
    bits = np.packbits(vectors > 0, axis=1)
    lanes = -(-vectors.shape[1] // 64)
    padded = np.zeros((len(vectors), lanes * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(np.uint64)


@dataclass(frozen=True, slots=True)
class Look:
    """A scope and what may be seen of it: `live` notes are in force, `known` ones may be found as well.

    `notes` and `words` count the notes in force and the tokens in them. `band` is 0 for a row in force, one `width`
    for one that is not, and two for one that has no vector or may not be seen.
    """

    index: ScopeIndex
    live: Mask
    known: Mask
    notes: int
    words: float
    width: int
    band: NDArray[np.uint16]

    @classmethod
    def at(cls, index: ScopeIndex, live: Mask, known: Mask) -> Look:
        """A look at any moment, its statistics counted."""
        width = index.dimension + 1
        band = np.full(index.count, 2 * width, np.uint16)
        band[known & index.embedded[: index.count]] = width
        band[live & known & index.embedded[: index.count]] = 0
        words = float(index.lengths[: index.count] @ live)
        return cls(index, live, known, int(np.count_nonzero(live)), words, width, band)


def by_meaning(looks: Sequence[Look], query: NDArray[np.float32], depth: int, *, anchors: int = 0) -> Arm:
    """The notes nearest to a query vector: up to `depth` in force, and up to `anchors` others."""
    bits = signs(query.reshape(1, -1))[0]
    scored: list[tuple[Rows, NDArray[np.float32], Mask]] = []
    for look in looks:
        index = look.index
        if index.count == 0:  # a scope without notes has no lanes either
            continue
        rows = _closest(_differing_signs(index, bits), look)
        scored.append((index.seqs[rows], _similarity(index, rows, query), look.live[rows]))
    return _ranked(scored, depth, anchors=anchors)


def _similarity(index: ScopeIndex, rows: Rows, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """The cosine of some rows, in blocks small enough that the matrix product starts no threads of its own."""
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


def _closest(apart: NDArray[np.uint16], look: Look) -> Rows:
    """The closest rows in force and the closest others: for each, all at the distance of the last that is wanted.

    The cut is by distance, so it depends on no row's place and for rows in force on no other row.
    """
    width = look.width
    np.add(apart, look.band, out=apart)
    counts = np.bincount(apart, minlength=3 * width)
    near = min(int(np.searchsorted(np.cumsum(counts[:width]), SHORTLIST)), width - 1)
    far = min(int(np.searchsorted(np.cumsum(counts[width : 2 * width]), ANCHOR_SHORTLIST)), width - 1)
    return np.flatnonzero((apart <= near) | ((apart >= width) & (apart <= width + far)))


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


def by_words(looks: Sequence[Look], scores: Sequence[NDArray[np.float32]], depth: int, *, anchors: int = 0) -> Arm:
    """The notes that best match the words of a question."""
    scored: list[tuple[Rows, NDArray[np.float32], Mask]] = []
    for look, score in zip(looks, scores, strict=True):
        rows = np.flatnonzero((score > 0) & look.known)
        scored.append((look.index.seqs[rows], score[rows], look.live[rows]))
    return _ranked(scored, depth, anchors=anchors)


def by_subject(
    looks: Sequence[Look],
    named: Sequence[Rows],
    query: NDArray[np.float32] | None,
    scores: Sequence[NDArray[np.float32]],
    depth: int,
    *,
    anchors: int = 0,
) -> Arm:
    """The notes whose subject the question names, by meaning where there is a vector, else by words.

    A question about Y is answered by statements about Y before those that only mention it.
    """
    scored: list[tuple[Rows, NDArray[np.float32], Mask]] = []
    for look, seqs, score in zip(looks, named, scores, strict=True):
        if not len(seqs):
            continue
        rows = look.index.rows_of(seqs)
        rows = rows[look.known[rows]]
        weights = score[rows] if query is None else _similarity(look.index, rows, query)
        scored.append((look.index.seqs[rows], weights, look.live[rows]))
    return _ranked(scored, depth, anchors=anchors)


def _ranked(scored: Sequence[tuple[Rows, NDArray[np.float32], Mask]], depth: int, *, anchors: int = 0) -> Arm:
    """The best hits of each arm over all scopes, in one order; equal scores put the newer note first.

    A fallen note stands just behind the live one before it, by a tenth of how far its score falls to the next: so
    those between the same two live notes keep their order, and none takes a rank.
    """
    if not scored:
        return Arm()
    seqs, scores, live = scored[0] if len(scored) == 1 else map(np.concatenate, zip(*scored, strict=True))
    # Score and position in one number: no two are equal, so the cut needs no second look at ties.
    order = np.rint(scores * np.float64(_TIE)).astype(np.int64)
    order <<= _POSITION_BITS
    order += seqs
    standing, fallen = _first(order[live], depth), _first(order[~live], anchors)
    lives = [key >> _POSITION_BITS for key in standing]
    ranks: list[float] = [*range(1, len(lives) + 1)]
    ahead, above, below = 0, _HIGHEST, lives[0] if lives else _LOWEST
    for key in fallen:
        score = key >> _POSITION_BITS
        while below >= score and ahead < len(lives):
            ahead += 1
            above, below = below, lives[ahead] if ahead < len(lives) else _LOWEST
        ranks.append(ahead + 0.1 * (above - score + 1) / (above - below + 1))
    return Arm([key & _POSITION for key in standing + fallen], len(standing), ranks)


def _first(order: NDArray[np.int64], most: int) -> list[int]:
    """The greatest, in falling order."""
    if most and len(order) > most:
        order = np.partition(order, len(order) - most)[len(order) - most :]
    return sorted(order.tolist(), reverse=True)[:most]
