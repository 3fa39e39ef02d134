"""The command sweep, and what it shares with others that hold notes against documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from shlex import join
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command
from upheld.cli.desk import Desk
from upheld.cli.options import option
from upheld.errors import NeedsApproval

if TYPE_CHECKING:
    from upheld.inbox import Told
    from upheld.memory import Memory

AnyScope = Annotated[
    list[str] | None,
    option("--scope", metavar="SCOPE", help="A scope, by its whole name; may be repeated. Default: all"),
]
Approve = Annotated[
    int | None,
    option("--approve", metavar="N", min=0, help="Let so many notes be retired at once. Default: as the policy says"),
]
_PAGE = 1000


def sweep(
    desk: Desk,
    *,
    scope: AnyScope = None,
    dry_run: Annotated[bool, option("--dry-run", help="Judge, and change no note; say what would come of it.")] = False,
    budget: Annotated[
        int | None, option("--budget", metavar="N", min=1, help="Put at most so many pairs to judges. Default: all")
    ] = None,
    approve: Approve = None,
) -> None:
    """Hold every living note against the documents.

    What they contradict is retired or disputed, and its owner gets a notice.

    No pair is judged twice, so a sweep that was interrupted, or met its budget, goes on with the same command. One
    that would retire more notes than the policy allows changes nothing, shows them, and ends with exit code 1.
    """
    scopes = tuple(scope or ())
    again = ["sweep", *(part for each in scopes for part in ("--scope", each))]
    with desk.memory(embeds=True) as memory:
        with asking(desk, again), kept_if_interrupted(desk), bar(desk, "judging notes") as tick:
            report = memory.corpus.sweep(scope=scopes, dry_run=dry_run, budget=budget, approve=approve, progress=tick)
        notices = told(memory, report.events)
        found = report.found if dry_run else ()
    from upheld.wire import shaped

    value = {**shaped(report), "notices": notices, "found": found}
    desk.show(value, lambda _: shows().swept(report, notices, found))
    if not report.complete:
        desk.say("the budget is used up; the same command goes on from here", "yellow")
    if dry_run:
        desk.say("nothing was changed", "yellow")


def told(memory: Memory, events: Iterable[int]) -> list[Told]:
    """The notices of these events, oldest first."""
    wanted = set(events)
    found: list[Told] = []
    before = max(wanted, default=0) + 1
    while len(found) < len(wanted):
        page = memory.inbox.list(settled=None, before=before, limit=_PAGE)
        found += [notice for notice in page if notice.number in wanted]
        if not page or page[-1].number <= min(wanted):
            break
        before = page[-1].number
    return sorted(found, key=lambda notice: notice.number)


@contextmanager
def asking(desk: Desk, again: Sequence[str]) -> Iterator[None]:
    """Where a run needs somebody's word, show what it would retire, and the command `again` that allows it."""
    try:
        yield
    except NeedsApproval as error:
        if desk.options.as_json:
            raise
        from upheld.wire import outcome_of

        desk.say(f"error: {error}", "red")
        desk.err.print(shows().held_back([each for each in error.found if each.retires]))
        desk.say(f"to allow it: {join(_whole(desk, again, error.count))}", "yellow")
        raise typer.Exit(outcome_of(error).exit_code) from None


def _whole(desk: Desk, again: Sequence[str], count: int) -> list[str]:
    given = desk.options
    named = [("--store", given.store), ("--policy", given.policy)]
    common = [part for name, value in named if value for part in (name, value)]
    words = ["--words-only"] if given.words_only else []
    return ["upheld", *again, "--approve", str(count), *common, *words]


@contextmanager
def kept_if_interrupted(desk: Desk) -> Iterator[None]:
    """Say that an interruption costs nothing."""
    try:
        yield
    except KeyboardInterrupt:
        desk.say("what was read and judged so far is kept; the same command goes on", "yellow")
        raise


def shows() -> ModuleType:
    """How it looks to people; imported only where something is printed for them."""
    from upheld.cli import show_documents

    return show_documents


COMMANDS = (Command("sweep", sweep),)
