"""Notes in use are held against what the caller retrieved: a sample, in another thread, counted by day and kind."""

from __future__ import annotations

import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

import upheld
from judges_for_tests import Accuser
from onlooker import python
from upheld import Busy, Invalid, Memory, Recall, uses, wire
from upheld.document import Chunk, Finding, Pair, Verdict
from upheld.judgement import Cascade
from upheld.judges.values import Values
from upheld.policy import load
from upheld.ports import Judge
from upheld.retrieved import passages
from upheld.uses import Drift, Uses
from worlds import Clock, Counter, HashEmbedder

OLD, NEW = "The port of the orders database is 5432.", "The port of the orders database is 6432."
BACKUPS, OTHER_BACKUPS = "Backups run every 6 hours.", "Backups run every 4 hours."
QUESTION = "which port does the orders database use, how often do backups run?"
TODAY = date(2026, 1, 1)
LONG_S = 60.0
"""A deadline that only a test which fails meets."""

Made = Callable[..., Uses]


@pytest.fixture
def memory(clock: Clock, ids: Counter, embedder: HashEmbedder) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=embedder, clock=clock, ids=ids) as opened:
        yield opened


@pytest.fixture
def made(memory: Memory) -> Iterator[Made]:
    """Makes the checks of the store, each with its own judge, rates and chance; those of the store itself stay idle."""
    begun: list[Uses] = []

    def make(
        judge: Judge | None = None,
        *,
        rate: float = 1.0,
        kinds: dict[str, float] | None = None,
        chance: Callable[[], float] = lambda: 0.5,
        database: Any = None,
        doubt: Callable[[Sequence[int]], None] | None = None,
    ) -> Uses:
        rates = {"default": rate, **(kinds or {})}
        begun.append(
            Uses(
                database or memory._database,
                policy=load({"kinds": {kind: {"use_check": share} for kind, share in rates.items()}}),
                judge=judge or Values(),
                clock=memory._clock,
                chance=chance,
                doubt=doubt or memory.corpus.doubt,
            )
        )
        return begun[-1]

    yield make
    for each in begun:
        each.close(LONG_S)


class Held:
    """The values judge, which says that it was called and then waits to be let go on."""

    name = "held/1"

    def __init__(self) -> None:
        self.called, self.go = threading.Event(), threading.Event()
        self.threads: list[int] = []

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.threads.append(threading.get_ident())
        self.called.set()
        assert self.go.wait(LONG_S)
        return Values().judge(pairs)


class Failing:
    """A judge that fails at first, then is the values judge."""

    name = "failing/1"

    def __init__(self, error: BaseException, times: int) -> None:
        self.error, self.left = error, times

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        self.left -= 1
        if self.left >= 0:
            raise self.error
        return Values().judge(pairs)


class Shut:
    """A database that turns the first writers away."""

    def __init__(self, memory: Memory, times: int = 0) -> None:
        self._database, self.left = memory._database, times
        self.writes = 0

    def writing(self) -> AbstractContextManager[Any]:
        self.left -= 1
        if self.left >= 0:
            raise Busy("another process holds the store")
        self.writes += 1
        return self._database.writing()

    def reading(self) -> AbstractContextManager[Any]:
        return self._database.reading()


def asked(memory: Memory) -> Recall:
    return memory.recall(QUESTION)


def counts(found: Sequence[Drift]) -> dict[tuple[date, str], tuple[int, int]]:
    return {(each.day, each.kind): (each.checked, each.contradicted) for each in found}


def total(found: Sequence[Drift]) -> tuple[int, int]:
    return sum(each.checked for each in found), sum(each.contradicted for each in found)


def doubted(memory: Memory) -> list[int]:
    with memory._database.reading() as reading:
        return reading.shelf.doubted()


