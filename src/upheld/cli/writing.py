"""The commands that write: remember, supersede, confirm, retract, restore, correct."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from upheld.cli.command import Command
from upheld.cli.desk import Desk, statement_of
from upheld.cli.options import By, NoteId, Reason, draft_fields, option

_Statement = Annotated[
    str,
    typer.Argument(metavar="STATEMENT", help='The statement; "-" reads it from standard input.', show_default=False),
]


def remember(desk: Desk, statement: _Statement, said: dict[str, Any]) -> None:
    """Record a statement.

    It retires, confirms or disputes what is held about the same thing.

    A statement that begins with a dash goes after two dashes: upheld remember -- "-5 degrees is the limit".
    """
    text, fields = statement_of(statement), draft_fields(said)
    desk.rehearse(lambda memory: memory.remember(text, **fields))
    with desk.memory(make=True, embeds=True) as memory:
        written = memory.remember(text, **fields)
    desk.show(written, lambda show: show.written(written))


def supersede(desk: Desk, note: NoteId, statement: _Statement, said_instead: dict[str, Any]) -> None:
    """Record a statement in the place of a note.

    It has the note's scope and kind unless said otherwise.
    """
    text, fields = statement_of(statement), draft_fields(said_instead)
    with desk.memory(embeds=True) as memory:
        written = memory.supersede(note, text, **fields)
    desk.show(written, lambda show: show.written(written))


def confirm(
    desk: Desk,
    note: NoteId,
    by: By = "person:owner",
    reason: Reason = None,
    observed_at: Annotated[
        str | None, option("--observed-at", metavar="TIME", help="When it was seen to hold. Default: now")
    ] = None,
) -> None:
    """Say that a note still holds.

    Its age counts from then.
    """
    with desk.memory() as memory:
        view = memory.confirm(note, by=by, reason=reason, observed_at=observed_at)
    desk.show(view, lambda show: show.viewed(view))


def retract(desk: Desk, note: NoteId, by: By = "person:owner", reason: Reason = None) -> None:
    """Say that a note never held.

    What it replaced stands again.
    """
    with desk.memory() as memory:
        view = memory.retract(note, by=by, reason=reason)
    desk.show(view, lambda show: show.viewed(view))


def restore(desk: Desk, note: NoteId, by: By = "person:owner", reason: Reason = None) -> None:
    """Take back what was said against a note.

    Its retraction, its contradiction, or that it was superseded.
    """
    with desk.memory() as memory:
        view = memory.restore(note, by=by, reason=reason)
    desk.show(view, lambda show: show.viewed(view))


def correct(
    desk: Desk,
    note: NoteId,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The value, or the statement of a note without a key.")],
    by: By = "person:owner",
    reason: Reason = None,
) -> None:
    """Say what holds instead of a note.

    A new note takes its place, and the log keeps that this was a correction.
    """
    with desk.memory(embeds=True) as memory:
        written = memory.correct(note, value, by=by, reason=reason)
    desk.show(written, lambda show: show.written(written))


COMMANDS = tuple(Command(each.__name__, each) for each in (remember, supersede, confirm, retract, restore, correct))
