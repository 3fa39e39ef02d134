"""How documents, sweeps and notices look to people. Imported only where something is printed for them.

Both quotes stand side by side where the terminal is wide enough, else one below the other. Nothing is cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from upheld.answer import day
from upheld.cli.desk import counted, visible
from upheld.cli.show import line, when
from upheld.document import Finding
from upheld.inbox import Told
from upheld.judges.calibration import Calibration
from upheld.note import Standing, Verb
from upheld.rates import Rate
from upheld.shelf import Served, Settled, Shelved
from upheld.sweep import Added, Contradiction, Report

_WIDE = 100
_FIRST = 10
_INDENT = 12
_VERSION = 12
_MOST_ANSWERS = 20
DONE = {
    Verb.CONTRADICTED: ("retired", "red"),
    Verb.DISPUTED: ("disputed", "yellow"),
    Verb.UNSOURCED: ("to check", "yellow"),
}
_SETTLED = {Settled.ACCEPT: "accepted", Settled.UNDO: "undone", Settled.CORRECT: "corrected"}
_ORDER = (Finding.UNRELATED, Finding.CONSISTENT, Finding.CONTRADICTED, Finding.ABSTAIN)


@dataclass(frozen=True, slots=True)
class Against:
    """What a note says beside what a document says."""

    note: str
    document: str

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Two columns on a wide terminal, two paragraphs elsewhere."""
        if not console.is_terminal or options.max_width < _WIDE:
            yield line(("the note      ", "dim"), self.note, indent=_INDENT)
            yield line(("the document  ", "dim"), (self.document, "bold"), indent=_INDENT)
            return
        table = Table.grid(padding=(0, 2))
        table.add_column(width=_INDENT - 2)
        table.add_column(ratio=1)
        table.add_column(ratio=1)
        table.expand = True
        table.add_row("", Text("the note", "dim"), Text("the document", "dim"))
        table.add_row("", Text(visible(self.note, indent="")), Text(visible(self.document, indent=""), "bold"))
        yield table


def added(place: str, done: Added, told: Sequence[Told]) -> RenderableType:
    """What became of the documents of a place, and of the notes."""
    counts = {
        "new": len(done.new),
        "changed": len(done.changed),
        "unchanged": done.unchanged,
        "removed": len(done.removed),
        "failed": len(done.failed),
    }
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count) or "no documents"
    return Group(line((place, "bold"), f"  {said}", *_done(told)), *_judged(done.report), *_fallen(told))


def _done(told: Sequence[Told]) -> list[str | tuple[str, str]]:
    """How many notes came to what."""
    parts: list[str | tuple[str, str]] = []
    for verb, (word, style) in DONE.items():
        if count := sum(notice.kind is verb for notice in told):
            parts += ["; " if not parts else ", ", (f"{counted(count, 'note')} {word}", style)]
    return parts


def _judged(report: Report) -> list[RenderableType]:
    if not report.pairs:
        return []
    asked = sum(report.asked.values())
    again = "judged" if asked else "judged before"
    return [
        line((f"{counted(report.pairs, 'pair')} of a note and a passage {again}", "dim"), indent=2),
        *_faults(report.faults),
    ]


def _fallen(told: Sequence[Told]) -> list[RenderableType]:
    """What became of notes, the first of them."""
    rows = [row for notice in told[:_FIRST] for row in _notice(notice)]
    if len(told) > _FIRST:
        rows.append(line((f"and {len(told) - _FIRST:,} more: upheld inbox", "dim")))
    return rows


def removed(name: str, told: Sequence[Told]) -> RenderableType:
    """What was taken out, and the notes that nothing speaks for any more."""
    return Group(line((name, "bold"), "  is removed", *_done(told)), *_fallen(told))


def changed(done: Added, told: Sequence[Told]) -> RenderableType:
    """One line for each document that changed, with what fell."""
    names = [("new", name) for name in done.new]
    names += [("changed", name) for name in done.changed]
    names += [("removed", name) for name in done.removed]
    known = {name for _, name in names}
    others = dict.fromkeys(_document(notice) for notice in told)
    names += [("judged", name) for name in others if name not in known]
    return Group(*(_change(word, name, [each for each in told if _document(each) == name]) for word, name in names))


