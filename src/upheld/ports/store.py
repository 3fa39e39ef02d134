"""The store of one tenant: `Reading` is one consistent view of it, `Writing` one transaction.

Everything a verb writes goes through one `Writing` and is there wholly or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from upheld.aside import Aside, SettingAside
from upheld.ledger import Checking, Ledger
from upheld.messages import Hearing, Messages
from upheld.note import Event, Link, Note, Standing
from upheld.ports.search import Found, Head, Seen, Wanted
from upheld.shelf import Shelf, Shelving
from upheld.standing import Instant, Seq, World

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Reading(Protocol):
    """One consistent view of the store."""

    @property
    def shelf(self) -> Shelf:
        """The documents, verdicts, notices and receipts in the same view."""
        ...

    @property
    def ledger(self) -> Ledger:
        """The verifications, audits and use-time checks in the same view."""
        ...

    @property
    def messages(self) -> Messages:
        """What was said in conversations, in the same view."""
        ...

    @property
    def aside(self) -> Aside:
        """What waits to be published, and what failed its check, in the same view."""
        ...

    def head(self) -> Head:
        """Return the end of the log."""
        ...

    def seq_at(self, at: Instant) -> Seq:
        """Return the last position written at or before `at`; 0 if there is none."""
        ...

    def notes(self, seqs: Iterable[Seq]) -> dict[Seq, Note]:
        """Return the notes at these positions."""
        ...

    def seqs(self, ids: Iterable[str]) -> dict[str, Seq]:
        """Return the positions of the notes with these ids; unknown ids are left out."""
        ...

    def ids(self, seqs: Iterable[Seq]) -> dict[Seq, str]:
        """Return the ids of the notes at these positions."""
        ...

    def rivals(self, note: Note, now: Instant) -> list[Note]:
        """Return the notes that a keyed note may have to give way to or retire, oldest first."""
        ...

    def keyed(self, scopes: Sequence[str], keys: Sequence[tuple[str, str | None]]) -> list[Seq]:
        """Return the positions of the notes of some scopes with one of these keys (subject, attribute)."""
        ...

    def same_statement(self, scope: str, statement: str) -> list[Note]:
        """Return the notes in one scope with this statement, case and Unicode form apart, oldest first."""
        ...

    def taken(self, notes: Sequence[tuple[str, str, str | None, str | None]]) -> set[int]:
        """Return the places of those that share their key or their statement with a note that is there.

        Each is (scope, statement, subject key, attribute key).
        """
        ...

    def links(self, seqs: Iterable[Seq]) -> list[Link]:
        """Return all links at either end of these notes, in the order of the log."""
        ...

    def events(self, seqs: Iterable[Seq]) -> list[Event]:
        """Return all events about these notes, in the order of the log."""
        ...

    def world(self, seqs: Iterable[Seq]) -> World:
        """Return what the rule must know to rule on these notes."""
        ...

    def standings(self, seqs: Iterable[Seq], *, valid_at: Instant, known_at: Seq) -> dict[Seq, Standing]:
        """Rule on these notes inside the database: the same rule as `standing.standings`, for many at once."""
        ...

    def lines(self, seqs: Iterable[Seq]) -> dict[Seq, tuple[datetime, str | None]]:
        """Return when these links and events took effect, and the reason given."""
        ...

    def lineage(self, seqs: Iterable[Seq], *, known_at: Seq, limit: int) -> list[Seq]:
        """Return these notes and all that led to them: what they replaced, rest on, and were led to by."""
        ...

    def rests_on(self, note: Seq, *, known_at: Seq) -> list[Seq]:
        """Return all that a note rests on, to any depth, the nearest in the log first."""
        ...

    def supports(self, note: Seq, *, known_at: Seq) -> list[Seq]:
        """Return all that rests on a note, to any depth, the nearest in the log first."""
        ...

    def reasons(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, str]:
        """Return why these notes were said, those of which that is known."""
        ...

    def seen_at(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, Seen]:
        """Return when these notes were last seen to hold after they were recorded; others are left out."""
        ...

    def heads(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, tuple[Seq, ...]]:
        """Return, for each note, the ends of its supersession chain, itself where nothing supersedes it."""
        ...

    def replaced_by(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, tuple[Seq, ...]]:
        """Return, for each note, itself and all that it replaces, directly or through others."""
        ...

    def listed(self, scopes: Sequence[str], kinds: Sequence[str], *, before: Seq | None, limit: int) -> list[Seq]:
        """Return positions of notes, newest first, of the scopes and kinds (none means any)."""
        ...

    def scopes(self) -> dict[str, int]:
        """Return every scope with the number of notes recorded in it."""
        ...

    def search(self, wanted: Wanted) -> Found:
        """Search by meaning, words and subject, among notes in force and, apart, among all others."""
        ...

    def would_cycle(self, origin: Seq, target: Seq) -> bool:
        """Whether a supersedes link from `origin` to `target` would let a note replace itself."""
        ...

    def requests(self, keys: Sequence[str]) -> dict[str, tuple[str, Seq]]:
        """Return what these idempotency keys were answered with: the digest of the payload, and the note."""
        ...

    def log(self, after: Seq) -> Iterator[Note | Link | Event]:
        """Yield every line of the log after a position, in order."""
        ...


class Writing(Reading, Protocol):
    """One transaction."""

    @property
    def shelf(self) -> Shelving:
        """The documents, verdicts, notices and receipts in the same transaction."""
        ...

    @property
    def ledger(self) -> Checking:
        """The verifications, audits and use-time checks in the same transaction."""
        ...

    @property
    def messages(self) -> Hearing:
        """What was said in conversations, in the same transaction."""
        ...

    @property
    def aside(self) -> SettingAside:
        """What waits to be published, and what failed its check, in the same transaction."""
        ...

    def append_notes(self, notes: Sequence[tuple[Note, NDArray[np.float32] | None]]) -> None:
        """Write notes, each with its vector if there is one, and their words."""
        ...

    def append_link(self, link: Link) -> None:
        """Write a link."""
        ...

    def append_event(self, event: Event) -> None:
        """Write an event."""
        ...

    def savepoint(self) -> AbstractContextManager[None]:
        """Open a part that an `UpheldError` undoes alone; any other exception undoes the transaction."""
        ...

    def keep_requests(self, answered: Sequence[tuple[str, str, Seq]]) -> None:
        """Remember what idempotency keys were answered with: key, digest of the payload, note."""
        ...


class Database(Protocol):
    """A store of one tenant."""

    def reading(self) -> AbstractContextManager[Reading]:
        """Open one consistent view."""
        ...

    def writing(self) -> AbstractContextManager[Writing]:
        """Open one transaction; an exception inside it undoes everything."""
        ...

    def without_vector(self, model: str, after: Seq, limit: int) -> list[tuple[Seq, str]]:
        """Return notes that have no vector of this model, oldest first: position and statement."""
        ...

    def keep_vectors(self, model: str, vectors: Mapping[Seq, NDArray[np.float32]]) -> None:
        """Keep vectors of notes that are already there, in one transaction."""
        ...

    def setting(self, name: str) -> str | None:
        """Return one setting of the store."""
        ...

    def keep_setting(self, name: str, value: str) -> None:
        """Keep one setting of the store."""
        ...

    def close(self) -> None:
        """Close; the store stays as it is."""
        ...
