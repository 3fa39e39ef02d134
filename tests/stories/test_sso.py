"""Essay 001's story, told twice: a customer on the Team plan who changed it in a form that no agent ever saw.

The plan is kept as an entitlement, billing owns it, and billing is a stub that changed in March. Once it answers in
April, once it is down.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import upheld
from onlooker import all_text, at, said
from upheld import Band, Channel, Key, Memory, Standing
from upheld.verification import Reply, Unavailable
from upheld.verifiers.function import reading
from worlds import Clock

SCOPE, QUESTION = "customer/7", "Is single sign-on part of the plan that Acme is on?"
TEAM, SSO = "Acme is on the Team plan.", "Single sign-on is part of the Team plan, not of Pro."


class Billing:
    """The system that owns the plan. It can be down, and counts how often it was asked."""

    def __init__(self) -> None:
        self.tiers = {"Acme": "Team"}
        self.down = False
        self.asked = 0

    def tier(self, subject: str) -> str | Reply:
        self.asked += 1
        return Unavailable("billing is down for maintenance") if self.down else self.tiers[subject]


@pytest.fixture
def billing() -> Billing:
    return Billing()


@pytest.fixture
def clock() -> Clock:
    return Clock(at("2026-01-14T10:00+00:00"))


def opened(path: Path, clock: Clock, billing: Billing) -> Memory:
    plan = reading(billing.tier, source="billing")
    return upheld.open(path, embedder=None, clock=clock, verifiers={"plan_tier": plan})


@pytest.fixture
def path(tmp_path: Path, clock: Clock, billing: Billing) -> Path:
    """A store as it stands after January; in March billing changes and nobody tells it."""
    found = tmp_path / "memory.db"
    with opened(found, clock, billing) as memory:
        memory.remember(
            TEAM,
            scope=SCOPE,
            kind="entitlement",
            by="person:acme",
            key=Key(subject="Acme", attribute="plan tier"),
            value="Team",
            confidence=0.94,
            certainty="confirmed",
        )
        memory.remember(SSO, scope=SCOPE, kind="immutable", by="document:pricing", extract_key=False)
    clock.now = at("2026-03-03")
    billing.tiers["Acme"] = "Pro"
    clock.now = at("2026-04-09T09:00+00:00")
    return found


def test_within_the_minute_the_plan_is_served_as_it_was_said(tmp_path: Path, clock: Clock, billing: Billing) -> None:
    with opened(tmp_path / "m.db", clock, billing) as memory:
        key = Key(subject="Acme", attribute="plan tier")
        memory.remember(TEAM, scope=SCOPE, kind="entitlement", by="person:acme", key=key, value="Team")
        clock.move(seconds=59)
        assert said(memory.recall(QUESTION, scope=SCOPE)) == [TEAM]
        assert billing.asked == 0


def test_with_billing_the_april_answer_is_pro_and_cites_billing(path: Path, clock: Clock, billing: Billing) -> None:
    with opened(path, clock, billing) as memory:
        answer = memory.recall(QUESTION, scope=SCOPE)
        plan = next(note for note in answer.upheld if note.note.attribute_key == "plan tier")
        assert plan.statement == "The plan tier of Acme is Pro."
        assert plan.attribution == "read from billing on 9 April 2026"
        assert plan.note.channel is Channel.SYSTEM_OF_RECORD
        assert [source.ref for source in plan.note.sources] == ["billing"]
        assert SSO in said(answer), "the control: what no system owns is served as ever"
        assert TEAM not in all_text(answer)
        assert "read from billing on 9 April 2026" in answer.prompt()
        assert billing.asked == 1


def test_with_billing_down_it_hedges_and_says_since_when(path: Path, clock: Clock, billing: Billing) -> None:
    billing.down = True
    with opened(path, clock, billing) as memory:
        answer = memory.recall(QUESTION, scope=SCOPE)
        assert said(answer) == [SSO]
        [question] = answer.open
        assert question.standing is Standing.UNVERIFIED
        assert question.question == "The plan tier of Acme could not be read from billing since 14 January 2026."
        assert question.check.startswith("Check first: look it up in billing")
        assert question.question in answer.prompt()
        assert TEAM not in all_text(answer)
        assert '"Team"' not in all_text(answer)
        assert [note.standing for note in answer.withheld] == [Standing.UNVERIFIED]


@pytest.mark.parametrize("down", [False, True])
def test_the_stored_value_is_in_no_answer_and_in_history(
    path: Path, clock: Clock, billing: Billing, *, down: bool
) -> None:
    billing.down = down
    with opened(path, clock, billing) as memory:
        for question in (QUESTION, "Team plan", "which plan tier does Acme have?"):
            assert TEAM not in all_text(memory.recall(question, scope=SCOPE))
            assert TEAM not in all_text(memory.recall(question, scope=SCOPE, for_action="enable single sign-on"))
            assert TEAM in all_text(memory.recall(question, scope=SCOPE, mode="history"))


@pytest.mark.parametrize("down", [False, True])
def test_what_was_believed_in_february_is_still_told(path: Path, clock: Clock, billing: Billing, *, down: bool) -> None:
    billing.down = down
    with opened(path, clock, billing) as memory:
        memory.recall(QUESTION, scope=SCOPE)
        asked = billing.asked
        then = memory.recall(QUESTION, scope=SCOPE, known_at="2026-02-01", valid_at="2026-02-01")
        assert TEAM in said(then)
        assert billing.asked == asked, "the past is asked of the log alone"


def test_twenty_turns_ask_billing_once_and_a_minute_later_once_more(path: Path, clock: Clock, billing: Billing) -> None:
    with opened(path, clock, billing) as memory:
        for _ in range(20):
            assert "The plan tier of Acme is Pro." in said(memory.recall(QUESTION, scope=SCOPE))
            clock.move(seconds=2)
        assert billing.asked == 1
        clock.move(seconds=60)
        memory.recall(QUESTION, scope=SCOPE)
        assert billing.asked == 2


def test_before_an_action_the_plan_is_ready_only_when_billing_was_heard(
    path: Path, clock: Clock, billing: Billing
) -> None:
    with opened(path, clock, billing) as memory:
        ready = memory.recall(QUESTION, scope=SCOPE, for_action="enable single sign-on")
        plan = next(note for note in ready.upheld if note.note.attribute_key == "plan tier")
        assert plan.band is Band.ASSERT
        billing.down = True
        clock.move(hours=1)
        unready = memory.recall(QUESTION, scope=SCOPE, for_action="enable single sign-on")
        assert "Pro" not in all_text(unready.upheld[0] if unready.upheld else unready.open[0])
        assert [each.check for each in unready.open if each.attribute == "plan tier"] == [
            "Check first: look it up in billing; what was recorded may have changed."
        ]