def _change(word: str, name: str, told: Sequence[Told]) -> Text:
    parts: list[str | tuple[str, str]] = [(f"{word:<{_INDENT}}", "dim"), (name, "bold")]
    for notice in told:
        done, style = DONE[notice.kind]
        parts += ["  ", (done, style), f" {notice.note}"]
        if notice.evidence is not None and notice.evidence.chunk is not None:
            claim, chunk = _one_line(notice.evidence.claim_quote), _one_line(notice.evidence.chunk_quote)
            parts += [": ", (claim, "dim"), " | ", chunk]
    return line(*parts)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _document(notice: Told) -> str:
    return "" if notice.evidence is None else notice.evidence.document


def documents(found: Sequence[Shelved]) -> RenderableType:
    """Documents in columns: version, passages, date, authority, and the name last, which may be long."""
    if not found:
        return line(("There are no documents.", "bold"))
    rows = [
        (
            each.version[:_VERSION],
            f"{each.passages:,}",
            when(each.dated),
            each.authority.value,
            each.name if each.removed_at is None else f"{each.name}  removed {day(each.removed_at)}",
        )
        for each in found
    ]
    return columns(("version", "passages", "of", "authority", "name"), rows, right={1})


def swept(report: Report, told: Sequence[Told], found: Sequence[Contradiction]) -> RenderableType:
    """A sweep in figures, and what became of notes, or would become."""
    rows: list[RenderableType] = [_verdicts(report)]
    if report.asked:
        rows += [Text(), columns(("judge", "pairs put to it"), _counts(report.asked), right={1})]
    elif report.pairs:
        rows.append(line((f"{counted(report.pairs, 'pair')}, all of them judged before", "dim")))
    rows += _faults(report.faults)
    if report.kinds:
        rows += [Text(), columns(("kind of note", "contradicted"), _counts(report.kinds), right={1})]
    if told:
        rows += [Text(), line(*_done(told)[1:])]
    return Group(*rows, *_fallen(told), *_found(found))


def _verdicts(report: Report) -> RenderableType:
    total = report.notes
    counts = [(finding, report.findings.get(finding, 0)) for finding in _ORDER]
    rows = [
        (finding.value, f"{count:,}", f"{count / total if total else 0:.1%}")
        for finding, count in counts
        if count or finding is not Finding.ABSTAIN
    ]
    return columns(("verdict", "notes", "share"), [*rows, ("all", f"{total:,}", "")], right={1, 2})


def _counts(counts: Mapping[str, int]) -> list[tuple[str, ...]]:
    return [(name, f"{count:,}") for name, count in sorted(counts.items())]


def _faults(faults: Mapping[str, int]) -> list[RenderableType]:
    return [line((f"answer without effect: {name}, {count:,}", "yellow"), indent=2) for name, count in faults.items()]


def held_back(found: Sequence[Contradiction]) -> RenderableType:
    """What a run would have retired."""
    return Group(*_found(found))


def _found(found: Sequence[Contradiction]) -> list[RenderableType]:
    rows: list[RenderableType] = []
    for each in found[:_FIRST]:
        word, style = ("to retire", "red") if each.retires else ("to dispute", "yellow")
        said, passage = each.verdict, each.passage
        rows.append(_title(word, style, each.note.id, (f"{each.note.kind} note in {each.note.scope}",)))
        rows.append(Against(said.claim_quote, said.chunk_quote))
        rows.append(_about(passage.document, passage.version, said.effective_from or passage.chunk.dated, said.why))
    if len(found) > _FIRST:
        rows.append(line((f"and {len(found) - _FIRST:,} more", "dim")))
    return rows


def notices(told: Sequence[Told], more: str | None) -> RenderableType:
    """The notices of an inbox, and how to see more."""
    if not told:
        return line(("There are no notices.", "bold"))
    rows = [row for notice in told for row in _notice(notice)]
    return Group(*rows, *([line((more, "dim"))] if more else []))


