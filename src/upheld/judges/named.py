"""Another name in the same frame: who holds an office, where a thing lies, what it is called, what is preferred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from upheld.document import Finding
from upheld.judges.compare import is_name
from upheld.judges.gap import NEUTRAL_STEMS, Sight, content
from upheld.judges.lexicon import ALIKE
from upheld.judges.naming import may_be_one, names_a_kind
from upheld.judges.reading import Reading
from upheld.judges.tokens import Token, stem
from upheld.keys.meaning import GRADED, OFFICES, SOFTWARE, is_opinion
from upheld.keys.words import PARTICIPLES, PREPOSITIONS

__all__ = ["by_name"]

_ONE_PLACE: Final = frozenset(("by", "through", "via", "in", "on", "at", "under"))
_ALIKE: Final = tuple(frozenset(map(stem, group)) for group in ALIKE)
_WIDENING: Final = frozenset(("with", "for", "from", "to", "by", "between", "and", "or"))
_LONG_PLACE: Final = 8  # words and commas
_OFFICES: Final = OFFICES | {"owner", "lead", "contact", "approver", "sponsor", "maintainer", "administrator", "admin",
                             "coordinator", "champion", "architect", "controller", "auditor", "counsel"}  # fmt: skip
_CLOSING: Final = frozenset(".,;:!?()[]|=\u2013\u2014")
_DEFINITE: Final = frozenset(("the", "our", "my"))


def by_name(
    claim: Reading, unit: Reading, missing: frozenset[str], extras: frozenset[str], single: frozenset[str]
) -> Sight | None:
    """Whether the document has another name where the claim has one, and there can be one only. Pure.

    `missing` and `extras` are the words in which the two differ; `single` those of the claim's value, where it has one
    at a time.
    """
    return (
        _other_name(claim, unit, missing, extras)
        or _other_holder(claim, unit, missing, extras)
        or _other_place(claim, unit)
        or _other_word(claim, unit, missing, extras, single)
        or _other_preference(claim, unit, missing, extras)
    )


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
    if len(theirs.split()) < len(mine.split()) and not unit.clause.label:
        return None  # "the head of treasury is Danish"
    return Sight(Finding.CONTRADICTED, 0.9, f"the document names {theirs}, the note {mine}")


def _holder(reading: Reading, wanted: frozenset[str]) -> str | None:
    """The name that fills one side of a clause whose other side is an office."""
    if reading.verb >= len(reading.core) or reading.core[reading.verb].text.lower() not in ("is", ":", "="):
        return None
    sides = reading.core[: reading.verb], reading.core[reading.verb + 1 :]
    for name, office in (sides, sides[::-1]):
        if not name or not office:
            return None
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
    if not status and (may_be_one(mine, theirs) or names_a_kind(mine, theirs)):
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
