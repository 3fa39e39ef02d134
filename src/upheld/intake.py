"""How drafts and logs come in, one or many: checked and embedded outside the transaction, written inside it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from upheld import limits
from upheld.admit import Admitted, admit
from upheld.aside import ENTITLED, Origin, Review
from upheld.correction import corrected
from upheld.errors import Cycle, Invalid, Refused, SetAside, Unavailable, UpheldError
from upheld.note import Channel, Draft, DraftFields, Event, Link, Note, Rel, Written, instant
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids, Writing
from upheld.remember import Journal, alone, payload, record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

K = TypeVar("K")
T = TypeVar("T")
_NOT_EMPTY = "a log is taken over as it was, into an empty store only: import drafts (export --current) instead"
Line = Draft | Note | Link | Event | UpheldError
Taken = Written | Note | Link | Event | UpheldError


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The door of one store."""

    database: Database
    policy: Policy
    embedder: Embedder | None
    clock: Clock
    ids: Ids

    def one(self, proposed: Draft, *, corrects: Note | None = None) -> Written:
        """Record one draft, or raise what is wrong with it. `corrects` is the note that somebody said was wrong."""
        admitted = admit(proposed, self.policy, now=self.clock())
        if (review := self.review_of(admitted.draft, kind=admitted.kind, channel=admitted.channel)) is not None:
            with self.database.writing() as tx:
                aside = self._set_aside(tx, review)
            raise aside
        vector = vectors_of(self.embedder, {0: proposed.statement}).get(0)
        with self.database.writing() as tx:
            journal = Journal.open(tx, self.clock())
            written = record(journal, admitted, ids=self.ids, policy=self.policy, vector=vector)
            if corrects is not None:
                corrected(journal, corrects, written, by=proposed.by, reason=proposed.reason)
            return written

    def batch(
        self, drafts: Sequence[Draft], trust: Channel, vectors: NDArray[np.float32] | None
    ) -> list[Written | UpheldError]:
        """Record drafts in one transaction, each wholly or not at all; in order, what came of each."""
        now = self.clock()
        admitted = [_attempt(each, self.policy, now, trust) for each in drafts]
        found: dict[int, NDArray[np.float32]] = {}
        if vectors is not None:
            found = dict(enumerate(vectors))
        elif self.embedder is not None:
            good = [i for i, each in enumerate(admitted) if not isinstance(each, UpheldError)]
            found = vectors_of(self.embedder, {i: drafts[i].statement for i in good})
        with self.database.writing() as tx:
            return self._write(Journal.open(tx, self.clock()), admitted, found)

    def _write(
        self,
        journal: Journal,
        admitted: Sequence[Admitted | UpheldError],
        vectors: Mapping[int, NDArray[np.float32]],
    ) -> list[Written | UpheldError]:
        """Write admitted drafts in order. Those that touch nothing are written together, which is many times faster."""
        results: list[Written | UpheldError] = []
        fresh: list[tuple[Note, NDArray[np.float32] | None]] = []
        answered: list[tuple[str, str, int]] = []
        touching = _touching(journal.tx, admitted)
        for i, each in enumerate(admitted):
            if isinstance(each, UpheldError):
                results.append(each)
            elif (review := self.review_of(each.draft, kind=each.kind, channel=each.channel)) is not None:
                results.append(self._set_aside(journal.tx, review))
            elif i in touching:
                journal.tx.append_notes(fresh)
                journal.tx.keep_requests(answered)
                fresh.clear()
                answered.clear()
                results.append(self._write_one(journal, each, vectors.get(i)))
            else:
                start = journal.seq
                try:
                    note = each.recorded(seq=journal.next(), id=self.ids(), at=journal.at, generation=0)
                except UpheldError as error:
                    journal.seq = start
                    results.append(error)
                    continue
                fresh.append((note, vectors.get(i)))
                results.append(Written(note=note, outcome=alone(note)))
                if each.draft.idempotency_key is not None:
                    answered.append((each.draft.idempotency_key, payload(each), note.seq))
        journal.tx.append_notes(fresh)
        journal.tx.keep_requests(answered)
        return results

    def _write_one(
        self, journal: Journal, admitted: Admitted, vector: NDArray[np.float32] | None
    ) -> Written | UpheldError:
        start = journal.seq
        try:
            with journal.tx.savepoint():
                return record(journal, admitted, ids=self.ids, policy=self.policy, vector=vector)
        except UpheldError as error:
            journal.seq = start
            return error

    def review_of(self, draft: Draft, *, kind: str, channel: Channel) -> Review | None:
        """As what a draft waits, where its writer says what it rests on and the policy asks for a person's word."""
        if not draft.depends_on or channel in ENTITLED or self.policy.kind(kind).dependencies != "person":
            return None
        why = f"{draft.by} proposes what this {kind} rests on; the policy asks for a person"
        return Review(id=self.ids(), what=Origin.DEPENDENCY, why=(why,), drafts=(draft,), by=draft.by, at=self.clock())

    def _set_aside(self, tx: Writing, review: Review) -> SetAside:
        tx.aside.keep_review(review)
        why = review.why[0]
        return SetAside(f"{why}: it waits as {review.id} (upheld review accept {review.id})", review=review.id)

    def mixed(self, lines: Sequence[object], trust: Channel, *, into_empty: bool) -> list[Taken]:
        """Take in drafts and log lines, in order; an error among them passes through as its own result."""
        drafts = [line for line in lines if isinstance(line, Draft)]
        log = [line for line in lines if isinstance(line, Note | Link | Event)]
        written: Iterator[Taken] = iter(self.batch(drafts, trust, None) if drafts else [])
        taken: Iterator[Taken] = iter(self._log(log) if into_empty else [Refused(_NOT_EMPTY)] * len(log))
        results: list[Taken] = []
        for line in lines:
            if isinstance(line, Draft):
                results.append(next(written))
            elif isinstance(line, Note | Link | Event):
                results.append(next(taken))
            else:
                unknown = Invalid(f"expected a draft or a line of a log, not {type(line).__name__}")
                results.append(line if isinstance(line, UpheldError) else unknown)
        return results

    def _log(self, lines: Sequence[Note | Link | Event]) -> list[Taken]:
        """Take over lines of a log as they were, their notes embedded anew."""
        notes = [line for line in lines if isinstance(line, Note)]
        vectors = vectors_of(self.embedder, {note.seq: note.statement for note in notes})
        results: list[Taken] = []
        now = self.clock()
        with self.database.writing() as tx:
            for line in lines:
                try:
                    _take_over(tx, line, vectors.get(line.seq), now)
                    results.append(line)
                except UpheldError as error:
                    results.append(error)
        return results


