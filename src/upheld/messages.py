"""What a store keeps of conversations: each message word for word, and which extractor last read it.

`Messages` is the reading half, in the view of the `Reading` that it hangs on; `Hearing` writes in that `Writing`'s
transaction. No search, list, answer or export finds a message. `Extractor` is what reads them besides the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from upheld.conversation.message import Kept, Message, Offer


class Messages(Protocol):
    """The messages in one view."""

    def said(self, conversation: str, scope: str) -> Counter[Message]:
        """Return how often each message was said in a conversation."""
        ...

    def unread(self, *, conversation: str | None, scope: str | None, by: str, after: int, limit: int) -> list[Kept]:
        """Return the first messages after a number that an extractor did not read last, in order."""
        ...

    def waiting(self, *, conversation: str | None, scope: str | None, by: str) -> int:
        """Return how many messages an extractor did not read last."""
        ...

    def recalled(self, conversation: str, scope: str) -> list[tuple[int, str]]:
        """Return number and text of the messages of a conversation in which recalled memory may stand."""
        ...

    def before(self, message: Kept, limit: int) -> list[Kept]:
        """Return the last messages in front of one in its conversation, oldest first."""
        ...

    def held_in(self, said: str, *, scope: str, value_keys: Sequence[str]) -> list[int]:
        """Return the positions of the keyed notes of a scope whose value stands in a text, or is one of some.

        The text is folded and in lower case, as canonical values are.
        """
        ...


class Hearing(Messages, Protocol):
    """The messages in one transaction."""

    def keep(self, messages: Sequence[Message], *, conversation: str, scope: str, at: datetime) -> None:
        """Keep messages behind those that are there, in order."""
        ...

    def mark_read(self, numbers: Sequence[int], by: str) -> None:
        """Note which extractor read these messages last."""
        ...


class Extractor(Protocol):
    """Reads what messages state. It counts only after the checks that the rules pass too."""

    @property
    def name(self) -> str:
        """A stable id with a version, of code, or of a model and its prompt: what it read once is not read again."""
        ...

    def extract(self, messages: Sequence[Kept], before: Sequence[Kept]) -> Sequence[Offer]:
        """Return what these messages state, each with words of one of them; `before` shows what they go on from.

        Raises `Unavailable` where it could not read: then they stay unread.
        """
        ...
