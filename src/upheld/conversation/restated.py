"""What says again what a keyed note holds: then it is a copy, and not a second reason to believe it.

It is one where it holds the whole statement word for word; or where it is about the same thing, and has the same value
or holds that value word for word, and that is a statement of its own ("$200,000 available in Q4 budget", not a name).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from upheld.conversation.echoes import folded
from upheld.values import canonical_name
from upheld.values.times import MONTHS

__all__ = ["restates"]

_SHORTEST: Final = 12
"""Characters of a phrase; what is shorter stands in many sentences."""
_FEW: Final = 3
"""Words that make a phrase more than a name, if there is a number or a name among them; days and years are none."""
_DAY: Final = re.compile(rf"(?:(?:19|20)\d\d|{'|'.join(MONTHS)}|and|or|of|to)[.,]?")
_SPECIAL: Final = re.compile(r"\d|(?<=\s)[A-Z]|[a-z][A-Z_]")
_LEADING: Final = re.compile(r"^(?:(?:the|a|an) )+", re.IGNORECASE)


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
    words, whole, thing = _words(said), _words(statement), _words(canonical_name(subject))
    if _is_in(whole, words):
        return True
    is_about = thing in words
    # A note whose words do not name what it is about says its value, and nothing else.
    if (is_about or thing not in whole) and _is_in(_words(_LEADING.sub("", value)), words) and _is_a_statement(value):
        return True
    return is_about and value_key == held_key


def _is_in(phrase: str, words: str) -> bool:
    return len(phrase) >= _SHORTEST + 2 and phrase in words


@lru_cache(maxsize=8192)  # each passage is held against many notes
def _words(text: str) -> str:
    return f" {folded(text)} "


def _is_a_statement(value: str) -> bool:
    """Whether a value says something that few others say; a name only names ("the San Francisco office")."""
    words = [each for each in _LEADING.sub("", value).lower().split() if _DAY.fullmatch(each) is None]
    return len(words) >= _FEW and _SPECIAL.search(value) is not None
