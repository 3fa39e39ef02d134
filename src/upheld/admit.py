"""The check at the door: is a draft well formed, and does its evidence exist? Pure; nothing is written here.

Every limit of the library is enforced here and stated in `note.py`. What fails raises `Invalid` or `Refused` with
the fix in its message, before any store is touched.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from typing import TypedDict

from upheld import keys, note, values
from upheld.doubt import holds_doubt, is_guess
from upheld.errors import EvidenceMissing, HedgeLost, Invalid, NaiveTime, Refused
from upheld.note import Certainty, Channel, Citation, Draft, Note, Source
from upheld.policy import Policy

_CHANNEL_OF = {
    "system": Channel.SYSTEM_OF_RECORD,
    "document": Channel.DOCUMENT,
    "person": Channel.PERSON,
    "user": Channel.PERSON,
    "tool": Channel.TOOL,
    "agent": Channel.AGENT,
}
_MAY_CONFIRM = frozenset({Channel.SYSTEM_OF_RECORD, Channel.DOCUMENT, Channel.PERSON})
_TIMES = ("valid_from", "valid_to", "observed_at", "expires_at")
_LINKS = ("supersedes", "alongside", "depends_on", "derived_from")
_TEXTS = (("reason", note.MAX_REASON_CHARS), ("id", note.MAX_NAME_CHARS), ("idempotency_key", note.MAX_NAME_CHARS))
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?")
_INVISIBLE = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp", "Mn", "Me"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
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
    ttl: timedelta | None

    def recorded(self, *, seq: int, id: str, at: datetime, generation: int) -> Note:
        """The note that this becomes at a position of the log. A kind's TTL runs from `at`."""
        draft = self.draft
        expires_at = draft.expires_at
        if expires_at is None and self.ttl is not None:
            expires_at = at + self.ttl
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
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            observed_at=draft.observed_at,
            expires_at=expires_at,
            recorded_at=at,
            generation=generation,
            sources=self.sources,
        )


def admit(draft: Draft, policy: Policy, trust: Channel = Channel.SYSTEM_OF_RECORD) -> Admitted:
    """Check a draft against every limit and rule that needs no store.

    `trust` caps the channel, whatever the draft claims of itself: an import lets no line rise above it.

    Raises `Invalid` for bad input, `EvidenceMissing` for a quote that is not in its original, `HedgeLost` where
    a source is unsure and the statement is not, `Refused` where a channel may not confirm.
    """
    statement(draft.statement)
    scope(draft.scope)
    channel = channel_of(draft.by)
    if policy.outranks(channel, trust):
        channel = trust
    _check_times(draft)
    for field in _LINKS:
        if len(getattr(draft, field)) > note.MAX_LINKS:
            raise Invalid(
                f"{field} names {len(getattr(draft, field))} notes; at most {note.MAX_LINKS} fit in one write"
            )
    for field, limit in _TEXTS:
        text(getattr(draft, field), field, limit)
    if draft.id is not None and not draft.id.strip():
        raise Invalid("an id may not be empty")
    hedged = is_guess(draft.statement)
    certainty = _certainty(draft, hedged)
    if certainty is Certainty.CONFIRMED and channel not in _MAY_CONFIRM:
        raise Refused(f"{draft.by!r} may not call a note confirmed; a person, document or system of record may")
    kind = draft.kind or ("hypothesis" if certainty is Certainty.HYPOTHESIS else "default")
    rules = policy.kind(kind)
    return Admitted(
        draft=draft,
        kind=kind,
        channel=channel,
        certainty=certainty,
        confidence=confidence(draft.confidence, policy.first_confidence[certainty]),
        applies_when=conditions(draft.applies_when),
        sources=sources(draft.sources, hedged or certainty is Certainty.HYPOTHESIS),
        ttl=rules.ttl,
        **_key(draft, policy),
    )


def _check_times(draft: Draft) -> None:
    for field in _TIMES:
        if getattr(draft, field) is not None:
            time(getattr(draft, field), field)
    if draft.valid_from is not None and draft.valid_to is not None and draft.valid_to <= draft.valid_from:
        raise Invalid("valid_to must be after valid_from: a period is half-open, [valid_from, valid_to)")


