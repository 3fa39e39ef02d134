"""Keys that are written as such: *Y: Z* and *Y = Z*."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from upheld.keys.meaning import COMPOUND_NOUNS, HELD_NOUNS, NUMBERS, OFFICES, OPENING_NOUNS, PARAMETERS, when
from upheld.keys.result import Extracted, stated
from upheld.keys.subjects import about
from upheld.keys.words import (
    ADVERBS,
    BASE,
    BE,
    DETERMINERS,
    FIRST_WORDS,
    KINDS,
    LEMMAS,
    NOT_KEYS,
    PRONOUN,
    RELATIVE,
)  # fmt: skip

__all__ = ["UNDECIDED", "assigned", "labelled"]

UNDECIDED: Final = Extracted(subject="", attribute="", value="", single=False)
_LONGEST_LABEL: Final = 6  # words
_LONGEST_VALUE: Final = 10
_ASSIGNED: Final = re.compile(r"([A-Za-z_][\w./-]*) ?= ?(?![=>])(\S.*)")
_SPEAKING: Final = frozenset(("I", "We", "My", "Our"))
_NOTED: Final = frozenset(("noted", "confirmed", "changed", "updated"))
_SET_NOUNS: Final = (
    COMPOUND_NOUNS
    | HELD_NOUNS
    | OFFICES
    | OPENING_NOUNS
    | PARAMETERS
    | frozenset(("terms", "schedule", "resolution", "policy", "limit", "target", "window", "rate", "salary", "role"))
)
_NO_LABELS: Final = (FIRST_WORDS.keys() | NOT_KEYS) - {"test", "book", "note", "plan"}
_CLAUSAL: Final = frozenset((*range(BE, BASE), RELATIVE, PRONOUN))


def labelled(label: str, rest: str) -> Extracted | None:
    """``Y: Z``. `UNDECIDED` where the colon may be part of a title: *Alien: Covenant was directed by ...*."""
    names, value = label.split(), rest.rstrip(".").split()
    if not names or not value:
        return None
    if "=" in value and (setting := assigned(rest)) is not None:  # "Acme: plan = Team"
        owner = about(names) if len(names) <= _LONGEST_LABEL and label.lower() not in NOT_KEYS else None
        return replace(setting, subject=owner[0], attribute=setting.subject) if owner and not owner[1] else None
    first, kinds = value[0], [KINDS.get(word) for word in value]
    clausal = not _CLAUSAL.isdisjoint(kinds)
    if clausal and first[0].isupper() and names[-1][0].isupper():
        return None if first in _SPEAKING or label.lower() in NOT_KEYS else UNDECIDED
    noted = len(names) > 1 and names[-1] in _NOTED
    if noted:
        del names[-1]
    if clausal or not _CLAUSAL.isdisjoint(map(KINDS.get, names)) or not _is_label(label, names):
        return None
    if len(value) > _LONGEST_VALUE or ": " in rest or not {"I", "we", "you"}.isdisjoint(value):
        return None
    if len(value) > 1 and first[0].isupper() and (first.lower() in LEMMAS or value[1] in DETERMINERS):
        return None  # somebody speaks: "Bob: approve the refund"
    found = about(names)
    if found is None:
        return None
    attribute = found[1] or when(value)
    if not (attribute or noted or _is_setting(label, names[-1], value)):
        return None
    return stated(found[0], attribute or "is", value)


def _is_setting(label: str, last: str, value: list[str]) -> bool:
    """Whether a value is set here, and this is no heading with its subheading ("Storage: Snapshots of Volumes")."""
    first = value[0]
    if first[0].isdigit() or first[0] in "$€£-" or first in NUMBERS or last.lower() in _SET_NOUNS:
        return True
    return label == label.lower() and (len(value) == 1 or first[0].isupper())


def _is_label(label: str, names: list[str]) -> bool:
    return (
        len(names) <= _LONGEST_LABEL
        and "(" not in label
        and "," not in label
        and names[0].lower() not in _NO_LABELS
        and ADVERBS.isdisjoint(map(str.lower, names))
    )


def assigned(text: str) -> Extracted | None:
    """``name = value``, as in a settings file."""
    found = _ASSIGNED.fullmatch(text.rstrip("."))
    if found is None or found[2].count(" ") > 5:
        return None
    return stated(found[1], "is", found[2].split())
