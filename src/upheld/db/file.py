"""The file of a store: what is refused before SQLite would write to it, and how it is opened."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import apsw

from upheld.errors import Corrupt, Misconfigured

_SMALLEST = 512  # bytes of the smallest SQLite file; shorter ones SQLite would overwrite
_STATEMENTS_CACHED = 200


def connect(path: str) -> apsw.Connection:
    """A connection; to a store in a folder that cannot be written, one that only reads."""
    if not is_closed_to_us(path):
        return apsw.Connection(path, statementcachesize=_STATEMENTS_CACHED)
    # A write-ahead log needs files beside the store, even to read. Where they are, somebody else may be writing, and
    # what was written last stands in them alone; without them the file as it lies there is all.
    how = "mode=ro" if is_in_use(path) else "immutable=1"
    uri = f"file:{quote(str(Path(path).absolute()))}?{how}"
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(uri, flags=flags, statementcachesize=_STATEMENTS_CACHED)


def is_closed_to_us(path: str) -> bool:
    """Whether a store is there, in a folder where this process may make no files."""
    return path != ":memory:" and Path(path).exists() and not os.access(Path(path).parent, os.W_OK)


def is_in_use(path: str) -> bool:
    """Whether the files of a write-ahead log are beside a store."""
    log = Path(f"{path}-wal")
    return Path(f"{path}-shm").exists() or (log.exists() and log.stat().st_size > 0)


def require_place(file: Path) -> None:
    """Refuse a path that the system will not look at, and what is there but cannot be a store."""
    try:
        require_store(file)
    except OSError as error:
        raise Misconfigured(f"cannot open {str(file)[:200]}: {error.strerror}; give another path") from None


def require_store(file: Path) -> None:
    """Refuse what is there but cannot be a store, before SQLite would write to it."""
    if file.is_dir():
        raise Misconfigured(f"{file} is a folder; give the path of a file")
    if not file.parent.exists():
        raise Misconfigured(f"the folder {file.parent} does not exist; create it first")
    # By size only: to open and close the file here would drop the locks that this process holds on it elsewhere.
    size = file.stat().st_size if file.exists() else _SMALLEST
    if size == 0:
        raise Corrupt(f"{file} is empty, not a store; delete it to start a new one, or restore a backup")
    if size < _SMALLEST:
        raise Corrupt(f"{file} is not a store: it is no SQLite file")


def require_whole(connection: apsw.Connection, file: Path) -> None:
    """Refuse a file that was cut off: SQLite reads what is missing of a page as zeros, so notes as no notes."""
    log = Path(f"{file}-wal")
    if log.exists() and log.stat().st_size:
        return  # the end may still be in the log
    wanted = connection.pragma("page_count") * connection.pragma("page_size")
    size = file.stat().st_size
    if size < wanted:
        raise Corrupt(f"{file} was cut off: {size:,} bytes are left of {wanted:,}; restore a backup")
