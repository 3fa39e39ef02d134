"""`python -m upheld.bench SUITE`: the suites without the rest of the command line, and `--recompute`."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path

from upheld.bench import SUITES, main, recompute
from upheld.errors import UpheldError
from upheld.wire import outcome_of


def run(arguments: list[str]) -> int:
    """Do what the arguments say; return the exit code."""
    parser = ArgumentParser(prog="python -m upheld.bench", description="Measure speed and quality.")
    parser.add_argument("suite", nargs="?", help=f"what to measure: {', '.join(SUITES)}, or list")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="where the data sets lie")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="where to keep the rows behind the figures")
    parser.add_argument("--long", action="store_true", help="also what takes many minutes")
    parser.add_argument("--pairs", type=Path, metavar="FILE", help="judge these pairs (JSONL: note, doc, label)")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    parser.add_argument("--recompute", type=Path, metavar="FILE", help="print the figures of kept rows again")
    given = parser.parse_args(arguments)
    if (given.suite is None) == (given.recompute is None):
        parser.error("name a suite, or rows to recompute")
    try:
        if given.recompute is not None:
            return recompute(given.recompute, as_json=given.as_json)
        return main(given.suite, given.data, rows=given.rows, long=given.long, as_json=given.as_json, pairs=given.pairs)
    except UpheldError as error:
        sys.stderr.write(f"{error}\n")
        return outcome_of(error).exit_code


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
