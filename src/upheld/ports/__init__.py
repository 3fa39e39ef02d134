"""What Upheld asks of the outside. Adapters implement these; flows know nothing else."""

from __future__ import annotations

from upheld.ports.outside import Clock, Embedder, Ids, Judge, Verifier, Writer
from upheld.ports.search import Arm, Filter, Found, Head, Most, Seen, Wanted
from upheld.ports.store import Database, Reading, Writing

__all__ = [
    "Arm",
    "Clock",
    "Database",
    "Embedder",
    "Filter",
    "Found",
    "Head",
    "Ids",
    "Judge",
    "Most",
    "Reading",
    "Seen",
    "Verifier",
    "Wanted",
    "Writer",
    "Writing",
]
