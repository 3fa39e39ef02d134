"""How a sentence claims what it says: for or against, surely or not, of one case or of all, under which condition."""

from __future__ import annotations

import re
from typing import Final

from upheld.transition.words import stem

__all__ = [
    "absolutes",
    "assurances",
    "clauses",
    "conditional",
    "is_over",
    "leaning",
    "negated",
    "past_only",
    "tentative",
]

_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|stop(?:ped)?|"
    r"(?:do|does|did|is|are|was|were|wo|would|ca|could|should|has|have|had|must)n'?t)\b",
    re.IGNORECASE,
)
_NO_NEGATION: Final = re.compile(
    r"(?:\bnot|n't) (?:only|just|merely)\b|\bno (?:more|less|fewer|later|earlier|sooner) than\b|"
    r"\bno problem\b|\bwhy not\b|\bnot sure\b|"
    r"\b(?:not|never|n't)(?:\s\w+){0,2}\s(?:confirm|verif|check)\w*|\bno\.\s?\d|^no[,.!]|\bdo not (?:hesitate|worry)\b",
    re.IGNORECASE,
)
_OVER: Final = re.compile(
    r"\bno longer\b|\bnot? (?:\w+ )*any ?(?:more|longer)\b|\bused to\b|\bformer(?:ly)?\b|"
    r"\b(?:hold off|put off|paus\w+|cancel\w*|stop\w*|refus\w+|declin\w+|reject\w*|"
    r"without|remov\w+|drop\w*|ended|retired)\b",
    re.IGNORECASE,
)
_USED: Final = re.compile(r"\bused to\b|\bformerly\b|\bpreviously\b|\bin the past\b", re.IGNORECASE)
_AGAINST: Final = re.compile(
    r"\b(?:dislik\w*|hat(?:e|es|ed)|detest\w*|loath\w*|avoid\w*|reject\w*|refus\w*|oppos\w*)\b|"
    r"\bless (?:engaging|interest\w*|keen|fond)|\bover(?:hyped|rated)\b|\bturn(?:ed|s)? off\b|\bgone off\b|"
    r"\bgrew out of\b|"
    r"\blost interest\b|\b(?:tired|sick|bored) of\b|\bfed up\b|\bcan't stand\b|"
    r"\b(?:boring|dull|annoy\w*|terribl\w*|awful\w*|disappoint\w*|frustrat\w*|tedious|unpleasant|mediocre|unbearable|"
    r"irritat\w*|overwhelm\w*|exhausting|off-putting|grating|repetitive|predictable|pretentious|distasteful)\b|"
    r"\btoo (?:slow|much|loud|long|crowded|hot|cold|humid|dry|dark|heavy|extreme)\b|\bput(?:s|ting)? me off\b|"
    r"\bgrown tired\b|"
    r"\bfallen out of love\b|\bmoved on from\b|\bover it\b",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    r"\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|ador(?:e|es|ed)|appreciat\w*|favou?rites?|fan|fond|"
    r"keen|prefer\w*|"
    r"fascinat\w*|captivat\w*|accept\w*|approv\w*|drawn (?:\w+ )?to|(?:gotten|got|getting|grown) into|"
    r"all about|obsessed|cup of tea|click|appeals?|into it|really into|interested|impress\w*|amaz\w*|"
    r"incredibl\w*|fantastic|brilliant|wonderful\w*|delight\w*|gorgeous|"
    r"inspir\w*|beautiful\w*|great|excellent|superb|stunning|charm\w*|addicted|crazy about|hooked|excit\w*|won me over|"
    r"warmed up to|come around to)\b",
    re.IGNORECASE,
)
_LIKENESS: Final = re.compile(
    r"\b(?:would|'d) (?:really |also )?(?:like|love)\b|\b(?:feels?|looks?|seems?|sounds?|things?|something|places?|"
    r"just|much|more|is|are|was|were|applications?) like\b|(?:^|, )like\b|\blike (?:that|this|these|to)\b",
    re.IGNORECASE,
)
_ABSOLUTE: Final[dict[str, re.Pattern[str]]] = {
    "all": re.compile(
        r"\b(?:all|every|each|always|everyone|everybody|everything|everywhere|any|anyone|entire(?:ly)?|complete(?:ly)?|"
        r"whole|in all cases|without exception|100 ?%|both)\b",
        re.IGNORECASE,
    ),
    "none": re.compile(
        r"\b(?:never|none|no one|nobody|nothing|nowhere|under no circumstances|in no case|must not|no)\b", re.IGNORECASE
    ),
    "only": re.compile(r"\b(?:only|solely|exclusively|just)\b", re.IGNORECASE),
}
_STRICT: Final = {
    "all": re.compile(r"\b(?:all|every|always|everyone|everybody|everything|everywhere|any|anyone|in all cases|"
                      r"without exception)\b", re.IGNORECASE),
    "none": re.compile(r"\b(?:never|none|no one|nobody|nothing|nowhere|under no circumstances|in no case)\b",
                       re.IGNORECASE),
    "only": re.compile(r"\b(?:only|solely|exclusively)\b", re.IGNORECASE),
}  # fmt: skip
_REPEATED: Final = re.compile(
    r"\bevery (?:other )?(?:\d+ )?(?:second|minute|hour|day|night|week|month|quarter|year)s?\b"
)
_ASSURED: Final = re.compile(
    r"\b(?:confirmed|verified|proven|proved|definite(?:ly)?|certain(?:ly)?|guaranteed?s?|undoubtedly|without doubt|"
    r"officially?|established|settled|for sure|surely|"
    r"clearly|obviously)\b",
    re.IGNORECASE,
)
_TENTATIVE: Final[dict[str, re.Pattern[str]]] = {
    "possible": re.compile(
        r"\b(?:may(?! \d)|might|could|maybe|perhaps|possibly|probably|presumably|potential(?:ly)?|likely|unlikely|"
        r"theoretically|hypothetical(?:ly)?|seems?|appears? to|rumou?r\w*|unclear|unsure|not sure|suspect\w*|guess\w*|"
        r"hunch|i think|we think|i believe|we believe|allegedly|supposedly|apparently|assum\w+|if i remember|"
        r"unconfirmed|unverified|(?:not|n't|never|to be)(?:\s\w+){0,2}\s(?:confirm|verif)\w*)\b",
        re.IGNORECASE,
    ),
    "tentative": re.compile(
        r"\b(?:tentativ\w*|considering|(?:we|i)(?:'re|'m| are| am) thinking (?:of |about )?(?!my|how)|exploring|"
        r"exploratory|"
        r"propos(?:ed|es|ing)|under discussion|undecided|tbd|tbc|what if|brainstorm\w*|pending|"
        r"plan(?:s|ned|ning)? to|planning on|hop(?:e|es|ing) to|intend\w* to|aim\w* to)\b",
        re.IGNORECASE,
    ),
}
_ITS_DOUBT: Final = re.compile(
    r"(?:\b(?:not|never|nobody)|n't)\b(?:\s\w+){0,3}\s(?:confirm|verif|check)\w*|"
    r"(?:not|n't) (?:\w+ )?(?:sure|certain)(?: (?:of|about) (?:it|that|this))?(?: yet)?\W*$|"
    r"\b(?:just|only) a (?:guess|hunch|theory|rumou?r)|\bunconfirmed\b|\bunverified\b|\b(?:to|can|must) be confirmed\b|"
    r"\b(?:might|could|may) be wrong\b|\b(?:needs?|awaits?|awaiting|pending) confirmation\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|provided that|as long as|only when|except|until|only for|only in|only on|in case)\b", re.IGNORECASE
)
_ENDING: Final = re.compile(
    r"\bno longer\b|\bn't\b[^.]*\bany ?more\b|\bnot\b[^.]*\bany ?more\b|\bused to\b|"
    r"\b(?:remove|delete|cancel|drop|forget|stop tracking|retire)\b|"
    r"\b(?:was|were|is|are|been|got|be) (?:\w+ )?(?:retired|removed|cancell?ed|decommissioned|deleted|"
    r"shut down|dropped|discontinued|completed|finished)\b|\b(?:i|we)"
    r"(?:'ve| have| just| actually| already| finally| also)* (?:finished|completed|cancell?ed|wrapped up|took care of|"
    r"taken care of|done with|got around to|gotten around to|managed to|was able to|were able to)\b|"
    r"\b(?:is|are|was|were) (?:now )?(?:based on )?(?:incorrect|wrong|invalid|outdated|mistaken|obsolete)\b",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(
    r"\b(?:correction|actual(?:ly)? (?:value )?is|instead of|rather than|changed? (?:from|to)|moved? (?:from|to)|"
    r"(?:from|to) [^.]{1,40} (?:from|to) )\b",
    re.IGNORECASE,
)
_CHANGE: Final = re.compile(
    r"\b(?:instead|replac\w+|supersed\w+|switch\w*|mov(?:e|ed|es|ing)|chang\w+|updat\w+|revert\w*|correct\w*|"
    r"overrid\w+|"
    r"actually|now|lately|no more|from now on|reschedul\w+|postpon\w+|delay\w+|reallocat\w+|rather|but)\b",
    re.IGNORECASE,
)
_PLANNED: Final = re.compile(
    r"\b(?:to do|todo|plan(?:s|ned)?|goal|intention|propos\w+|pending|aim|option)\b", re.IGNORECASE
)
_CLAUSE: Final = re.compile(
    r"[;:\u2014\u2013()]\s*|,\s+(?=(?:but|and|so|which|because|though|although|while|however|yet|since)\b)|"
    r",\s+|\s+(?=(?:but|because|which|whereas|although|though)\b)"
)


def turns(sentence: str) -> list[str]:
    """The parts of a sentence around its *but*: what one part is unsure of says nothing of the other."""
    return [part for part in re.split(r",?\s+(?:but|however|though|although)\s+|;\s+", sentence) if part.strip()]


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence that may each be said for or against.

    >>> clauses("I used to like it, but I don't anymore.")
    ['I used to like it', "but I don't anymore."]
    """
    return [part.strip() for part in _CLAUSE.split(sentence) if part and part.strip()]


def negated(text: str) -> bool:
    """Whether an odd number of words denies what a clause says; what only denies its being sure does not count."""
    return len(_NEGATION.findall(_NO_NEGATION.sub(" ", text))) % 2 == 1


def leaning(clause: str) -> int:
    """1 where a clause is for something (likes, accepts), -1 where it is against, 0 where it says neither."""
    plain = _LIKENESS.sub(" ", clause)
    side = -1 if _AGAINST.search(plain) else 1 if _FOR.search(plain) else 0
    return -side if negated(plain) else side


def past_only(clause: str) -> bool:
    """Whether a clause says what used to be."""
    return _USED.search(clause) is not None


def is_over(text: str) -> bool:
    """Whether a text says that something is no longer so."""
    return _OVER.search(text) is not None


def doubts_itself(text: str) -> bool:
    """Whether a sentence says that what was said is not known for sure."""
    return _ITS_DOUBT.search(text) is not None


def planned(text: str) -> bool:
    """Whether a text calls what it says a plan or a proposal."""
    return _PLANNED.search(text) is not None


def ends(text: str) -> bool:
    """Whether a text says, or asks, that something be over."""
    return _ENDING.search(text) is not None


def corrects(text: str) -> bool:
    """Whether a text says that one thing takes the place of another."""
    return _CORRECTION.search(text) is not None


def changes(text: str) -> bool:
    """Whether a text ends, corrects or changes anything."""
    return ends(text) or corrects(text) or is_over(text) or _CHANGE.search(text) is not None


def absolutes(text: str, *, strict: bool) -> set[str]:
    """Which absolutes a text states: of all, of none, of only this. `strict` takes the plain ones alone."""
    patterns = _STRICT if strict else _ABSOLUTE
    text = _REPEATED.sub(" ", text)
    return {name for name, pattern in patterns.items() if pattern.search(text)}


def assurances(text: str) -> set[str]:
    """The words by which a text says that it is sure, by their stems."""
    return {stem(word) for word in _ASSURED.findall(text)}


def tentative(text: str) -> set[str]:
    """In which ways a text is not sure of what it says, or says that it is not settled."""
    return {name for name, pattern in _TENTATIVE.items() if pattern.search(text)}


def conditional(text: str) -> bool:
    """Whether a text holds under a condition only."""
    return _CONDITION.search(text) is not None
