"""Publishing under a concurrent reader and a concurrent change of an input, and killed at any step.

Threads share one handle, or each actor is a process with a handle of its own. Run as a script it is one of those
processes, or the one whose forks are killed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import upheld
from onlooker import environment_for_children
from test_sweep_killed import everything
from upheld import Conflict, Memory, Standing
from upheld.aside import Quote, Sentence, Work
from upheld.db.sqlite import Sqlite
from upheld.doctor import examine
from upheld.opening import utc_now

SLOT_S = 0.02


class Says:
    """A writer that says the same of two notes, in words of its own for each version."""

    def __init__(self, version: str) -> None:
        self.name = f"says-{version}"

    def write(self, work: Work) -> list[Sentence]:
        quotes = tuple(Quote(note=note.id, text=note.statement) for note in work.notes)
        return [
            Sentence(text=text, quotes=quotes) for text in (q.text for q in quotes[:: 1 if "1" in self.name else -1])
        ]


def said(number: int) -> dict[str, str]:
    """All that is ever said in one round's scope."""
    one, two = f"Pump {number} is on.", f"Valve {number} is shut."
    return {"one": one, "two": two, "old": f"{one} {two}", "new": f"{two} {one}", "moved": f"Pump {number} is off."}


def whole(number: int) -> list[set[str]]:
    """What may be in force together: before, after the swap, after the change."""
    words = said(number)
    return [
        {words["one"], words["two"], words["old"]},
        {words["one"], words["two"], words["new"]},
        {words["moved"], words["two"]},
    ]


def scope(number: int) -> str:
    return f"round/{number}"


def prepare(memory: Memory, rounds: int) -> list[str]:
    """For each round two notes, a summary of them, and a staged one that would take its place; their ids."""
    staged = []
    for number in range(rounds):
        words, place = said(number), scope(number)
        for name in ("one", "two"):
            memory.remember(words[name], id=f"{name}-{number}", scope=place, extract_key=False)
        first = memory.consolidations.compress(scope=place, writer=Says("1"))
        memory.consolidations.publish(first.id or "")
        second = memory.consolidations.compress(scope=place, writer=Says("2"))
        assert (second.id, len(second.replaces)) != (None, 1)
        assert len(second.replaces) == 1
        staged.append(second.id or "")
    return staged


# --- what the actors do ----------------------------------------------------------------------------


def publish(memory: Memory, number: int, staged: str) -> str:
    try:
        memory.consolidations.publish(staged)
    except Conflict as conflict:
        return ",".join(conflict.current)
    return "published"


def move(memory: Memory, number: int) -> None:
    memory.supersede(f"one-{number}", said(number)["moved"], id=f"moved-{number}", extract_key=False)


def look(memory: Memory, number: int) -> list[str]:
    """What is wrong with what is in force together in a round's scope."""
    listed = {view.statement for view in memory.list(scope(number)).notes}
    recalled = {note.statement for note in memory.recall(f"pump valve {number}", scope=scope(number)).upheld}
    wrong = [] if listed in whole(number) else [f"listed together: {sorted(map(str, listed))}"]
    return wrong + ([] if any(recalled <= each for each in whole(number)) else [f"recalled: {sorted(recalled)}"])


def settled(memory: Memory, number: int, outcome: str) -> list[str]:
    """What is wrong after a round, given what became of the publishing in it."""
    views = {view.statement or "": view for view in memory.list(scope(number), mode="history").notes}
    words = said(number)
    standings = {name: views[words[name]].standing for name in words if words[name] in views}
    if outcome == "published":
        order = views[words["new"]].seq < views[words["moved"]].seq
        right = {"old": Standing.SUPERSEDED, "new": Standing.STALE}
        wrong = [] if order else ["published over an input that had moved"]
    else:
        right = {"old": Standing.STALE}
        wrong = [] if "new" not in standings else ["refused, and there all the same"]
        wrong += [] if outcome == f"one-{number}" else [f"named {outcome!r}"]
    return wrong + [
        f"{name} is {standings.get(name)}" for name, each in right.items() if standings.get(name) is not each
    ]


