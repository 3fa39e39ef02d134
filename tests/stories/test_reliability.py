"""The five scenarios of essay 004's table, told as talk: taken in, extracted, and asked about in a new session.

The new session knows nothing of the talk: it has the store, and asks. No job is ever run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import upheld
from onlooker import all_text, at, said
from upheld import Certainty, Memory, Recall, Standing, Written
from upheld.conversation import Message, Role
from worlds import Clock, Counter

ORDERS = "project/orders"
PREMISE = "API v1 uses the customer_legacy column."
RETIRED = "API v1 no longer uses the customer_legacy column."
RESTRICTION = "The customer_legacy column must not be dropped while API v1 uses it."
BYSTANDER = "Release notes of orders are written on Thursdays."
PLAN = "Plan the migration: may the customer_legacy column be dropped, and does API v1 use it?"


class Team:
    """A store and the talk that goes into it, each conversation at its own time."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.path, self.clock = path, clock
        self.ids = Counter()
        self.talks = 0

    def open(self) -> Memory:
        return upheld.open(self.path, embedder=None, clock=self.clock, ids=self.ids)

    def talk(
        self, day: str, *texts: str, taken_in: str | None = None, by: str = "person:ana"
    ) -> list[tuple[str, str | None]]:
        """Take in what was said on a day, and extract it; later than that day where `taken_in` says so."""
        self.clock.now = max(self.clock.now, at(taken_in or day).replace(hour=12))
        self.talks += 1
        when = at(day).replace(hour=10)
        messages = [Message(role=Role.USER, by=by, at=when, text=text) for text in texts]
        with self.open() as memory:
            memory.ingest(messages, scope=ORDERS, conversation=f"talk {self.talks}")
            found = memory.extract(f"talk {self.talks}")
        return [(each.outcome, each.note) for each in found.passages if each.outcome != "left"]

    def write(self, statement: str, **fields: Any) -> Written:
        with self.open() as memory:
            return memory.remember(statement, scope=ORDERS, **fields)

    def ask(self, day: str, query: str = PLAN, **options: Any) -> Recall:
        """What a new session is told on a day."""
        self.clock.now = max(self.clock.now, at(day))
        with self.open() as memory:
            return memory.recall(query, scope=ORDERS, **options)


@pytest.fixture
def team(tmp_path: Path, clock: Clock) -> Team:
    clock.now = at("2026-01-01")
    return Team(tmp_path / "memory.db", clock)


# --- 1. the source only says that it might be -----------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "My guess is API v1 is still using this column, but I haven't confirmed it.",
        "It might be API v1, not confirmed yet.",
        "I think API v1 uses the customer_legacy column.",
        "API v1 probably uses the customer_legacy column.",
    ],
)
def test_a_guess_stays_a_hypothesis_to_check_and_is_no_cause(team: Team, text: str) -> None:
    assert [outcome for outcome, _ in team.talk("2026-06-01", text)] == ["proposed"]
    answer = team.ask("2026-06-02")
    assert answer.upheld == ()
    assert "API v1" not in answer.prompt()
    with team.open() as memory:
        (view,) = memory.list(ORDERS, mode="history").notes
    assert view.note is not None
    assert (view.standing, view.note.certainty) == (Standing.PROPOSED, Certainty.HYPOTHESIS)
    assert view.note.sources[0].excerpt == text
    # The control: what is said for sure is served.
    team.talk("2026-06-03", PREMISE)
    assert said(team.ask("2026-06-04")) == [PREMISE]


def test_a_guess_does_not_retire_what_was_confirmed(team: Team) -> None:
    team.talk("2026-06-01", PREMISE)
    assert team.talk("2026-06-05", "I think API v1 no longer uses the customer_legacy column.")[0][0] == "proposed"
    assert said(team.ask("2026-06-06")) == [PREMISE]


# --- 2. confirmed, and later removed --------------------------------------------------------------


def incident(team: Team) -> str:
    """The guess, its confirmation, the restriction that rests on it, and a rule nearby. The premise's id."""
    team.talk("2026-06-01", "My guess is API v1 is still using this column, but I haven't confirmed it.", BYSTANDER)
    ((outcome, premise),) = team.talk("2026-06-03", f"Here are the call logs. {PREMISE}")
    assert outcome == "added"
    assert premise is not None
    team.write(RESTRICTION, id="restriction", kind="constraint", by="person:ana", depends_on=premise)
    return premise


def test_when_the_dependency_is_gone_the_ban_is_open_and_not_a_permission(team: Team) -> None:
    incident(team)
    assert RESTRICTION in said(team.ask("2026-06-10"))
    assert [outcome for outcome, _ in team.talk("2026-09-01", RETIRED)] == ["superseded"]
    answer = team.ask("2026-09-02")
    assert RESTRICTION not in said(answer)
    assert "must not be dropped" not in all_text(answer)
    assert [(each.id, each.standing) for each in answer.open] == [("restriction", Standing.NEEDS_CHECK)]
    assert answer.open[0].check
    assert RETIRED in said(answer)
    # Unrelated rules stay, and finding no ban is no permission.
    assert BYSTANDER in said(team.ask("2026-09-02", "When are release notes of orders written?"))
    action = team.ask("2026-09-02", for_action="drop the customer_legacy column")
    assert action.caution() is not None
    assert action.open