# --- what is drawn -------------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", [0.0, 0.5, 1 - 2**-53])
def test_a_rate_of_0_checks_nothing_and_a_rate_of_1_everything(memory: Memory, made: Made, drawn: float) -> None:
    memory.remember(OLD)
    memory.remember(BACKUPS)
    for rate, expected in ((0.0, (0, 0)), (1.0, (2, 1))):
        checks = made(rate=rate, chance=lambda: drawn)
        checks.offer(asked(memory), passages([NEW, BACKUPS]))
        assert checks.flush(LONG_S)
        assert total(checks.drift()) == expected


def test_each_kind_has_its_own_rate_and_one_that_the_policy_forgot_has_the_default_one(
    memory: Memory, made: Made
) -> None:
    memory.remember(OLD, kind="attribute")
    memory.remember(BACKUPS, kind="constraint")
    answer = asked(memory)
    forgotten = replace(answer.upheld[0], note=replace(answer.upheld[0].note, kind="gone", seq=99))
    checks = made(rate=1.0, kinds={"attribute": 0.0})
    checks.offer(replace(answer, upheld=(*answer.upheld, forgotten)), passages([OLD, BACKUPS]))
    assert checks.flush(LONG_S)
    assert counts(checks.drift()) == {(TODAY, "constraint"): (1, 0), (TODAY, "gone"): (1, 0)}


def test_chance_from_a_seed_draws_the_share(
    memory: Memory, made: Made, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(uses, "MOST_WAITING", 5000)
    memory.remember(OLD)
    answer, chunks = asked(memory), passages([OLD])
    checks = made(rate=0.3, chance=Random(seed).random)
    for _ in range(2000):
        checks.offer(answer, chunks)
    assert checks.flush(LONG_S)
    again = Random(seed)
    drawn = sum(again.random() < 0.3 for _ in range(2000))
    assert total(checks.drift()) == (drawn, 0)
    assert abs(drawn - 600) < 5 * math.sqrt(2000 * 0.3 * 0.7), "about the share, whatever the seed"


def test_an_answer_without_passages_or_without_notes_is_not_checked(memory: Memory, made: Made) -> None:
    checks = made()
    empty = asked(memory)
    memory.remember(OLD)
    checks.offer(asked(memory), [])
    checks.offer(empty, passages([NEW]))
    assert checks.flush(LONG_S)
    assert checks.drift() == ()
    checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S)
    assert total(checks.drift()) == (1, 1), "the control"


# --- what is counted -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("documents", "judge", "expected"),
    [
        ([NEW], Values(), (1, 1)),
        ([OLD], Values(), (1, 0)),
        ([NEW, OLD], Values(), (1, 1)),
        (["Lunch is at noon."], Values(), (0, 0)),
        (["Lunch is at noon.", NEW, NEW, "Ports: see the wiki."], Values(), (1, 1)),
        (["The port of the billing database is 6432."], Values(), (0, 0)),
        ([f"As of 1 June 2027, t{NEW[1:]}"], Values(), (1, 0)),
        ([NEW], Accuser(acts=False), (1, 0)),
        (["Lunch is at noon."], Accuser(acts=True), (1, 1)),
        (["Lunch is at noon."], Cascade((Values(), Accuser())), (0, 0)),
    ],
)
def test_a_note_is_checked_if_a_passage_speaks_of_it_and_contradicted_if_such_a_verdict_acts_by_now(
    memory: Memory, made: Made, documents: list[str], judge: Judge, expected: tuple[int, int]
) -> None:
    note = memory.remember(OLD, valid_from="2024-01-01")
    checks = made(judge)
    checks.offer(asked(memory), passages(documents))
    assert checks.flush(LONG_S)
    found = checks.drift()
    assert total(found) == expected
    assert len(found) == (expected[0] > 0), "no empty rows"
    assert doubted(memory) == ([note.note.seq] if expected[1] else [])
    assert checks.faults == {}


def test_the_whole_cascade_is_asked_not_only_the_judge_that_answers_at_once(memory: Memory, made: Made) -> None:
    memory.remember("Ana looks after invoices.")
    answer, chunks = memory.recall("who looks after invoices?"), passages(["Invoices have been with Tom since May."])
    for judge, expected in ((Values(), (0, 0)), (Cascade((_Unsure(), Accuser())), (1, 1))):
        checks = made(judge)
        checks.offer(answer, chunks)
        assert checks.flush(LONG_S)
        assert total(checks.drift()) == expected


