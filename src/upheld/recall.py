"""Reading: from a question to what may be used, what is open, and what was kept back.

1. Search: notes in force, and apart from them all others, as *anchors*; the old note owns the question's words.
2. Fuse the arms (meaning, words, subject) by reciprocal rank. Ranks count notes in force only, so dead notes never
   move live ones.
3. Rule on every candidate (`standing.py` has the last word). An anchor gives its place to the heads of its
   supersession chain that stand; failing that, to what stands of the chain below. One that leads to nothing in
   force becomes an open question.
4. Confidence, bands, conditions, budget; then the path and the receipt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from upheld.answer import Recall, Receipt, Step, UpheldNote, View, attribution
from upheld.deliver import open_question, view_of, withheld_note
from upheld.note import Band, Note, Standing, instant
from upheld.policy import KindPolicy, Policy
from upheld.ports import Found, Reading, Wanted
from upheld.relate import overlap
from upheld.standing import IN_FORCE, Instant, Ruling, Seq, confidence, standings

DEPTH = 20
FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): how little rank 1 outweighs rank 2."""

_OPEN_IF_UNREPLACED = frozenset(
    {Standing.SUPERSEDED, Standing.CONTRADICTED, Standing.RETRACTED, Standing.EXPIRED, Standing.ENDED}
)
_ALWAYS_OPEN = frozenset({Standing.NEEDS_CHECK, Standing.DISPUTED})
_WEIGHTS = {"meaning": 1.0, "words": 1.0, "subject": 0.1}
"""That the question names a note's subject decides between notes that fit it about as well, and no more."""

_ANCHORS = _OPEN_IF_UNREPLACED | {Standing.NOT_YET}
"""Standings whose notes give their place to what stands of their chain. A hypothesis never stood; it places nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question, with everything resolved: both moments, the vector, the limits."""

    wanted: Wanted
    at: datetime
    mode: str
    limit: int
    budget_tokens: int | None
    applies: Mapping[str, tuple[str, ...]]
    explain: bool
    degraded: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Trust:
    """How far a note is trusted now; a band of None is below the floor."""

    confidence: float
    band: Band | None
    show_source: bool


@dataclass(slots=True)
class _Slot:
    """One place in the answer: the note that takes it, and the anchors that it took the place of."""

    score: float
    note: Note
    trust: _Trust
    replaces: list[Seq] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Place:
    """The notes that take an anchor's place, and whether they are the heads of its own chain."""

    taken: list[Seq]
    by_chain: bool = False


@dataclass(slots=True)
class _Desk:
    """What one recall has looked at so far, each note once, and what becomes of it; all by position."""

    reading: Reading
    ask: Ask
    policy: Policy
    notes: dict[Seq, Note] = field(default_factory=dict)
    rulings: dict[Seq, Ruling] = field(default_factory=dict)
    confirmed: dict[Seq, Instant] = field(default_factory=dict)
    trusts: dict[Seq, _Trust] = field(default_factory=dict)
    slots: dict[Seq, _Slot] = field(default_factory=dict)
    open: dict[Seq, Ruling] = field(default_factory=dict)
    withheld: dict[Seq, Ruling] = field(default_factory=dict)

    def look_at(self, seqs: Set[Seq]) -> None:
        """Fetch and rule on notes that were not looked at before."""
        if new := sorted(seqs - self.notes.keys()):
            wanted = self.ask.wanted
            self.notes |= self.reading.notes(new)
            world = self.reading.world(new)
            whole = [seq for seq in new if seq in self.notes]
            self.rulings |= standings(world, whole, valid_at=wanted.valid_at, known_at=wanted.known_at)
            if aging := [seq for seq in whole if self._rules(self.notes[seq]).half_life is not None]:
                self.confirmed |= self.reading.confirmed_at(aging, known_at=wanted.known_at)

    def standing(self, seq: Seq) -> Standing | None:
        """The standing of a note that was looked at; None if it was not recorded by then."""
        ruling = self.rulings.get(seq)
        return None if ruling is None else ruling.standing

    def in_force(self, seqs: Iterable[Seq]) -> list[Seq]:
        """Those of some notes that are in force."""
        return sorted(seq for seq in seqs if self.rulings.get(seq) is IN_FORCE)

    def heads(self, seqs: Sequence[Seq]) -> dict[Seq, tuple[Seq, ...]]:
        """The ends of the notes' supersession chains."""
        return self.reading.heads(seqs, known_at=self.ask.wanted.known_at) if seqs else {}

    def replaced_by(self, seqs: Iterable[Seq]) -> dict[Seq, tuple[Seq, ...]]:
        """The notes and all that they replace."""
        return self.reading.replaced_by(seqs, known_at=self.ask.wanted.known_at)

    def trust(self, seq: Seq) -> _Trust:
        """The confidence and band of a note at the moment asked about, its age counted from its last confirmation."""
        if seq not in self.trusts:
            self.trusts[seq] = self._trust(self.notes[seq])
        return self.trusts[seq]

    def _rules(self, note: Note) -> KindPolicy:
        return self.policy.kinds.get(note.kind) or self.policy.kind("default")

    def _trust(self, note: Note) -> _Trust:
        rules = self._rules(note)
        level = note.confidence
        if rules.half_life is not None:
            seen = instant(note.observed_at or note.recorded_at)
            last = max(seen, self.confirmed.get(note.seq, seen))
            half_life = int(rules.half_life.total_seconds() * 1_000_000)
            level = confidence(level, age=self.ask.wanted.valid_at - last, half_life=half_life)
        shown = rules.attribute_source == "always" or (rules.attribute_source == "hedged" and level < rules.assert_from)
        return _Trust(level, rules.band(level), shown)


