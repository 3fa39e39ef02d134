"""What a store keeps besides its log: documents by version, verdicts, notices, an outbox, and the answers it gave.

`Shelf` is the reading half, in the view of the `Reading` that it hangs on; `Shelving` writes in that `Writing`'s
transaction, so an event and its notice are there together or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from upheld.document import Chunk, Document, Verdict
from upheld.note import Channel, Event, Note
from upheld.standing import Seq

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

StatedKey: TypeAlias = tuple[str, str | None]
"""A canonical subject, and a canonical attribute or None."""
Judged: TypeAlias = tuple[Seq, str]
"""A note by its position, and a passage by its digest: what a verdict is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """A document as it is listed: its last version, how many passages that has, and since when it is there."""

    name: str
    place: str
    version: str
    title: str | None
    owner: str | None
    authority: Channel
    dated: datetime | None
    passages: int
    added_at: datetime
    recorded_at: datetime
    removed_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk in its place: the document, the version, and the date and authority that the document has."""

    document: str
    version: str
    authority: Channel
    dated: datetime | None
    chunk: Chunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What became current. `former` is the version that was current before, None for a document that was not there.

    `chunks` are those that the former version did not have: all that can contradict anything anew.
    """

    name: str
    version: str
    former: str | None
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquitted:
    """A judgement that somebody took back: it does not return against the same version of the document."""

    note: Seq
    document: str
    version: str
    chunk: str


class Settled(StrEnum):
    """How the owner of a scope answered a notice."""

    ACCEPT = "accept"
    UNDO = "undo"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """What the owner of a scope is told: an event about the note with the id `note`. Settled: by whom, how, when."""

    event: Event
    scope: str
    note: str
    kind: str
    settled_as: Settled | None = None
    settled_by: str | None = None
    settled_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What waits in the outbox for one topic."""

    seq: int
    topic: str
    payload: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """An answer that was given, as a notice names it."""

    id: str
    at: datetime
    question: str
    scopes: tuple[str, ...]
    mode: str


class Shelf(Protocol):
    """Reading. *Current* passages are those of the current editions of documents that were not removed."""

    def documents(self, *, place: str | None = None, removed: bool = False) -> list[Shelved]:
        """Return the documents by name: of one place or all, with `removed` also those that are no longer there."""
        ...

    def versions(self, names: Iterable[str]) -> dict[str, str]:
        """Return the current versions of these documents; those that are not there are left out."""
        ...

    def authorities(self, names: Iterable[str]) -> dict[str, Channel]:
        """Return as what the words of these documents count; those that are not there are left out."""
        ...

    def text(self, name: str, version: str) -> str | None:
        """Return the text of any version of a document that was ever there; None if there was none."""
        ...

    def passages(self, names: Iterable[str]) -> list[Passage]:
        """Return the current passages of these documents, in order."""
        ...

    def passages_with(self, digests: Iterable[str]) -> dict[str, tuple[Passage, ...]]:
        """Return where these chunks currently stand, by digest; those that stand nowhere are left out."""
        ...

    def passages_stating(self, keys: Iterable[StatedKey]) -> dict[StatedKey, tuple[Passage, ...]]:
        """Return the current passages that state each key, or with None as attribute anything about its subject."""
        ...

    def vectors(self, digests: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of these chunks; those without one of the store's model are left out."""
        ...

    def current_vectors(self) -> tuple[tuple[str, ...], NDArray[np.float32]]:
        """Return the digests of all current chunks that have a vector, each once, and a matrix of a row for each."""
        ...

    def unembedded(self, digests: Sequence[str]) -> list[str]:
        """Return those of these chunks that have no vector of the store's model, in the order given."""
        ...

    def near(self, notes: Sequence[Note], limit: int) -> dict[Seq, tuple[str, ...]]:
        """Return, for each note, the digests of the current chunks near it: `limit` by meaning, and by words."""
        ...

    def awaiting(self) -> list[str]:
        """Return the chunks that became current and were not yet held against the notes."""
        ...

    def doubted(self) -> list[Seq]:
        """Return the notes that a retrieved passage contradicted since they were last swept, the longest first."""
        ...

    def findings(self, notes: Iterable[Seq], judge: str) -> dict[Judged, Verdict]:
        """Return what a judge found for or against these notes in current chunks."""
        ...

    def sourced_only_by(self, names: Iterable[str]) -> list[Seq]:
        """Return the notes, oldest first, that have no source but documents of these names."""
        ...

    def unsourced_by(self, name: str) -> list[Event]:
        """Return what was said of notes when this document, their only source, was removed, and not taken back."""
        ...

    def acquitted(self, notes: Iterable[Seq]) -> set[Acquitted]:
        """Return the judgements against these notes that were taken back."""
        ...

    def verdicts(self, pairs: Sequence[Judged], judge: str) -> dict[Judged, Verdict]:
        """Return what a judge said of these pairs; those that it never saw are left out."""
        ...

    def unjudged(self, pairs: Sequence[Judged], judge: str) -> list[Judged]:
        """Return those of these pairs that a judge never saw, in the order given."""
        ...

    def notices(
        self, scopes: Sequence[str], *, settled: bool | None = None, before: Seq | None = None, limit: int = 100
    ) -> list[Notice]:
        """Return notices of these scopes (none means any), newest first, each with its event.

        `settled` asks for those that were settled or were not; `before` is the event of the last one of the page
        before.
        """
        ...

    def notice(self, event: Seq) -> Notice | None:
        """Return the notice of an event."""
        ...

    def waiting(self, *, after: int = 0, limit: int = 100) -> list[Message]:
        """Return the messages that were not delivered, in the order in which they were posted."""
        ...

    def used_in(self, notes: Iterable[Seq], *, limit: int = 20) -> dict[Seq, tuple[Served, ...]]:
        """Return the last answers that each note was served in, newest first; notes never served are left out."""
        ...


