"""The command line: the verbs of `Memory` under their own names, and what keeps a store well.

What is asked for goes to stdout, everything else to stderr. Exit codes are those of `upheld.wire`, and 130 for an
interrupted command, 141 where the reader of the output went away. Parts that take long to import are imported inside
the commands, so that help and completion come at once.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Annotated

import typer

from upheld.cli import (
    auditing,
    checking,
    consolidating,
    conversing,
    corpus,
    drift,
    inbox,
    judging,
    moving,
    reading,
    reviewing,
    sweeping,
    upkeep,
    verifying,
    writing,
)
from upheld.cli.command import Command, Group
from upheld.cli.desk import OUT_OF_REACH
from upheld.cli.options import JSON, NO_COLOR, POLICY, STORE, WORDS_ONLY, Options, option

_COMMANDS: tuple[Command | Group, ...] = (
    *writing.COMMANDS,
    *reading.COMMANDS,
    *verifying.COMMANDS,
    corpus.COMMANDS,
    *sweeping.COMMANDS,
    *drift.COMMANDS,
    inbox.COMMANDS,
    auditing.COMMANDS,
    consolidating.COMMANDS,
    reviewing.COMMANDS,
    judging.COMMANDS,
    *checking.COMMANDS,
    *conversing.COMMANDS,
    *moving.COMMANDS,
    *upkeep.COMMANDS,
)

app = typer.Typer(
    name="upheld",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from upheld import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def upheld(
    context: typer.Context,
    *,
    store: Annotated[str | None, STORE("UPHELD_STORE")] = None,
    policy: Annotated[str | None, POLICY("UPHELD_POLICY")] = None,
    words_only: Annotated[bool, WORDS_ONLY] = False,
    as_json: Annotated[bool, JSON] = False,
    no_color: Annotated[bool, NO_COLOR] = False,
    _version: Annotated[bool, option("--version", help="Print the version.", callback=_print_version)] = False,
) -> None:
    """Memory for AI agents that stops believing what is no longer true.

    The first five options may also stand after a command. Exit codes: 0 done; 1 not done, or a check found something;
    2 not understood; 3 no store to work on; 130 interrupted.
    """
    context.obj = Options(store=store, policy=policy, words_only=words_only, as_json=as_json, no_color=no_color)


for command in _COMMANDS:
    command.add_to(app)


def main() -> None:
    """Run the command that the arguments name, and exit."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started this: its number must not go to a file of the store
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), "r" if name == "stdin" else "w"))
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            # A path or statement may hold characters that the terminal cannot show.
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except OSError as error:  # help that cannot be printed; what commands meet ends in `command.run`
        with suppress(OSError):
            sys.stderr.write(f"error: cannot write the output: {error.strerror}\n")
        sys.exit(OUT_OF_REACH)
