"""Two different values of one key that may hold at once: two limits of other bases, a day and its hour."""

from __future__ import annotations

from typing import Final

__all__ = ["leaves_room"]

_BY: Final = (" per ", " a ", " an ")


def leaves_room(first: str, second: str) -> bool:
    """Whether two different canonical values may both hold of one thing. Symmetric.

    >>> leaves_room("25000000 b/file", "2000000000 b/account"), leaves_room("20 usd/month", "25 usd/month")
    (True, False)
    """
    return _of_two_bases(first, second) or _day_and_hour(first, second)


def _of_two_bases(first: str, second: str) -> bool:
    """*25 MB per file* and *2 GB per account*, *100 requests per minute* and *5000 per day*: two limits, two prices.

    A minute goes into a day, but who allows so many an hour may well allow fewer than 24 times that a day.
    """
    base, other = _base(first), _base(second)
    return base != "" != other and base != other


def _base(value: str) -> str:
    """What a rate is counted by, empty where a value is none: a path, a fraction and a network have a slash too."""
    amount, slash, base = value.partition("/")
    if not slash:
        figure = value[:1].isdigit()  # "25 mb a file"
        return next((value.partition(by)[2] for by in _BY if by in value and (figure or by == " per ")), "")
    number = amount.partition(" ")[0].rstrip("%").replace(".", "").lstrip("-")
    return base if number.isdecimal() and base[:1].isalpha() else ""


def _day_and_hour(first: str, second: str) -> bool:
    short, long = sorted((first, second), key=len)
    day, at, hour = long.partition(" at ")
    return at != "" and day == short and hour[0].isdigit()
