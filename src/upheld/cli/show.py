"""How answers look to people. Imported only where something is printed for them.

Green may be used; yellow is unsettled; dim was kept back. Without colours the words say the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.text import Text

from upheld.answer import OpenQuestion, Recall, Step, UpheldNote, View, WithheldNote, day
from upheld.cli.desk import visible
from upheld.doctor import Examination
from upheld.explain import Explanation
from upheld.note import Band, Note, Standing, Written
from upheld.verify import Settled

_BANDS = {
    Band.ASSERT: ("green", ""),
    Band.HEDGE: ("green", "not confirmed: say so"),
    Band.ASK: ("yellow", "doubtful: ask before relying on it"),
}


def line(*parts: str | tuple[str, str], indent: int = 0) -> Text:
    """One line of texts, each alone or with its style; none of them can move the cursor."""
    found = Text(" " * indent)
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        found.append(visible(text, indent=" " * (indent + 2)), style or None)
    return found


def when(time: datetime | None) -> str:
    """The day of a time, or that it is not known."""
    return "date unknown" if time is None else day(time)


def recalled(answer: Recall, *, explain: bool = False) -> RenderableType:
    """An answer: what is upheld, open, withheld, and the path."""
    rows: list[RenderableType] = []
    if not answer.upheld:
        rows.append(line(("Nothing in force was found.", "bold")))
    for note in answer.upheld:
        rows += upheld_note(note, explain=explain)
    for question in answer.open:
        rows += open_question(question)
    if answer.withheld:
        rows.append(line((f"withheld: {len(answer.withheld)}", "dim")))
        rows += [withheld_note(note) for note in answer.withheld]
    if answer.path:
        rows.append(line(("path", "bold")))
        rows += [step(each) for each in answer.path]
    if answer.timeline:
        rows.append(line(("in order", "bold")))
        rows += [viewed(view) for view in answer.timeline]
    if caution := answer.caution():
        rows.append(line((caution, "yellow")))
    rows += [line((f"degraded: {why}", "yellow")) for why in answer.receipt.degraded]
    if answer.receipt.omitted:
        rows.append(line((f"{answer.receipt.omitted} more in force were left out by the limit", "dim")))
    return Group(*rows)


def upheld_note(note: UpheldNote, *, explain: bool = False) -> list[RenderableType]:
    """A note that may be used, how it may be, and what it took the place of."""
    style, manner = _BANDS[note.band]
    about = [note.id, f"{note.band.value} {note.confidence:.2f}", *conditions(note.note), note.attribution, manner]
    if note.unverified is not None:
        about.append(f"{note.unverified} could not be asked; last known on {day(note.known_since)}: say so")
    if note.replaces:
        about.append(f"replaces {', '.join(note.replaces)}")
    rows: list[RenderableType] = [
        line(("upheld    ", style), (note.statement, f"bold {style}")),
        line((" · ".join(part for part in about if part), "dim"), indent=10),
    ]
    if explain and note.explanation is not None:
        rows.append(line((note.explanation, "dim italic"), indent=10))
    return rows


_SETTLED = {
    Settled.VERIFIED: ("verified", "green"),
    Settled.CHANGED: ("changed, and replaced by what its owner has", "green"),
    Settled.READ: ("read", "green"),
    Settled.OVERTAKEN: ("overtaken: somebody wrote about it meanwhile", "yellow"),
    Settled.UNAVAILABLE: ("unverified: its owner did not answer", "yellow"),
}


def verified(settled: Mapping[str, Settled]) -> RenderableType:
    """What became of notes whose owners were asked."""
    if not settled:
        return line("Nothing is due: no note in force has an owner whose window is over.")
    return Group(*(line(f"{note}  ", _SETTLED[outcome]) for note, outcome in settled.items()))


def conditions(note: Note) -> list[str]:
    """Where a note applies, as texts."""
    return [f"where {name} is {' or '.join(values)}" for name, values in note.applies_when.items()]


def open_question(question: OpenQuestion) -> list[RenderableType]:
    """What is not known, and what to check first."""
    return [
        line(("open      ", "yellow"), (question.question, "yellow")),
        line((f"{question.id} · {question.check}", "dim"), indent=10),
    ]


def withheld_note(note: WithheldNote) -> Text:
    """A note that was kept back, and why; its text in history mode only."""
    parts: list[str | tuple[str, str]] = [(f"{note.id}  {note.label}", "dim")]
    if note.reason:
        parts.append((f": {note.reason}", "dim"))
    if note.statement is not None:
        parts.append((f"  {note.statement}", "dim italic"))
    return line(*parts, indent=2)


def step(each: Step) -> Text:
    """One decision of a path."""
    style = "green" if each.standing is Standing.IN_FORCE else "dim"
    parts: list[str | tuple[str, str]] = [(f"{when(each.at):<18}", "dim"), (each.id, style)]
    parts.append((f"  {_words(each.standing)}", "dim"))
    if each.reason:
        parts.append((f"  because {each.reason}", "dim italic"))
    if each.statement is not None:
        parts.append((f"  {each.statement}", style))
    return line(*parts, indent=2)


def viewed(view: View) -> Text:
    """A note in a list: its id, its standing, and its text where it may leave."""
    parts = _standing(view)
    if view.statement is not None:
        parts.append((f"\n{view.statement}", _style(view)))
    return line(*parts)


def _standing(view: View) -> list[tuple[str, str]]:
    began = view.note.event_time if view.note is not None else None
    parts = [(view.id, _style(view)), (f"  {view.label}", "dim")]
    if began is not None:
        parts.append((f"  since {day(began)}" if view.standing is Standing.IN_FORCE else f"  of {day(began)}", "dim"))
    if view.reason:
        parts.append((f"  because {view.reason}", "dim italic"))
    return parts


def _style(view: View) -> str:
    return "green" if view.standing is Standing.IN_FORCE else "dim"


def listed(views: Sequence[View], more: str | None) -> RenderableType:
    """Notes of a list, and how to see more."""
    rows: list[RenderableType] = [viewed(view) for view in views] or [line(("Nothing was found.", "bold"))]
    return Group(*rows, *([line((more, "dim"))] if more else []))


def written(done: Written) -> RenderableType:
    """What a write did."""
    said = {
        "added": "is new",
        "superseded": "took the place of others",
        "confirmed": "says it already; it is confirmed",
        "history": "is older than what stands; it is kept as history",
        "disputed": "may not retire what it contradicts; it is kept, disputed",
        "proposed": "is kept as a hypothesis",
        "repeated": "was written before with this idempotency key",
    }
    rows: list[RenderableType] = [line((done.id, "bold"), f"  {done.outcome}: it {said[done.outcome]}")]
    if done.replaces:
        rows.append(line((f"replaces {', '.join(done.replaces)}", "dim"), indent=2))
    if done.against:
        rows.append(line((f"against {', '.join(done.against)}", "yellow"), indent=2))
    return Group(*rows)


def scopes(found: Mapping[str, int]) -> RenderableType:
    """Scopes with how many notes each holds."""
    if not found:
        return line(("The store is empty.", "bold"))
    width = max(len(f"{count:,}") for count in found.values())
    return Group(*(line((f"{count:>{width},}", "dim"), f"  {name}") for name, count in found.items()))


def explained(tree: Explanation) -> RenderableType:
    """Why a note is upheld or withheld, as a tree."""
    rows: list[RenderableType] = []

    def add(each: Explanation, ahead: str, below: str) -> None:
        role = [(f"{each.role} ", "dim")] if each.role else []
        rows.append(line((ahead, "dim"), *role, *_standing(each.view)))
        under = below + ("│  " if each.because else "   ")
        if each.view.statement is not None:
            rows.append(line((under, "dim"), (each.view.statement, _style(each.view))))
        if each.confirmed:
            rows.append(line((f"{under}confirmed {each.confirmed} time{'s' if each.confirmed > 1 else ''}", "dim")))
        for place, one in enumerate(each.because, start=1):
            last = place == len(each.because)
            add(one, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  "))

    add(tree, "", "")
    return Group(*rows)


def tallied(counts: Mapping[str, int], retracted: int) -> RenderableType:
    """How many entries of an import came to what."""
    rows = [line(f"{name:<12}{count:>9,}", indent=2) for name, count in sorted(counts.items())]
    if retracted:
        rows.append(line(f"{'retracted':<12}{retracted:>9,}", indent=2))
    return Group(*rows or [line(("There was nothing to take in.", "bold"))])


def examined(found: Examination) -> RenderableType:
    """What was looked at in a store, and what is wrong."""
    rows = [line((f"{name.replace('_', ' '):<22}", "dim"), str(value)) for name, value in found.facts.items()]
    rows += [line(("wrong     ", "red"), (finding, "bold red")) for finding in found.findings]
    if not found.findings:
        rows.append(line(("nothing is wrong", "green")))
    return Group(*rows)


def _words(standing: Standing) -> str:
    return standing.value.replace("_", " ")
