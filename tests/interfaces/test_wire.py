"""JSON: every shape that leaves is pinned, whatever comes in is read strictly, and every error has its outcome."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

import upheld
from upheld import errors, wire
from upheld.answer import OpenQuestion, View, WithheldNote
from upheld.conversation.outcomes import Extraction, Passage
from upheld.errors import EvidenceMissing, Invalid, NaiveTime, UpheldError
from upheld.note import (
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
    Written,
)
from upheld.sweep import Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from worlds import Clock

# --- what leaves ---------------------------------------------------------------------------------

NOTE = {
    "seq", "id", "scope", "kind", "statement", "subject", "attribute", "value", "subject_key", "attribute_key",
    "value_key", "single", "applies_when", "certainty", "channel", "by", "confidence", "valid_from", "valid_to",
    "observed_at", "expires_at", "recorded_at", "generation", "sources",
}  # fmt: skip
VIEW = {"seq", "id", "scope", "kind", "standing", "since", "by", "label", "reason", "statement", "note"}
RECALL = {
    "upheld", "open", "withheld", "path", "timeline", "receipt", "for_action", "not_known", "language",
}  # fmt: skip
OPEN = {"id", "standing", "scope", "question", "check", "since", "by", "subject", "attribute"}
UPHELD = {
    "id", "statement", "scope", "kind", "band", "confidence", "replaces", "score", "attribution", "explanation",
    "confirmed_at", "verified_at", "unverified", "note",
}  # fmt: skip
RECEIPT = {
    "query", "scopes", "valid_at", "known_at", "mode", "found", "served", "opened", "withheld", "omitted", "degraded",
}  # fmt: skip


@pytest.fixture
def memory(clock: Clock) -> Iterator[upheld.Memory]:
    with upheld.open(":memory:", embedder=None, clock=clock) as opened:
        yield opened


def test_a_recall_leaves_with_exactly_these_fields(memory: upheld.Memory) -> None:
    premise = memory.remember("The barcode readers are Datalogic.")
    memory.remember("Do not change the barcode on tickets.", depends_on=premise.id)
    old = memory.remember("Orders stores its data in MongoDB.")
    new = memory.supersede(old.id, "We moved to PostgreSQL.", reason="two outages")
    memory.supersede(premise.id, "The crews carry cameras.")
    answer = json.loads(wire.dumps(memory.recall("MongoDB barcode tickets")))
    assert set(answer) == RECALL
    served = {each["id"]: each for each in answer["upheld"]}
    assert set(served[new.id]) == UPHELD
    assert set(served[new.id]["note"]) == NOTE
    assert served[new.id]["replaces"] == [old.id]
    assert [set(each) for each in answer["open"]] == [OPEN]
    assert all(
        set(each) == {"id", "standing", "scope", "since", "by", "label", "reason", "statement"}
        for each in answer["withheld"]
    )
    assert all(set(step) == {"id", "scope", "at", "standing", "reason", "statement"} for step in answer["path"])
    assert len(answer["path"]) == 4
    assert set(answer["receipt"]) == RECEIPT
    assert {"id": old.id, "standing": "superseded"} in answer["receipt"]["withheld"]


def test_views_pages_and_explanations_leave_with_exactly_these_fields(memory: upheld.Memory) -> None:
    old = memory.remember("Orders stores its data in MongoDB.")
    new = memory.supersede(old.id, "We moved to PostgreSQL.")
    page = json.loads(wire.dumps(memory.list("default")))
    assert set(page) == {"notes", "before"}
    [view] = page["notes"]
    assert (set(view), set(view["note"])) == (VIEW, NOTE)
    tree = json.loads(wire.dumps(memory.explain(old.id)))
    assert set(tree) == {"role", "view", "confirmed", "because"}
    assert tree["because"][0]["view"]["id"] == new.id
    assert tree["view"]["statement"] is None
    assert tree["view"]["note"] is None


def test_what_a_write_did_leaves_without_any_statement(memory: upheld.Memory) -> None:
    old = memory.remember("Orders stores its data in MongoDB.")
    written = memory.supersede(old.id, "We moved to PostgreSQL.")
    assert isinstance(written, Written)
    assert json.loads(wire.dumps(written)) == {
        "id": written.id,
        "outcome": "superseded",
        "replaces": [old.id],
        "against": [],
    }


@pytest.mark.parametrize("kind", wire.SHAPES, ids=lambda kind: kind.__name__)
def test_a_shape_names_fields_that_exist_and_leaves_none_out_by_oversight(kind: type) -> None:
    struct = issubclass(kind, msgspec.Struct)
    fields = {field.name for field in (structs.fields(kind) if struct else dataclasses.fields(kind))}
    # What a write gave is named by its id, and what a run found by the ids of the notes that it is about.
    instead: dict[type, tuple[set[str], set[str]]] = {
        Written: ({"note"}, {"id"}),
        Report: ({"found"}, {"to_retire", "to_dispute"}),
        Extraction: (set(), {"outcomes"}),
        Passage: ({"statement"}, set()),
        # Sentences are made of the rest, in the answer's language.
        OpenQuestion: ({"language"}, {"question", "check"}),
        View: ({"language"}, {"label"}),
        WithheldNote: ({"language"}, {"label"}),
    }
    left_out, added = instead.get(kind, (set(), set()))
    assert set(wire.SHAPES[kind]) == fields - left_out | added
    assert len(set(wire.SHAPES[kind])) == len(wire.SHAPES[kind])


def test_a_type_without_a_shape_does_not_leave() -> None:
    with pytest.raises(TypeError, match="no JSON shape"):
        wire.dumps({"memory": object()})


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (datetime(2026, 3, 31, 12, tzinfo=UTC), "2026-03-31T12:00:00Z"),
        (datetime(2026, 3, 31, 12, tzinfo=timezone(timedelta(hours=2))), "2026-03-31T10:00:00Z"),
        (datetime(2026, 3, 31, 23, 59, 59, 999999, tzinfo=UTC), "2026-03-31T23:59:59.999999Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ],
)
def test_times_leave_in_utc_with_a_z_and_come_back(time: datetime, text: str) -> None:
    assert wire.time_text(time) == text
    assert wire.draft_of({"statement": "x", "observed_at": text}).observed_at == time


def test_json_stays_on_one_line_whatever_the_text_holds() -> None:
    text = "a\nb\r\u2028\u2029\x85c"
    dumped = wire.dumps({"statement": text})
    assert dumped.splitlines() == [dumped]
    assert json.loads(dumped) == {"statement": text}
    assert "Zoë 小王" in wire.dumps(["Zoë 小王"])


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_what_is_no_json_number_does_not_leave(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        wire.dumps([number])


# --- round trips ---------------------------------------------------------------------------------

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
times = st.integers(0, 300_000_000_000_000_000).map(lambda n: datetime(1, 1, 2, tzinfo=UTC) + timedelta(microseconds=n))
some = st.one_of(st.none(), texts)
ids = st.lists(texts, max_size=3).map(tuple)
seqs = st.integers(1, 2**60)


def either(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), strategy)


citations = st.builds(
    Citation,
    original=texts,
    ref=texts,
    quote=some,
    start=either(st.integers(0, 99)),
    end=either(st.integers(0, 99)),
    channel=st.sampled_from(Channel),
)
named_sources = st.builds(Source, channel=st.sampled_from(Channel), ref=texts, version=some)
cut_sources = st.builds(
    Source,
    channel=st.sampled_from(Channel),
    ref=texts,
    version=some,
    start=either(st.integers(0, 99)),
    end=either(st.integers(0, 99)),
    excerpt=some,
)
drafts = st.builds(
    Draft,
    statement=texts,
    scope=texts,
    kind=some,
    by=texts,
    key=either(st.builds(Key, subject=texts, attribute=texts, single=st.booleans())),
    value=some,
    extract_key=st.booleans(),
    applies_when=st.dictionaries(texts, st.one_of(texts, ids), max_size=3),
    certainty=either(st.sampled_from(Certainty)),
    confidence=either(st.floats(0, 1)),
    valid_from=either(times),
    valid_to=either(times),
    observed_at=either(times),
    expires_at=either(times),
    sources=st.lists(st.one_of(citations, named_sources), max_size=2).map(tuple),
    supersedes=ids,
    depends_on=ids,
    derived_from=ids,
    reason=some,
    id=some,
    idempotency_key=some,
)
log_notes = st.builds(
    Note,
    seq=seqs,
    id=texts,
    scope=st.just("project/orders"),
    kind=texts,
    statement=texts,
    subject=some,
    attribute=some,
    value=some,
    subject_key=some,
    attribute_key=some,
    value_key=some,
    single=st.booleans(),
    applies_when=st.dictionaries(texts, ids, max_size=2),
    certainty=st.sampled_from(Certainty),
    channel=st.sampled_from(Channel),
    by=texts,
    confidence=st.floats(0, 1),
    valid_from=either(times),
    valid_to=st.none(),
    observed_at=either(times),
    expires_at=either(times),
    recorded_at=times,
    generation=st.integers(0, 9),
    sources=st.lists(cut_sources, max_size=2).map(tuple),
)
log_links = st.builds(
    Link,
    seq=seqs,
    origin=st.integers(1, 99),
    rel=st.sampled_from(Rel),
    target=st.integers(100, 199),
    authored=st.booleans(),
    actor=texts,
    reason=some,
    at=times,
)
named = texts.filter(lambda text: text.isprintable() and text.isascii() and bool(text.strip()))
digests = st.text("0123456789abcdef", min_size=64, max_size=64)
evidence = st.one_of(
    st.builds(Evidence, document=named, version=digests),
    st.builds(
        Evidence,
        document=named,
        version=digests,
        chunk=digests,
        claim_quote=texts,
        chunk_quote=texts,
        chunk_start=st.integers(0, 99),
        chunk_end=st.integers(99, 199),
        judge=named,
        confidence=st.floats(0, 1),
    ),
)
OF_DOCUMENTS = {Verb.CONFIRMED, Verb.CONTRADICTED, Verb.DISPUTED, Verb.UNSOURCED, Verb.RESTORED}
log_events = st.builds(
    lambda verb, found, **said: Event(verb=verb, evidence=found if verb in OF_DOCUMENTS else None, **said),
    st.sampled_from(Verb),
    either(evidence),
    seq=seqs,
    note=seqs,
    actor=texts,
    reason=some,
    at=times,
    effective_from=either(times),
    against=either(seqs),
    undoes=either(seqs),
)


@pytest.mark.endurance(seconds=1)
@given(drafts)
@settings(max_examples=60)
def test_a_draft_comes_back_as_it_left(draft: Draft) -> None:
    line = wire.dumps(wire.line_object(draft))
    assert wire.line_of(wire.loads(line)) == draft
    assert wire.draft_of(wire.loads(line)) == draft


@pytest.mark.endurance(seconds=1)
@given(st.one_of(log_notes, log_links, log_events))
@settings(max_examples=120)
def test_a_line_of_a_log_comes_back_as_it_left(line: Note | Link | Event) -> None:
    assert wire.line_of(wire.loads(wire.dumps(wire.line_object(line)))) == line


def test_a_draft_leaves_out_what_was_not_said() -> None:
    assert wire.line_object(Draft(statement="x", scope="s", confidence=0.0, extract_key=False)) == {
        "statement": "x",
        "scope": "s",
        "by": "person:owner",
        "extract_key": False,
        "confidence": 0.0,
    }


# --- what comes in -------------------------------------------------------------------------------

DEEP = 200_000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "'a' is given twice"),
        ('{"a": {"b": 1, "b": 1}}', "'b' is given twice"),
        ("NaN", "NaN is not a JSON number"),
        ('{"a": Infinity}', "Infinity is not"),
        ("[-Infinity]", "-Infinity is not"),
        ("1e400", "too large"),
        ("-1e999", "too large"),
        ("1" * 5000, "5000 digits"),
        ("-" + "9" * 20, "digits"),
        ("[" * DEEP, "deep"),
        ('{"a":' * DEEP, "deep"),
        ("[" * DEEP + "]" * DEEP, "deep"),
        ('[1, 2,]', "not valid JSON"),
        ('{"a": 1,}', "not valid JSON"),
        ('{"a": 1} {"b": 2}', "more than one JSON value"),
        ('{"a": 1}\r{"b": 2}', "more than one JSON value"),
        ("", "not valid JSON"),
        ("{'a': 1}", "not valid JSON"),
        ('"a\nb"', "not valid JSON"),
        ("\ufeff{}", "not valid JSON"),
        ("[" + '"\\"' * 100_000, "not valid JSON"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else None,
)  # fmt: skip
def test_text_that_is_not_one_plain_json_value_is_invalid(text: str, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        wire.loads(text)


def test_plain_json_is_read() -> None:
    text = '{"a": [1, -2.5e3, true, null, "\\"[[["], "b": {"c": "' + "[" * 1000 + '"}}'
    assert wire.loads(text) == json.loads(text)
    edge = "[" * wire.MAX_DEPTH + "]" * wire.MAX_DEPTH
    assert wire.loads(edge) == json.loads(edge)
    assert wire.loads("9" * wire.MAX_DIGITS) == int("9" * wire.MAX_DIGITS)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"tx": "2020-01-01"}, "unknown field 'tx'"),
        ({"trust": "confirmed"}, "unknown field 'trust'"),
        ({"tenant": "acme"}, "unknown field 'tenant'"),
        ({"recorded_at": "2020-01-01"}, "unknown field 'recorded_at'"),
        ({"channel": "system_of_record"}, "unknown field 'channel'"),
        ({"statement": 5}, "statement must be text, not the number 5"),
        ({"statement": None}, "statement must be text, not null"),
        ({"statement": ["a"]}, "statement must be text, not a list"),
        ({"statement": "half \ud800"}, "surrogate"),
        ({"statement": "nul \0"}, "NUL"),
        ({"by": {"x": 1}}, "by must be text, not an object"),
        ({"confidence": True}, "confidence must be a number from 0 to 1, not true or false"),
        ({"confidence": "0.9"}, "confidence must be a number"),
        ({"confidence": 1.5}, "not the number 1.5"),
        ({"extract_key": 1}, "extract_key must be true or false"),
        ({"key": {"subject": "a"}}, "lacks the field 'attribute'"),
        ({"key": {"subject": "a", "attribute": "b", "value": "c"}}, "unknown field 'value'"),
        ({"key": "a"}, "key must be an object"),
        ({"certainty": "sure"}, "certainty must be one of hypothesis, reported, confirmed"),
        ({"certainty": ["x"]}, "certainty must be one of"),
        ({"supersedes": "n1"}, "supersedes must be a list"),
        ({"supersedes": [1]}, r"supersedes\[0\] must be text"),
        ({"applies_when": ["a"]}, "applies_when must be an object"),
        ({"applies_when": {"env": 5}}, r"applies_when\.env must be text"),
        ({"valid_from": "yesterday"}, "valid_from"),
        ({"valid_from": ""}, "valid_from"),
        ({"valid_from": "20260101"}, "valid_from"),
        ({"valid_from": "2026-06-30T23:59:60Z"}, "valid_from"),
        ({"valid_from": 1_700_000_000}, "valid_from must be text"),
        ({"observed_at": "0001-01-01T00:00:00+14:00"}, "years 1 to 9999"),
        ({"sources": [{"ref": "a", "original": "x", "hash": "y"}]}, "unknown field 'hash'"),
        ({"sources": [{"channel": "document"}]}, "lacks the field 'ref'"),
        ({"sources": [{"channel": "god", "ref": "x"}]}, "channel must be one of"),
        ({"sources": [{"ref": "a", "original": "x", "start": -1}]}, "start must be a whole number"),
        ({"sources": [{"ref": "a", "original": "x", "start": 1.0}]}, "start must be a whole number"),
    ],
    ids=str,
)
def test_a_draft_of_the_wrong_form_is_invalid_and_the_field_is_named(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(Invalid, match=says):
        wire.draft_of({"statement": "x", **fields})


def test_a_time_without_an_offset_is_naive() -> None:
    with pytest.raises(NaiveTime, match="valid_from"):
        wire.draft_of({"statement": "x", "valid_from": "2026-01-01T10:00:00"})


@pytest.mark.parametrize("field", ["quote", "excerpt", "start"])
def test_a_quote_without_its_original_is_refused(field: str) -> None:
    source = {"channel": "document", "ref": "a.md"}
    assert wire.draft_of({"statement": "x", "sources": [source]}).sources
    with pytest.raises(EvidenceMissing, match="original"):
        wire.draft_of({"statement": "x", "sources": [{**source, field: "made up"}]})


@pytest.mark.parametrize("value", [[], "x", 5, None, True])
def test_a_line_is_an_object(value: object) -> None:
    for read in (wire.draft_of, wire.line_of):
        with pytest.raises(Invalid, match="must be an object"):
            read(value)


def test_a_draft_needs_its_statement() -> None:
    with pytest.raises(Invalid, match="lacks the field 'statement'"):
        wire.draft_of({})


LINK = {
    "line": "link", "seq": 3, "origin": 2, "rel": "supersedes", "target": 1, "authored": True, "actor": "person:ana",
    "reason": None, "at": "2026-01-01T00:00:00Z",
}  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"line": "verdict"}, "line must be one of note, link, event"),
        ({"line": 1}, "line must be text"),
        ({"seq": 0}, "seq"),
        ({"seq": -1}, "seq"),
        ({"seq": 2**63}, "seq"),
        ({"seq": True}, "seq"),
        ({"target": 2}, "from one note to another"),
        ({"rel": "likes"}, "rel must be one of"),
        ({"at": None}, "at must be text"),
        ({"weight": 1}, "unknown field 'weight'"),
    ],
    ids=str,
)
def test_a_log_line_that_no_log_holds_is_invalid(fields: dict[str, Any], says: str) -> None:
    assert isinstance(wire.line_of(LINK), Link)
    with pytest.raises(Invalid, match=says):
        wire.line_of({**LINK, **fields})


EVENT = {
    "line": "event", "seq": 3, "note": 1, "verb": "contradicted", "actor": "document:plans.md", "reason": None,
    "at": "2026-01-01T00:00:00Z", "effective_from": None, "against": None, "undoes": None,
}  # fmt: skip
EVIDENCE = {
    "document": "plans.md", "version": "0" * 64, "chunk": "f" * 64, "claim_quote": "MongoDB", "chunk_quote": "moved",
    "chunk_start": 5, "chunk_end": 20, "judge": "values/1", "confidence": 1.0, "why": "it says another",
}  # fmt: skip
ALONE = {"chunk": None, "claim_quote": "", "chunk_quote": "", "chunk_start": None, "chunk_end": None} | {
    "judge": None,
    "confidence": None,
}


def test_an_event_of_a_log_from_before_there_was_evidence_is_read() -> None:
    line = wire.line_of(EVENT)
    assert isinstance(line, Event)
    assert line.evidence is None


def test_evidence_names_a_passage_or_a_document_alone() -> None:
    for fields in (EVIDENCE, EVIDENCE | ALONE):
        line = wire.line_of({**EVENT, "evidence": fields})
        assert isinstance(line, Event)
        assert line.evidence == Evidence(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"version": "0" * 63}, "version must be a sha256"),
        ({"version": "F" * 64}, "version must be a sha256"),
        ({"version": None}, "version must be a sha256"),
        ({"chunk": "no"}, "chunk must be a sha256"),
        ({"document": ""}, "document"),
        ({"document": "a\nb"}, "document"),
        ({"document": "a" * 513}, "document has 513 characters"),
        ({"chunk_quote": "a" * 2001}, "chunk_quote has 2,001 characters"),
        ({"claim_quote": "a" * 16385}, "claim_quote has more than"),
        ({"chunk": None}, "names a chunk with its place"),
        ({"judge": None}, "names a chunk with its place"),
        ({"confidence": None}, "names a chunk with its place"),
        ({**ALONE, "chunk_quote": "moved"}, "names a chunk with its place"),
        ({"chunk_start": 21}, "chunk_end must not be before"),
        ({"chunk_start": -1}, "chunk_start must be a whole number"),
        ({"confidence": 2}, "confidence must be a number from 0 to 1"),
        ({"why": "a" * 4097}, "why has 4,097 characters"),
        ({"because": "x"}, "unknown field 'because'"),
    ],
    ids=str,
)
def test_evidence_of_the_wrong_form_is_invalid(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(Invalid, match=says):
        wire.line_of({**EVENT, "evidence": {**EVIDENCE, **fields}})


@pytest.mark.parametrize("verb", [Verb.RETRACTED, Verb.ERASED])
def test_no_document_retracts_or_erases(verb: Verb) -> None:
    assert isinstance(wire.line_of({**EVENT, "verb": verb.value}), Event)
    with pytest.raises(Invalid, match="leave evidence out"):
        wire.line_of({**EVENT, "verb": verb.value, "evidence": EVIDENCE})


@pytest.mark.parametrize("name", [name for name in LINK if name != "line"])
def test_a_log_line_lacks_nothing(name: str) -> None:
    with pytest.raises(Invalid, match=f"lacks the field '{name}'"):
        wire.line_of({field: value for field, value in LINK.items() if field != name})


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)
names = st.sampled_from([*wire.SHAPES[Draft], *wire.SHAPES[Link], *wire.SHAPES[Note], "line"])


@pytest.mark.endurance(seconds=5)
@given(st.dictionaries(names, st.one_of(json_values, st.sampled_from(["note", "link", "event"])), max_size=6))
@settings(max_examples=300)
def test_no_object_brings_about_anything_but_a_line_or_a_typed_error(value: dict[str, Any]) -> None:
    with contextlib.suppress(UpheldError):
        assert isinstance(wire.line_of(value), Draft | Note | Link | Event)


@pytest.mark.endurance(seconds=1)
@given(st.text(alphabet='{}[]":,\\ 0123456789.eE-+truefalsnN\n\u2028\ud800', max_size=40))
@settings(max_examples=300)
def test_no_text_brings_about_anything_but_a_value_or_a_typed_error(text: str) -> None:
    with contextlib.suppress(UpheldError):
        assert wire.loads(text) == json.loads(text)


# --- errors --------------------------------------------------------------------------------------


def tree(kind: type[UpheldError]) -> list[type[UpheldError]]:
    return [kind, *(below for each in kind.__subclasses__() for below in tree(each))]


ALL = [kind for kind in tree(UpheldError) if kind.__module__ == errors.__name__]


def test_every_error_has_an_outcome_of_its_own_and_no_other_has() -> None:
    assert set(wire.OUTCOMES) == set(ALL)
    assert len(ALL) == len({kind.code for kind in ALL}) == 15


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_an_outcome_is_one_of_those_that_are_documented(kind: type[UpheldError]) -> None:
    outcome = wire.outcome_of(kind("x"))
    assert outcome == wire.OUTCOMES[kind]
    assert outcome.exit_code in {1, 2, 3}
    assert 400 <= outcome.http_status < 600
    above = wire.OUTCOMES[kind.__mro__[1]] if kind is not UpheldError else outcome
    if kind.__mro__[1] is not UpheldError:
        assert outcome.exit_code == above.exit_code


def test_a_new_kind_of_error_has_the_outcome_of_the_one_above() -> None:
    class Odd(errors.Cycle):
        pass

    assert wire.outcome_of(Odd("x")) == wire.OUTCOMES[errors.Cycle]


def test_an_error_leaves_with_its_code_and_message_and_a_conflict_with_what_stands() -> None:
    assert wire.error_of(Invalid("no")) == {"error": {"code": "invalid", "message": "no"}}
    conflict = wire.error_of(errors.Conflict("moved", current=("a", "b")))
    assert conflict == {"error": {"code": "conflict", "message": "moved", "current": ["a", "b"]}}


def test_a_fault_leaves_without_its_text() -> None:
    said = wire.error_of(RuntimeError("password=hunter2"))
    assert said["error"]["code"] == "fault"
    assert "RuntimeError" in said["error"]["message"]
    assert "hunter2" not in json.dumps(said)
    assert wire.outcome_of(RuntimeError()) == wire.FAULT
