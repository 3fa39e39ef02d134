"""Where and how surely what was made of some notes may be said: never wider and never surer than all of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from upheld import limits
from upheld.errors import Refused
from upheld.note import Certainty, Channel, Note
from upheld.policy import Policy

_MAY_CONFIRM = frozenset({Channel.SYSTEM_OF_RECORD, Channel.DOCUMENT, Channel.PERSON})
_SURENESS = tuple(Certainty)
Conditions: TypeAlias = dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Where and how surely something made of notes may be said; `since` is when the oldest was last seen to hold."""

    scope: str
    applies_when: Conditions
    channel: Channel
    certainty: Certainty
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    expires_at: datetime | None
    since: datetime


@dataclass(frozen=True, slots=True)
class Held:
    """A note in force, how sure it is now, and when it was last seen to hold."""

    note: Note
    confidence: float
    since: datetime


def terms(held: Sequence[Held], by: str, policy: Policy) -> Terms:
    """The terms that all of some notes share; `by` is who lets them be consolidated.

    Raises `Refused` where they share no scope, or no situation in which all of them hold.
    """
    notes = [each.note for each in held]
    scopes = sorted({note.scope for note in notes})
    if len(scopes) > 1:
        raise Refused(
            f"the notes are of {len(scopes)} scopes ({', '.join(scopes)[:200]}): whoever may read one may "
            "not read all; consolidate each scope alone"
        )
    channel = max((limits.channel_of(by), *(note.channel for note in notes)), key=policy.rank.index)
    certainty = min((note.certainty for note in notes), key=_SURENESS.index)
    if certainty is Certainty.CONFIRMED and channel not in _MAY_CONFIRM:
        certainty = Certainty.REPORTED
    begun = [note.valid_from for note in notes]
    return Terms(
        scope=scopes[0],
        applies_when=_shared(notes),
        channel=channel,
        certainty=certainty,
        confidence=min(each.confidence for each in held),
        valid_from=None if None in begun else max(time for time in begun if time is not None),
        valid_to=min((note.valid_to for note in notes if note.valid_to is not None), default=None),
        expires_at=min((note.expires_at for note in notes if note.expires_at is not None), default=None),
        since=min(each.since for each in held),
    )


def _shared(notes: Iterable[Note]) -> Conditions:
    """The situations in which all notes hold. One without a condition holds whatever it is."""
    found: dict[str, set[str]] = {}
    for note in notes:
        for name, allowed in note.applies_when.items():
            found[name] = found.get(name, set(allowed)) & set(allowed)
    if empty := sorted(name for name, allowed in found.items() if not allowed):
        raise Refused(f"no situation meets what the notes say of {', '.join(empty)}; consolidate each case alone")
    return {name: tuple(sorted(allowed)) for name, allowed in sorted(found.items())}
