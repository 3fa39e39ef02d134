"""Consolidation: what is made of notes is staged, checked whole, and swapped in at once. `memory.consolidations`.

    covered     the exact notes: named, or those of a scope and a closed range that are in force now
    written     outside of any transaction, by code or a model
    checked     as a whole; what fails is shown with what is wrong, and waits for a person where code may be wrong
    staged      where no search, list, answer or export looks
    published   in one transaction, if no input moved since; a former summary of the same notes falls in it

Nothing is marked: that the inputs were consolidated is what the links from the summary say, and that a summary is
stale is what the rule says of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from msgspec import structs

from upheld import consolidate, limits, question
from upheld.admit import admit
from upheld.aside import Operation, Origin, Review, Staged, Work
from upheld.consolidate import Coverage, LeftOut, Proposal, Staleness
from upheld.errors import Conflict, NotFound, Refused, Unavailable, UpheldError, shown
from upheld.intake import vectors_of
from upheld.note import MAX_STATEMENT_BYTES, Channel, Draft, Source, Written
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids, Reading, Writer
from upheld.question import When, count
from upheld.receipts import Receipts
from upheld.remember import Journal, find, record
from upheld.standing import Seq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Progress: TypeAlias = Callable[[int, int | None], None]
Proposals: TypeAlias = tuple[Proposal, ...]
_STEPS = 3


class Consolidating:
    """The consolidations of one store."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        embedder: Embedder | None,
        receipts: Receipts,
        clock: Clock,
        ids: Ids,
        writers: Mapping[Operation, Writer],
    ) -> None:
        self._database = database
        self._policy = policy
        self._embedder = embedder
        self._receipts = receipts
        self._clock = clock
        self._ids = ids
        self._writers = writers

    def compress(
        self,
        notes: str | Sequence[str] = (),
        *,
        scope: str | None = None,
        since: When = None,
        until: When = None,
        time: str = "recorded",
        kinds: str | Sequence[str] = (),
        subject: str | None = None,
        most_chars: int = 1000,
        by: str = "person:owner",
        writer: Writer | None = None,
        progress: Progress | None = None,
    ) -> Proposal:
        """Say in at most `most_chars` characters (1 to 16,384) what some notes say, and stage it.

        The notes are named by `notes` (ids), or are those in force of one `scope` whose `time` ("recorded", or
        "event": when they began to hold) is within [`since`, `until`], both included; a date as `until` is its last
        moment. `kinds` and `subject` narrow the range. A range takes in notes that were made from others only where
        their kind is named. `by` lets it be made, and it is never trusted more than that.

        Named notes that were themselves made from others, and are stale or at the policy's `generations`, are replaced
        by the notes that they were first made from, as those are now. Raises `Refused` where one of them is gone, and
        where the notes share no scope or no situation.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None)
        >>> for said in ("Orders stores its data in PostgreSQL.", "Backups of orders run at two."):
        ...     note = memory.remember(said, scope="project/orders")
        >>> made = memory.consolidations.compress(scope="project/orders")
        >>> [written.outcome for written in memory.consolidations.publish(made.id)]
        ['added']
        """
        asked = consolidate.asked(notes, scope=scope, since=since, until=until, time=time, kinds=kinds, subject=subject)
        chars = count(most_chars, "most_chars", most=MAX_STATEMENT_BYTES)
        return self._propose(Operation.COMPRESS, asked, most_chars=chars, by=by, writer=writer, progress=progress)

    def infer(
        self,
        notes: str | Sequence[str] = (),
        *,
        scope: str | None = None,
        since: When = None,
        until: When = None,
        time: str = "recorded",
        kinds: str | Sequence[str] = (),
        subject: str | None = None,
        by: str = "person:owner",
        writer: Writer | None = None,
        progress: Progress | None = None,
    ) -> Proposal:
        """Stage what some notes let one suspect: hypotheses with their evidence, never served as settled.

        The arguments are those of `compress`. What was proposed before, or retracted, is not proposed again.
        """
        asked = consolidate.asked(notes, scope=scope, since=since, until=until, time=time, kinds=kinds, subject=subject)
        most = MAX_STATEMENT_BYTES
        return self._propose(Operation.INFER, asked, most_chars=most, by=by, writer=writer, progress=progress)

    def list(self) -> Proposals:
        """What is staged, oldest first. A set whose inputs moved shows which, and no text: it may say what fell."""
        with self._database.reading() as reading:
            return tuple(self._shown(reading, staged) for staged in reading.aside.stages())

    def publish(self, id: str) -> tuple[Written, ...]:
        """Write a staged set, all of it or nothing, and let fall the former summary of the same notes.

        Raises `Conflict` with the ids of inputs that are no longer in force or that something was said of since it
        was made: discard it and make it again. Raises `NotFound` where it is not there, or somebody published it.
        """
        with self._database.reading() as reading:
            staged = _stage(reading, id)
        vectors = vectors_of(self._embedder, {draft.statement: draft.statement for draft in staged.drafts})
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            staged = _stage(tx, id)
            if moved := self._moved(tx, staged):
                raise Conflict(
                    f"{len(moved)} of the notes that this was made of moved since ({', '.join(moved)[:200]}): "
                    "discard it, and make it again",
                    current=moved,
                )
            tx.aside.drop_stage(id)
            return tuple(self._record(journal, staged, draft, vectors.get(draft.statement)) for draft in staged.drafts)

    def discard(self, id: str) -> None:
        """Forget a staged set; no trace of it stays. Raises `NotFound` where it is not there."""
        with self._database.writing() as tx:
            _stage(tx, id)
            tx.aside.drop_stage(id)

    def staleness(self, days: int = 30) -> Staleness:
        """How many answers of the last `days` (1 to 36,500) would have served a stale note, had it not been withheld.

        Answers count on the day, UTC, that they were asked about.
        """
        since = self._clock().date() - timedelta(days=count(days, "days", most=36_500) - 1)
        self._receipts.flush()
        with self._database.reading() as reading:
            return Staleness.of(reading.ledger.answers(since=since))

    # Proposing

    def _propose(
        self,
        operation: Operation,
        asked: consolidate.Asked,
        *,
        most_chars: int,
        by: str,
        writer: Writer | None,
        progress: Progress | None,
    ) -> Proposal:
        limits.channel_of(by)
        told = limits.callback(progress, "progress")
        chosen = self._writers[operation] if writer is None else writer
        tick = (lambda _done, _of: None) if told is None else told
        with self._database.reading() as reading:
            covered = self._covered(operation, reading, asked)
            found = consolidate.held(reading, covered.notes, self._policy, now=self._clock())
            consolidate.terms([*found.values()], by, self._policy)
            others = (
                () if operation is Operation.COMPRESS else consolidate.others(reading, covered.notes, now=self._clock())
            )
        tick(1, _STEPS)
        work = Work(operation=operation, notes=covered.notes, others=others, most_chars=most_chars)
        written = _written(chosen, work)
        tick(2, _STEPS)
        transform = limits.name(f"{operation.value}/{chosen.name}", "the name of the writer")
        named = tuple(Source(channel=Channel.TOOL, ref=ref) for ref in (transform, *covered.ref))
        checked = consolidate.checked(
            operation, written, found, named=named, by=by, most_chars=most_chars, policy=self._policy
        )
        proposal = self._stage(operation, covered, transform, checked, by)
        tick(_STEPS, _STEPS)
        return proposal

    def _covered(self, operation: Operation, reading: Reading, asked: consolidate.Asked) -> Coverage:
        covered = consolidate.covered(reading, asked, self._policy, now=self._clock())
        if operation is Operation.COMPRESS and len(covered.notes) < 2:
            raise Refused(f"note {covered.notes[0].id} is covered alone; one note is not said in fewer")
        return covered

    def _stage(
        self, operation: Operation, covered: Coverage, transform: str, checked: consolidate.Checked, by: str
    ) -> Proposal:
        """Keep what passed; say of the rest why not."""
        problems = [*checked.problems]
        with self._database.writing() as tx:
            now = Journal.open(tx, self._clock()).at
            drafts: list[Draft] = []
            dropped: list[LeftOut] = []
            for draft in checked.drafts:
                try:
                    admit(draft, self._policy, now=now)
                except UpheldError as error:
                    problems.append(str(error))
                    continue
                replaces = self._formers(tx, operation, draft, transform)
                if known := consolidate.known(tx, draft, operation, replaces=replaces, now=now):
                    dropped.append(known)
                else:
                    drafts.append(draft)
            if operation is Operation.COMPRESS:
                problems += [] if checked.drafts or problems else ["no sentence of the notes can be said in so few"]
            staged = Staged(
                id=self._ids(),
                operation=operation,
                scope=covered.notes[0].scope,
                transform=transform,
                known_at=covered.known_at,
                inputs=tuple(note.id for note in covered.notes),
                drafts=() if problems else tuple(drafts),
                by=by,
                at=now,
            )
            if staged.drafts:
                tx.aside.keep_stage(staged)
            review: str | None = None
            if checked.doubtful:
                kept = Review(
                    id=self._ids(),
                    what=Origin.CONSOLIDATION,
                    why=tuple(problems),
                    drafts=checked.doubtful,
                    by=by,
                    at=now,
                )
                tx.aside.keep_review(kept)
                review = kept.id
            found = self._shown(tx, staged)
            if found.moved:
                raise Conflict("the notes moved while it was written: make it again", current=found.moved)
        return replace(
            found,
            id=staged.id if staged.drafts else None,
            problems=tuple(problems),
            left_out=(*covered.left_out, *dropped),
            coverage="".join(covered.ref),
            rejected=checked.said if problems else (),
            review=review,
        )

    # Showing and publishing

    def _shown(self, reading: Reading, staged: Staged) -> Proposal:
        now, head = self._clock(), reading.head().seq
        moved = self._moved(reading, staged)
        notes = find(reading, staged.inputs)
        drafts = () if moved else staged.drafts
        replaces = [
            seq for draft in drafts for seq in self._formers(reading, staged.operation, draft, staged.transform)
        ]
        made_of = [notes[id].generation for draft in staged.drafts for id in draft.derived_from]
        return Proposal(
            id=staged.id,
            operation=staged.operation,
            scope=staged.scope,
            transform=staged.transform,
            coverage=consolidate.named(staged.drafts),
            inputs=staged.inputs,
            generation=1 + max(made_of, default=0),
            drafts=drafts,
            replaces=tuple(question.views(reading, replaces, now, head, "answer")) if replaces else (),
            moved=moved,
            known_at=staged.known_at,
            by=staged.by,
            at=staged.at,
        )

    def _moved(self, reading: Reading, staged: Staged) -> tuple[str, ...]:
        """The inputs that are no longer in force, or that something was said of since."""
        return consolidate.moved(reading, staged.inputs, staged.known_at, now=self._clock())

    def _formers(self, reading: Reading, operation: Operation, draft: Draft, transform: str) -> tuple[Seq, ...]:
        """The summaries whose place a draft takes; a guess takes none."""
        if operation is Operation.INFER:
            return ()
        return consolidate.formers(reading, draft, transform, now=self._clock())

    def _record(self, journal: Journal, staged: Staged, draft: Draft, vector: NDArray[np.float32] | None) -> Written:
        inputs = find(journal.tx, draft.derived_from)
        trusted = max((note.channel for note in inputs.values()), key=self._policy.rank.index)
        # Looked up again: another summary of the same notes may have been published since this was staged.
        formers = self._formers(journal.tx, staged.operation, draft, staged.transform)
        draft = structs.replace(draft, supersedes=tuple(journal.tx.ids(formers).values()))
        admitted = admit(draft, self._policy, now=journal.at, trust=trusted)
        written = record(journal, admitted, ids=self._ids, policy=self._policy, vector=vector)
        if draft.derived_from and written.outcome not in {"added", "superseded", "proposed"}:
            raise Conflict(f"note {written.id} says this already", current=(written.id,))
        return written


def _written(writer: Writer, work: Work) -> object:
    """What a writer returns. Its own errors pass; a stranger's become one of ours, without its words."""
    try:
        found: object = writer.write(work)
        return [*found] if isinstance(found, Iterable) and not isinstance(found, str | bytes | Mapping) else found
    except UpheldError:
        raise
    except Exception as error:
        raise Unavailable(f"the writer {writer.name} failed: {type(error).__name__}") from error


def _stage(reading: Reading, id: object) -> Staged:
    found = reading.aside.stage(limits.name(id, "id"))
    if found is None:
        raise NotFound(f"nothing is staged as {shown(id)}; see: upheld consolidate list")
    return found
