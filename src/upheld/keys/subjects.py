"""What a clause is about: the subject, and the attribute if the noun phrase names one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from upheld.keys.meaning import OFFICES, OPENING_NOUNS, SAME_NOUN
from upheld.keys.words import (
    ADVERBS, BASE, BE, CONDITIONAL, DEICTIC_NOUNS, IMPERATIVE, KINDS, POINTING, PREPOSITIONS, VERB,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["OWNERS", "about", "noun", "plain_subject", "relative_subject"]

OWNERS: Final = {"my": "i", "our": "we", "My": "i", "Our": "we"}
_ARTICLES: Final = frozenset(("The", "the", "A", "An", "a", "an"))
_DEFINITE: Final = frozenset(("The", "the"))
_PASSING: Final = frozenset(("current", "present", "new", "currently", "now", "updated", "actual", "latest-known"))
_LINKING: Final = frozenset(("of", "for", "in"))
_SELF: Final = frozenset(("I", "i", "We", "we"))
_SUBJECT_LIMIT: Final = 16  # words; what is longer is no name
_GAPPED: Final = frozenset(("that", "which", "who", "whom", "whose", "where", "when"))


def noun(words: Sequence[str]) -> str:
    """An attribute's wording, without articles and words that only say *as of now*; one spelling per noun."""
    kept = [SAME_NOUN.get(word, word) for word in words if word not in _PASSING]
    if kept and kept[0] in _ARTICLES:
        del kept[0]
    return " ".join(kept)


def about(words: Sequence[str]) -> tuple[str, str] | None:
    """Split a noun phrase into (subject, attribute); the attribute is empty where the phrase names none.

    ``The author of Emma`` is (Emma, author), ``Emma's author`` too, ``The port for staging`` (staging, port), and
    ``my plan`` (i, plan). Of several links the first counts, whatever the value: siblings stay siblings.
    """
    first = words[0]
    size = len(words)
    if first in OWNERS and not (size > 1 and all(_is_name(word) for word in words[1:])):
        attribute = noun(words[1:])
        return (OWNERS[first], attribute) if attribute else None
    definite = first in _DEFINITE
    for position in range(1 if definite else 0, size - 1):
        word = words[position]
        if word in _LINKING:
            start = 1 if definite else 0
            if position == start or (not definite and (position > 1 or word == "in")):
                continue
            head = words[position - 1]
            if word == "of" and definite and head == "name" and position == start + 1:
                inner = about(words[position + 1 :])  # "the name of the head of X" is the head of X
                if inner and inner[1]:
                    return inner
            if definite:
                if _is_name(head) and (word != "of" or head.lower() not in OFFICES):
                    break
            elif head.lower() not in OPENING_NOUNS:
                break
            owner = plain_subject(words[position + 1 :])
            if owner is None:
                return None
            attribute = noun(words[start:position])
            if not definite:
                attribute = attribute.lower()
            return owner, attribute if word != "in" else f"{attribute} in"
        if word.endswith(("'s", "s'")) and len(word) > 2:
            last = position
            while True:  # "Kai's sister's dog": the last owner counts
                later = [
                    at for at in range(last + 1, size - 1)
                    if words[at].endswith("'s") and "of" not in words[last:at]
                ]  # fmt: skip
                if not later:
                    break
                last = later[0]
            if _is_name(words[last + 1]) or words[last + 1][0].isdigit():
                break  # "Schindler's List" is a name
            owner = plain_subject([*words[:last], word[:-2] if word.endswith("'s") and last == position
                                   else words[last].removesuffix("'s").removesuffix("'")])
            attribute = noun(words[last + 1 :])
            return (owner, attribute) if owner and attribute else None
    subject = plain_subject(words)
    return None if subject is None else (subject, "")


def _is_name(word: str) -> bool:
    """Capitalised, and no abbreviation such as CEO."""
    return word[0].isupper() and (len(word) == 1 or not word.isupper())


def plain_subject(words: Sequence[str]) -> str | None:
    """The words as a name, or None where they point elsewhere (he, this), ask or command."""
    size = len(words)
    first = words[0]
    if size == 1:
        if first in _SELF:
            return first.lower()
        if first.lower() in POINTING or first in _ARTICLES:
            return None
        return first.strip(",")
    if size > _SUBJECT_LIMIT:
        return None
    low = first.lower()
    if low in POINTING or low in IMPERATIVE or low in CONDITIONAL:
        if low in ("this", "that") and words[-1].lower() in DEICTIC_NOUNS:
            return " ".join(("this", *words[1:]))
        if not _is_title(words) or (low in CONDITIONAL and size < 3):
            return None
    if first in _DEFINITE:
        words = words[1:]
    for word in words:
        if word in ("he", "she", "it", "they", "you", "we", "I") and len(words) > 1 and not _is_title(words):
            return None
    while len(words) > 1 and words[-1].lower() in ADVERBS and words[-1].islower():
        words = words[:-1]
    return " ".join(words).strip(",")


def _is_title(words: Sequence[str]) -> bool:
    """Whether these read as a title: every word but the short ones begins with a capital or is no word."""
    return (words[1][0].isupper() or words[-1][0].isupper()) and all(
        len(word) < 4 or not word[0].islower() or word in PREPOSITIONS for word in words
    )


def relative_subject(words: Sequence[str], at: int) -> tuple[str, str] | None:
    """``The university where Galileo was educated`` is (Galileo, "university where educated").

    ``at`` is the position of the relative word.
    """
    if words[0] not in _DEFINITE or at < 2:
        return None
    head, link, clause = noun(words[1:at]), words[at], words[at + 1 :]
    if len(clause) < 2:
        return None
    if KINDS.get(clause[0]) == VERB:
        tail = 2 if clause[1] in PREPOSITIONS else 1
        subject = plain_subject(clause[tail:]) if clause[tail:] else None
        return (subject, f"{head} {link} {' '.join(clause[:tail])}") if subject else None
    tail = 2 if clause[-1] in PREPOSITIONS else 1
    verb = KINDS.get(clause[-tail])
    start = len(clause) - tail
    if start and KINDS.get(clause[start - 1]) == BE:
        start -= 1
    elif not (verb == VERB or (verb == BASE and clause[0] in _SELF)):
        return None
    subject = plain_subject(clause[:start]) if start else None
    if subject is None:
        return None
    if subject in ("i", "we") and clause[-1] == "use":
        return subject, head  # "the editor that I use" is my editor
    return subject, f"{head} {link} {' '.join(clause[-tail:])}"
