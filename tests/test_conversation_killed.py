"""Extraction by two processes at once, and killed at any step: each message is written once, and none is lost.

Run as a script it is one of those processes, or the one whose forks are killed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import upheld
from onlooker import environment_for_children
from upheld import Key, Memory
from upheld.conversation import Kept, Message, Offer, Role
from upheld.db.sqlite import Sqlite
from upheld.doctor import examine
from upheld.opening import utc_now
from worlds import Clock

ROUNDS = 12


class Careless:
    """An extractor that makes up a number, so that what it reads is set aside."""

    name = "careless/1"

    def extract(self, messages: Sequence[Kept], before: Sequence[Kept]) -> list[Offer]:
        return [Offer(message=each.number, quote=each.text, statement="Acme pays 25 euros.") for each in messages]


TALK = (
    ("person:ana", "The plan of Acme is Pro with 3 seats."),
    ("person:ana", "Is that right?"),
    ("person:bo", "Sales wrote that the plan of Acme is Pro with 3 seats. The port of orders is 5432."),
    ("agent:planner", "The port of orders is 5432."),
    ("person:ana", "API v1 uses the customer_legacy column. So we must not drop it."),
    ("person:ana", "The plan of Acme is Team with 9 seats."),
    ("person:bo", "The desk of Bo is B12. The port of orders is 5432."),
)
OFFERED = (("person:ana", "Acme pays 20 euros."), ("person:ana", "Zeta pays 30 euros."))


def opened(path: Path | str) -> Memory:
    return upheld.open(path, embedder=None, clock=Clock())


def prepare(memory: Memory, number: int) -> None:
    scope, now = f"round/{number}", Clock()()
    key = Key(subject="orders", attribute="room")
    memory.remember("room: Hall 3 in Oslo", scope=scope, key=key, value="Hall 3 in Oslo", observed_at=now)
    for name, talk in (("talk", TALK), ("offered", OFFERED)):
        messages = [
            Message(role=Role.USER if by.startswith("person") else Role.ASSISTANT, by=by, at=now, text=text)
            for by, text in talk
        ]
        memory.ingest(messages, scope=scope, conversation=name)


def extract(memory: Memory, number: int) -> None:
    scope = f"round/{number}"
    memory.extract("talk", scope=scope)
    memory.extract("offered", scope=scope, extractor=Careless())


def left(memory: Memory, number: int) -> dict[str, list[Any]]:
    """All that extraction leaves in one round's scope, ids and positions apart."""
    scope = f"round/{number}"
    with memory._database.reading() as view:
        seqs = view.listed([scope], [], before=None, limit=1000)
        notes = view.notes(seqs)
        links = {each for each in view.links(seqs) if each.origin in notes}
        events = view.events(seqs)
        reviews = [each for each in view.aside.reviews() if each.drafts[0].scope == scope]
        waiting = [
            view.messages.waiting(conversation=name, scope=scope, by=by)
            for name, by in (("talk", "rules/1"), ("offered", Careless.name))
        ]
    return {
        "notes": sorted(each.statement for each in notes.values()),
        "links": sorted((notes[each.origin].statement, each.rel.value, notes[each.target].statement) for each in links),
        "events": sorted((each.verb.value, notes[each.note].statement) for each in events),
        "reviews": sorted([each.what.value, *(draft.statement for draft in each.drafts)] for each in reviews),
        "waiting": waiting,
    }


def whole(folder: Path) -> dict[str, list[Any]]:
    """What one process leaves that nobody disturbs."""
    with opened(folder / "whole.db") as memory:
        prepare(memory, 0)
        extract(memory, 0)
        found: dict[str, list[Any]] = json.loads(json.dumps(left(memory, 0)))
    return found


def test_the_control_what_one_process_leaves(tmp_path: Path) -> None:
    found = whole(tmp_path)
    assert len(found["notes"]) == len(set(found["notes"])) == 8
    assert {rel for _, rel, _ in found["links"]} == {"derived_from", "depends_on", "supersedes"}
    assert [verb for verb, _ in found["events"]].count("confirmed") == 1
    assert len(found["reviews"]) == 2
    assert found["waiting"] == [0, 0]


