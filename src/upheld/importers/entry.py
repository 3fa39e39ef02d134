"""What a reader yields: one line or file, with the place it stands at."""

from __future__ import annotations

from dataclasses import dataclass

from upheld.errors import UpheldError
from upheld.note import Draft
from upheld.wire import LogLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line or file: what it holds, or why it cannot be read.

    `source` and `place` tell people where: "notes.jsonl" and "notes.jsonl:5". `retracts` are ids of notes that the
    entry takes back once it is written.
    """

    source: str
    place: str
    line: Draft | LogLine | UpheldError
    retracts: tuple[str, ...] = ()


def within(prefix: str | None, scope: str | None) -> str | None:
    """A scope under a prefix; None where neither is given.

    >>> within("pierhead", "product")
    'pierhead/product'
    """
    return "/".join(part for part in (prefix, scope) if part) or None
