"""The transitions bench: figures right to the digit, faults that are faults, the same cases of the same data."""

from __future__ import annotations

import json
import tarfile
from collections import Counter
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import pytest

from upheld.bench import seeded, transitions, updates
from upheld.bench.evidence import RowsFile, read
from upheld.bench.progress import Steps
from upheld.bench.seeded import CONTROL, CORRUPTION, INVENTION, OMISSION
from upheld.bench.updates import HELD_OUT, TUNED, Update
from upheld.errors import Misconfigured
from upheld.transition import problems

DATA = Path(__file__).parents[2] / "shared" / "data"
PLACES = {"AI Writer": "harbour", "Baker": "railway", "Coder": "mountain", "Doctor": "pottery"}


def session(
    persona: str, number: int, kind: str, operation: str, details: dict[str, Any], *said: str
) -> dict[str, Any]:
    turns = [
        {"turn": at, "speaker": "user_agent", "message": text, "share_memory": True} for at, text in enumerate(said)
    ]
    small_talk = {"turn": 90, "speaker": "user_agent", "message": "How are you?", "share_memory": False}
    return {
        "session_id": number,
        "session_type": kind,
        "operation": operation,
        "operation_details": details,
        "date": "2025-06-01",
        "persona": persona,
        "conversation": [small_talk, *turns],
    }


def of_memora(folder: Path) -> None:
    """Four personas with the same three sessions: a thing bought, a task, and that the task is over."""
    sessions = []
    for persona, place in PLACES.items():
        spent = {"item": {"expense_type": "coffee", "amount": 3.66, "created_at": "2025-06-01"}}
        task = {"item": {"task_type": "work", "description": f"Visit {place} museum", "created_at": "2025-06-01"}}
        lost = {"item": {"task_type": "work", "description": "Call the harbour master", "created_at": "2025-06-01"}}
        over = f'I no longer need to track "Visit {place} museum".'
        sessions += [
            session(persona, 1, "activity", "add", spent, "I just spent $3.66 on a coffee."),
            session(persona, 2, "activity", "add", task, f"I need to visit the {place} museum."),
            session(persona, 3, "activity", "delete", task, over),
            session(persona, 4, "activity", "add", lost, "Nothing to tell today."),
        ]
    folder.mkdir()
    with tarfile.open(folder / "weekly.tar.gz", "w:gz") as packed:
        for each in sessions:
            raw = json.dumps(each).encode()
            info = tarfile.TarInfo(f"data/{each['persona']}/session_{each['session_id']:04d}.json")
            info.size = len(raw)
            packed.addfile(info, BytesIO(raw))


