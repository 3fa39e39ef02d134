"""Killed anywhere and resumed: the same end, no verdict paid for twice, no notice and no message lost or doubled.

Run as a script it is the process that plays the rounds: it forks a worker for each stage, kills it at a random moment,
lets the next one go on, and compares what is in the file in the end with a run that nobody killed.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw

import upheld
from judges_for_tests import Recording, corpus_of
from upheld import Citation, Memory
from upheld.document import Chunk
from worlds import Clock

SERVICES = range(14)
LEFT_OUT = "('setting')"


def said(number: int, value: int) -> str:
    return f"The port of service {number} is {value}."


def opened(path: Path, days: int) -> Memory:
    clock = Clock()
    clock.move(timedelta(days=days))
    return upheld.open(path, embedder=None, clock=clock)


# --- what happens ----------------------------------------------------------------------------------


def write(docs: Path, texts: dict[str, Sequence[str]]) -> None:
    """Let a folder hold these documents and no others."""
    docs.mkdir(exist_ok=True)
    for path in docs.iterdir():
        if path.name not in texts:
            path.unlink()
    for name, passages in texts.items():
        (docs / name).write_text("\n\n".join(passages), encoding="utf-8")


FIRST = {
    "a.md": [said(number, 7000 + number % 2) for number in range(5)],
    "b.md": [said(number, 7000) for number in range(5, 10)],
    "c.md": ["Lunch is at noon.", "Tea is at four."],
    "d.md": [said(10, 7000), "As of 1 June 2027, the port of service 11 is 7011."],
}
SECOND = {
    "a.md": [said(number, 7000 + (number % 3 == 0)) for number in range(5)],
    "b.md": [said(number, 7000) for number in range(5, 10)] + ["A last line."],
    "d.md": [said(10, 7001), "Dinner is at eight."],
    "e.md": [said(12, 7000), said(13, 7001)],
}


def prepare_first(path: Path, docs: Path) -> None:
    with opened(path, 0) as memory:
        for number in SERVICES:
            memory.remember(said(number, 7000 + number % 2), id=f"port{number}")
            memory.remember(f"Rule {number} opens a port.", id=f"rule{number}", depends_on=f"port{number}")
        where = (docs / "c.md").as_posix()
        lunch = Citation(original="Lunch is at noon.", ref=where, quote="Lunch is at noon.")
        memory.remember("Lunch is at noon.", id="lunch", sources=lunch)
    write(docs, FIRST)


def prepare_second(_path: Path, docs: Path) -> None:
    write(docs, SECOND)


def prepare_third(path: Path, _docs: Path) -> None:
    with opened(path, 2) as memory:
        for number in SERVICES:
            memory.remember(said(number, 9000), id=f"late{number}", scope="late")


STAGES: tuple[tuple[Callable[[Path, Path], None], bool], ...] = (
    (prepare_first, False),
    (prepare_second, False),
    (prepare_third, True),
)


def work(path: Path, docs: Path, stage: int, log: Path, last: int = 0) -> int:
    """What a worker does in a stage: add the folder, or sweep. Small batches, so that there is much to fall between.

    With `last` it dies right after so many transactions. Returns how many there were.
    """
    upheld.documents.DOCUMENTS_AT_ONCE, upheld.documents.NOTES_AT_ONCE = 2, 4
    done = 0
    with opened(path, stage) as memory:
        database = memory._database
        real = database.writing

        @contextmanager
        def writing() -> Iterator[Any]:
            nonlocal done
            with real() as tx:
                yield tx
            done += 1
            if done == last:
                os.kill(os.getpid(), signal.SIGKILL)

        database.writing = writing  # type: ignore[method-assign]
        corpus = corpus_of(memory, Recording(log))
        if STAGES[stage][1]:
            corpus.sweep(approve=100)
        else:
            corpus.add(docs, approve=100)
    return done


# --- what is left ----------------------------------------------------------------------------------


def rows(path: Path, select: str) -> list[Any]:
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(select).fetchall()
    finally:
        connection.close()


def everything(path: Path) -> dict[str, list[Any]]:
    """All that is in a store: log, documents, verdicts, notices, outbox, and what waits."""
    tables = rows(path, f"select name from sqlite_schema where type = 'table' and name not in {LEFT_OUT}")
    names = [name for (name,) in tables if not name.startswith(("words", "sqlite"))]
    return {name: sorted(map(repr, rows(path, f"select * from {name}"))) for name in names}


def kept(path: Path) -> set[str]:
    """The pairs that a verdict is kept of, as a judge notes them."""
    found = rows(path, "select note.statement, verdict.chunk from verdict join note on note.seq = verdict.note")
    return {f"{statement}|{chunk}" for statement, chunk in found}


def wrong_in(path: Path) -> list[str]:
    """What is lost or doubled: each event of a document has one notice and one message, each notice an event."""
    spoken = "('contradicted', 'disputed', 'unsourced')"
    events = rows(path, f"select seq from event where verb in {spoken} order by seq")
    notices = rows(path, "select event from notice order by event")
    messages = rows(path, "select payload ->> 'event' from outbox order by 1")
    twice = rows(
        path,
        "select note from event where verb in ('contradicted', 'disputed') "
        "group by note, evidence ->> 'document', evidence ->> 'chunk' having count(*) > 1",
    )
    found = [] if events == notices == messages else [f"events {events}, notices {notices}, messages {messages}"]
    return found + [f"note {note} was accused twice of the same" for (note,) in twice]


# --- rounds ----------------------------------------------------------------------------------------


def fork(path: Path, docs: Path, stage: int, log: Path, seconds: float | None = None, last: int = 0) -> bool:
    """Let a worker do a stage; let it be killed after some seconds or transactions. Say whether it came to its end."""
    child = os.fork()
    if child == 0:
        try:
            done = work(path, docs, stage, log, last)
            log.with_suffix(".count").write_text(str(done))
        finally:
            os._exit(0 if sys.exc_info()[0] is None else 1)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise AssertionError(f"the worker of stage {stage} failed")
    return os.WIFEXITED(status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A stage that nobody killed: the file before it, its seconds and transactions, what it left and judged."""

    before: bytes
    seconds: float
    transactions: int
    left: dict[str, list[Any]]
    judged: int


