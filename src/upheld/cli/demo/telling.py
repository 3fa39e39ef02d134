"""Tells people what the demo found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from upheld.answer import Step, UpheldNote, day
from upheld.cli.demo.asking import Asked, Findings
from upheld.cli.demo.documents import Held
from upheld.cli.desk import counted, visible
from upheld.document import Finding
from upheld.inbox import Told
from upheld.note import Standing

_LABEL = 13
_KEPT = 3
_SHORT = 76


def told(findings: Findings, held: Held, store: str, commands: Sequence[str], *, everything: bool) -> RenderableType:
    """All of it, in order."""
    shown = findings.asked if everything else findings.best()
    parts: list[RenderableType] = [
        Rule(f"{findings.notes} notes of one team's year, asked at its end", style="dim"),
        Text("plain search: the same search over the same texts, in a store where nothing is ever retired", "dim"),
        Text(),
        *(part for place, each in enumerate(shown, start=1) for part in (_question(each, place), Text())),
        Rule("What did we believe in March?", style="dim"),
        *(part for then, now in findings.march for part in _march(then, now)),
        Text(),
        Rule("A report of June that was filed in November", style="dim"),
        *(_moment(each) for each in findings.two_times),
        Text(),
        Rule("Where is this heading?", style="dim"),
        _direction(findings),
        Text(),
        Rule("A document is edited, and nobody tells the memory", style="dim"),
        *_agreed(held),
        Text(),
        *_edited(held),
        *_rested(held),
        *_undone(commands),
        Text(),
        Rule("Counted", style="dim"),
        *_counted(findings, held, len(shown)),
        Text(),
        Text(f"The store is kept in {store}. Go on with:", "bold"),
        *(Text(f"  {command}") for command in commands),
    ]
    return Group(*parts)


def pictured(findings: Findings, held: Held) -> RenderableType:
    """Enough of it for one picture: a question that misleads a plain search, the edited document, and the counts."""
    misled = [each for each in findings.best() if each.misled and each.question.expect and not each.faults]
    shown = [] if not misled else [max(misled, key=lambda each: len(_line_to(each)))]
    return Group(
        *(part for place, each in enumerate(shown, start=1) for part in (_question(each, place), Text())),
        *_edited(held),
        Text(),
        *_counted(findings, held, len(shown)),
    )


def _rows(rows: Iterator[tuple[str, RenderableType]]) -> Table:
    table = Table.grid(padding=(0, 1))
    table.add_column(width=_LABEL, no_wrap=True)
    table.add_column()
    for label, text in rows:
        table.add_row(Text(label, "dim"), text)
    return table


def _question(each: Asked, place: int) -> RenderableType:
    where = "".join(f" [{name}: {value}]" for name, value in each.question.applies.items())
    return Group(Text(f"{place}. {each.question.ask}{where}", "bold"), _rows(_answer(each)))


def _answer(each: Asked) -> Iterator[tuple[str, Text]]:
    if each.plain:
        first = each.plain[0]
        style = "red" if each.misled else ""
        yield "plain search", _pair(f"{first.id} · {first.label}", first.statement, style)
    if not each.question.expect:
        yield from _open(each)
    for note in each.answer.upheld[:1]:
        if each.question.expect:
            yield "upheld", _upheld(note)
        else:
            yield "nearest", Text(visible(f"{note.id} · {_short(note.statement)}"), "dim")
    if each.question.expect:
        yield from _open(each)
    yield from _withheld(each)
    for at, step in enumerate(_line_to(each)):
        yield "path" if at == 0 else "", _step(step)
    for fault in each.faults:
        yield "WRONG", Text(fault, "bold red")


def _upheld(note: UpheldNote) -> Text:
    since = note.note.event_time
    said = f"{note.id} · {note.band.value}" + (f" · since {day(since)}" if since else "")
    return _pair(said, note.statement, "green")


def _open(each: Asked) -> Iterator[tuple[str, Text]]:
    about = set(each.question.open_about)
    for question in each.answer.open:
        if question.id in about:
            yield "open", Text(visible(f"{question.question} {question.check}"), "yellow")


def _withheld(each: Asked) -> Iterator[tuple[str, Text]]:
    """What was kept back: first what is about the question, then how much else."""
    about = {*each.question.absent, *(view.id for view in each.plain[:1])}
    ordered = sorted(each.answer.withheld, key=lambda note: note.id not in about)
    shown = [note for note in ordered if note.id in about][:_KEPT]
    told = {step.id for step in _line_to(each)}  # the path says why
    for at, note in enumerate(shown):
        reason = f": {note.reason}" if note.reason and note.id not in told else ""
        yield "" if at else "withheld", Text(visible(f"{note.id} · {note.label}{reason}"), "dim")
    if more := len(ordered) - len(shown):
        yield "" if shown else "withheld", Text(f"{'and ' if shown else ''}{more} farther off", "dim")


def _line_to(each: Asked) -> list[Step]:
    """The part of the path that leads to the first note upheld, or to where the line ends."""
    first = {note.id for note in each.answer.upheld[:1] if each.question.expect}
    chain = first | {id for note in each.answer.upheld[:1] if each.question.expect for id in note.replaces}
    steps = [step for step in each.answer.path if step.id in chain | set(each.question.absent)]
    return steps if len(steps) > 1 else []


def _step(step: Step) -> Text:
    stands = step.standing is Standing.IN_FORCE
    text = Text(f"{_when(step.at):<18}", "dim")
    text.append(f"{step.id}", "green" if stands else "dim")
    if step.reason:
        text.append(visible(f"  because {step.reason}"), "dim italic")
    return text


def _agreed(held: Held) -> Iterator[RenderableType]:
    """What came of the documents when they were first read."""
    report = held.first.report
    agree = report.findings.get(Finding.CONSISTENT, 0)
    found = len(report.to_retire) + len(report.to_dispute)
    yield Text(
        f"{counted(held.documents, 'document')} in {held.folder}, {counted(held.passages, 'passage')}, held against "
        f"the notes: {counted(report.pairs, 'pair')} judged, {counted(agree, 'note')} in agreement, "
        f"{found} contradicted",
        "dim",
    )


def _edited(held: Held) -> Iterator[RenderableType]:
    """The question before the edit, the edit, the notice, and the question again."""
    yield Text(held.edit.ask, "bold")
    yield _rows(_around(held))
    yield Text(f"{held.after.question.ask} (asked again)", "bold")
    yield _rows(_answer(held.after))
    yield from (Text(f"WRONG: {fault}", "bold red") for fault in held.faults)


def _rested(held: Held) -> Iterator[RenderableType]:
    """What is asked of the notes that rested on the one that fell."""
    for each in held.rests:
        yield Text(f"{each.question.ask} (the answer rested on that note)", "bold")
        yield _rows(_answer(each))


def _around(held: Held) -> Iterator[tuple[str, RenderableType]]:
    for note in held.before.answer.upheld[:1]:
        yield "upheld", _upheld(note)
    for at, line in enumerate(held.diff):
        style = "green" if line.startswith("+") else "red"
        yield "" if at else "edited", Text(visible(f"{line[0]} {line[1:]}"), style)
    report = held.second.report
    read = f"{len(held.second.changed)} of {counted(held.documents, 'document')} changed"
    fell = f"{counted(len(report.to_retire), 'note')} retired {_ms(held)} after the edit"
    yield "read again", Text(f"{read}, {counted(report.pairs, 'pair')} judged, {fell}")
    for notice in held.notices:
        yield from _notice(notice)


def _notice(notice: Told) -> Iterator[tuple[str, RenderableType]]:
    since = "" if notice.effective_from is None else f" from {day(notice.effective_from)} on"
    yield f"notice {notice.number}", Text(visible(f"{notice.note} · {notice.kind.value}{since}"), "red")
    evidence = notice.evidence
    if evidence is not None:
        quotes = Table.grid(padding=(0, 2), expand=True)
        quotes.add_column(ratio=1)
        quotes.add_column(ratio=1)
        quotes.add_row(Text("the note", "dim"), Text(visible(evidence.document), "dim"))
        quotes.add_row(Text(visible(evidence.claim_quote), "red"), Text(visible(evidence.chunk_quote), "green"))
        yield "", quotes
        yield "", Text(visible(evidence.why), "dim")
    if notice.used_in:
        answers = counted(len(notice.used_in), "answer")
        yield "", Text(f"the note was used in {answers}, last on {day(notice.used_in[0].at)}", "dim")


def _undone(commands: Sequence[str]) -> Iterator[RenderableType]:
    """How to take it back, on the word of the note's own source."""
    if undo := [command for command in commands if " inbox undo " in command]:
        yield _rows(("undo", Text(command)) for command in undo)


