"""Judges on labelled pairs: how often one retires a note of which the document says nothing, and how much it finds.

Silent pairs, keyed changes and endings, look-alikes and public sets of prose, built by `silent`, `keyed`, `lookalikes`
and `nli`; or the pairs of a file. A verdict *acts* where it may retire a note alone, and else *proposes*.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from upheld.bench import documents, facts, keyed, lookalikes, nli, records, silent
from upheld.bench.evidence import Row, RowsFile, of_kind, share
from upheld.bench.pairs import (
    CONTRADICTS,
    GIVEN,
    KEYED,
    LOOKALIKE,
    NEUTRAL,
    SILENT,
    Labelled,
    read_pairs,
    sampled,
    strongest,
)
from upheld.bench.progress import Steps
from upheld.document import Finding
from upheld.errors import Misconfigured
from upheld.judgement import Cascade, Judged, judged
from upheld.ports import Judge
from upheld.rates import rate

SUITE = "judge"
BASE_RATE = 0.014
"""The share of pairs that contradict in a sweep, for which the precision is stated."""
MOST_OF_A_SET = 1000
SAME_TOPIC_OF_A_SET = 300
AT_RANDOM, AT_RANDOM_LONG = 2000, 10_000

_BATCH = 100
_LISTED = 30

_SCENES = ("snli", "mnli")
Build = Callable[[Path], Iterable[Labelled]]
_SAME_TOPIC: tuple[tuple[str, Build], ...] = (
    (facts.FOLDER, silent.of_facts),
    (records.PAT, silent.of_answers),
    (records.STATEBENCH, silent.of_states),
    (records.RAMDOCS, silent.of_namesakes),
    (documents.FOLDER, silent.of_documents),
)
_KEYED: tuple[tuple[str, Build], ...] = (
    (facts.FOLDER, keyed.from_facts),
    (records.STATEBENCH, keyed.from_states),
    (records.PAT, keyed.from_answers),
    (records.PAT, keyed.endings),
)
_ALIKE: tuple[tuple[str, Build], ...] = (
    (records.PAT, keyed.former_and_present),
    (records.PAT, keyed.ending_of_another),
)


def default_judges() -> tuple[Judge, ...]:
    """The judges of the default cascade, cheap first."""
    from upheld.judges.values import Values

    return (Values(),)


def run(rows: RowsFile, steps: Steps, data: Path, *, long: bool = False, judges: Sequence[Judge] | None = None) -> None:
    """Build the pairs from the sets that are there and put them to each judge, and to the cascade of all.

    Keyed pairs are taken whole. Of each set of prose and of look-alikes at most 1,000 are drawn, by seed, and of silent
    pairs 300 for each kind of topic and 2,000 at random; with `long` all, and 10,000 at random. Raises
    `Misconfigured` where no set is there.
    """
    with steps.step("building pairs", 1):
        listed = list(build(data, rows, long=long))
    _judge_all(rows, steps, listed, default_judges() if judges is None else judges)


def run_pairs(rows: RowsFile, steps: Steps, path: Path, *, judges: Sequence[Judge] | None = None) -> None:
    """Put the pairs of a file to each judge, and to the cascade of all. Raises `Invalid` for bad lines."""
    _judge_all(rows, steps, read_pairs(path), default_judges() if judges is None else judges)


def build(data: Path, rows: RowsFile, *, long: bool) -> Iterator[Labelled]:
    """All pairs of the suite; a row says which sets are not there and what was left out."""
    counts: Counter[str] = Counter()
    there = {name for name in (nli.FOLDER, *(name for name, _ in _SAME_TOPIC)) if (data / name).is_dir()}
    if not there:
        raise Misconfigured(f"none of the data sets of this suite is in {data}; --data names the folder they lie in")
    absent = sorted({nli.FOLDER, *(name for name, _ in _SAME_TOPIC)} - there)
    prose = nli.read_all(data / nli.FOLDER, counts) if nli.FOLDER in there else {}
    rows.add("sets", there=sorted(there), absent=absent, left_out=dict(sorted(counts.items())))
    most = None if long else MOST_OF_A_SET
    drawn = {name: sampled(listed, most, name) for name, listed in prose.items()}
    for listed in drawn.values():
        yield from listed
    for name, make in _KEYED:
        if name in there:
            yield from make(data / name)
    for name, make in _ALIKE:
        if name in there:
            yield from sampled(make(data / name), most, f"alike/{make.__name__}")
    yield from lookalikes.all_of_them()
    scenes = {name: list(silent.of_scenes(prose[name], name)) for name in _SCENES if name in prose}
    topics = scenes | _topics(data, there)
    for source, pairs in topics.items():
        yield from sampled(pairs, None if long else SAME_TOPIC_OF_A_SET, f"same topic/{source}")
    items = {name: [(pair.note, pair.doc) for pair in listed] for name, listed in {**topics, **drawn}.items()}
    yield from silent.at_random(items, AT_RANDOM_LONG if long else AT_RANDOM)


def _topics(data: Path, there: set[str]) -> dict[str, list[Labelled]]:
    topics: dict[str, list[Labelled]] = {}
    for name, make in _SAME_TOPIC:
        if name in there:
            for pair in make(data / name):
                topics.setdefault(pair.source, []).append(pair)
    return topics


def _judge_all(rows: RowsFile, steps: Steps, listed: Sequence[Labelled], judges: Sequence[Judge]) -> None:
    for number, pair in enumerate(listed):
        rows.add("pair", id=number, part=pair.part, source=pair.source, tag=pair.tag, label=pair.label, note=pair.note,
                 doc=pair.doc)  # fmt: skip
    asked = [pair.pairs() for pair in listed]
    for judge in judges if len(judges) == 1 else (*judges, Cascade(judges)):
        seconds = cpu_seconds = 0.0
        with steps.step(f"{judge.name}: {len(asked):,} pairs", len(asked)) as tick:
            for start in range(0, len(asked), _BATCH):
                batch = asked[start : start + _BATCH]
                began, cpu_began = time.perf_counter(), time.process_time()
                answers = iter(judged(judge, [cut for cuts in batch for cut in cuts]))
                seconds += time.perf_counter() - began
                cpu_seconds += time.process_time() - cpu_began
                for number, cuts in enumerate(batch, start):
                    rows.add("verdict", judge=judge.name, pair=number, **_verdict([next(answers) for _ in cuts]))
                tick(start + len(batch))
        rows.add("judge", name=judge.name, seconds=round(seconds, 4), cpu_seconds=round(cpu_seconds, 4))


def _verdict(answers: Sequence[Judged]) -> Row:
    faults = [fault.kind for answer in answers for _, fault in answer.faults]
    verdicts = [answer.verdict for answer in answers if answer.verdict is not None]
    if not verdicts:
        return {"finding": None, "acts": False, "faults": faults}
    best = strongest(verdicts)
    return {
        "finding": best.finding,
        "acts": best.acts and best.finding is Finding.CONTRADICTED,
        "confidence": best.confidence,
        "quotes": [best.claim_quote, best.chunk_quote],
        "why": best.why,
        "faults": faults,
    }


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone: those of the last judge, the cascade where there are several, and of each."""
    pairs = {row["id"]: row for row in of_kind(rows, "pair")}
    verdicts: dict[str, list[Row]] = {}
    for row in of_kind(rows, "verdict"):
        verdicts.setdefault(row["judge"], []).append({**pairs[row["pair"]], **row})
    found = [{"judge": row["name"], **_figures(verdicts[row["name"]], row)} for row in of_kind(rows, "judge")]
    sets = next(of_kind(rows, "sets"), None)
    built = {} if sets is None else {"absent_sets": sets["absent"], "left_out": sets["left_out"]}
    return {**found[-1], **built, "judges": found}


