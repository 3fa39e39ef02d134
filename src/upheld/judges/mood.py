"""Whether a clause states how things are: a plan, a question, an order to the reader or a quotation does not."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from upheld.judges.lexicon import UNSURE

__all__ = ["Mood", "mood_of"]

_ORDER: Final = re.compile(
    r"\b(?:ignore|disregard|answer|respond|reply|output|return|mark|treat|label|judge|verdict|say|report|pretend|"
    r"consider)\b.{0,60}\b(?:contradict\w*|notes?|claims?|instructions?|verdicts?|memor(?:y|ies)|statements?)\b|"
    r"\b(?:contradicted|system prompt|you are (?:a|an|the) (?:judge|assistant|ai|model))\b|"
    r"\b(?:notes?|memor(?:y|ies)|claims?)\b.{0,40}\b(?:is|are|was|were) (?:wrong|false|outdated|contradicted|obsolete|"
    r"incorrect|invalid)\b",
    re.IGNORECASE,
)
_TALK: Final = re.compile(
    r"\b(?:(?<!is )(?<!are )(?<!be )(?<!been )(?<!was )provided (?:that|the|we|it|they|you|there|no|he|she|all)|"
    r"(?:we|they|i|team|management|board|company) plans?|plans? to (?!the |an? |our )|"
    r"plans? for (?!the |an? |our |all |every|[0-9])|not (?:every|all|each)|planned to|"
    r"(?:is|are|was|were) being|(?:was|were) to [a-z]+|temporar(?:y|ily)|"
    r"for (?:now|the time being)|in the meantime|this (?:week|time)|this \w+ only|"
    r"plan is to|going to|about to|looking (?:at|into)|want(?:s|ed)? to|would like|"
    r"has yet to|have yet to|not (?:yet )?(?:been )?(?:decided|confirmed|approved)|up for (?:debate|discussion)|"
    r"under (?:discussion|review|consideration)|it is not true|not true that|used to (?:say|claim|think)|"
    r"rumou?r has it|remains? to be seen|to be (?:decided|confirmed|determined)|may (?:be|have|become|change|move|"
    r"switch|extend|increase|decrease|drop|migrate|end|go|come|need|want|soon|also|eventually|well|still)|"
    r"according to (?:some|rumou?rs)|in (?:an|one) alternative|what if|working on|tried to|in the process of|"
    r"next (?:week|month|quarter|year|spring|summer|autumn|fall|winter|sprint|release))\b",
    re.IGNORECASE,
)
_EXAMPLE: Final = re.compile(
    r"\b(?:for example|for instance|e\.g\.|such as|(?<![\w.@/-])examples?(?!\.\w)|suppose|imagine)\b", re.IGNORECASE
)
_VOID: Final = re.compile(
    r"[(\[](?:until|till)\b|[(\[](?:now |currently |to be |for |only )?(?:deprecated|ignored|unused|obsolete|legacy|"
    r"overridden|old|outdated|not used|no longer used|example|draft|proposed|proposal|planned|tbd|tbc|placeholder|"
    r"historical|wrong|testing|tests?|former|unconfirmed|estimate|archived|superseded|invalidated|wip)\b"
    r"(?!\s+(?-i:[A-Z]))",  # "(Legacy Delayed Delivery)" is a name
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(r"^\W*(?:if|unless|whenever|should|in case|provided|assuming|had|let)\b", re.IGNORECASE)
_QUOTE: Final = re.compile(r"[\"“][^\"“”]{12,}[\"”]|^\s*>")
_SPEAKER: Final = re.compile(r"^\W*[A-Z][a-z]+(?: [A-Z][a-z]+)?(?: \([^)]{1,30}\))?: [\"“]?(?:I|We|We're|I'm)\b")
_FUTURE: Final = re.compile(r"\b(?:will|shall|won't|'ll|is to be|are to be)\b")


class Mood(Enum):
    """Whether a clause states something, and what it is instead."""

    STATED = "stated"
    UNSURE = "a plan, a guess or somebody's opinion"
    FUTURE = "announced, not yet in effect"
    QUESTION = "a question"
    CONDITION = "a condition"
    ORDER = "an instruction to the reader"
    QUOTED = "a quotation"
    EXAMPLE = "an example"


def mood_of(text: str) -> Mood:
    """What a clause is, by its words.

    >>> mood_of("We might move to Berlin.")
    <Mood.UNSURE: "a plan, a guess or somebody's opinion">
    """
    if text.rstrip("\"')”*_ ")[-1:] in ("?", "\uff1f"):
        return Mood.QUESTION
    if _ORDER.search(text):
        return Mood.ORDER
    if _CONDITION.match(text):
        return Mood.CONDITION
    if _EXAMPLE.search(text):
        return Mood.EXAMPLE
    if _QUOTE.search(text) or _SPEAKER.match(text):
        return Mood.QUOTED
    words = re.findall(r"[A-Za-z]+(?:[-.'][A-Za-z]+)*", text)
    if any(word.lower() in UNSURE for word in words) or _TALK.search(text) or _VOID.search(text):
        return Mood.UNSURE
    return Mood.FUTURE if _FUTURE.search(text) else Mood.STATED
