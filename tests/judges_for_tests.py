"""Judges for tests of the flows: one that remembers what it was asked, and one that accuses every note."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from upheld import Memory
from upheld.document import Chunk, Finding, Pair, Verdict
from upheld.documents import Corpus
from upheld.judges.values import Values
from upheld.ports import Judge
from upheld.shelf import StatedKey

_VALUES = Values()


class Recording:
    """The values judge, which remembers the pairs that it was asked, also beyond its own end if `into` is given."""

    name = "recording/1"

    def __init__(self, into: Path | None = None) -> None:
        self.pairs: list[Pair] = []
        self.calls = 0
        self._into = into

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.calls += 1
        self.pairs += pairs
        if self._into is not None:
            lines = "".join(f"{asked(pair)}\n" for pair in pairs)
            opened = os.open(self._into, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            os.write(opened, lines.encode())
            os.close(opened)
        return _VALUES.judge(pairs)

    def take(self) -> list[str]:
        """What it was asked since the last time."""
        taken, self.pairs = [asked(pair) for pair in self.pairs], []
        return taken


def asked(pair: Pair) -> str:
    """A pair as a line: the statement and the passage's digest."""
    return f"{pair.claim.statement}|{pair.chunk.digest}"


class Accuser:
    """A judge that finds every note contradicted by every passage, with quotes that stand in both."""

    name = "accuser/1"

    def __init__(self, *, acts: bool = True) -> None:
        self._acts = acts

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [
            Verdict(
                finding=Finding.CONTRADICTED,
                confidence=1.0,
                claim_quote=pair.claim.statement,
                chunk_quote=pair.chunk.text,
                acts=self._acts,
                why=f"{pair.claim.statement} is wrong",
            )
            for pair in pairs
        ]


def stating(chunk: Chunk) -> set[StatedKey]:
    """The keys that a passage states, as the default store finds them."""
    return {(each.subject_key, each.attribute_key) for each in _VALUES.stated(chunk)}


def corpus_of(memory: Memory, judge: Judge) -> Corpus:
    """The corpus of a store with this judge alone: a store's own always asks the values judge first."""
    return Corpus(
        memory._database,
        policy=memory._policy,
        embedder=memory._embedder,
        judge=judge,
        stating=stating,
        clock=memory._clock,
    )
