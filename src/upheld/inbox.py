"""What the owners of a scope are told when a document takes a note from them, and how they answer.

A notice is a view of one event, made when it is read: the quotes are those of the event, and what the note is today
is what the rule says today. It is for the people who own the notes: it quotes what no longer stands, which no answer
to an agent does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from upheld import limits, revise
from upheld.admit import admit
from upheld.correction import corrected
from upheld.errors import Conflict, NotFound
from upheld.intake import draft
from upheld.note import Draft, Evidence, Standing, Verb, Written, instant
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids, Reading
from upheld.question import count
from upheld.receipts import Receipts
from upheld.remember import Journal, record
from upheld.shelf import Notice, Served, Settled
from upheld.standing import Seq, standings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOTICES_AT_ONCE = 100
Views: TypeAlias = list["Told"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One notice. `number` names it; `standing` is that of the note now; `used_in` are the last answers it was in.

    `evidence` names the document, its version and the quotes, and `effective_from` when the document's word counts
    from. A notice that was answered has `settled_as`.
    """

    number: Seq
    kind: Verb
    note: str
    scope: str
    at: datetime
    effective_from: datetime | None
    evidence: Evidence | None
    standing: Standing
    used_in: tuple[Served, ...] = ()
    settled_as: Settled | None = None
    settled_by: str | None = None
    settled_at: datetime | None = None


class Inbox:
    """The notices of one store. `memory.inbox` has these verbs."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        embedder: Embedder | None,
        receipts: Receipts,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._database = database
        self._receipts = receipts
        self._policy = policy
        self._embedder = embedder
        self._clock = clock
        self._ids = ids

    def list(
        self,
        scope: str | Sequence[str] = (),
        *,
        settled: bool | None = False,
        before: Seq | None = None,
        limit: int = NOTICES_AT_ONCE,
    ) -> tuple[Told, ...]:
        """Notices of some scopes (all, if none is named), newest first: those nobody answered, unless asked otherwise.

        `settled` None gives all. `before` is the number of the last one of the page before; `limit` is 1 to 1,000.
        """
        scopes = limits.scopes_or_all(scope)
        if settled is not None:
            limits.flag(settled, "settled")
        wanted = count(limit, "limit")
        before = None if before is None else count(before, "before", most=1 << 62)
        self._receipts.flush()
        shown: Views = []
        with self._database.reading() as reading:
            while len(shown) < wanted:  # notices of erased notes are passed over, and must not end a page
                found = reading.shelf.notices(scopes, settled=settled, before=before, limit=wanted)
                shown += self._told(reading, found)
                if len(found) < wanted:
                    break
                before = found[-1].event.seq
        return tuple(shown[:wanted])

    def _told(self, reading: Reading, notices: Sequence[Notice]) -> Views:
        seqs = {notice.event.note for notice in notices}
        now = instant(self._clock())
        ruled = standings(reading.world(seqs), seqs, valid_at=now, known_at=reading.head().seq)
        used = reading.shelf.used_in(seqs)
        return [
            Told(
                number=notice.event.seq,
                kind=notice.event.verb,
                note=notice.note,
                scope=notice.scope,
                at=notice.event.at,
                effective_from=notice.event.effective_from,
                evidence=notice.event.evidence,
                standing=ruled[notice.event.note].standing,
                used_in=used.get(notice.event.note, ()),
                settled_as=notice.settled_as,
                settled_by=notice.settled_by,
                settled_at=notice.settled_at,
            )
            for notice in notices
            if ruled[notice.event.note].standing is not Standing.ERASED
        ]

    def accept(self, number: Seq, *, by: str = "person:owner") -> Told:
        """Agree: the document is right. The note stays as it is."""
        limits.channel_of(by)
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            self._settle(journal, number, Settled.ACCEPT, by)
            return self._now(tx, number)

    def undo(self, number: Seq, *, by: str = "person:owner", reason: str | None = None) -> Told:
        """Disagree: what the document did to the note is taken back, and does not return by the same passage.

        Raises `Refused` where a less trusted channel would restore a more trusted source's note.
        """
        revise.checked(by, reason)
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            notice = self._settle(journal, number, Settled.UNDO, by)
            revise.take_back(journal, notice.event, by=by, reason=reason, policy=self._policy)
            return self._now(tx, number)

    def correct(self, number: Seq, statement: str, *, by: str = "person:owner", reason: str | None = None) -> Written:
        """Say what holds instead: a new note takes the place of the old one, in its scope and kind."""
        with self._database.reading() as reading:
            notice = self._notice(reading, number)
            old = reading.notes([notice.event.note])[notice.event.note]
        proposed: Draft = draft(
            statement, {"scope": old.scope, "kind": old.kind, "by": by, "reason": reason, "supersedes": old.id}
        )
        admitted = admit(proposed, self._policy, now=self._clock())
        vector: NDArray[np.float32] | None = None if self._embedder is None else self._embedder.embed([statement])[0]
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            self._settle(journal, number, Settled.CORRECT, by)
            written = record(journal, admitted, ids=self._ids, policy=self._policy, vector=vector)
            corrected(journal, old, written, by=by, reason=reason)
            return written

    def _now(self, reading: Reading, number: Seq) -> Told:
        for told in self._told(reading, [self._notice(reading, number)]):
            return told
        raise NotFound(f"there is no notice {number}; see: upheld inbox")  # of a note that was erased

    def _settle(self, journal: Journal, number: Seq, how: Settled, by: str) -> Notice:
        notice = self._notice(journal.tx, number)
        if not journal.tx.shelf.settle(number, how, by=by, at=journal.at):
            raise Conflict(f"notice {number} was settled already, as {notice.settled_as}", current=(notice.note,))
        return notice

    @staticmethod
    def _notice(reading: Reading, number: Seq) -> Notice:
        number = count(number, "number", most=1 << 62)
        notice = reading.shelf.notice(number)
        if notice is None:
            raise NotFound(f"there is no notice {number}; see: upheld inbox")
        return notice
