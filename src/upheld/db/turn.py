"""A queue of writers: a lock file that processes wait at, so that one at a time contends for the store.

Who holds the turn polls SQLite's lock and gives the turn back as soon as it has that; the others sleep in the
kernel. Whoever just wrote finds the turn taken and queues like the rest. Where the platform has no `flock`
(Windows) or the file cannot be made (a read-only folder) there is no queue, and SQLite's own lock decides.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from upheld.errors import Busy

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Turn:
    """The queue beside one store; a path of None makes no queue."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._made = False
        self._file = self._open()

    def _open(self) -> int | None:
        if self._path is None or fcntl is None:
            return None
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            made = os.open(self._path, flags | os.O_EXCL, 0o644)
        except FileExistsError:
            pass
        except OSError:
            return None
        else:
            self._made = True
            return made
        try:
            return os.open(self._path, flags, 0o644)
        except OSError:
            return None

    @contextmanager
    def taken(self, deadline_s: float) -> Iterator[None]:
        """Hold the turn, after at most `deadline_s` seconds of waiting; else `Busy`."""
        if self._file is None:
            yield
            return
        self._wait(self._file, deadline_s)
        try:
            yield
        finally:
            if self._file is not None:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def _wait(self, file: int, deadline_s: float) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # flock has no timeout, so a thread sleeps in it. After the deadline that thread owns this file: it
            # closes it once the lock comes, and later writes queue through a file of their own.
            waiter = threading.Thread(target=fcntl.flock, args=(file, fcntl.LOCK_EX), daemon=True)
            waiter.start()
            waiter.join(deadline_s)
            if waiter.is_alive():
                threading.Thread(target=_close_after, args=(waiter, file), daemon=True).start()
                self._file = self._open()
                raise Busy(f"waited {deadline_s:g} s for other writers at {self._path}; try again") from None

    def withdraw(self) -> None:
        """Leave the queue of what turned out to be no store, and no file that was not there before."""
        self.close()
        if self._made and self._path is not None:
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        """Leave the queue. The file stays, for other processes wait at it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _close_after(waiter: threading.Thread, file: int) -> None:
    waiter.join()
    os.close(file)
