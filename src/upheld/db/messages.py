"""Messages in terms of the named statements: the same for every database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from upheld.conversation.message import Kept, Message, Role
from upheld.db import rows
from upheld.note import instant, moment


class StoredMessages:
    """Implements `Messages` and `Hearing` over `execute(name of a statement, parameters)`, once or for many."""

    def __init__(
        self,
        execute: Callable[[str, Any], list[rows.Row]],
        execute_many: Callable[[str, Sequence[Any]], None],
    ) -> None:
        self._execute = execute
        self._execute_many = execute_many

    def said(self, conversation: str, scope: str) -> Counter[Message]:
        found = self._execute("said", {"conversation": conversation, "scope": scope})
        return Counter(Message(role=Role(role), by=actor, at=_time(at), text=text) for role, actor, at, text in found)

    def unread(self, *, conversation: str | None, scope: str | None, by: str, after: int, limit: int) -> list[Kept]:
        wanted = {"conversation": conversation, "scope": scope, "by": by, "after": after, "limit": limit}
        return [_kept(row) for row in self._execute("unread", wanted)]

    def waiting(self, *, conversation: str | None, scope: str | None, by: str) -> int:
        wanted = {"conversation": conversation, "scope": scope, "by": by}
        return int(self._execute("messages_waiting", wanted)[0][0])

    def recalled(self, conversation: str, scope: str) -> list[tuple[int, str]]:
        found = self._execute("recalled_in", {"conversation": conversation, "scope": scope})
        return [(number, text) for number, text in found]

    def before(self, message: Kept, limit: int) -> list[Kept]:
        wanted = {
            "conversation": message.conversation,
            "scope": message.scope,
            "number": message.number,
            "limit": limit,
        }
        return [_kept(row) for row in reversed(self._execute("messages_before", wanted))]

    def held_in(self, said: str, *, scope: str, value_keys: Sequence[str]) -> list[int]:
        wanted = {"said": said, "scope": scope, "values": rows.as_json(value_keys)}
        return [seq for (seq,) in self._execute("held_in", wanted)]

    def keep(self, messages: Sequence[Message], *, conversation: str, scope: str, at: datetime) -> None:
        recorded = instant(at)
        self._execute_many(
            "keep_message",
            [
                (
                    conversation,
                    scope,
                    each.role.value,
                    each.by,
                    None if each.at is None else instant(each.at),
                    each.text,
                    recorded,
                )
                for each in messages
            ],
        )

    def mark_read(self, numbers: Sequence[int], by: str) -> None:
        self._execute("mark_read", {"numbers": rows.as_json(numbers), "by": by})


def _time(at: int | None) -> datetime | None:
    return None if at is None else moment(at)


def _kept(row: rows.Row) -> Kept:
    number, conversation, scope, role, actor, at, text, recorded_at, read_by = row
    return Kept(
        number=number,
        conversation=conversation,
        scope=scope,
        role=Role(role),
        by=actor,
        at=_time(at),
        text=text,
        recorded_at=moment(recorded_at),
        read_by=read_by,
    )
