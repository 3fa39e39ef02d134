"""Two values side by side: the same, different, or not to be told from each other."""

from __future__ import annotations

import re
from enum import Enum
from fractions import Fraction
from typing import Final

from upheld.judges.naming import may_be_one
from upheld.judges.tokens import Token, tokens
from upheld.keys.meaning import PLACES, SOFTWARE
from upheld.keys.words import PREPOSITIONS
from upheld.values import Relation, canonical, relation
from upheld.values.units import NUMBER_WORDS

__all__ = ["Comparison", "comparable", "compare", "compare_texts", "is_name"]


class Comparison(Enum):
    """What two values say of each other."""

    SAME = "same"
    DIFFERENT = "different"
    UNCLEAR = "unclear"


_DATE: Final = re.compile(r"(\d{4}|-)(?:-(\d\d))?(?:-(\d\d))?")
_QUARTER: Final = re.compile(r"q([1-4])(?:-(\d{4}))?")
_NUMBERED: Final = re.compile(r"([a-z]+[-.])(\d{1,9})", re.ASCII)
_MONTHLY: Final = re.compile(r"(20\d\d)\.0?(\d{1,2})")  # releases that are named after their month
_LONGEST: Final = 8  # words; what is longer tells a story
_EACH: Final = frozenset(("every", "each", "any", "whenever"))
_DEGREES: Final = frozenset("very so quite too really extremely".split())
_LENGTHS: Final = ("s", "month")
_MONTH: Final = (Fraction(28 * 86400), Fraction(31 * 86400))
_ROUND: Final = Fraction(1, 8)  # "about 100" covers 88 to 112
_ROUNDED: Final = Fraction(1, 200)  # a mile is 1.61 km
_CONVERTED: Final = Fraction(1, 40)


def comparable(one: Token, other: Token) -> bool:
    """Whether two values measure the same thing."""
    if one.sort == other.sort:
        return one.sort != ""
    first, second = one.sort.partition("/"), other.sort.partition("/")
    if first[2] == second[2] and {first[0], second[0]} == set(_LENGTHS):
        return True
    if "number" in (one.sort, other.sort):
        counted = second[0] if one.sort == "number" else first[0]
        return counted.isalpha() and counted not in ("date", "time", "weekday", "version") and len(counted) > 1
    return {one.sort, other.sort} == {"version", "number"}


def compare(one: Token, other: Token) -> Comparison:
    """Compare two values that measure the same thing, bounds and rounding included."""
    if one.sort in ("date", "time") and (one.bound == "beyond") != (other.bound == "beyond"):
        return Comparison.UNCLEAR
    if one.sort == other.sort == "date":
        return _dates(one.key, other.key)
    if one.key == other.key:
        return Comparison.SAME
    if "version" in (one.sort, other.sort):
        return _versions(one, other)
    if one.amount is None or other.amount is None:
        return Comparison.DIFFERENT
    if _MONTHLY.fullmatch(one.text) and _MONTHLY.sub(r"\1.\2", one.text) == _MONTHLY.sub(r"\1.\2", other.text):
        return Comparison.UNCLEAR
    return _amounts(one, other)


def _amounts(one: Token, other: Token) -> Comparison:
    low, high = sorted((_span(one, other), _span(other, one)))
    if low[1] >= high[0]:
        return Comparison.SAME if one.sort == other.sort else Comparison.UNCLEAR
    small, large = low[1], high[0]
    if small > 0 and (large - small) / large <= _CONVERTED and (rounded := _rounded(one, other)) is not None:
        return rounded
    if one.sort == other.sort == "b" and {one.amount, other.amount} & _binary(small):
        return Comparison.UNCLEAR
    bounds = {one.bound, other.bound}
    if "about" in bounds and small > 0 and (large - small) / large <= _ROUND:
        return Comparison.SAME
    if "beyond" in bounds and one.bound == other.bound:
        return Comparison.DIFFERENT
    for bounded, plain in ((one, other), (other, one)):
        if bounded.bound in ("least", "most") and not plain.bound:
            below = (plain.amount or 0) < (bounded.amount or 0)
            within = below if bounded.bound == "most" else not below
            return Comparison.UNCLEAR if within else Comparison.DIFFERENT
        if bounded.bound == "beyond" and plain.bound != "beyond":
            return Comparison.UNCLEAR
    if {"least", "most"} == bounds:
        return Comparison.UNCLEAR
    return Comparison.DIFFERENT


def _rounded(one: Token, other: Token) -> Comparison | None:
    """Whether one may be the other, told less exactly or in units that convert to no whole number.

    *4.2 million* is 4,187,220 and *11 lb* is 5 kg, while 99.95 % is not 99.9 %: it would be told as 100.0.
    """
    mine, theirs = _granule(one), _granule(other)
    if mine is None or theirs is None or one.amount is None or other.amount is None:
        return None
    (unit, step), (second, finer) = mine, theirs
    near = abs(one.amount - other.amount) <= _ROUNDED * max(one.amount, other.amount)
    if (max(unit, second) / min(unit, second)).denominator > 1:
        return Comparison.SAME if near else Comparison.UNCLEAR
    coarse, fine = (one.amount, other.amount) if step > finer else (other.amount, one.amount)
    least = max(step, finer)
    if step == finer or (fine / least + Fraction(1, 2)) // 1 * least != coarse:
        return None
    return Comparison.SAME if near and unit != second else Comparison.UNCLEAR


def _granule(token: Token) -> tuple[Fraction, Fraction] | None:
    """The unit that an amount is told in, and the least step of the figure as it is written."""
    found = re.search(r"\d[\d,]*(?:\.(\d+))?", token.text)
    written = Fraction(found[0].replace(",", "").rstrip(".")) if found is not None else None
    if found is None or not written or not token.amount:
        return None
    unit = token.amount / written
    return unit, unit / 10 ** len(found[1] or "")


