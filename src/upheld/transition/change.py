"""One set of changes: what it rests on, what was there, what would be added and what would fall."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from upheld import keys, values
from upheld.note import Channel, Citation, Draft, Note
from upheld.transition.words import plain, sentences

__all__ = ["Ground", "Keyed", "Kind", "Problem", "Span", "Transition", "keyed", "overlaps", "spans"]


class Kind(StrEnum):
    """Which of the three questions a set of changes fails."""

    COVERAGE = "coverage"
    PRESERVATION = "preservation"
    FAITHFULNESS = "faithfulness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A text that a set of changes rests on: a message, a record, an input note. `ref` is what sources cite.

    `at` is when it was said. `asks` True: the caller declares that something of it has to be written; False: nothing
    has to be; None: its sentences tell, by code.
    """

    ref: str
    text: str
    at: datetime | None = None
    channel: Channel = Channel.PERSON
    asks: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """What one write would do, as a whole.

    `before` are the standing notes of the scopes that it touches, `retires` the ids of those that would fall by an
    ending or a link beside what `drafts` supersede by name.
    """

    evidence: Sequence[Ground]
    drafts: Sequence[Draft]
    before: Sequence[Note] = ()
    retires: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a set of changes is not written. `subject` is a draft's place, a note's id or a ground's ref."""

    kind: Kind
    subject: int | str
    why: str


@dataclass(frozen=True, slots=True)
class Keyed:
    """What a draft is about, in the forms that the key rule compares; None where that is not known."""

    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    said: str | None = None
    conditions: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def has_key(self) -> bool:
        """Whether it has a subject and an attribute."""
        return self.subject is not None and self.attribute is not None


@dataclass(frozen=True, slots=True)
class Span:
    """The sentences of a ground that a draft rests on: those that it cites, and the one behind them."""

    cited: tuple[str, ...]
    whole: tuple[str, ...]
    at: datetime | None
    channel: Channel


def keyed(draft: Draft) -> Keyed:
    """Read the key of a draft as `admit` does: as the caller says, else as its grammar says."""
    conditions = {str(name): frozenset(_listed(given)) for name, given in draft.applies_when.items()}
    if draft.key is not None:
        value = None if draft.value is None else values.canonical(draft.value)
        subject, attribute = values.canonical_name(draft.key.subject), values.canonical_name(draft.key.attribute)
        return Keyed(subject, attribute, value, draft.value, conditions)
    found = keys.extract(plain(draft.statement)) if draft.extract_key else None
    if found is None:
        return Keyed(conditions=conditions)
    subject, attribute = values.canonical_name(found.subject), values.canonical_name(found.attribute)
    return Keyed(subject, attribute, values.canonical(found.value), found.value, conditions)


def _listed(given: object) -> list[str]:
    return [str(each) for each in given] if isinstance(given, list | tuple | set | frozenset) else [str(given)]


def overlaps(keyed: Keyed, note: Note) -> bool:
    """Whether some situation meets the conditions of a draft and of a note."""
    both = keyed.conditions.keys() & note.applies_when.keys()
    return all(keyed.conditions[name] & set(note.applies_when[name]) for name in both)


def spans(transition: Transition, draft: Draft) -> list[Span]:
    """What a draft rests on: what its sources cite, its inputs, or else all the evidence there is."""
    grounds = {ground.ref: ground for ground in transition.evidence}
    notes = {note.id: note for note in transition.before}
    found: list[Span] = []
    for source in draft.sources:
        ground = grounds.get(source.ref)
        if isinstance(source, Citation):
            quote = source.quote if source.quote is not None else source.original[source.start or 0 : source.end]
            text = source.original
        else:
            quote, text = source.excerpt or "", source.excerpt or ""
        if ground is not None and quote in ground.text:
            text = ground.text
        if quote:
            at, channel = (ground.at, ground.channel) if ground is not None else (None, source.channel)
            found.append(_span(text, quote, at, channel))
    for id in draft.derived_from:
        if (ground := grounds.get(id)) is not None:
            found.append(_span(ground.text, ground.text, ground.at, ground.channel))
        elif id in notes:
            note = notes[id]
            found.append(_span(note.statement, note.statement, note.event_time, note.channel))
    if found:
        return found
    return [_span(ground.text, ground.text, ground.at, ground.channel) for ground in transition.evidence]


def _span(text: str, quote: str, at: datetime | None, channel: Channel) -> Span:
    """The whole sentences that a quote touches: it may not be cut so that its doubt stays behind."""
    text, quote = plain(text), plain(quote)
    start = text.find(quote)
    end = start + len(quote)
    cited: list[str] = []
    whole = sentences(text)
    place = 0
    behind = ""
    for sentence in whole:
        begins = text.find(sentence, place)
        place = begins + len(sentence)
        if begins < end and place > start:
            cited.append(sentence)
        elif begins >= end and not behind:
            behind = sentence
    return Span(tuple(cited), (*cited, *([behind] if behind else ())), at, channel)
