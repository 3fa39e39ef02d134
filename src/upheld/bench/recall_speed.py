"""How fast recall is with validity on, against the same hybrid search without it, in the same run.

Queries arrive already embedded. Each question is put to both, one after the other, and who goes first alternates,
so that noise on the machine falls on both. What was found is checked when all were asked: between two questions the
check would clear the processor's memory of what answers them. Opening and memory are measured in a process of their
own. Beside the time on the wall stands the processor time of the asking thread, which other programs disturb far less.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

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
from upheld.ports import Filter, Most, Wanted
from upheld.recall import DEPTH

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUITE = "recall-speed"
SEED = 20260801
LIMIT = 10
WARM_UP = 30
ASKED = 400
ASKED_SCOPES = 50
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


def run(
    rows: RowsFile,
    steps: Steps,
    *,
    long: bool = False,
    sizes: Sequence[tuple[int, int]] = SIZES,
    asked: int = ASKED,
) -> None:
    """Measure each size: (notes, scopes)."""
    for notes, scopes in (*sizes, *((LONG,) if long else ())):
        with TemporaryDirectory(prefix="upheld-bench-") as folder:
            _size(rows, steps, Path(folder) / "memory.db", notes, scopes, asked=asked)


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    sizes: dict[str, dict[str, Any]] = {}
    for store in of_kind(rows, "store"):
        asked = [row for row in of_kind(rows, "query") if row["size"] == store["size"]]
        cold = [row["ms"] for row in of_kind(rows, "cold") if row["size"] == store["size"]]
        ours, plain = [row["ours_ms"] for row in asked], [row["plain_ms"] for row in asked]
        sizes[str(store["size"])] = {
            "n": len(asked),
            "scopes": store["scopes"],
            "not_in_force_pct": round(100 * store["not_in_force"] / store["size"], 2),
            "p50_ms": milliseconds(ours, 50),
            "p95_ms": milliseconds(ours, 95),
            "p99_ms": milliseconds(ours, 99),
            "plain_p50_ms": milliseconds(plain, 50),
            "plain_p95_ms": milliseconds(plain, 95),
            "plain_p99_ms": milliseconds(plain, 99),
            "ratio": _ratio(ours, plain),
            "cpu_p50_ms": milliseconds([row["ours_cpu_ms"] for row in asked], 50),
            "plain_cpu_p50_ms": milliseconds([row["plain_cpu_ms"] for row in asked], 50),
            "cpu_ratio": _ratio([row["ours_cpu_ms"] for row in asked], [row["plain_cpu_ms"] for row in asked]),
            "recall_at_10": round(sum(row["nearest_found"] for row in asked) / (LIMIT * len(asked)), 4),
            "not_in_force_served": sum(row["not_in_force_served"] for row in asked),
            "served_p50": milliseconds([row["served"] for row in asked], 50),
            "plain_not_in_force_top10_pct": share(row["plain_not_in_force"] > 0 for row in asked),
            "rss_mb": store["rss_mb"],
            "rss_before_mb": store["rss_before_mb"],
            "disk_mb": store["disk_mb"],
            "open_ms": store["open_ms"],
            "cold_scope_p50_ms": milliseconds(cold, 50),
            "cold_scope_p95_ms": milliseconds(cold, 95),
            "build_s": store["build_s"],
        }
    return {"sizes": sizes}


def _ratio(ours: Sequence[float], plain: Sequence[float]) -> float | None:
    first, second = milliseconds(ours, 50), milliseconds(plain, 50)
    return round(first / second, 3) if first is not None and second else None


def _size(rows: RowsFile, steps: Steps, path: Path, notes: int, scopes: int, *, asked: int) -> None:
    each = notes // scopes
    names = [f"scope/{number}" for number in range(scopes)]
    drawn = np.random.default_rng(SEED).choice(scopes, min(scopes, ASKED_SCOPES), replace=False)
    chosen = sorted(drawn.tolist())
    asked_of: list[MadeUp] = []
    dead = 0
    start = time.perf_counter()
    ids = _Ids()
    with upheld.open(path, embedder=GivenVectors(), ids=ids) as memory, steps.step(f"{notes:,} notes", notes) as tick:
        for number, name in enumerate(names):
            made = synthetic.scope(name, each, SEED + number)
            ids.start(name)
            fill(memory, made)
            tick((number + 1) * each)
            dead += each - len(made.live)
            if number in chosen:
                asked_of.append(made)
    built = time.perf_counter() - start
    question = synthetic.questions(asked_of[0], 1, SEED)[0]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        opened = pool.apply(open_and_ask, (str(path), asked_of[0].scope, question.text, question.vector))
    rows.add(
        "store",
        size=notes,
        scopes=scopes,
        not_in_force=dead,
        build_s=round(built, 1),
        disk_mb=round(disk_bytes(path) / 1e6, 1),
        **opened,
    )
    database = Sqlite(path, model=GivenVectors.model, dimension=GivenVectors.dimension)
    try:
        with upheld.open(path, embedder=GivenVectors()) as memory, PlainSearch(path, GivenVectors()) as plain:
            _ask(rows, steps, memory, plain, database, scopes=asked_of, size=notes, asked=asked)
    finally:
        database.close()


class _Ids:
    """Gives note `i` of a scope the id `<scope>/<i>`: notes that name no id of their own are written many at once."""

    def __init__(self) -> None:
        self._scope, self._next = "", 0

    def start(self, scope: str) -> None:
        self._scope, self._next = scope, 0

    def __call__(self) -> str:
        self._next += 1
        return f"{self._scope}/{self._next - 1}"


def fill(memory: Memory, made: MadeUp) -> None:
    """Write a made-up scope through the verbs, into a store that numbers its notes."""
    replaced: dict[int, list[str]] = {}
    for old, successor in enumerate(made.successor):
        if successor >= 0:
            replaced.setdefault(successor, []).append(f"{made.scope}/{old}")
    drafts = (
        Draft(
            statement=text,
            scope=made.scope,
            by="system:bench",
            extract_key=False,
            expires_at=_PAST if made.fates[i] is Fate.EXPIRED else None,
            supersedes=tuple(replaced.get(i, ())),
        )
        for i, text in enumerate(made.texts)
    )
    for i, result in enumerate(memory.remember_many(drafts, vectors=made.vectors)):
        if isinstance(result, UpheldError):
            raise result
        if result.id != f"{made.scope}/{i}":
            raise AssertionError(f"note {i} of {made.scope} was kept as {result.id}")
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
    *,
    scopes: Sequence[MadeUp],
    size: int,
    asked: int,
) -> None:
    for made, question in _turns(scopes, len(scopes), SEED + 3):
        start = time.perf_counter()
        memory.recall(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
        rows.add("cold", size=size, scope=made.scope, ms=_ms(time.perf_counter() - start))
        plain.search(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
    for made, question in _turns(scopes, WARM_UP, SEED + 1):
        _timed(memory, plain, made, question, ours_first=True)
    turns = [*_turns(scopes, asked, SEED + 2)]
    timed = []
    with steps.step(f"{size:,}: {asked} questions", asked) as tick:
        for turn, (made, question) in enumerate(turns):
            timed.append(_timed(memory, plain, made, question, ours_first=turn % 2 == 0))
            tick(turn + 1)
    with steps.step(f"{size:,}: what is nearest, exactly", asked) as tick:
        for turn, (made, question) in enumerate(turns):
            rows.add("query", size=size, **timed[turn], nearest_found=_found_nearest(database, made, question))
            tick(turn + 1)


def _turns(scopes: Sequence[MadeUp], count: int, seed: int) -> Iterator[tuple[MadeUp, Question]]:
    """`count` questions, to one scope after the other."""
    each = -(-count // len(scopes))
    drawn = [(made, synthetic.questions(made, each, seed)) for made in scopes]
    turns = ((made, questions[turn]) for turn in range(each) for made, questions in drawn)
    return (pair for _, pair in zip(range(count), turns, strict=False))


def _timed(memory: Memory, plain: PlainSearch, made: MadeUp, question: Question, *, ours_first: bool) -> dict[str, Any]:
    took: dict[str, float] = {}
    served: list[str] = []
    ranked: list[str] = []
    for ours in (ours_first, not ours_first):
        wall, processor = time.perf_counter(), time.thread_time()
        if ours:
            answer = memory.recall(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
        else:
            found = plain.search(question.text, scope=made.scope, limit=LIMIT, vector=question.vector)
        processor, wall = time.thread_time() - processor, time.perf_counter() - wall
        name = "ours" if ours else "plain"
        took |= {f"{name}_ms": _ms(wall), f"{name}_cpu_ms": _ms(processor)}
        if ours:
            served = [note.id for note in answer.upheld]
        else:
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
        now = instant(datetime.now(UTC))
        found = reading.search(
            Wanted(
                scopes=(made.scope,),
                text="",
                vector=question.vector,
                valid_at=now,
                known_at=reading.head().seq,
                now=now,
                latest=True,
                most=Most(DEPTH),
                filter=Filter(),
            )
        )
        ids = reading.ids(found.by_meaning.in_force[:LIMIT])
    exact = {f"{made.scope}/{i}" for i in synthetic.nearest(made, question.vector, LIMIT)}
    return len(exact & set(ids.values()))


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 4)
