"""What leaves: `SHAPES` lists, for each type, the fields that leave, in order. What is not listed does not leave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from enum import Enum
from typing import Any, TypeAlias

from upheld.answer import OpenQuestion, Page, Recall, Receipt, Step, UpheldNote, View, WithheldNote
from upheld.aside import Review
from upheld.audit import AuditQuestion, AuditReport, HalfLife, OfKind
from upheld.consolidate import LeftOut, Proposal, Staleness
from upheld.conversation.message import Kept, Message
from upheld.conversation.outcomes import Extraction, Ingested
from upheld.conversation.outcomes import Passage as Read
from upheld.doctor import Examination
from upheld.document import Chunk, Verdict
from upheld.errors import UpheldError
from upheld.explain import Explanation
from upheld.inbox import Told
from upheld.judges.calibration import Calibration
from upheld.ledger import Answers, Audit
from upheld.note import Citation, Draft, Event, Evidence, Key, Link, Note, Source, Written
from upheld.shelf import Passage, Served, Shelved
from upheld.sweep import Added, Contradiction, Report
from upheld.uses import Drift

JsonObject: TypeAlias = dict[str, Any]
LogLine: TypeAlias = Note | Link | Event

SHAPES: Mapping[type, tuple[str, ...]] = {
    Note: tuple(
        "seq id scope kind statement subject attribute value subject_key attribute_key value_key single applies_when "
        "certainty channel by confidence valid_from valid_to observed_at expires_at recorded_at generation "
        "sources".split()
    ),
    Link: ("seq", "origin", "rel", "target", "authored", "actor", "reason", "at"),
    Event: ("seq", "note", "verb", "actor", "reason", "at", "effective_from", "against", "undoes", "evidence"),
    Evidence: tuple(
        "document version chunk claim_quote chunk_quote chunk_start chunk_end judge confidence why".split()
    ),
    Source: ("channel", "ref", "version", "start", "end", "excerpt"),
    Citation: ("channel", "ref", "original", "quote", "start", "end"),
    Key: ("subject", "attribute", "single"),
    Draft: tuple(
        "statement scope kind by key value pointer extract_key applies_when certainty confidence valid_from valid_to "
        "observed_at expires_at sources supersedes alongside depends_on derived_from led_by reason id "
        "idempotency_key".split()
    ),
    # Without the statement: where an older note already says the same, that note is the one written about.
    Written: ("id", "outcome", "replaces", "against"),
    View: ("seq", "id", "scope", "kind", "standing", "since", "by", "label", "reason", "statement", "note"),
    Page: ("notes", "before"),
    Explanation: ("role", "view", "confirmed", "because"),
    Recall: tuple("upheld open withheld path timeline receipt for_action not_known language".split()),
    UpheldNote: tuple(
        "id statement scope kind band confidence replaces score attribution explanation confirmed_at verified_at "
        "unverified note".split()
    ),
    OpenQuestion: ("id", "standing", "scope", "question", "check", "since", "by", "subject", "attribute"),
    WithheldNote: ("id", "standing", "scope", "since", "by", "label", "reason", "statement"),
    Examination: ("store", "facts", "findings"),
    Step: ("id", "scope", "at", "standing", "reason", "statement"),
    Receipt: tuple("query scopes valid_at known_at mode found served opened withheld omitted degraded".split()),
    Shelved: tuple("name place version title owner authority dated passages added_at recorded_at removed_at".split()),
    Added: ("new", "changed", "unchanged", "removed", "failed", "report"),
    Report: tuple("notes pairs asked findings kinds faults to_retire to_dispute events complete".split()),
    Told: tuple(
        "number kind note scope at effective_from evidence standing used_in settled_as settled_by settled_at".split()
    ),
    Drift: ("day", "kind", "checked", "contradicted", "rate", "low", "high", "dropped"),
    Served: ("id", "at", "question", "scopes", "mode"),
    Contradiction: ("note", "passage", "verdict", "retires"),
    Passage: ("document", "version", "authority", "dated", "chunk"),
    Chunk: ("start", "end", "text", "headings", "dated"),
    Calibration: tuple(
        "scorer contradicted_from consistent_from unrelated_below most_false base_rate false_contradicted "
        "false_consistent recall lost precision precision_low precision_high".split()
    ),
    Review: ("id", "what", "why", "drafts", "by", "at"),
    AuditReport: ("audits", "tolerance", "kinds", "held_back"),
    Audit: ("number", "at", "by", "seed"),
    OfKind: tuple("kind right wrong open rate best worst needed half_life present suggested tolerated dropped".split()),
    HalfLife: ("days", "low", "high"),
    AuditQuestion: ("audit", "note", "scope", "kind", "statement", "standing", "age_days", "asked_at"),
    Proposal: tuple(
        "id operation scope transform coverage inputs generation drafts replaces problems rejected review left_out "
        "moved known_at by at".split()
    ),
    LeftOut: ("note", "why"),
    Staleness: ("days", "answers", "stale", "share"),
    Answers: ("day", "answers", "stale"),
    Message: ("role", "text", "by", "at"),
    Kept: ("number", "conversation", "scope", "role", "by", "at", "text", "recorded_at", "read_by"),
    Ingested: ("conversation", "scope", "new", "known"),
    Extraction: ("extractor", "messages", "outcomes", "passages", "dry_run"),
    # Without the statement: what was not written was only proposed, and what was written leaves through the gate.
    Read: ("message", "start", "end", "outcome", "note", "why"),
    Verdict: ("finding", "confidence", "claim_quote", "chunk_quote", "effective_from", "acts", "why"),
}
_LINES = {Note: "note", Link: "link", Event: "event"}
# Line separators that JSON allows inside a text, and at which some readers of JSON Lines would split.
_SEPARATORS = {ord(c): f"\\u{ord(c):04x}" for c in "\u0085\u2028\u2029"}


def time_text(time: datetime) -> str:
    """A time as it leaves: RFC 3339, UTC, microseconds only where there are some.

    >>> time_text(datetime(2026, 3, 31, 12, tzinfo=UTC))
    '2026-03-31T12:00:00Z'
    """
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def shaped(value: object) -> Any:
    """Any object of `SHAPES`, or a container of such, as JSON values."""
    fields = SHAPES.get(type(value))
    if fields is not None:
        found = {name: shaped(getattr(value, name)) for name in fields}
        if isinstance(value, Draft | Citation):
            # What was not said stays unsaid, so that a file of drafts can be read by people.
            unsaid = {"extract_key": True, "pointer": False}
            found = {
                name: each
                for name, each in found.items()
                if each not in (None, [], {}) and each is not unsaid.get(name)
            }
        if isinstance(value, Added):
            found["failed"] = [{"name": name, "error": shaped(error)} for name, error in value.failed]
        if isinstance(value, Receipt):
            found["withheld"] = [{"id": id, "standing": standing.value} for id, standing in value.withheld]
        return found
    if isinstance(value, UpheldError):
        return {"code": value.code, "message": str(value)}
    if isinstance(value, datetime):
        return time_text(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(name): shaped(each) for name, each in value.items()}
    if isinstance(value, tuple | list):
        return [shaped(each) for each in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} has no JSON shape; add it to SHAPES")


def line_object(line: LogLine | Draft) -> JsonObject:
    """A line of an export: an entry of the log, or a draft."""
    kind = _LINES.get(type(line))
    found: JsonObject = shaped(line)
    return found if kind is None else {"line": kind, **found}


def dumps(value: object) -> str:
    r"""JSON on one line, in a reader's own script.

    >>> dumps({"statement": "Zoë said:\u2028yes"})
    '{"statement": "Zoë said:\\u2028yes"}'
    """
    return json.dumps(shaped(value), ensure_ascii=False, allow_nan=False).translate(_SEPARATORS)
