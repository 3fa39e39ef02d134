"""What failed its check as a whole waits for a person. `memory.reviews` has these verbs.

    checked   by code, then by a judge where there is one (essay 004: the whole change, not each line of it)
    set aside where no search, list, answer or export looks, with the reasons
    accepted  by a person, who then says it: the drafts are written as theirs, all or none
    rejected  and it is gone

Nothing lets itself in: an agent or a tool can neither accept nor reject what was set aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from upheld import limits
from upheld.admit import admit
from upheld.aside import ENTITLED, Origin, Review
from upheld.errors import Invalid, NotFound, Refused, shown
from upheld.intake import vectors_of
from upheld.judgement import judged
from upheld.note import Certainty, Draft, Written
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Ids, Judge, Reading
from upheld.remember import Journal, record
from upheld.transition import Problem, Transition, contradicted, pairs, problems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Waiting: TypeAlias = tuple[Review, ...]
MOST_REASONS = 100


class Reviews:
    """The sets of changes of one store that failed their check."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        embedder: Embedder | None,
        clock: Clock,
        ids: Ids,
        judge: Judge | None = None,
    ) -> None:
        self._database = database
        self._policy = policy
        self._embedder = embedder
        self._clock = clock
        self._ids = ids
        self._judge = judge

    def check(self, transition: Transition) -> tuple[Problem, ...]:
        """Say why a set of changes may not be written: by code, and by the judge of what code let pass.

        Anything but a clear verdict of the judge changes nothing. Writes nothing.
        """
        found = problems(transition)
        if self._judge is None:
            return found
        failed = {problem.subject for problem in found}
        left = [(place, pair) for place, pair in pairs(transition) if place not in failed]
        verdicts = [each.verdict for each in judged(self._judge, [pair for _, pair in left])]
        return (*found, *contradicted(left, verdicts))

    def set_aside(self, what: Origin | str, why: Sequence[str], drafts: Sequence[Draft], *, by: str) -> Review:
        """Keep a set of changes for a person. `what` made it; `why` holds the reasons (1 or more); `by` would write it.

        Raises `Invalid` where it holds no draft or no reason.
        """
        if what not in set(Origin):
            raise Invalid(f"{shown(what)} makes no sets of changes; known: {', '.join(Origin)}")
        for actor in (by, *(draft.by for draft in drafts)):
            limits.channel_of(actor)
        if not drafts or not why:
            raise Invalid("what is set aside needs a draft and a reason")
        review = Review(
            id=self._ids(),
            what=Origin(what),
            why=tuple(dict.fromkeys(why))[:MOST_REASONS],
            drafts=tuple(drafts),
            by=by,
            at=self._clock(),
        )
        with self._database.writing() as tx:
            tx.aside.keep_review(review)
        return review

    def list(self) -> Waiting:
        """What waits for a person, oldest first."""
        with self._database.reading() as reading:
            return tuple(reading.aside.reviews())

    def accept(self, id: str, *, by: str = "person:owner", as_guess: bool = False) -> tuple[Written, ...]:
        """Write a set that was set aside as the word of `by`, all of it or nothing. It then waits no longer.

        With `as_guess` each draft is kept as a hypothesis, which retires nothing. Raises `NotFound` where it is not
        there, or somebody else answered it; `Refused` where `by` is no person;
        `HedgeLost` where a source is unsure and the draft is not; and whatever `remember` raises for a draft. Then
        nothing is written, and it still waits.
        """
        self._require_entitled(by)
        guess = limits.flag(as_guess, "as_guess")
        with self._database.reading() as reading:
            review = _review(reading, id)
        vectors = vectors_of(self._embedder, {draft.statement: draft.statement for draft in review.drafts})
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            review = _review(tx, id)
            tx.aside.drop_review(id)
            return tuple(
                self._record(journal, _said_by(draft, by, guess), vectors.get(draft.statement))
                for draft in review.drafts
            )

    def reject(self, id: str, *, by: str = "person:owner") -> None:
        """Throw away what was set aside. Raises `NotFound` where it is not there, `Refused` where `by` is no person."""
        self._require_entitled(by)
        with self._database.writing() as tx:
            if not tx.aside.drop_review(limits.name(id, "id")):
                raise _missing(id)

    def _require_entitled(self, by: str) -> None:
        if limits.channel_of(by) not in ENTITLED:
            raise Refused(f"{by!r} may not answer for what was set aside; a person may")

    def _record(self, journal: Journal, draft: Draft, vector: NDArray[np.float32] | None) -> Written:
        admitted = admit(draft, self._policy, now=journal.at)
        return record(journal, admitted, ids=self._ids, policy=self._policy, vector=vector)


def _said_by(draft: Draft, by: str, as_guess: bool) -> Draft:
    if as_guess:
        return replace(draft, by=by, certainty=Certainty.HYPOTHESIS, supersedes=(), alongside=())
    return replace(draft, by=by)


def _review(reading: Reading, id: object) -> Review:
    found = reading.aside.review(limits.name(id, "id"))
    if found is None:
        raise _missing(id)
    return found


def _missing(id: object) -> NotFound:
    return NotFound(f"nothing waits for review as {shown(id)}; see: upheld review")
