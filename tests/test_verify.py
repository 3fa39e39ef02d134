"""Values are read from the systems that own them: one call in a window, and only a clear answer changes a note."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from threading import Event as Signal
from threading import Thread
from typing import Any

import pytest

import upheld
from onlooker import all_text, log_of, said
from test_processes import at_once
from upheld import Band, Channel, Conflict, Invalid, Key, Memory, Standing
from upheld.note import Event, Note, Verb
from upheld.ports import Verifier
from upheld.verification import Agreed, Asked, Changed, Reply, Unavailable
from upheld.verify import Settled
from worlds import Clock, Counter

TEAM, BYSTANDER = "Acme is on the Team plan.", "Invoices of Acme go to Berlin."
PATIENTLY, QUICKLY = "60s", "40ms"
"""How long a recall waits for owners: in most tests longer than any machine is slow, in some not long."""


class Owner:
    """A verifier that says what it is told to say, and keeps what it was asked."""

    source = "billing"

    def __init__(self, answer: Callable[[Sequence[Asked]], Any]) -> None:
        self.answer = answer
        self.asked: list[Sequence[Asked]] = []

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        self.asked.append(asked)
        found: Sequence[Reply] = self.answer(asked)
        return found


def says(*replies: Reply) -> Owner:
    return Owner(lambda asked: list(replies) * len(asked) if len(replies) == 1 else list(replies))


def opened(clock: Clock, *, within: str = PATIENTLY, **verifiers: Verifier) -> Memory:
    policy = {"verify": {"within": within}}
    return upheld.open(":memory:", embedder=None, clock=clock, ids=Counter(), policy=policy, verifiers=verifiers)


def on_team(memory: Memory, kind: str = "entitlement", **fields: Any) -> str:
    told: dict[str, Any] = {
        "scope": "c",
        "kind": kind,
        "by": "person:acme",
        "key": Key(subject="Acme", attribute="plan"),
        "value": "Team",
        **fields,
    }
    return memory.remember(TEAM, **told).id


def bystander(memory: Memory) -> None:
    """The control: a note that no system owns."""
    memory.remember(BYSTANDER, scope="c", extract_key=False)


def events(memory: Memory, *verbs: Verb) -> list[Event]:
    return [line for line in log_of(memory) if isinstance(line, Event) and line.verb in verbs]


# --- the three answers -----------------------------------------------------------------------------


@pytest.mark.parametrize("same", [Agreed(), Changed("Team"), Changed("team"), Changed(" TEAM ")])
def test_an_equal_value_verifies_the_note_and_its_age_counts_from_the_asking(clock: Clock, same: Reply) -> None:
    with opened(clock, plan=says(same)) as memory:
        id = on_team(memory, confidence=0.8)
        clock.move(days=700)
        note = memory.recall("Acme plan", scope="c").upheld[0]
        assert (note.id, note.statement, note.band) == (id, TEAM, Band.ASSERT)
        assert note.confidence == 0.8
        assert (note.verified_at, note.confirmed_at) == (clock.now, None)
        assert note.note.observed_at is None
        [event] = events(memory, Verb.VERIFIED, Verb.CONFIRMED)
        assert (event.verb, event.actor, event.effective_from) == (Verb.VERIFIED, "system:billing", clock.now)


def test_another_value_takes_the_notes_place_on_the_word_of_the_system(clock: Clock) -> None:
    with opened(clock, plan=says(Changed("Pro"))) as memory:
        id = on_team(memory, applies_when={"region": "eu"})
        bystander(memory)
        clock.move(hours=1)
        answer = memory.recall("Acme plan", scope="c")
        note = answer.upheld[0].note
        assert note.statement == "The plan of Acme is Pro."
        assert (note.value, note.kind, note.by, note.channel) == (
            "Pro",
            "entitlement",
            "system:billing",
            Channel.SYSTEM_OF_RECORD,
        )
        assert note.applies_when == {"region": ("eu",)}
        assert note.observed_at == clock.now
        assert answer.upheld[0].replaces == (id,)
        assert BYSTANDER in said(answer)
        # Whoever says the old thing again does not bring it back.
        on_team(memory, applies_when={"region": "eu"}, observed_at=clock.now)
        assert TEAM not in said(memory.recall("Acme plan", scope="c"))


@pytest.mark.parametrize(("kind", "served"), [("entitlement", False), ("attribute", True)])
def test_without_an_answer_the_kind_says_whether_it_is_hedged_or_withheld(
    clock: Clock, kind: str, *, served: bool
) -> None:
    with opened(clock, plan=says(Unavailable("down"))) as memory:
        id = on_team(memory, kind)
        bystander(memory)
        clock.move(hours=1)
        before = len(log_of(memory))
        answer = memory.recall("Acme plan", scope="c")
        assert BYSTANDER in said(answer)
        assert len(log_of(memory)) == before
        if served:
            note = next(note for note in answer.upheld if note.id == id)
            assert (note.band, note.unverified) == (Band.HEDGE, "billing")
            assert "billing could not be asked; last known on 1 January 2026: say so" in answer.prompt()
        else:
            assert [(note.id, note.standing) for note in answer.withheld] == [(id, Standing.UNVERIFIED)]
            assert TEAM not in all_text(answer)


def test_what_nothing_owns_is_served_by_its_age_alone(clock: Clock) -> None:
    with opened(clock, seats=says(Unavailable("down"))) as memory:
        on_team(memory)
        clock.move(days=30)
        assert said(memory.recall("Acme plan", scope="c")) == [TEAM]


# --- one call in a window --------------------------------------------------------------------------


@pytest.mark.parametrize("reply", [Agreed(), Changed("Pro"), Unavailable("down")])
def test_a_window_has_one_call_whatever_came_of_it(clock: Clock, reply: Reply) -> None:
    owner = says(reply)
    with opened(clock, plan=owner) as memory:
        on_team(memory)
        clock.move(hours=1)
        for _ in range(20):
            memory.recall("Acme plan", scope="c")
            clock.move(seconds=2)
        assert len(owner.asked) == 1
        clock.move(seconds=60)
        memory.recall("Acme plan", scope="c")
        assert len(owner.asked) == 2


def test_one_call_is_about_all_that_the_system_owns_of_a_subject(clock: Clock) -> None:
    def answer(asked: Sequence[Asked]) -> list[Reply]:
        return [Changed({"plan": "Pro", "seats": "12"}[each.attribute]) for each in asked]

    owner = Owner(answer)
    with opened(clock, plan=owner, seats=owner) as memory:
        on_team(memory)
        seats = {"key": Key(subject="Acme", attribute="seats"), "value": "5", "scope": "c", "kind": "entitlement"}
        memory.remember("Acme has 5 seats.", **seats)
        on_team(memory, key=Key(subject="Umbrella", attribute="plan"))
        clock.move(hours=1)
        memory.recall("Acme plan", scope="c", subject="Acme", attribute="plan")
        assert [sorted(each.attribute for each in call) for call in owner.asked] == [["plan", "seats"]]
        found = memory.recall("Acme seats", scope="c", subject="Acme", attribute="seats")
        assert said(found) == ["The seats of Acme is 12."]
        assert len(owner.asked) == 1
        memory.recall("Umbrella plan", scope="c", subject="Umbrella")
        assert [each.subject for each in owner.asked[1]] == ["Umbrella"]


def test_many_subjects_are_asked_side_by_side_within_one_budget(clock: Clock) -> None:
    together = Signal()
    waiting: list[object] = []

    def answer(asked: Sequence[Asked]) -> list[Reply]:
        waiting.append(asked)
        if len(waiting) == 3:
            together.set()
        return [Agreed() if together.wait(20) else Unavailable("alone")]

    with upheld.open(":memory:", embedder=None, clock=clock, verifiers={"plan": Owner(answer)}) as memory:
        for name in ("Acme", "Umbrella", "Initech"):
            memory.remember(
                f"{name} is on Team.",
                scope="c",
                key=Key(subject=name, attribute="plan"),
                value="Team",
                kind="attribute",
            )
        clock.move(hours=1)
        assert all(note.unverified is None for note in memory.recall("who is on Team?", scope="c").upheld)


def test_six_processes_that_ask_at_once_make_one_call(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, clock=Clock()) as memory:
        on_team(memory)
    reports = at_once("ask", path, 6, 20)
    calls = path.with_name("calls").read_text(encoding="utf-8").splitlines()
    assert len(calls) == 1
    assert all(report["stale"] == 0 for report in reports)
    assert sum(report["heard"] for report in reports) > 0, "the control: what the one call learned was served"


def test_a_process_that_died_while_asking_holds_nobody_up_for_longer_than_the_budget(clock: Clock) -> None:
    owner = says(Agreed())
    with opened(clock, within="500ms", plan=owner) as memory:
        on_team(memory)
        clock.move(hours=1)
        with memory._database.writing() as tx:
            assert tx.ledger.claim("c", "acme", "billing", at=clock.now, window=timedelta(0))
        clock.move(seconds=1)
        answer = memory.recall("Acme plan", scope="c")
        assert (said(answer), owner.asked) == ([], [])
        clock.move(seconds=60)
        assert said(memory.recall("Acme plan", scope="c")) == [TEAM]


# --- a bad owner -----------------------------------------------------------------------------------


def raises(error: BaseException) -> Callable[[Sequence[Asked]], Any]:
    def answer(_: Sequence[Asked]) -> Any:
        raise error

    return answer


BAD: dict[str, Callable[[Sequence[Asked]], Any]] = {
    "raises": raises(RuntimeError("token s3cret")),
    "ends the thread": raises(SystemExit(0)),
    "is interrupted": raises(KeyboardInterrupt()),
    "nothing": lambda _: None,
    "NaN": lambda _: [math.nan],
    "a bare value": lambda _: ["Pro"],
    "True": lambda _: [True],
    "no list": lambda _: Changed("Pro"),
    "too many": lambda _: [Changed("Pro")] * 2,
    "none at all": lambda _: [],
    "no value": lambda _: [Changed(None)],
    "NaN as a value": lambda _: [Changed(math.nan)],
    "a number": lambda _: [Changed(12)],
    "empty": lambda _: [Changed("")],
    "unseen": lambda _: [Changed("\u200b")],
    "huge": lambda _: [Changed("x" * 100_000)],
    "a login page": lambda _: [Changed("<html>\n<title>Sign in</title>\n</html>")],
    "a NUL": lambda _: [Changed("Pro\0")],
    "half a surrogate": lambda _: [Changed("Pro\ud800")],
    "its own kind of reply": lambda _: [type("Agreed", (), {})()],
    "the class": lambda _: [Agreed],
    "a reason that is none": lambda _: [Unavailable(None)],
    "a reason of many lines": lambda _: [Unavailable("down\n" * 10_000)],
}


@pytest.mark.parametrize("bad", BAD, ids=str)
def test_a_bad_answer_verifies_nothing_writes_nothing_and_is_one_call(clock: Clock, bad: str) -> None:
    owner = Owner(BAD[bad])
    with opened(clock, plan=owner) as memory:
        id = on_team(memory)
        bystander(memory)
        clock.move(hours=1)
        before = log_of(memory)
        for _ in range(3):
            answer = memory.recall("Acme plan", scope="c")
            assert said(answer) == [BYSTANDER]
            assert TEAM not in all_text(answer)
            assert [(note.id, note.standing) for note in answer.withheld] == [(id, Standing.UNVERIFIED)]
            assert "s3cret" not in all_text(answer)
        assert log_of(memory) == before
        assert len(owner.asked) == 1
        owner.answer = lambda _: [Agreed()]
        clock.move(seconds=60)
        assert TEAM in said(memory.recall("Acme plan", scope="c")), "the control: a good answer is taken"


def test_an_owner_that_hangs_costs_the_budget_once_and_its_late_answer_changes_nothing(clock: Clock) -> None:
    let_go, ended = Signal(), Signal()

    def answer(_: Sequence[Asked]) -> list[Reply]:
        let_go.wait(20)
        ended.set()
        return [Changed("Pro")]

    with opened(clock, within=QUICKLY, plan=Owner(answer)) as memory:
        on_team(memory)
        clock.move(hours=1)
        before = log_of(memory)
        assert said(memory.recall("Acme plan", scope="c")) == []
        let_go.set()
        assert ended.wait(20)
        assert said(memory.recall("Acme plan", scope="c")) == []
        assert log_of(memory) == before


def test_an_owner_that_never_returns_is_left_alone_after_eight_calls(clock: Clock) -> None:
    let_go = Signal()
    owner = Owner(lambda _: let_go.wait(60))
    with opened(clock, within=QUICKLY, plan=owner) as memory:
        on_team(memory)
        for _ in range(12):
            clock.move(hours=1)
            memory.recall("Acme plan", scope="c")
        assert len(owner.asked) == 8
        let_go.set()


# --- an answer that was overtaken --------------------------------------------------------------------


@pytest.mark.parametrize("reply", [Agreed(), Changed("Free")])
def test_an_answer_that_was_read_before_a_newer_write_overwrites_nothing(
    clock: Clock, tmp_path: Path, reply: Reply
) -> None:
    path = tmp_path / "m.db"

    def answer(_: Sequence[Asked]) -> list[Reply]:
        with upheld.open(path, embedder=None, clock=clock) as other:
            other.supersede(id, "Acme is on the Pro plan.", key=Key(subject="Acme", attribute="plan"), value="Pro")
        return [reply]

    with upheld.open(path, embedder=None, clock=clock, verifiers={"plan": Owner(answer)}) as memory:
        id = on_team(memory, "attribute")
        clock.move(hours=1)
        assert said(memory.recall("Acme plan", scope="c")) == ["Acme is on the Pro plan."]
        assert events(memory, Verb.VERIFIED) == []
        assert sum(isinstance(line, Note) for line in log_of(memory)) == 2


def test_a_confirmation_that_came_meanwhile_is_newer_than_the_answer(clock: Clock, tmp_path: Path) -> None:
    path = tmp_path / "m.db"

    def answer(_: Sequence[Asked]) -> list[Reply]:
        with upheld.open(path, embedder=None, clock=clock) as other:
            other.confirm(id, by="person:acme")
        return [Changed("Free")]

    with upheld.open(path, embedder=None, clock=clock, verifiers={"plan": Owner(answer)}) as memory:
        id = on_team(memory, "attribute")
        clock.move(hours=1)
        memory.recall("Acme plan", scope="c")
        assert sum(isinstance(line, Note) for line in log_of(memory)) == 1


# --- a note that only points -------------------------------------------------------------------------


def test_a_pointer_keeps_no_value_and_is_served_with_what_was_read(clock: Clock, tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    owner = says(Changed("Platinum"))
    with upheld.open(path, embedder=None, clock=clock, verifiers={"plan": owner}) as memory:
        pointer = {"key": Key(subject="Acme", attribute="plan"), "pointer": True, "kind": "entitlement", "scope": "c"}
        memory.remember("The plan of Acme is in billing: look it up.", **pointer)
        for _ in range(3):
            answer = memory.recall("plan of Acme", scope="c")
            assert said(answer) == ["The plan of Acme is Platinum."]
            assert answer.upheld[0].attribution == "read from billing on 1 January 2026"
        assert len(owner.asked) == 1
        clock.move(minutes=2)
        owner.answer = lambda _: [Unavailable("down")]
        answer = memory.recall("plan of Acme", scope="c")
        assert said(answer) == []
        assert "Platinum" not in all_text(answer)
        assert answer.open[0].check.startswith("Check first: look it up in billing")
    assert b"Platinum" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize(
    "fields",
    [
        {"pointer": True},
        {"pointer": True, "key": Key(subject="Acme", attribute="plan"), "value": "Pro"},
        {"pointer": 1, "key": Key(subject="Acme", attribute="plan")},
        {"key": Key(subject="Acme", attribute="plan")},
    ],
)
def test_a_pointer_has_a_key_and_no_value(clock: Clock, fields: dict[str, Any]) -> None:
    with opened(clock) as memory:
        with pytest.raises(Invalid):
            memory.remember("Look it up.", **fields)
        assert log_of(memory) == []


def test_a_pointer_neither_retires_nor_confirms_a_value(clock: Clock) -> None:
    with opened(clock) as memory:
        on_team(memory)
        key = Key(subject="Acme", attribute="plan")
        assert memory.remember("Look it up.", scope="c", key=key, pointer=True).outcome == "added"
        assert memory.remember("Acme went Pro.", scope="c", key=key, value="Pro").outcome == "superseded"
        assert sorted(said(memory.recall("Acme plan look", scope="c"))) == ["Acme went Pro.", "Look it up."]


# --- verify, correct, for_action -----------------------------------------------------------------------


def test_verify_asks_about_all_that_is_due_and_says_what_became_of_it(clock: Clock) -> None:
    replies = {"Acme": Agreed(), "Umbrella": Changed("Pro"), "Initech": Unavailable("down")}
    owner = Owner(lambda asked: [replies[each.subject] for each in asked])
    with opened(clock, plan=owner) as memory:
        ids = {name: on_team(memory, key=Key(subject=name, attribute="plan")) for name in replies}
        bystander(memory)
        assert memory.verify("c") == {}
        clock.move(hours=1)
        steps: list[tuple[int, int | None]] = []
        settled = memory.verify("c", progress=lambda done, total: steps.append((done, total)))
        assert settled == {
            ids["Acme"]: Settled.VERIFIED,
            ids["Umbrella"]: Settled.CHANGED,
            ids["Initech"]: Settled.UNAVAILABLE,
        }
        assert steps == [(3, 3)]
        assert memory.verify("c") == {}
        assert len(owner.asked) == 3


def test_a_correction_is_one_call_and_is_kept_as_one(clock: Clock) -> None:
    with opened(clock) as memory:
        id = on_team(memory)
        clock.move(hours=1)
        written = memory.correct(id, "Pro", by="person:acme", reason="said so in chat")
        assert (written.outcome, written.replaces) == ("superseded", (id,))
        assert said(memory.recall("Acme plan", scope="c")) == ["The plan of Acme is Pro."]
        [event] = events(memory, Verb.CORRECTED)
        assert (event.note, event.against, event.actor, event.reason) == (
            1,
            written.note.seq,
            "person:acme",
            "said so in chat",
        )
        with pytest.raises(Conflict):
            memory.correct(id, "Free")
        with pytest.raises(Invalid, match="confirm it"):
            memory.correct(written.id, " pro ")
        assert len(events(memory, Verb.CORRECTED)) == 1


def test_a_note_without_a_key_is_corrected_by_another_statement(clock: Clock) -> None:
    with opened(clock) as memory:
        bystander(memory)
        corrected = memory.correct("n1", "Invoices of Acme go to Hamburg.")
        assert said(memory.recall("invoices Acme", scope="c")) == ["Invoices of Acme go to Hamburg."]
        assert (corrected.note.scope, corrected.note.kind) == ("c", "default")


def test_an_action_rests_on_what_was_confirmed_and_asks_for_the_rest(clock: Clock) -> None:
    with opened(clock) as memory:
        freeze = memory.remember(
            "Deploys are frozen in December.", scope="c", kind="constraint", by="person:ana", certainty="confirmed"
        )
        rumour = memory.remember("Deploys of orders take an hour.", scope="c", by="agent:planner", extract_key=False)
        plain = memory.recall("deploys of orders", scope="c")
        assert {note.id for note in plain.upheld} == {freeze.id, rumour.id}
        assert plain.for_action is None
        answer = memory.recall("deploys of orders", scope="c", for_action="deploy")
        assert [note.id for note in answer.upheld] == [freeze.id]
        assert (
            answer.upheld[0].attribution == "from ana on 1 January 2026 (when it was recorded; its own date is unknown)"
        )
        assert [(each.id, each.standing) for each in answer.open] == [(rumour.id, Standing.UNVERIFIED)]
        assert "orders take an hour" not in all_text(answer)
        assert "That is not permission" in answer.prompt()
        memory.confirm(rumour.id, by="person:ana")
        confirmed = memory.recall("deploys of orders", scope="c", for_action="deploy")
        assert {note.id for note in confirmed.upheld} == {freeze.id, rumour.id}


def test_finding_no_restriction_is_never_permission(clock: Clock) -> None:
    with opened(clock) as memory:
        answer = memory.recall("may I drop the orders table?", scope="c", for_action="drop the orders table")
        assert answer.upheld == ()
        assert "No restriction on drop the orders table was found in c. That is not permission" in answer.prompt()
        assert "permission" not in memory.recall("may I drop the orders table?", scope="c").prompt()


def test_below_the_floor_a_note_is_demoted_and_asked_about_before_an_action(clock: Clock) -> None:
    with opened(clock) as memory:
        id = memory.remember("Ana likes short answers.", scope="c", kind="preference", confidence=0.9).id
        clock.move(days=5 * 365)
        assert memory.recall("short answers", scope="c").open == ()
        asked = memory.recall("short answers", scope="c", for_action="write to Ana")
        assert [(each.id, each.standing) for each in asked.open] == [(id, Standing.DEMOTED)]
        assert "short answers" in all_text(memory.recall("short answers", scope="c", mode="history"))


def test_reading_in_several_threads_of_one_process_makes_one_call(clock: Clock, tmp_path: Path) -> None:
    owner = Owner(lambda asked: time.sleep(0.05) or [Agreed()] * len(asked))
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, clock=clock, verifiers={"plan": owner}) as memory:
        on_team(memory)
        clock.move(hours=1)
        found: list[list[str]] = []
        threads = [Thread(target=lambda: found.append(said(memory.recall("Acme plan", scope="c")))) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(owner.asked) == 1
        assert found == [[TEAM]] * 12, "those that did not ask waited for the answer"


def test_the_settled_words_are_json(clock: Clock) -> None:
    with opened(clock, plan=says(Agreed())) as memory:
        id = on_team(memory)
        clock.move(hours=1)
        assert json.loads(json.dumps(memory.verify("c"))) == {id: "verified"}
