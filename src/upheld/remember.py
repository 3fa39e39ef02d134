"""The one way in: find what a new statement touches, decide, and write it with all it brings about.

An authored link is taken as given; for the rest `relate` decides. Everything happens inside the caller's one
transaction: the note, its vector and words, its links and events, or nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec.structs import replace

from upheld import limits
from upheld.admit import Admitted
from upheld.errors import Conflict, Corrupt, Cycle, Invalid, Refused, no_note
from upheld.note import Certainty, Draft, Event, Evidence, Link, Note, Rel, Standing, Verb, Written, instant, moment
from upheld.policy import Policy
from upheld.ports import Ids, Reading, Writing
from upheld.relate import Plan, Rival, confirms, overlap, relate, repeats
from upheld.standing import IN_FORCE, Seq, standings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(slots=True)
class Journal:
    """The end of the log inside one transaction: hands out positions, and a time that never goes back."""

    tx: Writing
    seq: Seq
    at: datetime

    @classmethod
    def open(cls, tx: Writing, now: datetime) -> Journal:
        """Continue the log where it ends."""
        head = tx.head()
        return cls(tx, head.seq, now if head.at is None else max(now, moment(head.at)))

    def next(self) -> Seq:
        """Take the next position."""
        self.seq += 1
        return self.seq

    def link(
        self,
        origin: Seq,
        rel: Rel,
        target: Seq,
        *,
        actor: str,
        reason: str | None = None,
        authored: bool = True,
    ) -> None:
        """Write a link; `Cycle` where a note would come to replace itself."""
        # Links from newer to older notes alone make no cycle; only one that points forward can close it.
        if rel is Rel.SUPERSEDES and origin < target and self.tx.would_cycle(origin, target):
            raise Cycle("a note would come to replace itself, directly or through others")
        self.tx.append_link(
            Link(
                seq=self.next(),
                origin=origin,
                rel=rel,
                target=target,
                authored=authored,
                actor=actor,
                reason=reason,
                at=self.at,
            )
        )

    def event(
        self,
        note: Seq,
        verb: Verb,
        *,
        actor: str,
        reason: str | None = None,
        effective_from: datetime | None = None,
        against: Seq | None = None,
        undoes: Seq | None = None,
        evidence: Evidence | None = None,
    ) -> Seq:
        """Write an event; return its position."""
        position = self.next()
        self.tx.append_event(
            Event(
                seq=position,
                note=note,
                verb=verb,
                actor=actor,
                reason=reason,
                at=self.at,
                effective_from=effective_from,
                against=against,
                undoes=undoes,
                evidence=evidence,
            )
        )
        return position


def record(
    journal: Journal,
    admitted: Admitted,
    *,
    ids: Ids,
    policy: Policy,
    vector: NDArray[np.float32] | None = None,
) -> Written:
    """Write an admitted draft and all it brings about.

    Raises `NotFound` for links to unknown notes, `Conflict` where a note to supersede already is, where the id is
    taken or the idempotency key was used for something else, `Refused` for what a rule forbids.
    """
    draft, tx = admitted.draft, journal.tx
    key = draft.idempotency_key
    if key is not None and (earlier := tx.requests([key])):
        note = tx.notes([earlier[key][1]])[earlier[key][1]]
        if earlier[key][0] != payload(admitted):
            raise Conflict(f"the idempotency key {key!r} was used for another write; use a new one", current=(note.id,))
        return Written(note=note, outcome="repeated")
    if draft.id is not None and (there := tx.seqs([draft.id])):
        return _same_id(admitted, tx.notes(there.values())[there[draft.id]])
    named = find(tx, (*draft.supersedes, *draft.alongside, *draft.depends_on, *draft.derived_from, *draft.led_by))
    generation = max((1 + named[id].generation for id in draft.derived_from), default=0)
    if generation > policy.consolidate.generations:
        raise Refused(
            f"this would be made from notes {generation} times over; the policy's [consolidate] generations lets "
            f"{policy.consolidate.generations} pass: make it from the first notes instead"
        )
    note = admitted.recorded(seq=journal.next(), id=draft.id or ids(), at=journal.at, generation=generation)
    replaced = [named[id] for id in dict.fromkeys(draft.supersedes)]
    plan = _plan(journal, note, replaced, frozenset(draft.alongside), policy)
    if plan.instead is None:
        tx.append_notes([(note, vector)])
        written = _write(journal, note, plan, draft, named)
    else:
        written = _confirm(journal, note, plan)
    if key is not None:
        tx.keep_requests([(key, payload(admitted), written.note.seq)])
    return written


_CONTENT = (
    "statement scope kind subject_key attribute_key value_key applies_when certainty valid_from valid_to observed_at"
).split()


def _same_id(admitted: Admitted, there: Note) -> Written:
    """The same note again is a repetition; another note under its id is a conflict."""
    again = admitted.recorded(seq=there.seq, id=there.id, at=there.recorded_at, generation=there.generation)
    if any(getattr(again, part) != getattr(there, part) for part in _CONTENT):
        raise Conflict(
            f"there is another note with the id {there.id!r}; leave id out, or choose one", current=(there.id,)
        )
    return Written(note=there, outcome="repeated")


def payload(admitted: Admitted) -> str:
    """A digest of all that a draft says: what an idempotency key stands for."""
    ordered = dict(sorted(admitted.applies_when.items()))
    return sha256(repr(replace(admitted.draft, applies_when=ordered)).encode()).hexdigest()


def alone(note: Note) -> str:
    """The outcome for a note that meets no other."""
    return "proposed" if note.certainty is Certainty.HYPOTHESIS else "added"


def _plan(journal: Journal, note: Note, replaced: Sequence[Note], beside: frozenset[str], policy: Policy) -> Plan:
    if replaced:
        if note.certainty is Certainty.HYPOTHESIS:
            raise Refused("a hypothesis supersedes nothing; leave supersedes out, or state it as reported")
        _check_heads(journal, replaced, note.seq, beside)
    said = journal.tx.same_statement(note.scope, note.statement)
    met = _rivals(journal, said, note.seq)
    if note.value_key is None:
        plan = _plan_without_key(note, [rival for rival in met if rival.note in said])
    else:
        rivals = _rivals(journal, journal.tx.rivals(note, instant(journal.at)), note.seq)
        named = {target.seq for target in replaced}
        valued = [rival for rival in rivals if rival.note.seq not in named and rival.note.value_key is not None]
        plan = relate(note, valued, policy, authored=bool(replaced))
        met += rivals
    if plan.instead is None and note.certainty is not Certainty.HYPOTHESIS:
        _refuse_return(note, met)
    if replaced:
        # The author decided what this replaces, and so that it is written; for the rest the key rule holds.
        return replace(plan, outcome="superseded", instead=None)
    return plan


def _plan_without_key(note: Note, same: Sequence[Rival]) -> Plan:
    if note.certainty is Certainty.HYPOTHESIS:
        return Plan(outcome="proposed")
    equal = [rival for rival in same if rival.note.applies_when == note.applies_when]
    for rival in reversed(equal):
        if rival.stands and confirms(rival.note, note):
            return Plan(outcome="confirmed", instead=rival.note, refreshes=note.event_time is not None)
        if rival.ruling.standing is Standing.SUPERSEDED and repeats(note, rival.note):
            return Plan(outcome="history", instead=rival.note)
    return Plan()


def _refuse_return(note: Note, met: Iterable[Rival]) -> None:
    """What was retracted does not come back by being said again, in whatever spelling."""
    for rival in met:
        other = (
            rival.note.value_key is not None and note.value_key is not None and rival.note.value_key != note.value_key
        )
        met_here = overlap(rival.note.applies_when, note.applies_when) and not other
        if rival.ruling.standing is Standing.RETRACTED and met_here and repeats(note, rival.note):
            raise Refused(
                f"this was retracted (note {rival.note.id}); restore that note, or say when it became true again "
                "(valid_from)"
            )


def _rivals(journal: Journal, same: Sequence[Note], known_at: Seq) -> list[Rival]:
    """Notes with their rulings now, and the in-force ends of chains that left them by an author's word."""
    if not same:
        return []
    tx, at = journal.tx, instant(journal.at)
    seqs = [note.seq for note in same]
    ruled = standings(tx.world(seqs), seqs, valid_at=at, known_at=known_at)
    fallen = [seq for seq in seqs if ruled[seq].standing is Standing.SUPERSEDED]
    undone = {event.undoes for event in tx.events(fallen)} if fallen else set()
    links = [link for link in tx.links(fallen) if link.seq not in undone] if fallen else []
    left = {link.target for link in links if link.authored and link.rel is Rel.SUPERSEDES}
    seen = {seq: last for seq, each in tx.seen_at(seqs, known_at=known_at).items() if (last := each.last) is not None}
    found = [
        Rival(note, ruled[note.seq], note.seq in left, moment(seen[note.seq]) if note.seq in seen else None)
        for note in same
    ]
    heads = tx.heads(left & set(seqs), known_at=known_at) if left else {}
    ends = {end for chain in heads.values() for end in chain} - set(seqs)
    if ends:
        rulings = standings(tx.world(ends), ends, valid_at=at, known_at=known_at)
        found += [Rival(note, IN_FORCE) for seq, note in tx.notes(ends).items() if rulings[seq] is IN_FORCE]
    return found


