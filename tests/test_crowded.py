"""However many notes fell that nothing replaced, no answer changes: what they say may be all that was asked about."""

from __future__ import annotations

import random

import pytest

import upheld
from upheld import Draft, Memory
from upheld.errors import UpheldError
from worlds import HashEmbedder

WORDS = "red blue green fox whale tree stone river north south gate key lamp hill moon".split()
LONG_AGO = "2025-01-01T00:00:00Z"


def phrase(chances: random.Random) -> str:
    return " ".join(chances.choice(WORDS) for _ in range(chances.randint(2, 6)))


def fill(memory: Memory, chances: random.Random, notes: int) -> None:
    """Notes of few words, a third of them replaced and some retracted, so that many are nearly alike."""
    ids: list[str] = []
    for _ in range(notes):
        drawn = chances.random()
        try:
            if ids and drawn < 0.35:
                ids.append(memory.supersede(chances.choice(ids), phrase(chances), extract_key=False).id)
            elif ids and drawn < 0.4:
                memory.retract(chances.choice(ids))
            else:
                ids.append(memory.remember(phrase(chances), extract_key=False).id)
        except UpheldError:
            continue  # replaced or retracted before: that is for other tests


@pytest.mark.parametrize("vectors", [True, False])
@pytest.mark.parametrize("trial", range(6))
def test_a_crowd_of_fallen_notes_changes_no_answer(seed: int, trial: int, vectors: bool) -> None:
    chances = random.Random(f"{seed}/{trial}")
    with upheld.open(":memory:", embedder=HashEmbedder() if vectors else None) as memory:
        fill(memory, chances, chances.choice([30, 80, 150]))
        asked = [(phrase(chances), chances.choice([1, 3, 10, 20])) for _ in range(12)]

        def answers() -> list[list[str]]:
            return [[note.id for note in memory.recall(text, limit=limit).upheld] for text, limit in asked]

        before = answers()
        crowd = [
            Draft(statement=f"{chances.choice(asked)[0]} number {place}", extract_key=False, expires_at=LONG_AGO)
            for place in range(chances.choice([10, 40, 200]))
        ]
        assert not [each for each in memory.remember_many(crowd) if isinstance(each, UpheldError)]
        assert answers() == before
        live = memory.remember(f"{asked[0][0]} now", extract_key=False)
        assert live.id in [note.id for note in memory.recall(f"{asked[0][0]} now", limit=20).upheld], "the control"
