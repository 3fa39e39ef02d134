"""The command drift: how notes in use agree with the documents that are retrieved beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from upheld.cli.command import Command
from upheld.cli.desk import Desk, counted
from upheld.cli.options import option

if TYPE_CHECKING:
    from rich.console import RenderableType

    from upheld.uses import Drift

_WIDE = 12


def drift(
    desk: Desk,
    days: Annotated[
        int, option("--days", metavar="N", min=1, max=3650, help="The last so many days, today included. Default: 30")
    ] = 30,
) -> None:
    """How many notes in use were contradicted by what was retrieved beside them, by day (UTC) and kind.

    Where recall is given documents, a share of its notes (use_check in the policy, for each kind) is held against
    them after the answer. Counted are notes that some passage speaks of; the interval is at 95 %.
    """
    with desk.memory() as memory:
        found = memory.uses.drift(days=days)
    if desk.options.as_json:
        from upheld.wire import shaped

        # What other processes dropped is not in the store, and this one drew nothing: it would always read 0.
        desk.show_each(
            [{name: each for name, each in shaped(one).items() if name != "dropped"} for one in found], lambda _: ""
        )
        return
    desk.show_each(found, lambda _: _drawn(found, days))


def _drawn(found: Sequence[Drift], days: int) -> RenderableType:
    from rich.console import Group

    from upheld.cli.show import line

    if not found:
        return Group(
            line((f"No note in use was checked in the last {counted(days, 'day')}.", "bold")),
            line(("Checked are notes of answers that were given documents: a share of them, use_check.", "dim")),
        )
    highest = max(each.rate or 0.0 for each in found)
    of = [f"{each.contradicted:,} of {each.checked:,}" for each in found]
    width = max(map(len, of))
    rows = [
        line(
            f"{each.day.isoformat()}  {said:>{width}}  ",
            (f"{_bar(each.rate or 0.0, highest):<{_WIDE}}", "yellow"),
            f"  {'none' if each.rate is None else f'{each.rate:.1%}':>6}",
            (f"  ({each.low:.1%} to {each.high:.1%})".ljust(22), "dim"),
            each.kind,
        )
        for each, said in zip(found, of, strict=True)
    ]
    return Group(line(("contradicted, of the notes in use that were checked", "dim")), *rows)


def _bar(rate: float, highest: float) -> str:
    """A bar for a share, the highest at full width; what is not 0 is seen.

    >>> _bar(0.5, 1.0), _bar(0.001, 1.0), _bar(0.0, 0.0)
    ('██████', '█', '')
    """
    return "█" * max(1, round(_WIDE * rate / highest)) if rate else ""


COMMANDS = (Command("drift", drift),)