def _check_heads(journal: Journal, targets: Sequence[Note], known_at: Seq, beside: frozenset[str]) -> None:
    """Compare-and-set: `Conflict` with the present heads if any target was superseded by others than `beside`."""
    tx, seqs = journal.tx, [note.seq for note in targets]
    heads = {head for chain in tx.heads(seqs, known_at=known_at).values() for head in chain}
    looked_at = heads | set(seqs)
    ruled = standings(tx.world(looked_at), looked_at, valid_at=instant(journal.at), known_at=known_at)
    # A retracted successor leaves the place free again.
    moved = tx.ids(seq for seq in heads - set(seqs) if ruled[seq].standing is not Standing.RETRACTED)
    if not beside.issuperset(moved.values()):
        names = tuple(moved.values())
        raise Conflict(
            f"already superseded: the present head is {', '.join(names)}; read it, then decide", current=names
        )
    for note in targets:
        if ruled[note.seq].standing is Standing.ERASED:
            raise no_note(note.id)
        if ruled[note.seq].standing is Standing.RETRACTED:
            raise Refused(f"note {note.id} was retracted: there is nothing to supersede; remember the new statement")


def find(tx: Reading, ids: Iterable[str]) -> dict[str, Note]:
    """The notes with these ids; `NotFound` names the first that is missing."""
    wanted = list(ids)
    if any(not isinstance(id, str) for id in wanted):
        raise Invalid("a note is named by its id, a text")
    wanted = [limits.exact(id) for id in wanted]
    if not wanted:
        return {}
    seqs = tx.seqs(wanted)
    for id in wanted:
        if id not in seqs:
            raise no_note(id)
    notes = tx.notes(seqs.values())
    if damaged := [id for id, seq in seqs.items() if seq not in notes]:
        raise Corrupt(f"the row of note {damaged[0]} is damaged; the others can be read (upheld doctor says more)")
    return {id: notes[seq] for id, seq in seqs.items()}