class _Unsure:
    name = "unsure/1"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [Verdict(finding=Finding.ABSTAIN) for _ in pairs]


def test_days_end_at_midnight_utc(memory: Memory, made: Made, clock: Clock) -> None:
    memory.remember(OLD)
    checks = made()
    clock.now = datetime(2026, 3, 9, 23, 59, 59, 999999, tzinfo=UTC)
    last = asked(memory)
    clock.move(microseconds=1)
    first = asked(memory)
    east = datetime(2026, 3, 10, 1, 30, tzinfo=timezone(timedelta(hours=2)))
    for answer in (last, first, first, replace(first, receipt=replace(first.receipt, valid_at=east))):
        checks.offer(answer, passages([NEW]))
    assert checks.flush(LONG_S)
    assert [(each.day, each.checked) for each in checks.drift()] == [(date(2026, 3, 9), 2), (date(2026, 3, 10), 2)]
    assert [(each.day, each.checked) for each in checks.drift(days=1)] == [(date(2026, 3, 10), 2)]
    clock.move(days=29)
    assert [each.day for each in checks.drift()] == [date(2026, 3, 10)], "the last 30 days begin there"
    clock.move(days=1)
    assert checks.drift() == ()
    assert len(checks.drift(days=3650)) == 2


def test_the_figures_are_those_of_the_table(memory: Memory, made: Made, clock: Clock) -> None:
    memory.remember(OLD, kind="attribute")
    memory.remember(BACKUPS, kind="constraint")
    checks = made()
    for documents in ([NEW], [OLD], [OLD, BACKUPS], [NEW, OTHER_BACKUPS], [OLD], []):
        checks.offer(asked(memory), passages(documents))
        clock.move(hours=9)
    assert checks.flush(LONG_S)
    rows = memory._database._connection.execute("select day, kind, checked, contradicted from use_check").fetchall()
    table = {(upheld.note.moment(day).date(), kind): (n, k) for day, kind, n, k in rows}
    found = checks.drift()
    assert counts(found) == table
    assert [(each.day, each.kind) for each in found] == sorted(table)
    assert {k for _, k in table.values()} >= {0, 1}
    assert {n for n, _ in table.values()} >= {1, 2}, "the control: rows differ"
    for each in found:
        n, k = table[each.day, each.kind]
        assert each.rate == k / n
        assert each.low <= each.rate <= each.high
        # Wilson's ends are the shares p from which the observed one lies 1.96 standard deviations away.
        for end in {each.low, each.high} - {0.0 if k == 0 else None, 1.0 if k == n else None}:
            assert n * (each.rate - end) ** 2 == pytest.approx(1.959964**2 * end * (1 - end), rel=1e-5)
        assert (each.low == 0.0, each.high == 1.0) == (k == 0, k == n)


def test_figures_leave_as_json(memory: Memory, made: Made) -> None:
    memory.remember(OLD, kind="attribute")
    checks = made()
    checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S)
    [found] = checks.drift()
    assert json.loads(wire.dumps(found)) == {
        "day": "2026-01-01",
        "kind": "attribute",
        "checked": 1,
        "contradicted": 1,
        "rate": 1.0,
        "low": found.low,
        "high": 1.0,
        "dropped": 0,
    }


# --- off the hot path ----------------------------------------------------------------------------


def test_no_judge_is_asked_in_the_thread_that_recalls(memory: Memory, made: Made) -> None:
    memory.remember(OLD)
    judge = Held()
    checks = made(judge)
    checks.offer(asked(memory), passages([NEW]))
    assert judge.called.wait(LONG_S), "the control: it is asked"
    assert checks.flush(0) is False
    assert total(checks.drift()) == (0, 0), "offer came back, and recall goes on, while the judge is still at it"
    assert len(asked(memory).upheld) == 1
    judge.go.set()
    assert checks.flush(LONG_S)
    assert len(judge.threads) == 1
    assert threading.get_ident() not in judge.threads
    assert total(checks.drift()) == (1, 1)


