"""Judges: what says whether a document contradicts a note. Each implements `upheld.ports.Judge`."""

from __future__ import annotations

from upheld.judges.values import Stated, Values

__all__ = ["Stated", "Values"]
