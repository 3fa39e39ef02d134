"""What a new statement does to those that are there: outcome by outcome, and whatever the order of arrival."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import upheld
from onlooker import at, log_of, said
from upheld import Certainty, Channel, Conflict, Draft, Key, Memory, NotFound, Refused, Standing, UpheldError, Written
from upheld.admit import admit
from upheld.db import rows
from upheld.memory import BATCH_WITHOUT_VECTORS
from upheld.note import Note, moment
from upheld.policy import load
from upheld.relate import Rival, covers, overlap, relate
from upheld.standing import IN_FORCE, Ruling
from worlds import Clock, Counter

if TYPE_CHECKING:
    from collections.abc import Iterator

PORT = Key(subject="gateway", attribute="port")
SPEAKS = Key(subject="Omar", attribute="speaks", single=False)
POLICY = load()


@pytest.fixture
def memory(clock: Clock, ids: Counter) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as opened:
        yield opened


def port(memory: Memory, value: str, **fields: Any) -> Written:
    return memory.remember(f"The gateway listens on {value}.", key=PORT, value=value, **fields)


def in_force(memory: Memory, scope: str = "default") -> list[str]:
    return sorted(str(view.note.value) for view in memory.list(scope).notes if view.note is not None)


# --- relate: the pure decision ------------------------------------------------------------------------


def note(seq: int, value: str, **fields: Any) -> Note:
    """A note of one key, as the door admits it."""
    drafted = Draft(statement=f"on {value}", key=PORT, value=value, **fields)
    return admit(drafted, POLICY, now=moment(1 << 52)).recorded(
        seq=seq, id=f"n{seq}", at=moment((1 << 52) + seq), generation=0
    )


def rival(seq: int, value: str, standing: Standing = Standing.IN_FORCE, **fields: Any) -> Rival:
    return Rival(note(seq, value, **fields), IN_FORCE if standing is Standing.IN_FORCE else Ruling(standing))


MAY, JUNE = at("2026-05-01"), at("2026-06-01")
PROD, STAGE = {"env": "production"}, {"env": "staging"}
NOTE_SEQ = 9

RELATED: dict[str, tuple[list[Rival], dict[str, Any], tuple[str, list[int], list[int], list[int]]]] = {
    # what is there, the new note, and (outcome, supersedes, superseded by, disputes)
    "nothing is there": ([], {}, ("added", [], [], [])),
    "another value": ([rival(1, "1")], {}, ("superseded", [1], [], [])),
    "the same value": ([rival(1, "2")], {}, ("confirmed", [], [], [])),
    "the same value in another kind": ([rival(1, "2", kind="decision")], {}, ("added", [], [], [])),
    "the same value elsewhere": ([rival(1, "2", applies_when=STAGE)], {"applies_when": PROD}, ("added", [], [], [])),
    "a hypothesis": ([rival(1, "1")], {"certainty": "hypothesis"}, ("proposed", [], [], [])),
    "a hypothesis is there": (
        [rival(1, "1", Standing.PROPOSED, certainty="hypothesis")],
        {},
        ("superseded", [1], [], []),
    ),
    "both times known, the new one later": (
        [rival(1, "1", valid_from=MAY)],
        {"valid_from": JUNE},
        ("superseded", [1], [], []),
    ),
    "both times known, the new one earlier": (
        [rival(1, "1", valid_from=JUNE)],
        {"valid_from": MAY},
        ("history", [], [1], []),
    ),
    "both at one time": ([rival(1, "1", valid_from=MAY)], {"valid_from": MAY}, ("superseded", [1], [], [])),
    "only the new time known": ([rival(1, "1")], {"valid_from": MAY}, ("superseded", [1], [], [])),
    "only the old time known": ([rival(1, "1", valid_from=MAY)], {}, ("disputed", [], [], [1])),
    "seen instead of begun": (
        [rival(1, "1", observed_at=at("2026-01-01"))],
        {"observed_at": at("2025-12-01")},
        ("history", [], [1], []),
    ),
    "less trusted": ([rival(1, "1", by="person:ana")], {"by": "agent:bot"}, ("disputed", [], [], [1])),
    "less trusted and later": (
        [rival(1, "1", by="system:net", valid_from=MAY)],
        {"by": "person:ana", "valid_from": JUNE},
        ("disputed", [], [], [1]),
    ),
    "less trusted and earlier": (
        [rival(1, "1", by="system:net", valid_from=JUNE)],
        {"by": "person:ana", "valid_from": MAY},
        ("history", [], [1], []),
    ),
    "more trusted": ([rival(1, "1", by="agent:bot")], {"by": "person:ana"}, ("superseded", [1], [], [])),
    "equally trusted": ([rival(1, "1", by="agent:a")], {"by": "agent:b"}, ("superseded", [1], [], [])),
    "narrower conditions": ([rival(1, "1")], {"applies_when": PROD}, ("disputed", [], [], [1])),
    "wider conditions": ([rival(1, "1", applies_when=PROD)], {}, ("superseded", [1], [], [])),
    "equal conditions": ([rival(1, "1", applies_when=PROD)], {"applies_when": PROD}, ("superseded", [1], [], [])),
    "disjoint conditions": ([rival(1, "1", applies_when=STAGE)], {"applies_when": PROD}, ("added", [], [], [])),
    "conditions on other things": (
        [rival(1, "1", applies_when={"region": "eu"})],
        {"applies_when": PROD},
        ("disputed", [], [], [1]),
    ),
    "one of two conditions": (
        [rival(1, "1", applies_when={"env": ["production", "staging"]})],
        {"applies_when": PROD},
        ("disputed", [], [], [1]),
    ),
    "retracted": ([rival(1, "1", Standing.RETRACTED)], {}, ("added", [], [], [])),
    "contradicted": ([rival(1, "1", Standing.CONTRADICTED)], {}, ("added", [], [], [])),
    "expired": ([rival(1, "1", Standing.EXPIRED)], {}, ("superseded", [1], [], [])),
    "between two": (
        [rival(1, "1", Standing.SUPERSEDED, valid_from=at("2026-01-01")), rival(2, "3", valid_from=JUNE)],
        {"valid_from": MAY},
        ("history", [1], [2], []),
    ),
    "several copies": ([rival(1, "1"), rival(2, "1", kind="decision")], {}, ("superseded", [1, 2], [], [])),
    "a trusted and an untrusted one": (
        [rival(1, "1", by="system:net"), rival(2, "3", by="agent:bot")],
        {"by": "person:ana"},
        ("disputed", [], [], [1]),
    ),
}


@pytest.mark.parametrize(("there", "fields", "expected"), RELATED.values(), ids=list(RELATED))
def test_the_decision_to_write_is_a_table(
    there: Sequence[Rival], fields: Mapping[str, Any], expected: tuple[str, list[int], list[int], list[int]]
) -> None:
    plan = relate(note(NOTE_SEQ, "2", **fields), there, POLICY)
    found = [[each.seq for each in some] for some in (plan.supersedes, plan.superseded_by, plan.disputes)]
    assert (plan.outcome, *found) == expected


@pytest.mark.parametrize(("there", "fields", "expected"), RELATED.values(), ids=list(RELATED))
def test_the_decision_does_not_depend_on_the_order_in_which_rivals_are_met(
    there: Sequence[Rival], fields: Mapping[str, Any], expected: object
) -> None:
    new = note(NOTE_SEQ, "2", **fields)
    plans = [relate(new, order, POLICY) for order in permutations(there)]
    assert (
        len({(p.outcome, frozenset(n.seq for n in p.supersedes), frozenset(n.seq for n in p.disputes)) for p in plans})
        == 1
    )


@pytest.mark.parametrize(
    ("wide", "narrow", "covered", "met"),
    [
        ({}, {}, True, True),
        ({}, PROD, True, True),
        (PROD, {}, False, True),
        (PROD, PROD, True, True),
        (PROD, STAGE, False, False),
        ({"env": ("a", "b")}, {"env": ("a",)}, True, True),
        ({"env": ("a",)}, {"env": ("a", "b")}, False, True),
        ({"env": ("a", "b")}, {"env": ("b", "c")}, False, True),
        (PROD, {"env": "production", "region": "eu"}, True, True),
        ({"env": "production", "region": "eu"}, PROD, False, True),
        ({"region": "eu"}, PROD, False, True),
        ({"env": "production", "region": "eu"}, {"env": "production", "region": "us"}, False, False),
    ],
)
def test_conditions_cover_and_overlap(wide: Any, narrow: Any, *, covered: bool, met: bool) -> None:
    first, second = (
        {name: (value,) if isinstance(value, str) else value for name, value in each.items()} for each in (wide, narrow)
    )
    assert covers(first, second) is covered
    assert overlap(first, second) is met
    assert overlap(second, first) is met


# --- outcomes, through the verb -------------------------------------------------------------------------


def test_added_superseded_confirmed_history_disputed_proposed_repeated(memory: Memory) -> None:
    outcomes = [
        port(memory, "1", by="person:ana", valid_from="2025-01-01", idempotency_key="k").outcome,
        port(memory, "2", by="person:ana", valid_from="2025-02-01").outcome,
        port(memory, "2", by="person:bo", valid_from="2025-02-01").outcome,
        port(memory, "0", by="person:ana", valid_from="2024-01-01").outcome,
        port(memory, "3", by="agent:bot").outcome,
        port(memory, "4", certainty="hypothesis").outcome,
        port(memory, "1", by="person:ana", valid_from="2025-01-01", idempotency_key="k").outcome,
    ]
    assert outcomes == ["added", "superseded", "confirmed", "history", "disputed", "proposed", "repeated"]


def test_an_outcome_names_what_it_replaced_and_what_it_met(memory: Memory) -> None:
    first = port(memory, "1", valid_from="2025-01-01")
    assert (first.replaces, first.against) == ((), ())
    second = port(memory, "2", valid_from="2025-02-01")
    assert (second.replaces, second.against) == ((first.id,), ())
    late = port(memory, "0", valid_from="2024-01-01")
    assert (late.replaces, late.against) == ((), (first.id,))
    dispute = port(memory, "9", by="agent:bot")
    assert (dispute.replaces, dispute.against) == ((), (second.id,))
    assert in_force(memory) == ["2"]


def test_a_confirmation_is_the_note_that_was_there_and_one_more_event(memory: Memory, clock: Clock) -> None:
    first = memory.remember("The gate is blue.", kind="attribute", observed_at="2026-01-01")
    clock.move(days=300)
    again = memory.remember("The gate is blue.", kind="attribute", by="person:bo", observed_at=clock())
    assert (again.outcome, again.note) == ("confirmed", first.note)
    assert memory.scopes() == {"default": 1}
    assert memory.recall("gate").upheld[0].confidence == pytest.approx(0.9)


def test_an_echo_of_unknown_age_or_lesser_trust_does_not_make_a_note_look_fresh(memory: Memory, clock: Clock) -> None:
    memory.remember("The gate is blue.", kind="attribute", by="person:ana", observed_at="2026-01-01")
    clock.move(days=400)
    aged = memory.recall("gate").upheld[0].confidence
    assert memory.remember("The gate is blue.", kind="attribute", by="person:bo").outcome == "confirmed"
    assert memory.recall("gate").upheld[0].confidence == aged, "nobody said when that was seen"
    echo = memory.remember("The gate is blue.", kind="attribute", by="agent:bot", observed_at=clock())
    assert echo.outcome == "confirmed"
    assert memory.recall("gate").upheld[0].confidence == aged, "an agent repeats what it was told"


def test_a_dispute_is_open_and_what_it_disputes_still_stands(memory: Memory) -> None:
    port(memory, "1", by="person:ana")
    dispute = port(memory, "2", by="agent:bot")
    answer = memory.recall("which port does the gateway listen on")
    assert said(answer) == ["The gateway listens on 1."]
    assert [(question.id, question.standing) for question in answer.open] == [(dispute.id, Standing.DISPUTED)]
    assert "on 2" not in answer.prompt()


def test_a_dispute_ends_when_what_it_met_falls(memory: Memory) -> None:
    first = port(memory, "1", by="person:ana")
    dispute = port(memory, "2", by="agent:bot")
    memory.retract(first.id, reason="a misreading")
    assert memory.get(dispute.id).standing is Standing.IN_FORCE
    memory.restore(first.id)
    assert memory.get(dispute.id).standing is Standing.DISPUTED


def test_many_values_of_one_attribute_stand_side_by_side(memory: Memory) -> None:
    for language in ("French", "Danish", "Thai"):
        assert memory.remember(f"Omar speaks {language}.", key=SPEAKS, value=language).replaces == ()
    assert in_force(memory) == ["Danish", "French", "Thai"]
    assert memory.remember("Omar speaks french", key=SPEAKS, value="french").outcome == "confirmed"


def test_a_key_counts_inside_its_scope_only(memory: Memory) -> None:
    port(memory, "1", scope="a")
    assert port(memory, "2", scope="b").replaces == ()
    assert (in_force(memory, "a"), in_force(memory, "b")) == (["1"], ["2"])


def test_no_key_no_guess(memory: Memory) -> None:
    first = memory.remember("Somebody left a red umbrella near the lift again.")
    second = memory.remember("Somebody left a blue umbrella near the lift again.")
    assert first.note.subject_key is second.note.subject_key is None
    assert second.outcome == "added"


def test_a_caller_may_switch_the_extractor_off(memory: Memory) -> None:
    memory.remember("The port of the gateway is 1.")
    written = memory.remember("The port of the gateway is 2.", extract_key=False)
    assert (written.outcome, written.note.subject_key) == ("added", None)
    assert memory.remember("The port of the gateway is 3.").outcome == "superseded", "the control"


# --- order ----------------------------------------------------------------------------------------------

TIMES = ["2025-01-01", "2025-04-01", "2025-07-01", "2025-10-01"]


def arrive(order: Sequence[int], **fields: Any) -> Memory:
    memory = upheld.open(":memory:", embedder=None, clock=Clock(), ids=Counter())
    for number in order:
        memory.remember(
            f"The gateway listens on {number}.",
            id=f"v{number}",
            key=PORT,
            value=str(number),
            valid_from=TIMES[number],
            **fields,
        )
    return memory


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=lambda order: "".join(map(str, order)))
def test_whatever_the_order_of_arrival_every_moment_has_its_value(order: Sequence[int]) -> None:
    with arrive(order) as memory:
        assert in_force(memory) == ["3"]
        for number, moment_ in enumerate(TIMES):
            asked = memory.list("default", valid_at=f"{moment_}T12:00:00+00:00")
            assert [view.id for view in asked.notes] == [f"v{number}"]
        assert memory.list("default", valid_at="2024-12-31").notes == ()
        assert [view.id for view in memory.history("v0")] == ["v0", "v1", "v2", "v3"]


@pytest.mark.endurance(seconds=3)
@given(st.lists(st.sampled_from(["1", "2", "3"]), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_with_known_and_distinct_times_arrival_does_not_decide_what_stands(values: list[str], chance: Any) -> None:
    """Values may repeat: a port that goes back to what it was."""
    timed = [(value, f"2025-{month + 1:02d}-01") for month, value in enumerate(values)]
    shuffled = timed[:]
    chance.shuffle(shuffled)
    for order in (timed, shuffled):
        with upheld.open(":memory:", embedder=None, clock=Clock(), ids=Counter()) as memory:
            for value, begun in order:
                port(memory, value, valid_from=begun)
            assert in_force(memory) == [values[-1]], order


def test_a_confirmation_seen_after_a_change_that_arrives_late_outweighs_it(memory: Memory) -> None:
    port(memory, "1", valid_from="2025-01-01")
    assert port(memory, "1", observed_at="2025-05-01").outcome == "confirmed"
    port(memory, "2", valid_from="2025-04-01")
    assert in_force(memory) == ["1"], "it was seen to hold in May"


def test_of_two_unknown_times_the_later_arrival_stands(memory: Memory) -> None:
    port(memory, "1")
    assert port(memory, "2").outcome == "superseded"
    assert in_force(memory) == ["2"]


def test_an_unknown_time_never_beats_a_known_one_and_a_known_one_beats_an_unknown(memory: Memory) -> None:
    port(memory, "1", valid_from="2025-01-01")
    assert port(memory, "2").outcome == "disputed"
    assert in_force(memory) == ["1"]
    assert port(memory, "3", valid_from="2025-06-01").outcome == "superseded"
    assert in_force(memory) == ["3"]


def test_old_evidence_for_the_value_that_stands_neither_retires_nor_freshens_it(memory: Memory, clock: Clock) -> None:
    port(memory, "1", kind="attribute", observed_at="2026-01-01")
    clock.move(days=500)
    before = memory.recall("gateway listens").upheld[0].confidence
    port(memory, "1", kind="attribute", observed_at="2024-01-01")
    answer = memory.recall("gateway listens")
    assert {upheld_note.note.value for upheld_note in answer.upheld} == {"1"}
    assert answer.upheld[0].confidence == before


# --- channels ---------------------------------------------------------------------------------------------

SPEAKERS = ["system:a", "document:a", "person:a", "tool:a", "agent:a"]


@pytest.mark.parametrize("first", SPEAKERS)
@pytest.mark.parametrize("second", SPEAKERS)
def test_who_is_less_trusted_never_retires_who_is_more(memory: Memory, first: str, second: str) -> None:
    port(memory, "1", by=first)
    written = port(memory, "2", by=second)
    may = SPEAKERS.index(second) <= SPEAKERS.index(first)
    assert written.outcome == ("superseded" if may else "disputed")
    assert in_force(memory) == (["2"] if may else ["1"])


@pytest.mark.parametrize("verb", ["confirm", "retract", "restore"])
def test_who_is_less_trusted_revises_nothing_of_who_is_more(memory: Memory, verb: str) -> None:
    note_id = port(memory, "1", by="document:manual").id
    if verb == "restore":
        memory.retract(note_id, by="document:erratum")
    before = log_of(memory)
    with pytest.raises(Refused):
        getattr(memory, verb)(note_id, by="agent:bot")
    assert log_of(memory) == before
    getattr(memory, verb)(note_id, by="system:registry")
    assert len(log_of(memory)) == len(before) + 1


def test_trust_comes_from_the_channel_and_a_citation_does_not_raise_it(memory: Memory) -> None:
    cited = upheld.Citation(original="on 2", ref="registry", quote="on 2", channel=Channel.SYSTEM_OF_RECORD)
    port(memory, "1", by="person:ana")
    written = port(memory, "2", by="agent:bot", sources=cited)
    assert (written.note.channel, written.outcome) == (Channel.AGENT, "disputed")


# --- authored links ---------------------------------------------------------------------------------------


def test_an_authored_link_is_taken_as_given_across_scopes_kinds_and_channels(memory: Memory) -> None:
    old = memory.remember("We plan on paper.", scope="planning", kind="decision", by="person:ana")
    new = memory.supersede(
        old.id, "Plans live in the tracker.", scope="operations", kind="constraint", by="agent:bot", reason="lost paper"
    )
    assert new.outcome == "superseded"
    answer = memory.recall("do we plan on paper", scope=["planning", "operations"])
    assert said(answer) == ["Plans live in the tracker."]
    assert answer.upheld[0].scope == "operations"


def test_a_supersede_takes_scope_and_kind_of_the_old_note_unless_told_otherwise(memory: Memory) -> None:
    old = memory.remember("We plan on paper.", scope="planning", kind="decision")
    new = memory.supersede(old.id, "We plan in a tracker.")
    assert (new.note.scope, new.note.kind) == ("planning", "decision")


def test_one_note_may_replace_several(memory: Memory) -> None:
    old = [memory.remember(text, extract_key=False) for text in ("Coffee is in the hall.", "Tea is in the hall.")]
    new = memory.remember("All drinks are in the kitchen.", supersedes=[each.id for each in old], extract_key=False)
    assert set(new.replaces) == {each.id for each in old}
    answer = memory.recall("coffee tea hall")
    assert said(answer) == ["All drinks are in the kitchen."]
    assert set(answer.upheld[0].replaces) == {each.id for each in old}


def test_of_several_to_replace_one_that_is_gone_refuses_all(memory: Memory) -> None:
    first = memory.remember("Coffee is in the hall.", extract_key=False)
    second = memory.remember("Tea is in the hall.", extract_key=False)
    head = memory.supersede(second.id, "Tea is in the lobby.", extract_key=False)
    before = log_of(memory)
    with pytest.raises(Conflict) as caught:
        memory.remember("All drinks are in the kitchen.", supersedes=[first.id, second.id])
    assert caught.value.current == (head.id,)
    assert log_of(memory) == before
    assert memory.get(first.id).standing is Standing.IN_FORCE


def test_two_notes_share_the_place_of_one_where_the_second_names_the_first(memory: Memory) -> None:
    old = memory.remember("Coffee and tea are in the hall.", extract_key=False)
    first = memory.supersede(old.id, "Coffee is in the kitchen.", extract_key=False)
    before = log_of(memory)
    with pytest.raises(Conflict):
        memory.supersede(old.id, "Tea is in the lobby.", extract_key=False)
    assert log_of(memory) == before
    second = memory.supersede(old.id, "Tea is in the lobby.", alongside=first.id, extract_key=False)
    answer = memory.recall("coffee and tea are in the hall")
    assert {note.id for note in answer.upheld} == {first.id, second.id}
    assert all(note.replaces == (old.id,) for note in answer.upheld)
    with pytest.raises(Conflict) as caught:
        memory.supersede(old.id, "Water is at the door.", alongside=first.id, extract_key=False)
    assert set(caught.value.current) == {first.id, second.id}


@pytest.mark.parametrize("alongside", ["gone", ["gone"]])
def test_a_note_alongside_must_be_there(memory: Memory, alongside: Any) -> None:
    old = memory.remember("Coffee is in the hall.", extract_key=False)
    with pytest.raises(UpheldError):
        memory.supersede(old.id, "Coffee is in the kitchen.", alongside=alongside)
    assert memory.supersede(old.id, "Coffee is in the kitchen.").replaces == (old.id,)


def test_a_hypothesis_replaces_nothing_by_any_door(memory: Memory) -> None:
    old = memory.remember("The gate is blue.")
    hypotheses: list[tuple[str, dict[str, Any]]] = [
        ("The gate is red.", {"certainty": "hypothesis"}),
        ("My guess is that the gate is red.", {}),
        ("The gate is red.", {"kind": "hypothesis"}),
    ]
    for text, fields in hypotheses:
        with pytest.raises(Refused):
            memory.supersede(old.id, text, **fields)
    assert memory.get(old.id).standing is Standing.IN_FORCE


def test_copies_of_a_claim_are_retired_with_it_and_its_neighbours_are_not(memory: Memory) -> None:
    first = port(memory, "1", kind="decision")
    copy = port(memory, "1", kind="constraint", by="agent:scribe")
    elsewhere = port(memory, "1", scope="other")
    neighbour = memory.remember("It is on 1.", key=replace(PORT, attribute="metrics port"), value="1")
    new = memory.supersede(first.id, "It moved.", key=PORT, value="2")
    assert set(new.replaces) == {first.id, copy.id}
    assert memory.get(elsewhere.id).standing is memory.get(neighbour.id).standing is Standing.IN_FORCE


def test_copies_under_other_conditions_are_not_retired_with_it(memory: Memory) -> None:
    production = port(memory, "1", applies_when={"env": "production"})
    staging = port(memory, "1", applies_when={"env": "staging"})
    memory.supersede(production.id, "Production moved to 2.", key=PORT, value="2", applies_when={"env": "production"})
    assert memory.get(staging.id).standing is Standing.IN_FORCE


def test_a_replaced_statement_said_again_without_news_stays_history(memory: Memory) -> None:
    old = memory.remember("We plan on paper.", extract_key=False)
    memory.supersede(old.id, "Plans live in the tracker.", extract_key=False)
    again = memory.remember("We plan on paper.", extract_key=False)
    assert (again.outcome, again.id) == ("history", old.id)
    assert said(memory.recall("plan on paper")) == ["Plans live in the tracker."]


# --- retracted, restored ------------------------------------------------------------------------------------


def test_a_retracted_statement_does_not_return_by_being_said_again(memory: Memory) -> None:
    old = memory.remember("The gate is haunted.", extract_key=False)
    memory.retract(old.id, reason="a joke")
    before = log_of(memory)
    for fields in ({}, {"by": "agent:bot"}, {"kind": "decision"}, {"confidence": 1.0}):
        with pytest.raises(Refused, match=old.id):
            memory.remember("The gate is haunted.", extract_key=False, **fields)
    results = memory.remember_many([Draft(statement="The gate is haunted.", extract_key=False)])
    assert isinstance(results[0], Refused)
    assert log_of(memory) == before
    memory.restore(old.id)
    assert memory.remember("The gate is haunted.", extract_key=False).outcome == "confirmed"


def test_retracting_a_replacement_brings_back_what_it_replaced(memory: Memory) -> None:
    first = port(memory, "1")
    second = port(memory, "2")
    memory.retract(second.id, reason="a typo")
    assert in_force(memory) == ["1"]
    memory.restore(second.id)
    assert in_force(memory) == ["2"]
    assert memory.get(first.id).standing is Standing.SUPERSEDED


def test_retracting_the_middle_of_a_chain_does_not_bring_back_its_beginning(memory: Memory) -> None:
    port(memory, "1")
    second = port(memory, "2")
    port(memory, "3")
    memory.retract(second.id, reason="never so")
    assert in_force(memory) == ["3"]


def test_restoring_what_leaves_two_values_disputes_both_and_guesses_nothing(memory: Memory) -> None:
    first = port(memory, "1")
    second = port(memory, "2")
    memory.restore(first.id, reason="the change was undone")
    assert {memory.get(first.id).standing, memory.get(second.id).standing} == {Standing.DISPUTED}
    answer = memory.recall("which port does the gateway listen on")
    assert answer.upheld == ()
    assert {question.id for question in answer.open} == {first.id, second.id}
    third = port(memory, "3")
    assert in_force(memory) == ["3"], "a new statement settles it"
    assert set(third.replaces) == {first.id, second.id}


@pytest.mark.parametrize("later", ["its ground stands again", "it begins"])
def test_a_value_that_only_comes_to_stand_later_is_disputed_when_another_stands_again(
    memory: Memory, clock: Clock, later: str
) -> None:
    key = Key(subject="gateway", attribute="port")
    was = memory.remember("The gateway listens on 8080.", key=key, value="8080")
    memory.retract(was.id)
    ground = memory.remember("The audit of May says so.", extract_key=False)
    begins = clock.now + timedelta(days=7) if later == "it begins" else None
    other = memory.remember(
        "The gateway listens on 9090.", key=key, value="9090", valid_from=begins, derived_from=[ground.id]
    )
    if begins is None:
        memory.retract(ground.id)
    memory.restore(was.id)
    assert memory.get(was.id).standing is Standing.IN_FORCE, "the control: what does not stand disputes nothing"
    if begins is None:
        memory.restore(ground.id)
    else:
        clock.now = begins
    assert memory.get(was.id).standing is Standing.IN_FORCE
    assert memory.get(other.id).standing is Standing.DISPUTED
    memory.retract(was.id)
    assert memory.get(other.id).standing is Standing.IN_FORCE, "the control: alone it stands"


@pytest.mark.parametrize("verb", ["retract", "restore"])
def test_a_revision_that_would_change_nothing_is_refused(memory: Memory, verb: str) -> None:
    note_id = port(memory, "1").id
    if verb == "retract":
        memory.retract(note_id)
    before = log_of(memory)
    with pytest.raises(Refused):
        getattr(memory, verb)(note_id)
    assert log_of(memory) == before


def test_only_what_is_in_force_can_be_confirmed(memory: Memory, clock: Clock) -> None:
    first = port(memory, "1")
    port(memory, "2")
    lease = memory.remember("The lease runs.", expires_at="2026-02-01")
    assert memory.confirm(lease.id).id == lease.id
    clock.now = at("2026-03-01")
    for dead in (first.id, lease.id):
        with pytest.raises(Refused):
            memory.confirm(dead)
    assert memory.get(lease.id).standing is Standing.EXPIRED, "a confirmation moves no hard expiry"


# --- idempotency, batches -------------------------------------------------------------------------------------


def test_a_retry_with_the_key_of_a_write_writes_nothing(memory: Memory, clock: Clock) -> None:
    old = port(memory, "1")
    first = memory.supersede(old.id, "It moved.", idempotency_key="k", reason="outage")
    before = log_of(memory)
    clock.move(days=3)
    again = memory.supersede(old.id, "It moved.", idempotency_key="k", reason="outage")
    assert (again.id, again.outcome) == (first.id, "repeated")
    with pytest.raises(Conflict):
        memory.supersede(old.id, "It moved elsewhere.", idempotency_key="k", reason="outage")
    assert log_of(memory) == before


def test_of_many_sends_with_one_key_at_once_one_writes(tmp_path: Path) -> None:
    with upheld.open(tmp_path / "m.db", embedder=None) as memory, ThreadPoolExecutor(8) as pool:
        send = partial(memory.remember, "The gate is blue.", idempotency_key="k", extract_key=False)
        written = list(pool.map(lambda _: send(), range(16)))
        assert sorted(each.outcome for each in written) == ["added"] + ["repeated"] * 15
        assert len({each.id for each in written}) == 1
        assert len(log_of(memory)) == 1


def test_the_key_of_a_confirmation_is_kept_too(memory: Memory) -> None:
    memory.remember("The gate is blue.")
    memory.remember("The gate is blue.", idempotency_key="k")
    before = log_of(memory)
    assert memory.remember("The gate is blue.", idempotency_key="k").outcome == "repeated"
    assert log_of(memory) == before


def test_a_batch_writes_each_draft_wholly_or_not_at_all(memory: Memory) -> None:
    old = port(memory, "1")
    drafts = [
        Draft(statement="It moved.", id="a", supersedes=(old.id,), key=PORT, value="2"),
        Draft(statement="It moved again.", id="b", supersedes=(old.id,)),  # the head is a by now
        Draft(statement="It rests on nothing.", id="c", depends_on=("a", "gone")),
        Draft(statement="It rests on a.", id="d", depends_on=("a",)),
        Draft(statement="", id="e"),
        Draft(statement="It is taken.", id="d"),
    ]
    results = memory.remember_many(drafts)
    assert [type(result) for result in results] == [Written, Conflict, NotFound, Written, upheld.Invalid, Conflict]
    lines = log_of(memory)
    assert {line.id for line in lines if isinstance(line, Note)} == {old.id, "a", "d"}
    assert [line.seq for line in lines] == list(range(1, len(lines) + 1)), "no position was lost"  # type: ignore[attr-defined]
    assert isinstance(results[1], Conflict)
    assert results[1].current_head == "a"


def test_a_batch_does_what_its_drafts_do_one_by_one(clock: Clock) -> None:
    drafts = [
        Draft(statement=f"The port of service-{n % 5} is {n % 7}.", by=("person:a", "agent:b")[n % 2])
        for n in range(60)
    ]
    with upheld.open(":memory:", embedder=None, clock=clock, ids=Counter()) as memory:
        many = [result.outcome for result in memory.remember_many(drafts) if isinstance(result, Written)]
        together = log_of(memory)
    with upheld.open(":memory:", embedder=None, clock=clock, ids=Counter()) as memory:
        one = [memory.remember(draft.statement, by=draft.by).outcome for draft in drafts]
        assert log_of(memory) == together
    assert many == one
    assert len(set(one)) >= 3, "the control: the drafts met each other"


def test_a_batch_reports_progress_and_answers_in_order(memory: Memory) -> None:
    seen: list[int] = []
    results = memory.remember_many(
        (Draft(statement=f"Item {n}.", extract_key=False, id=f"i{n}") for n in range(4100)), progress=seen.append
    )
    assert seen == [BATCH_WITHOUT_VECTORS, 4100] == [4096, 4100]
    assert [result.id for result in results if isinstance(result, Written)] == [f"i{n}" for n in range(4100)]
    assert memory.remember_many([]) == []


def test_a_batch_and_an_import_cap_the_channel(memory: Memory) -> None:
    forged = [Draft(statement=f"Item {n}.", by="system:registry", extract_key=False) for n in range(2)]
    for result in (*memory.remember_many(forged[:1], trust=Channel.AGENT), *memory.import_(forged[1:])):
        assert isinstance(result, Written)
        assert result.note.channel in {Channel.AGENT, Channel.TOOL}
    (free,) = memory.remember_many([replace(forged[0], statement="Item 3.")])
    assert isinstance(free, Written)
    assert free.note.channel is Channel.SYSTEM_OF_RECORD


def test_a_batch_that_may_not_confirm_says_so_for_that_draft(memory: Memory) -> None:
    drafts = [Draft(statement="It is so.", certainty=Certainty.CONFIRMED), Draft(statement="It may rain.")]
    results = memory.remember_many(drafts, trust=Channel.AGENT)
    assert isinstance(results[0], Refused)
    assert isinstance(results[1], Written)
    assert not any(isinstance(result, UpheldError) for result in memory.remember_many(drafts[:1]))


def test_times_are_kept_in_utc_whichever_way_a_note_comes_in(memory: Memory) -> None:
    here = timezone(timedelta(hours=2))
    (result,) = memory.remember_many(
        [Draft(statement="The gate is blue.", valid_from=datetime(2025, 1, 1, tzinfo=here))]
    )
    assert isinstance(result, Written)
    stored = memory.get(result.id).note
    assert stored == result.note
    for note_ in (stored, result.note, memory.remember("It is wide.", observed_at="2025-01-01T00:00:00+02:00").note):
        assert note_ is not None
        assert note_.event_time is not None
        assert note_.event_time.utcoffset() == timedelta(0)


def test_what_one_write_reads_does_not_grow_with_the_history_of_its_key(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = 0
    note_of = rows.note_of

    def counted(row: rows.Row) -> Note:
        nonlocal read
        read += 1
        return note_of(row)

    monkeypatch.setattr(rows, "note_of", counted)
    cost: list[int] = []
    for number in range(120):
        read = 0
        port(memory, str(number))
        cost.append(read)
    assert in_force(memory) == ["119"]
    assert cost[-1] <= cost[10] + 10, f"write 10 read {cost[10]} notes, write 119 read {cost[-1]}"


# --- the log and derived notes -----------------------------------------------------------------------------------


def test_export_into_an_empty_store_is_the_same_store(memory: Memory, clock: Clock) -> None:
    for n in range(12):
        port(memory, str(n % 4), by=("person:a", "agent:b")[n % 2], kind=("default", "decision")[n % 3 == 0])
    memory.remember("Rests.", depends_on=memory.list("default").notes[0].id)
    memory.retract(memory.list("default").notes[-1].id)
    with upheld.open(":memory:", embedder=None, clock=clock) as copy:
        lines = log_of(memory)
        assert copy.import_(lines) == lines  # type: ignore[arg-type]
        assert log_of(copy) == lines
        assert copy.recall("gateway port rests", mode="history") == memory.recall("gateway port rests", mode="history")
        assert port(copy, "77").note.seq == port(memory, "77").note.seq, "and it goes on where the other ends"


def test_positions_have_no_gaps_and_times_never_go_back(memory: Memory, clock: Clock) -> None:
    for n in range(30):
        clock.move(hours=(-1) ** n * n)
        port(memory, str(n % 3))
    lines = log_of(memory)
    assert [line.seq for line in lines] == list(range(1, len(lines) + 1))  # type: ignore[attr-defined]
    times = [line.recorded_at if isinstance(line, Note) else line.at for line in lines]  # type: ignore[attr-defined]
    assert times == sorted(times)


def test_a_derived_note_counts_its_generation_from_what_it_was_made_of(memory: Memory) -> None:
    first, second = (memory.remember(text, extract_key=False) for text in ("One.", "Two."))
    summary = memory.remember("Both.", kind="summary", derived_from=[first.id, second.id])
    above = memory.remember("All.", kind="summary", derived_from=[summary.id, first.id])
    assert (first.note.generation, summary.note.generation, above.note.generation) == (0, 1, 2)


@pytest.mark.parametrize(
    ("fate", "derived", "resting"),
    [
        ("superseded", Standing.STALE, Standing.NEEDS_CHECK),
        ("retracted", Standing.STALE, Standing.NEEDS_CHECK),
        ("expired", Standing.IN_FORCE, Standing.NEEDS_CHECK),
    ],
)
def test_what_was_made_of_a_note_and_what_rests_on_it_fall_in_the_same_instant(
    memory: Memory, clock: Clock, fate: str, derived: Standing, resting: Standing
) -> None:
    ground = memory.remember("The bridge carries forty tons.", id="ground", expires_at="2026-06-01", extract_key=False)
    memory.remember("In short: forty tons.", id="derived", derived_from="ground", extract_key=False)
    memory.remember("Convoys may cross.", id="resting", depends_on="ground", extract_key=False)
    control = memory.remember("The tunnel is open.", id="control", extract_key=False)
    if fate == "superseded":
        memory.supersede(ground.id, "The bridge carries ten tons.", extract_key=False)
    elif fate == "retracted":
        memory.retract(ground.id)
    else:
        clock.now = at("2026-06-01")
    assert memory.get("derived").standing is derived
    assert memory.get("resting").standing is resting
    assert memory.get(control.id).standing is Standing.IN_FORCE
    if fate != "expired":
        memory.restore(ground.id)
        assert memory.get("derived").standing is memory.get("resting").standing is Standing.IN_FORCE


def test_a_note_that_stands_again_can_be_superseded_again(memory: Memory) -> None:
    first = memory.remember("We plan on paper.", extract_key=False)
    second = memory.supersede(first.id, "Plans live in the tracker.", extract_key=False)
    with pytest.raises(Conflict):
        memory.supersede(first.id, "Plans live on the wall.", extract_key=False)
    memory.retract(second.id, reason="the tracker was never bought")
    third = memory.supersede(first.id, "Plans live on the wall.", extract_key=False)
    assert said(memory.recall("where do plans live, on paper")) == ["Plans live on the wall."]
    assert third.replaces == (first.id,)


def test_an_authored_replacement_does_not_set_the_key_rule_aside_for_what_it_does_not_name(memory: Memory) -> None:
    old = memory.remember("The gateway was set up by Bo.", extract_key=False)
    stated = port(memory, "1", by="person:ana", observed_at="2025-06-01")
    new = memory.supersede(old.id, "Bo's gateway listens on 2.", key=PORT, value="2", by="agent:scribe")
    assert new.outcome == "superseded"
    assert memory.get(old.id).standing is Standing.SUPERSEDED
    assert memory.get(new.id).standing is Standing.DISPUTED
    assert memory.get(stated.id).standing is Standing.IN_FORCE, "the control: what a person said still stands"


def test_an_authored_replacement_meets_what_it_contradicts_even_where_it_repeats_what_an_author_replaced(
    memory: Memory,
) -> None:
    reminder = memory.remember("Ask the minutes.", scope="elsewhere", by="document:minutes", extract_key=False)
    first = port(memory, "8080", by="document:minutes", applies_when={"environment": "test"})
    other = port(memory, "9090", by="person:ana", valid_from=at("2025-12-01"))
    assert other.outcome == "disputed", "the control: it may not retire what a document says"
    memory.supersede(
        first.id, "The port is not kept here.", scope="elsewhere", by="document:minutes", extract_key=False
    )
    assert in_force(memory) == ["9090"], "the control: what it was disputed against is gone"
    again = memory.supersede(
        reminder.id, "The gateway listens on 8080.", scope="default", by="document:minutes", key=PORT, value="8080"
    )
    assert (again.outcome, again.against) == ("superseded", (other.id,))
    assert in_force(memory) == ["9090"]


def test_an_authored_replacement_that_says_what_stands_meets_what_that_keeps_down(memory: Memory) -> None:
    reminder = memory.remember("Ask the minutes.", scope="elsewhere", by="document:minutes", extract_key=False)
    first = port(memory, "8080", by="document:minutes")
    other = port(memory, "9090", by="person:ana", valid_from=at("2025-12-01"))
    assert (other.outcome, in_force(memory)) == ("disputed", ["8080"]), "the control"
    memory.supersede(
        reminder.id, "The gateway listens on 8080.", scope="default", by="document:minutes", key=PORT, value="8080"
    )
    memory.retract(first.id, by="document:minutes")
    assert len(set(in_force(memory))) == 1


def test_an_authored_replacement_stays_ahead_of_a_later_note_that_it_replaced_already(memory: Memory) -> None:
    later = port(memory, "1", valid_from="2025-08-01")
    named = memory.supersede(later.id, "Bo set the gateway up anew.", extract_key=False)
    new = memory.supersede(named.id, "The gateway listens on 2.", key=PORT, value="2", valid_from="2025-06-01")
    assert memory.get(later.id).standing is memory.get(named.id).standing is Standing.SUPERSEDED
    assert memory.get(new.id).standing is Standing.IN_FORCE
