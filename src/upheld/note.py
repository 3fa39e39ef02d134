"""The nouns: what a store holds. Frozen, keyword-only, no I/O.

Times are aware `datetime`s in UTC. `None` always means *unknown* (or, for an end, *open*); it is never
replaced by the moment something was written down.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypedDict

from msgspec import Struct, field

MAX_STATEMENT_BYTES = 16 * 1024
MAX_NAME_CHARS = 512
MAX_REASON_CHARS = 4096
MAX_LINKS = 1000
MAX_SOURCES = 64
MAX_CONDITIONS = 32
MAX_QUERY_CHARS = 16 * 1024
MAX_SCOPES = 256
MAX_RECALL = 1000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def instant(time: datetime) -> int:
    """An aware time as whole microseconds since 1970 UTC: the form that stores keep and the rule compares.

    >>> instant(datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    1000000
    """
    return (time - _EPOCH) // _MICROSECOND


def moment(microseconds: int) -> datetime:
    """The aware UTC time of an instant; the inverse of `instant`."""
    return _EPOCH + timedelta(0, 0, microseconds)


class Channel(StrEnum):
    """Who or what speaks; trust comes from here and from nowhere else. Declared from most to least trusted."""

    SYSTEM_OF_RECORD = "system_of_record"
    DOCUMENT = "document"
    PERSON = "person"
    TOOL = "tool"
    AGENT = "agent"


class Certainty(StrEnum):
    """How sure the source is. A hypothesis is kept, never served as settled, and retires nothing."""

    HYPOTHESIS = "hypothesis"
    REPORTED = "reported"
    CONFIRMED = "confirmed"


class Rel(StrEnum):
    """What an arrow from one note to another says."""

    SUPERSEDES = "supersedes"
    DEPENDS_ON = "depends_on"
    DERIVED_FROM = "derived_from"
    SUPPORTS = "supports"
    LED_TO = "led_to"


class Verb(StrEnum):
    """What one line of the log says happened to a note that was already there.

    `asserted` keeps why a note was said, where no link of it can.
    """

    ASSERTED = "asserted"
    CONFIRMED = "confirmed"
    VERIFIED = "verified"
    CORRECTED = "corrected"
    CONTRADICTED = "contradicted"
    DISPUTED = "disputed"
    RETRACTED = "retracted"
    UNSOURCED = "unsourced"
    RESTORED = "restored"
    ERASED = "erased"


class Standing(StrEnum):
    """The state of a note at one moment; computed by the rule, never stored.

    Two are those of one answer only, whatever the rule says: `demoted`, where confidence fell below the floor, and
    `unverified`, where the system that owns the value was not heard in time.
    """

    IN_FORCE = "in_force"
    SUPERSEDED = "superseded"
    CONTRADICTED = "contradicted"
    RETRACTED = "retracted"
    EXPIRED = "expired"
    NOT_YET = "not_yet"
    ENDED = "ended"
    PROPOSED = "proposed"
    STALE = "stale"
    NEEDS_CHECK = "needs_check"
    DISPUTED = "disputed"
    DEMOTED = "demoted"
    UNVERIFIED = "unverified"
    ERASED = "erased"


class Band(StrEnum):
    """How an in-force note may be used, from its confidence today."""

    ASSERT = "assert"
    HEDGE = "hedge"
    ASK = "ask"


class Source(Struct, frozen=True, kw_only=True, gc=False):
    """Where a statement comes from. `excerpt` was cut by code from the original whose sha256 is `version`."""

    channel: Channel
    ref: str
    version: str | None = None
    start: int | None = None
    end: int | None = None
    excerpt: str | None = None


class Citation(Struct, frozen=True, kw_only=True, gc=False):
    """What a caller offers as evidence: the whole original, and a `quote` or a span [start, end) inside it.

    Offsets count Unicode code points of `original`. Code cuts the excerpt; the caller never supplies it apart.
    """

    original: str
    ref: str
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    channel: Channel = Channel.DOCUMENT


class Key(Struct, frozen=True, kw_only=True, gc=False):
    """What a statement is about: one attribute of one subject. `single` means one value at a time."""

    subject: str
    attribute: str
    single: bool = True


class Draft(Struct, frozen=True, kw_only=True, gc=False):
    """What a caller proposes. It becomes a `Note` only through `admit.admit`.

    `alongside` names notes that already replace what this one `supersedes`, so that several may share that place
    (one document split in two); without it a second successor is a `Conflict`. `led_by` names decisions that led to
    this one, in whatever scope; whether it stands does not hang on them. A `pointer` has a key and no value:
    the value is read from its owner whenever it is asked for, and never kept.
    """

    statement: str
    scope: str = "default"
    kind: str | None = None
    by: str = "person:owner"
    key: Key | None = None
    value: str | None = None
    pointer: bool = False
    extract_key: bool = True
    applies_when: Mapping[str, object] = field(default_factory=dict)
    certainty: Certainty | None = None
    confidence: float | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    observed_at: datetime | None = None
    expires_at: datetime | None = None
    sources: tuple[Citation | Source, ...] = ()
    supersedes: tuple[str, ...] = ()
    alongside: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    derived_from: tuple[str, ...] = ()
    led_by: tuple[str, ...] = ()
    reason: str | None = None
    id: str | None = None
    idempotency_key: str | None = None


class DraftFields(TypedDict, total=False):
    """The fields of a `Draft` as a call may give them: times also as text, one id also alone."""

    scope: str
    kind: str | None
    by: str
    key: Key | None
    value: str | None
    pointer: bool
    extract_key: bool
    applies_when: Mapping[str, object]
    certainty: Certainty | str | None
    confidence: float | None
    valid_from: datetime | str | None
    valid_to: datetime | str | None
    observed_at: datetime | str | None
    expires_at: datetime | str | None
    sources: Sequence[Citation | Source] | Citation | Source
    supersedes: Sequence[str] | str
    alongside: Sequence[str] | str
    depends_on: Sequence[str] | str
    derived_from: Sequence[str] | str
    led_by: Sequence[str] | str
    reason: str | None
    id: str | None
    idempotency_key: str | None


class Note(Struct, frozen=True, kw_only=True, gc=False):
    """One immutable statement that an agent may act on, as it was recorded.

    `seq` is its place in the log (transaction time). `subject_key`, `attribute_key` and `value_key` are the
    canonical forms that the key rule compares; they are None where the statement has no key.
    """

    seq: int
    id: str
    scope: str
    kind: str
    statement: str
    subject: str | None
    attribute: str | None
    value: str | None
    subject_key: str | None
    attribute_key: str | None
    value_key: str | None
    single: bool
    applies_when: Mapping[str, tuple[str, ...]]
    certainty: Certainty
    channel: Channel
    by: str
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    observed_at: datetime | None
    expires_at: datetime | None
    recorded_at: datetime
    generation: int
    sources: tuple[Source, ...]

    @property
    def event_time(self) -> datetime | None:
        """When the statement began to hold, or else when its source saw it; None if neither is known."""
        return self.valid_from if self.valid_from is not None else self.observed_at


class Link(Struct, frozen=True, kw_only=True, gc=False):
    """A typed arrow from one note (`origin`) to another (`target`), both by log position."""

    seq: int
    origin: int
    rel: Rel
    target: int
    authored: bool
    actor: str
    reason: str | None
    at: datetime


class Evidence(Struct, frozen=True, kw_only=True, gc=False):
    """What a document has to do with an event: a passage of it that was judged, or only that it was removed.

    `version` is the sha256 of what the document was read from. `chunk` is the digest of the passage, which stands at
    [chunk_start, chunk_end) of the document's text, in code points; it is None where no passage was judged. The
    quotes were found verbatim by code: in the note's statement, and in the passage. `why` is one line for a person;
    like the quotes it may hold words of the note, so it is shown in notices only.
    """

    document: str
    version: str
    chunk: str | None = None
    claim_quote: str = ""
    chunk_quote: str = ""
    chunk_start: int | None = None
    chunk_end: int | None = None
    judge: str | None = None
    confidence: float | None = None
    why: str = ""


class Event(Struct, frozen=True, kw_only=True, gc=False):
    """One line of the log about an existing note. `undoes` names the event or link that it takes back."""

    seq: int
    note: int
    verb: Verb
    actor: str
    reason: str | None
    at: datetime
    effective_from: datetime | None = None
    against: int | None = None
    undoes: int | None = None
    evidence: Evidence | None = None


class Written(Struct, frozen=True, kw_only=True, gc=False):
    """What a write did: the note that now carries the statement, and what happened around it.

    `outcome` is one of `added`, `superseded` (it retired others), `confirmed` (an equal note was there and is
    confirmed), `history` (older than what stands), `disputed` (it may not retire what it contradicts),
    `proposed` (a hypothesis), `repeated` (the idempotency key was seen before).
    """

    note: Note
    outcome: str
    replaces: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The note's id."""
        return self.note.id

    @property
    def statement(self) -> str:
        """The note's statement."""
        return self.note.statement
