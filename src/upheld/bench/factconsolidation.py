"""Facts in order, of which later ones hold: does the answer come from the current one, and does a stale one leave?

MemoryAgentBench, conflict resolution, single-hop. The task says that the later fact holds, so every attribute has
one value at a time here. Keys come from the library's general extractor; which facts contradict each other is told
apart from it (see `facts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import upheld
from upheld.bench.evidence import Row, RowsFile, folder_of, of_kind, share
from upheld.bench.facts import FOLDER, FactFile, Subject, read_all, subject
from upheld.bench.model import embedder_or_words
from upheld.bench.plain import PlainSearch
from upheld.bench.progress import Steps
from upheld.errors import UpheldError
from upheld.note import Draft, Written
from upheld.ports import Embedder
from upheld.values import canonical

SUITE = "factconsolidation"
LIMIT = 10
SCOPE = "facts"
POLICY = {"attributes": {"cardinality": "one"}}


def run(rows: RowsFile, steps: Steps, data: Path, *, embedder: Embedder | None = None, given: bool = False) -> None:
    """Write each file's facts into a store of its own, in order, and ask its questions."""
    files = read_all(folder_of(data, FOLDER))
    model = "given"
    if not given:
        embedder, model = embedder_or_words()
    for each in files:
        rows.add("file", size=each.label, facts=len(each.facts), model=model)
        with TemporaryDirectory(prefix="upheld-bench-") as folder:
            _run_one(rows, steps, each, Path(folder) / "memory.db", embedder)


def _run_one(rows: RowsFile, steps: Steps, file: FactFile, path: Path, embedder: Embedder | None) -> None:
    with upheld.open(path, embedder=embedder, policy=POLICY) as memory:
        drafts = [Draft(statement=fact, scope=SCOPE, id=str(number)) for number, fact in file.facts.items()]
        with steps.step(f"{file.label}: {len(drafts):,} facts", len(drafts)) as tick:
            results = memory.remember_many(drafts, progress=tick)
        for draft, result in zip(drafts, results, strict=True):
            rows.add("fact", size=file.label, number=int(draft.id or 0), statement=draft.statement, **_came_of(result))
        with (
            PlainSearch(path, embedder) as plain,
            steps.step(f"{file.label}: {len(file.questions)} questions", len(file.questions)) as tick,
        ):
            for done, (question, answers) in enumerate(file.questions):
                answer = memory.recall(question, scope=SCOPE, limit=LIMIT)
                found = plain.search(question, scope=SCOPE, limit=LIMIT)
                rows.add(
                    "question",
                    size=file.label,
                    question=question,
                    answers=answers,
                    plain=[int(note.id) for note in found],
                    upheld=[int(note.id) for note in answer.upheld],
                    value=answer.upheld[0].note.value if answer.upheld else None,
                )
                tick(done + 1)


def _came_of(result: Written | UpheldError) -> Row:
    """What a fact became. One that says what a standing note says is carried by that note."""
    if isinstance(result, UpheldError):
        return {"outcome": "refused", "error": str(result), "key": None}
    note = result.note
    key = None if note.attribute_key is None else [note.subject_key, note.attribute_key]
    return {"outcome": result.outcome, "carried_by": int(result.id), "key": key}


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    sizes: dict[str, dict[str, Any]] = {}
    for file in of_kind(rows, "file"):
        facts = {row["number"]: row for row in of_kind(rows, "fact") if row["size"] == file["size"]}
        asked = [row for row in of_kind(rows, "question") if row["size"] == file["size"]]
        sizes[file["size"]] = _figures(facts, asked) | {"model": file["model"]}
    return {"sizes": sizes}


def _figures(facts: Mapping[int, Mapping[str, Any]], asked: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    texts = {number: row["statement"] for number, row in facts.items()}
    about = [subject(row["question"], row["answers"], texts) for row in asked]
    conflicting = [(row, each) for row, each in zip(asked, about, strict=True) if each is not None and each.older]
    pairs = [(row, old, each.latest) for row, each in conflicting for old in each.older]
    keyed = [(row, old) for row, old, new in pairs if _same_key(facts[old], facts[new])]
    distinct = {(old, new): _same_key(facts[old], facts[new]) for _, old, new in pairs}
    top = [_holds(row["upheld"], row["answers"], texts) for row in asked]
    return {
        "n": len(asked),
        "plain_top1_current_pct": share(_holds(row["plain"], row["answers"], texts) for row in asked),
        "plain_stale_top10_pct": share(_served(row["plain"], each.older, texts) for row, each in conflicting),
        "top1_current_pct": share(top),
        "top1_strict_pct": share(_equals(row["value"], row["answers"]) for row in asked),
        "stale_served_pct": share(_served(row["upheld"], [old], texts) for row, old in keyed),
        "keyed_pct": share(distinct.values()),
        "stale_served_any_pct": share(_served(row["upheld"], each.older, texts) for row, each in conflicting),
        "facts": len(facts),
        "facts_keyed_pct": share(row["key"] is not None for row in facts.values()),
        "facts_refused": sum(row["outcome"] == "refused" for row in facts.values()),
        "questions_with_conflict": len(conflicting),
        "pairs": len(distinct),
        "pairs_keyed": sum(distinct.values()),
        "gold_not_latest": [row["question"] for row, each in zip(asked, about, strict=True) if _outdated(each)],
        "gold_in_no_fact": [row["question"] for row, each in zip(asked, about, strict=True) if each is None],
        "pairs_not_keyed": [[texts[old], texts[new]] for (old, new), same in distinct.items() if not same],
        "top1_missed": [row["question"] for row, held in zip(asked, top, strict=True) if not held],
    }


def _outdated(each: Subject | None) -> bool:
    """Whether the gold answer stands in a fact that a later one contradicts: the gold is wrong by its own rule."""
    return each is not None and each.gold in each.older


def _same_key(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    return old["key"] is not None and old["key"] == new["key"]


def _holds(found: Sequence[int], answers: Sequence[str], texts: Mapping[int, str]) -> bool:
    """Whether an accepted answer stands in the first statement found."""
    return bool(found) and any(answer.lower() in texts[found[0]].lower() for answer in answers)


def _equals(value: str | None, answers: Sequence[str]) -> bool:
    return value is not None and any(canonical(value) == canonical(answer) for answer in answers)


def _served(found: Sequence[int], stale: Sequence[int], texts: Mapping[int, str]) -> bool:
    """Whether the text of a stale fact is among those found."""
    return not {texts[number] for number in found}.isdisjoint(texts[number] for number in stale)
