"""Coverage and consolidation: what is covered, what may be said of it, what is staged, and when it may be published."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

import upheld
from onlooker import all_text, said
from upheld import (
    Conflict,
    Corrupt,
    Invalid,
    Key,
    Memory,
    Misconfigured,
    Note,
    NotFound,
    Refused,
    Standing,
    Unavailable,
)
from upheld.aside import Operation, Quote, Sentence, Work
from upheld.consolidate import Proposal, spans, units
from upheld.note import Certainty, Channel, Link, Rel
from upheld.writers.extractive import Extractive
from upheld.writers.recorded import Recorded
from upheld.writers.recurrence import Recurrence
from worlds import Clock, Counter, HashEmbedder

ORDERS = "project/orders"
FACTS = (
    "Orders stores its data in PostgreSQL.",
    "Backups of orders run at two. They are kept for 30 days.",
    "The orders service listens on port 5432.",
    "Retries of orders are capped at five, because a user may press twice.",
)


@pytest.fixture
def memory(clock: Clock, ids: Counter) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as opened:
        yield opened


def facts(memory: Memory, *, scope: str = ORDERS, **fields: Any) -> list[str]:
    """The ids f1 to f4 of four notes."""
    return [
        memory.remember(text, id=f"f{n}", scope=scope, extract_key=False, **fields).id
        for n, text in enumerate(FACTS, start=1)
    ]


def summary(memory: Memory, notes: str | Sequence[str] = (), **fields: Any) -> Note:
    """A published summary."""
    made = memory.consolidations.compress(notes, **fields)
    assert made.id is not None, made
    [written] = memory.consolidations.publish(made.id)
    return written.note


def standing(memory: Memory, note: str) -> Standing:
    return memory.get(note).standing


class Says:
    """A writer that returns what it was told to, or raises it."""

    name = "says-1"

    def __init__(self, *answer: object, whole: object = None) -> None:
        self.answer: Any = whole if whole is not None else list(answer)
        self.works: list[Work] = []

    def write(self, work: Work) -> Any:
        self.works.append(work)
        answer = self.answer
        if isinstance(answer, BaseException):
            raise answer
        return answer


def sentence(text: str, *quotes: tuple[str, str], **more: Any) -> Sentence:
    return Sentence(text=text, quotes=tuple(Quote(note=note, text=words) for note, words in quotes), **more)


# --- what is covered -------------------------------------------------------------------------------


def test_a_summary_names_its_exact_inputs_its_transform_and_its_generation_in_the_log(memory: Memory) -> None:
    notes = facts(memory)
    found = summary(memory, notes[:3])
    links = [line for line in memory.export() if isinstance(line, Link)]
    names = {line.seq: line.id for line in memory.export() if isinstance(line, Note)}
    assert [(names[each.origin], each.rel, names[each.target]) for each in links] == [
        (found.id, Rel.DERIVED_FROM, note) for note in notes[:3]
    ]
    assert (found.generation, found.kind, found.scope) == (1, "summary", ORDERS)
    assert (found.sources[0].channel, found.sources[0].ref) == (Channel.TOOL, "compress/extractive-1")
    assert "range/" not in str(found.sources), "notes were named, not a range"


def test_every_sentence_of_a_summary_resolves_to_a_span_that_code_cut(memory: Memory) -> None:
    facts(memory)
    found = summary(memory, scope=ORDERS)
    cut = [source for source in found.sources if source.excerpt is not None]
    assert " ".join(source.excerpt or "" for source in cut) == found.statement
    for source in cut:
        original = memory.get(source.ref.removeprefix("note:")).statement or ""
        assert original[source.start : source.end] == source.excerpt
        assert source.version == sha256(original.encode()).hexdigest()
    assert {source.ref for source in cut} == {"note:f1", "note:f2", "note:f3", "note:f4"}


def test_a_range_is_closed_at_both_ends_and_is_resolved_to_ids_when_it_is_asked(memory: Memory, clock: Clock) -> None:
    for day in range(1, 6):
        clock.now = datetime(2026, 3, day, 12, tzinfo=UTC)
        memory.remember(f"On day {day} the tank held {day} tons.", id=f"d{day}", scope="tank", extract_key=False)
    made = memory.consolidations.compress(scope="tank", since="2026-03-02T12:00:00Z", until="2026-03-04")
    assert made.inputs == ("d2", "d3", "d4")
    assert made.coverage == "range/recorded/2026-03-02T12:00:00+00:00/2026-03-04T23:59:59.999999+00:00"
    just_before = memory.consolidations.compress(scope="tank", since="2026-03-02T12:00:00.000001Z", until="2026-03-04")
    assert just_before.inputs == ("d3", "d4")
    memory.remember("On day 3 it also leaked.", id="late", scope="tank", extract_key=False)
    [written] = memory.consolidations.publish(made.id or "")
    assert [*written.note.sources][1].ref == made.coverage
    assert standing(memory, written.id) is Standing.IN_FORCE, "what came later was not among its inputs"


def test_a_range_of_event_times_leaves_out_what_has_none_and_says_so(memory: Memory) -> None:
    memory.remember("The crane was painted.", id="known", scope="s", valid_from="2026-01-01", extract_key=False)
    memory.remember("The crane was oiled.", id="seen", scope="s", observed_at="2025-12-30", extract_key=False)
    memory.remember("The crane is red.", id="unknown", scope="s", extract_key=False)
    made = memory.consolidations.compress(scope="s", since="2025-12-01", until="2026-02-01", time="event")
    assert made.inputs == ("seen", "known")
    assert [(each.note, each.why) for each in made.left_out] == [("unknown", "it is not known when it began to hold")]
    assert set(memory.consolidations.compress(scope="s", time="event").inputs) == {"known", "seen", "unknown"}


def test_a_range_takes_kinds_and_a_subject_and_what_was_made_from_notes_only_by_its_kind(memory: Memory) -> None:
    facts(memory, kind="decision")
    memory.remember("The port of Billing is 1.", id="b1", scope=ORDERS)
    memory.remember("The owner of Billing is Ana.", id="b2", scope=ORDERS)
    made = summary(memory, scope=ORDERS, kinds="decision")
    compress = memory.consolidations.compress
    assert compress(scope=ORDERS).inputs == ("f1", "f2", "f3", "f4", "b1", "b2")
    assert compress(scope=ORDERS, subject="billing").inputs == ("b1", "b2")
    another = summary(memory, ["b1", "b2"])
    assert compress(scope=ORDERS, kinds=["summary"]).inputs == (made.id, another.id)


def test_a_range_takes_only_what_is_in_force(memory: Memory, clock: Clock) -> None:
    facts(memory)
    memory.remember("The tape is changed daily.", id="leased", scope=ORDERS, expires_at="2026-01-02")
    memory.remember("A guess: it is fast.", id="guess", scope=ORDERS, certainty="hypothesis")
    memory.retract("f1")
    memory.supersede("f2", "Backups run at four.", id="f2b")
    clock.move(days=2)
    assert memory.consolidations.compress(scope=ORDERS).inputs == ("f3", "f4", "f2b")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "name either"),
        ({"notes": ["f1", "f2"], "scope": ORDERS}, "name either"),
        ({"since": "2026-01-01"}, "name either"),
        ({"notes": [], "kinds": "decision"}, "name either"),
        ({"notes": 7}, "a list of names"),
        ({"notes": [7]}, "must be text"),
        ({"scope": ""}, "scope"),
        ({"scope": ORDERS, "time": "modified"}, "time must be one of"),
        ({"scope": ORDERS, "since": "yesterday"}, "is not a time"),
        ({"scope": ORDERS, "since": "2026-02-01", "until": "2026-01-01"}, "until must not be before"),
        ({"scope": ORDERS, "subject": ""}, "subject"),
        ({"scope": ORDERS, "most_chars": 0}, "most_chars"),
        ({"scope": ORDERS, "most_chars": True}, "most_chars"),
        ({"scope": ORDERS, "by": "nobody"}, "by="),
    ],
)
def test_bad_input_is_named_and_changes_nothing(memory: Memory, given: dict[str, Any], said: str) -> None:
    facts(memory)
    before = list(memory.export())
    with pytest.raises(Invalid, match=said):
        memory.consolidations.compress(**given)
    assert (list(memory.export()), memory.consolidations.list()) == (before, ())


def test_a_named_note_must_be_there_and_in_force(memory: Memory) -> None:
    facts(memory)
    memory.retract("f1")
    memory.supersede("f2", "Backups run at four.", id="f2b")
    compress = memory.consolidations.compress
    with pytest.raises(NotFound):
        compress(["f3", "nothing"])
    for gone, word in (("f1", "retracted"), ("f2", "superseded")):
        with pytest.raises(Refused, match=f"note {gone} is {word}"):
            compress([gone, "f3"])
    with pytest.raises(Refused, match="covered alone"):
        compress("f3")
    with pytest.raises(Refused, match="no note in force"):
        compress(scope="elsewhere")
    assert compress(["f4", "f3", "f4"]).inputs == ("f3", "f4"), "in the order of the log, each once"


def test_more_notes_than_one_write_can_name_are_refused(memory: Memory) -> None:
    memory.remember_many([upheld.Draft(statement=f"Item {n} is here.", extract_key=False) for n in range(1001)])
    with pytest.raises(Refused, match="1,001 notes"):
        memory.consolidations.compress(scope="default")


def test_what_its_owner_is_asked_for_is_not_kept_in_a_summary(memory: Memory) -> None:
    facts(memory)
    memory.remember("Acme is on the Team plan.", id="plan", scope=ORDERS, kind="entitlement")
    key = Key(subject="Acme", attribute="seats")
    memory.remember("The seats of Acme are in billing.", id="seats", scope=ORDERS, key=key, pointer=True)
    made = memory.consolidations.compress(scope=ORDERS)
    assert made.inputs == ("f1", "f2", "f3", "f4")
    assert {each.note for each in made.left_out} == {"plan", "seats"}
    with pytest.raises(Refused, match="read from its owner"):
        memory.consolidations.compress(["f1", "plan"])


# --- never wider, never surer ----------------------------------------------------------------------


def test_notes_of_two_scopes_are_never_put_into_one(memory: Memory) -> None:
    memory.remember("Ana likes tea.", id="a", scope="user/1")
    memory.remember("Ben likes tea.", id="b", scope="user/2")
    for operation in (memory.consolidations.compress, memory.consolidations.infer):
        with pytest.raises(Refused, match="2 scopes"):
            operation(["a", "b"])
    assert memory.consolidations.list() == ()


def test_it_holds_only_where_all_of_them_hold(memory: Memory) -> None:
    said = memory.remember
    said("One.", id="a", applies_when={"environment": ["production", "staging"]}, extract_key=False)
    said("Two.", id="b", applies_when={"environment": "production", "region": "eu"}, extract_key=False)
    said("Three.", id="c", extract_key=False)
    said("Four.", id="d", applies_when={"environment": "staging"}, extract_key=False)
    assert summary(memory, ["a", "b", "c"]).applies_when == {"environment": ("production",), "region": ("eu",)}
    with pytest.raises(Refused, match="environment"):
        memory.consolidations.compress(["b", "d"])


def test_it_is_as_trusted_and_as_sure_as_the_least_of_them(memory: Memory) -> None:
    said = memory.remember
    said("One.", id="a", by="document:manual", certainty="confirmed", extract_key=False)
    said("Two.", id="b", by="person:ana", certainty="confirmed", extract_key=False)
    said("Three.", id="c", by="agent:scout", confidence=0.4, extract_key=False)
    made = summary(memory, ["a", "b"], by="system:nightly")
    assert (made.channel, made.certainty) == (Channel.PERSON, Certainty.CONFIRMED)
    lower = summary(memory, ["a", "c"], by="system:nightly")
    assert (lower.channel, lower.certainty, lower.confidence) == (Channel.AGENT, Certainty.REPORTED, 0.4)
    said("Four.", id="d", by="document:manual", certainty="confirmed", extract_key=False)
    by_agent = summary(memory, ["a", "d"], by="agent:x")
    assert (by_agent.channel, by_agent.certainty) == (Channel.AGENT, Certainty.REPORTED), "nor than who made it"


def test_it_ends_with_the_first_of_them_and_is_no_younger_than_the_oldest(memory: Memory, clock: Clock) -> None:
    said = memory.remember
    said("One.", id="a", valid_from="2025-01-01", valid_to="2026-06-01", extract_key=False)
    said("Two.", id="b", valid_from="2025-03-01", expires_at="2026-05-01", extract_key=False)
    said("Three.", id="c", observed_at="2024-07-01", extract_key=False)
    clock.move(days=30)
    made = summary(memory, ["a", "b"])
    assert made.valid_from == datetime(2025, 3, 1, tzinfo=UTC)
    assert (made.valid_to, made.expires_at) == (datetime(2026, 6, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))
    older = summary(memory, ["b", "c"])
    assert older.valid_from is None, "unknown stays unknown"
    assert older.observed_at == datetime(2024, 7, 1, tzinfo=UTC)
    clock.now = datetime(2026, 5, 1, tzinfo=UTC)
    assert standing(memory, made.id) is Standing.EXPIRED


def test_an_old_note_does_not_become_sure_again_by_being_said_again(memory: Memory, clock: Clock) -> None:
    for n in (1, 2):
        memory.remember(f"Ana likes tea {n}.", id=f"t{n}", kind="preference", extract_key=False)
    clock.move(days=365)
    made = summary(memory, ["t1", "t2"])
    assert made.confidence == pytest.approx(0.45), "half of 0.9 after one half-life"


# --- stale by construction -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda memory: memory.supersede("f1", "Orders moved to MySQL."),
        lambda memory: memory.retract("f1"),
        lambda memory: memory.correct("f1", "Orders stores its data in MySQL."),
    ],
    ids=["superseded", "retracted", "corrected"],
)
def test_a_change_to_an_input_makes_all_above_it_stale_in_the_same_instant(
    clock: Clock, ids: Counter, change: Callable[[Memory], object]
) -> None:
    policy = {"consolidate": {"generations": 3}}
    with upheld.open(":memory:", policy=policy, embedder=None, clock=clock, ids=ids) as memory:
        facts(memory)
        first = summary(memory, ["f1", "f2"])
        second = summary(memory, [first.id, "f3"])
        third = summary(memory, [second.id, "f4"])
        beside = summary(memory, ["f3", "f4"])
        above = (first, second, third)
        assert [each.generation for each in above] == [1, 2, 3]
        assert {standing(memory, each.id) for each in (*above, beside)} == {Standing.IN_FORCE}, "the control"
        position = len(list(memory.export()))
        change(memory)
        assert {standing(memory, each.id) for each in above} == {Standing.STALE}
        assert {memory.get(each.id, known_at=position).standing for each in above} == {Standing.IN_FORCE}
        assert standing(memory, beside.id) is Standing.IN_FORCE
        answer = memory.recall("where does orders keep its data, postgresql?", scope=ORDERS)
        assert not any("PostgreSQL" in text for text in said(answer))
        assert "PostgreSQL" not in all_text(answer).replace('"where does orders keep its data, postgresql?"', "")
        assert {each.standing for each in answer.withheld if each.id in {n.id for n in above}} == {Standing.STALE}


def test_undoing_the_change_lets_the_summary_stand_again(memory: Memory) -> None:
    facts(memory)
    made = summary(memory, scope=ORDERS)
    memory.retract("f1")
    assert standing(memory, made.id) is Standing.STALE
    memory.restore("f1")
    assert standing(memory, made.id) is Standing.IN_FORCE


def test_how_many_answers_would_have_served_a_stale_note_is_counted_by_day(memory: Memory, clock: Clock) -> None:
    facts(memory)
    made = summary(memory, scope=ORDERS)
    staleness = memory.consolidations.staleness
    assert (staleness().answers, staleness().share) == (0, None)
    memory.recall("orders data", scope=ORDERS)
    memory.recall("orders backups", scope=ORDERS)
    assert (staleness().answers, staleness().stale) == (2, 0), "the control: nothing was stale"
    memory.retract("f1")
    clock.move(days=1)
    memory.recall("orders backups", scope=ORDERS)
    memory.recall("the cat", scope="elsewhere")
    found = staleness()
    assert [(each.day.isoformat(), each.answers, each.stale) for each in found.days] == [
        ("2026-01-01", 2, 0),
        ("2026-01-02", 2, 1),
    ]
    assert (found.answers, found.stale, found.share) == (4, 1, 0.25)
    assert staleness(1).answers == 2
    assert standing(memory, made.id) is Standing.STALE


def test_a_store_that_keeps_no_receipts_counts_no_answers(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock, keep_receipts=False) as memory:
        memory.remember("The cat is grey.")
        memory.recall("cat")
        assert memory.consolidations.staleness().answers == 0
        with pytest.raises(Invalid, match="days"):
            memory.consolidations.staleness(0)


# --- generations and the first notes ---------------------------------------------------------------


def test_a_draft_beyond_the_cap_is_refused_wherever_it_comes_from(memory: Memory) -> None:
    memory.remember("Ground.", id="g0")
    memory.remember("First.", id="g1", derived_from="g0")
    memory.remember("Second.", id="g2", derived_from="g1")
    drafts = [upheld.Draft(statement="Third.", derived_from=("g2", "g0")), upheld.Draft(statement="Beside.")]
    with pytest.raises(Refused, match="generations"):
        memory.remember("Third.", derived_from="g2")
    many, imported = memory.remember_many(drafts), memory.import_(drafts)
    assert [type(each) for each in (many[0], imported[0])] == [Refused, Refused]
    assert many[1].outcome == "added", "the control: its neighbour came through"  # type: ignore[union-attr]
    with pytest.raises(Refused, match="generations"):
        memory.supersede("g2", "Second, again.", derived_from="g2")


@pytest.mark.parametrize("most", [0, 1, 5])
def test_the_policy_sets_how_often(clock: Clock, ids: Counter, most: int) -> None:
    policy = {"consolidate": {"generations": most}}
    with upheld.open(":memory:", policy=policy, embedder=None, clock=clock, ids=ids) as memory:
        memory.remember("Ground.", id="g0")
        for n in range(1, most + 1):
            assert memory.remember(f"Number {n}.", id=f"g{n}", derived_from=f"g{n - 1}").note.generation == n
        with pytest.raises(Refused, match=f"{most} pass"):
            memory.remember("One more.", derived_from=f"g{most}")
        memory.remember("Beside.", id="beside")
        if most == 0:
            with pytest.raises(Refused, match="generations = 0"):
                memory.consolidations.compress(["g0", "beside"])


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "2"])
def test_a_cap_that_is_no_count_is_refused(wrong: object) -> None:
    with pytest.raises(Misconfigured, match="generations"):
        upheld.open(":memory:", embedder=None, policy={"consolidate": {"generations": wrong}})


def test_at_the_cap_the_first_notes_are_read_again(memory: Memory) -> None:
    facts(memory)
    first = summary(memory, ["f1", "f2"])
    second = summary(memory, [first.id, "f3"])
    assert second.generation == 2
    made = memory.consolidations.compress([second.id, "f4"])
    assert made.inputs == ("f1", "f2", "f3", "f4")
    assert made.generation == 1
    assert FACTS[3] in made.drafts[0].statement
    assert {source.ref for source in made.drafts[0].sources} > {"note:f1", "note:f2", "note:f3", "note:f4"}


def test_a_stale_summary_is_made_again_from_what_its_first_notes_are_now(memory: Memory) -> None:
    facts(memory)
    old = summary(memory, ["f1", "f2"])
    memory.supersede("f1", "Orders moved to MySQL.", id="f1b", extract_key=False)
    made = memory.consolidations.compress(old.id)
    assert set(made.inputs) == {"f1b", "f2"}
    assert [(view.id, view.standing, view.statement) for view in made.replaces] == [(old.id, Standing.STALE, None)]
    [written] = memory.consolidations.publish(made.id or "")
    assert written.replaces == (old.id,)
    assert "MySQL" in written.statement
    assert "PostgreSQL" not in written.statement
    assert standing(memory, old.id) is Standing.SUPERSEDED


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("gone", ["retracted", "expired", "erased"])
def test_where_a_first_note_is_gone_it_is_not_written_again(
    memory: Memory, clock: Clock, gone: str, depth: int
) -> None:
    facts(memory)
    memory.remember("The lease runs.", id="x", scope=ORDERS, expires_at="2026-01-10", extract_key=False)
    made = summary(memory, ["f1", "x"])
    if depth == 2:
        made = summary(memory, [made.id, "f2"])
    if gone == "retracted":
        memory.retract("x")
    if gone == "expired":
        clock.move(days=30)
    if gone == "erased":
        erase(memory, "x")
    before = standing(memory, made.id)
    assert before is not Standing.IN_FORCE
    with pytest.raises(Refused, match=r"note x, which it was made from|is expired"):
        memory.consolidations.compress([made.id, "f3"])
    assert (standing(memory, made.id), memory.consolidations.list()) == (before, ())


def erase(memory: Memory, id: str) -> None:
    """Let the log say that a note was erased: there is no verb for it yet."""
    from upheld.note import Verb
    from upheld.remember import Journal

    with memory._database.writing() as tx:
        Journal.open(tx, memory._clock()).event(tx.seqs([id])[id], Verb.ERASED, actor="person:owner")


# --- what a writer may say -------------------------------------------------------------------------


def compress_by(memory: Memory, *answer: object, **more: Any) -> Proposal:
    return memory.consolidations.compress(scope=ORDERS, writer=Says(*answer), **more)


def test_a_sentence_in_other_words_passes_where_it_says_nothing_beyond_its_quotes(memory: Memory) -> None:
    facts(memory)
    made = compress_by(memory, sentence("Backups run at two.", ("f2", "Backups of orders run at two.")))
    assert made.problems == ()
    [written] = memory.consolidations.publish(made.id or "")
    assert written.statement == "Backups run at two."
    assert [source.excerpt for source in written.note.sources[2:]] == ["Backups of orders run at two."]


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (sentence("Backups run at three.", ("f2", "Backups of orders run at two.")), ""),
        (sentence("Backups run at two in Frankfurt.", ("f2", "Backups of orders run at two.")), ""),
        (sentence("Orders stores its data in MongoDB.", ("f1", FACTS[0])), ""),
        (sentence("Orders never stores its data in PostgreSQL.", ("f1", FACTS[0])), ""),
        (sentence("Orders stores its data.", ("f1", "Orders stores its data in Postgres.")), "to the letter"),
        (sentence("Orders stores its data.", ("f1", "")), "to the letter"),
        (sentence("Orders stores its data.", ("nothing", "Orders")), "was not given"),
        (sentence("Orders stores its data."), "stands on nothing"),
        (sentence(" ", ("f1", "Orders")), "empty"),
        (sentence("Orders stores data. All is well.", ("f1", FACTS[0])), "more than one sentence"),
        ("Orders stores its data in PostgreSQL.", "no Sentence"),
        (None, "no Sentence"),
        (Sentence(text=7, quotes=()), "no Sentence"),  # type: ignore[arg-type]
        (Sentence(text="Orders.", quotes=("f1",)), "was not given"),  # type: ignore[arg-type]
        (sentence("x" * 1001, ("f1", FACTS[0])), "characters"),
    ],
    ids=str,
)
def test_what_is_beyond_the_notes_is_shown_with_the_reason_and_never_staged(
    memory: Memory, given: object, why: str
) -> None:
    facts(memory)
    before = list(memory.export())
    good = sentence(FACTS[2], ("f3", FACTS[2]))
    made = compress_by(memory, good, given)
    assert made.id is None
    assert made.problems
    assert any(why in each for each in made.problems), made.problems
    assert (made.drafts, memory.consolidations.list(), list(memory.export())) == ((), (), before)
    control = compress_by(memory, good, sentence("Backups run at two.", ("f2", "Backups of orders run at two.")))
    assert control.id is not None, "the good sentence passes beside another"


def test_a_doubt_of_the_notes_may_not_get_lost(memory: Memory) -> None:
    doubt = "The old API is probably unused."
    memory.remember(doubt, id="d", scope=ORDERS, extract_key=False)
    memory.remember("The new API is in use.", id="e", scope=ORDERS, extract_key=False)
    memory.remember("It is at /v2.", id="g", scope=ORDERS, extract_key=False)
    lost = compress_by(memory, sentence("The old API is unused.", ("d", doubt)))
    assert lost.problems
    cut = compress_by(memory, sentence("The old API is unused.", ("d", "unused"), ("d", "The old API is")))
    assert cut.problems, "nor by quoting around it"
    assert said_of(memory.consolidations.compress(scope=ORDERS)) == "The new API is in use. It is at /v2."


def said_of(made: Proposal) -> str:
    [draft] = made.drafts
    return draft.statement


@pytest.mark.parametrize("answer", [None, "text", {"a": 1}, 7, b"x"], ids=repr)
def test_a_writer_that_returns_no_list_is_a_problem_and_no_crash(memory: Memory, answer: object) -> None:
    facts(memory)
    writer = Says()
    writer.answer = answer
    made = memory.consolidations.compress(scope=ORDERS, writer=writer)
    assert made.id is None
    assert "instead of sentences" in made.problems[0]


@pytest.mark.parametrize("error", [ValueError("secret"), RecursionError(), KeyError("k")])
def test_what_a_writer_raises_is_unavailable_without_its_words(memory: Memory, error: Exception) -> None:
    facts(memory)
    with pytest.raises(Unavailable, match=type(error).__name__) as raised:
        memory.consolidations.compress(scope=ORDERS, writer=Says(whole=error))
    assert "secret" not in str(raised.value)
    with pytest.raises(Refused, match="no"):
        memory.consolidations.compress(scope=ORDERS, writer=Says(whole=Refused("no")))


def test_more_passages_than_a_note_has_room_for_are_a_problem(memory: Memory) -> None:
    text = " ".join(f"Item {n} is here." for n in range(70))
    memory.remember(text, id="long", scope=ORDERS, extract_key=False)
    memory.remember("Beside.", id="beside", scope=ORDERS, extract_key=False)
    parts = [text[start:end] for start, end in spans(text)]
    made = compress_by(memory, *(sentence(part, ("long", part)) for part in parts), most_chars=9000)
    assert "70 passages" in made.problems[0]
    whole = memory.consolidations.compress(scope=ORDERS, most_chars=9000)
    assert whole.problems == (), "the embedded writer keeps to it"


def test_what_code_alone_finds_beyond_its_quotes_waits_for_a_person(memory: Memory) -> None:
    facts(memory)
    made = compress_by(memory, sentence("Backups run at three.", ("f2", "Backups of orders run at two.")))
    with memory._database.reading() as reading:
        [review] = reading.aside.reviews()
    assert (review.id, review.what, review.why) == (made.review, "consolidation", made.problems)
    assert review.drafts[0].derived_from == ("f1", "f2", "f3", "f4")
    invented = compress_by(memory, sentence("Backups run.", ("f2", "Backups run at three.")))
    assert (invented.id, invented.review) == (None, None), "where the quotes are wrong there is nothing to tell"
    assert compress_by(memory, sentence("Backups run at two.", ("f2", "Backups of orders run at two."))).review is None


# --- the embedded writer ---------------------------------------------------------------------------


def test_the_sentences_of_a_text_and_what_may_be_said_alone() -> None:
    text = "Use npm, e.g. for v2.0. CI runs on Jenkins! It is slow.\n- Item one\n- item two\n备份在两点。保留三十天。"
    cut = [text[start:end] for start, end in spans(text)]
    assert cut[:3] == ["Use npm, e.g. for v2.0.", "CI runs on Jenkins!", "It is slow."]
    assert cut[-2:] == ["备份在两点。", "保留三十天。"]
    assert "CI runs on Jenkins! It is slow." in [text[start:end] for start, end in units(text)]
    assert (spans(""), spans(" \n ")) == ([], [])


def test_sentences_cover_a_text_and_never_overlap(seed: int) -> None:
    chance = Random(seed)
    for _ in range(300):
        text = "".join(
            chance.choice(["A b c", ". ", "! ", "? ", "\n", " e.g. ", "x", " ", "。", '."', " Dr. "]) for _ in range(20)
        )
        for found in (spans(text), units(text)):
            places = [place for span in found for place in span]
            assert places == sorted(places), text
            kept = "".join(text[start:end] for start, end in found)
            assert "".join(kept.split()) == "".join(text.split()), text


@pytest.mark.parametrize("embedder", [None, HashEmbedder()], ids=["words", "vectors"])
def test_it_is_within_its_length_says_nothing_twice_and_is_always_the_same(
    clock: Clock, embedder: HashEmbedder | None
) -> None:
    found = []
    for _ in range(2):
        with upheld.open(":memory:", embedder=embedder, clock=clock, ids=Counter()) as memory:
            facts(memory)
            memory.remember("The orders service listens on port 5432!", scope=ORDERS, id="again", extract_key=False)
            for n in range(30):
                memory.remember(f"Queue {n} of orders holds jobs.", scope=ORDERS, id=f"q{n}", extract_key=False)
            for most in (80, 150, 300, 5000):
                made = memory.consolidations.compress(scope=ORDERS, most_chars=most)
                text = said_of(made)
                assert len(text) <= most
                assert text.count("5432") <= 1
                found.append((most, text))
    assert found[:4] == found[4:]
    assert len({text for _, text in found}) == 4


def test_where_nothing_fits_it_says_so(memory: Memory) -> None:
    facts(memory)
    made = memory.consolidations.compress(scope=ORDERS, most_chars=10)
    assert made.id is None
    assert made.problems == ("no sentence of the notes can be said in so few",)


def test_a_sentence_that_leans_on_another_is_never_said_without_it(memory: Memory) -> None:
    facts(memory)
    for most in range(20, 200, 5):
        made = memory.consolidations.compress(scope=ORDERS, most_chars=most)
        if made.drafts:
            text = said_of(made)
            assert ("They are kept" in text) == ("Backups of orders" in text)


def test_the_two_operations_have_two_writers(memory: Memory) -> None:
    with pytest.raises(Invalid, match="guesses nothing"):
        Extractive().write(Work(operation=Operation.INFER, notes=[]))
    with pytest.raises(Invalid, match="summarises nothing"):
        Recurrence().write(Work(operation=Operation.COMPRESS, notes=[]))


def test_while_the_embedder_is_down_the_summary_waits(clock: Clock) -> None:
    class Down(HashEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            if any("Orders" in text for text in texts):
                raise Unavailable("down")
            return super().embed(texts)

    with upheld.open(":memory:", embedder=Down(), clock=clock, ids=Counter()) as memory:
        facts(memory)
        with pytest.raises(Unavailable, match="Extractive"):
            memory.consolidations.compress(scope=ORDERS)
        made = memory.consolidations.compress(scope=ORDERS, writer=Extractive())
        assert memory.consolidations.publish(made.id or "")[0].outcome == "added"


# --- guesses ---------------------------------------------------------------------------------------


def drinks(memory: Memory, *values: str, scope: str = "user/ana") -> None:
    for day, value in enumerate(values, start=1):
        memory.remember(
            f"Ana ordered {value} on day {day}.",
            id=f"{scope}-{day}",
            scope=scope,
            kind="episode",
            key=Key(subject="Ana", attribute="drink"),
            value=value,
            valid_from=datetime(2025, 12, day, tzinfo=UTC),
        )


def test_what_was_the_same_three_times_is_proposed_and_never_served_as_settled(memory: Memory) -> None:
    drinks(memory, "tea", "Tea", "tea")
    before = memory.recall("what does Ana drink", scope="user/ana")
    made = memory.consolidations.infer(scope="user/ana")
    [draft] = made.drafts
    assert draft.statement == "The usual drink of Ana is tea."
    assert (draft.certainty, draft.kind) == (Certainty.HYPOTHESIS, "hypothesis")
    assert draft.derived_from == ("user/ana-1", "user/ana-2", "user/ana-3")
    [written] = memory.consolidations.publish(made.id or "")
    assert written.outcome == "proposed"
    assert written.note.confidence == pytest.approx(0.3)
    assert next(source.excerpt for source in written.note.sources if source.excerpt) == "Ana ordered tea on day 1."
    after = memory.recall("what does Ana usually drink", scope="user/ana")
    assert "usual drink of Ana" not in all_text(after)
    assert [note.id for note in before.upheld] == [
        note.id for note in memory.recall("what does Ana drink", scope="user/ana").upheld
    ]
    assert standing(memory, written.id) is Standing.PROPOSED


@pytest.mark.parametrize(
    "values", [("tea", "tea"), ("tea", "tea", "tea", "coffee"), ("coffee", "tea", "tea", "tea"), ()], ids=str
)
def test_too_few_and_every_exception_keep_it_from_being_usual(memory: Memory, values: tuple[str, ...]) -> None:
    drinks(memory, *values)
    memory.remember("Ana has a cat.", scope="user/ana", extract_key=False)
    made = memory.consolidations.infer(scope="user/ana")
    assert (made.id, made.drafts, made.problems) == (None, (), ())


def test_a_retracted_exception_is_none(memory: Memory) -> None:
    drinks(memory, "tea", "tea", "tea", "coffee")
    memory.retract("user/ana-4")
    made = memory.consolidations.infer(scope="user/ana")
    assert [draft.statement for draft in made.drafts] == ["The usual drink of Ana is tea."]


def test_what_was_proposed_or_retracted_is_not_proposed_again(memory: Memory) -> None:
    drinks(memory, "tea", "tea", "tea")
    infer = memory.consolidations.infer
    [written] = memory.consolidations.publish(infer(scope="user/ana").id or "")
    again = infer(scope="user/ana")
    assert (again.id, [(each.note, each.why) for each in again.left_out]) == (
        None,
        [(written.id, "it says this already")],
    )
    memory.retract(written.id)
    once_more = infer(scope="user/ana")
    assert [(each.note, each.why) for each in once_more.left_out] == [(written.id, "it said this, and was retracted")]


def test_a_guess_needs_two_notes_and_shares_their_terms(memory: Memory) -> None:
    memory.remember("Ana ate rice.", id="a", scope="s", applies_when={"place": "home"}, extract_key=False)
    memory.remember("Ana cooked rice.", id="b", scope="s", applies_when={"place": "office"}, extract_key=False)
    memory.remember("Ana bought rice.", id="c", scope="s", by="agent:x", extract_key=False)

    def guess(*quotes: tuple[str, str], **more: Any) -> Proposal:
        writer = Says(sentence("Ana is fond of rice.", *quotes, **more))
        return memory.consolidations.infer(["a", "c"], writer=writer)

    alone = guess(("a", "Ana ate rice."))
    assert "one note alone" in alone.problems[0]
    with pytest.raises(Refused, match="place"):
        memory.consolidations.infer(["a", "b"], writer=Says())
    made = guess(("a", "ate rice"), ("c", "bought rice"), confidence=0.95)
    [draft] = made.drafts
    assert (draft.confidence, draft.applies_when) == (0.5, {"place": ("home",)}), "a hypothesis is at most that sure"
    [written] = memory.consolidations.publish(made.id or "")
    assert written.note.channel is Channel.AGENT
    for odd in (float("nan"), -1, 2, True, "high"):
        [draft] = guess(("a", "ate rice"), ("c", "bought rice"), confidence=odd).drafts or (draft,)
        assert draft.confidence == 0.5


# --- staged, published, discarded ------------------------------------------------------------------


def test_what_is_staged_is_seen_nowhere_else(memory: Memory, tmp_path: Path) -> None:
    facts(memory)
    before = list(memory.export())
    made = compress_by(memory, sentence("Backups run at two.", ("f2", "Backups of orders run at two.")))
    word = "Backups run at two."
    assert word in all_text(memory.consolidations.list()[0])
    looks = (
        memory.recall("when do backups run", scope=ORDERS, mode="history"),
        memory.list(ORDERS, mode="history", limit=1000),
        memory.history("f2"),
        memory.explain("f2"),
    )
    assert not any(word in json.dumps(str(look)) for look in looks)
    assert list(memory.export()) == before
    with pytest.raises(NotFound):
        memory.get(made.id or "")
    memory.consolidations.publish(made.id or "")
    assert word in said(memory.recall(word, scope=ORDERS)), "the control: published, it is found"
    assert memory.consolidations.list() == ()


def test_discarded_it_leaves_no_trace(clock: Clock, ids: Counter, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, clock=clock, ids=ids) as memory:
        facts(memory)
        before = list(memory.export())
        made = compress_by(memory, sentence("Backups run at two.", ("f2", "Backups of orders run at two.")))
        memory.consolidations.discard(made.id or "")
        assert (memory.consolidations.list(), list(memory.export())) == ((), before)
        for verb in (memory.consolidations.discard, memory.consolidations.publish):
            with pytest.raises(NotFound, match="nothing is staged"):
                verb(made.id or "")
    assert b"Backups run at two." not in path.read_bytes()
    with upheld.open(path, embedder=None, clock=clock, ids=ids) as memory:
        made = compress_by(memory, sentence("Backups run at two.", ("f2", "Backups of orders run at two.")))
    assert b"Backups run at two." in path.read_bytes(), "the control: staged, it is in the file"


def test_a_staged_set_outlives_the_process_and_comes_back_as_it_was(clock: Clock, ids: Counter, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, clock=clock, ids=ids) as memory:
        facts(memory, valid_from="2025-05-01", valid_to="2027-01-01", applies_when={"env": ["b", "a"]})
        drinks(memory, "tea", "tea", "tea")
        made = [memory.consolidations.compress(scope=ORDERS), memory.consolidations.infer(scope="user/ana")]
        assert list(memory.consolidations.list()) == made
    with upheld.open(path, embedder=None, clock=clock, ids=ids) as memory:
        assert list(memory.consolidations.list()) == made
        for each in made:
            memory.consolidations.publish(each.id or "")


@pytest.mark.parametrize(
    ("move", "named"),
    [
        (lambda memory, _: memory.supersede("f1", "Orders moved to MySQL."), {"f1"}),
        (lambda memory, _: memory.retract("f2"), {"f2"}),
        (lambda memory, _: memory.confirm("f3"), {"f3"}),
        (lambda memory, _: (memory.retract("f4"), memory.restore("f4")), {"f4"}),
        (lambda memory, _: erase(memory, "f1"), {"f1"}),
        (lambda memory, _: memory.retract("premise"), {"rests"}),
        (lambda memory, clock: clock.move(days=40), {"leased"}),
    ],
    ids=["superseded", "retracted", "confirmed", "there and back", "erased", "its premise fell", "expired"],
)
def test_where_an_input_moved_nothing_is_published_and_it_is_named(
    memory: Memory, clock: Clock, move: Callable[[Memory, Clock], object], named: set[str]
) -> None:
    facts(memory)
    memory.remember("The premise.", id="premise", scope="other", extract_key=False)
    memory.remember("What rests.", id="rests", scope=ORDERS, depends_on="premise", extract_key=False)
    memory.remember("What is leased.", id="leased", scope=ORDERS, expires_at="2026-02-01", extract_key=False)
    made = memory.consolidations.compress(scope=ORDERS)
    move(memory, clock)
    before = list(memory.export())
    with pytest.raises(Conflict) as raised:
        memory.consolidations.publish(made.id or "")
    assert set(raised.value.current) == named
    assert list(memory.export()) == before
    [shown] = memory.consolidations.list()
    assert (set(shown.moved), shown.drafts) == (named, ()), "and its text is not shown any more"
    memory.consolidations.discard(made.id or "")


def test_what_does_not_move_an_input_does_not_hold_it_back(memory: Memory) -> None:
    facts(memory)
    made = [memory.consolidations.compress(["f1", "f2"]), memory.consolidations.compress(["f2", "f3"])]
    memory.remember("Another.", id="above", scope=ORDERS, depends_on="f1", derived_from="f2", extract_key=False)
    memory.supersede("f4", "Retries are capped at six.")
    assert [memory.consolidations.publish(each.id or "")[0].outcome for each in made] == ["added", "added"]


def test_the_former_summary_of_the_same_notes_falls_in_the_same_write(memory: Memory, clock: Clock) -> None:
    facts(memory)
    old, other = summary(memory, scope=ORDERS, most_chars=110), summary(memory, ["f3", "f4"])
    assert (
        memory.consolidations.compress(scope=ORDERS, most_chars=110).left_out[0].why
        == "it says this already, and stands"
    )
    made = memory.consolidations.compress(scope=ORDERS)
    assert [(view.id, view.statement) for view in made.replaces] == [(old.id, old.statement)]
    memory.remember("Orders has two owners.", id="f5", scope=ORDERS, extract_key=False)
    wider = memory.consolidations.compress(scope=ORDERS)
    assert [view.id for view in wider.replaces] == [old.id], "the same range, whatever it now covers"
    [written] = memory.consolidations.publish(made.id or "")
    assert written.replaces == (old.id,)
    [widest] = memory.consolidations.publish(wider.id or "")
    assert widest.replaces == (written.id,), "looked up again when it is published"
    assert standing(memory, other.id) is Standing.IN_FORCE
    in_force = memory.list(ORDERS, kinds=["summary"]).notes
    assert {view.id for view in in_force} == {other.id, widest.id}


def test_named_notes_replace_a_summary_of_what_those_notes_were(memory: Memory) -> None:
    facts(memory)
    old = summary(memory, ["f1", "f2", "f3"])
    memory.supersede("f1", "Orders moved to MySQL.", id="f1b", extract_key=False)
    memory.retract("f3")
    made = memory.consolidations.compress(["f1b", "f2"])
    assert [view.id for view in made.replaces] == [old.id], "what is left of its notes is what this covers"
    assert memory.consolidations.compress(["f2", "f4"]).replaces == ()


def test_a_summary_of_a_summary_does_not_replace_what_it_was_made_from(memory: Memory) -> None:
    facts(memory)
    first = summary(memory, ["f1", "f2"])
    second = summary(memory, [first.id, "f1"], writer=Says(sentence("Orders data is in PostgreSQL.", ("f1", FACTS[0]))))
    assert [standing(memory, each.id) for each in (first, second)] == [Standing.IN_FORCE, Standing.IN_FORCE]


def test_what_a_person_said_instead_of_a_summary_is_not_replaced(memory: Memory) -> None:
    facts(memory)
    old = summary(memory, scope=ORDERS, most_chars=110)
    mine = memory.supersede(old.id, "Ask Ana about orders.", by="person:ana")
    made = memory.consolidations.compress(scope=ORDERS)
    assert made.replaces == ()
    memory.consolidations.publish(made.id or "")
    assert standing(memory, mine.id) is Standing.IN_FORCE


def test_it_is_published_once(memory: Memory) -> None:
    facts(memory)
    made = memory.consolidations.compress(scope=ORDERS)
    memory.consolidations.publish(made.id or "")
    with pytest.raises(NotFound):
        memory.consolidations.publish(made.id or "")
    for odd in (None, 7, "", "x" * 600):
        with pytest.raises((Invalid, NotFound)):
            memory.consolidations.publish(odd)  # type: ignore[arg-type]


def test_notes_that_move_while_a_writer_writes_stage_nothing(memory: Memory) -> None:
    facts(memory)

    class Slow(Says):
        def write(self, work: Work) -> Any:
            memory.retract("f2")
            return super().write(work)

    with pytest.raises(Conflict) as raised:
        memory.consolidations.compress(scope=ORDERS, writer=Slow(sentence(FACTS[0], ("f1", FACTS[0]))))
    assert raised.value.current == ("f2",)
    assert memory.consolidations.list() == ()


def test_progress_is_told(memory: Memory) -> None:
    facts(memory)
    ticks: list[tuple[int, int | None]] = []
    memory.consolidations.compress(scope=ORDERS, progress=lambda done, of: ticks.append((done, of)))
    assert ticks == [(1, 3), (2, 3), (3, 3)]


# --- what was written, kept ------------------------------------------------------------------------


def test_a_recording_says_it_again_without_the_writer(memory: Memory, tmp_path: Path) -> None:
    facts(memory)
    path = tmp_path / "said.jsonl"
    writer = Says(sentence("Backups run at two.", ("f2", "Backups of orders run at two."), confidence=0.5))
    first = memory.consolidations.compress(scope=ORDERS, writer=Recorded(path, writer))
    again = memory.consolidations.compress(scope=ORDERS, writer=Recorded(path, writer))
    replayed = memory.consolidations.compress(scope=ORDERS, writer=Recorded(path, name="says-1"))
    assert len(writer.works) == 1
    assert said_of(first) == said_of(again) == said_of(replayed)
    assert first.transform == replayed.transform == "compress/says-1"
    with pytest.raises(Unavailable, match="holds nothing"):
        memory.consolidations.compress(["f1", "f2"], writer=Recorded(path, name="says-1"))
    with path.open("a") as file:
        file.write('{"work": "cut sh')
    more = memory.consolidations.compress(["f2", "f3"], writer=Recorded(path, writer))
    assert more.id is not None
    assert Recorded(path, name="says-1").name == "says-1"
    path.write_text("nonsense\n" + path.read_text())
    with pytest.raises(Corrupt, match="line 1"):
        Recorded(path, name="says-1")
    with pytest.raises(Misconfigured):
        Recorded(tmp_path / "none", name="says-1")
    with pytest.raises(Misconfigured):
        Recorded(path)


def test_a_guess_is_kept_with_its_key(memory: Memory, tmp_path: Path) -> None:
    drinks(memory, "tea", "tea", "tea")
    path = tmp_path / "said.jsonl"
    first = memory.consolidations.infer(scope="user/ana", writer=Recorded(path, Recurrence()))
    again = memory.consolidations.infer(scope="user/ana", writer=Recorded(path, name="recurrence-1"))
    assert first.drafts == again.drafts
    assert first.drafts[0].key == Key(subject="Ana", attribute="usual drink")


def test_time_moves_on_and_a_day_of_answers_is_added_to(memory: Memory, clock: Clock) -> None:
    memory.remember("The cat is grey.")
    for _ in range(600):
        memory.recall("cat")
    assert memory.consolidations.staleness().answers == 600, "more than are written at once"
    clock.move(timedelta(days=40))
    assert memory.consolidations.staleness().days == ()
