"""Lines that come in: drafts, and the notes, links and events of an exported log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from upheld import limits
from upheld.document import MAX_CHUNK_CHARS
from upheld.errors import EvidenceMissing, Invalid
from upheld.note import (
    MAX_REASON_CHARS,
    MAX_STATEMENT_BYTES,
    Certainty,
    Channel,
    Citation,
    Draft,
    Event,
    Evidence,
    Key,
    Link,
    Note,
    Rel,
    Source,
    Verb,
)
from upheld.wire.shapes import SHAPES, LogLine
from upheld.wire.strict import (
    Reader,
    digest,
    each,
    flag,
    made,
    maybe,
    member,
    named,
    object_at,
    share,
    text,
    text_or_texts,
    time,
    whole,
)

_OF_DOCUMENTS = frozenset({Verb.CONTRADICTED, Verb.DISPUTED, Verb.CONFIRMED, Verb.UNSOURCED, Verb.RESTORED})
_CUT = made(
    Source,
    {
        "channel": member(Channel),
        "ref": text,
        "version": maybe(text),
        "start": maybe(whole),
        "end": maybe(whole),
        "excerpt": maybe(text),
    },
    "channel",
    "ref",
)
_CITED = made(
    Citation,
    {
        "channel": member(Channel),
        "ref": text,
        "original": text,
        "quote": maybe(text),
        "start": maybe(whole),
        "end": maybe(whole),
    },
    "ref",
    "original",
)


def _evidence(value: object, at: str) -> Citation | Source:
    """A source that a draft offers: with its original, from which code cuts; or only its name."""
    found = object_at(value, at)
    if "original" in found:
        cited: Citation = _CITED(value, at)
        return cited
    for name in ("quote", "excerpt", "start", "end"):
        if found.get(name) is not None:
            raise EvidenceMissing(f"{at} has {name!r} without the original that it is cut from; give original")
    source: Source = _CUT(value, at)
    return source


_DRAFT = made(
    Draft,
    {
        "statement": text,
        "scope": text,
        "kind": maybe(text),
        "by": text,
        "key": maybe(made(Key, {"subject": text, "attribute": text, "single": flag}, "subject", "attribute")),
        "value": maybe(text),
        "pointer": flag,
        "extract_key": flag,
        "applies_when": named(text_or_texts),
        "certainty": maybe(member(Certainty)),
        "confidence": maybe(share),
        "valid_from": maybe(time),
        "valid_to": maybe(time),
        "observed_at": maybe(time),
        "expires_at": maybe(time),
        "sources": each(_evidence),
        "supersedes": each(text),
        "alongside": each(text),
        "depends_on": each(text),
        "derived_from": each(text),
        "led_by": each(text),
        "reason": maybe(text),
        "id": maybe(text),
        "idempotency_key": maybe(text),
    },
    "statement",
)
_JUDGED = made(
    Evidence,
    {
        "document": text,
        "version": digest,
        "chunk": maybe(digest),
        "claim_quote": text,
        "chunk_quote": text,
        "chunk_start": maybe(whole),
        "chunk_end": maybe(whole),
        "judge": maybe(text),
        "confidence": maybe(share),
        "why": text,
    },
    *SHAPES[Evidence],
)
_LOG: Mapping[str, Reader] = {
    "note": made(
        Note,
        {
            "seq": whole,
            "id": text,
            "scope": text,
            "kind": text,
            "statement": text,
            "subject": maybe(text),
            "attribute": maybe(text),
            "value": maybe(text),
            "subject_key": maybe(text),
            "attribute_key": maybe(text),
            "value_key": maybe(text),
            "single": flag,
            "applies_when": named(each(text)),
            "certainty": member(Certainty),
            "channel": member(Channel),
            "by": text,
            "confidence": share,
            "valid_from": maybe(time),
            "valid_to": maybe(time),
            "observed_at": maybe(time),
            "expires_at": maybe(time),
            "recorded_at": time,
            "generation": whole,
            "sources": each(_CUT),
        },
        *SHAPES[Note],
    ),
    "link": made(
        Link,
        {
            "seq": whole,
            "origin": whole,
            "rel": member(Rel),
            "target": whole,
            "authored": flag,
            "actor": text,
            "reason": maybe(text),
            "at": time,
        },
        *SHAPES[Link],
    ),
    "event": made(
        Event,
        {
            "seq": whole,
            "note": whole,
            "verb": member(Verb),
            "actor": text,
            "reason": maybe(text),
            "at": time,
            "effective_from": maybe(time),
            "against": maybe(whole),
            "undoes": maybe(whole),
            "evidence": maybe(_JUDGED),
        },
        # Logs of the first version have no evidence.
        *(name for name in SHAPES[Event] if name != "evidence"),
    ),
}


def draft_of(value: object) -> Draft:
    """The draft that a JSON object holds; `statement` is its only field that must be there.

    Raises `Invalid` for unknown fields and wrong types, `EvidenceMissing` for a quote without its original. Limits
    are checked where drafts are taken in.

    >>> draft_of({"statement": "The port is 5432.", "valid_from": "2026-03-01"}).valid_from.isoformat()
    '2026-03-01T00:00:00+00:00'
    """
    found: Draft = _DRAFT(value, "the draft")
    return found


def line_of(value: object) -> Draft | LogLine:
    """The draft or log line that a JSON object holds; `line` says which, and a draft has none.

    Raises `Invalid` for unknown fields, wrong types, and log lines that no log can hold.
    """
    found = dict(object_at(value, "the line"))
    if "line" not in found:
        return draft_of(found)
    name = text(found.pop("line"), "line")
    if name not in _LOG:
        raise Invalid(f"line must be one of {', '.join(_LOG)}, not {name[:40]!r}; a draft has none")
    line: Any = _LOG[name](found, f"the {name}")
    return _possible(line)


def _possible(line: LogLine) -> LogLine:
    """Refuse what no log holds, so that a store need not."""
    if line.seq < 1:
        raise Invalid("seq must be a whole number from 1")
    if isinstance(line, Link) and line.origin == line.target:
        raise Invalid("a link must lead from one note to another")
    if isinstance(line, Note):
        limits.scope(line.scope)
        if len(line.statement.encode()) > MAX_STATEMENT_BYTES:
            raise Invalid(f"the statement has more than {MAX_STATEMENT_BYTES:,} bytes")
        if line.valid_from is not None and line.valid_to is not None and line.valid_to <= line.valid_from:
            raise Invalid("valid_to must be after valid_from")
    if isinstance(line, Event) and line.evidence is not None:
        _check_evidence(line.verb, line.evidence)
    return line


def _check_evidence(verb: Verb, found: Evidence) -> None:
    if verb not in _OF_DOCUMENTS:
        raise Invalid(f"a note is not {verb.value} by a document; leave evidence out")
    limits.name(found.document, "document")
    limits.text(found.chunk_quote, "chunk_quote", MAX_CHUNK_CHARS)
    limits.text(found.why, "why", MAX_REASON_CHARS)
    if len(found.claim_quote.encode()) > MAX_STATEMENT_BYTES:
        raise Invalid(f"claim_quote has more than {MAX_STATEMENT_BYTES:,} bytes")
    place = (found.chunk, found.chunk_start, found.chunk_end, found.judge, found.confidence)
    if None in place and (place != (None,) * len(place) or found.claim_quote or found.chunk_quote):
        raise Invalid("evidence names a chunk with its place, judge and confidence, or the document alone")
    if found.chunk_start is not None and found.chunk_end is not None and found.chunk_end < found.chunk_start:
        raise Invalid("chunk_end must not be before chunk_start")
    if found.judge is not None:
        limits.name(found.judge, "judge")
