"""What was answered, kept: so that when a note falls, its owner can be told which answers it had been in.

Answering must stay fast and must not fail because a disk is full, so receipts wait in memory and are written many at
a time: when enough wait, when somebody asks for notices, and at close. A process that is killed loses those that wait.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

from upheld.answer import Recall
from upheld.errors import UpheldError
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
        self._waiting: list[tuple[Served, Sequence[Seq]]] = []

    def keep(self, answer: Recall) -> None:
        """Keep the receipt of an answer in which notes were served."""
        if self._ids is None or not answer.upheld:
            return
        receipt = answer.receipt
        served = Served(
            id=self._ids(), at=receipt.valid_at, question=receipt.query, scopes=receipt.scopes, mode=receipt.mode
        )
        with self._lock:
            self._waiting.append((served, [note.note.seq for note in answer.upheld]))
            full = len(self._waiting) >= AT_ONCE
        if full:
            self.flush()

    def flush(self) -> None:
        """Write what waits. What cannot be written now waits on, up to a number."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            with self._database.writing() as tx:
                tx.shelf.keep_receipts(waiting)
        except UpheldError:
            with self._lock:
                self._waiting = [*waiting, *self._waiting][-MOST_WAITING:]
