"""What an answer holds: filters, limits, scopes, moments, history, the block for a model, the receipt."""

from __future__ import annotations

import json
import random
import re
import sys
import unicodedata
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import upheld
from onlooker import all_text, anew, at, said
from upheld import Band, Draft, Invalid, Key, Memory, Standing, UpheldError
from upheld.answer import OpenQuestion, Receipt, WithheldNote, quoted
from upheld.recall import estimated_tokens
from upheld.wording import load
from worlds import Clock, Counter, HashEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def words(clock: Clock, ids: Counter) -> Iterator[Memory]:
    """A store that finds by words only."""
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as memory:
        yield memory


def gates(memory: Memory, count: int, **fields: Any) -> list[str]:
    return [memory.remember(f"Gate {n} is painted blue.", extract_key=False, **fields).id for n in range(count)]


# --- filters, limits, budgets ---------------------------------------------------------------------------


def test_a_filter_lets_pass_what_it_names_and_nothing_else(store: Memory) -> None:
    store.remember("The gate was painted by Ana.", kind="decision", by="person:ana", extract_key=False)
    store.remember("The gate was painted by a robot.", kind="episode", by="tool:robot", extract_key=False)
    store.remember("The gate was painted, says the manual.", kind="decision", by="document:m", extract_key=False)
    query = "who painted the gate"
    assert len(store.recall(query).upheld) == 3
    for options, count in [
        ({"kinds": ["decision"]}, 2),
        ({"kinds": ["episode", "decision"]}, 3),
        ({"kinds": ["summary"]}, 0),
        ({"channels": ["tool"]}, 1),
        ({"channels": [upheld.Channel.PERSON, "document"]}, 2),
        ({"kinds": ["decision"], "channels": ["tool"]}, 0),
    ]:
        found = store.recall(query, **options).upheld  # type: ignore[arg-type]
        assert len(found) == count, options
        assert all(note.kind in options.get("kinds", [note.kind]) for note in found)


def test_a_filter_by_subject_and_attribute_compares_canonical_names(store: Memory) -> None:
    store.remember("It is on 1.", key=Key(subject="The Gateway", attribute="Port"), value="1")
    store.remember("It is on 2.", key=Key(subject="ledger", attribute="port"), value="2")
    assert said(store.recall("on which port is it", subject="gateway")) == ["It is on 1."]
    assert said(store.recall("on which port is it", subject="LEDGER ", attribute="PORT")) == ["It is on 2."]
    assert store.recall("on which port is it", subject="gate").upheld == ()


def test_a_replacement_outside_the_filter_is_not_slipped_in(words: Memory) -> None:
    old = words.remember("The gate was painted by Ana.", kind="decision", extract_key=False)
    words.supersede(old.id, "Repainted by Bo.", kind="episode", extract_key=False)
    answer = words.recall("who painted the gate", kinds=["decision"])
    assert answer.upheld == ()
    assert [question.id for question in answer.open] == [old.id], "unknown is not the same as no match"


@pytest.mark.parametrize("limit", [1, 3, 10, 1000])
def test_a_limit_cuts_the_end_of_the_list_and_says_how_much(store: Memory, limit: int) -> None:
    gates(store, 20)
    full = said(store.recall("gate painted", limit=1000))
    answer = store.recall("gate painted", limit=limit)
    assert said(answer) == full[:limit]
    assert answer.receipt.omitted > 0 or limit >= 20 or answer.receipt.found > limit


def test_a_budget_bounds_the_tokens_and_takes_from_the_top(store: Memory) -> None:
    gates(store, 10)
    full = store.recall("gate painted")
    for budget in (1, 20, 60, 10_000):
        answer = store.recall("gate painted", budget_tokens=budget)
        assert said(answer) == said(full)[: len(answer.upheld)]
        assert sum(estimated_tokens(text) for text in said(answer)) <= budget
        assert answer.receipt.omitted == 10 - len(answer.upheld)
    assert len(store.recall("gate painted", budget_tokens=10_000).upheld) == 10


