"""The commands that look after things: doctor, demo, bench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from upheld.cli.command import Command
from upheld.cli.desk import Desk
from upheld.cli.options import option


def doctor(
    desk: Desk,
    path: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="The store. Default: as --store says", show_default=False)
    ] = None,
) -> None:
    """Examine a store, and say what is wrong with it.

    Looks at SQLite, the file, the log, the rule and the vectors. Exit code 1 where something is wrong.
    """
    from upheld.doctor import examine
    from upheld.opening import utc_now

    at = desk if path is None else desk.at(path)
    with at.memory() as memory:
        found = examine(memory, now=utc_now())
    desk.show(found, lambda show: show.examined(found))
    if found.findings:
        raise typer.Exit(1)


def demo(
    desk: Desk,
    everything: Annotated[bool, option("--all", help="Show every question, not the best dozen.")] = False,
    svg: Annotated[Path | None, option("--svg", metavar="FILE", help="Draw a picture of the best of it.")] = None,
) -> None:
    """Ask a year of a team's record, beside plain search; then edit a document, and see a note fall.

    The record is imported anew each time, and its store is kept (default: ./upheld-demo.db), with its documents
    beside it. Exit code 1 where an answer is not the one that the record's authors expect, or where the edit moved
    another note.
    """
    from upheld.cli.demo import run

    run(desk, everything=everything, svg=svg)


def bench(
    desk: Desk,
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help='What to measure; "list" names the suites.', show_default=False)
    ],
    data: Annotated[Path | None, option("--data", metavar="FOLDER", help="Where the suite's data set lies.")] = None,
    rows: Annotated[
        Path | None, option("--rows", metavar="FILE", help="Where to keep the rows behind the figures.")
    ] = None,
    *,
    long: Annotated[bool, option("--long", help="Also what takes many minutes.")] = False,
    pairs: Annotated[
        Path | None,
        option(
            "--pairs", metavar="FILE", help="For judge: pairs of your own, JSON lines of note, doc, label (C, E, N)."
        ),
    ] = None,
) -> None:
    """Measure speed and quality, beside plain search."""
    from upheld.bench import main

    raise typer.Exit(main(suite, data, rows=rows, long=long, as_json=desk.options.as_json, pairs=pairs))


COMMANDS = tuple(Command(each.__name__, each) for each in (doctor, demo, bench))
