"""What was answered, kept: so that when a note falls, its owner can be told which answers it had been in.

Answers are counted too, by day, with those that would have served a stale note, had it not been withheld.

Answering must stay fast and must not fail because a disk is full, so receipts wait in memory and are written many at
a time: when enough wait, when somebody asks for notices, and at close. A process that is killed loses those that wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from threading import Lock

from upheld.answer import Recall
from upheld.errors import UpheldError
from upheld.ledger import Answers
from upheld.note import Standing
from upheld.ports import Database, Ids
from upheld.shelf import Served
from upheld.standing import Seq

AT_ONCE = 256
MOST_WAITING = 4096


class Receipts:
    """The receipts of one store; `ids` None keeps none."""

    def __init__(self, database: Database, ids: Ids | None) -> None:
        self._database = database
        self._ids = ids
        self._lock = Lock()
        self._given: list[Recall] = []
        self._waiting: list[tuple[Served, Sequence[Seq]]] = []
        self._answers: Counter[date] = Counter()
        self._stale: Counter[date] = Counter()

    def keep(self, answer: Recall) -> None:
        """Count an answer, and keep its receipt where notes were served in it."""
        if self._ids is None:
            return
        with self._lock:
            self._given.append(answer)
            full = len(self._given) >= AT_ONCE
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what waits. What cannot be written now waits on, up to a number."""
        with self._lock:
            for answer in self._given:
                self._count(answer)
            self._given = []
            waiting, self._waiting = self._waiting, []
            answers, self._answers = self._answers, Counter()
            stale, self._stale = self._stale, Counter()
        if not answers:
            return
        try:
            with self._database.writing() as tx:
                tx.shelf.keep_receipts(waiting)
                tx.ledger.count_answers(
                    [Answers(day=day, answers=count, stale=stale[day]) for day, count in answers.items()]
                )
        except UpheldError:
            with self._lock:
                self._waiting = [*waiting, *self._waiting][-MOST_WAITING:]
                self._answers.update(answers)
                self._stale.update(stale)

    def _count(self, answer: Recall) -> None:
        receipt = answer.receipt
        day = receipt.valid_at.date()
        self._answers[day] += 1
        self._stale[day] += any(standing is Standing.STALE for _, standing in receipt.withheld)
        if answer.upheld and self._ids is not None:
            served = Served(
                id=self._ids(),
                at=receipt.valid_at,
                question=receipt.query,
                scopes=receipt.scopes,
                mode=receipt.mode,
            )
            self._waiting.append((served, [note.note.seq for note in answer.upheld]))
