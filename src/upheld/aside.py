"""What a store keeps aside of what it believes: no search, list, answer or export finds it.

`Aside` is the reading half, in the view of the `Reading` that it hangs on; `SettingAside` writes in that `Writing`'s
transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from upheld.note import Channel, Draft, Key, Note
from upheld.standing import Seq


class Operation(StrEnum):
    """What a consolidation does: say the same in fewer words, or propose what was not said."""

    COMPRESS = "compress"
    INFER = "infer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a note, to the letter; `note` is its id. Code finds their place."""

    note: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What a writer wrote: one sentence, and the words that it stands on.

    Of a guess, `confidence` is how sure the writer is (0 to 1), and `key` and `value` are what it is about.
    """

    text: str
    quotes: tuple[Quote, ...]
    confidence: float | None = None
    key: Key | None = None
    value: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a writer is given: notes in force, and how many characters it may write in all.

    `others` are further notes of the same keys, also those that were replaced since: they may speak against a guess,
    and nothing of them may be written.
    """

    operation: Operation
    notes: Sequence[Note]
    others: Sequence[Note] = ()
    most_chars: int = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A consolidation that was made and not yet published.

    `transform` is the version of what made it, `known_at` how far the log was read, `inputs` the ids of all notes
    that it was made from.
    """

    id: str
    operation: Operation
    scope: str
    transform: str
    known_at: Seq
    inputs: tuple[str, ...]
    drafts: tuple[Draft, ...]
    by: str
    at: datetime


class Origin(StrEnum):
    """What made a set of changes that failed its check."""

    CONSOLIDATION = "consolidation"
    EXTRACTION = "extraction"
    IMPORT = "import"
    DEPENDENCY = "dependency"


ENTITLED = frozenset({Channel.PERSON, Channel.SYSTEM_OF_RECORD})
"""Who may let in what was set aside, and what needs no one to let it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A set of changes that failed its check as a whole and waits for a person; `why` are the reasons, one a sentence.

    `by` is who would have written it. Nothing of it is believed: only a person can let the drafts in.
    """

    id: str
    what: Origin
    why: tuple[str, ...]
    drafts: tuple[Draft, ...]
    by: str
    at: datetime


class Aside(Protocol):
    """What is set aside, in one view."""

    def stages(self) -> list[Staged]:
        """Return all consolidations that wait to be published, oldest first."""
        ...

    def stage(self, id: str) -> Staged | None:
        """Return one of them."""
        ...

    def reviews(self) -> list[Review]:
        """Return all sets of changes that wait for a person, oldest first."""
        ...

    def review(self, id: str) -> Review | None:
        """Return one of them."""
        ...


class SettingAside(Aside, Protocol):
    """What is set aside, in one transaction."""

    def keep_stage(self, staged: Staged) -> None:
        """Keep a consolidation until it is published or discarded."""
        ...

    def drop_stage(self, id: str) -> bool:
        """Forget one; False where it is not there."""
        ...

    def keep_review(self, review: Review) -> None:
        """Keep a set of changes until a person accepts or rejects it."""
        ...

    def drop_review(self, id: str) -> bool:
        """Forget one; False where it is not there."""
        ...
