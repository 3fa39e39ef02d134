"""How long each class of values may go unasked, for a given number of calls; and what that costs in wrong answers.

**The model.** A note's value was right on the first date. In the span up to the last date it changes with the rate of
its class, at an unknown moment: any is as likely. It is asked for at random moments, `ASKS` times on average, the last
time on the last date. A value is asserted without a call while its window `w` lasts; the first question after that
makes the call, and begins a new window. On the first date every note stands at a random point of its window, as in a
store that has long been in use; otherwise all would fall due on one day.

**What follows.** With `g` the mean time between questions, `T` the span and `x = w + g`: a note is called about
`(T + g) / x` times, and on the last date it is wrong with probability `p / T * (x - g)^2 / 2x`, where `p` is the
chance that it changed; for a window longer than the span, with `p / T * (T - (T^2 / 2 + T g) / x)`.

**The best windows** for a number of calls are those where one more call gains the same in every class (the method of
Lagrange multipliers, as Cho and Garcia-Molina use it for the refreshing of pages: "Effective page refresh policies for
Web crawlers", ACM TODS 28(4), 2003). Here that gives `x^2 = g^2 + m / p` with one number `m` for all classes, so where
questions are many the window is proportional to `1 / sqrt(p)`. A class whose first call gains less than that gets none:
few calls all go to the class that moves fastest.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Minutes = NDArray[np.int64]

ASKS = 24
"""How often a note is asked for between the two dates, on average: about once a month in two years."""
NEVER = 36_500 * 1440
"""The longest window of a policy, in minutes. A note with this one is never asked about."""
_SHRUNK_BY = 10
_HALVINGS = 100


def rates(learned: Iterable[tuple[str, bool]]) -> dict[str, float]:
    """What share of each class changed, learned from notes; "" is the share of all.

    A class is taken as if ten more notes of it had changed at the rate of all, so that few notes say little.

    >>> rates([("a", True), ("a", True), ("b", False), ("b", False)])
    {'': 0.5, 'a': 0.5833333333333334, 'b': 0.4166666666666667}
    """
    listed = list(learned)
    overall = sum(changed for _, changed in listed) / len(listed) if listed else 0.0
    notes, moved = Counter(kind for kind, _ in listed), Counter(kind for kind, changed in listed if changed)
    each = {kind: (moved[kind] + _SHRUNK_BY * overall) / (count + _SHRUNK_BY) for kind, count in notes.items()}
    return {"": overall, **each}


def uniform(calls: float, span: int) -> int:
    """The one window, in minutes, that costs so many calls a note over a span in minutes.

    >>> uniform(0, 1_000_000) == NEVER, uniform(1, 960), uniform(24, 960)
    (True, 960, 1)
    """
    gap = _gap(span)
    return _minutes((span + gap) / calls - gap) if calls > 0 else NEVER


def class_aware(calls: float, span: int, shares: Mapping[str, float], moving: Mapping[str, float]) -> dict[str, int]:
    """The windows, in minutes, by class, that leave the fewest wrong answers for so many calls a note.

    `shares` is how much of the notes each class is, in sum 1; `moving` the chance that a note of it changed. Where
    nothing is known to move, one window serves all.

    >>> class_aware(0.5, 1000, {"fast": 0.5, "slow": 0.5}, {"fast": 0.4, "slow": 0.1}) == {"fast": 1000, "slow": NEVER}
    True
    >>> class_aware(12, 960, {"fast": 0.5, "slow": 0.5}, {"fast": 0.4, "slow": 0.1})
    {'fast': 25, 'slow': 70}
    """
    if not any(moving[kind] for kind in shares):
        return dict.fromkeys(shares, uniform(calls, span))
    gap = _gap(span)
    whole = (span + gap) ** 2 - gap**2

    def lengths(multiplier: float) -> dict[str, float]:
        """Window and mean wait together, of the classes that are called about at all."""
        return {
            kind: math.sqrt(gap**2 + multiplier / moving[kind]) for kind in shares if moving[kind] * whole > multiplier
        }

    def cost(found: Mapping[str, float]) -> float:
        return sum(shares[kind] * (span + gap) / length for kind, length in found.items())

    low, high = 0.0, max(moving[kind] for kind in shares) * whole
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if cost(lengths(middle)) >= calls else (low, middle)
    found = lengths(high)
    # A class comes in with one call a note at once; where the calls do not reach for that, it gets what is left.
    edge, rest = lengths(low).keys() - found.keys(), calls - cost(found)
    share = sum(shares[kind] for kind in edge)
    if share > 0 and rest > 0:
        found |= dict.fromkeys(edge, (span + gap) * share / rest)
    return {kind: _minutes(found[kind] - gap) if kind in found else NEVER for kind in shares}


def _gap(span: int) -> float:
    """The mean time between two questions about a note, in minutes: the last of `ASKS` is on the last date."""
    return span / (ASKS - 1)


def _minutes(length: float) -> int:
    return max(1, min(round(length), NEVER))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What chance decided about some notes, a row each: all but `turns` in minutes after the first date.

    `asks` are in order, filled up with moments after the span; `changes` is after the span where nothing changed.
    `turns` says at which point of its window a note stands on the first date, from 0 to 1.
    """

    span: int
    asks: Minutes
    changes: Minutes
    turns: NDArray[np.float64]

    def seen(self, windows: Minutes) -> Minutes:
        """When each note was last verified before the first date, or on it: at most 0."""
        ages = np.minimum(self.turns * (windows + _gap(self.span)), windows).astype(np.int64)
        return np.asarray(np.where(windows >= NEVER, 0, -ages), dtype=np.int64)

    def is_wrong(self, right_at: Minutes) -> NDArray[np.bool_]:
        """Whether what was right at some moment was wrong on the last date."""
        return np.asarray((right_at < self.changes) & (self.changes <= self.span))

    def chance_of_wrong(self, right_at: Minutes) -> NDArray[np.float64]:
        """The same, averaged over every moment at which a note that changed may have changed; calls tell of none."""
        return np.asarray((self.changes <= self.span) * (self.span - right_at) / self.span)


def draw(chance: np.random.Generator, changed: Sequence[bool], span: int) -> Drawn:
    """Draw, for notes of which some changed within a span in minutes, when, and when each is asked for."""
    number = len(changed)
    counts = chance.poisson(ASKS - 1, number)
    asks = chance.integers(1, span, (number, int(counts.max(initial=0)) + 1))
    asks[np.arange(asks.shape[1])[None, :] > counts[:, None]] = 2 * span
    asks[:, 0] = span
    asks.sort(axis=1)
    moments = chance.integers(1, span, number, endpoint=True)
    return Drawn(
        span=span,
        asks=asks,
        changes=np.where(np.asarray(changed), moments, 2 * span),
        turns=chance.random(number),
    )


def simulate(drawn: Drawn, windows: Minutes) -> tuple[Minutes, Minutes]:
    """How many calls each note cost with its window in minutes, and since when its value on the last date is right.

    That is the last moment at which it was known to hold: of the last call, or 0 for the first date.
    """
    asked_at = drawn.seen(windows)
    right_at = np.zeros_like(asked_at)
    calls = np.zeros_like(asked_at)
    for at in drawn.asks.T:
        due = (at <= drawn.span) & (at - asked_at >= windows) & (windows < NEVER)
        calls += due
        asked_at, right_at = np.where(due, at, asked_at), np.where(due, at, right_at)
    return calls, right_at
