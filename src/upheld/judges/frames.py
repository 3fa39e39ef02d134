"""Two clauses laid side by side: the same frame with one value in another place, a denial, or an ending.

A frame fits where the document's clause has every content word of the claim's, in its own words or in the headings
above it, and none besides that could narrow it: a word that is on no list is taken for a condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from upheld.document import Finding
from upheld.judges.changed import by_change
from upheld.judges.compare import Comparison, comparable, compare
from upheld.judges.gap import (
    LIGHT_STEMS,
    NEED_STEMS,
    NEUTRAL_STEMS,
    SILENT,
    UNCLEAR,
    Sight,
    content,
    gap,
    values_agree,
)
from upheld.judges.lexicon import OPPOSITES
from upheld.judges.named import by_name
from upheld.judges.reading import Reading
from upheld.judges.tokens import Token, stem
from upheld.keys.meaning import SOFTWARE
from upheld.keys.words import PARTICIPLES
from upheld.values.units import CURRENCY, UNITS

__all__ = ["lay"]


_ORDERING: Final = frozenset(("do", "don't", "never", "not", "please"))
# Sorts of values that are as often parts of a name, and those that never are.
_NAMING: Final = frozenset(("number", "version", "date", "weekday"))
_MEASURED: Final = frozenset(base for base, _ in UNITS.values()) | frozenset(CURRENCY.values())
_BESIDE: Final = frozenset(("near", "with", "by", "among", "between", "beside", "behind", "and", "as", "while"))
# What comes in releases: "Node 20 is required" leaves no place for Node 18.
_RELEASED: Final = SOFTWARE | frozenset(
    map(stem, "version node gcc cmake openssl gradle maven android ios perl".split())
)


def lay(claim: Reading, unit: Reading, conditions: frozenset[str], single: frozenset[str]) -> Sight:
    """Lay a claim's clause beside a document's. Pure.

    `conditions` are stems that the claim's own conditions allow; `single` those of its value, where there is one at a
    time.
    """
    shared = claim.words & (unit.words | unit.context)
    if not shared and not _same_values(claim, unit):
        return SILENT
    if claim.over or (claim.past and not unit.past):
        return UNCLEAR  # the claim tells of the past; what holds now does not refute it
    found = by_change(claim, unit, conditions) if unit.change is not None else None
    if found is None:
        found = _by_frame(claim, unit, conditions, single)
    return found or (UNCLEAR if 2 * len(shared) >= len(claim.words) else SILENT)


def _same_values(claim: Reading, unit: Reading) -> bool:
    return bool({token.key for token in claim.values} & {token.key for token in unit.values})


def _by_frame(claim: Reading, unit: Reading, conditions: frozenset[str], single: frozenset[str]) -> Sight | None:
    if claim.anybody or unit.anybody or (unit.past and not claim.past):
        return UNCLEAR
    missing, extras = gap(claim, unit, conditions)
    if not missing and not extras:
        return _filled(claim, unit)
    if len(missing) == 1 and len(extras) == 1 and values_agree(claim, unit):
        mine, theirs = _token(claim.core, missing), _token(unit.core, extras)
        if mine is not None and theirs is not None and _opposite(mine.text.lower(), theirs.text.lower()):
            if claim.denied == unit.denied:
                return Sight(Finding.CONTRADICTED, 0.93, f"{theirs.text!r} is the opposite of {mine.text!r}")
            return Sight(Finding.CONSISTENT, 0.8, "denied by its opposite")
    if claim.denied == unit.denied is False and values_agree(claim, unit):
        return by_name(claim, unit, missing, extras, single)
    return None


def _filled(claim: Reading, unit: Reading) -> Sight | None:
    """The frames are the same: do the values differ, or does one deny what the other says?"""
    if (spans := _other_span(claim, unit)) is not None:
        return spans
    differing: list[tuple[Token, Token]] = []
    for mine in claim.values:
        rivals = [token for token in unit.values if comparable(mine, token)]
        found = [compare(mine, token) for token in rivals]
        if Comparison.SAME in found:
            continue
        if not rivals and unit.denied and not claim.denied and not unit.values and len(claim.values) == 1:
            continue  # "no longer gives a discount" denies any discount
        if len(rivals) != 1 or found[0] is not Comparison.DIFFERENT:
            return None
        differing.append((mine, rivals[0]))
    unmatched = [token for token in unit.values if not any(comparable(token, mine) for mine in claim.values)]
    if any(token.sort != "date" or token.key[:1] == "q" for token in unmatched) or unmatched:
        return None
    if not differing:
        if claim.denied == unit.denied:
            return Sight(Finding.CONSISTENT, 0.9, "the document says the same")
        return _denial(claim, unit)
    if len(differing) > 1 or claim.denied or unit.denied:
        return None
    mine, theirs = differing[0]
    if not (_is_slot(claim, mine) and _is_slot(unit, theirs)) or _descriptive(claim, mine, theirs):
        return None
    if not claim.words & (unit.words | unit.context) - LIGHT_STEMS - NEUTRAL_STEMS:
        return None
    return Sight(Finding.CONTRADICTED, 0.95, f"the document says {theirs.text}, the note {mine.text}")


def _other_span(claim: Reading, unit: Reading) -> Sight | None:
    """*from 8:00 to 18:00* and *from 9:00 to 17:00*: two ends, and one of them is another."""
    mine, theirs = _ends(claim), _ends(unit)
    if mine is None or theirs is None or claim.denied or unit.denied:
        return None
    if not all(comparable(*pair) and _is_slot(claim, pair[0]) for pair in zip(mine, theirs, strict=True)):
        return None
    found = [compare(*pair) for pair in zip(mine, theirs, strict=True)]
    if Comparison.UNCLEAR in found or Comparison.DIFFERENT not in found:
        return None
    said, told = (" to ".join(token.text for token in ends) for ends in (theirs, mine))
    return Sight(Finding.CONTRADICTED, 0.9, f"the document says {said}, the note {told}")


def _ends(reading: Reading) -> tuple[Token, ...] | None:
    """The two ends of a span, where a clause has no other value."""
    if len(reading.values) != 2 or reading.change is not None:
        return None
    first, last = (reading.core.index(value) for value in reading.values)
    between = [token.text.lower() for token in reading.core[first + 1 : last]]
    both = between == ["and"] and any(token.text.lower() == "between" for token in reading.core)
    spans = both or between in (["to"], ["until"], ["till"], ["-"], ["\u2013"])
    return reading.values if spans and reading.values[1].sort in ("time", *_MEASURED) else None


_EVENTS: Final = frozenset(map(stem, """
    start begin end expire launch release deadline due bear born die found establish publish arrive leave depart open
    close renew schedule place hold held date meet happen complete ready deliver go-live meeting valid until expiry
    expiration kickoff cutover review move ship finish conclude run last elect appoint complete plan planned birthday
    exam appointment wedding conference release premiere election interview checkup surgery
