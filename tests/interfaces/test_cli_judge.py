"""The command line about judges: a small real network is calibrated, and then judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from typer.testing import CliRunner

from test_judge_own import pair, write_model, write_tokenizer
from upheld.cli import app
from upheld.document import Finding
from upheld.judges.calibration import Calibration
from upheld.judges.own import Own

if TYPE_CHECKING:
    from typer.testing import Result

NOTE = "The cache is Redis."
SILENT, CONTRADICTED, AGREEING = 400, 60, 20
_BUILT = typer.main.get_command(app)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model, its tokenizer, and pairs whose answer is known; two silent ones look contrary."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    write_model(tmp_path / "model.onnx")
    write_tokenizer(tmp_path / "tokenizer.json")
    docs = [("N", "hello there")] * (SILENT - 2) + [("N", "maybe")] * 2
    docs += [("C", "no longer redis")] * CONTRADICTED + [("E", "still redis")] * AGREEING
    lines = [json.dumps({"note": NOTE, "doc": doc, "label": label}) + "\n" for label, doc in docs]
    (tmp_path / "pairs.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def run(*more: str) -> Result:
    command = [
        "judge",
        "calibrate",
        "model.onnx",
        "--pairs",
        "pairs.jsonl",
        "-o",
        "thresholds.json",
        "--most-false",
        "0.01",
    ]
    return CliRunner().invoke(app, [*command, *more])


def test_the_thresholds_are_kept_and_a_judge_that_has_them_judges() -> None:
    done = run("--json")
    assert done.exit_code == 0, (done.output, done.exception)
    kept = Calibration.load("thresholds.json")
    said: dict[str, Any] = json.loads(done.stdout)
    assert said == json.loads(Path("thresholds.json").read_text(encoding="utf-8"))
    assert said["false_contradicted"][:2] == [0, SILENT]
    assert said["recall"][:2] == [CONTRADICTED, CONTRADICTED]
    judge = Own.onnx("model.onnx", "tokenizer.json", calibration="thresholds.json")
    assert kept.scorer == judge.scorer
    texts = ("no longer redis", "still redis", "maybe")
    found = [verdict.finding for verdict in judge.judge([pair(text) for text in texts])]
    assert found[:2] == [Finding.CONTRADICTED, Finding.CONSISTENT]
    assert found[2] is not Finding.CONTRADICTED


def test_people_are_shown_thresholds_with_the_errors_behind_them() -> None:
    shown = run().stdout
    assert "model.onnx/" in shown
    assert "0 of 400 (0.00% to 0.95%)" in shown
    assert "60 of 60 (" in shown
    assert "where 1.4% of pairs contradict, " in shown
    assert "kept in thresholds.json" in shown


@pytest.mark.parametrize(
    ("more", "code", "says"),
    [
        (("--most-false", "0.0001"), 2, "silent pairs cannot show"),
        (("--most-false", "2"), 2, "shares"),
        (("--pairs", "absent.jsonl"), 3, "absent.jsonl"),
        (("--tokenizer", "absent.json"), 3, "absent.json"),
        (("--label", "yes", "--label", "no"), 3, "labels"),
        (("-o", "no/such/folder/x.json"), 2, "cannot write"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_calibrated_is_said_and_nothing_is_kept(more: tuple[str, ...], code: int, says: str) -> None:
    done = run(*more)
    assert done.exit_code == code, (done.output, done.exception)
    assert says in done.stderr
    assert done.stdout == ""
    assert not Path("thresholds.json").exists()
    assert run().exit_code == 0
    assert Path("thresholds.json").exists()
