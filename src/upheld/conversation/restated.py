"""What says again what a keyed note holds: then it is a copy, and not a second reason to believe it.

Word for word, in one of three ways: it holds the whole statement; or a value that is a statement of its own ("$200,000
available in Q4 budget", not a name); or it is about the same thing and has the same value.
"""

from __future__ import annotations

import re
from typing import Final

from upheld.conversation.echoes import folded
from upheld.values import canonical_name

__all__ = ["restates"]

_SHORTEST: Final = 12
"""Characters of a phrase; what is shorter stands in many sentences."""
_FEW: Final = 3
_MANY: Final = 5
"""Words that make a phrase more than a name: with a number among them, and without."""
_LEADING: Final = re.compile(r"^(?:(?:the|a|an|not) )+")


def restates(said: str, value_key: str | None, *, statement: str, subject: str, value: str, held_key: str) -> bool:
    """Whether `said`, of which `value_key` is the canonical value, says again what a note holds under its key.

    The note's `statement`, `subject` and `value` are as it has them, `held_key` its canonical value.

    >>> held = {"statement": "The city of Ana is Berlin.", "subject": "Ana", "value": "Berlin", "held_key": "berlin"}
    >>> restates("Ana's new city is Berlin.", "berlin", **held), restates("Berlin has 40 desks.", "40", **held)
    (True, False)
    >>> held = {"statement": "budget: $9 left in Q4", "subject": "state", "value": "$9 left in Q4", "held_key": "$9..."}
    >>> restates("Finance says: $9 left in Q4!", None, **held)
    True
    """
    words = f" {folded(said)} "
    if _is_in(folded(statement), words):
        return True
    phrase = _LEADING.sub("", folded(value))
    if _is_in(phrase, words) and _is_a_statement(phrase):
        return True
    return value_key == held_key and f" {folded(canonical_name(subject))} " in words


def _is_in(phrase: str, words: str) -> bool:
    return len(phrase) >= _SHORTEST and f" {phrase} " in words


def _is_a_statement(phrase: str) -> bool:
    """Whether a phrase says something; a name only names ("the San Francisco office")."""
    many = len(phrase.split())
    return many >= _MANY or (many >= _FEW and any(c.isdigit() for c in phrase))
