"""What a consolidation has to know of the notes around it: how sure its inputs are, and what was said before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from upheld.aside import Operation
from upheld.consolidate.covering import grounds
from upheld.consolidate.proposal import LeftOut
from upheld.consolidate.terms import Held
from upheld.note import Draft, Note, Standing, instant
from upheld.policy import Policy
from upheld.ports import Reading
from upheld.standing import Seq, standings
from upheld.trust import NEVER, trust

_SAID_NOTHING = frozenset({Standing.ERASED, Standing.RETRACTED, Standing.CONTRADICTED, Standing.PROPOSED})
"""What never held, or was only guessed, speaks against no guess."""


def held(reading: Reading, notes: Sequence[Note], policy: Policy, *, now: datetime) -> dict[str, Held]:
    """Notes in force by id, with how sure each is now."""
    seen = reading.seen_at([note.seq for note in notes], known_at=reading.head().seq)
    found = {note.id: trust(note, policy, at=instant(now), seen=seen.get(note.seq, NEVER)) for note in notes}
    return {note.id: Held(note, found[note.id].confidence, found[note.id].since) for note in notes}


def others(reading: Reading, notes: Sequence[Note], *, now: datetime) -> tuple[Note, ...]:
    """Further notes of the scope with the keys of these, that hold or held once."""
    keys = {(note.subject_key, note.attribute_key) for note in notes if note.subject_key and note.attribute_key}
    wanted = [(subject, attribute) for subject, attribute in sorted(keys, key=str) if subject is not None]
    seqs = set(reading.keyed([notes[0].scope], wanted)) - {note.seq for note in notes}
    ruled = reading.standings(seqs, valid_at=instant(now), known_at=reading.head().seq) if seqs else {}
    return tuple(reading.notes(seq for seq, each in ruled.items() if each not in _SAID_NOTHING).values())


def known(
    reading: Reading, draft: Draft, operation: Operation, *, replaces: Collection[Seq], now: datetime
) -> LeftOut | None:
    """The note that says a draft already, with what that means for it; None where it may be said.

    What was retracted does not come back, and what was proposed is not proposed twice. A summary may say what one that
    it `replaces` says, but of other notes.
    """
    same = reading.same_statement(draft.scope, draft.statement)
    seqs = [note.seq for note in same]
    ruled = standings(reading.world(seqs), seqs, valid_at=instant(now), known_at=reading.head().seq) if seqs else {}
    inputs = set(draft.derived_from)
    for note in same:
        standing = ruled[note.seq].standing
        if standing is Standing.RETRACTED:
            return LeftOut(note.id, "it said this, and was retracted")
        if operation is Operation.INFER and standing in {Standing.PROPOSED, Standing.IN_FORCE}:
            return LeftOut(note.id, "it says this already")
        if operation is Operation.COMPRESS and standing is Standing.IN_FORCE:
            made_from = set(reading.ids(grounds(reading, [note.seq])[note.seq]).values())
            if note.seq not in replaces or made_from == inputs:
                return LeftOut(note.id, "it says this already, and stands")
    return None
