"""Reading: from a question to what may be used, what is open, and what was kept back.

1. Search: notes in force, and apart from them others, as *anchors*; the old note owns the question's words.
2. Fuse the arms (meaning, words, subject) by reciprocal rank. Ranks count notes in force only, so dead notes never
   move live ones; one that was replaced stands among them where it would if it stood.
3. Rule on every candidate (`standing.py` has the last word). An anchor gives its place to the heads of its
   supersession chain that stand; failing that, to what stands of the chain below. One that leads to nothing in
   force becomes an open question.
4. Confidence, bands, conditions, budget; then the path and the receipt.

A value whose owner has not been asked within its window counts as unverified here, always: so an answer that asserts
it can only come after the owner was asked, whoever asks, and whatever became of the asking.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from upheld.answer import OpenQuestion, Recall, Receipt, Step, UpheldNote, View, attribution
from upheld.deliver import open_question, view_of, withheld_note
from upheld.desk import UNVERIFIED, Ask, Desk, Slot
from upheld.fusion import fuse
from upheld.note import Band, Note, Standing, instant, moment
from upheld.policy import Policy
from upheld.ports import Found, Reading
from upheld.relate import overlap
from upheld.standing import IN_FORCE, Instant, Recorded, Ruling, Seq
from upheld.wording import load

DEPTH = 20
MOST_STEPS = 200
"""How many decisions a path shows."""

_OPEN_IF_UNREPLACED = frozenset(
    {Standing.SUPERSEDED, Standing.CONTRADICTED, Standing.RETRACTED, Standing.EXPIRED, Standing.ENDED}
)
_ALWAYS_OPEN = frozenset({Standing.NEEDS_CHECK, Standing.DISPUTED})

_ANCHORS = _OPEN_IF_UNREPLACED | {Standing.NOT_YET}
"""Standings whose notes give their place to what stands of their chain. A hypothesis never stood; it places nothing."""


class Answered(NamedTuple):
    """An answer, and the notes of it that count as unverified until their owners are asked, the best first."""

    answer: Recall
    due: tuple[Note, ...]


class _Place(Struct, frozen=True):
    """The notes that take an anchor's place, and whether they are the heads of its own chain."""

    taken: list[Seq]
    by_chain: bool = False


_NOWHERE = _Place([])