def of_statebench(folder: Path) -> None:
    """In both files a date that moves, and a write that comes before the turn that says it."""
    folder.mkdir()

    def turn(text: str) -> dict[str, Any]:
        return {"ts": "2025-06-01T09:00:00", "type": "conversation_turn", "speaker": "user", "text": text}

    def write(kind: str, key: str, value: str, supersedes: str | None = None) -> dict[str, Any]:
        made = {"layer": "persistent_facts", "key": key, "value": value, "supersedes": supersedes}
        return {"ts": "2025-06-01T09:00:00", "type": kind, "writes": [made]}

    for name in ("train", "dev"):
        events = [
            turn("The launch date is Friday March 13th."),
            write("state_write", "launch_date", "The launch date is Friday March 13th"),
            turn("Actually, the launch date moved to Monday March 16th."),
            write("supersession", "launch_date_v2", "The launch date moved to Monday March 16th", "launch_date"),
            write("state_write", "room", "Meeting in Room 302"),
            turn("Meeting in Room 302."),
        ]
        timeline = {"id": f"T-{name}", "initial_state": {"persistent_facts": []}, "events": events}
        (folder / f"{name}.jsonl").write_text(json.dumps(timeline) + "\n", encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    of_memora(tmp_path / "memora")
    of_statebench(tmp_path / "statebench")
    return tmp_path


def all_updates(data: Path) -> tuple[list[Update], Counter[str]]:
    left_out: Counter[str] = Counter()
    found = [*updates.from_memora(data / "memora", left_out), *updates.from_statebench(data / "statebench", left_out)]
    return found, left_out


def cases_of(data: Path) -> list[tuple[Update, seeded.Case]]:
    found, _ = all_updates(data)
    return [
        (update, case)
        for update in found
        for case in seeded.cases(update, [other for other in found if other.id != update.id], Random(1))
    ]


def ran(data: Path, path: Path, **fields: Any) -> list[dict[str, Any]]:
    with RowsFile.create(path, transitions.SUITE) as rows, Steps() as steps:
        transitions.run(rows, steps, data, **fields)
    return read(path)


def test_updates_are_what_the_sets_say(data: Path) -> None:
    found, left_out = all_updates(data)
    by_id = {update.id: update for update in found}
    spent = by_id["weekly/AI Writer/1"]
    assert [draft.statement for draft in spent.drafts] == ["I spent $3.66 on coffee."]
    assert [ground.text for ground in spent.said] == ["I just spent $3.66 on a coffee."]
    over = by_id["weekly/AI Writer/3"]
    assert [note.statement for note in over.before if note.id in over.retires] == ["To do: Visit harbour museum."]
    assert over.drafts == ()
    moved = by_id["train/T-train/3"]
    assert [note.statement for note in moved.before if note.id in moved.drafts[0].supersedes] == [
        "The launch date is Friday March 13th"
    ]
    assert left_out["memora: records that no message says"] == len(PLACES)
    assert left_out["statebench: writes before the turn that says them"] == 2
    assert "weekly/AI Writer/4" not in by_id


def test_the_split_is_by_persona_and_by_file(data: Path) -> None:
    found, _ = all_updates(data)
    assert {update.id.partition("/")[2].partition("/")[0] for update in found if update.part == TUNED} == {
        "AI Writer", "Baker", "T-train",
    }  # fmt: skip
    assert {update.part for update in found} == {TUNED, HELD_OUT}


def test_what_was_never_read_is_a_part_of_what_is_held_out(data: Path, tmp_path: Path) -> None:
    rows = ran(data, tmp_path / "rows.jsonl")
    unread = [
        row
        for row in rows
        if row["row"] == "case" and row["part"] == HELD_OUT and transitions.never_read(row["source"], row["update"])
    ]
    found = transitions.figures(rows)
    assert 0 < found["never_read"]["controls"] < found["held_out"]["controls"]
    assert found["never_read"]["controls"] == sum(row["fault"] == CONTROL for row in unread)
    assert found["never_read"]["false_alarm_pct"] == 0
    next(row for row in unread if row["fault"] == CONTROL)["kinds"] = ["coverage"]
    assert transitions.figures(rows)["never_read"]["false_alarm_pct"] > 0
    # A persona or a timeline is read whole, or not at all.
    assert len({transitions.never_read("memora", f"{period}/Coder/{at}") for period in "ab" for at in range(9)}) == 1


def test_correct_updates_pass_and_each_fault_is_another_transition(data: Path) -> None:
    listed = cases_of(data)
    for update, case in listed:
        if case.fault == CONTROL:
            assert problems(case.transition) == (), (case.way, case.changed)
        else:
            assert case.transition != seeded.as_is(update)
    assert {case.fault for _, case in listed} == {CONTROL, OMISSION, CORRUPTION, INVENTION}
    assert {case.way for _, case in listed} >= {
        "as it is", "doubt kept", "a write left out", "an end left out", "number", "date", "value", "denied",
        "assurance added", "doubt lost", "another note removed", "another note replaced", "another note changed",
        "another's statement", "a rule of all", "a statement", "a value",
    }  # fmt: skip


def test_seeded_faults_are_caught(data: Path) -> None:
    missed = [
        (case.way, case.changed)
        for _, case in cases_of(data)
        if case.fault != CONTROL and not problems(case.transition)
    ]
    assert missed == []


def test_the_same_cases_of_the_same_data(data: Path, tmp_path: Path) -> None:
    first, second = ran(data, tmp_path / "one.jsonl"), ran(data, tmp_path / "two.jsonl")
    assert first[1:] == second[1:]
    other = ran(data, tmp_path / "three.jsonl", seed=7)
    assert first[2:] != other[2:]


def test_figures_come_from_the_rows_alone(data: Path, tmp_path: Path) -> None:
    rows = ran(data, tmp_path / "rows.jsonl")
    found = transitions.figures(rows)
    cases = [row for row in rows if row["row"] == "case"]
    assert found["n"] == sum(row["fault"] != CONTROL for row in cases)
    assert found["controls"] == sum(row["fault"] == CONTROL for row in cases)
    seeds = [row for row in cases if row["fault"] != CONTROL]
    assert found["caught_pct"] == round(100 * sum(bool(row["kinds"]) for row in seeds) / len(seeds), 2)
    assert found["false_alarm_pct"] == 0.0
    assert [found[f"{fault}_caught_pct"] for fault in (OMISSION, INVENTION)] == [100.0, 100.0]
    # Two rows turned round by hand: the figures follow.
    control = next(row for row in cases if row["fault"] == CONTROL)
    omission = next(row for row in cases if row["fault"] == OMISSION)
    control["kinds"], omission["kinds"] = ["coverage"], []
    changed = transitions.figures(rows)
    assert changed["false_alarm_pct"] == round(100 / found["controls"], 2)
    assert changed["omission_caught_pct"] == round(100 * (1 - 1 / found["omission_n"]), 2)
    assert changed["corruption_caught_pct"] == found["corruption_caught_pct"]
    assert omission["update"] in [row["update"] for row in changed["missed"] if row["fault"] == OMISSION]
    assert [row["update"] for row in changed["false_alarms"]] == [control["update"]]


def test_without_either_set_there_is_nothing_to_measure(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured):
        ran(tmp_path, tmp_path / "rows.jsonl")


@pytest.mark.skipif(not (DATA / "statebench").is_dir(), reason="the data sets are not here")
def test_a_part_of_the_real_set_meets_the_bars(tmp_path: Path) -> None:
    folder = tmp_path / "statebench"
    folder.mkdir()
    lines = (DATA / "statebench" / "train.jsonl").read_text(encoding="utf-8").splitlines()[::12]
    (folder / "train.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = transitions.figures(ran(tmp_path, tmp_path / "rows.jsonl"))
    assert found["controls"] > 50
    assert min(found[f"{fault}_caught_pct"] for fault in (OMISSION, CORRUPTION, INVENTION)) >= 95
    assert found["false_alarm_pct"] < 2