def _figures(judged_pairs: Sequence[Row], took: Mapping[str, Any]) -> dict[str, Any]:
    of_part = _by(judged_pairs, "part")
    given, keyed_pairs, looks = (of_part.get(part, []) for part in (GIVEN, KEYED, LOOKALIKE))
    quiet = of_part.get(SILENT, []) or [row for row in given if row["label"] == NEUTRAL]
    changed = _contradicting(keyed_pairs) or _contradicting(judged_pairs)
    contradicting = [row for row in _contradicting(judged_pairs) if row["part"] != LOOKALIKE]
    alike = [row for row in looks if row["label"] != CONTRADICTS]
    acted_false = [row for row in judged_pairs if row["acts"] and row["label"] != CONTRADICTS]
    missed = [row for row in changed if not row["acts"]]
    return {
        "n": len(judged_pairs),
        "silent_n": len(quiet),
        "silent_false_contradicted_pct": share(row["acts"] for row in quiet),
        "silent_false_contradicted_interval": wilson(_acting(quiet), len(quiet)),
        "silent_acted": {tag: _acting(rows) for tag, rows in _by(quiet, "tag").items()},
        "silent_proposed_pct": share(_proposed(row) for row in quiet),
        "recall_pct": share(_found(row) for row in contradicting),
        "acting_recall_pct": share(row["acts"] for row in contradicting),
        "recall_by_source_pct": {
            source: share(_found(row) for row in rows) for source, rows in _by(contradicting, "source").items()
        },
        "keyed_n": len(_contradicting(keyed_pairs)),
        "keyed_recall_pct": share(_found(row) for row in _contradicting(keyed_pairs)),
        "keyed_acting_recall_pct": share(row["acts"] for row in _contradicting(keyed_pairs)),
        "precision_at_1_4_pct_base_rate": _precision(changed, quiet),
        "precision_at_1_4_pct_interval": _precision_interval(changed, quiet),
        "abstain_pct": share(row["finding"] == Finding.ABSTAIN for row in judged_pairs),
        "faults": sum(len(row["faults"]) for row in judged_pairs),
        "ms_per_pair": round(1000 * took["seconds"] / len(judged_pairs), 4),
        "cpu_ms_per_pair": round(1000 * took["cpu_seconds"] / len(judged_pairs), 4),
        "acted_true": _acting(_contradicting(judged_pairs)),
        "acted_false": len(acted_false),
        "lookalike_n": len(alike),
        "lookalike_acted": _acting(alike),
        "lookalike_proposed": sum(_proposed(row) for row in alike),
        "lookalike_control_acting_recall_pct": share(row["acts"] for row in _contradicting(looks)),
        "by_set": _by_kind(judged_pairs),
        "acted_false_pairs": [_shown(row) for row in _spread(acted_false)],
        "missed_pairs": [_shown(row) for row in _spread(missed)],
    }