def statement(value: object) -> None:
    """Refuse what is not a statement: no text, nothing visible, over 16 KiB, NUL, lone surrogates."""
    if not isinstance(value, str):
        raise Invalid(f"a statement must be text, not {type(value).__name__}")
    encoded(value, "statement")
    size = len(value.encode())
    if size > note.MAX_STATEMENT_BYTES:
        raise Invalid(f"the statement has {size:,} bytes; at most {note.MAX_STATEMENT_BYTES:,} fit: split it")
    if not value.isascii():
        if all(unicodedata.category(c) in _INVISIBLE for c in value):
            raise Invalid("the statement is empty: it has no visible character")
    elif not value.strip():
        raise Invalid("the statement is empty")


def encoded(value: str, field: str) -> None:
    """Refuse text that databases and files cannot hold: NUL and lone surrogates."""
    if "\0" in value:
        raise Invalid(f"the {field} holds a NUL character; remove it")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"the {field} holds half of a surrogate pair at character {error.start}") from None


def text(value: object, field: str, limit: int) -> None:
    """Refuse what is neither None nor text of at most `limit` characters."""
    if value is None:
        return
    if not isinstance(value, str):
        raise Invalid(f"{field} must be text, not {type(value).__name__}")
    encoded(value, field)
    if len(value) > limit:
        raise Invalid(f"{field} has {len(value):,} characters; at most {limit:,} fit")


@lru_cache(maxsize=4096)
def scope(value: object) -> str:
    """Refuse a scope that names nothing. There is no wildcard and no prefix: a scope is read by its whole name."""
    text(value, "scope", note.MAX_NAME_CHARS)
    if not isinstance(value, str) or not value.strip():
        raise Invalid("a scope must be a non-empty name such as 'user/42' or 'project/orders'")
    if not value.isprintable():
        raise Invalid(f"the scope {value!r} holds control characters")
    return value


def scopes(value: str | Sequence[str]) -> tuple[str, ...]:
    """One scope or several, each once."""
    found = (value,) if isinstance(value, str) else tuple(value or ())
    if not found or len(found) > note.MAX_SCOPES:
        raise Invalid(f"name from 1 to {note.MAX_SCOPES} scopes; there is no 'everything'")
    return tuple(dict.fromkeys(scope(each) for each in found))


@lru_cache(maxsize=4096)
def channel_of(by: object) -> Channel:
    """The channel of an actor written as `channel:name`, for example `person:ana` or `agent:planner`."""
    text(by, "by", note.MAX_NAME_CHARS)
    prefix, colon, name = by.partition(":") if isinstance(by, str) else ("", "", "")
    if not colon or not name.strip() or prefix not in _CHANNEL_OF:
        raise Invalid(f"by={by!r} must be one of {', '.join(sorted(_CHANNEL_OF))}, a colon and a name: person:ana")
    return _CHANNEL_OF[prefix]


