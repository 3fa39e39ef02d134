"""The statebench bench: what is told comes from the timeline alone, and its figures are right to the digit."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from upheld.bench import evidence, statebench, timelines
from upheld.bench.__main__ import run as command
from upheld.bench.evidence import RowsFile
from upheld.bench.progress import Steps
from upheld.bench.timelines import State, Turn
from upheld.errors import Invalid, Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]


def at(minute: int) -> str:
    return f"2031-05-01T09:{minute:02}:00"


def turn(minute: int, text: str, speaker: str = "user") -> dict[str, Any]:
    return {"ts": at(minute), "type": "conversation_turn", "speaker": speaker, "text": text}


def wrote(key: str, value: str, supersedes: str | None = None, **more: Any) -> dict[str, Any]:
    source = {"type": "user", "identity": None, "authority": "peer"}
    return {"id": "W-AUTO", "key": key, "value": value, "source": source, "supersedes": supersedes} | more


def states(minute: int, *writes: dict[str, Any]) -> dict[str, Any]:
    kind = "supersession" if any(each["supersedes"] for each in writes) else "state_write"
    return {"ts": at(minute), "type": kind, "writes": list(writes)}


def query(minute: int, prompt: str, must: list[str], must_not: list[str]) -> dict[str, Any]:
    truth = {"must_mention": must, "must_not_mention": must_not}
    return {"ts": at(minute), "type": "query", "prompt": prompt, "ground_truth": truth}


def timeline(id: str, track: str, events: list[Any], facts: list[Any] = (), **start: Any) -> dict[str, Any]:  # type: ignore[assignment]
    return {
        "id": id,
        "track": track,
        "initial_state": {
            "identity_role": {"user_name": "Emma"},
            "persistent_facts": [{**each, "ts": at(0)} for each in facts],
            "working_set": start.get("working_set", []),
            "environment": {"now": at(0), **start.get("environment", {})},
        },
        "events": events,
    }


PLACE = timeline(
    "place",
    "supersession",
    [
        turn(2, "The meeting room is Seattle Hall."),
        states(3, wrote("meeting_place", "Seattle Hall, room 302", id="F-1")),
        query(4, "Where is the meeting place?", ["Seattle"], ["Portland"]),
        states(5, wrote("meeting_place_v2", "Portland Hall, room 1", "F-1")),
        turn(6, "The meeting room is Portland Hall.", "assistant"),
        query(7, "Where is the meeting place?", ["portland hall"], ["Room 302", "Seattle", "Denver"]),
    ],
)
REPAIR = timeline(
    "repair",
    "repair_propagation",
    [
        states(2, wrote("decision", "Approved software, $50,000 remaining of the budget")),
        states(3, wrote("budget_corrected", "$120,000 budget (it was $200,000 once)", "budget")),
        states(4, wrote("decision_corrected", "[INVALIDATED - wrong data: $200,000] Approved software", "decision")),
        query(5, "What budget is remaining?", ["$120,000"], ["$50,000 remaining", "$200,000", "$200,000 available"]),
    ],
    [wrote("budget", "$200,000 available budget", id="F-2")],
)
APART = timeline(
    "apart",
    "scope_leak",
    [query(2, "What is the launch deadline?", ["not decided"], ["March 15"])],
    [wrote("deadline", "The launch deadline is not decided")],
    working_set=[{"item_type": "context", "content": "[SCOPE: draft] The launch deadline is March 15", "ts": at(0)}],
)
RESTED = timeline(
    "rested",
    "environmental_freshness",
    [
        states(1, wrote("plan", "Deploy on Friday before the window closes", depends_on=["window"])),
        states(2, wrote("window", "The deployment window closes tomorrow")),
        query(3, "When does the deployment window close for the deploy plan?", ["tomorrow"], ["2 weeks", "Friday"]),
    ],
    environment={"window": "The deployment window closes in 2 weeks"},
)
ALL = [PLACE, REPAIR, APART, RESTED]


def write(folder: Path, name: str, listed: list[Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = (each if isinstance(each, str) else json.dumps(each) for each in listed)
    (folder / name).write_text("".join(f"{each}\n" for each in lines), "utf-8")


def measured(tmp_path: Path, listed: list[Any]) -> Rows:
    write(tmp_path / timelines.FOLDER, "some.jsonl", listed[:1])
    write(tmp_path / timelines.FOLDER, "others.jsonl", listed[1:])
    with RowsFile.create(tmp_path / "rows.jsonl", statebench.SUITE) as kept, Steps() as steps:
        statebench.run(kept, steps, tmp_path, embedder=None, given=True)
    return evidence.read(tmp_path / "rows.jsonl")


@pytest.fixture
def rows(tmp_path: Path) -> Rows:
    return measured(tmp_path, ALL)


def of(rows: Rows, phrase: str, timeline: str) -> dict[str, Any]:
    found = [row for row in rows if row["row"] == "phrase" and row["phrase"] == phrase]
    return next(row for row in reversed(found) if row["timeline"].endswith(f"/{timeline}"))


def test_a_superseded_state_is_not_delivered_and_what_replaced_it_is(rows: Rows) -> None:
    found = statebench.figures(rows)
    assert found["superseded_delivered_pct"] == 0
    assert found["plain_superseded_delivered_pct"] == 100  # the control: the text is there to be found
    assert found["must_mention_pct"] == 100
    assert found["refused"] == {}
    assert found["files"] == ["others.jsonl", "some.jsonl"]
    assert of(rows, "Room 302", "place")["delivered_by"] == []
    assert of(rows, "Room 302", "place")["plain_by"] == ["retired state"]


def test_only_what_was_said_by_then_is_exposed(rows: Rows) -> None:
    assert not of(rows, "Portland", "place")["stands_in"]  # asked for before it was said
    assert not of(rows, "Denver", "place")["stands_in"]
    assert of(rows, "Seattle", "place")["stands_in"] == ["message", "retired state"]
    found = statebench.figures(rows)
    assert found["exposed"] == 8  # 302, Seattle; $50,000, $200,000, ... available; March 15; 2 weeks, Friday
    assert found["superseded_exposed"] == 6


def test_an_invalidation_takes_the_conclusion_back_and_asks(rows: Rows) -> None:
    found = statebench.figures(rows)
    assert found["repair_propagation_exposed"] == 3
    assert found["repair_propagation_delivered"] == 0
    assert found["repair_propagation_in_what_stands"] == 1  # the correction itself says $200,000
    assert found["repair_propagation_plain"] == 3
    assert found["repair_propagation_open_pct"] == 100
    assert found["tracks"]["repair_propagation"]["residue"] == {statebench.NAMED: 1}


def test_a_correction_that_ends_the_old_value_is_told_from_one_that_says_it(tmp_path: Path, rows: Rows) -> None:
    ended = statebench.figures(rows)
    assert ended["repair_propagation_in_what_stands"] == 1  # the literal count has it: "(it was $200,000 once)"
    assert ended["repair_propagation_named_over"] == 1
    assert ended["repair_propagation_as_current"] == 0
    assert ended["repair_propagation_plain_as_current"] == 3  # the control: the retired states themselves count
    assert ended["plain_superseded_as_current_pct"] == 100
    says = deepcopy(REPAIR)
    says["events"][1]["writes"][0]["value"] = "$120,000 budget beside $200,000 of the other team"
    found = statebench.figures(measured(tmp_path / "says", [says]))
    assert found["repair_propagation_in_what_stands"] == 1
    assert found["repair_propagation_named_over"] == 0
    assert found["repair_propagation_as_current"] == 1
    assert found["superseded_as_current_pct"] == pytest.approx(33.33)
    assert found["residue"] == {statebench.REPLACED: 1}


def test_a_retired_state_counts_whatever_it_says_of_itself(rows: Rows) -> None:
    broken = deepcopy(rows)
    row = of(broken, "$200,000", "repair")
    assert row["named_over"]
    row["delivered_by"] = ["retired state", "standing state"]
    found = statebench.figures(broken)
    assert found["repair_propagation_as_current"] == found["repair_propagation_delivered"] == 1
    assert found["tracks"]["repair_propagation"]["residue"] == {statebench.BROKEN: 1}


def test_what_rests_on_a_replaced_value_is_not_delivered(rows: Rows) -> None:
    friday = of(rows, "Friday", "rested")
    assert friday["stands_in"] == ["standing state"]  # nobody superseded it; its premise fell
    assert friday["delivered_by"] == []
    assert friday["plain_by"] == ["standing state"]


def test_what_is_labelled_for_one_context_stays_there(rows: Rows) -> None:
    draft = of(rows, "March 15", "apart")
    assert draft["stands_in"] == ["standing state"]
    assert draft["delivered_by"] == []
    assert of(rows, "not decided", "apart")["delivered_by"] == ["standing state"]


def test_what_a_message_says_too_is_residue_with_its_cause(rows: Rows) -> None:
    seattle = of(rows, "Seattle", "place")
    assert seattle["in_transcript"]
    assert seattle["delivered_by"] in ([], ["message"])
    broken = deepcopy(rows)
    of(broken, "Seattle", "place")["delivered_by"] = ["message"]
    assert statebench.figures(broken)["tracks"]["supersession"]["residue"] == {statebench.RESTATED: 1}


def test_every_figure_would_show_a_leak(rows: Rows) -> None:
    broken = deepcopy(rows)
    of(broken, "$50,000 remaining", "repair")["delivered_by"] = ["retired state"]
    found = statebench.figures(broken)
    assert found["superseded_delivered_pct"] == pytest.approx(16.67)
    assert found["repair_propagation_delivered"] == 1
    assert found["residue"][statebench.BROKEN] == 1
    of(broken, "tomorrow", "rested")["delivered_by"] = []
    assert statebench.figures(broken)["must_mention_pct"] < 100


def test_the_phrases_of_a_question_change_nothing_that_is_written(tmp_path: Path, rows: Rows) -> None:
    other = deepcopy(ALL)
    for each in other:
        for event in each["events"]:
            if event["type"] == "query":
                event["ground_truth"] = {"must_mention": ["nothing"], "must_not_mention": ["whatever"]}
    again = measured(tmp_path / "again", other)
    asked = [row for row in rows if row["row"] in ("question", "told")]
    assert [row for row in again if row["row"] in ("question", "told")] == asked


def test_who_speaks_and_what_is_apart_is_read_from_the_text(tmp_path: Path) -> None:
    write(
        tmp_path, "one.jsonl", [timeline("t", "x", [turn(1, "[Ana (CFO)]: Budget is $9."), turn(2, "Ok", "assistant")])]
    )
    ana, assistant = timelines.read_all(tmp_path)[0].moments
    assert isinstance(ana, Turn)
    assert (ana.by, ana.text, ana.is_user) == ("person:Ana", "Budget is $9.", True)
    assert isinstance(assistant, Turn)
    assert assistant.by == "agent:assistant"
    fact = wrote("price", "[RESTRICTED: VP only] The floor is $30", source={"type": "policy"})
    write(tmp_path, "one.jsonl", [timeline("t", "x", [], [fact])])
    (state,) = timelines.read_all(tmp_path)[0].moments
    assert isinstance(state, State)
    assert (state.apart, state.value, state.by) == ("VP only", "The floor is $30", "document:policy")


def test_a_folder_without_timelines_and_a_bad_line_are_named(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match=r"no \*\.jsonl"):
        timelines.read_all(tmp_path)
    write(tmp_path, "bad.jsonl", [PLACE, "not json"])
    with pytest.raises(Invalid, match=r"bad\.jsonl, line 2"):
        timelines.read_all(tmp_path)
    write(tmp_path, "bad.jsonl", [{"id": "x"}])
    with pytest.raises(Invalid, match="line 1"):
        timelines.read_all(tmp_path)


def test_the_rows_give_the_same_figures_again(rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["--recompute", str(tmp_path / "rows.jsonl"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {name: printed[name] for name in statebench.figures(rows)} == statebench.figures(rows)
