"""An audit: which notes to look at, and what their answers say of how fast a kind of note goes wrong. Pure.

Theory of operation
-------------------
Who looks at a note once learns on which side of that moment it changed, not when:

    right    it still held: it changes after its age, if ever
    wrong    it changed at some time between when it was last seen to hold and the look

Such data is called *current-status*, or interval-censored. With a half-life h the chance that a note still holds at age
a is 2^(-a/h), the same curve by which confidence ages, so both answers have a likelihood, and the half-life is the
one under which all answers are likeliest. Its interval holds every half-life that is not too much less likely.

What users correct must not be taken for it: most of what is wrong is never corrected, and what is, late. In a
simulation that read 1,070 days where 180 were true (`docs/audit.md` runs it). Source: essay 001, "a periodic
staleness audit samples facts per class".
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from heapq import nsmallest

from upheld.errors import Invalid, shown
from upheld.ledger import Audit, Audited
from upheld.note import Standing
from upheld.policy import KindPolicy, Policy
from upheld.rates import Z95, Rate, rate
from upheld.standing import Seq

FEWEST = 30
"""With fewer answers a half-life is not fitted: its interval would be too wide to act on, or not to be relied on."""
TOLERANCE = 0.1
"""The wrong rate that is put up with, where nothing else is said."""
MOST_SEED = (1 << 63) - 1

_DAY = timedelta(days=1)
_SECOND = 1 / 86400
_LIKELY = Z95 * Z95 / 2
"""How far the log-likelihood may fall inside the 95 % interval: half the 0.95 quantile of chi-square."""
_SHORTEST, _LONGEST = 1e-9, 1e9
_HALVINGS = 60
_UNITS = {"d": 1.0, "h": 1 / 24, "m": 1 / 1440, "s": _SECOND, "ms": _SECOND / 1000}
_NEVER = 36500


@dataclass(frozen=True, slots=True)
class Status:
    """What the answers say of one note: it was seen to hold for so many days, and was wrong by then; None if it held.

    >>> Status(0, 90.0), Status(90.0, None)  # wrong at 90 days; right at 90 days
    (Status(held=0, wrong_by=90.0), Status(held=90.0, wrong_by=None))
    """

    held: float
    wrong_by: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfLife:
    """After how many days half of the notes are wrong, with its 95 % interval.

    `high` None means that there is no upper end (none was wrong), `low` None no lower one (all were). Then `days`, the
    likeliest, is None too.
    """

    days: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OfKind:
    """What audits say of one kind.

    `right`, `wrong` and `open` count notes; `open` wait for a person, so the share that is wrong lies between `best`
    and `worst`. `rate` is the share that is wrong of those that were answered. `half_life` is None while `needed` more
    answers are. `present` is the half-life that the policy sets, `suggested` another where the interval excludes that.
    `tolerated` is how old notes are, in days, when the tolerated share of them is wrong: what to verify after, or a
    lifetime; `dropped` is the share of the notes that still hold which are older than that.
    """

    kind: str
    right: int
    wrong: int
    open: int
    rate: Rate
    best: float | None
    worst: float | None
    needed: int
    half_life: HalfLife | None
    present: str
    suggested: str | None
    tolerated: float | None
    dropped: Rate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What some audits found, by kind. `tolerance` is the wrong rate that is put up with, from 0 to 1.

    `held_back` are notes that documents contradict and that were not retired: more than the policy lets pass unasked.
    """

    audits: tuple[Audit, ...]
    tolerance: float
    kinds: tuple[OfKind, ...]
    held_back: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditQuestion:
    """What a person is asked: does this note still hold? `age_days` counts from when it was last seen to.

    It is for the people who own the notes, so the statement is there whatever the note's standing is by now.
    """

    audit: int
    note: str
    scope: str
    kind: str
    statement: str
    standing: Standing
    age_days: float
    asked_at: datetime


def sample(seqs: Iterable[Seq], size: int, seed: int) -> list[Seq]:
    """Draw at most `size` notes, all equally likely; the same notes and seed give the same sample, in the same order.

    Each note gets a number from the seed and its own position, and the lowest are drawn: no two orders of the same
    notes, no platform and no version of a library draw differently.

    >>> sample(range(1, 1000), 5, seed=1) == sample(range(999, 0, -1), 5, seed=1) != sample(range(1, 1000), 5, seed=2)
    True
    """
    return nsmallest(size, seqs, key=lambda seq: (blake2b(b"%d:%d" % (seed, seq), digest_size=16).digest(), seq))


def half_life(answers: Iterable[Status]) -> HalfLife | None:
    """Fit a half-life, in days, to what became of some notes; None where they say nothing of it.

    The end where nothing was found stays open: where none was wrong there is a least half-life only.

    >>> half_life([Status(90.0, None)] * 50 + [Status(0, 90.0)] * 50).days
    90.0
    >>> half_life([Status(90.0, None)] * 50)
    HalfLife(days=None, low=1623.946765, high=None)
    """
    listed = [*answers]
    held = sum(each.held for each in listed)
    gaps = [max(each.wrong_by - each.held, _SECOND) for each in listed if each.wrong_by is not None]

    def level(days: float) -> float:
        rate = math.log(2) / days
        return sum(math.log(-math.expm1(-rate * gap)) for gap in gaps) - rate * held

    def is_short(days: float) -> bool:  # the likelihood still rises with the half-life
        rate = math.log(2) / days
        return held > sum(gap / math.expm1(min(rate * gap, 700.0)) for gap in gaps)

    if not gaps:
        return HalfLife(days=None, low=round(math.log(2) * held / _LIKELY, 6), high=None) if held else None
    if not held:
        return HalfLife(days=None, low=None, high=_turn(lambda days: level(days) > -_LIKELY, _SHORTEST, _LONGEST))
    best = _turn(is_short, _SHORTEST, _LONGEST)
    least = level(best) - _LIKELY
    return HalfLife(
        days=best,
        low=_turn(lambda days: level(days) < least, _SHORTEST, best),
        high=_turn(lambda days: level(days) > least, best, _LONGEST),
    )


