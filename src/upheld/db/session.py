"""One view of the log, or one transaction on it, in terms of the named statements: the same for every database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from upheld.db import rows
from upheld.db.aside import StoredAside
from upheld.db.ledger import StoredLedger
from upheld.db.lines import Lines
from upheld.db.messages import StoredMessages
from upheld.db.rows import as_json
from upheld.db.shelf import StoredShelf
from upheld.db.words import scope_token, tokens
from upheld.errors import UpheldError
from upheld.note import Event, Link, Note, Standing, instant, moment
from upheld.ports import Found, Head, Seen, Wanted
from upheld.standing import Instant, Seq, World

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from upheld.db.projection import Projection

_END = (1 << 62) - 1
Execute = Callable[[str, Any], list[rows.Row]]
ExecuteMany = Callable[[str, Sequence[Any]], None]


class Session:
    """Implements `Reading` and `Writing` over `execute(name of a statement, parameters)`, once or for many."""

    def __init__(self, execute: Execute, execute_many: ExecuteMany, projection: Projection, model: str | None) -> None:
        self.execute = execute
        self.execute_many = execute_many
        self.shelf = StoredShelf(execute, execute_many, model)
        self.ledger = StoredLedger(execute, execute_many)
        self.messages = StoredMessages(execute, execute_many)
        self.aside = StoredAside(execute)
        self._projection = projection
        self._model = model
        self.followed = False
        """Whether the projection stands at the end of the log that this transaction sees."""
        self.added = False
        """Whether this transaction added lines: what was read before them is not all there is."""

    # Reading

    def head(self) -> Head:
        found = self.execute("head", None)
        return Head(seq=found[0][0], at=found[0][1]) if found else Head(seq=0, at=None)

    def seq_at(self, at: Instant) -> Seq:
        return int(self.execute("seq_at", {"at": at})[0][0] or 0)

    def notes(self, seqs: Iterable[Seq]) -> dict[Seq, Note]:
        return self._projection.notes(self, seqs) if self.followed else self.fetched(seqs)

    def fetched(self, seqs: Iterable[Seq]) -> dict[Seq, Note]:
        """The notes at these positions, from the database itself."""
        return rows.notes_of(self.execute("notes_by_seq", {"seqs": as_json(seqs)}))

    def seqs(self, ids: Iterable[str]) -> dict[str, Seq]:
        return {row[0]: row[1] for row in self.execute("seqs_by_id", {"ids": as_json(ids)})}

    def ids(self, seqs: Iterable[Seq]) -> dict[Seq, str]:
        return {row[0]: row[1] for row in self.execute("ids_by_seq", {"seqs": as_json(seqs)})}

    def rivals(self, note: Note, now: Instant) -> list[Note]:
        time = note.event_time
        wanted = {
            "scope": note.scope,
            "subject_key": note.subject_key,
            "attribute_key": note.attribute_key,
            "value_key": note.value_key,
            "now": now,
            "near": _END if time is None else instant(time),
        }
        return list(rows.notes_of(self.execute("rivals", wanted)).values())

    def keyed(self, scopes: Sequence[str], keys: Sequence[tuple[str, str | None]]) -> list[Seq]:
        return [row[0] for row in self.execute("keyed", {"scopes": as_json(scopes), "keys": as_json(keys)})]

    def same_statement(self, scope: str, statement: str) -> list[Note]:
        wanted = {"scope": scope, "digest": rows.digest(scope, statement)}
        same = rows.folded(statement)
        found = rows.notes_of(self.execute("same_statement", wanted)).values()
        return [note for note in found if rows.folded(note.statement) == same]

    def taken(self, notes: Sequence[tuple[str, str, str | None, str | None]]) -> set[int]:
        keys = [(i, scope, subject, attribute) for i, (scope, _, subject, attribute) in enumerate(notes) if attribute]
        digests = [rows.digest(scope, statement) for scope, statement, _, _ in notes]
        found = self.execute("taken_keys", {"keys": as_json(keys)})
        found += self.execute("taken_statements", {"digests": as_json(digests)})
        return {row[0] for row in found}

    def links(self, seqs: Iterable[Seq]) -> list[Link]:
        return [rows.link_of(row) for row in self.execute("links_at", {"seqs": as_json(seqs)})]

    def events(self, seqs: Iterable[Seq]) -> list[Event]:
        return [rows.event_of(row) for row in self.execute("events_about", {"seqs": as_json(seqs)})]

    def world(self, seqs: Iterable[Seq]) -> World:
        wanted = list(seqs)
        kept = self._projection.world(self, wanted) if self.followed and not self.added else None
        return Lines().take(self.lines_on(wanted)).world if kept is None else kept

    def lines_on(self, seqs: Iterable[Seq], *, down: bool = False) -> list[rows.Row]:
        """What the rule must know to rule on these notes, from the database itself; `down` adds what they replace."""
        return self.execute("world", {"seqs": as_json(seqs), "down": down})

    def standings(self, seqs: Iterable[Seq], *, valid_at: Instant, known_at: Seq) -> dict[Seq, Standing]:
        wanted = {"seqs": as_json(seqs), "valid_at": valid_at, "known_at": known_at}
        return {row[0]: Standing(row[1]) for row in self.execute("standings", wanted)}

    def lines(self, seqs: Iterable[Seq]) -> dict[Seq, tuple[datetime, str | None]]:
        found = self.execute("lines", {"seqs": as_json(seqs)})
        return {row[0]: (moment(row[1]), row[2]) for row in found}

    def lineage(self, seqs: Iterable[Seq], *, known_at: Seq, limit: int) -> list[Seq]:
        wanted = {"seqs": as_json(seqs), "known_at": known_at, "limit": limit}
        return [row[0] for row in self.execute("lineage", wanted)]

    def rests_on(self, note: Seq, *, known_at: Seq) -> list[Seq]:
        return [row[0] for row in self.execute("rests_on", {"note": note, "known_at": known_at})]

    def supports(self, note: Seq, *, known_at: Seq) -> list[Seq]:
        return [row[0] for row in self.execute("supports", {"note": note, "known_at": known_at})]

    def reasons(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, str]:
        wanted = list(seqs)
        kept = self._projection.reasons(wanted, known_at) if self.followed and not self.added else None
        if kept is not None:
            return kept
        return {row[0]: row[1] for row in self.execute("reasons", {"seqs": as_json(wanted), "known_at": known_at})}

    def seen_at(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, Seen]:
        found = self.execute("seen", {"seqs": as_json(seqs), "known_at": known_at})
        return {row[0]: Seen(row[1], row[2]) for row in found}

    def heads(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, tuple[Seq, ...]]:
        return self._pairs("chain_heads", seqs, known_at)

    def replaced_by(self, seqs: Iterable[Seq], *, known_at: Seq) -> dict[Seq, tuple[Seq, ...]]:
        wanted = list(seqs)
        kept = self._projection.replaced_by(wanted, known_at) if self.followed and not self.added else None
        return self._pairs("replaced_by", wanted, known_at) if kept is None else kept

    def _pairs(self, statement: str, seqs: Iterable[Seq], known_at: Seq) -> dict[Seq, tuple[Seq, ...]]:
        found: dict[Seq, list[Seq]] = defaultdict(list)
        for origin, seq in self.execute(statement, {"seqs": as_json(seqs), "known_at": known_at}):
            found[origin].append(seq)
        return {origin: tuple(seqs) for origin, seqs in found.items()}

    def listed(self, scopes: Sequence[str], kinds: Sequence[str], *, before: Seq | None, limit: int) -> list[Seq]:
        wanted = {
            "scopes": as_json(scopes),
            "kinds": as_json(kinds),
            "before": (1 << 62) if before is None else before,
            "limit": limit,
        }
        return [row[0] for row in self.execute("listed", wanted)]

    def scopes(self) -> dict[str, int]:
        return {row[0]: row[1] for row in self.execute("scopes", None)}

    def search(self, wanted: Wanted) -> Found:
        return self._projection.search(self, wanted)

    def would_cycle(self, origin: Seq, target: Seq) -> bool:
        return bool(self.execute("replaces", {"origin": target, "target": origin}))

    def requests(self, keys: Sequence[str]) -> dict[str, tuple[str, Seq]]:
        return {row[0]: (row[1], row[2]) for row in self.execute("requests", {"keys": as_json(keys)})}

    def log(self, after: Seq) -> Iterator[Note | Link | Event]:
        for line, seq in self.execute("log_after", {"after": after}):
            if line == "note":
                yield rows.note_of(self.execute("notes_by_seq", {"seqs": as_json([seq])})[0])
            elif line == "link":
                yield rows.link_of(self.execute("link_by_seq", {"seq": seq})[0])
            else:
                yield rows.event_of(self.execute("event_by_seq", {"seq": seq})[0])

    # Writing

    def append_notes(self, notes: Sequence[tuple[Note, NDArray[np.float32] | None]]) -> None:
        self.added = True
        cut = [tokens(note.statement) for note, _ in notes]
        pairs = [(note, words) for (note, _), words in zip(notes, cut, strict=True)]
        self.execute_many("append_note", [rows.note_row(note, len(words)) for note, words in pairs])
        self.execute_many("keep_words", [(note.seq, scope_token(note.scope), " ".join(words)) for note, words in pairs])
        vectors = [
            (note.seq, self._model, vector.astype("<f2").tobytes()) for note, vector in notes if vector is not None
        ]
        if vectors:
            self.execute_many("keep_vector", vectors)

    def append_link(self, link: Link) -> None:
        self.added = True
        self.execute("append_link", rows.link_row(link))

    def append_event(self, event: Event) -> None:
        self.added = True
        self.execute("append_event", rows.event_row(event))

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        self.execute("savepoint", None)
        try:
            yield
        except UpheldError:
            self.execute("rollback_to", None)
            self.execute("release", None)
            raise
        self.execute("release", None)

    def keep_requests(self, answered: Sequence[tuple[str, str, Seq]]) -> None:
        self.execute_many("keep_request", answered)
