"""What is shown of a consolidation before it is published, and how often stale notes were kept back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from upheld.answer import View
from upheld.aside import Operation
from upheld.ledger import Answers
from upheld.note import Draft
from upheld.standing import Seq


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A note that was passed over, or that says a guess already, and why that is."""

    note: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One staged set, as the change that publishing it would make.

    `id` is None where nothing is staged: `problems` say why, `rejected` what was written, and `review` names what waits
    for a person, where only code found that it goes beyond its quotes. `replaces` are former summaries that would fall;
    their text is there if they are in force. `left_out` are notes of the range, or guesses,
    that were passed over, with the reason. Where `moved` names inputs, it cannot be published, and shows no text.
    """

    id: str | None
    operation: Operation
    scope: str
    transform: str
    coverage: str
    inputs: tuple[str, ...]
    generation: int
    drafts: tuple[Draft, ...]
    replaces: tuple[View, ...]
    moved: tuple[str, ...]
    known_at: Seq
    by: str
    at: datetime
    problems: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    review: str | None = None
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """How many answers there were, and how many would have served a stale note, had it not been withheld.

    `share` is of the latter among the former, from 0 to 1; None where there were none. Days without are left out.
    """

    days: tuple[Answers, ...]
    answers: int
    stale: int
    share: float | None

    @classmethod
    def of(cls, days: Sequence[Answers]) -> Staleness:
        """Add up some days."""
        answers, stale = sum(day.answers for day in days), sum(day.stale for day in days)
        return cls(days=tuple(days), answers=answers, stale=stale, share=stale / answers if answers else None)
