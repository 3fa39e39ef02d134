"""How far a note in force may be trusted at one moment: confidence, band, and whether its owner is due. Pure."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from upheld.note import Band, Certainty, Channel, Note, instant, moment
from upheld.owners import is_pointer, window
from upheld.policy import KindPolicy, Policy
from upheld.ports import Seen
from upheld.standing import Instant, confidence

NEVER = Seen(None, None)
_MICROSECONDS = 1_000_000


class Trust(Struct, frozen=True, gc=False):
    """What an answer needs to know of a note in force.

    `band` is None below the floor, `due` says whether its owner has to be asked first.
    """

    note: Note
    rules: KindPolicy
    seen: Seen
    confidence: float
    band: Band | None
    due: bool

    @property
    def ages(self) -> bool:
        """Whether it matters when it was last seen to hold: it loses trust with time, or is not asserted."""
        return self.rules.half_life is not None or self.band is not Band.ASSERT

    @property
    def since(self) -> datetime:
        """When it was last seen to hold."""
        return moment(_last(self.note, self.seen.last))

    @property
    def confirmed_at(self) -> datetime | None:
        """When somebody last confirmed it."""
        return None if self.seen.confirmed is None else moment(self.seen.confirmed)

    @property
    def verified_at(self) -> datetime | None:
        """When the owner of its value last agreed; what a system of record said was true there when it was read."""
        verified = None if self.seen.verified is None else moment(self.seen.verified)
        if self.note.channel is Channel.SYSTEM_OF_RECORD:
            said = self.note.observed_at or self.note.recorded_at
            return said if verified is None else max(said, verified)
        return verified

    @property
    def settled(self) -> bool:
        """Whether somebody entitled confirmed it or its owner agreed with it, at whatever time."""
        return self.note.certainty is Certainty.CONFIRMED or self.seen.last is not None

    @property
    def ready(self) -> bool:
        """Whether an action with a cost may rest on the note."""
        return self.band is Band.ASSERT and self.settled and not self.due


def trust(note: Note, policy: Policy, *, at: Instant, seen: Seen = NEVER, owned: bool = False) -> Trust:
    """Judge a note at a moment. Age counts from when it was last seen to hold; reading it changes nothing.

    `owned` says that a system owns its value. The bands and the window are those of essay 001: a plan tier is fresh
    for a minute and read again beyond it.
    """
    rules = policy.rules_of(note.kind)
    level = note.confidence
    if rules.half_life is not None:
        age = at - _last(note, seen.last)
        level = confidence(level, age=age, half_life=int(rules.half_life.total_seconds() * _MICROSECONDS))
    due = False
    if owned:
        good_for = int(window(note, policy).total_seconds() * _MICROSECONDS)
        due = is_pointer(note) or at - _last(note, seen.verified) >= good_for
    return Trust(note, rules, seen, level, rules.band(level), due)


def _last(note: Note, seen: Instant | None) -> Instant:
    """The later of when a note was said and when it was seen to hold after that."""
    said = instant(note.observed_at or note.recorded_at)
    return said if seen is None else max(said, seen)
