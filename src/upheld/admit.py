"""The check at the door: is a draft well formed, and does its evidence exist? Pure; nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from upheld import evidence, keys, limits, note, values
from upheld.doubt import is_guess
from upheld.errors import Invalid, Refused, shown
from upheld.note import Certainty, Channel, Draft, Key, Note, Source
from upheld.policy import Policy

_MAY_CONFIRM = frozenset({Channel.SYSTEM_OF_RECORD, Channel.DOCUMENT, Channel.PERSON})
_CERTAINTIES = {member.value: member for member in Certainty}
_TEXT_FIELDS = ("statement", "scope", "by", "kind", "value", "reason", "id", "idempotency_key")
_TEXTS = attrgetter(*_TEXT_FIELDS)
_PLAIN = frozenset({str, type(None)})
_LINKS = ("supersedes", "alongside", "depends_on", "derived_from", "led_by")


Times: TypeAlias = tuple[datetime | None, datetime | None, datetime | None, datetime | None]
"""When it begins and ends to hold, when it was seen, when it expires."""
_NO_TIMES: Times = (None, None, None, None)


class Admitted(Struct, frozen=True, kw_only=True, gc=False):
    """A draft that passed, with everything resolved that does not depend on the store."""

    draft: Draft
    kind: str
    channel: Channel
    certainty: Certainty
    confidence: float
    subject: str | None
    attribute: str | None
    value: str | None
    subject_key: str | None
    attribute_key: str | None
    value_key: str | None
    single: bool
    applies_when: Mapping[str, tuple[str, ...]]
    sources: tuple[Source, ...]
    times: Times

    def recorded(self, *, seq: int, id: str, at: datetime, generation: int) -> Note:
        """The note that this becomes at a position of the log. `Invalid` if it was seen later than it is written."""
        draft = self.draft
        valid_from, valid_to, observed_at, expires_at = self.times
        if observed_at is not None and observed_at > at:
            raise Invalid("observed_at is in the future: nobody saw that yet; valid_from may be")
        return Note(
            seq=seq,
            id=id,
            scope=draft.scope,
            kind=self.kind,
            statement=draft.statement,
            subject=self.subject,
            attribute=self.attribute,
            value=self.value,
            subject_key=self.subject_key,
            attribute_key=self.attribute_key,
            value_key=self.value_key,
            single=self.single,
            applies_when=self.applies_when,
            certainty=self.certainty,
            channel=self.channel,
            by=draft.by,
            confidence=self.confidence,
            valid_from=valid_from,
            valid_to=valid_to,
            observed_at=observed_at,
            expires_at=expires_at,
            recorded_at=at,
            generation=generation,
            sources=self.sources,
        )


def admit(draft: object, policy: Policy, *, now: datetime, trust: Channel = Channel.SYSTEM_OF_RECORD) -> Admitted:
    """Check a draft against every limit and rule that needs no store.

    `trust` caps the channel, whatever the draft claims of itself: an import lets no line rise above it.

    Raises `Invalid` for bad input, `EvidenceMissing` for a quote that is not in its original, `HedgeLost` where
    a source is unsure and the statement is not, `Refused` where a channel may not confirm.
    """
    if not isinstance(draft, Draft):
        raise Invalid(f"expected a Draft, not {type(draft).__name__}")
    draft = _plain(draft)
    limits.statement(draft.statement)
    limits.scope(draft.scope)
    channel = limits.channel_of(draft.by)
    if policy.outranks(channel, trust):
        channel = trust
    _check_names(draft)
    guess = is_guess(draft.statement)
    certainty = _certainty(draft, guess)
    if certainty is Certainty.CONFIRMED and channel not in _MAY_CONFIRM:
        raise Refused(f"{draft.by!r} may not call a note confirmed; a person, document or system of record may")
    keyed = _key(draft, policy)
    kind = draft.kind or ("hypothesis" if certainty is Certainty.HYPOTHESIS else "default")
    first = policy.first_confidence[certainty]
    return Admitted(
        draft=draft,
        kind=kind,
        channel=channel,
        certainty=certainty,
        confidence=first if draft.confidence is None else limits.confidence(draft.confidence, first),
        applies_when=limits.conditions(draft.applies_when),
        sources=evidence.sources(draft.sources, unsure=guess or certainty is Certainty.HYPOTHESIS),
        times=_times(draft, policy.kind(kind).ttl, now),
        subject=keyed.subject,
        attribute=keyed.attribute,
        value=keyed.value,
        subject_key=keyed.subject_key,
        attribute_key=keyed.attribute_key,
        value_key=keyed.value_key,
        single=keyed.single,
    )


def _plain(draft: Draft) -> Draft:
    """The draft with every text as exactly `str`, so that what derives from it enters no store and no cache."""
    given = _TEXTS(draft)
    if _PLAIN.issuperset(map(type, given)):
        return draft
    exact = (limits.exact(text) if isinstance(text, str) else text for text in given)
    return replace(draft, **dict(zip(_TEXT_FIELDS, exact, strict=True)))


def _times(draft: Draft, ttl: timedelta | None, now: datetime) -> Times:
    """The draft's times in UTC; a kind's TTL runs from now."""
    if ttl is None and draft.valid_from is draft.valid_to is draft.observed_at is draft.expires_at is None:
        return _NO_TIMES
    begins, ends, seen, expires = (
        None if time is None else limits.time(time, field)
        for time, field in (
            (draft.valid_from, "valid_from"),
            (draft.valid_to, "valid_to"),
            (draft.observed_at, "observed_at"),
            (draft.expires_at, "expires_at"),
        )
    )
    if begins is not None and ends is not None and ends <= begins:
        raise Invalid("valid_to must be after valid_from: a period is half-open, [valid_from, valid_to)")
    if expires is None and ttl is not None:
        try:
            expires = now + ttl
        except OverflowError:
            raise Invalid("the kind's ttl ends after the year 9999; give expires_at") from None
    return (begins, ends, seen, expires)


def _check_names(draft: Draft) -> None:
    linked = (draft.supersedes, draft.alongside, draft.depends_on, draft.derived_from, draft.led_by)
    for field, named in zip(_LINKS, linked, strict=True):
        if type(named) is tuple and not named:
            continue
        if not isinstance(named, tuple | list):
            raise Invalid(f"{field} must be a list of ids, not {shown(named)}")
        if len(named) > note.MAX_LINKS:
            raise Invalid(f"{field} names {len(named)} notes; at most {note.MAX_LINKS} fit in one write")
        if not all(isinstance(id, str) for id in named):
            raise Invalid(f"{field} must name notes by their ids")
    if draft.id is not None:
        limits.name(draft.id, "id")
    if draft.idempotency_key is not None:
        limits.name(draft.idempotency_key, "idempotency_key")
    if draft.kind is not None:
        limits.name(draft.kind, "kind")
    if draft.reason is not None:
        limits.text(draft.reason, "reason", note.MAX_REASON_CHARS)


def _certainty(draft: Draft, guess: bool) -> Certainty:
    if draft.certainty is None:
        return Certainty.HYPOTHESIS if guess or draft.kind == "hypothesis" else Certainty.REPORTED
    if not isinstance(draft.certainty, str) or draft.certainty not in _CERTAINTIES:
        raise Invalid(f"certainty must be one of {', '.join(_CERTAINTIES)}, not {shown(draft.certainty)}")
    return _CERTAINTIES[draft.certainty]


class _Keyed(NamedTuple):
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    subject_key: str | None = None
    attribute_key: str | None = None
    value_key: str | None = None
    single: bool = False


_NO_KEY = _Keyed()


def _key(draft: Draft, policy: Policy) -> _Keyed:
    """What the statement is about: as the caller says, else as its grammar says, else nothing.

    A subject without an attribute is no key: it says what the statement is about, for recall.
    """
    value: str | None
    if draft.value is not None and draft.key is None:
        raise Invalid("a value needs the key that it is the value of: give key=, or leave value out")
    if draft.pointer is not False:
        _check_pointer(draft)
    if draft.key is not None:
        subject, attribute, single, value = _given(draft)
    elif limits.flag(draft.extract_key, "extract_key"):
        found, topic = keys.read(draft.statement)
        if found is None:
            return _NO_KEY if topic is None else _Keyed(subject=topic, subject_key=values.canonical_name(topic))
        subject, attribute, value = found.subject, found.attribute, found.value
        single = policy.is_single(values.canonical_name(attribute), found.ends)
    else:
        return _NO_KEY
    return _Keyed(
        subject=subject,
        attribute=attribute,
        value=value,
        subject_key=values.canonical_name(subject),
        attribute_key=values.canonical_name(attribute),
        value_key=None if value is None else values.canonical(value),
        single=single,
    )


def _check_pointer(draft: Draft) -> None:
    if draft.pointer is not True:
        raise Invalid(f"pointer must be True or False, not {shown(draft.pointer)}")
    if draft.key is None or draft.value is not None:
        raise Invalid("a pointer needs a key, and no value: that is read from its owner")


def _given(draft: Draft) -> tuple[str, str, bool, str | None]:
    """A caller's own key and value, checked."""
    key = draft.key
    if not isinstance(key, Key) or not isinstance(key.single, bool):
        raise Invalid("key must be a Key(subject=..., attribute=..., single=True or False)")
    if draft.value is None and not draft.pointer:
        raise Invalid("a key needs a value to compare; give value=, or leave key out")
    subject, attribute = limits.name(key.subject, "key.subject"), limits.name(key.attribute, "key.attribute")
    if not values.canonical_name(subject) or not values.canonical_name(attribute):
        raise Invalid("a key needs a subject and an attribute with visible characters")
    value = None if draft.pointer else limits.text(draft.value, "value", note.MAX_STATEMENT_BYTES)
    return subject, attribute, key.single, value
