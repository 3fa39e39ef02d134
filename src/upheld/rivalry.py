"""What follows when a note stands again: two values of one key are disputed, and nothing is guessed."""

from __future__ import annotations

from upheld.note import Note, Standing, Verb, instant
from upheld.relate import overlap
from upheld.remember import Journal
from upheld.standing import standings
from upheld.values import Relation, relation


def dispute_rivals(journal: Journal, note: Note, by: str) -> None:
    """Dispute a note that stands again, and each other value of its key that stands too: nothing is guessed."""
    tx = journal.tx
    if note.value_key is None:
        return
    rivals = tx.rivals(note, instant(journal.at))
    others = [other for other in rivals if other.seq != note.seq and other.value_key is not None]
    seqs = [note.seq, *(other.seq for other in others)]
    now = standings(tx.world(seqs), seqs, valid_at=instant(journal.at), known_at=journal.seq)
    if now[note.seq].standing is not Standing.IN_FORCE:
        return
    for other in others:
        single = note.single and other.single
        conflict = relation(note.value_key or "", other.value_key or "", single=single) is Relation.CONFLICT
        if conflict and now[other.seq].standing is Standing.IN_FORCE and overlap(note.applies_when, other.applies_when):
            journal.event(note.seq, Verb.DISPUTED, actor=by, against=other.seq)
            journal.event(other.seq, Verb.DISPUTED, actor=by, against=note.seq)
