"""What can be compared in two texts: words by their stems, values in one exact form, names, quoted words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from upheld.keys.words import GERUNDS, KINDS, LEMMAS, PARTICIPLES, PAST, THIRD, word_set
from upheld.values import canonical
from upheld.values.times import DAYS, MONTHS
from upheld.values.units import CURRENCY, NUMBER_WORDS, SCALES, UNITS

__all__ = [
    "Value",
    "content",
    "names",
    "plain",
    "quoted",
    "same_word",
    "sentences",
    "spoken",
    "stem",
    "stems",
    "values_of",
    "weekdays",
]

_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_NUMBER: Final = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_SCALE: Final = r"(?:\s?(?:thousand|million|billion|trillion|bn|mn)\b|[kKMB]\b)?"
_SCAN: Final = re.compile(
    rf"""(?P<date>\d{{4}}-\d\d-\d\d|\d{{4}}-\d\d(?![\d-])
        |(?:{_MONTH})\b\.?\s\d{{1,2}}(?:st|nd|rd|th)?(?![\d:])(?:,?\s\d{{4}}\b)?
        |\d{{1,2}}(?:st|nd|rd|th)?(?:\sof)?\s(?:{_MONTH})\b\.?(?:,?\s\d{{4}}\b)?
        |(?:{_MONTH})\b\.?,?\s\d{{4}}\b|\d{{1,2}}([./])\d{{1,2}}\2\d{{4}}\b)
    |(?P<time>\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b)?|\d{{1,2}}\s?(?:a\.m\.|p\.m\.|am\b|pm\b))
    |(?P<version>\bv\d+(?:\.\d+)*\b|\d+(?:\.\d+){{2,}})
    |(?P<part>q[1-4](?:\s\d{{4}})?\b|h[12]\s\d{{4}}\b)
    |(?P<number>(?:us|ca|au)?[$€£¥]\s?-?{_NUMBER}{_SCALE}|(?<![^\W_])-?{_NUMBER}{_SCALE})
    |(?P<day>\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_UNIT: Final = re.compile(r"[\s-]?(%|°\s?[cf]\b|[a-z]+)", re.IGNORECASE)
_SPELLED: Final = re.compile(
    r"\b(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:-\w+)?|"
    + "|".join(sorted((w for w in NUMBER_WORDS if w not in ("one", "zero")), key=len, reverse=True))
    + r")\b",
    re.IGNORECASE,
)
_QUOTED: Final = re.compile(r"\"([^\"\n]{2,200})\"|(?<!\w)'([^'\n]{2,200})'(?!\w)|`([^`\n]{1,200})`")
_WORD: Final = re.compile(r"[^\W_][^\W_']*(?:'[^\W_]+)*(?:[-./&+@_][^\W_]+)*[+#]*")

_LIGHT: Final = word_set("""
    a an the this that these those my our your his her its their i me we us you he him she they them it mine ours
    one ones some any no every each all both few many more most much other another such own same so than too very
    is are was were be been being am has have had having do does did doing done will would shall should can could may
    might must not never no nor neither either n't don't doesn't didn't isn't aren't wasn't won't can't cannot
    haven't hasn't hadn't couldn't wouldn't i'm i've i'll i'd we're we've we'll it's that's there's let's
    in on at by for from with to of as into onto under over about against through via within without near around between
    among until till toward towards upon beside behind above below after before during across off out per up down
    and or but if unless because since although though while whereas when where which who whom whose what why how then
    there here just also only even still yet already now again really actually currently today please well really
    get gets got getting go goes going went make makes made making put puts keep keeps kept take takes taken took
    user person somebody someone people thing things say says said saying tell tells told note notes noted called named
    yesterday tomorrow tonight mention mentions mentioned state states stated report reports reported according ago etc
    via versus vs     speaking reminds instead rather quite goal
""")
_ALIKE: Final = {
    word: group[0]
    for group in (
        "like love enjoy adore appreciate favourite favorite fond fan keen".split(),
        "dislike hate detest loathe".split(),
        "retire decommission sunset shutdown".split(),
        "big large".split(),
        "schedule plan".split(),
        "buy purchase".split(),
        "begin start".split(),
        "end finish complete stop".split(),
        "remove delete drop".split(),
        "spend expense cost pay spending".split(),
        "need require must requirement".split(),
        "move change switch reschedule update".split(),
        "use utilise utilize usage".split(),
    )
    for word in group
}
_DATED: Final = re.compile(r"\b((?:mon|tues|wednes|thurs|fri|satur|sun)day),? (?=(\w[^.;\n]{0,24}))", re.IGNORECASE)
_SHORT_PAST: Final = re.compile(r"^\w(?:[aeiou][wxy]|[aeiou]?[^aeiou][^aeioucgsvz])ed$")
"""Five letters that are no verb in silent *e*: "fixed", "asked", not "based"."""
_SHORT: Final = re.compile(r"(?:^|[\s(\"'])(?:Dr|Mr|Mrs|Ms|St|Prof|Rev|Gen|No|vs|e\.g|i\.e|approx|[A-Z])\.$")
_STARTS: Final = re.compile(r"[.!?:;(\"\u2014\u2013]\s+|[(\"\n]|(?<=\s)'")
_PLAIN: Final = str.maketrans({**dict.fromkeys("\u2018\u2019\u201a", "'"),
                                **dict.fromkeys("\u201c\u201d\u201e\xab\xbb", '"'),
                                **dict.fromkeys("\u2010\u2011\u2012", "-"), "\xa0": " "})  # fmt: skip
_NOT_CONTENT: Final = (_LIGHT, DAYS, NUMBER_WORDS, UNITS, CURRENCY)
_SHARED: Final = 5
"""Letters that two forms of one word share at their beginning: "migrate", "migration"."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value in a text: its exact form, the bare amount where it is a number, and what it measures."""

    sort: str
    form: str
    text: str
    amount: str = ""
    unit: str = ""


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """One form for the inflections of a word.

    >>> stem("Migrations"), stem("spent"), stem("scheduled")
    ('migration', 'spend', 'schedule')
    """
    low = word.lower().removesuffix("'s").removesuffix("'")
    found = GERUNDS.get(low) or PAST.get(low) or PARTICIPLES.get(low) or THIRD.get(low)
    if found is None:
        found = low
        if low.endswith("ies") and len(low) > 4:
            found = low[:-3] + "y"
        elif low.endswith(("sses", "shes", "ches", "xes", "zes")):
            found = low[:-2]
        elif low.endswith("s") and not low.endswith(("ss", "us", "is")) and len(low) > 3:
            found = low[:-1]
        elif low.endswith("ing") and len(low) > 6:
            found = low[:-3]
        elif low.endswith("ed") and (len(low) > 5 or _SHORT_PAST.search(low) is not None):
            found = low[:-2]
    return _ALIKE.get(found, found)


def plain(text: str) -> str:
    """A text with one kind of quotation mark and dash, character by character, so that places stay the same."""
    return text if text.isascii() else text.translate(_PLAIN)


def spoken(text: str) -> list[str]:
    """The words of a text, as they are written."""
    return _WORD.findall(text)


@lru_cache(maxsize=4096)
def content(text: str) -> tuple[str, ...]:
    """The stems of the words that carry meaning of their own, in order; values and small words are left out.

    >>> content("The port of the orders database is 5432.")
    ('port', 'order', 'database')
    """
    found = []
    for word in spoken(text):
        for part in re.split("/" if word[0].isupper() or "'" in word else "[-/]", word):
            low = part.lower()
            if low and not low[0].isdigit() and not any(low in words for words in _NOT_CONTENT):
                found.append(stem(part))
    return tuple(found)


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """All that can support a word: its stem, the stems of its parts, and the word itself."""
    found = set()
    for word in spoken(text):
        for part in (word, *re.split(r"[-/._&]", word)):
            if part:
                found |= {stem(part), part.lower()}
    return frozenset(found)


def same_word(first: str, among: Iterable[str]) -> bool:
    """Whether a stem is one of others, or another form of one.

    >>> same_word("retire", {"retirement"}), same_word("contract", {"contrast"})
    (True, False)
    """
    listed = among if isinstance(among, frozenset | set) else frozenset(among)
    if first in listed:
        return True
    if len(first) < _SHARED:
        return False
    return any(_forms_of_one(first, other) for other in listed)


def _forms_of_one(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    roots = {short, short[:-1] if short[-1] in "ey" and len(short) > _SHARED else short}
    return any(long.startswith(root) and long[len(root) :] in _ENDINGS for root in roots)


_ENDINGS: Final = frozenset(
    "e ed er ers es s ing ings ion ions ation ations ment ments al ally ly y ity ies able ance ence or ors ive ical ic "
    "ically ization isation d r rs ness".split()
)


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text; lines end them too.

    >>> sentences("It moved. v2.0 is out on Monday!")
    ('It moved.', 'v2.0 is out on Monday!')
    """
    found: list[str] = []
    for each in re.split(r"(?<=[.!?])\s+|(?<=[.!?][\"')\]])\s+|\n+", text):
        if found and _SHORT.search(found[-1]) is not None:
            found[-1] = f"{found[-1]} {each.strip()}"
        elif each.strip():
            found.append(each.strip())
    return tuple(found)


def quoted(text: str) -> list[str]:
    """What stands in quotation marks."""
    return [next(filter(None, found)).strip(" .,;:!?") for found in _QUOTED.findall(text)]


@lru_cache(maxsize=4096)
def values_of(text: str) -> tuple[Value, ...]:
    """Every number, amount, date, time, version and weekday of a text.

    >>> [each.form for each in values_of("From March 4th, 2026 it costs $2M for 18 months.")]
    ['2026-03-04', '2000000 usd', '18 month']
    """
    found: list[Value] = []
    for match in _SCAN.finditer(text):
        sort = match.lastgroup if match.lastgroup is not None else "date"
        said = match[0].strip()
        if sort == "number":
            found.append(_number(said, text[match.end() :]))
        else:
            form = said.lower() if sort in ("day", "part") else canonical(said)
            found.append(Value(sort, form, said))
    for match in _SPELLED.finditer(text):
        said = match[0]
        value = _number(canonical(said), text[match.end() :])
        found.append(Value("number", value.form, said, value.amount, value.unit))
    return tuple(found)


def weekdays(text: str) -> dict[str, set[str]]:
    """The weekdays that stand in front of dates, by date."""
    found: dict[str, set[str]] = {}
    for name, rest in _DATED.findall(text):
        for value in values_of(rest)[:1]:
            if value.sort == "date" and rest.startswith(value.text):
                found.setdefault(value.form, set()).add(name.lower())
    return found


def _number(said: str, after: str) -> Value:
    unit = _UNIT.match(after)
    bare = said.lstrip("$€£¥ ") if said[0] in "$€£¥" else said
    amount = canonical(_scaled(bare))
    if unit is not None and said[0] not in "$€£¥":
        name = unit[1].lower()
        if name in CURRENCY or UNITS.get(unit[1], UNITS.get(name)) is not None:
            form = canonical(f"{_scaled(bare)} {unit[1]}")
            return Value("number", form, f"{said}{unit[0]}", amount, form.rpartition(" ")[2].lstrip("0123456789.-"))
    if bare is not said:
        form = canonical(f"{said[: len(said) - len(bare)].strip()}{_scaled(bare)}")
        return Value("number", form, said, amount, form.rpartition(" ")[2])
    return Value("number", amount, said, amount)


def _scaled(bare: str) -> str:
    """``2M`` as ``2 million``, so that it is no two metres."""
    if bare[-1:] in ("k", "K", "M", "B") and bare[:-1].strip()[-1:].isdigit():
        return bare[:-1].strip() + {"k": " thousand", "K": " thousand", "M": " million", "B": " billion"}[bare[-1]]
    return bare


def names(text: str) -> list[str]:
    """The words that name something: capitalised inside a sentence, or written as an identifier is.

    >>> names("Yesterday Maria moved the customer_legacy column.")
    ['Maria', 'customer_legacy']
    """
    found = []
    for sentence in _STARTS.split(text):
        words = spoken(sentence)
        for at, word in enumerate(words):
            low = word.lower().removesuffix("'s")
            if len(word) < 2 or word.isdigit() or low in DAYS or low in MONTHS or low in _LIGHT:
                continue
            inner = any(mark.isupper() or mark.isdigit() or mark == "_" for mark in word[1:]) and not word[0].isdigit()
            if (
                inner
                or (word[0].isupper() and at)
                or (word[0].isupper() and not at and len(words) > 1 and _begins_name(low, words[1]))
            ):
                found.append(word)
    return found


def _begins_name(low: str, after: str) -> bool:
    """Whether the first word of a sentence is a name: not a word known otherwise, and a verb or a name behind it."""
    if low in KINDS or low in LEMMAS or stem(low) in LEMMAS or low in SCALES:
        return False
    return (after[0].isupper() and not after.isupper()) or after in PAST
