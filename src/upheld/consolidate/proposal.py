"""What is shown of a consolidation before it is published, and how often stale notes were kept back."""

from __future__ import annotations

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

    `id` is None where nothing is staged: `problems` say why, and `rejected` what was written. `replaces` are former
    summaries that would fall; their text is there if they are in force. `left_out` are notes of the range, or guesses,
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
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Staleness:
    """How many answers would have served a stale note, had it not been withheld; days without answers are left out."""

    days: tuple[Answers, ...]

    @property
    def answers(self) -> int:
        """How many answers there were."""
        return sum(day.answers for day in self.days)

    @property
    def stale(self) -> int:
        """How many of them found a stale note."""
        return sum(day.stale for day in self.days)

    @property
    def share(self) -> float | None:
        """The share of such answers, from 0 to 1; None where there were none."""
        return self.stale / self.answers if self.answers else None
