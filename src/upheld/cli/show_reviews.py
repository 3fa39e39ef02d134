"""How what waits for review looks to people. Imported only where something is printed for them."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType

from upheld.aside import Review
from upheld.cli.show import line, when, written
from upheld.note import Draft, Written


def reviews(found: Sequence[Review]) -> RenderableType:
    """What waits, with the reasons and what it says."""
    if not found:
        return line(("Nothing waits for review.", "bold"))
    rows: list[RenderableType] = []
    for review in found:
        rows.append(line((review.id, "bold"), f"  {review.what.value} by {review.by}, {when(review.at)}"))
        rows += [line(("why  ", "yellow"), reason, indent=2) for reason in review.why]
        rows += [_drafted(draft) for draft in review.drafts]
    first = found[0].id
    rows.append(line((f"upheld review accept {first} · upheld review reject {first}", "dim")))
    return Group(*rows)


def _drafted(draft: Draft) -> RenderableType:
    replaced = (f"  (would replace {', '.join(draft.supersedes)})", "dim") if draft.supersedes else ""
    return line(("says ", "dim"), draft.statement, replaced, indent=2)


def accepted(found: Sequence[Written]) -> RenderableType:
    """What became of each draft."""
    return Group(*(written(each) for each in found))
