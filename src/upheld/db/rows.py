"""How nouns become rows and rows become nouns; the same for every database."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import msgspec

from upheld.note import Certainty, Channel, Event, Evidence, Link, Note, Rel, Source, Verb, instant, moment
from upheld.standing import Recorded, Seq
from upheld.values.text import fold, lower

Row = tuple[Any, ...]
_ENCODER = msgspec.json.Encoder()
_recorded = lru_cache(maxsize=16)(instant)
"""The notes of one transaction share their time of recording."""


def as_json(values: Iterable[object]) -> str:
    """A list as the statements take it."""
    listed = list(values)
    try:
        return _ENCODER.encode(listed).decode()
    except UnicodeEncodeError:  # half a pair of UTF-16, which JSON can only say escaped
        return json.dumps(listed)


def folded(statement: str) -> str:
    """A statement with case, Unicode form, spacing and invisible signs apart."""
    if statement.isascii():
        return " ".join(statement.lower().split())
    return " ".join(lower(fold(statement)).split())


@lru_cache(maxsize=8192)  # a write asks for it twice: to find an equal statement, and to keep it
def digest(scope: str, statement: str) -> int:
    """A signed 64-bit digest that finds an equal statement in a scope; equality is checked after."""
    raw = blake2b(f"{scope}\0{folded(statement)}".encode(), digest_size=8).digest()
    return int.from_bytes(raw, "big", signed=True)


def conditions(applies_when: Mapping[str, tuple[str, ...]]) -> str:
    """Conditions as JSON, keys sorted."""
    if not applies_when:
        return "{}"
    return json.dumps({name: list(values) for name, values in sorted(applies_when.items())}, ensure_ascii=False)


def sources(found: tuple[Source, ...]) -> str:
    """Sources as JSON."""
    if not found:
        return "[]"
    return json.dumps(
        [{name: getattr(source, name) for name in Source.__struct_fields__} for source in found],
        ensure_ascii=False,
    )


def note_row(note: Note, words: int) -> Row:
    """A note as the row of table `note`."""
    return (
        note.seq,
        note.id,
        note.scope,
        note.kind,
        note.statement,
        note.subject,
        note.attribute,
        note.value,
        note.subject_key,
        note.attribute_key,
        note.value_key,
        int(note.single),
        conditions(note.applies_when),
        str.__str__(note.certainty),
        str.__str__(note.channel),
        note.by,
        note.confidence,
        None if note.valid_from is None else instant(note.valid_from),
        None if note.valid_to is None else instant(note.valid_to),
        None if note.observed_at is None else instant(note.observed_at),
        None if note.expires_at is None else instant(note.expires_at),
        _recorded(note.recorded_at),
        note.generation,
        sources(note.sources),
        digest(note.scope, note.statement),
        words,
    )


_CERTAINTY = {member.value: member for member in Certainty}
_CHANNEL = {member.value: member for member in Channel}


def note_of(row: Row) -> Note:
    """The note that a row of table `note` holds."""
    return Note(
        seq=row[0],
        id=row[1],
        scope=row[2],
        kind=row[3],
        statement=row[4],
        subject=row[5],
        attribute=row[6],
        value=row[7],
        subject_key=row[8],
        attribute_key=row[9],
        value_key=row[10],
        single=bool(row[11]),
        applies_when={} if row[12] == "{}" else {name: tuple(v) for name, v in json.loads(row[12]).items()},
        certainty=_CERTAINTY[row[13]],
        channel=_CHANNEL[row[14]],
        by=row[15],
        confidence=row[16],
        valid_from=None if row[17] is None else moment(row[17]),
        valid_to=None if row[18] is None else moment(row[18]),
        observed_at=None if row[19] is None else moment(row[19]),
        expires_at=None if row[20] is None else moment(row[20]),
        recorded_at=moment(row[21]),
        generation=row[22],
        sources=()
        if row[23] == "[]"
        else tuple(Source(**{**each, "channel": Channel(each["channel"])}) for each in json.loads(row[23])),
    )


def notes_of(found: Iterable[Row]) -> dict[Seq, Note]:
    """The notes that rows of table `note` hold. A damaged row costs itself: the others are there."""
    notes: dict[Seq, Note] = {}
    for row in found:
        with suppress(ValueError, TypeError, KeyError, AttributeError):
            notes[row[0]] = note_of(row)
    return notes


def recorded_of(row: Row) -> Recorded:
    """What the rule needs to know of the note that a row of table `note` holds."""
    return Recorded(row[0], row[17], row[18], row[20], row[13], row[19], row[21], row[1], row[2], row[3])


def link_row(link: Link) -> Row:
    """A link as the row of table `link`."""
    return (
        link.seq,
        link.origin,
        link.rel.value,
        link.target,
        int(link.authored),
        link.actor,
        link.reason,
        instant(link.at),
    )


def link_of(row: Row) -> Link:
    """The link that a row of table `link` holds."""
    return Link(
        seq=row[0],
        origin=row[1],
        rel=Rel(row[2]),
        target=row[3],
        authored=bool(row[4]),
        actor=row[5],
        reason=row[6],
        at=moment(row[7]),
    )


def evidence(found: Evidence) -> str:
    """Evidence as JSON."""
    return json.dumps({name: getattr(found, name) for name in Evidence.__struct_fields__}, ensure_ascii=False)


def event_row(event: Event) -> Row:
    """An event as the row of table `event`."""
    return (
        event.seq,
        event.note,
        event.verb.value,
        event.actor,
        event.reason,
        None if event.effective_from is None else instant(event.effective_from),
        event.against,
        event.undoes,
        instant(event.at),
        None if event.evidence is None else evidence(event.evidence),
    )


def event_of(row: Row) -> Event:
    """The event that a row of table `event` holds."""
    return Event(
        seq=row[0],
        note=row[1],
        verb=Verb(row[2]),
        actor=row[3],
        reason=row[4],
        effective_from=None if row[5] is None else moment(row[5]),
        against=row[6],
        undoes=row[7],
        at=moment(row[8]),
        evidence=None if row[9] is None else Evidence(**json.loads(row[9])),
    )
