"""What a store keeps of checks: which owner was asked when, what audits found, how notes in use met documents.

`Ledger` is the reading half, in the view of the `Reading` that it hangs on; `Checking` writes in that `Writing`'s
transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Protocol

from upheld.standing import Seq


class Outcome(StrEnum):
    """What came of asking an owner."""

    ANSWERED = "answered"
    UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The last time that an owner was asked about a subject. `outcome` is None while nobody answered yet."""

    scope: str
    subject_key: str
    source: str
    asked_at: datetime
    outcome: Outcome | None
    reason: str | None


class How(StrEnum):
    """What an audit held a note against."""

    VERIFIER = "verifier"
    DOCUMENT = "document"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One audit: its number, when and by whom it was begun, and the seed of its sample."""

    number: int
    at: datetime
    by: str
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """One note of an audit. `age` counts from when it was last seen to hold; `wrong` None waits for a person."""

    audit: int
    note: Seq
    kind: str
    age: timedelta
    how: How
    wrong: bool | None
    answered_by: str | None
    answered_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """How the notes of one kind that were served on one day (UTC) agreed with the documents retrieved beside them."""

    day: date
    kind: str
    checked: int
    contradicted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """How many answers were about one day (UTC), and how many of them would have served a stale note."""

    day: date
    answers: int
    stale: int


class Ledger(Protocol):
    """The checks in one view."""

    def asking(self, scope: str, subject_key: str, source: str) -> Asking | None:
        """Return the last time that an owner was asked about a subject."""
        ...

    def audits(self) -> list[Audit]:
        """Return all audits, newest first."""
        ...

    def audited(self, *, audit: int | None = None) -> list[Audited]:
        """Return the notes of one audit, or of all, in order."""
        ...

    def uses(self, *, since: date) -> list[Use]:
        """Return the counts of each day and kind from a day on, in order."""
        ...

    def answers(self, *, since: date) -> list[Answers]:
        """Return the counts of answers of each day from a day on, in order."""
        ...


class Checking(Ledger, Protocol):
    """The checks in one transaction."""

    def claim(self, scope: str, subject_key: str, source: str, *, at: datetime, window: timedelta) -> bool:
        """Take the one call about a subject that a window has; False where it was taken before."""
        ...

    def answered(
        self, scope: str, subject_key: str, source: str, *, asked_at: datetime, outcome: Outcome, reason: str | None
    ) -> None:
        """Note what came of the call that was claimed at `asked_at`; nothing, where another was claimed since."""
        ...

    def open_audit(self, *, at: datetime, by: str, seed: int) -> int:
        """Begin an audit; return its number."""
        ...

    def keep_audited(self, listed: Sequence[Audited]) -> None:
        """Keep notes of an audit, with their answers or without."""
        ...

    def answer_audited(self, audit: int, note: Seq, *, wrong: bool, by: str, at: datetime) -> bool:
        """Answer what waits for a person; False where it was answered before or is not there."""
        ...

    def count_use(self, uses: Sequence[Use]) -> None:
        """Add to the counts of days and kinds."""
        ...

    def count_answers(self, answers: Sequence[Answers]) -> None:
        """Add to the counts of answers."""
        ...