def test_what_is_drawn_beyond_the_limit_is_dropped_and_counted(memory: Memory, made: Made, clock: Clock) -> None:
    memory.remember(OLD, kind="attribute")
    judge = Held()
    checks = made(judge)
    answer, chunks = asked(memory), passages([NEW])
    checks.offer(answer, chunks)
    assert judge.called.wait(LONG_S)
    for _ in range(uses.MOST_WAITING):
        checks.offer(answer, chunks)
    assert checks.drift() == (), "so many may wait"
    for _ in range(3):
        checks.offer(answer, chunks)
    [found] = checks.drift()
    assert (found.checked, found.rate, found.low, found.high, found.dropped) == (0, None, 0.0, 1.0, 3)
    judge.go.set()
    assert checks.flush(LONG_S)
    [found] = checks.drift()
    assert (found.kind, found.checked, found.contradicted, found.dropped) == ("attribute", 65, 65, 3)
    assert checks.faults == {}
    clock.move(days=1)
    assert checks.drift(days=1) == (), "what was dropped belongs to the day of its answer"


def test_counts_are_written_many_at_a_time(memory: Memory, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uses, "MOST_WAITING", 1000)
    monkeypatch.setattr(uses, "QUIET_S", LONG_S)
    memory.remember(OLD)
    database = Shut(memory)
    checks = made(database=database)
    answer, chunks = asked(memory), passages([OLD])
    for _ in range(2 * uses.KEPT_AT_ONCE + 1):
        checks.offer(answer, chunks)
    assert checks.flush(LONG_S)
    assert database.writes == 3
    assert total(checks.drift()) == (129, 0)
    assert checks.flush(LONG_S)
    assert database.writes == 3, "nothing new is nothing to write"


def test_a_worker_with_nothing_to_do_writes_and_ends_and_the_next_answer_starts_another(
    memory: Memory, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uses, "QUIET_S", 0.0)
    memory.remember(OLD)
    judge = Held()
    judge.go.set()
    checks = made(judge)
    for expected in (1, 2):
        checks.offer(asked(memory), passages([NEW]))
        worker = checks._worker
        if worker is not None:
            worker.join(LONG_S)
        rows = memory._database._connection.execute("select sum(checked) from use_check").fetchall()
        assert rows == [(expected,)], "written, though nobody asked"
        assert checks._worker is None


def test_offering_never_raises(memory: Memory, made: Made) -> None:
    memory.remember(OLD)

    def broken() -> float:
        raise OSError("no entropy")

    checks = made(chance=broken)
    checks.offer(asked(memory), [])
    assert checks.faults == {}, "without passages nothing is drawn"
    checks.offer(asked(memory), passages([NEW]))
    checks.offer(None, passages([NEW]))  # type: ignore[arg-type]
    assert checks.faults == {"offer: OSError": 1, "offer: AttributeError": 1}


# --- what goes wrong -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (RuntimeError("boom"), "failing/1: raised"),
        (upheld.Unavailable("down"), "failing/1: unavailable"),
        (SystemExit(1), "check: SystemExit"),
        (KeyboardInterrupt(), "check: KeyboardInterrupt"),
    ],
)
def test_a_judge_that_fails_is_counted_and_stops_nothing(
    memory: Memory, made: Made, error: BaseException, fault: str
) -> None:
    memory.remember(OLD, kind="attribute")
    checks = made(Failing(error, 2))
    for _ in range(5):
        checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S)
    [found] = checks.drift()
    assert (found.checked, found.contradicted, found.dropped) == (3, 3, 2)
    assert checks.faults == {fault: 2}