def recall(reading: Reading, ask: Ask, policy: Policy) -> Recall:
    """Answer one question from one consistent view of the store."""
    found = reading.search(ask.wanted)
    ranked = fuse(found)
    desk = _Desk(reading, ask, policy)
    step = ask.limit + ask.limit // 2 + 1
    for start in range(0, len(ranked), step):
        _sort_out(desk, ranked[start : start + step])
        if len(desk.slots) >= ask.limit and ask.mode != "history":
            break
    slots = sorted(desk.slots.values(), key=lambda slot: (-slot.score, -slot.note.seq))
    upheld = _serve(desk, slots[: ask.limit], found)
    return _answer(desk, upheld, found=len(ranked), omitted=len(slots) - len(upheld))


class Candidate(NamedTuple):
    """A note that some arm found, with the sum of its reciprocal ranks."""

    seq: Seq
    score: float
    in_force: bool


def fuse(found: Found) -> list[Candidate]:
    """Candidates by the sum of their reciprocal ranks, best first; ties put notes in force first, then newer ones."""
    scores: dict[Seq, float] = {}
    in_force: dict[Seq, bool] = {}
    for name, arm in found.arms():
        weight = _WEIGHTS[name]
        for seq, stands, rank in arm:
            scores[seq] = scores.get(seq, 0.0) + weight / (FUSION + rank)
            in_force[seq] = stands
    order = sorted([(-score, not in_force[seq], -seq) for seq, score in scores.items()])
    return [Candidate(-seq, -score, not fallen) for score, fallen, seq in order]


def _sort_out(desk: _Desk, ranked: Sequence[Candidate]) -> None:
    """Rule on candidates, and give each a slot of its own, its replacement's, or a place among what is kept back."""
    heads = desk.heads([hit.seq for hit in ranked if not hit.in_force])
    desk.look_at({hit.seq for hit in ranked} | {end for chain in heads.values() for end in chain})
    anchors = [hit.seq for hit in ranked if desk.standing(hit.seq) in _ANCHORS]
    places = _places(desk, anchors, heads | desk.heads([seq for seq in anchors if seq not in heads]))
    for hit in ranked:
        ruling = desk.rulings.get(hit.seq)
        if ruling is None:
            continue
        place = _Place([hit.seq]) if ruling is IN_FORCE else places.get(hit.seq, _Place([]))
        fitting = [taken for taken in place.taken if _may_serve(desk.notes[taken], desk.ask)]
        served = [taken for taken in fitting if desk.trust(taken).band is not None]
        for taken in served:
            slot = desk.slots.setdefault(taken, _Slot(hit.score, desk.notes[taken], desk.trust(taken)))
            if place.by_chain and taken != hit.seq:
                slot.replaces.append(hit.seq)
        if ruling is not IN_FORCE:
            desk.withheld[hit.seq] = ruling
        elif not served:
            desk.withheld[hit.seq] = Ruling(Standing.DEMOTED) if fitting else ruling
        if ruling.standing in _ALWAYS_OPEN or (ruling.standing in _OPEN_IF_UNREPLACED and not served):
            desk.open[hit.seq] = ruling


def _may_serve(note: Note, ask: Ask) -> bool:
    """Whether a note in force is inside what was asked: its scope, the filter, the conditions."""
    wanted, narrow = ask.wanted, ask.wanted.filter
    return (
        note.scope in wanted.scopes
        and overlap(note.applies_when, ask.applies)
        and (not narrow.kinds or note.kind in narrow.kinds)
        and (not narrow.channels or note.channel in narrow.channels)
        and (not narrow.subject_key or note.subject_key == narrow.subject_key)
        and (not narrow.attribute_key or note.attribute_key == narrow.attribute_key)
    )


