"""The lines of the log that bear on the standing of notes, kept once read: a line never changes, and none is removed.

What is kept is a copy of the log, never a ruling: the rule reads it anew for every answer. It holds all there is for
the notes it holds; about any other it is not asked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from upheld.db.rows import Row
from upheld.note import Rel, Verb
from upheld.standing import Arrow, Entry, Instant, Question, Recorded, Seq, World

_TELLING = frozenset({Verb.ASSERTED.value, Rel.SUPERSEDES.value, Rel.LED_TO.value})
"""The lines whose reason is why a note was said."""


@dataclass(slots=True)
class Lines:
    """Notes as the rule sees them, each with every link and event that bears on it; `world` looks at all of it."""

    notes: dict[Seq, Recorded] = field(default_factory=dict)
    successors: dict[Seq, list[Arrow]] = field(default_factory=dict)
    grounds: dict[Seq, list[Arrow]] = field(default_factory=dict)
    entries: dict[Seq, list[Entry]] = field(default_factory=dict)
    replaces: dict[Seq, dict[Seq, Seq]] = field(default_factory=dict)
    """By what replaces and by link, what it replaces."""
    reasons: dict[Seq, dict[Seq, str]] = field(default_factory=dict)
    """By note and by line, why it was said."""
    undone: dict[Seq, Seq] = field(default_factory=dict)
    said: dict[Seq, tuple[Instant, str | None]] = field(default_factory=dict)
    world: World = field(init=False)
    """All of it, for the rule."""

    def __post_init__(self) -> None:
        """Show the rule what is kept, whatever is taken over later."""
        self.world = World(self.notes, self.successors, self.grounds, self.entries, self.undone, self.said)

    def take(self, rows: Iterable[Row]) -> Lines:
        """Take over what the statement `world` gives: for each note in it, all that bears on it."""
        lines: list[Row] = []
        for row in rows:
            if row[0] != "note":
                lines.append(row)
                continue
            self.drop(row[1:2])
            self.notes[row[1]] = Recorded(*row[1:])
        for line, seq, first, second, against, what, undo, at, reason, *_ in lines:
            effective = at
            if reason is not None and what in _TELLING:
                self.reasons.setdefault(second if what == Rel.LED_TO else first, {})[seq] = reason
            if line == "event" and what != Verb.ASSERTED:
                self.entries.setdefault(first, []).append(Entry(seq, what, second, against))
                effective = at if second is None else second
            elif what == Rel.SUPERSEDES:
                self.successors.setdefault(second, []).append(Arrow(seq, what, first))
                self.replaces.setdefault(first, {})[seq] = second
            elif what in (Rel.DEPENDS_ON, Rel.DERIVED_FROM):
                self.grounds.setdefault(first, []).append(Arrow(seq, what, second))
            self.said[seq] = (effective, reason)
            if undo is not None:
                self.undone[seq] = undo
        return self

    def drop(self, seqs: Iterable[Seq]) -> None:
        """Forget notes, and what bears on them."""
        for seq in seqs:
            if self.notes.pop(seq, None) is not None:
                for on in (self.successors, self.grounds, self.entries, self.replaces, self.reasons):
                    on.pop(seq, None)

    def linked(self, seqs: Iterable[Seq]) -> dict[Seq, Seq]:
        """Since which line a supersession links a note, on either side of it; of some notes those that one does."""
        return {
            seq: min([*(arrow.seq for arrow in self.successors.get(seq, ())), *self.replaces.get(seq, ())])
            for seq in seqs
            if seq in self.successors or seq in self.replaces
        }

    def why(self, seqs: Iterable[Seq], known_at: Seq) -> dict[Seq, str] | None:
        """Why notes were said, as known then, those of which that is known; None where some note is not there."""
        log = Question(self.world, valid_at=0, known_at=known_at)
        found: dict[Seq, str] = {}
        for seq in seqs:
            if seq not in self.notes:
                return None
            for line, reason in sorted(self.reasons[seq].items()) if seq in self.reasons else ():
                if log.holds(line):
                    found[seq] = reason
        return found

    def replaced_by(self, seqs: Iterable[Seq], known_at: Seq) -> dict[Seq, tuple[Seq, ...]] | None:
        """For each note, itself and all that it replaces as known then; None where some of it is not there."""
        log = Question(self.world, valid_at=0, known_at=known_at)
        found: dict[Seq, tuple[Seq, ...]] = {}
        for seq in seqs:
            members = {seq: None}
            front = [seq]
            for each in front:
                if each not in self.notes:
                    return None
                if each not in self.replaces:
                    continue
                for line, target in self.replaces[each].items():
                    if target not in members and log.holds(line):
                        members[target] = None
                        front.append(target)
            found[seq] = tuple(sorted(members))
        return found

    def reached(self, seqs: Iterable[Seq]) -> list[Seq]:
        """These notes and all others that the rule looks at to rule on them, as far as their lines are there."""
        found = dict.fromkeys(seqs)
        front = [seq for seq in found if seq in self.successors or seq in self.grounds or seq in self.entries]
        for seq in front:
            near = [arrow.note for arrow in self.successors.get(seq, ())]
            if seq in self.grounds:
                near += [arrow.note for arrow in self.grounds[seq]]
            if seq in self.entries:
                near += [entry.against for entry in self.entries[seq] if entry.against is not None]
            for other in near:
                if other not in found:
                    found[other] = None
                    front.append(other)
        return list(found)
