"""Vectors at the door: whatever an embedder or a caller hands in is checked before it can enter a store or a search."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from upheld.errors import Invalid, Misconfigured, Unavailable, shown
from upheld.ports import Embedder

Rows = NDArray[np.float32]

_ROUNDING = 1e-6
"""How far from 1 the length of a unit vector may be."""


class Checked:
    """An embedder whose rows are made sure of: as many as texts, as long as it says, finite, of unit length."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.dimension = embedder.dimension

    def embed(self, texts: Sequence[str]) -> Rows:
        """One unit row per text; `Misconfigured` if the embedder gives anything else."""
        rows = self._embedder.embed(texts)
        try:
            return unit_rows(rows, len(texts), self.dimension)
        except Invalid as error:
            raise Misconfigured(f"the embedder {self.model} gave vectors that are none: {error}") from error


def unit_rows(given: object, count: int, dimension: int) -> Rows:
    """Rows scaled to unit length; `Invalid` unless they are `count` x `dimension` finite numbers, none all zero."""
    rows = as_rows(given)
    if rows.shape != (count, dimension):
        raise Invalid(f"expected {count} vectors of {dimension} numbers, not the shape {rows.shape}")
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise Invalid("a vector must hold finite numbers, not all zero")
    return np.asarray(rows / lengths, np.float32)


def as_rows(given: object) -> Rows:
    """What a caller calls vectors, as an array of them; `Invalid` where it holds anything but numbers."""
    try:
        rows = np.asarray(given, np.float32)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise Invalid(f"vectors must be numbers: {error!s:.200}") from None
    if not rows.ndim:
        raise Invalid(f"vectors must be rows of numbers, not {shown(given)}")
    return rows


def given_rows(embedder: Embedder | None, vectors: object, count: int) -> Rows:
    """Vectors that a caller made, for a store that keeps vectors."""
    if embedder is None:
        raise Invalid("this store was opened without an embedder: it keeps no vectors")
    return unit_rows(vectors, count, embedder.dimension)


def _given_row(embedder: Embedder | None, vector: object) -> Rows:
    """One vector that a caller made: most recalls that bring one bring a good one, which is seen without more ado."""
    if embedder is not None and isinstance(vector, np.ndarray) and vector.shape == (embedder.dimension,):
        row: Rows = np.array(vector, np.float32)  # a copy: the caller may go on filling its own
        length = sqrt(row.dot(row))
        if abs(length - 1) < _ROUNDING:
            return row
        if 0 < length < inf:
            unit: Rows = row / np.float32(length)
            return unit
    rows: Rows = given_rows(embedder, [vector], 1)[0]
    return rows


def query_vector(embedder: Embedder | None, query: str, vector: object) -> tuple[Rows | None, tuple[str, ...]]:
    """The vector of a question, the caller's or the embedder's; and in what the answer is degraded without one."""
    if vector is not None:
        return _given_row(embedder, vector), ()
    if embedder is None:
        return None, ("no embedder: found by words only",)
    if not query.strip():
        return None, ("nothing asked",)
    try:
        return embedder.embed([query])[0], ()
    except Unavailable as error:
        return None, (f"the embedder did not answer ({error}): found by words only",)