def _places(desk: _Desk, anchors: Sequence[Seq], heads: Mapping[Seq, tuple[Seq, ...]]) -> dict[Seq, _Place]:
    """For each anchor, the notes in force that take its place."""
    # In damaged data a chain may be a circle, which has no head.
    heads = {anchor: heads.get(anchor, ()) for anchor in anchors}
    desk.look_at({end for chain in heads.values() for end in chain})
    places = {anchor: _Place(desk.in_force(heads[anchor]), by_chain=True) for anchor in anchors}
    lost = [anchor for anchor in anchors if not places[anchor].taken]
    if lost:
        below = desk.replaced_by({end for anchor in lost for end in heads[anchor]})
        desk.look_at({seq for chain in below.values() for seq in chain})
        for anchor in lost:
            places[anchor] = _Place(desk.in_force({seq for end in heads[anchor] for seq in below[end]}))
    return places


def _serve(desk: _Desk, slots: Sequence[_Slot], found: Found) -> list[UpheldNote]:
    """Turn slots into notes to use, as many as the budget holds."""
    ask = desk.ask
    upheld: list[UpheldNote] = []
    spent = 0
    for slot in slots:
        note, trust = slot.note, slot.trust
        spent += estimated_tokens(note.statement)
        if trust.band is None or (ask.budget_tokens is not None and spent > ask.budget_tokens):
            break
        upheld.append(
            UpheldNote(
                id=note.id,
                statement=note.statement,
                scope=note.scope,
                kind=note.kind,
                band=trust.band,
                confidence=round(trust.confidence, 4),
                replaces=tuple(desk.notes[seq].id for seq in slot.replaces),
                score=slot.score,
                attribution=attribution(note) if trust.show_source else "",
                note=note,
                explanation=_why(slot, found) if ask.explain else None,
            )
        )
    return upheld


def estimated_tokens(text: str) -> int:
    """About how many model tokens a text costs: a quarter of its UTF-8 bytes, rounded up, and a few for its frame."""
    return -(-len(text.encode()) // 4) + 8


def _why(slot: _Slot, found: Found) -> str:
    """How a note came to its place, in one line."""
    lines = []
    for name, arm in found.arms():
        ranks = {hit.seq: hit.rank for hit in arm}
        if slot.note.seq in ranks:
            lines.append(f"rank {ranks[slot.note.seq]:g} by {name}")
        lines += [f"takes rank {ranks[seq]:g} by {name} of a note it replaced" for seq in slot.replaces if seq in ranks]
    return "; ".join(lines) or "takes the place of a note it replaced"


def _answer(desk: _Desk, upheld: Sequence[UpheldNote], *, found: int, omitted: int) -> Recall:
    ask, history = desk.ask, desk.ask.mode == "history"
    views = view_of(desk.reading, desk.withheld, desk.notes, ask.wanted.scopes, show=history)
    kept = tuple(withheld_note(views[seq], show=history) for seq in desk.withheld)
    questions = tuple(open_question(views[seq], ruling) for seq, ruling in desk.open.items())
    timeline: tuple[View, ...] = ()
    if history:
        serving = {note.note.seq: IN_FORCE for note in upheld}
        standing = view_of(desk.reading, serving, desk.notes, ask.wanted.scopes, show=True)
        timeline = tuple(sorted({**views, **standing}.values(), key=in_order))
    receipt = Receipt(
        query=ask.wanted.text,
        scopes=ask.wanted.scopes,
        valid_at=ask.at,
        known_at=ask.wanted.known_at,
        mode=ask.mode,
        found=found,
        served=tuple(note.id for note in upheld),
        opened=tuple(question.id for question in questions),
        withheld=tuple((note.id, note.standing) for note in kept),
        omitted=omitted,
        degraded=ask.degraded,
    )
    path = _path(desk, upheld, show=history)
    return Recall(upheld=tuple(upheld), open=questions, withheld=kept, path=path, receipt=receipt, timeline=timeline)


def in_order(view: View) -> tuple[int, int]:
    """Where a note belongs in a history: when it began or was seen, else when it was recorded."""
    note = view.note
    if note is None:
        return (0, 0)
    return (instant(note.event_time or note.recorded_at), note.seq)


def _path(desk: _Desk, upheld: Sequence[UpheldNote], *, show: bool) -> tuple[Step, ...]:
    """The decisions that led to what is upheld, oldest first, each with the reason it was taken."""
    replacing = [note.note.seq for note in upheld if note.replaces]
    if not replacing:
        return ()
    members = {seq for chain in desk.replaced_by(replacing).values() for seq in chain}
    desk.look_at(members)
    reasons = desk.reading.reasons(members, known_at=desk.ask.wanted.known_at)
    notes = [desk.notes[seq] for seq in members if desk.standing(seq) not in (None, Standing.ERASED)]
    return tuple(
        Step(
            id=note.id,
            at=note.event_time,
            standing=desk.rulings[note.seq].standing,
            reason=reasons.get(note.seq),
            statement=note.statement if show or desk.rulings[note.seq] is IN_FORCE else None,
        )
        for note in sorted(notes, key=lambda note: (instant(note.event_time or note.recorded_at), note.seq))
        if note.scope in desk.ask.wanted.scopes
    )
