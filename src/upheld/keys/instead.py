"""Statements that say at once what is over and what took its place: *no longer on A but on B*, *left A and now ...*."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from upheld.keys.words import ADVERBS, BASE, BE, KINDS, PREPOSITIONS, VERB

if TYPE_CHECKING:
    from collections.abc import Callable

    from upheld.keys.result import Extracted

__all__ = ["MARKS", "in_its_place"]

# One of these is in every such statement.
MARKS: Final = (" no longer ", " not ", "n't ", " and now ")
_TAKEN_UP: Final = re.compile(
    r"(?:[;,.]|\s[-\u2013\u2014])\s+(?:and\s+|instead,?\s+)?(it|they|we|he|she|i)('s|'re)?\s+([^;:]+)", re.IGNORECASE
)
_WRITTEN_OUT: Final = {"": "", "'s": "is", "'re": "are"}
_OURSELVES: Final = frozenset(("we", "i"))
_PERSONS: Final = frozenset(("he", "she"))
_PLACED: Final = (" in", " on", " at")


def in_its_place(statement: str, clause: Callable[[list[str]], Extracted | None]) -> Extracted | None:
    """The key of such a statement; None where it is none, or where what follows is about something else.

    ``clause`` reads one sentence. The value is the new one where there is one at a time, else what is over: that is
    what contradicts a note, and the new value is in the text.
    """
    if (taken_up := _TAKEN_UP.search(statement)) is not None:
        return _taken_up(statement[: taken_up.start()], taken_up, clause)
    words = statement.split()
    if "but" in words:
        return _but(words, words.index("but"), clause)
    if "and" in words:
        return _and_now(words, words.index("and"), clause)
    return None


def _taken_up(head: str, tail: re.Match[str], clause: Callable[[list[str]], Extracted | None]) -> Extracted | None:
    """*We no longer use A; we use B*, *it is not A anymore, it is B*."""
    over = clause(head.split()) if head else None
    if over is None or not over.value.startswith("not "):
        return None
    who = tail[1].lower()
    if who in _PERSONS and not over.attribute.endswith(_PLACED):
        return None  # "Leo no longer works for Ida; she ...": who is she?
    now = clause([tail[1] if who in _OURSELVES else "X", *_WRITTEN_OUT[tail[2] or ""].split(), *tail[3].split()])
    if now is None or now.value.startswith("not "):
        return None
    equated = now.attribute == "is" and _equates(head.split(), over.value.split()[1])
    same = now.attribute == over.attribute or (now.attribute == "use" and over.attribute == "use for")
    return _joined(over, now) if same or equated else None


def _equates(words: list[str], first: str) -> bool:
    """Whether *is no longer* stands in front of the value itself, so that *it is* takes it up."""
    denial = "longer" if "longer" in words else "not"
    if denial not in words:
        return "n't" in " ".join(words)
    at = words.index(denial)
    return words[at + 1 : at + 2] == [first] and KINDS.get(words[at - (2 if denial == "longer" else 1)]) == BE


def _but(words: list[str], but: int, clause: Callable[[list[str]], Extracted | None]) -> Extracted | None:
    """*runs no longer on A but on B*: the clause with B in the place of A."""
    head, tail = words[:but], words[but + 1 :]
    if not (head and tail):
        return None
    over = clause(head[:])
    denial = next((at for at, word in enumerate(head) if word in ("longer", "not")), 0)
    start = denial - 1 if denial and head[denial] == "longer" else denial
    if over is None or not over.value.startswith("not ") or start < 1:
        return None
    kept = head[denial + 1 :]
    if tail[0] in PREPOSITIONS:
        if tail[0] not in kept:
            return None
        kept = kept[: kept.index(tail[0])]
    else:
        kept = [] if KINDS.get(head[start - 1]) == BE else kept[:1]
    now = clause([*head[:start], *kept, *tail])
    return None if now is None or now.attribute != over.attribute else _joined(over, now)


def _and_now(words: list[str], at: int, clause: Callable[[list[str]], Extracted | None]) -> Extracted | None:
    """*Leo left A and now works at B*: the second clause, with the subject of the first."""
    if words[at + 1 : at + 2] != ["now"] or KINDS.get(words[at + 2] if len(words) > at + 2 else "") not in (
        BE,
        VERB,
        BASE,
    ):
        return None
    verb = next((each for each in range(1, at) if BE <= KINDS.get(words[each], 0) <= VERB), 0)
    while verb > 1 and words[verb - 1] in ADVERBS:
        verb -= 1
    return clause([*words[:verb], *words[at + 2 :]]) if verb else None


def _joined(over: Extracted, now: Extracted) -> Extracted:
    return replace(over, value=now.value) if over.ends else over
