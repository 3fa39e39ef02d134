"""What a store must say, worked out anew: a plain reading of the rule in `docs/concepts.md`, over plain tuples.

It shares no code with the library. Authored lines and what is said about a note come from the test; the links and
disputes that the key rule adds are taken from the store's log, and the test checks them apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

RANK = ("document", "person", "agent")
"""From most to least trusted."""
AGAINST = {"retracted", "disputed", "unsourced"}
"""What may be said against a note, and taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What a test knows of a note that it wrote."""

    id: str
    canary: str
    scope: str
    kind: str
    statement: str
    key: tuple[str, str] | None
    value: str | None
    conditions: Mapping[str, str]
    channel: str
    guess: bool
    begins: datetime | None
    ends: datetime | None
    expires: datetime | None
    seen: datetime | None

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def since(self) -> datetime | None:
        return self.begins or self.seen

    def meets(self, other: Kept) -> bool:
        """Whether some situation is under the conditions of both."""
        return all(other.conditions.get(name, value) == value for name, value in self.conditions.items())


@dataclass(frozen=True, slots=True)
class Arrow:
    origin: int
    rel: str
    target: int
    authored: bool


@dataclass(frozen=True, slots=True)
class Said:
    about: int
    verb: str
    against: int | None = None
    undoes: int | None = None


@dataclass(slots=True)
class Oracle:
    """A log: the line at position n is `lines[n - 1]`."""

    lines: list[Kept | Arrow | Said] = field(default_factory=list)
    taken_back: dict[int, int] = field(default_factory=dict)

    def add(self, line: Kept | Arrow | Said) -> None:
        self.lines.append(line)
        if isinstance(line, Said) and line.undoes is not None:
            self.taken_back.setdefault(line.undoes, len(self.lines))

    @property
    def head(self) -> int:
        return len(self.lines)

    def note(self, seq: int) -> Kept:
        line = self.lines[seq - 1]
        assert isinstance(line, Kept)
        return line

    def notes(self, known_at: int | None = None) -> list[int]:
        return [seq for seq, line in enumerate(self.lines[:known_at], 1) if isinstance(line, Kept)]

    def position(self, id: str) -> int:
        return next(seq for seq in self.notes() if self.note(seq).id == id)

    def arrows(self, known_at: int) -> Iterable[Arrow]:
        """The links that were recorded by then and not taken back by then."""
        for seq, line in enumerate(self.lines[:known_at], 1):
            if isinstance(line, Arrow) and self.taken_back.get(seq, known_at + 1) > known_at:
                yield line

    def said(self, about: int, known_at: int) -> Iterable[tuple[int, Said]]:
        """What was said against a note by then and not taken back by then, with its position."""
        for seq, line in enumerate(self.lines[:known_at], 1):
            holds = self.taken_back.get(seq, known_at + 1) > known_at
            if holds and isinstance(line, Said) and line.about == about and line.verb in AGAINST:
                yield seq, line

    def against(self, about: int) -> list[int]:
        """The lines that stand against a note: what a restoration takes back."""
        links = [
            seq
            for seq, line in enumerate(self.lines, 1)
            if isinstance(line, Arrow) and line.rel == "supersedes" and line.target == about
        ]
        return [seq for seq, _ in self.said(about, self.head)] + [seq for seq in links if seq not in self.taken_back]

    def ends(self, seq: int) -> set[int]:
        """Where the links that supersede a note lead, whatever became of the notes on the way."""
        newer = [arrow.origin for arrow in self.arrows(self.head) if arrow.rel == "supersedes" and arrow.target == seq]
        return {end for origin in newer for end in self.ends(origin)} if newer else {seq}

    def is_confirmed(self, seq: int) -> bool:
        return any(isinstance(line, Said) and line.about == seq and line.verb == "confirmed" for line in self.lines)

    def replaces(self, seq: int, key: tuple[str, str] | None) -> bool:
        """Whether an author let a note take the place of one of this key, directly or through others."""
        below = [arrow.target for arrow in self.arrows(self.head) if arrow.rel == "supersedes" and arrow.origin == seq]
        return any(self.note(old).key == key or self.replaces(old, key) for old in below)

    def states(self, at: datetime, known_at: int | None = None) -> dict[int, str]:
        """The standing of every note at two moments."""
        known_at = self.head if known_at is None else known_at
        return _Reading(self, at, known_at).all()

    def lost_sources(self, seq: int, at: datetime) -> list[int]:
        """The lines that alone keep a note from being in force: its only source was removed. Else none."""
        reading = _Reading(self, at, self.head)
        if reading.all()[seq] != "needs_check" or seq in reading.shaken:
            return []
        return [line for line, said in self.said(seq, self.head) if said.verb == "unsourced"]

    def in_force(self, at: datetime, known_at: int | None = None) -> set[int]:
        return {seq for seq, state in self.states(at, known_at).items() if state == "in_force"}


class _Reading:
    """The log as it was known at one position, asked about at one moment."""

    def __init__(self, log: Oracle, at: datetime, known_at: int) -> None:
        self.log, self.at, self.known_at = log, at, known_at
        self.arrows = list(log.arrows(known_at))
        self.seqs = log.notes(known_at)
        said = {seq: [line for _, line in log.said(seq, known_at)] for seq in self.seqs}
        self.retracted = {seq for seq in self.seqs if any(line.verb == "retracted" for line in said[seq])}
        self.unsourced = {seq for seq in self.seqs if any(line.verb == "unsourced" for line in said[seq])}
        self.rivals = {seq: [line.against for line in said[seq] if line.verb == "disputed"] for seq in self.seqs}

    def all(self) -> dict[int, str]:
        self.alone = {seq: self._by_itself(seq) for seq in self.seqs}
        for seq in self.seqs:
            if self.alone[seq] == "in_force" and any(self._undisputed(rival) for rival in self.rivals[seq]):
                self.alone[seq] = "disputed"
            elif self.alone[seq] == "in_force" and seq in self.unsourced:
                self.alone[seq] = "needs_check"
        # What a note rests on was recorded before it, so one pass from the oldest settles everything.
        states: dict[int, str] = {}
        self.shaken = shaken = set[int]()
        for seq in self.seqs:
            rests_on = [(arrow.rel, arrow.target) for arrow in self.arrows if arrow.origin == seq]
            corrected = any(
                rel == "derived_from" and (self.alone[old] in {"retracted", "superseded"} or old in shaken)
                for rel, old in rests_on
            )
            fallen = any(rel == "depends_on" and states[old] != "in_force" for rel, old in rests_on)
            if corrected or fallen:
                shaken.add(seq)
            states[seq] = self.alone[seq]
            if states[seq] in {"in_force", "disputed", "needs_check"} and seq in shaken:
                states[seq] = "stale" if corrected else "needs_check"
        return states

    def _undisputed(self, rival: int | None) -> bool:
        return rival is None or self._by_itself(rival) == "in_force"

    def _by_itself(self, seq: int) -> str:
        note = self.log.note(seq)
        if seq in self.retracted:
            return "retracted"
        if self._replaced(seq, set()):
            return "superseded"
        if note.begins is not None and self.at < note.begins:
            return "not_yet"
        if note.ends is not None and self.at >= note.ends:
            return "ended"
        if note.expires is not None and self.at >= note.expires:
            return "expired"
        return "proposed" if note.guess else "in_force"

    def _replaced(self, seq: int, passed: set[int]) -> bool:
        passed.add(seq)
        for arrow in self.arrows:
            if arrow.rel == "supersedes" and arrow.target == seq and arrow.origin not in passed:
                newer = self.log.note(arrow.origin)
                begun = newer.begins is None or newer.begins <= self.at
                if begun and not newer.guess and arrow.origin not in self.retracted:
                    return True
                if self._replaced(arrow.origin, passed):
                    return True
        return False