def _turn(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Where something ceases to hold, by halving on the scale of logarithms."""
    left, right = math.log(low), math.log(high)
    for _ in range(_HALVINGS):
        middle = (left + right) / 2
        left, right = (middle, right) if holds(math.exp(middle)) else (left, middle)
    return round(math.exp(left), 6)


def statuses(rows: Iterable[Audited], begun: Mapping[int, datetime]) -> list[Status]:
    """What answers say of each note, from the moment at which it was last seen to hold before it was drawn.

    `begun` says when each audit was. An answer counts from the moment when it was given, which for a person may be
    days after the note was drawn. Several answers about one note since the same moment are one observation.
    """
    seen: dict[tuple[Seq, datetime], list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        if row.wrong is not None and row.answered_at is not None:
            since = begun[row.audit] - row.age
            seen[row.note, since].append((max(row.answered_at - since, timedelta(0)) / _DAY, row.wrong))
    found = []
    for answers in seen.values():
        wrong_by = min((age for age, wrong in answers if wrong), default=None)
        held = max((age for age, wrong in answers if not wrong and (wrong_by is None or age < wrong_by)), default=0.0)
        found.append(Status(held, wrong_by))
    return found


def report(
    rows: Sequence[Audited],
    audits: Sequence[Audit],
    policy: Policy,
    *,
    tolerance: float = TOLERANCE,
    held_back: tuple[str, ...] = (),
) -> AuditReport:
    """Say what some audits found, by kind in the order of their names."""
    begun = {audit.number: audit.at for audit in audits}
    by_kind: dict[str, list[Audited]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    kinds = tuple(
        _of_kind(kind, by_kind[kind], begun, policy.kinds.get(kind, KindPolicy()), tolerance)
        for kind in sorted(by_kind)
    )
    return AuditReport(audits=tuple(audits), tolerance=tolerance, kinds=kinds, held_back=held_back)


def _of_kind(
    kind: str, rows: Sequence[Audited], begun: Mapping[int, datetime], rules: KindPolicy, tolerance: float
) -> OfKind:
    wrong, answered = sum(row.wrong is True for row in rows), sum(row.wrong is not None for row in rows)
    waiting = len(rows) - answered
    answers = statuses(rows, begun)
    fitted = half_life(answers) if answered >= FEWEST else None
    days = None if fitted is None else _nearest(fitted)
    tolerated = None if days is None else -math.log2(1 - tolerance) * days
    right_ages = [each.held for each in answers if each.wrong_by is None]
    return OfKind(
        kind=kind,
        right=answered - wrong,
        wrong=wrong,
        open=waiting,
        rate=rate(wrong, answered),
        best=wrong / len(rows) if rows else None,
        worst=(wrong + waiting) / len(rows) if rows else None,
        needed=max(0, FEWEST - answered),
        half_life=fitted,
        present="never" if rules.half_life is None else duration_text(rules.half_life / _DAY),
        suggested=None if fitted is None else _suggested(fitted, rules.half_life),
        tolerated=tolerated,
        dropped=None
        if tolerated is None or not right_ages
        else rate(sum(age > tolerated for age in right_ages), len(right_ages)),
    )


def _nearest(fitted: HalfLife) -> float:
    """The likeliest half-life, or the one end that is known."""
    return next(days for days in (fitted.days, fitted.low, fitted.high) if days is not None)


def _suggested(fitted: HalfLife, present: timedelta | None) -> str | None:
    """Another half-life, where the interval excludes the present one; without a likeliest, the end next to it."""
    days = math.inf if present is None else present / _DAY
    low, high = fitted.low or 0.0, math.inf if fitted.high is None else fitted.high
    return None if low <= days <= high else duration_text(_nearest(fitted))


def duration_text(days: float) -> str:
    """A duration as a policy writes it, in the largest unit of which there are ten.

    >>> [duration_text(days) for days in (730, 9.6, 0.5, 1e9)]
    ['730d', '230h', '12h', 'never']
    """
    if days > _NEVER:
        return "never"
    unit = next((unit for unit, length in _UNITS.items() if days >= 10 * length), "ms")
    return f"{max(1, round(days / _UNITS[unit]))}{unit}"


def seed(value: object) -> int:
    """A seed: a whole number that a store can keep."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_SEED:
        raise Invalid(f"seed must be a whole number from 0 to {MOST_SEED}, not {shown(value)}")
    return value


def tolerance(value: object) -> float:
    """A wrong rate that is put up with: above 0 and below 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1:
        raise Invalid(f"tolerance must be a number above 0 and below 1, not {shown(value)}")
    return float(value)
