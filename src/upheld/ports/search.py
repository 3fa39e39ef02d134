"""One search of a store, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from upheld.note import Channel
from upheld.standing import Instant, Seq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The end of the log: its last position and when that was written. An empty log is at position 0."""

    seq: Seq
    at: Instant | None


class Seen(NamedTuple):
    """When somebody last confirmed a note, and when the owner of its value last agreed with it."""

    confirmed: Instant | None
    verified: Instant | None

    @property
    def last(self) -> Instant | None:
        """The later of the two."""
        return max((time for time in self if time is not None), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Narrows what a search looks at; an empty field lets everything pass."""

    kinds: tuple[str, ...] = ()
    channels: tuple[Channel, ...] = ()
    subject_key: str = ""
    attribute_key: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return not (self.kinds or self.channels or self.subject_key or self.attribute_key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One search. `vector` None searches by words alone. `latest` says that both moments are `now`, the present."""

    scopes: tuple[str, ...]
    text: str
    vector: NDArray[np.float32] | None
    valid_at: Instant
    known_at: Seq
    now: Instant
    latest: bool
    depth: int
    filter: Filter


class Hit(NamedTuple):
    """A note that one arm found, and its `rank` from 1 among the notes in force.

    One that is not in force stands a fraction behind the one that is ahead of it: it can hand on that place, and
    takes none.
    """

    seq: Seq
    in_force: bool
    rank: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the arms of a search found, best first."""

    by_meaning: tuple[Hit, ...]
    by_words: tuple[Hit, ...]
    by_subject: tuple[Hit, ...] = ()

    def arms(self) -> tuple[tuple[str, tuple[Hit, ...]], ...]:
        """The arms with their names."""
        return (("meaning", self.by_meaning), ("words", self.by_words), ("subject", self.by_subject))
