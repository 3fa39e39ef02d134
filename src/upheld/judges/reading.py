"""A clause prepared for comparison: what it holds now, what it says is over, since when, and under which headings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from upheld.judges.clauses import Clause, denied, in_past
from upheld.judges.endings import Change, change, lemma_of
from upheld.judges.lexicon import COVERED_BY, NARROWING, SETTINGS
from upheld.judges.mood import Mood
from upheld.judges.since import effective
from upheld.judges.tokens import Token, stem
from upheld.keys.words import BASE, BE, KINDS, NOUNS_TOO, THIRD, VERB
from upheld.values.units import CURRENCY, NUMBER_WORDS, UNITS

__all__ = ["Reading", "read"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A clause prepared for comparison.

    `core` leaves out asides and what only says since when; `verb` is the place in it of the first finite verb, or its
    length. `values` and `words` are those of the core that hold now; `all_values` those that no longer hold, too.
    `settings` are the environments it names, `qualified` what brackets behind a label bound it to. `anybody` says that
    its subject is no known one ("a man").
    """

    clause: Clause
    core: tuple[Token, ...]
    verb: int
    values: tuple[Token, ...]
    all_values: tuple[Token, ...]
    words: frozenset[str]
    context: frozenset[str]
    settings: frozenset[str]
    covers: frozenset[str]
    narrowed: frozenset[str]
    change: Change | None
    qualified: frozenset[str]
    over: bool
    past: bool
    denied: bool
    since: datetime | None
    anybody: bool

    @property
    def mood(self) -> Mood:
        """Whether it states something."""
        return self.clause.mood


_REASONS: Final = frozenset("because so thanks owing which who whose making giving allowing meaning citing".split())
_TIMED_REASONS: Final = frozenset(("due", "since", "after", "following", "as", "to", "when", "where"))
_ANY: Final = frozenset(
    "a an some several many few any somebody someone people there one another men women kids children".split()
)
_POINTING: Final = frozenset("he she it they this that these those you i who there".split())
# "25 % discount applies": a measure is no crowd, as "two men" are.
_MEASURED: Final = (
    frozenset(base for base, _ in UNITS.values())
    | frozenset(CURRENCY.values())
    | {"date", "weekday", "time", "version"}
)
_VERBS: Final = frozenset("belongs consists resides".split())
_CLOSED: Final = {"(": ")", "[": "]"}
_COVERED: Final = {verb: frozenset(map(stem, words)) for verb, words in COVERED_BY.items()}
_BOUNDING: Final = frozenset(
    "least most more less fewer about around approximately roughly approx circa nearly almost some exceeding above "
    "below minimum maximum".split()
)


def read(clause: Clause) -> Reading:
    """Prepare a clause. Pure; a few microseconds a word."""
    changed = Change(verb="struck", over=True) if clause.struck else change(clause.tokens)
    since, moment = effective(clause.tokens, changed)
    core = tuple(token for token in _without_asides(clause.tokens, changed) if token not in since)
    old = frozenset(changed.old) if changed is not None else frozenset()
    cue = changed.cue if changed is not None else frozenset()
    current = [token for token in core if token not in old]
    all_values = tuple(token for token in core if token.sort)
    words = frozenset(token.key for at, token in enumerate(current) if token.is_content and not _bounds(current, at))
    lows = [token.text.lower() for token in core]
    aside = {token.text.lower() for token in clause.tokens} - set(lows)
    verb = next((at for at in range(len(core)) if _is_verb(core, lows, at)), len(core))
    over = changed is not None and changed.over
    return Reading(
        clause=clause,
        core=core,
        verb=verb,
        values=tuple(token for token in current if token.sort),
        all_values=all_values,
        words=words,
        context=clause.context,
        settings=frozenset(
            SETTINGS[low] for low in (*lows, *aside) if low in SETTINGS and low not in ("live", "test", "stage")
        ),
        covers=frozenset().union(*(_COVERED.get(lemma_of(low), frozenset()) for low in lows)),
        narrowed=(clause.above.narrowed | aside) & NARROWING,
        change=changed,
        qualified=_qualified(clause, core, verb),
        over=over,
        past=in_past(core) and changed is None,
        denied=denied(core),
        since=moment,
        anybody=_is_anybody(core, lows, verb) and not (cue and old),
    )


