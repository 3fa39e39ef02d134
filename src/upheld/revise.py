"""What can be said later about a note that is there: confirm, retract, restore. Each is one more line of the log."""

from __future__ import annotations

from datetime import datetime

from upheld.errors import Refused, no_note
from upheld.limits import channel_of, text
from upheld.note import MAX_REASON_CHARS, Event, Note, Rel, Standing, Verb, instant
from upheld.policy import Policy
from upheld.remember import Journal, find
from upheld.rivalry import dispute_rivals
from upheld.standing import Ruling, Seq, standings

_AGAINST = (Verb.RETRACTED, Verb.CONTRADICTED, Verb.DISPUTED, Verb.UNSOURCED)


def checked(by: str, reason: str | None) -> None:
    """Refuse an actor or a reason that breaks a limit."""
    channel_of(by)
    if reason is not None:
        text(reason, "reason", MAX_REASON_CHARS)


def _require_trust(note: Note, by: str, policy: Policy) -> None:
    """Refuse an actor who is less trusted than the note's own source."""
    if policy.outranks(note.channel, channel_of(by)):
        raise Refused(
            f"{by!r} is less trusted than the {note.channel.value} that note {note.id} comes from; who is trusted as "
            f"much may say so (by={note.by!r})"
        )


def ruled(journal: Journal, id: str) -> tuple[Note, Ruling]:
    """A note and its ruling now; an erased note looks like a missing one."""
    note = find(journal.tx, [id])[id]
    ruling = standings(journal.tx.world([note.seq]), [note.seq], valid_at=instant(journal.at), known_at=journal.seq)[
        note.seq
    ]
    if ruling.standing is Standing.ERASED:
        raise no_note(id)
    return note, ruling


def confirm(journal: Journal, id: str, *, by: str, reason: str | None, observed_at: datetime, policy: Policy) -> Note:
    """Say that a note still holds, as seen at `observed_at`. Its age is counted from there.

    That also settles that its only source was removed: from now on it rests on this word. Raises `Refused` for a
    note that is not in force, or where a less trusted channel would vouch for a more trusted one: that would make an
    old statement look fresh on weaker word.
    """
    checked(by, reason)
    note, ruling = ruled(journal, id)
    if ruling.standing not in (Standing.IN_FORCE, Standing.NEEDS_CHECK):
        raise Refused(f"note {id} is {ruling.standing.value}; only a note in force can be confirmed (restore it first)")
    if ruling.standing is Standing.NEEDS_CHECK and ruling.by:
        raise Refused(
            f"note {id} rests on a note that no longer stands; remember it again with the premises it has now, "
            "superseding this one"
        )
    _require_trust(note, by, policy)
    unsourced = _standing_against(journal, note, Verb.UNSOURCED) if ruling.standing is Standing.NEEDS_CHECK else []
    for seq in unsourced:
        journal.event(note.seq, Verb.RESTORED, actor=by, reason=reason, undoes=seq)
    journal.event(note.seq, Verb.CONFIRMED, actor=by, reason=reason, effective_from=observed_at)
    if unsourced:
        dispute_rivals(journal, note, by)
    return note


def _standing_against(journal: Journal, note: Note, *verbs: Verb) -> list[Seq]:
    """The events of these kinds about a note that nothing took back."""
    events = journal.tx.events([note.seq])
    undone = {event.undoes for event in events}
    return [event.seq for event in events if event.verb in verbs and event.seq not in undone]


def retract(journal: Journal, id: str, *, by: str, reason: str | None, policy: Policy) -> Note:
    """Say that a note never held. What it replaced stands again, unless something later replaced that too.

    Raises `Refused` if it is retracted already, or if a less trusted channel retracts a more trusted one.
    """
    checked(by, reason)
    note, ruling = ruled(journal, id)
    if ruling.standing is Standing.RETRACTED:
        raise Refused(f"note {id} is retracted already")
    _require_trust(note, by, policy)
    journal.event(note.seq, Verb.RETRACTED, actor=by, reason=reason)
    return note


def restore(journal: Journal, id: str, *, by: str, reason: str | None, policy: Policy) -> Note:
    """Take back what stands against a note: retraction, contradiction, dispute, a lost source, links that replace it.

    Where that leaves two different values of a single-valued key in force, both are disputed: nothing is guessed.
    Raises `Refused` if nothing stands against it.
    """
    checked(by, reason)
    note, _ = ruled(journal, id)
    tx = journal.tx
    _require_trust(note, by, policy)
    undone = {event.undoes for event in tx.events([note.seq])}
    against = _standing_against(journal, note, *_AGAINST)
    replacing = [
        link
        for link in tx.links([note.seq])
        if link.rel is Rel.SUPERSEDES and link.target == note.seq and link.seq not in undone
    ]
    if not against and not replacing:
        raise Refused(f"nothing stands against note {id}; there is nothing to restore")
    for seq in (*against, *(link.seq for link in replacing)):
        journal.event(note.seq, Verb.RESTORED, actor=by, reason=reason, undoes=seq)
    dispute_rivals(journal, note, by)
    return note


def take_back(journal: Journal, event: Event, *, by: str, reason: str | None, policy: Policy) -> None:
    """Take back one thing that was said against a note. Raises `Refused` if somebody took it back before."""
    checked(by, reason)
    note = journal.tx.notes([event.note])[event.note]
    _require_trust(note, by, policy)
    if event.seq not in _standing_against(journal, note, event.verb):
        raise Refused(f"that was taken back already; note {note.id} has: upheld explain {note.id}")
    journal.event(note.seq, Verb.RESTORED, actor=by, reason=reason, undoes=event.seq)
    dispute_rivals(journal, note, by)
