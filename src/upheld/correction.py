"""A person says what holds instead of a note: the new note takes its place, and the log keeps that it was wrong.

Each correction is a label for audits: a note of that kind and age had gone out of date (essay 001).
"""

from __future__ import annotations

from upheld.errors import Invalid
from upheld.note import Draft, Key, Note, Verb, Written
from upheld.owners import is_pointer, stated
from upheld.remember import Journal
from upheld.values import Relation, canonical, relation


def correction(old: Note, value: str, *, by: str, reason: str | None) -> Draft:
    """The draft that corrects a note: with another value for its key, or another statement where it has none."""
    if not isinstance(value, str):
        raise Invalid(f"value must be text, not {type(value).__name__}")
    same = Invalid(f"that is what note {old.id} says: confirm it instead")
    if old.subject is None or old.attribute is None or old.value_key is None:
        if is_pointer(old):
            raise Invalid(f"note {old.id} has no value of its own to correct: its owner is asked")
        if value == old.statement:
            raise same
        return Draft(
            statement=value,
            scope=old.scope,
            kind=old.kind,
            by=by,
            applies_when=old.applies_when,
            supersedes=(old.id,),
            reason=reason,
        )
    if relation(old.value_key, canonical(value), single=True) is Relation.SAME:
        raise same
    return Draft(
        statement=stated(old, value),
        scope=old.scope,
        kind=old.kind,
        by=by,
        key=Key(subject=old.subject, attribute=old.attribute, single=old.single),
        value=value,
        applies_when=old.applies_when,
        supersedes=(old.id,),
        reason=reason,
    )


def corrected(journal: Journal, old: Note, written: Written, *, by: str, reason: str | None) -> None:
    """Keep that a note was corrected, in the transaction that wrote what holds instead."""
    journal.event(old.seq, Verb.CORRECTED, actor=by, reason=reason, against=written.note.seq)