def _counted_document(held: Held) -> Text:
    standings = [now for _, now in held.moved.values()]
    retired, to_check = standings.count(Standing.CONTRADICTED), standings.count(Standing.NEEDS_CHECK)
    others = len(held.moved.keys() - {held.edit.falls, *held.edit.rests})
    return Text(
        f"after one edit: {counted(retired, 'note')} retired in {_ms(held)}, {to_check} to check, "
        f"{others} others moved",
        "bold red" if held.faults else "green",
    )


def _ms(held: Held) -> str:
    return f"{held.took_s * 1000:,.0f} ms"


def _march(then: Asked, now: Asked) -> Iterator[RenderableType]:
    yield Text(then.question.ask, "bold")
    yield _rows(_twice(then, now))


def _twice(then: Asked, now: Asked) -> Iterator[tuple[str, Text]]:
    for label, each in (("in March", then), ("now", now)):
        if each.question.expect and each.answer.upheld:
            yield label, Text(visible(_short(each.answer.upheld[0].statement)), "green" if each is now else "")
        else:
            yield label, Text("not known: check before acting", "yellow")
        for fault in then.faults if each is then else ():
            yield "WRONG", Text(fault, "bold red")


def _moment(each: Asked) -> RenderableType:
    def rows() -> Iterator[tuple[str, Text]]:
        known = "as known now" if each.question.known_at is None else "as known then"
        expected = [note for note in each.answer.upheld if note.id in each.question.expect]
        text = expected[0].statement if expected else "nothing was on record yet"
        yield known, Text(visible(_short(text)), "green" if expected else "dim")
        for fault in each.faults:
            yield "WRONG", Text(fault, "bold red")

    of = each.question.valid_at
    return Group(Text(f"{each.question.ask} (of {_when(of)})", "bold"), _rows(rows()))


