"""How consolidations look to people: as a change. Imported only where something is printed for them.

Green with a plus would be added, red with a minus would fall; without colours the signs say the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from upheld.answer import View
from upheld.aside import Operation
from upheld.cli.desk import counted
from upheld.cli.show import line
from upheld.cli.show_documents import columns
from upheld.consolidate import Proposal, Staleness
from upheld.note import Citation, Draft, Source, Written

_FIRST = 10
_ENDS = 3
_PAST = {"recorded": "recorded", "event": "true from"}


def proposed(found: Proposal) -> RenderableType:
    """One set: what it would add and what would fall, what it covers, and what is wrong with it."""
    guesses = "1 guess" if len(found.drafts) == 1 else f"{len(found.drafts):,} guesses"
    what = "a summary" if found.operation is Operation.COMPRESS else guesses
    name = found.id if found.id is not None else "not staged"
    rows: list[RenderableType] = [
        line((name, "bold" if found.id else "bold red"), f"  {what} of {counted(len(found.inputs), 'note')}"),
        line((" · ".join(_about(found)), "dim"), indent=4),
    ]
    rows += [_fell(view) for view in found.replaces]
    for draft in found.drafts:
        rows += _added(draft)
    rows += [line(("? ", "yellow"), (statement, "yellow"), indent=2) for statement in found.rejected]
    rows += [line(("wrong  ", "red"), (problem, "bold red"), indent=2) for problem in found.problems]
    if found.moved:
        moved = f"{', '.join(found.moved[:_FIRST])} moved since: it cannot be published; discard it"
        rows.append(line(("moved  ", "red"), moved, indent=2))
    if not found.drafts and not found.problems and not found.moved:
        rows.append(line(("There is nothing to propose.", "bold"), indent=2))
    rows += [line((f"left out  {each.note}: {each.why}", "dim"), indent=2) for each in found.left_out[:_FIRST]]
    if len(found.left_out) > _FIRST:
        rows.append(line((f"and {len(found.left_out) - _FIRST:,} more left out", "dim"), indent=2))
    return Group(*rows)


def _about(found: Proposal) -> list[str]:
    return [
        f"in {found.scope}",
        f"of {_covers(found)}",
        f"by {found.transform}",
        f"generation {found.generation}",
        f"log read to {found.known_at}",
    ]


def _covers(found: Proposal) -> str:
    """The range, or the first of the notes that were named."""
    if not found.coverage:
        more = "" if len(found.inputs) <= _FIRST else f" and {len(found.inputs) - _FIRST:,} more"
        return ", ".join(found.inputs[:_FIRST]) + more
    parts = found.coverage.split("/")[1:]
    if len(parts) < _ENDS:
        return "a range"
    time, since, until, *narrowed = parts
    whole = since == until == ".."
    return ", ".join(["all of it" if whole else f"what was {_PAST[time]} {since} to {until}", *narrowed])


def _fell(view: View) -> Text:
    standing = view.standing.value.replace("_", " ")
    said = view.statement if view.statement is not None else f"a summary that is {standing}"
    return line(("- ", "red"), (said, "red"), (f"  {view.id}", "dim"), indent=2)


def _added(draft: Draft) -> list[RenderableType]:
    about = [] if draft.certainty is None else [draft.certainty.value]
    if draft.confidence is not None:
        about.append(f"{draft.confidence:.2f}")
    about += [f"{name}={'|'.join(map(str, _values(given)))}" for name, given in draft.applies_when.items()]
    rows: list[RenderableType] = [
        line(("+ ", "green"), (draft.statement, "green"), (f"  {' '.join(about)}", "dim"), indent=2)
    ]
    cited = [(source.ref, source.quote or "") for source in draft.sources if isinstance(source, Citation)]
    cited += [(source.ref, source.excerpt) for source in draft.sources if isinstance(source, Source) and source.excerpt]
    rows += [line((f"{ref.removeprefix('note:')}  {quote}", "dim"), indent=6) for ref, quote in cited[:_FIRST]]
    if len(cited) > _FIRST:
        rows.append(line((f"and {len(cited) - _FIRST:,} more passages", "dim"), indent=6))
    return rows


def _values(given: object) -> Sequence[object]:
    return given if isinstance(given, list | tuple) else [given]


def staged(found: Sequence[Proposal]) -> RenderableType:
    """All that is staged."""
    if not found:
        return line(("Nothing is staged.", "bold"))
    return Group(*(proposed(each) for each in found))


def published(written: Sequence[Written]) -> RenderableType:
    """What was written, and what fell."""
    rows: list[RenderableType] = []
    for each in written:
        rows.append(line((each.id, "bold"), f"  {each.outcome}"))
        if each.replaces:
            rows.append(line((f"replaces {', '.join(each.replaces)}", "dim"), indent=2))
    return Group(*rows)


def discarded(id: str) -> RenderableType:
    """That a set is forgotten."""
    return line((id, "bold"), "  is discarded; nothing was written")


def stale(found: Staleness) -> RenderableType:
    """Answers by day, with those that would have served a stale note."""
    if not found.days:
        return line(("No answers were counted.", "bold"))
    rows = [
        (each.day.isoformat(), f"{each.answers:,}", f"{each.stale:,}", f"{each.stale / each.answers:.1%}")
        for each in found.days
    ]
    rows.append(("all", f"{found.answers:,}", f"{found.stale:,}", f"{found.share or 0:.1%}"))
    return columns(("day", "answers", "found a stale note", "share"), rows, right={1, 2, 3})
