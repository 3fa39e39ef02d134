"""Reads one file of a git repository as it is at a revision; nothing is checked out, run or fetched."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from upheld.errors import Invalid, Misconfigured, NotFound, Unavailable
from upheld.git import command, environment

_DEADLINE_S = 10.0
_REVISION = re.compile(r"[A-Za-z0-9_@][A-Za-z0-9_@./+~^{}-]*")


def require(at: str) -> str:
    """A revision (branch, tag, id) that can be handed to git."""
    if not isinstance(at, str) or not _REVISION.fullmatch(at) or len(at) > 256:
        raise Misconfigured(f"{str(at)[:80]!r} is no revision; name a branch, a tag or a commit")
    return at


def content(folder: Path, at: str, name: str, limit: int) -> bytes:
    """The bytes of a file below a folder of a repository at a revision.

    Raises `NotFound` if the revision has no such file, `Invalid` for what cannot be read or has more than `limit`
    bytes, `Misconfigured` without git, `Unavailable` if git does not answer.
    """
    asked = f"{at}^{{commit}}\n{at}:./{name}\n"
    revision, _, file = (
        _git(folder, "cat-file", "--batch-check", given=asked).decode("utf-8", "replace").partition("\n")
    )
    if revision.endswith(" missing"):
        raise Invalid(f"the repository has no revision {at}")
    fields = file.split()
    if file.strip().endswith(" missing") or len(fields) != 3 or fields[1] != "blob":
        raise NotFound(f"{name} is gone")
    if int(fields[2]) > limit:
        raise Invalid(f"{name} has more than {limit:,} bytes")
    return _git(folder, "cat-file", "blob", fields[0])


def _git(folder: Path, *arguments: str, given: str = "") -> bytes:
    try:
        done = subprocess.run(
            command(folder, arguments),
            env=environment(),
            input=os.fsencode(given),
            capture_output=True,
            timeout=_DEADLINE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Unavailable("git did not answer in time") from None
    except OSError:
        raise Misconfigured("git cannot be started; install git") from None
    if done.returncode:
        raise Invalid("git cannot read the folder: it is no repository, or not yours")
    return done.stdout
