"""What one recall has looked at so far: each note once, with its ruling and its trust, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from msgspec import Struct, field

from upheld.note import Note, Standing
from upheld.owners import Owners, filled
from upheld.policy import Policy
from upheld.ports import Reading, Seen, Wanted
from upheld.standing import IN_FORCE, Ruling, Seq, World, heads, standings
from upheld.trust import NEVER, Trust, trust
from upheld.verification import Read

DEMOTED, UNVERIFIED = Ruling(Standing.DEMOTED), Ruling(Standing.UNVERIFIED)
"""Why a note in force is kept back from one answer."""


class Ask(Struct, frozen=True, kw_only=True):
    """One question, with everything resolved: both moments, the vector, the limits.

    `owners` are asked about values; none of them for a question about what was known earlier. `read` holds what was
    read for pointers. `for_action` names an action with a cost, which needs more. `direction` asks for all decisions
    that led to the answer, not only for those that it replaced.
    """

    wanted: Wanted
    at: datetime
    mode: str
    limit: int
    budget_tokens: int | None
    applies: Mapping[str, tuple[str, ...]]
    explain: bool
    degraded: tuple[str, ...]
    owners: Owners = field(default_factory=Owners)
    read: Mapping[Seq, Read] = field(default_factory=dict)
    for_action: str | None = None
    direction: bool = False


class Slot(Struct):
    """One place in the answer: the note that takes it, and the anchors that it took the place of."""

    score: float
    note: Note
    trust: Trust
    replaces: list[Seq] = field(default_factory=list)


class Desk(Struct):
    """What one recall has looked at so far, each note once, and what becomes of it; all by position."""

    reading: Reading
    ask: Ask
    policy: Policy
    notes: dict[Seq, Note] = field(default_factory=dict)
    rulings: dict[Seq, Ruling] = field(default_factory=dict)
    seen: set[Seq] = field(default_factory=set)
    heads: dict[Seq, tuple[Seq, ...]] = field(default_factory=dict)
    world: World = field(default_factory=lambda: World({}))
    owner: dict[Seq, str] = field(default_factory=dict)
    trusts: dict[Seq, Trust] = field(default_factory=dict)
    due: dict[Seq, Note] = field(default_factory=dict)
    slots: dict[Seq, Slot] = field(default_factory=dict)
    open: dict[Seq, Ruling] = field(default_factory=dict)
    withheld: dict[Seq, Ruling] = field(default_factory=dict)

    def look_at(self, seqs: Iterable[Seq]) -> None:
        """Rule on notes that were not looked at before, and on the ends of their chains; fetch what may be served.

        Each is named once, here and in `rule_on`.
        """
        new = self._unseen(seqs)
        if not new:
            return
        world = self._world(new)
        found = heads(world, new, known_at=self.ask.wanted.known_at)
        # The world of a note holds that of all that supersedes it, so the ends are ruled on with it.
        ends = self._unseen({end for chain in found.values() for end in chain})
        self.heads |= found
        ruled = self._ruled(world, new + ends)
        in_force = [seq for seq, ruling in ruled.items() if ruling is IN_FORCE]
        shown = [*ruled] if self.ask.mode == "history" else in_force
        read = self.reading.notes(shown)
        if len(read) < len(shown):  # a damaged note is not there
            ruled = {seq: ruling for seq, ruling in ruled.items() if seq in read or seq not in shown}
            in_force = [seq for seq in in_force if seq in read]
        self.notes |= read
        self.rulings |= ruled
        self._weigh(in_force)

    def rule_on(self, seqs: Iterable[Seq]) -> None:
        """Rule on notes that were not looked at before and will not be served."""
        if new := self._unseen(seqs):
            self.rulings |= self._ruled(self._world(new), new)

    def _unseen(self, seqs: Iterable[Seq]) -> list[Seq]:
        new = [seq for seq in seqs if seq not in self.seen]
        self.seen.update(new)
        return new

    def _world(self, seqs: Sequence[Seq]) -> World:
        """What the rule must know to rule on notes. What is kept at hand is the same each time; what was read adds."""
        world = self.reading.world(seqs)
        self.world = world if not self.world.notes or self.world.notes is world.notes else self.world | world
        return world

    def _ruled(self, world: World, seqs: Sequence[Seq]) -> dict[Seq, Ruling]:
        wanted = self.ask.wanted
        return standings(world, seqs, valid_at=wanted.valid_at, known_at=wanted.known_at)

    def _weigh(self, seqs: Sequence[Seq]) -> None:
        """How far notes in force are trusted at the moment asked about; of those whose age matters, by their age."""
        ask = self.ask
        for seq in seqs if ask.owners else ():
            if (verifier := ask.owners.of(self.notes[seq])) is not None:
                self.owner[seq] = verifier.source
        self._trust(dict.fromkeys(seqs, NEVER))
        aging = [seq for seq in seqs if ask.for_action or seq in self.owner or self.trusts[seq].ages]
        if aging:
            self._trust(self.reading.seen_at(aging, known_at=ask.wanted.known_at))

    def _trust(self, seen: Mapping[Seq, Seen]) -> None:
        notes, policy, at, owner, read = self.notes, self.policy, self.ask.wanted.valid_at, self.owner, self.ask.read
        for seq, when in seen.items():
            owned = seq in owner and seq not in read
            self.trusts[seq] = trust(notes[seq], policy, at=at, seen=when, owned=owned)

    def heads_of(self, seq: Seq) -> tuple[Seq, ...]:
        """The ends of the chain of a note that was looked at."""
        return self.heads.get(seq, (seq,))

    def standing(self, seq: Seq) -> Standing | None:
        """The standing of a note that was looked at; None if it was not recorded by then."""
        ruling = self.rulings.get(seq)
        return None if ruling is None else ruling.standing

    def in_force(self, seqs: Iterable[Seq]) -> list[Seq]:
        """Those of some notes that are in force, the newest first."""
        return sorted([seq for seq in seqs if self.rulings.get(seq) is IN_FORCE], reverse=True)

    def replaced_by(self, seqs: Iterable[Seq]) -> dict[Seq, tuple[Seq, ...]]:
        """The notes and all that they replace."""
        return self.reading.replaced_by(seqs, known_at=self.ask.wanted.known_at)

    def shown(self, seq: Seq) -> Note:
        """A note as it is served: a pointer with the value that was read for it."""
        read = self.ask.read.get(seq)
        return self.notes[seq] if read is None else filled(self.notes[seq], read)

    def kept_back(self, seq: Seq) -> Ruling | None:
        """Why a note in force is not served: it is below the floor, or unverified and not to be served so."""
        found = self.trusts[seq]
        if found.due:
            self.due.setdefault(seq, found.note)
        if found.band is None:
            return DEMOTED
        if found.due and found.rules.unverified == "withhold":
            return UNVERIFIED
        return UNVERIFIED if self.ask.for_action and not found.ready else None
