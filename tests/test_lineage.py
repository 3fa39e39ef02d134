"""What rests on what, and the line of decisions behind an answer: to any depth, across streams, without old texts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import upheld
from onlooker import all_text, said
from upheld import Cycle, Draft, Invalid, Memory, NotFound, SetAside, Standing
from upheld.note import Link, Note, Rel
from worlds import Clock, Counter


@pytest.fixture
def memory(clock: Clock) -> Memory:
    return upheld.open(":memory:", embedder=None, clock=clock, ids=Counter())


def note(memory: Memory, id: str, statement: str, **fields: object) -> str:
    told = {"scope": "product", "extract_key": False, **fields}
    return memory.remember(statement, id=id, **told).id  # type: ignore[arg-type]


def ids(views: Sequence[upheld.answer.View]) -> list[str]:
    return [view.id for view in views]


def a_column(memory: Memory) -> None:
    """A premise, a restriction that rests on it, a plan that rests on that, and a bystander."""
    note(memory, "premise", "API v1 clients still read the customer_legacy column.")
    note(memory, "rule", "Do not drop the customer_legacy column.", kind="constraint", depends_on=["premise"])
    note(memory, "plan", "The migration is done in two steps.", derived_from=["rule"])
    note(memory, "bystander", "The customer table has 40 columns.")


def test_what_a_note_rests_on_and_what_rests_on_it_are_found_to_any_depth(memory: Memory) -> None:
    a_column(memory)
    assert ids(memory.rests_on("plan")) == ["rule", "premise"]
    assert ids(memory.supports("premise")) == ["rule", "plan"]
    assert ids(memory.rests_on("premise")) == ids(memory.supports("plan")) == ids(memory.supports("bystander")) == []
    memory.retract("premise")
    views = memory.supports("premise")
    assert [(view.id, view.standing) for view in views] == [
        ("rule", Standing.NEEDS_CHECK),
        ("plan", Standing.STALE),
    ]
    assert "Do not drop" not in all_text(views[0])
    assert memory.supports("premise", mode="history")[0].statement == "Do not drop the customer_legacy column."
    with pytest.raises(NotFound):
        memory.rests_on("nobody")


def test_a_fallen_premise_opens_a_question_and_permits_nothing(memory: Memory) -> None:
    a_column(memory)
    assert "Do not drop the customer_legacy column." in said(memory.recall("customer_legacy column", scope="product"))
    memory.supersede("premise", "API v1 clients are retired.", id="retired", extract_key=False)
    answer = memory.recall("may I drop the customer_legacy column?", scope="product", for_action="drop the column")
    assert "rule" in [question.id for question in answer.open]
    assert "Do not drop" not in all_text(answer)
    assert "That is not permission" in answer.prompt()
    explained = memory.explain("rule")
    assert [(child.role, child.view.id) for child in explained.because] == [("rests on", "premise")]


def test_as_known_before_a_link_there_is_none(memory: Memory, clock: Clock) -> None:
    note(memory, "premise", "The queue is Kafka.")
    before = clock.now
    clock.move(days=1)
    note(memory, "rule", "Messages are keyed by order.", depends_on=["premise"])
    assert ids(memory.supports("premise")) == ["rule"]
    assert memory.supports("premise", known_at=before) == ()


def a_direction(memory: Memory, clock: Clock) -> None:
    """Three decisions in two streams, the first of which led to the others, and a replacement."""
    note(memory, "growth", "We go for small customers first.", kind="decision", reason="large ones take a year")
    clock.move(days=30)
    note(
        memory,
        "price",
        "The entry plan costs 9 euros.",
        scope="sales",
        kind="decision",
        led_by=["growth"],
        reason="small customers decide alone",
    )
    clock.move(days=30)
    memory.supersede(
        "price", "The entry plan costs 12 euros.", id="dearer", reason="support cost more", extract_key=False
    )
    note(memory, "bystander", "The office is in Ghent.", scope="sales")


def test_direction_is_the_line_of_decisions_with_reasons_across_streams(memory: Memory, clock: Clock) -> None:
    a_direction(memory, clock)
    scopes = ["product", "sales"]
    answer = memory.recall("what does the entry plan cost?", scope=scopes, limit=1, direction=True)
    assert [(step.id, step.scope, step.standing, step.reason) for step in answer.path] == [
        ("growth", "product", Standing.IN_FORCE, "large ones take a year"),
        ("price", "sales", Standing.SUPERSEDED, "small customers decide alone"),
        ("dearer", "sales", Standing.IN_FORCE, "support cost more"),
    ]
    assert "9 euros" not in all_text(answer)
    assert [step.id for step in memory.recall("entry plan cost", scope=scopes, limit=1).path] == ["price", "dearer"]


def test_direction_keeps_to_the_scopes_that_are_read(memory: Memory, clock: Clock) -> None:
    a_direction(memory, clock)
    answer = memory.recall("what does the entry plan cost?", scope="sales", limit=1, direction=True)
    assert [step.id for step in answer.path] == ["price", "dearer"]
    assert "small customers first" not in all_text(answer)


def test_whether_a_decision_stands_does_not_hang_on_what_led_to_it(memory: Memory, clock: Clock) -> None:
    a_direction(memory, clock)
    memory.retract("growth")
    assert memory.get("dearer").standing is Standing.IN_FORCE


def test_a_reason_is_kept_whatever_a_note_is_linked_to(memory: Memory) -> None:
    note(memory, "alone", "We deploy on Tuesdays.", reason="nobody is away")
    note(memory, "linked", "The freeze begins on Monday.", depends_on=["alone"], reason="of the holidays")
    many = [Draft(statement="The lab is open.", scope="product", reason="it was asked for", extract_key=False)]
    memory.remember_many(many)
    path = memory.recall("deploy freeze lab", scope="product", direction=True).path
    assert {step.reason for step in path} == {"nobody is away", "of the holidays", "it was asked for"}


@pytest.mark.parametrize("field", ["depends_on", "derived_from", "led_by"])
def test_a_note_can_neither_rest_on_nor_be_led_to_by_what_is_not_there_yet(memory: Memory, field: str) -> None:
    with pytest.raises(NotFound):
        note(memory, "a", "First.", **{field: ["b"]})
    with pytest.raises(NotFound):
        note(memory, "a", "First.", **{field: ["a"]})
    with pytest.raises(Invalid):
        note(memory, "a", "First.", **{field: [3]})
    assert list(memory.export()) == []


def test_a_log_whose_links_close_a_circle_of_support_is_refused(memory: Memory, clock: Clock) -> None:
    note(memory, "a", "First.")
    note(memory, "b", "Second.", depends_on=["a"])
    lines = list(memory.export())
    closing = Link(
        seq=9, origin=1, rel=Rel.DEPENDS_ON, target=2, authored=True, actor="agent:x", reason=None, at=clock.now
    )
    with upheld.open(":memory:", embedder=None, clock=clock) as other:
        results = other.import_([*lines, closing])
        assert isinstance(results[-1], Cycle)
        assert sum(isinstance(each, Note) for each in results) == 2


DEPTH, WIDTH = 1000, 10_000


def test_a_chain_of_a_thousand_falls_with_its_foot(memory: Memory) -> None:
    note(memory, "0", "The foot.")
    for number in range(1, DEPTH + 1):
        note(memory, str(number), f"Step {number}.", depends_on=[str(number - 1)])
    assert memory.get(str(DEPTH)).standing is Standing.IN_FORCE
    memory.retract("0")
    assert {view.standing for view in memory.supports("0")} == {Standing.NEEDS_CHECK}
    assert len(memory.supports("0")) == len(memory.rests_on(str(DEPTH))) == DEPTH
    assert memory.get(str(DEPTH)).standing is Standing.NEEDS_CHECK


def test_all_ten_thousand_that_share_a_premise_fall_with_it(memory: Memory) -> None:
    note(memory, "premise", "The premise.")
    note(memory, "bystander", "Something else.")
    drafts = [
        Draft(statement=f"Rule {number}.", scope="product", extract_key=False, depends_on=("premise",))
        for number in range(WIDTH)
    ]
    memory.remember_many(drafts)
    memory.supersede("premise", "Another premise.", extract_key=False)
    assert {view.standing for view in memory.supports("premise")} == {Standing.NEEDS_CHECK}
    assert len(memory.supports("premise")) == WIDTH
    answer = memory.recall("Rule 77. Something else.", scope="product")
    assert said(answer) == ["Something else."]


CAUTIOUS = {"kinds": {"constraint": {"dependencies": "person"}}}
RULE = "Do not drop the customer_legacy column."


def test_where_policy_asks_what_an_agent_says_a_rule_rests_on_waits_for_a_person(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock, ids=Counter(), policy=CAUTIOUS) as memory:
        note(memory, "premise", "API v1 clients still read the customer_legacy column.")
        with pytest.raises(SetAside) as waits:
            note(memory, "rule", RULE, kind="constraint", depends_on=["premise"], by="agent:planner")
        assert RULE not in all_text(memory.recall("customer_legacy column", scope="product"))
        [review] = memory.reviews.list()
        assert (review.id, review.what, review.by) == (waits.value.review, "dependency", "agent:planner")
        many = [
            Draft(statement="Rule 2.", scope="product", kind="constraint", depends_on=("premise",), by="tool:lint"),
            Draft(statement="Rule 3.", scope="product", kind="constraint", by="tool:lint"),
        ]
        first, second = memory.remember_many(many)
        assert isinstance(first, SetAside)
        assert not isinstance(second, Exception), "the control: what rests on nothing needs nobody"
        memory.reviews.accept(review.id, by="person:ana")
        assert ids(memory.supports("premise")) == ["rule"]
        assert RULE in said(memory.recall("customer_legacy column", scope="product"))
        person = {"kind": "constraint", "depends_on": ["premise"], "by": "person:ana"}
        assert note(memory, "own", "Do not rename the column.", **person) == "own"


def test_by_default_anyone_may_say_what_a_note_rests_on(memory: Memory) -> None:
    note(memory, "premise", "The premise.")
    assert note(memory, "rule", RULE, kind="constraint", depends_on=["premise"], by="agent:planner") == "rule"