def _direction(findings: Findings) -> RenderableType:
    asked = findings.direction
    table = Table.grid(padding=(0, 1))
    for move in findings.moves:
        old, new = move.old.statement or "", move.new.statement or ""
        at = move.new.note.event_time if move.new.note is not None else None
        table.add_row(
            Text(_when(at), "dim"), Text(visible(_short(old, 44)), "dim"), "→", Text(visible(_short(new, 44)))
        )
    kept = [note for note in asked.answer.withheld if note.id in asked.question.absent]
    rows = [Text(visible(f"{note.id} · {note.label}"), "dim") for note in kept]
    said = Text(asked.question.ask, "bold")
    return Group(table, Text(), said, _rows(iter([("withheld", row) for row in rows])))


def _counted(findings: Findings, held: Held, shown: int) -> Iterator[Text]:
    total = len(findings.asked)
    served_old = findings.served_old + held.served_old
    faults = (*findings.faults, *held.faults)
    others = f"{len(findings.all) - total} of other moments, {len(held.all)} around an edit"
    yield Text(f"{total} questions of today ({shown} shown), {others}")
    yield Text(f"plain search put a note first that is not in force: {findings.misled} of {total}", "red")
    yield Text(f"notes that did not stand, delivered by Upheld: {served_old}", "bold red" if served_old else "green")
    yield _counted_document(held)
    yield Text(f"what is not as expected: {len(faults)}", "bold red" if faults else "green")
    yield from (Text(f"  {fault}", "red") for fault in faults)


def _pair(about: str, statement: str | None, style: str) -> Text:
    text = Text(visible(about), "dim")
    if statement is not None:
        text.append("\n" + visible(statement), style)
    return text


def _short(text: str, width: int = _SHORT) -> str:
    first = " ".join(text.split())
    return first if len(first) <= width else first[: width - 1].rsplit(" ", 1)[0] + "…"


def _when(at: datetime | None) -> str:
    return "date unknown" if at is None else day(at)
