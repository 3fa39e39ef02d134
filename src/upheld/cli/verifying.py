"""The command verify: what systems own is read from them now, whether anybody asks or not."""

from __future__ import annotations

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command
from upheld.cli.desk import Desk
from upheld.cli.options import Scopes


def verify(desk: Desk, scope: Scopes = None) -> None:
    """Ask the owners of values, where their window is over.

    Who owns which attribute stands in the policy, under [verifiers]. A value that is the same is verified, another
    one takes the place of the old one, and what gets no answer stays unverified. Ends with exit code 1 where some
    owner did not answer.
    """
    with desk.memory(embeds=True) as memory, bar(desk, "asking owners") as tick:
        settled = memory.verify(scope or ["default"], progress=tick)
    desk.show(settled, lambda show: show.verified(settled))
    if "unavailable" in settled.values():
        raise typer.Exit(1)


COMMANDS = (Command("verify", verify),)
