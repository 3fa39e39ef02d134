"""Words and values of a text: each word by its stem, each number, date or amount in one exact notation."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from upheld.judges.lexicon import FUNCTION, SYNONYMS
from upheld.keys.meaning import SOFTWARE
from upheld.keys.words import ADVERBS, GERUNDS, KINDS, PARTICIPLES, PAST, PREPOSITIONS, THIRD
from upheld.values import ALIASES, canonical
from upheld.values.times import DAYS, MONTHS
from upheld.values.units import CURRENCY, EVERY, NUMBER_WORDS, SCALES, UNITS

__all__ = ["Token", "shallow", "stem", "tokens"]


class Token(NamedTuple):
    """A word, or a value with its `sort` (what it measures); offsets count code points of the text it was cut from.

    `key` is what two tokens must share to say the same: the stem of a word, the exact form of a value.
    """

    key: str
    text: str
    start: int
    end: int
    sort: str = ""
    amount: Fraction | None = None
    bound: str = ""

    @property
    def is_mark(self) -> bool:
        """Whether it is punctuation."""
        return not (self.sort or self.text[0].isalnum() or self.text[0] in "#@$€£")

    @property
    def is_content(self) -> bool:
        """Whether it carries meaning of its own."""
        if self.sort or self.text[0] in _MARKS:
            return False
        return self.text.lower() not in FUNCTION or self.key in _SWITCHED


_SWITCHED: Final = frozenset(("switched on", "switched off"))
_MARKS: Final = frozenset(".,;:!?()[]{}|=\"'“”\u2018\u2019—\u2013-*`~/\\<>→&%•…")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,9})?"
_SCAN: Final = re.compile(
    rf"""(?P<date>\d{{4}}-\d\d-\d\d(?![\d-])|\d{{1,2}}(?:st|nd|rd|th)?(?:\ of)?\ {_MONTH}\b\.?(?:,?\ \d{{4}}\b)?
        |{_MONTH}\.?\ \d{{1,2}}(?:st|nd|rd|th)?(?![\d:]|\ ?[ap]m\b)(?:,?\ \d{{4}}\b)?|{_MONTH}\.?,?\ \d{{4}}\b
        |\d{{4}}-\d\d(?![\d-])|\d{{1,2}}([./])\d{{1,2}}\2\d{{4}}\b|q[1-4](?:\ \d{{4}})?\b)
    |(?P<monthday>\b(?:\d{{1,2}}(?:st|nd|rd|th)|first|last|fifteenth)\ (?:day\ )?of\ (?:the|each|every)\ month\b)
    |(?P<time>\d{{1,2}}:\d\d(?::\d\d)?(?:\ ?[ap]\.?m\b\.?)?(?!\d)|\d{{1,2}}\ ?(?:a\.m\.|p\.m\.|am\b|pm\b))
    |(?P<version>\bv\d{{1,6}}(?:\.\d{{1,6}}){{0,4}}\b|\d{{1,6}}(?:\.\d{{1,6}}){{2,4}}(?![\d.]*\d))
    |(?P<money>[$€£]\ ?{_NUMBER})
    |(?P<number>(?<![^\W_]){_NUMBER}(?:e\d{{1,2}})?)
    |(?P<word>[\#@]?[^\W_][^\W_'\u2019]*(?:['\u2019][^\W_]+)*(?:[-.&+@/][^\W_]+(?:['\u2019][^\W_]+)*)*[+\#]*)
    |(?P<mark>~~|->|=>|→|\S)""",
    re.IGNORECASE | re.VERBOSE,
)
_LAST: Final = re.compile(r"\s*(?:[.,;)]|$)")
_WORDS: Final = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_PER: Final = re.compile(
    r"(?:\s?/\s?|\s(?:per|for each|for every)\s)(?:each |every )?([a-z]{1,20})|\s(?:an?|each|every)\s"
    r"(second|minute|hour|day|night|week|month|quarter|year)\b|\s(monthly|yearly|annually|weekly|daily|hourly)\b",
    re.IGNORECASE,
)
_AFTER_NUMBER: Final = re.compile(
    r"[\s-]?(%|°[CF]\b|per cent\b|percent\b|(?:business |working |calendar |full |consecutive )?[a-zA-Z€$£]{1,20})"
)
_QUALIFIED: Final = frozenset(("business", "working", "calendar", "full", "consecutive"))
_BOUNDS: Final = re.compile(
    r"(?:(at least|no (?:less|fewer) than|minimum(?: of)?|not less than)|"
    r"(at most|up to|no more than|not more than|maximum(?: of)?|a maximum of|not exceed|within)|"
    r"(more than|over|above|exceeding|less than|under|below|fewer than)|"
    r"(about|around|approximately|roughly|approx\.?|circa|ca\.|nearly|almost|some|~))\s*(?:an?\s|the\s)?$",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"(?:\+(?![^\W_])|\s(?:or|and)\s(?:(newer|later|higher|above|greater|more|up|upwards)|"
    r"(?:older|lower|below|earlier|less|fewer))\b)(?!\s+\d)",
    re.IGNORECASE,
)
_TURNING: Final = re.compile(r"\b(?:before|after)\s(?:the\s)?$", re.IGNORECASE)
_BOUND_NAMES: Final = ("least", "most", "beyond", "about")
_YEARLY: Final = frozenset(("in", "since", "until", "till", "by", "from", "during", "before", "after", "of", "year",
                            "fy", "for", "to", "through", "end", "early", "late", "mid"))  # fmt: skip
_DOUBLED: Final = re.compile(r"([bdfgklmnprt])\1$")
_KEPT: Final = frozenset("news during thing things string ring king spring need feed speed bed red shed seed".split())


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """One form for the inflections and usual synonyms of a word.

    >>> stem("Employees"), stem("moved"), stem("Postgres")
    ('employe', 'mov', 'postgresql')
    """
    low = word.lower().replace("\u2019", "'")
    low = low.removesuffix("'s").removesuffix("'")
    if low in ALIASES:
        low = ALIASES[low]
    if not low.isalpha() or len(low) < 3:
        return low or word
    lemma = GERUNDS.get(low) or PAST.get(low) or PARTICIPLES.get(low) or THIRD.get(low)
    if lemma is None:
        lemma = low
        if low in _KEPT:
            pass
        elif low.endswith("ies") and len(low) > 4:
            lemma = low[:-3] + "y"
        elif low.endswith(("sses", "shes", "ches", "xes", "zes")):
            lemma = low[:-2]
        elif low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3:
            lemma = low[:-1]
        elif low.endswith(("ing", "ed")) and len(low) > 5:
            lemma = _DOUBLED.sub(r"\1", low[: -3 if low.endswith("ing") else -2])
    lemma = SYNONYMS.get(lemma, SYNONYMS.get(low, lemma))
    return lemma[:-1] if lemma.endswith("e") and len(lemma) > 3 else lemma


def shallow(text: str) -> frozenset[str]:
    """The stems of a text's content words, found at a tenth of the cost: what two related texts share, these share."""
    return frozenset(stem(word) for word in set(_WORDS.findall(text.lower())) if word not in FUNCTION)


def tokens(text: str) -> list[Token]:
    """Cut a sentence into words, values and marks, in order. Never raises."""
    found: list[Token] = []
    at = 0
    for match in _SCAN.finditer(text):
        if match.start() < at:
            continue
        token = _read(match, text, found)
        found.append(token)
        at = max(at, token.end)
    return found


def _read(match: re.Match[str], text: str, before: list[Token]) -> Token:
    kind, raw, start, end = match.lastgroup, match[0], match.start(), match.end()
    if kind == "date":
        form = _date(raw)
        if form is not None:
            return Token(form, raw, start, end, "date", None, _bound(text, start))
        return Token(raw.lower(), raw, start, end)
    if kind == "monthday":
        named = {"first": "1", "fifteenth": "15"}.get(raw.lower().partition(" ")[0])
        day = named or re.sub(r"\D.*", "", raw) or "last"
        return Token(f"---{day}", raw, start, end, "monthday")
    if kind == "time":
        form = canonical(raw.lower().replace("a.m.", "am").replace("p.m.", "pm"))
        return Token(form, raw, start, end, "time", None, _bound(text, start))
    if kind == "version":
        bare = canonical(raw if raw[0] in "vV" else "v" + raw)
        return _opened(Token(bare, raw, start, end, "version"), text)
    if kind == "money":
        return _money(raw, start, end, text)
    if kind == "number":
        return _number(raw, start, end, text, before)
    if kind == "word":
        return _word(raw, start, end, text, before)
    return Token(raw, raw, start, end)


def _word(raw: str, start: int, end: int, text: str, before: list[Token]) -> Token:
    low = raw.lower()
    day = low.removesuffix("s")
    if day in DAYS and raw[0].isupper():
        return Token(day, raw, start, end, "weekday")
    if low in MONTHS and raw[0].isupper() and before and before[-1].text.lower() in _YEARLY:
        return Token(f"--{MONTHS[low]:02d}", raw, start, end, "date")
    if low in ("on", "off") and before and _LAST.match(text, end):
        return Token(f"switched {low}", raw, start, end)
    if low in ("noon", "midnight"):
        return Token("12:00" if low == "noon" else "00:00", raw, start, end, "time")
    if low in ("once", "twice"):
        per, stop = _per(text, end)
        if per:
            times = Fraction(1 if low == "once" else 2)
            return Token(f"{times} time{per}", text[start:stop], start, stop, f"time{per}", times)
    if low.partition("-")[0] in NUMBER_WORDS and _counts(low, text, end):
        spelled = _spelled(text, start)
        if spelled is not None:
            amount, stop = spelled
            return _measured(Fraction(amount), start, stop, text, before)
    return Token(stem(raw), raw, start, end)


def _counts(low: str, text: str, end: int) -> bool:
    """Whether a number word counts something; *one* alone is as often a pronoun."""
    _, _, tail = low.partition("-")
    if tail and tail not in NUMBER_WORDS and tail not in UNITS:
        return False  # "two-factor"
    if low != "one":
        return True
    following = _AFTER_NUMBER.match(text, end)
    return following is not None and following[1].lower() in UNITS


def _spelled(text: str, start: int) -> tuple[int, int] | None:
    """The number that the words at this place spell, and where they end."""
    end, words = start, 0
    for match in re.finditer(r"[A-Za-z]+", text[start : start + 60]):
        word = match[0].lower()
        if word not in NUMBER_WORDS and not (word == "and" and words):
            break
        if word != "and":
            end, words = start + match.end(), words + 1
    form = canonical(text[start:end].lower().replace(" and ", " "))
    return (int(form), end) if form.isdigit() else None


def _money(raw: str, start: int, end: int, text: str) -> Token:
    amount = Fraction(raw[1:].strip().replace(",", ""))
    scale = re.compile(r" ?(k|m|bn|b|thousand|million|billion)\b", re.IGNORECASE).match(text, end)
    if scale is not None:
        amount *= Fraction(10) ** {"k": 3, "m": 6, "b": 9, "bn": 9}.get(
            scale[1].lower(), SCALES.get(scale[1].lower(), 0)
        )
        end = scale.end()
    per, stop = _per(text, end)
    sort = CURRENCY[raw[0]] + per
    return Token(f"{amount} {sort}", text[start:stop], start, stop, sort, amount, _limit(text, start))


def _number(raw: str, start: int, end: int, text: str, before: list[Token]) -> Token:
    if len(raw) > 1 and raw[0] == "0" and raw[1].isdigit():
        return Token(raw, raw, start, end)  # 007 is a name
    last = before[-1] if before else None
    previous = last.text.lower() if last is not None else ""
    if len(raw) == 4 and raw.isdigit() and "1900" <= raw <= "2199" and previous in _YEARLY:
        following = _AFTER_NUMBER.match(text, end)
        if following is None or not text[end : end + 1].isspace() or following[1].lower() not in UNITS:
            return Token(raw, raw, start, end, "date", None, _bound(text, start))
    if previous in ("version", "ver") or (last is not None and last.key in SOFTWARE and "." in raw):
        return _opened(Token(canonical("v" + raw), raw, start, end, "version"), text)
    amount = Fraction(raw.lower().partition("e")[0].replace(",", ""))
    if "e" in raw.lower():
        amount *= 10 ** int(raw.lower().partition("e")[2])
    return _measured(amount, start, end, text, before)


def _measured(amount: Fraction, start: int, end: int, text: str, before: list[Token]) -> Token:
    """A number with the unit behind it, the currency in front of it, and what it is counted per."""
    last = before[-1] if before else None
    sort = "number"
    if last is not None and last.text.upper() == last.text and last.text.lower() in CURRENCY and last.text.isalpha():
        sort = CURRENCY[last.text.lower()]
    if text[end : end + 1] in ("k", "K") and not text[end + 1 : end + 2].isalnum():
        amount, end = amount * 1000, end + 1
    following = _AFTER_NUMBER.match(text, end)
    if following is not None:
        word = following[1]
        low = word.lower()
        if low in SCALES and low not in ("k", "m"):
            amount *= 10 ** SCALES[low]
            end = following.end()
            following = _AFTER_NUMBER.match(text, end)
            word = following[1] if following is not None else ""
            low = word.lower()
        qualifier, _, unit = word.rpartition(" ")
        known = UNITS.get(unit) or UNITS.get(unit.lower()) if unit else None
        if following is None or not word or (low in FUNCTION and known is None):
            pass
        elif known is not None and not (qualifier and qualifier.lower() not in _QUALIFIED):
            base, factor = known
            amount, end = amount * factor, following.end()
            sort = f"{base} {qualifier.lower()}".strip()
            if base == "°c":
                amount, sort = amount * Fraction(9, 5) + 32, "°f"
        elif low in CURRENCY and low not in ("won", "try", "all", "top", "kr"):
            sort, end = CURRENCY[low], following.end()
        elif sort == "number" and word.islower() and qualifier == "" and text[end] in " \t" and _is_noun(low):
            sort = stem(low)
    per, stop = _per(text, end if sort in _BASES or sort == "number" else _unit_end(end, following))
    if not per:
        stop = end
    measured = Token(f"{amount} {sort}{per}", text[start:stop], start, stop, sort + per, amount, _limit(text, start))
    return _opened(measured, text)


def _opened(token: Token, text: str) -> Token:
    """A value with what opens it upwards or downwards behind it: *3.11 or newer*, *18+*."""
    found = _OPEN.match(text, token.end)
    if found is None:
        return token
    bound = "least" if found[1] or "+" in found[0] else "most"
    return token._replace(text=text[token.start : found.end()], end=found.end(), bound=bound)


def _unit_end(end: int, following: re.Match[str] | None) -> int:
    """Where a noun that is counted ends: what it is counted per stands behind it."""
    return end if following is None else max(end, following.end())


_BASES: Final = frozenset(base for base, _ in UNITS.values()) | frozenset(CURRENCY.values())


def _is_noun(word: str) -> bool:
    return (
        word.isalpha()
        and word not in PREPOSITIONS
        and word not in ADVERBS
        and KINDS.get(word, 0) not in range(1, 6)
        and word != "than"
    )


def _per(text: str, end: int) -> tuple[str, int]:
    """What a value is counted per, as ``/month``, and where that ends."""
    pers, at = "", end
    for _ in range(2):
        match = _PER.match(text, at)
        if match is None:
            break
        word = (match[1] or match[2] or match[3]).lower()
        pers += "/" + EVERY.get(word, stem(word))
        at = match.end()
    return pers, at


def _bound(text: str, start: int) -> str:
    if _TURNING.search(text[max(0, start - 12) : start]):
        return "beyond"
    return _limit(text, start)


def _limit(text: str, start: int) -> str:
    found = _BOUNDS.search(text[max(0, start - 28) : start])
    if found is None:
        return ""
    return next(name for name, group in zip(_BOUND_NAMES, found.groups(), strict=True) if group)


def _date(raw: str) -> str | None:
    low = raw.lower().rstrip(".")
    if low[0] == "q":
        return low.replace(" ", "-")
    form = canonical(low)
    return form if re.fullmatch(r"(?:\d{4}|-)-\d\d(?:-\d\d)?", form) else None
