"""How fast recall is with validity on, against the same hybrid search without it, in the same run.

Queries arrive already embedded. Each question is put to both, one after the other, and who goes first alternates,
so that noise on the machine falls on both. Opening and memory are measured in a process of their own.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

import upheld
from upheld.bench import synthetic
from upheld.bench.evidence import RowsFile, disk_bytes, milliseconds, of_kind, resident_bytes, share
from upheld.bench.plain import PlainSearch
from upheld.bench.progress import Steps
from upheld.bench.synthetic import Fate, MadeUp, Question
from upheld.db.sqlite import Sqlite
from upheld.errors import Unavailable, UpheldError
from upheld.memory import Memory
from upheld.note import Draft, instant
from upheld.ports import Filter, Wanted
from upheld.recall import DEPTH

SUITE = "recall-speed"
SEED = 20260801
LIMIT = 10
WARM_UP = 30
ASKED = 400
SIZES = ((10_000, 1), (100_000, 1))
LONG = (1_000_000, 1_000)
_PAST = datetime(2020, 1, 1, tzinfo=UTC)


class GivenVectors:
    """An embedder that holds no model: every vector is given by the caller."""

    model = "given"
    dimension = synthetic.DIMENSION

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Refuse: nothing here is to be embedded."""
        raise Unavailable(f"{len(texts)} texts came without vectors; this suite gives every vector")


def run(rows: RowsFile, steps: Steps, *, long: bool = False, sizes: Sequence[tuple[int, int]] = SIZES) -> None:
    """Measure each size: (notes, scopes)."""
    for notes, scopes in (*sizes, *((LONG,) if long else ())):
        with TemporaryDirectory(prefix="upheld-bench-") as folder:
            _size(rows, steps, Path(folder) / "memory.db", notes, scopes)


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    sizes: dict[str, dict[str, Any]] = {}
    for store in of_kind(rows, "store"):
        asked = [row for row in of_kind(rows, "query") if row["size"] == store["size"]]
        ours, plain = [row["ours_ms"] for row in asked], [row["plain_ms"] for row in asked]
        p50, plain_p50 = milliseconds(ours, 50), milliseconds(plain, 50)
        sizes[str(store["size"])] = {
            "n": len(asked),
            "scopes": store["scopes"],
            "not_in_force_pct": round(100 * store["not_in_force"] / store["size"], 2),
            "p50_ms": p50,
            "p95_ms": milliseconds(ours, 95),
            "p99_ms": milliseconds(ours, 99),
            "plain_p50_ms": plain_p50,
            "plain_p95_ms": milliseconds(plain, 95),
            "plain_p99_ms": milliseconds(plain, 99),
            "ratio": round(p50 / plain_p50, 3) if p50 is not None and plain_p50 else None,
            "recall_at_10": round(sum(row["nearest_found"] for row in asked) / (LIMIT * len(asked)), 4),
            "not_in_force_served": sum(row["not_in_force_served"] for row in asked),
            "plain_not_in_force_top10_pct": share(row["plain_not_in_force"] > 0 for row in asked),
            "rss_mb": store["rss_mb"],
            "disk_mb": store["disk_mb"],
            "open_ms": store["open_ms"],
            "cold_scope_p50_ms": milliseconds([row["ms"] for row in of_kind(rows, "cold") if row["size"] == store["size"]], 50),
        }
    return {"sizes": sizes}


def _size(rows: RowsFile, steps: Steps, path: Path, notes: int, scopes: int) -> None:
    each = notes // scopes
    names = [f"scope/{number}" for number in range(scopes)]
    chosen = sorted(np.random.default_rng(SEED).choice(scopes, min(scopes, 50), replace=False).tolist())
    asked_of: dict[str, MadeUp] = {}
    dead = 0
    with upheld.open(path, embedder=GivenVectors()) as memory, steps.step(f"{notes:,} notes", notes) as tick:
        for number, name in enumerate(names):
            made = synthetic.scope(name, each, SEED + number)
            fill(memory, made, tick)
            dead += each - len(made.live)
            if number in chosen:
                asked_of[name] = made
    context = multiprocessing.get_context("spawn")
    first = asked_of[names[chosen[0]]]
    question = synthetic.questions(first, 1, SEED)[0]
    with context.Pool(1) as pool:
        opened = pool.apply(open_and_ask, (str(path), first.scope, question.text, question.vector))
    rows.add("store", size=notes, scopes=scopes, not_in_force=dead, disk_mb=round(disk_bytes(path) / 1e6, 1), **opened)
    with upheld.open(path, embedder=GivenVectors()) as memory, PlainSearch(path, GivenVectors()) as plain:
        database = Sqlite(path, model=GivenVectors.model, dimension=GivenVectors.dimension)
        try:
            _ask(rows, steps, memory, plain, database, list(asked_of.values()), notes)
        finally:
            database.close()