@pytest.mark.parametrize(
    ("applies", "served"),
    [
        (None, {"anywhere", "production", "both", "eu"}),
        ({"env": "production"}, {"anywhere", "production", "both", "eu"}),
        ({"env": "staging"}, {"anywhere", "both", "eu"}),
        ({"env": "test"}, {"anywhere", "eu"}),
        ({"env": "staging", "region": "us"}, {"anywhere", "both"}),
        ({"env": ["staging", "production"]}, {"anywhere", "production", "both", "eu"}),
        ({"colour": "red"}, {"anywhere", "production", "both", "eu"}),
    ],
)
def test_a_situation_serves_what_may_apply_in_it(words: Memory, applies: Any, served: set[str]) -> None:
    rules: dict[str, dict[str, object]] = {
        "anywhere": {},
        "production": {"env": "production"},
        "both": {"env": ["production", "staging"]},
        "eu": {"region": "eu"},
    }
    for name, conditions in rules.items():
        words.remember(f"Rule {name} holds.", id=name, applies_when=conditions, extract_key=False)
    assert {note.id for note in words.recall("which rule holds", applies=applies).upheld} == served


def test_a_rule_that_may_or_may_not_apply_says_where_it_does(words: Memory) -> None:
    words.remember("Deploys need two reviews.", applies_when={"env": "production"}, extract_key=False)
    assert 'applies where "env" is "production"' in words.recall("deploys reviews").prompt()


# --- scopes ---------------------------------------------------------------------------------------------


def test_several_scopes_are_read_together_in_one_ranking(store: Memory) -> None:
    for scope in ("a", "b", "c"):
        store.remember(f"The gate of {scope} is blue.", scope=scope, extract_key=False)
    answer = store.recall("gate blue", scope=["b", "a", "b"])
    assert {note.scope for note in answer.upheld} == {"a", "b"}
    assert answer.receipt.scopes == ("b", "a")


def test_a_head_in_a_scope_that_was_not_asked_for_is_an_open_question_and_not_a_leak(store: Memory) -> None:
    old = store.remember("The gate is blue.", scope="a", extract_key=False)
    new = store.supersede(
        old.id, "The gate is crimson.", scope="secret", reason="crimson is in fashion", extract_key=False
    )
    answer = store.recall("which colour is the gate", scope="a")
    assert answer.upheld == ()
    assert [(question.id, question.standing) for question in answer.open] == [(old.id, Standing.SUPERSEDED)]
    for hidden in ("The gate is crimson", new.id, "secret"):
        assert hidden not in all_text(answer)
    both = store.recall("which colour is the gate", scope=["a", "secret"])
    assert [note.id for note in both.upheld] == [new.id], "the control"


def test_the_reason_written_in_another_scope_stays_there(store: Memory) -> None:
    old = store.remember("The gate is blue.", scope="a", extract_key=False)
    store.supersede(old.id, "Repainted.", scope="secret", reason="crimson is in fashion", extract_key=False)
    store.remember("The fence is blue.", id="fence", scope="a", extract_key=False)
    store.supersede("fence", "The fence is green.", reason="moss", extract_key=False)
    for mode in ("answer", "history"):
        answer = store.recall("which colour is the gate and the fence", scope="a", mode=mode)
        assert "fashion" not in all_text(answer)
        assert "moss" in all_text(answer), "the control: a reason of this scope"


def test_history_of_one_scope_shows_no_text_of_another(store: Memory) -> None:
    old = store.remember("The gate is blue.", scope="a", extract_key=False)
    store.supersede(old.id, "The gate is crimson.", scope="secret", extract_key=False)
    answer = store.recall("which colour is the gate", scope="a", mode="history")
    assert [view.statement for view in answer.timeline] == ["The gate is blue."]
    assert "crimson" not in all_text(answer)


def test_notes_of_other_scopes_change_no_result_of_this_one(clock: Clock) -> None:
    seen = []
    for others in (0, 200):
        with upheld.open(":memory:", embedder=HashEmbedder(), clock=clock) as memory:
            for n in range(10):
                memory.remember(f"Gate {n} is painted blue.", id=f"g{n}", scope="a", extract_key=False)
            memory.remember_many(
                [Draft(statement=f"gate painted blue {n}", scope="b", extract_key=False) for n in range(others)]
            )
            seen.append([(note.id, note.score) for note in memory.recall("blue gate 7", scope="a").upheld])
    assert seen[0] == seen[1]


