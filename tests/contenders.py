"""What other processes do to one store in `test_processes.py`: contend for its head, write, die, stop, fill the disk.

Run as `contenders.py ROLE PATH ...`; each role prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NoReturn

import upheld
from upheld import Conflict, Memory, UpheldError
from upheld.doctor import examine
from upheld.note import Link, Note
from upheld.opening import utc_now


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def wait_for(begin: str, after: float = 0.0) -> None:
    """Wait until a moment of the clock that all processes of a machine share."""
    time.sleep(max(0.0, float(begin) + after - time.monotonic()))


def opened(path: str, busy_s: float = 30.0) -> Memory:
    return upheld.open(path, embedder=None, busy_s=busy_s)


def supersede(path: str, name: str, times: str, begin: str) -> dict[str, object]:
    """Supersede what this process believes to be the head, again and again; believe what a conflict says."""
    wait_for(begin)
    won, lost, head = [], 0, "root"
    named: list[str | None] = []
    with opened(path) as memory:
        for number in range(int(times)):
            try:
                head = memory.supersede(head, f"{name} step {number}", id=f"{name}-{number}", extract_key=False).id
                won.append(head)
            except Conflict as conflict:
                lost += 1
                named.append(conflict.current_head)
                head = conflict.current_head or head
    return {"won": won, "lost": lost, "unnamed": named.count(None)}


def write(path: str, name: str, times: str, begin: str) -> dict[str, object]:
    """Write one note after another."""
    wait_for(begin)
    begun = time.monotonic()
    longest = 0.0
    with opened(path) as memory:
        for number in range(int(times)):
            before = time.monotonic()
            memory.remember(f"{name} wrote {number}", id=f"{name}-{number}", scope=name, extract_key=False)
            longest = max(longest, time.monotonic() - before)
    return {"seconds": time.monotonic() - begun, "longest": longest}


def start(path: str, name: str, times: str, begin: str) -> dict[str, object]:
    """Make or open one store after another, each at the same moment as the other processes, and write once."""
    for number in range(int(times)):
        wait_for(begin, number * 0.1)
        with opened(f"{path}-{number}") as memory:
            memory.remember(f"{name} started {number}", extract_key=False)
    return {}


def killed(path: str, rounds: str, seed: str) -> dict[str, object]:
    """Let a child write until it is killed, and look at what it left; say what was wrong in which round."""
    chance = random.Random(int(seed))
    wrong: list[str] = []
    acknowledged = 0
    opened(path).close()
    for number in range(int(rounds)):
        told = _one_life(path, number, chance.uniform(0.0, 0.06))
        acknowledged += len(told)
        with opened(path) as memory:
            there = _what_is_there(memory)
            found = [*(f"{each} was acknowledged and is gone" for each in told if each not in there)]
            found += examine(memory, now=utc_now()).findings
            found += _half_written(memory)
        wrong += [f"round {number}: {each}" for each in found]
    return {"wrong": wrong, "acknowledged": acknowledged, "notes": sum(each.startswith("note") for each in there)}


def _what_is_there(memory: Memory) -> set[str]:
    """The log in the words in which a writer acknowledges."""
    names: dict[int, str] = {}
    found: set[str] = set()
    for line in memory.export():
        if isinstance(line, Note):
            names[line.seq] = line.id
            found.add(f"note {line.id}")
        elif isinstance(line, Link):
            found.add(f"{line.rel} {names[line.origin]} {names[line.target]}")
        else:
            found.add(f"{line.verb} {names[line.note]}")
    return found


def _one_life(path: str, number: int, seconds: float) -> list[str]:
    """Fork a writer, kill it `seconds` after its first acknowledgement, and return all that it acknowledged."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _write_for_ever(path, number, writing)
    os.close(writing)
    told = os.read(reading, 65536)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 65536):
        told += more
    os.close(reading)
    return told.decode().split("\n")[:-1]  # what follows the last line break was cut off by the kill


