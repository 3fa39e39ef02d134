"""Days, weeks, months, quarters and years as half-open periods in UTC."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

DAY = timedelta(days=1)


class Period(NamedTuple):
    """[first, after): `first` belongs to it, `after` is the moment at which it is over."""

    first: datetime
    after: datetime
    unit: str
    """day, week, month, quarter, year; or `end`, `start`: only that end of it was meant."""


def midnight(day: date) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time.min, UTC)


def day(of: date) -> Period:
    """A day."""
    return Period(midnight(of), midnight(of + DAY), "day")


def week(of: date) -> Period:
    """The week of a day: Monday to Sunday (ISO 8601)."""
    monday = of - of.weekday() * DAY
    return Period(midnight(monday), midnight(monday + 7 * DAY), "week")


def month(of: date) -> Period:
    """The month of a day."""
    first = of.replace(day=1)
    return Period(midnight(first), midnight(moved(first, 1)), "month")


def quarter(of: date) -> Period:
    """The calendar quarter of a day.

    >>> quarter(date(2026, 8, 14)).after.date()
    datetime.date(2026, 10, 1)
    """
    first = of.replace(month=(of.month - 1) // 3 * 3 + 1, day=1)
    return Period(midnight(first), midnight(moved(first, 3)), "quarter")


def year(of: date) -> Period:
    """The calendar year of a day."""
    return Period(midnight(date(of.year, 1, 1)), midnight(date(of.year + 1, 1, 1)), "year")


def moved(of: date, months: int) -> date:
    """The same day so many months away, or the last of that month where it has no such day.

    >>> moved(date(2024, 2, 29), 12), moved(date(2026, 1, 31), 1)
    (datetime.date(2025, 2, 28), datetime.date(2026, 2, 28))
    """
    years, place = divmod(of.month - 1 + months, 12)
    in_year, in_month = of.year + years, place + 1
    return date(in_year, in_month, min(of.day, monthrange(in_year, in_month)[1]))


def worded(period: Period) -> str:
    """A period as people write it, with its year.

    >>> worded(day(date(2026, 2, 24))), worded(quarter(date(2026, 8, 1)))
    ('24 February 2026', 'Q3 2026')
    """
    first = period.first
    named = f"{_MONTHS[first.month - 1]} {first.year}"
    if period.unit == "week":
        return f"the week of {first.day} {named}"
    if period.unit == "month":
        return named
    if period.unit == "quarter":
        return f"Q{(first.month + 2) // 3} {first.year}"
    return str(first.year) if period.unit == "year" else f"{first.day} {named}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
