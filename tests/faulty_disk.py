"""A disk that fails at the n-th call, for every n: run as `faulty_disk.py FOLDER VERB FAULT`, prints one line of JSON.

A file system of our own stands between SQLite and the disk. A store is copied, and a verb is called while write, sync
or truncate number n fails, and all after it:

    io, full    the call raises that error
    power       the call raises, and whatever was not synced by then is lost

The store is then opened on a sound disk. What is there must be the log from before the verb or the one from after
it, and the latter wherever the verb had returned.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import apsw

import upheld
from upheld import Draft, Memory, UpheldError
from upheld.doctor import examine

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SOUND = apsw.vfs_names()[0]
"""The file system that stands below ours."""


@dataclass
class Disk:
    """Counts the calls that change a file, fails from number `fails_at` on, and knows what was not synced."""

    calls: int = 0
    fails_at: int | None = None
    error: type[Exception] = apsw.IOError
    unsynced: list[tuple[Path, int, int, bytes]] = field(default_factory=list)

    def touch(self) -> None:
        self.calls += 1
        if self.fails_at is not None and self.calls >= self.fails_at:
            raise self.error("the disk failed")

    def lose_power(self) -> None:
        """Take back, last first, every change that no sync followed."""
        for path, size, offset, before in reversed(self.unsynced):
            if path.exists():
                with path.open("r+b") as file:
                    file.seek(offset)
                    file.write(before)
                    file.truncate(size)
        self.unsynced.clear()


DISK = Disk()


class File(apsw.VFSFile):
    """A file on the disk that may fail."""

    def __init__(self, name: Any, flags: Any) -> None:
        self.path = Path(name.filename() if isinstance(name, apsw.URIFilename) else str(name))
        super().__init__(SOUND, name, flags)

    def note(self, offset: int, length: int) -> None:
        size = self.xFileSize()
        there = max(0, min(length, size - offset))
        DISK.unsynced.append((self.path, size, offset, self.xRead(there, offset) if there else b""))

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 (SQLite's name)
        DISK.touch()
        self.note(offset, len(data))
        super().xWrite(data, offset)

    def xTruncate(self, size: int) -> None:  # noqa: N802
        DISK.touch()
        self.note(size, self.xFileSize())
        super().xTruncate(size)

    def xSync(self, flags: int) -> None:  # noqa: N802
        DISK.touch()
        super().xSync(flags)
        DISK.unsynced = [change for change in DISK.unsynced if change[0] != self.path]


class Files(apsw.VFS):
    """The file system that SQLite is given."""

    def __init__(self) -> None:
        super().__init__("faulty", SOUND, makedefault=True)

    def xOpen(self, name: Any, flags: Any) -> File:  # noqa: N802
        return File(name, flags)


def opened(path: Path) -> Memory:
    return upheld.open(path, embedder=None, clock=lambda: NOW, ids=map("new{}".format, count()).__next__)


def prepared(path: Path) -> None:
    with opened(path) as memory:
        memory.remember("The ledger runs on MySQL.", id="old", extract_key=False)
        memory.remember("The backup of the ledger is nightly.", id="rests", depends_on="old", extract_key=False)
        memory.remember("A digest of the ledger.", id="digest", derived_from="rests", extract_key=False)


def in_two_verbs(memory: Memory) -> None:
    """What no transaction holds together: the control of the whole sweep."""
    memory.remember("First half.", extract_key=False)
    memory.remember("Second half.", extract_key=False)


VERBS: dict[str, Callable[[Memory], object]] = {
    "supersede": lambda memory: memory.supersede("old", "The ledger runs on Postgres.", reason="outages"),
    "retract": lambda memory: memory.retract("old", reason="never so"),
    "remember_many": lambda memory: memory.remember_many(
        [Draft(statement=f"Row {n} of the ledger. " + "x" * 1000, extract_key=False) for n in range(12)]
    ),
    "in_two_verbs": in_two_verbs,
}


def look(path: Path) -> tuple[list[str], tuple[str, ...]]:
    """The log of a store, and what is wrong with the store."""
    with opened(path) as memory:
        return [repr(line) for line in memory.export()], examine(memory, now=NOW).findings


def sweep(folder: Path, verb: str, fault: str) -> dict[str, object]:
    DISK.error = apsw.FullError if fault == "full" else apsw.IOError
    sound, whole = folder / "sound.db", folder / "whole.db"
    prepared(sound)
    before, _ = look(sound)
    shutil.copy(sound, whole)
    with opened(whole) as memory:
        VERBS[verb](memory)
    after, _ = look(whole)
    wrong: list[str] = []
    untyped: set[str] = set()
    raised = 0
    for point in count(1):
        path = folder / f"{point}.db"
        shutil.copy(sound, path)
        memory = opened(path)
        DISK.unsynced.clear()
        DISK.calls, DISK.fails_at = 0, point
        returned = False
        try:
            VERBS[verb](memory)
            returned = True
        except UpheldError:
            raised += 1
        except Exception as error:  # noqa: BLE001 (what is not typed is what it looks for)
            untyped.add(f"{type(error).__name__}: {error}")
        felt = DISK.calls >= point
        if fault == "power":
            DISK.fails_at = 0
            # apsw raises what SQLite itself would overlook while it closes.
            with contextlib.suppress(apsw.Error):
                memory.close()
            DISK.lose_power()
        DISK.fails_at = None
        memory.close()
        left, findings = look(path)
        wrong += [f"call {point}: {finding}" for finding in findings]
        if left not in (before, after):
            wrong.append(f"call {point}: {len(left)} lines, neither {len(before)} nor {len(after)}")
        if returned and left != after:
            wrong.append(f"call {point}: it was acknowledged, and is gone")
        if not felt:
            break
    return {"points": point - 1, "raised": raised, "wrong": wrong, "untyped": sorted(untyped)}


if __name__ == "__main__":
    files = Files()
    sys.stdout.write(json.dumps(sweep(Path(sys.argv[1]), sys.argv[2], sys.argv[3])))
