"""The rows behind the figures: one JSON object a line, written as they come, from which every figure is computed.

A suite never keeps a total of its own: it writes rows, and its `figures` reads rows. So a figure that is printed
can be computed again from the file, by anyone.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Self, TextIO

from upheld.db.sqlite import Sqlite
from upheld.errors import Invalid, Misconfigured

Row = dict[str, Any]
RUN = "run"
"""The kind of the first row, which names the suite and the machine."""
END = "end"
"""The kind of the last row: how long the run took, and how busy the machine was then."""

_PACKAGES = ("upheld", "apsw", "numpy", "onnxruntime")


@dataclass(slots=True)
class RowsFile:
    """A JSONL file being written, and what was written to it."""

    path: Path
    rows: list[Row]
    _file: TextIO

    @classmethod
    def create(cls, path: Path, suite: str, **facts: object) -> Self:
        """Start a file over, with a first row that says which suite ran on what machine."""
        path.parent.mkdir(parents=True, exist_ok=True)
        made = cls(path, [], path.open("w", encoding="utf-8", errors="backslashreplace"))
        made.add(RUN, suite=suite, **machine(), **facts)
        return made

    def add(self, row: str, **fields: object) -> None:
        """Write one row; `row` says what kind it is."""
        line = {"row": row, **fields}
        self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
        self.rows.append(line)

    def __enter__(self) -> Self:
        """Give the file to a `with` block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close at the end of a `with` block."""
        self._file.close()


def read(path: Path) -> list[Row]:
    """The rows of a file, in order."""
    try:
        with path.open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
    except OSError as error:
        raise Misconfigured(f"cannot read the rows file {path}: {error.strerror}") from error
    except ValueError as error:
        raise Invalid(f"{path} is not a rows file: {error}") from error
    if not rows or not isinstance(rows[0], dict) or rows[0].get("row") != RUN:
        raise Invalid(f"{path} is not a rows file: its first row does not name a suite")
    return rows


def of_kind(rows: Iterable[Mapping[str, Any]], kind: str) -> Iterator[Mapping[str, Any]]:
    """The rows of one kind."""
    return (row for row in rows if row["row"] == kind)


def share(flags: Iterable[object]) -> float | None:
    """How many of some flags are true, in per cent with two decimals; None where there are no flags.

    >>> share([True, False, False])
    33.33
    """
    listed = [bool(flag) for flag in flags]
    return round(100 * sum(listed) / len(listed), 2) if listed else None


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The smallest value that at least `percent` per cent of the values do not exceed; None where there are none.

    >>> percentile([4.0, 1.0, 3.0, 2.0], 50)
    2.0
    """
    ordered = sorted(values)
    return ordered[max(math.ceil(percent / 100 * len(ordered)), 1) - 1] if ordered else None


def milliseconds(values: Sequence[float], percent: float) -> float | None:
    """A percentile, rounded to a microsecond."""
    found = percentile(values, percent)
    return None if found is None else round(found, 3)


def machine() -> Row:
    """What the run ran on, as far as it bears on the figures."""
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "started_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "load_before": load(),
        "versions": {name: found for name in _PACKAGES if (found := _version(name)) is not None},
        "sqlite": _sqlite(),
    }


def load() -> float | None:
    """How many threads wanted to run, averaged over the last minute, where the system says so."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def _sqlite() -> str:
    database = Sqlite(":memory:", model=None, dimension=0)
    try:
        return database.version
    finally:
        database.close()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor()


def resident_bytes() -> int | None:
    """The memory that this process holds now, or at most held where the system does not say; None if unknown."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        import resource
    except ImportError:  # Windows
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def folder_of(data: Path, name: str) -> Path:
    """The folder of a data set: inside the folder given, or that folder itself."""
    inside = data / name
    return inside if inside.is_dir() else data


def disk_bytes(store: Path) -> int:
    """The size of a store with the files beside it."""
    return sum(file.stat().st_size for file in store.parent.glob(f"{store.name}*"))
