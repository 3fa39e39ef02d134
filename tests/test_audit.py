"""Audits: fair samples, honest intervals, half-lives that hold the truth, and answers that take effect once."""

from __future__ import annotations

import math
import random
import re
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import upheld
from upheld import audit
from upheld.audit import FEWEST, HalfLife, Status, duration_text, half_life, report, sample
from upheld.auditing import Audits
from upheld.errors import Conflict, Invalid, Misconfigured, NotFound
from upheld.judges.values import Values
from upheld.ledger import Audit, Audited, How
from upheld.note import Note, Standing, Verb
from upheld.policy import load
from upheld.rates import rate
from upheld.verify import Settled
from upheld.wire import chart, policy_diff, shaped
from upheld.wire.chart import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from upheld.auditing import Correct
    from worlds import Clock

TRUTH = 180.0
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


# --- samples -------------------------------------------------------------------------------------


def test_a_sample_depends_on_the_seed_and_the_notes_alone() -> None:
    notes = list(range(1, 500))
    drawn = sample(notes, 50, seed=3)
    assert len(set(drawn)) == 50
    assert set(drawn) <= set(notes)
    assert sample(reversed(notes), 50, seed=3) == drawn
    assert sample(notes, 50, seed=4) != drawn
    assert sorted(sample(notes, 1000, seed=3)) == notes
    assert sample(notes, 20, seed=3) == drawn[:20]
    assert sample(range(1, 20), 4, seed=1) == [7, 12, 14, 8], "the same on every platform"


def test_every_note_is_as_likely_to_be_drawn_as_any_other() -> None:
    draws = Counter(seq for seed in range(2000) for seq in sample(range(1, 41), 10, seed))
    # Of 40 notes 10 are drawn 2,000 times: 500 each, with a standard deviation of 19.4.
    squares = sum((draws[seq] - 500) ** 2 / 500 / 0.75 for seq in range(1, 41)) * 39 / 40
    assert 15 < squares < 75  # chi-square of 39 degrees: beyond this once in a thousand
    neighbours = Counter(2 in drawn for seed in range(2000) if 1 in (drawn := set(sample(range(1, 41), 10, seed))))
    assert abs(neighbours[True] / neighbours.total() - 9 / 39) < 0.08, "drawing one says nothing of the next"


# --- wrong rates ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "of", "low", "high"),
    [(0, 300, 0.0, 0.0126), (0, 1000, 0.0, 0.0038), (39, 44, 0.760, 0.950), (44, 3100, 0.0106, 0.0190), (0, 0, 0, 1)],
)
def test_wilson_intervals_are_those_of_the_literature(wrong: int, of: int, low: float, high: float) -> None:
    found = rate(wrong, of)
    assert (found.low, found.high) == (pytest.approx(low, abs=6e-4), pytest.approx(high, abs=6e-4))


def row(note: int, *, wrong: bool | None, age: float = 90, kind: str = "preference", number: int = 1) -> Audited:
    answered = None if wrong is None else BEGUN
    return Audited(
        audit=number, note=note, kind=kind, age=timedelta(days=age), how=How.PERSON, wrong=wrong,
        answered_by=None if wrong is None else "person:ana", answered_at=answered,
    )  # fmt: skip


def one_audit(number: int = 1, at: datetime = BEGUN) -> Audit:
    return Audit(number=number, at=at, by="person:ana", seed=1)


def reported(rows: Sequence[Audited], policy: Mapping[str, Any] | None = None, **more: Any) -> audit.AuditReport:
    return report(rows, [one_audit()], load(policy), **more)


def test_what_nobody_answered_is_neither_right_nor_wrong_and_widens_what_is_possible() -> None:
    rows = [row(n, wrong=n <= 2 if n <= 10 else None) for n in range(1, 21)]
    [found] = reported(rows).kinds
    assert (found.right, found.wrong, found.open) == (8, 2, 10)
    assert found.rate == rate(2, 10)
    assert (found.best, found.worst) == (0.1, 0.6)
    assert (found.half_life, found.needed, found.suggested, found.tolerated) == (None, FEWEST - 10, None, None)


def test_kinds_are_counted_apart() -> None:
    rows = [row(1, wrong=True, kind="entitlement"), row(2, wrong=False, kind="attribute"), row(3, wrong=None)]
    assert [(each.kind, each.right, each.wrong, each.open) for each in reported(rows).kinds] == [
        ("attribute", 1, 0, 0),
        ("entitlement", 0, 1, 0),
        ("preference", 0, 0, 1),
    ]