class Shelving(Shelf, Protocol):
    """Writing."""

    def put(
        self,
        document: Document,
        *,
        place: str,
        at: datetime,
        stated: Mapping[str, Iterable[StatedKey]] | None = None,
        vectors: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> Replaced | None:
        """Let a version of a document be the current one; None where it is already, and then nothing is read anew.

        `stated` and `vectors` are the keys and the unit vectors of its chunks, by digest. A version that was there
        before is taken as it was read then. Raises `Invalid` for a chunk that is not the text at its place.
        """
        ...

    def remove(self, name: str, *, at: datetime) -> str | None:
        """Say that a document is no longer there; return its last version, None where it was not there."""
        ...

    def keep_stated(self, stated: Mapping[str, Iterable[StatedKey]]) -> None:
        """Keep which keys chunks state, by digest."""
        ...

    def keep_vectors(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keep vectors of chunks, by digest."""
        ...

    def keep_verdicts(self, judge: str, verdicts: Sequence[tuple[Seq, str, Verdict]], *, at: datetime) -> None:
        """Keep what a judge said of notes and chunks. The first word on a pair stands."""
        ...

    def await_judging(self, digests: Iterable[str]) -> None:
        """Remember that these chunks have yet to be held against the notes."""
        ...

    def doubt(self, notes: Iterable[Seq], *, at: datetime) -> None:
        """Remember that a retrieved passage contradicts these notes."""
        ...

    def judging_done(self, digests: Iterable[str], notes: Iterable[Seq]) -> None:
        """Forget that these chunks wait and that these notes are doubted."""
        ...

    def notify(self, event: Seq, *, scope: str, note: Seq, kind: str) -> None:
        """Write the notice of an event of this transaction."""
        ...

    def settle(self, event: Seq, how: Settled, *, by: str, at: datetime) -> bool:
        """Settle the notice of an event; False where there is none or somebody settled it before."""
        ...

    def post(self, topic: str, payload: Mapping[str, Any], *, at: datetime) -> int:
        """Put a message into the outbox; return its place."""
        ...

    def take(self, seqs: Iterable[int], *, at: datetime) -> list[int]:
        """Mark messages as delivered; return those that nobody took before, in order.

        Who does in the same transaction what a message asks for does it exactly once.
        """
        ...

    def keep_receipts(self, receipts: Iterable[tuple[Served, Sequence[Seq]]]) -> None:
        """Keep answers with the notes that were served in them. One that is there already is left as it is."""
        ...
