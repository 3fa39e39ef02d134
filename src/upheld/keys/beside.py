"""Which statements leave room for another: of the past, of one of several, under a condition of their own."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from upheld.keys.meaning import CHANGES, CHOOSING, DEFAULTS, SCHEDULING, SHARED_NOUNS, when
from upheld.keys.result import RECURRING, qualified
from upheld.keys.words import ADVERBS, DO, HAVE, KINDS, PARTICIPLES, PAST, THIRD, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from upheld.keys.result import Extracted

__all__ = ["told"]

_WERE: Final = frozenset(("was", "were", "wasn't", "weren't"))
_DID: Final = frozenset(("did", "didn't", "had", "hadn't"))
# The past of these says what has been so since: a change, a choice, or what happens to one once.
_SETTLING: Final = CHANGES | CHOOSING | {
    "go", "decide", "agree", "replace", "rename", "assign", "appoint", "elect", "name", "die", "marry", "stop", "book",
}  # fmt: skip
_ONCE: Final = SCHEDULING | {"born"}
_AHEAD: Final = frozenset(("next", "tomorrow"))
_WHEN: Final = ("date", "time", "due on")  # of what happens once, the day is part of the value
_PLACING: Final = frozenset(("in", "on", "at"))
_SHARED_PHRASES: Final = frozenset((
    "belong to", "live with", "work in", "sit in", "is from", "known as", "reserved for", "booked for", "written in",
))  # fmt: skip
_PERSONAL: Final = frozenset(("located in", "is on", "is at", "is under"))
_ONCE_PHRASES: Final = frozenset(("founded in", "founded on", "built in", "created in", "named after", "named for"))
# Done by several together, or held by several at once, whatever the article says.
_JOINT: Final = word_set("author founder co-founder cofounder co-author creator inventor discoverer winner composer")
_SEVERAL: Final = _JOINT | (SHARED_NOUNS - word_set("""
    partner part kind type sort form leader speaker reader user winner result sign variant example
""")) | word_set("""
    hobby interest skill talent habit strength weakness allergy symptom ingredient feature competitor supplier vendor
    sponsor investor tag grandson granddaughter grandchild award achievement hero wish dislike
    colleague ex-husband ex-wife stepson stepdaughter godson goddaughter teacher
""")  # fmt: skip
_SINGLING: Final = DEFAULTS | word_set("""
    favorite only main best worst sole chief top principal native official first second third last current lead
""")


def told(found: Extracted | None, words: Sequence[str], main: int, be: int) -> Extracted | None:
    """The key of a clause, with `beside` set where another value may hold as well.

    None for what was not: that says nothing of now. ``main`` and ``be`` are the first verb and the last *be*, -1
    without one.
    """
    if found is None:
        return None
    past = _is_past(found, words, main, be)
    if past and found.value.startswith("not "):
        return None
    if " " in found.value:
        found = _apart(found)
    room = past or _is_one_of_several(found.attribute) or _is_one_turn(found) or _is_shared(found)
    return replace(found, beside=True) if room else found


def _apart(found: Extracted) -> Extracted:
    """*at 9:30 on Mondays*, *10 euros for adults*, *Bo next week*: what it holds under goes to the attribute."""
    words = found.value.split()
    value, qualifier = qualified(words)
    if not qualifier and not found.attribute.endswith(_WHEN):
        value, qualifier = _ahead(words)
    return found if not qualifier else replace(found, attribute=f"{found.attribute} {qualifier}", value=" ".join(value))


def _ahead(words: list[str]) -> tuple[list[str], str]:
    """What will be so *tomorrow* or *next year* takes the place of nothing now; *May next year* is a date."""
    for at in range(max(1, len(words) - 2), len(words)):
        if words[at] in _AHEAD and when(words[at:]) and when(words[:at]) != "date":
            return words[:at], " ".join(words[at:])
    return words, ""


def _is_one_turn(found: Extracted) -> bool:
    """*closed on Mondays*, *owned by Ana in Berlin*: on other days, and in other places, it may be otherwise."""
    words = found.value.split()
    if found.attribute.endswith(" on"):
        return words[-1].lower() in RECURRING
    placed = any(word in _PLACING and after[0].isupper() for word, after in pairwise(words[1:]))
    return placed and found.attribute.endswith(" by")


def _is_past(found: Extracted, words: Sequence[str], main: int, be: int) -> bool:
    """Whether the clause tells what happened or was so, and not what has changed since."""
    word = words[main]
    if be >= 0:
        if word not in _DID and words[be] not in _WERE:
            return False
        following = next((each for each in words[be + 1 :] if each not in ADVERBS), "")
        dated = found.attribute.endswith((" on", " at"))  # "was replaced in May": and again in August
        once = following in _ONCE or (not dated and PARTICIPLES.get(following) in _SETTLING)
        return not once and found.attribute not in _ONCE_PHRASES
    kind = KINDS.get(word)
    if kind == HAVE:  # "has lived in Oslo": and in Bergen
        following = next((each for each in words[main + 1 :] if each not in ADVERBS), "")
        return word in _DID or (following in PARTICIPLES and PARTICIPLES[following] not in _SETTLING)
    if kind == DO:
        return word in _DID
    return word in PAST and word not in THIRD and PAST[word] not in _SETTLING


def _is_shared(found: Extracted) -> bool:
    """*belongs to the choir*, *Dana is on the board*: the words fit one at a time and several."""
    if found.attribute in _SHARED_PHRASES:
        return True
    named = found.attribute in _PERSONAL and found.subject[0].isupper() and " " in found.value
    return named and found.value.islower()


def _is_one_of_several(attribute: str) -> bool:
    """*brother*, *younger brother*, but not *oldest brother* or *favorite hobby*."""
    *before, last = attribute.split()
    if last not in _SEVERAL:
        return False
    return not any(word in _SINGLING or word.endswith("est") for word in before)