# --- half-lives ----------------------------------------------------------------------------------


def population(seed: int, count: int = 600, truth: float = TRUTH) -> list[tuple[float, float]]:
    """Notes of random ages, each with how long it held, in days; half hold longer than `truth`."""
    chance = random.Random(seed)
    return [(chance.uniform(0, 4 * truth), chance.expovariate(math.log(2) / truth)) for _ in range(count)]


def audited_at_once(people: Sequence[tuple[float, float]]) -> list[Status]:
    return [Status(0, age) if life <= age else Status(age, None) for age, life in people]


def holds(found: HalfLife | None, days: float) -> bool:
    assert found is not None
    return (found.low or 0.0) <= days <= (math.inf if found.high is None else found.high)


@pytest.mark.endurance(seconds=4)
def test_the_interval_holds_the_true_half_life() -> None:
    fitted = [half_life(audited_at_once(population(seed))) for seed in range(100)]
    assert sum(holds(each, TRUTH) for each in fitted) >= 90
    assert sum(holds(each, 1.4 * TRUTH) for each in fitted) <= 5, "and it is narrow enough to say something"
    best = [each.days for each in fitted if each is not None and each.days is not None]
    assert len(best) == 100
    assert sum(best) / 100 == pytest.approx(TRUTH, rel=0.03)


@pytest.mark.endurance(seconds=3)
@pytest.mark.parametrize("count", [FEWEST, 100])
def test_with_few_answers_the_interval_is_wide_rather_than_wrong(count: int) -> None:
    fitted = [half_life(audited_at_once(population(seed, count))) for seed in range(300)]
    assert sum(holds(each, TRUTH) for each in fitted) >= 270


def corrected_by_users(seed: int) -> float:
    """What comes out where what users correct is taken for all that changed, at the time of their word."""
    chance = random.Random(1000 + seed)  # apart from the population's own
    events, exposure = 0, 0.0
    for age, life in population(seed):
        told = life + chance.expovariate(1 / 90)
        if chance.random() < 0.35 and told <= age:
            events, exposure = events + 1, exposure + told
        else:
            exposure += age
    return math.log(2) * exposure / events


def test_corrections_by_users_read_several_times_too_long_where_an_audit_is_right() -> None:
    for seed in range(5):
        assert 4.5 * TRUTH < corrected_by_users(seed) < 9 * TRUTH
        assert holds(half_life(audited_at_once(population(seed))), TRUTH)


def test_an_end_at_which_nothing_was_found_stays_open() -> None:
    right, wrong = half_life([Status(100.0, None)] * 40), half_life([Status(0.0, 100.0)] * 40)
    assert right is not None
    assert wrong is not None
    assert (right.days, right.high) == (None, None)
    assert right.low == pytest.approx(math.log(2) * 4000 / 1.9207, rel=1e-4)
    assert (wrong.days, wrong.low) == (None, None)
    # 40 changes within 100 days each: at the end, their chance is that of 1.92 below certainty.
    assert 40 * math.log(1 - 2 ** (-100 / wrong.high)) == pytest.approx(-1.9207, rel=1e-3)  # type: ignore[operator]
    assert half_life([]) is None
    assert half_life([Status(0.0, None)] * 40) is None


@pytest.mark.parametrize("ages", [[1e-9, 0.0], [36_500.0, 100_000.0], [1e-9, 100_000.0]])
def test_the_shortest_and_longest_ages_are_fitted_without_a_fault(ages: list[float]) -> None:
    found = half_life([Status(0.0, age) for age in ages] + [Status(age, None) for age in ages])
    assert found is not None
    assert found.days is not None
    assert (found.low or 0) <= found.days <= (found.high or math.inf)


def test_the_fit_is_the_same_in_every_unit_of_time() -> None:
    people = audited_at_once(population(1, 200))
    longer = [Status(7 * each.held, None if each.wrong_by is None else 7 * each.wrong_by) for each in people]
    days, weeks = half_life(people), half_life(longer)
    assert days is not None
    assert weeks is not None
    assert weeks.days == pytest.approx(7 * (days.days or 0), rel=1e-6)
    assert weeks.low == pytest.approx(7 * (days.low or 0), rel=1e-6)


