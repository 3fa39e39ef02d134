"""What a question may ask: its limits checked, its filter made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from msgspec import Struct

from upheld import limits
from upheld.answer import Page, View
from upheld.deliver import view_of
from upheld.errors import Invalid, no_note, shown
from upheld.note import MAX_NAME_CHARS, MAX_QUERY_CHARS, MAX_RECALL, Channel, Standing, instant
from upheld.ports import Clock, Filter, Reading
from upheld.standing import Seq, standings
from upheld.values import canonical_name

When: TypeAlias = datetime | str | None
Known: TypeAlias = datetime | str | Seq | None


LISTED_AT_ONCE = 10_000
_EVERYTHING = Filter()


def count(value: object, field: str, *, most: int = MAX_RECALL) -> int:
    """A whole number from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Invalid(f"{field} must be a whole number from 1 to {most:,}, not {shown(value)}")
    return value


def is_history(mode: object) -> bool:
    """Whether history is asked for; a mode is 'answer' or 'history'."""
    if not isinstance(mode, str) or mode not in ("answer", "history"):
        raise Invalid(f"mode must be 'answer' or 'history', not {shown(mode)}")
    return mode == "history"


def names(value: object, field: str) -> tuple[str, ...]:
    """One name, or several."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple | set | frozenset):
        raise Invalid(f"{field} must be a name or a list of names")
    return tuple(limits.name(each, field) for each in listed)


def narrowed(kinds: object, channels: object, subject: object, attribute: object) -> Filter:
    """The filter of a question; what is empty or None lets everything pass."""
    if type(kinds) is type(channels) is tuple and not (kinds or channels) and subject is None is attribute:
        return _EVERYTHING
    wanted = names(channels, "channels")
    if unknown := set(wanted) - set(Channel):
        raise Invalid(f"unknown channels {shown(sorted(unknown))}; known: {', '.join(Channel)}")
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


class Query(Struct, frozen=True, kw_only=True):
    """A question whose limits were checked, before its moments are settled against a store."""

    text: str
    scopes: tuple[str, ...]
    limit: int
    valid_at: When
    known_at: Known
    mode: str
    applies: Mapping[str, tuple[str, ...]]
    filter: Filter
    budget_tokens: int | None
    for_action: str | None
    direction: bool
    explain: bool

    @property
    def is_latest(self) -> bool:
        """Whether it is about the present, as it is known now."""
        return self.valid_at is None and self.known_at is None


def query(
    text: str,
    *,
    scope: object,
    limit: object,
    valid_at: When,
    known_at: Known,
    mode: str,
    applies: Mapping[str, object] | None,
    filter: Filter,
    budget_tokens: object,
    for_action: object,
    direction: bool,
    explain: bool,
) -> Query:
    """The question that a call asks; `Invalid` names what breaks a limit."""
    is_history(mode)
    return Query(
        text=limits.text(text, "query", MAX_QUERY_CHARS),
        scopes=limits.scopes(scope),
        limit=count(limit, "limit"),
        valid_at=limits.time(valid_at, "valid_at", end_of_day=True),
        known_at=known_at,
        mode=mode,
        applies={} if applies is None else limits.conditions(applies),
        filter=filter,
        budget_tokens=None if budget_tokens is None else count(budget_tokens, "budget_tokens", most=1 << 40),
        for_action=None if for_action is None else limits.name(for_action, "for_action"),
        direction=limits.flag(direction, "direction"),
        explain=limits.flag(explain, "explain"),
    )


def page(
    reading: Reading,
    scopes: Sequence[str],
    kinds: Sequence[str],
    *,
    at: datetime,
    position: Seq,
    how: object,
    limit: int,
    before: Seq | None,
) -> Page:
    """Notes of some scopes through the gate, newest first: those in force, or in history mode all."""
    history = is_history(how)
    shown: list[View] = []
    before = position + 1 if before is None else min(before, position + 1)
    while len(shown) < limit:
        seqs = reading.listed(scopes, kinds, before=before, limit=limit)
        passed = views(reading, seqs, at, position, how)
        wanted = [view for view in passed if history or view.standing is Standing.IN_FORCE]
        fitting = wanted[: limit - len(shown)]
        shown += fitting
        if len(seqs) < limit and len(fitting) == len(wanted):
            return Page(notes=tuple(shown), before=None)
        before = shown[-1].seq if len(shown) == limit else seqs[-1]
    return Page(notes=tuple(shown), before=before)


def every(listed: Callable[..., list[Seq]], scopes: Sequence[str], kinds: Sequence[str] = ()) -> list[Seq]:
    """The positions of all notes of some scopes and kinds (none means any), newest first."""
    found = page = listed(scopes, kinds, before=None, limit=LISTED_AT_ONCE)
    while len(page) == LISTED_AT_ONCE:
        page = listed(scopes, kinds, before=page[-1], limit=LISTED_AT_ONCE)
        found = found + page
    return found


def chain(reading: Reading, note: Seq, position: Seq) -> set[Seq]:
    """A note and all of its supersession chain, before it and after."""
    heads = reading.heads([note], known_at=position).get(note, (note,))
    return {note} | {seq for found in reading.replaced_by(heads, known_at=position).values() for seq in found}


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
    world = reading.world(wanted)
    ruled = standings(world, wanted, valid_at=instant(at), known_at=position)
    found = view_of(world, ruled, reading.notes(ruled), None, show=is_history(how))
    passed = [found[seq] for seq in wanted if seq in found and found[seq].standing is not Standing.ERASED]
    if missing is not None and not passed:
        raise no_note(missing)
    return passed
