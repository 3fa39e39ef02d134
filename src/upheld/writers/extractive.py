"""The writer that needs no model of language: it chooses sentences of the notes, and writes none itself.

A sentence is worth choosing for how much of all the others it stands for (facility location, greedily): the first is
the most central one, each further one covers best what those before it do not. What repeats is left out, and what
is unsure of itself, since a summary that is served as settled may not say it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np

from upheld.aside import Operation, Quote, Sentence, Work
from upheld.consolidate import MOST_QUOTES, units
from upheld.doubt import holds_doubt, is_guess
from upheld.errors import Invalid, Unavailable
from upheld.values.text import fold, lower

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from upheld.note import Note
    from upheld.ports import Embedder

MOST_UNITS: Final = 4000
_LEAST_GAIN: Final = 0.05
"""Of a sentence that stands for itself alone, the gain is about 1; of one that repeats another, about 0."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Unit:
    note: Note
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.note.statement[self.start : self.end]


class Extractive:
    """Chooses sentences by meaning, with an embedder, or else by their words. The same notes give the same summary."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        """The version of this code, and the model of the embedder."""
        return "extractive-1" if self._embedder is None else f"extractive-1/{self._embedder.model}"

    def write(self, work: Work) -> list[Sentence]:
        """The chosen sentences in the order of their events. Raises `Invalid` where it is to guess.

        >>> Extractive().write(Work(operation=Operation.COMPRESS, notes=[]))
        []
        """
        if work.operation is not Operation.COMPRESS:
            raise Invalid("the extractive writer chooses sentences; it guesses nothing")
        found = [_Unit(note, *span) for note in work.notes for span in units(note.statement)]
        sure = [unit for unit in found if not (holds_doubt(unit.text) or is_guess(unit.text))][:MOST_UNITS]
        if not sure:
            return []
        chosen = _choose(self._likeness([unit.text for unit in sure]), sure, work.most_chars)
        return [
            Sentence(text=unit.text, quotes=(Quote(note=unit.note.id, text=unit.text),))
            for unit in sorted((sure[place] for place in chosen), key=_order)
        ]

    def _likeness(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """How alike any two texts are, from 0 to 1."""
        rows: NDArray[np.float32] | None = None
        if self._embedder is not None:
            try:
                rows = np.asarray(self._embedder.embed(texts), np.float32)
            except Unavailable:
                raise Unavailable("the embedder did not answer; try again, or write with Extractive()") from None
        if rows is None:
            rows = _by_words(texts)
        # Rounded, so that two machines that add up in another order choose the same.
        return np.asarray(np.round(np.clip(rows @ rows.T, 0, 1), 4), np.float32)


def _by_words(texts: Sequence[str]) -> NDArray[np.float32]:
    """One unit row per text, by its words: rare ones weigh more."""
    counted = [Counter(_WORD.findall(lower(fold(text)))) for text in texts]
    spread = Counter(word for words in counted for word in words)
    place = {word: column for column, word in enumerate(sorted(spread))}
    rows = np.zeros((len(texts), max(len(place), 1)), np.float32)
    for row, words in enumerate(counted):
        for word, count in words.items():
            rows[row, place[word]] = math.sqrt(count) * math.log(1 + len(texts) / spread[word])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), np.float32)


def _choose(likeness: NDArray[np.float32], found: Sequence[_Unit], most_chars: int) -> list[int]:
    """The places of the units to say, best first."""
    covered = np.zeros(len(found), np.float64)
    left, chosen = most_chars, list[int]()
    lengths = np.array([unit.end - unit.start for unit in found])
    open_ = np.ones(len(found), bool)
    while open_.any() and len(chosen) < MOST_QUOTES:
        open_ &= lengths + (1 if chosen else 0) <= left
        gains = np.where(open_, np.maximum(likeness, covered).sum(axis=1) - covered.sum(), -1.0)
        best = int(gains.round(3).argmax())
        if not open_[best] or gains[best] < _LEAST_GAIN:
            break
        left -= int(lengths[best]) + (1 if chosen else 0)
        chosen.append(best)
        open_[best] = False
        covered = np.maximum(covered, likeness[best])
    return chosen


def _order(unit: _Unit) -> tuple[bool, datetime, int, int]:
    at = unit.note.event_time
    return (at is None, at or unit.note.recorded_at, unit.note.seq, unit.start)
