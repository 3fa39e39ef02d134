"""The benches: suites that measure the library beside plain search, and keep every row behind each figure.

A suite writes rows and computes nothing else; its `figures` computes every figure from the rows. `docs/benches.md`
says what each figure means.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from upheld.bench import (
    authored,
    cascade,
    evidence,
    factconsolidation,
    judge,
    recall_speed,
    statebench,
    sweep,
    transitions,
    verify_cost,
    world_moved,
    writes,
)
from upheld.bench.evidence import RowsFile
from upheld.bench.progress import Steps
from upheld.errors import Invalid
from upheld.wire import dumps

ROWS_FOLDER = Path("bench-rows")
Figures = Callable[[Sequence[Mapping[str, Any]]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """One suite. `run` gets the folder of the data sets where it `needs_data`, and whether to do the long part.

    `run_pairs` gets a file of the user's own pairs instead, where the suite takes such.
    """

    says: str
    needs_data: bool
    run: Callable[[RowsFile, Steps, Path, bool], None]
    figures: Figures
    run_pairs: Callable[[RowsFile, Steps, Path], None] | None = None


SUITES: Mapping[str, Suite] = {
    authored.SUITE: Suite(
        says="real documents and the replacements that their authors wrote",
        needs_data=True,
        run=lambda rows, steps, data, _: authored.run(rows, steps, data),
        figures=authored.figures,
    ),
    factconsolidation.SUITE: Suite(
        says="facts in order, of which later ones hold",
        needs_data=True,
        run=lambda rows, steps, data, _: factconsolidation.run(rows, steps, data),
        figures=factconsolidation.figures,
    ),
    recall_speed.SUITE: Suite(
        says="recall beside the same search without validity",
        needs_data=False,
        run=lambda rows, steps, _, long: recall_speed.run(rows, steps, long=long),
        figures=recall_speed.figures,
    ),
    writes.SUITE: Suite(
        says="single durable writes, eight processes, bulk import",
        needs_data=False,
        run=lambda rows, steps, _, __: writes.run(rows, steps),
        figures=writes.figures,
    ),
    judge.SUITE: Suite(
        says="what judges retire rightly, wrongly, and miss",
        needs_data=True,
        run=lambda rows, steps, data, long: judge.run(rows, steps, data, long=long),
        figures=judge.figures,
        run_pairs=judge.run_pairs,
    ),
    sweep.SUITE: Suite(
        says="what documents retire of 10,000 notes, and how soon a change is noticed",
        needs_data=True,
        run=lambda rows, steps, data, _: sweep.run(rows, steps, data),
        figures=sweep.figures,
    ),
    world_moved.SUITE: Suite(
        says="a system of record that moved: wrong answers against calls to it",
        needs_data=True,
        run=lambda rows, steps, data, _: world_moved.run(rows, steps, data),
        figures=world_moved.figures,
    ),
    verify_cost.SUITE: Suite(
        says="what asking an owner costs a conversation",
        needs_data=False,
        run=lambda rows, steps, _, __: verify_cost.run(rows, steps),
        figures=verify_cost.figures,
    ),
    cascade.SUITE: Suite(
        says="conclusions that fall with their premises, and no others",
        needs_data=True,
        run=lambda rows, steps, data, _: cascade.run(rows, steps, data),
        figures=cascade.figures,
    ),
    statebench.SUITE: Suite(
        says="superseded phrases in what a model would be given",
        needs_data=True,
        run=lambda rows, steps, data, _: statebench.run(rows, steps, data),
        figures=statebench.figures,
    ),
    transitions.SUITE: Suite(
        says="whole updates with something left out, changed or invented",
        needs_data=True,
        run=lambda rows, steps, data, _: transitions.run(rows, steps, data),
        figures=transitions.figures,
    ),
}


def main(
    suite: str, data: Path | None, *, rows: Path | None, long: bool, as_json: bool, pairs: Path | None = None
) -> int:
    """Run a suite, keep its rows and print its figures; the name "list" prints the suites. Returns the exit code.

    `pairs` is a file of labelled pairs, judged instead of the suite's own. Raises `Invalid` for an unknown suite, a
    missing folder or bad pairs, `Misconfigured` where the data set is not there.
    """
    if suite == "list":
        said = {name: each.says for name, each in SUITES.items()}
        sys.stdout.write(dumps(said) + "\n" if as_json else "".join(f"{n:<18} {says}\n" for n, says in said.items()))
        return 0
    chosen = _suite(suite)
    if pairs is not None and chosen.run_pairs is None:
        raise Invalid(f"the suite {suite} takes no --pairs; {judge.SUITE} does")
    if chosen.needs_data and data is None and pairs is None:
        raise Invalid(f"the suite {suite} needs its data set: --data FOLDER")
    path = ROWS_FOLDER / f"{suite}.jsonl" if rows is None else rows
    with RowsFile.create(path, suite, long=long) as kept, Steps() as steps:
        wall, processor = time.perf_counter(), time.process_time()
        if pairs is not None and chosen.run_pairs is not None:
            chosen.run_pairs(kept, steps, pairs)
        else:
            chosen.run(kept, steps, data or Path(), long)
        kept.add(
            evidence.END,
            seconds=round(time.perf_counter() - wall, 2),
            cpu_seconds=round(time.process_time() - processor, 2),
            load_after=evidence.load(),
        )
    _print(kept.rows, path, as_json=as_json)
    return 0


def recompute(path: Path, *, as_json: bool) -> int:
    """Print the figures of a run again, from its rows alone. Returns the exit code."""
    _print(evidence.read(path), path, as_json=as_json)
    return 0


def _suite(name: str) -> Suite:
    if name not in SUITES:
        raise Invalid(f"there is no suite {name!r}; there are {', '.join(SUITES)}")
    return SUITES[name]


def _print(rows: Sequence[Mapping[str, Any]], path: Path, *, as_json: bool) -> None:
    facts = {name: value for name, value in rows[0].items() if name not in ("row", "suite")}
    ended = next(evidence.of_kind(rows, evidence.END), {})
    facts |= {name: value for name, value in ended.items() if name != "row"}
    name = str(rows[0]["suite"])
    found = _suite(name).figures(rows)
    if as_json:
        whole = {"suite": name, **found, "run": facts, "rows_file": str(path)}
        sys.stdout.write(json.dumps(whole, ensure_ascii=False) + "\n")
        return
    from upheld.bench.tables import print_figures

    print_figures(name, found, facts, path)
