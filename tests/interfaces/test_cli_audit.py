"""The command line about audits: what is drawn, asked, answered, reported, drawn as a picture and suggested."""

from __future__ import annotations

import json
import tomllib
import xml.etree.ElementTree as ET
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from typer.testing import CliRunner

import upheld
from upheld.auditing import Audits
from upheld.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

_BUILT = typer.main.get_command(app)
POLICY = '[sweep]\nfew = 3\n\n[kinds.preference]\nhalf_life = "10y"\n'
REPORT = {"audits", "tolerance", "kinds", "held_back"}
KIND = {
    "kind", "right", "wrong", "open", "rate", "best", "worst", "needed", "half_life", "present", "suggested",
    "tolerated", "dropped",
}  # fmt: skip


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the store is, and a policy beside it that trusts preferences for far too long."""
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("UPHELD_POLICY", "policy.toml")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
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


def remember(*names: str, kind: str = "preference") -> None:
    for name in names:
        ok("remember", f"{name} likes tea.", "--kind", kind, "--id", name.lower())


@pytest.fixture
def answered(store: Path) -> None:
    """An audit of sixty notes, all answered: those of the older half are wrong."""
    now = datetime.now(UTC)
    with upheld.open(store, policy="policy.toml", embedder=None) as memory:
        for n in range(60):
            seen = now - timedelta(days=10 * n + 1)
            memory.remember(f"Person {n} likes tea.", kind="preference", id=f"p{n}", observed_at=seen)
        memory.audits.run(sample=60, seed=3)
        for n in range(60):
            memory.audits.answer(1, f"p{n}", n >= 30)


# --- audit ---------------------------------------------------------------------------------------


def test_an_audit_says_what_it_drew_and_what_waits() -> None:
    remember("Ana", "Ben", "Cleo")
    ok("remember", "We use Kafka.", "--kind", "decision")
    found = as_json("audit", "--kind", "preference", "--sample", "2", "--seed", "9", "--by", "person:ana")
    assert set(found) == REPORT
    [begun], [kind] = found["audits"], found["kinds"]
    assert (begun["number"], begun["by"], begun["seed"]) == (1, "person:ana", 9)
    assert set(kind) == KIND
    assert (kind["kind"], kind["open"], kind["needed"], kind["half_life"]) == ("preference", 2, 30, None)
    first = {each["note"] for each in as_lines("audit", "questions")}
    as_json("audit", "run", "--kind", "preference", "--sample", "2", "--seed", "9")
    assert {each["note"] for each in as_lines("audit", "questions", "2")} == first
    assert len(as_lines("audit", "questions")) == 4


def test_people_see_the_seed_the_rates_and_where_to_go_on() -> None:
    remember("Ana", "Ben")
    done = run("audit", "--seed", "9")
    assert done.exit_code == 0
    assert "audit 1, " in done.stdout
    assert "seed 9" in done.stdout
    assert "30 more answers needed" in done.stdout
    assert "2 notes to ask a person about: upheld audit questions" in done.stderr
    assert "2 notes to ask" not in done.stdout


def test_without_a_seed_each_audit_draws_anew() -> None:
    remember("Ana")
    assert as_json("audit")["audits"][0]["seed"] != as_json("audit")["audits"][0]["seed"]


def test_a_store_without_notes_is_audited_without_a_fault() -> None:
    ok("remember", "We use Kafka.", "--id", "kafka")
    ok("retract", "kafka")
    assert as_json("audit") == {"audits": [], "tolerance": 0.1, "kinds": [], "held_back": []}
    assert "No audit has drawn a note." in ok("audit")
    assert "Nothing waits for a person." in ok("audit", "questions")


def test_scopes_are_named_whole() -> None:
    ok("remember", "Ana likes tea.", "--scope", "here", "--id", "ana")
    ok("remember", "Ben likes tea.", "--scope", "there", "--id", "ben")
    ok("audit", "--scope", "here")
    assert [each["note"] for each in as_lines("audit", "questions")] == ["ana"]


# --- questions and answers -----------------------------------------------------------------------


def test_questions_show_the_note_and_how_to_answer() -> None:
    remember("Ana")
    ok("audit", "--seed", "1")
    shown = ok("audit", "questions")
    assert "Ana likes tea." in shown
    assert "preference note in default" in shown
    assert "upheld audit answer 1 ana right|wrong" in shown
    [asked] = as_lines("audit", "questions")
    assert set(asked) == {"audit", "note", "scope", "kind", "statement", "standing", "age_days", "asked_at"}
    assert (asked["audit"], asked["note"], asked["standing"]) == (1, "ana", "in_force")
    assert 0 <= asked["age_days"] < 1


def test_answers_take_effect_and_are_given_once() -> None:
    remember("Ana", "Ben")
    ok("remember", "The port of the orders database is 5432.", "--id", "port", "--kind", "attribute")
    ok("audit")
    assert as_json("audit", "answer", "1", "ana", "right")["standing"] == "in_force"
    assert as_json("audit", "answer", "1", "ben", "wrong", "--by", "person:ana")["standing"] == "disputed"
    assert as_json("audit", "answer", "1", "port", "wrong", "--value", "6432")["standing"] == "superseded"
    assert "6432" in ok("recall", "what is the port of the orders database?")
    assert "Ben likes tea." not in ok("recall", "what does Ben like?")
    again = run("audit", "answer", "1", "ben", "right", "--json")
    assert again.exit_code == 1
    assert json.loads(again.stderr)["error"]["code"] == "conflict"
    assert as_lines("audit", "questions") == []
    rates = {kind["kind"]: kind["rate"][:2] for kind in as_json("audit", "report")["kinds"]}
    assert rates == {"attribute": [1, 1], "preference": [1, 2]}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("answer", "9", "ana", "right"), 1),
        (("answer", "1", "nobody", "right"), 1),
        (("answer", "1", "ana", "perhaps"), 2),
        (("answer", "0", "ana", "right"), 2),
        (("answer", "1", "ana", "right", "--value", "coffee"), 2),
        (("answer", "1", "ana", "right", "--by", "ana"), 2),
        (("report", "9"), 1),
        (("questions", "9"), 1),
        (("run", "--sample", "0"), 2),
        (("run", "--seed", "-1"), 2),
        (("run", "--kind", "unheard-of"), 2),
        (("run", "--tolerance", "1"), 2),
        (("run", "--chart", "nowhere/chart.svg"), 2),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else str(given),
)
def test_what_cannot_be_done_ends_with_the_code_of_the_house(arguments: tuple[str, ...], code: int) -> None:
    remember("Ana")
    ok("audit", "--seed", "1")
    assert run("audit", *arguments).exit_code == code
    assert len(as_lines("audit", "questions", "1")) == 1
    assert [each["number"] for each in as_json("audit", "report")["audits"]] == [1], "nothing was begun"


def test_without_a_store_there_is_nothing_to_audit() -> None:
    assert run("audit").exit_code == 3
    assert run("audit", "report").exit_code == 3


# --- reports, pictures, suggestions --------------------------------------------------------------


def test_a_report_gives_rates_and_half_lives_with_intervals(answered: None) -> None:
    [kind] = as_json("audit", "report", "--tolerance", "0.2")["kinds"]
    assert kind["rate"][:2] == [30, 60]
    assert kind["half_life"]["low"] < kind["half_life"]["days"] < kind["half_life"]["high"]
    assert kind["suggested"] == f"{kind['half_life']['days']:.0f}d"
    shown = ok("audit", "report", "1", "--tolerance", "0.2")
    assert "50.0% (37.7% to 62.3%)" in shown
    assert f"{kind['half_life']['days']:.0f}d (" in shown
    assert f'[kinds.preference] half_life = "{kind["suggested"]}", not "3650d"' in shown
    assert "20% are wrong " in shown


def test_the_chart_is_written_to_a_file(answered: None) -> None:
    ok("audit", "report", "--chart", "wrong.svg")
    root = ET.parse("wrong.svg").getroot()
    assert "50.0 % (37.7 to 62.3) of 60" in "".join(root.itertext())


def test_the_change_to_the_policy_stands_alone_on_stdout(answered: None) -> None:
    done = run("audit", "report", "--policy-diff")
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[:2] == ["--- policy.toml", "+++ policy.toml"]
    assert '-half_life = "10y"' in lines
    [new] = [line[1:] for line in lines if line.startswith("+half_life")]
    suggested = as_json("audit", "report")["kinds"][0]["suggested"]
    assert tomllib.loads(new) == {"half_life": suggested}
    assert "60 notes checked" in new
    assert "wrong rate" in done.stderr
    assert Path("policy.toml").read_text(encoding="utf-8") == POLICY, "it is printed, not made"
    assert as_json("audit", "report", "--policy-diff")["policy_diff"] == done.stdout


def test_where_nothing_follows_no_change_is_printed() -> None:
    remember("Ana")
    done = run("audit", "--policy-diff")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "the audits suggest no change" in done.stderr
    assert as_json("audit", "report", "--policy-diff")["policy_diff"] == ""


def test_a_policy_that_cannot_be_read_is_said_before_anything_is_drawn(answered: None) -> None:
    before = as_json("audit", "report")
    assert run("audit", "--policy-diff", "--policy", "nowhere.toml").exit_code == 3
    assert as_json("audit", "report") == before


def test_an_interruption_says_that_what_was_checked_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    remember("Ana")

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Audits, "run", interrupted)
    done = run("audit")
    assert done.exit_code == 130
    assert "what was checked so far is kept" in done.stderr


def test_what_documents_contradict_beyond_the_limit_is_said(store: Path) -> None:
    with upheld.open(store, policy="policy.toml", embedder=None) as memory:
        for service in ("orders", "billing", "search", "stock"):
            memory.corpus.add_text(f"{service}.md", f"The port of the {service} database is 6432.")
            memory.remember(f"The port of the {service} database is 5432.", kind="attribute")
    done = run("audit")
    assert done.exit_code == 0
    assert "documents contradict 4 notes, more than may be retired unasked" in done.stderr
    assert "upheld sweep" in done.stderr
