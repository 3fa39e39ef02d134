"""Audits: a sample of the notes in force is held against what can know. `memory.audits` has these verbs.

    drawn      so many notes of each kind, all equally likely, by a seed that is kept
    checked    by the owner of the value; where nothing owns it, by the documents; else by a person, who is asked
    kept       batch by batch, so that an audit which was interrupted holds what was checked so far
    fallen     what an owner or a document says otherwise is superseded or retired, as it is without an audit

An owner that does not answer, and a document that neither agrees nor acts, leave the note to a person: what could not
be checked is a question, and never counts as right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, TypeAlias

from upheld import audit, limits, question, revise
from upheld.answer import View
from upheld.audit import AuditQuestion, AuditReport
from upheld.document import Finding
from upheld.errors import Conflict, Invalid, Misconfigured, NeedsApproval, NotFound, shown
from upheld.intake import batches
from upheld.judging import Court, Run
from upheld.ledger import Audit, Audited, How
from upheld.note import Note, Standing, Verb, instant
from upheld.owners import window
from upheld.pairing import LIVING, passages_for
from upheld.policy import Policy
from upheld.ports import Clock, Database, Judge, Reading
from upheld.question import count
from upheld.remember import Journal
from upheld.standing import Ruling, Seq
from upheld.trust import NEVER, trust
from upheld.verify import Settled

Verify: TypeAlias = Callable[[Sequence[Note]], Mapping[Seq, Settled]]
"""Asks the owners of some notes; says what became of each, and leaves out those that nothing owns."""
Progress: TypeAlias = Callable[[int, int | None], None]
Rows: TypeAlias = list[Audited]

SAMPLE = 50
MOST_DRAWN = 100_000
AT_ONCE = 16
"""How many notes are checked, and kept, at once."""

_BY_OWNER = {Settled.VERIFIED: False, Settled.CHANGED: True}


class Correct(Protocol):
    """`Memory.correct`."""

    def __call__(self, note: str, value: str, *, by: str, reason: str | None) -> object:
        """Let a value take the place of what a note (an id) says."""
        ...


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A note of a sample, and when it was last seen to hold."""

    note: Note
    since: datetime


