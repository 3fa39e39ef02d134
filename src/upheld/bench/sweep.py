"""Documents against notes: what a first sweep retires rightly and wrongly, and how soon a changed document is noticed.

The documents are there before the notes, so nothing was judged when either was added and the sweep does all the work.
A second sweep has nothing to ask. Then documents are written anew, one after the other, each against one note. A
second world has the size of a store whose first sweep was published: 3,100 notes, of which 1.4 % are contradicted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import upheld
from upheld.bench.evidence import RowsFile, milliseconds, of_kind, share
from upheld.bench.judge import default_judges, wilson
from upheld.bench.model import embedder_or_words
from upheld.bench.progress import Steps
from upheld.bench.world import CONTRADICTING, File, Held, Sizes, World, build
from upheld.db.sqlite import Sqlite
from upheld.errors import UpheldError
from upheld.inbox import Told
from upheld.judgement import Cascade
from upheld.memory import Memory
from upheld.note import Certainty, Draft, Standing, Verb
from upheld.ports import Embedder
from upheld.sweep import Report

SUITE = "sweep"
SIZES = Sizes(notes=10_000, documents=1_000, contradicting=14, changes=20)
ESSAY_SIZES = Sizes(notes=3_100, documents=1_050, contradicting=43)
BACKSTOP, ESSAY = "backstop", "essay"

STORE = "memory.db"
_PAGE = 1000
_SURE = 40  # so many characters tell which passage of a document is meant
_ALL = 1_000_000_000
"""More notes than there are: a person who allows everything."""
_Row = Mapping[str, Any]
_Result = TypeVar("_Result")


def run(
    rows: RowsFile,
    steps: Steps,
    data: Path,
    *,
    sizes: Sizes = SIZES,
    essay: Sizes = ESSAY_SIZES,
    embedder: Embedder | None = None,
    given: bool = False,
) -> None:
    """Sweep both worlds, and change documents in the first. With `given`, `embedder` is the one to use."""
    model = "given"
    if not given:
        embedder, model = embedder_or_words()
    rows.add("model", model=model)
    for name, size in ((BACKSTOP, sizes), (ESSAY, essay)):
        with steps.step(f"{name}: building", 1):
            world = build(data, size, name)
        with TemporaryDirectory(prefix="upheld-bench-") as folder:
            root = Path(folder) / "documents"
            for file in world.files:
                _write(root, file)
            with upheld.open(Path(folder) / STORE, embedder=embedder) as memory:
                _Bench(rows, steps, name, root, memory).measure(world)


def _write(root: Path, file: File) -> Path:
    path = root / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(file.text, encoding="utf-8")
    return path


class _Bench:
    """One world in one store."""

    def __init__(self, rows: RowsFile, steps: Steps, name: str, root: Path, memory: Memory) -> None:
        self._rows = rows
        self._steps = steps
        self._name = name
        self._root = root
        self._memory = memory

    def measure(self, world: World) -> None:
        """Write the documents, then the notes; sweep twice; change documents."""
        with self._steps.step(f"{self._name}: {len(world.files):,} documents", len(world.files)) as tick:
            added = self._timed("documents", lambda: self._memory.corpus.add(self._root, progress=lambda n, _: tick(n)))
        for name, error in added.failed:
            self._add("unread", document=name, error=str(error))
        for file in world.files:
            self._add("document", name=file.name, kind=file.kind, source=file.source, against=file.against,
                      said=file.said)  # fmt: skip
        passages = sum(each.passages for each in self._memory.corpus.list())
        self._add("passages", n=passages, judged_on_adding=_calls(added.report))
        self._notes(world.notes)
        for number in (1, 2):
            self._sweep(number, len(world.notes))
        for told in self._told():
            self._finding(told, after=0)
        with self._steps.step(f"{self._name}: {len(world.changes)} changes", len(world.changes)) as tick:
            for number, file in enumerate(world.changes, 1):
                self._change(number, file)
                tick(number)
        self._heard([*world.files, *world.changes])

    def _heard(self, files: Sequence[File]) -> None:
        """What the judge said of each passage that contradicts a note; nothing where the pair was not put to it."""
        database = Sqlite(self._root.parent / STORE, model=None, dimension=0)
        judge = Cascade(default_judges()).name
        with closing(database), database.reading() as reading:
            for file in (each for each in files if each.against is not None and each.said is not None):
                passages = reading.shelf.passages([(self._root / file.name).as_posix()])
                seq = reading.seqs([str(file.against)])[str(file.against)]
                pairs = [(seq, each.chunk.digest) for each in passages if str(file.said)[:_SURE] in each.chunk.text]
                verdicts = [*reading.shelf.verdicts(pairs, judge).values()]
                said = {} if not verdicts else {"finding": verdicts[0].finding.value, "why": verdicts[0].why}
                self._add("heard", note=file.against, document=file.name, **said)

    def _notes(self, held: Sequence[Held]) -> None:
        drafts = [Draft(statement=each.statement, by="agent:bench", id=each.id, certainty=Certainty.REPORTED)
                  for each in held]  # fmt: skip
        with self._steps.step(f"{self._name}: {len(held):,} notes", len(held)) as tick:
            written = self._timed("notes", lambda: self._memory.remember_many(drafts, progress=tick))
        for each, result in zip(held, written, strict=True):
            came_of = "refused" if isinstance(result, UpheldError) else result.outcome
            case = {}
            if each.case is not None:
                standing = self._memory.get(each.id, mode="history").standing.value
                case = {"case": each.case.source, "tag": each.case.tag, "standing": standing}
            self._add("note", id=each.id, source=each.source, statement=each.statement, named=each.is_named,
                      outcome=came_of, **case)  # fmt: skip

    def _sweep(self, number: int, notes: int) -> None:
        """One sweep over everything; it is allowed to retire all notes, so that a wrong one shows in the figures."""
        with self._steps.step(f"{self._name}: sweep {number}", notes) as tick:
            report = self._timed(
                f"sweep {number}",
                lambda: self._memory.corpus.sweep(approve=_ALL, progress=lambda done, _: tick(done)),
            )
        self._add("sweep", number=number, notes=report.notes, pairs=report.pairs, calls=_calls(report),
                  findings=dict(report.findings), faults=dict(report.faults), retired=len(report.to_retire),
                  disputed=len(report.to_dispute), complete=report.complete)  # fmt: skip

    def _change(self, number: int, file: File) -> None:
        """Write a document anew and add it; the time runs until the inbox was seen to hold a notice of the note."""
        last = max((told.number for told in self._told()), default=0)
        path = _write(self._root, file)
        began, cpu_began = time.perf_counter(), time.process_time()
        report = self._memory.corpus.add(path).report
        told = [each for each in self._memory.inbox.list(limit=_PAGE) if each.number > last]
        seconds, cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
        self._add("change", number=number, document=file.name, note=file.against, said=file.said,
                  noticed=any(each.note == file.against for each in told), ms=round(1000 * seconds, 3),
                  cpu_ms=round(1000 * cpu_seconds, 3), calls=_calls(report))  # fmt: skip
        for each in told:
            self._finding(each, after=number)

    def _finding(self, told: Told, *, after: int) -> None:
        """A notice: of the sweep with `after` 0, else of the change of that number."""
        evidence = told.evidence
        shown = {} if evidence is None else {
            "document": Path(evidence.document).relative_to(self._root).as_posix(),
            "quotes": [evidence.claim_quote, evidence.chunk_quote],
            "why": evidence.why,
        }  # fmt: skip
        self._add("notice", after=after, note=told.note, kind=told.kind.value, **shown)

    def _told(self) -> list[Told]:
        listed = page = [*self._memory.inbox.list(limit=_PAGE)]
        while len(page) == _PAGE:
            page = [*self._memory.inbox.list(limit=_PAGE, before=page[-1].number)]
            listed = listed + page
        return listed[::-1]

    def _timed(self, what: str, do: Callable[[], _Result]) -> _Result:
        began, cpu_began = time.perf_counter(), time.process_time()
        done = do()
        self._add("took", what=what, seconds=round(time.perf_counter() - began, 4),
                  cpu_seconds=round(time.process_time() - cpu_began, 4))  # fmt: skip
        return done

    def _add(self, row: str, **fields: object) -> None:
        self._rows.add(row, world=self._name, **fields)


def _calls(report: Report) -> int:
    """How many pairs were put to a judge, each judge counted."""
    return sum(report.asked.values())


def figures(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every figure, from the rows alone; those of the second world begin with `essay_`."""
    found = _figures([row for row in rows if row.get("world") == BACKSTOP])
    essay = _figures([row for row in rows if row.get("world") == ESSAY])
    changes = _changes([row for row in rows if row.get("world") == BACKSTOP])
    whole = {f"essay_{name.removeprefix('first_')}": value for name, value in essay.items()}
    return {**found, **changes, **whole, "model": next(of_kind(rows, "model"))["model"]}