def play_whole(place: Path) -> list[Whole]:
    """All stages, one after the other, without a kill."""
    path, docs, stages = place / "m.db", place / "docs", []
    for stage, (prepare, _) in enumerate(STAGES):
        prepare(path, docs)
        before, log, begun = path.read_bytes(), place / f"asked-{stage}", time.monotonic()
        if not fork(path, docs, stage, log) or wrong_in(path):
            raise AssertionError(f"stage {stage} goes wrong without a kill: {wrong_in(path)}")
        seconds, judged = time.monotonic() - begun, len(log.read_text().splitlines())
        transactions = int(log.with_suffix(".count").read_text())
        left = everything(path)
        stages.append(Whole(before=before, seconds=seconds, transactions=transactions, left=left, judged=judged))
    return stages


@dataclass(slots=True)
class Count:
    """Over all rounds: workers that were killed, and those of them that left part of their work."""

    kills: int = 0
    between: int = 0


def play(place: Path, stage: int, whole: Whole, chance: random.Random, count: Count) -> list[str]:
    """One stage to its end, up to three workers being killed on the way; what was wrong.

    A worker dies at some moment, or right after some transaction: what falls between two of them is soon over.
    """
    path, docs, wrong = place / "m.db", place / "docs", []
    for old in place.glob("m.db*"):
        old.unlink()
    path.write_bytes(whole.before)
    write(docs, FIRST if stage == 0 else SECOND)
    before = everything(path)
    for attempt in range(4):
        was, log = kept(path), place / "asked"
        log.write_text("")
        if attempt == 3:
            done = fork(path, docs, stage, log)
        elif chance.randrange(2):
            done = fork(path, docs, stage, log, seconds=chance.uniform(0.0, whole.seconds))
        else:
            done = fork(path, docs, stage, log, last=chance.randint(1, whole.transactions))
        pairs = log.read_text().splitlines()
        wrong += [f"judged again: {pair}" for pair in sorted(was & set(pairs))]
        wrong += ["one worker judged a pair twice"] * (len(set(pairs)) < len(pairs))
        wrong += wrong_in(path)
        if done:
            break
        count.kills += 1
        count.between += everything(path) not in (before, whole.left)
    left = everything(path)
    return wrong + [f"table {name} differs from a run without kills" for name in left if left[name] != whole.left[name]]


