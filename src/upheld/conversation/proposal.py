"""What one passage of a message states, and the draft that it becomes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Final

from upheld.conversation.message import Kept
from upheld.note import Certainty, Channel, Citation, Draft, Key

__all__ = ["FETCHED_BY", "Earlier", "Left", "Premise", "Proposal", "Reading", "draft_of"]

FETCHED_BY: Final = "tool:fetched"
"""On whose word text counts that its speaker did not write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What one passage of a message states: [start, end) of the text of message number `message`.

    `still` says that it held when it was said, whenever it began. `follows` is the write that it is a conclusion from,
    by its idempotency key; `earlier` is a passage of an earlier message without which it cannot be understood. With
    `is_keyed` False no key is read from its words: they are of two clauses.
    """

    message: int
    start: int
    end: int
    statement: str
    by: str
    certainty: Certainty
    key: Key | None = None
    value: str | None = None
    applies_when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    still: bool = False
    is_keyed: bool = True
    follows: str | None = None
    earlier: Earlier | None = None


@dataclass(frozen=True, slots=True)
class Earlier:
    """A passage of a message."""

    message: Kept
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Premise:
    """What was said last, and stated something; `lead` are the words in front of it that lead to it."""

    message: Kept
    proposal: Proposal
    lead: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """A passage that was not proposed, and why."""

    message: int
    start: int
    end: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one message gave. `last` is its last sentence, if that was proposed."""

    proposals: tuple[Proposal, ...] = ()
    left: tuple[Left, ...] = ()
    last: Premise | None = None


def draft_of(proposal: Proposal, message: Kept) -> Draft:
    """The draft that a proposal becomes. The same proposal of the same message is the same write."""
    said = (
        proposal.statement,
        proposal.certainty,
        proposal.valid_from,
        proposal.valid_to,
        proposal.key,
        proposal.value,
    )
    digest = sha256(repr((*said, sorted(proposal.applies_when.items()), proposal.by)).encode()).hexdigest()[:24]
    return Draft(
        statement=proposal.statement,
        scope=message.scope,
        by=proposal.by,
        key=proposal.key,
        value=proposal.value,
        extract_key=proposal.is_keyed,
        applies_when=dict(proposal.applies_when),
        certainty=proposal.certainty,
        valid_from=proposal.valid_from,
        valid_to=proposal.valid_to,
        observed_at=message.at,
        sources=tuple(
            Citation(
                original=each.message.text,
                ref=each.message.ref,
                start=each.start,
                end=each.end,
                channel=Channel.TOOL if proposal.by == FETCHED_BY else each.message.channel,
            )
            for each in (proposal.earlier, Earlier(message, proposal.start, proposal.end))
            if each is not None
        ),
        idempotency_key=f"message:{message.number}:{digest}",
    )
