"""Finds doubt in plain English: "my guess is", "probably", "not confirmed". A guess is kept as a guess.

Two questions, asked of different texts. A *statement* is a guess when doubt governs what it says: a long document
that uses "might" somewhere is not one. A cited *excerpt* is doubtful when doubt is anywhere in it: it is short, and
chosen to carry the statement.
"""

from __future__ import annotations

import re

_LONGEST_GUESS = 400

_OPENERS = (
    r"(?:my|our) (?:best )?(?:guess|hunch|suspicion|theory|hypothesis)\b|"
    r"(?:i|we)(?:'m| am|'re| are)? (?:only )?"
    r"(?:guess(?:ing)?|think|suspect|believe|assum\w+|wonder|reckon|not (?:entirely )?sure)\b|"
    r"(?:maybe|perhaps|probably|possibly|presumably|allegedly|supposedly|apparently|likely)\b|"
    r"it (?:seems|appears|looks like|could be|might be|may be)\b|(?:a )?(?:guess|hunch|hypothesis|rumou?r)\b"
)
_UNCONFIRMED = (
    r"(?:not|never|nobody|no one|isn't|hasn't|haven't|wasn't)(?: has| have| been| yet| we| i)* (?:confirm|verif)\w*|"
    r"\b(?:unconfirmed|unverified)\b|(?:still|yet) to be (?:confirm|verifi)ed|\bto be confirmed\b"
)
_ANYWHERE = (
    r"\b(?:guess|suspect|hunch|maybe|perhaps|probably|possibly|presumably|allegedly|supposedly|might|"
    r"not (?:entirely |yet )?sure|unsure|i think|we think|i believe|seems to|could be)\b"
)
_OPENS = re.compile(rf"\W*(?:{_OPENERS})", re.IGNORECASE)
_OPEN_STILL = re.compile(_UNCONFIRMED, re.IGNORECASE)
_DOUBT = re.compile(rf"{_ANYWHERE}|{_UNCONFIRMED}", re.IGNORECASE)


def is_guess(statement: str) -> bool:
    """Whether a statement says of itself that it is not certain.

    >>> is_guess("My guess is API v1 still uses this column, but I haven't confirmed it.")
    True
    >>> is_guess("Retries are capped at 5, because a user might press the button twice.")
    False
    """
    if len(statement) > _LONGEST_GUESS:
        return False
    said = statement.lower().replace("\u2019", "'")
    if _OPENS.match(said) is not None:
        return True
    # What is not confirmed or verified holds one of these; looking for them first keeps a bulk import fast.
    return ("conf" in said or "veri" in said) and _OPEN_STILL.search(said) is not None


def holds_doubt(excerpt: str) -> bool:
    """Whether a cited passage is unsure of anything it says."""
    return _DOUBT.search(excerpt.replace("\u2019", "'")) is not None
