"""One search of a store, and what it finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from upheld.note import Channel
from upheld.standing import Instant, Seq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Head(Struct, frozen=True, kw_only=True):
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


class Filter(Struct, frozen=True, kw_only=True):
    """Narrows what a search looks at; an empty field lets everything pass."""

    kinds: tuple[str, ...] = ()
    channels: tuple[Channel, ...] = ()
    subject_key: str = ""
    attribute_key: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether everything passes."""
        return not (self.kinds or self.channels or self.subject_key or self.attribute_key)


class Most(NamedTuple):
    """How many a way of searching gives: of notes in force, of others that a supersession links, of the rest.

    `within` leaves out of the others what fits worse than all that were found in force, where that many were.
    """

    in_force: int
    linked: int = 0
    rest: int = 0
    within: bool = False


class Wanted(Struct, frozen=True, kw_only=True):
    """One search. `vector` None searches by words alone. `latest` says that both moments are `now`, the present.

    `most` is how many each way of searching gives.
    """

    scopes: tuple[str, ...]
    text: str
    vector: NDArray[np.float32] | None
    valid_at: Instant
    known_at: Seq
    now: Instant
    latest: bool
    most: Most
    filter: Filter


class Arm(NamedTuple):
    """What one way of searching found: the positions of notes, the best first; those in force are ranked apart.

    The `linked` ones are not in force, and a supersession links them: `together` is what would have been found if they
    still stood. Of each of the `rest`, `ahead` says how many in force fit better.
    """

    in_force: Sequence[Seq] = ()
    linked: Sequence[Seq] = ()
    together: Sequence[Seq] = ()
    rest: Sequence[Seq] = ()
    ahead: Sequence[int] = ()


class Found(Struct, frozen=True, kw_only=True):
    """What the arms of a search found."""

    by_meaning: Arm = Arm()
    by_words: Arm = Arm()
    by_subject: Arm = Arm()

    @property
    def count(self) -> int:
        """How many notes were found."""
        return len(set().union(*[each for _, arm in self.arms() for each in (arm.in_force, arm.linked, arm.rest)]))

    @property
    def linked(self) -> set[Seq]:
        """Those of them that are not in force and that a supersession links."""
        return {*self.by_meaning.linked, *self.by_words.linked, *self.by_subject.linked}

    @property
    def rest(self) -> set[Seq]:
        """Those of them that are not in force and that no supersession links: they have no place to give to another."""
        return {*self.by_meaning.rest, *self.by_words.rest, *self.by_subject.rest}

    def arms(self) -> tuple[tuple[str, Arm], ...]:
        """The arms with their names."""
        return (("meaning", self.by_meaning), ("words", self.by_words), ("subject", self.by_subject))
