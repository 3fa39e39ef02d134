"""The command line about documents: corpus, sweep, inbox. Real stores, real documents, the default judge."""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from rich.console import Console
from typer.testing import CliRunner

from upheld.cli import app, bars, corpus, inbox, show_documents, sweeping
from upheld.cli.desk import Desk
from upheld.cli.options import Options
from upheld.documents import Corpus
from upheld.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import Callable

    from typer.testing import Result

    from upheld.cli.command import Command

_BUILT = typer.main.get_command(app)
ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("orders", "billing", "payments", "search", "booking", "mail", "stock", "returns", "loyalty", "archive",
            "ledger", "invoice")  # fmt: skip

unix_only = pytest.mark.skipif(os.name == "nt", reason="signals and terminals of Unix")


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the store is, or will be, and the documents' folder beside it; at most two notes fall unasked."""
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("UPHELD_POLICY", "policy.toml")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "policy.toml").write_text("[sweep]\nfew = 2\n", encoding="utf-8")
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


def port(service: str, number: int) -> str:
    return f"The port of the {service} database is {number}."


def note(service: str, number: int = 5432, *more: str) -> None:
    ok("remember", port(service, number), "--id", service, *more)


def document(service: str, number: int = 6432) -> None:
    Path("docs", f"{service}.md").write_text(port(service, number) + "\n", encoding="utf-8")


def standing(id: str) -> str:
    return str(as_json("get", id)["standing"])


def fallen(service: str = "orders") -> int:
    """A note that a document retired: the number of its notice."""
    note(service)
    document(service)
    [notice] = as_json("corpus", "add", "docs")["notices"]
    return int(notice["number"])


# --- corpus --------------------------------------------------------------------------------------


def test_add_says_what_became_of_the_documents_and_of_the_notes() -> None:
    note("orders")
    note("billing")
    document("orders")
    done = as_json("corpus", "add", "docs")
    assert (done["new"], done["changed"], done["unchanged"]) == (["docs/orders.md"], [], 0)
    assert (done["removed"], done["failed"]) == ([], [])
    assert (done["report"]["to_retire"], done["report"]["complete"]) == (["orders"], True)
    [notice] = done["notices"]
    assert (notice["kind"], notice["note"], notice["standing"]) == ("contradicted", "orders", "contradicted")
    assert done["report"]["events"] == [notice["number"]]
    assert (notice["evidence"]["claim_quote"], notice["evidence"]["chunk_quote"]) == (
        port("orders", 5432),
        port("orders", 6432),
    )
    assert (standing("orders"), standing("billing")) == ("contradicted", "in_force")


def test_add_shows_both_quotes_to_people() -> None:
    note("orders")
    document("orders")
    shown = ok("corpus", "add", "docs")
    assert "docs  1 new; 1 note retired" in shown
    assert re.search(r"^retired +orders +notice \d+ · in default · now contradicted", shown, re.MULTILINE)
    assert re.search(r"^ +the note +The port of the orders database is 5432\.$", shown, re.MULTILINE)
    assert re.search(r"^ +the document +The port of the orders database is 6432\.$", shown, re.MULTILINE)
    assert "docs/orders.md at " in shown


def test_what_did_not_change_is_neither_read_nor_judged_again() -> None:
    note("orders")
    document("orders", 5432)
    assert as_json("corpus", "add", "docs")["report"]["asked"] == {"values/4": 1}
    again = as_json("corpus", "add", "docs")
    assert (again["unchanged"], again["report"]["pairs"], again["report"]["asked"]) == (1, 0, {})
    assert "docs  1 unchanged" in ok("corpus", "add", "docs")


def test_what_changed_went_away_or_cannot_be_read_is_said() -> None:
    for service in ("orders", "billing", "mail"):
        document(service)
    assert "3 new" in ok("corpus", "add", "docs")
    document("orders", 7432)
    Path("docs", "mail.md").unlink()
    Path("docs", "broken.json").write_text("{broken", encoding="utf-8")
    done = run("corpus", "add", "docs")
    assert done.exit_code == 1
    assert "docs  1 changed, 1 unchanged, 1 removed, 1 failed" in done.stdout
    [said] = [line for line in done.stderr.splitlines() if "broken.json" in line]
    assert said.count("broken.json") == 1
    done = run("corpus", "add", "docs", "--json")
    assert done.exit_code == 1
    [failed] = json.loads(done.stdout)["failed"]
    assert (failed["name"], failed["error"]["code"]) == ("docs/broken.json", "invalid")


