"""How far two clauses are from having the same words: what each has that the other lacks."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from upheld.document import Finding
from upheld.judges.compare import Comparison, comparable, compare
from upheld.judges.lexicon import CHANGE_VERBS, COVERED_BY, LIGHT, NEEDS, NEUTRAL, OPERATES
from upheld.judges.reading import Reading
from upheld.judges.tokens import Token, stem

__all__ = [
    "CHANGE_STEMS",
    "COVERED_STEMS",
    "LIGHT_STEMS",
    "NEED_STEMS",
    "NEUTRAL_STEMS",
    "OPERATING_STEMS",
    "SILENT",
    "UNCLEAR",
    "Sight",
    "agree",
    "content",
    "gap",
    "values_agree",
]


class Sight(NamedTuple):
    """What two clauses laid side by side show, how sure that is, and why."""

    finding: Finding
    confidence: float
    why: str


LIGHT_STEMS: Final = frozenset(map(stem, LIGHT))
NEUTRAL_STEMS: Final = frozenset(map(stem, NEUTRAL))
NEED_STEMS: Final = frozenset(map(stem, NEEDS)) | {stem("required")}
CHANGE_STEMS: Final = frozenset(map(stem, CHANGE_VERBS))
OPERATING_STEMS: Final = frozenset(map(stem, OPERATES))
COVERED_STEMS: Final = {verb: frozenset(map(stem, words)) for verb, words in COVERED_BY.items()}
_SERVING: Final = frozenset(map(stem, ("serve", "serves")))
UNCLEAR: Final = Sight(Finding.ABSTAIN, 0.0, "the same subject, and not enough to tell")
SILENT: Final = Sight(Finding.UNRELATED, 0.0, "")


def gap(claim: Reading, unit: Reading, conditions: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The claim's words that the document lacks, and the document's that the claim lacks."""
    covered = COVERED_STEMS.get(unit.change.verb, frozenset()) if unit.change is not None else unit.covers
    missing = claim.words - unit.words - unit.context - LIGHT_STEMS - covered
    extras = unit.words - claim.words - NEUTRAL_STEMS - CHANGE_STEMS - conditions
    extras |= _doubled(unit) - _doubled(claim)
    if unit.change is not None:
        extras -= {token.key for token in unit.change.cue}
    if claim.words & NEED_STEMS and unit.words & NEED_STEMS and not (claim.denied or unit.denied):
        counted = any(token.sort not in ("number", "version") for token in (*claim.values, *unit.values))
        needs = NEED_STEMS - {"use"} if counted else NEED_STEMS  # what needs 8 GB may use 2 GB
        if claim.words & needs and unit.words & needs:
            missing, extras = missing - needs, extras - needs
    if unit.denied:
        extras -= _SERVING  # "no longer serves as the chair"
    if claim.settings - unit.settings - conditions:
        missing |= claim.settings - unit.settings
    return missing, extras


def _doubled(reading: Reading) -> frozenset[str]:
    """*cost price*: two words that mean the same by themselves, and something narrower together."""
    return frozenset(
        token.key
        for before, token in pairwise(reading.core)
        if token.is_content and before.key == token.key and before.text.lower() != token.text.lower()
    )


def values_agree(claim: Reading, unit: Reading) -> bool:
    """Whether every value of the claim is in the document's clause too, and no other."""
    return all(any(agree(mine, theirs) for theirs in unit.all_values) for mine in claim.values) and all(
        any(agree(mine, theirs) for mine in claim.values) for theirs in unit.values
    )


def agree(mine: Token, theirs: Token) -> bool:
    """Whether two values are the same."""
    return comparable(mine, theirs) and compare(mine, theirs) is Comparison.SAME


def content(words: Iterable[Token]) -> list[str]:
    """The stems of the words that carry meaning."""
    return [token.key for token in words if token.is_content]
