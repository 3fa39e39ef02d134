"""Made-up stores of any size, the same for the same seed: clustered unit vectors and texts in Zipf's proportions.

Real embeddings use few of their dimensions, so a note's vector is the centre of its cluster plus noise in 48 random
directions. A word's rank follows a power law, so that there are words in a third of all notes and words in one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

DIMENSION = 384
NOISE_DIMENSIONS = 48
NOTES_PER_CLUSTER = 100
VOCABULARY = 30_000
WORDS = (8, 16)
QUERY_WORDS = (3, 6)
SPREAD = 0.8
SUPERSEDED, EXPIRED, RETRACTED = 0.20, 0.05, 0.05

Vectors = NDArray[np.float32]


class Fate(StrEnum):
    """What becomes of a made-up note."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    RETRACTED = "retracted"


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUp:
    """One scope. `successor` is the position of the note that supersedes a note, -1 where there is none."""

    scope: str
    texts: Sequence[str]
    vectors: Vectors
    fates: Sequence[Fate]
    successor: Sequence[int]

    @property
    def live(self) -> NDArray[np.int64]:
        """The positions of the notes that stay in force."""
        return np.array([i for i, fate in enumerate(self.fates) if fate is Fate.LIVE], np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Some words of one live note and a vector near its own."""

    about: int
    text: str
    vector: Vectors


def scope(name: str, notes: int, seed: int) -> MadeUp:
    """Make one scope of `notes` notes. A superseded note comes before its successor, and near it in meaning."""
    chance = np.random.default_rng([seed, notes])
    fates = _fates(notes, chance)
    vectors = _vectors(notes, chance)
    successor = np.full(notes, -1, np.int64)
    live = [i for i, fate in enumerate(fates) if fate is Fate.LIVE]
    for old in (i for i, fate in enumerate(fates) if fate is Fate.SUPERSEDED):
        later = live[int(chance.integers(np.searchsorted(live, old), len(live)))]
        successor[old] = later
        vectors[old] = _near(vectors[later], 0.35, chance)
    return MadeUp(scope=name, texts=_texts(notes, chance), vectors=vectors, fates=fates, successor=successor.tolist())


def questions(made: MadeUp, count: int, seed: int) -> list[Question]:
    """Questions about live notes, drawn evenly."""
    chance = np.random.default_rng([seed, count, len(made.texts)])
    found = []
    for about in chance.choice(made.live, count).tolist():
        words = made.texts[about].split()
        asked = min(int(chance.integers(QUERY_WORDS[0], QUERY_WORDS[1] + 1)), len(words))
        text = " ".join(words[i] for i in sorted(chance.choice(len(words), asked, replace=False).tolist()))
        found.append(Question(about=about, text=text, vector=_near(made.vectors[about], 0.5, chance)))
    return found


def nearest(made: MadeUp, vector: Vectors, count: int) -> list[int]:
    """The live notes nearest to a vector, by full-precision comparison with every one of them."""
    live = made.live
    scores = made.vectors[live] @ vector
    found: list[int] = live[np.argsort(-scores, kind="stable")[:count]].tolist()
    return found


def _fates(notes: int, chance: np.random.Generator) -> list[Fate]:
    drawn = chance.random(notes)
    last = notes - 1  # stays in force, so that every superseded note has a later one to give way to
    fates = []
    for i, x in enumerate(drawn.tolist()):
        if i == last or x >= SUPERSEDED + EXPIRED + RETRACTED:
            fates.append(Fate.LIVE)
        elif x < SUPERSEDED:
            fates.append(Fate.SUPERSEDED)
        else:
            fates.append(Fate.EXPIRED if x < SUPERSEDED + EXPIRED else Fate.RETRACTED)
    return fates


def _vectors(notes: int, chance: np.random.Generator) -> Vectors:
    clusters = max(notes // NOTES_PER_CLUSTER, 1)
    centres = _unit(chance.standard_normal((clusters, DIMENSION), np.float32))
    directions = chance.standard_normal((NOISE_DIMENSIONS, DIMENSION), np.float32) / np.sqrt(
        DIMENSION * NOISE_DIMENSIONS, dtype=np.float32
    )
    found = centres[chance.integers(0, clusters, notes)]
    for start in range(0, notes, 10_000):
        part = found[start : start + 10_000]
        part += SPREAD * (chance.standard_normal((len(part), NOISE_DIMENSIONS), np.float32) @ directions)
    return _unit(found)


def _near(vector: Vectors, distance: float, chance: np.random.Generator) -> Vectors:
    noise = chance.standard_normal(DIMENSION, np.float32) * np.float32(distance / np.sqrt(DIMENSION))
    near: Vectors = _unit((vector + noise).reshape(1, -1))[0]
    return near


def _unit(rows: Vectors) -> Vectors:
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def _texts(notes: int, chance: np.random.Generator) -> list[str]:
    lengths = chance.integers(WORDS[0], WORDS[1] + 1, notes)
    weights = 1 / (np.arange(VOCABULARY) + 2.7) ** 1.05
    ranks = chance.choice(VOCABULARY, int(lengths.sum()), p=weights / weights.sum())
    words = [word(rank) for rank in range(VOCABULARY)]
    ends = np.cumsum(lengths).tolist()
    spelled = [words[rank] for rank in ranks.tolist()]
    return [" ".join(spelled[end - length : end]) for end, length in zip(ends, lengths.tolist(), strict=True)]


def word(rank: int) -> str:
    """A pronounceable word, another one for every rank.

    >>> word(0), word(29_999)
    ('baba', 'zukoha')
    """
    syllables: list[str] = []
    rest = rank
    while len(syllables) < 2 or rest:
        rest, place = divmod(rest, 80)
        syllables.append("bdfghjklmnprstvz"[place % 16] + "aeiou"[place // 16])
    return "".join(syllables)
