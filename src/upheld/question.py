"""What a question may ask: its limits checked, its filter made."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TypeAlias

from upheld import limits
from upheld.answer import View
from upheld.deliver import view_of
from upheld.errors import Invalid, NotFound
from upheld.note import MAX_NAME_CHARS, MAX_RECALL, Channel, Standing, instant
from upheld.ports import Clock, Filter, Reading
from upheld.standing import Seq, standings
from upheld.values import canonical_name

When: TypeAlias = datetime | str | None
Known: TypeAlias = datetime | str | Seq | None


def count(value: object, field: str, *, most: int = MAX_RECALL) -> int:
    """A whole number from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Invalid(f"{field} must be a whole number from 1 to {most:,}, not {value!r}")
    return value


def mode(value: object) -> bool:
    """Whether history is asked for; a mode is 'answer' or 'history'."""
    if value not in ("answer", "history"):
        raise Invalid(f"mode must be 'answer' or 'history', not {value!r}")
    return value == "history"


def names(value: object, field: str) -> tuple[str, ...]:
    """One name, or several."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple | set | frozenset):
        raise Invalid(f"{field} must be a name or a list of names")
    return tuple(limits.name(each, field) for each in listed)


def narrowed(kinds: object, channels: object, subject: object, attribute: object) -> Filter:
    """The filter of a question; what is empty or None lets everything pass."""
    wanted = names(channels, "channels")
    if unknown := set(wanted) - set(Channel):
        raise Invalid(f"unknown channels {sorted(unknown)}; known: {', '.join(Channel)}")
    return Filter(
        kinds=names(kinds, "kinds"),
        channels=tuple(Channel(channel) for channel in wanted),
        subject_key="" if subject is None else canonical_name(limits.text(subject, "subject", MAX_NAME_CHARS)),
        attribute_key="" if attribute is None else canonical_name(limits.text(attribute, "attribute", MAX_NAME_CHARS)),
    )


def moments(reading: Reading, clock: Clock, valid_at: When, known_at: Known) -> tuple[datetime, Seq]:
    """The two moments of a question: when it should have been true, and how far the log is read."""
    at = limits.time(valid_at, "valid_at", end_of_day=True) or clock()
    head = reading.head().seq
    if known_at is None:
        return at, head
    if isinstance(known_at, int) and not isinstance(known_at, bool):
        if known_at < 0:
            raise Invalid("known_at must be a time, or a log position of at least 0")
        return at, min(known_at, head)
    known = limits.time(known_at, "known_at", end_of_day=True)
    return at, head if known is None else reading.seq_at(instant(known))


def views(
    reading: Reading,
    seqs: Iterable[Seq],
    at: datetime,
    position: Seq,
    how: object,
    *,
    missing: str | None = None,
) -> list[View]:
    """Notes through the gate, in the order given; `NotFound` where `missing` was not recorded or is erased."""
    wanted = [*seqs]
    ruled = standings(reading.world(wanted), wanted, valid_at=instant(at), known_at=position)
    found = view_of(reading, ruled, reading.notes(ruled), None, show=mode(how))
    shown = [found[seq] for seq in wanted if seq in found and found[seq].standing is not Standing.ERASED]
    if missing is not None and not shown:
        raise NotFound(f"there is no note {missing!r}")
    return shown
