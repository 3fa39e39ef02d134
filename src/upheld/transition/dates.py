"""Which days a text may speak of, seen from the day on which it was said: "tomorrow", "in 7 days", "next Tuesday"."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Final

from upheld.transition.words import values_of
from upheld.values.times import DAYS
from upheld.values.units import NUMBER_WORDS

__all__ = ["days_of", "is_said"]

_FIXED: Final = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_DISTANT: Final = re.compile(
    r"\b(?:(in|within)\s+)?(\d+|an?|[a-z]+)\s+(day|week|month|year)s?(?:\s+(ago|from now|from today))?\b", re.IGNORECASE
)
_WEEK: Final = timedelta(days=7)
_MONTH, _YEAR = 31, 366


def days_of(text: str, at: datetime | None, *, spoken_on: bool = True) -> set[str]:
    """Days and months in ISO form that a text names or counts to; with `spoken_on`, also the day it was said.

    >>> sorted(days_of("I go there tomorrow.", datetime(2025, 6, 1)))
    ['2025-06', '2025-06-01', '2025-06-02']
    """
    found = {value.form for value in values_of(text) if value.sort == "date"}
    if at is None:
        return found
    said = at.date()
    near = {said} if spoken_on else set()
    words = set(re.findall(r"[a-z]+", text.lower()))
    near |= {said + timedelta(days=away) for word, away in _FIXED.items() if word in words}
    for name in words & set(DAYS):
        ahead = (DAYS.index(name) - said.weekday()) % 7
        first = said + timedelta(days=ahead)
        near |= {first - _WEEK, first, first + _WEEK, first + 2 * _WEEK}
    for leads, amount, unit, tail in _DISTANT.findall(text):
        count = int(amount) if amount.isdigit() else NUMBER_WORDS.get(amount.lower(), 1 if amount[0] in "aA" else 0)
        if (leads or tail) and 0 < count < 1000:
            near |= _away(said, -count if tail.lower() == "ago" else count, unit.lower())
    if "next" in words:
        near |= {day for unit in ("week", "month", "year") if unit in words for day in _away(said, 1, unit)}
    return found | {day.isoformat() for day in near} | {f"{day:%Y-%m}" for day in near}


def _away(said: date, count: int, unit: str) -> set[date]:
    """A day so far away; a month or a year away is any of two days, since their lengths differ."""
    if unit in ("day", "week"):
        return {said + timedelta(days=count * (1 if unit == "day" else 7))}
    months = said.year * 12 + said.month - 1 + count * (1 if unit == "month" else 12)
    year, month = divmod(months, 12)
    return {date(year, month + 1, min(said.day, 28)), date(year, month + 1, 1)} | (
        {said.replace(year=year, month=month + 1)} if said.day <= 28 else set()
    )


def is_said(day: str, days: set[str]) -> bool:
    """Whether a day or month is among others; one without a year is, where its month and day are.

    >>> is_said("--06-16", {"2025-06-16"}), is_said("2025-06-17", {"2025-06-16"}), is_said("2025-06", {"2025-06-16"})
    (True, False, True)
    """
    if day in days:
        return True
    if day.startswith("--"):
        return any(other[-5:] == day[2:] for other in days if len(other) == 10)
    if len(day) == 7:
        return any(other.startswith(day) for other in days)
    return f"--{day[5:]}" in days
