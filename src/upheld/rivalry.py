"""What follows when a note stands again: two values of one key are disputed, and nothing is guessed."""

from __future__ import annotations

from upheld.note import Note, Standing, Verb, instant
from upheld.relate import LIVING, overlap
from upheld.remember import Journal
from upheld.standing import IN_FORCE, Ruling, standings
from upheld.values import Relation, relation


def dispute_rivals(journal: Journal, note: Note, by: str) -> None:
    """Dispute a note that stands again, and each other value of its key that stands too: nothing is guessed.

    One that has not begun, or whose ground fell, may come to stand without a word about it. So it is disputed now, by
    what stands, which it disputes in turn only if that does not stand either.
    """
    tx = journal.tx
    if note.value_key is None:
        return
    rivals = tx.rivals(note, instant(journal.at))
    others = [other for other in rivals if other.seq != note.seq and other.value_key is not None]
    seqs = [note.seq, *(other.seq for other in others)]
    now = standings(tx.world(seqs), seqs, valid_at=instant(journal.at), known_at=journal.seq)
    if not _may_stand(now[note.seq]):
        return
    for other in [other for other in others if _may_stand(now[other.seq])]:
        single = note.single and other.single
        conflict = relation(note.value_key or "", other.value_key or "", single=single) is Relation.CONFLICT
        if conflict and overlap(note.applies_when, other.applies_when):
            for one, rival in ((note, other), (other, note)):
                if now[one.seq] is not IN_FORCE or now[rival.seq] is IN_FORCE:
                    journal.event(one.seq, Verb.DISPUTED, actor=by, against=rival.seq)


def _may_stand(ruling: Ruling) -> bool:
    """Whether a note stands, or may come to stand by time or with other notes: without a word about itself."""
    waiting = ruling.by or ruling.standing in (Standing.IN_FORCE, Standing.NOT_YET)
    return bool(waiting) and ruling.standing in LIVING
