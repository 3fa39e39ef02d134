"""The command check: what it prints for people, programs and GitHub, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from upheld.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

ROOT = Path(__file__).resolve().parents[2]
NOTE, DOCUMENT = "The request timeout is 30 seconds.", "The request timeout is 45 seconds."


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of notes and a folder with the document that contradicts it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    (tmp_path / "docs").mkdir()
    (tmp_path / "CLAUDE.md").write_text(f"# Notes\n\n- {NOTE}\n", encoding="utf-8")
    (tmp_path / "docs" / "limits.md").write_text(f"# Limits\n\n{DOCUMENT}\n", encoding="utf-8")
    return tmp_path


def run(*arguments: str, **more: Any) -> Result:
    return CliRunner().invoke(app, ["check", *arguments], **more)


def test_a_contradiction_is_shown_with_both_quotes_and_places_and_exits_1(here: Path) -> None:
    done = run("CLAUDE.md", "--against", "docs")
    assert done.exit_code == 1
    first, second, *_, last = done.stdout.splitlines()
    assert first == f"CLAUDE.md:3: {NOTE}"
    assert second == f"docs/limits.md:3: {DOCUMENT}"
    assert last.startswith("1 contradiction: 1 statement, 1 document, 1 pair, ")


def test_where_nothing_is_contradicted_it_exits_0(here: Path) -> None:
    (here / "docs" / "limits.md").write_text(f"# Limits\n\n{NOTE}\n", encoding="utf-8")
    done = run("CLAUDE.md", "--against", "docs")
    assert done.exit_code == 0
    assert done.stdout.startswith("0 contradictions: ")


def test_no_store_is_needed_and_none_is_made(here: Path) -> None:
    run("CLAUDE.md", "--against", "docs")
    assert sorted(path.name for path in here.iterdir()) == ["CLAUDE.md", "docs"]


def test_json_is_one_object_with_everything(here: Path) -> None:
    done = run("CLAUDE.md", "--against", "docs", "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 1
    [finding] = found["findings"]
    assert finding == {
        "file": "CLAUDE.md",
        "line": 3,
        "start": 11,
        "end": 11 + len(NOTE),
        "statement": NOTE,
        "claim_quote": NOTE,
        "document": "docs/limits.md",
        "document_line": 3,
        "chunk_quote": DOCUMENT,
        "why": finding["why"],
        "acts": True,
        "effective_from": None,
    }
    counts = {"contradictions": 1, "proposals": 0, "statements": 1, "documents": 1, "pairs": 1, "unanswered": 0}
    assert {name: found[name] for name in counts} == counts
    assert set(found) == {*counts, "findings", "failed", "seconds"}


def test_proposals_are_counted_always_shown_where_asked_for_and_fail_nothing(here: Path) -> None:
    (here / "CLAUDE.md").write_text(f"# Notes\n\n## Orders service\n\n- {NOTE}\n", encoding="utf-8")
    (here / "docs" / "limits.md").write_text(f"# Billing service\n\n{DOCUMENT}\n", encoding="utf-8")
    done = run("CLAUDE.md", "--against", "docs")
    assert done.exit_code == 0
    assert "0 contradictions, 1 proposal (--all shows them)" in done.stdout
    assert DOCUMENT not in done.stdout
    shown = run("CLAUDE.md", "--against", "docs", "--all")
    assert shown.exit_code == 0
    assert DOCUMENT in shown.stdout
    assert "perhaps: " in shown.stdout
    assert json.loads(run("CLAUDE.md", "--against", "docs", "--all", "--json").stdout)["findings"][0]["acts"] is False


def test_annotations_are_one_line_each_whatever_the_names_hold(here: Path) -> None:
    (here / "a,b:c%.md").write_text("# Notes\n\nThe request timeout\nis 30 seconds.\n", encoding="utf-8")
    done = run("a,b:c%.md", "--against", "docs", "--github")
    assert done.exit_code == 1
    [line] = done.stdout.splitlines()
    assert line.startswith("::warning file=a%2Cb%3Ac%25.md,line=3,title=Contradicted by a document::docs/limits.md:3 ")
    assert "The request timeout%0Ais 30 seconds." in line


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("gone.md", "--against", "docs"), 2, "there is no file or folder gone.md"),
        (("CLAUDE.md", "--against", "gone"), 2, "there is no file or folder gone"),
        (("CLAUDE.md",), 2, "--against"),
        (("memory.db", "--against", "docs"), 2, "upheld sweep"),
    ],
    ids=["no file", "no document", "nothing to hold against", "store"],
)
def test_bad_input_ends_with_its_code_and_says_why(
    here: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    (here / "memory.db").write_bytes(b"SQLite format 3\0")
    done = run(*arguments)
    assert done.exit_code == code
    assert says in done.stderr
    assert done.stdout == ""


def test_notes_that_cannot_be_read_exit_1_and_documents_only_warn(here: Path) -> None:
    (here / "docs" / "limits.md").write_text(f"{NOTE}\n", encoding="utf-8")
    (here / "docs" / "broken.md").write_bytes(b"\x00")
    done = run("CLAUDE.md", "--against", "docs")
    assert (done.exit_code, "docs/broken.md: " in done.stderr) == (0, True)
    (here / "notes").mkdir()
    (here / "notes" / "broken.md").write_bytes(b"\x00")
    done = run("CLAUDE.md", "notes", "--against", "docs")
    assert (done.exit_code, "notes/broken.md: " in done.stderr) == (1, True)
    failed = json.loads(run("CLAUDE.md", "notes", "--against", "docs", "--json").stdout)["failed"]
    assert [(each["file"], each["is_document"], each["error"]["code"]) for each in failed] == [
        ("notes/broken.md", False, "invalid"),
        ("docs/broken.md", True, "invalid"),
    ]


def test_what_is_printed_can_do_nothing_to_a_terminal(here: Path) -> None:
    (here / "a\u202e.md").write_text("- The request timeout (\x1bc) is 30 seconds.\n", encoding="utf-8")
    shown = run("a\u202e.md", "--against", "docs").stdout
    assert "a\\u202e.md:1: The request timeout (\\x1bc) is 30 seconds." in shown
    assert "\x1b" not in shown


@pytest.mark.skipif(os.name == "nt", reason="terminals of Unix")
@pytest.mark.parametrize(("columns", "beside"), [(120, True), (70, False)], ids=["wide", "narrow"])
def test_quotes_stand_side_by_side_where_there_is_room(here: Path, columns: int, beside: bool) -> None:
    shown = on_a_terminal(columns, TERM="xterm-256color")
    assert any("CLAUDE.md:3" in line and "docs/limits.md:3" in line for line in shown.splitlines()) is beside
    assert "CLAUDE.md:3" in shown
    assert "docs/limits.md:3" in shown
    assert "\x1b[1;31m30\x1b[0m" in shown
    assert "\x1b[1;32m45\x1b[0m" in shown
    plain = on_a_terminal(columns, TERM="xterm-256color", NO_COLOR="1")
    assert "45" in plain
    assert "\x1b[1;31m" not in plain


def on_a_terminal(columns: int, **more: str) -> str:
    import pty

    env = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    env |= {"PYTHONPATH": str(ROOT / "src"), "COLUMNS": str(columns), **more}
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "upheld", "check", "CLAUDE.md", "--against", "docs"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env) as running:
        os.close(theirs)
        shown = b""
        while part := _part(ours):
            shown += part
        assert running.wait(60) == 1, shown
    os.close(ours)
    return shown.decode()


def _part(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""
