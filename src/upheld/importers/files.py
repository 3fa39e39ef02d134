"""Opens what may be read, and nothing else: plain files, in UTF-8, up to stated sizes.

A link could lead out of the folder that was meant, a pipe or device never ends, and a small compressed file can hold
a very large one.
"""

from __future__ import annotations

import io
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from upheld.errors import Invalid, Refused

MAX_LINE_BYTES = 4 * 1024**2
MAX_LINES = 10_000_000
MAX_BYTES = 16 * 1024**3
MAX_RATIO = 200
"""How many times larger than its compressed form a text may be; real JSON Lines come to some 5 to 30."""

_FREE_BYTES = 16 * 1024**2  # before the ratio counts
_CHUNK = 64 * 1024
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
_BOM = b"\xef\xbb\xbf"


def open_plain(path: Path) -> BinaryIO:
    """Open a plain file for reading; `Refused` for links, folders, pipes and devices."""
    # Without O_NONBLOCK, opening a pipe that nobody writes to would never return.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        if path.is_symlink():
            raise Refused(f"{path} is a symbolic link; give the file that it leads to")
        opened = os.open(path, flags)
    except (OSError, ValueError) as error:
        raise Invalid(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise Refused(f"{path} is not a plain file; only plain files are read")
    return os.fdopen(opened, "rb")


def plain_text(path: Path, limit: int) -> str:
    """The whole text of a plain file of at most `limit` bytes, without a byte order mark, line ends as they are."""
    with open_plain(path) as file:
        raw = file.read(limit + 1)
    if len(raw) > limit:
        raise Invalid(f"the file has more than {limit:,} bytes")
    return decoded(_without_mark(raw))


def decoded(raw: bytes) -> str:
    """UTF-8 as text; `Invalid` says where it is not."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise Invalid(f"not UTF-8 at byte {error.start + 1}") from None


def numbered(file: BinaryIO) -> Iterator[tuple[int, bytes | Invalid]]:
    """The lines of a file with their numbers from 1, ended by LF alone; what is too long or ends it comes as its error.

    Decompresses what is compressed with gzip. Raises `Invalid` at once for text that is not UTF-8 by its first bytes.
    """
    buffered = _buffered(_Raw(file))
    if buffered.peek(2)[:2] == _GZIP:
        buffered = _buffered(_Inflated(buffered))
    try:
        start = buffered.peek(4)[:4]
    except Invalid as error:
        return iter([(1, error)])
    _without_mark(start)
    if start.startswith(_BOM):
        buffered.read(len(_BOM))
    return _lines(buffered)


def _buffered(raw: io.RawIOBase) -> io.BufferedReader:
    return io.BufferedReader(raw, _CHUNK)


def _lines(file: io.BufferedReader) -> Iterator[tuple[int, bytes | Invalid]]:
    total = 0
    for number in range(1, MAX_LINES + 1):
        try:
            line = file.readline(MAX_LINE_BYTES + 1)
            whole = line.endswith(b"\n") or len(line) <= MAX_LINE_BYTES
            total += len(line)
            rest = line
            while not whole and rest and not rest.endswith(b"\n") and total <= MAX_BYTES:
                rest = file.readline(_CHUNK)
                total += len(rest)
        except Invalid as error:
            yield number, error
            return
        if not line:
            return
        if total > MAX_BYTES:
            yield number, Invalid(f"the file goes on past {MAX_BYTES:,} bytes; split it")
            return
        yield number, line if whole else Invalid(f"the line has more than {MAX_LINE_BYTES:,} bytes")
    yield MAX_LINES + 1, Invalid(f"the file goes on past {MAX_LINES:,} lines; split it")


def _without_mark(raw: bytes) -> bytes:
    for mark, name in _FOREIGN.items():
        if raw.startswith(mark):
            raise Invalid(f"the text is {name}, not UTF-8; convert it: iconv -f {name.lower()} -t utf-8")
    if b"\0" in raw[:4]:
        raise Invalid("the text holds NUL bytes; if it is UTF-16, convert it: iconv -f utf-16 -t utf-8")
    return raw.removeprefix(_BOM)


class _Raw(io.RawIOBase):
    """A file as a raw stream: a pipe gives what it has, and need not fill a block."""

    def __init__(self, file: BinaryIO) -> None:
        self._read = getattr(file, "read1", file.read)

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with what comes next."""
        found = self._read(len(buffer))
        buffer[: len(found)] = found
        return len(found)


class _Inflated(io.RawIOBase):
    """What a gzip stream holds; `Invalid` where it is damaged, cut short, or far larger than a text should be."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self._member = zlib.decompressobj(wbits=31)
        self._read = self._made = 0

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill a buffer with what comes next."""
        found = b""
        while not found:
            raw = self._member.unconsumed_tail or self._member.unused_data
            if not raw:
                raw = self._file.read1(_CHUNK)
                self._read += len(raw)
            if self._member.eof:
                if not raw:
                    return 0
                self._member = zlib.decompressobj(wbits=31)
            elif not raw:
                raise Invalid("the compressed file ends in the middle")
            try:
                found = self._member.decompress(raw, len(buffer))
            except zlib.error as error:
                raise Invalid(f"the compressed file is damaged: {error}") from None
        self._made += len(found)
        if self._made > _FREE_BYTES + MAX_RATIO * self._read:
            raise Invalid(f"the compressed file holds more than {MAX_RATIO} times its size; decompress it first")
        buffer[: len(found)] = found
        return len(found)
