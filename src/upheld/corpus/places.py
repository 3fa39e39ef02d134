"""Where documents come from: a file, a folder, a git repository at a revision. Each is read when its turn comes.

What cannot be read is found with its error, and the rest goes on. Names are relative, with slashes, and sorted.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from upheld import limits
from upheld.corpus import git
from upheld.corpus.ignoring import Rule, is_hidden, is_hidden_path, is_ignored, rules
from upheld.corpus.read import is_known
from upheld.document import MAX_DOCUMENT_BYTES
from upheld.errors import Invalid, Refused, UpheldError

MAX_FILES = 100_000

_MAX_RULES_BYTES = 256 * 1024

Wanted = Callable[[str], bool]
"""Whether a document of this name is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A document's name in its place, and its bytes or why they could not be read. `dated` is when it was committed."""

    name: str
    content: bytes | UpheldError
    dated: datetime | None = None


def file(path: str | os.PathLike[str], *, name: str | None = None) -> Found:
    """One plain file, by its own name or by `name`; links, pipes and devices are refused."""
    path = Path(path)
    name = path.name if name is None else name
    try:
        return Found(name=limits.name(name, "a document's name"), content=_bytes(path, MAX_DOCUMENT_BYTES))
    except UpheldError as error:
        return Found(name=_shown(name), content=error)


def folder(path: str | os.PathLike[str], *, wanted: Wanted = is_known) -> Iterator[Found]:
    """The wanted files of a folder and those in it, sorted by name.

    Passed over are hidden names, `node_modules`, what a `.gitignore` in the folder leaves out, and links that stay
    inside (what they lead to is there by its own name); links that leave are refused. Raises `Invalid` at once if
    there is no such folder, or it has more than 100,000 such files.
    """
    root = Path(path)
    if not root.is_dir():
        raise Invalid(f"there is no folder {_shown(str(root))}")
    return _folder(root, wanted)


def names(path: str | os.PathLike[str], *, wanted: Wanted = is_known) -> list[str]:
    """The names that `folder` would find, and nothing read; what it would refuse is left out."""
    return [found for found in _walk(Path(path), wanted) if isinstance(found, str)]


def revision(
    repository: str | os.PathLike[str], at: str = "HEAD", *, under: str = "", wanted: Wanted = is_known
) -> Iterator[Found]:
    """The wanted files of a git repository as they were at a revision, each dated by its last commit until then.

    Nothing is checked out, and no hook or filter runs. Names are relative to the repository's root; `under` narrows to
    one folder. Raises `Misconfigured` without git, `Invalid` for what is no repository or no revision, all at once.
    """
    commit = git.commit(Path(repository), at)
    listed = [entry for entry in git.listed(Path(repository), commit, under) if _is_wanted(entry, wanted)]
    if len(listed) > MAX_FILES:
        raise Invalid(f"the revision has more than {MAX_FILES:,} documents; name a folder with under=")
    return _revision(Path(repository), commit, sorted(listed, key=lambda entry: entry.name))


def _is_wanted(entry: git.Entry, wanted: Wanted) -> bool:
    return not is_hidden_path(entry.name) and wanted(entry.name)


def _revision(repository: Path, commit: str, listed: list[git.Entry]) -> Iterator[Found]:
    dates = git.dates(repository, commit, {entry.name for entry in listed})
    for entry, content in git.contents(repository, listed, MAX_DOCUMENT_BYTES):
        try:
            found = Found(
                name=limits.name(entry.name, "a document's name"), content=content, dated=dates.get(entry.name)
            )
        except UpheldError as error:
            found = Found(name=_shown(entry.name), content=error)
        yield found


def _folder(root: Path, wanted: Wanted) -> Iterator[Found]:
    for found in _walk(root, wanted):
        yield file(root / found, name=found) if isinstance(found, str) else found


def _walk(root: Path, wanted: Wanted) -> list[str | Found]:
    found: dict[str, str | Found] = {}
    levels: dict[str, tuple[tuple[str, tuple[Rule, ...]], ...]] = {}

    def unreadable(error: OSError) -> None:
        name = Path(os.path.relpath(error.filename, root)).as_posix()
        found[name] = Found(name=_shown(name), content=Invalid(f"cannot read {_shown(name)}: {error.strerror}"))

    for place, folders, files in os.walk(root, onerror=unreadable):  # does not follow links to folders
        here = "" if Path(place) == root else f"{Path(place).relative_to(root).as_posix()}/"
        outer = levels.get(f"{here[:-1].rpartition('/')[0]}/".lstrip("/"), ()) if here else ()
        levels[here] = outer
        if own := _own_rules(Path(place)):
            levels[here] = (*outer, (here, own))
        links = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = sorted(
            name
            for name in folders
            if not is_hidden(name) and not is_ignored(here + name, levels[here], is_folder=True) and name not in links
        )
        for name in (*files, *links):
            path = here + name
            if is_hidden(name) or is_ignored(path, levels[here], is_folder=False):
                continue
            if Path(place, name).is_symlink():
                if (name in links or wanted(path)) and _leaves(Path(place, name), root):
                    refused = Refused(f"{_shown(path)} is a link that leads out of the folder; it is not followed")
                    found[path] = Found(name=_shown(path), content=refused)
            elif wanted(path):
                found[path] = path
        if len(found) > MAX_FILES:
            raise Invalid(f"{_shown(str(root))} holds more than {MAX_FILES:,} documents; add its folders one by one")
    return [found[name] for name in sorted(found)]


def _leaves(link: Path, root: Path) -> bool:
    try:
        return not link.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a circle of links leads nowhere
        return False


def _own_rules(place: Path) -> tuple[Rule, ...]:
    try:
        return rules(_bytes(place / ".gitignore", _MAX_RULES_BYTES).decode("utf-8", "replace"))
    except UpheldError:
        return ()


def _bytes(path: Path, limit: int) -> bytes:
    """The bytes of a plain file. A pipe that nobody writes to would never open, a device never end."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    shown = _shown(str(path))
    try:
        if path.is_symlink():
            raise Refused(f"{shown} is a symbolic link; give the file that it leads to")
        opened = os.open(path, flags)
        with os.fdopen(opened, "rb") as plain:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise Refused(f"{shown} is not a plain file; only plain files are read")
            found = plain.read(limit + 1)
    except (OSError, ValueError) as error:
        raise Invalid(f"cannot read {shown}: {getattr(error, 'strerror', None) or error}") from None
    if len(found) > limit:
        raise Invalid(f"{shown} has more than {limit:,} bytes; split it")
    return found


def _shown(name: str) -> str:
    """A name that can be shown and kept, whatever bytes it is made of."""
    safe = name.encode("utf-8", "backslashreplace").decode()
    return "".join(sign if sign.isprintable() else f"\\x{ord(sign):02x}" for sign in safe)[:512] or "(no name)"
