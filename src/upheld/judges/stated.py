"""The keys that a passage states, found by grammar, and what they say of a note's key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from upheld import keys
from upheld.document import Finding
from upheld.judges.compare import Comparison, compare_texts
from upheld.judges.gap import CHANGE_STEMS, NEUTRAL_STEMS, UNCLEAR, Sight, agree
from upheld.judges.naming import names_a_kind
from upheld.judges.reading import Reading
from upheld.judges.tokens import stem, tokens
from upheld.keys.meaning import CONDITIONS_OF, OFFICES, is_opinion
from upheld.values import canonical, canonical_name

__all__ = ["Stated", "by_key", "keys_in"]

_LINKS: Final = frozenset(("in", "on", "for", "at", "the", "under"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """A key that a chunk states: canonical forms as in a note, and where (`start`, `end` in the chunk's text).

    `ended` says that it tells of what is over. `value` is as written.
    """

    start: int
    end: int
    subject_key: str
    attribute_key: str
    value_key: str
    value: str
    single: bool
    ended: bool = False


def keys_in(reading: Reading) -> tuple[Stated, ...]:
    """The keys that one clause states; below a heading, a setting is also an attribute of what the heading names."""
    clause = reading.clause
    ended = reading.over or (reading.change is not None and bool(reading.change.ended))
    named: list[tuple[str, str, str, bool]] = []
    if clause.cell is not None:
        subject, column, value = (part.replace("**", "").replace("`", "") for part in clause.cell)
        named.append((subject, column, value, True))
    elif (found := keys.extract(clause.text.replace("**", "").replace("`", ""))) is not None:
        named.append((found.subject, found.attribute, found.value, found.single))
        if clause.label and clause.above.title and found.attribute == "is":
            named.append((clause.above.title, found.subject, found.value, True))  # "Port: 9090" below "Gateway"
    return tuple(
        Stated(
            start=clause.start,
            end=clause.end,
            subject_key=canonical_name(subject),
            attribute_key=canonical_name(attribute),
            value_key=canonical(value),
            value=value,
            single=single,
            ended=ended,
        )
        for subject, attribute, value, single in named
    )


def _between_places(unit: Reading) -> bool:
    """*goes from A to B* is no change of anything."""
    lows = [token.text.lower() for token in unit.core]
    return "from" in lows and "to" in lows and unit.change is None


def _same_attribute(stated: str, wanted: str, conditions: frozenset[str]) -> bool:
    """Whether two attributes are one, apart from a condition under which the note holds: *log level in production*."""
    if stated == wanted:
        return True
    if not conditions or not stated.startswith(wanted + " "):
        return False
    return all(stem(word) in conditions or word in _LINKS for word in stated[len(wanted) :].split())


def _leaves_open(stated: Stated, attribute: str, value: str, note: Reading, unit: Reading) -> bool:
    """Whether the note's value may still hold beside the other one."""
    return (
        _of_more(note, unit, stated)
        or _says_both(value, stated.value, unit)
        or _of_a_kind(note, value, stated.value)
        or (_tells_of_holder(attribute, value, stated.value) and not unit.clause.label)
    )


def _of_more(note: Reading, unit: Reading, stated: Stated) -> bool:
    """Whether the clause's subject has words that the note lacks: *Acme's subsidiary Acme Labs* is not Acme."""
    named = "" if stated.subject_key in note.clause.text.lower() else stated.subject_key
    said = {token.key for token in tokens(f"{stated.value} {stated.attribute_key} {named}")}
    subject = {token.key for token in unit.core[: unit.verb] if token.is_content}
    return bool(subject - said - note.clause.words - NEUTRAL_STEMS - CHANGE_STEMS)


def _tells_of_holder(attribute: str, value: str, other: str) -> bool:
    """*The head of treasury is Danish*: one word beside a full name tells what the holder is like."""
    office = not OFFICES.isdisjoint(attribute.split())
    return office and " " in value.strip() and len(other.split()) == 1


def _of_a_kind(note: Reading, value: str, other: str) -> bool:
    """*is credit card* and *is Visa*; `value` may have lost its capitals, so it must stand in the note."""
    return re.search(rf"\b(?:is|are)\s{re.escape(value)}\b", note.clause.text) is not None and names_a_kind(
        value, other
    )


def _says_both(value: str, other: str, unit: Reading) -> bool:
    """*raised to 9 and later lowered to 5*: the note's value is there as well, and not as what was."""
    told = [token for token in unit.core[unit.verb :] if token.sort and token in unit.values]
    named = {token.key for token in tokens(value) if token.is_content}
    behind = {token.key for token in unit.core[unit.verb + 1 :] if token.is_content} & unit.words
    again = bool(named) and named <= behind - {token.key for token in tokens(other)}
    return again or any(agree(mine, theirs) for mine in tokens(value) if mine.sort for theirs in told)


def by_key(
    keyed: tuple[str, str, str, bool], conditions: frozenset[str], note: Reading, unit: Reading, said: Sequence[Stated]
) -> Sight | None:
    """The same key by grammar: the value decides."""
    subject, attribute, value, single = keyed
    if subject in ("i", "me") or _between_places(unit) or unit.past != note.past or unit.over or note.over:
        return None
    for each in said:
        if (
            each.subject_key == subject
            and _same_attribute(each.attribute_key, attribute, conditions)
            and not each.ended
        ):
            if attribute.rpartition(" ")[2] in CONDITIONS_OF and (is_opinion(value) or is_opinion(each.value)):
                return None  # "closed" and "resolved" may be one: that is for who knows words of like meaning
            found = compare_texts(value, each.value, single=single and each.single)
            if found is Comparison.SAME:
                return Sight(Finding.CONSISTENT, 0.95, "the document gives the same value")
            if found is Comparison.DIFFERENT:
                if _leaves_open(each, attribute, value, note, unit):
                    return UNCLEAR
                return Sight(Finding.CONTRADICTED, 0.97, f"the document says {each.value}, the note {value}")
            return UNCLEAR
    return None
