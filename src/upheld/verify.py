"""Verification: what to ask which owner, what an answer is worth, and what it does to the log. Knows ports only.

    equal after canonicalisation   the note is *verified*: its age counts from the moment of asking
    another value                  a new note takes its place, on the word of the system of record
    anything else                  nothing is written; the note stays unverified

An answer counts from the moment of asking. If anything was said about the note since, the answer is older than that
and is dropped: what it read may be what was true before. Source: essay 001, "Checking the value against the thing
that owns it".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from upheld import limits
from upheld.admit import admit
from upheld.errors import Invalid, UpheldError
from upheld.ledger import Outcome
from upheld.note import MAX_NAME_CHARS, Certainty, Channel, Draft, Key, Note, Source, Verb, instant
from upheld.owners import Owners, is_pointer, stated, window
from upheld.policy import Policy
from upheld.ports import Ids, Reading, Verifier
from upheld.remember import Journal, record
from upheld.standing import IN_FORCE, Seq, standings
from upheld.values import Relation, canonical, relation
from upheld.verification import Agreed, Asked, Changed, Reply, Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNUSABLE = Unavailable("its answer was not usable")


class Settled(StrEnum):
    """What became of a note whose owner was asked."""

    VERIFIED = "verified"
    CHANGED = "changed"
    READ = "read"
    UNAVAILABLE = "unavailable"
    OVERTAKEN = "overtaken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One question to one owner: all that is in force about one subject in one scope and belongs to that owner."""

    scope: str
    subject_key: str
    verifier: Verifier
    window: timedelta
    notes: tuple[Note, ...]


def calls(notes: Iterable[Note], owners: Owners, policy: Policy) -> list[Call]:
    """The calls that some notes need: one for each subject and owner, in the order of the notes."""
    grouped: dict[tuple[str, str, str], list[Note]] = {}
    verifiers: dict[tuple[str, str, str], Verifier] = {}
    for note in notes:
        verifier = owners.of(note)
        if verifier is not None:
            # What has no subject is asked about alone.
            group = (note.scope, note.subject_key or note.id, verifier.source)
            grouped.setdefault(group, []).append(note)
            verifiers.setdefault(group, verifier)
    return [
        Call(
            scope=group[0],
            subject_key=group[1],
            verifier=verifiers[group],
            window=min(window(note, policy) for note in listed),
            notes=tuple(listed),
        )
        for group, listed in grouped.items()
    ]


def with_siblings(reading: Reading, call: Call, owners: Owners, at: datetime) -> Call:
    """The call with all else that is in force about its subject and belongs to its owner: a window has one call."""
    attributes = owners.attributes(call.verifier.source)
    found = set(reading.keyed([call.scope], [(call.subject_key, attribute) for attribute in attributes]))
    found -= {note.seq for note in call.notes}
    ruled = standings(reading.world(found), found, valid_at=instant(at), known_at=reading.head().seq)
    notes = reading.notes(seq for seq in sorted(found) if ruled[seq] is IN_FORCE)
    same = [note for note in notes.values() if owners.of(note) is call.verifier]
    return Call(
        scope=call.scope,
        subject_key=call.subject_key,
        verifier=call.verifier,
        window=call.window,
        notes=(*call.notes, *same),
    )


def asked(note: Note) -> Asked:
    """A note as its owner is asked about it."""
    return Asked(
        note=note.id,
        scope=note.scope,
        subject=note.subject or "",
        attribute=note.attribute or "",
        value=note.value,
        statement=note.statement,
        sources=note.sources,
        recorded_at=note.recorded_at,
    )


def checked(notes: Sequence[Note], answer: object) -> list[Reply]:
    """One reply for each note, whatever a verifier gave back: what is no reply counts as no answer.

    >>> checked([], None)
    []
    """
    if not isinstance(answer, list | tuple) or len(answer) != len(notes):
        return [UNUSABLE] * len(notes)
    return [_checked(note, each) for note, each in zip(notes, answer, strict=True)]