def test_a_note_that_was_right_and_is_wrong_later_changed_in_between() -> None:
    first, later = one_audit(1), one_audit(2, BEGUN + timedelta(days=60))
    since = BEGUN - timedelta(days=30)
    rows = [
        Audited(audit=number, note=7, kind="k", age=at - since, how=How.DOCUMENT, wrong=wrong,
                answered_by="document:a", answered_at=at)
        for number, at, wrong in ((1, BEGUN, False), (2, later.at, True))
    ]  # fmt: skip
    begun = {each.number: each.at for each in (first, later)}
    assert audit.statuses(rows, begun) == [Status(30.0, 90.0)]
    assert audit.statuses(rows[:1], begun) == [Status(30.0, None)]


def test_an_answer_counts_from_when_it_was_given() -> None:
    late = Audited(
        audit=1, note=7, kind="k", age=timedelta(days=30), how=How.PERSON, wrong=True, answered_by="person:ana",
        answered_at=BEGUN + timedelta(days=12),
    )  # fmt: skip
    assert audit.statuses([late], {1: BEGUN}) == [Status(0.0, 42.0)]


# --- what follows for the policy -----------------------------------------------------------------


def rows_of(seed: int = 1, count: int = 600, kind: str = "preference", truth: float = TRUTH) -> list[Audited]:
    people = population(seed, count, truth)
    return [row(n, wrong=life <= age, age=age, kind=kind) for n, (age, life) in enumerate(people, start=1)]


def test_a_half_life_is_suggested_only_where_the_interval_excludes_the_present_one() -> None:
    [wrong_setting] = reported(rows_of(), {"kinds": {"preference": {"half_life": "1y"}}}).kinds
    [right_setting] = reported(rows_of(), {"kinds": {"preference": {"half_life": "180d"}}}).kinds
    [never] = reported(rows_of(), {"kinds": {"preference": {"half_life": "never"}}}).kinds
    assert (right_setting.present, right_setting.suggested) == ("180d", None)
    assert wrong_setting.present == "365d"
    assert wrong_setting.half_life is not None
    assert wrong_setting.suggested == never.suggested == duration_text(wrong_setting.half_life.days or 0)


def test_where_none_was_wrong_only_the_least_half_life_is_suggested_and_never_is_left_alone() -> None:
    rows = [row(n, wrong=False, age=365) for n in range(1, 101)]
    [short] = reported(rows, {"kinds": {"preference": {"half_life": "90d"}}}).kinds
    [never] = reported(rows, {"kinds": {"preference": {"half_life": "never"}}}).kinds
    assert short.half_life is not None
    assert short.suggested == duration_text(short.half_life.low or 0)
    assert never.suggested is None


def test_a_window_is_the_age_at_which_the_tolerated_share_is_wrong_and_says_what_it_costs() -> None:
    rows = rows_of()
    [found] = reported(rows, tolerance=0.25).kinds
    assert found.half_life is not None
    days = found.half_life.days or 0
    assert found.tolerated == pytest.approx(days * math.log2(1 / 0.75))
    assert 1 - 2 ** (-(found.tolerated or 0) / days) == pytest.approx(0.25)
    right = [each for each in rows if not each.wrong]
    older = sum(each.age > timedelta(days=found.tolerated or 0) for each in right)
    assert found.dropped == rate(older, len(right))


POLICY = """# ours
[sweep]
few = 3

[kinds.preference]  # of users
half_life = "1y"  # a guess
ttl = "5y"

[kinds."seat count"]
verify_after = "1h"
"""


