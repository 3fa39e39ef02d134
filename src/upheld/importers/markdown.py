"""Reads Markdown entries: TOML between two lines of `+++`, then the statement, which is all the rest.

    +++
    date = 2026-03-01T09:00:00Z
    by = "person:ana"
    kind = "decision"
    supersedes = ["product/2026-01-12-booking-store"]
    reason = "two outages in July"
    +++
    Bookings are stored in PostgreSQL.

Files are filed by name, whatever their folder. The folder is the scope, and the path without `.md` is the id where
the entry gives none. Each note cites its own file. Files without such a head are passed over.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, NoReturn

from msgspec.structs import replace

from upheld import limits, wire
from upheld.errors import Invalid, UpheldError
from upheld.importers.entry import Entry, within
from upheld.importers.files import plain_text
from upheld.note import Citation, Draft

MAX_FILE_BYTES = 1024**2
MAX_FILES = 100_000

_HEAD = re.compile(r"\+\+\+[ \t]*\r?\n(.*?)^\+\+\+[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_TIMES = {"date": "valid_from", "until": "valid_to", "observed": "observed_at", "expires": "expires_at"}
_LINKS = ("supersedes", "alongside", "depends_on", "derived_from")
_FIELDS = ("id", "by", "kind", "certainty", "confidence", "value", "key", "applies_when", "reason", *_LINKS)


def read(path: Path, *, scope: str | None = None) -> Iterator[Entry]:
    """The entries of a folder and all folders in it, or of one file, in the order of their file names."""
    if path.is_dir() and not path.is_symlink():
        yield from (entry for file in _files(path) if (entry := _entry(file, path, scope)) is not None)
    elif (entry := _entry(path, path.parent, scope)) is not None:
        yield entry


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place, folders, names in os.walk(folder, onerror=_unreadable):  # does not follow links to folders
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place, name) for name in names if name.lower().endswith(".md") and not name.startswith(".")]
        if len(found) > MAX_FILES:
            raise Invalid(f"{folder} holds more than {MAX_FILES:,} Markdown files; take in its folders one by one")
    return sorted(found, key=lambda file: (file.name, file))


def _unreadable(error: OSError) -> NoReturn:
    raise Invalid(f"cannot read {error.filename}: {error.strerror}")


def _entry(file: Path, root: Path, prefix: str | None) -> Entry | None:
    place = file.relative_to(root).as_posix()
    try:
        text = plain_text(file, MAX_FILE_BYTES)
        head = _HEAD.match(text)
        if head is None and not text.startswith("+++"):
            return None
        if head is None:
            raise Invalid("the head is not closed: end it with a line of +++")
        fields = _table(head[1])
        retracts = _ids(fields.pop("retracts", []), "retracts")
        folder = file.relative_to(root).parent.as_posix()
        draft = _draft(fields, text, head.end(), place, within(prefix, "" if folder == "." else folder))
        return Entry(source=place, place=place, line=draft, retracts=retracts)
    except UpheldError as error:
        return Entry(source=place, place=place, line=error)


def _table(text: str) -> dict[str, Any]:
    try:
        # TOML 1.0 allows CRLF and LF alone, as these files do.
        return tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise Invalid(f"the head is not valid TOML: {str(error)[:200]}") from None


def _draft(fields: dict[str, Any], text: str, after: int, place: str, scope: str | None) -> Draft:
    if unknown := set(fields) - {*_FIELDS, *_TIMES}:
        raise Invalid(f"unknown field {min(unknown)[:80]!r}; known: {', '.join((*_TIMES, *_FIELDS, 'retracts'))}")
    said = {name: value for name, value in fields.items() if name not in _TIMES}
    said |= {_TIMES[name]: _time(value, name) for name, value in fields.items() if name in _TIMES}
    statement = text[after:].strip()
    draft = wire.draft_of({"id": place.removesuffix(".md"), **said, "statement": statement})
    start = text.index(statement, after)
    end = start + len(statement)
    cited = Citation(original=text, ref=place, start=start, end=end, channel=limits.channel_of(draft.by))
    # An empty statement is refused where drafts are admitted, by its own name.
    return replace(draft, scope=scope or draft.scope, sources=(cited,) if statement else ())


def _time(value: object, name: str) -> str:
    if isinstance(value, datetime):
        checked = limits.time(value, name)
        return wire.time_text(checked) if checked is not None else ""
    if isinstance(value, date):
        return value.isoformat()
    raise Invalid(f"{name} must be a date or a time: 2026-03-31T10:15:00Z")


def _ids(value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise Invalid(f"{name} must be a list of ids")
    return tuple(value)
