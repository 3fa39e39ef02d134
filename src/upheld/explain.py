"""Why a note is upheld or withheld: a tree from its standing down to what brought it about."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from upheld.answer import View
from upheld.deliver import view_of
from upheld.note import Note, Rel, Standing, Verb
from upheld.ports import Reading
from upheld.standing import Instant, Seq, standings


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One note of the tree. `role` says how it bears on the note above; `confirmed` counts its confirmations."""

    role: str
    view: View
    confirmed: int
    because: tuple[Explanation, ...]


_ROLES = {
    Standing.SUPERSEDED: "replaced by",
    Standing.STALE: "derived from",
    Standing.NEEDS_CHECK: "rests on",
    Standing.DISPUTED: "disputed by",
}
MAX_NODES = 200


def explain(reading: Reading, note: Note, *, valid_at: Instant, known_at: Seq, show: bool) -> Explanation:
    """Explain a note's standing at two moments. `show` also gives the text of notes that do not stand.

    The tree follows what brought the standing about; for a note that stands, what it replaced and what it rests on.
    It ends after 200 notes.
    """
    members = _bearing(reading, note.seq)
    world = reading.world(members)
    ruled = standings(world, members, valid_at=valid_at, known_at=known_at)
    views = view_of(world, ruled, reading.notes(members), None, show=show)
    events = [event for event in reading.events(members) if event.seq <= known_at]
    undone = {event.undoes for event in events}
    confirmations = Counter(event.note for event in events if event.verb is Verb.CONFIRMED and event.seq not in undone)
    links = [link for link in reading.links(members) if link.seq <= known_at and link.seq not in undone]
    seen: set[Seq] = set()

    def node(seq: Seq, role: str) -> Explanation:
        seen.add(seq)
        ruling = ruled[seq]
        below = [(cause, _ROLES.get(ruling.standing, "because of")) for cause in ruling.by]
        if ruling.standing is Standing.IN_FORCE:
            below = [
                (link.target, "replaces" if link.rel is Rel.SUPERSEDES else "rests on")
                for link in links
                if link.origin == seq and link.rel in (Rel.SUPERSEDES, Rel.DEPENDS_ON, Rel.DERIVED_FROM)
            ]
        children = tuple(
            node(cause, why) for cause, why in dict.fromkeys(below) if cause in ruled and cause not in seen
        )
        return Explanation(role=role, view=views[seq], confirmed=confirmations[seq], because=children)

    return node(note.seq, "")


def _bearing(reading: Reading, start: Seq) -> list[Seq]:
    """The notes that a tree may show: the nearest first, at most `MAX_NODES`."""
    found = [start]
    front = [start]
    while front and len(found) < MAX_NODES:
        near: list[Seq] = []
        for link in reading.links(front):
            near += [link.origin, link.target] if link.rel is Rel.SUPERSEDES else [link.target]
        near += [event.against for event in reading.events(front) if event.against is not None]
        front = [seq for seq in dict.fromkeys(near) if seq not in found][: MAX_NODES - len(found)]
        found += front
    return found
