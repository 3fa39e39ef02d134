"""Whether a text that holds a phrase says itself that it does not hold: "it is 42 (it was 40 once)".

Read by the grammar of the judge, and strictly: each place where the phrase stands has to say so in its own clause. What
is said in another way counts as if it were said for good.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from upheld.judges.clauses import clauses, denied
from upheld.judges.endings import Change, change
from upheld.judges.tokens import Token, tokens

__all__ = ["folded", "says_it_is_over"]

_PART: Final = re.compile(r"[();]|,\s|\s(?:and|but|while|whereas)\s")
_WAS: Final = frozenset(("was", "were", "had"))
_EARLIER: Final = frozenset(("once", "previously", "formerly", "originally"))
_NOW: Final = frozenset(("now", "today", "currently", "again", "still"))
_NEEDS: Final = frozenset(("requires", "require", "needs", "need", "if", "unless"))
_LEADING: Final = _EARLIER | {"the", "a", "an", "our", "your", "its"}
_HOLDING: Final = frozenset("apply applies applicable holds hold valid available offered current true stands".split())


def folded(text: str) -> str:
    """A text whatever its case and spacing."""
    return " ".join(text.casefold().split())


def says_it_is_over(phrase: str, text: str) -> bool:
    """Whether a text names a phrase, and wherever it does so, as what does not hold.

    >>> says_it_is_over("25%", "The discount was cut from 25% to 10%."), says_it_is_over("10%", "Cut from 25% to 10%.")
    (True, False)
    """
    wanted = folded(phrase)
    found = [clause.text for clause in clauses(text)]
    return _hold_all(wanted, text, found) and all(_is_over(wanted, clause) for clause in found)


def _hold_all(phrase: str, text: str, parts: Sequence[str]) -> bool:
    """Whether a text has a phrase, and never across the border of two parts."""
    times = folded(text).count(phrase)
    return times > 0 and times == sum(folded(part).count(phrase) for part in parts)


def _is_over(phrase: str, clause: str) -> bool:
    rest = _without(clause, _replaced(clause))
    if phrase not in folded(rest):
        return True
    parts = _PART.split(rest)
    return _hold_all(phrase, rest, parts) and all(
        _part_is_over(phrase, part, parts) for part in parts if phrase in folded(part)
    )


def _replaced(text: str) -> Sequence[Token]:
    """What the grammar finds replaced: *from A to B*, *instead of A*, *B, not A*."""
    words = tokens(text)
    found = change(words)
    return () if found is None or denied(words) else found.old


def _without(text: str, cut: Sequence[Token]) -> str:
    return text if not cut else f"{text[: cut[0].start]} {text[cut[-1].end :]}"


def _part_is_over(phrase: str, part: str, parts: Sequence[str]) -> bool:
    words = tokens(part)
    lows = [token.text.lower() for token in words]
    if not _NOW.isdisjoint(lows) or _names_others(phrase, words):
        return False
    before, _, after = folded(part).partition(phrase)
    if denied(words):
        return _is_denied(_without_names(before), after.split())
    found = change(words)
    if found is not None and (_is_behind(found, phrase, part) or phrase not in folded(_without(part, found.ended))):
        return True
    if not _EARLIER.isdisjoint(lows) and not _WAS.isdisjoint(_without_names(before)[-1:]):
        return True
    return not _NEEDS.isdisjoint(after.split()) and _is_excluded(phrase, parts)


def _is_behind(found: Change, phrase: str, part: str) -> bool:
    """*used to be A*: what is over is what comes behind; *A used to need approval* says so of the approval."""
    return found.over and phrase not in folded(part[: max(token.end for token in found.cue)])


def _without_names(before: str) -> list[str]:
    """The words in front of a phrase, but for those that only lead to it."""
    words = before.split()
    while words and words[-1] in _LEADING:
        words.pop()
    return words


def _names_others(phrase: str, words: Sequence[Token]) -> bool:
    """Whether a part also has another value of the kind: which of the two is over cannot be told."""
    own = {token.sort: token.key for token in tokens(phrase) if token.sort}
    return any(token.sort in own and token.key != own[token.sort] for token in words)


def _is_denied(before: Sequence[str], after: Sequence[str]) -> bool:
    """*is not A*, *A no longer applies*; a denial of something else in the clause is none of the phrase."""
    if list(before[-2:]) == ["no", "longer"] or (before and (before[-1] == "not" or before[-1].endswith("n't"))):
        return True
    return any(
        (first, second) == ("no", "longer") and third.strip(".!") in _HOLDING
        for first, second, third in zip(after, after[1:], after[2:], strict=False)
    )


def _is_excluded(phrase: str, parts: Sequence[str]) -> bool:
    """*Only B applies (A requires more)*: another value of the kind is said to be the only one."""
    own = {token.sort: token.key for token in tokens(phrase) if token.sort}
    alone = [token for part in parts if phrase not in folded(part) for token in _only(tokens(part))]
    return any(token.sort in own and token.key != own[token.sort] for token in alone)


def _only(words: Sequence[Token]) -> Iterator[Token]:
    """The values right behind *only*."""
    for word, after in pairwise(words):
        if word.text.lower() == "only" and after.sort:
            yield after