def _write_for_ever(path: str, life: int, pipe: int) -> NoReturn:
    """Each verb in turn; what it brought about is told after it returned."""

    def tell(*brought_about: str) -> None:
        os.write(pipe, "".join(f"{each}\n" for each in brought_about).encode())

    with opened(path) as memory:
        for turn in count():
            id = f"{life}-{turn}"
            memory.remember(f"{id} first", id=id, extract_key=False)
            tell(f"note {id}")
            memory.remember(f"{id} rests", id=f"{id}-rests", depends_on=id, extract_key=False)
            tell(f"note {id}-rests", f"depends_on {id}-rests {id}")
            memory.supersede(f"{id}-rests", f"{id} second", id=f"{id}-second", extract_key=False)
            tell(f"note {id}-second", f"supersedes {id}-second {id}-rests")
            memory.retract(f"{id}-second", reason="again")
            tell(f"retracted {id}-second")
    raise AssertionError("a count has no end")


def _half_written(memory: Memory) -> list[str]:
    """Notes that were to replace or rest on another and do not."""
    lines = list(memory.export())
    linked = {line.origin for line in lines if isinstance(line, Link)}
    return [
        f"{line.id} was written without its link"
        for line in lines
        if isinstance(line, Note) and line.id.endswith(("-rests", "-second")) and line.seq not in linked
    ]


def hold(path: str, _name: str, _times: str) -> dict[str, object]:
    """Take the write lock, say so, and keep it until the end of the input."""
    with opened(path) as memory, memory._database.writing():
        say("held")
        sys.stdin.read()
    return {}


def fill(path: str, limit: str, _times: str) -> dict[str, object]:
    """Write until the file may not grow any more; say how each write ended, then read."""
    with opened(path) as memory:
        memory.remember("the first sample", id="first", extract_key=False)
        if int(limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
        written, error = 1, None
        try:
            for number in range(100_000):
                memory.remember(f"sample {number} " + "x" * 4000, id=f"s{number}", extract_key=False)
                written += 1
        except UpheldError as raised:
            error = raised.code
        read = [note.id for note in memory.recall("first sample", limit=1).upheld]
        if int(limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return {"written": written, "error": error, "read": read}


def look(path: str, user: str, _times: str) -> dict[str, object]:
    """As a user who may read the file and not write it: open, recall, try to write."""
    if int(user):
        os.setgid(int(user))
        os.setuid(int(user))
    with opened(path) as memory:
        read = [note.statement for note in memory.recall("sample").upheld]
        try:
            memory.remember("another")
            error = None
        except UpheldError as raised:
            error = raised.code
    return {"read": read, "error": error}


def ask(path: str, _name: str, times: str, begin: str) -> dict[str, object]:
    """Ask for a value whose window is over, with an owner that takes its time and keeps each call in a file."""
    calls = Path(path).with_name("calls")

    def plan(_: str) -> str:
        with calls.open("a", encoding="utf-8") as file:
            file.write("asked\n")
        time.sleep(0.1)
        return "Pro"

    later = datetime(2026, 1, 2, tzinfo=UTC)
    heard = stale = 0
    with upheld.open(path, embedder=None, clock=lambda: later, verifiers={"plan": plan}) as memory:
        wait_for(begin)
        for _ in range(int(times)):
            served = [note.statement for note in memory.recall("Acme plan", scope="c").upheld]
            heard += served == ["The plan of Acme is Pro."]
            stale += "Acme is on the Team plan." in served
    return {"heard": heard, "stale": stale}


ROLES: dict[str, Callable[..., dict[str, object]]] = {
    "supersede": supersede,
    "write": write,
    "start": start,
    "killed": killed,
    "hold": hold,
    "fill": fill,
    "look": look,
    "ask": ask,
}

if __name__ == "__main__":
    role, store, *rest = sys.argv[1:]
    Path(store).parent.mkdir(exist_ok=True)
    say(json.dumps(ROLES[role](store, *rest)))
