"""Who owns the value of a note: the system that is asked before the note is asserted once its window is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from msgspec.structs import replace

from upheld.note import Channel, Note
from upheld.policy import Policy
from upheld.ports import Verifier
from upheld.verification import Read


class Anchor(Verifier, Protocol):
    """A verifier of notes that it knows by something else than their attribute, for example by a file they cite."""

    def covers(self, note: Note) -> bool:
        """Whether it can verify a note."""
        ...


@dataclass(frozen=True, slots=True)
class Owners:
    """The verifiers of one store: by canonical attribute, and those that know their notes themselves."""

    by_attribute: Mapping[str, Verifier] = field(default_factory=dict)
    anchors: Sequence[Anchor] = ()

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.by_attribute or self.anchors)

    def of(self, note: Note) -> Verifier | None:
        """The verifier of a note; None where nothing owns it, so that its age is all there is."""
        if note.attribute_key is not None and (found := self.by_attribute.get(note.attribute_key)) is not None:
            return found
        return next((anchor for anchor in self.anchors if anchor.covers(note)), None)

    def attributes(self, source: str) -> tuple[str, ...]:
        """The canonical attributes that one system owns."""
        return tuple(name for name, verifier in self.by_attribute.items() if verifier.source == source)


def window(note: Note, policy: Policy) -> timedelta:
    """How long a value that was read from its owner is good for."""
    return policy.rules_of(note.kind).verify_after or policy.verify.after


def is_pointer(note: Note) -> bool:
    """Whether a note has no value of its own, but says where it is looked up."""
    return note.attribute_key is not None and note.value_key is None


def stated(note: Note, value: str) -> str:
    """The statement that a value from its owner becomes: of the value alone, whatever else the old one said."""
    return f"The {note.attribute} of {note.subject} is {value}."


def filled(pointer: Note, read: Read) -> Note:
    """A pointer with the value that was read for it, as it may be served once; nothing keeps it."""
    return replace(
        pointer,
        statement=stated(pointer, read.value),
        value=read.value,
        channel=Channel.SYSTEM_OF_RECORD,
        by=f"system:{read.source}",
        observed_at=read.at,
    )
