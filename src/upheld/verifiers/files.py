"""Verifies notes that cite files, for coding agents: a note stands while what it cites stands.

The note's source holds the sha256 of the original, and the excerpt that code cut from it. The file agrees while it has
that hash, or while the excerpt still stands in it to the letter. Otherwise nobody knows: somebody must read it again.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from upheld import limits
from upheld.document import MAX_DOCUMENT_BYTES
from upheld.errors import Invalid, Misconfigured, NotFound, UpheldError
from upheld.note import Note, Source
from upheld.verification import Agreed, Asked, Reply, Unavailable
from upheld.verifiers import inside, revision

_FILE = re.compile(r"[^\s/]*\.[A-Za-z][A-Za-z0-9_]{0,11}")  # what is called a file though none is there
_MOST_PLACES = 1000
# What makes a number another one although its digits stand: 10 in 10%, in $10, in -10, in 10.5, in 2.10.
_BEFORE = re.compile(r"[-+$€£¥#]|[0-9][.,:/]")
_AFTER = re.compile(r"[%°$€£¥]|[.,:/-][0-9]")


@dataclass(frozen=True, slots=True)
class FileAnchor:
    """A verifier of notes that cite files below a folder, as the files are now, or at a revision.

    Args:
        root: The folder. References are paths relative to it; those that lead out of it are none.
        at: A revision (branch, tag, commit) of the git repository that the folder is in: `HEAD` is what was last
            committed. None reads the folder itself.
        source: The name that is cited; by default `files of` the folder.

    Raises:
        Misconfigured: There is no such folder, or `at` is no revision.

    >>> FileAnchor(".", source="the code").source
    'the code'
    """

    root: str | os.PathLike[str]
    at: str | None = None
    source: str = ""

    def __post_init__(self) -> None:
        folder = Path(os.path.abspath(self.root))  # noqa: PTH100 (resolve() would follow a link that may be moved)
        if not folder.is_dir():
            raise Misconfigured(f"there is no folder {self.root}")
        if self.at is not None:
            revision.require(self.at)
        try:
            name = limits.name(self.source or f"files of {folder.name}", "source")
        except Invalid as error:
            raise Misconfigured(str(error)) from None
        object.__setattr__(self, "root", folder)
        object.__setattr__(self, "source", name)

    def covers(self, note: Note) -> bool:
        """Whether a note cites a file here: one that is there, or that is called like one and is gone."""
        return any(self._is_file(path) for path in _paths(note.sources))

    def verify(self, asked: Sequence[Asked]) -> list[Reply]:
        """One reply for each note: agreed while all it cites here stands. It never has a value of its own."""
        read: dict[str, bytes | Unavailable] = {}
        return [self._reply(each, read) for each in asked]

    def _is_file(self, path: str) -> bool:
        return os.path.lexists(Path(self.root, path)) or _FILE.fullmatch(path.rpartition("/")[2]) is not None

    def _reply(self, asked: Asked, read: dict[str, bytes | Unavailable]) -> Reply:
        cited = {path: source for path, source in _paths(asked.sources).items() if self._is_file(path)}
        if not cited:
            return Unavailable("it cites no file of this folder")
        for path, sources in cited.items():
            if path not in read:
                read[path] = self._content(path)
            found = read[path]
            if isinstance(found, Unavailable):
                return found
            if not all(stands(source, found) for source in sources):
                return Unavailable(f"{path} changed since this note cites it: read it again")
        return Agreed()

    def _content(self, path: str) -> bytes | Unavailable:
        folder = Path(self.root)
        try:
            if self.at is None:
                return inside.content(folder, path, MAX_DOCUMENT_BYTES)
            return revision.content(folder, self.at, path, MAX_DOCUMENT_BYTES)
        except NotFound:
            return Unavailable(f"{path} is gone")
        except UpheldError as error:
            return Unavailable(str(error))


def _paths(sources: Sequence[Source]) -> dict[str, list[Source]]:
    """The sources that have a version and may be files, by path."""
    found: dict[str, list[Source]] = {}
    for source in sources:
        path = None if source.version is None else inside.below(source.ref)
        if path is not None:
            found.setdefault(path, []).append(source)
    return found


def stands(source: Source, content: bytes) -> bool:
    r"""Whether what a source cites is still in a file: the same whole, or the excerpt, to the letter, as a whole.

    Ends of lines are not looked at. An excerpt that became part of another word or number does not stand.

    >>> from upheld.evidence import cite
    >>> from upheld.note import Citation
    >>> source = cite(Citation(original="retries = 10", ref="conf.toml", quote="retries = 10"))
    >>> [stands(source, raw) for raw in (b"retries = 10", b"wait = 1\nretries = 10", b"retries = 100")]
    [True, True, False]
    """
    if sha256(content).hexdigest() == source.version:
        return True
    text = _lines(content.decode("utf-8", "replace"))
    if sha256(text.encode()).hexdigest() == source.version:
        return True
    return source.excerpt is not None and _is_in(_lines(source.excerpt), text)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _is_in(excerpt: str, text: str) -> bool:
    if not excerpt.strip():
        return False
    at = -1
    for _ in range(_MOST_PLACES):
        at = text.find(excerpt, at + 1)
        if at < 0:
            return False
        if _is_whole(text, at, at + len(excerpt)):
            return True
    return False


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a passage begins and ends where words and numbers do."""
    first, last = text[start], text[end - 1]
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if (_is_word(first) and _is_word(before[-1:])) or (_is_word(last) and _is_word(after[:1])):
        return False
    if first.isdigit() and (_BEFORE.fullmatch(before[-1:]) or _BEFORE.fullmatch(before)):
        return False
    return not (last.isdigit() and _AFTER.match(after))


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"
