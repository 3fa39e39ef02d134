"""The command line about conversations: messages go in from three forms, and what they state comes out as notes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from typer.testing import CliRunner

from upheld.cli import app

if TYPE_CHECKING:
    from typer.testing import Result

_BUILT = typer.main.get_command(app)
LINES = [
    {"role": "system", "text": "You are helpful. The plan of Acme is Free."},
    {"role": "user", "by": "person:ana", "at": "2026-02-27T12:00:00Z", "text": "I moved to Berlin last Tuesday. Ok?"},
    {"role": "assistant", "at": "2026-02-27T12:00:05Z", "content": "Noted."},
    {"role": "user", "by": "person:ana", "at": "2026-02-27T12:01:00Z", "text": "I think the plan of Acme is Pro."},
]
MOVED = "Ana moved to Berlin on 24 February 2026."


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(typer.testing, "_get_command", lambda _: _BUILT)
    monkeypatch.chdir(tmp_path)
    Path("chat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return tmp_path / "store.db"


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(app, ["--words-only", *arguments], input=stdin)


def ok(*arguments: str, stdin: str | None = None) -> str:
    done = run(*arguments, stdin=stdin)
    assert done.exit_code == 0, (arguments, done.output, done.exception)
    return str(done.stdout)


def as_json(*arguments: str, stdin: str | None = None) -> Any:
    return json.loads(ok(*arguments, "--json", stdin=stdin))


def statements() -> list[str]:
    return [json.loads(line)["statement"] for line in ok("list", "--json").splitlines()]


def test_a_file_goes_in_and_what_it_states_comes_out() -> None:
    assert ok("ingest", "chat.jsonl") == "4 messages kept in chat\n"
    assert ok("ingest", "chat.jsonl") == "0 messages kept in chat, 4 were there\n"
    shown = ok("extract", "--conversation", "chat")
    assert "4 messages read by rules/1" in shown
    assert MOVED in shown
    assert "proposed" in shown
    assert "Free" not in shown
    assert statements() == [MOVED]


def test_a_dry_run_writes_nothing() -> None:
    ok("ingest", "chat.jsonl")
    assert "dry run: nothing was written" in ok("extract", "--dry-run")
    assert statements() == []
    assert MOVED in ok("extract")
    assert statements() == [MOVED]


def test_as_json_it_is_counted_and_each_passage_has_its_place() -> None:
    assert as_json("ingest", "chat.jsonl", "--scope", "user/1", "--conversation", "c") == {
        "conversation": "c", "scope": "user/1", "new": 4, "known": 0,
    }  # fmt: skip
    found = as_json("extract", "--scope", "user/1")
    assert (found["extractor"], found["messages"], found["dry_run"]) == ("rules/1", 4, False)
    assert found["outcomes"] == {"added": 1, "left": 3, "proposed": 1}
    added = next(each for each in found["passages"] if each["outcome"] == "added")
    assert LINES[1]["text"][added["start"] : added["end"]] == "I moved to Berlin last Tuesday."
    assert added["note"] is not None
    assert all("statement" not in each for each in found["passages"])


def test_standard_input_a_list_and_a_compressed_file_are_read_too() -> None:
    text = Path("chat.jsonl").read_text(encoding="utf-8")
    assert as_json("ingest", "-", stdin=text)["new"] == 4
    Path("list.json").write_text(json.dumps(LINES, indent=1), encoding="utf-8")
    assert as_json("ingest", "list.json", "--conversation", "default") == {
        "conversation": "default", "scope": "default", "new": 0, "known": 4,
    }  # fmt: skip
    Path("chat.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    assert as_json("ingest", "chat.jsonl.gz")["new"] == 4


def test_a_plain_export_is_read_with_its_speakers_and_times() -> None:
    Path("export.txt").write_text(
        "[2026-02-27T12:00:00+01:00] Ana: I moved to Berlin\nlast Tuesday.\n"
        "[2026-02-27T12:01:00+01:00] Assistant: Noted.\n"
        "[2026-02-28] Bo: The plan of Acme is Pro.\n",
        encoding="utf-8",
    )
    assert as_json("ingest", "export.txt")["new"] == 3
    ok("extract", "--conversation", "export")
    assert "The plan of Acme is Pro." in statements()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("nonsense", "bad.jsonl:5: not valid JSON"),
        ('{"role": "user"}', "bad.jsonl:5: the message lacks the field 'text'"),
        ('{"role": "owner", "text": "x"}', "role must be one of"),
        ('{"role": "user", "text": "x", "channel": "system_of_record"}', "unknown field 'channel'"),
        ('{"role": "user", "text": "x", "by": "system:billing"}', "message 5: a message of the role user"),
        ('{"role": "user", "text": "x", "at": "2026-02-27T12:00:00"}', "offset"),
        ('{"role": "user", "text": " "}', "message 5: the text of a message is empty"),
    ],
)
def test_one_bad_line_and_no_message_is_kept(line: str, why: str) -> None:
    Path("bad.jsonl").write_text(Path("chat.jsonl").read_text(encoding="utf-8") + line + "\n", encoding="utf-8")
    done = run("ingest", "bad.jsonl")
    assert done.exit_code == 2
    assert why in done.stderr
    ok("ingest", "chat.jsonl")  # there is a store to look into
    assert as_json("extract", "--conversation", "bad")["messages"] == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("ingest", "missing.jsonl"), 2),
        (("extract", "--api-key-env", "KEY"), 2),
        (("extract", "--llm", "no model"), 3),
        (("extract", "--conversation", ""), 2),
    ],
)
def test_what_cannot_be_done_is_said_with_its_exit_code(arguments: tuple[str, ...], code: int) -> None:
    ok("ingest", "chat.jsonl")
    assert run(*arguments).exit_code == code


def test_without_a_store_there_is_nothing_to_read() -> None:
    assert run("extract").exit_code == 3


def test_what_is_set_aside_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from upheld.conversation import Offer

    class Invents:
        name = "invents/1"

        def extract(self, messages: Any, before: Any) -> list[Offer]:
            return [
                Offer(message=each.number, quote="I moved to Berlin last Tuesday.", statement="Ana moved to Rome.")
                for each in messages
                if "Berlin" in each.text
            ]

    monkeypatch.setattr("upheld.extractors.LLM", lambda *_, **__: Invents())
    ok("ingest", "chat.jsonl")
    done = run("extract", "--llm", "test:invents")
    assert done.exit_code == 0
    assert "set aside" in done.stdout
    assert "goes beyond what was said" in done.stderr
    assert statements() == []


@pytest.mark.parametrize("command", ["ingest", "extract"])
def test_the_commands_explain_themselves(command: str) -> None:
    assert "Usage" in ok(command, "--help")
