"""Numbers, quantities with units, money, durations and versions, all exact."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from upheld.values.text import lower
from upheld.values.units import CURRENCY, EVERY, NUMBER_WORDS, SCALES, UNITS

__all__ = ["canonical_number", "spelled_out"]

_VERSION: Final = re.compile(
    r"(v|(?:version|release|ver\.?) v?)?(\d{1,9}(?:\.\d{1,9}){0,5})((?:-[0-9a-z.-]+)?(?:\+[0-9a-z.-]+)?)",
    re.ASCII,
)
_QUANTITY: Final = re.compile(
    r"(-?)([A-Za-z]{3} |[A-Za-z]{0,3}[$€£¥₹₩₽₺₪] ?)?(-?)"
    r"((?:\d{1,3}(?:,\d{3})+|\d{1,40})(?:\.\d{1,40})?|\.\d{1,40})(?:[eE]([-+]?\d{1,2}))?(?!\d)( ?)(.*)",
    re.ASCII,
)
_SCALED: Final = re.compile(r"([A-Za-z]{1,8})(?![^\W_])\s*(.*)")
_PER: Final = re.compile(rf"\s?/\s?|(?:^|\s)(?:per|an?(?=\s(?:{'|'.join(EVERY)})\b))\s")
_COMPOUND: Final = re.compile(r"(\d{1,9}) ?([a-z]+),?(?: and)? ?", re.ASCII)


def canonical_number(text: str, low: str) -> str | None:
    """The exact form of a version, duration or quantity, or None.

    ``text`` has its case (``Mb`` is not ``MB``); ``low`` is the same text folded.
    """
    return _version(low) or _duration(low) or _quantity(text)


def _version(low: str) -> str | None:
    found = _VERSION.fullmatch(low)
    if not found or not (found[1] or found[2].count(".") == 2):
        return None
    parts = [part.lstrip("0") or "0" for part in found[2].split(".")]
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    plain = ".".join(parts)
    is_number = len(parts) == 1 or (len(parts) == 2 and not plain.endswith("0"))
    return plain if not found[3] and (is_number or len(parts) == 3) else f"v{plain}{found[3]}"


def _duration(low: str) -> str | None:
    """``1h 30m``: two or more parts, all of one dimension, where ``m`` beside other times is minutes."""
    pieces = _COMPOUND.findall(low)
    if len(pieces) < 2 or _COMPOUND.sub("", low):
        return None
    total, bases = Fraction(0), set()
    for amount, unit in pieces:
        base, factor = UNITS.get("min" if unit == "m" else unit, ("", Fraction(1)))
        bases.add(base)
        total += int(amount) * factor
    return f"{_digits(total)} {bases.pop()}" if bases in ({"s"}, {"month"}) else None


def _quantity(text: str) -> str | None:
    found = _QUANTITY.fullmatch(text)
    if not found:
        return None
    minus, currency, inner_minus, number, exponent, space, rest = found.groups()
    if (minus and inner_minus) or (len(number) > 1 and number[0] == "0" and number[1] != "."):
        return None  # a leading zero marks an identifier: 007 is not 7
    money = _currency(currency.strip()) if currency else None
    if currency and not money:
        return None
    power = 0
    if scaled := _SCALED.fullmatch(rest):
        # a bare "5m" is metres and "5b" bytes; of money they are millions and billions
        power = SCALES.get(scaled[1], {"m": 6, "b": 9, "B": 9}.get(scaled[1], 0) if money else 0)
        rest = scaled[2] if power else rest
    amount = Fraction(number.replace(",", "")) * Fraction(10) ** (power + int(exponent or 0))
    if minus or inner_minus:
        amount = -amount
    decimals = number.partition(".")[2]
    if not (money or rest or exponent) and decimals[-1:] == "0" and decimals.strip("0"):
        return None  # bare "3.10" may be a version, and that is not 3.1
    unit, per = _unit(rest.strip())
    if money:
        return f"{_digits(amount)} {money}{per}" if not unit else None
    if not unit:
        return _digits(amount) + per
    base, factor = UNITS.get(unit) or UNITS.get(unit.lower()) or (_currency(unit), Fraction(1))
    if base == "°c":  # every decimal Celsius is an exact decimal in Fahrenheit, and not the other way round
        return f"{_digits(amount * Fraction(9, 5) + 32)} °f{per}"
    if base:
        return f"{_digits(amount * factor)}{'' if base == '%' else ' '}{base}{per}"
    exact = number.isdecimal() or "," in number  # "1.20 beta" must not become "1.2 beta"
    return f"{_digits(amount)} {lower(unit)}{per}" if exact and (space or power) else None


def _currency(mark: str) -> str | None:
    return CURRENCY.get(mark.lower())


def _unit(rest: str) -> tuple[str, str]:
    """``USD per seat per month`` as the unit and what it is counted per: ``("USD", "/seat/month")``."""
    if rest.lower() in UNITS:
        return rest, ""
    unit, *pers = _PER.split(rest)
    if not pers:
        unit, _, last = rest.rpartition(" ")
        if not last.endswith("ly") or last.lower() not in EVERY:
            return rest, ""
        pers = [last]
    return unit.strip(), "".join(f"/{EVERY.get(per, per)}" for per in (part.strip().lower() for part in pers))


def _digits(number: Fraction) -> str:
    """The exact decimal, without exponent or trailing zeros."""
    if number.denominator == 1:
        return str(number.numerator)
    places = max(_count(number.denominator, 2), _count(number.denominator, 5))
    scaled = abs(number) * 10**places
    whole, part = divmod(scaled.numerator, 10**places)
    return f"{'-' if number < 0 else ''}{whole}.{part:0{places}d}".rstrip("0")


def _count(number: int, prime: int) -> int:
    times = 0
    while number % prime == 0:
        number, times = number // prime, times + 1
    return times


def spelled_out(text: str) -> str:
    """Number words at the front become digits: ``twenty-five seats`` is ``25 seats``."""
    words = text.split(" ")
    total, group, used, room = 0, 0, 0, 1000
    for word in words:
        numbers = [NUMBER_WORDS.get(part) for part in word.lower().split("-")]
        if None in numbers:
            if word.lower() == "and" and group >= 100 and words[used + 1 :]:
                used += 1
                continue
            break
        for number in numbers:
            assert number is not None
            if number >= 1000:
                total, group, room = total + (group or 1) * number, 0, 1000
            elif number == 100 and group < 100:
                group, room = (group or 1) * 100, 100
            elif number < room:
                group, room = group + number, (10 if number >= 20 else 0)
            else:
                return text  # "one two", "nineteen eighty-four": digits read aloud, not a sum
        used += 1
    if words[used - 1].lower() == "and":
        used -= 1
    return " ".join([str(total + group), *words[used:]])
