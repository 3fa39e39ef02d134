"""Reads plain files inside one folder, and nothing outside of it, whatever a name or a link says."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from upheld.errors import Invalid, NotFound, Refused

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")  # of a URL; also the letter of a drive
_PLACE = re.compile(r"(?::[0-9]+(?:[-:][0-9]+){0,3}|#L[0-9]+(?:-L?[0-9]+)?)\Z")
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_ENTER = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
_WALKS = os.open in os.supports_dir_fd


def below(ref: str) -> str | None:
    """The relative path that a reference names, with slashes and without lines; None where it is no such path.

    >>> below("./src/auth.py:41"), below("src/auth.py#L10-L20")
    ('src/auth.py', 'src/auth.py')
    >>> [below(ref) for ref in ("../secrets", "/etc/passwd", "https://example.org/a.md", "")]
    [None, None, None, None]
    """
    path = _PLACE.sub("", ref if os.sep == "/" else ref.replace(os.sep, "/"))
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts or ".." in parts or path.startswith(("/", "~")) or _SCHEME.match(path) or not path.isprintable():
        return None
    return "/".join(parts)


def content(root: Path, name: str, limit: int) -> bytes:
    """The bytes of a plain file below a folder; links are followed as long as they stay inside.

    Raises `NotFound` if it is gone, `Refused` if it leads out of the folder, `Invalid` if it cannot be read or has
    more than `limit` bytes.
    """
    try:
        base = Path(os.path.realpath(root))
        found = Path(os.path.realpath(base / name))
        if not found.is_relative_to(base):
            raise Refused(f"{name} is a link that leads out of the folder")
        opened = _opened(base, found)
        with os.fdopen(opened, "rb") as plain:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Invalid(f"{name} is not a plain file")
            raw = plain.read(limit + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"{name} is gone") from None
    except (OSError, ValueError) as error:
        raise Invalid(f"{name} cannot be read ({getattr(error, 'strerror', None) or 'not a name'})") from None
    if len(raw) > limit:
        raise Invalid(f"{name} has more than {limit:,} bytes")
    return raw


def _opened(base: Path, found: Path) -> int:
    """A file opened step by step from the folder, so that no link put in the way meanwhile is followed."""
    if not _WALKS or found == base:
        return os.open(found, _READ)
    *folders, last = found.relative_to(base).parts
    place = os.open(base, _ENTER)
    try:
        for folder in folders:
            inner = os.open(folder, _ENTER, dir_fd=place)
            os.close(place)
            place = inner
        return os.open(last, _READ, dir_fd=place)
    finally:
        os.close(place)