def test_several_places_are_taken_in_order_each_with_its_line() -> None:
    document("orders")
    Path("alone.md").write_text(port("billing", 1), encoding="utf-8")
    assert [done["new"] for done in as_lines("corpus", "add", "docs", "alone.md")] == [["docs/orders.md"], ["alone.md"]]


def test_a_place_that_is_not_there_makes_no_store(store: Path) -> None:
    document("orders")
    for command in (("corpus", "add", "docs", "nowhere"), ("corpus", "watch", "nowhere")):
        done = run(*command)
        assert done.exit_code == 2
        assert "no file or folder nowhere" in done.stderr
        assert not store.exists()
    ok("corpus", "add", "docs")
    assert store.exists()


def test_a_less_trusted_document_only_disputes() -> None:
    note("orders")
    document("orders")
    [notice] = as_json("corpus", "add", "docs", "--authority", "agent")["notices"]
    assert (notice["kind"], notice["standing"]) == ("disputed", "disputed")
    assert re.search(r"^disputed +orders", ok("inbox"), re.MULTILINE)
    assert run("corpus", "add", "docs", "--authority", "god").exit_code == 2


def test_a_repository_is_read_at_a_revision() -> None:
    note("orders")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", "docs"]
    document("orders", 5432)
    env = os.environ | {"GIT_COMMITTER_DATE": "2026-01-02T00:00:00Z"}
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *command], check=True, capture_output=True, env=env)
    document("orders", 6432)
    then = as_json("corpus", "add", "docs", "--revision", "HEAD")
    assert (then["new"], then["notices"]) == (["docs/orders.md"], [])
    [listed] = as_lines("corpus", "list")
    assert listed["dated"] == "2026-01-02T00:00:00Z"
    assert [notice["note"] for notice in as_json("corpus", "add", "docs")["notices"]] == ["orders"]


def test_list_shows_each_document_and_those_that_are_gone_on_demand() -> None:
    document("orders")
    document("billing")
    ok("corpus", "add", "docs")
    ok("corpus", "remove", "docs/billing.md")
    [listed] = as_lines("corpus", "list")
    assert set(listed) == {
        "name", "place", "version", "title", "owner", "authority", "dated", "passages", "added_at", "recorded_at",
        "removed_at",
    }  # fmt: skip
    assert (listed["name"], listed["place"], listed["authority"]) == ("docs/orders.md", "docs", "document")
    head, row = ok("corpus", "list").splitlines()
    assert head.split() == ["version", "passages", "of", "authority", "name"]
    assert row.endswith("  docs/orders.md")
    assert row.index("docs/") == head.index("name")
    assert [each["name"] for each in as_lines("corpus", "list", "--removed")] == ["docs/billing.md", "docs/orders.md"]
    assert re.search(r"docs/billing\.md  removed \d+ \w+ \d{4}$", ok("corpus", "list", "--removed"), re.MULTILINE)


def test_an_empty_list_says_so() -> None:
    note("orders")
    assert "There are no documents" in ok("corpus", "list")
    assert "There are no notices" in ok("inbox")
    assert (ok("corpus", "list", "--json"), ok("inbox", "--json")) == ("", "")


def test_notes_of_a_removed_document_must_be_checked() -> None:
    document("orders", 5432)
    note("orders", 5432, "--cite", "docs/orders.md", "--quote", port("orders", 5432))
    note("billing")
    ok("corpus", "add", "docs")
    shown = ok("corpus", "remove", "docs")
    assert "docs  is removed; 1 note to check" in shown
    assert "docs/orders.md at " in shown
    assert "nothing else speaks for the note" in shown
    assert (standing("orders"), standing("billing")) == ("needs_check", "in_force")
    [notice] = as_lines("inbox")
    assert (notice["kind"], notice["evidence"]["chunk"]) == ("unsourced", None)
    ok("corpus", "add", "docs")
    assert standing("orders") == "in_force"


def test_removing_what_is_not_there_is_an_error() -> None:
    document("orders")
    ok("corpus", "add", "docs")
    done = run("corpus", "remove", "docs/nowhere.md")
    assert done.exit_code == 1
    assert "docs/nowhere.md" in done.stderr


