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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from upheld.answer import Recall, attribution
from upheld.deliver import open_question, view_of, withheld_note
from upheld.note import Band, Note, Receipt, Rel, Standing, Step, UpheldNote, View, instant
from upheld.policy import Policy
from upheld.ports import Found, Reading, Wanted
from upheld.relate import overlap
from upheld.standing import IN_FORCE, Ruling, Seq, confidence, standings

DEPTH = 50
FUSION = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009): how little rank 1 outweighs rank 2."""

_OPEN_IF_UNREPLACED = frozenset(
    {Standing.SUPERSEDED, Standing.CONTRADICTED, Standing.RETRACTED, Standing.EXPIRED, Standing.ENDED}
)
_ALWAYS_OPEN = frozenset({Standing.NEEDS_CHECK, Standing.DISPUTED})
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
class _Sorted:
    """Candidates sorted by what becomes of them; all by position."""

    slots: dict[Seq, _Slot] = field(default_factory=dict)
    open: dict[Seq, Ruling] = field(default_factory=dict)
    withheld: dict[Seq, Ruling] = field(default_factory=dict)
    notes: dict[Seq, Note] = field(default_factory=dict)
    trust: dict[Seq, _Trust] = field(default_factory=dict)


def recall(reading: Reading, ask: Ask, policy: Policy) -> Recall:
    """Answer one question from one consistent view of the store."""
    found = reading.search(ask.wanted)
    ranked = fuse(found)
    sort = _Sorted()
    step = 2 * ask.limit + 4
    for start in range(0, len(ranked), step):
        _sort_out(reading, ask, policy, ranked[start : start + step], sort)
        if len(sort.slots) >= ask.limit and ask.mode != "history":
            break
    slots = sorted(sort.slots.values(), key=lambda slot: (-slot.score, -slot.note.seq))
    upheld = _serve(reading, ask, slots[: ask.limit], found)
    return _answer(reading, ask, sort, upheld, found=len(ranked), omitted=len(slots) - len(upheld))


def fuse(found: Found) -> list[tuple[Seq, float]]:
    """Candidates by the sum of their reciprocal ranks, best first; ties put notes in force first, then newer ones."""
    scores: dict[Seq, float] = {}
    in_force: dict[Seq, bool] = {}
    for _, arm in found.arms():
        for hit in arm:
            scores[hit.seq] = scores.get(hit.seq, 0.0) + 1 / (FUSION + hit.rank)
            in_force[hit.seq] = hit.in_force
    return sorted(scores.items(), key=lambda item: (-item[1], not in_force[item[0]], -item[0]))


def _rule(reading: Reading, ask: Ask, seqs: Iterable[Seq]) -> dict[Seq, Ruling]:
    wanted = list(seqs)
    if not wanted:
        return {}
    world = reading.world(wanted)
    return standings(world, wanted, valid_at=ask.wanted.valid_at, known_at=ask.wanted.known_at)


def _sort_out(reading: Reading, ask: Ask, policy: Policy, ranked: Sequence[tuple[Seq, float]], sort: _Sorted) -> None:
    ruled = _rule(reading, ask, (seq for seq, _ in ranked))
    anchors = [seq for seq in ruled if ruled[seq].standing in _ANCHORS]
    places = _places(reading, ask, anchors, ruled)
    reached = {*ruled, *(seq for place in places.values() for seq in place.taken)} - sort.notes.keys()
    sort.notes |= reading.notes(reached)
    sort.trust |= _trust(reading, ask, policy, [sort.notes[seq] for seq in reached])
    for seq, score in ranked:
        if seq not in ruled:
            continue
        ruling = ruled[seq]
        place = _Place([seq]) if ruling is IN_FORCE else places.get(seq, _Place([]))
        fitting = [taken for taken in place.taken if _may_serve(sort.notes[taken], ask)]
        served = [taken for taken in fitting if sort.trust[taken].band is not None]
        for taken in served:
            slot = sort.slots.setdefault(taken, _Slot(score, sort.notes[taken], sort.trust[taken]))
            if place.by_chain and taken != seq:
                slot.replaces.append(seq)
        if ruling is not IN_FORCE:
            sort.withheld[seq] = ruling
        elif not served:
            sort.withheld[seq] = Ruling(Standing.DEMOTED) if fitting else ruling
        if ruling.standing in _ALWAYS_OPEN or (ruling.standing in _OPEN_IF_UNREPLACED and not served):
            sort.open[seq] = ruling


def _trust(reading: Reading, ask: Ask, policy: Policy, notes: Sequence[Note]) -> dict[Seq, _Trust]:
    """The confidence and band of each note at the moment asked about, its age counted from its last confirmation."""
    confirmed = reading.confirmed_at([note.seq for note in notes], known_at=ask.wanted.known_at)
    found: dict[Seq, _Trust] = {}
    for note in notes:
        rules = policy.kinds.get(note.kind) or policy.kind("default")
        since = instant(note.observed_at or note.recorded_at)
        age = ask.wanted.valid_at - max(since, confirmed.get(note.seq, since))
        half_life = None if rules.half_life is None else int(rules.half_life.total_seconds() * 1_000_000)
        level = confidence(note.confidence, age=age, half_life=half_life)
        shown = rules.attribute_source == "always" or (rules.attribute_source == "hedged" and level < rules.assert_from)
        found[note.seq] = _Trust(level, rules.band(level), shown)
    return found


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


def _places(reading: Reading, ask: Ask, anchors: Sequence[Seq], ruled: Mapping[Seq, Ruling]) -> dict[Seq, _Place]:
    """For each anchor, the notes in force that take its place."""
    if not anchors:
        return {}
    known_at = ask.wanted.known_at
    heads = reading.heads(anchors, known_at=known_at)
    rulings = dict(ruled)

    def standing(seqs: Iterable[Seq]) -> list[Seq]:
        return sorted(seq for seq in seqs if seq in rulings and rulings[seq] is IN_FORCE)

    rulings |= _rule(reading, ask, {end for chain in heads.values() for end in chain} - rulings.keys())
    places = {anchor: _Place(standing(heads[anchor]), by_chain=True) for anchor in anchors}
    lost = [anchor for anchor in anchors if not places[anchor].taken]
    below = reading.replaced_by({end for anchor in lost for end in heads[anchor]}, known_at=known_at) if lost else {}
    rulings |= _rule(reading, ask, {seq for chain in below.values() for seq in chain} - rulings.keys())
    for anchor in lost:
        places[anchor] = _Place(standing({seq for end in heads[anchor] for seq in below[end]}))
    return places


def _serve(reading: Reading, ask: Ask, slots: Sequence[_Slot], found: Found) -> list[UpheldNote]:
    """Turn slots into notes to use, as many as the budget holds."""
    replaced = reading.ids({seq for slot in slots for seq in slot.replaces})
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
                replaces=tuple(replaced[seq] for seq in slot.replaces),
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
            lines.append(f"rank {ranks[slot.note.seq]} by {name}")
        lines += [f"takes rank {ranks[seq]} by {name} of a note it replaced" for seq in slot.replaces if seq in ranks]
    return "; ".join(lines) or "takes the place of a note it replaced"


def _answer(
    reading: Reading,
    ask: Ask,
    sort: _Sorted,
    upheld: Sequence[UpheldNote],
    *,
    found: int,
    omitted: int,
) -> Recall:
    history = ask.mode == "history"
    views = view_of(reading, sort.withheld, sort.notes, ask.wanted.scopes, show=history)
    kept = tuple(withheld_note(views[seq]) for seq in sort.withheld)
    questions = tuple(open_question(views[seq], ruling) for seq, ruling in sort.open.items())
    timeline: tuple[View, ...] = ()
    if history:
        standing = view_of(
            reading, {note.note.seq: IN_FORCE for note in upheld}, sort.notes, ask.wanted.scopes, show=True
        )
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
    path = _path(reading, ask, upheld, show=history)
    return Recall(upheld=tuple(upheld), open=questions, withheld=kept, path=path, receipt=receipt, timeline=timeline)


def in_order(view: View) -> tuple[int, int]:
    """Where a note belongs in a history: when it began or was seen, else when it was recorded."""
    note = view.note
    if note is None:
        return (0, 0)
    return (instant(note.event_time or note.recorded_at), note.seq)


def _path(reading: Reading, ask: Ask, upheld: Sequence[UpheldNote], *, show: bool) -> tuple[Step, ...]:
    """The decisions that led to what is upheld, oldest first, each with the reason it was taken."""
    replacing = [note.note.seq for note in upheld if note.replaces]
    if not replacing:
        return ()
    chains = reading.replaced_by(replacing, known_at=ask.wanted.known_at)
    members = {seq for chain in chains.values() for seq in chain}
    notes = reading.notes(members)
    ruled = _rule(reading, ask, members)
    undone = {event.undoes for event in reading.events(members) if event.seq <= ask.wanted.known_at}
    reasons = {
        link.origin: link.reason
        for link in reading.links(members)
        if link.rel is Rel.SUPERSEDES and link.reason is not None and link.seq <= ask.wanted.known_at
        if link.seq not in undone
    }
    ordered = sorted(notes.values(), key=lambda note: (instant(note.event_time or note.recorded_at), note.seq))
    return tuple(
        Step(
            id=note.id,
            at=note.event_time,
            standing=ruled[note.seq].standing,
            reason=reasons.get(note.seq),
            statement=note.statement if show or ruled[note.seq] is IN_FORCE else None,
        )
        for note in ordered
        if note.scope in ask.wanted.scopes and note.seq in ruled
    )