class Audits:
    """The audits of one store."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        judge: Judge,
        clock: Clock,
        seeds: Callable[[], int],
        verify: Verify | None = None,
        correct: Correct | None = None,
    ) -> None:
        self._database = database
        self._policy = policy
        self._clock = clock
        self._seeds = seeds
        self._verify = verify
        self._correct = correct
        self._court = Court(database=database, policy=policy, judge=judge, clock=clock)

    def run(
        self,
        scope: str | Sequence[str] = (),
        *,
        kinds: str | Sequence[str] = (),
        sample: int = SAMPLE,
        seed: int | None = None,
        by: str = "person:owner",
        tolerance: float = audit.TOLERANCE,
        progress: Progress | None = None,
    ) -> AuditReport:
        """Draw at most `sample` notes (1 to 100,000) of each kind, check them, and say what came of it.

        Of some scopes and kinds, or of all. The same `seed` draws the same of the same notes; without one it is new.
        `tolerance` is the wrong rate that is put up with, above 0 and below 1. What nothing can know waits in
        `questions`. Where there is no note in force there is no audit, and the report is empty.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None)
        >>> note = memory.remember("Nadia's desk is B12.", kind="preference")
        >>> [(each.kind, each.open) for each in memory.audits.run(seed=1).kinds]
        [('preference', 1)]
        >>> [asked.statement for asked in memory.audits.questions()]
        ["Nadia's desk is B12."]
        """
        limits.channel_of(by)
        scopes = limits.scopes_or_all(scope)
        wanted = question.names(kinds, "kinds") or tuple(self._policy.kinds)
        for kind in wanted:
            self._policy.kind(kind)
        size, accepted = count(sample, "sample", most=MOST_DRAWN), audit.tolerance(tolerance)
        sown = audit.seed(self._seeds() if seed is None else seed)
        told = limits.callback(progress, "progress")
        drawn = self._draw(scopes, wanted, size, sown)
        if not drawn:
            return audit.report((), (), self._policy, tolerance=accepted)
        with self._database.writing() as tx:
            begun = Journal.open(tx, self._clock()).at
            number = tx.ledger.open_audit(at=begun, by=by, seed=sown)
        run, done = Run(), 0
        for batch in batches(drawn, AT_ONCE):
            self._check(number, begun, batch, run)
            done += len(batch)
            if told is not None:
                told(done, len(drawn))
        return self._report(number, accepted, held_back=self._retire(run))

    def _draw(self, scopes: Sequence[str], kinds: Sequence[str], size: int, seed: int) -> list[_Drawn]:
        """A sample of the notes in force of each kind, with what was known of their age before anybody checks them."""
        drawn: list[_Drawn] = []
        with self._database.reading() as reading:
            head, now = reading.head().seq, instant(self._clock())
            for kind in dict.fromkeys(kinds):
                seqs = question.every(reading.listed, scopes, (kind,))
                ruled = reading.standings(seqs, valid_at=now, known_at=head) if seqs else {}
                in_force = [seq for seq in seqs if ruled.get(seq) is Standing.IN_FORCE]
                taken = audit.sample(in_force, size, seed)
                notes, seen = reading.notes(taken), reading.seen_at(taken, known_at=head)
                for seq in taken:
                    found = trust(notes[seq], self._policy, at=now, seen=seen.get(seq, NEVER))
                    drawn.append(_Drawn(notes[seq], found.since))
        return drawn

    def _check(self, number: int, begun: datetime, batch: Sequence[_Drawn], run: Run) -> None:
        """Check some notes outside of any transaction, and keep what was found."""
        notes = [each.note for each in batch]
        settled = {} if self._verify is None else self._still_fresh(notes, begun) | dict(self._verify(notes))
        judged = self._judge([note for note in notes if note.seq not in settled], run)
        with self._database.writing() as tx:
            at = Journal.open(tx, self._clock()).at
            rows: Rows = []
            for each in batch:
                seq = each.note.seq
                how, wrong, name = How.PERSON, None, None
                if settled.get(seq) is Settled.READ:  # it has no value that could be wrong
                    continue
                if seq in judged:
                    how, (wrong, name) = How.DOCUMENT, judged[seq]
                elif (outcome := settled.get(seq)) in _BY_OWNER:
                    how, wrong, name = How.VERIFIER, _BY_OWNER[outcome], f"system:{each.note.attribute or 'owner'}"
                rows.append(
                    Audited(
                        audit=number,
                        note=seq,
                        kind=each.note.kind,
                        age=max(begun - each.since, timedelta(0)),
                        how=how,
                        wrong=wrong,
                        answered_by=name,
                        answered_at=None if wrong is None else at,
                    )
                )
            tx.ledger.keep_audited(rows)

    def _still_fresh(self, notes: Sequence[Note], at: datetime) -> dict[Seq, Settled]:
        """Those whose owner was heard within its window: it is not asked again, and there is nobody better to ask."""
        with self._database.reading() as reading:
            seen = reading.seen_at([note.seq for note in notes], known_at=reading.head().seq)
        heard = {
            note.seq: trust(note, self._policy, at=instant(at), seen=seen.get(note.seq, NEVER)).verified_at
            for note in notes
        }
        return {
            note.seq: Settled.VERIFIED
            for note in notes
            if (since := heard[note.seq]) is not None and at - since < window(note, self._policy)
        }

    def _judge(self, notes: Sequence[Note], run: Run) -> dict[Seq, tuple[bool, str]]:
        """What documents say of some notes: whether they are wrong, and which says so; notes without a word left out.

        Only what would retire a note counts against it, and only agreement that nothing contradicts speaks for it.
        """
        if not notes:
            return {}
        seqs = [note.seq for note in notes]
        with self._database.reading() as reading:
            suspected = [(note, passage.chunk) for note, passage in passages_for(reading, notes)]
        if not suspected:
            return {}
        self._court.hear(run, suspected, notes=seqs)
        against = {each.note.seq: each for each in self._court.apply(run, None, dry_run=True).found}
        with self._database.reading() as reading:
            said = reading.shelf.findings(seqs, self._court.judge.name)
            passages = reading.shelf.passages_with({digest for _, digest in said})
        found: dict[Seq, tuple[bool, str]] = {}
        denied = {seq for (seq, _), verdict in said.items() if verdict.finding is Finding.CONTRADICTED}
        for (seq, digest), verdict in said.items():
            if verdict.finding is Finding.CONSISTENT and seq not in denied and digest in passages:
                found[seq] = (False, f"document:{passages[digest][0].document}")
        for seq in seqs:
            if seq in against and against[seq].retires:
                found[seq] = (True, f"document:{against[seq].passage.document}")
        return found

    def _retire(self, run: Run) -> tuple[str, ...]:
        """Let fall what documents contradict. Where that is too much at once, the next sweep asks about it first."""
        if not run.contradicted:
            return ()
        try:
            self._court.apply(run, None)
        except NeedsApproval as error:
            with self._database.writing() as tx:
                tx.shelf.doubt(sorted(run.contradicted), at=Journal.open(tx, self._clock()).at)
            return tuple(each.note.id for each in error.found if each.retires)
        return ()

    def questions(self, number: int | None = None) -> tuple[AuditQuestion, ...]:
        """What waits for a person, of one audit or of all, in order. Erased notes are not asked about."""
        with self._database.reading() as reading:
            rows, begun = _rows(reading, number)
            waiting = [row for row in rows if row.wrong is None]
            views = {
                view.seq: view
                for view in question.views(
                    reading, {row.note for row in waiting}, self._clock(), reading.head().seq, "history"
                )
            }
        return tuple(
            AuditQuestion(
                audit=row.audit,
                note=view.id,
                scope=view.scope,
                kind=view.kind,
                statement=view.statement,
                standing=view.standing,
                age_days=row.age / timedelta(days=1),
                asked_at=begun[row.audit].at,
            )
            for row in waiting
            if (view := views.get(row.note)) is not None and view.statement is not None
        )

    def answer(
        self, number: int, note: str, wrong: bool, value: str | None = None, *, by: str = "person:owner"
    ) -> View:
        """Answer what an audit asked about a note (an id), once: is it wrong now? Return the note as it then is.

        Right confirms the note, where `by` is trusted as much as its source. Wrong with a `value` corrects it; without
        one the note is disputed, so that it is asked about and no longer served as current. Of a note that fell since
        only the answer is kept.

        Raises `NotFound` where the audit did not draw the note, `Conflict` where it was answered before.
        """
        channel = limits.channel_of(by)
        if not isinstance(wrong, bool):
            raise Invalid(f"wrong must be True or False, not {shown(wrong)}")
        if value is not None and not wrong:
            raise Invalid("a note that is right keeps its value; leave value out")
        with self._database.reading() as reading:
            row = _row(reading, number, note)
        if row.wrong is not None:
            raise _answered(row, note)
        if value is not None:
            if self._correct is None:
                raise Misconfigured("this store was opened without a way to correct notes; answer without a value")
            self._correct(note, value, by=by, reason=f"audit {row.audit}")
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            if not tx.ledger.answer_audited(row.audit, row.note, wrong=wrong, by=by, at=journal.at):
                raise _answered(_row(tx, number, note), note)
            found, ruling = revise.ruled(journal, note)
            why = f"audit {row.audit}"
            if wrong and value is None and ruling.standing in LIVING:
                journal.event(row.note, Verb.DISPUTED, actor=by, reason=why)
            if not wrong and _confirmable(ruling) and not self._policy.outranks(found.channel, channel):
                revise.confirm(journal, note, by=by, reason=why, observed_at=journal.at, policy=self._policy)
            return question.views(tx, [row.note], journal.at, journal.seq, "answer")[0]

    def report(self, number: int | None = None, *, tolerance: float = audit.TOLERANCE) -> AuditReport:
        """What one audit found, or all together. `tolerance` is the wrong rate that is put up with, as for `run`."""
        return self._report(number, audit.tolerance(tolerance))

    def _report(self, number: int | None, tolerance: float, *, held_back: tuple[str, ...] = ()) -> AuditReport:
        with self._database.reading() as reading:
            rows, begun = _rows(reading, number)
        audits = [*begun.values()]
        return audit.report(rows, audits, self._policy, tolerance=tolerance, held_back=held_back)


def _rows(reading: Reading, number: int | None) -> tuple[Rows, dict[int, Audit]]:
    """The notes of one audit or of all, and the audits, oldest first."""
    if number is not None:
        count(number, "number", most=audit.MOST_SEED)
    begun = {each.number: each for each in reversed(reading.ledger.audits()) if number in {None, each.number}}
    if number is not None and not begun:
        raise NotFound(f"there is no audit {number}; see: upheld audit report")
    return reading.ledger.audited(audit=number), begun


def _row(reading: Reading, number: int, note: str) -> Audited:
    rows, _ = _rows(reading, count(number, "number", most=audit.MOST_SEED))
    seq = reading.seqs([limits.name(note, "note")]).get(note)
    for row in rows:
        if row.note == seq:
            return row
    raise NotFound(f"audit {number} did not draw a note {shown(note)}; see: upheld audit questions")


def _answered(row: Audited, note: str) -> Conflict:
    said = "wrong" if row.wrong else "right"
    return Conflict(
        f"note {note} was answered in audit {row.audit} already: {said}, by {row.answered_by}", current=(note,)
    )


def _confirmable(ruling: Ruling) -> bool:
    return ruling.standing is Standing.IN_FORCE or (ruling.standing is Standing.NEEDS_CHECK and not ruling.by)
