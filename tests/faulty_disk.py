"""A disk that fails at the n-th call, for every n: run as `faulty_disk.py FOLDER VERB FAULT`, prints one line of JSON.

A file system of our own stands between SQLite and the disk. A store is copied, a verb is called while write, sync
or truncate number n fails (and all after it), the store is opened again on a sound disk, and what is there must be
the log from before the verb or the one from after it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw

import upheld
from upheld import Draft, Memory, UpheldError
from upheld.doctor import examine

NOW = datetime(2026, 1, 1, tzinfo=UTC)


SOUND = apsw.vfs_names()[0]
"""The file system that stands below ours."""


class Disk:
    """Counts the calls that change a file, and fails from number `fails_at` on."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails_at: int | None = None
        self.error: type[Exception] = apsw.IOError

    def touch(self) -> None:
        self.calls += 1
        if self.fails_at is not None and self.calls >= self.fails_at:
            raise self.error("the disk failed")


DISK = Disk()


class File(apsw.VFSFile):
    """A file on the disk that may fail."""

    def __init__(self, name: Any, flags: Any) -> None:
        super().__init__(SOUND, name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 (SQLite's name)
        DISK.touch()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        DISK.touch()
        super().xSync(flags)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        DISK.touch()
        super().xTruncate(size)


class Files(apsw.VFS):
    """The file system that SQLite is given."""

    def __init__(self) -> None:
        super().__init__("faulty", SOUND, makedefault=True)

    def xOpen(self, name: Any, flags: Any) -> File:  # noqa: N802
        return File(name, flags)


def opened(path: Path) -> Memory:
    return upheld.open(path, embedder=None, clock=lambda: NOW, ids=iter([f"new{n}" for n in range(100)]).__next__)


def prepared(path: Path) -> None:
    with opened(path) as memory:
        memory.remember("The ledger runs on MySQL.", id="old", extract_key=False)
        memory.remember("The backup of the ledger is nightly.", id="rests", depends_on="old", extract_key=False)
        memory.remember("A digest of the ledger.", id="digest", derived_from="rests", extract_key=False)


VERBS: dict[str, Callable[[Memory], object]] = {
    "supersede": lambda memory: memory.supersede("old", "The ledger runs on Postgres.", reason="outages"),
    "retract": lambda memory: memory.retract("old", reason="never so"),
    "remember_many": lambda memory: memory.remember_many(
        [Draft(statement=f"Row {n} of the ledger. " + "x" * 1000, extract_key=False) for n in range(12)]
    ),
}


def lines_of(path: Path) -> list[str]:
    with opened(path) as memory:
        return [repr(line) for line in memory.export()]


def faults_of(path: Path) -> list[str]:
    with opened(path) as memory:
        return list(examine(memory, now=NOW).findings)


def sweep(folder: Path, verb: str, fault: str) -> dict[str, object]:
    DISK.error = {"io": apsw.IOError, "full": apsw.FullError}[fault]
    sound = folder / "sound.db"
    prepared(sound)
    before = lines_of(sound)
    whole = folder / "whole.db"
    shutil.copy(sound, whole)
    with opened(whole) as memory:
        VERBS[verb](memory)
    after = lines_of(whole)
    wrong: list[str] = []
    untyped: set[str] = set()
    raised = point = 0
    while True:
        point += 1
        path = folder / f"{point}.db"
        shutil.copy(sound, path)
        memory = opened(path)
        DISK.calls, DISK.fails_at = 0, point
        returned = False
        try:
            VERBS[verb](memory)
            returned = True
        except UpheldError:
            raised += 1
        except Exception as error:
            raised += 1
            untyped.add(f"{type(error).__name__}: {error}")
        felt = DISK.calls >= point
        DISK.fails_at = None
        if not felt:
            memory.close()
            break
        if returned and [repr(line) for line in memory.export()] != after:
            wrong.append(f"call {point}: it returned, and its effect is not there")
        memory.close()
        wrong += [f"call {point}: {finding}" for finding in faults_of(path)]
        left = lines_of(path)
        if left not in (before, after):
            wrong.append(f"call {point}: {len(left)} lines, neither {len(before)} nor {len(after)}")
        if returned and left != after:
            wrong.append(f"call {point}: it was acknowledged, and is gone")
    return {"points": point - 1, "raised": raised, "wrong": wrong, "untyped": sorted(untyped)}


if __name__ == "__main__":
    files = Files()
    print(json.dumps(sweep(Path(sys.argv[1]), sys.argv[2], sys.argv[3])))
