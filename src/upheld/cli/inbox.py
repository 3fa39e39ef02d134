"""The commands about notices: inbox list, accept, undo, correct."""

from __future__ import annotations

from typing import Annotated

import typer

from upheld.cli.command import Command, Group
from upheld.cli.desk import Desk, statement_of
from upheld.cli.options import By, Reason, option
from upheld.cli.sweeping import AnyScope, shows

_Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The number of a notice.", min=1, show_default=False)]


def list_(
    desk: Desk,
    *,
    scope: AnyScope = None,
    everything: Annotated[bool, option("--all", help="Also those that were answered.")] = False,
    limit: Annotated[int, option("--limit", metavar="N", help="At most so many notices. Default: 100")] = 100,
    before: Annotated[
        int | None, option("--before", metavar="NUMBER", help="Only notices with a lower number.", min=1)
    ] = None,
) -> None:
    """Notices of some scopes, newest first.

    Those that nobody answered: each with the note, the document, what both say, and the answers that the note was in.
    """
    with desk.memory() as memory:
        notices = memory.inbox.list(
            tuple(scope or ()), settled=None if everything else False, before=before, limit=limit
        )
    more = f"more: --before {notices[-1].number}" if len(notices) == limit else None
    desk.show_each(notices, lambda _: shows().notices(notices, more))


def accept(desk: Desk, number: _Number, by: By = "person:owner") -> None:
    """Agree that the document is right.

    The note stays as it is.
    """
    with desk.memory() as memory:
        notice = memory.inbox.accept(number, by=by)
    desk.show(notice, lambda _: shows().settled(notice))


def undo(desk: Desk, number: _Number, by: By = "person:owner", reason: Reason = None) -> None:
    """Disagree: take back what the document did to the note.

    The same passage does not do it again.
    """
    with desk.memory() as memory:
        notice = memory.inbox.undo(number, by=by, reason=reason)
    desk.show(notice, lambda _: shows().settled(notice))


def correct(
    desk: Desk,
    number: _Number,
    statement: Annotated[
        str,
        typer.Argument(
            metavar="STATEMENT", help='What holds instead; "-" reads it from standard input.', show_default=False
        ),
    ],
    by: By = "person:owner",
    reason: Reason = None,
) -> None:
    """Say what holds instead.

    A new note takes the place of the old one, in its scope and kind.
    """
    text = statement_of(statement)
    with desk.memory(embeds=True) as memory:
        written = memory.inbox.correct(number, text, by=by, reason=reason)
    desk.show(written, lambda show: show.written(written))


COMMANDS = Group(
    "inbox",
    "What documents did to notes; without a command, it lists.",
    (Command("list", list_), Command("accept", accept), Command("undo", undo), Command("correct", correct)),
    alone="list",
)
