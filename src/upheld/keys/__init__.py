"""Keys without a model: subject, attribute and value of a plain statement, found by grammar alone."""

from __future__ import annotations

from upheld.keys.opening import extract
from upheld.keys.parse import Extracted

__all__ = ["Extracted", "extract"]
