"""What a small proposer of contradictions may look at: the words of two texts, laid beside each other.

A word's vector is the mean of its pieces' rows in the packaged all-MiniLM-L6-v2's table: no encoder runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from tokenizers import Tokenizer

import upheld.embed
from upheld.judges.lexicon import FUNCTION
from upheld.judges.own import sentences
from upheld.judges.tokens import shallow, stem
from upheld.values.units import NUMBER_WORDS

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]

WIDTH = 384
WORD_FEATURES, PAIR_FEATURES = 10, 29
MOST_WORDS = 48
_FOLDER = Path(upheld.embed.__file__).parent / "minilm"
_PLACEHOLDERS = 1000  # the first rows of the table are placeholders

_DENIALS = frozenset(
    """
    no not never none nobody nothing neither nor without cannot unless except hardly rarely zero yet deny denies denied
    refuse refused fail failed unable incapable lack lacks lacked
""".split()
)
_QUANTIFIERS = frozenset(
    """
    only all every always never none exclusively solely just each any both few many most some several entirely
    completely everyone nobody everybody
""".split()
)
_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth".split())


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text: their vectors, the same of length 1, a number per stem, and what sort of word each is."""

    vectors: Floats
    units: Floats
    stems: NDArray[np.int64]
    number: Flags
    name: Flags
    denial: Flags
    quantifier: Flags
    content: Flags

    def __len__(self) -> int:
        return len(self.stems)


class Reader:
    """Cuts texts into words with their vectors."""

    def __init__(self) -> None:
        model = onnx.load(str(_FOLDER / "model.onnx"))
        lookups = [node.input[0] for node in model.graph.node if node.op_type == "Gather"][:2]
        held = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer if each.name in lookups}
        table = held[lookups[0]].astype(np.float32) * held[lookups[1]]
        table -= table[_PLACEHOLDERS:].mean(axis=0)
        self._table = table / table[_PLACEHOLDERS:].std()
        self._tokenizer = Tokenizer.from_file(str(_FOLDER / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(4 * MOST_WORDS)

    def read(self, texts: Sequence[str]) -> list[Words]:
        """Read texts, in order; of each the first 48 words."""
        return [
            self._words(text, pieces) for text, pieces in zip(texts, self._tokenizer.encode_batch(texts), strict=True)
        ]

    def _words(self, text: str, pieces: Any) -> Words:
        groups: dict[int, list[int]] = {}
        for place, word in enumerate(pieces.word_ids):
            if word is not None:
                groups.setdefault(word, []).append(place)
        written, vectors = [], []
        for group in groups.values():
            word = text[pieces.offsets[group[0]][0] : pieces.offsets[group[-1]][1]]
            if any(letter.isalnum() for letter in word) and len(written) < MOST_WORDS:
                written.append(word)
                vectors.append(self._table[[pieces.ids[place] for place in group]].mean(axis=0))
        low = [word.lower() for word in written]
        found = np.array(vectors, np.float32).reshape(-1, WIDTH)
        capital = [word[:1].isupper() for word in written]
        return Words(
            vectors=found,
            units=_unit(found),
            stems=np.array([crc32(stem(word).encode()) for word in written], np.int64),
            number=_flags(any(map(str.isdigit, word)) or word in NUMBER_WORDS or word in _ORDINALS for word in low),
            # The first word has a capital anyway: it counts where the second has one too.
            name=_flags(big and (place > 0 or capital[1:2] == [True]) for place, big in enumerate(capital)),
            denial=_flags(word in _DENIALS or word == "t" for word in low),
            quantifier=_flags(word in _QUANTIFIERS for word in low),
            content=_flags(word not in FUNCTION for word in low),
        )


def laid(premise: Words, claim: Words) -> tuple[Floats, Floats, Floats]:
    """Features of the premise's words, of the claim's words, and of the pair as a whole."""
    likeness = premise.units @ claim.units.T
    said, asked = np.isin(premise.stems, claim.stems), np.isin(claim.stems, premise.stems)
    best = likeness.max(axis=0) if len(premise) else np.zeros(len(claim), np.float32)
    other = likeness.max(axis=1) if len(claim) else np.zeros(len(premise), np.float32)
    return (
        _of_words(premise, claim, said, other),
        _of_words(claim, premise, asked, best),
        _of_pair(premise, claim, said, asked, best),
    )


def _of_words(words: Words, beside: Words, shared: Flags, best: Floats) -> Floats:
    columns = (
        shared,
        best,
        words.number,
        words.number & ~shared & beside.number.any(),
        words.name,
        words.name & ~shared & beside.name.any(),
        words.denial,
        words.quantifier,
        words.content,
        np.arange(len(words)) / max(len(words), 1),
    )
    return np.stack(columns, axis=1).astype(np.float32)


def _of_pair(premise: Words, claim: Words, said: Flags, asked: Flags, best: Floats) -> Floats:
    content = claim.content if claim.content.any() else np.ones(len(claim), bool)
    soft = np.where(asked, 1.0, best)[content] if len(claim) else np.zeros(1)
    loose, other_numbers = int((content & ~asked).sum()), int((claim.number & ~asked).sum())
    names, shared_names = int(claim.name.sum()), int((claim.name & asked).sum())
    pairs_said, pairs_asked = set(pairwise(premise.stems.tolist())), set(pairwise(claim.stems.tolist()))
    features = (
        float(middle(premise) @ middle(claim)),
        asked[content].mean() if len(claim) else 0.0,
        said[premise.content].mean() if premise.content.any() else 0.0,
        soft.mean(),
        soft.min(),
        loose,
        loose > 0,
        loose == 1,
        loose == 2,
        other_numbers,
        other_numbers * bool(premise.number.any()),
        claim.number.any(),
        premise.number.any(),
        names - shared_names,
        names,
        shared_names,
        names > 0 and shared_names == 0,
        premise.denial.sum(),
        claim.denial.sum(),
        premise.denial.any() != claim.denial.any(),
        (claim.denial & ~asked).sum(),
        (premise.denial & ~said).sum(),
        (claim.quantifier & ~asked).sum(),
        (premise.quantifier & ~said).sum(),
        asked[content][:1].sum() if len(claim) else 0,
        len(pairs_said & pairs_asked) / max(1, len(pairs_asked)),
        np.log1p(len(premise)),
        np.log1p(len(claim)),
        len(claim) / max(1, len(premise)),
    )
    return np.array(features, np.float32)


def best_sentence(text: str, claim: str) -> str:
    """The sentence of a text that holds most stems of the claim; of equals the shorter, then the first."""
    wanted = shallow(claim)

    def worth(sentence: str) -> tuple[int, int]:
        held = shallow(sentence)
        return len(held & wanted), -len(held)

    return max(sentences(text) or [text], key=worth)


def middle(words: Words) -> Floats:
    """The direction in which the content words of a text point together."""
    chosen = words.units[words.content] if words.content.any() else words.units
    total: Floats = chosen.sum(axis=0)
    return total / max(float(np.linalg.norm(total)), 1e-6)


def _unit(rows: Floats) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, np.float32(1e-6))


def _flags(values: Any) -> Flags:
    return np.array(list(values), bool)
