"""What a judge said, kept in a file: an evaluation runs again without the judge, without a network, and the same.

One line of JSON is one answer, keyed by the pair and the judge's name. Answers are kept as they were returned, before
any check, so that a replay is checked by the rules of today.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import fields
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from upheld.document import Finding, Pair, Verdict
from upheld.errors import Conflict, Corrupt, Misconfigured, Unavailable
from upheld.judgement import Fault, FaultKind

if TYPE_CHECKING:
    from upheld.ports import Judge

_FIELDS = frozenset(field.name for field in fields(Verdict))


def digest(pair: Pair) -> str:
    """What makes a pair the same pair: all that a judge may look at, but not the chunk's place in its document."""
    claim = pair.claim
    times = [None if at is None else at.isoformat() for at in (claim.valid_from, claim.valid_to, claim.observed_at)]
    key = [claim.subject_key, claim.attribute_key, claim.value_key, claim.single]
    conditions = sorted((name, list(allowed)) for name, allowed in claim.applies_when.items())
    return sha256(json.dumps([claim.statement, key, conditions, times, pair.chunk.digest]).encode()).hexdigest()


class Recorded:
    """A judge that answers from the file at `path`, and asks `judge`, if there is one, about pairs that are not in it.

    What that judge says is added to the file; faults that pass (no answer, no budget) are not. Without a judge, `name`
    says whose answers to replay, and a pair that is not in the file is a fault of the kind `not_recorded`. One process
    may write a file at a time (`Conflict`). Raises `Corrupt` for a line that no recording wrote; a last one that was
    cut short is dropped.
    """

    def __init__(self, path: str | Path, judge: Judge | None = None, *, name: str | None = None) -> None:
        if (judge is None) == (name is None):
            raise Misconfigured("a recording needs a judge to ask, or else the name of the judge to replay")
        self._path = Path(path)
        self._judge = judge
        self._name = name or (judge.name if judge is not None else "")
        self._lock = Lock()
        self._said, self._whole, self._size = _read(self._path, self._name)
        if judge is None and not self._path.exists():
            raise Misconfigured(f"there is no recording at {self._path}")

    def __repr__(self) -> str:
        return f"Recorded({str(self._path)!r}, {self._name!r})"

    @property
    def name(self) -> str:
        """The name of the judge whose answers these are."""
        return self._name

    def judge(self, pairs: Sequence[Pair]) -> list[object]:
        """What the judge returned for each pair, in order. Raises what the judge raises, and then keeps nothing."""
        keys = [digest(pair) for pair in pairs]
        with self._lock:
            missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._said}
            if missing and self._judge is not None:
                answers = list(self._judge.judge(tuple(missing.values())))
                if len(answers) != len(missing):
                    raise Unavailable(f"{self._name} gave {len(answers)} answers for {len(missing)} pairs")
                given = dict(zip(missing, answers, strict=True))
                self._keep({key: raw for key, raw in given.items() if not (isinstance(raw, Fault) and raw.passes)})
            else:
                given = {}
            none = Fault(kind=FaultKind.NOT_RECORDED, detail=f"{self._path.name} holds no answer to this pair")
            return [given[key] if key in given else self._said.get(key, none) for key in keys]

    def _keep(self, given: dict[str, object]) -> None:
        lines = [json.dumps({"pair": key, "judge": self._name, **_written(raw)}) + "\n" for key, raw in given.items()]
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            if file.tell() != self._size:
                raise Conflict(f"another process writes to {self._path}")
            file.truncate(self._whole)  # what a killed run left of its last line
            file.writelines(line.encode() for line in lines)
            file.flush()
            self._whole = self._size = file.tell()
        self._said.update((key, _restored(json.loads(line))) for key, line in zip(given, lines, strict=True))


def _read(path: Path, name: str) -> tuple[dict[str, object], int, int]:
    """The answers of one judge, and the bytes up to the end of the last whole line, and of all."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return {}, 0, 0
    whole = content.rfind(b"\n") + 1
    said: dict[str, object] = {}
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            entry = json.loads(line)
            if entry["judge"] == name:
                said[str(entry["pair"])] = _restored(entry)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise Corrupt(f"{path}, line {number}: no answer of a judge") from None
    return said, whole, len(content)


def _written(raw: object) -> dict[str, Any]:
    if isinstance(raw, Verdict):
        return {"verdict": {name: _plain(getattr(raw, name)) for name in sorted(_FIELDS)}}
    if isinstance(raw, Fault):
        return {"fault": [raw.kind, raw.detail]}
    return {"other": _plain(raw)}


def _plain(value: object) -> object:
    """A value as JSON can hold it; of what it cannot, only the type, which is enough to be no verdict again."""
    if isinstance(value, datetime):
        return {"time": value.isoformat()}
    if value is None or isinstance(value, str | int | float):
        return value
    return {"type": type(value).__name__}


def _restored(entry: dict[str, Any]) -> object:
    if "fault" in entry:
        kind, detail = entry["fault"]
        return Fault(kind=FaultKind(kind), detail=str(detail))
    if "verdict" not in entry:
        return entry["other"]
    if entry["verdict"].keys() != _FIELDS:
        raise KeyError("verdict")
    said = dict(entry["verdict"])
    with suppress(ValueError):
        said["finding"] = Finding(said["finding"])
    if isinstance(at := said["effective_from"], dict) and "time" in at:
        said["effective_from"] = datetime.fromisoformat(at["time"])
    return Verdict(**said)
