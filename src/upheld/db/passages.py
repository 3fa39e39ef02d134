"""The searchable image of the corpus, in memory: which current passages are near a note in meaning or in words.

The same index as for notes, each passage once, whatever the number of documents that hold it. It is built anew when
the corpus has changed; what it leaves out is not judged in a sweep.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from upheld.db.arms import by_meaning, by_words, word_scores
from upheld.db.index import Rows, ScopeIndex
from upheld.db.words import tokens
from upheld.document import Chunk
from upheld.ports import Most

if TYPE_CHECKING:
    from numpy.typing import NDArray


class PassageIndex:
    """The passages of a corpus as it was at one time; `vectors` holds unit rows by digest, as far as there are any."""

    def __init__(self, chunks: Mapping[str, Chunk], vectors: Mapping[str, bytes]) -> None:
        self._digests = [*chunks]
        cut = [tokens(" ".join((*chunk.headings, chunk.text))) for chunk in chunks.values()]
        held: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(cut, start=1):
            for word in dict.fromkeys(words):
                held[word].append(number)
        self._held = {word: np.array(numbers, np.int64) for word, numbers in held.items()}
        width = len(next(iter(vectors.values()), b""))
        self._image = ScopeIndex(width // 2)
        self._image.add(
            [
                (number, vectors.get(digest), len(words))
                for number, (digest, words) in enumerate(zip(chunks, cut, strict=True), 1)
            ]
        )

    def near(self, statement: str, vector: NDArray[np.float32] | None, limit: int) -> tuple[str, ...]:
        """The digests of the passages nearest to a statement: up to `limit` by meaning and up to `limit` by words."""
        if not self._digests:
            return ()
        looks = [self._image.look()]
        scores = word_scores(looks, tokens(statement), [self._holding])
        found = [by_words(looks, scores, Most(limit))]
        if vector is not None and self._image.dimension:
            found.append(by_meaning(looks, vector, Most(limit)))
        return tuple(dict.fromkeys(self._digests[seq - 1] for arm in found for seq in arm.in_force))

    def _holding(self, word: str, _: int) -> Rows:
        return self._held.get(word, _NONE)


_NONE = np.empty(0, np.int64)
