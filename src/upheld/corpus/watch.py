"""Watches a folder: yields the names of what changed in it.

By the system's own notices where watchfiles is installed (the `watch` extra), else by looking again and again. A change
is a change of bytes: to touch a file, or to save it as it was, is none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Protocol

from upheld.corpus import places
from upheld.corpus.read import is_known
from upheld.document import MAX_DOCUMENT_BYTES

SECONDS_BETWEEN_LOOKS = 1.0


class Stop(Protocol):
    """What says that watching is over; `threading.Event` does."""

    def is_set(self) -> bool:
        """Whether to stop."""
        ...


@dataclass(frozen=True, slots=True)
class _Seen:
    size: int
    modified_ns: int
    digest: str


def changes(
    path: str | os.PathLike[str],
    *,
    stop: Stop,
    sleep: Callable[[float], object],
    every: float = SECONDS_BETWEEN_LOOKS,
    wanted: places.Wanted = is_known,
    notices: bool = True,
) -> Iterator[tuple[str, ...]]:
    """Yield the names that were added, changed or removed since the last time, sorted, until `stop` is set.

    Args:
        path: The folder.
        stop: Asked before each look.
        sleep: Waits so many seconds between two looks, where there are no notices.
        every: Seconds between two looks, above 0.
        wanted: Whether a file of this name counts; hidden and ignored ones never do.
        notices: Use the system's notices where they can be had.

    The state at the call is the one that the first changes are compared with. Raises `Invalid` at once if there is no
    such folder.
    """
    root = Path(path)
    places.folder(root)
    seen = _look(root, wanted, {})
    waits = _notices(root, stop) if notices else None
    return _changes(root, wanted, seen, stop=stop, pause=lambda: sleep(every), waits=waits)


def _changes(
    root: Path,
    wanted: places.Wanted,
    seen: dict[str, _Seen],
    *,
    stop: Stop,
    pause: Callable[[], object],
    waits: Iterator[object] | None,
) -> Iterator[tuple[str, ...]]:
    has_looked = False
    while not stop.is_set():
        if waits is None:
            pause()
        else:
            try:
                noticed = next(waits)
            except StopIteration:
                return
            except (OSError, RuntimeError):  # no notices here: a network folder, or too many watches
                waits = None
            else:
                if has_looked and not noticed:
                    continue
                # The first look finds what changed before the notices began.
                has_looked = True
        now = _look(root, wanted, seen)
        changed = {name for name in seen.keys() | now.keys() if _digest(seen, name) != _digest(now, name)}
        seen = now
        if changed:
            yield tuple(sorted(changed))


def _digest(seen: dict[str, _Seen], name: str) -> str | None:
    return seen[name].digest if name in seen else None


def _look(root: Path, wanted: places.Wanted, before: dict[str, _Seen]) -> dict[str, _Seen]:
    """What is there now; only files whose size or time differ from before are read."""
    found: dict[str, _Seen] = {}
    for name in places.names(root, wanted=wanted):
        try:
            with (root / name).open("rb") as file:
                about = os.fstat(file.fileno())
                known = before.get(name)
                if known is not None and (known.size, known.modified_ns) == (about.st_size, about.st_mtime_ns):
                    found[name] = known
                    continue
                # What is too large to be read is told apart by size and time.
                large = about.st_size > MAX_DOCUMENT_BYTES
                digest = f"{about.st_size} {about.st_mtime_ns}" if large else file_digest(file, "sha256").hexdigest()
                found[name] = _Seen(about.st_size, about.st_mtime_ns, digest)
        except OSError:  # gone since, or not ours to read: to a watcher that is the same
            continue
    return found


def _notices(root: Path, stop: Stop) -> Iterator[object] | None:
    """What was noticed, each time something was, and nothing every second."""
    try:
        from watchfiles import watch
    except ImportError:
        return None
    return watch(
        root, stop_event=stop, watch_filter=None, yield_on_timeout=True, rust_timeout=1000, raise_interrupt=True
    )
