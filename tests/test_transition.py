"""A set of changes is checked as a whole (essay 004): coverage, preservation, faithfulness; each with its control."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from upheld.admit import admit
from upheld.document import Finding, Pair, Verdict
from upheld.note import Certainty, Channel, Citation, Draft, Key, Note
from upheld.policy import load
from upheld.transition import Ground, Kind, Problem, Transition, contradicted, pairs, problems

if TYPE_CHECKING:
    from collections.abc import Sequence

AT = datetime(2026, 3, 4, 9, tzinfo=UTC)  # a Wednesday
POLICY = load(None)
GUESS = "My guess is API v1 is still using this column, but I haven't confirmed it."
RETIRED = "All the relevant API v1 clients have been retired."


def said(text: str, ref: str = "m1", **fields: Any) -> Ground:
    return Ground(ref=ref, text=text, at=AT, **fields)


def noted(statement: str, id: str = "old", **fields: Any) -> Note:
    admitted = admit(Draft(statement=statement, **fields), POLICY, now=AT)
    return admitted.recorded(seq=1, id=id, at=AT, generation=0)


def cited(statement: str, ground: Ground, quote: str | None = None, **fields: Any) -> Draft:
    source = Citation(original=ground.text, ref=ground.ref, quote=quote or ground.text, channel=ground.channel)
    return Draft(statement=statement, sources=(source,), by="agent:extractor", **fields)


def found(
    evidence: str | Sequence[Ground],
    *drafts: str | Draft,
    before: Sequence[Note] = (),
    retires: Sequence[str] = (),
) -> list[Problem]:
    grounds = [said(evidence)] if isinstance(evidence, str) else evidence
    made = [Draft(statement=each) if isinstance(each, str) else each for each in drafts]
    return list(problems(Transition(evidence=grounds, drafts=made, before=before, retires=retires)))


def kinds(*args: Any, **fields: Any) -> set[Kind]:
    return {problem.kind for problem in found(*args, **fields)}


# The essay's stories


def test_a_guess_does_not_become_a_fact() -> None:
    assert kinds(GUESS, "API v1 uses this column, which caused the incident.") == {Kind.FAITHFULNESS}
    assert kinds(GUESS, "API v1 is still using this column.") == {Kind.FAITHFULNESS}
    # The same, kept as what it is: in its words, or by its certainty.
    assert not found(GUESS, "A guess: API v1 is still using this column; not confirmed.")
    assert not found(GUESS, Draft(statement="API v1 is still using this column.", certainty=Certainty.HYPOTHESIS))
    # And said without the doubt, it may be written without it.
    assert not found("API v1 is still using this column.", "API v1 is still using this column.")


def test_the_cause_that_nobody_named_is_an_invention() -> None:
    why = [problem.why for problem in found(GUESS, "A guess: API v1 uses this column, which caused the incident.")]
    assert any("caused the incident" in each for each in why)


def test_a_quote_cannot_be_cut_before_its_doubt() -> None:
    ground = said("API v1 is still using this column. I haven't confirmed it yet.")
    assert kinds(
        [ground], cited("API v1 is still using this column.", ground, "API v1 is still using this column.")
    ) == {Kind.FAITHFULNESS}
    ground = said("API v1 is still using this column. I looked at the call logs.")
    assert not found(
        [ground], cited("API v1 is still using this column.", ground, "API v1 is still using this column.")
    )


def test_all_is_safe_now_is_an_invention() -> None:
    retired = "The API v1 clients have been retired."
    assert not found(RETIRED, retired)
    invented = found(RETIRED, retired, "All migrations are safe now.")
    assert [(problem.kind, problem.subject) for problem in invented] == [(Kind.FAITHFULNESS, 1)]


def test_another_valid_restriction_does_not_fall_along_the_way() -> None:
    premise = noted("API v1 clients still use the customer_legacy column.", "premise")
    other = noted("Deployments of the payment service need two approvals.", "other")
    new = "The API v1 clients have been retired."
    both = {"before": [premise, other], "retires": ["premise"]}
    assert not found(RETIRED, new, **both)
    lost = found(RETIRED, new, before=[premise, other], retires=["premise", "other"])
    assert [(problem.kind, problem.subject) for problem in lost] == [(Kind.PRESERVATION, "other")]
    linked = cited(new, said(RETIRED), supersedes=("premise", "other"))
    lost = found([said(RETIRED)], linked, before=[premise, other])
    assert [(problem.kind, problem.subject) for problem in lost] == [(Kind.PRESERVATION, "other")]


def test_one_case_is_no_rule() -> None:
    incident = "Dropping the column broke the order service on Monday."
    assert kinds(incident, "Never drop a column of the order service.") == {Kind.FAITHFULNESS, Kind.COVERAGE} or kinds(
        incident, "Never drop a column of the order service."
    ) == {Kind.FAITHFULNESS}
    assert not found("Never drop a column of the order service.", "Never drop a column of the order service.")


# Faithfulness


@pytest.mark.parametrize(
    ("evidence", "kept", "changed"),
    [
        ("The budget is $850,000.", "The budget is $850,000.", "The budget is $950,000."),
        ("The window is two hours.", "The window is 120 minutes.", "The window is 120 hours."),
        ("The fee is 20 dollars a month.", "The fee is $20 a month.", "The fee is €20 a month."),
        ("The launch is on March 14th.", "The launch is on 14 March.", "The launch is on 15 March."),
        ("The workshop is tomorrow.", "The workshop is on 2026-03-05.", "The workshop is on 2026-03-07."),
        ("The audit is in 7 days.", "The audit is on 2026-03-11.", "The audit is on 2026-03-18."),
        ("The launch is on Friday.", "The launch is on Friday.", "The launch is on Thursday."),
        ("The service runs version 2.4.1.", "The service runs 2.4.1.", "The service runs 2.4.2."),
        ("Yesterday Maria approved the plan.", "Maria approved the plan.", "Elena approved the plan."),
        ("We deploy with the Tarka tool.", "We deploy with the Tarka tool.", "We deploy with the Norvik tool."),
        ("The column customer_legacy is in use.", "customer_legacy is in use.", "customer_orders is in use."),
        ('The title is "North Star".', 'The title is "North Star".', 'The title is "North Sea".'),
        ("The tests are not stable.", "The tests are not stable.", "The tests are stable."),
        ("The tests are stable.", "The tests are stable.", "The tests are not stable."),
        ("I'm not a fan of opera.", "I dislike opera.", "I like opera."),
        ("I really enjoy opera.", "I like opera.", "I dislike opera."),
        ("I used to like opera, but I hate it now.", "I used to like opera.", "I like opera."),
        ("Most of the clients have moved.", "Most of the clients have moved.", "All of the clients have moved."),
        ("The port is 5432.", "The port is 5432.", "It is confirmed that the port is 5432."),
        ("If the audit fails, the launch moves.", "If the audit fails, the launch moves.", "The launch moves."),
        ("We plan to move to PostgreSQL.", "We plan to move to PostgreSQL.", "We moved to PostgreSQL."),
        ("I spent $3.66 on coffee.", "I spent $3.66 on coffee.", "I spent $3.66 on tea."),
    ],
)
def test_nothing_goes_beyond_the_evidence(evidence: str, kept: str, changed: str) -> None:
    assert Kind.FAITHFULNESS not in kinds(evidence, kept)
    assert Kind.FAITHFULNESS in kinds(evidence, changed)


@pytest.mark.parametrize(
    "doubt",
    [
        "I think the port is 6432.",
        "Maybe the port is 6432.",
        "The port is probably 6432.",
        "The port might be 6432.",
        "The port is 6432, but that is not confirmed.",
        "The port is 6432. Nobody has verified that.",
        "It is not confirmed yet, but the port is 6432.",
    ],
)
def test_doubt_is_kept(doubt: str) -> None:
    assert Kind.FAITHFULNESS in kinds(doubt, "The port is 6432.")
    assert not found(doubt, Draft(statement="The port is 6432.", certainty=Certainty.HYPOTHESIS))


def test_doubt_of_one_thing_is_no_doubt_of_another() -> None:
    assert not found("I'm not sure when we moved. The port is 6432.", "The port is 6432.")


@pytest.mark.parametrize(
    ("evidence", "sure", "unsure"),
    [
        # Doubt reaches what stands behind it, and not what stands before it or hangs on another word.
        ("We found two faults and proposed a new shift.", "We found two faults.", "A new shift."),
        ("The goals are a cleaner harbour and the potential for growth.", "A cleaner harbour.", "The goal is growth."),
        ("I call to thank the donors and ask whether they might pay.", "I thank the donors.", "They pay."),
        ("The team is unclear whether the port is 6432.", "", "The port is 6432."),
        ("The potential risks are delays at customs.", "The risks are delays at customs.", ""),
        ("The potential vendor is Norvik.", "", "The vendor is Norvik."),
        # To plan something leaves open whether it is done, and not whether it is liked.
        ("I'm hoping to explore the harbour, I love harbours.", "I like harbours.", "I explored the harbour."),
        ("I really like exploring old harbours.", "I like old harbours.", ""),
        ("We are exploring a move to PostgreSQL.", "", "We moved to PostgreSQL."),
        ("We keep exploring a move to PostgreSQL.", "", "We moved to PostgreSQL."),
        ("I could watch regattas all day, I love them.", "I like regattas.", ""),
        ("I might like regattas.", "", "I like regattas."),
        # A request and a soft resolve are no guesses; what is said softly of a fact is one.
        ("Could you remind me to water the plants?", "To do: water the plants.", ""),
        ("I should probably renew my passport.", "To do: renew my passport.", "I renewed my passport."),
        ("We should probably use port 6432.", "", "We use port 6432."),
        ("Could you confirm that the port is 6432?", "", "The port is 6432."),
    ],
)  # fmt: skip
def test_doubt_reaches_what_it_is_about(evidence: str, sure: str, unsure: str) -> None:
    if sure:
        assert Kind.FAITHFULNESS not in kinds(evidence, sure)
    if unsure:
        assert Kind.FAITHFULNESS in kinds(evidence, unsure)


@pytest.mark.parametrize(
    ("evidence", "kept", "changed"),
    [
        # *Can't stand* denies nothing that was liked; nor does *nothing I love more*.
        ("I can't stand opera.", "I dislike opera.", "I like opera."),
        ("I can't get enough of opera.", "I like opera.", "I dislike opera."),
        ("There is nothing I love more than opera.", "I like opera.", "I dislike opera."),
        ("I'm just not into opera.", "I dislike opera.", "I like opera."),
        ("Opera is just not for me.", "I dislike opera.", "I like opera."),
        # What is liked now is not what was liked, though the same words say both.
        ("I used to love Mahler, but lately I'm much more into Bartok.", "I like Bartok.", "I dislike Bartok."),
        ("I used to like her operas, but Bartok is my top pick.", "I like Bartok.", "I dislike Bartok."),
        ("I liked opera for a while, but it is too loud for me now.", "I dislike opera.", "I like opera."),
        ("Speaking of Mahler, I used to like his work, but it's dull now.", "I dislike Mahler.", "I like Mahler."),
        ("Opera lost its charm for me.", "I dislike opera.", "I like opera."),
    ],
)
def test_what_is_liked_is_told_from_what_is_not(evidence: str, kept: str, changed: str) -> None:
    assert Kind.FAITHFULNESS not in kinds(evidence, kept)
    assert Kind.FAITHFULNESS in kinds(evidence, changed)


def test_a_condition_reaches_its_own_part() -> None:
    told = "We decided to hold the new boat until autumn, and to paint the old harbour."
    assert Kind.FAITHFULNESS not in kinds(told, "We decided to paint the old harbour.")
    assert Kind.FAITHFULNESS in kinds(told, "We decided to hold the new boat.")
    assert Kind.FAITHFULNESS in kinds("If it rains, we stay, and the boat is sold.", "The boat is sold.")
    assert Kind.FAITHFULNESS in kinds("I'll check if the port is 5432.", "The port is 5432.")
    assert Kind.FAITHFULNESS not in kinds("The port is 5432 even if it rains.", "The port is 5432.")


def test_a_weekday_goes_with_its_date() -> None:
    told = "The launch was Friday March 13th, now it is Monday March 16th."
    assert Kind.FAITHFULNESS not in kinds(told, "The launch is on Monday March 16th.")
    assert Kind.FAITHFULNESS in kinds(told, "The launch is on Friday March 16th.")


def test_a_draft_rests_on_what_it_cites_and_on_nothing_else() -> None:
    ports, budget = said("The port is 5432.", "m1"), said("The budget is $900.", "m2")
    assert not found([ports, budget], cited("The port is 5432.", ports), cited("The budget is $900.", budget))
    crossed = found([ports, budget], cited("The port is 900.", ports), cited("The budget is $900.", budget))
    assert (Kind.FAITHFULNESS, 0) in [(problem.kind, problem.subject) for problem in crossed]


def test_a_value_of_a_key_is_held_against_the_evidence() -> None:
    key = Key(subject="orders", attribute="database port")
    assert not found("The port is 5432.", Draft(statement="Orders' port.", key=key, value="5432"))
    assert Kind.FAITHFULNESS in kinds("The port is 5432.", Draft(statement="Orders' port.", key=key, value="5433"))


def test_times_are_told_by_the_evidence() -> None:
    draft = {"statement": "The port is 5432."}
    until = datetime(2026, 3, 11, tzinfo=UTC)
    assert not found("For the next days, until March 11, the port is 5432.", Draft(**draft, valid_to=until))
    assert Kind.FAITHFULNESS in kinds("The port is 5432.", Draft(**draft, valid_to=until))


def test_only_who_may_confirm_confirms() -> None:
    fact = Draft(statement="The port is 5432.", certainty=Certainty.CONFIRMED)
    assert not found([said("The port is 5432.")], fact)
    assert Kind.FAITHFULNESS in kinds([said("The port is 5432.", channel=Channel.AGENT)], fact)


def test_what_rests_on_nothing_is_not_written() -> None:
    assert [problem.why for problem in found([], "The port is 5432.")] == ["it rests on no evidence"]


# Coverage


def test_what_is_said_is_written_or_stands_already() -> None:
    told = "The port of the orders database is 6432."
    assert kinds(told) == {Kind.COVERAGE}
    assert not found(told, told)
    assert not found(told, before=[noted(told)])
    assert kinds(told, before=[noted("The port of the orders database is 5432.")]) == {Kind.COVERAGE}


def test_chatter_asks_for_nothing() -> None:
    assert not found("Hello there! That's really interesting. What does synergy mean?")
    assert not found([said("The port of the orders database is 6432.", channel=Channel.AGENT)])
    assert not found([said("The port of the orders database is 6432.", asks=False)])


def test_a_declared_text_must_be_used() -> None:
    chatter = said("Hello there! Coffee was good.", asks=True)
    assert kinds([chatter]) == {Kind.COVERAGE}
    assert not found([chatter], cited("Coffee was good.", chatter))


def test_of_a_list_every_part_is_written() -> None:
    told = said("The key points are the migration of billing, a review of the access rules, and the staff training.")
    parts = ["The migration of billing.", "A review of the access rules.", "The staff training."]
    declared = Ground(ref=told.ref, text=told.text, at=AT, asks=True)
    assert not found([declared], *(cited(part, told) for part in parts))
    assert kinds([declared], *(cited(part, told) for part in (parts[0], parts[2]))) == {Kind.COVERAGE}


def test_what_is_over_falls() -> None:
    task = noted("To do: Visit the university library.", "task")
    over = "I no longer need to visit the university library."
    assert kinds(over, before=[task]) == {Kind.COVERAGE}
    assert not found(over, before=[task], retires=["task"])


@pytest.mark.parametrize(
    "over",
    [
        "I used to like opera, but I'm not into it anymore.",
        "I used to go to the opera a lot. His voice just doesn't move me anymore.",
        "I used to love the opera. Everybody told me that it was great. But it's not fun for me anymore.",
        "The opera doesn't appeal to me anymore.",
    ],
)
def test_an_end_of_what_was_named_before_is_covered_by_its_fall(over: str) -> None:
    liked = noted("I like opera.", "liked")
    ground = said(over, asks=True)
    assert not found([ground], before=[liked], retires=["liked"])
    assert Kind.COVERAGE in kinds([ground], before=[liked])


@pytest.mark.parametrize("used", ["it is cheaper than it used to be", "I'm used to that price", "it is used to pay"])
def test_not_every_used_to_ends_something(used: str) -> None:
    earlier = noted("I spent $9 on coffee.", "earlier")
    paid = said(f"I spent $4 on coffee, and {used}.", asks=True)
    assert not found([paid], cited("I spent $4 on coffee.", paid), before=[earlier])
    ended = said("I spent $4 on coffee, and I used to spend $9 on coffee.", asks=True)
    assert Kind.COVERAGE in kinds([ended], cited("I spent $4 on coffee.", ended), before=[earlier])


# Preservation


def test_what_is_said_again_word_for_word_loses_nothing() -> None:
    old, other = noted("Discount revoked; margins apply.", "old"), noted("Rebate granted; fees apply.", "other")
    told = said("Discount for the deal? Revoked, and margins do apply.")
    again = cited("Discount revoked; margins apply.", told, supersedes=("old",))
    assert Kind.PRESERVATION not in kinds([told], again, before=[old, other])
    wrong = cited("Discount revoked; margins apply.", told, supersedes=("other",))
    assert Kind.PRESERVATION in kinds([told], wrong, before=[old, other])


def test_a_task_that_was_done_falls() -> None:
    task, other = noted("To do: Fix the valve.", "task"), noted("To do: Sell the piano.", "other")
    assert not found("I just fixed the valve.", before=[task, other], retires=["task"])
    lost = found("I just fixed the valve.", before=[task, other], retires=["task", "other"])
    assert [problem.subject for problem in lost if problem.kind is Kind.PRESERVATION] == ["other"]


def test_an_ending_takes_what_it_speaks_of_and_no_more() -> None:
    first, second = noted("I spent $3.41 on coffee.", "first"), noted("I spent $22.02 on groceries.", "second")
    removed = "Please remove the $3.41 for coffee."
    assert not found(removed, before=[first, second], retires=["first"])
    lost = found(removed, before=[first, second], retires=["first", "second"])
    assert [(problem.kind, problem.subject) for problem in lost] == [(Kind.PRESERVATION, "second")]


def test_a_quoted_ending_names_its_note() -> None:
    right = noted("Key points of the email: Proposal for a pilot of the data module.", "right")
    like = noted("Key points of the email: Results of the pilot.", "like")
    removed = "Please remove 'Proposal for a pilot of the data module.' from the key points."
    assert not found(removed, before=[right, like], retires=["right"])
    lost = found(removed, before=[right, like], retires=["right", "like"])
    assert [(problem.kind, problem.subject) for problem in lost] == [(Kind.PRESERVATION, "like")]


def test_other_conditions_are_another_case() -> None:
    production = noted("The port is 5432.", "production", applies_when={"environment": "production"})
    told = "The port in staging is now 6432."
    key = Key(subject="orders", attribute="port")
    staging = Draft(
        statement=told, key=key, value="6432", applies_when={"environment": "staging"}, supersedes=("production",)
    )
    lost = [problem for problem in found(told, staging, before=[production]) if problem.kind is Kind.PRESERVATION]
    assert [problem.subject for problem in lost] == ["production"]
    same = Draft(
        statement=told, key=key, value="6432", applies_when={"environment": "production"}, supersedes=("production",)
    )
    assert Kind.PRESERVATION not in kinds(told, same, before=[production])


def test_a_note_that_is_not_there_is_nobody_s_business() -> None:
    assert not found("The port is 5432.", "The port is 5432.", retires=["gone"])


# What is left to a judge


def verdict(pair: Pair, *, acts: bool = True, finding: Finding = Finding.CONTRADICTED) -> Verdict:
    return Verdict(
        finding=finding, acts=acts, claim_quote=pair.claim.statement, chunk_quote=pair.chunk.text[:9], confidence=1.0
    )


def test_only_a_clear_verdict_counts() -> None:
    transition = Transition(evidence=[said("The port is 5432.")], drafts=[Draft(statement="The port is 5432.")])
    asked = pairs(transition)
    assert [place for place, _ in asked] == [0]
    clear = contradicted(asked, [verdict(asked[0][1])])
    assert [(problem.kind, problem.subject) for problem in clear] == [(Kind.FAITHFULNESS, 0)]
    for other in (None, verdict(asked[0][1], acts=False), verdict(asked[0][1], finding=Finding.ABSTAIN)):
        assert contradicted(asked, [other]) == ()


# Whatever comes


@pytest.mark.parametrize(
    "text", ["", " ", "!!!", "'", "12", "\U0001f600", "a" * 5000, "会议改到周五", "\x00", "- \n- "]
)
def test_no_text_breaks_the_check(text: str) -> None:
    ground = said(text)
    problems(Transition(evidence=[ground], drafts=[Draft(statement=text), cited("The port is 5432.", said("x"))]))
    problems(Transition(evidence=[said("The port is 5432.")], drafts=[Draft(statement=text)], before=[noted("x y")]))