def _figures(rows: Sequence[_Row]) -> dict[str, Any]:
    notes = {row["id"]: row for row in of_kind(rows, "note")}
    documents = list(of_kind(rows, "document"))
    against = {row["against"]: row for row in documents if row["kind"] == CONTRADICTING}
    notices = [row for row in of_kind(rows, "notice") if not row["after"]]
    retired = [row for row in notices if row["kind"] == Verb.CONTRADICTED]
    disputed = {row["note"] for row in notices if row["kind"] == Verb.DISPUTED}
    right = [row for row in retired if row["note"] in against]
    wrong = [row for row in retired if row["note"] not in against]
    found = {row["note"] for row in right}
    took = {row["what"]: row for row in of_kind(rows, "took")}
    first, second = of_kind(rows, "sweep")
    return {
        "n_notes": len(notes),
        "n_living": first["notes"],
        "n_documents": len(documents),
        "n_passages": next(of_kind(rows, "passages"))["n"],
        "contradicting": len(against),
        "contradicting_pct_of_documents": share(row["kind"] == CONTRADICTING for row in documents),
        "contradicted_pct_of_notes": share(id in against for id in notes),
        "retired": len(retired),
        "retired_wrong": len(wrong),
        "precision_pct": share(row["note"] in against for row in retired),
        "precision_named_pct": share(row["note"] in against for row in retired if notes[row["note"]]["named"]),
        "precision_interval": wilson(len(right), len(retired)),
        "recall_pct": share(note in found for note in against),
        "recall_interval": wilson(len(found), len(against)),
        "recall_by_source_pct": {
            source: share(note in found for note in of_source)
            for source, of_source in _grouped(against, lambda note: notes[note]["case"])
        },
        "disputed_contradicted": len(disputed & against.keys()),
        "disputed_others": len(disputed - against.keys()),
        "retired_by_another_document": sum(row["document"] != against[row["note"]]["name"] for row in right),
        "first_sweep_s": took["sweep 1"]["seconds"],
        "first_sweep_cpu_s": took["sweep 1"]["cpu_seconds"],
        "first_sweep_pairs": first["pairs"],
        "first_sweep_judge_calls": first["calls"],
        "verdicts_pct": {name: round(100 * n / first["notes"], 2) for name, n in sorted(first["findings"].items())},
        "faults": sum(first["faults"].values()),
        "second_sweep_s": took["sweep 2"]["seconds"],
        "second_sweep_judge_calls": second["calls"],
        "second_sweep_events": second["retired"] + second["disputed"],
        "add_documents_s": took["documents"]["seconds"],
        "write_notes_s": took["notes"]["seconds"],
        "judged_on_adding": next(of_kind(rows, "passages"))["judged_on_adding"],
        "unread": sum(1 for _ in of_kind(rows, "unread")),
        "refused": sum(row["outcome"] == "refused" for row in notes.values()),
        "contradicted_not_living": sum(notes[note]["standing"] != Standing.IN_FORCE for note in against),
        "notes_unnamed": sum(not row["named"] for row in notes.values()),
        "notes_by_source": dict(Counter(row["source"] for row in notes.values())),
        "documents_by_kind": dict(Counter(row["kind"] for row in documents)),
        "wrong": [_shown(row, notes) for row in wrong],
        "missed": [
            _missed(note, notes, row["said"], row["name"], rows) for note, row in against.items() if note not in found
        ],
    }