# --- sweep ---------------------------------------------------------------------------------------


@pytest.fixture
def swept_ahead() -> None:
    """Documents that are there before the notes: only a sweep finds what they say of them."""
    document("orders", 6432)
    document("billing", 5432)
    ok("corpus", "add", "docs")
    note("orders")
    note("billing")
    ok("remember", "Nadia sits at desk B12.", "--id", "desk")


@pytest.mark.usefixtures("swept_ahead")
def test_a_sweep_counts_notes_by_verdict_and_shows_what_fell() -> None:
    shown = ok("sweep")
    for row in (r"unrelated +1 +33\.3%", r"consistent +1 +33\.3%", r"contradicted +1 +33\.3%", r"all +3"):
        assert re.search(rf"^{row}$", shown, re.MULTILINE), shown
    assert re.search(r"^values/4 +\d+$", shown, re.MULTILINE)
    assert re.search(r"^default +1$", shown, re.MULTILINE)
    assert "1 note retired" in shown
    assert port("orders", 6432) in shown
    assert [standing(id) for id in ("orders", "billing", "desk")] == ["contradicted", "in_force", "in_force"]


@pytest.mark.usefixtures("swept_ahead")
def test_a_dry_run_judges_shows_and_changes_nothing() -> None:
    before = ok("export")
    done = as_json("sweep", "--dry-run")
    assert (done["to_retire"], done["events"], done["notices"]) == (["orders"], [], [])
    [found] = done["found"]
    assert (found["note"]["id"], found["retires"]) == ("orders", True)
    assert found["verdict"]["chunk_quote"] == port("orders", 6432)
    assert found["passage"]["document"] == "docs/orders.md"
    said = run("sweep", "--dry-run")
    assert re.search(r"^to retire +orders", said.stdout, re.MULTILINE)
    assert "nothing was changed" in said.stderr
    assert "judged before" in said.stdout
    assert ok("export") == before
    applied = as_json("sweep")
    assert (applied["asked"], [notice["note"] for notice in applied["notices"]]) == ({}, ["orders"])
    assert ok("export") != before


@pytest.mark.usefixtures("swept_ahead")
def test_a_second_sweep_asks_no_judge() -> None:
    assert as_json("sweep")["asked"]["values/4"] > 0
    again = as_json("sweep")
    assert (again["asked"], again["events"], again["complete"]) == ({}, [], True)


@pytest.mark.usefixtures("swept_ahead")
def test_a_sweep_that_meets_its_budget_says_so_and_goes_on() -> None:
    first = run("sweep", "--budget", "1")
    assert first.exit_code == 0
    assert "the budget is used up" in first.stderr
    asked = 0
    for _ in range(20):
        done = as_json("sweep", "--budget", "1")
        asked += sum(done["asked"].values())
        if done["complete"]:
            break
    assert done["complete"]
    assert asked >= 1
    assert standing("orders") == "contradicted"
    assert "the budget is used up" not in run("sweep").stderr


@pytest.mark.usefixtures("swept_ahead")
def test_a_sweep_of_one_scope_leaves_the_others() -> None:
    document("mail")
    ok("corpus", "add", "docs")
    note("mail", 5432, "--scope", "post")
    assert as_json("sweep", "--scope", "post")["notes"] == 1
    assert (standing("mail"), standing("orders")) == ("contradicted", "in_force")
    assert as_json("sweep")["to_retire"] == ["orders"]


# --- too many at once ----------------------------------------------------------------------------


def many() -> None:
    for service in SERVICES:
        note(service)
        document(service)


@pytest.mark.parametrize("command", [("corpus", "add", "docs"), ("sweep", "--scope", "default")], ids=" ".join)
def test_too_many_at_once_change_nothing_and_are_shown_with_the_command_that_allows_them(
    command: tuple[str, ...],
) -> None:
    many()
    before = ok("export")
    assert run("corpus", "add", "docs").exit_code == 1
    done = run(*command)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "would retire 12 of 12 notes" in done.stderr
    assert ok("export") == before
    assert len(re.findall(r"^to retire +\w+", done.stderr, re.MULTILINE)) == 10
    assert "and 2 more" in done.stderr
    assert port("orders", 5432) in done.stderr
    assert port("orders", 6432) in done.stderr
    assert len(as_lines("corpus", "list")) == 12
    [line] = re.findall(r"^to allow it: upheld (.*)$", done.stderr, re.MULTILINE)
    assert line.startswith(shlex.join(command))
    assert "12 notes retired" in ok(*shlex.split(line))
    assert len(as_lines("inbox")) == 12