def recall(reading: Reading, ask: Ask, policy: Policy) -> Answered:
    """Answer one question from one consistent view of the store."""
    found = reading.search(ask.wanted)
    ranked, rest = fuse(found), found.rest
    desk = Desk(reading, ask, policy)
    while best := [*islice(ranked, ask.limit + ask.limit // 4 + 1)]:
        _sort_out(desk, best, rest)
        if len(desk.slots) >= ask.limit and ask.mode != "history":
            break
    slots = list(desk.slots.values())  # the best first, as they were given: so no place hangs on where a step ends
    upheld = _serve(desk, slots[: ask.limit], found)
    answer = _answer(desk, upheld, found=found.count, omitted=len(slots) - len(upheld))
    return Answered(answer, tuple(desk.due.values())[: ask.limit])


def _sort_out(desk: Desk, ranked: Sequence[tuple[float, Seq]], rest: Collection[Seq]) -> None:
    """Rule on what was found; give each a slot of its own, or its replacement's, or a place among what is kept back."""
    desk.look_at([seq for _, seq in ranked])
    rulings = desk.rulings
    fallen = [seq for _, seq in ranked if seq in rulings and seq not in rest and rulings[seq] is not IN_FORCE]
    places = _places(desk, [seq for seq in fallen if rulings[seq].standing in _ANCHORS]) if fallen else {}
    for score, seq in ranked:
        ruling = rulings.get(seq)
        if ruling is IN_FORCE:
            if _seat(desk, score, seq) is None:
                desk.withheld[seq] = ruling
        elif ruling is not None:
            _hand_on(desk, score, seq, ruling, places.get(seq, _NOWHERE))


def _seat(desk: Desk, score: float, seq: Seq) -> Ruling | None:
    """Give a slot to a note in force: `IN_FORCE` then, else why it is kept back; None where it was not asked for."""
    if not _may_serve(desk.notes[seq], desk.ask):
        return None
    if (back := desk.kept_back(seq)) is not None:
        desk.withheld[seq] = back
        if back is UNVERIFIED or desk.ask.for_action:
            desk.open[seq] = back
        return back
    if seq not in desk.slots:
        desk.slots[seq] = Slot(score, desk.shown(seq), desk.trusts[seq])
    return IN_FORCE


def _hand_on(desk: Desk, score: float, anchor: Seq, ruling: Ruling, place: _Place) -> None:
    """Give the place of a note that does not stand to those that take it; where none does, what holds is open."""
    seated = {taken: _seat(desk, score, taken) for taken in place.taken}
    served = [taken for taken, back in seated.items() if back is IN_FORCE]
    if place.by_chain:
        for taken in served:
            desk.slots[taken].replaces.append(anchor)
    desk.withheld[anchor] = ruling
    settled = served or not desk.open.keys().isdisjoint(seated)
    if ruling.standing in _ALWAYS_OPEN or (ruling.standing in _OPEN_IF_UNREPLACED and not settled):
        desk.open[anchor] = ruling


def _may_serve(note: Note, ask: Ask) -> bool:
    """Whether a note in force is inside what was asked: its scope, the filter, the conditions."""
    narrow = ask.wanted.filter
    return (
        note.scope in ask.wanted.scopes
        and (not note.applies_when or overlap(note.applies_when, ask.applies))
        and (not narrow.kinds or note.kind in narrow.kinds)
        and (not narrow.channels or note.channel in narrow.channels)
        and (not narrow.subject_key or note.subject_key == narrow.subject_key)
        and (not narrow.attribute_key or note.attribute_key == narrow.attribute_key)
    )


def _places(desk: Desk, anchors: Sequence[Seq]) -> dict[Seq, _Place]:
    """For each anchor, the notes in force that take its place."""
    places = {anchor: _Place(desk.in_force(desk.heads_of(anchor)), by_chain=True) for anchor in anchors}
    lost = [anchor for anchor in anchors if not places[anchor].taken]
    if lost:
        below = desk.replaced_by({end for anchor in lost for end in desk.heads_of(anchor)})
        desk.look_at({seq for chain in below.values() for seq in chain})
        for anchor in lost:
            places[anchor] = _Place(desk.in_force({seq for end in desk.heads_of(anchor) for seq in below[end]}))
    return places


def _serve(desk: Desk, slots: Sequence[Slot], found: Found) -> list[UpheldNote]:
    """Turn slots into notes to use, as many as the budget holds."""
    ask, wording = desk.ask, load(desk.policy.language)
    upheld: list[UpheldNote] = []
    spent = 0
    for slot in slots:
        note, trust = slot.note, slot.trust
        if ask.budget_tokens is not None:
            spent += estimated_tokens(note.statement)
            if spent > ask.budget_tokens:
                break
        if trust.band is None:
            break
        upheld.append(
            UpheldNote(
                id=note.id,
                statement=note.statement,
                scope=note.scope,
                kind=note.kind,
                band=Band.HEDGE if trust.due and trust.band is Band.ASSERT else trust.band,
                confidence=int(trust.confidence * 10_000 + 0.5) / 10_000,  # `round` takes ten times as long
                replaces=tuple([desk.world.notes[seq].id for seq in slot.replaces]) if slot.replaces else (),
                score=slot.score,
                attribution=attribution(note, wording) if _says_source(slot, desk) else "",
                note=note,
                explanation=_why(slot, found) if ask.explain else None,
                confirmed_at=trust.confirmed_at,
                verified_at=trust.verified_at,
                unverified=desk.owner[note.seq] if trust.due else None,
            )
        )
    return upheld


def _says_source(slot: Slot, desk: Desk) -> bool:
    """Whether an answer says who a note is from, and when: where that may bring a correction (essay 001).

    What a system owns is cited always: that it was looked up, and when, is what makes it worth more than a memory.
    """
    trust = slot.trust
    if trust.rules.attribute_source == "hedged":
        unsure = trust.due or trust.band is not Band.ASSERT
        return unsure or slot.note.seq in desk.owner or desk.ask.for_action is not None
    return trust.rules.attribute_source == "always"


def estimated_tokens(text: str) -> int:
    """About how many model tokens a text costs: a quarter of its UTF-8 bytes, rounded up, and a few for its frame."""
    return -(-len(text.encode()) // 4) + 8


def _why(slot: Slot, found: Found) -> str:
    """How a note came to its place, in one line."""
    lines = []
    for name, arm in found.arms():
        if slot.note.seq in arm.in_force:
            lines.append(f"rank {arm.in_force.index(slot.note.seq) + 1} by {name}")
        replaced = [arm.together.index(seq) + 1 for seq in slot.replaces if seq in arm.together]
        lines += [f"takes rank {rank} by {name} of a note it replaced" for rank in replaced]
    return "; ".join(lines) or "takes the place of a note it replaced"


def _answer(desk: Desk, upheld: Sequence[UpheldNote], *, found: int, omitted: int) -> Recall:
    ask, history, language = desk.ask, desk.ask.mode == "history", desk.policy.language
    views = view_of(desk.world, desk.withheld, desk.notes, ask.wanted.scopes, show=history, language=language)
    views |= {seq: _unverified(desk, views[seq]) for seq, ruling in desk.withheld.items() if ruling is UNVERIFIED}
    kept = tuple([withheld_note(views[seq], show=history) for seq in desk.withheld])
    questions = tuple([_question(desk, views[seq], ruling) for seq, ruling in desk.open.items()])
    timeline: tuple[View, ...] = ()
    if history:
        serving = {note.note.seq: IN_FORCE for note in upheld}
        standing = view_of(desk.world, serving, desk.notes, ask.wanted.scopes, show=True, language=language)
        timeline = tuple(sorted({**views, **standing}.values(), key=in_order))
    receipt = Receipt(
        query=ask.wanted.text,
        scopes=ask.wanted.scopes,
        valid_at=ask.at,
        known_at=ask.wanted.known_at,
        mode=ask.mode,
        found=found,
        served=tuple([note.id for note in upheld]),
        opened=tuple([question.id for question in questions]),
        withheld=tuple([(note.id, note.standing) for note in kept]),
        omitted=omitted,
        degraded=ask.degraded,
    )
    path = _path(desk, upheld, show=history)
    answer = Recall(
        upheld=tuple(upheld),
        open=questions,
        withheld=kept,
        path=path,
        receipt=receipt,
        timeline=timeline,
        for_action=ask.for_action,
        language=language,
    )
    caution = answer.caution()
    return answer if caution is None else replace(answer, not_known=(caution,))


def _unverified(desk: Desk, view: View) -> View:
    """A note in force that is kept back from this answer: since when nobody entitled has seen it hold."""
    trust = desk.trusts[view.seq]
    by = (desk.owner[view.seq],) if trust.due else ()
    return replace(view, since=trust.since, by=by)


def _question(desk: Desk, view: View, ruling: Ruling) -> OpenQuestion:
    if ruling is not UNVERIFIED:
        return open_question(view)
    note = desk.notes[view.seq]
    return open_question(view, subject=note.subject, attribute=note.attribute)


def in_order(view: View) -> tuple[int, int]:
    """Where a note belongs in a history: when it began or was seen, else when it was recorded."""
    note = view.note
    if note is None:
        return (0, 0)
    return (instant(note.event_time or note.recorded_at), note.seq)


def _path(desk: Desk, upheld: Sequence[UpheldNote], *, show: bool) -> tuple[Step, ...]:
    """The decisions that led to what is upheld, oldest first, each with the reason it was taken."""
    known_at = desk.ask.wanted.known_at
    if desk.ask.direction:
        members = set(desk.reading.lineage([note.note.seq for note in upheld], known_at=known_at, limit=MOST_STEPS))
    else:
        replacing = [note.note.seq for note in upheld if note.replaces]
        members = {seq for chain in desk.replaced_by(replacing).values() for seq in chain} if replacing else set()
    if not members:
        return ()
    if show or desk.ask.direction:
        desk.look_at(members)
    else:
        desk.rule_on(members)  # what was replaced by what is in force is not, so none of its text is needed
    reasons = desk.reading.reasons(members, known_at=known_at)
    steps = [desk.world.notes[seq] for seq in members if desk.standing(seq) not in (None, Standing.ERASED)]
    return tuple(
        Step(
            id=step.id,
            scope=step.scope,
            at=None if step.event_time is None else moment(step.event_time),
            standing=desk.rulings[step.seq].standing,
            reason=reasons.get(step.seq),
            statement=desk.notes[step.seq].statement if show or desk.rulings[step.seq] is IN_FORCE else None,
        )
        for step in sorted(steps, key=_when)
        if step.scope in desk.ask.wanted.scopes
    )


def _when(note: Recorded) -> tuple[Instant, Seq]:
    return (note.recorded_at if note.event_time is None else note.event_time, note.seq)
