"""Several processes, threads and disasters on one file: nothing acknowledged is lost, nothing is half done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter as Tally
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import upheld
from onlooker import environment_for_children, log_of, python
from upheld import Busy, Conflict, Draft, Misconfigured, Standing
from upheld.doctor import examine
from upheld.note import Link, Note, Rel
from upheld.opening import utc_now

CONTENDERS = Path(__file__).with_name("contenders.py")
NOBODY = 65534


def contend(role: str, path: Path, *rest: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CONTENDERS), role, str(path), *rest],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment_for_children(),
    )


def result_of(process: subprocess.Popen[str], timeout: float = 120) -> Any:
    out, err = process.communicate(timeout=timeout)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


def at_once(role: str, path: Path, count: int, times: int) -> list[Any]:
    """What `count` processes of one role report that began at one moment."""
    begin = str(time.monotonic() + 0.6 * count)
    started = [contend(role, path, f"p{number}", str(times), begin) for number in range(count)]
    return [result_of(process) for process in started]


def healthy(path: Path) -> bool:
    with upheld.open(path, embedder=None) as memory:
        return examine(memory, now=utc_now()).findings == ()


# --- processes --------------------------------------------------------------------------------------


def test_of_900_attempts_by_six_processes_each_won_or_met_the_head_and_one_head_is_left(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None) as memory:
        memory.remember("root", id="root", extract_key=False)
    reports = at_once("supersede", path, 6, 150)
    won = [id for report in reports for id in report["won"]]
    assert len(won) + sum(report["lost"] for report in reports) == 900
    assert sum(report["unnamed"] for report in reports) == 0, "every loser was told the present head"
    assert sum(report["lost"] for report in reports) > 50, "the control: they did contend"
    with upheld.open(path, embedder=None) as memory:
        lines = log_of(memory)
        assert {line.id for line in lines if isinstance(line, Note)} == {"root", *won}
        replaced = Tally(line.target for line in lines if isinstance(line, Link) and line.rel is Rel.SUPERSEDES)
        assert set(replaced.values()) == {1}, "no note has two successors"
        assert sum(replaced.values()) == len(won)
        assert len(memory.list("default").notes) == 1
        assert len(memory.recall("root").upheld) == 1
    assert healthy(path)


def test_eight_processes_write_and_none_is_turned_away_or_starved(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    upheld.open(path, embedder=None).close()
    reports = at_once("write", path, 8, 40)
    with upheld.open(path, embedder=None) as memory:
        assert memory.scopes() == {f"p{number}": 40 for number in range(8)}
        assert [line.seq for line in log_of(memory)] == list(range(1, 321))  # type: ignore[attr-defined]
    assert max(report["longest"] for report in reports) < 10, "far below the deadline of 30 s"
    assert healthy(path)


def test_many_processes_may_make_and_open_a_store_at_one_moment(tmp_path: Path) -> None:
    at_once("start", tmp_path / "m.db", 4, 10)
    for path in (tmp_path / f"m.db-{number}" for number in range(10)):
        with upheld.open(path, embedder=None) as memory:
            assert len(memory.list("default").notes) == 4
            assert examine(memory, now=utc_now()).findings == ()


@pytest.mark.endurance(seconds=20)
def test_whatever_was_acknowledged_before_a_kill_is_there_after_it_and_nothing_is_half_written(
    tmp_path: Path, seed: int, *, long: bool
) -> None:
    rounds = 1000 if long else 100
    report = result_of(contend("killed", tmp_path / "m.db", str(rounds), str(seed)), timeout=600)
    assert report["wrong"] == []
    assert report["acknowledged"] >= 2 * rounds, "the control: the writers did write"


@pytest.fixture
def stopped_writer(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[str]]]:
    """A store with one note, and a process that was stopped inside a transaction on it."""
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None) as memory:
        memory.remember("a sample", id="a")
    holder = contend("hold", path, "p", "0")
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.send_signal(signal.SIGSTOP)
    try:
        yield path, holder
    finally:
        holder.kill()
        holder.communicate()


def test_a_stopped_writer_makes_others_busy_within_their_deadline_and_stops_no_reader(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None, busy_s=0.5) as memory:
        memory.remember("a sample", id="a")
        holder = contend("hold", path, "p", "0")
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.send_signal(signal.SIGSTOP)
        try:
            for _ in range(2):
                begun = time.monotonic()
                with pytest.raises(Busy):
                    memory.remember("another sample")
                assert 0.3 < time.monotonic() - begun < 3
                assert [note.id for note in memory.recall("sample").upheld] == ["a"]
        finally:
            holder.send_signal(signal.SIGCONT)
            result_of(holder)
        assert memory.remember("another sample").outcome == "added"
        assert len(log_of(memory)) == 2


def test_a_store_can_be_opened_and_read_while_another_process_is_stopped_inside_a_write(
    stopped_writer: tuple[Path, subprocess.Popen[str]],
) -> None:
    path, _ = stopped_writer
    with upheld.open(path, embedder=None, busy_s=0.5) as memory:
        assert [note.id for note in memory.recall("sample").upheld] == ["a"]


def test_a_store_opened_before_a_fork_is_refused_in_the_child(tmp_path: Path) -> None:
    script = (
        "import os, sys, upheld\n"
        "memory = upheld.open(sys.argv[1], embedder=None)\n"
        "memory.remember('before')\n"
        "if os.fork() == 0:\n"
        "    for verb in (lambda: memory.recall('before'), lambda: memory.remember('after')):\n"
        "        try: verb()\n"
        "        except upheld.Misconfigured: continue\n"
        "        os._exit(1)\n"
        "    os._exit(0)\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]), len(memory.recall('before').upheld))\n"
    )
    assert python(script, str(tmp_path / "m.db")).split() == ["0", "1"]
    assert issubclass(Misconfigured, upheld.UpheldError)


# --- threads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [2, 20])
def test_threads_share_one_store(tmp_path: Path, threads: int) -> None:
    with upheld.open(tmp_path / "m.db", embedder=None) as memory:

        def write(thread: int) -> None:
            for number in range(100 // threads):
                note = memory.remember(f"thread {thread} wrote {number}", extract_key=False)
                assert memory.get(note.id).standing is Standing.IN_FORCE
                memory.recall(f"thread {thread}", limit=3)

        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(write, range(threads)))
        assert memory.scopes() == {"default": 100}
        assert examine(memory, now=utc_now()).findings == ()


def test_of_twenty_threads_on_one_note_exactly_one_wins(tmp_path: Path) -> None:
    with upheld.open(tmp_path / "m.db", embedder=None) as memory:
        memory.remember("root", id="root")

        def attempt(number: int) -> str:
            try:
                return memory.supersede("root", f"thread {number}").outcome
            except Conflict as conflict:
                return "conflict" if conflict.current_head is not None else "a conflict with nothing"

        with ThreadPoolExecutor(20) as pool:
            outcomes = Tally(pool.map(attempt, range(20)))
        assert outcomes == {"superseded": 1, "conflict": 19}


def test_a_reader_sees_a_write_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None) as writer, upheld.open(path, embedder=None) as reader:
        writer.remember("pair 0", id="pair0", extract_key=False)

        def replace_over_and_over() -> None:
            for number in range(1, 60):
                writer.supersede(f"pair{number - 1}", f"pair {number}", id=f"pair{number}", extract_key=False)

        with ThreadPoolExecutor(1) as pool:
            working = pool.submit(replace_over_and_over)
            seen = []
            while not working.done():
                seen.append(len(reader.recall("pair").upheld))
            working.result()
        assert set(seen) == {1}


# --- disks ------------------------------------------------------------------------------------------


def test_a_file_that_may_not_grow_gives_a_typed_error_and_goes_on_reading(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    report = result_of(contend("fill", path, str(2 * 1024 * 1024), "0"))
    assert report["error"] == "unavailable"
    assert report["read"] == ["first"]
    assert report["written"] > 10
    with upheld.open(path, embedder=None) as memory:
        assert sum(memory.scopes().values()) == report["written"]
        assert memory.remember("there is room again").outcome == "added"
    assert healthy(path)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes; needs the right to mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if os.geteuid() != 0 or mount is None:
        pytest.skip("only root may mount a small file system")
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("this machine lets nobody mount a file system")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_gives_a_typed_error_and_goes_on_reading(small_disk: Path) -> None:
    path = small_disk / "m.db"
    report = result_of(contend("fill", path, "0", "0"))
    assert report["error"] == "unavailable"
    assert report["read"] == ["first"]
    with upheld.open(path, embedder=None) as memory:
        assert sum(memory.scopes().values()) == report["written"]
        assert examine(memory, now=utc_now()).findings == ()


@pytest.mark.parametrize("folder_too", [False, True])
def test_a_store_that_may_only_be_read_is_read_and_a_write_is_a_typed_error(*, folder_too: bool) -> None:
    # Not in tmp_path: that lies in a folder which other users cannot enter.
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "m.db"
        with upheld.open(path, embedder=None) as memory:
            memory.remember("a sample")
        path.chmod(0o444)
        folder.chmod(0o555 if folder_too else 0o777)
        report = result_of(contend("look", path, str(NOBODY if os.geteuid() == 0 else 0), "0"))
        assert report["read"] == ["a sample"]
        assert report["error"] in {"unavailable", "misconfigured"}
    finally:
        folder.chmod(0o777)
        shutil.rmtree(folder)
    with upheld.open(":memory:", embedder=None) as memory:
        assert memory.remember("a sample").outcome == "added", "the control"


# --- faults of the disk at every call -----------------------------------------------------------------

SWEEP = Path(__file__).with_name("faulty_disk.py")


@pytest.mark.parametrize(
    ("verb", "fault"),
    [
        ("supersede", "io"),
        ("supersede", "full"),
        ("supersede", "power"),
        ("retract", "power"),
        ("remember_many", "io"),
        ("remember_many", "power"),
    ],
)
def test_a_disk_that_fails_at_any_call_leaves_the_state_before_or_after_never_between(
    tmp_path: Path, verb: str, fault: str
) -> None:
    report = json.loads(python(SWEEP, str(tmp_path), verb, fault))
    assert report["wrong"] == []
    assert report["points"] >= 5, "the control: there were calls to fail"
    assert report["raised"] >= report["points"] // 2, "the control: the faults were felt"
    assert report["untyped"] == []


def test_the_sweep_notices_what_no_transaction_holds_together(tmp_path: Path) -> None:
    report = json.loads(python(SWEEP, str(tmp_path), "in_two_verbs", "power"))
    assert any("neither" in line for line in report["wrong"])


def drafts(count: int) -> Sequence[Draft]:
    return [Draft(statement=f"sample {number}", extract_key=False) for number in range(count)]


def test_a_batch_that_is_interrupted_leaves_whole_parts_only(tmp_path: Path) -> None:
    class Stop(Exception):
        pass

    def stop(done: int) -> None:
        raise Stop

    with upheld.open(tmp_path / "m.db", embedder=None) as memory:
        with pytest.raises(Stop):
            memory.remember_many(drafts(5000), progress=stop)
        kept = sum(memory.scopes().values())
        assert 0 < kept < 5000
        assert examine(memory, now=utc_now()).findings == ()
        assert memory.remember("it goes on").outcome == "added"
