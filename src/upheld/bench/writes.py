"""How fast a store takes notes in: one durable write after the other, eight processes at once, and in bulk.

No note is embedded here. Every single write is a transaction that is on the disk before the verb returns.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Barrier
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import upheld
from upheld.bench import synthetic
from upheld.bench.evidence import Row, RowsFile, disk_bytes, milliseconds, of_kind
from upheld.bench.progress import Steps
from upheld.bench.recall_speed import GivenVectors
from upheld.errors import Busy, UpheldError
from upheld.note import Draft

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SUITE = "writes"
SEED = 20260802
SCOPE = "writes"
_ATTRIBUTES = ("port", "owner", "region", "retention period", "log level", "time zone", "version", "maintainer")
_START_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """How much is written: single notes, processes and for how many seconds each, notes in bulk."""

    single: int = 2_000
    processes: int = 8
    seconds: float = 5.0
    bulk: int = 100_000


FULL = Amounts()


def run(rows: RowsFile, steps: Steps, amounts: Amounts = FULL) -> None:
    """Measure all four ways."""
    with TemporaryDirectory(prefix="upheld-bench-") as folder:
        _single(rows, steps, Path(folder) / "single.db", amounts.single)
        _together(rows, steps, Path(folder) / "together.db", amounts)
        plain = synthetic.scope(SCOPE, amounts.bulk, SEED)
        _bulk(rows, steps, Path(folder) / "unkeyed.db", plain.texts, how="unkeyed")
        _bulk(rows, steps, Path(folder) / "keyed.db", keyed_statements(amounts.bulk), how="keyed")
        _bulk(rows, steps, Path(folder) / "vectors.db", plain.texts, how="vectors", vectors=plain.vectors)


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    single = list(of_kind(rows, "single"))
    workers = list(of_kind(rows, "worker"))
    counts = [row["written"] for row in workers]
    pauses = [row["slowest_ms"] for row in workers]
    bulk = {row["how"]: row for row in of_kind(rows, "bulk")}
    return {
        "n": len(single),
        "p50_ms": milliseconds([row["ms"] for row in single], 50),
        "p95_ms": milliseconds([row["ms"] for row in single], 95),
        "p99_ms": milliseconds([row["ms"] for row in single], 99),
        "cpu_p50_ms": milliseconds([row["cpu_ms"] for row in single], 50),
        "processes": len(workers),
        "writes_per_s": round(sum(row["written"] / row["seconds"] for row in workers), 1),
        "busy_errors": sum(row["busy"] for row in workers),
        "other_errors": sum(row["failed"] for row in workers),
        "slowest_fastest_ratio": round(max(counts) / min(counts), 2) if counts and min(counts) else None,
        "longest_wait_ms": max(pauses, default=None),
        "kept_of_written": [sum(row["kept"] for row in of_kind(rows, "kept")), sum(counts)],
        "bulk_notes": bulk["unkeyed"]["notes"],
        "bulk_notes_per_s": _rate(bulk["unkeyed"], "seconds"),
        "bulk_keyed_notes_per_s": _rate(bulk["keyed"], "seconds"),
        "bulk_vectors_notes_per_s": _rate(bulk["vectors"], "seconds"),
        "bulk_notes_per_cpu_s": _rate(bulk["unkeyed"], "cpu_seconds"),
        "bulk_keyed_notes_per_cpu_s": _rate(bulk["keyed"], "cpu_seconds"),
        "bulk_vectors_notes_per_cpu_s": _rate(bulk["vectors"], "cpu_seconds"),
        "bulk_keyed_share_pct": round(100 * bulk["keyed"]["keyed"] / bulk["keyed"]["notes"], 2),
        "bulk_refused": sum(row["refused"] for row in bulk.values()),
        "bulk_disk_mb": bulk["unkeyed"]["disk_mb"],
    }


def _rate(row: Mapping[str, Any], over: str) -> float | None:
    return round(row["notes"] / row[over], 1) if row[over] else None


def keyed_statements(count: int) -> list[str]:
    """Plain statements, each with a key of its own, so that all of them stay.

    >>> keyed_statements(2)[1]
    'The owner of dabada is number 7919.'
    """
    return [
        f"The {_ATTRIBUTES[i % len(_ATTRIBUTES)]} of {synthetic.word(i)}da is number {i * 7919 % 1_000_003}."
        for i in range(count)
    ]


def _single(rows: RowsFile, steps: Steps, path: Path, count: int) -> None:
    texts = synthetic.scope(SCOPE, max(count, 1), SEED + 1).texts
    with upheld.open(path, embedder=None) as memory, steps.step(f"{count:,} single writes", count) as tick:
        for i, text in enumerate(texts[:count]):
            wall, processor = time.perf_counter(), time.thread_time()
            memory.remember(text, scope=SCOPE)
            processor, wall = time.thread_time() - processor, time.perf_counter() - wall
            rows.add("single", ms=round(1000 * wall, 4), cpu_ms=round(1000 * processor, 4))
            tick(i + 1)


def _together(rows: RowsFile, steps: Steps, path: Path, amounts: Amounts) -> None:
    upheld.open(path, embedder=None).close()
    context = multiprocessing.get_context("spawn")
    barrier, results = context.Barrier(amounts.processes), context.SimpleQueue()
    workers = [
        context.Process(target=write_for, args=(str(path), number, amounts.seconds, barrier, results.put))
        for number in range(amounts.processes)
    ]
    with steps.step(f"{amounts.processes} processes write for {amounts.seconds:g} s", amounts.processes) as tick:
        for worker in workers:
            worker.start()
        for done in range(amounts.processes):
            rows.add("worker", **results.get())
            tick(done + 1)
        for worker in workers:
            worker.join()
    with upheld.open(path, embedder=None) as memory:
        rows.add("kept", kept=sum(memory.scopes().values()))


def write_for(path: str, number: int, seconds: float, barrier: Barrier, done: Callable[[Row], None]) -> None:
    """Write notes from this process for some seconds, once all processes are ready; hand on what came of it."""
    written = busy = failed = 0
    slowest = took = 0.0
    try:
        with upheld.open(path, embedder=None) as memory:
            barrier.wait(_START_S)
            start = time.perf_counter()
            while took < seconds:
                try:
                    memory.remember(f"Writer {number} was here for the {written}th time.", scope=f"writer/{number}")
                    written += 1
                except Busy:
                    busy += 1
                except UpheldError:
                    failed += 1
                now = time.perf_counter() - start
                slowest, took = max(slowest, now - took), now
    except BaseException:
        failed += 1
        barrier.abort()
        raise
    finally:
        done(
            {
                "number": number,
                "seconds": round(max(took, 1e-6), 4),
                "written": written,
                "busy": busy,
                "failed": failed,
                "slowest_ms": round(1000 * slowest, 3),
            }
        )


def _bulk(
    rows: RowsFile,
    steps: Steps,
    path: Path,
    texts: Sequence[str],
    *,
    how: str,
    vectors: NDArray[np.float32] | None = None,
) -> None:
    embedder = None if vectors is None else GivenVectors()
    with upheld.open(path, embedder=embedder) as memory, steps.step(f"bulk, {how}", len(texts)) as tick:
        wall, processor = time.perf_counter(), time.process_time()
        results = memory.remember_many(_drafts(texts, how), vectors=vectors, progress=tick)
        processor, wall = time.process_time() - processor, time.perf_counter() - wall
    refused = [result for result in results if isinstance(result, UpheldError)]
    rows.add(
        "bulk",
        how=how,
        notes=len(results),
        seconds=round(wall, 4),
        cpu_seconds=round(processor, 4),
        keyed=sum(not isinstance(result, UpheldError) and result.note.attribute_key is not None for result in results),
        refused=len(refused),
        not_added=sum(not isinstance(result, UpheldError) and result.outcome != "added" for result in results),
        disk_mb=round(disk_bytes(path) / 1e6, 1),
    )


def _drafts(texts: Sequence[str], how: str) -> list[Draft]:
    return [Draft(statement=text, scope=SCOPE, by="system:bench", extract_key=how == "keyed") for text in texts]
