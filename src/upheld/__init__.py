"""Memory for AI agents that stops believing what is no longer true."""

from __future__ import annotations

from upheld.answer import Recall
from upheld.asynchronous import AsyncMemory
from upheld.document import Chunk, Claim, Finding, Pair, Verdict
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
    NeedsApproval,
    NotFound,
    Refused,
    SetAside,
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
    "Chunk",
    "Citation",
    "Claim",
    "Conflict",
    "Corrupt",
    "Cycle",
    "Draft",
    "EvidenceMissing",
    "Finding",
    "HedgeLost",
    "Invalid",
    "Key",
    "Memory",
    "Misconfigured",
    "NaiveTime",
    "NeedsApproval",
    "NotFound",
    "Note",
    "Pair",
    "Recall",
    "Refused",
    "SetAside",
    "Source",
    "Standing",
    "Unavailable",
    "UpheldError",
    "Verdict",
    "Written",
    "open",
    "reembed",
]
