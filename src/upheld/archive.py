"""What can be asked of a store without a model, an owner or a write: the half of `Memory` that only reads the log."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeAlias

from upheld import limits, question
from upheld.answer import Page, View
from upheld.db.sqlite import Sqlite
from upheld.explain import Explanation, explain
from upheld.note import Event, Link, Note, instant
from upheld.ports import Clock, Reading
from upheld.question import Known, When
from upheld.recall import in_order
from upheld.remember import find
from upheld.standing import Seq

Mode = Literal["answer", "history"]
Walk: TypeAlias = Callable[[Reading, Seq, Seq], list[Seq]]
"""From a note to others, as known at a position."""


class Archive:
    """The log of one store, note by note, each through the gate. `Memory` adds what searches, asks and writes."""

    def __init__(self, database: Sqlite, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def get(self, note: str, *, valid_at: When = None, known_at: Known = None, mode: Mode = "answer") -> View:
        """One note by id, with its standing. Its text is there if it is in force, or in history mode."""
        with self._database.reading() as reading:
            at, position = question.moments(reading, self._clock, valid_at, known_at)
            found = find(reading, [note])[note]
            return question.views(reading, [found.seq], at, position, mode, missing=note)[0]

    def history(self, note: str, *, known_at: Known = None) -> tuple[View, ...]:
        """All notes of a note's supersession chain, in the order in which they began, each labelled."""
        with self._database.reading() as reading:
            at, position = question.moments(reading, self._clock, None, known_at)
            chain = question.chain(reading, find(reading, [note])[note].seq, position)
            views = question.views(reading, chain, at, position, "history", missing=note)
            return tuple(sorted(views, key=in_order))

    def rests_on(self, note: str, *, known_at: Known = None, mode: Mode = "answer") -> tuple[View, ...]:
        """All that a note rests on, to any depth, the nearest first: its premises, and what it was derived from."""
        return self._beside(note, lambda reading, seq, at: reading.rests_on(seq, known_at=at), known_at, mode)

    def supports(self, note: str, *, known_at: Known = None, mode: Mode = "answer") -> tuple[View, ...]:
        """All that rests on a note, to any depth, the nearest first: what falls if it falls."""
        return self._beside(note, lambda reading, seq, at: reading.supports(seq, known_at=at), known_at, mode)

    def list(
        self,
        scope: str | Sequence[str],
        *,
        kinds: Sequence[str] = (),
        valid_at: When = None,
        known_at: Known = None,
        mode: Mode = "answer",
        limit: int = 100,
        before: Seq | None = None,
    ) -> Page:
        """Notes of some scopes, newest first: those in force, or in history mode all. `limit`: 1 to 1,000."""
        scopes, kinds = limits.scopes(scope), question.names(kinds, "kinds")
        limit = question.count(limit, "limit")
        if before is not None:
            question.count(before, "before", most=1 << 62)
        with self._database.reading() as reading:
            at, position = question.moments(reading, self._clock, valid_at, known_at)
            return question.page(reading, scopes, kinds, at=at, position=position, how=mode, limit=limit, before=before)

    def scopes(self) -> dict[str, int]:
        """Every scope, with the number of notes ever recorded in it."""
        with self._database.reading() as reading:
            return reading.scopes()

    def explain(
        self, note: str, *, valid_at: When = None, known_at: Known = None, mode: Mode = "answer"
    ) -> Explanation:
        """Why a note is upheld or withheld: a tree from its standing down to what brought it about."""
        with self._database.reading() as reading:
            at, position = question.moments(reading, self._clock, valid_at, known_at)
            found = find(reading, [note])[note]
            question.views(reading, [found.seq], at, position, mode, missing=note)
            return explain(reading, found, valid_at=instant(at), known_at=position, show=mode == "history")

    def export(self, *, current: bool = False) -> Iterator[Note | Link | Event]:
        """The whole log in order; or with `current` only the notes that are in force now.

        The whole log holds the text of notes that no longer stand: it is for backup and audit, not for a model.
        """
        only_current = limits.flag(current, "current")
        with self._database.reading() as reading:
            lines = [*reading.log(0)]
            if only_current:
                at, position = question.moments(reading, self._clock, None, None)
                notes = [line.seq for line in lines if isinstance(line, Note)]
                views = question.views(reading, notes, at, position, "answer")
                lines = [view.note for view in views if view.note is not None]
        return iter(lines)

    def _beside(self, note: str, walk: Walk, known_at: Known, mode: Mode) -> tuple[View, ...]:
        """The notes that a walk from one note meets, in its order."""
        with self._database.reading() as reading:
            at, position = question.moments(reading, self._clock, None, known_at)
            start = find(reading, [note])[note].seq
            question.views(reading, [start], at, position, mode, missing=note)
            return tuple(question.views(reading, walk(reading, start, position), at, position, mode))