def settled(notice: Told) -> RenderableType:
    """A notice that was just answered, and how the note stands now."""
    how = _SETTLED[notice.settled_as] if notice.settled_as else "open"
    return line((f"notice {notice.number} ", "dim"), how, ": ", (notice.note, "bold"), f" is {_words(notice.standing)}")


def _notice(notice: Told) -> list[RenderableType]:
    word, style = DONE[notice.kind]
    now = f"now {_words(notice.standing)}"
    rows: list[RenderableType] = [
        _title(word, style, notice.note, (f"notice {notice.number}", f"in {notice.scope}", now, day(notice.at)))
    ]
    evidence = notice.evidence
    if evidence is not None:
        if evidence.chunk is not None:
            rows.append(Against(evidence.claim_quote, evidence.chunk_quote))
        gone = "is removed; nothing else speaks for the note"
        why = evidence.why if evidence.chunk is not None else gone
        begun = None if evidence.chunk is None else notice.effective_from
        rows.append(_about(evidence.document, evidence.version, begun, why))
    if notice.used_in:
        rows.append(line((_used(notice.used_in), "dim"), indent=_INDENT))
    if notice.settled_as is not None and notice.settled_at is not None:
        answered = f"{_SETTLED[notice.settled_as]} by {notice.settled_by} on {day(notice.settled_at)}"
        rows.append(line((answered, "green"), indent=_INDENT))
    return rows


def _title(word: str, style: str, note: str, about: Iterable[str]) -> Text:
    return line((f"{word:<{_INDENT}}", style), (note, "bold"), ("  " + " · ".join(about), "dim"))


def _about(document: str, version: str, begun: datetime | None, why: str) -> Text:
    parts = [f"{document} at {version[:_VERSION]}", "" if begun is None else f"from {day(begun)}", why]
    return line((" · ".join(part for part in parts if part), "dim"), indent=_INDENT)


def _used(answers: Sequence[Served]) -> str:
    # The store gives the last ones only.
    many = f"{len(answers)} or more answers" if len(answers) >= _MOST_ANSWERS else counted(len(answers), "answer")
    last = answers[0]
    return f'used in {many}, last on {day(last.at)}: "{_one_line(last.question)}"'


def calibrated(found: Calibration, path: str) -> RenderableType:
    """Thresholds, and the errors that they were chosen by."""
    rows = [
        ("contradicted", _from(found.contradicted_from), _share(found.false_contradicted), _share(found.recall)),
        ("consistent", _from(found.consistent_from), _share(found.false_consistent), ""),
        ("unrelated", f"below {found.unrelated_below:.3f}", "", f"{_share(found.lost)} lost"),
    ]
    precision = f"{found.precision:.1%} ({found.precision_low:.1%} to {found.precision_high:.1%})"
    return Group(
        line((found.scorer, "bold")),
        columns(("it says", "score", "of silent pairs", "of contradictions"), rows, right=set()),
        line(f"where {found.base_rate:.1%} of pairs contradict, {precision} of its contradictions are right"),
        line((f"kept in {path}", "dim")),
    )


def _from(threshold: float) -> str:
    return "never" if threshold > 1 else f"from {threshold:.3f}"


def _share(rate: Rate) -> str:
    return f"{rate.hits:,} of {rate.of:,} ({rate.low:.2%} to {rate.high:.2%})"


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: set[int]) -> RenderableType:
    """Columns as wide as what stands in them, so that a pipe and a narrow terminal lose nothing."""
    cells = [[visible(cell, indent="") for cell in row] for row in (head, *rows)]
    widths = [max(cell_len(row[place]) for row in cells) for place in range(len(head))]
    lines = []
    for number, row in enumerate(cells):
        blanks = [" " * (width - cell_len(cell)) for cell, width in zip(row, widths, strict=True)]
        padded = [
            blank + cell if place in right else cell + blank
            for place, (cell, blank) in enumerate(zip(row, blanks, strict=True))
        ]
        lines.append(Text("  ".join(padded).rstrip(), "dim" if number == 0 else ""))
    return Group(*lines)


def _words(standing: Standing) -> str:
    return standing.value.replace("_", " ")