def test_watching_stops_and_asks_too() -> None:
    many()
    done = run("corpus", "watch", "docs", "--once")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "to allow it: upheld corpus add docs --approve 12" in done.stderr


def test_an_approval_for_fewer_is_not_enough() -> None:
    many()
    assert run("corpus", "add", "docs", "--approve", "11").exit_code == 1
    assert "12 notes retired" in ok("corpus", "add", "docs", "--approve", "12")
    assert run("sweep", "--approve", "-1").exit_code == 2


def test_where_json_is_asked_for_only_the_error_is_printed() -> None:
    many()
    done = run("corpus", "add", "docs", "--json")
    assert (done.exit_code, done.stdout) == (1, "")
    said = json.loads(done.stderr)["error"]
    assert said["code"] == "needs_approval"
    assert (said["count"], "approve=12" in said["message"]) == (12, True)


# --- inbox ---------------------------------------------------------------------------------------


def test_a_notice_shows_what_both_say_and_the_answers_that_the_note_was_in() -> None:
    note("orders")
    for question in ("which port has orders?", "what is the orders database's port?"):
        assert as_json("recall", question)["upheld"][0]["id"] == "orders"
    document("orders")
    ok("corpus", "add", "docs")
    shown = ok("inbox")
    assert re.search(r"^retired +orders  notice \d+ · in default · now contradicted · \d", shown, re.MULTILINE)
    assert port("orders", 5432) in shown
    assert port("orders", 6432) in shown
    assert re.search(r"docs/orders\.md at [0-9a-f]{12} · from \d+ \w+ \d{4}", shown)
    assert re.search(r"used in 2 answers, last on \d+ \w+ \d{4}: \"what is the orders database's port\?\"", shown)


def test_a_notice_leaves_as_json_with_exactly_these_fields() -> None:
    number = fallen()
    ok("recall", "orders port")
    [notice] = as_lines("inbox")
    assert set(notice) == {
        "number", "kind", "note", "scope", "at", "effective_from", "evidence", "standing", "used_in", "settled_as",
        "settled_by", "settled_at",
    }  # fmt: skip
    assert (notice["number"], notice["settled_as"], notice["used_in"]) == (number, None, [])
    note("billing")
    ok("recall", "billing port")
    document("billing")
    ok("corpus", "add", "docs")
    [used] = as_lines("inbox")[0]["used_in"]
    assert set(used) == {"id", "at", "question", "scopes", "mode"}
    assert used["question"] == "billing port"


def test_the_inbox_alone_lists_and_takes_the_options_of_the_list() -> None:
    fallen()
    assert ok("inbox") == ok("inbox", "list")
    assert ok("inbox", "--json") == ok("inbox", "list", "--json") == ok("--json", "inbox")
    assert "accept" in ok("inbox", "--help")
    assert run("inbox", "nonsense").exit_code == 2


def test_notices_are_of_the_scopes_that_are_asked_for() -> None:
    note("orders", 5432, "--scope", "here")
    note("billing", 5432, "--scope", "there")
    document("orders")
    document("billing")
    ok("corpus", "add", "docs")
    assert {notice["scope"] for notice in as_lines("inbox")} == {"here", "there"}
    assert [notice["note"] for notice in as_lines("inbox", "--scope", "here")] == ["orders"]
    assert len(as_lines("inbox", "--scope", "here", "--scope", "there")) == 2
    assert as_lines("inbox", "--scope", "elsewhere") == []


def test_notices_are_paged_newest_first() -> None:
    numbers = [fallen(service) for service in SERVICES[:3]]
    first = as_lines("inbox", "--limit", "2")
    assert [notice["number"] for notice in first] == numbers[:0:-1]
    more = re.findall(r"more: (.*)$", ok("inbox", "--limit", "2"))[0].split()
    assert [notice["number"] for notice in as_lines("inbox", *more)] == numbers[:1]
    assert run("inbox", "--limit", "0").exit_code == 2


