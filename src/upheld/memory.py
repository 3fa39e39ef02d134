"""Memory: the verbs. Composes the parts, fills what was left to default, and owns each transaction.

Models are called before a transaction opens, never inside it. Whatever a verb writes is there wholly or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Self, TypeAlias, Unpack

import numpy as np
from numpy.typing import NDArray

from upheld import limits, question, revise
from upheld.answer import Recall, View
from upheld.answering import Answering
from upheld.archive import Archive, Mode
from upheld.auditing import Audits
from upheld.consolidating import Consolidating
from upheld.conversation import Message
from upheld.conversation.outcomes import Extraction, Ingested
from upheld.correction import correction
from upheld.db.sqlite import Sqlite
from upheld.document import Chunk
from upheld.documents import Corpus
from upheld.embed.checked import as_rows, given_rows
from upheld.errors import Invalid, UpheldError
from upheld.inbox import Inbox
from upheld.intake import Intake, Line, Taken, batches, draft
from upheld.messages import Extractor
from upheld.note import Channel, Draft, DraftFields, Note, Written
from upheld.policy import Policy
from upheld.ports import Clock, Embedder, Ids
from upheld.question import Known, When
from upheld.remember import Journal, find
from upheld.retrieved import passages
from upheld.reviewing import Reviews
from upheld.verify import Settled
from upheld.verifying import Verifying

if TYPE_CHECKING:
    from upheld.conversations import Conversations

Progress = Callable[[int], None]
Vector: TypeAlias = NDArray[np.float32]
Recorded: TypeAlias = list[Written | UpheldError]
TakenIn: TypeAlias = list[Taken]

BATCH = 1024
BATCH_WITHOUT_VECTORS = 4096
"""Where nothing is embedded, what a bulk write waits for is the disk: so it goes there less often."""


class Memory(Archive):
    """A store of notes that stops believing what is no longer true.

    Made by `upheld.open`. Safe to share between threads; use `close`, or a `with` block, when done.
    """

    def __init__(
        self,
        database: Sqlite,
        *,
        policy: Policy,
        embedder: Embedder | None,
        clock: Clock,
        ids: Ids,
        corpus: Corpus,
        inbox: Inbox,
        answering: Answering,
        verifying: Verifying,
        audits: Callable[..., Audits],
        consolidations: Consolidating,
        reviews: Reviews,
    ) -> None:
        super().__init__(database, clock)
        self._policy = policy
        self._embedder = embedder
        self._ids = ids
        self._intake = Intake(database=database, policy=policy, embedder=embedder, clock=clock, ids=ids)
        self._answering = answering
        self._verifying = verifying
        self.corpus = corpus
        """The documents that notes are held against: add, list, remove, watch, sweep."""
        self.inbox = inbox
        """What documents did to notes, and how their owners answer: list, accept, undo, correct."""
        self.uses = answering.uses
        """How notes in use agree with the documents retrieved beside them: drift, flush."""
        self.reviews = reviews
        """What failed its check and waits for a person: list, accept, reject."""
        self.consolidations = consolidations
        """What is made of notes: compress, infer, list, publish, discard, staleness."""
        self.audits = audits(correct=self.correct)
        """How many notes are wrong: run, questions, answer, report."""

    # Writing

    def remember(self, /, statement: str, **fields: Unpack[DraftFields]) -> Written:
        """Record a statement, and let it retire, confirm or dispute what the store holds about the same thing.

        `fields` are those of `Draft`: scope, kind, by ("person:ana"), key and value, applies_when, certainty,
        confidence (0 to 1), valid_from, valid_to, observed_at, expires_at (aware times, or text), sources,
        supersedes, depends_on, derived_from (ids), reason, id, idempotency_key.

        Raises `Invalid`, `Refused`, `NotFound` or `Conflict`; then nothing was written.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None)
        >>> memory.remember("The port of the orders database is 5432.").outcome
        'added'
        >>> memory.remember("The port of the orders database is 6432.").outcome
        'superseded'
        """
        return self._intake.one(draft(statement, fields))

    def supersede(self, /, note: str, statement: str, **fields: Unpack[DraftFields]) -> Written:
        """Record a statement that takes the place of `note` (an id), in its scope and kind unless said otherwise.

        Exactly one of several concurrent attempts wins; the others get `Conflict` with the present head.
        """
        if "supersedes" in fields:
            raise Invalid("supersede names the note as its first argument; leave supersedes out")
        with self._database.reading() as reading:
            old = find(reading, [note])[note]
        return self._intake.one(draft(statement, {"scope": old.scope, "kind": old.kind, **fields, "supersedes": note}))

    def remember_many(
        self,
        drafts: Iterable[Draft],
        *,
        trust: Channel = Channel.SYSTEM_OF_RECORD,
        vectors: NDArray[np.float32] | None = None,
        progress: Progress | None = None,
    ) -> Recorded:
        """Record many drafts: for each, in order, what was written or why it was not. One bad draft stops no other.

        `trust` caps the channel that any draft may claim. `vectors` holds one unit row per draft where they are
        already embedded. `progress` is called with how many drafts are done.
        """
        results: Recorded = []
        capped, told = limits.channel(trust, "trust"), limits.callback(progress, "progress")
        rows = None if vectors is None else as_rows(vectors)
        for batch in batches(
            limits.listed(drafts, "drafts"), BATCH_WITHOUT_VECTORS if self._embedder is None else BATCH
        ):
            end = len(results) + len(batch)
            given = None if rows is None else given_rows(self._embedder, rows[len(results) : end], len(batch))
            results += self._intake.batch(batch, capped, given)
            if told is not None:
                told(len(results))
        return results

    def confirm(
        self,
        note: str,
        *,
        by: str = "person:owner",
        reason: str | None = None,
        observed_at: When = None,
    ) -> View:
        """Say that a note still holds; its age counts from `observed_at` (now, if not given)."""
        now = self._clock()
        seen = limits.time(observed_at, "observed_at") or now
        if seen > now:
            raise Invalid("observed_at is in the future: nobody saw that yet")
        return self._revise(
            partial(revise.confirm, id=note, by=by, reason=reason, observed_at=seen, policy=self._policy)
        )

    def retract(self, note: str, *, by: str = "person:owner", reason: str | None = None) -> View:
        """Say that a note never held. What it replaced stands again."""
        return self._revise(partial(revise.retract, id=note, by=by, reason=reason, policy=self._policy))

    def restore(self, note: str, *, by: str = "person:owner", reason: str | None = None) -> View:
        """Take back what was said against a note: its retraction, its contradiction, or that it was superseded."""
        return self._revise(partial(revise.restore, id=note, by=by, reason=reason, policy=self._policy))

    def correct(self, note: str, value: str, *, by: str = "person:owner", reason: str | None = None) -> Written:
        """Say what holds instead of a note: the value of its key, or the whole statement where it has no key.

        A new note takes its place, and the log keeps that this was a correction. Raises `Invalid` where the value is
        what the note says (confirm it), `Conflict` where something else took its place before.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None)
        >>> said = memory.remember("The plan of Acme is Team.")
        >>> memory.correct(said.id, "Pro", reason="the customer said so").statement
        'The plan of Acme is Pro.'
        """
        with self._database.reading() as reading:
            old = find(reading, [note])[note]
        return self._intake.one(correction(old, value, by=by, reason=reason), corrects=old)

    def verify(
        self, scope: str | Sequence[str], *, progress: Callable[[int, int | None], None] | None = None
    ) -> dict[str, Settled]:
        """Ask the owners of all values of some scopes whose window is over; say what became of each note, by id.

        Notes that nothing owns are left out, and those that were asked about within their window. `progress` is
        called with how many notes are done, and of how many.
        """
        return self._verifying.verify(limits.scopes(scope), limits.callback(progress, "progress"))

    def import_(
        self, lines: Iterable[Line], *, trust: Channel = Channel.TOOL, progress: Progress | None = None
    ) -> TakenIn:
        """Take in drafts, or a whole log as `export` gives it, in order: for each line what came of it.

        Drafts pass the same door as `remember`, and none may claim a channel above `trust`. A log is taken over
        as it was, into an empty store only: it would otherwise rewrite what this store knew when.
        """
        results: TakenIn = []
        capped, told = limits.channel(trust, "trust"), limits.callback(progress, "progress")
        with self._database.reading() as reading:
            empty = reading.head().seq == 0
        for batch in batches(limits.listed(lines, "lines"), BATCH):
            results += self._intake.mixed(batch, capped, into_empty=empty)
            if told is not None:
                told(len(results))
        return results

    # Conversations

    def ingest(self, messages: Iterable[Message], *, scope: str = "default", conversation: str = "default") -> Ingested:
        """Keep the messages of a conversation word for word, each once; nothing of it is believed. See `extract`."""
        return self._conversations.ingest(messages, scope=scope, conversation=conversation)

    def extract(
        self,
        conversation: str | None = None,
        *,
        scope: str | None = None,
        extractor: Extractor | None = None,
        dry_run: bool = False,
        progress: Callable[[int, int | None], None] | None = None,
    ) -> Extraction:
        """Read what messages state and write it as `remember` would, on the word of whoever spoke.

        Of a conversation, a scope, or both. `extractor` None are the rules, which need no model. Says what came of
        each passage; what was read is not read again. `dry_run` writes nothing.
        """
        return self._conversations.extract(
            conversation, scope=scope, extractor=extractor, dry_run=dry_run, progress=progress
        )

    @cached_property
    def _conversations(self) -> Conversations:
        # What reads sentences takes a while to import, and most programs never need it.
        from upheld.conversations import Conversations

        return Conversations(
            self._database,
            policy=self._policy,
            embedder=self._embedder,
            clock=self._clock,
            ids=self._ids,
            check=self.reviews.check,
        )

    # Reading

    def recall(
        self,
        query: str,
        *,
        scope: str | Sequence[str] = "default",
        limit: int = 10,
        valid_at: When = None,
        known_at: Known = None,
        mode: Mode = "answer",
        applies: Mapping[str, object] | None = None,
        kinds: Sequence[str] = (),
        channels: Sequence[Channel | str] = (),
        subject: str | None = None,
        attribute: str | None = None,
        budget_tokens: int | None = None,
        vector: Sequence[float] | Vector | None = None,
        documents: Sequence[str | Chunk] = (),
        for_action: str | None = None,
        direction: bool = False,
        explain: bool = False,
    ) -> Recall:
        """Answer a question from what is in force.

        `scope` is one scope or several, each by its whole name. `limit` is from 1 to 1,000. `valid_at` asks what
        was true then, `known_at` what the store knew then (a time, or a log position); a date means its last
        moment, UTC. `mode="history"` shows what no longer stands too, labelled. `applies` names the situation, for
        example {"environment": "production"}. `vector` is the query already embedded. `documents` are the passages
        that the caller retrieved: notes that they contradict are withheld from this answer, and swept first.
        `for_action` names what is about to be done ("deploy"): only what was confirmed or verified is upheld then,
        the rest is open, with what to check first, and finding no restriction is said to be no permission.
        `direction` makes `path` the whole line of decisions behind the answer, across the scopes that are read.

        Values whose owner is registered are read from it first, where their window is over.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None)
        >>> old = memory.remember("Orders stores its data in MongoDB.", scope="project/orders")
        >>> new = memory.supersede(old.id, "We moved to PostgreSQL.", reason="two outages in July")
        >>> answer = memory.recall("where does Orders store its data?", scope="project/orders")
        >>> answer.upheld[0].statement, answer.upheld[0].replaces == (old.id,)
        ('We moved to PostgreSQL.', True)
        """
        asked = question.query(
            query,
            scope=scope,
            limit=limit,
            valid_at=valid_at,
            known_at=known_at,
            mode=mode,
            applies=applies,
            filter=question.narrowed(kinds, channels, subject, attribute),
            budget_tokens=budget_tokens,
            for_action=for_action,
            direction=direction,
            explain=explain,
        )
        return self._answering.answer(asked, vector, passages(documents))

    def close(self) -> None:
        """Close the store; it stays as it is."""
        self._answering.close()
        self._database.close()

    def __enter__(self) -> Self:
        """Give the memory to a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close at the end of a `with` block."""
        self.close()

    # What the verbs share

    def _revise(self, change: Callable[[Journal], Note]) -> View:
        """Make a change to a note; return the note as it may leave the store after it."""
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            note = change(journal)
            return question.views(tx, [note.seq], journal.at, journal.seq, "answer")[0]
