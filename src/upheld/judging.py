"""From suspicion to event: pairs are put to the judge between transactions, then all that was found is applied in one.

Verdicts are kept as they come, so a run that is killed or out of budget is taken up where it stopped, and no pair is
judged twice. What was found is weighed only at the end, as a whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from upheld import judgement
from upheld.document import Chunk, Finding, Verdict
from upheld.judgement import Fault, FaultKind, Tally
from upheld.note import Note, instant
from upheld.pairing import living, pairs
from upheld.policy import Policy
from upheld.ports import Clock, Database, Judge
from upheld.question import every
from upheld.remember import Journal
from upheld.shelf import Judged
from upheld.standing import Seq
from upheld.sweep import Report, apply, weigh, within

_NO_ANSWER = frozenset({FaultKind.RAISED, FaultKind.WRONG_COUNT, FaultKind.REFUSED})
_STRONGEST = (Finding.CONTRADICTED, Finding.CONSISTENT, Finding.ABSTAIN, Finding.UNRELATED)


class Run:
    """What one run has asked and learned so far."""

    def __init__(self, *, budget: int | None = None) -> None:
        self.left = budget
        self.notes = 0
        self.pairs = 0
        self.contradicted: set[Seq] = set()
        self.unheard: set[Seq] = set()
        self._tally = Tally()
        self._strongest: dict[Seq, Finding] = {}

    def take(
        self,
        rows: Sequence[judgement.Judged],
        said: Mapping[Judged, Finding],
        notes: Sequence[Seq],
        *,
        asked: int,
    ) -> None:
        """Take over what came of some pairs, and the notes they were about."""
        self._tally += Tally.of(rows)
        self.notes += len(notes)
        self.pairs += len(said)
        self.left = None if self.left is None else self.left - asked
        for note in notes:
            self._strongest.setdefault(note, Finding.UNRELATED)
        for (note, _), finding in said.items():
            former = self._strongest.get(note, Finding.UNRELATED)
            self._strongest[note] = min(former, finding, key=_STRONGEST.index)
            if finding is Finding.CONTRADICTED:
                self.contradicted.add(note)

    def report(self) -> Report:
        """The run in figures."""
        return Report(
            notes=len(self._strongest),
            pairs=self.pairs,
            asked=dict(self._tally.asked),
            findings=_count(self._strongest.values()),
            faults={f"{judge}: {kind}": count for (judge, kind), count in self._tally.faults.items()},
            complete=self.left is None or self.left > 0,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Court:
    """The judge of one store, and what follows from its verdicts."""

    database: Database
    policy: Policy
    judge: Judge
    clock: Clock

    def hear(self, run: Run, suspected: Iterable[tuple[Note, Chunk]], *, notes: Sequence[Seq] = ()) -> None:
        """Put to the judge what it did not see before, and keep what it says. `notes` are those that are swept."""
        wanted = pairs(suspected)
        with self.database.reading() as reading:
            unseen = reading.shelf.unjudged([*wanted], self.judge.name)
        if run.left is not None:
            # What was not heard of a note may speak for it, so such a note waits for the next run.
            run.unheard |= {note for note, _ in unseen[run.left :]}
            unseen = unseen[: run.left]
        rows = judgement.judged(self.judge, [wanted[pair] for pair in unseen])
        verdicts = [
            (note, digest, verdict)
            for (note, digest), row in zip(unseen, rows, strict=True)
            if (verdict := _kept(row)) is not None
        ]
        with self.database.writing() as tx:
            tx.shelf.keep_verdicts(self.judge.name, verdicts, at=Journal.open(tx, self.clock()).at)
            said = tx.shelf.verdicts([*wanted], self.judge.name)
        run.take(rows, {pair: verdict.finding for pair, verdict in said.items()}, notes, asked=len(unseen))

    def apply(
        self,
        run: Run,
        approve: int | None,
        *,
        finished: Sequence[str] = (),
        swept: Sequence[Seq] = (),
        dry_run: bool = False,
    ) -> Report:
        """Weigh all that was found and apply it in one transaction, or nothing of it.

        `finished` are passages that need not wait any longer, `swept` notes that need not come first any longer.
        """
        with self.database.writing() as tx:
            journal = Journal.open(tx, self.clock())
            weighed = weigh(tx, run.contradicted - run.unheard, self.judge.name, self.policy, now=journal.at)
            report = replace(
                run.report(),
                kinds=_count(each.note.kind for each in weighed),
                found=tuple(weighed),
            )
            if dry_run:
                return report
            if weighed:
                alive = len(living(tx, every(tx.listed, ()), instant(journal.at)))
                within(weighed, living=alive, rules=self.policy.sweep, approved=approve)
            events = tuple(apply(journal, each, self.judge.name) for each in weighed)
            tx.shelf.judging_done(finished, [note for note in swept if note not in run.unheard])
            return replace(report, events=events)


def _kept(row: judgement.Judged) -> Verdict | None:
    """What is kept of an answer: who may say more another time is asked again, who answered ill is not."""
    if row.unfinished or (isinstance(row.outcome, Fault) and row.outcome.kind in _NO_ANSWER):
        return None
    if isinstance(row.outcome, Fault):
        return Verdict(finding=Finding.ABSTAIN, confidence=0.0, why=f"fault: {row.outcome.kind}")
    return row.outcome


_Counted = TypeVar("_Counted")


def _count(things: Iterable[_Counted]) -> dict[_Counted, int]:
    return dict(Counter(things))