def _by_kind(judged_pairs: Sequence[Row]) -> list[Row]:
    """Each set and tag on its own."""
    kinds = []
    for kind, rows in groupby(sorted(judged_pairs, key=_kind), _kind):
        listed = list(rows)
        true, others = _contradicting(listed), [row for row in listed if row["label"] != CONTRADICTS]
        counted = {
            "set": "/".join(filter(None, kind)),
            "n": len(listed),
            "contradicting": len(true),
            "recall_pct": share(_found(row) for row in true),
            "acting_recall_pct": share(row["acts"] for row in true),
            "acted_false": _acting(others),
            "proposed_false": sum(_proposed(row) for row in others),
        }
        kinds.append(counted)
    return kinds


def wilson(found: int, of: int) -> list[float] | None:
    """The 95 % interval of a share, in per cent with two decimals; None where there is nothing to share.

    >>> wilson(0, 3000), wilson(5, 10)
    ([0.0, 0.13], [23.66, 76.34])
    """
    return None if of == 0 else [round(100 * end, 2) for end in _wilson(found, of)]


def _wilson(found: int, of: int) -> tuple[float, float]:
    return rate(found, of)[2:]


def precision(sensitivity: float, false_rate: float, base_rate: float = BASE_RATE) -> float | None:
    """How many of the verdicts that act are right, in per cent, where this share of pairs contradicts (all 0 to 1).

    >>> precision(0.9, 0.002), precision(0.9, 0.0)
    (86.47, 100.0)
    """
    true, false = sensitivity * base_rate, false_rate * (1 - base_rate)
    return round(100 * true / (true + false), 2) if true + false else None


def _precision(changed: Sequence[Row], quiet: Sequence[Row]) -> float | None:
    if not changed or not quiet:
        return None
    return precision(_acting(changed) / len(changed), _acting(quiet) / len(quiet))


def _precision_interval(changed: Sequence[Row], quiet: Sequence[Row]) -> list[float | None] | None:
    """From the unlucky ends of both intervals to the lucky ends."""
    if not changed or not quiet:
        return None
    sensitivity, false_rate = _wilson(_acting(changed), len(changed)), _wilson(_acting(quiet), len(quiet))
    return [precision(sensitivity[0], false_rate[1]), precision(sensitivity[1], false_rate[0])]


def _acting(rows: Iterable[Row]) -> int:
    return sum(row["acts"] for row in rows)


def _contradicting(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row["label"] == CONTRADICTS]


def _found(row: Row) -> bool:
    return bool(row["finding"] == Finding.CONTRADICTED)


def _proposed(row: Row) -> bool:
    return _found(row) and not row["acts"]


def _by(rows: Iterable[Row], field: str) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row[field], []).append(row)
    return found


def _kind(row: Row) -> tuple[str, str, str]:
    return str(row["part"]), str(row["source"]), str(row["tag"])


def _spread(rows: Sequence[Row]) -> list[Row]:
    """A few rows of every kind in turn, so that no kind hides the others."""
    kinds = [list(group) for _, group in groupby(sorted(rows, key=_kind), _kind)]
    turns = [row for turn in range(_LISTED) for kind in kinds for row in kind[turn : turn + 1]]
    return turns[:_LISTED]


def _shown(row: Row) -> list[str]:
    return ["/".join(filter(None, _kind(row))), row["label"], row["note"], row["doc"], row.get("why", "")]
