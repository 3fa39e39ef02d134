"""Checks of whole updates: how many seeded faults are caught without a model, and how many correct updates are not.

Correct updates come from `updates`, the faults from `seeded`. Each case is one row: what was done, and what the
check said of it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

from upheld.bench import updates
from upheld.bench.evidence import Row, RowsFile, of_kind, share
from upheld.bench.judge import wilson
from upheld.bench.progress import Steps
from upheld.bench.records import STATEBENCH
from upheld.bench.seeded import CONTROL, CORRUPTION, INVENTION, OMISSION, Case, cases
from upheld.bench.updates import HELD_OUT, MEMORA, TUNED, Update
from upheld.errors import Misconfigured
from upheld.transition import Kind, problems

SUITE = "transitions"
SEED = 20260730
_LENDERS = 20
_LISTED = 30
_FAULTS = (OMISSION, CORRUPTION, INVENTION)
_KIND_OF = {
    "a write left out": Kind.COVERAGE,
    "an end left out": Kind.COVERAGE,
    "another note replaced": Kind.PRESERVATION,
    "another note removed": Kind.PRESERVATION,
}
"""The question that a fault fails; every other one fails faithfulness."""
_SETS: Mapping[str, Callable[[Path, Counter[str]], Iterable[Update]]] = {
    MEMORA: updates.from_memora,
    STATEBENCH: updates.from_statebench,
}


def run(rows: RowsFile, steps: Steps, data: Path, *, seed: int = SEED) -> None:
    """Build the updates of the sets that are there, put a fault of every kind into each, and check all of them.

    Raises `Misconfigured` where none of the sets is there.
    """
    left_out: Counter[str] = Counter()
    found: list[Update] = []
    there = [name for name in _SETS if (data / name).is_dir()]
    if not there:
        raise Misconfigured(f"none of {', '.join(_SETS)} is in {data}; --data names the folder they lie in")
    with steps.step("building updates", len(there)) as tick:
        for done, name in enumerate(there, start=1):
            found += _SETS[name](data / name, left_out)
            tick(done)
    absent = sorted(set(_SETS) - set(there))
    rows.add("sets", there=there, absent=absent, left_out=dict(sorted(left_out.items())), seed=seed)
    with steps.step(f"checking {len(found):,} updates", len(found)) as tick:
        for done, (update, each) in enumerate(_cases(found, seed), start=1):
            for case in each:
                rows.add("case", **_checked(update, case))
            tick(done)


def _cases(found: Sequence[Update], seed: int) -> Iterable[tuple[Update, list[Case]]]:
    """Each update with its cases. What it lends from comes of other stories of the same set."""
    by_source: dict[str, list[Update]] = {}
    for update in found:
        by_source.setdefault(update.source, []).append(update)
    for update in found:
        chances = Random(f"{seed}/{update.id}")
        pool = by_source[update.source]
        drawn = chances.sample(pool, min(_LENDERS, len(pool)))
        yield update, list(cases(update, [other for other in drawn if _story(other) != _story(update)], chances))


def _story(update: Update) -> str:
    return update.id.rpartition("/")[0]


def _checked(update: Update, case: Case) -> Row:
    said = problems(case.transition)
    return {
        "update": update.id,
        "source": update.source,
        "part": update.part,
        "fault": case.fault,
        "way": case.way,
        "changed": case.changed,
        "drafts": [draft.statement for draft in update.drafts],
        "kinds": sorted({problem.kind.value for problem in said}),
        "why": [problem.why for problem in said],
    }


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone: of all, of the parts, of each set in each part."""
    listed = list(of_kind(rows, "case"))
    sets = next(of_kind(rows, "sets"))
    held_out = [row for row in listed if row["part"] == HELD_OUT]
    unread = [row for row in held_out if never_read(row["source"], row["update"])]
    return {
        **_figures(listed),
        "tuned": _figures([row for row in listed if row["part"] == TUNED]),
        "held_out": _figures(held_out),
        "never_read": _figures(unread),
        "never_read_by_source": {
            name: _figures([row for row in unread if row["source"] == name]) for name in sets["there"]
        },
        "by_source": {name: _figures([row for row in listed if row["source"] == name]) for name in sets["there"]},
        "held_out_by_source": {
            name: _figures([row for row in held_out if row["source"] == name]) for name in sets["there"]
        },
        "by_way": _by_way(listed),
        "held_out_by_way": _by_way(held_out),
        "missed": _spread([row for row in listed if row["fault"] != CONTROL and not row["kinds"]]),
        "false_alarms": _spread([row for row in listed if row["fault"] == CONTROL and row["kinds"]]),
        "left_out": sets["left_out"],
        "absent_sets": sets["absent"],
        "seed": sets["seed"],
    }


def never_read(source: str, id: str) -> bool:
    """Whether an update is of a persona or a timeline of which no case was looked at, told by a hash of its name."""
    story = id.rpartition("/")[0]
    name = story.rpartition("/")[2] if source == MEMORA else story
    return hashlib.sha256(name.encode()).digest()[-1] % 2 == 0


def _figures(listed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    controls = [row for row in listed if row["fault"] == CONTROL]
    seeded = [row for row in listed if row["fault"] != CONTROL]
    found: dict[str, Any] = {
        "n": len(seeded),
        "caught_pct": share(row["kinds"] for row in seeded),
        "caught_interval": _interval(seeded),
    }
    for fault in _FAULTS:
        of_fault = [row for row in seeded if row["fault"] == fault]
        found |= {
            f"{fault}_n": len(of_fault),
            f"{fault}_caught_pct": share(row["kinds"] for row in of_fault),
            f"{fault}_interval": _interval(of_fault),
        }
    return {
        **found,
        "right_question_pct": share(_KIND_OF.get(row["way"], Kind.FAITHFULNESS) in row["kinds"] for row in seeded),
        "controls": len(controls),
        "false_alarm_pct": share(row["kinds"] for row in controls),
        "false_alarm_interval": _interval(controls),
    }


def _interval(listed: Sequence[Mapping[str, Any]]) -> list[float] | None:
    return wilson(sum(bool(row["kinds"]) for row in listed), len(listed))


def _by_way(listed: Sequence[Mapping[str, Any]]) -> list[Row]:
    """Each way of doing a thing wrong, or right, in each set: how many of it the check stops."""
    return [
        {
            "fault": fault,
            "way": way,
            "source": source,
            "n": len(each),
            "stopped_pct": share(row["kinds"] for row in each),
        }
        for (fault, way, source), each in (
            (kind, list(group)) for kind, group in groupby(sorted(listed, key=_kind), key=_kind)
        )
    ]


def _kind(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return str(row["fault"]), str(row["way"]), str(row["source"])


def _spread(listed: Sequence[Mapping[str, Any]]) -> list[Row]:
    """A few rows of every kind in turn, so that no kind hides the others."""
    kinds = [list(group) for _, group in groupby(sorted(listed, key=_kind), key=_kind)]
    turns = [row for turn in range(_LISTED) for kind in kinds for row in kind[turn : turn + 1]]
    return [
        {name: row[name] for name in ("update", "fault", "way", "changed", "drafts", "why")} for row in turns[:_LISTED]
    ]
