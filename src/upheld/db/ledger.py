"""Checks in terms of the named statements: the same for every database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from upheld.db import rows
from upheld.ledger import Answers, Asking, Audit, Audited, How, Outcome, Use
from upheld.note import instant, moment
from upheld.standing import Instant, Seq

_MICROSECOND = timedelta(microseconds=1)


class StoredLedger:
    """Implements `Ledger` and `Checking` over `execute(name of a statement, parameters)`, once or for many."""

    def __init__(
        self,
        execute: Callable[[str, Any], list[rows.Row]],
        execute_many: Callable[[str, Sequence[Any]], None],
    ) -> None:
        self._execute = execute
        self._execute_many = execute_many

    def asking(self, scope: str, subject_key: str, source: str) -> Asking | None:
        found = self._execute("asking", {"scope": scope, "subject_key": subject_key, "source": source})
        if not found:
            return None
        asked_at, outcome, reason = found[0]
        return Asking(
            scope=scope,
            subject_key=subject_key,
            source=source,
            asked_at=moment(asked_at),
            outcome=None if outcome is None else Outcome(outcome),
            reason=reason,
        )

    def claim(self, scope: str, subject_key: str, source: str, *, at: datetime, window: timedelta) -> bool:
        wanted = {"scope": scope, "subject_key": subject_key, "source": source}
        return bool(self._execute("claim", {**wanted, "at": instant(at), "before": instant(at - window)}))

    def answered(
        self, scope: str, subject_key: str, source: str, *, asked_at: datetime, outcome: Outcome, reason: str | None
    ) -> None:
        wanted = {"scope": scope, "subject_key": subject_key, "source": source, "asked_at": instant(asked_at)}
        self._execute("answered", {**wanted, "outcome": outcome.value, "reason": reason})

    def audits(self) -> list[Audit]:
        found = self._execute("audits", None)
        return [Audit(number=number, at=moment(at), by=by, seed=seed) for number, at, by, seed in found]

    def audited(self, *, audit: int | None = None) -> list[Audited]:
        found = self._execute("audited", {"audit": audit})
        return [
            Audited(
                audit=number,
                note=note,
                kind=kind,
                age=age * _MICROSECOND,
                how=How(how),
                wrong=None if wrong is None else bool(wrong),
                answered_by=by,
                answered_at=None if at is None else moment(at),
            )
            for number, note, kind, age, how, wrong, by, at in found
        ]

    def open_audit(self, *, at: datetime, by: str, seed: int) -> int:
        return int(self._execute("open_audit", {"at": instant(at), "actor": by, "seed": seed})[0][0])

    def keep_audited(self, listed: Sequence[Audited]) -> None:
        self._execute_many(
            "keep_audited",
            [
                (
                    each.audit,
                    each.note,
                    each.kind,
                    each.age // _MICROSECOND,
                    each.how.value,
                    None if each.wrong is None else int(each.wrong),
                    each.answered_by,
                    None if each.answered_at is None else instant(each.answered_at),
                )
                for each in listed
            ],
        )

    def answer_audited(self, audit: int, note: Seq, *, wrong: bool, by: str, at: datetime) -> bool:
        wanted = {"audit": audit, "note": note, "wrong": int(wrong), "by": by, "at": instant(at)}
        return bool(self._execute("answer_audited", wanted))

    def uses(self, *, since: date) -> list[Use]:
        found = self._execute("uses", {"since": _first_moment(since)})
        return [
            Use(day=moment(day).date(), kind=kind, checked=checked, contradicted=contradicted)
            for day, kind, checked, contradicted in found
        ]

    def count_use(self, uses: Sequence[Use]) -> None:
        self._execute_many(
            "count_use", [(_first_moment(each.day), each.kind, each.checked, each.contradicted) for each in uses]
        )

    def answers(self, *, since: date) -> list[Answers]:
        found = self._execute("answers", {"since": _first_moment(since)})
        return [Answers(day=moment(day).date(), answers=answers, stale=stale) for day, answers, stale in found]

    def count_answers(self, answers: Sequence[Answers]) -> None:
        self._execute_many("count_answers", [(_first_moment(each.day), each.answers, each.stale) for each in answers])


def _first_moment(day: date) -> Instant:
    return instant(datetime.combine(day, time.min, UTC))
