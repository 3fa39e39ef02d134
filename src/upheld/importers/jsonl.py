"""Reads JSON Lines: one draft, or one line of an exported log, on each.

A draft is an object with a `statement` and any other field of `upheld.Draft`. Lines end with LF alone (a text may
hold other separators); empty lines are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from upheld import wire
from upheld.errors import Invalid, UpheldError
from upheld.importers.entry import Entry, within
from upheld.importers.files import decoded, numbered, open_plain
from upheld.note import Draft


def read(path: Path, *, scope: str | None = None) -> Iterator[Entry]:
    """The entries of a file, which may be compressed with gzip. `scope` goes before each draft's own."""
    with open_plain(path) as file:
        yield from read_stream(file, path.name, scope=scope)


def read_stream(file: BinaryIO, source: str, *, scope: str | None = None) -> Iterator[Entry]:
    """The entries of a stream that is called `source` in messages."""
    for number, raw in numbered(file):
        line = raw if isinstance(raw, Invalid) else _line(raw, scope)
        if line is not None:
            yield Entry(source=source, place=f"{source}:{number}", line=line)


def _line(raw: bytes, scope: str | None) -> Draft | wire.LogLine | UpheldError | None:
    if not raw.strip():
        return None
    try:
        value = wire.loads(decoded(raw))
        if scope is not None and isinstance(value, dict):
            if "line" in value:
                return Invalid("a log keeps its own scopes; take it over without a scope")
            if isinstance(own := value.get("scope", ""), str):
                value["scope"] = within(scope, own)
        return wire.line_of(value)
    except UpheldError as error:
        return error