def _qualified(clause: Clause, core: Sequence[Token], verb: int) -> frozenset[str]:
    """*Approver (backup): Bob*: brackets in front of the colon say of which one; a unit there belongs to the value."""
    if not clause.label or verb >= len(core) or core[verb].text != ":":
        return frozenset()
    front = [token for token in clause.tokens if token.start < core[verb].start and token not in core]
    return frozenset(
        token.key
        for token in front
        if (token.is_content or token.sort) and not ({token.text.lower()} & (UNITS.keys() | CURRENCY.keys()))
    )


def _without_asides(words: Sequence[Token], changed: Change | None) -> list[Token]:
    """Without brackets, and without the reason at the end."""
    kept: list[Token] = []
    named = {*changed.old, *changed.new, *changed.ended, *changed.cue} if changed is not None else set()
    depth = 0
    for at, token in enumerate(words):
        low = token.text.lower()
        if low in _CLOSED:
            depth += any(other.text == _CLOSED[low] for other in words[at + 1 :])
        elif low in (")", "]"):
            depth = max(0, depth - 1)
        elif depth:
            continue
        elif at > 2 and token not in named and not token.sort:
            if low in _REASONS and any(_finite(other) or other.sort for other in words[:at]):
                break
            follower = words[at + 1] if at + 1 < len(words) else None
            if low in _TIMED_REASONS and follower is not None and _opens_reason(low, follower, words, at):
                break
            kept.append(token)
        else:
            kept.append(token)
    return kept


def _opens_reason(low: str, follower: Token, words: Sequence[Token], at: int) -> bool:
    text = follower.text.lower()
    if low == "to":
        return at > 3 and KINDS.get(text) == BASE and text not in NOUNS_TOO and any(token.sort for token in words[:at])
    if low in ("when", "where"):
        return False
    if low == "due":
        return text == "to"
    if low == "as":
        return text in ("part", "a", "we", "the", "it") and any(token.sort for token in words[:at])
    return not follower.sort and text in ("the", "a", "an", "we", "it", "our", "this") and any(
        token.sort or _finite(token) for token in words[:at]
    )  # fmt: skip


def _finite(token: Token) -> bool:
    return not token.sort and BE <= KINDS.get(token.text.lower(), 0) <= VERB


def _bounds(words: Sequence[Token], at: int) -> bool:
    """Whether a word only bounds the value behind it: *at least 8*."""
    if words[at].text.lower() not in _BOUNDING:
        return False
    return any(token.sort and token.bound for token in words[at + 1 : at + 3])


def _is_verb(core: Sequence[Token], lows: list[str], at: int) -> bool:
    if core[at].text in (":", "="):
        return True
    if not at or core[at].sort:
        return False
    kind = KINDS.get(lows[at], VERB if lows[at] in _VERBS else 0)
    if kind == VERB and THIRD.get(lows[at]) in NOUNS_TOO and any(map(_finite, core[at + 1 : at + 4])):
        return False  # "cluster upgrades happened"
    if kind == BASE:
        before = lows[at - 1]
        plural = before.endswith("s") and not before.endswith(("ss", "'s", "us", "is"))
        return (plural or before in ("we", "i", "they", "must", "may", "should")) and (
            lows[at] not in NOUNS_TOO or at + 1 < len(core)
        )
    return BE <= kind <= VERB or lows[at] in ("must", "may", "should", "shall", "could", "would")


def _is_anybody(core: Sequence[Token], lows: list[str], verb: int) -> bool:
    first = lows[0] if lows else ""
    if (first in _POINTING and (len(core) < 2 or verb == 1)) or "there" in lows[:verb]:
        return True
    if first in ("a", "an"):
        measured = any(token.sort not in ("", "number", "weekday", "date") for token in core)
        return not measured
    if first in ("one", "another") or first in _ANY:
        return True
    counted = bool(core) and core[0].sort not in _MEASURED and core[0].sort != ""
    return (counted or first in NUMBER_WORDS) and verb < len(core)