def _changes(rows: Sequence[_Row]) -> dict[str, Any]:
    notes = {row["id"]: row for row in of_kind(rows, "note")}
    changes = {row["number"]: row for row in of_kind(rows, "change")}
    notices = [row for row in of_kind(rows, "notice") if row["after"]]
    noticed = [row for row in changes.values() if row["noticed"]]
    others = [row for row in notices if row["note"] != changes[row["after"]]["note"]]
    return {
        "changes": len(changes),
        "change_to_notice_p50_ms": milliseconds([row["ms"] for row in noticed], 50),
        "change_to_notice_p99_ms": milliseconds([row["ms"] for row in noticed], 99),
        "change_to_notice_cpu_p50_ms": milliseconds([row["cpu_ms"] for row in noticed], 50),
        "change_judge_calls_p50": milliseconds([row["calls"] for row in changes.values()], 50),
        "changes_missed": len(changes) - len(noticed),
        "changes_retired": sum(row["kind"] == Verb.CONTRADICTED and row not in others for row in notices),
        "change_notices_of_others": len(others),
        "change_wrong": [_shown(row, notes) for row in others],
        "change_missed": [
            _missed(row["note"], notes, row["said"], row["document"], rows)
            for row in changes.values()
            if not row["noticed"]
        ],
    }


def _missed(note: str, notes: Mapping[str, _Row], said: str, document: str, rows: Sequence[_Row]) -> list[str]:
    """What was missed, and why: the pair was not put to a judge, or what the judge said of it."""
    heard = next((row for row in of_kind(rows, "heard") if row["note"] == note), {})
    why = f"{heard['finding']}: {heard['why']}" if heard.get("finding") else "not put to a judge"
    return [notes[note]["tag"], notes[note]["statement"], said, document, why]


def _grouped(notes: Iterable[str], of: Callable[[str], str]) -> Iterator[tuple[str, list[str]]]:
    found: dict[str, list[str]] = {}
    for note in notes:
        found.setdefault(of(note), []).append(note)
    yield from sorted(found.items())


def _shown(row: _Row, notes: Mapping[str, _Row]) -> list[str]:
    return [row["kind"], notes[row["note"]]["statement"], *row["quotes"], row["why"], row["document"]]
