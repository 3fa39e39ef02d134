"""The command line about consolidation: what is shown of a change before it is made, and what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from typer.testing import CliRunner

import upheld
from upheld.aside import Quote, Sentence, Work
from upheld.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

_BUILT = typer.main.get_command(app)
PROPOSAL = {
    "id", "operation", "scope", "transform", "coverage", "inputs", "generation", "drafts", "replaces", "problems",
    "rejected", "review", "left_out", "moved", "known_at", "by", "at",
}  # fmt: skip
PUMP, VALVE = "The pump is in hall 4.", "The valve is checked on Mondays. It leaked once."


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    for name, text in (("pump", PUMP), ("valve", VALVE)):
        ok("remember", text, "--id", name, "--scope", "plant", "--no-key")
    return tmp_path / "store.db"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["--words-only", *arguments])


def ok(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return str(done.stdout)


def as_json(*arguments: str) -> Any:
    return json.loads(ok(*arguments, "--json"))


def as_lines(*arguments: str) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json").splitlines()]


def test_a_summary_is_shown_as_a_change_and_written_only_when_it_is_published() -> None:
    done = run("consolidate", "--scope", "plant")
    assert done.exit_code == 0
    assert "a summary of 2 notes" in done.stdout
    assert f"+ {PUMP} {VALVE}" in done.stdout
    assert "in plant · of all of it · by compress/extractive-1 · generation 1" in done.stdout
    assert f"valve  {VALVE}" in done.stdout, "each sentence with the words that it stands on"
    [staged] = as_lines("consolidate", "list")
    assert set(staged) == PROPOSAL
    assert (staged["inputs"], staged["transform"]) == (["pump", "valve"], "compress/extractive-1")
    assert f"upheld consolidate publish {staged['id']}" in done.stderr
    assert "summary" not in ok("list", "--scope", "plant", "--json")
    [written] = as_lines("consolidate", "publish", staged["id"])
    assert (written["outcome"], written["replaces"]) == ("added", [])
    assert "summary" in ok("list", "--scope", "plant", "--json"), "the control"
    assert "Nothing is staged." in ok("consolidate", "list")


def test_what_would_fall_stands_above_what_would_come() -> None:
    [written] = as_lines("consolidate", "publish", as_json("consolidate", "--scope", "plant")["id"])
    ok("remember", "Hall 4 has a crane.", "--scope", "plant", "--no-key")
    shown = ok("consolidate", "--scope", "plant")
    assert shown.index(f"- {PUMP} {VALVE}  {written['id']}") < shown.index("+ The pump")
    ok("supersede", "pump", "The pump is in hall 5.", "--no-key")
    stale = ok("consolidate", "--note", written["id"])
    assert "- a summary that is stale" in stale
    assert "hall 4. The valve" not in stale


def test_a_range_kinds_and_a_subject_narrow_what_is_covered() -> None:
    first = as_json("consolidate", "--scope", "plant", "--from", "2020-01-01", "--to", "2999-01-01")
    assert first["coverage"] == "range/recorded/2020-01-01T00:00:00+00:00/2999-01-01T23:59:59.999999+00:00"
    assert "recorded 2020-01-01" in ok("consolidate", "list")
    event = as_json("consolidate", "--scope", "plant", "--time", "event")
    assert event["coverage"] == "range/event/../.."
    none = run("consolidate", "--scope", "plant", "--kind", "decision")
    assert (none.exit_code, "nothing to consolidate" in none.stderr) == (1, True)
    assert run("consolidate", "--scope", "plant", "--subject", "Ana").exit_code == 1
    assert run("consolidate", "--scope", "plant", "--from", "soon").exit_code == 2
    assert run("consolidate").exit_code == 2


def test_what_fails_its_check_is_shown_with_the_reason_and_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    class Inventive:
        name = "inventive-1"

        def write(self, work: Work) -> list[Sentence]:
            return [Sentence(text="The pump is in hall 7.", quotes=(Quote(note="pump", text=PUMP),))]

    monkeypatch.setattr("upheld.cli.consolidating._writer", lambda _: Inventive())
    done = run("consolidate", "--scope", "plant")
    assert done.exit_code == 1
    assert "not staged" in done.stdout
    assert "? The pump is in hall 7." in done.stdout
    assert "wrong  sentence 1" in done.stdout
    assert "publish" not in done.stderr
    assert "upheld review accept" in done.stderr
    told = run("consolidate", "--scope", "plant", "--json")
    assert told.exit_code == 1
    assert json.loads(told.stdout)["id"] is None


def test_moved_notes_stop_it_and_are_named() -> None:
    made = as_json("consolidate", "--note", "pump", "--note", "valve")
    ok("retract", "pump")
    shown = ok("consolidate", "list")
    assert "pump moved since" in shown
    assert PUMP not in shown
    done = run("consolidate", "publish", made["id"], "--json")
    assert done.exit_code == 1
    assert json.loads(done.stderr)["error"]["current"] == ["pump"]
    assert as_json("consolidate", "discard", made["id"]) == {"discarded": made["id"]}
    assert run("consolidate", "discard", made["id"]).exit_code == 1


def test_what_is_discarded_is_said_to_people() -> None:
    made = as_json("consolidate", "--scope", "plant")
    assert "is discarded; nothing was written" in ok("consolidate", "discard", made["id"])
    assert as_lines("consolidate", "list") == []


def test_guesses_are_proposed_and_say_how_sure_they_are(store: Path) -> None:
    with upheld.open(store, embedder=None) as memory:
        for day in (1, 2, 3):
            memory.remember(
                f"On day {day} Ana ordered tea.",
                scope="ana",
                kind="episode",
                key=upheld.Key(subject="Ana", attribute="drink"),
                value="tea",
                valid_from=f"2025-12-0{day}",
            )
    shown = ok("consolidate", "--scope", "ana", "--infer")
    assert "1 guess of 3 notes" in shown
    assert "+ The usual drink of Ana is tea.  hypothesis 0.30" in shown
    [staged] = as_lines("consolidate", "list")
    [written] = as_lines("consolidate", "publish", staged["id"])
    assert written["outcome"] == "proposed"
    again = ok("consolidate", "--scope", "ana", "--infer")
    assert "There is nothing to propose." in again
    assert f"left out  {written['id']}: it says this already" in again


def test_answers_that_would_have_been_stale_are_counted() -> None:
    assert "No answers were counted." in ok("consolidate", "staleness")
    ok("consolidate", "publish", as_json("consolidate", "--scope", "plant")["id"])
    ok("recall", "pump", "--scope", "plant")
    ok("retract", "pump")
    ok("recall", "pump valve", "--scope", "plant")
    found = as_json("consolidate", "staleness", "--days", "7")
    assert (found["answers"], found["stale"], found["share"]) == (2, 1, 0.5)
    assert "50.0%" in ok("consolidate", "staleness")
    assert run("consolidate", "staleness", "--days", "0").exit_code == 2


def test_a_model_that_is_none_is_named() -> None:
    done = run("consolidate", "--scope", "plant", "--llm", "nameless")
    assert (done.exit_code, "nameless" in done.stderr) == (3, True)
