"""Messages that come in: one JSON object each, as Upheld writes them or as chat APIs do."""

from __future__ import annotations

from typing import Any

from upheld.conversation.message import Message, Role
from upheld.errors import Invalid
from upheld.wire.strict import Reader, made, maybe, member, object_at, text, time

_FIELDS: dict[str, Reader] = {"role": member(Role), "text": text, "by": maybe(text), "at": maybe(time)}
_MESSAGE = made(Message, _FIELDS, "role", "text")
_AS_IN_CHATS = {"content": "text"}


def message_of(value: object) -> Message:
    """The message that a JSON object holds: `role` and `text` (or `content`), and where known `by` and `at`.

    Raises `Invalid` for unknown fields and wrong types. Limits are checked where messages are taken in.

    >>> message_of({"role": "user", "content": "I moved to Berlin.", "at": "2026-02-27T12:00:00Z"}).text
    'I moved to Berlin.'
    """
    found: dict[str, Any] = dict(object_at(value, "the message"))
    for theirs, ours in _AS_IN_CHATS.items():
        if theirs in found:
            if ours in found:
                raise Invalid(f"the message has both {ours!r} and {theirs!r}")
            found[ours] = found.pop(theirs)
    message: Message = _MESSAGE(found, "the message")
    return message
