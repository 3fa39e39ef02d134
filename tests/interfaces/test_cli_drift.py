"""The command drift: what it prints of the counts that processes wrote, and of none."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from rich.console import Console
from typer.testing import CliRunner

import upheld
from upheld.cli import app
from upheld.cli import drift as command
from upheld.ledger import Use
from upheld.opening import utc_now
from upheld.uses import Drift

if TYPE_CHECKING:
    from typer.testing import Result

_BUILT = typer.main.get_command(app)
OLD, NEW = "The port of the orders database is 5432.", "The port of the orders database is 6432."


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("UPHELD_POLICY", "policy.toml")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.toml").write_text("[kinds.default]\nuse_check = 1.0\n", encoding="utf-8")
    (tmp_path / "ports.md").write_text(NEW, encoding="utf-8")
    return tmp_path / "store.db"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["--words-only", *arguments])


def ok(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return str(done.stdout)


def as_lines(*arguments: str) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json").splitlines()]


def counted(store: Path, *uses: tuple[int, str, int, int]) -> list[date]:
    """Keep counts: how many days ago, kind, checked, contradicted. Returns the days."""
    today = utc_now().date()
    with upheld.open(store, embedder=None) as memory, memory._database.writing() as tx:
        tx.ledger.count_use(
            [
                Use(day=today - timedelta(days=ago), kind=kind, checked=checked, contradicted=contradicted)
                for ago, kind, checked, contradicted in uses
            ]
        )
    return [today - timedelta(days=ago) for ago, *_ in uses]


def test_what_recalls_were_given_is_counted_and_shown(store: Path) -> None:
    ok("remember", OLD, "--kind", "attribute")
    assert "No note in use was checked in the last 30 days." in ok("drift")
    assert as_lines("drift") == []
    for _ in range(2):
        assert OLD not in ok("recall", "which port does the orders database use?", "--document", "ports.md")
    [found] = as_lines("drift")
    assert (found["kind"], found["checked"], found["contradicted"], found["rate"]) == ("attribute", 2, 2, 1.0)
    [_, row] = ok("drift").splitlines()
    assert row.split()[1:4] == ["2", "of", "2"]
    assert "100.0%" in row
    assert "(34.2% to 100.0%)" in row
    assert row.endswith("attribute")


def test_the_objects_are_those_of_python_but_for_what_only_one_process_knows(store: Path) -> None:
    days = counted(store, (1, "constraint", 40, 1), (0, "attribute", 8, 4))
    found = as_lines("drift")
    with upheld.open(store, embedder=None) as memory:
        kept = memory.uses.drift()
    assert [each.day for each in kept] == days
    assert [{**each, "dropped": 0} for each in found] == [json.loads(upheld.wire.dumps(each)) for each in kept]
    assert all("dropped" not in each for each in found)


def test_days_limit_what_is_shown(store: Path) -> None:
    days = counted(store, (40, "attribute", 2, 1), (7, "attribute", 3, 1), (0, "attribute", 4, 1))
    assert [each["day"] for each in as_lines("drift")] == [day.isoformat() for day in days[1:]]
    assert [each["checked"] for each in as_lines("drift", "--days", "1")] == [4]
    assert [each["checked"] for each in as_lines("drift", "--days", "41")] == [2, 3, 4]
    for wrong in ("0", "-1", "3651", "x"):
        assert run("drift", "--days", wrong).exit_code == 2


def test_bars_are_as_long_as_rates_are_high_and_no_rate_above_0_is_without_one(store: Path) -> None:
    counted(store, (3, "a", 100, 40), (2, "a", 100, 20), (1, "a", 1000, 1), (0, "a", 100, 0))
    rows = ok("drift").splitlines()[1:]
    assert [row.count("█") for row in rows] == [12, 6, 1, 0]
    assert len({row.index("(") for row in rows}) == 1, "the columns stand below each other"
    assert len({row.rindex("a") for row in rows}) == 1


def drawn(each: Drift) -> str:
    console = Console(file=StringIO(), width=100)
    console.print(command._drawn([each], 30))
    return str(console.file.getvalue())  # type: ignore[attr-defined]


NOTHING = Drift(day=date(2026, 1, 1), kind="a", checked=0, contradicted=0, rate=None, low=0.0, high=1.0, dropped=3)


def test_a_row_of_a_process_that_could_judge_nothing_says_none() -> None:
    assert drawn(NOTHING).splitlines()[1].split()[1:5] == ["0", "of", "0", "none"]


def test_a_kind_cannot_move_the_cursor() -> None:
    assert "\x1b" not in drawn(replace(NOTHING, kind="a\x1b[2J"))


def test_no_text_of_a_note_is_shown(store: Path) -> None:
    ok("remember", OLD)
    ok("recall", "which port does the orders database use?", "--document", "ports.md")
    for form in ((), ("--json",)):
        shown = ok("drift", *form)
        assert "default" in shown, "the control: it was counted"
        assert "5432" not in shown
        assert "6432" not in shown


def test_without_a_store_it_says_so_and_makes_none(store: Path) -> None:
    done = run("drift")
    assert done.exit_code == 3
    assert not store.exists()


def test_it_works_on_a_store_that_may_only_be_read(store: Path) -> None:
    counted(store, (0, "attribute", 4, 1))
    store.chmod(0o444)
    assert as_lines("drift")[0]["checked"] == 4
