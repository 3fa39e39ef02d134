"""What an extracted note stands on: what it says again falls with it, and so does what was concluded from it."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

import upheld
from onlooker import all_text, at, said
from upheld import Key, Memory, Standing
from upheld.aside import Origin
from upheld.conversation import Kept, Message, Offer, Role
from upheld.conversation.conclusions import reasons
from upheld.conversation.propose import read
from upheld.conversation.restated import restates
from upheld.note import Rel
from worlds import Clock, Counter

MAY, JUNE, JULY, AUGUST = (at(f"2026-0{month}-01T12:00:00+00:00") for month in (5, 6, 7, 8))
BUDGET = "$200,000 available in Q4 budget"


@pytest.fixture
def memory(clock: Clock) -> Memory:
    clock.now = at("2026-09-01")
    return upheld.open(":memory:", embedder=None, clock=clock, ids=Counter())


def talk(
    memory: Memory, *texts: str | tuple[str, str], when: datetime | None = JUNE, by: str = "person:ana"
) -> list[tuple[str, str | None]]:
    """Say these texts, one message each, or one by somebody else where it is a pair; outcome and note of each."""
    listed = [text if isinstance(text, tuple) else (by, text) for text in texts]
    roles = {"person": Role.USER, "agent": Role.ASSISTANT, "tool": Role.TOOL}
    messages = [
        Message(role=roles[who.partition(":")[0]], by=who, at=when, text=text.replace("|", "\n"))
        for who, text in listed
    ]
    memory.ingest(messages, conversation="talk")
    found = memory.extract("talk")
    return [(each.outcome, each.note) for each in found.passages if each.outcome != "left"]


def standing(memory: Memory, id: str | None) -> Standing:
    assert id is not None
    return memory.get(id).standing


def links(memory: Memory, id: str | None) -> list[tuple[Rel, str]]:
    """What a note was said to stand on."""
    assert id is not None
    with memory._database.reading() as view:
        seq = view.seqs([id])[id]
        found = [each for each in view.links([seq]) if each.origin == seq and each.rel is not Rel.SUPERSEDES]
        ids = view.ids(each.target for each in found)
        return [(each.rel, ids[each.target]) for each in found]


def budget(memory: Memory, value: str = BUDGET, *, id: str = "budget", when: datetime = MAY, **more: object) -> None:
    memory.remember(
        f"available budget: {value}",
        id=id,
        key=Key(subject="finance", attribute="available budget"),
        value=value,
        observed_at=when,
        **more,  # type: ignore[arg-type]
    )


# --- said again -----------------------------------------------------------------------------------

COPY = f"Finance reported {BUDGET}."
READ = "Finance reported $200,000 available budget in Q4 2025."
OTHER = "Finance has 4 pages on Acme."


def test_a_copy_is_served_while_the_note_stands_and_falls_with_it(memory: Memory) -> None:
    budget(memory)
    (outcome, copy), (_, other) = talk(memory, COPY, OTHER)
    assert outcome == "added"
    assert links(memory, copy) == [(Rel.DERIVED_FROM, "budget")]
    assert READ in said(memory.recall("What did finance report?"))  # in other words than the passage
    memory.supersede("budget", "available budget: $120,000 in all", id="less", observed_at=JULY)
    assert standing(memory, copy) is Standing.STALE
    assert "200,000" not in all_text(memory.recall("What did finance report?"))
    # The control: what only speaks of the same stays.
    assert links(memory, other) == []
    assert standing(memory, other) is Standing.IN_FORCE


@pytest.mark.parametrize("how", ["superseded", "retracted", "ended"])
def test_what_was_said_before_the_note_fell_does_not_come_back_when_it_is_read_late(memory: Memory, how: str) -> None:
    budget(memory, **({"valid_to": JULY} if how == "ended" else {}))
    if how == "superseded":
        memory.supersede("budget", "available budget: $120,000 in all", observed_at=JULY)
    elif how == "retracted":
        memory.retract("budget", by="person:ana", reason="a typing error")
    ((_, copy),) = talk(memory, COPY, when=JUNE)
    assert standing(memory, copy) in {Standing.STALE, Standing.NEEDS_CHECK}
    assert "200,000" not in memory.recall("What did finance report?").prompt()


def test_what_is_said_after_it_fell_is_new_evidence(memory: Memory, clock: Clock) -> None:
    budget(memory)
    memory.supersede("budget", "available budget: $120,000 in all", observed_at=JULY)
    ((outcome, late),) = talk(memory, COPY, when=AUGUST)
    assert (outcome, links(memory, late)) == ("added", [])
    assert standing(memory, late) is Standing.IN_FORCE
    # The control: of an unknown day it is not known to be later.
    ((_, undated),) = talk(memory, COPY.replace("reported", "had"), when=None)
    assert standing(memory, undated) is Standing.STALE


def test_a_message_before_the_note_was_written_is_a_copy_too(memory: Memory) -> None:
    budget(memory, when=JULY)
    ((_, copy),) = talk(memory, COPY, when=JUNE)
    assert links(memory, copy) == [(Rel.DERIVED_FROM, "budget")]


def test_the_same_key_and_value_confirm(memory: Memory) -> None:
    first = memory.remember("The port of orders is 5432.", observed_at=MAY)
    assert talk(memory, "The port of orders is 5432.") == [("confirmed", first.id)]


def test_the_same_key_and_another_value_supersede_and_are_no_copy(memory: Memory) -> None:
    memory.remember("The plan of Acme is Pro with 3 seats.", id="plan", observed_at=MAY)
    ((outcome, newer),) = talk(memory, "The plan of Acme is Pro with 3 seats and support.")
    assert (outcome, links(memory, newer)) == ("superseded", [])
    assert standing(memory, newer) is Standing.IN_FORCE


def test_an_extracted_note_is_copied_too_within_one_reading(memory: Memory) -> None:
    first, second = talk(
        memory,
        "The plan of Acme is Pro with 3 seats.",
        "Sales wrote that the plan of Acme is Pro with 3 seats.",
    )
    assert links(memory, second[1]) == [(Rel.DERIVED_FROM, first[1])]
    talk(memory, "The plan of Acme is Team.", when=JULY)
    assert standing(memory, second[1]) is Standing.STALE


def test_nobodys_word_falls_with_the_word_of_somebody_trusted_less(memory: Memory) -> None:
    budget(memory, by="tool:web")
    ((_, persons),) = talk(memory, COPY)
    assert links(memory, persons) == []
    budget(memory, by="tool:web", value="$200,000 available in Q4 plan", id="other")
    ((_, agents),) = talk(memory, ("agent:planner", "Finance reported $200,000 available in Q4 plan."))
    assert links(memory, agents) == [(Rel.DERIVED_FROM, "other")]


def test_other_scopes_and_guesses_are_not_copied(memory: Memory) -> None:
    budget(memory, scope="elsewhere")
    budget(memory, id="guess", certainty="hypothesis")
    ((_, note),) = talk(memory, COPY)
    assert links(memory, note) == []


def test_what_was_made_as_often_as_the_policy_lets_pass_is_not_copied_again(memory: Memory) -> None:
    budget(memory, id="first", value="$9 for all of 2025")
    budget(memory, id="made once", value="$8 for all of 2025", derived_from="first")
    budget(memory, id="made twice", derived_from="made once")
    ((outcome, note),) = talk(memory, COPY)
    assert (outcome, links(memory, note)) == ("added", [])


def test_what_was_written_and_not_marked_as_read_is_not_written_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise RuntimeError("the power went out")

    with monkeypatch.context() as patched:
        patched.setattr("upheld.db.messages.StoredMessages.mark_read", dies)
        with pytest.raises(RuntimeError):
            talk(memory, COPY)
    (before,) = memory.list("default").notes
    budget(memory)  # now it would be a copy
    assert talk(memory) == [("repeated", before.id)]
    assert links(memory, before.id) == []


ACME = {"statement": "The city of Ana is San Francisco.", "subject": "Ana", "value": "San Francisco"}
ROOM = {"statement": "meeting place: Seattle Hall, room 302", "subject": "state", "value": "Seattle Hall, room 302"}
HOMES = {
    "statement": "Tustin has a mix of 40 older and newer homes.",
    "subject": "Tustin",
    "value": "a mix of 40 older and newer homes",
}


@pytest.mark.parametrize(
    ("text", "value_key", "held", "is_copy"),
    [
        ("The city of Ana is San Francisco.", None, ACME, True),
        ("The city of Ana is San Francisco, as before.", None, ACME, True),
        ("Ana's new home is San Francisco.", "san francisco", ACME, True),
        ("Ana met Bo in San Francisco.", "bo in san francisco", ACME, False),  # a name alone says nothing
        ("The San Francisco office has 40 desks.", "40", ACME, False),
        ("Bo's home is San Francisco.", "san francisco", ACME, False),  # of somebody else
        ("We meet at Seattle Hall, Room 302!", None, ROOM, True),
        ("We meet at Seattle Hall, room 303.", None, ROOM, False),
        ("We meet at Seattle Hall.", None, ROOM, False),
        ("Irvine has a mix of 40 older and newer homes.", "a mix of 40 older and newer homes", HOMES, False),
        ("Old Tustin has a mix of 40 older and newer homes.", None, HOMES, True),
    ],
)
def test_what_says_it_again(text: str, value_key: str | None, held: dict[str, str], *, is_copy: bool) -> None:
    held_key = str(held["value"]).lower()
    assert restates(text, value_key, **held, held_key=held_key) is is_copy


# --- concluded ------------------------------------------------------------------------------------

PREMISE = "API v1 still uses the customer_legacy column."
RESTRICTION = f"{PREMISE[:-1]}, so we must not drop it."
ENDED = "API v1 no longer uses the customer_legacy column."
QUESTION = "May the customer_legacy column be dropped?"


@pytest.mark.parametrize(
    "texts",
    [
        (f"{PREMISE} So we must not drop it.",),
        (PREMISE, "So we must not drop it."),
        (PREMISE, ("agent:planner", "Understood."), "So we must not drop it."),
        (PREMISE, ("agent:planner", "Shall I drop it?"), "Therefore we must not drop it."),
    ],
)
def test_a_conclusion_stands_on_what_was_said_right_before_it(memory: Memory, texts: tuple[str, ...]) -> None:
    (_, premise), (_, restriction) = talk(memory, *texts)
    assert memory.get(restriction or "").statement == RESTRICTION
    assert links(memory, restriction) == [(Rel.DEPENDS_ON, premise)]
    assert RESTRICTION in said(memory.recall(QUESTION))
    assert [outcome for outcome, _ in talk(memory, ENDED, when=JULY)] == ["superseded"]
    answer = memory.recall(QUESTION)
    assert [(each.id, each.standing) for each in answer.open] == [(restriction, Standing.NEEDS_CHECK)]
    assert "must not drop" not in all_text(answer)


def test_it_may_be_read_in_a_later_call(memory: Memory) -> None:
    ((_, premise),) = talk(memory, PREMISE)
    ((_, restriction),) = talk(memory, "So we must not drop it.", when=JULY)
    assert links(memory, restriction) == [(Rel.DEPENDS_ON, premise)]
    note = memory.get(restriction or "").note
    assert note is not None
    assert [source.excerpt for source in note.sources] == [PREMISE, "we must not drop it."]


@pytest.mark.parametrize(
    "texts",
    [
        ("So we must not drop it.",),
        (PREMISE, "Is that all?", "So we must not drop it."),
        (PREMISE, ("person:bo", "The port of orders is 5432."), "So we must not drop it."),
        (PREMISE, ("person:bo", "So we must not drop it.")),
        (f"{PREMISE} We must not drop it.",),
        (f"{PREMISE} Is that all? So we must not drop it.",),
        (f"{PREMISE} So far we must not drop it.",),
    ],
)
def test_without_a_premise_or_with_something_in_between_there_is_no_link(
    memory: Memory, texts: tuple[str, ...]
) -> None:
    found = talk(memory, *texts)
    assert all(links(memory, note) == [] for _, note in found)
    assert all("drop" not in (memory.get(note or "").statement or "") for _, note in found)


@pytest.mark.parametrize(
    ("mark", "is_linked"),
    [
        ("So", True), ("So,", True), ("So:", True), ("Therefore", True), ("Hence", True), ("Thus", True),
        ("That is why", True), ("That's why", True), ("Which means", True), ("As a result,", True),
        ("Because of that,", True), ("And so", True), ("Also,", False),
        ("Actually,", False), ("By the way,", False), ("", False),
    ],
)  # fmt: skip
def test_the_words_that_conclude(memory: Memory, mark: str, *, is_linked: bool) -> None:
    talk(memory, f"The disk of orders is full. {mark} the mode of orders is manual.")
    (note,) = [view.id for view in memory.list("default").notes if "mode" in (view.statement or "")]
    assert bool(links(memory, note)) is is_linked


def test_so_alone_in_a_message_of_its_own_may_only_go_on(memory: Memory) -> None:
    found = talk(memory, "I moved to Berlin.", "So the port of orders is 5432.")
    assert [links(memory, note) for _, note in found] == [[], []]
    found = talk(memory, "Given the outage, the disk of orders is full.", "So the mode of orders is manual.")
    assert [bool(links(memory, note)) for _, note in found] == [False, True]  # the control: it was given as a premise


@pytest.mark.parametrize(
    "text",
    [
        "The customer_legacy column must stay because API v1 uses the customer_legacy column.",
        "We must not drop customer_legacy, because API v1 uses the customer_legacy column.",
        "Since API v1 uses the customer_legacy column, we must not drop customer_legacy.",
    ],
)
def test_a_reason_that_stands_is_a_premise(memory: Memory, text: str) -> None:
    held = memory.remember("API v1 uses the customer_legacy column.", observed_at=MAY)
    ((_, note),) = talk(memory, text)
    assert (Rel.DEPENDS_ON, held.id) in links(memory, note)
    talk(memory, ENDED, when=JULY)
    assert standing(memory, note) in {Standing.NEEDS_CHECK, Standing.STALE}


def test_a_reason_of_the_same_reading_is_a_premise_and_one_that_nobody_holds_is_none(memory: Memory) -> None:
    rule = "We must not drop customer_legacy, because API v1 uses the customer_legacy column."
    found = talk(memory, "API v1 uses the customer_legacy column.", rule)
    assert (Rel.DEPENDS_ON, found[0][1]) in links(memory, found[1][1])
    ((_, alone),) = talk(memory, "We must not drop order_old, because API v3 uses the order_old table.")
    assert links(memory, alone) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We stop because the disk is full.", ("the disk is full",)),
        ("Since the disk is full, we stop.", ("the disk is full",)),
        ("As the disk is full, we stop.", ("the disk is full",)),
        ("Ana lives in Berlin since 2019.", ()),
        ("We stop because of the disk.", ()),
        ("Ana works at Acme.", ()),
    ],
)
def test_reasons_are_read_in_their_own_words(text: str, found: tuple[str, ...]) -> None:
    assert reasons(text) == found


def test_a_conclusion_from_a_guess_is_open_from_the_start(memory: Memory) -> None:
    talk(memory, "I think API v1 uses the customer_legacy column. So we must not drop it.")
    assert said(memory.recall(QUESTION)) == []
    assert "must not" not in memory.recall(QUESTION).prompt()


def test_where_policy_asks_an_agents_conclusion_waits_for_a_person(tmp_path: Path, clock: Clock) -> None:
    clock.now = at("2026-09-01")
    rules = tmp_path / "policy.toml"
    rules.write_text('[kinds.default]\ndependencies = "person"\n', "utf-8")
    strict = upheld.open(tmp_path / "m.db", policy=rules, embedder=None, clock=clock, ids=Counter())
    found = talk(strict, PREMISE, ("agent:planner", "The disk of orders is full. So the mode of orders is manual."))
    assert [outcome for outcome, _ in found] == ["added", "added", "set_aside"]
    (review,) = strict.reviews.list()
    assert review.what is Origin.DEPENDENCY
    # The control: a person's own conclusion needs nobody.
    assert [outcome for outcome, _ in talk(strict, f"{PREMISE} So we must not drop it.", by="person:bo")][-1] == "added"


class Paraphrase:
    name = "paraphrase/1"

    def extract(self, messages: list[Kept], before: list[Kept]) -> list[Offer]:
        return [Offer(message=each.number, quote=each.text, statement=READ) for each in messages]


def test_what_an_extractor_offers_is_a_copy_too(memory: Memory) -> None:
    budget(memory)
    memory.ingest([Message(role=Role.USER, by="person:ana", at=JUNE, text=COPY)], conversation="c")
    (note,) = memory.extract("c", extractor=Paraphrase()).notes  # type: ignore[arg-type]
    assert links(memory, note) == [(Rel.DERIVED_FROM, "budget")]


def test_a_mark_is_no_part_of_the_statement() -> None:
    text = "The disk of orders is full. Therefore, orders stay on MySQL."
    said_ = Kept(
        number=1, conversation="c", scope="s", role=Role.USER, by="person:a", at=JUNE, text=text, recorded_at=JUNE
    )
    assert [each.statement for each in read(said_).proposals][-1] == "Orders stay on MySQL."
