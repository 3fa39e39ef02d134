"""THE PAGE: when a note stands.

Theory of operation
-------------------
Nothing here is ever marked. A note is written once; links from other notes and events about it follow in the
same log, each with a position `seq`. Whether the note *stands* is a question with two moments in it:

    valid_at    when it should have been true in the world (an instant: microseconds UTC)
    known_at    how far the log is read (a position): what comes later was not known

A `World` holds what the log says about some notes and about all they touch. `standing` walks the table `RULES`
from the top and returns the first rule that fires; a note for which none fires is in force. The order matters
only for the *name* of the standing: whichever fires, the note is not served as current.

    erased, retracted    it is gone, or never held                         (at any valid_at)
    contradicted         a document says otherwise, from its effective date on
    superseded           a successor has begun
    not_yet, ended       outside its own period, which is half-open: [valid_from, valid_to)
    expired              its lease ran out; at exactly `expires_at` it is gone
    proposed             a hypothesis: kept, never settled
    stale                something it was derived from was corrected, at any depth
    needs_check          something it depends on does not stand, at any depth
    disputed             evidence of equal or unknown weight says otherwise and still holds
    needs_check          the only document that it came from was removed, which contradicts nothing

A *successor* counts if its link is not taken back, it has begun, it was not retracted, and it is no hypothesis. One
that does not count is looked *through*: its own successors may count. So an expired or contradicted replacement
does not revive the old answer; retracting it, or withdrawing its link, does, unless a later one stands behind it.

A note may depend on, or be derived from, notes recorded before it only, so support has no cycles and is settled
in one pass, oldest first. Supersession is walked with a visited set, so a cycle in damaged data ends: each note
on it is superseded by the others.

`db/queries.sql` holds the same rules as one statement (`standings`); a property test holds the two equal on random
worlds, and every rule has a mutant that a named test must catch. Change one, change both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct, field

from upheld.note import Certainty, Rel, Standing, Verb

Instant = int
Seq = int


class Recorded(Struct, frozen=True, gc=False):
    """What the rule needs to know of a note itself, and what may be told of one that does not stand."""

    seq: Seq
    valid_from: Instant | None
    valid_to: Instant | None
    expires_at: Instant | None
    certainty: str
    observed_at: Instant | None = None
    recorded_at: Instant = 0
    id: str = ""
    scope: str = ""
    kind: str = ""

    @property
    def event_time(self) -> Instant | None:
        """When the statement began to hold, or else when its source saw it; None if neither is known."""
        return self.valid_from if self.valid_from is not None else self.observed_at


class Arrow(Struct, frozen=True, gc=False):
    """A link seen from one of its ends; `note` is the other end."""

    seq: Seq
    rel: str
    note: Seq


class Entry(Struct, frozen=True, gc=False):
    """An event about a note."""

    seq: Seq
    verb: str
    effective_from: Instant | None
    against: Seq | None


class World(Struct, frozen=True, gc=False):
    """What the log says about some notes and all they touch.

    `undone` maps a link or event to what took it back, `said` to when it took effect and the reason that was given.
    """

    notes: Mapping[Seq, Recorded]
    successors: Mapping[Seq, Sequence[Arrow]] = field(default_factory=dict)
    grounds: Mapping[Seq, Sequence[Arrow]] = field(default_factory=dict)
    entries: Mapping[Seq, Sequence[Entry]] = field(default_factory=dict)
    undone: Mapping[Seq, Seq] = field(default_factory=dict)
    said: Mapping[Seq, tuple[Instant, str | None]] = field(default_factory=dict)

    def __or__(self, other: World) -> World:
        """Both together."""
        return World(
            {**self.notes, **other.notes},
            {**self.successors, **other.successors},
            {**self.grounds, **other.grounds},
            {**self.entries, **other.entries},
            {**self.undone, **other.undone},
            {**self.said, **other.said},
        )


class Ruling(Struct, frozen=True, gc=False):
    """A standing and what it rests on: the notes (`by`) and log positions (`because`) that brought it about."""

    standing: Standing
    by: tuple[Seq, ...] = ()
    because: tuple[Seq, ...] = ()


IN_FORCE = Ruling(Standing.IN_FORCE)

_CORRECTED = frozenset({Standing.ERASED, Standing.RETRACTED, Standing.CONTRADICTED, Standing.SUPERSEDED})


class Question(Struct, frozen=True, gc=False):
    """A world asked about at two moments."""

    world: World
    valid_at: Instant
    known_at: Seq

    def holds(self, seq: Seq) -> bool:
        """Whether a link or event was recorded by then and not taken back by then."""
        return seq <= self.known_at and not self.world.undone.get(seq, self.known_at + 1) <= self.known_at

    def entries(self, note: Seq, verb: Verb) -> list[Entry]:
        """The events of one kind about a note that hold."""
        found = self.world.entries.get(note)
        return [] if found is None else [entry for entry in found if entry.verb == verb and self.holds(entry.seq)]

    def arrows(self, among: Mapping[Seq, Sequence[Arrow]], note: Seq) -> list[Arrow]:
        """The links at a note that hold."""
        return [arrow for arrow in among.get(note, ()) if self.holds(arrow.seq)]


def _erased(ask: Question, note: Recorded) -> Ruling | None:
    found = ask.entries(note.seq, Verb.ERASED)
    return Ruling(Standing.ERASED, because=(found[0].seq,)) if found else None


def _retracted(ask: Question, note: Recorded) -> Ruling | None:
    found = ask.entries(note.seq, Verb.RETRACTED)
    return Ruling(Standing.RETRACTED, because=(found[0].seq,)) if found else None


def _contradicted(ask: Question, note: Recorded) -> Ruling | None:
    for entry in ask.entries(note.seq, Verb.CONTRADICTED):
        if entry.effective_from is None or entry.effective_from <= ask.valid_at:
            return Ruling(Standing.CONTRADICTED, because=(entry.seq,))
    return None


def counts(ask: Question, successor: Recorded) -> bool:
    """Whether a successor takes the place of what it supersedes."""
    return (
        successor.seq <= ask.known_at
        and (successor.valid_from is None or successor.valid_from <= ask.valid_at)
        and successor.certainty != Certainty.HYPOTHESIS
        and not ask.entries(successor.seq, Verb.RETRACTED)
    )


def _superseded(ask: Question, note: Recorded) -> Ruling | None:
    seen: set[Seq] = set()
    front = ask.arrows(ask.world.successors, note.seq)
    while front:
        counting = [arrow for arrow in front if counts(ask, ask.world.notes[arrow.note])]
        if counting:
            return Ruling(
                Standing.SUPERSEDED,
                by=tuple([arrow.note for arrow in counting]),
                because=tuple([arrow.seq for arrow in counting]),
            )
        seen.update(arrow.note for arrow in front)
        front = [
            further
            for arrow in front
            for further in ask.arrows(ask.world.successors, arrow.note)
            if further.note not in seen
        ]
    return None


def _not_yet(ask: Question, note: Recorded) -> Ruling | None:
    return Ruling(Standing.NOT_YET) if note.valid_from is not None and note.valid_from > ask.valid_at else None


def _ended(ask: Question, note: Recorded) -> Ruling | None:
    return Ruling(Standing.ENDED) if note.valid_to is not None and note.valid_to <= ask.valid_at else None


def _expired(ask: Question, note: Recorded) -> Ruling | None:
    return Ruling(Standing.EXPIRED) if note.expires_at is not None and note.expires_at <= ask.valid_at else None


def _proposed(ask: Question, note: Recorded) -> Ruling | None:
    return Ruling(Standing.PROPOSED) if note.certainty == Certainty.HYPOTHESIS else None


def _disputed(ask: Question, note: Recorded) -> Ruling | None:
    for entry in ask.entries(note.seq, Verb.DISPUTED):
        rival = ask.world.notes.get(entry.against) if entry.against is not None else None
        if entry.against is None or (rival is not None and _alone(ask, rival, RULES[:_ALONE]) is IN_FORCE):
            by = (entry.against,) if entry.against is not None else ()
            return Ruling(Standing.DISPUTED, by=by, because=(entry.seq,))
    return None


def _unsourced(ask: Question, note: Recorded) -> Ruling | None:
    found = ask.entries(note.seq, Verb.UNSOURCED)
    return Ruling(Standing.NEEDS_CHECK, because=(found[0].seq,)) if found else None


Rule = Callable[[Question, Recorded], Ruling | None]

RULES: tuple[Rule, ...] = (
    _erased,
    _retracted,
    _contradicted,
    _superseded,
    _not_yet,
    _ended,
    _expired,
    _proposed,
    _disputed,
    _unsourced,
)
_UNSAID = tuple(rule for rule in RULES if rule not in {_erased, _retracted, _contradicted, _disputed, _unsourced})
"""The rules that look at more than what was said about a note: of most notes nothing was."""
_ALONE = RULES.index(_disputed)
"""How many rules look at a note apart from disputes, from what it rests on and from where it came from."""

_HELD = frozenset({Standing.IN_FORCE, Standing.DISPUTED, Standing.NEEDS_CHECK})
"""What a note may be by itself that a fallen ground comes before."""


def _alone(ask: Question, note: Recorded, rules: tuple[Rule, ...] = RULES) -> Ruling:
    """The ruling on a note without regard to what it rests on."""
    for rule in rules if note.seq in ask.world.entries else _UNSAID:
        if (ruling := rule(ask, note)) is not None:
            return ruling
    return IN_FORCE


def standings(world: World, asked: Iterable[Seq], *, valid_at: Instant, known_at: Seq) -> dict[Seq, Ruling]:
    """The ruling on each asked note that was recorded by `known_at`; others are left out.

    `world` must hold the asked notes, all they rest on and all that supersedes either.
    """
    ask = Question(world, valid_at, known_at)
    recorded = {seq: world.notes[seq] for seq in asked if seq <= known_at and seq in world.notes}
    rulings = {seq: IN_FORCE for seq, note in recorded.items() if _is_untouched(world, note)}
    shaken: set[Seq] = set()
    for seq in _oldest_first(ask, recorded.keys() - rulings.keys()):
        if seq in rulings:
            continue
        alone = _alone(ask, world.notes[seq])
        support = _support(ask, seq, rulings, shaken)
        if support is not None:
            shaken.add(seq)
        if support is not None and alone.standing in _HELD:
            rulings[seq] = support
        else:
            rulings[seq] = alone
    return {seq: rulings[seq] for seq in recorded}


def heads(world: World, asked: Iterable[Seq], *, known_at: Seq) -> dict[Seq, tuple[Seq, ...]]:
    """The ends of the supersession chain of each asked note that a link supersedes; any other is the end of its own.

    In damaged data a chain may be a circle, which has no end.
    """
    ask = Question(world, valid_at=0, known_at=known_at)
    ends: dict[Seq, tuple[Seq, ...]] = {}
    for seq in [seq for seq in asked if seq in world.successors]:
        reached, front, found = {seq}, [seq], []
        for note in front:
            if arrows := ask.arrows(world.successors, note):
                further = {arrow.note for arrow in arrows} - reached
                reached |= further
                front += further
            else:
                found.append(note)
        ends[seq] = tuple(sorted(found))
    return ends


def _is_untouched(world: World, note: Recorded) -> bool:
    """Whether there is nothing that any rule could fire on: most notes, so that most are ruled on at once."""
    return (
        note.seq not in world.successors
        and note.seq not in world.entries
        and note.seq not in world.grounds
        and note.valid_from is note.valid_to is note.expires_at is None
        and note.certainty != Certainty.HYPOTHESIS
    )


def _oldest_first(ask: Question, asked: Iterable[Seq]) -> list[Seq]:
    """The asked notes and everything they rest on; what is rested on comes before what rests on it."""
    reached = set(asked)
    front = [seq for seq in reached if seq in ask.world.grounds]
    while front:
        grounds = {arrow.note for seq in front for arrow in ask.arrows(ask.world.grounds, seq)}
        front = list(grounds - reached)
        reached |= grounds
    return sorted(reached)


def _support(ask: Question, seq: Seq, rulings: Mapping[Seq, Ruling], shaken: set[Seq]) -> Ruling | None:
    """The ruling on a note from what it rests on, which was ruled on before; None if all of it holds."""
    if seq not in ask.world.grounds:
        return None
    fallen: dict[Standing, list[Arrow]] = {Standing.STALE: [], Standing.NEEDS_CHECK: []}
    for arrow in ask.arrows(ask.world.grounds, seq):
        ground = rulings[arrow.note].standing
        if arrow.rel == Rel.DERIVED_FROM and (ground in _CORRECTED or arrow.note in shaken):
            fallen[Standing.STALE].append(arrow)
        if arrow.rel == Rel.DEPENDS_ON and (ground is not Standing.IN_FORCE or arrow.note in shaken):
            fallen[Standing.NEEDS_CHECK].append(arrow)
    for standing, arrows in fallen.items():
        if arrows:
            return Ruling(standing, by=tuple(a.note for a in arrows), because=tuple(a.seq for a in arrows))
    return None


def confidence(first: float, *, age: Instant, half_life: Instant | None) -> float:
    """How far to trust a note now, from 0 to 1: it halves with each `half_life` since its last confirmation.

    `age` and `half_life` in microseconds; no half-life keeps the first confidence, and a negative age counts as none.
    The figure of essay 001: 0.94 after 85 days at a half-life of two years.

    >>> day = 86_400_000_000
    >>> round(confidence(0.94, age=85 * day, half_life=730 * day), 2)
    0.87
    """
    if half_life is None:
        return first
    return float(first * 0.5 ** (max(age, 0) / half_life))
