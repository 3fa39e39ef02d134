"""A message told again so that words can be compared with it: by its speaker's name, its times with their years.

"I moved last Tuesday" is evidence for "Ana moved on 24 February 2026" only where code says who spoke and which day that
was. What is compared with this text says no more than the message did.
"""

from __future__ import annotations

from collections.abc import Sequence

from upheld.conversation.message import Kept
from upheld.conversation.proposal import Left
from upheld.conversation.propose import read, shown, timeless, with_years
from upheld.conversation.speaker import in_third_person, is_first_person, name_of
from upheld.conversation.times import times

__all__ = ["retold", "stated"]


def retold(message: Kept, known: Sequence[str] = ()) -> tuple[str, dict[int, int]]:
    """The message told again, and where the starts and ends of its sentences stand in that text.

    >>> from datetime import UTC, datetime
    >>> from upheld.conversation.message import Role
    >>> at = datetime(2026, 2, 27, 12, tzinfo=UTC)
    >>> said = Kept(number=1, conversation="c", scope="s", role=Role.USER, by="person:ana", at=at, recorded_at=at,
    ...     text="I moved to Berlin last Tuesday.")
    >>> retold(said)[0]
    'Ana: Ana moved to Berlin on 24 February 2026.'
    """
    parts = [f"{name_of(message.by)}: "]
    size, place = len(parts[0]), 0
    places: dict[int, int] = {}

    def add(text: str) -> None:
        nonlocal size
        parts.append(text)
        size += len(text)

    for each in sorted(shown(message, known), key=lambda found: found.start):
        if isinstance(each, Left) or each.start < place:
            continue
        add(message.text[place : each.start])
        places[each.start] = size
        add(_by_name(with_years(each), message))
        places[each.end] = size
        place = each.end
    add(message.text[place:])
    return "".join(parts), places


def _by_name(sentence: str, message: Kept) -> str:
    """A sentence of its speaker by name, where the rules can turn it."""
    return (is_first_person(sentence) and in_third_person(sentence, name_of(message.by))) or sentence


def stated(message: Kept, known: Sequence[str] = ()) -> str:
    """What the rules read in a message: the least that another extractor has to read. Times are read by code."""
    found = [each for each in read(message, known).proposals if each.is_keyed]
    return "\n".join(timeless(each.statement, times(each.statement, None).phrases) for each in found)
