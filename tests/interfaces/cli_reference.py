"""The reference of the command line, made from its own help: `python tests/interfaces/cli_reference.py`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from typer.testing import CliRunner

from upheld.cli import app

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
HEAD = """# The command line

`upheld COMMAND --help` says the same. This page is made from it: `.venv/bin/python tests/interfaces/cli_reference.py`.

What is asked for goes to stdout, everything else to stderr. `--json` prints the objects of `upheld.wire`: one, or for
lists one a line; an error is then one object on stderr: `{"error": {"code": ..., "message": ...}}`.

| exit code | what it says |
|---|---|
| 0 | done |
| 1 | not done: refused, in conflict, not found; or a check found something |
| 2 | not understood: the input breaks a limit or has the wrong form |
| 3 | no store to work on: out of reach, set up wrongly, or damaged |
| 70 | a fault in Upheld itself; `UPHELD_TRACEBACK=1` shows where |
| 130, 141 | interrupted; the reader of the output went away |
"""


def command_names() -> list[str]:
    """The commands, in the order in which help lists them; those of a group with its name ahead."""
    return [name for name in _sections() if name not in _groups()]


def _groups() -> dict[str, list[str]]:
    found = [each.typer_instance for each in app.registered_groups if each.typer_instance is not None]
    return {str(group.info.name): [str(each.name) for each in group.registered_commands] for group in found}


def _sections() -> list[str]:
    """All that has help of its own: commands, then each group ahead of its commands."""
    names = [str(each.name) for each in app.registered_commands]
    for group, commands in _groups().items():
        names += [group, *(f"{group} {name}" for name in commands)]
    return names


def help_of(*command: str) -> str:
    """The help of a command, as a terminal of 80 columns shows it."""
    shown = CliRunner(env={"COLUMNS": "80"}).invoke(app, [*command, "--help"], prog_name="upheld")
    assert shown.exit_code == 0, shown.output
    return re.sub(r"[ \t]+$", "", shown.stdout, flags=re.MULTILINE).strip()


def reference() -> str:
    """The whole page."""
    parts = [HEAD, "## upheld\n", f"```text\n{help_of()}\n```\n"]
    for name in _sections():
        parts += [f"## upheld {name}\n", f"```text\n{help_of(*name.split())}\n```\n"]
    return "\n".join(parts)


if __name__ == "__main__":
    REFERENCE.write_text(reference(), encoding="utf-8")
    sys.stdout.write(f"{REFERENCE}\n")
