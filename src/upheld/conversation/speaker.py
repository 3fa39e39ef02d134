"""The first person is the speaker: "I moved to Berlin" by person:ana is said of Ana. "We" stays: nobody said who."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from upheld.keys.words import ADVERBS, LEMMAS, PARTICIPLES, PAST, THIRD

__all__ = ["in_third_person", "is_first_person", "name_of"]

_THIRD_OF: Final[Mapping[str, str]] = {base: third for third, base in THIRD.items()}
_IS: Final[Mapping[str, str]] = {
    "am": "is", "have": "has", "do": "does", "don't": "does not", "haven't": "has not", "was": "was", "had": "had",
    "will": "will", "won't": "will not", "can": "can", "cannot": "cannot", "can't": "cannot", "did": "did",
    "didn't": "did not", "wasn't": "was not", "must": "must", "may": "may", "might": "might", "could": "could",
    "would": "would", "should": "should", "used": "used", "never": "never", "want": "wants", "think": "thinks",
    "believe": "believes", "suspect": "suspects", "guess": "guesses", "assume": "assumes", "hope": "hopes",
    "wish": "wishes", "try": "tries", "say": "says", "feel": "feels", "expect": "expects",
}  # fmt: skip
_CONTRACTED: Final = {"i'm": "is", "i've": "has", "i'll": "will", "i'd": "would"}
_FIRST: Final = frozenset("i i'm i've i'll i'd my mine me myself".split())
_BETWEEN: Final = ADVERBS | {"no", "longer", "not", "never", "often", "usually", "always", "mostly", "now", "soon"}


def name_of(by: str) -> str:
    """What a speaker is called in a statement.

    >>> name_of("person:ana"), name_of("person:owner"), name_of("user:42")
    ('Ana', 'the owner', 'user 42')
    """
    prefix, _, name = by.partition(":")
    if name in {"owner", "user", "assistant"}:
        return f"the {name}"
    if name.isdigit():
        return f"{prefix} {name}"
    return name.title() if name.isalpha() and name.islower() else name


def is_first_person(sentence: str) -> bool:
    """Whether a sentence speaks of its speaker alone."""
    return not _FIRST.isdisjoint(re.findall(r"[\w']+", sentence.replace("\u2019", "'").lower()))


def in_third_person(sentence: str, name: str) -> str | None:
    """Say a sentence of its speaker by name; None where a verb is not known, or a clause is about somebody else too.

    >>> in_third_person("I moved to Berlin and my desk is B12.", "Ana")
    "Ana moved to Berlin and Ana's desk is B12."
    >>> in_third_person("I'm vegetarian.", "Ana"), in_third_person("I no longer eat fish.", "Ana")
    ('Ana is vegetarian.', 'Ana no longer eats fish.')
    """
    parts = re.split(r"(\s+)", sentence.replace("\u2019", "'"))
    words = parts[::2]
    said: list[str] = []
    awaited = False
    for word in words:
        low = word.lower().strip(',.;:!?"()')
        if awaited:
            turned = _verb(low)
            if turned is None and low not in _BETWEEN:
                return None
            if turned is not None:
                said.append(word.lower().replace(low, turned, 1))
                awaited = False
                continue
        if low == "i" and word.strip(',.;:!?"()') == "I":
            awaited = True
            said.append(word.replace("I", name, 1))
        elif low in _CONTRACTED:
            said.append(f"{name} {_CONTRACTED[low]}")
        elif low == "my":
            said.append(word[: -len("my")] + f"{name}'s" if not name.endswith("s") else f"{name}'")
        elif low in {"me", "myself"}:
            said.append(word.lower().replace(low, name, 1))
        elif low == "mine":
            return None
        else:
            said.append(word)
    if awaited:
        return None
    joined = "".join(a + b for a, b in zip(said, [*parts[1::2], ""], strict=True))
    return joined[:1].upper() + joined[1:] if name.startswith(("the ", "user ", "person ")) else joined


def _verb(low: str) -> str | None:
    """The form of a verb that goes with a name; None for what is no verb that we know."""
    if low in _IS:
        return _IS[low]
    if low in PAST and low not in LEMMAS:
        return low
    if low in {"read", "put", "cut", "set", "let", "shut", "beat"}:
        return None  # now or then: the form does not say
    if low in _THIRD_OF:
        return _THIRD_OF[low]
    return low if low in PAST or low in PARTICIPLES else None
