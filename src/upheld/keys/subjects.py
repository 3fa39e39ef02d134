"""What a clause is about: the subject, and the attribute if the noun phrase names one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from upheld.keys.meaning import COMPOUND_ADJECTIVES, COMPOUND_NOUNS, OFFICES, OPENING_NOUNS, SAME_NOUN
from upheld.keys.words import (
    ACTS,
    ADVERBS,
    BASE,
    BE,
    COMMANDS,
    CONDITIONS,
    COUNTS,
    DEICTIC_NOUNS,
    DETERMINERS,
    FIRST_WORDS,
    HEDGES,
    JOIN,
    JOINS,
    KINDS,
    LEMMAS,
    NOUNS_TOO,
    OPENS,
    POINTS,
    PREPOSITIONS,
    VERB,
)  # fmt: skip
from upheld.values.units import NUMBER_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["OWNERS", "about", "in_title", "noun", "plain_subject", "relative_subject"]

OWNERS: Final = {"my": "i", "our": "we", "My": "i", "Our": "we"}
_ARTICLES: Final = frozenset(("The", "the", "THE", "A", "An", "a", "an"))
_DEFINITE: Final = frozenset(("The", "the", "THE"))
_INDEFINITE: Final = frozenset(("a", "an"))
_PASSING: Final = frozenset(("current", "present", "new", "currently", "now", "updated", "actual"))
_LINKING: Final = frozenset(("of", "for"))
_PERSONS: Final = frozenset(("he", "she", "it", "they", "you", "we", "I", "there"))
_SIGNS: Final = frozenset("\"'`“‘¡¿.$€£")
_NO_ENDS: Final = ADVERBS | {word for word, kind in KINDS.items() if kind == JOIN}
_WATCHED: Final = DETERMINERS | _PERSONS
# So many words a title needs to have at least, where it begins like something else.
_TITLE_LENGTH: Final = {POINTS: 2, COMMANDS: 2, OPENS: 2, CONDITIONS: 3, JOINS: 4}
_CONTENT_NOUNS: Final = frozenset(("fact", "idea", "claim", "belief", "notion", "news", "point", "reason"))
_SELF: Final = frozenset(("I", "i", "We", "we"))
_SUBJECT_LIMIT: Final = 16  # words; what is longer is no name
_PLAIN_LIMIT: Final = 8  # words; what is longer and no title is a clause
# "The following table", "the latter": what they mean stands somewhere else.
_ELSEWHERE: Final = frozenset((
    "following", "above", "below", "latter", "preceding", "aforementioned", "same", "other", "others", "rest",
))  # fmt: skip
_PARTICLES: Final = frozenset(("in", "up", "out", "off", "over", "down", "back"))
_AFTER_PARTICLE: Final = frozenset(("to", "of", "with", "at", "for", "from", "by"))


def noun(words: Sequence[str]) -> str:
    """An attribute's wording, without articles and words that only say *as of now*; one spelling per noun."""
    if len(words) == 1:
        return SAME_NOUN.get(words[0], words[0])
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
    start = 1 if first in _DEFINITE else 0
    if start and size > 1 and words[1] in _ELSEWHERE:
        return None
    for at in range(start, size - 1):
        word = words[at]
        if word in _LINKING:
            if at > start and (start or at == 1):
                if not _names_attribute(words[at - 1], word, definite=bool(start)):
                    break
                return _owned(words, start, at)
        elif word[-2:] in ("'s", "s'") and len(word) > 2:
            if _is_name(words[at + 1]) or words[at + 1][0].isdigit():
                break  # "Schindler's List" is a name
            return _possessed(words, at)
    if size > 1 and words[-1] in COMPOUND_NOUNS and first.lower() not in FIRST_WORDS:
        owned = words[start:-1]
        if owned and COMPOUND_ADJECTIVES.isdisjoint(word.lower() for word in owned):
            owner = plain_subject(owned)
            return (owner, noun(words[-1:])) if owner else None
    subject = plain_subject(words)
    return None if subject is None else (subject, "")


def _names_attribute(head: str, link: str, *, definite: bool) -> bool:
    """Whether the noun in front of *of* is an attribute, and no part of a name ("the Bank of England")."""
    if not definite:
        return head.lower() in OPENING_NOUNS
    return not _is_name(head) or (link == "of" and head.lower() in OFFICES)


def _owned(words: Sequence[str], start: int, link: int) -> tuple[str, str] | None:
    """``The author of Emma``; ``link`` is the position of *of* or *for*."""
    at = link + 1
    if words[link] == "of" and words[start] == "name" and link == start + 1:
        inner = about(words[at:])  # "the name of the head of X" is the head of X
        if inner and inner[1]:
            return inner
    if words[at] in _INDEFINITE and at + 1 < len(words):
        at += 1  # "the price of a ticket": any ticket, so it is known which
        if words[at] in _ELSEWHERE:
            return None
    owner = plain_subject(words[at:])
    if owner is None:
        return None
    attribute = noun(words[start:link])
    if not start:
        attribute = attribute.lower()
    return owner, attribute


