"""Public sets of premise and hypothesis, whatever they call them: the premise is the document, the hypothesis the note.

A label that does not say which of contradiction and neutral it means ("not_entailment") is left out, and counted.
Files named `train` are left out: a judge may have learned from them.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from upheld.bench.pairs import AGREES, CONTRADICTS, NEUTRAL, PROSE, Labelled
from upheld.errors import Invalid

FOLDER = "nli"
_PREMISES = ("premise", "sentence1", "evidence_sentence")
_HYPOTHESES = ("hypothesis", "sentence2", "claim")
_LABELS = ("label", "gold_label")
_MEANS = {
    "contradiction": CONTRADICTS,
    "refutes": CONTRADICTS,
    "entailment": AGREES,
    "supports": AGREES,
    "neutral": NEUTRAL,
    "not enough info": NEUTRAL,
}


def read_all(folder: Path, counts: Counter[str]) -> dict[str, list[Labelled]]:
    """Every set of a folder by its name, each pair once; `counts` gets what was left out, and why."""
    sets: dict[str, dict[tuple[str, str], Labelled]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".jsonl", ".csv", ".tsv"} and path.stem != "train":
            name = path.relative_to(folder).parts[0].removesuffix(path.suffix)
            for premise, hypothesis, said in _lines(path):
                label = _MEANS.get(said.lower())
                if label is None or not premise.strip() or not hypothesis.strip():
                    counts[f"{name}: {said.lower() if label is None else 'empty'}"] += 1
                    continue
                pair = Labelled(part=PROSE, source=name, label=label, note=hypothesis, doc=premise)
                sets.setdefault(name, {}).setdefault((premise, hypothesis), pair)
    return {name: list(pairs.values()) for name, pairs in sets.items()}


def _lines(path: Path) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(_records(path), 1):
        values = [_first(line, names) for names in (_PREMISES, _HYPOTHESES, _LABELS)]
        if None in values:
            raise Invalid(f"{path}, record {number}: no premise, hypothesis or label in {sorted(map(str, line))}")
        premise, hypothesis, label = (str(value) for value in values)
        yield premise, hypothesis, label


def _records(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            if path.suffix == ".jsonl":
                yield from (json.loads(line) for line in file if line.strip())
            elif path.suffix == ".tsv":
                yield from csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
            else:
                yield from csv.DictReader(file)
    except (ValueError, csv.Error, OSError) as error:
        raise Invalid(f"{path} cannot be read as pairs: {error}") from error


def _first(line: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((line[name] for name in names if line.get(name) is not None), None)
