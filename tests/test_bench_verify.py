"""The benches of verification: what was learned, what moved, what it cost to find out, and what that left wrong."""

from __future__ import annotations

import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from upheld import bench
from upheld.bench import evidence, snapshots, verify_cost, windows, world_moved
from upheld.bench.__main__ import run as command
from upheld.bench.evidence import RowsFile
from upheld.bench.moved_store import Record
from upheld.bench.progress import Steps
from upheld.errors import Invalid, Misconfigured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

Rows = list[dict[str, Any]]

TEAMS, FIRMS, MOVED = 40, 60, 24
COACH, BOSS = "Who is the head coach of the team {subject} currently?", "Who is the chair of {subject} currently?"


def answer(subject: str, template: str, values: list[str], relation: str, item: str = "") -> dict[str, Any]:
    return {
        "question": template.replace("{subject}", subject),
        "subject": {"subject": item or f"Q{subject}", "subLabel": subject},
        "text answers": values,
        "answer annotations": [{"ID": f"Q{value}", "Label": value} for value in values],
        "relations": [relation],
        "template": template,
    }


def coach(number: int, *values: str) -> dict[str, Any]:
    return answer(f"Rovers {number}", COACH, list(values), "P286")


def boss(number: int, *values: str) -> dict[str, Any]:
    return answer(f"Holdings {number}", BOSS, list(values), "P488")


