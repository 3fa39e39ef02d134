"""Vectors at the door: whatever an embedder or a caller hands in is checked before it can enter a store or a search."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from upheld.errors import Invalid, Misconfigured
from upheld.ports import Embedder

Rows = NDArray[np.float32]


class Checked:
    """An embedder whose rows are made sure of: as many as texts, as long as it says, finite, of unit length."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.dimension = embedder.dimension

    def embed(self, texts: Sequence[str]) -> Rows:
        """One unit row per text; `Misconfigured` if the embedder gives anything else."""
        try:
            return unit_rows(self._embedder.embed(texts), len(texts), self.dimension)
        except Invalid as error:
            raise Misconfigured(f"the embedder {self.model} gave vectors that are none: {error}") from error


def unit_rows(given: object, count: int, dimension: int) -> Rows:
    """Rows scaled to unit length; `Invalid` unless they are `count` x `dimension` finite numbers, none all zero."""
    try:
        rows = np.asarray(given, np.float32)
    except (TypeError, ValueError) as error:
        raise Invalid(f"vectors must be numbers: {error}") from None
    if rows.shape != (count, dimension):
        raise Invalid(f"expected {count} vectors of {dimension} numbers, not the shape {rows.shape}")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise Invalid("a vector must hold finite numbers, not all zero")
    return np.asarray(rows / lengths, np.float32)
