"""The command line where the outside fails it: no store yet, a full disk, closed streams, a closed folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import upheld
from onlooker import environment_for_children
from upheld.cli import app

unix_only = pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UPHELD_STORE", str(tmp_path / "store.db"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store.db"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["--words-only", *arguments])


def made(store: Path) -> None:
    with upheld.open(store, embedder=None) as memory:
        memory.remember("The port of the ledger is 5432.", id="here")


@pytest.mark.parametrize(
    "arguments",
    [
        ("remember", ""),
        ("remember", "The sky is blue.", "--by", "nobody"),
        ("remember", "The sky is blue.", "--valid-from", "yesterday"),
        ("remember", "The sky is blue.", "--depends-on", "missing"),
        ("import", "missing.jsonl"),
        ("ingest", "missing.jsonl"),
        ("ingest", "bad.jsonl"),
        ("corpus", "add", "missing"),
    ],
    ids=" ".join,
)
def test_a_first_command_that_fails_makes_no_store(store: Path, arguments: tuple[str, ...]) -> None:
    """An empty store in its place would turn the next "there is no store" into "nothing was found"."""
    Path("bad.jsonl").write_text('{"role": "user"}\n')
    done = run(*arguments)
    assert done.exit_code in {1, 2}, done.output
    assert [each.name for each in store.parent.iterdir()] == ["bad.jsonl"]
    assert run("remember", "The sky is blue.").exit_code == 0, "the control"
    assert store.exists()


@pytest.mark.parametrize("suffix", ["", "-turn"])
@pytest.mark.parametrize("command", [("export", "-o"), ("audit", "run", "--chart"), ("audit", "report", "--chart")])
def test_no_command_writes_over_its_own_store(store: Path, command: tuple[str, ...], suffix: str) -> None:
    made(store)
    link = store.with_name("link")
    link.symlink_to(f"{store}{suffix}")
    for name in (f"{store}{suffix}", f"./{store.name}{suffix}", "link"):
        before = Path(f"{store}{suffix}").read_bytes()
        done = run(*command, name)
        assert (done.exit_code, "belongs to the store" in done.output) == (2, True), done.output
        assert Path(f"{store}{suffix}").read_bytes() == before
    assert run(*command, "elsewhere").exit_code == 0, "the control"
    assert Path("elsewhere").exists()


@unix_only
def test_an_export_into_a_pipe_does_not_put_the_pipe_away(store: Path) -> None:
    made(store)
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reading:
        assert run("export", "-o", "pipe").exit_code == 0
        shown, _ = reading.communicate(timeout=60)
    assert json.loads(shown)["id"] == "here"
    assert Path("pipe").is_fifo()


def test_an_export_that_cannot_be_written_names_the_place(store: Path) -> None:
    made(store)
    Path("folder").mkdir()
    for place in ("folder", "missing/log.jsonl"):
        done = run("export", "-o", place)
        assert (done.exit_code, f"cannot write {place}" in done.output) == (2, True), done.output
    assert sorted(each.name for each in store.parent.iterdir()) == ["folder", "store.db", "store.db-turn"]


def shell(line: str, store: Path) -> subprocess.CompletedProcess[str]:
    """A command line in a shell, where a stream may be closed or go to a full disk."""
    environment = environment_for_children() | {"UPHELD_STORE": str(store)}
    program = f"{sys.executable} -m upheld"
    return subprocess.run(
        ["sh", "-c", line.replace("upheld", program, 1)],
        env=environment,
        cwd=store.parent,
        capture_output=True,
        text=True,
        check=False,
    )


@unix_only
@pytest.mark.parametrize(
    "command",
    ["upheld list", "upheld --json list", "upheld export", "upheld --help", "upheld --words-only remember Hm."],
)
def test_output_that_cannot_be_written_is_no_fault_of_ours(store: Path, command: str) -> None:
    made(store)
    done = shell(f"{command} > /dev/full", store)
    assert done.returncode == 3, done.stderr
    assert "the output: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert shell(command, store).returncode == 0, "the control"


@unix_only
@pytest.mark.parametrize("closing", ["2> /dev/full", "2>&-", "<&- 2>&-"])
def test_what_nobody_can_hear_stops_nothing(store: Path, closing: str) -> None:
    made(store)
    done = shell(f"upheld get here {closing}", store)
    assert (done.returncode, "5432" in done.stdout) == (0, True)
    assert shell(f"upheld get missing {closing}", store).returncode == 1


@unix_only
def test_a_closed_output_is_written_to_no_file_of_the_store(store: Path) -> None:
    made(store)
    assert shell("upheld list >&-", store).returncode == 0
    assert shell("upheld --words-only remember 'The sky is blue.' >&- 2>&- <&-", store).returncode == 0
    with upheld.open(store, embedder=None) as memory:
        assert memory.list("default").notes[0].statement == "The sky is blue."


def test_a_store_in_a_folder_closed_to_us_can_be_examined_and_tried_out(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store)
    Path("more.jsonl").write_text('{"statement": "The sky is blue."}\n')
    monkeypatch.setattr("upheld.db.file.os.access", lambda path, _mode: Path(path) != store.parent)
    done = run("doctor")
    assert (done.exit_code, "nothing is wrong" in done.output) == (0, True), done.output
    tried = run("import", "more.jsonl", "--dry-run")
    assert (tried.exit_code, "nothing was written" in tried.output) == (0, True), tried.output
    refused = run("remember", "The sky is blue.")
    assert (refused.exit_code, "read-only" in refused.output) == (3, True), refused.output