def _possessed(words: Sequence[str], at: int) -> tuple[str, str] | None:
    """``Kai's sister's dog`` is (Kai's sister, dog): the last owner counts, as long as no *of* comes between."""
    for later in range(at + 1, len(words) - 1):
        if words[later] == "of":
            break
        if words[later].endswith("'s"):
            at = later
    owner = plain_subject([*words[:at], words[at].removesuffix("'s").removesuffix("'")])
    attribute = noun(words[at + 1 :])
    return (owner, attribute) if owner and attribute else None


def _is_name(word: str) -> bool:
    """Capitalised, and no abbreviation such as CEO."""
    return word[0].isupper() and (len(word) == 1 or not word.isupper())


def plain_subject(words: Sequence[str]) -> str | None:
    """The words as a name, or None where they point elsewhere (he, this), ask, hedge or command."""
    first = words[0]
    low = first.lower()
    role = FIRST_WORDS.get(low)
    size = len(words)
    if size == 1:
        if role is not None or first in _ARTICLES:
            return low if low in ("i", "we") else None
        return low if low in ("i", "we") else first.strip(",")
    if size > 3 and (size > _SUBJECT_LIMIT or _holds_verb(words) or (size > _PLAIN_LIMIT and not _is_title(words))):
        return None
    if role is not None:
        if role == POINTS and low in ("this", "that") and words[-1].lower() in DEICTIC_NOUNS:
            return " ".join(("this", *words[1:]))
        if not _may_begin(words, role):
            return None
    if not _WATCHED.isdisjoint(words) and _is_clause(words):
        return None
    if first in _DEFINITE:
        if words[1] in _ELSEWHERE or words[1:] == ["former"]:
            return None
        words = words[2 if size > 2 and words[1] in _PASSING else 1 :]
    if words[-1] in _NO_ENDS:
        if KINDS.get(words[-1]) == JOIN:
            return None
        while words[-1] in ADVERBS and len(words) > 1:
            words = words[:-1]
    name = " ".join(words)
    if name[-1] == ",":
        name = name.rstrip(",")
    if "(" in name and (name.count("(") != name.count(")") or "):" in name):
        return None  # inside an aside, or a speaker: "Vera (VP): ..."
    return name if first[0].isalnum() or first[0] in _SIGNS else None


def _may_begin(words: Sequence[str], role: int) -> bool:
    """Whether a subject can open with a word of this role; most can only where the words are a title."""
    second = words[1]
    if role == COUNTS:
        return not second[0].islower()
    if role == ACTS:
        return not (second[0].isdigit() or second in DETERMINERS or second in NUMBER_WORDS)
    if role == HEDGES or (role == POINTS and second == "of"):
        return False
    return len(words) >= _TITLE_LENGTH[role] and _is_title(words)


def _is_clause(words: Sequence[str]) -> bool:
    """Whether these words hold a subject of their own: "Bob reckons the port"."""
    before = ""
    for word in words:
        if word in _PERSONS and before and not _is_title(words):
            return True
        opens = word in DETERMINERS and before.islower() and before not in PREPOSITIONS
        if opens and (KINDS.get(before) != JOIN or any(each[-1] == "," for each in words)):
            return True
        before = word
    return False


def _holds_verb(words: Sequence[str]) -> bool:
    """Whether a verb shows in these words: "staff sign in to the office", "extend the API", "a proxy to handle it"."""
    if words[0].lower() in LEMMAS and words[1] in DETERMINERS:
        return True
    before = words[0]
    for word in words[1:]:
        if before == "to" and word in LEMMAS and word not in NOUNS_TOO:
            return True
        if before in _PARTICLES and word in _AFTER_PARTICLE:
            return True
        before = word
    return False


def _is_title(words: Sequence[str]) -> bool:
    """Whether these read as a title: every word but the short ones begins with a capital or is no word."""
    return (words[1][0].isupper() or words[-1][0].isupper()) and all(
        len(word) < 4 or not word[0].islower() or word in PREPOSITIONS for word in words
    )


def in_title(words: Sequence[str], at: int) -> bool:
    """Whether the word at ``at`` stands inside a title: between two capitalised words."""
    return 0 < at < len(words) - 1 and words[at - 1][0].isupper() and words[at + 1][0].isupper()


def relative_subject(words: Sequence[str], at: int) -> tuple[str, str] | None:
    """``The university where Galileo was educated`` is (Galileo, "university where educated").

    ``at`` is the position of the relative word.
    """
    if words[0] not in _DEFINITE or at < 2:
        return None
    head, link, clause = noun(words[1:at]), words[at], words[at + 1 :]
    if len(clause) < 2 or head in _CONTENT_NOUNS:
        return None
    if KINDS.get(clause[0]) == VERB or (clause[0].islower() and clause[0].endswith(("s", "ed"))):
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
