"""The record behind the demo: where its files are, what its questions are, and how it is filed into a store.

Entries are filed in the order of their file names, with the clock at the day each was written, as if the store had
been there all year. Files that begin with `zz-` reached the archive last, on 27 November.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from upheld.cli.moving import Tally
from upheld.errors import Conflict, Misconfigured, Refused, UpheldError
from upheld.importers import Entry, markdown, take_in
from upheld.memory import Memory
from upheld.note import Channel, Draft
from upheld.opening import open
from upheld.ports import Embedder

NAME = "pierhead"
ARCHIVED = datetime(2026, 11, 27, tzinfo=UTC)
TODAY = ARCHIVED + timedelta(hours=12)

_MARK = "demo"


@dataclass(slots=True)
class Calendar:
    """A clock that stands where it is put."""

    now: datetime = field(default=TODAY)

    def __call__(self) -> datetime:
        """The present moment."""
        return self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, the moments it is asked of, and what its authors expect: upheld, kept out, left open."""

    ask: str
    expect: tuple[str, ...]
    absent: tuple[str, ...] = ()
    applies: Mapping[str, str] = field(default_factory=dict)
    open_about: tuple[str, ...] = ()
    valid_at: datetime | None = None
    known_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One line of a document that changes: the question it is about, the note it takes, and those that rest on that."""

    name: str
    was: str
    now: str
    ask: str
    falls: str
    rests: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The entries, and the questions: of today, of March (each with the place of its own of today), of two moments.

    `documents` is where the documents lie that the notes are held against, and `edit` is what changes in one of them.
    """

    entries: tuple[Entry, ...]
    questions: tuple[Question, ...]
    march: tuple[tuple[Question, int], ...]
    two_times: tuple[Question, ...]
    direction: Question
    proposal: str
    moves: tuple[tuple[str, str], ...]
    documents: Path
    edit: Edit

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of the entries."""
        return tuple(sorted({entry.line.scope for entry in self.entries if isinstance(entry.line, Draft)}))


def folder() -> Path:
    """Where the record lies: in an installed package, or else in a checkout beside `src`."""
    package = Path(str(files("upheld")))
    for place in (package / "examples" / NAME, package.parent.parent / "examples" / NAME):
        if (place / "questions.toml").is_file():
            return place
    raise Misconfigured(f"the example record {NAME} is not installed with this package: pip install --force upheld")


def read(place: Path) -> Record:
    """The record in a folder."""
    book = tomllib.loads((place / "questions.toml").read_text(encoding="utf-8"))
    asked = book["question"]
    direction = book["direction"]
    return Record(
        entries=tuple(markdown.read(place, scope=NAME)),
        questions=tuple(_question(each) for each in asked),
        march=tuple((_then(each), place) for place, each in enumerate(asked) if "expect_then" in each),
        two_times=tuple(_question(each, moments=True) for each in book["two_times"]),
        direction=Question(ask=direction["ask"], expect=(), absent=(direction["proposal"],)),
        proposal=direction["proposal"],
        moves=tuple((old, new) for old, new in direction["moves"]),
        documents=place / "documents",
        edit=Edit(**{**book["document"], "rests": tuple(book["document"]["rests"])}),
    )


def _question(each: Mapping[str, Any], *, moments: bool = False) -> Question:
    return Question(
        ask=each["ask"],
        expect=tuple(each["expect"]),
        absent=tuple(each.get("absent", ())),
        applies=each.get("applies", {}),
        open_about=tuple(each.get("open_about", ())),
        valid_at=each.get("valid_at") if moments else None,
        known_at=each.get("known_at") if moments else None,
    )


def _then(each: Mapping[str, Any]) -> Question:
    return Question(
        ask=each["ask"],
        expect=tuple(each["expect_then"]),
        applies=each.get("applies", {}),
        valid_at=each["valid_at"],
        known_at=each["known_at"],
    )


def make_room(store: Path) -> None:
    """Remove the store of an earlier demo; `Refused` for any other file."""
    if not store.exists():
        return
    try:
        with open(store, embedder=None) as memory:
            ours = memory._database.setting(_MARK) == NAME
    except UpheldError as error:
        raise Refused(f"{store} is not a store of the demo ({error}); name another file with --store") from error
    if not ours:
        raise Refused(f"{store} holds notes that are not the demo's; name another file with --store")
    for name in ("", "-wal", "-shm", "-turn"):
        store.with_name(store.name + name).unlink(missing_ok=True)


def opened(store: Path, calendar: Calendar, embedder: Embedder | None) -> Memory:
    """A new store, marked as the demo's."""
    memory = open(store, embedder=embedder, clock=calendar)
    memory._database.keep_setting(_MARK, NAME)
    return memory


def file_into(memory: Memory, record: Record, calendar: Calendar, tick: Callable[[int, int | None], None]) -> Tally:
    """File the record, day by day. Raises `Conflict` where an entry is not taken in."""
    tally = Tally()
    for done, entry in enumerate(record.entries, start=1):
        calendar.now = _filed(entry)
        for result in take_in(memory, [entry], trust=Channel.SYSTEM_OF_RECORD):
            tally.count(result)
        tick(done, len(record.entries))
    calendar.now = TODAY
    if tally.errors:
        raise Conflict("; ".join(f"{place}: {error}" for place, error in tally.errors))
    return tally


def _filed(entry: Entry) -> datetime:
    late = entry.source.rpartition("/")[2].startswith("zz-")
    begun = entry.line.valid_from if isinstance(entry.line, Draft) else None
    return ARCHIVED if late or begun is None else begun
