"""Keys without a model: subject, attribute and value of a plain statement, found by grammar alone."""

from __future__ import annotations

from upheld.keys.result import Extracted
from upheld.keys.statement import extract
from upheld.keys.topics import read, topic

__all__ = ["Extracted", "extract", "read", "topic"]
