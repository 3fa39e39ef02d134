"""The command line about what failed its check: it is shown with its reasons, let in by a person, or thrown away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from typer.testing import CliRunner

import upheld
from upheld.cli import app
from upheld.note import Citation, Draft

if TYPE_CHECKING:
    from typer.testing import Result

_BUILT = typer.main.get_command(app)
GUESS = "My guess is API v1 is still using this column, but I haven't confirmed it."
FACT = "API v1 uses the customer_legacy column."
WHY = "its evidence is not sure of it, and it is stated as sure"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store.db"


@pytest.fixture
def waiting(store: Path) -> str:
    """The id of one set that waits: a fact made of a guess, which would replace a note."""
    with upheld.open(store, embedder=None) as memory:
        old = memory.remember("Nobody uses the customer_legacy column.", id="old")
        source = Citation(original=GUESS, ref="m1", quote=GUESS)
        draft = Draft(statement=FACT, by="agent:extractor", sources=(source,), supersedes=(old.id,))
        return memory.reviews.set_aside("extraction", [WHY], [draft], by="agent:extractor").id


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["--words-only", *arguments])


def ok(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return str(done.stdout)


def as_lines(*arguments: str) -> list[Any]:
    return [json.loads(line) for line in ok(*arguments, "--json").splitlines()]


def test_what_waits_is_shown_with_why(waiting: str) -> None:
    for arguments in (("review",), ("review", "list")):
        shown = ok(*arguments)
        assert waiting in shown
        assert WHY in shown
        assert FACT in shown
        assert "would replace old" in shown
    (found,) = as_lines("review")
    assert set(found) == {"id", "what", "why", "drafts", "by", "at"}
    assert (found["id"], found["what"], found["why"], found["by"]) == (waiting, "extraction", [WHY], "agent:extractor")
    assert [draft["statement"] for draft in found["drafts"]] == [FACT]


def test_nothing_waits_in_a_new_store() -> None:
    ok("remember", "The port is 5432.")
    assert "Nothing waits for review." in ok("review")
    assert as_lines("review") == []


def test_a_lost_doubt_is_refused_and_let_in_as_a_guess(waiting: str) -> None:
    refused = run("review", "accept", waiting)
    assert refused.exit_code == 1
    assert "--as-guess" not in refused.stdout
    assert [each["id"] for each in as_lines("review")] == [waiting]
    (written,) = as_lines("review", "accept", waiting, "--as-guess", "--by", "person:ana")
    assert written["outcome"] == "proposed"
    assert as_lines("review") == []
    assert run("review", "accept", waiting).exit_code == 1


def test_an_agent_lets_nothing_in(waiting: str) -> None:
    assert run("review", "accept", waiting, "--as-guess", "--by", "agent:extractor").exit_code == 1
    assert run("review", "reject", waiting, "--by", "agent:extractor").exit_code == 1
    assert [each["id"] for each in as_lines("review")] == [waiting]


def test_rejecting_throws_it_away(waiting: str) -> None:
    assert f"rejected: {waiting}" in ok("review", "reject", waiting)
    assert as_lines("review") == []
    assert run("review", "reject", waiting).exit_code == 1