# --- two at once ----------------------------------------------------------------------------------


def actor(path: str) -> dict[str, Any]:
    """Extract each round's conversations, as soon as it is told to begin."""
    with opened(path) as memory:
        memory.extract("nobody")
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        begin = float(sys.stdin.readline())
        counts = []
        for number in range(ROUNDS):
            time.sleep(max(0.0, begin + number * 0.05 - time.monotonic()))
            before = len(memory.list(f"round/{number}", mode="history", limit=1000).notes)
            extract(memory, number)
            counts.append(before)
    return {"counts": counts}


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8", env=environment_for_children())


def result_of(process: subprocess.Popen[str]) -> Any:
    out, _ = process.communicate(timeout=600)
    assert process.returncode == 0
    return json.loads(out.splitlines()[-1])


def test_two_processes_that_read_one_conversation_write_each_message_once(tmp_path: Path) -> None:
    path, wanted = tmp_path / "m.db", whole(tmp_path)
    with opened(path) as memory:
        for number in range(ROUNDS):
            prepare(memory, number)
    running = [started("act", path) for _ in range(2)]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    begin = time.monotonic() + 0.1
    for process in running:
        assert process.stdin is not None
        process.stdin.write(f"{begin}\n")
        process.stdin.flush()
    reports = [result_of(process) for process in running]
    with opened(path) as memory:
        for number in range(ROUNDS):
            assert json.loads(json.dumps(left(memory, number))) == wanted, f"round {number}"
        assert examine(memory, now=utc_now()).findings == ()
    met = [sum(count == 1 for count in each) for each in zip(*(r["counts"] for r in reports), strict=True)]
    assert 2 in met, "the control: in some round both found nothing written yet"


# --- killed ---------------------------------------------------------------------------------------


def life(path: Path, last: int, pipe: int) -> None:
    """Extract, killed right before the statement number `last`; tell how many there were."""
    done = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Sqlite, statement: str, parameters: Any) -> Any:
            nonlocal done
            done += 1
            if done == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(self, statement, parameters)

        return call

    Sqlite._execute = counted(Sqlite._execute)  # type: ignore[method-assign]
    Sqlite._execute_many = counted(Sqlite._execute_many)  # type: ignore[method-assign]
    extract(opened(path), 0)
    os.write(pipe, f"{done}\n".encode())
    os._exit(0)


def forked(path: Path, last: int = 0) -> int | None:
    """Let a child extract; how many statements that took, None where it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            life(path, last, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if not told and not os.WIFSIGNALED(status):
        raise AssertionError("a child failed without being killed")
    return int(told) if told else None


def killed(place: str, every: str) -> dict[str, Any]:
    """Extraction killed before its statements, some or all, and then done again."""
    base, path = Path(place, "base.db"), Path(place, "m.db")
    with opened(base) as memory:
        prepare(memory, 0)
    wanted, wrong, between = whole(Path(place)), [], 0
    shutil.copy(base, path)
    count = forked(path) or 0
    for last in range(1, count + 1, int(every)):
        for old in Path(place).glob("m.db*"):
            old.unlink()
        shutil.copy(base, path)
        if forked(path, last) is not None:
            wrong.append(f"nobody was killed at {last}")
        with opened(path) as memory:
            between += len(left(memory, 0)["notes"]) > 1 and left(memory, 0)["waiting"] != [0, 0]
            extract(memory, 0)
            if json.loads(json.dumps(left(memory, 0))) != wanted:
                wrong.append(f"killed at {last}: {left(memory, 0)}")
            wrong += [f"killed at {last}: {each}" for each in examine(memory, now=utc_now()).findings]
    return {"wrong": wrong, "count": count, "between": between}


@pytest.mark.endurance(seconds=15)
def test_killed_before_any_statement_nothing_is_doubled_and_nothing_lost(tmp_path: Path, *, long: bool) -> None:
    report = result_of(started("killed", tmp_path, 1 if long else 3))
    assert report["wrong"] == []
    assert report["count"] > 40, "the control: there were steps to kill between"
    assert report["between"] > 5, "the control: some died with part of their work done"


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    sys.stdout.write(json.dumps(actor(*rest) if what == "act" else killed(*rest)) + "\n")