def test_accept_leaves_the_note_as_it_is_and_the_notice_answered() -> None:
    number = str(fallen())
    assert f"notice {number} accepted: orders is contradicted" in ok("inbox", "accept", number)
    assert as_lines("inbox") == []
    [notice] = as_lines("inbox", "--all")
    assert (notice["settled_as"], notice["settled_by"]) == ("accept", "person:owner")
    assert "accepted by person:owner on " in ok("inbox", "--all")
    assert standing("orders") == "contradicted"


def test_what_was_undone_stays_so_when_the_same_document_is_added_or_swept_again() -> None:
    number = str(fallen())
    done = as_json("inbox", "undo", number, "--by", "person:ana", "--reason", "the runbook is for staging")
    assert (done["settled_as"], done["settled_by"], done["standing"]) == ("undo", "person:ana", "in_force")
    ok("corpus", "add", "docs")
    ok("corpus", "remove", "docs")
    ok("corpus", "add", "docs")
    ok("sweep")
    assert standing("orders") == "in_force"
    assert as_lines("inbox") == []
    document("orders", 7432)
    assert [notice["note"] for notice in as_json("corpus", "add", "docs")["notices"]] == ["orders"]
    assert standing("orders") == "contradicted"


def test_correct_puts_a_new_note_in_the_place_of_the_old_one() -> None:
    number = str(fallen())
    done = as_json("inbox", "correct", number, port("orders", 6432), "--reason", "moved behind the pooler")
    assert (done["outcome"], done["replaces"]) == ("superseded", ["orders"])
    assert [found["statement"] for found in as_json("recall", "orders port")["upheld"]] == [port("orders", 6432)]
    assert as_lines("inbox") == []
    assert as_lines("inbox", "--all")[0]["settled_as"] == "correct"


@pytest.mark.parametrize("command", [("accept",), ("undo",), ("correct", "It is 1.")], ids=lambda each: each[0])
def test_a_notice_that_is_not_there_or_was_answered_is_an_error(command: tuple[str, ...]) -> None:
    number = str(fallen())
    verb, *statement = command
    before = ok("export")
    for wrong, code in (("999", 1), ("0", 2), ("many", 2)):
        done = run("inbox", verb, wrong, *statement)
        assert done.exit_code == code, done.output
        assert done.stdout == ""
    assert "no notice 999" in run("inbox", verb, "999", *statement).stderr
    assert run("inbox", verb, number, *statement, "--by", "god").exit_code == 2
    assert ok("export") == before
    assert len(as_lines("inbox")) == 1
    ok("inbox", "accept", number)
    done = run("inbox", verb, number, *statement, "--json")
    assert (done.exit_code, json.loads(done.stderr)["error"]["code"]) == (1, "conflict")


# --- what reaches a terminal ---------------------------------------------------------------------


def test_quotes_and_names_can_do_nothing_to_a_terminal() -> None:
    loud = "\x1b[31m \u202e"
    ok("remember", f"The port of the orders database is 5432.{loud}", "--id", "orders")
    Path("docs", "orders.md").write_text(f"{port('orders', 6432)}{loud}\n", encoding="utf-8")
    Path("docs", f"odd{loud}.md").write_text("Nothing.\n", encoding="utf-8")
    done = run("corpus", "add", "docs")
    assert "1 note retired" in done.stdout
    assert r"odd\x1b[31m" in done.stderr
    for shown in (done.output, ok("inbox"), ok("corpus", "list"), ok("inbox", "undo", "2")):
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", shown)


def test_quotes_stand_side_by_side_where_there_is_room_and_one_below_the_other_where_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fallen()

    def on_a_terminal(columns: int) -> str:
        def console(_: Desk, stream: Any) -> Console:
            return Console(
                file=stream, width=columns, force_terminal=True, color_system=None, highlight=False, soft_wrap=True
            )

        monkeypatch.setattr(Desk, "_console", console)
        return ok("inbox")

    both = rf"{re.escape(port('orders', 5432))} +{re.escape(port('orders', 6432))}"
    wide, narrow = on_a_terminal(120), on_a_terminal(40)
    assert re.search(both, wide)
    assert not re.search(both, narrow)
    for shown in (wide, narrow):
        assert port("orders", 5432) in shown
        assert port("orders", 6432) in shown


