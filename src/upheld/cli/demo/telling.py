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
from upheld.cli.desk import visible
from upheld.note import Standing

_LABEL = 13
_KEPT = 3
_SHORT = 76


def told(findings: Findings, store: str, commands: Sequence[str], *, everything: bool) -> RenderableType:
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
        Rule("Counted", style="dim"),
        *_counted(findings, len(shown)),
        Text(),
        Text(f"The store is kept in {store}. Go on with:", "bold"),
        *(Text(f"  {command}") for command in commands),
    ]
    return Group(*parts)


def pictured(findings: Findings) -> RenderableType:
    """Enough of it for one picture: a question that misleads a plain search, one that is open, and the counts."""
    misled = [each for each in findings.best() if each.misled and not each.faults]
    answered = max(
        (each for each in misled if each.question.expect), key=lambda each: len(_line_to(each)), default=None
    )
    unsettled = next((each for each in misled if not each.question.expect), None)
    shown = [each for each in (answered, unsettled) if each is not None]
    return Group(
        *(part for place, each in enumerate(shown, start=1) for part in (_question(each, place), Text())),
        *_counted(findings, len(shown)),
    )


def _rows(rows: Iterator[tuple[str, Text]]) -> Table:
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


def _counted(findings: Findings, shown: int) -> Iterator[Text]:
    total = len(findings.asked)
    yield Text(f"{total} questions of today ({shown} shown), {len(findings.all) - total} of other moments")
    yield Text(f"plain search put a note first that is not in force: {findings.misled} of {total}", "red")
    style = "bold red" if findings.served_old else "green"
    yield Text(f"notes that did not stand, delivered by Upheld: {findings.served_old}", style)
    if findings.faults:
        yield Text(f"answers that are not the expected ones: {len(findings.faults)}", "bold red")
        yield from (Text(f"  {fault}", "red") for fault in findings.faults)
    else:
        yield Text("answers that are not the expected ones: 0", "green")


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
