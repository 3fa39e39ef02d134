"""Asks git what a repository holds at a revision: its files, their bytes, and when each was last committed.

Only commands that read are used, with the settings off by which a repository can name programs to run, or fetch.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from upheld.errors import Corrupt, Invalid, Misconfigured, Unavailable, UpheldError
from upheld.git import command, environment

_DEADLINE_S = 120.0
_PLAIN = (b"100644", b"100755", b"100664")
_BLOCK = 64 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """A plain file of a revision: its name from the root, the id of its bytes, and how many they are."""

    name: str
    blob: str
    size: int


def commit(repository: Path, revision: str) -> str:
    """The full id of the commit that a revision (branch, tag, id) names."""
    if not revision or revision.startswith("-") or "\0" in revision:
        raise Invalid(f"{revision[:80]!r} is no revision")
    _asked(repository, "rev-parse", "--git-dir")
    try:
        return _asked(repository, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").decode().strip()
    except Invalid:
        raise Invalid(
            f"the repository {repository} has no revision {revision[:80]!r}; see git branch and tag"
        ) from None


def listed(repository: Path, commit: str, under: str) -> list[Entry]:
    """The plain files of a commit; links and repositories inside it are left out."""
    found = []
    prefix = under.strip("/")
    for line in _asked(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit).split(b"\0"):
        about, _, name = line.partition(b"\t")
        fields = about.split()
        if len(fields) == 4 and fields[0] in _PLAIN:
            path = os.fsdecode(name)
            if not prefix or path.startswith(f"{prefix}/"):
                found.append(Entry(path, fields[2].decode(), int(fields[3])))
    return found


def contents(repository: Path, entries: Sequence[Entry], limit: int) -> Iterator[tuple[Entry, bytes | UpheldError]]:
    """The bytes of each entry, in order, one at a time; those of more than `limit` bytes with an error instead."""
    with _running(repository, "cat-file", "--batch") as (ask, answer):
        for entry in entries:
            if entry.size > limit:
                yield entry, Invalid(f"{entry.name} has {entry.size:,} bytes; at most {limit:,} are read: split it")
                continue
            try:
                ask.write(f"{entry.blob}\n".encode())
                ask.flush()
                fields = answer.readline().split()
                raw = answer.read(entry.size + 1)[:-1] if len(fields) == 3 else None
            except OSError as error:
                raise Unavailable(f"git ended while it was asked for {entry.name}: {error}") from None
            whole = raw is not None and len(raw) == entry.size
            yield entry, raw if whole and raw is not None else Corrupt(f"git cannot give {entry.name} ({entry.blob})")


def dates(repository: Path, commit: str, names: set[str]) -> dict[str, datetime]:
    """When each file was last committed, by the date of that commit, as seen from a commit.

    Where the history was cut off (a shallow clone), what its first commit holds has no date: it may be older.
    """
    left = set(names)
    found: dict[str, datetime] = {}
    when: datetime | None = None
    if not left:
        return found
    is_cut_off = _asked(repository, "rev-parse", "--is-shallow-repository").strip() == b"true"
    # -c: of a merge, only what is in none of its parents as it is.
    log = (
        "log",
        "-z",
        "-c",
        "--name-only",
        "--no-renames",
        "--no-show-signature",
        "--format=format:%x01%ct %p",
        commit,
    )
    with _running(repository, *log) as (_, answer):
        for field in _fields(answer):
            line = field
            while line.startswith(b"\x01"):
                stated, _, line = line[1:].partition(b"\n")
                seconds, _, parents = stated.partition(b" ")
                when = None if is_cut_off and not parents else _moment(seconds)
            name = os.fsdecode(line)
            if name in left and when is not None:
                found[name] = when
            left.discard(name)
            if not left:
                break
    return found


def _fields(answer: IO[bytes]) -> Iterator[bytes]:
    held = b""
    while block := answer.read(_BLOCK):
        *whole, held = (held + block).split(b"\0")
        yield from whole
    yield held


def _moment(seconds: bytes) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _asked(repository: Path, *arguments: str) -> bytes:
    if not repository.is_dir():
        raise Invalid(f"there is no folder {repository}")
    try:
        done = subprocess.run(
            command(repository, arguments),
            env=environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable(f"git did not answer within {_DEADLINE_S:.0f} s") from None
    except OSError as error:
        raise _absent(error) from None
    if done.returncode:
        said = " ".join(done.stderr.decode("utf-8", "replace").split())[:300]
        raise Invalid(f"git cannot read {repository}: {said or 'no such thing'}")
    return done.stdout


@contextmanager
def _running(repository: Path, *arguments: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    try:
        started = subprocess.Popen(
            command(repository, arguments),
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise _absent(error) from None
    if started.stdin is None or started.stdout is None:  # never, with pipes asked for
        raise Unavailable("git has no pipes")
    try:
        yield started.stdin, started.stdout
    finally:
        started.kill()
        started.wait()
        started.stdin.close()
        started.stdout.close()


def _absent(error: OSError) -> UpheldError:
    return Misconfigured(f"reading a repository needs git, which cannot be started ({error.strerror}); install git")
