"""The cascade bench: what has to fall is told from the data, and its figures are right to the digit."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest

from upheld import bench
from upheld.bench import cascade, deep, evidence, hops
from upheld.bench.__main__ import run as command
from upheld.bench.evidence import RowsFile
from upheld.bench.progress import Steps
from upheld.errors import Invalid, Misconfigured

if TYPE_CHECKING:
    from pathlib import Path

Rows = list[dict[str, Any]]
FEW = deep.Amounts(depth=12, shared=15, runs=1)


def asked(who: str, between: list[str], answers: list[str], *, previous: bool = False) -> dict[str, Any]:
    how = "previous" if previous else "current"
    template = f"Who founded the {how} employer of {{subject}}?"
    return {
        "question": template.replace("{subject}", who),
        "subject": {"subject": f"Q{who}", "subLabel": who},
        "text answers": answers,
        "intermediate entities": [{"ID": f"Q{name}", "Label": name} for name in between],
        "relations": ["P108", "P112"],
        "template": template,
    }


THEN = [
    asked("Ada", ["Acme"], ["Ann"]),
    asked("Bo", ["Acme"], ["Ann"]),
    asked("Bo", ["Umbrella"], ["Uli"], previous=True),
    asked("Cleo", ["Binary"], ["Ben", "Bea"]),
    asked("Dov", ["Cobalt"], ["Cid"]),
    asked("Ines", ["Delta"], ["Dee"]),
    asked("Gone", ["Delta"], ["Dee"]),
    asked("Mute", ["Delta"], []),
]
NOW = [
    asked("Ada", ["Acme"], ["Ann"]),  # as it was
    asked("Bo", ["Binary"], ["Bea", "Ben"]),  # works elsewhere
    asked("Bo", ["Umbrella"], ["ULI"], previous=True),  # the same name, spelled otherwise
    asked("Cleo", ["Binary"], ["Bea", "Ben"]),  # the same set in another order
    asked("Dov", ["Cobalt"], ["Carla"]),  # the second step moved
    asked("Ines", ["Other"], ["Dee"]),  # the answer is the same, the reason is not
    asked("Mute", ["Delta"], ["Dee"]),
]


def write(folder: Path, name: str, listed: list[dict[str, Any]]) -> None:
    inside = folder / hops.FOLDER / name
    inside.mkdir(parents=True)
    (inside / "PAT-multihop.json").write_text(json.dumps({each["question"]: each for each in listed}), "utf-8")
    (inside / "PAT-singlehop.json").write_text("{}", "utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    write(tmp_path, "Mar2030", THEN)
    write(tmp_path, "2031-07", [asked("Ada", ["Zeta"], ["Zoe"])])  # lies between, is not read
    write(tmp_path, "snapshot-2032-01", NOW)
    return tmp_path


@pytest.fixture
def rows(data: Path, tmp_path: Path) -> Rows:
    with RowsFile.create(tmp_path / "rows.jsonl", cascade.SUITE) as kept, Steps() as steps:
        cascade.run(kept, steps, data, amounts=FEW)
    return evidence.read(tmp_path / "rows.jsonl")


def test_what_rests_on_a_changed_premise_falls_and_nothing_else(rows: Rows) -> None:
    found = cascade.figures(rows)
    assert (found["answers"], found["answers_changed"]) == (6, 3)  # Bo (current), Dov, Ines
    assert (found["summaries"], found["summaries_changed"]) == (5, 3)
    assert (found["n"], found["n_changed"]) == (11, 6)
    assert found["marked_pct"] == 100
    assert found["false_stale_pct"] == 0
    assert found["hops_max"] == 2  # the summary of an answer
    assert found["fallen_served_pct"] == 0
    assert found["not_in_force_before"] == 0
    assert set(found["marked_pct_by_link"].values()) == {100}
    assert found["premises_changed"] == 3
    assert found["last_outcomes"]["superseded"] == 3


def test_the_controls_show_that_fallen_text_was_there_to_be_served(rows: Rows) -> None:
    found = cascade.figures(rows)
    assert found["served_before_pct"] == found["standing_served_pct"] == 100
    assert found["plain_served_fallen_pct"] == 100


def test_a_depth_and_a_width_are_timed_to_the_last_note(rows: Rows) -> None:
    found = cascade.figures(rows)
    assert found["depth_12_all_fell"] is found["shared_15_all_fell"] is True
    falls = [row for row in rows if row["row"] == "fall"]
    assert {(row["shape"], row["how"]) for row in falls} == {
        (shape, how) for shape in (deep.CHAIN, deep.SHARED) for how in (deep.SUPERSEDED, deep.RETRACTED)
    }
    assert [row["served_before"] for row in falls] == [12, 12, 15, 15]
    assert found["depth_12_ms"] == min(row["ms"] for row in falls if row["shape"] == deep.CHAIN)


def test_every_figure_would_show_a_fault(rows: Rows) -> None:
    broken = deepcopy(rows)
    by_id = {row["id"]: row for row in broken if row["row"] == "conclusion"}
    bo = next(row for row in by_id.values() if row["question"].endswith("current employer of Bo?"))
    ada = next(row for row in by_id.values() if row["question"].endswith("employer of Ada?"))
    bo["after"] |= {"standing": "in_force", "served": True}
    ada["after"] |= {"standing": "stale"}
    next(row for row in broken if row["row"] == "fall")["fallen"] -= 1
    found = cascade.figures(broken)
    assert found["marked_pct"] == pytest.approx(83.33)
    assert found["false_stale_pct"] == 20
    assert found["fallen_served_pct"] == pytest.approx(16.67)
    assert found["not_marked"] == [bo["id"]]
    assert found["falsely_fallen"] == [ada["id"]]
    assert found["depth_12_all_fell"] is False


def test_what_is_left_out_is_counted(data: Path) -> None:
    learned = hops.read(data / hops.FOLDER)
    assert len(learned.conclusions) == 6
    assert sorted(learned.left_out.values()) == [1, 1]
    assert (f"{learned.learned_at:%Y-%m-%d}", f"{learned.asked_at:%Y-%m-%d}") == ("2030-03-31", "2032-01-31")


def test_a_key_that_means_several_things_in_one_snapshot_is_kept_apart_by_its_question(tmp_path: Path) -> None:
    told = [asked("Ada", ["Acme"], ["Ann"]), asked("Bo", ["Acme"], ["Other"])]
    write(tmp_path, "Mar2030", told)
    write(tmp_path, "Mar2031", told)
    ada, bo = hops.read(tmp_path / hops.FOLDER).conclusions
    assert ada.premises[1].key != bo.premises[1].key
    assert ada.premises == ada.premises_now


def test_without_two_snapshots_it_says_what_is_missing(tmp_path: Path) -> None:
    write(tmp_path, "Mar2030", THEN)
    with pytest.raises(Misconfigured, match=r"two snapshots or more.*Mar2030"):
        hops.read(tmp_path / hops.FOLDER)
    with pytest.raises(Misconfigured, match="there is no folder"):
        hops.read(tmp_path / "nowhere")
    write(tmp_path, "Mar2031", THEN)
    (tmp_path / hops.FOLDER / "Mar2031" / "PAT-multihop.json").write_text("not json", "utf-8")
    with pytest.raises(Invalid, match="is no JSON"):
        hops.read(tmp_path / hops.FOLDER)


def test_the_command_prints_the_same_figures_from_the_rows(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cascade.run, "__kwdefaults__", {"amounts": FEW})
    kept = tmp_path / "kept.jsonl"
    assert bench.main(cascade.SUITE, data, rows=kept, long=False, as_json=True) == 0
    first = json.loads(capsys.readouterr().out)
    assert command(["--recompute", str(kept), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert first["marked_pct"] == 100
