"""The commands about documents: corpus add, list, remove, watch."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command, Group
from upheld.cli.desk import Desk
from upheld.cli.options import option
from upheld.cli.sweeping import Approve, asking, kept_if_interrupted, shows, told
from upheld.errors import Invalid
from upheld.note import Channel

if TYPE_CHECKING:
    from upheld.inbox import Told
    from upheld.sweep import Added

_SHOWN = 20

_Authority = Annotated[
    Channel, option("--authority", help="The channel that the documents' word counts as. Default: document")
]


def add(
    desk: Desk,
    *,
    place: Annotated[
        list[str],
        typer.Argument(
            metavar="PLACE", help="A file or a folder; with --revision, a git repository.", show_default=False
        ),
    ],
    authority: _Authority = Channel.DOCUMENT,
    revision: Annotated[
        str | None, option("--revision", metavar="REV", help="Read a git repository as it was at this revision.")
    ] = None,
    approve: Approve = None,
) -> None:
    """Take in documents, and hold what is new in them against the notes.

    Documents that did not change are not read again; those that are gone from a folder are removed. A document that
    cannot be read is reported and the others go on; exit code 1 then. Where more notes would be retired than the policy
    allows, the documents are kept, no note is changed, and the exit code is 1.
    """
    for each in place:
        _there(each)
    failed = False
    with desk.memory(make=True, embeds=True) as memory:
        for each in place:
            again = ["corpus", "add", each]
            again += [] if authority is Channel.DOCUMENT else ["--authority", authority.value]
            again += [] if revision is None else ["--revision", revision]
            with (
                asking(desk, again),
                kept_if_interrupted(desk),
                bar(desk, "judging passages", first="reading documents") as tick,
            ):
                added = memory.corpus.add(each, authority=authority, revision=revision, approve=approve, progress=tick)
            _show(desk, each, added, told(memory, added.report.events))
            failed = failed or bool(added.failed)
    if failed:
        raise typer.Exit(1)


def _there(place: str) -> None:
    if not Path(place).exists():
        raise Invalid(f"there is no file or folder {place}")


def _show(desk: Desk, place: str, added: Added, notices: Sequence[Told]) -> None:
    from upheld.wire import shaped

    desk.show({**shaped(added), "notices": notices}, lambda _: shows().added(place, added, notices))
    if not desk.options.as_json:
        _complain(desk, added)


def _complain(desk: Desk, added: Added) -> None:
    for name, error in added.failed[:_SHOWN]:
        desk.say(str(error) if name in str(error) else f"{name}: {error}", "red")
    if len(added.failed) > _SHOWN:
        desk.say(f"and {len(added.failed) - _SHOWN:,} more that failed; --json lists them all", "red")


def list_(
    desk: Desk,
    removed: Annotated[bool, option("--removed", help="Also those that are no longer there.")] = False,
) -> None:
    """The documents, by name."""
    with desk.memory() as memory:
        documents = memory.corpus.list(removed=removed)
    desk.show_each(documents, lambda _: shows().documents(documents))


def remove(
    desk: Desk,
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="A document by its name, or a folder that was added.", show_default=False),
    ],
) -> None:
    """Take documents out: they contradict nothing any more.

    Notes that only they spoke for must then be checked.
    """
    from upheld.wire import shaped

    with desk.memory() as memory:
        report = memory.corpus.remove(name)
        notices = told(memory, report.events)
    desk.show({**shaped(report), "notices": notices}, lambda _: shows().removed(name, notices))


def watch(
    desk: Desk,
    *,
    place: Annotated[str, typer.Argument(metavar="PLACE", help="A folder.", show_default=False)],
    authority: _Authority = Channel.DOCUMENT,
    approve: Approve = None,
    once: Annotated[bool, option("--once", help="End after the first change.")] = False,
) -> None:
    """Add a folder, then what changes in it as it changes.

    Prints each change with what became of the notes, until it is interrupted.
    """
    _there(place)
    again = ["corpus", "add", place, *([] if authority is Channel.DOCUMENT else ["--authority", authority.value])]
    with desk.memory(make=True, embeds=True) as memory, asking(desk, again):
        changes = memory.corpus.watch(place, stop=Event(), sleep=time.sleep, authority=authority, approve=approve)
        first = next(changes)
        _show(desk, place, first, told(memory, first.report.events))
        sys.stdout.flush()
        desk.say(f"watching {place}; Ctrl-C ends it")
        for added in changes:
            _show_change(desk, added, told(memory, added.report.events))
            if once:
                break


def _show_change(desk: Desk, added: Added, notices: Sequence[Told]) -> None:
    from upheld.wire import shaped

    desk.show({**shaped(added), "notices": notices}, lambda _: shows().changed(added, notices))
    sys.stdout.flush()
    if not desk.options.as_json:
        _complain(desk, added)


COMMANDS = Group(
    "corpus",
    "The documents that notes are held against.",
    (Command("add", add), Command("list", list_), Command("remove", remove), Command("watch", watch)),
)
