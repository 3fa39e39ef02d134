"""The decision to write: what a new statement does to the notes of its key. Pure.

In this order: a hypothesis changes nothing; an equal value confirms; the key rule (one subject, one attribute, one
value at a time) retires what came earlier. Order is by *event time*, not by arrival:

    both known      the later one stands; an older one that arrives late becomes history
    one known       the known one stands: an unknown time never beats a known one
    both unknown    the later arrival stands

Whoever is less trusted, or covers fewer conditions, never retires the other: it opens a dispute against itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from msgspec import Struct

from upheld.note import Certainty, Note, Standing, instant
from upheld.policy import Policy
from upheld.standing import IN_FORCE, Ruling
from upheld.values import Relation, canonical, relation
from upheld.values.times import DAYS, MONTHS

LIVING = frozenset({Standing.IN_FORCE, Standing.NOT_YET, Standing.NEEDS_CHECK, Standing.STALE, Standing.DISPUTED})
"""What stands, or may come to stand though nothing is said of it again: by time, or with what it rests on."""
_ENDS = frozenset(("until", "by", "for"))
_TIMING = _ENDS | {"in", "on", "at"}
_TIME_NAMES = DAYS | MONTHS.keys()
_UNNAMED = frozenset(("use", "moved to"))  # keys of moves that do not say what moved
_LEFT = re.compile(r"\bfrom (.+?) to ")
_GONE = frozenset({Standing.ERASED, Standing.RETRACTED, Standing.CONTRADICTED})


class Rival(Struct, frozen=True):
    """A note that a new one may have to give way to or retire, with its ruling now.

    `authored_end` says that an author replaced it; `seen_at` is when it was last confirmed.
    """

    note: Note
    ruling: Ruling
    authored_end: bool = False
    seen_at: datetime | None = None

    @property
    def latest(self) -> datetime | None:
        """The last time at which it is known to have held."""
        times = [time for time in (self.note.event_time, self.seen_at) if time is not None]
        return max(times, default=None)

    @property
    def stands(self) -> bool:
        """Whether it is in force."""
        return self.ruling is IN_FORCE

    @property
    def lives(self) -> bool:
        """Whether it is in force, will be, or would be but for what it rests on or who disputes it."""
        return self.ruling.standing in LIVING


class Plan(Struct, frozen=True, kw_only=True):
    """What a new note does to those that are there.

    `instead` is the note that already says it, `superseded_by` the later ones that replace it, the next first,
    `disputes` those that it contradicts and may not retire, `doubts` those that contradict it, are later, and may
    not retire it.
    """

    outcome: str = "added"
    instead: Note | None = None
    refreshes: bool = False
    supersedes: tuple[Note, ...] = ()
    superseded_by: tuple[Note, ...] = ()
    disputes: tuple[Note, ...] = ()
    doubts: tuple[Note, ...] = ()


def covers(wide: Mapping[str, tuple[str, ...]], narrow: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a note under the conditions `wide` holds wherever one under `narrow` does."""
    return all(name in narrow and set(narrow[name]) <= set(allowed) for name, allowed in wide.items())


