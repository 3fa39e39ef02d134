"""A system of record that moved: notes learned at one date, asked at a later one; wrong answers against calls.

The two ends are measured in the store: without a verifier, and with one call for each note. Between them the notes are
asked at random moments under windows of several lengths, as `windows.py` says: one window for all, or one for each
class, in which case how fast a class moves is learned from one half of the subjects and tried on the other. That part
is simulated, and a sample of it is done again by the store, with the same moments, and compared note by note.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from upheld.bench import snapshots, windows
from upheld.bench.evidence import RowsFile, folder_of, of_kind, percentile, share
from upheld.bench.moved_store import learned
from upheld.bench.progress import Steps
from upheld.bench.snapshots import Moved, Question
from upheld.bench.windows import Drawn
from upheld.errors import Misconfigured
from upheld.note import Band
from upheld.values import canonical

SUITE = "world-moved"
SEEDS = 40
REPEATS = 4
SAMPLE = 300
CALLS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 20.0, 24.0)
TRIED = 1.0
"""For how many calls a note the sample is done by the store too."""
NONE, UNIFORM, CLASS_AWARE, SHUFFLED = "none", "uniform", "class_aware", "shuffled"
ALONE, FULL, DOWN, AGED = "no verifier", "full verification", "owner down", "half-life alone"
GAINS = {0.25: "quarter_call", 0.5: "half_call", 1.0: "1_call", 2.0: "2_calls", 4.0: "4_calls", 12.0: "12_calls"}

_FEWEST = 20
_ASSERTED = Band.ASSERT.value
_Row = Mapping[str, Any]


def run(rows: RowsFile, steps: Steps, data: Path, *, seeds: int = SEEDS, sample: int = SAMPLE) -> None:
    """Measure both ends in the store, simulate what lies between, and do a sample of that in the store too."""
    moved = snapshots.read(folder_of(data, snapshots.FOLDER))
    if len({each.subject for each in moved.questions}) < _FEWEST:
        raise Misconfigured(
            f"the first and the last snapshot share fewer than {_FEWEST} subjects; half are learned from"
        )
    rows.add("snapshots", learned_at=moved.learned_at.isoformat(), asked_at=moved.asked_at.isoformat(),
             left_out=dict(moved.left_out))  # fmt: skip
    numbers = {each.question: number for number, each in enumerate(moved.questions)}
    for each, number in zip(moved.questions, numbers.values(), strict=True):
        rows.add("note", number=number, question=each.question, subject=each.subject, attribute=each.attribute,
                 kind=each.kind, then=each.then, now=each.now, relabelled=each.relabelled)  # fmt: skip
    some = sorted(moved.questions, key=lambda each: _digest("sample", each.question))[:sample]
    for name, asked, settings in (
        (ALONE, moved.questions, {"owned": False}),
        (FULL, moved.questions, {}),
        (DOWN, some, {"is_up": False}),
        (AGED, some, {"owned": False, "kind": "attribute"}),
    ):
        with steps.step(name, len(asked)) as tick, learned(moved, asked, **settings) as world:
            world.now = moved.asked_at
            for done, each in enumerate(asked):
                served = [world.ask(each) for _ in range(2 if name in (FULL, DOWN) else 1)]
                rows.add("served", end=name, note=numbers[each.question], values=[value for value, _ in served],
                         how=[how for _, how in served], calls=world.calls(each))  # fmt: skip
                tick(done + 1)
    _between(rows, steps, moved, numbers, seeds=seeds, sample=sample)


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(str, parts)).encode()).digest()


def is_tried(seed: int, subject: str) -> bool:
    """Whether a subject is of the half that windows are tried on, with all its notes; the other is learned from."""
    return _digest(seed, subject)[0] % 2 == 0


def _between(
    rows: RowsFile, steps: Steps, moved: Moved, numbers: Mapping[str, int], *, seeds: int, sample: int
) -> None:
    span = int((moved.asked_at - moved.learned_at) / timedelta(minutes=1))
    with steps.step(f"between the dates, {seeds} seeds", seeds) as tick:
        for seed in range(seeds):
            plans, tried = _plans(rows, moved, seed, span)
            chance = np.random.default_rng(seed)
            drawn = windows.draw(chance, [each.changed for each in tried] * REPEATS, span)
            for (policy, calls), lengths in plans.items():
                made, right_at = windows.simulate(drawn, _lengths(tried, lengths, REPEATS))
                wrong = float(drawn.chance_of_wrong(right_at).sum())
                rows.add("point", seed=seed, policy=policy, budget=calls, n=len(made), calls=int(made.sum()),
                         wrong=round(wrong, 4))  # fmt: skip
            tick(seed + 1)
    plans, tried = _plans(None, moved, 0, span)
    some = sorted(tried, key=lambda each: _digest("sample", each.question))[:sample]
    for policy, asked in ((CLASS_AWARE, some[::2]), (UNIFORM, some[1::2])):
        drawn = windows.draw(np.random.default_rng(len(some)), [each.changed for each in asked], span)
        lengths = plans[policy, TRIED]
        made, right_at = windows.simulate(drawn, _lengths(asked, lengths, 1))
        are_wrong = drawn.is_wrong(right_at)
        with steps.step(f"{policy} in the store", int((drawn.asks <= span).sum())) as tick:
            done = _in_store(moved, asked, drawn, lengths, tick)
        for each, stored, calls, is_wrong in zip(asked, done, made, are_wrong, strict=True):
            rows.add("tried", policy=policy, note=numbers[each.question], value=stored[0], how=stored[1],
                     calls=stored[2], asked=stored[3], truth=each.now, simulated_calls=int(calls),
                     simulated_wrong=bool(is_wrong))  # fmt: skip


def _plans(
    rows: RowsFile | None, moved: Moved, seed: int, span: int
) -> tuple[dict[tuple[str, float], dict[str, int]], list[Question]]:
    """The windows by class of each policy for each number of calls, learned from one half; and the other half.

    As a control, the shuffled policy takes the rate of every class for that of another.
    """
    known = [each for each in moved.questions if not is_tried(seed, each.subject)]
    tried = [each for each in moved.questions if is_tried(seed, each.subject)]
    moving = windows.rates((each.kind, each.changed) for each in known)
    counts = Counter(each.kind for each in known)
    shares = {"": 0.0} | {kind: count / len(known) for kind, count in counts.items()}
    kinds = sorted(counts)
    other = [kinds[at] for at in np.random.default_rng(seed).permutation(len(kinds))]
    mixed = {"": moving[""]} | {kind: moving[name] for kind, name in zip(kinds, other, strict=True)}
    if rows is not None:
        rows.add("split", seed=seed, learned=len(known), tried=len(tried), rates=moving)
    every = {each.kind for each in moved.questions}
    plans: dict[tuple[str, float], dict[str, int]] = {(NONE, 0.0): dict.fromkeys(every, windows.NEVER)}
    for calls in CALLS:
        plans[UNIFORM, calls] = dict.fromkeys(every, windows.uniform(calls, span))
        for policy, taken in ((CLASS_AWARE, moving), (SHUFFLED, mixed)):
            found = windows.class_aware(calls, span, shares, taken)
            plans[policy, calls] = {kind: found.get(kind, found[""]) for kind in every}
    return plans, tried


def _lengths(asked: Sequence[Question], lengths: Mapping[str, int], repeats: int) -> windows.Minutes:
    return np.array([lengths[each.kind] for each in asked] * repeats, dtype=np.int64)


def _in_store(
    moved: Moved, asked: Sequence[Question], drawn: Drawn, lengths: Mapping[str, int], tick: Callable[[int], None]
) -> list[tuple[str | None, str, int, int]]:
    """What the store serves on the last date, how, after how many calls and questions, with what chance decided."""

    def at(minutes: Iterable[int]) -> list[datetime]:
        return [moved.learned_at + timedelta(minutes=int(each)) for each in minutes]

    seen, changes = at(drawn.seen(_lengths(asked, lengths, 1))), at(drawn.changes)
    moments = sorted((int(each), place) for place, row in enumerate(drawn.asks) for each in row if each <= drawn.span)
    last: dict[int, tuple[str | None, str]] = {}
    with learned(moved, asked, windows_of=lengths, seen=seen, changes=changes) as world:
        for done, (minutes, place) in enumerate(moments):
            world.now = moved.learned_at + timedelta(minutes=minutes)
            last[place] = world.ask(asked[place])
            tick(done + 1)
        times = Counter(place for _, place in moments)
        return [(*last[place], world.calls(each), times[place]) for place, each in enumerate(asked)]


# --- the figures ---------------------------------------------------------------------------------


def figures(rows: Sequence[_Row]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    notes = {row["number"]: row for row in of_kind(rows, "note")}
    ends = {name: [row for row in of_kind(rows, "served") if row["end"] == name] for name in (ALONE, FULL, DOWN, AGED)}
    met = next(of_kind(rows, "snapshots"))
    return {
        "n": len(notes),
        "wrong_pct_no_verifier": share(_wrong(ends[ALONE], notes)),
        "wrong_asserted_pct_full_verification": share(_wrong(ends[FULL], notes)),
        "asserted_pct_no_verifier": share(_asserted(ends[ALONE])),
        "asserted_pct_full_verification": share(_asserted(ends[FULL])),
        "full_verification_calls_per_note": _mean(row["calls"] for row in ends[FULL]),
        "full_verification_most_calls": max(row["calls"] for row in ends[FULL]),
        "changed_pct": share(_differ(row["then"], row["now"]) for row in notes.values()),
        "changed_pct_by_class": _by_class(notes.values()),
        "owner_down_n": len(ends[DOWN]),
        "owner_down_wrong_asserted_pct": share(_wrong(ends[DOWN], notes)) or 0.0,
        "owner_down_hedged_pct": share(how == Band.HEDGE for row in ends[DOWN] for how in row["how"]),
        "owner_down_most_calls": max(row["calls"] for row in ends[DOWN]),
        "half_life_alone_n": len(ends[AGED]),
        "half_life_alone_asserted_pct": share(_asserted(ends[AGED])),
        "curve": _curve(rows),
        **_gains(rows),
        **_tried(rows),
        "relabelled": sum(row["relabelled"] for row in notes.values()),
        "left_out": met["left_out"],
        "learned_at": met["learned_at"],
        "asked_at": met["asked_at"],
        "seeds": len(list(of_kind(rows, "split"))),
    }


def _asserted(ends: Sequence[_Row]) -> Iterator[bool]:
    return (how == _ASSERTED for row in ends for how in row["how"])


def _wrong(ends: Sequence[_Row], notes: Mapping[int, _Row]) -> Iterator[bool]:
    """For each value that was asserted, whether it is not what the last snapshot says."""
    for row in ends:
        for value, how in zip(row["values"], row["how"], strict=True):
            if how == _ASSERTED:
                yield value is None or _differ(value, notes[row["note"]]["now"])


def _differ(first: str, second: str) -> bool:
    return canonical(first) != canonical(second)


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(sum(listed) / len(listed), 3) if listed else None


def _by_class(notes: Iterable[_Row]) -> dict[str, list[float | None]]:
    """For each class, how many notes it has and what share of them changed."""
    grouped: dict[str, list[bool]] = {}
    for row in notes:
        grouped.setdefault(row["kind"], []).append(_differ(row["then"], row["now"]))
    return {kind: [len(flags), share(flags)] for kind, flags in sorted(grouped.items(), key=lambda each: -len(each[1]))}


def _curve(rows: Sequence[_Row]) -> dict[str, list[dict[str, float]]]:
    """What each policy cost and left wrong, over all seeds, for each number of calls that it was made for."""
    sums: dict[str, dict[float, Counter[str]]] = {NONE: {}, UNIFORM: {}, CLASS_AWARE: {}}
    for row in of_kind(rows, "point"):
        if row["policy"] in sums:
            found = sums[row["policy"]].setdefault(row["budget"], Counter())
            found.update({name: row[name] for name in ("n", "calls", "wrong")})
    return {
        policy: [
            {
                "calls_per_note": round(found["calls"] / found["n"], 3),
                "wrong_pct": round(100 * found["wrong"] / found["n"], 3),
            }
            for _, found in sorted(points.items())
        ]
        for policy, points in sums.items()
    }


def _gains(rows: Sequence[_Row]) -> dict[str, Any]:
    """How many points less are wrong than with one window for all, at equal calls: the mean and 95 % of the seeds."""
    of_seed: dict[tuple[int, str], list[tuple[float, float]]] = {}
    for row in of_kind(rows, "point"):
        point = (row["calls"] / row["n"], 100 * row["wrong"] / row["n"])
        of_seed.setdefault((row["seed"], row["policy"]), []).append(point)
    seeds = sorted({seed for seed, _ in of_seed})
    found: dict[str, Any] = {}
    for calls, name in GAINS.items():
        for policy, ending in ((CLASS_AWARE, ""), (SHUFFLED, "_shuffled")):
            gains = [_at(calls, of_seed[seed, UNIFORM]) - _at(calls, of_seed[seed, policy]) for seed in seeds]
            whole = sum(_at(calls, of_seed[seed, UNIFORM]) for seed in seeds)
            found[f"gain_pct_points_at_{name}{ending}"] = _mean(gains)
            if policy == CLASS_AWARE:
                ends = [percentile(gains, percent) for percent in (2.5, 97.5)]
                found[f"gain_pct_points_at_{name}_interval"] = [None if end is None else round(end, 3) for end in ends]
                found[f"gain_pct_of_uniform_at_{name}"] = round(100 * sum(gains) / whole, 1) if whole else None
    return found


def _at(calls: float, points: Sequence[tuple[float, float]]) -> float:
    """What is wrong at a number of calls, on the straight line between the measured points beside it."""
    ordered = sorted(points)
    return float(np.interp(calls, [made for made, _ in ordered], [wrong for _, wrong in ordered]))


def _tried(rows: Sequence[_Row]) -> dict[str, Any]:
    """The sample that the store did, beside the simulation of the same moments."""
    tried = list(of_kind(rows, "tried"))
    wrong = [row["how"] == _ASSERTED and _differ(row["value"], row["truth"]) for row in tried]
    return {
        "store_n": len(tried),
        "store_recalls": sum(row["asked"] for row in tried),
        "store_calls_per_note": _mean(row["calls"] for row in tried),
        "simulated_calls_per_note": _mean(row["simulated_calls"] for row in tried),
        "store_wrong_pct": share(wrong),
        "simulated_wrong_pct": share(row["simulated_wrong"] for row in tried),
        "store_differs_from_simulation": sum(
            row["calls"] != row["simulated_calls"] or is_wrong != row["simulated_wrong"]
            for row, is_wrong in zip(tried, wrong, strict=True)
        ),
    }
