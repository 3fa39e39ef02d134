"""How far a note in force may be trusted at one moment: confidence, band, and whether its owner is due. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from upheld.note import Band, Certainty, Channel, Note, instant, moment
from upheld.owners import is_pointer, window
from upheld.policy import Policy
from upheld.ports import Seen
from upheld.standing import Instant, confidence

NEVER = Seen(None, None)
_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """What an answer needs to know of a note in force.

    `band` is None below the floor. `since` is when the note was last seen to hold, `due` whether its owner has to be
    asked first, `settled` whether somebody entitled confirmed it or its owner agreed with it, at whatever time.
    """

    confidence: float
    band: Band | None
    since: datetime
    confirmed_at: datetime | None
    verified_at: datetime | None
    due: bool
    settled: bool

    @property
    def ready(self) -> bool:
        """Whether an action with a cost may rest on the note."""
        return self.band is Band.ASSERT and self.settled and not self.due


def trust(
    note: Note,
    policy: Policy,
    *,
    at: Instant,
    seen: Seen = NEVER,
    owned: bool = False,
) -> Trust:
    """Judge a note at a moment. Age counts from when it was last seen to hold; reading it changes nothing.

    `owned` says that a system owns its value. The bands and the window are those of essay 001: a plan tier is fresh
    for a minute and read again beyond it.
    """
    rules = policy.rules_of(note.kind)
    said = instant(note.observed_at or note.recorded_at)
    last = max(said, seen.last or said)
    level = note.confidence
    if rules.half_life is not None:
        level = confidence(level, age=at - last, half_life=int(rules.half_life.total_seconds() * _MICROSECONDS))
    verified = seen.verified
    if note.channel is Channel.SYSTEM_OF_RECORD:
        verified = max(said, verified or said)
    fresh_from = max(said, verified or said)
    window_us = int(window(note, policy).total_seconds() * _MICROSECONDS) if owned else 0
    return Trust(
        confidence=level,
        band=rules.band(level),
        since=moment(last),
        confirmed_at=None if seen.confirmed is None else moment(seen.confirmed),
        verified_at=None if verified is None else moment(verified),
        due=owned and (is_pointer(note) or at - fresh_from >= window_us),
        settled=note.certainty is Certainty.CONFIRMED or seen.last is not None,
    )