def fill(memory: Memory, made: MadeUp, tick: Any) -> None:
    """Write a made-up scope through the verbs; note `i` gets the id `<scope>/<i>`."""
    replaced: dict[int, list[str]] = {}
    for old, successor in enumerate(made.successor):
        if successor >= 0:
            replaced.setdefault(successor, []).append(f"{made.scope}/{old}")
    drafts = (
        Draft(
            statement=text,
            scope=made.scope,
            by="system:bench",
            id=f"{made.scope}/{i}",
            extract_key=False,
            expires_at=_PAST if made.fates[i] is Fate.EXPIRED else None,
            supersedes=tuple(replaced.get(i, ())),
        )
        for i, text in enumerate(made.texts)
    )
    for result in memory.remember_many(drafts, vectors=made.vectors, progress=tick):
        if isinstance(result, UpheldError):
            raise result
    for i, fate in enumerate(made.fates):
        if fate is Fate.RETRACTED:
            memory.retract(f"{made.scope}/{i}", by="system:bench")


def open_and_ask(path: str, scope: str, text: str, vector: NDArray[np.float32]) -> dict[str, float | None]:
    """Open a store in this process and ask once; then what this process holds in memory."""
    before = resident_bytes()
    start = time.perf_counter()
    with upheld.open(path, embedder=GivenVectors()) as memory:
        memory.recall(text, scope=scope, limit=LIMIT, vector=vector)
        took = time.perf_counter() - start
        after = resident_bytes()
    return {
        "open_ms": round(1000 * took, 1),
        "rss_mb": None if after is None else round(after / 1e6, 1),
        "rss_before_mb": None if before is None else round(before / 1e6, 1),
    }


def _ask(
    rows: RowsFile,
    steps: Steps,
    memory: Memory,
    plain: PlainSearch,
    database: Sqlite,
    scopes: Sequence[MadeUp],
    size: int,
) -> None:
    for made, question in _turns(scopes, WARM_UP, SEED + 1, every_scope=True):
        start = time.perf_counter()
        memory.recall(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
        rows.add("cold", size=size, scope=made.scope, ms=_ms(start))
        plain.search(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
    with steps.step(f"{size:,}: asking", ASKED) as tick:
        for turn, (made, question) in enumerate(_turns(scopes, ASKED, SEED + 2)):
            rows.add("query", size=size, **_timed(memory, plain, made, question, ours_first=turn % 2 == 0), nearest_found=_found_nearest(database, made, question))
            tick(turn + 1)


def _turns(
    scopes: Sequence[MadeUp], count: int, seed: int, *, every_scope: bool = False
) -> Iterator[tuple[MadeUp, Question]]:
    total = max(count, len(scopes)) if every_scope else count
    each = -(-total // len(scopes))
    asked = [(made, synthetic.questions(made, each, seed)) for made in scopes]
    turns = ((made, questions[turn]) for turn in range(each) for made, questions in asked)
    return (pair for _, pair in zip(range(total), turns, strict=False))


def _timed(
    memory: Memory, plain: PlainSearch, made: MadeUp, question: Question, *, ours_first: bool
) -> dict[str, Any]:
    took: dict[str, float] = {}
    served: list[str] = []
    ranked: list[str] = []
    for ours in (ours_first, not ours_first):
        start = time.perf_counter()
        if ours:
            answer = memory.recall(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
            took["ours_ms"] = _ms(start)
            served = [note.id for note in answer.upheld]
        else:
            found = plain.search(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
            took["plain_ms"] = _ms(start)
            ranked = [note.id for note in found]
    return {
        "scope": made.scope,
        "text": question.text,
        **took,
        "served": len(served),
        "not_in_force_served": sum(_fate(made, id) is not Fate.LIVE for id in served),
        "plain_not_in_force": sum(_fate(made, id) is not Fate.LIVE for id in ranked),
    }


def _fate(made: MadeUp, id: str) -> Fate:
    return made.fates[int(id.rpartition("/")[2])]


def _found_nearest(database: Sqlite, made: MadeUp, question: Question) -> int:
    """How many of the exactly nearest live notes are the first that the arm of vectors finds in force."""
    with database.reading() as reading:
        head = reading.head()
        found = reading.search(
            Wanted(
                scopes=(made.scope,),
                text="",
                vector=question.vector,
                valid_at=instant(datetime.now(UTC)),
                known_at=head.seq,
                latest=True,
                depth=DEPTH,
                filter=Filter(),
            )
        )
        ids = reading.ids([hit.seq for hit in found.by_meaning if hit.in_force][:LIMIT])
    exact = {f"{made.scope}/{i}" for i in synthetic.nearest(made, question.vector, LIMIT)}
    return len(exact & set(ids.values()))


def _ms(start: float) -> float:
    return round(1000 * (time.perf_counter() - start), 4)