# --- any query -------------------------------------------------------------------------------------------

OPERATORS = st.sampled_from(
    ['"', "*", "AND", "OR", "NOT", "NEAR(", "(", ")", ":", "^", "-", "+", "{", "}", "scope", "body", ","]
)
SCRIPTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
QUERIES = st.one_of(
    SCRIPTS,
    st.lists(st.one_of(OPERATORS, SCRIPTS, st.sampled_from(["gate", "blue", "小王", "🚀"])), max_size=12).map(" ".join),
    st.lists(OPERATORS, max_size=20).map("".join),
)

QUERIED = upheld.open(":memory:", embedder=None, clock=Clock(), ids=Counter())
for _text in ("The gate is blue.", "小王住在北京", "🚀 launch day", 'She said "NEAR(" and left.'):
    QUERIED.remember(_text, extract_key=False)


@pytest.mark.endurance(seconds=2)
@settings(max_examples=300)
@given(QUERIES)
def test_no_text_is_a_syntax_error(query: str) -> None:
    answer = QUERIED.recall(query)
    assert answer.receipt.query == query


PIECES = [
    *"\"*^:(){}[]+-,.;%_\\/|&!?<>=~@#$`'",
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(",
    "scope",
    "body",
    "scope:",
    "rank",
    " ",
    "  ",
    "\n",
    "\t",
    "gate",
    "blue",
    "小王",
    "北京",
    "🚀",
    "👨‍👩‍👧",
    "é",
    "e\u0301",
    "\u200b",
    "\u202e",
    "\ufeff",
    "\U000e0041",
    "ÅßŁİ",
    "กาแฟ",
    "القاهرة",
    "0",
    "1e9",
    "--",
    "/*",
    "\x01",
    "\x1f",
    "\x7f",
    "\x85",
    "\u2028",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U0010ffff",
]


@pytest.mark.endurance(seconds=3)
def test_five_thousand_random_queries_are_all_answered(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(5000):
        query = "".join(chance.choices(PIECES, k=chance.randrange(12)))
        assert QUERIED.recall(query).receipt.query == query
    assert said(QUERIED.recall("gate")) == ["The gate is blue."], "the control"


@settings(max_examples=200)
@given(SCRIPTS, st.sampled_from(["gate", "小王", "🚀", "launch"]))
def test_a_word_is_found_among_any_others(noise: str, word: str) -> None:
    found = " ".join(said(QUERIED.recall(f"{word} {noise} {word}", limit=4)))
    assert word in found


def test_an_empty_store_and_an_empty_scope_have_nothing_to_say(store: Memory) -> None:
    for scope in ("default", "never written"):
        answer = store.recall("gate", scope=scope)
        assert (answer.upheld, answer.open, answer.withheld, answer.path, answer.timeline) == ((), (), (), (), ())
    store.remember("The gate is blue.")
    assert store.recall("gate", scope="never written").upheld == ()
    assert len(store.recall("gate").upheld) == 1


def test_what_matches_nothing_is_not_served_for_want_of_better(words: Memory) -> None:
    gates(words, 3)
    answer = words.recall("zebra crossing")
    assert (answer.upheld, answer.receipt.found) == ((), 0)


# --- moments ------------------------------------------------------------------------------------------------


@pytest.fixture
def moved(words: Memory, clock: Clock) -> Memory:
    """One gate that was blue from March and red from June, and learned of a day later each time."""
    clock.now = at("2026-03-02T12:00")
    words.remember("The gate is blue.", id="blue", valid_from="2026-03-01", extract_key=False)
    clock.now = at("2026-06-02T12:00")
    words.supersede("blue", "The gate is red.", id="red", valid_from="2026-06-01", reason="paint", extract_key=False)
    clock.now = at("2026-09-01T12:00")
    return words


@pytest.mark.parametrize(
    ("moments", "served"),
    [
        ({}, "red"),
        ({"known_at": "2026-03-01"}, None),
        ({"known_at": "2026-03-02"}, "blue"),
        ({"known_at": "2026-03-02T11:59:59.999999+00:00"}, None),
        ({"known_at": "2026-03-02T12:00:00Z"}, "blue"),
        ({"known_at": datetime(2026, 6, 2, 11, 59, tzinfo=UTC)}, "blue"),
        ({"known_at": "2026-06-02"}, "red"),
        ({"known_at": "2026-06-02T14:00:00+02:00"}, "red"),
        ({"known_at": "2026-06-02T13:59:59+02:00"}, "blue"),
        ({"known_at": 0}, None),
        ({"known_at": 1}, "blue"),
        ({"known_at": 3}, "red"),
        ({"known_at": 10**9}, "red"),
        ({"valid_at": "2026-02-28"}, None),
        ({"valid_at": "2026-03-01"}, "blue"),
        ({"valid_at": "2026-05-31"}, "blue"),
        ({"valid_at": "2026-06-01"}, "red"),
        ({"valid_at": datetime(2026, 5, 31, 23, 59, 59, 999999, tzinfo=UTC)}, "blue"),
        ({"valid_at": "2026-06-01T00:00:00Z"}, "red"),
        ({"valid_at": "2026-07-01", "known_at": "2026-05-01"}, "blue"),
        ({"valid_at": "2026-04-01", "known_at": "2026-08-01"}, "blue"),
    ],
)
def test_what_was_true_and_what_was_known_are_asked_for_by_time_date_or_position(
    moved: Memory, moments: dict[str, Any], served: str | None
) -> None:
    assert [note.id for note in moved.recall("gate", **moments).upheld] == ([served] if served else [])
    for id in ("blue", "red"):
        try:
            standing = moved.get(id, **moments).standing
        except upheld.NotFound:
            standing = None
        assert (standing is Standing.IN_FORCE) is (id == served)
    assert [view.id for view in moved.list("default", **moments).notes] == ([served] if served else [])


def test_a_past_answer_never_changes_whatever_is_written_later(moved: Memory, clock: Clock) -> None:
    asked = {"known_at": "2026-05-01", "valid_at": "2026-05-01"}
    before = moved.recall("gate", mode="history", **asked)  # type: ignore[arg-type]
    moved.retract("red", reason="it was a dream")
    moved.remember("The gate is green.", valid_from="2026-04-01")
    moved.remember("It rests on the gate.", depends_on="blue")
    clock.move(days=400)
    assert moved.recall("gate", mode="history", **asked) == before  # type: ignore[arg-type]


def test_asking_for_now_is_asking_without_a_moment(moved: Memory, clock: Clock) -> None:
    now = moved.recall("gate")
    explicit = moved.recall("gate", valid_at=clock(), known_at=clock())
    assert explicit == now


# --- history, path, explain -----------------------------------------------------------------------------------


def test_history_shows_all_in_order_each_with_a_fact(moved: Memory) -> None:
    moved.remember("The gate is haunted.", id="ghost", extract_key=False)
    moved.retract("ghost", reason="a joke")
    answer = moved.recall("gate", mode="history")
    assert [(view.id, view.statement, view.label) for view in answer.timeline] == [
        ("blue", "The gate is blue.", "replaced by red on 1 June 2026"),
        ("red", "The gate is red.", "in force"),
        ("ghost", "The gate is haunted.", "retracted on 1 September 2026"),
    ]
    assert answer.timeline[2].reason == "a joke"
    plain = moved.recall("gate")
    assert plain.timeline == ()
    assert [note.id for note in plain.upheld] == [note.id for note in answer.upheld]


def test_the_path_is_there_only_where_something_was_replaced(moved: Memory) -> None:
    moved.remember("The fence is white.", id="fence", extract_key=False)
    answer = moved.recall("gate")
    assert [(step.id, step.standing, step.reason, step.statement) for step in answer.path] == [
        ("blue", Standing.SUPERSEDED, None, None),
        ("red", Standing.IN_FORCE, "paint", "The gate is red."),
    ]
    assert moved.recall("fence").path == ()


def test_explain_says_for_each_note_how_it_came_to_its_place(store: Memory) -> None:
    old = store.remember("The gate of the north yard is painted blue.", extract_key=False)
    new = store.supersede(old.id, "Crimson.", extract_key=False)
    other = store.remember("The yard is swept.", extract_key=False)
    found = {note.id: note.explanation for note in store.recall("gate of the north yard", explain=True).upheld}
    assert "of a note it replaced" in str(found[new.id])
    assert re.search(r"rank \d+ by words", str(found[other.id]))
    assert re.search(r"rank \d+ by meaning", str(found[other.id]))
    assert all(note.explanation is None for note in store.recall("gate").upheld)


def test_explain_is_a_tree_from_a_standing_down_to_its_cause(words: Memory) -> None:
    words.remember("Blue.", id="a", extract_key=False)
    words.remember("It matches the fence.", id="rests", depends_on="a", extract_key=False)
    words.supersede("a", "Red.", id="b", extract_key=False)
    tree = words.explain("rests")
    assert (tree.view.standing, tree.view.statement) == (Standing.NEEDS_CHECK, None)
    (ground,) = tree.because
    assert (ground.role, ground.view.id, ground.view.standing, ground.view.statement) == (
        "rests on",
        "a",
        Standing.SUPERSEDED,
        None,
    )
    (cause,) = ground.because
    assert (cause.role, cause.view.id, cause.view.statement) == ("replaced by", "b", "Red.")
    shown = words.explain("rests", mode="history")
    assert (shown.view.statement, shown.because[0].view.statement) == ("It matches the fence.", "Blue.")


# --- open questions ----------------------------------------------------------------------------------------------


def test_a_chain_that_ends_in_nothing_is_an_open_question_without_the_old_text(words: Memory, clock: Clock) -> None:
    old = words.remember("The gate code is 1111.", id="old", extract_key=False)
    words.supersede(old.id, "The gate code is 2222.", id="new", expires_at="2026-02-01", extract_key=False)
    clock.now = at("2026-03-01")
    answer = words.recall("gate code")
    assert answer.upheld == ()
    assert {question.id for question in answer.open} >= {"new"}
    assert not {"1111", "2222"} & set(re.findall(r"\d{4}", answer.prompt()))
    assert "not known" in answer.open[0].question
    assert words.recall("zebra").open == (), "no match is no open question"
    assert [view.statement for view in words.recall("gate code", mode="history").timeline] == [
        "The gate code is 1111.",
        "The gate code is 2222.",
    ]


def test_an_open_question_names_what_to_check_first(words: Memory) -> None:
    words.remember("The bridge holds.", id="ground", extract_key=False)
    words.remember("Trucks may cross.", id="rests", depends_on="ground", extract_key=False)
    words.retract("ground", reason="cracks")
    (question,) = (each for each in words.recall("may trucks cross").open if each.id == "rests")
    assert question.standing is Standing.NEEDS_CHECK
    assert question.by == ("ground",)
    assert "ground" in question.check
    assert "Trucks" not in f"{question.question} {question.check}"


# --- prompt ----------------------------------------------------------------------------------------------------------

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200)
FENCES = st.sampled_from(
    [
        "</memory>",
        "<memory>",
        "```",
        "\n",
        "\r",
        "\u2028",
        '"',
        "\\",
        "'",
        "<!--",
        "]]>",
        "{{",
        "<|im_end|>",
        "\x1b[2J",
        "&lt;",
    ]
)
HOSTILE_TEXTS = st.lists(st.one_of(FENCES, TEXTS), min_size=1, max_size=8).map("".join)


@pytest.mark.endurance(seconds=2)
@settings(max_examples=500)
@given(HOSTILE_TEXTS)
def test_a_quoted_text_is_one_line_of_json_that_gives_the_text_back(text: str) -> None:
    line = quoted(text)
    assert json.loads(line) == text
    assert len(line.splitlines()) == 1
    assert not set("<>&`") & set(line)


VISIBLE_SIGNS = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Arabic, Syriac and Kaithi signs that are drawn, though Unicode counts them among the format characters."""


def test_no_character_that_a_reader_cannot_see_is_put_before_a_model_as_it_is() -> None:
    unseen = [
        chr(point)
        for point in range(sys.maxunicode + 1)
        if unicodedata.category(chr(point)) in {"Cc", "Cf", "Zl", "Zp"} and point not in VISIBLE_SIGNS
    ]
    assert len(unseen) > 200
    assert [hex(ord(c)) for c in unseen if c in quoted(f"a{c}b")] == []
    assert all(json.loads(quoted(f"a{c}b")) == f"a{c}b" for c in unseen)


@settings(max_examples=60)
@given(HOSTILE_TEXTS)
def test_no_statement_can_end_the_block_or_add_a_line_to_it(text: str) -> None:
    with upheld.open(":memory:", embedder=None, clock=Clock(), ids=Counter()) as memory:
        statement = f"marker {text}"
        memory.remember(statement, extract_key=False, certainty="reported")
        lines = memory.recall("marker").prompt().split("\n")
    assert len(lines) == 4
    assert lines[0].startswith("<memory note=")
    assert lines[2:] == ["</memory>", load().say("block.ordering_rule")]
    assert json.loads(lines[1].removeprefix("- [n1] ")) == statement


def test_the_block_states_the_ordering_rule_once_and_counts_what_was_kept_back(moved: Memory) -> None:
    block = moved.recall("gate").prompt()
    assert block.count(load().say("block.ordering_rule")) == 1
    assert "the document wins" in block
    assert "Kept back: 1 superseded." in block
    assert "The gate is blue." not in block
    assert '"The gate is red."' in block


def test_uncertain_notes_say_so_with_their_source_and_sure_ones_do_not(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock) as memory:
        fields: dict[str, Any] = {"by": "person:ana", "observed_at": "2025-12-24", "extract_key": False}
        for name, confidence in (("sure", 0.9), ("hedged", 0.6), ("doubtful", 0.3), ("lost", 0.1)):
            memory.remember(f"The {name} gate is blue.", id=name, confidence=confidence, **fields)
        answer = memory.recall("gate blue")
    assert {note.id: note.band for note in answer.upheld} == {
        "sure": Band.ASSERT,
        "hedged": Band.HEDGE,
        "doubtful": Band.ASK,
    }
    lines = {line.split("[")[1].split("]")[0]: line for line in answer.prompt().split("\n") if line.startswith("- [")}
    assert "24 December 2025" not in lines["sure"]
    assert "from ana on 24 December 2025" in lines["hedged"]
    assert "from ana on 24 December 2025" in lines["doubtful"]
    assert "ask before" in lines["doubtful"]
    assert "lost" not in lines
    assert [(note.id, note.standing) for note in answer.withheld] == [("lost", Standing.DEMOTED)]


def test_an_attribution_never_passes_the_day_of_writing_off_as_the_day_of_the_event(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock) as memory:
        memory.remember("The gate is blue.", confidence=0.6)
        (note,) = memory.recall("gate").upheld
    assert "1 January 2026" in note.attribution
    assert "its own date is unknown" in note.attribution


# --- receipt, determinism ---------------------------------------------------------------------------------------------


def test_the_receipt_accounts_for_what_was_found(moved: Memory, clock: Clock) -> None:
    moved.remember("The gate is perhaps haunted.", id="ghost", certainty="hypothesis")
    answer = moved.recall("gate", mode="answer", limit=5)
    receipt = answer.receipt
    assert isinstance(receipt, Receipt)
    assert (receipt.query, receipt.scopes, receipt.mode) == ("gate", ("default",), "answer")
    assert receipt.valid_at == clock()
    assert receipt.known_at == 4
    assert receipt.served == ("red",)
    assert dict(receipt.withheld) == {"blue": Standing.SUPERSEDED, "ghost": Standing.PROPOSED}
    assert receipt.opened == ()
    assert receipt.found == 3
    assert receipt.omitted == 0


def test_a_search_by_words_alone_says_so_and_one_by_meaning_does_not(clock: Clock) -> None:
    with upheld.open(":memory:", embedder=None, clock=clock) as memory:
        assert memory.recall("gate").receipt.degraded == ("no embedder: found by words only",)
    with upheld.open(":memory:", embedder=HashEmbedder(), clock=clock) as memory:
        assert memory.recall("gate").receipt.degraded == ()


def test_a_query_may_come_embedded(store: Memory) -> None:
    gates(store, 5)
    vector = HashEmbedder().embed(["painted blue gate 3"])[0]
    by_text = store.recall("painted blue gate 3")
    for given_ in (vector, list(map(float, vector)), vector * 7):
        assert said(store.recall("painted blue gate 3", vector=given_)) == said(by_text)


def test_an_answer_is_the_same_every_time_and_in_another_process(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=HashEmbedder(), clock=clock, ids=Counter()) as memory:
        gates(memory, 30)
        memory.supersede("n3", "Gate 3 was taken down.")
        first = memory.recall("which blue gate was taken down", explain=True)
        assert memory.recall("which blue gate was taken down", explain=True) == first
        block = first.prompt()
    query = "which blue gate was taken down"
    answered, rendered = anew(
        path, "2026-01-01", ("recall", [query], {"explain": True}), ("prompt", [query], {}), embedder="words"
    )
    assert [(note["id"], note["score"], note["explanation"]) for note in answered["upheld"]] == [
        (note.id, note.score, note.explanation) for note in first.upheld
    ]
    assert rendered == block


def test_an_answer_does_not_depend_on_what_was_asked_before_it(tmp_path: Path, clock: Clock) -> None:
    """The searchable image is kept between questions: cold, warm and caught up, it gives one answer."""
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=HashEmbedder(), clock=clock, ids=Counter()) as warm:
        for n in range(20):
            warm.remember(f"Gate {n} is painted blue.", expires_at="2026-02-01" if n % 3 else None, extract_key=False)
            warm.recall("blue gate")
            if n % 4 == 3:
                warm.supersede(
                    f"n{2 * n - n // 4 - 2}" if n < 4 else warm.list("default").notes[2].id, f"Replaced {n}."
                )
            if n % 7 == 6:
                warm.retract(warm.list("default").notes[0].id)
        for day in ("2026-01-15", "2026-03-01", "2026-01-20"):
            clock.now = at(day)
            caught_up = warm.recall("blue gate replaced", limit=50)
            with upheld.open(path, embedder=HashEmbedder(), clock=clock) as cold:
                assert cold.recall("blue gate replaced", limit=50) == caught_up


def test_adding_dead_notes_changes_no_live_result(store: Memory) -> None:
    gates(store, 10)
    before = [(note.id, note.score) for note in store.recall("blue gate 4").upheld]
    for n in range(60):
        store.remember(f"blue gate 4 {n}", expires_at="2025-01-01", extract_key=False)
    answer = store.recall("blue gate 4")
    assert [(note.id, note.score) for note in answer.upheld] == before
    assert answer.withheld, "the control: the dead were met"


WORDS = "red blue green fox whale tree stone river north south gate key lamp hill moon".split()


def a_text(chance: random.Random) -> str:
    return " ".join(chance.choice(WORDS) for _ in range(chance.randint(2, 6)))


def a_tangle(memory: Memory, chance: random.Random) -> None:
    """Notes that share their words: a third of them replace another, some are retracted."""
    ids: list[str] = []
    for _ in range(chance.choice([30, 80, 150])):
        with suppress(UpheldError):
            roll = chance.random()
            if ids and roll < 0.35:
                ids.append(memory.supersede(chance.choice(ids), a_text(chance), extract_key=False).id)
            elif ids and roll < 0.42:
                memory.retract(chance.choice(ids))
            else:
                ids.append(memory.remember(a_text(chance), extract_key=False).id)


def test_fallen_notes_that_nothing_links_change_no_answer(seed: int) -> None:
    replacing, withheld = 0, 0
    for number in range(12):
        chance = random.Random(f"{seed} fallen {number}")
        embedder = HashEmbedder() if number % 3 else None
        with upheld.open(":memory:", embedder=embedder, clock=Clock(), ids=Counter()) as memory:
            a_tangle(memory, chance)
            asked = [(a_text(chance), chance.choice([1, 3, 10, 20])) for _ in range(10)]
            before = [memory.recall(text, limit=limit) for text, limit in asked]
            for n in range(chance.choice([10, 40, 200])):
                alike = f"{chance.choice(asked)[0]} {chance.choice(WORDS)} number{n}"
                memory.remember(alike, expires_at="2025-01-01", extract_key=False)
            for (text, limit), was in zip(asked, before, strict=True):
                now = memory.recall(text, limit=limit)
                assert [note.id for note in now.upheld] == [note.id for note in was.upheld], (number, text, limit)
                replacing += any(note.replaces for note in now.upheld)
                withheld += any(note.standing is Standing.EXPIRED for note in now.withheld)
            live = memory.remember(f"{asked[0][0]} now", extract_key=False)
            found = memory.recall(f"{asked[0][0]} now", limit=20)
            assert live.id in [note.id for note in found.upheld], "the control: what holds is found in the crowd"
    assert replacing > 40, "the control: notes took the place of others"
    assert withheld > 40, "the control: the fallen were met"


@pytest.mark.parametrize("embedding", [True, False], ids=["by meaning", "by words"])
@pytest.mark.parametrize("dead", [0, 10, 150])
def test_a_replacement_is_found_by_the_words_of_what_it_replaced_whatever_else_fell(
    clock: Clock, dead: int, *, embedding: bool
) -> None:
    embedder = HashEmbedder() if embedding else None
    with upheld.open(":memory:", embedder=embedder, clock=clock) as memory:
        old = memory.remember("orders stores its data in mongo", extract_key=False)
        new = memory.supersede(old.id, "we moved to postgres", extract_key=False)
        alike = [f"orders stores its data in place {n}" for n in range(dead)]
        memory.remember_many([Draft(statement=text, expires_at=at("2025-01-01"), extract_key=False) for text in alike])
        living = [f"orders pays invoice {n} of its data" for n in range(150)]
        memory.remember_many([Draft(statement=text, extract_key=False) for text in living])
        answer = memory.recall("where orders stores its data")
        assert answer.upheld[0].id == new.id
        assert answer.upheld[0].replaces == (old.id,)
        expired = [note for note in answer.withheld if note.standing is Standing.EXPIRED]
        assert bool(expired) is bool(dead), "the control: the dead were met"


@pytest.mark.parametrize("embedding", [True, False], ids=["by meaning", "by words"])
@pytest.mark.parametrize("living", [5, 25])
def test_what_fell_is_told_of_where_it_would_be_found_if_it_stood(
    clock: Clock, living: int, *, embedding: bool
) -> None:
    embedder = HashEmbedder() if embedding else None
    with upheld.open(":memory:", embedder=embedder, clock=clock) as memory:
        for n in range(living):
            memory.remember(f"quorum rule{n}", extract_key=False)
        near = memory.remember("quorum", extract_key=False)
        far = memory.remember("quorum is one word of a long sentence on how the council votes", extract_key=False)
        for note in (near, far):
            memory.retract(note.id)
        told = [note.id for note in memory.recall("quorum", limit=1000).withheld]
        assert sorted(told) == sorted([near.id, far.id]), "the control: of a thousand it would be one"
        told = [note.id for note in memory.recall("quorum").withheld]
        assert near.id in told
        assert (far.id in told) is (living < 20), "twenty that hold fit better"
        shown = [note.id for note in memory.recall("quorum", mode="history").withheld]
        assert sorted(shown) == sorted([near.id, far.id]), "history shows it whatever fits better"


def test_the_three_lists_never_share_an_id_and_only_upheld_carries_text(moved: Memory) -> None:
    moved.remember("The gate is perhaps haunted.")
    moved.remember("The gate rests on sand.", depends_on="blue", extract_key=False)
    answer = moved.recall("gate")
    upheld_ids = {note.id for note in answer.upheld}
    assert upheld_ids.isdisjoint(note.id for note in answer.withheld)
    assert upheld_ids.isdisjoint(question.id for question in answer.open)
    assert all(note.statement is None for note in answer.withheld)
    assert {type(each) for each in answer.withheld} == {WithheldNote}
    assert {type(each) for each in answer.open} <= {OpenQuestion}


def test_a_mode_is_one_of_two(words: Memory) -> None:
    mode: Any = "raw"
    with pytest.raises(Invalid):
        words.recall("gate", mode=mode)
    assert words.recall("gate", mode="history").receipt.mode == "history"