def test_a_note_that_one_passage_speaks_of_is_checked_although_a_judge_failed_on_another(
    memory: Memory, made: Made
) -> None:
    class HalfBroken:
        name = "half/1"

        def judge(self, pairs: Sequence[Pair]) -> Iterator[Verdict]:
            yield from Values().judge(pairs[:1])
            raise RuntimeError("boom")

    memory.remember(OLD)
    checks = made(HalfBroken())
    checks.offer(asked(memory), passages([NEW, "Lunch is at noon."]))
    assert checks.flush(LONG_S)
    [found] = checks.drift()
    assert (found.checked, found.contradicted, found.dropped) == (1, 1, 0)
    assert checks.faults == {"half/1: raised": 1}


def test_a_verdict_whose_quotes_do_not_stand_counts_for_nothing(memory: Memory, made: Made) -> None:
    class Inventing:
        name = "inventing/1"

        def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
            return [
                Verdict(finding=Finding.CONTRADICTED, acts=True, claim_quote=OLD, chunk_quote="It is 7777.")
                for _ in pairs
            ]

    memory.remember(OLD)
    checks = made(Inventing())
    checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S)
    assert total(checks.drift()) == (0, 0)
    assert checks.faults == {"inventing/1: invented_chunk_quote": 1}
    assert doubted(memory) == []


def test_counts_wait_while_the_store_is_held_and_are_written_once(memory: Memory, made: Made) -> None:
    memory.remember(OLD)
    database = Shut(memory, times=2)
    checks = made(database=database)
    checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S) is False
    assert total(checks.drift()) == (0, 0), "drift tried too"
    checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S)
    assert total(checks.drift()) == (2, 2)
    assert checks.faults == {"store: busy": 2}


def test_a_doubt_that_cannot_be_kept_is_tried_again_and_nothing_is_counted_twice(memory: Memory, made: Made) -> None:
    note = memory.remember(OLD)
    told: list[Sequence[int]] = []

    def doubt(seqs: Sequence[int]) -> None:
        told.append(seqs)
        if len(told) == 1:
            raise Busy("another process holds the store")
        memory.corpus.doubt(seqs)

    checks = made(doubt=doubt)
    checks.offer(asked(memory), passages([NEW]))
    assert checks.flush(LONG_S) is False
    assert doubted(memory) == []
    assert checks.flush(LONG_S)
    assert checks.flush(LONG_S)
    assert told == [[note.note.seq]] * 2
    assert doubted(memory) == [note.note.seq]
    assert total(checks.drift()) == (1, 1)
    assert checks.faults == {"store: busy": 1}


def test_an_interrupted_write_loses_no_count(memory: Memory, made: Made) -> None:
    memory.remember(OLD)

    class Interrupted(Shut):
        def writing(self) -> AbstractContextManager[Any]:
            if threading.current_thread() is threading.main_thread() and self.left < 1:
                self.left = 1
                raise KeyboardInterrupt
            return self._database.writing()

    checks = made(database=Interrupted(memory))
    checks.offer(asked(memory), passages([NEW]))
    with pytest.raises(KeyboardInterrupt):
        checks.flush(LONG_S)
    assert checks.flush(LONG_S)
    assert total(checks.drift()) == (1, 1)


BAD: list[Callable[[Uses], object]] = [
    lambda checks: checks.drift(0),
    lambda checks: checks.drift(3651),
    lambda checks: checks.drift(True),
    lambda checks: checks.drift("7"),  # type: ignore[arg-type]
    lambda checks: checks.flush(-1),
    lambda checks: checks.flush(math.nan),
    lambda checks: checks.flush(math.inf),
    lambda checks: checks.flush("1"),  # type: ignore[arg-type]
    lambda checks: checks.flush(True),
]


@pytest.mark.parametrize("call", BAD)
def test_bad_input_is_a_typed_error(made: Made, call: Callable[[Uses], object]) -> None:
    with pytest.raises(Invalid):
        call(made())


# --- the end -------------------------------------------------------------------------------------


def test_closing_finishes_what_waits(memory: Memory, made: Made) -> None:
    memory.remember(OLD)
    checks = made()
    for _ in range(20):
        checks.offer(asked(memory), passages([NEW]))
    checks.close(LONG_S)
    assert total(checks.drift()) == (20, 20)
    checks.close()
    checks.offer(asked(memory), passages([NEW]))
    [found] = checks.drift()
    assert (found.checked, found.dropped) == (20, 1), "a closed one takes no more"