def _write(journal: Journal, note: Note, plan: Plan, draft: Draft, named: dict[str, Note]) -> Written:
    replaced = [named[id] for id in dict.fromkeys(draft.supersedes)]
    retired = {target.seq: target for target in replaced}
    for target in replaced:
        journal.link(note.seq, Rel.SUPERSEDES, target.seq, actor=draft.by, reason=draft.reason)
    if replaced:
        retired |= _retire_copies(journal, note, replaced, draft)
    # A later note that what the author names here had replaced stays behind it, and so behind this one.
    later = next((n for n in plan.superseded_by if not (retired and journal.tx.would_cycle(n.seq, note.seq))), None)
    if later is not None:
        journal.link(later.seq, Rel.SUPERSEDES, note.seq, actor=later.by, authored=False)
    for target in plan.supersedes:
        # What already replaces the later note stays ahead of both.
        behind = later is not None and journal.tx.would_cycle(note.seq, target.seq)
        if target.seq not in retired and not behind:
            retired[target.seq] = target
            journal.link(note.seq, Rel.SUPERSEDES, target.seq, actor=draft.by, reason=draft.reason, authored=False)
    for rel, listed in ((Rel.DEPENDS_ON, draft.depends_on), (Rel.DERIVED_FROM, draft.derived_from)):
        for id in dict.fromkeys(listed):
            journal.link(note.seq, rel, named[id].seq, actor=draft.by)
    for id in dict.fromkeys(draft.led_by):
        journal.link(named[id].seq, Rel.LED_TO, note.seq, actor=draft.by, reason=draft.reason)
    if draft.reason is not None and not retired and not draft.led_by:
        journal.event(note.seq, Verb.ASSERTED, actor=draft.by, reason=draft.reason)
    for rival in plan.disputes:
        journal.event(note.seq, Verb.DISPUTED, actor=draft.by, against=rival.seq)
    for rival in plan.doubts:
        journal.event(rival.seq, Verb.DISPUTED, actor=draft.by, against=note.seq)
    against = (*plan.disputes, *([later] if later else ()), *plan.doubts)
    return Written(
        note=note,
        outcome=plan.outcome,
        replaces=tuple(target.id for target in retired.values()),
        against=tuple(rival.id for rival in against),
    )


def _retire_copies(journal: Journal, note: Note, replaced: Sequence[Note], draft: Draft) -> dict[Seq, Note]:
    """Retire what says the same as a replaced note: one claim often lives in several notes."""
    found: dict[Seq, Note] = {}
    done = {note.seq, *(target.seq for target in replaced)}
    for target in replaced:
        if target.value_key is None:
            continue
        for rival in _rivals(journal, journal.tx.rivals(target, instant(journal.at)), note.seq):
            copy = rival.note
            is_copy = copy.value_key == target.value_key and copy.applies_when == target.applies_when
            if rival.stands and is_copy and copy.seq not in done:
                done.add(copy.seq)
                found[copy.seq] = copy
                journal.link(note.seq, Rel.SUPERSEDES, copy.seq, actor=draft.by, reason=draft.reason, authored=False)
    return found


def _confirm(journal: Journal, note: Note, plan: Plan) -> Written:
    if plan.instead is None:
        raise AssertionError("a confirmation needs the note that it confirms")
    journal.seq -= 1  # the new note was not written, so its position is free
    if plan.outcome == "confirmed":
        seen = note.event_time if plan.refreshes else None
        journal.event(plan.instead.seq, Verb.CONFIRMED, actor=note.by, effective_from=seen)
    return Written(note=plan.instead, outcome=plan.outcome)