def test_a_ban_that_was_only_said_falls_with_the_dependency_it_was_concluded_from(team: Team) -> None:
    team.talk("2026-06-03", f"{PREMISE} So we must not drop it.", BYSTANDER)
    ban = f"{PREMISE[:-1]}, so we must not drop it."
    assert ban in said(team.ask("2026-06-10"))
    assert [outcome for outcome, _ in team.talk("2026-09-01", RETIRED)] == ["superseded"]
    answer = team.ask("2026-09-02")
    assert "must not drop" not in all_text(answer)
    assert [each.standing for each in answer.open] == [Standing.NEEDS_CHECK]
    assert answer.open[0].check
    assert RETIRED in said(answer)
    assert BYSTANDER in said(team.ask("2026-09-02", "When are release notes of orders written?"))


# --- 3. an older document is taken in later -------------------------------------------------------


def test_an_older_report_taken_in_later_is_history(team: Team) -> None:
    team.talk("2026-08-20", RETIRED)
    assert [outcome for outcome, _ in team.talk("2026-06-03", PREMISE, taken_in="2026-09-10")] == ["history"]
    answer = team.ask("2026-09-11")
    assert said(answer) == [RETIRED]
    # The control: newer talk does change it.
    assert [outcome for outcome, _ in team.talk("2026-09-12", PREMISE)] == ["superseded"]
    assert said(team.ask("2026-09-13")) == [PREMISE]


def test_a_report_of_an_unknown_day_does_not_beat_a_known_one(team: Team) -> None:
    team.talk("2026-08-20", RETIRED)
    with team.open() as memory:
        memory.ingest([Message(role=Role.USER, by="person:ana", text=PREMISE)], scope=ORDERS, conversation="undated")
        memory.extract("undated")
        undated = next(
            view.note
            for view in memory.list(ORDERS, mode="history").notes
            if view.note and view.note.statement == PREMISE
        )
    assert (undated.observed_at, undated.valid_from) == (None, None)
    assert said(team.ask("2026-09-11")) == [RETIRED]


def test_talk_about_june_said_in_september_is_about_june(team: Team) -> None:
    team.talk("2026-08-20", "The plan of Acme is Pro.")
    team.talk("2026-09-10", "The plan of Acme was Team in June.")
    assert said(team.ask("2026-09-11", "What is the plan of Acme?")) == ["The plan of Acme is Pro."]


# --- 4. the summary is made again and asked about -------------------------------------------------


def test_a_summary_of_the_old_ban_does_not_bring_it_back(team: Team) -> None:
    premise = incident(team)
    old = "Deployment notes: keep the customer_legacy column, since API v1 uses it."
    team.write(old, id="notes", kind="summary", by="agent:scribe", derived_from=("restriction", premise))
    assert old in said(team.ask("2026-06-10"))
    team.talk("2026-09-01", RETIRED)
    answer = team.ask("2026-09-02")
    assert old not in all_text(answer)
    assert "keep the customer_legacy" not in answer.prompt()
    with team.open() as memory:
        assert memory.get("notes").standing is Standing.STALE
        (current,) = [view.id for view in memory.list(ORDERS).notes if view.statement == RETIRED]
    # Made again from what stands, it says what stands; the old one does not come back with it.
    new = "Deployment notes: API v1 no longer uses the customer_legacy column; other services are not checked."
    team.write(new, id="notes-2", kind="summary", by="agent:scribe", derived_from=current)
    answer = team.ask("2026-09-03")
    assert new in said(answer)
    assert old not in all_text(answer)
    # Nor does it when an agent repeats it in the next talk.
    with team.open() as memory:
        message = Message(role=Role.ASSISTANT, by="agent:planner", at=at("2026-09-03"), text=PREMISE)
        memory.ingest([message], scope=ORDERS, conversation="repeated")
        memory.extract("repeated")
    assert PREMISE not in said(team.ask("2026-09-04"))


# --- 5. the old answer is known to be invalid, the new state is unclear ---------------------------


def test_where_only_the_end_is_known_it_is_asked_and_not_guessed(team: Team) -> None:
    team.talk("2026-06-03", "The database of orders is MongoDB.")
    team.talk("2026-09-01", "The database of orders is no longer MongoDB.")
    answer = team.ask("2026-09-02", "Which database does orders use?")
    assert "The database of orders is MongoDB." not in all_text(answer)
    assert said(answer) == ["The database of orders is no longer MongoDB."]
    # What it is instead is told once somebody knows it.
    team.talk("2026-09-03", "I think the database of orders is MySQL.")
    assert "MySQL" not in team.ask("2026-09-04", "Which database does orders use?").prompt()
    team.talk("2026-09-05", "The database of orders is PostgreSQL.")
    answer = team.ask("2026-09-06", "Which database does orders use?")
    assert said(answer)[0] == "The database of orders is PostgreSQL."
    assert "The database of orders is MongoDB." not in all_text(answer)


def test_an_end_that_was_said_beforehand_leaves_an_open_question(team: Team) -> None:
    team.talk("2026-06-03", "The plan of Acme is Pro until the end of Q3.")
    assert said(team.ask("2026-09-30", "What is the plan of Acme?")) == [
        "The plan of Acme is Pro until the end of Q3 2026."
    ]
    answer = team.ask("2026-10-01", "What is the plan of Acme?")
    assert answer.upheld == ()
    assert "Pro" not in answer.prompt()


# --- every stage leaves something to inspect ------------------------------------------------------


def test_each_stage_can_be_looked_into(team: Team) -> None:
    premise = incident(team)
    ((_, ended),) = team.talk("2026-09-01", RETIRED)
    with team.open() as memory:
        answer = memory.recall(PLAN, scope=ORDERS)
        history = memory.history(premise)
        tree = memory.explain("restriction")
    assert [view.id for view in history] == [premise, ended]
    assert ended in answer.receipt.served
    assert "restriction" in answer.receipt.opened
    assert premise in str(tree)
