"""What a reader hands on: a text and the blocks in it. `chunks.cut` makes chunks of them; no reader makes its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from upheld.errors import Invalid

MAX_TEXT_CHARS = 64 * 1024**2
MAX_BLOCKS = 200_000
MAX_LABEL_CHARS = 200
"""How much of a heading, lead-in or table header goes with what stands below it."""

# What a text in a store cannot hold; such characters come from escapes (JSON, YAML), never from decoded bytes.
_UNFIT = re.compile("[\0\ud800-\udfff]")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS = re.compile(r"\*+|`+|~~|(?<!\w)_+|_+(?!\w)|\{#[^{}]*\}\s*$|<[^<>]*>")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Kind(Enum):
    """What a block is, as far as it decides what the blocks around it need from it."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    HEADER = "header"
    ROW = "row"
    VERBATIM = "verbatim"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block of a text, [start, end) in code points. Blocks come in order and do not overlap.

    `level` is a heading's depth from 1, an item's depth from 1, or the depth of the item that anything else stands in
    (0: none). `label` is what it says in one line without markup; empty where that is its text. `context` is what it
    needs beside the headings.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    label: str = ""
    context: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A document as read: its text, its blocks, and the fields of its own head (front matter, meta, mail header)."""

    text: str
    blocks: tuple[Block, ...] = ()
    head: Mapping[str, str] = field(default_factory=lambda: _NOTHING)


class Sheet:
    """Builds the page of a format whose own text is not for reading: one block after the other."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._blocks: list[Block] = []
        self._length = 0

    def add(self, kind: Kind, text: str, *, level: int = 0, label: str = "", context: tuple[str, ...] = ()) -> None:
        """Write one block; blank text writes nothing. Raises `Invalid` where the text grows past all measure."""
        text = fit(text).strip()
        if not text:
            return
        if self._blocks:
            close = kind is self._blocks[-1].kind and kind in (Kind.ITEM, Kind.ROW, Kind.VERBATIM)
            self._write("\n" if close else "\n\n")
        start = self._length
        self._write(text)
        if len(self._blocks) >= MAX_BLOCKS or self._length > MAX_TEXT_CHARS:
            raise Invalid(
                f"the document falls into more than {MAX_BLOCKS:,} parts or {MAX_TEXT_CHARS:,} characters; split it"
            )
        self._blocks.append(
            Block(kind=kind, start=start, end=self._length, level=level, label=fit(label), context=context)
        )

    def _write(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)

    def page(self, head: Mapping[str, str] = _NOTHING) -> Page:
        """The page so far."""
        return Page(text="".join(self._parts), blocks=tuple(self._blocks), head=head)


def fit(text: str) -> str:
    """A text as a store can hold it: line ends as LF, and U+FFFD for NUL and lone surrogates."""
    return _UNFIT.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """The start of a text on one line: what of a heading or lead-in goes with what stands below it."""
    line = " ".join(text[: MAX_LABEL_CHARS * 4].split())
    return line if len(line) <= MAX_LABEL_CHARS else line[: MAX_LABEL_CHARS - 1].rstrip() + "…"


def plain(markup: str) -> str:
    """The start of a Markdown text without its inline markup, on one line.

    >>> plain("**Orders** moved to [PostgreSQL](db.md), not `my_sql`")
    'Orders moved to PostgreSQL, not my_sql'
    """
    start = markup[: MAX_LABEL_CHARS * 4]
    return one_line(_ESCAPED.sub(r"\1", _MARKS.sub("", _LINK.sub(r"\1", start))))
