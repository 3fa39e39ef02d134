"""The commands about what failed its check: review list, accept, reject."""

from __future__ import annotations

from types import ModuleType
from typing import Annotated

import typer

from upheld.cli.command import Command, Group
from upheld.cli.desk import Desk, visible
from upheld.cli.options import By, option

_Waiting = Annotated[str, typer.Argument(metavar="ID", help="The id of what waits for review.", show_default=False)]


def list_(desk: Desk) -> None:
    """What waits for a person, oldest first: who would have written it, why it was not, and what it says."""
    with desk.memory() as memory:
        reviews = memory.reviews.list()
    desk.show_each(reviews, lambda _: _shows().reviews(reviews))


def accept(
    desk: Desk,
    id: _Waiting,
    *,
    as_guess: Annotated[bool, option("--as-guess", help="Keep it as a guess: never served as settled.")] = False,
    by: By = "person:owner",
) -> None:
    """Write what was set aside, all of it or nothing, as the word of the person who accepts it."""
    with desk.memory(embeds=True) as memory:
        written = memory.reviews.accept(id, by=by, as_guess=as_guess)
    desk.show_each(written, lambda _: _shows().accepted(written))


def reject(desk: Desk, id: _Waiting, *, by: By = "person:owner") -> None:
    """Throw away what was set aside."""
    with desk.memory() as memory:
        memory.reviews.reject(id, by=by)
    desk.show({"rejected": id}, lambda _: f"rejected: {visible(id)}")


def _shows() -> ModuleType:
    from upheld.cli import show_reviews

    return show_reviews


COMMANDS = Group(
    "review",
    "What failed its check and waits for a person; without a command, it lists.",
    (Command("list", list_), Command("accept", accept), Command("reject", reject)),
    alone="list",
)
