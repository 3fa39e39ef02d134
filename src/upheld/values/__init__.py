"""Canonical values: when two ways of writing say the same thing, and when two values contradict.

The rule: convert only what is exact, and leave everything else as folded text. Two texts that might mean the same
but need a guess (``03/04/2026``, ``5 pounds``, ``+5``, ``007``) stay different.

Versions and numbers share a notation, so they share a canonical form as far as they can. ``1.20`` alone may be either,
so it is not ``1.2``: to take two notations of one number for a change does no harm, to take a new version for the old
one does. With a ``v``, the word *version*, or three parts it is a version: trailing zero parts go
(``v1.2.0`` is ``1.2``, ``v2.0`` is ``2``), but a part is never shortened, so ``v1.20`` is neither ``v1.2`` nor
``1.20``. Four bare parts may be an address and stay text. A bare ``5m`` is five metres.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from upheld.values.beside import leaves_room
from upheld.values.numbers import canonical_number, spelled_out
from upheld.values.text import ALIASES, canonical_name, fold, lower, resolve, trim
from upheld.values.times import canonical_date, canonical_time
from upheld.values.units import NUMBER_WORDS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ALIASES", "Relation", "canonical", "canonical_name", "relation"]

_LONGEST_TYPED: Final = 64  # a number, date or version is short; longer text is only folded

_BOOLEANS: Final = {
    **dict.fromkeys(("yes", "true", "enabled", "on"), "true"),
    **dict.fromkeys(("no", "false", "disabled", "off"), "false"),
}


class Relation(Enum):
    """What two values of one key say about each other."""

    SAME = "same"
    CONFLICT = "conflict"
    COMPATIBLE = "compatible"


def relation(first: str, second: str, *, single: bool) -> Relation:
    """Compare two canonical values of one key.

    ``not x`` contradicts ``x`` and nothing else; otherwise two different values contradict each other only
    where the attribute holds one value at a time (``single``).

    >>> relation("fish", "not fish", single=False)
    <Relation.CONFLICT: 'conflict'>
    >>> relation("not fish", "meat", single=True)
    <Relation.COMPATIBLE: 'compatible'>
    """
    if first == second:
        return Relation.SAME
    denied, other = first.startswith("not "), second.startswith("not ")
    if denied or other:
        contrary = (denied and first[4:] == second) or (other and second[4:] == first)
        return Relation.CONFLICT if contrary else Relation.COMPATIBLE
    if leaves_room(first, second):
        return Relation.COMPATIBLE
    return Relation.CONFLICT if single or {first, second} == {"true", "false"} else Relation.COMPATIBLE


def canonical(value: str, *, aliases: Mapping[str, str] | None = None) -> str:
    """One spelling for every way of writing the same value.

    Never raises, and applying it twice changes nothing. ``aliases`` adds to, and wins over, the general table of
    names: from the alias, in lower case, to the name. Empty only for text of nothing but
    white space and invisible signs.

    >>> [canonical(text) for text in ("one thousand", "2 hours", "$20", "March 4th, 2026", "Postgres")]
    ['1000', '7200 s', '20 usd', '2026-03-04', 'postgresql']
    """
    text = trim(fold(value))
    if text[:4].lower() == "not ":
        stated = _stated(trim(text[4:]), aliases)
        return {"true": "false", "false": "true"}.get(stated, "not " + stated)
    return _stated(text, aliases)


def _stated(text: str, aliases: Mapping[str, str] | None) -> str:
    low = lower(text)
    if low in _BOOLEANS:
        return _BOOLEANS[low]
    if len(text) <= _LONGEST_TYPED:
        first = low.partition(" ")[0].partition("-")[0]
        if first in NUMBER_WORDS:
            text = spelled_out(text)
            low = lower(text)
        if any(map(str.isdigit, low)):
            typed = canonical_date(low) or canonical_time(low) or canonical_number(text, low)
            if typed is not None:
                return typed
        elif low in ("noon", "midnight"):
            return "12:00" if low == "noon" else "00:00"
    return resolve(low, aliases)
