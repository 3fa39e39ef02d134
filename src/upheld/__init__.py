"""Memory for AI agents that stops believing what is no longer true."""

from __future__ import annotations

from upheld.answer import Recall
from upheld.asynchronous import AsyncMemory
from upheld.errors import (
    Busy,
    Conflict,
    Corrupt,
    Cycle,
    EvidenceMissing,
    HedgeLost,
    Invalid,
    Misconfigured,
    NaiveTime,
    NotFound,
    Refused,
    Unavailable,
    UpheldError,
)
from upheld.memory import Memory
from upheld.note import Band, Certainty, Channel, Citation, Draft, Key, Note, Source, Standing, Written
from upheld.opening import open, reembed

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "Band",
    "Busy",
    "Certainty",
    "Channel",
    "Citation",
    "Conflict",
    "Corrupt",
    "Cycle",
    "Draft",
    "EvidenceMissing",
    "HedgeLost",
    "Invalid",
    "Key",
    "Memory",
    "Misconfigured",
    "NaiveTime",
    "NotFound",
    "Note",
    "Recall",
    "Refused",
    "Source",
    "Standing",
    "Unavailable",
    "UpheldError",
    "Written",
    "open",
    "reembed",
]