def write(folder: Path, date: str, asked: Sequence[Mapping[str, Any]]) -> None:
    path = folder / date / "PAT-singlehop.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({each["question"]: each for each in asked}), encoding="utf-8")
    (path.parent / "PAT-multihop.json").write_text("{}", encoding="utf-8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Coaches, of whom most were replaced; chairs, of whom three were. Two chairs share a place at both dates."""
    folder = tmp_path_factory.mktemp("data") / "pat_questions"
    then = [coach(n, f"Coach{n}") for n in range(TEAMS)] + [boss(n, f"Chair{n}") for n in range(3, FIRMS)]
    now = [coach(n, f"Follower{n}" if n < MOVED else f"Coach{n}") for n in range(TEAMS)]
    now += [boss(n, f"Successor{n}" if n < 6 else f"Chair{n}") for n in range(3, FIRMS)]
    then += [boss(0, "Ann", "Bo"), boss(1, "Ann", "Bo"), boss(2, "Gone")]
    now += [boss(0, "bo", "Ann", "Bo"), boss(1, "Ann"), boss(900, "New")]
    write(folder, "Dec2021", then)
    write(folder, "Dec2022", [boss(0, "Somebody")])
    write(folder, "Dec2023", now)
    return folder


@pytest.fixture(scope="module")
def kept(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    with RowsFile.create(path, world_moved.SUITE) as rows, Steps() as steps:
        world_moved.run(rows, steps, data, seeds=4, sample=24)
    return path


@pytest.fixture(scope="module")
def rows(kept: Path) -> Rows:
    return evidence.read(kept)


N, CHANGED = TEAMS + FIRMS - 1, MOVED + 3 + 1


# --- snapshots -----------------------------------------------------------------------------------


def test_the_earliest_was_learned_and_the_latest_is_the_world(data: Path) -> None:
    moved = snapshots.read(data)
    assert (f"{moved.learned_at:%Y-%m-%d}", f"{moved.asked_at:%Y-%m-%d}") == ("2021-12-31", "2023-12-31")
    assert (len(moved.questions), sum(each.changed for each in moved.questions)) == (N, CHANGED)
    assert moved.left_out == {"only at the first date": 1, "only at the last date": 1}
    by_subject = {each.subject: each for each in moved.questions}
    first = by_subject["Rovers 0"]
    assert (first.attribute, first.kind, first.then, first.now) == (
        "head coach of the team", "p286", "Coach0", "Follower0",
    )  # fmt: skip


def test_several_answers_are_compared_as_sets(data: Path) -> None:
    by_subject = {each.subject: each for each in snapshots.read(data).questions}
    assert (by_subject["Holdings 0"].then, by_subject["Holdings 0"].now) == ("Ann; Bo", "Ann; Bo")
    assert not by_subject["Holdings 0"].changed
    assert by_subject["Holdings 1"].changed, "the control: a member is missing"


def test_any_later_snapshot_under_any_dated_name_is_the_world(data: Path, tmp_path: Path) -> None:
    write(tmp_path, "answers_2021-12-31", [coach(n, "A") for n in range(3)])
    write(tmp_path, "Dec2022", [coach(n, "B") for n in range(3)])
    (tmp_path / "wiki-march-2025.json").write_text(json.dumps([coach(n, "C") for n in range(3)]), encoding="utf-8")
    (tmp_path / "README.md").write_text("2031", encoding="utf-8")
    moved = snapshots.read(tmp_path)
    assert f"{moved.asked_at:%Y-%m-%d}" == "2025-03-31"
    assert {(each.then, each.now) for each in moved.questions} == {("A", "C")}


@pytest.mark.parametrize("dates", [(), ("Dec2021",), ("Dec2021", "2021-12"), ("first", "second")])
def test_two_snapshots_of_different_dates_are_needed(tmp_path: Path, dates: tuple[str, ...]) -> None:
    for date in dates:
        write(tmp_path, date, [coach(1, "A")])
    with pytest.raises(Misconfigured, match="two snapshots"):
        snapshots.read(tmp_path)


def test_a_snapshot_that_is_no_json_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "Dec2021", [coach(1, "A")])
    write(tmp_path, "Dec2023", [coach(1, "A")])
    assert snapshots.read(tmp_path).questions, "the control"
    (tmp_path / "Dec2023" / "PAT-singlehop.json").write_text("{", encoding="utf-8")
    with pytest.raises(Invalid, match="no JSON"):
        snapshots.read(tmp_path)


def test_what_cannot_be_a_note_is_left_out_and_counted(tmp_path: Path) -> None:
    whole, silent, nameless = coach(1, "A"), coach(2), coach(3, "A")
    long = coach(4, *(f"{n:0100}" for n in range(9)))
    nameless["subject"] = {}
    for date in ("Dec2021", "Dec2023"):
        write(tmp_path, date, [whole, silent, nameless, long])
    moved = snapshots.read(tmp_path)
    assert [each.subject for each in moved.questions] == ["Rovers 1"]
    assert moved.left_out == {
        "without an answer at one of the dates": 1, "without a subject or a template": 1, "too long for a value": 1,
    }  # fmt: skip


def test_namesakes_have_a_key_each(tmp_path: Path) -> None:
    one, other = coach(1, "A"), answer("rovers 1", COACH, ["B"], "P286", item="Q77")
    for date in ("Dec2021", "Dec2023"):
        write(tmp_path, date, [one, other])
    assert {each.subject for each in snapshots.read(tmp_path).questions} == {"Rovers 1", "rovers 1 (Q77)"}


def test_the_same_things_under_other_names_are_counted(tmp_path: Path) -> None:
    renamed = coach(1, "Old name")
    renamed["answer annotations"] = [{"ID": "Q5", "Label": "Old name"}]
    again = deepcopy(renamed)
    again["text answers"] = ["New name"]
    write(tmp_path, "Dec2021", [renamed, coach(2, "A")])
    write(tmp_path, "Dec2023", [again, coach(2, "B")])
    assert {each.subject: each.relabelled for each in snapshots.read(tmp_path).questions} == {
        "Rovers 1": True, "Rovers 2": False,
    }  # fmt: skip


# --- windows -------------------------------------------------------------------------------------

SPAN = 1_000_000


def expected(window: float, moving: float) -> tuple[float, float]:
    """The calls a note and the chance that it is wrong, by the formulas in the head of `windows`."""
    gap = SPAN / (windows.ASKS - 1)
    length = window + gap
    if window >= windows.NEVER:
        return 0.0, moving
    late = (length - gap) ** 2 / (2 * length) if window <= SPAN else SPAN - (SPAN**2 / 2 + SPAN * gap) / length
    return (SPAN + gap) / length, moving * late / SPAN


@pytest.mark.parametrize("window", [1, 30_000, 200_000, SPAN, 5 * SPAN, windows.NEVER])
def test_the_simulation_gives_what_the_formulas_say(window: int) -> None:
    number = 40_000
    drawn = windows.draw(np.random.default_rng(3), [True] * number, SPAN)
    calls, right_at = windows.simulate(drawn, np.full(number, window))
    wanted_calls, wanted_wrong = expected(window, 1.0)
    assert calls.mean() == pytest.approx(wanted_calls, rel=0.02, abs=0.002)
    assert drawn.chance_of_wrong(right_at).mean() == pytest.approx(wanted_wrong, abs=0.006)
    assert drawn.is_wrong(right_at).mean() == pytest.approx(wanted_wrong, abs=0.012)


def test_what_did_not_change_is_never_wrong() -> None:
    drawn = windows.draw(np.random.default_rng(3), [False, True] * 500, SPAN)
    calls, right_at = windows.simulate(drawn, np.full(1000, windows.NEVER))
    assert not calls.any()
    assert drawn.is_wrong(right_at).tolist() == [False, True] * 500
    assert drawn.chance_of_wrong(right_at).tolist() == [0.0, 1.0] * 500


SHARES = {"fast": 0.2, "middle": 0.5, "slow": 0.3}
MOVING = {"fast": 0.6, "middle": 0.15, "slow": 0.03}


def costs(lengths: Mapping[str, float]) -> tuple[float, float]:
    each = {kind: expected(lengths[kind], MOVING[kind]) for kind in SHARES}
    return (
        sum(SHARES[kind] * calls for kind, (calls, _) in each.items()),
        sum(SHARES[kind] * wrong for kind, (_, wrong) in each.items()),
    )


@pytest.mark.parametrize("calls", [0.1, 0.2, 0.5, 1.0, 3.0, 10.0, 23.0])
def test_no_other_windows_of_the_same_cost_leave_less_wrong(calls: float) -> None:
    spent, wrong = costs(windows.class_aware(calls, SPAN, SHARES, MOVING))
    assert spent == pytest.approx(calls, rel=1e-4)
    grid = [1, *np.geomspace(1000, 20 * SPAN, 28), windows.NEVER]
    others = [costs(dict(zip(SHARES, found, strict=True))) for found in product(grid, repeat=3)]
    affordable = [found for cost, found in others if cost <= calls]
    assert len(affordable) > 100
    assert wrong <= min(affordable) + 1e-9
    alike = costs(dict.fromkeys(SHARES, windows.uniform(calls, SPAN)))
    assert alike[0] == pytest.approx(calls, rel=1e-4)
    assert wrong < alike[1] or calls == 23.0


def test_where_nothing_tells_classes_apart_their_windows_are_one() -> None:
    for moving in (0.0, 0.3):
        found = windows.class_aware(2.0, SPAN, SHARES, dict.fromkeys(SHARES, moving))
        assert set(found.values()) == {windows.uniform(2.0, SPAN)}
    assert len(set(windows.class_aware(2.0, SPAN, SHARES, MOVING).values())) == 3, "the control"


# --- world-moved ---------------------------------------------------------------------------------


def test_without_a_verifier_what_moved_is_asserted_and_with_one_nothing_is_wrong(rows: Rows) -> None:
    found = world_moved.figures(rows)
    assert found["n"] == N
    assert found["wrong_pct_no_verifier"] == round(100 * CHANGED / N, 2)
    assert found["wrong_asserted_pct_full_verification"] == 0.0
    assert found["asserted_pct_full_verification"] == found["asserted_pct_no_verifier"] == 100.0
    assert (found["full_verification_calls_per_note"], found["full_verification_most_calls"]) == (1.0, 1)


def test_a_value_that_is_wrong_after_verification_would_be_counted(rows: Rows) -> None:
    changed = deepcopy(rows)
    row = next(row for row in changed if row["row"] == "served" and row["end"] == world_moved.FULL)
    row["values"] = ["Nobody", row["values"][1]]
    assert world_moved.figures(changed)["wrong_asserted_pct_full_verification"] == round(50 / N, 2)


def test_a_record_that_did_not_move_leaves_the_store_wrong(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hold(self: Record, question: snapshots.Question, _: datetime) -> None:
        self._held[question.subject] = (question.then, question.now, datetime(2999, 1, 1, tzinfo=UTC))

    monkeypatch.setattr(Record, "hold", hold)
    with RowsFile.create(tmp_path / "rows.jsonl", world_moved.SUITE) as kept, Steps() as steps:
        world_moved.run(kept, steps, data, seeds=1, sample=24)
    found = world_moved.figures(kept.rows)
    assert found["wrong_asserted_pct_full_verification"] == found["wrong_pct_no_verifier"] > 0
    assert found["store_differs_from_simulation"] > 0


def test_while_the_owner_is_down_nothing_is_asserted(rows: Rows) -> None:
    found = world_moved.figures(rows)
    assert (found["owner_down_n"], found["owner_down_hedged_pct"], found["owner_down_most_calls"]) == (24, 100.0, 1)
    assert found["owner_down_wrong_asserted_pct"] == 0.0


def test_the_curve_goes_from_what_moved_to_nothing(rows: Rows) -> None:
    found = world_moved.figures(rows)
    curve = found["curve"]
    assert set(curve) == {"none", "uniform", "class_aware"}
    (alone,) = curve["none"]
    for policy in ("uniform", "class_aware"):
        first, last = curve[policy][0], curve[policy][-1]
        assert first == alone
        assert last["wrong_pct"] == 0
        assert last["calls_per_note"] == pytest.approx(windows.ASKS, rel=0.1)
        calls = [point["calls_per_note"] for point in curve[policy]]
        assert calls == sorted(calls)
        assert len(calls) == len(world_moved.CALLS)


def test_knowing_what_moves_fast_is_worth_more_than_not_knowing(rows: Rows) -> None:
    found = world_moved.figures(rows)
    assert found["gain_pct_points_at_quarter_call"] > 2
    assert found["gain_pct_points_at_quarter_call"] > found["gain_pct_points_at_quarter_call_shuffled"]
    assert found["gain_pct_points_at_1_call"] > 1
    low, high = found["gain_pct_points_at_quarter_call_interval"]
    assert 0 < low <= found["gain_pct_points_at_quarter_call"] <= high


def test_rates_are_learned_from_subjects_that_are_not_tried(data: Path, tmp_path: Path) -> None:
    def rates(tried: bool) -> dict[str, float]:
        """The rates of seed 0, where all answers of one half have changed."""
        asked = [deepcopy(each) for each in (coach(n, "A") for n in range(60))]
        later = deepcopy(asked)
        for each in later:
            if world_moved.is_tried(0, each["subject"]["subLabel"]) is tried:
                each["text answers"] = ["B"]
        for date, listed in (("Dec2021", asked), ("Dec2023", later)):
            write(tmp_path, date, listed)
        with RowsFile.create(tmp_path / "rows.jsonl", world_moved.SUITE) as kept, Steps() as steps:
            world_moved.run(kept, steps, tmp_path, seeds=1, sample=1)
        (split,) = evidence.of_kind(kept.rows, "split")
        assert split["learned"] + split["tried"] == 60
        assert min(split["learned"], split["tried"]) > 15
        return dict(split["rates"])

    assert set(rates(tried=True).values()) == {0.0}
    assert set(rates(tried=False).values()) == {1.0}, "the control"


def test_the_store_does_what_the_simulation_says(rows: Rows) -> None:
    found = world_moved.figures(rows)
    assert found["store_n"] == 24
    assert found["store_recalls"] > 24 * 15
    assert found["store_calls_per_note"] == found["simulated_calls_per_note"] > 0
    assert found["store_differs_from_simulation"] == 0
    changed = deepcopy(rows)
    next(row for row in changed if row["row"] == "tried")["calls"] += 1
    assert world_moved.figures(changed)["store_differs_from_simulation"] == 1, "the control"


def test_too_few_subjects_are_refused(tmp_path: Path) -> None:
    for date in ("Dec2021", "Dec2023"):
        write(tmp_path, date, [coach(n, "A") for n in range(19)])
    with (
        RowsFile.create(tmp_path / "rows.jsonl", world_moved.SUITE) as kept,
        Steps() as steps,
        pytest.raises(Misconfigured, match="fewer than 20 subjects"),
    ):
        world_moved.run(kept, steps, tmp_path)


def test_the_figures_come_again_from_the_file_alone(kept: Path, rows: Rows, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["--recompute", str(kept), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    found = json.loads(json.dumps(world_moved.figures(rows)))
    assert {name: printed[name] for name in found} == found
    assert command(["--recompute", str(kept)]) == 0
    assert "gain_pct_points_at_1_call" in capsys.readouterr().out


def point(seed: int, policy: str, calls: int, wrong: float) -> dict[str, Any]:
    return {
        "row": "point",
        "seed": seed,
        "policy": policy,
        "budget": calls / 10,
        "n": 10,
        "calls": calls,
        "wrong": wrong,
    }


def test_gains_are_taken_at_equal_calls(rows: Rows) -> None:
    """Class-aware points lie at other calls than uniform ones; the straight lines between them meet at one call."""
    made = [row for row in rows if row["row"] != "point"]
    for seed, wrong in ((0, 2.0), (1, 1.0)):
        made += [point(seed, "uniform", calls, 4 - calls / 10) for calls in (0, 10, 40)]
        made += [point(seed, "class_aware", 0, 4), point(seed, "class_aware", 20, wrong)]
        made += [point(seed, "shuffled", calls, 4 - calls / 10) for calls in (0, 10, 40)]
    found = world_moved.figures(made)
    assert found["gain_pct_points_at_1_call"] == 2.5  # uniform 30 %; class-aware 30 % and 25 %
    assert found["gain_pct_points_at_1_call_interval"] == [0.0, 5.0]
    assert found["gain_pct_of_uniform_at_1_call"] == 8.3
    assert found["gain_pct_points_at_1_call_shuffled"] == 0.0
    assert found["curve"]["class_aware"][-1] == {"calls_per_note": 2.0, "wrong_pct": 15.0}


# --- verify-cost ---------------------------------------------------------------------------------


def conversed(path: Path, **sizes: int) -> Rows:
    with RowsFile.create(path, verify_cost.SUITE) as kept, Steps() as steps:
        verify_cost.run(kept, steps, **sizes)
    return evidence.read(path)


def test_a_conversation_costs_one_call_whether_the_owner_answers_or_not(tmp_path: Path) -> None:
    found = verify_cost.figures(conversed(tmp_path / "rows.jsonl", conversations=2, turns=5, others=30))
    assert (found["turns"], found["conversations"]) == (5, 2)
    assert (found["calls"], found["calls_fewest"]) == (1, 1)
    assert (found["owner_down_calls"], found["owner_down_calls_fewest"]) == (1, 1)
    assert (found["asserted_turns_pct"], found["owner_down_asserted_turns_pct"]) == (100.0, 0.0)
    assert found["owner_down_open_turns_pct"] == 100.0


def test_turns_further_apart_than_the_window_cost_a_call_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify_cost, "TURN", timedelta(seconds=61))
    found = verify_cost.figures(conversed(tmp_path / "rows.jsonl", conversations=2, turns=5, others=5))
    assert (found["calls"], found["calls_fewest"], found["owner_down_calls"]) == (5, 5, 5)


def turn(number: int, ms: float, plain_ms: float, *, owner: str = "up", calls: int = 1) -> dict[str, Any]:
    return {"row": "turn", "owner": owner, "conversation": 0, "turn": number, "calls": calls, "served": "assert",
            "ms": ms, "cpu_ms": ms / 2, "plain_ms": plain_ms, "plain_cpu_ms": plain_ms / 2}  # fmt: skip


def test_what_is_added_is_the_median_difference_of_the_turns_after_the_first() -> None:
    up = [turn(1, 30, 1), turn(2, 2.0, 1.0), turn(3, 9.0, 8.5), turn(4, 1.25, 1.5)]
    found = verify_cost.figures([*up, turn(1, 30, 1, owner="down"), turn(2, 3, 1, owner="down", calls=2)])
    assert found["first_turn_ms"] == 30
    assert (found["ms_per_turn_after_first"], found["plain_ms_per_turn"]) == (2.0, 1.5)
    assert (found["added_ms_per_turn"], found["added_cpu_ms_per_turn"]) == (0.5, 0.25)
    assert (found["calls"], found["owner_down_calls"], found["owner_down_added_ms_per_turn"]) == (1, 2, 2)


def test_both_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["list"]) == 0
    listed = capsys.readouterr().out
    assert {world_moved.SUITE, verify_cost.SUITE} <= {line.split()[0] for line in listed.splitlines()}
    assert bench.SUITES[world_moved.SUITE].needs_data
    assert command([world_moved.SUITE]) == 2
