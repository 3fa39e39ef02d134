"""What a statement is about, for recall: a looser reading than the key's, and never used to decide anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from upheld.keys.statement import extract, first_sentence, opener_length
from upheld.keys.subjects import OWNERS, plain_subject
from upheld.keys.words import (
    ADVERBS,
    BASE,
    CAN,
    COMMANDS,
    CONDITIONS,
    DATED,
    DETERMINERS,
    FIRST_WORDS,
    HEDGES,
    JOIN,
    KINDS,
    LEMMAS,
    NOUNS_TOO,
    OPENERS,
    PLACED,
    POINTS,
    PREPOSITIONS,
    PRONOUN,
    RELATIVE,
    THIRD,
    VERB,
)  # fmt: skip

if TYPE_CHECKING:
    from upheld.keys.result import Extracted

__all__ = ["read", "topic"]

_SEEN: Final = 300  # characters; the first subject of a longer text stands in these
_LONGEST: Final = 8  # words
_NO_NAMES: Final = (": ", " - ", "'m", "'ll", "'ve", "'re")  # a label, an aside, a pronoun with its verb
_ANY: Final = frozenset(("a", "an", "each", "every"))
_SELF: Final = frozenset(("i", "we"))
_PLURALS: Final = frozenset(("staff", "people", "children", "men", "women", "police", "crew", "data", "clergy"))
_DETERMINER: Final = -1
_ROLES: Final = {
    **KINDS,
    **dict.fromkeys(("may", "might", "could", "would", "should", "must", "shall"), CAN),
    **dict.fromkeys(DETERMINERS - {"that"}, _DETERMINER),
}
_SKIPPED: Final = OPENERS | DATED | PLACED
_AFTER_VERB: Final = PREPOSITIONS | DETERMINERS | {"us", "me", "them", "him", "it"}
_OPEN: Final = frozenset(("whatever", "whoever", "whichever", "anyone", "anything"))
_PARTICLES: Final = frozenset(("up", "down", "out", "off", "over"))


def topic(statement: str) -> str | None:
    """Name what the first sentence is about, as it is written and without its article; None when unsure.

    For recall only: the key rule takes `extract`. The subject of the key where there is one and it is no *I* or
    *we*; otherwise the grammatical subject, of at most eight words, none of them a pronoun. Never raises.

    >>> topic("Background jobs go through RabbitMQ on our own machine")
    'Background jobs'
    >>> topic("It has been slow since Friday.") is None
    True
    """
    return read(statement)[1]


def read(statement: str) -> tuple[Extracted | None, str | None]:
    """Find the key and the topic of a statement at once: what `extract` and `topic` return.

    >>> read("The capital of France is Paris.")[1]
    'France'
    """
    found = extract(statement)
    if found is not None and found.subject not in _SELF:
        return found, None if found.subject.startswith("this ") else found.subject
    return found, _named(first_sentence(statement[:_SEEN]))


def _named(words: list[str]) -> str | None:
    """The subject of the clause that these words begin with."""
    low = words[0].lower() if words else ""
    if low in _SKIPPED and len(words) > 2:
        words = words[opener_length(words, low) or 0 :]
        low = words[0].lower() if words else ""
    if len(words) < 3:
        return None
    if (
        low in _OPEN
        or 0 < _ROLES.get(low, 0) <= CAN
        or (low in PREPOSITIONS and words[1][0].isalnum() and not words[1][0].isupper())
    ):
        return None
    role = FIRST_WORDS.get(low)
    if low in _ANY or words[0] in OWNERS:
        words = words[1:]
        if words[0] in ("of", "one", "other"):
            return None
    elif role in (POINTS, COMMANDS, CONDITIONS, HEDGES) and not words[1][0].isupper():
        return None
    end = _subject_end(words)
    while end > 1 and (words[end - 1] in ADVERBS or words[end - 1] in ("not", "never") or words[end - 1][-2:] == "ly"):
        end -= 1
    if not 0 < end <= _LONGEST:
        return None
    name = plain_subject(words[:end])
    if not name or name in _SELF or name[-1] == ":" or any(map(name.__contains__, _NO_NAMES)):
        return None
    return name


def _subject_end(words: list[str]) -> int:
    """Where the first verb, or a clause inside the subject, begins; 0 where none is seen in time."""
    before = words[0].lower() if words[0] in ("The", "A", "An") else words[0]
    for at, word in enumerate(words[1 : _LONGEST + 3], start=1):
        kind = _ROLES.get(word, 0)
        if kind == _DETERMINER:
            if before not in PREPOSITIONS and KINDS.get(before) != JOIN:
                # an article behind a noun: the word between them is a verb we do not know
                return at - 1 if before.islower() and before.isalpha() and before not in LEMMAS else 0
        elif 0 < kind <= CAN:
            return at
        elif kind in (RELATIVE, PRONOUN):
            return 0 if KINDS.get(before) == JOIN else at
        elif kind in (VERB, BASE) and _acts(word, before, words[at + 1] if at + 1 < len(words) else ""):
            return at
        before = word
    return 0


def _acts(word: str, before: str, after: str) -> bool:
    """Whether a word that may be a verb is one, judged by its neighbours."""
    if before in PREPOSITIONS or before in DETERMINERS or before[-2:] == "'s":
        return False
    if KINDS[word] == VERB:
        return THIRD.get(word) not in NOUNS_TOO or after in _AFTER_VERB
    plural = before[-1] == "s" or before.lower() in _PLURALS
    return word not in NOUNS_TOO or after in _PARTICLES or (plural and after in _AFTER_VERB)