def overlap(first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether some situation meets both sets of conditions.

    >>> overlap({"environment": ("production",)}, {"environment": ("staging",)})
    False
    """
    if not (first and second):  # as most are
        return True
    return all(set(first[name]) & set(second[name]) for name in first.keys() & second.keys())


def relate(note: Note, rivals: Sequence[Rival], policy: Policy, *, authored: bool = False) -> Plan:
    """Decide what a keyed note does to the notes of its key. Pure.

    `rivals` are the notes of the same key in the same scope, and in-force ends of their chains. An `authored` note is
    written whatever was said before, so what it contradicts is settled even where another note says the same.
    """
    if note.certainty is Certainty.HYPOTHESIS:
        return Plan(outcome="proposed")
    met = [r for r in rivals if overlap(r.note.applies_when, note.applies_when) and r.ruling.standing not in _GONE]
    guesses = tuple(r.note for r in met if r.note.certainty is Certainty.HYPOTHESIS)
    firm = [r for r in met if r.note.certainty is not Certainty.HYPOTHESIS]
    related = [(r, _relation(r.note, note, policy)) for r in firm]
    against = [r for r, found in related if found is Relation.CONFLICT]
    equal = [r for r, found in related if found is Relation.SAME]
    for rival in () if authored else sorted(equal, key=lambda r: r.note.seq, reverse=True):
        if rival.authored_end and repeats(note, rival.note):
            return Plan(outcome="history", instead=rival.note)
        if rival.stands and confirms(rival.note, note):
            # An echo from a less trusted channel is kept, but does not make the note look fresh.
            refreshes = note.event_time is not None and not policy.outranks(rival.note.channel, note.channel)
            return Plan(outcome="confirmed", instead=rival.note, refreshes=refreshes)
    after = [r for r in (*against, *equal) if _is_later(r.latest, note)]
    later = [r.note for r in after if _may_retire(r.note, note, policy)]
    doubts = tuple(r.note for r in after if r.note not in later and r in against and r.lives)
    earlier = [r for r in against if r not in after]
    retired = _to_retire([r for r in earlier if _may_retire(note, r.note, policy)])
    blocking = [r for r in earlier if not _may_retire(note, r.note, policy)]
    if later:
        # What it may not retire may have stood between the two: then, the new note is open beside it.
        return Plan(
            outcome="history",
            supersedes=retired,
            superseded_by=tuple(sorted(later, key=_order)),
            disputes=tuple(r.note for r in blocking),
            doubts=doubts,
        )
    if disputes := tuple(r.note for r in blocking if r.lives):
        return Plan(outcome="disputed", disputes=disputes, doubts=doubts)
    retired += guesses
    return Plan(outcome="superseded" if retired else "added", supersedes=retired, doubts=doubts)


def _may_retire(newer: Note, older: Note, policy: Policy) -> bool:
    """Whether a note may take the place of one that it contradicts and that is not known to be later."""
    return (
        not policy.outranks(older.channel, newer.channel)
        and (newer.event_time is not None or older.event_time is None)
        and covers(newer.applies_when, older.applies_when)
    )


def _relation(old: Note, new: Note, policy: Policy) -> Relation:
    if (old.subject_key, old.attribute_key) != (new.subject_key, new.attribute_key):
        # The end of a chain that left this key by an authored link: it holds what the key's value became.
        return Relation.COMPATIBLE if old.value_key == new.value_key else Relation.CONFLICT
    single = old.single and new.single
    found = relation(old.value_key or "", new.value_key or "", single=single)
    if found is Relation.SAME:
        return _of_another_time(old, new, single=single)
    if found is Relation.CONFLICT and not policy.is_single(new.attribute_key or "", False) and _two_moves(old, new):
        return Relation.COMPATIBLE
    return found


def _two_moves(one: Note, other: Note) -> bool:
    """Whether each of two moves may have left a value of its own: *from Jenkins to GitLab*, *from MySQL to Redis*.

    A move *from GitLab* would have left what the first one says.
    """
    values = one.value_key or "", other.value_key or ""
    if one.attribute_key not in _UNNAMED or any(value.startswith("not ") for value in values):
        return False
    left = [_LEFT.search(each.statement) for each in (other, one)]
    ways = [(found[1], value) for found, value in zip(left, values, strict=True) if found is not None]
    return bool(ways) and not any(_names(was, value) for was, value in ways)


def _names(left: str, value: str) -> bool:
    """Whether what was left is that value, perhaps in more words or fewer."""
    words, others = set(canonical(left).split()), set(value.split())
    return words <= others or others <= words


def _of_another_time(old: Note, new: Note, *, single: bool) -> Relation:
    """What two statements with one value are that may say different days behind it.

    Another end is another statement: *on leave until May*, *until August*. Another day may be another event.
    """
    before, after = _time_behind(old), _time_behind(new)
    if not (before and after) or before.startswith(after) or after.startswith(before):
        return Relation.SAME
    return Relation.CONFLICT if single and after.split()[0] in _ENDS else Relation.COMPATIBLE


def _time_behind(note: Note) -> str:
    """What a statement says behind its value, if that names a day or an hour and is no *since*."""
    value = note.value or ""
    _, found, tail = note.statement.rpartition(value) if value else ("", "", "")
    words = tail.strip(" .!").lower().split() if found else []
    dated = any(word[0].isdigit() or word.strip(",.") in _TIME_NAMES for word in words)
    return " ".join(words) if dated and words[0] in _TIMING else ""


def _order(note: Note) -> tuple[int, int]:
    return (0 if note.event_time is None else instant(note.event_time), note.seq)


def _is_later(known: datetime | None, new: Note) -> bool:
    """Whether a note that is already there is known to have held after a new one began."""
    return known is not None and new.event_time is not None and known > new.event_time


def confirms(old: Note, new: Note) -> bool:
    """Whether an equal statement adds nothing but its own agreement."""
    if old.kind == "episode" and new.event_time is not None and new.event_time != old.event_time:
        return False
    return not _is_later(old.event_time, new) and old.applies_when == new.applies_when and old.kind == new.kind


def repeats(new: Note, old: Note) -> bool:
    """Whether a statement brings nothing that was not known when the old one was replaced."""
    return new.event_time is None or (old.event_time is not None and new.event_time <= old.event_time)


def _to_retire(earlier: Sequence[Rival]) -> tuple[Note, ...]:
    """Those not yet superseded, and of the superseded the last: so every moment has one value, whatever arrives."""
    open_ends = [r.note for r in earlier if r.ruling.standing is not Standing.SUPERSEDED]
    closed = [r.note for r in earlier if r.ruling.standing is Standing.SUPERSEDED]
    return (*open_ends, *([max(closed, key=_order)] if closed else ()))
