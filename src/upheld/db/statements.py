"""Loads the named statements: `queries.sql` for the log, the other files for what stands beside it."""

from __future__ import annotations

from importlib.resources import files

_MARK = "-- name: "


def parse(text: str) -> dict[str, str]:
    r"""Split a file of named statements: a `-- name:` line, comment lines that say what it gives, the statement.

    >>> parse("-- name: one\n-- The number one.\nselect 1;\n")
    {'one': 'select 1'}
    """
    found: dict[str, str] = {}
    for block in text.split(_MARK)[1:]:
        name, _, rest = block.partition("\n")
        lines = rest.strip().splitlines()
        while lines and lines[0].startswith("--"):
            lines.pop(0)
        if name in found:
            raise ValueError(f"the statement {name!r} is there twice")
        found[name] = "\n".join(lines).strip().rstrip(";")
    return found


_FILES = ("queries.sql", "corpus.sql", "checks.sql", "aside.sql", "messages.sql")
STATEMENTS = parse("\n".join(files("upheld.db").joinpath(name).read_text(encoding="utf-8") for name in _FILES))
