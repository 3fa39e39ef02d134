"""Notes in use, held against the documents that the caller retrieved: a sample, after the fact, off the hot path.

    recall ▸ offer: draw notes by the rate of their kind ▸ a worker thread: judge ▸ counts by day and kind ▸ drift

At use, `heed` asks only the judge that answers at once. Here the store's own judge is asked, however slow it is. A
note is *checked* if some passage speaks of it: was judged consistent with it, or contradicted. It is *contradicted* if
such a verdict acts, and from no later than the moment of the answer. Nothing is written about the note itself: it
comes first in the next sweep.

Answers wait in memory for the worker, and counts wait for the disk until many are there, nothing more comes, somebody
asks, or the store closes. A process that is killed, or that ends without closing its store, loses what waits.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from threading import Condition, Lock, Thread
from typing import TypeAlias

from upheld import judgement, limits
from upheld.answer import Recall
from upheld.document import Chunk, Finding
from upheld.errors import UpheldError
from upheld.heed import is_against
from upheld.judgement import Tally
from upheld.ledger import Use
from upheld.note import Note
from upheld.pairing import pairs
from upheld.policy import Policy
from upheld.ports import Clock, Database, Judge
from upheld.question import count
from upheld.rates import rate
from upheld.standing import Seq

MOST_WAITING = 64
"""Answers that may wait for the worker; what is drawn beyond that is dropped, and counted."""
KEPT_AT_ONCE = 64
"""While answers keep coming, counts are written after so many: a write holds up the readers of this process."""
QUIET_S = 1.0
"""With nothing to do for so long, the worker writes the counts and ends; the next answer starts another."""
MOST_DAYS = 3650
LONGEST_S = 3600
_SPEAKS = frozenset({Finding.CONTRADICTED, Finding.CONSISTENT})

Place: TypeAlias = tuple[date, str]
"""Where something is counted: the day of the answer (UTC) and the kind of the note."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How many notes in use were contradicted by what was retrieved beside them, on one day (UTC), of one kind.

    `rate` is `contradicted / checked`, None where none was checked; `low` and `high` are the ends of its 95 % Wilson
    interval. All three are from 0 to 1. `dropped` counts notes that this process drew and got no verdict on: too many
    answers waited, or the judge failed. It is not kept in the store.
    """

    day: date
    kind: str
    checked: int
    contradicted: int
    rate: float | None
    low: float
    high: float
    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """Notes of one answer, and the passages that were retrieved beside them."""

    at: datetime
    notes: tuple[Note, ...]
    chunks: tuple[Chunk, ...]

    @property
    def places(self) -> list[Place]:
        return [self.place(note) for note in self.notes]

    def place(self, note: Note) -> Place:
        return self.at.astimezone(UTC).date(), note.kind


class Uses:
    """The use-time checks of one store. `memory.uses` has `drift` and `flush` for callers.

    `chance` gives numbers from 0 up to 1. `doubt` is told which notes were contradicted.
    """

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        judge: Judge,
        clock: Clock,
        chance: Callable[[], float],
        doubt: Callable[[Sequence[Seq]], None],
    ) -> None:
        self._database = database
        self._policy = policy
        self._judge = judge
        self._clock = clock
        self._chance = chance
        self._doubt = doubt
        self._process = os.getpid()
        self._changed = Condition()  # guards all that follows; `_keeping` is taken before it
        self._keeping = Lock()
        self._waiting: deque[_Drawn] = deque()
        self._worker: Thread | None = None
        self._at_work = False
        self._closed = False
        self._checked: Counter[Place] = Counter()
        self._contradicted: Counter[Place] = Counter()
        self._doubted: set[Seq] = set()
        self._dropped: Counter[Place] = Counter()
        self._faults: Counter[str] = Counter()

    def offer(self, answer: Recall, chunks: Sequence[Chunk]) -> None:
        """Draw some of the notes of an answer about the present, to be held against passages soon. Never raises.

        The answer is the one from before any of its notes were withheld for what these passages say. No judge is
        asked here, and nothing waits.
        """
        if not chunks or self._foreign:
            return
        try:
            notes = tuple(
                each.note for each in answer.upheld if self._chance() < self._policy.rules_of(each.note.kind).use_check
            )
            if notes:
                self._queue(_Drawn(at=answer.receipt.valid_at, notes=notes, chunks=tuple(chunks)))
        except Exception as error:  # noqa: BLE001 (an answer must not fail because it is checked)
            self._failed("offer", error)

    def flush(self, timeout_s: float = 10.0) -> bool:
        """Wait until what was offered is judged, at most so many seconds (0 to 3,600), then write the counts.

        Returns whether all was judged and written. What could not be written waits on.
        """
        limits.seconds(timeout_s, "timeout_s", LONGEST_S)
        if self._foreign:
            return True
        with self._changed:
            judged = self._changed.wait_for(lambda: not self._waiting and not self._at_work, timeout_s)
        return self._keep() and judged

    def drift(self, days: int = 30) -> tuple[Drift, ...]:
        """The counts of the last `days` (1 to 3,650, today included), by day (UTC) and kind, oldest first.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None, policy={"kinds": {"default": {"use_check": 1.0}}})
        >>> note = memory.remember("The port of the orders database is 5432.", kind="default")
        >>> answer = memory.recall("orders port", documents=["The port of the orders database is 6432."])
        >>> memory.uses.flush()
        True
        >>> [(each.kind, each.checked, each.contradicted, each.rate) for each in memory.uses.drift()]
        [('default', 1, 1, 1.0)]
        """
        since = self._clock().astimezone(UTC).date() - timedelta(days=count(days, "days", most=MOST_DAYS) - 1)
        if not self._foreign:
            self._keep()
        with self._database.reading() as reading:
            kept = {(use.day, use.kind): use for use in reading.ledger.uses(since=since)}
        with self._changed:
            dropped = {place: number for place, number in self._dropped.items() if place[0] >= since}
        unchecked = {(day, kind): Use(day=day, kind=kind, checked=0, contradicted=0) for day, kind in dropped}
        uses = unchecked | kept
        return tuple(_drift(uses[place], dropped.get(place, 0)) for place in sorted(uses))

    @property
    def faults(self) -> Mapping[str, int]:
        """What went wrong in this process, and how often: by judge (pairs), at the store, on offering."""
        with self._changed:
            return dict(self._faults)

    def close(self, timeout_s: float = 5.0) -> None:
        """Take no more; finish what waits within so many seconds, and drop the rest."""
        if self._foreign:
            return
        with self._changed:
            self._closed = True
        self.flush(timeout_s)
        with self._changed:
            self._dropped.update(place for drawn in self._waiting for place in drawn.places)
            self._waiting.clear()
            self._changed.notify_all()

    @property
    def _foreign(self) -> bool:
        """Whether this is a forked child of the process that made it: the worker, and who holds locks, stayed there."""
        return os.getpid() != self._process

    def _queue(self, drawn: _Drawn) -> None:
        with self._changed:
            if self._closed or len(self._waiting) >= MOST_WAITING:
                self._dropped.update(drawn.places)
                return
            self._waiting.append(drawn)
            self._changed.notify_all()
            if self._worker is None:
                worker = Thread(target=self._work, name="upheld-uses", daemon=True)
                worker.start()
                self._worker = worker

    # In the worker

    def _work(self) -> None:
        judged = 0
        while (drawn := self._next()) is not None:
            try:
                self._check(drawn)
            except BaseException as error:  # noqa: BLE001 (here is nobody to interrupt, and the next answer waits)
                self._failed("check", error, drawn.places)
            judged += 1
            if judged % KEPT_AT_ONCE == 0:
                self._keep()
        self._keep()

    def _next(self) -> _Drawn | None:
        """The next answer; None after a while without any, or once nothing more will come."""
        with self._changed:
            self._at_work = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._waiting or self._closed, QUIET_S)
            if not self._waiting:
                self._worker = None
                return None
            self._at_work = True
            return self._waiting.popleft()

    def _check(self, drawn: _Drawn) -> None:
        wanted = pairs((note, chunk) for note in drawn.notes for chunk in drawn.chunks)
        rows = judgement.judged(self._judge, [*wanted.values()])
        spoken: set[Seq] = set()
        against: set[Seq] = set()
        unanswered: set[Seq] = set()
        for ((seq, _), pair), row in zip(wanted.items(), rows, strict=True):
            if row.verdict is None:
                unanswered.add(seq)
            elif row.verdict.finding in _SPEAKS:
                spoken.add(seq)
                if is_against(row.verdict, pair.chunk, drawn.at):
                    against.add(seq)
        places = {note.seq: drawn.place(note) for note in drawn.notes}
        with self._changed:
            self._checked.update(places[seq] for seq in spoken)
            self._contradicted.update(places[seq] for seq in against)
            self._doubted |= against
            self._dropped.update(places[seq] for seq in unanswered - spoken)
            for (judge, kind), number in Tally.of(rows).faults.items():
                self._faults[f"{judge}: {kind}"] += number

    def _keep(self) -> bool:
        """Write the counts that wait, and doubt what was contradicted; whether that was done. Else they wait on."""
        with self._keeping:
            with self._changed:
                checked, self._checked = self._checked, Counter()
                contradicted, self._contradicted = self._contradicted, Counter()
                doubted, self._doubted = self._doubted, set()
            try:
                if checked:
                    with self._database.writing() as tx:
                        tx.ledger.count_use(
                            [
                                Use(day=day, kind=kind, checked=number, contradicted=contradicted[day, kind])
                                for (day, kind), number in checked.items()
                            ]
                        )
                    checked, contradicted = Counter(), Counter()
                if doubted:
                    self._doubt(sorted(doubted))
                    doubted = set()
            except Exception as error:  # noqa: BLE001 (the worker goes on, whatever a store raises)
                self._failed("store", error)
                return False
            finally:  # what was not written waits on, also where somebody interrupted this
                with self._changed:
                    self._checked.update(checked)
                    self._contradicted.update(contradicted)
                    self._doubted |= doubted
            return True

    def _failed(self, where: str, error: BaseException, places: Iterable[Place] = ()) -> None:
        what = error.code if isinstance(error, UpheldError) else type(error).__name__
        with self._changed:
            self._faults[f"{where}: {what}"] += 1
            self._dropped.update(places)


def _drift(use: Use, dropped: int) -> Drift:
    share = rate(use.contradicted, use.checked)
    return Drift(
        day=use.day,
        kind=use.kind,
        checked=use.checked,
        contradicted=use.contradicted,
        rate=use.contradicted / use.checked if use.checked else None,
        low=share.low,
        high=share.high,
        dropped=dropped,
    )
