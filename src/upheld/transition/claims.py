"""How a sentence claims what it says: for or against, surely or not, of one case or of all, under which condition."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_USED: Final = re.compile(
    r"\bused to\b|\bformerly\b|\bpreviously\b|\bin the past\b|\bonce (?:upon a time|was|were|had|\w+ed)\b",
    re.IGNORECASE,
)
_WAS: Final = re.compile(
    r"\b(?:was|were|had|thought|felt|found|liked|loved|enjoyed|adored|hated|disliked|preferred)\b", re.IGNORECASE
)
_NOW: Final = re.compile(
    r"\b(?:now|nowadays|these days|lately|recently|today|at the moment|any ?more|any longer|no longer)\b", re.IGNORECASE
)
_NOT_FORMERLY: Final = re.compile(
    r"\b(?:how|than|as|way|what)(?: \w+){1,3} used to\b|"
    r"(?:\b(?:am|is|are|was|were|be|been|being|get|gets|got|gotten|getting|become|becoming)|'(?:m|s|re))"
    r"(?: \w+)? used to\b",
    re.IGNORECASE,
)
"""*Used to* that ends nothing: a comparison ("than it used to cost"), a habit ("used to it"), a use ("is used to")."""
_AGAINST: Final = re.compile(
    r"\b(?:dislik\w*|hat(?:e|es|ed)|detest\w*|loath\w*|avoid\w*|reject\w*|refus\w*|oppos\w*)\b|"
    r"\bless (?:engaging|interest\w*|keen|fond)|\bover(?:hyped|rated)\b|\bturn(?:ed|s)? off\b|\bgone off\b|"
    r"\bgrew out of\b|"
    r"\blost interest\b|\b(?:tired|sick|bored) of\b|\bfed up\b|\bcan't stand\b|"
    r"\b(?:boring|dull|annoy\w*|terribl\w*|awful\w*|disappoint\w*|frustrat\w*|tedious|unpleasant|mediocre|unbearable|"
    r"irritat\w*|overwhelm\w*|exhausting|off-putting|grating|repetitive|predictable|pretentious|distasteful)\b|"
    r"\btoo \w+ for (?:me|my \w+)\b|\btoo (?:slow|much|loud|long|crowded|hot|cold|humid|dry|dark|heavy|extreme)\b|"
    r"\bput(?:s|ting)? me off\b|"
    r"\bgrown tired\b|"
    r"\bfallen out of love\b|\bmoved on from\b|\bover it\b|"
    r"\blost (?:its|their|his|her|all|any|the) (?:\w+ )?(?:appeal|charm|magic|spark|shine|allure)\b|"
    r"\b(?:had|have|having) enough of\b|\b(?:soured|cooled) on\b|\bleaves? me cold\b|\bcouldn't care less\b",
    re.IGNORECASE,
)
_FOR: Final = re.compile(
    r"\b(?:lik(?:e|es|ed|ing)|lov(?:e|es|ed|ing)|enjoy\w*|ador(?:e|es|ed)|appreciat\w*|favou?rites?|fan|fond|"
    r"keen|prefer\w*|"
    r"fascinat\w*|captivat\w*|accept\w*|approv\w*|drawn (?:\w+ )?to|(?:gotten|got|getting|grown) into|"
    r"all about|obsessed|cup of tea|click|appeals?|into it|interested|impress\w*|amaz\w*|"
    r"really into|(?:am|is|are|was|were|been|be|'m|'s|'re|get|getting|got|gotten)"
    r"(?: (?:not|just|so|very|quite|much|more|deeply|totally|heavily|super|big))+ into|"
    r"my (?:\w+ )?(?:thing|jam|vibe|scene|go-to)|(?:top|first) (?:pick|choice)|(?:soft spot|weakness|passion) for|"
    r"fall(?:en|ing) (?:\w+ )?for|in love with|a joy|taken with|obsession|happiest|gravitat\w+ to(?:wards?)?|"
    r"partial to|passionate about|resonat\w+|speaks to me|blown away|"
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
_NO_DENIAL: Final = (
    (re.compile(r"\b(?:can't|cannot|couldn't) (?:\w+ )?(?:stand|bear|abide|tolerate)\b", re.IGNORECASE), "hate"),
    (re.compile(r"(?:\bnot|n't) (?:\w+ )?(?:for me|feeling)\b", re.IGNORECASE), " hate"),
    (
        re.compile(
            r"\b(?:can't|cannot|couldn't) get enough of\b|\bcan't help but (?:like|love|enjoy)\b", re.IGNORECASE
        ),
        "love",
    ),
    (
        re.compile(r"\b(?:nothing|nobody|no one) (?:that )?i (?:like|love|enjoy) (?:more|better)\b", re.IGNORECASE),
        "love",
    ),
)
"""Sayings whose own denial denies nothing, and what they say."""
_POINTS: Final = re.compile(r"\b(?:it|its|that|this|them|they|their|those|these|him|his|her|she|he)\b", re.IGNORECASE)
_TASTE: Final = frozenset({stem("like"), stem("dislike"), "prefer"})
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
        r"\b(?:tentativ\w*|considering|(?:we|i)(?:'re|'m| are| am) thinking (?:of |about )?(?!my|how)|exploratory|"
        r"(?:^\W*|(?:\b(?:am|is|are|was|were|be|been|still|keep|keeps|kept|started)|'(?:m|s|re))"
        r"(?: (?:now|still|also|\w+ly))? )exploring|"
        r"propos(?:ed|es|ing)|under discussion|undecided|tbd|tbc|what if|brainstorm\w*|pending|"
        r"plan(?:s|ned|ning)? to|planning on|hop(?:e|es|ing) to|intend\w* to|aim\w* to)\b",
        re.IGNORECASE,
    ),
}
_RESOLVED: Final = re.compile(
    r"\bcould you\b|\bmight as well\b|"
    r"\b(?:i|we) (?:(?:should|ought to|need to|have to) probably|probably (?:should|ought|need|have))\b",
    re.IGNORECASE,
)
"""A request and a soft resolve, which leave no doubt of what is to be done; of a fact they would be a guess."""
_AHEAD: Final = re.compile(
    r"\b(?:(?<!is )(?<!are )(?<!was )(?<!were )(?<!been )(?<!be )proposed|propos(?:es|ing)|potential|"
    r"plan(?:s|ned|ning)? to|planning on|hop(?:e|es|ing) to|intend\w* to|aim\w* to|considering|exploring)\b",
    re.IGNORECASE,
)
"""Words that are unsure of what comes behind them, and say nothing of what stands before."""
_OF_ITS_KIND: Final = re.compile(r"\b(?:potential|possible)(?= (?:\w+ )?(?:risks?|threats?|dangers?)\b)", re.IGNORECASE)
"""A risk is not less sure for being called potential."""
_BELOW: Final = re.compile(r"\s+(?=(?:whether|so that|in order that|because|since)\b)", re.IGNORECASE)
"""Where a clause goes over into one that hangs on it: the doubt of one is not that of the other, but of *whether*."""
_ASKED: Final = re.compile(r"whether\b", re.IGNORECASE)
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
_NO_CONDITION: Final = re.compile(
    r"\beven if\b|\bif anything\b|\bif (?:you|anyone) ask(?:ed|s)?\b|"
    r"\bif (?:i|we) (?:had|have) to (?:pick|choose|name|say)\b",
    re.IGNORECASE,
)
"""Words of a condition that make none: they are only said so."""
_FOR_ALL: Final = re.compile(r"\b(?:if|unless|provided that|as long as|only when|except|in case)\b", re.IGNORECASE)
_COORDINATE: Final = re.compile(r";\s+|,\s+(?:and|but|so)\s+")
_ENDING: Final = re.compile(
    r"\bno longer\b|n't\b[^.]*\bany ?more\b|\bcall(?:ed|ing)? off\b|\b(?:get|got|getting) rid of\b|\bscrap(?:ped)?\b|"
    r"\bnot\b[^.]*\bany ?more\b|\bused to\b|"
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
    for saying, word in _NO_DENIAL:
        plain = saying.sub(word, plain)
    side = -1 if _AGAINST.search(plain) else 1 if _FOR.search(plain) else 0
    return -side if negated(plain) else side


def points_back(clause: str) -> bool:
    """Whether a clause has a word for something that was named before it."""
    return _POINTS.search(clause) is not None


def is_taste(word: str) -> bool:
    """Whether the stem of a word says that something is liked or disliked, and not what."""
    return word in _TASTE


def past_only(clause: str) -> bool:
    """Whether a clause says what used to be."""
    return _USED.search(_NOT_FORMERLY.sub(" ", clause)) is not None


def present(parts: Sequence[str]) -> list[str]:
    """The clauses that say how it is: not what used to be, nor what was, where a later one says how it is now.

    >>> present(["I liked the opera for a while", "but it bores me now"])
    ['but it bores me now']
    """
    until = max((at for at, part in enumerate(parts) if _NOW.search(part)), default=0)
    return [
        part for at, part in enumerate(parts) if not (past_only(part) or (at < until and _WAS.search(part) is not None))
    ]


def is_over(text: str) -> bool:
    """Whether a text says that something is no longer so."""
    return _OVER.search(_NOT_FORMERLY.sub(" ", text)) is not None


def doubts_itself(text: str) -> bool:
    """Whether a sentence says that what was said is not known for sure."""
    return _ITS_DOUBT.search(text) is not None


def planned(text: str) -> bool:
    """Whether a text calls what it says a plan or a proposal."""
    return _PLANNED.search(text) is not None


def ends(text: str) -> bool:
    """Whether a text says, or asks, that something be over."""
    return _ENDING.search(_NOT_FORMERLY.sub(" ", text)) is not None


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


def doubted(clause: str) -> str:
    """The part of a clause that its doubt reaches.

    >>> doubted("We found two faults and proposed a new schedule")
    'proposed a new schedule'
    """
    parts = _BELOW.split(clause)
    unsure = [
        tentative(part) or (at and _ASKED.match(part) and tentative(parts[at - 1])) for at, part in enumerate(parts)
    ]
    clause = " ".join(part for part, is_unsure in zip(parts, unsure, strict=True) if is_unsure) or clause
    ahead = _AHEAD.search(clause)
    return clause if ahead is None or tentative(_AHEAD.sub(" ", clause)) else clause[ahead.start() :]


def tentative(text: str, *, of_plans: bool = False) -> set[str]:
    """In which ways a text is not sure of what it says, or says that it is not settled; `of_plans`: to be done."""
    text = _OF_ITS_KIND.sub(" ", text)
    if of_plans:
        text = _RESOLVED.sub(" ", text)
    return {name for name, pattern in _TENTATIVE.items() if pattern.search(text)}


def coordinates(sentence: str) -> list[str]:
    """The parts of a sentence of which one may hold for a time while the others hold always."""
    if _FOR_ALL.search(sentence):
        return [sentence]
    return [part for part in _COORDINATE.split(sentence) if part.strip()]


def conditional(text: str) -> bool:
    """Whether a text holds under a condition only."""
    return _CONDITION.search(_NO_CONDITION.sub(" ", text)) is not None