@unix_only
def test_a_watched_folder_prints_each_change_with_what_fell(store: Path) -> None:
    note("orders")
    document("billing")
    command = [sys.executable, "-m", "upheld", "--words-only", "corpus", "watch", "docs"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True) as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None
        assert watching.stdout.readline() == "docs  1 new\n"
        assert any("watching docs" in line for line in iter(watching.stderr.readline, ""))
        document("orders")
        line = next(line for line in iter(watching.stdout.readline, "") if line.startswith("new"))
        watching.send_signal(signal.SIGINT)
        _, said = watching.communicate(timeout=60)
    assert re.fullmatch(
        r"new +docs/orders\.md  retired orders: The port of the orders database is 5432\. \| "
        r"The port of the orders database is 6432\.\n",
        line,
    ), line
    assert watching.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    assert standing("orders") == "contradicted"


@unix_only
def test_watching_once_ends_after_the_first_change() -> None:
    document("orders")
    command = [sys.executable, "-m", "upheld", "--words-only", "corpus", "watch", "docs", "--once", "--json"]
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, text=True) as watching:
        assert watching.stderr is not None
        assert any("watching docs" in line for line in iter(watching.stderr.readline, ""))
        Path("docs", "orders.md").unlink()
        out, _ = watching.communicate(timeout=60)
    first, change = (json.loads(line) for line in out.splitlines())
    assert (first["new"], change["removed"]) == (["docs/orders.md"], ["docs/orders.md"])
    assert watching.returncode == 0


@pytest.mark.parametrize(
    ("ticks", "shows"),
    [([(32, None), (64, None)], "reading documents"), ([(32, None), (32, 96), (64, 96)], "judging passages")],
    ids=["first step", "second step"],
)
def test_long_work_shows_its_step_and_how_much_is_done(
    ticks: list[tuple[int, int | None]], shows: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown(*, terminal: bool) -> str:
        desk, out = Desk(Options()), StringIO()
        vars(desk)["err"] = Console(file=out, force_terminal=terminal, width=120, color_system=None)
        with bars.bar(desk, "judging passages", first="reading documents") as tick:
            for done, total in ticks:
                tick(done, total)
        return out.getvalue()

    assert shown(terminal=True) == ""  # it took no time
    monkeypatch.setattr(bars, "SLOW_S", 0.0)
    last = re.split(r"[\r\n]", shown(terminal=True))
    assert any(shows in line and re.search(r"64/(96|\?)", line) and "left" in line for line in last), last
    assert shown(terminal=False) == ""


# --- the same verbs as in Python -----------------------------------------------------------------

SAME = {"scope": {"scope"}, "settled": {"everything"}, "progress": set(), "stop": set(), "sleep": set()}
"""A verb's parameter: the command's, where the names differ; none where it is no matter of the caller's."""


def verbs(kind: type) -> dict[str, Callable[..., object]]:
    return {name: each for name, each in vars(kind).items() if inspect.isfunction(each) and not name.startswith("_")}


def commands() -> dict[str, dict[str, Command]]:
    return {
        "corpus": {each.name: each for each in corpus.COMMANDS.commands},
        "inbox": {each.name: each for each in inbox.COMMANDS.commands},
        "sweep": {each.name: each for each in sweeping.COMMANDS},
    }


def test_every_verb_is_a_command_and_every_parameter_an_option() -> None:
    known = commands()
    # A program keeps texts and doubts; sweep is a command of its own.
    ours = {"corpus": set(verbs(Corpus)) - {"add_text", "doubt", "sweep"}, "inbox": set(verbs(Inbox))}
    assert {name: set(known[name]) for name in ours} == ours
    called = {**{name: (Corpus, each) for name, each in {**known["corpus"], **known["sweep"]}.items()}}
    pairs = [(kind, name, each) for name, (kind, each) in called.items()]
    pairs += [(Inbox, name, each) for name, each in known["inbox"].items()]
    for kind, name, command in pairs:
        offered = {parameter.name for parameter in command.parameters}
        wanted = set(inspect.signature(verbs(kind)[name]).parameters) - {"self"}
        assert set().union(*(SAME.get(parameter, {parameter}) for parameter in wanted)) <= offered, (name, wanted)


def test_every_event_that_is_told_has_its_word() -> None:
    number = fallen()
    assert str(number) in ok("inbox")
    assert {verb.value for verb in show_documents.DONE} == {"contradicted", "disputed", "unsourced"}