""".split()))  # fmt: skip


def _denial(claim: Reading, unit: Reading) -> Sight | None:
    """The same words, one with *not*: orders have no truth, and what *may* be is not what is."""
    for reading in (claim, unit):
        granted = claim.core[0].text.endswith("ed")  # "approved renewal of X" and "do not renew X"
        orders = reading.core[0].text.lower() in _ORDERING
        if (orders and not granted) or (reading.verb >= len(reading.core) and not (granted or orders)):
            return None
    if _permits(claim) != _permits(unit):
        return None
    return Sight(Finding.CONTRADICTED, 0.93, "one denies what the other says")


def _permits(reading: Reading) -> bool:
    return any(token.text in ("may", "can", "cannot", "can't") for token in reading.core)


def _is_slot(claim: Reading, value: Token) -> bool:
    """Whether a value is what the clause says, and not only when or of which one it says it."""
    at = claim.core.index(value)
    needed = frozenset(content(claim.core[claim.verb :])) <= NEED_STEMS and claim.core[at - 1].key in _RELEASED
    if value.sort in _NAMING and at < claim.verb < len(claim.core) and not needed:
        return False  # part of a name: "Windows 95 was developed by"
    before = claim.core[at - 1].text.lower() if at else ""
    if before in _BESIDE and value.sort.partition("/")[0].isalpha() and value.sort not in _MEASURED:
        return False
    if value.sort == "date":
        return bool(claim.words & _EVENTS) or claim.clause.label or claim.change is not None
    if value.sort == "weekday":
        return bool(claim.words & _EVENTS) or any(
            token.text.lower() in PARTICIPLES for token in claim.core if not token.sort
        ) or claim.clause.label  # fmt: skip
    return value.sort != "version" or bool(claim.words & ({"version", "releas", "us", "run", "support"} | NEED_STEMS))


def _descriptive(claim: Reading, mine: Token, theirs: Token) -> bool:
    """*more than 100* and *more than 200* are both true of 300; *orders over 50 euros* is a threshold."""
    if mine.bound != "beyond" or theirs.bound != "beyond":
        return False
    at = claim.core.index(mine)
    nouns = [place for place in range(claim.verb + 1, at) if claim.core[place].is_content]
    return all(claim.core[place].text.lower() in ("more", "less", "fewer", "exceeding") for place in nouns)


def _opposite(one: str, other: str) -> bool:
    if other in OPPOSITES.get(one, ()):
        return True
    long, short = (one, other) if len(one) > len(other) else (other, one)
    return len(short) > 3 and long in (f"un{short}", f"non-{short}", f"non{short}", f"in{short}", f"dis{short}")


def _token(words: Sequence[Token], wanted: frozenset[str]) -> Token | None:
    return next((token for token in words if token.key in wanted and token.is_content), None)
