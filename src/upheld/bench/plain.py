"""The baseline: the same hybrid search over the same store, by the same code, without validity.

Every note ever recorded counts as live. Tokens, vectors, BM25, named subjects, shortlist and fusion are those of the
library; what is left out is the rule, the anchors and the gate. It reads the end of the log and fetches its notes in
one transaction as recall does, so the ratio of the two is the price of validity alone.
"""

from __future__ import annotations

from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from upheld.db import arms
from upheld.db.index import ScopeIndex
from upheld.db.projection import notes_holding, notes_named
from upheld.db.session import Session
from upheld.db.sqlite import Sqlite
from upheld.db.words import tokens
from upheld.fusion import fuse
from upheld.note import Note
from upheld.ports import Arm, Embedder, Found, Most
from upheld.recall import DEPTH

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class PlainSearch:
    """Searches a store that something else wrote. Images of scopes are kept and grow with the log."""

    def __init__(self, path: Path, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self._dimension = 0 if embedder is None else embedder.dimension
        model = None if embedder is None else embedder.model
        self._database = Sqlite(path, model=model, dimension=self._dimension)
        self._images: dict[str, tuple[int, ScopeIndex]] = {}

    def search(
        self, query: str, *, scope: str, limit: int = 10, vector: NDArray[np.float32] | None = None
    ) -> list[Note]:
        """The best notes, first first, whatever became of them. `vector` is the query already embedded."""
        if vector is None and self._embedder is not None and query.strip():
            vector = self._embedder.embed([query])[0]
        with self._database.reading() as reading:
            found = self._found(reading, query, scope, vector, Most(max(DEPTH, 2 * limit)))
            best = [seq for _, seq in islice(fuse(found), limit)]
            notes = reading.notes(best)
            return [notes[seq] for seq in best]

    def _found(self, reading: Session, query: str, scope: str, vector: NDArray[np.float32] | None, most: Most) -> Found:
        looks = [self._image(reading, scope).look()]  # nothing was ever judged, so all of it is live
        scores = arms.word_scores(looks, tokens(query), [partial(notes_holding, reading, scope, looks[0].index)])
        return Found(
            by_meaning=Arm() if vector is None else arms.by_meaning(looks, vector, most),
            by_words=arms.by_words(looks, scores, most),
            by_subject=arms.by_subject(looks, [notes_named(reading, scope, query)], vector, scores, most),
        )

    def _image(self, reading: Session, scope: str) -> ScopeIndex:
        head = reading.head().seq
        position, image = self._images.get(scope, (0, None))
        if image is None:
            image = ScopeIndex(self._dimension)
        if position != head:
            last = int(image.seqs[image.count - 1]) if image.count else 0
            image.add(reading.execute("vectors_after", {"scope": scope, "after": last}))
            self._images[scope] = (head, image)
        return image

    def close(self) -> None:
        """Close the connection; the store stays as it is."""
        self._database.close()

    def __enter__(self) -> Self:
        """Give the search to a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close at the end of a `with` block."""
        self.close()
