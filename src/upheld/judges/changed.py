"""What a document says has changed or ended, held against what a claim says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from upheld.document import Finding
from upheld.judges.gap import (
    CHANGE_STEMS,
    COVERED_STEMS,
    LIGHT_STEMS,
    NEUTRAL_STEMS,
    OPERATING_STEMS,
    UNCLEAR,
    Sight,
    agree,
    content,
    gap,
    values_agree,
)
from upheld.judges.reading import Reading
from upheld.judges.tokens import Token, stem
from upheld.values.units import CURRENCY, EVERY

__all__ = ["by_change"]

_NUMBERING: Final = frozenset(("number", "version", "date"))
_CALLED_OFF: Final = frozenset(("cancelled", "canceled", "suspended", "dropped"))
_RECURRING: Final = frozenset("daily weekly hourly every each weekdays weekends nightly".split())
_MONEY: Final = frozenset(CURRENCY.values())
_NO_SUBJECT: Final = frozenset(("old", "legacy", "former", "previous", "entir", "whol"))


def by_change(claim: Reading, unit: Reading, conditions: frozenset[str]) -> Sight | None:
    """Hold what the document says has changed against the claim; None where that decides nothing. Pure."""
    changed = unit.change
    assert changed is not None
    if changed.over:
        return _over(claim, unit, conditions)
    if changed.ended:
        return _ended(claim, unit, conditions)
    return _replaced(claim, unit, conditions)


def _over(claim: Reading, unit: Reading, conditions: frozenset[str]) -> Sight | None:
    """*used to*, *until*, *stopped*: the whole clause is no longer so."""
    missing, extras = gap(claim, unit, conditions)
    if missing or extras or not values_agree(claim, unit):
        return UNCLEAR
    changed = unit.change
    stays = changed is not None and changed.verb == "leave" and any(token.text.lower() == "in" for token in claim.core)
    if claim.denied != unit.denied or stays:  # who left a place on Friday may live there
        return UNCLEAR
    return Sight(Finding.CONTRADICTED, 0.95, "the document says that this is over")


def _ended(claim: Reading, unit: Reading, conditions: frozenset[str]) -> Sight | None:
    """What the claim is about has been ended, or what it says of it has."""
    changed = unit.change
    assert changed is not None
    ended = frozenset(content(changed.ended)) - _NO_SUBJECT
    if not ended or claim.denied or unit.denied:
        return None
    by = frozenset(content(changed.by))
    context = unit.context
    if not ended <= claim.words | conditions:
        return None
    if claim.change is not None and ended & frozenset(content(claim.change.ended)):
        return UNCLEAR  # the claim itself says that it has ended
    if any(token.sort and not any(agree(mine, token) for mine in claim.values) for token in changed.ended):
        return UNCLEAR  # version 3 ended, and the claim is about version 4
    counted = [token for token in changed.ended if token.sort]
    if counted == [] and any(token.sort in _NUMBERING for token in claim.core[: claim.verb]):
        return UNCLEAR  # of a thing that has a number, what ended may be another
    if _for_once(claim, unit):
        return UNCLEAR
    rest = claim.words - ended - by - context
    extras = unit.words - ended - by - claim.words - NEUTRAL_STEMS - CHANGE_STEMS - conditions
    if extras - {token.key for token in changed.cue} - {"end"}:
        return UNCLEAR
    subject = frozenset(content(claim.core[: claim.verb])) - _NO_SUBJECT
    labelled = claim.verb < len(claim.core) and claim.core[claim.verb].is_mark
    if (
        claim.verb < len(claim.core)
        and not labelled
        and subject
        and subject - context <= ended
        and ended - subject <= context | by
    ):
        verb = claim.core[claim.verb]
        predicate = {token.key for token in claim.core[claim.verb : claim.verb + 4] if not token.is_mark}
        works = stem(verb.text) in OPERATING_STEMS or (
            verb.text.lower() in ("is", "are", "can")
            and (predicate & OPERATING_STEMS or any(map(_recurs, claim.values)))
        )
        if works:
            return Sight(Finding.CONTRADICTED, 0.93, "the document says that it has ended")
        return UNCLEAR
    if rest <= LIGHT_STEMS | OPERATING_STEMS and rest < claim.words and not _descriptive_be(claim):
        return Sight(Finding.CONTRADICTED, 0.9, "the document says that it has ended")
    return UNCLEAR


def _for_once(claim: Reading, unit: Reading) -> bool:
    """*discontinued on Sundays*, *the daily train was cancelled on 3 March*: other days are as they were."""
    changed = unit.change
    assert changed is not None
    some = any(token.sort in ("weekday", "time") and token not in changed.ended for token in unit.values)
    again = any(token.text.lower() in _RECURRING or token.sort == "weekday" for token in claim.core)
    dated = any(token.sort == "date" and token.key.count("-") > 1 for token in unit.clause.tokens)
    return some or (again and dated and changed.verb in _CALLED_OFF)


def _recurs(value: Token) -> bool:
    """*30 euros a month*: what is paid again and again, as long as the thing is there."""
    base, _, per = value.sort.partition("/")
    return base in _MONEY and per in EVERY.values()


def _descriptive_be(claim: Reading) -> bool:
    """Whether a clause says what a thing is, which outlives it: *X is a database*."""
    after = [token.text.lower() for token in claim.core[claim.verb : claim.verb + 2]]
    return len(after) == 2 and after[0] in ("is", "are", "has", "have") and after[1] in ("a", "an", "the", "one")


def _replaced(claim: Reading, unit: Reading, conditions: frozenset[str]) -> Sight | None:
    """*from A to B*, *A was replaced by B*, *instead of A*: A no longer holds, B does."""
    changed = unit.change
    assert changed is not None
    old_words, old_values = frozenset(content(changed.old)), [token for token in changed.old if token.sort]
    new_words, new_values = frozenset(content(changed.new)), [token for token in changed.new if token.sort]
    if unit.denied and changed.verb:
        return UNCLEAR
    held_old = _held(claim, old_words, old_values)
    held_new = _held(claim, new_words - old_words, new_values)
    if changed.verb and held_new and not held_old:
        return Sight(Finding.CONSISTENT, 0.9, "the document says that it became so")
    if not held_old or claim.denied:
        return None
    if (held_new and new_words - old_words) or _returns(unit, old_words):
        return UNCLEAR
    outside = frozenset(content(token for token in unit.core if token not in changed.old and token not in changed.new))
    covered = COVERED_STEMS.get(changed.verb, frozenset())
    missing = claim.words - old_words - outside - unit.context - LIGHT_STEMS - covered - conditions
    extras = outside - claim.words - NEUTRAL_STEMS - CHANGE_STEMS - conditions - unit.context - covered
    extras -= {token.key for token in changed.cue}
    if not missing and not extras and (outside | unit.context) & (claim.words - old_words):
        return Sight(Finding.CONTRADICTED, 0.96, "the document says that this was replaced")
    return UNCLEAR


def _returns(unit: Reading, old: frozenset[str]) -> bool:
    """*moved from A to B and back to A*: what is old is named once more, behind what is new."""
    changed = unit.change
    assert changed is not None
    if not changed.new:
        return False
    later = [token for token in unit.core if token.sort and token.start > changed.new[-1].start]
    if any(agree(was, token) for was in changed.old if was.sort for token in later):
        return True
    if not old:
        return False
    behind = [token for token in unit.clause.tokens if token.start > changed.new[-1].start]
    return old <= frozenset(content(behind)) and any(token.text.lower() in ("back", "again") for token in behind)


def _held(claim: Reading, words: frozenset[str], values: Sequence[Token]) -> bool:
    """Whether what a change names is what the claim's predicate says."""
    if not words and not values:
        return False
    if values:
        return (
            all(any(agree(mine, theirs) for mine in claim.values) for theirs in values)
            and words <= claim.words | NEUTRAL_STEMS
        )
    used = [token.text for token in claim.core[claim.verb + 1 : claim.verb + 2]] == ["used"]  # "Redis is used for ..."
    said_over = () if claim.change is None else (*claim.change.old, *claim.change.ended)
    says = frozenset(content(token for token in claim.core[claim.verb :] if token not in said_over))
    predicate = claim.words if used else says or claim.words
    return words <= predicate
