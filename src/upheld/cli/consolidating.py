"""The commands about consolidation: consolidate stage, list, publish, discard, staleness."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command, Group
from upheld.cli.desk import Desk
from upheld.cli.options import By, Kinds, option

if TYPE_CHECKING:
    from upheld.ports import Writer

_Staged = Annotated[str, typer.Argument(metavar="ID", help="The id of a staged set.", show_default=False)]


def stage(
    desk: Desk,
    *,
    note: Annotated[
        list[str] | None, option("--note", metavar="NOTE", help="A note to cover, by its id; may be repeated.")
    ] = None,
    scope: Annotated[str | None, option("--scope", metavar="SCOPE", help="Cover the notes of this scope.")] = None,
    since: Annotated[str | None, option("--from", metavar="TIME", help="Only notes from then on: 2026-03-01.")] = None,
    until: Annotated[
        str | None,
        option("--to", metavar="TIME", help="Only notes until then: 2026-03-31 (its last moment)."),
    ] = None,
    time: Annotated[
        Literal["recorded", "event"],
        option("--time", help="What --from and --to are about: its record, or the event itself. Default: recorded"),
    ] = "recorded",
    kind: Kinds = None,
    subject: Annotated[str | None, option("--subject", metavar="NAME", help="Only notes about this subject.")] = None,
    infer: Annotated[
        bool, option("--infer", help="Propose what the notes let one suspect, instead of saying it in fewer words.")
    ] = False,
    most: Annotated[
        int, option("--most", metavar="N", min=1, help="At most so many characters of a summary. Default: 1000")
    ] = 1000,
    llm: Annotated[
        str | None,
        option("--llm", metavar="MODEL", help="Let this model write: openai:gpt-5-mini. Default: code"),
    ] = None,
    by: By = "person:owner",
) -> None:
    """Make something of notes, and show it as a change; nothing is written into the memory.

    Without --infer, a summary whose every sentence stands on the notes' own words. It is staged where no recall looks,
    until: upheld consolidate publish, or discard. What fails its check is shown with what is wrong, is not staged, and
    ends with exit code 1.
    """
    covers: dict[str, Any] = {
        "scope": scope,
        "since": since,
        "until": until,
        "time": time,
        "kinds": tuple(kind or ()),
        "subject": subject,
        "by": by,
        "writer": _writer(llm),
    }
    with desk.memory(embeds=True) as memory, bar(desk, "consolidating") as tick:
        made = memory.consolidations
        if infer:
            found = made.infer(tuple(note or ()), **covers, progress=tick)
        else:
            found = made.compress(tuple(note or ()), **covers, most_chars=most, progress=tick)
    desk.show(found, lambda _: _shows().proposed(found))
    if found.review is not None:
        desk.say(f"a person may let it in all the same: upheld review accept {found.review}", "yellow")
    if found.problems:
        raise typer.Exit(1)
    if found.id is not None:
        desk.say(f"to let it be remembered: upheld consolidate publish {found.id}; else: discard {found.id}", "yellow")


def list_(desk: Desk) -> None:
    """What is staged, oldest first, each as the change that it would make.

    Of a set whose notes moved since, only which did: it cannot be published any more.
    """
    with desk.memory() as memory:
        found = memory.consolidations.list()
    desk.show_each(found, lambda _: _shows().staged(found))


def publish(desk: Desk, staged: _Staged) -> None:
    """Write a staged set, all of it or nothing.

    A former summary of the same notes falls in the same moment. Where a note that it was made of moved since, nothing
    is written, and the exit code is 1.
    """
    with desk.memory(embeds=True) as memory:
        written = memory.consolidations.publish(staged)
    desk.show_each(written, lambda _: _shows().published(written))


def discard(desk: Desk, staged: _Staged) -> None:
    """Forget a staged set; no trace of it stays."""
    with desk.memory() as memory:
        memory.consolidations.discard(staged)
    desk.show({"discarded": staged}, lambda _: _shows().discarded(staged))


def staleness(
    desk: Desk,
    *,
    days: Annotated[int, option("--days", metavar="N", min=1, help="Of the last so many days. Default: 30")] = 30,
) -> None:
    """How many answers would have served a stale note, had it not been kept back; by day."""
    with desk.memory() as memory:
        found = memory.consolidations.staleness(days)
    desk.show(found, lambda _: _shows().stale(found))


def _writer(model: str | None) -> Writer | None:
    if model is None:
        return None
    from upheld.writers.llm import LLM

    return LLM(model)


def _shows() -> ModuleType:
    """How it looks to people; imported only where something is printed for them."""
    from upheld.cli import show_consolidations

    return show_consolidations


COMMANDS = Group(
    "consolidate",
    "Make summaries and guesses of notes, with a look at them first; without a command, it stages one.",
    (
        Command("stage", stage),
        Command("list", list_),
        Command("publish", publish),
        Command("discard", discard),
        Command("staleness", staleness),
    ),
    alone="stage",
)
