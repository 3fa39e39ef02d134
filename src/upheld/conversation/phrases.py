"""Which words name a period: dates, weekdays, months, quarters, "last", "next", "two weeks ago".

What can be read in two ways names none: 05/06/2026, "on Friday", a fiscal quarter, "next Friday" said on a Monday. A
year that is not said is the one that the sentence's direction gives, and so is a month.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Final

from upheld.conversation.calendar import DAY, Period, day, midnight, month, moved, quarter, week, year
from upheld.values.times import DAYS, MONTHS, canonical_date

__all__ = ["PHRASE", "VAGUE", "Lean", "period_of"]


class Lean(Enum):
    """Where in time a period without a year lies, seen from the message: by its preposition, or by the verb."""

    PAST = "past"
    FUTURE = "future"
    NEAR = "near"


_FARTHEST: Final = timedelta(days=150)
"""Half a year away a yearless date could be before as well as behind; up to here it is the nearer one."""
_NUMBERS: Final = {
    word: number
    for number, words in enumerate("a/an/one two three four five six seven eight nine ten eleven twelve".split(), 1)
    for word in words.split("/")
}
_ORDINALS: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
_WEEKDAY: Final = rf"(?:{'|'.join(name.capitalize() for name in DAYS)}|{'|'.join(DAYS)})"
_COUNT: Final = r"(?:\d{1,3}|[Aa]n?|[Oo]ne|[Tt]wo|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT: Final = r"(?:days?|weeks?|months?|years?)"
_SPAN: Final = r"(?:week|month|quarter|year)"
_QUARTER: Final = (
    r"(?:(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter(?: of \d{4})?|"
    r"[Qq][1-4](?:[ /-]?\d{4})?|\d{4}[ -][Qq][1-4])"
)
_DATE: Final = (
    r"(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d)?(?:[Zz]|[+-]\d\d:\d\d))?(?![\d-])|"
    rf"(?:{_WEEKDAY},? )?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?|"
    rf"(?:{_WEEKDAY},? )?{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?|"
    rf"\d{{4}}-\d\d(?![\d-])|{_MONTH}(?:,? (?:of )?\d{{4}})?)"
)
_LARGE: Final = (
    rf"(?:(?:[Ll]ast|[Tt]his|[Nn]ext|the|the last|the next|the current) {_SPAN}|{_QUARTER}|{_DATE}|(?:19|20)\d\d)"
)
PHRASE: Final = (
    rf"(?:[Tt]he day before yesterday|[Tt]he day after tomorrow|[Yy]esterday|[Tt]oday|[Tt]onight|[Tt]omorrow|"
    rf"[Ll]ast night|[Tt]his (?:morning|afternoon|evening)|"
    rf"(?:the )?(?:end|close|start|beginning) of (?:{_LARGE})|"
    rf"(?:[Ll]ast|[Tt]his|[Nn]ext|[Tt]his coming|[Tt]his past) (?:{_WEEKDAY}|{_SPAN})\b|"
    rf"{_COUNT} {_UNIT} (?:ago|from now)|"
    rf"(?:the )?{_QUARTER}|{_DATE}|{_WEEKDAY}\b|(?:19|20)\d\d\b(?![-:.,%]?\d))"
)
"""One regular expression for all shapes; months and ordinary words differ by their capital letter."""
VAGUE: Final = re.compile(
    r"\b(?:recently|lately|soon|shortly|eventually|some ?day|sometime|at some point|later|a while ago|long ago|"
    r"the other day|a few \w+ ago|(?:a )?(?:couple of|few|several) (?:days|weeks|months|years)(?: ago| from now)?|"
    r"in a (?:few|couple)\b[\w ]*|(?:early|mid|late)[- ](?:next |last |this )?"
    rf"(?:{_MONTH}|{_SPAN}|q[1-4]|(?:19|20)\d\d)|(?:last|this|next) weekend|"
    r"(?:last|this|next|in|the|of|until|since) (?:spring|summer|autumn|fall|winter)|"
    r"(?:last|this|next|the) time|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|"
    r"f(?:iscal|inancial)(?: year| quarter)?[\w ]{0,12}|FY ?\d{2,4}|(?:Q[1-4][ /]?)FY ?\d{2,4})\b",
    re.IGNORECASE,
)
"""Words that speak of a time and name none that could be written down."""


def period_of(phrase: str, anchor: date | None, lean: Lean) -> Period | None:
    """The period that a phrase names, seen from a day (UTC); None where it names none for sure.

    >>> period_of("last Tuesday", date(2026, 2, 27), Lean.NEAR).first.date()
    datetime.date(2026, 2, 24)
    >>> period_of("last Tuesday", None, Lean.NEAR) is None
    True
    """
    words = re.sub(r"\s+", " ", phrase.lower().strip().rstrip(".,"))
    if (end := re.fullmatch(r"(?:the )?(end|close|start|beginning) of (.+)", words)) is not None:
        whole = _of("this " + end[2][4:] if re.fullmatch(rf"the {_SPAN}", end[2]) else end[2], anchor, lean)
        if whole is None or whole.unit == "instant":
            return None
        side = "end" if end[1] in {"end", "close"} else "start"
        return Period(whole.first, whole.after, side)
    return _of(words, anchor, lean)


def _of(words: str, anchor: date | None, lean: Lean) -> Period | None:
    try:
        return _absolute(words) or (None if anchor is None else _relative(words, anchor, lean))
    except (ValueError, OverflowError):  # a day that no calendar has, or a year beyond 9999
        return None


def _absolute(words: str) -> Period | None:
    if (at := re.fullmatch(r"\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:z|[+-]\d\d:\d\d)", words)) is not None:
        moment = datetime.fromisoformat(at[0]).astimezone(UTC)
        return Period(moment, moment, "instant")
    if re.fullmatch(r"(?:19|20)\d\d", words):
        return year(date(int(words), 1, 1))
    if (found := _quarter_of(words)) is not None and found[1] is not None:
        return quarter(date(found[1], 3 * found[0] - 2, 1))
    dated = canonical_date(words)
    if dated is None or dated.startswith("--"):
        return None
    return day(date.fromisoformat(dated)) if len(dated) == 10 else month(date.fromisoformat(f"{dated}-01"))


def _quarter_of(words: str) -> tuple[int, int | None] | None:
    words = words.removeprefix("the ")
    if found := re.fullmatch(r"q([1-4])(?:[ /-]?(\d{4}))?", words):
        return int(found[1]), int(found[2]) if found[2] else None
    if found := re.fullmatch(r"(\d{4})[ -]q([1-4])", words):
        return int(found[2]), int(found[1])
    if found := re.fullmatch(r"(\w+) quarter(?: of (\d{4}))?", words):
        number = _ORDINALS.get(found[1])
        return None if number is None else (number, int(found[2]) if found[2] else None)
    return None


_NEAR_DAYS: Final = {
    "the day before yesterday": -2, "yesterday": -1, "last night": -1, "today": 0, "tonight": 0, "this morning": 0,
    "this afternoon": 0, "this evening": 0, "tomorrow": 1, "the day after tomorrow": 2,
}  # fmt: skip
_SPANS: Final = {"week": week, "month": month, "quarter": quarter, "year": year}
_STEPS: Final = {"month": 1, "quarter": 3, "year": 12}
_WHICH: Final = {"last": -1, "this": 0, "the current": 0, "next": 1, "the last": -1, "the next": 1}


def _relative(words: str, anchor: date, lean: Lean) -> Period | None:
    if words in _NEAR_DAYS:
        return day(anchor + _NEAR_DAYS[words] * DAY)
    if found := re.fullmatch(
        rf"(last|this past|this|this coming|next|the last|the next|the current) ({_WEEKDAY}|{_SPAN})", words
    ):
        if found[2] in DAYS:
            return _weekday(found[1], DAYS.index(found[2]), anchor)
        return None if found[1] not in _WHICH else _beside(found[2], _WHICH[found[1]], anchor)
    if words in DAYS:
        return _day_named(DAYS.index(words), anchor, lean)
    if found := re.fullmatch(rf"({_COUNT.lower()}) ({_UNIT}) (ago|from now)", words):
        return ahead(found[1], found[2], anchor, forward=found[3] != "ago")
    if (named := _quarter_of(words)) is not None:
        return _nearest(lambda number: quarter(date(number, 3 * named[0] - 2, 1)), anchor, lean)
    if words.rstrip(".") in MONTHS:
        return _nearest(lambda number: month(date(number, MONTHS[words.rstrip(".")], 1)), anchor, lean)
    yearless = canonical_date(re.sub(rf"^{_WEEKDAY},? ", "", words))
    if yearless is None or not yearless.startswith("--"):
        return None
    found_day = _nearest(lambda number: day(date.fromisoformat(f"{number:04d}{yearless[1:]}")), anchor, lean)
    stated = next((i for i, name in enumerate(DAYS) if words.startswith(name)), None)
    if found_day is not None and stated not in {None, found_day.first.weekday()}:
        return None
    return found_day


def ahead(count: str, unit: str, anchor: date, *, forward: bool = True) -> Period | None:
    """The day so many days, weeks, months or years from a day; None for a count that is none.

    >>> ahead("two", "weeks", date(2026, 12, 25)).first.date()
    datetime.date(2027, 1, 8)
    """
    number = int(count) if count.isdigit() else _NUMBERS.get(count.lower())
    if number is None:
        return None
    signed = number if forward else -number
    name = unit.rstrip("s")
    try:
        if name in {"day", "week"}:
            return day(anchor + signed * (DAY if name == "day" else 7 * DAY))
        return day(moved(anchor, signed * _STEPS[name]))
    except (ValueError, OverflowError):
        return None


def _weekday(which: str, wanted: int, anchor: date) -> Period | None:
    """Last is the one before the day, next the one of the week after, where that is also the one after the day."""
    behind = (anchor.weekday() - wanted) % 7 or 7
    before = (wanted - anchor.weekday()) % 7
    if which in {"last", "this past"}:
        return day(anchor - behind * DAY)
    if which == "this coming":
        return day(anchor + (before or 7) * DAY)
    if which == "next":
        return day(anchor + (before or 7) * DAY) if wanted <= anchor.weekday() else None
    return day(anchor + before * DAY) if wanted >= anchor.weekday() else None


def _day_named(wanted: int, anchor: date, lean: Lean) -> Period | None:
    """A weekday alone is the one before the day or the one after it, where the sentence says which."""
    if lean is Lean.NEAR or wanted == anchor.weekday():
        return None
    behind = (anchor.weekday() - wanted) % 7
    return day(anchor - behind * DAY) if lean is Lean.PAST else day(anchor + (7 - behind) * DAY)


def _beside(span: str, step: int, anchor: date) -> Period:
    if span == "week":
        return week(anchor + 7 * step * DAY)
    return _SPANS[span](moved(anchor.replace(day=1), step * _STEPS[span]))


def _nearest(of_year: Callable[[int], Period], anchor: date, lean: Lean) -> Period | None:
    """The period that comes once a year: the last that had begun, the next to end, or the nearer if it is near."""
    now, candidates = midnight(anchor), []
    for number in range(max(1, anchor.year - 8), min(9999, anchor.year + 8) + 1):
        try:
            candidates.append(of_year(number))
        except ValueError:  # 29 February
            continue
    if lean is Lean.PAST:
        return max((each for each in candidates if each.first <= now), default=None)
    if lean is Lean.FUTURE:
        return min((each for each in candidates if each.after > now), default=None)
    nearest = min(candidates, key=lambda each: _distance(each, now), default=None)
    return nearest if nearest is not None and _distance(nearest, now) <= _FARTHEST else None


def _distance(period: Period, now: datetime) -> timedelta:
    if period.first <= now < period.after:
        return timedelta(0)
    return period.first - now if period.first > now else now - period.first
