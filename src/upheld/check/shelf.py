"""The documents of a check: their passages, each different one once, and which of them are near a claim."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from upheld.check.files import Failed, StrPath, sources
from upheld.check.statements import Lines
from upheld.corpus.characters import decoded
from upheld.corpus.read import is_known, read
from upheld.db.passages import PassageIndex
from upheld.document import Chunk, Claim, Document
from upheld.errors import UpheldError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from upheld.ports import Embedder

NEAR = 6
"""How many passages each arm of the search puts before the judge, for one wording of one statement.

Twice as many where files stand on both sides, since those of a statement's own file come first and do not count.
"""
AT_ONCE = 128


class Shelved(NamedTuple):
    """A document and where it lies. `lines` are those of its file, where its text is that of the file."""

    file: str
    identity: str
    document: Document
    lines: Lines | None
    is_note: bool

    def place(self, offset: int) -> str:
        """Where a character stands, for a person."""
        return self.file if self.lines is None else f"{self.file}:{self.lines.at(offset)}"


class Holder(NamedTuple):
    """A document, and a passage as it stands there."""

    shelved: Shelved
    chunk: Chunk


@dataclass(slots=True)
class Shelf:
    """The passages of all documents, each different one once, with the documents that hold it."""

    embedder: Embedder | None
    documents: int = 0
    chunks: dict[str, Chunk] = field(default_factory=dict)
    holders: defaultdict[str, list[Holder]] = field(default_factory=lambda: defaultdict(list))
    _index: PassageIndex | None = None
    _near: int = NEAR

    def fill(self, against: StrPath | Sequence[StrPath], notes: set[str]) -> list[Failed]:
        """Read documents; returns those that could not be."""
        failed: list[Failed] = []
        for source in sources(against, is_known):
            try:
                if isinstance(source.content, UpheldError):
                    raise source.content
                document = read(source.file.rpartition("/")[2], source.content)
            except UpheldError as error:
                if source.is_named:
                    raise
                failed.append(Failed(file=source.file, error=error, is_document=True))
                continue
            self.documents += 1
            self._near = 2 * NEAR if source.identity in notes else self._near
            shelved = Shelved(
                source.file, source.identity, document, _lines(document, source.content), source.identity in notes
            )
            for chunk in document.chunks:
                self.chunks.setdefault(chunk.digest, chunk)
                self.holders[chunk.digest].append(Holder(shelved, chunk))
        self._index = PassageIndex(self.chunks, self._vectors())
        return failed

    def _vectors(self) -> dict[str, bytes]:
        rows = self._embedded([" ".join((*chunk.headings, chunk.text)) for chunk in self.chunks.values()])
        return {digest: row.tobytes() for digest, row in zip(self.chunks, rows, strict=False)}

    def _embedded(self, texts: Sequence[str]) -> Iterator[NDArray[np.float16]]:
        for start in range(0, len(texts) if self.embedder is not None else 0, AT_ONCE):
            assert self.embedder is not None
            yield from self.embedder.embed(texts[start : start + AT_ONCE]).astype("float16")

    def near(self, claims: Sequence[Claim]) -> Iterator[tuple[str, ...]]:
        """For each claim the digests of the passages near it."""
        assert self._index is not None
        texts = [claim.statement for claim in claims]
        vectors: Iterable[NDArray[np.float32] | None] = [None] * len(texts)
        if self.embedder is not None:
            vectors = self.embedder.embed(texts) if texts else ()
        for text, vector in zip(texts, vectors, strict=True):
            yield self._index.near(text, vector, self._near)


def _lines(document: Document, raw: bytes) -> Lines | None:
    try:
        return Lines(document.text) if decoded(raw, declared=True) == document.text else None
    except UpheldError:
        return None
