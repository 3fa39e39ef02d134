"""The searchable image of one scope, in memory: vectors, postings, and which notes are in force.

It is a projection: it decides only what a search *looks at* (`arms.py`). Each row is a note; `live` says whether the
rule put it in force, `linked` since which line a supersession links it (0: none does): then it may hand on its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from upheld.standing import Seq

BLOCK = 64
"""How many vectors are compared at a time: few enough that what is copied stays in the processor's own memory."""
MAX_POSTINGS = 4096
_LINES_BYTES = 300
_EVER = (1 << 62) - 1
_SLACK = 0.1  # how far from 1 the squared length of a vector may be: rounding to float16 stays a hundred times below

STANDING, LINKED, REST = range(3)
"""The groups of notes: in force, linked by a supersession, the rest."""
_UNSEEN = 3
GROUP_BITS = 2
GROUP = (1 << GROUP_BITS) - 1
KEY_BITS = 34
"""A key is a position and a group: 32 bits for four billion lines, and 2. Beside it 29 hold any score of a search."""

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
    linked: Rows = field(default_factory=lambda: np.empty(0, np.int64))
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
        self.linked = grown(self.linked, (room,))
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

    def link(self, since: Mapping[Seq, Seq]) -> None:
        """Take over since which line a supersession links notes of this scope."""
        self.linked[self.rows_of(np.array([*since], np.int64))] = [*since.values()]
        self.latest = None

    def look(self) -> Look:
        """The scope as it is now."""
        if self.latest is None:
            self.latest = Look.at(self, self.live[: self.count], self.all[: self.count], _EVER)
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

    `notes` and `words` count the notes in force and the tokens in them. The key of a row is the position of its note
    and its group; its `band` is as many `width`s as its group says, or three if it has no vector or may not be seen.
    """

    index: ScopeIndex
    live: Mask
    known: Mask
    keys: Rows
    notes: int
    words: float
    width: int
    band: NDArray[np.uint16]

    @classmethod
    def at(cls, index: ScopeIndex, live: Mask, known: Mask, known_at: Seq) -> Look:
        """A look at any moment, its statistics counted."""
        width, linked = index.dimension + 1, index.linked[: index.count]
        group = np.where(live, STANDING, np.where((linked > 0) & (linked <= known_at), LINKED, REST))
        seen = known & index.embedded[: index.count]
        band = np.where(seen, group, _UNSEEN).astype(np.uint16) * np.uint16(width)
        words = float(index.lengths[: index.count] @ live)
        keys = (index.seqs[: index.count] << GROUP_BITS) + group
        return cls(index, live, known, keys, int(np.count_nonzero(live)), words, width, band)