def rounds(place: Path, many: int, seed: int) -> dict[str, Any]:
    """So many rounds, the stages in turn. Documents are named by their path, so all are played in one place."""
    stages, count, wrong = play_whole(place), Count(), []
    stood = standings(place / "m.db")
    for number in range(many):
        stage = number % len(STAGES)
        found = play(place, stage, stages[stage], random.Random(f"{seed} {number}"), count)
        wrong += [f"seed {seed}, round {number}, stage {stage}: {each}" for each in found]
    return {
        "wrong": wrong,
        "kills": count.kills,
        "between": count.between,
        "judged": [whole.judged for whole in stages],
        "verdicts": len(stages[-1].left["verdict"]),
        "notices": [len(whole.left["notice"]) for whole in stages],
        "standings": stood,
    }


def standings(path: Path) -> dict[str, str]:
    with opened(path, 3) as memory:
        notes = memory.list(["default", "late"], mode="history", limit=1000).notes
        return {view.id: view.standing.value for view in notes}


# --- the tests -------------------------------------------------------------------------------------


def test_killed_anywhere_and_resumed_it_ends_as_if_nobody_had_killed_it(
    tmp_path: Path, seed: int, *, long: bool
) -> None:
    from onlooker import environment_for_children

    count = 500 if long else 50
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path), str(count), str(seed)],
        capture_output=True,
        encoding="utf-8",
        env=environment_for_children(),
        timeout=1200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["wrong"] == []
    assert report["kills"] >= count, "the control: workers were killed"
    assert report["between"] >= count // 2, "the control: many with part of their work done"
    assert sum(report["judged"]) == report["verdicts"] > 50
    assert report["notices"] == sorted(set(report["notices"])), "the control: every stage brings notices"
    stood = report["standings"]
    assert (stood["port1"], stood["port11"], stood["late5"], stood["lunch"]) == (
        "contradicted",
        "in_force",
        "contradicted",
        "needs_check",
    )
    assert (stood["rule1"], stood["rule2"]) == ("needs_check", "in_force")


def test_the_check_notices_a_lost_notice_and_a_pair_that_is_judged_again(tmp_path: Path) -> None:
    path, docs, log = tmp_path / "m.db", tmp_path / "docs", tmp_path / "asked"
    prepare_first(path, docs)
    work(path, docs, 0, log)
    assert wrong_in(path) == []
    pairs = set(log.read_text().splitlines())
    assert pairs == kept(path)
    connection = apsw.Connection(str(path))
    connection.execute("delete from notice where event = (select max(event) from notice)")
    connection.execute("delete from verdict where finding = 'consistent'")
    connection.close()
    assert len(wrong_in(path)) == 1
    assert kept(path) < pairs
    assert Chunk(start=0, end=1, text="x").digest not in {pair.rpartition("|")[2] for pair in pairs}


if __name__ == "__main__":
    where, how_many, root = sys.argv[1:]
    sys.stdout.write(json.dumps(rounds(Path(where), int(how_many), int(root))) + "\n")