def time(value: object, field: str, *, end_of_day: bool = False) -> datetime | None:
    """An aware time in UTC, or None. A time without an offset is refused: it is never taken as local.

    Text may be RFC 3339 with an offset, or a date: its first moment in UTC, or its last with `end_of_day`.

    >>> time("2026-03-31", "known_at", end_of_day=True).isoformat()
    '2026-03-31T23:59:59.999999+00:00'
    """
    if value is None:
        return None
    if isinstance(value, str):
        value = _read_time(value, field, end_of_day)
    if not isinstance(value, datetime):
        raise Invalid(f"{field} must be a datetime or text, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise NaiveTime(f"{field} has no offset; write for example {value.isoformat()}+00:00")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise Invalid(f"{field} is outside the years 1 to 9999 in UTC") from None


def _read_time(value: str, field: str, end_of_day: bool) -> datetime:
    try:
        if _DATE.fullmatch(value):
            first = datetime.fromisoformat(f"{value}T00:00:00+00:00")
            return first + timedelta(days=1, microseconds=-1) if end_of_day else first
        if _TIME.fullmatch(value):
            return datetime.fromisoformat(value)
    except (ValueError, OverflowError):
        pass
    raise Invalid(f"{field}={value[:40]!r} is not a time: write 2026-03-31 or 2026-03-31T10:15:00+00:00")


def confidence(value: object, default: float) -> float:
    """A finite number from 0 to 1."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= 1:
        raise Invalid(f"confidence must be a number from 0 to 1, not {value!r}")
    return float(value)


def conditions(value: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Conditions as names with one or more values: {"environment": "production"} or {"env": ["a", "b"]}."""
    if not value:
        return {}
    if len(value) > note.MAX_CONDITIONS:
        raise Invalid(f"at most {note.MAX_CONDITIONS} conditions fit; {len(value)} were given")
    found: dict[str, tuple[str, ...]] = {}
    for name, allowed in value.items():
        listed = [allowed] if isinstance(allowed, str) else list(allowed) if isinstance(allowed, Iterable) else []
        if not listed:
            raise Invalid(f"the condition {name!r} needs a text or a list of texts")
        for each in (name, *listed):
            text(each, f"condition {name!r}", note.MAX_NAME_CHARS)
        found[name] = tuple(sorted({str(each) for each in listed}))
    return found


def sources(offered: Sequence[Citation | Source], statement_is_unsure: bool) -> tuple[Source, ...]:
    """Cut each citation's excerpt from its original; refuse quotes that are not there and hedges that vanished."""
    if not offered:
        return ()
    found = tuple(cite(each) if isinstance(each, Citation) else each for each in offered)
    if len(found) > note.MAX_SOURCES:
        raise Invalid(f"{len(found)} sources; at most {note.MAX_SOURCES} fit")
    for source in found:
        if source.excerpt is not None and not statement_is_unsure and holds_doubt(source.excerpt):
            raise HedgeLost(
                f"the source {source.ref!r} is unsure ({source.excerpt[:80]!r}) and the statement is not; keep the "
                "doubt in its words, or write it with certainty='hypothesis'"
            )
    return found


def cite(citation: Citation) -> Source:
    """The source that a citation names, its excerpt cut from the original by position.

    >>> cite(Citation(original="The port is 5432.", ref="ports.md", quote="port is 5432")).start
    4
    """
    original = citation.original
    encoded(original, "original")
    start, end = _span(citation)
    return Source(
        channel=citation.channel,
        ref=citation.ref,
        version=sha256(original.encode()).hexdigest(),
        start=start,
        end=end,
        excerpt=original[start:end],
    )


def _certainty(draft: Draft, hedged: bool) -> Certainty:
    if draft.certainty is not None:
        return Certainty(draft.certainty)
    return Certainty.HYPOTHESIS if draft.kind == "hypothesis" or hedged else Certainty.REPORTED


def _span(citation: Citation) -> tuple[int, int]:
    original, quote = citation.original, citation.quote
    if quote is not None:
        if not quote or quote not in original:
            raise EvidenceMissing(f"{quote[:80]!r} is not in {citation.ref!r}; quote it to the letter")
        start = original.index(quote)
        return start, start + len(quote)
    if citation.start is None or citation.end is None or not 0 <= citation.start < citation.end <= len(original):
        raise EvidenceMissing(
            f"the span {citation.start}-{citation.end} is not inside {citation.ref!r} ({len(original)} characters); "
            "give a quote, or a start and an end with 0 <= start < end"
        )
    return citation.start, citation.end


class _Keyed(TypedDict):
    subject: str | None
    attribute: str | None
    value: str | None
    subject_key: str | None
    attribute_key: str | None
    value_key: str | None
    single: bool


_NO_KEY = _Keyed(
    subject=None, attribute=None, value=None, subject_key=None, attribute_key=None, value_key=None, single=False
)


def _key(draft: Draft, policy: Policy) -> _Keyed:
    """What the statement is about: as the caller says, else as its grammar says, else nothing."""
    subject = attribute = value = None
    single = False
    if draft.key is not None:
        subject, attribute, single = draft.key.subject, draft.key.attribute, draft.key.single
        for each, field in ((subject, "key.subject"), (attribute, "key.attribute"), (draft.value, "value")):
            text(each, field, note.MAX_STATEMENT_BYTES)
        if draft.value is None:
            raise Invalid("a key needs a value to compare; give value=, or leave key out")
        value = draft.value
    elif draft.extract_key and (found := keys.extract(draft.statement)) is not None:
        subject, attribute, value = found.subject, found.attribute, found.value
        single = policy.is_single(values.canonical_name(attribute), found.single)
    if subject is None or attribute is None or value is None:
        return _NO_KEY
    subject_key, attribute_key = values.canonical_name(subject), values.canonical_name(attribute)
    if draft.key is not None and not (subject_key and attribute_key):
        raise Invalid("a key needs a subject and an attribute with visible characters")
    return {
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "subject_key": subject_key,
        "attribute_key": attribute_key,
        "value_key": values.canonical(value),
        "single": single,
    }