def _checked(note: Note, given: object) -> Reply:
    if isinstance(given, Agreed):
        return UNUSABLE if is_pointer(note) else given
    if isinstance(given, Unavailable):
        return Unavailable(_line(given.reason))
    if not isinstance(given, Changed):
        return UNUSABLE
    try:
        value = limits.name(given.value, "the value")
    except Invalid:
        return UNUSABLE
    if note.attribute_key is None or not canonical(value):
        return UNUSABLE
    if note.value_key is None:
        return Changed(value)
    same = relation(note.value_key, canonical(value), single=True) is Relation.SAME
    return Agreed() if same else Changed(value)


def _line(reason: object) -> str:
    """A verifier's reason as one line that fits."""
    if not isinstance(reason, str):
        return UNUSABLE.reason
    shown = "".join(c if c.isprintable() else " " for c in reason).strip()
    return shown[:MAX_NAME_CHARS] or UNUSABLE.reason


def apply(
    journal: Journal,
    call: Call,
    replies: Sequence[Reply],
    *,
    asked_at: datetime,
    known_at: Seq,
    ids: Ids,
    policy: Policy,
    vectors: Mapping[Seq, NDArray[np.float32]],
) -> dict[Seq, Settled]:
    """Write what an owner said at `asked_at`, when the log ended at `known_at`; say what became of each note."""
    tx, source = journal.tx, call.verifier.source
    settled: dict[Seq, Settled] = {}
    seqs = [note.seq for note in call.notes]
    for note, reply in zip(call.notes, replies, strict=True):
        if isinstance(reply, Unavailable):
            settled[note.seq] = Settled.UNAVAILABLE
        elif is_pointer(note):
            settled[note.seq] = Settled.READ
        elif _was_overtaken(journal, note, known_at):
            settled[note.seq] = Settled.OVERTAKEN
        elif isinstance(reply, Agreed):
            journal.event(note.seq, Verb.VERIFIED, actor=f"system:{source}", effective_from=asked_at)
            settled[note.seq] = Settled.VERIFIED
        else:
            draft = successor(note, reply.value, source, asked_at)
            settled[note.seq] = _record(journal, draft, ids, policy, vectors.get(note.seq))
    unavailable = [reply for reply in replies if isinstance(reply, Unavailable)]
    outcome = Outcome.UNAVAILABLE if len(unavailable) == len(seqs) else Outcome.ANSWERED
    tx.ledger.answered(
        call.scope,
        call.subject_key,
        source,
        asked_at=asked_at,
        outcome=outcome,
        reason=unavailable[0].reason if unavailable else None,
    )
    return settled


def _was_overtaken(journal: Journal, note: Note, known_at: Seq) -> bool:
    """Whether the note fell, or anything was said about it, after its owner was asked."""
    tx = journal.tx
    ruling = standings(tx.world([note.seq]), [note.seq], valid_at=instant(journal.at), known_at=journal.seq)[note.seq]
    said = [event.seq for event in tx.events([note.seq])] + [link.seq for link in tx.links([note.seq])]
    return ruling is not IN_FORCE or max(said, default=0) > known_at


def successor(note: Note, value: str, source: str, asked_at: datetime) -> Draft:
    """The draft that takes the place of a note whose owner has another value."""
    return Draft(
        statement=stated(note, value),
        scope=note.scope,
        kind=note.kind,
        by=f"system:{source}",
        key=Key(subject=note.subject or "", attribute=note.attribute or "", single=note.single),
        value=value,
        applies_when=note.applies_when,
        certainty=Certainty.CONFIRMED,
        observed_at=asked_at,
        sources=(Source(channel=Channel.SYSTEM_OF_RECORD, ref=source),),
        supersedes=(note.id,),
        reason=f"{source} has another value",
    )


def _record(journal: Journal, draft: Draft, ids: Ids, policy: Policy, vector: NDArray[np.float32] | None) -> Settled:
    try:
        admitted = admit(draft, policy, now=journal.at)
        with journal.tx.savepoint():
            record(journal, admitted, ids=ids, policy=policy, vector=vector)
    except UpheldError:
        return Settled.UNAVAILABLE
    return Settled.CHANGED