def _span(token: Token, other: Token) -> tuple[Fraction, Fraction]:
    """The amount, as a span of days where it counts months and the other counts days."""
    amount = token.amount or Fraction(0)
    if token.sort.startswith("month") and not other.sort.startswith("month"):
        return amount * _MONTH[0], amount * _MONTH[1]
    return amount, amount


def _binary(amount: Fraction) -> set[Fraction]:
    """The same size in units of 1024 where it was given in units of 1000."""
    found = set()
    for power in (1, 2, 3, 4):
        if amount % 1000**power == 0:
            found.add(amount / 1000**power * 1024**power)
    return found


def _versions(one: Token, other: Token) -> Comparison:
    """``2`` and ``2.1`` may be the same release told less exactly."""
    first, second = (re.sub(r"^v|\s.*$", "", token.key).split(".") for token in (one, other))
    shared = min(len(first), len(second))
    if first[:shared] == second[:shared]:
        return Comparison.SAME if len(first) == len(second) else Comparison.UNCLEAR
    for bounded, (low, high) in ((one, (first, second)), (other, (second, first))):
        plain = other if bounded is one else one
        if bounded.bound in ("least", "most") and plain.bound != bounded.bound:
            within = _order(low) <= _order(high) if bounded.bound == "least" else _order(high) <= _order(low)
            return Comparison.UNCLEAR if within or plain.bound else Comparison.DIFFERENT
    return Comparison.DIFFERENT


def _order(version: list[str]) -> tuple[int, ...]:
    return tuple(int(part) if part.isdigit() else 0 for part in version)


def _dates(one: str, other: str) -> Comparison:
    if one == other:
        return Comparison.SAME
    first, second = _parts(one), _parts(other)
    if first is None or second is None:
        return Comparison.UNCLEAR
    known = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if any(a.isdisjoint(b) for a, b in known):
        return Comparison.DIFFERENT
    return Comparison.SAME if known else Comparison.UNCLEAR


def _parts(date: str) -> tuple[frozenset[int] | None, ...] | None:
    """Year, month, day as far as they are known; of a quarter its three months."""
    if quarter := _QUARTER.fullmatch(date):
        first = int(quarter[1]) * 3 - 2
        year = frozenset((int(quarter[2]),)) if quarter[2] else None
        return year, frozenset((first, first + 1, first + 2)), None
    found = _DATE.fullmatch(date)
    if found is None:
        return None
    return tuple(frozenset((int(part),)) if part and part.isdigit() else None for part in found.groups())


def is_name(token: Token) -> bool:
    """Whether a word is a name by its looks: a capital, a digit, a sign, or a well-known tool or place."""
    text = token.text
    if token.sort or token.is_mark:
        return False
    return text[0].isupper() or text[0] in "#@" or not text.isalpha() or token.key in SOFTWARE or token.key in PLACES


def compare_texts(one: str, other: str, *, single: bool) -> Comparison:
    """Compare two values of one key as they are written; ``not x`` denies x alone.

    >>> compare_texts("2 hours", "120 minutes", single=True), compare_texts("Oslo", "Bergen", single=True)
    (<Comparison.SAME: 'same'>, <Comparison.DIFFERENT: 'different'>)
    """
    first, second = canonical(one), canonical(other)
    found = relation(first, second, single=single)
    if found is not Relation.CONFLICT:
        return Comparison.SAME if found is Relation.SAME else Comparison.UNCLEAR
    if first.startswith("not ") or second.startswith("not "):
        return Comparison.DIFFERENT
    mine, theirs = tokens(one), tokens(other)
    if _other_number(mine, theirs):
        return Comparison.DIFFERENT
    my_values = [token for token in mine if token.sort]
    their_values = [token for token in theirs if token.sort]
    if my_values or their_values:
        if len(my_values) != 1 or len(their_values) != 1 or not comparable(my_values[0], their_values[0]):
            return Comparison.UNCLEAR
        found_values = compare(my_values[0], their_values[0])
        if {token.key for token in mine if token.is_content} ^ {token.key for token in theirs if token.is_content}:
            return Comparison.UNCLEAR
        return found_values
    my_words = {token.key for token in mine if token.is_content}
    their_words = {token.key for token in theirs if token.is_content}
    if max(len(my_words), len(their_words)) > _LONGEST or _DEGREES & {
        first.partition(" ")[0],
        second.partition(" ")[0],
    }:
        return Comparison.UNCLEAR
    opening = first.partition(" ")[0], second.partition(" ")[0]
    if (opening[0] in PREPOSITIONS) != (opening[1] in PREPOSITIONS) or not _EACH.isdisjoint(opening):
        return Comparison.UNCLEAR  # *Kim* and *on leave*; *every push* and *each commit*
    named = any(map(is_name, mine)) and any(map(is_name, theirs))
    if (not named and 2 * len(my_words & their_words) >= min(len(my_words), len(their_words))) or _counts(
        mine
    ) != _counts(theirs):
        return Comparison.UNCLEAR
    if not my_words or not their_words or my_words <= their_words or their_words <= my_words:
        return Comparison.UNCLEAR
    return Comparison.UNCLEAR if may_be_one(one, other) else Comparison.DIFFERENT


def _other_number(mine: list[Token], theirs: list[Token]) -> bool:
    """Whether both begin with the same word and another number: ``net-30`` and ``net-60``."""
    first, second = (_NUMBERED.fullmatch(words[0].key) if words else None for words in (mine, theirs))
    return first is not None and second is not None and first[1] == second[1] and int(first[2]) != int(second[2])


def _counts(words: list[Token]) -> bool:
    return any(token.text.lower() in NUMBER_WORDS for token in words)
