"""What came of taking messages in, and of each passage that was read."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from upheld.errors import UpheldError
from upheld.note import Written

if TYPE_CHECKING:
    # What reads sentences takes long to import, and whoever only shows a report does not need it.
    from upheld.conversation.message import Kept
    from upheld.conversation.proposal import Left, Proposal

__all__ = ["Extraction", "Ingested", "Passage", "again", "kept_out", "left", "missed", "written"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingested:
    """What `ingest` did: how many messages are new, and how many were there."""

    conversation: str
    scope: str
    new: int
    known: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What became of the passage [start, end) of a message.

    `outcome` is that of `remember` (added, superseded, proposed, ...) with the id of the `note`; or `offered` (in a dry
    run), `refused` (by the door), `set_aside` (by the check of the whole), `missed` (an extractor overlooked it), or
    `left` (nothing to write). `why` says why not.
    """

    message: int
    start: int
    end: int
    outcome: str
    note: str | None = None
    statement: str | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What `extract` found in the messages that it read, passage by passage."""

    extractor: str
    messages: int
    passages: tuple[Passage, ...]
    dry_run: bool = False

    @property
    def outcomes(self) -> dict[str, int]:
        """How many passages had which outcome."""
        return dict(sorted(Counter(each.outcome for each in self.passages).items()))

    @property
    def notes(self) -> tuple[str, ...]:
        """The ids of the notes that carry what was said, in order."""
        return tuple(dict.fromkeys(each.note for each in self.passages if each.note is not None))


def left(each: Left) -> Passage:
    """What was not proposed."""
    return Passage(message=each.message, start=each.start, end=each.end, outcome="left", why=each.why)


def missed(message: Kept, why: str) -> Passage:
    """A message of which an extractor read nothing, although it states something."""
    return Passage(message=message.number, start=0, end=len(message.text), outcome="missed", why=why)


def kept_out(proposal: Proposal, outcome: str, why: str | None) -> Passage:
    """A proposal that was not written."""
    return Passage(
        message=proposal.message,
        start=proposal.start,
        end=proposal.end,
        outcome=outcome,
        statement=proposal.statement,
        why=why,
    )


def written(proposal: Proposal, result: Written | UpheldError) -> Passage:
    """What the door made of a proposal."""
    if isinstance(result, UpheldError):
        return kept_out(proposal, "refused", f"{result.code}: {result}")
    return Passage(
        message=proposal.message,
        start=proposal.start,
        end=proposal.end,
        outcome=result.outcome,
        note=result.note.id,
        statement=proposal.statement,
    )


def again(proposal: Proposal, note: str) -> Passage:
    """A proposal that was written before, as this note."""
    return replace(kept_out(proposal, "repeated", None), note=note)
