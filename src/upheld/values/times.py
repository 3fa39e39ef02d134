"""Dates, times of day and instants in one notation; what can be read in two ways is left alone."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Final

__all__ = ["DAYS", "MONTHS", "canonical_date", "canonical_time"]

MONTHS: Final = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5,
    "june": 6, "jun": 6, "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9,
    "october": 10, "oct": 10, "november": 11, "nov": 11, "december": 12, "dec": 12,
}  # fmt: skip
DAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORT_DAYS: Final = tuple(day[:3] for day in DAYS)

_DAY_PREFIX: Final = re.compile(
    r"(mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
    r",? (?=.*\d)"
)
_YMD: Final = re.compile(r"(\d{4})([-/])(\d{1,2})(?:\2(\d{1,2}))?", re.ASCII)
_DAY_FIRST: Final = re.compile(
    r"(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?: of)?[ -]([a-z]{3,9})\.?(?:,?[ -](\d{4}))?", re.ASCII
)
_MONTH_FIRST: Final = re.compile(r"([a-z]{3,9})\.? (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?", re.ASCII)
_MONTH_YEAR: Final = re.compile(r"([a-z]{3,9})\.?,? (?:of )?(\d{4})", re.ASCII)
_NO_YEAR: Final = re.compile(r"--(\d\d)-(\d\d)", re.ASCII)
_PARTS: Final = re.compile(r"(\d{1,2})([/.])(\d{1,2})\2(\d{4})", re.ASCII)
_ZONE: Final = r"( (?:utc|gmt|[a-z]{2,4}t))?"
_TIME: Final = re.compile(r"(\d{1,2})(?::(\d\d)(?::(\d\d))?)? ?(am|pm|a\.m|p\.m)?" + _ZONE, re.ASCII)
_OFFSET: Final = r" ?(z|utc|[-+]\d\d:?\d\d)?"
_INSTANT: Final = re.compile(r"(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)" + _OFFSET, re.ASCII)


def canonical_date(low: str) -> str | None:
    """``2026-03-04``, ``2026-03`` or ``--03-04`` for a folded text that states a day or month, else None.

    A weekday in front must be the right one.
    """
    weekday = None
    if found := _DAY_PREFIX.match(low):
        weekday, low = _SHORT_DAYS.index(found[1][:3]), low[found.end() :]
    day = _plain_date(low)
    if day is None or weekday is None:
        return day
    if len(day) != 10 or date.fromisoformat(day).weekday() != weekday:
        return None  # without a year the weekday says something; a wrong one is not ours to correct
    return day


def canonical_time(low: str) -> str | None:
    """``22:00`` for a time of day; an instant with an offset in UTC (``…z``), one without as it stands."""
    if found := _INSTANT.fullmatch(low):
        offset = {"z": "+00:00", "utc": "+00:00", None: ""}.get(found[3], found[3])
        try:
            moment = datetime.fromisoformat(f"{found[1]}T{found[2]}{offset}")
            if offset:
                return moment.astimezone(UTC).replace(tzinfo=None).isoformat() + "z"
        except (ValueError, OverflowError):
            return None
        return moment.isoformat().replace("T", " ")
    found = _TIME.fullmatch(low)
    if not found or not (found[2] or found[4]):
        return None
    hour, minute, second = int(found[1]), found[2] or "00", found[3] or "00"
    half = (found[4] or "")[:1]
    if hour > (12 if half else 23) or (half and not hour) or minute > "59" or second > "59":
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{minute}{'' if second == '00' else ':' + second}{found[5] or ''}"


def _day(year: str | None, month: str | int, day: str) -> str | None:
    try:
        # 2000 is a leap year: 29 February may lack its year
        found = date(int(year or 2000), int(month), int(day))
    except ValueError:
        return None
    return found.isoformat() if year else f"--{found:%m-%d}"


def _plain_date(low: str) -> str | None:
    if found := _YMD.fullmatch(low):
        if found[4]:
            return _day(found[1], found[3], found[4])
        return low if found[2] == "-" and len(found[3]) == 2 and 1 <= int(found[3]) <= 12 else None
    if (found := _MONTH_FIRST.fullmatch(low)) and found[1] in MONTHS:
        return _day(found[3], MONTHS[found[1]], found[2])
    if (found := _DAY_FIRST.fullmatch(low)) and found[2] in MONTHS:
        return _day(found[3], MONTHS[found[2]], found[1])
    if (found := _MONTH_YEAR.fullmatch(low)) and found[1] in MONTHS:
        return f"{found[2]}-{MONTHS[found[1]]:02d}"
    if found := _PARTS.fullmatch(low):  # one reading only, where one part cannot be a month or both agree
        one, two, year = found[1], found[3], found[4]
        if int(one) > 12 or int(one) == int(two):
            return _day(year, two, one)
        return _day(year, one, two) if int(two) > 12 else None
    if found := _NO_YEAR.fullmatch(low):
        return _day(None, found[1], found[2])
    return None
