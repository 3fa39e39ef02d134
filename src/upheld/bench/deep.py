"""How soon all is known to have fallen: a chain of 1,000 notes, each resting on the one before; 10,000 notes on one.

The premise falls once by being superseded and once by being retracted. The clock runs from before that call until two
things are known: by the rule, how everything that rests on the premise stands; by a recall, that none of it is served.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import upheld
from upheld.bench.evidence import RowsFile, of_kind
from upheld.bench.progress import Steps
from upheld.memory import Memory
from upheld.note import MAX_RECALL, Draft, Key, Standing

CHAIN, SHARED = "chain", "shared"
SUPERSEDED, RETRACTED = "superseded", "retracted"
_PREMISE = "premise"
_SAID = "The load limit of the crane is {} tonnes."
_KEY = Key(subject="the crane", attribute="load limit")
_QUERY = "plan for lifting with the crane"


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """How deep the chain is, how many notes share a premise, and how often each way of falling is tried."""

    depth: int = 1_000
    shared: int = 10_000
    runs: int = 2


FULL = Amounts()


def run(rows: RowsFile, steps: Steps, amounts: Amounts) -> None:
    """Let the premise of both shapes fall in both ways, each time in a store of its own."""
    for shape, notes in ((CHAIN, amounts.depth), (SHARED, amounts.shared)):
        with steps.step(f"{notes:,} notes, {shape}", 2 * amounts.runs) as tick:
            for number in range(2 * amounts.runs):
                _fall(rows, shape, notes, SUPERSEDED if number % 2 else RETRACTED)
                tick(number + 1)


def _fall(rows: RowsFile, shape: str, notes: int, how: str) -> None:
    with (
        TemporaryDirectory(prefix="upheld-bench-") as folder,
        upheld.open(Path(folder) / "memory.db", embedder=None) as memory,
    ):
        memory.remember_many(_drafts(shape, notes))
        before = _resting(memory)
        began, processor = time.perf_counter(), time.process_time()
        _let_fall(memory, how)
        fallen = time.perf_counter()
        views = memory.supports(_PREMISE)
        ruled = time.perf_counter()
        after = _resting(memory)
        ended, processor = time.perf_counter(), time.process_time() - processor
    rows.add(
        "fall",
        shape=shape,
        how=how,
        notes=notes,
        ms=_ms(ended - began),
        cpu_ms=_ms(processor),
        fall_ms=_ms(fallen - began),
        rule_ms=_ms(ruled - fallen),
        recall_ms=_ms(ended - ruled),
        fallen=sum(view.standing is Standing.NEEDS_CHECK for view in views),
        served_before=before,
        served_after=after,
    )


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 3)


def _drafts(shape: str, notes: int) -> list[Draft]:
    first = Draft(statement=_SAID.format(5), key=_KEY, value="5 tonnes", id=_PREMISE)
    return [
        first,
        *(
            Draft(
                statement=f"Plan {number} for lifting with the crane.",
                id=f"plan {number}",
                extract_key=False,
                depends_on=(f"plan {number - 1}" if shape == CHAIN and number else _PREMISE,),
            )
            for number in range(notes)
        ),
    ]


def _let_fall(memory: Memory, how: str) -> None:
    if how == RETRACTED:
        memory.retract(_PREMISE)
    else:
        memory.supersede(_PREMISE, _SAID.format(4), key=_KEY, value="4 tonnes")


def _resting(memory: Memory) -> int:
    """How many notes that rest on the premise are served, of as many as one recall gives."""
    answer = memory.recall(_QUERY, limit=MAX_RECALL)
    return sum(note.id.startswith("plan ") for note in answer.upheld)


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The least time of each shape, and whether all fell each time."""
    falls = list(of_kind(rows, "fall"))
    found: dict[str, Any] = {}
    for shape, named in ((CHAIN, "depth"), (SHARED, "shared")):
        runs = [row for row in falls if row["shape"] == shape]
        for notes in sorted({row["notes"] for row in runs}):
            of_size = [row for row in runs if row["notes"] == notes]
            for part in ("ms", "cpu_ms", "fall_ms", "rule_ms", "recall_ms"):
                found[f"{named}_{notes}_{part}"] = min(row[part] for row in of_size)
            found[f"{named}_{notes}_all_fell"] = all(
                row["fallen"] == notes and row["served_before"] > 0 and row["served_after"] == 0 for row in of_size
            )
    return found
