"""Documents, verdicts, notices, outbox and receipts in terms of the named statements: the same for every database."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from upheld.db import rows
from upheld.db.passages import PassageIndex
from upheld.db.rows import as_json
from upheld.db.shelf_rows import floats, maybe, notice_of, shelved_of, time, verdict_of
from upheld.document import Chunk, Document, Verdict
from upheld.errors import Invalid
from upheld.limits import encoded
from upheld.note import Channel, Event, Note, instant, moment
from upheld.shelf import Acquitted, Judged, Message, Notice, Passage, Replaced, Served, Settled, Shelved, StatedKey
from upheld.standing import Seq

if TYPE_CHECKING:
    from numpy.typing import NDArray

_END = (1 << 62) - 1


class StoredShelf:
    """Implements `Shelf` and `Shelving` over `execute(name of a statement, parameters)`, once or for many."""

    def __init__(
        self,
        execute: Callable[[str, Any], list[rows.Row]],
        execute_many: Callable[[str, Sequence[Any]], None],
        model: str | None,
    ) -> None:
        self._execute = execute
        self._execute_many = execute_many
        self._model = model
        self._image: tuple[rows.Row, PassageIndex] | None = None

    # Documents

    def documents(self, *, place: str | None = None, removed: bool = False) -> list[Shelved]:
        found = self._execute("documents", {"place": place or "", "removed": int(removed)})
        return [shelved_of(row) for row in found]

    def versions(self, names: Iterable[str]) -> dict[str, str]:
        return {row[0]: row[1] for row in self._execute("versions", {"names": as_json(names)})}

    def authorities(self, names: Iterable[str]) -> dict[str, Channel]:
        return {row[0]: Channel(row[1]) for row in self._execute("authorities", {"names": as_json(names)})}

    def text(self, name: str, version: str) -> str | None:
        found = self._execute("edition_text", {"name": name, "version": version})
        return found[0][0] if found else None

    def put(
        self,
        document: Document,
        *,
        place: str,
        at: datetime,
        stated: Mapping[str, Iterable[StatedKey]] | None = None,
        vectors: Mapping[str, NDArray[np.float32]] | None = None,
    ) -> Replaced | None:
        found = self._execute("document", {"name": document.name})
        id, former, version = (found[0][0], found[0][4], found[0][5]) if found else (None, None, None)
        if found and found[0][6] is not None:
            former = version = None
        about = {"place": place, "owner": document.owner, "authority": document.authority.value}
        if version == document.version:
            if (place, document.owner, document.authority.value) != found[0][1:4]:
                self._execute("make_current", {"document": id, "edition": former, **about})
            return None
        if id is None:
            id = self._execute("add_document", {"name": document.name, "at": instant(at), **about})[0][0]
        edition = self._edition(id, document, at)
        self._execute("make_current", {"document": id, "edition": edition, **about})
        self.keep_stated(stated or {})
        self.keep_vectors(vectors or {})
        new = self._execute("new_passages", {"edition": edition, "former": former})
        return Replaced(name=document.name, version=document.version, former=version, chunks=tuple(self._chunks(new)))

    def _edition(self, id: int, document: Document, at: datetime) -> int:
        """The edition of a document that has its version, written if it was never there."""
        there = self._execute("edition", {"document": id, "version": document.version})
        if there:
            return int(there[0][0])
        encoded(document.text, "document")
        for chunk in document.chunks:
            if not 0 <= chunk.start <= chunk.end or chunk.text != document.text[chunk.start : chunk.end]:
                raise Invalid(f"{document.name}: a chunk is not the text at {chunk.start}-{chunk.end}; cut it anew")
        wanted = {
            "document": id,
            "version": document.version,
            "title": document.title,
            "dated": maybe(document.dated),
            "text": document.text,
            "at": instant(at),
        }
        edition = int(self._execute("add_edition", wanted)[0][0])
        self._execute_many(
            "add_chunk",
            [
                (edition, each.start, each.end, json.dumps(each.headings), maybe(each.dated), each.digest)
                for each in document.chunks
            ],
        )
        return edition

    def remove(self, name: str, *, at: datetime) -> str | None:
        found = self._execute("document", {"name": name})
        if not found or found[0][6] is not None:
            return None
        self._execute("remove_document", {"document": found[0][0], "at": instant(at)})
        return str(found[0][5])

    # Passages

    def passages(self, names: Iterable[str]) -> list[Passage]:
        return [passage for _, passage in self._passages("passages_of", {"names": as_json(names)})]

    def passages_with(self, digests: Iterable[str]) -> dict[str, tuple[Passage, ...]]:
        wanted = [*dict.fromkeys(digests)]
        found: dict[str, list[Passage]] = defaultdict(list)
        for place, passage in self._passages("passages_with", {"digests": as_json(wanted)}):
            found[wanted[place]].append(passage)
        return {digest: tuple(each) for digest, each in found.items()}

    def passages_stating(self, keys: Iterable[StatedKey]) -> dict[StatedKey, tuple[Passage, ...]]:
        wanted = [*dict.fromkeys(keys)]
        found: dict[StatedKey, list[Passage]] = defaultdict(list)
        for place, passage in self._passages("passages_stating", {"keys": as_json(wanted)}):
            found[wanted[place]].append(passage)
        return {key: tuple(each) for key, each in found.items()}

    def _passages(self, statement: str, wanted: Mapping[str, str]) -> list[tuple[int, Passage]]:
        found = self._execute(statement, wanted)
        chunks = self._chunks([row[5:] for row in found])
        return [
            (
                row[0],
                Passage(document=row[1], version=row[2], authority=Channel(row[3]), dated=time(row[4]), chunk=chunk),
            )
            for row, chunk in zip(found, chunks, strict=True)
        ]

    def _chunks(self, found: Sequence[rows.Row]) -> list[Chunk]:
        """Chunks from (edition, start, end, headings, dated)."""
        # Each text is read once and cut here: SQLite would read it from its beginning for every chunk.
        editions = as_json(sorted({row[0] for row in found}))
        texts = {row[0]: row[1] for row in self._execute("edition_texts", {"editions": editions})} if found else {}
        return [
            Chunk(
                start=start,
                end=end,
                text=texts[edition][start:end],
                headings=tuple(json.loads(headings)),
                dated=time(dated),
            )
            for edition, start, end, headings, dated in found
        ]

    def keep_stated(self, stated: Mapping[str, Iterable[StatedKey]]) -> None:
        keys = [
            (digest, subject, attribute or "") for digest, stating in stated.items() for subject, attribute in stating
        ]
        self._execute_many("keep_stated", keys)

    # Vectors

    def vectors(self, digests: Iterable[str]) -> dict[str, NDArray[np.float32]]:
        found = self._execute("passage_vectors", {"digests": as_json(digests), "model": self._model})
        return {row[0]: floats(row[1]) for row in found}

    def current_vectors(self) -> tuple[tuple[str, ...], NDArray[np.float32]]:
        found = self._execute("current_vectors", {"model": self._model})
        matrix = np.frombuffer(b"".join(row[1] for row in found), "<f2").astype(np.float32)
        return tuple(row[0] for row in found), matrix.reshape(len(found), -1) if found else np.zeros((0, 0), np.float32)

    def unembedded(self, digests: Sequence[str]) -> list[str]:
        wanted = {"digests": as_json(digests), "model": self._model}
        return [digests[row[0]] for row in self._execute("unembedded", wanted)]

    def keep_vectors(self, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self._execute_many(
            "keep_passage_vector",
            [(digest, self._model, vector.astype("<f2").tobytes()) for digest, vector in vectors.items()],
        )

    def near(self, notes: Sequence[Note], limit: int) -> dict[Seq, tuple[str, ...]]:
        state = self._execute("corpus_state", None)[0]
        if self._image is None or self._image[0] != state:
            chunks = {chunk.digest: chunk for chunk in self._chunks(self._execute("current_passages", None))}
            embedded: dict[str, bytes] = dict(self._execute("current_vectors", {"model": self._model}))
            self._image = (state, PassageIndex(chunks, embedded))
        wanted = {"seqs": as_json(note.seq for note in notes), "model": self._model}
        vectors = {row[0]: floats(row[1]) for row in self._execute("note_vectors", wanted)}
        return {note.seq: self._image[1].near(note.statement, vectors.get(note.seq), limit) for note in notes}

    # What has yet to be judged

    def awaiting(self) -> list[str]:
        return [row[0] for row in self._execute("awaiting", None)]

    def await_judging(self, digests: Iterable[str]) -> None:
        self._execute_many("await_judging", [(digest,) for digest in digests])

    def doubted(self) -> list[Seq]:
        return [row[0] for row in self._execute("doubted", None)]

    def doubt(self, notes: Iterable[Seq], *, at: datetime) -> None:
        self._execute_many("doubt", [(note, instant(at)) for note in notes])

    def judging_done(self, digests: Iterable[str], notes: Iterable[Seq]) -> None:
        self._execute("judging_done", {"digests": as_json(digests)})
        self._execute("doubt_settled", {"seqs": as_json(notes)})

    # Notes and what was said of them

    def findings(self, notes: Iterable[Seq], judge: str) -> dict[Judged, Verdict]:
        found = self._execute("findings", {"seqs": as_json(notes), "judge": judge})
        return {(row[0], row[1]): verdict_of(row[2:]) for row in found}

    def sourced_only_by(self, names: Iterable[str]) -> list[Seq]:
        return [row[0] for row in self._execute("sourced_only_by", {"names": as_json(names)})]

    def unsourced_by(self, name: str) -> list[Event]:
        return [rows.event_of(row) for row in self._execute("unsourced_by", {"document": name})]

    def acquitted(self, notes: Iterable[Seq]) -> set[Acquitted]:
        found = self._execute("undone", {"seqs": as_json(notes)})
        return {Acquitted(note=row[0], document=row[1], version=row[2], chunk=row[3]) for row in found}

    def verdicts(self, pairs: Sequence[Judged], judge: str) -> dict[Judged, Verdict]:
        found = self._execute("verdicts", {"pairs": as_json(pairs), "judge": judge})
        return {pairs[row[0]]: verdict_of(row[1:]) for row in found}

    def unjudged(self, pairs: Sequence[Judged], judge: str) -> list[Judged]:
        return [pairs[row[0]] for row in self._execute("unjudged", {"pairs": as_json(pairs), "judge": judge})]

    def keep_verdicts(self, judge: str, verdicts: Sequence[tuple[Seq, str, Verdict]], *, at: datetime) -> None:
        self._execute_many(
            "keep_verdict",
            [
                (
                    note,
                    chunk,
                    judge,
                    said.finding.value,
                    said.confidence,
                    said.claim_quote,
                    said.chunk_quote,
                    maybe(said.effective_from),
                    int(said.acts),
                    said.why,
                    instant(at),
                )
                for note, chunk, said in verdicts
            ],
        )

    # Notices

    def notices(
        self, scopes: Sequence[str], *, settled: bool | None = None, before: Seq | None = None, limit: int = 100
    ) -> list[Notice]:
        wanted = {
            "scopes": as_json(scopes),
            "open": int(settled is False),
            "settled": int(settled is True),
            "before": _END if before is None else before,
            "limit": limit,
        }
        return [notice_of(row) for row in self._execute("notices", wanted)]

    def notice(self, event: Seq) -> Notice | None:
        found = self._execute("notice", {"event": event})
        return notice_of(found[0]) if found else None

    def notify(self, event: Seq, *, scope: str, note: Seq, kind: str) -> None:
        self._execute("add_notice", {"event": event, "scope": scope, "note": note, "kind": kind})

    def settle(self, event: Seq, how: Settled, *, by: str, at: datetime) -> bool:
        wanted = {"event": event, "as": how.value, "by": by, "at": instant(at)}
        return bool(self._execute("settle_notice", wanted))

    # Outbox

    def post(self, topic: str, payload: Mapping[str, Any], *, at: datetime) -> int:
        body = json.dumps(payload, ensure_ascii=False, allow_nan=False)
        return int(self._execute("post", {"topic": topic, "payload": body, "at": instant(at)})[0][0])

    def waiting(self, *, after: int = 0, limit: int = 100) -> list[Message]:
        found = self._execute("waiting", {"after": after, "limit": limit})
        return [Message(seq=row[0], topic=row[1], payload=json.loads(row[2]), at=moment(row[3])) for row in found]

    def take(self, seqs: Iterable[int], *, at: datetime) -> list[int]:
        return sorted(row[0] for row in self._execute("mark_delivered", {"seqs": as_json(seqs), "at": instant(at)}))

    # Receipts

    def keep_receipts(self, receipts: Iterable[tuple[Served, Sequence[Seq]]]) -> None:
        for answer, served in receipts:
            wanted = {
                "id": answer.id,
                "at": instant(answer.at),
                "question": answer.question,
                "scopes": as_json(answer.scopes),
                "mode": answer.mode,
            }
            for (number,) in self._execute("add_receipt", wanted):
                self._execute_many("add_served", [(note, number) for note in served])

    def used_in(self, notes: Iterable[Seq], *, limit: int = 20) -> dict[Seq, tuple[Served, ...]]:
        used: dict[Seq, tuple[Served, ...]] = {}
        for note in notes:
            if found := self._execute("used_in", {"note": note, "limit": limit}):
                used[note] = tuple(
                    Served(id=row[0], at=moment(row[1]), question=row[2], scopes=tuple(json.loads(row[3])), mode=row[4])
                    for row in found
                )
        return used
