"""Two clauses laid side by side: the same frame with one value in another place, a denial, or an ending.

A frame fits where the document's clause has every content word of the claim's, in its own words or in the headings
above it, and none besides that could narrow it: a word that is on no list is taken for a condition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from upheld.document import Finding
from upheld.judges.changed import by_change
from upheld.judges.compare import Comparison, comparable, compare, is_name
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
from upheld.judges.lexicon import ALIKE, OPPOSITES
from upheld.judges.naming import may_be_one, names_a_kind
from upheld.judges.reading import Reading
from upheld.judges.tokens import Token, stem
from upheld.keys.meaning import GRADED, OFFICES, SOFTWARE, is_opinion
from upheld.keys.words import PARTICIPLES, PREPOSITIONS
from upheld.values.units import CURRENCY, UNITS

__all__ = ["lay"]


_ORDERING: Final = frozenset(("do", "don't", "never", "not", "please"))
# Sorts of values that are as often parts of a name, and those that never are.
_NAMING: Final = frozenset(("number", "version", "date", "weekday"))
_MEASURED: Final = frozenset(base for base, _ in UNITS.values()) | frozenset(CURRENCY.values())
_BESIDE: Final = frozenset(("near", "with", "by", "among", "between", "beside", "behind", "and", "as", "while"))
_ONE_PLACE: Final = frozenset(("by", "through", "via", "in", "on", "at", "under"))
# What comes in releases: "Node 20 is required" leaves no place for Node 18.
_RELEASED: Final = SOFTWARE | frozenset(
    map(stem, "version node gcc cmake openssl gradle maven android ios perl".split())
)
_ALIKE: Final = tuple(frozenset(map(stem, group)) for group in ALIKE)
_WIDENING: Final = frozenset(("with", "for", "from", "to", "by", "between", "and", "or"))
_LONG_PLACE: Final = 8  # words and commas
_OFFICES: Final = OFFICES | {"owner", "lead", "contact", "approver", "sponsor", "maintainer", "administrator", "admin",
                             "coordinator", "champion", "architect", "controller", "auditor", "counsel"}  # fmt: skip
_CLOSING: Final = frozenset(".,;:!?()[]|=\u2013\u2014")
_DEFINITE: Final = frozenset(("the", "our", "my"))


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
        return (
            _other_name(claim, unit, missing, extras)
            or _other_holder(claim, unit, missing, extras)
            or _other_place(claim, unit)
            or _other_word(claim, unit, missing, extras, single)
            or _other_preference(claim, unit, missing, extras)
        )
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
    spans = between in (["to"], ["until"], ["till"], ["-"], ["\u2013"]) or (between == ["and"] and "between" in _lows(reading))
    return reading.values if spans and reading.values[1].sort in ("time", *_MEASURED) else None


def _lows(reading: Reading) -> list[str]:
    return [token.text.lower() for token in reading.core]


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


def _other_name(claim: Reading, unit: Reading, missing: frozenset[str], extras: frozenset[str]) -> Sight | None:
    """One name stands where the other text has another, behind a verb that has one at a time."""
    mine, theirs = _run(claim, missing), _run(unit, extras)
    if mine is None or theirs is None:
        return None
    (start, end), (other, stop) = mine, theirs
    if claim.core[start - 1].text.lower() == unit.core[other - 1].text.lower() in _DEFINITE:
        start, other = start - 1, other - 1
    left, right = claim.core[start - 1], unit.core[other - 1]
    if _joined(claim.core, end) or _joined(unit.core, stop):
        return None
    first, second = missing, extras
    if first & second or may_be_one(_called(claim.core, start), _called(unit.core, other)):
        return None
    link = left.text.lower()
    before = claim.core[start - 2] if start > 1 else left
    changed = unit.change
    if changed is not None and changed.verb and second <= {token.key for token in changed.new}:
        return Sight(Finding.CONTRADICTED, 0.9, "the document says that it became another")
    if left.text.lower() != right.text.lower():
        return None
    passive = (
        before.text.lower() in PARTICIPLES
        or before.text.endswith("ed")
        or before.text.lower() in ("go", "goes", "runs", "run")
    )
    tools = first | second <= SOFTWARE
    definite = claim.core[0].text.lower() in _DEFINITE
    if link in _ONE_PLACE and passive and (link in ("by", "through", "via") or tools or definite):
        return Sight(Finding.CONTRADICTED, 0.85, "another name stands in the same place")
    return None


def _other_holder(claim: Reading, unit: Reading, missing: frozenset[str], extras: frozenset[str]) -> Sight | None:
    """*Jonas is the head of treasury* and *Head of treasury: Oleg*: one office, whichever side the name stands on."""
    mine, theirs = _holder(claim, missing), _holder(unit, extras)
    if mine is None or theirs is None or may_be_one(mine, theirs):
        return None
    return Sight(Finding.CONTRADICTED, 0.9, f"the document names {theirs}, the note {mine}")


def _holder(reading: Reading, wanted: frozenset[str]) -> str | None:
    """The name that fills one side of a clause whose other side is an office."""
    if reading.verb >= len(reading.core) or reading.core[reading.verb].text.lower() not in ("is", ":", "="):
        return None
    sides = reading.core[: reading.verb], reading.core[reading.verb + 1 :]
    for name, office in (sides, sides[::-1]):
        named = [token for token in name if not token.is_mark]
        heads = {token.text.lower() for token in office} & _OFFICES
        after = name is sides[0] and office[0].text.lower() != "the"
        if named and heads and not after and {token.key for token in named} == wanted and all(map(is_name, named)):
            return " ".join(token.text for token in named)
    return None


def _other_place(claim: Reading, unit: Reading) -> Sight | None:
    """*X is a town in Salem, Ohio* and *... in Lyon, France*: one thing, and two places that share no word."""
    if claim.verb != unit.verb or claim.verb >= len(claim.core) or claim.core[claim.verb].text != "is":
        return None
    lengths = len(claim.core), len(unit.core)
    first = next((at for at in range(min(lengths)) if claim.core[at].key != unit.core[at].key), min(lengths))
    mine, theirs = ([token for token in reading.core[first:] if token.text != "."] for reading in (claim, unit))
    between = [token.text.lower() for token in claim.core[claim.verb + 1 : first]]
    if between[:1] not in (["a"], ["an"], ["the"]) or between[-1] not in ("in", "of", "at"):
        return None
    many = any(low.endswith("s") and not low.endswith("ss") and low.isalpha() for low in between if len(low) > 3)
    if many or not _WIDENING.isdisjoint(between):
        return None
    for place in (mine, theirs):
        named = all(token.text == "," or (token.text[0].isupper() and not token.sort) for token in place)
        if not named or "," not in [token.text for token in place[1:-1]] or len(place) > _LONG_PLACE:
            return None
    if {token.key for token in mine} & {token.key for token in theirs} != {","}:
        return None
    return Sight(Finding.CONTRADICTED, 0.85, "another place stands where one can be")


def _other_word(
    claim: Reading, unit: Reading, missing: frozenset[str], extras: frozenset[str], single: frozenset[str]
) -> Sight | None:
    """*The log level is debug* and *is warning*: the key of the claim says that it has one value."""
    subject = frozenset(content(claim.core[: claim.verb]))
    status = "status" in subject and len(missing) == 1
    if not missing or (missing != single and not status) or missing & subject or not 0 < len(extras) <= 2:
        return None
    mine, theirs = _called(claim.core, claim.verb + 1), _called(unit.core, unit.verb + 1)
    if may_be_one(mine, theirs) or names_a_kind(mine, theirs):
        return None
    for reading, wanted in ((claim, missing), (unit, extras)):
        behind = [token for token in reading.core[reading.verb + 1 :] if not token.is_mark]
        if (
            reading.verb >= len(reading.core)
            or {token.key for token in behind if token.is_content} - NEUTRAL_STEMS != wanted
        ):
            return None
        if reading.core[reading.verb].text.lower() not in ("is", "are", ":", "="):
            return None
        graded = any(token.text.lower() in GRADED for token in reading.core)
        opinions = [token for token in behind if is_opinion(token.text.lower()) and not (status and _is_state(token))]
        if (not graded and opinions) or _joined(behind, 1):
            return None
    if status and any(missing <= group and extras <= group for group in _ALIKE):
        return None
    return Sight(Finding.CONTRADICTED, 0.85, "another word stands in the same place")


def _is_state(token: Token) -> bool:
    """Whether a word tells what came of a thing, and is no opinion of it: *implemented*, *open*."""
    low = token.text.lower()
    return low in PARTICIPLES or low.endswith("ed") or any(token.key in group for group in _ALIKE)


def _other_preference(claim: Reading, unit: Reading, missing: frozenset[str], extras: frozenset[str]) -> Sight | None:
    """*prefer morning meetings* and *prefer lunch meetings*: one kind of the same thing is preferred."""
    if not missing or not extras or "prefer" not in claim.words & unit.words or claim.values or unit.values:
        return None
    mine, theirs = ([token for token in reading.core if token.is_content] for reading in (claim, unit))
    if mine[-1].key != theirs[-1].key or mine[0].key != theirs[0].key or mine[-1].key == "prefer":
        return None
    return Sight(Finding.CONTRADICTED, 0.8, "another one is preferred")


def _called(words: Sequence[Token], start: int) -> str:
    """The name that begins at `start`, with the words that belong to it: *the Platform team*."""
    while start < len(words) - 1 and words[start].text.lower() in PREPOSITIONS:
        start += 1
    end = next((at for at in range(start, len(words)) if _bounds_name(words[at])), len(words))
    return " ".join(token.text for token in words[start:end])


def _bounds_name(token: Token) -> bool:
    return token.text in _CLOSING or token.text.lower() in PREPOSITIONS


def _joined(words: Sequence[Token], end: int) -> bool:
    return end < len(words) and words[end].text.lower() in ("and", "or", ",", "&", "/")


def _run(reading: Reading, wanted: frozenset[str]) -> tuple[int, int] | None:
    """Where these words stand, if they are names that follow each other behind the verb."""
    places = [at for at, token in enumerate(reading.core) if token.key in wanted and token.is_content]
    if not places or places[0] <= reading.verb or places[-1] - places[0] != len(places) - 1 or len(places) > 4:
        return None
    if not all(is_name(reading.core[at]) for at in places):
        return None
    return places[0], places[-1] + 1


def _opposite(one: str, other: str) -> bool:
    if other in OPPOSITES.get(one, ()):
        return True
    long, short = (one, other) if len(one) > len(other) else (other, one)
    return len(short) > 3 and long in (f"un{short}", f"non-{short}", f"non{short}", f"in{short}", f"dis{short}")


def _token(words: Sequence[Token], wanted: frozenset[str]) -> Token | None:
    return next((token for token in words if token.key in wanted and token.is_content), None)