def test_closing_waits_for_no_judge_longer_than_it_may(memory: Memory, made: Made) -> None:
    memory.remember(OLD)
    judge = Held()
    checks = made(judge)
    for _ in range(4):
        checks.offer(asked(memory), passages([NEW]))
    assert judge.called.wait(LONG_S)
    worker = checks._worker
    checks.close(0)
    [found] = checks.drift()
    assert (found.checked, found.dropped) == (0, 3)
    memory.close()
    judge.go.set()
    assert worker is not None
    worker.join(LONG_S)
    assert not worker.is_alive()
    assert len(judge.threads) == 1, "what was dropped is not judged any more"
    assert checks.faults == {"store: misconfigured": 1}, "what it had in hand found the store closed"


def test_threads_may_offer_ask_and_close_at_once(memory: Memory, made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uses, "MOST_WAITING", 1000)
    memory.remember(OLD)
    checks = made()
    answer, chunks = asked(memory), passages([NEW])

    def work() -> None:
        for _ in range(50):
            checks.offer(answer, chunks)
            checks.drift()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(LONG_S)
    checks.close(LONG_S)
    assert total(checks.drift()) == (200, 200)


# --- processes -----------------------------------------------------------------------------------

_PROCESS = """
import os, sys, threading, upheld
from upheld.judges.values import Values
from upheld.opening import utc_now
from upheld.policy import load
from upheld.retrieved import passages
from upheld.uses import Uses

memory = upheld.open(sys.argv[1], embedder=None)
checks = Uses(memory._database, policy=load({"kinds": {"default": {"use_check": 1.0}}}), judge=Values(),
              clock=utc_now, chance=lambda: 0.0, doubt=memory.corpus.doubt)
answer = memory.recall("which port does the orders database use?")
def offer():
    checks.offer(answer, passages(["The port of the orders database is 6432."]))
"""


def in_process(path: Path, script: str) -> str:
    return python(_PROCESS + script, str(path))


