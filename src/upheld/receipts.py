"""What was answered, kept: so that when a note falls, its owner can be told which answers it had been in.

Answers are counted too, by day, with those that would have served a stale note, had it not been withheld.

Answering must stay fast and must not fail because a disk is full, so receipts wait in memory and are written many at
a time: when enough wait, when somebody asks for notices, and at close. A process that is killed loses those that wait.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from threading import Lock

from upheld.answer import Recall, Receipt
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
        self._waiting: list[tuple[Receipt, Sequence[Seq]]] = []

    def keep(self, answer: Recall) -> None:
        """Let the receipt of an answer wait to be written. Not the answer: it would hold the text of all its notes."""
        if self._ids is None:
            return
        given = (answer.receipt, [note.note.seq for note in answer.upheld])
        with self._lock:
            self._waiting.append(given)
            full = len(self._waiting) % AT_ONCE == 0
        if full:
            self.flush()

    def flush(self) -> None:
        """Count the answers that wait, and write the receipts of those in which notes were served.

        What cannot be written now waits on, up to a number.
        """
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if self._ids is None or not waiting:
            return
        days = Counter(receipt.valid_at.date() for receipt, _ in waiting)
        stale = Counter(receipt.valid_at.date() for receipt, _ in waiting if _was_stale(receipt))
        try:
            with self._database.writing() as tx:
                tx.shelf.keep_receipts([(_served(self._ids(), receipt), seqs) for receipt, seqs in waiting if seqs])
                tx.ledger.count_answers([Answers(day=day, answers=n, stale=stale[day]) for day, n in days.items()])
        except UpheldError:
            with self._lock:
                self._waiting = [*waiting, *self._waiting][-MOST_WAITING:]


def _was_stale(receipt: Receipt) -> bool:
    return any(standing is Standing.STALE for _, standing in receipt.withheld)


def _served(id: str, receipt: Receipt) -> Served:
    return Served(id=id, at=receipt.valid_at, question=receipt.query, scopes=receipt.scopes, mode=receipt.mode)
