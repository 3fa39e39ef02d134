"""How rows beside the log become nouns and back: documents, verdicts, notices."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from upheld.db.rows import Row, event_of
from upheld.document import Finding, Verdict
from upheld.note import Channel, instant, moment
from upheld.shelf import Notice, Settled, Shelved

if TYPE_CHECKING:
    from numpy.typing import NDArray


def maybe(time: datetime | None) -> int | None:
    """A time, or None, as it is stored."""
    return None if time is None else instant(time)


def time(microseconds: int | None) -> datetime | None:
    """A stored time, or None."""
    return None if microseconds is None else moment(microseconds)


def floats(embedding: bytes) -> NDArray[np.float32]:
    """A stored embedding as a vector."""
    return np.frombuffer(embedding, "<f2").astype(np.float32)


def shelved_of(row: Row) -> Shelved:
    """A document as it is listed."""
    return Shelved(
        name=row[0],
        place=row[1],
        owner=row[2],
        authority=Channel(row[3]),
        version=row[4],
        title=row[5],
        dated=time(row[6]),
        passages=row[7],
        added_at=moment(row[8]),
        recorded_at=moment(row[9]),
        removed_at=time(row[10]),
    )


def verdict_of(row: Row) -> Verdict:
    """A verdict from (finding, confidence, quotes, effective_from, acts, why)."""
    return Verdict(
        finding=Finding(row[0]),
        confidence=row[1],
        claim_quote=row[2],
        chunk_quote=row[3],
        effective_from=time(row[4]),
        acts=bool(row[5]),
        why=row[6],
    )


def notice_of(row: Row) -> Notice:
    """A notice from its own columns and those of its event."""
    return Notice(
        event=event_of(row[6:]),
        scope=row[0],
        note=row[1],
        kind=row[2],
        settled_as=None if row[3] is None else Settled(row[3]),
        settled_by=row[4],
        settled_at=time(row[5]),
    )