# --- threads on one handle -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_threads_on_one_handle_never_see_a_mix_nor_a_fresh_summary_over_a_moved_input(
    kind: str, tmp_path: Path, seed: int, *, long: bool
) -> None:
    rounds = 400 if long else 60
    chance = random.Random(seed)
    wrong: list[str] = []
    outcomes: list[str] = []
    with upheld.open(":memory:" if kind == "memory" else tmp_path / "m.db", embedder=None) as memory:
        staged = prepare(memory, rounds)
        for number in range(rounds):
            barrier = threading.Barrier(3)
            ahead = [chance.uniform(0, 0.002) for _ in range(2)]
            done = threading.Event()
            seen: list[str] = []

            def late(seconds: float, act: Callable[[], None], barrier: threading.Barrier = barrier) -> None:
                barrier.wait()
                time.sleep(seconds)
                act()

            def reading(
                number: int = number, done: threading.Event = done, barrier: Any = barrier, seen: list[str] = seen
            ) -> None:
                barrier.wait()
                while not done.is_set():
                    seen.extend(look(memory, number))

            def publishing(number: int = number) -> None:
                outcomes.append(publish(memory, number, staged[number]))

            def moving(number: int = number) -> None:
                move(memory, number)

            acting = [
                threading.Thread(target=late, args=(seconds, act))
                for seconds, act in zip(ahead, (publishing, moving), strict=True)
            ]
            reader = threading.Thread(target=reading)
            for thread in (*acting, reader):
                thread.start()
            for thread in acting:
                thread.join()
            done.set()
            reader.join()
            seen += settled(memory, number, outcomes[number])
            wrong += [f"seed {seed}, round {number}: {each}" for each in seen]
        assert examine(memory, now=utc_now()).findings == ()
    assert wrong == []
    published = outcomes.count("published")
    assert 0 < published < rounds, f"the control: both came first, {published} of {rounds}"


# --- processes -------------------------------------------------------------------------------------


def actor(role: str, path: str, rounds: str, seed: str) -> dict[str, Any]:
    """One process: at each round's moment and a little later, it does its part. It is told when they all begin."""
    chance = random.Random(f"{seed} {role}")
    outcomes: list[str] = []
    wrong: list[str] = []
    with upheld.open(path, embedder=None) as memory:
        staged = json.loads(Path(path).with_suffix(".staged").read_text())
        look(memory, 0)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        begin = sys.stdin.readline()
        for number in range(int(rounds)):
            slot = float(begin) + number * SLOT_S
            time.sleep(max(0.0, slot + chance.uniform(0, 0.006) - time.monotonic()))
            if role == "publish":
                outcomes.append(publish(memory, number, staged[number]))
            elif role == "move":
                move(memory, number)
            while role == "look" and time.monotonic() < slot + SLOT_S:
                wrong += [f"round {number}: {each}" for each in look(memory, number)]
    return {"outcomes": outcomes, "wrong": wrong}


def started(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, encoding="utf-8", env=environment_for_children())


def result_of(process: subprocess.Popen[str]) -> Any:
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    return json.loads(out.splitlines()[-1])


@pytest.mark.endurance(seconds=15)
def test_processes_never_see_a_mix_nor_a_fresh_summary_over_a_moved_input(
    tmp_path: Path, seed: int, *, long: bool
) -> None:
    rounds, path = 400 if long else 60, tmp_path / "m.db"
    with upheld.open(path, embedder=None) as memory:
        path.with_suffix(".staged").write_text(json.dumps(prepare(memory, rounds)))
    running = [started("act", role, path, rounds, seed) for role in ("publish", "move", "look", "look")]
    for process in running:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    begin = time.monotonic() + 0.1
    for process in running:
        assert process.stdin is not None
        process.stdin.write(f"{begin}\n")
        process.stdin.flush()
    reports = [result_of(each) for each in running]
    outcomes = reports[0]["outcomes"]
    wrong = [each for report in reports for each in report["wrong"]]
    with upheld.open(path, embedder=None) as memory:
        for number, outcome in enumerate(outcomes):
            wrong += [f"round {number}: {each}" for each in settled(memory, number, outcome)]
        assert examine(memory, now=utc_now()).findings == ()
    assert wrong == [], f"seed {seed}"
    published = outcomes.count("published")
    assert 0 < published < rounds, f"the control: both came first, {published} of {rounds}"