def _touching(tx: Writing, admitted: Sequence[Admitted | UpheldError]) -> set[int]:
    """The places of those that name or may meet another note: in the store, or earlier among themselves."""
    touching: set[int] = set()
    seen: set[tuple[str, ...]] = set()
    wanted: list[tuple[str, str, str | None, str | None]] = []
    places: list[int] = []
    requests: dict[int, str] = {}
    for i, each in enumerate(admitted):
        if isinstance(each, UpheldError):
            continue
        draft = each.draft
        said = (draft.scope, draft.statement)
        key = (draft.scope, each.subject_key, each.attribute_key) if each.subject_key and each.attribute_key else said
        named = draft.supersedes or draft.depends_on or draft.derived_from or draft.led_by or draft.reason or draft.id
        met = key in seen or said in seen
        if draft.idempotency_key is not None:
            requests[i] = draft.idempotency_key
            asked = ("", draft.idempotency_key)
            met = met or asked in seen
            seen.add(asked)
        if named or met:
            touching.add(i)
        else:
            wanted.append((draft.scope, draft.statement, each.subject_key, each.attribute_key))
            places.append(i)
        seen.add(said)
        seen.add(key)
    known = tx.requests([*requests.values()]) if requests else {}
    again = {i for i, request in requests.items() if request in known}
    return touching | again | {places[place] for place in tx.taken(wanted)}


def _take_over(tx: Writing, line: Note | Link | Event, vector: NDArray[np.float32] | None, now: datetime) -> None:
    head = tx.head()
    at = line.recorded_at if isinstance(line, Note) else line.at
    if line.seq <= head.seq or (head.at is not None and instant(at) < head.at):
        raise Refused(
            f"line {line.seq} comes before the end of the log so far ({head.seq}): a log is taken in its order"
        )
    if at > now:
        raise Invalid(f"line {line.seq} was written in the future: {at.isoformat()}")
    if isinstance(line, Note):
        if tx.seqs([line.id]):
            raise Invalid(f"line {line.seq} gives the id {line.id!r} to a second note")
        tx.append_notes([(line, vector)])
        return
    ends = {line.origin, line.target} if isinstance(line, Link) else {line.note}
    if isinstance(line, Event) and line.against is not None:
        ends.add(line.against)
    if len(tx.ids(ends)) < len(ends):
        raise Invalid(f"line {line.seq} is about a note that the log does not hold")
    if isinstance(line, Event):
        tx.append_event(line)
        return
    if line.rel is Rel.SUPERSEDES and tx.would_cycle(line.origin, line.target):
        raise Cycle(f"line {line.seq} would let a note replace itself")
    if line.rel in (Rel.DEPENDS_ON, Rel.DERIVED_FROM) and line.target > line.origin:
        raise Cycle(f"line {line.seq} would let a note rest on a later one")
    tx.append_link(line)


def draft(statement: str, fields: DraftFields) -> Draft:
    """A draft from the words of a call: times may be text, and one id may stand for a list of ids."""
    if unknown := set(fields) - set(Draft.__struct_fields__):
        raise Invalid(f"unknown fields {sorted(unknown)}; known: {', '.join(sorted(Draft.__struct_fields__))}")
    read: dict[str, Any] = dict(fields)
    for name in ("valid_from", "valid_to", "observed_at", "expires_at"):
        if name in read:
            read[name] = limits.time(read[name], name)
    for name in ("supersedes", "alongside", "depends_on", "derived_from", "led_by", "sources"):
        if name in read:
            read[name] = tuple(read[name]) if isinstance(read[name], list | tuple) else (read[name],)
    return Draft(statement=statement, **read)


def vectors_of(embedder: Embedder | None, texts: Mapping[K, str]) -> dict[K, NDArray[np.float32]]:
    """The vectors of texts, each under its key. While the embedder is down notes are kept without: words find them."""
    if embedder is None or not texts:
        return {}
    try:
        return dict(zip(texts, embedder.embed([*texts.values()]), strict=True))
    except Unavailable:
        return {}


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Items in lists of `size`; the last may be shorter.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _attempt(proposed: Draft, policy: Policy, now: datetime, trust: Channel) -> Admitted | UpheldError:
    try:
        return admit(proposed, policy, now=now, trust=trust)
    except UpheldError as error:
        return error
