"""The files on both sides of a check: found, each once, and those of notes read. What cannot be read is kept apart."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from upheld import limits
from upheld.check.records import of_lines
from upheld.check.statements import MARKDOWN, TEXT, Statement, of_text
from upheld.corpus import places
from upheld.corpus.read import SUFFIXES
from upheld.errors import Invalid, UpheldError

MAX_PATH_CHARS = 4096

_LINES = frozenset(("jsonl", "ndjson"))
_NOTES = MARKDOWN | TEXT | _LINES
_STORE = b"SQLite format 3\0"

StrPath: TypeAlias = "str | os.PathLike[str]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A file, or one line of it, that could not be read. `is_document` says on which side."""

    file: str
    line: int | None = None
    error: UpheldError
    is_document: bool = False


class Source(NamedTuple):
    """A file as it is shown, what it is by whatever path, whether it was named itself, and its bytes or its error."""

    file: str
    identity: str
    is_named: bool
    content: bytes | UpheldError


class Notes(NamedTuple):
    """The statements of one file."""

    file: str
    identity: str
    statements: list[Statement]


def sources(given: StrPath | Sequence[StrPath], wanted: places.Wanted) -> Iterator[Source]:
    """The files of some paths, each once. Raises `Invalid` for a path that is not there."""
    seen: set[str] = set()
    for path in (Path(one) for one in ([given] if isinstance(given, str | os.PathLike) else given)):
        limits.text(str(path), "a path", MAX_PATH_CHARS)
        if not path.exists() and not path.is_symlink():
            raise Invalid(f"there is no file or folder {path}")
        is_folder = path.is_dir()
        for found in places.folder(path, wanted=wanted) if is_folder else [places.file(path)]:
            at = path / found.name if is_folder else path
            identity = str(at.resolve())
            if identity not in seen:
                seen.add(identity)
                yield Source(at.as_posix(), identity, not is_folder, found.content)


def suffix_of(file: str) -> str:
    """The suffix of a file's name, in lower case without its dot; empty for a name that only begins with one."""
    name = file.rpartition("/")[2]
    stem, _, suffix = name.rpartition(".")
    return suffix.lower() if stem else ""


def notes(paths: StrPath | Sequence[StrPath]) -> tuple[list[Notes], list[Failed]]:
    """The notes of some paths, and what in them could not be read.

    Raises `Invalid` where a path that is named itself cannot be read, or there are none.
    """
    found: list[Notes] = []
    failed: list[Failed] = []
    for source in sources(paths, lambda name: suffix_of(name) in _NOTES):
        try:
            if isinstance(source.content, UpheldError):
                raise source.content
            statements, bad = _read(source.file, source.content)
        except UpheldError as error:
            if source.is_named:
                raise
            failed.append(Failed(file=source.file, error=error))
            continue
        found.append(Notes(source.file, source.identity, statements))
        failed += [Failed(file=source.file, line=line, error=error) for line, error in bad]
    if not found and not failed:
        raise Invalid("there are no notes there: Markdown, text and JSON Lines files are read")
    return found, failed


def _read(file: str, raw: bytes) -> tuple[list[Statement], list[tuple[int, UpheldError]]]:
    suffix = suffix_of(file)
    if suffix == "db" or raw.startswith(_STORE):
        raise Invalid(f"{file} is a store: upheld sweep holds its notes against documents")
    if suffix in _LINES:
        return of_lines(file, raw)
    if suffix in SUFFIXES and suffix not in _NOTES:
        raise Invalid(f"{file} is no file of notes: Markdown, text and JSON Lines are read")
    return of_text(file, raw, suffix if suffix in TEXT else "md"), []
