"""The nouns of verification: what the system that owns a value is asked, and what it may answer. No I/O."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from upheld.note import Source


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a verifier is asked about one note.

    `value` is what the note says, None for a note that only points to the system. `sources` are where it came from.
    """

    note: str
    scope: str
    subject: str
    attribute: str
    value: str | None
    statement: str
    sources: tuple[Source, ...]
    recorded_at: datetime


@dataclass(frozen=True, slots=True)
class Agreed:
    """The owner has the same value."""


@dataclass(frozen=True, slots=True)
class Changed:
    """The owner has this value. One that equals the note's after canonicalisation counts as agreed."""

    value: str


@dataclass(frozen=True, slots=True)
class Unavailable:
    """The owner could not be asked, or did not say. `reason` is one line for a person, without the value."""

    reason: str


@dataclass(frozen=True, slots=True)
class Read:
    """A value that was read for a note that only points to its owner; no row of the store holds it."""

    value: str
    source: str
    at: datetime


Reply: TypeAlias = Agreed | Changed | Unavailable
