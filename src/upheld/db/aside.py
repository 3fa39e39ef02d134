"""What is set aside, in terms of the named statements: the same for every database."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from upheld.aside import Operation, Origin, Review, Staged
from upheld.db import rows
from upheld.db.drafts import drafts_of, drafts_text
from upheld.note import instant, moment


class StoredAside:
    """Implements `Aside` and `SettingAside` over `execute(name of a statement, parameters)`."""

    def __init__(self, execute: Callable[[str, Any], list[rows.Row]]) -> None:
        self._execute = execute

    def stages(self) -> list[Staged]:
        return [_staged(row) for row in self._execute("stages", None)]

    def stage(self, id: str) -> Staged | None:
        found = self._execute("stage", {"id": id})
        return _staged(found[0]) if found else None

    def keep_stage(self, staged: Staged) -> None:
        self._execute(
            "keep_stage",
            {
                "id": staged.id,
                "operation": staged.operation.value,
                "scope": staged.scope,
                "transform": staged.transform,
                "known_at": staged.known_at,
                "inputs": rows.as_json(staged.inputs),
                "drafts": drafts_text(staged.drafts),
                "actor": staged.by,
                "at": instant(staged.at),
            },
        )

    def drop_stage(self, id: str) -> bool:
        return bool(self._execute("drop_stage", {"id": id}))

    def reviews(self) -> list[Review]:
        return [_review(row) for row in self._execute("reviews", None)]

    def review(self, id: str) -> Review | None:
        found = self._execute("review", {"id": id})
        return _review(found[0]) if found else None

    def keep_review(self, review: Review) -> None:
        self._execute(
            "keep_review",
            {
                "id": review.id,
                "what": review.what.value,
                "why": rows.as_json(review.why),
                "drafts": drafts_text(review.drafts),
                "actor": review.by,
                "at": instant(review.at),
            },
        )

    def drop_review(self, id: str) -> bool:
        return bool(self._execute("drop_review", {"id": id}))


def _review(row: rows.Row) -> Review:
    return Review(
        id=row[0],
        what=Origin(row[1]),
        why=tuple(json.loads(row[2])),
        drafts=drafts_of(row[3]),
        by=row[4],
        at=moment(row[5]),
    )


def _staged(row: rows.Row) -> Staged:
    return Staged(
        id=row[0],
        operation=Operation(row[1]),
        scope=row[2],
        transform=row[3],
        known_at=row[4],
        inputs=tuple(json.loads(row[5])),
        drafts=drafts_of(row[6]),
        by=row[7],
        at=moment(row[8]),
    )