def applied(diff: str, folder: Path, text: str | None) -> str:
    """The policy after the diff, as git applies it."""
    file = folder / "policy.toml"
    if text is not None:
        file.write_bytes(text.encode())
    subprocess.run(
        ["git", "apply", "-p0", "--unsafe-paths", "-"], cwd=folder, input=diff.encode(), check=True,
        env={"GIT_CEILING_DIRECTORIES": str(folder.parent), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    return file.read_bytes().decode()


@pytest.mark.parametrize(
    "text",
    [POLICY, POLICY.replace("\n", "\r\n"), POLICY.rstrip("\n"), "", "[sweep]\nfew = 3", "[kinds.preference]", None],
    ids=["whole", "crlf", "no-last-line-end", "empty", "no-table", "a-header-only", "no-file"],
)
def test_the_diff_changes_one_setting_and_nothing_else(text: str | None, tmp_path: Path) -> None:
    found = reported(rows_of() + rows_of(2, kind="seat count"), {"kinds": {"seat count": {}}})
    diff = policy_diff(found, text, "policy.toml")
    before, after = tomllib.loads(text or ""), tomllib.loads(applied(diff, tmp_path, text))
    expected: dict[str, Any] = {**before, "kinds": {**before.get("kinds", {})}}
    for kind in found.kinds:
        assert kind.suggested
        expected["kinds"][kind.kind] = {**expected["kinds"].get(kind.kind, {}), "half_life": kind.suggested}
    assert after == expected
    assert load(after).kind("preference").half_life is not None
    again = reported(rows_of() + rows_of(2, kind="seat count"), after)
    assert policy_diff(again, "", "policy.toml") == "", "what was taken over is not suggested again"
    if text == POLICY:
        assert '-half_life = "1y"  # a guess' in diff.splitlines()
        assert [line[:3] for line in diff.splitlines()].count("+ha") == 2
        assert "# of users" in applied(diff, tmp_path, text)


def test_a_policy_that_one_line_cannot_change_is_left_as_it_is() -> None:
    found = reported(rows_of())
    for text in (
        'kinds = {preference = {half_life = "1y"}}\n',
        'kinds.preference.half_life = "1y"\n',
        'text = """\n[kinds.preference]\n"""\n',
        "not = [toml",
    ):
        assert policy_diff(found, text, "policy.toml") == ""
    assert found.kinds[0].suggested, "the report says it all the same"


# --- the verbs -----------------------------------------------------------------------------------


@pytest.fixture
def memory(store: upheld.Memory) -> upheld.Memory:
    return store


def audits_of(
    memory: upheld.Memory,
    verify: Callable[[Sequence[Note]], Mapping[int, Settled]] | None = None,
    correct: Correct | None = None,
) -> Audits:
    return Audits(
        memory._database, policy=memory._policy, judge=Values(), clock=memory._clock, seeds=lambda: 5,
        verify=verify, correct=correct,
    )  # fmt: skip


def preferences(memory: upheld.Memory, count: int, **more: Any) -> list[str]:
    return [memory.remember(f"Person {n} likes tea.", kind="preference", **more).id for n in range(count)]


def kind_of(found: audit.AuditReport, kind: str) -> audit.OfKind:
    return next(each for each in found.kinds if each.kind == kind)


def events(memory: upheld.Memory, verb: Verb) -> list[upheld.note.Event]:
    return [line for line in memory.export() if isinstance(line, upheld.note.Event) and line.verb is verb]


def test_so_many_notes_in_force_are_drawn_of_each_kind(memory: upheld.Memory) -> None:
    preferences(memory, 12)
    gone = memory.remember("Person 99 likes tea.", kind="preference")
    memory.retract(gone.id)
    memory.remember("We use Kafka.", kind="decision")
    found = audits_of(memory).run(sample=10)
    assert [(each.kind, each.open) for each in found.kinds] == [("decision", 1), ("preference", 10)]
    [begun] = found.audits
    assert (begun.number, begun.by, begun.seed) == (1, "person:owner", 5)
    whole = audits_of(memory).run(sample=1000, kinds="preference", by="person:ana")
    assert kind_of(whole, "preference").open == 12, "what no longer stands is not drawn"
    asked = {each.note for each in audits_of(memory).questions(2)}
    assert gone.id not in asked
    assert len(asked) == 12


def test_the_same_seed_draws_the_same_notes(memory: upheld.Memory) -> None:
    preferences(memory, 30)
    audits = audits_of(memory)
    for seed in (1, 1, 2):
        audits.run(sample=5, seed=seed)
    drawn = [[each.note for each in audits.questions(number)] for number in (1, 2, 3)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert all(len(each) == 5 for each in drawn)


def test_an_audit_keeps_to_its_scopes_and_kinds(memory: upheld.Memory) -> None:
    here = memory.remember("We use Kafka.", scope="here", kind="decision")
    memory.remember("We use Redis.", scope="there", kind="decision")
    memory.remember("Ana likes tea.", scope="here", kind="preference")
    audits_of(memory).run("here", kinds=["decision"])
    assert [each.note for each in audits_of(memory).questions()] == [here.id]


def test_where_nothing_is_in_force_there_is_no_audit(memory: upheld.Memory) -> None:
    assert audits_of(memory).run() == audit.AuditReport(audits=(), tolerance=0.1, kinds=())
    assert audits_of(memory).report().audits == ()


def test_age_counts_from_when_a_note_was_last_seen_to_hold(memory: upheld.Memory, clock: Clock) -> None:
    seen = memory.remember("Ana likes tea.", observed_at="2025-12-02T00:00:00Z").id
    written = memory.remember("Ben likes tea.").id
    confirmed = memory.remember("Cleo likes tea.").id
    clock.move(days=10)
    memory.confirm(confirmed)
    clock.move(days=5)
    audits_of(memory).run()
    ages = {each.note: each.age_days for each in audits_of(memory).questions()}
    assert ages == {seen: 45.0, written: 15.0, confirmed: 5.0}
    memory.recall("who likes tea?")
    audits_of(memory).run()
    assert {each.note: each.age_days for each in audits_of(memory).questions(2)} == ages, (
        "reading makes nothing younger"
    )


def test_owners_are_asked_first_and_what_they_cannot_say_is_a_question(memory: upheld.Memory) -> None:
    plans = {name: memory.remember(f"The plan of {name} is Team.", kind="entitlement") for name in ("a", "b", "c", "d")}
    free = memory.remember("Ana likes tea.", kind="preference")
    asked: list[str] = []

    def billing(notes: Sequence[Note]) -> dict[int, Settled]:
        asked.extend(note.id for note in notes)
        said = dict(
            zip("abcd", (Settled.VERIFIED, Settled.CHANGED, Settled.UNAVAILABLE, Settled.OVERTAKEN), strict=True)
        )
        known = {written.note.seq: said[name] for name, written in plans.items()}
        return {note.seq: known[note.seq] for note in notes if note.seq in known}

    found = kind_of(audits_of(memory, billing).run(), "entitlement")
    assert (found.right, found.wrong, found.open) == (1, 1, 2)
    assert set(asked) == {free.id, *(written.id for written in plans.values())}
    waiting = {each.note for each in audits_of(memory).questions()}
    assert waiting == {plans["c"].id, plans["d"].id, free.id}


def test_a_note_without_a_value_of_its_own_is_no_part_of_an_audit(memory: upheld.Memory) -> None:
    memory.remember("Look the tier up in billing.")
    found = audits_of(memory, lambda notes: {note.seq: Settled.READ for note in notes}).run()
    assert found.kinds == ()
    assert kind_of(audits_of(memory).run(), "default").open == 1


def port(service: str, number: int) -> str:
    return f"The port of the {service} database is {number}."


def test_documents_are_asked_next_and_take_effect(memory: upheld.Memory) -> None:
    # The documents come from a place where nobody swept: written first, the notes after them.
    memory.corpus.add_text("orders.md", port("orders", 6432))
    memory.corpus.add_text("billing.md", port("billing", 5432))
    wrong, right, silent = (
        memory.remember(port(service, 5432), kind="attribute").id for service in ("orders", "billing", "search")
    )
    assert memory.get(wrong).standing is Standing.IN_FORCE
    found = kind_of(audits_of(memory).run(), "attribute")
    assert (found.right, found.wrong, found.open) == (1, 1, 1)
    assert [each.note for each in audits_of(memory).questions()] == [silent]
    assert memory.get(wrong).standing is Standing.CONTRADICTED
    assert memory.get(right).standing is Standing.IN_FORCE
    [told] = memory.inbox.list()
    assert told.note == wrong
    rows = {row.wrong: row for row in _rows(memory)}
    assert rows[True].answered_by == "document:orders.md"
    assert rows[True].how is How.DOCUMENT
    assert rows[False].answered_by == "document:billing.md"


def _rows(memory: upheld.Memory) -> list[Audited]:
    with memory._database.reading() as reading:
        return reading.ledger.audited()


def test_a_document_that_may_not_retire_a_note_leaves_it_to_a_person(memory: upheld.Memory) -> None:
    memory.corpus.add_text("wiki.md", port("orders", 6432), authority="agent")
    note = memory.remember(port("orders", 5432), kind="attribute", by="person:ana")
    found = kind_of(audits_of(memory).run(), "attribute")
    assert (found.right, found.wrong, found.open) == (0, 0, 1)
    [asked] = audits_of(memory).questions()
    assert (asked.note, asked.statement, asked.standing) == (note.id, port("orders", 5432), Standing.DISPUTED)


def test_more_than_may_fall_unasked_stays_and_is_said(memory: upheld.Memory) -> None:
    services = [f"service{n}" for n in range(12)]
    for service in services:
        memory.corpus.add_text(f"{service}.md", port(service, 6432))
        memory.remember(port(service, 5432), kind="attribute")
    found = audits_of(memory).run()
    assert kind_of(found, "attribute").wrong == 12
    assert len(found.held_back) == 12
    assert {memory.get(id).standing for id in found.held_back} == {Standing.IN_FORCE}
    swept = memory.corpus.sweep(approve=12)
    assert set(swept.to_retire) == set(found.held_back)


def test_right_confirms_and_wrong_disputes(memory: upheld.Memory, clock: Clock) -> None:
    good, bad = preferences(memory, 2)
    audits = audits_of(memory)
    audits.run()
    clock.move(days=3)
    assert audits.answer(1, good, False, by="person:ana").standing is Standing.IN_FORCE
    assert audits.answer(1, bad, True, by="person:ana").standing is Standing.DISPUTED
    [confirmed], [disputed] = events(memory, Verb.CONFIRMED), events(memory, Verb.DISPUTED)
    assert (confirmed.actor, confirmed.reason, confirmed.effective_from) == ("person:ana", "audit 1", clock.now)
    assert (disputed.actor, disputed.against, disputed.evidence) == ("person:ana", None, None)
    answer = memory.recall("who likes tea?")
    assert [note.id for note in answer.upheld] == [good]
    assert [question.id for question in answer.open] == [bad]
    assert "Person 1" not in answer.prompt()
    [found] = audits.report(1).kinds
    assert (found.right, found.wrong, found.open) == (1, 1, 0)
    assert audits.questions() == ()
    audits.run()
    assert [(each.note, each.age_days) for each in audits.questions()] == [(good, 0.0)]


def test_wrong_with_a_value_corrects_the_note(memory: upheld.Memory) -> None:
    note = memory.remember(port("orders", 5432), kind="attribute").id

    audits = audits_of(memory, correct=memory.correct)
    audits.run()
    assert audits.answer(1, note, True, "6432", by="person:ana").standing is Standing.SUPERSEDED
    [now] = memory.recall("port of the orders database").upheld
    assert (now.note.value, now.replaces) == ("6432", (note,))
    [corrected] = events(memory, Verb.CORRECTED)
    assert (corrected.actor, corrected.reason) == ("person:ana", "audit 1")
    assert events(memory, Verb.DISPUTED) == []
    assert kind_of(audits.report(), "attribute").wrong == 1


def test_a_correction_that_is_refused_leaves_the_question_open(memory: upheld.Memory) -> None:
    [note] = preferences(memory, 1)

    def correct(_note: str, _value: str, **_: object) -> object:
        raise Invalid("no")

    audits = audits_of(memory, correct=correct)
    audits.run()
    with pytest.raises(Invalid, match="no"):
        audits.answer(1, note, True, "coffee")
    assert len(audits.questions()) == 1
    with pytest.raises(Misconfigured):
        audits_of(memory).answer(1, note, True, "coffee")
    assert audits.answer(1, note, False).standing is Standing.IN_FORCE


def test_an_answer_is_given_once(memory: upheld.Memory) -> None:
    [note] = preferences(memory, 1)
    audits = audits_of(memory)
    audits.run()
    audits.answer(1, note, False, by="person:ana")
    for wrong in (True, False):
        with pytest.raises(Conflict, match="right, by person:ana"):
            audits.answer(1, note, wrong)
    assert memory.get(note).standing is Standing.IN_FORCE
    assert len(events(memory, Verb.CONFIRMED)) == 1
    assert events(memory, Verb.DISPUTED) == []


def test_what_was_not_asked_cannot_be_answered(memory: upheld.Memory) -> None:
    [note] = preferences(memory, 1)
    audits = audits_of(memory)
    audits.run()
    other = memory.remember("We use Kafka.").id
    for number, id in ((2, note), (1, other), (1, "nobody")):
        with pytest.raises(NotFound):
            audits.answer(number, id, True)
    with pytest.raises(NotFound):
        audits.report(9)
    with pytest.raises(NotFound):
        audits.questions(9)
    assert audits.report(1).kinds[0].open == 1


def test_of_a_note_that_fell_meanwhile_only_the_answer_is_kept(memory: upheld.Memory) -> None:
    right, wrong = preferences(memory, 2)
    audits = audits_of(memory)
    audits.run()
    for note in (right, wrong):
        memory.supersede(note, f"{note} drinks coffee now.")
    assert {each.standing for each in audits.questions()} == {Standing.SUPERSEDED}
    assert audits.answer(1, right, False).statement is None
    assert audits.answer(1, wrong, True).standing is Standing.SUPERSEDED
    assert events(memory, Verb.CONFIRMED) == events(memory, Verb.DISPUTED) == []
    assert kind_of(audits.report(), "preference").rate == rate(1, 2)


def test_who_is_less_trusted_than_the_source_answers_without_vouching_for_it(
    memory: upheld.Memory, clock: Clock
) -> None:
    note = memory.remember(port("orders", 5432), kind="attribute", by="system:cmdb").id
    audits = audits_of(memory)
    clock.move(days=1)
    audits.run()
    audits.answer(1, note, False, by="person:ana")
    assert events(memory, Verb.CONFIRMED) == []
    assert kind_of(audits.report(), "attribute").right == 1


def test_what_its_owner_said_within_its_window_is_not_asked_of_people(memory: upheld.Memory, clock: Clock) -> None:
    fresh = memory.remember(port("orders", 5432), kind="entitlement", by="system:cmdb").id
    clock.move(seconds=59)  # the window of entitlements is a minute
    assert kind_of(audits_of(memory, lambda _: {}).run(), "entitlement").right == 1
    clock.move(seconds=1)
    audits_of(memory, lambda _: {}).run()
    assert [each.note for each in audits_of(memory).questions(2)] == [fresh]


@pytest.mark.parametrize(
    "wrong",
    [
        {"sample": 0},
        {"sample": 1.5},
        {"seed": -1},
        {"seed": 1 << 63},
        {"seed": True},
        {"kinds": "unheard-of"},
        {"scope": 7},
        {"by": "ana"},
        {"tolerance": 0},
        {"tolerance": 1},
        {"tolerance": math.nan},
    ],
    ids=str,
)
def test_bad_input_begins_no_audit(memory: upheld.Memory, wrong: dict[str, Any]) -> None:
    preferences(memory, 1)
    with pytest.raises(Invalid):
        audits_of(memory).run(**wrong)
    assert audits_of(memory).report().audits == ()


def test_bad_answers_change_nothing(memory: upheld.Memory) -> None:
    [note] = preferences(memory, 1)
    audits = audits_of(memory)
    audits.run()
    bad: list[tuple[Any, ...]] = [
        (0, note, True),
        (1, note, "wrong"),
        (1, note, 1),
        (1, 7, True),
        (1, note, False, "x"),
    ]
    for given in bad:
        with pytest.raises(Invalid):
            audits.answer(*given)
    with pytest.raises(Invalid):
        audits.answer(1, note, True, by="ana")
    assert len(audits.questions()) == 1


def test_what_was_checked_is_kept_if_an_audit_breaks_off(memory: upheld.Memory) -> None:
    preferences(memory, 40)
    calls = 0

    def owner(notes: Sequence[Note]) -> dict[int, Settled]:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return {note.seq: Settled.VERIFIED for note in notes}

    with pytest.raises(KeyboardInterrupt):
        audits_of(memory, owner).run()
    assert kind_of(audits_of(memory).report(), "preference").right == 32


def test_progress_is_told_of_all_notes(memory: upheld.Memory) -> None:
    preferences(memory, 20)
    ticks: list[tuple[int, int | None]] = []
    audits_of(memory).run(progress=lambda done, of: ticks.append((done, of)))
    assert ticks == [(16, 20), (20, 20)]


def test_an_audit_of_a_store_fits_what_its_population_was_made_with(memory: upheld.Memory, clock: Clock) -> None:
    chance = random.Random(4)
    lives = {}
    for n in range(150):
        age, life = chance.uniform(0, 700), chance.expovariate(math.log(2) / TRUTH)
        seen = clock.now - timedelta(days=age)
        lives[memory.remember(f"Person {n} likes tea.", kind="preference", observed_at=seen).id] = (age, life)
    audits = audits_of(memory)
    audits.run(sample=150)
    for asked in audits.questions():
        age, life = lives[asked.note]
        assert asked.age_days == pytest.approx(age)
        audits.answer(asked.audit, asked.note, life <= age)
    [found] = audits.report().kinds
    assert holds(found.half_life, TRUTH)
    assert found.half_life == half_life(audited_at_once([*lives.values()]))
    assert (found.present, found.suggested) == (
        "365d",
        duration_text((found.half_life or HalfLife(days=1, low=1, high=1)).days or 0),
    )


def test_erased_notes_are_not_asked_about(memory: upheld.Memory) -> None:
    [kept, gone] = preferences(memory, 2)
    audits = audits_of(memory)
    audits.run()
    with memory._database.writing() as tx:
        from upheld.remember import Journal, find

        Journal.open(tx, memory._clock()).event(find(tx, [gone])[gone].seq, Verb.ERASED, actor="person:ana")
    assert [each.note for each in audits.questions()] == [kept]
    with pytest.raises(NotFound):
        audits.answer(1, gone, True)


# --- the chart -----------------------------------------------------------------------------------


def drawn(rows: Sequence[Audited]) -> ET.Element:
    return ET.fromstring(chart(reported(rows, {"kinds": {"seat count": {}}})))


SVG = "{http://www.w3.org/2000/svg}"


def test_a_chart_says_everything_in_words_too() -> None:
    rows = [*rows_of(count=200), row(1, wrong=None, kind="seat count")]
    root = drawn(rows)
    assert root.get("role") == "img"
    named = (root.get("aria-labelledby") or "").split()
    parts = {each.get("id"): each.text for each in root}
    assert all(parts[id] for id in named)
    wrong = sum(bool(each.wrong) for each in rows)
    found = rate(wrong, 200)
    figure = f"{wrong / 2:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f}) of 200"
    texts = [each.text for each in root.iter(f"{SVG}text")]
    assert figure in texts
    assert figure in (parts["said"] or "")
    assert "nothing answered yet; 1 open" in texts
    assert f"half-life: {FEWEST} more answers are needed" in texts
    assert "95 % intervals" in " ".join(text or "" for text in texts)


def test_a_bar_is_as_long_as_its_share_and_its_whisker_as_its_interval() -> None:
    rows = [row(n, wrong=n <= 30) for n in range(1, 101)]
    root = drawn(rows)
    [bar] = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "bar"]
    whisker = next(each for each in root.iter(f"{SVG}line") if each.get("class") == "whisker")
    start, unit = float(bar.get("x") or 0), float(bar.get("width") or 0) / 0.3
    found = rate(30, 100)
    assert (float(whisker.get("x1") or 0) - start) / unit == pytest.approx(found.low, abs=1e-3)
    assert (float(whisker.get("x2") or 0) - start) / unit == pytest.approx(found.high, abs=1e-3)


def test_a_chart_holds_nothing_that_runs_and_no_kind_breaks_it() -> None:
    hostile = "<script>alert(1)</script>&\"'\x01 \ufffe" + "w" * 400
    said = chart(reported([row(1, wrong=True, kind=hostile)]))
    root = ET.fromstring(said)
    allowed = {f"{SVG}{name}" for name in ("svg", "title", "desc", "style", "rect", "text", "line")}
    assert {each.tag for each in root.iter()} <= allowed
    assert not [name for each in root.iter() for name in each.attrib if name.startswith("on") or "href" in name]
    assert "<script>alert(1)</script>" in "".join(root.itertext()), "told whole, as text"
    shown = next(each for each in root.iter(f"{SVG}text") if (each.text or "").startswith("<script"))
    assert len(shown.text or "") <= 18


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_a_chart_can_be_read_in_light_and_dark(colours: dict[str, str]) -> None:
    def contrast(name: str) -> float:
        dark, light = sorted((_luminance(colours[name]), _luminance(colours["paper"])))
        return (light + 0.05) / (dark + 0.05)

    assert contrast("ink") >= 7
    assert contrast("quiet") >= 4.5
    assert contrast("bar") >= 3
    assert colours["bar"] in chart(reported([]))
    assert re.search(r"prefers-color-scheme: dark", chart(reported([])))


def test_a_report_leaves_as_json_without_infinities() -> None:
    rows = [row(n, wrong=False, age=365) for n in range(1, 41)]
    said = shaped(reported(rows))
    assert said["kinds"][0]["half_life"] == {"days": None, "low": pytest.approx(5268.9, abs=0.1), "high": None}
    assert said["kinds"][0]["rate"][:2] == [0, 40]
