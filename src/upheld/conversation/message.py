"""A message, as somebody gives it and as it is kept. Who speaks decides what it counts as, never what it says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from upheld import limits
from upheld.errors import Invalid, shown
from upheld.note import Channel

MAX_MESSAGE_CHARS = 100_000
MAX_MESSAGES = 100_000
"""In one call of `ingest`."""


class Role(StrEnum):
    """Who speaks, as chat formats say it."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


_DEFAULT_ACTOR: Mapping[Role, str] = {
    Role.USER: "person:owner",
    Role.ASSISTANT: "agent:assistant",
    Role.SYSTEM: "agent:system",
    Role.TOOL: "tool:tool",
}
_CHANNEL: Mapping[Role, Channel] = {
    Role.USER: Channel.PERSON,
    Role.ASSISTANT: Channel.AGENT,
    Role.SYSTEM: Channel.AGENT,
    Role.TOOL: Channel.TOOL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message as a caller gives it. `at` None means that it is not known when it was said, and it stays so.

    `by` is who speaks ("person:ana", "agent:planner", "tool:search"); None is nobody in particular of that role.
    """

    role: Role
    text: str
    by: str | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A message as a store keeps it, to the letter: `number` is its place, `read_by` which extractor read it last."""

    number: int
    conversation: str
    scope: str
    role: Role
    by: str
    at: datetime | None
    text: str
    recorded_at: datetime
    read_by: str | None = None

    @property
    def channel(self) -> Channel:
        """As what it counts."""
        return limits.channel_of(self.by)

    @property
    def ref(self) -> str:
        """How a source names it."""
        return f"conversation {self.conversation}, message {self.number}"[:512]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One thing that an extractor read: the number of a message, words of it to the letter, and what they state."""

    message: int
    quote: str
    statement: str
    subject: str | None = None
    attribute: str | None = None
    value: str | None = None
    single: bool = True


def checked(message: object) -> Message:
    """A message within all limits, its actor filled in and its time in UTC; `Invalid` says what is wrong.

    A role speaks on its own channel only: a user message is a person's, and no line of a file makes it more.

    >>> checked(Message(role=Role.USER, text="I moved to Berlin.")).by
    'person:owner'
    """
    if not isinstance(message, Message):
        raise Invalid(f"expected a Message, not {type(message).__name__}")
    if not isinstance(message.role, str) or message.role not in set(Role):
        raise Invalid(f"role must be one of {', '.join(Role)}, not {shown(message.role)}")
    role = Role(message.role)
    text = limits.text(message.text, "text", MAX_MESSAGE_CHARS)
    if not text.strip():
        raise Invalid("the text of a message is empty")
    by = _DEFAULT_ACTOR[role] if message.by is None else limits.name(message.by, "by")
    if limits.channel_of(by) is not _CHANNEL[role]:
        raise Invalid(f"a message of the role {role} is said by a {_CHANNEL[role]}, not by {by!r}")
    return replace(message, role=role, text=text, by=by, at=limits.time(message.at, "at"))
