"""What a question may ask: its limits checked, its filter made."""

from __future__ import annotations

from upheld import limits
from upheld.errors import Invalid
from upheld.note import MAX_NAME_CHARS, MAX_RECALL, Channel
from upheld.ports import Filter
from upheld.values import canonical_name


def count(value: object, field: str, *, most: int = MAX_RECALL) -> int:
    """A whole number from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Invalid(f"{field} must be a whole number from 1 to {most:,}, not {value!r}")
    return value


def mode(value: object) -> bool:
    """Whether history is asked for; a mode is 'answer' or 'history'."""
    if value not in ("answer", "history"):
        raise Invalid(f"mode must be 'answer' or 'history', not {value!r}")
    return value == "history"


def names(value: object, field: str) -> tuple[str, ...]:
    """One name, or several."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple | set | frozenset):
        raise Invalid(f"{field} must be a name or a list of names")
    return tuple(limits.name(each, field) for each in listed)


def narrowed(kinds: object, channels: object, subject: object, attribute: object) -> Filter:
    """The filter of a question; what is empty or None lets everything pass."""
    wanted = names(channels, "channels")
    if unknown := set(wanted) - set(Channel):
        raise Invalid(f"unknown channels {sorted(unknown)}; known: {', '.join(Channel)}")
    return Filter(
        kinds=names(kinds, "kinds"),
        channels=tuple(Channel(channel) for channel in wanted),
        subject_key="" if subject is None else canonical_name(limits.text(subject, "subject", MAX_NAME_CHARS)),
        attribute_key="" if attribute is None else canonical_name(limits.text(attribute, "attribute", MAX_NAME_CHARS)),
    )