def test_of_many_who_publish_one_set_at_once_exactly_one_does(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with upheld.open(path, embedder=None) as memory:
        [staged] = prepare(memory, 1)
        outcomes: list[str] = []

        def publishing() -> None:
            with suppress(upheld.NotFound):
                outcomes.append(publish(memory, 0, staged))

        threads = [threading.Thread(target=publishing) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert outcomes == ["published"]


# --- killed ----------------------------------------------------------------------------------------


def consolidate(memory: Memory) -> None:
    memory.consolidations.compress(scope=scope(0), writer=Says("2"))


def publish_first(memory: Memory) -> None:
    memory.consolidations.publish(memory.consolidations.list()[0].id or "")


def discard_first(memory: Memory) -> None:
    memory.consolidations.discard(memory.consolidations.list()[0].id or "")


STEPS: dict[str, Callable[[Memory], None]] = {
    "stage": consolidate,
    "publish": publish_first,
    "discard": discard_first,
}


def life(path: str, act: Callable[[Memory], None], last: int, pipe: int) -> None:
    """Do one thing, killed right before the statement number `last`; tell how many there were."""
    done = 0
    one, many = Sqlite._execute, Sqlite._execute_many

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Sqlite, statement: str, parameters: Any) -> Any:
            nonlocal done
            done += 1
            if done == last:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(self, statement, parameters)

        return call

    Sqlite._execute, Sqlite._execute_many = counted(one), counted(many)  # type: ignore[method-assign]
    memory = upheld.open(path, embedder=None)
    act(memory)
    os.write(pipe, f"{done}\n".encode())
    os._exit(0)


def forked(path: Path, act: Callable[[Memory], None], last: int = 0) -> int | None:
    """Let a child do one thing; how many statements that took, None where it was killed."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            life(str(path), act, last, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        told = pipe.read()
    _, status = os.waitpid(child, 0)
    if not told and not os.WIFSIGNALED(status):
        raise AssertionError("a child failed without being killed")
    return int(told) if told else None


def killed(place: str) -> dict[str, Any]:
    """Each step of staging, publishing and discarding, killed before each of its statements."""
    wrong: list[str] = []
    counts: dict[str, int] = {}
    base, path = Path(place, "base.db"), Path(place, "m.db")
    with upheld.open(base, embedder=None) as memory:
        [staged] = prepare(memory, 1)
        memory.consolidations.discard(staged)
    for name, act in STEPS.items():
        if name != "stage":
            with upheld.open(base, embedder=None) as memory:
                if not memory.consolidations.list():
                    consolidate(memory)
        before = everything(base)
        shutil.copy(base, path)
        counts[name] = forked(path, act) or 0
        changed = everything(path)
        if {k: v for k, v in changed.items() if v != before[k]}.keys() == set():
            wrong.append(f"{name} changes nothing")
        for last in range(1, counts[name] + 1):
            for old in Path(place).glob("m.db*"):
                old.unlink()
            shutil.copy(base, path)
            if forked(path, act, last) is not None:
                wrong.append(f"{name}: nobody was killed at {last}")
            with upheld.open(path, embedder=None) as memory:
                wrong += [f"{name} killed at {last}: {each}" for each in examine(memory, now=utc_now()).findings]
            now = everything(path)
            wrong += [f"{name} killed at {last}: table {table}" for table in now if now[table] != before[table]]
            if forked(path, act) is None:
                wrong.append(f"{name} cannot be done after a kill at {last}")
        for old in Path(place).glob("m.db*"):
            old.unlink()
    return {"wrong": wrong, "counts": counts}


@pytest.mark.endurance(seconds=25)
def test_killed_between_any_two_steps_the_live_store_is_as_it_was(tmp_path: Path) -> None:
    report = result_of(started("killed", tmp_path))
    assert report["wrong"] == []
    assert report["counts"]["publish"] > report["counts"]["discard"] > 3, (
        "the control: there were steps to kill between"
    )
    assert report["counts"]["stage"] > 5


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    sys.stdout.write(json.dumps(actor(*rest) if what == "act" else killed(*rest)) + "\n")