def checked(path: Path) -> int:
    with upheld.open(path, embedder=None) as memory, memory._database.reading() as reading:
        return sum(use.checked for use in reading.ledger.uses(since=date(2000, 1, 1)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with upheld.open(tmp_path / "m.db", embedder=None) as memory:
        memory.remember(OLD)
    return tmp_path / "m.db"


def test_two_processes_add_up(path: Path) -> None:
    both = "for _ in range({}):\n    offer()\nassert checks.flush(60)\nchecks.close()\nmemory.close()\n"
    found = [threading.Thread(target=in_process, args=(path, both.format(times))) for times in (5, 7)]
    for each in found:
        each.start()
    for each in found:
        each.join()
    assert checked(path) == 12


def test_a_process_that_is_killed_loses_what_waits_and_nothing_that_was_written(path: Path) -> None:
    in_process(path, "offer()\nassert checks.flush(60)\noffer()\noffer()\nos._exit(0)\n")
    assert checked(path) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_waits_for_no_lock_and_no_worker_that_stayed_behind(path: Path) -> None:
    found = in_process(
        path,
        "offer()\n"
        "with checks._changed, checks._keeping:\n"  # held by another thread when the process forks
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        done = []\n"
        "        def work():\n"
        "            offer(); checks.flush(); checks.close()\n"
        "            try: checks.drift()\n"
        "            except upheld.Misconfigured: done.append(True)\n"
        "        thread = threading.Thread(target=work, daemon=True)\n"
        "        thread.start(); thread.join(30)\n"
        "        os._exit(0 if done else 1)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
        "assert checks.flush(60)\n"
        "print(checks.drift()[0].checked)\n",
    )
    assert found.split() == ["0", "1"]


# --- through the store ---------------------------------------------------------------------------


@pytest.fixture
def whole(clock: Clock, ids: Counter, embedder: HashEmbedder) -> Iterator[Memory]:
    policy = {"kinds": {"default": {"use_check": 1.0}}}
    with upheld.open(":memory:", embedder=embedder, clock=clock, ids=ids, policy=policy) as opened:
        yield opened


def test_recall_offers_what_it_served_and_what_the_passages_took_from_the_answer(whole: Memory) -> None:
    whole.remember(OLD, kind="attribute")
    whole.remember(BACKUPS, kind="constraint")
    answer = whole.recall(QUESTION, documents=[NEW, BACKUPS])
    assert [note.statement for note in answer.upheld] == [BACKUPS]
    assert whole.uses.flush(LONG_S)
    assert counts(whole.uses.drift()) == {(TODAY, "attribute"): (1, 1), (TODAY, "constraint"): (1, 0)}


def test_a_question_about_another_moment_is_no_use_of_today(whole: Memory, clock: Clock) -> None:
    whole.remember(OLD, valid_from="2024-01-01")
    clock.move(days=1)
    whole.recall(QUESTION, documents=[OLD], valid_at="2025-01-01")
    whole.recall(QUESTION, documents=[OLD], known_at=1)
    whole.recall(QUESTION)
    assert whole.uses.flush(LONG_S)
    assert whole.uses.drift() == ()
    whole.recall(QUESTION, documents=[OLD])
    assert whole.uses.flush(LONG_S)
    assert total(whole.uses.drift()) == (1, 0), "the control"


def test_the_judge_of_the_store_is_asked_and_what_it_finds_comes_first_in_the_next_sweep(
    clock: Clock, ids: Counter, embedder: HashEmbedder
) -> None:
    policy = {"kinds": {"default": {"use_check": 1.0}}}
    with upheld.open(
        ":memory:", embedder=embedder, clock=clock, ids=ids, policy=policy, judge=_AccuserWhereUnsure()
    ) as memory:
        note = memory.remember("Ana looks after invoices.")
        answer = memory.recall("who looks after invoices?", documents=[_UNCLEAR])
        assert [each.id for each in answer.upheld] == [note.id], "at use only the judge that answers at once is heard"
        assert doubted(memory) == []
        assert memory.uses.flush(LONG_S)
        assert total(memory.uses.drift()) == (1, 1)
        assert doubted(memory) == [note.note.seq]
        assert memory.get(note.id).standing is upheld.Standing.IN_FORCE, "the note itself did not fall"


_UNCLEAR = "Tom looks after invoices, since Ana moved to payroll."


class _AccuserWhereUnsure(Accuser):
    name = "accuser-where-unsure/1"


def test_a_store_that_is_closed_has_written_what_it_checked(tmp_path: Path) -> None:
    policy = {"kinds": {"default": {"use_check": 1.0}}}
    for expected in (3, 6):
        with upheld.open(tmp_path / "m.db", embedder=None, policy=policy) as memory:
            if expected == 3:
                memory.remember(OLD)
            for _ in range(3):
                memory.recall(QUESTION, documents=[NEW])
        assert checked(tmp_path / "m.db") == expected


def test_the_default_share_is_a_tenth() -> None:
    assert {rules.use_check for rules in load().kinds.values()} == {0.1}


def test_the_store_draws_by_a_chance_of_its_own(whole: Memory) -> None:
    drawn = [whole.uses._chance() for _ in range(100)]
    assert len(set(drawn)) > 90
    assert all(0 <= each < 1 for each in drawn)


def test_chunks_are_compared_as_they_are(memory: Memory, made: Made) -> None:
    memory.remember("The payments gateway listens on port 8080.")
    answer = memory.recall("which port does the payments gateway listen on?")
    under = Chunk(start=0, end=10, text="Port: 9090", headings=("Payments gateway",))
    other = Chunk(start=0, end=10, text="Port: 9090", headings=("Search index",))
    checks = made()
    checks.offer(answer, [other])
    assert checks.flush(LONG_S)
    assert total(checks.drift()) == (0, 0)
    checks.offer(answer, [under])
    assert checks.flush(LONG_S)
    assert total(checks.drift()) == (1, 1)
