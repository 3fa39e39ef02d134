"""Cuts a page into chunks: passages small enough to judge, each with the headings, lead-ins and date it stands under.

What is covered: every block's text is in a chunk, or in the `headings` of one. A heading or a table's header that
nothing stands under, or that is too long to go with what does, is a chunk itself. Left out are blank blocks and those
of ASCII punctuation alone (rules, borders).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from upheld.corpus import stated
from upheld.corpus.blocks import MAX_BLOCKS, MAX_LABEL_CHARS, Block, Kind, Page, one_line
from upheld.document import MAX_CHUNK_CHARS, Chunk
from upheld.errors import Invalid
from upheld.limits import is_visible

_DEEPEST = 8  # so many items around an item, the nearest, go with it
_SENTENCE_END = re.compile(
    r"""[.!?\u2026]["'\u201d\u2019)\]]*\s|[\u3002\uff01\uff1f]["\u201d\u2019\u300d\u300f\uff09]?"""
)
_PAIR = re.compile(r"[^\s:][^:\n]{0,39}:[ \t]+\S")
_PUNCTUATION = re.compile(r"[\s!-/:-@\[-`{-~]*")


@dataclass(slots=True)
class _Title:
    """A heading or table header above what follows; `carried` once some passage has it among its headings."""

    block: Block
    label: str
    section: int
    carried: bool = False


@dataclass(frozen=True, slots=True)
class _Passage:
    start: int
    end: int
    headings: tuple[str, ...]
    sections: tuple[int, ...]
    dated: datetime | None


def cut(page: Page, *, dated: datetime | None = None) -> tuple[Chunk, ...]:
    """The chunks of a page, in order. `dated` is the date of the whole.

    A line that only dates ("Last updated: 12 March 2026"), or a heading that ends in a date, dates its section; a
    passage that begins "Effective from 1 July 2026" dates itself. Raises `Invalid` past 200,000 chunks.
    """
    outline = _Outline(page)
    passages = sorted(outline.passages(), key=lambda passage: passage.start)
    found: list[Chunk] = []
    for passage in passages:
        section = next((outline.dates[one] for one in reversed(passage.sections) if one in outline.dates), dated)
        for start, end in _pieces(page.text, passage.start, passage.end):
            when = passage.dated or section
            found.append(Chunk(start=start, end=end, text=page.text[start:end], headings=passage.headings, dated=when))
        if len(found) > MAX_BLOCKS:
            raise Invalid(f"the document falls into more than {MAX_BLOCKS:,} passages; split it")
    return tuple(found)


class _Outline:
    """Goes through the blocks with what stands above each: sections, lead-in, items, table header."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._sections: list[_Title] = []
        self._items: list[tuple[int, str]] = []
        self._header: _Title | None = None
        self._lead = ""
        self.dates: dict[int, datetime] = {}

    def passages(self) -> Iterator[_Passage]:
        """Every passage, nearly in order: a title is one as soon as nothing can stand under it any more."""
        for number, block in enumerate(self._page.blocks, start=1):
            if block.kind is not Kind.ROW:
                yield from self._end_table()
            if block.kind is Kind.HEADING:
                yield from self._open(block, number)
            elif block.kind is Kind.HEADER:
                self._close_items(block.level + 1)
                self._header = _Title(block, self._label(block), 0)
            else:
                yield from self._passage(block)
        yield from self._end_table()
        yield from self._close(0)

    def _open(self, block: Block, number: int) -> Iterator[_Passage]:
        yield from self._close(block.level)
        label = self._label(block)
        self._sections.append(_Title(block, label, number))
        if (when := stated.dated_heading(label)) is not None:
            self.dates[number] = when
        self._items.clear()
        self._lead = ""

    def _close(self, level: int) -> Iterator[_Passage]:
        while self._sections and self._sections[-1].block.level >= level:
            title = self._sections.pop()
            if not title.carried or _is_long(title.block):
                yield from self._said(title.block, ())

    def _end_table(self) -> Iterator[_Passage]:
        header, self._header = self._header, None
        if header is not None and (not header.carried or _is_long(header.block)):
            yield from self._said(header.block, self._around())

    def _close_items(self, depth: int) -> None:
        while self._items and self._items[-1][0] >= depth:
            self._items.pop()

    def _passage(self, block: Block) -> Iterator[_Passage]:
        self._close_items(block.level if block.kind is Kind.ITEM else block.level + 1)
        is_open = block.kind is Kind.PARAGRAPH and block.level == 0
        if is_open:
            self._lead = ""
        around = self._around()
        if block.kind is Kind.ROW and self._header is not None:
            self._header.carried = True
            around = (*around, self._header.label)
        yield from self._said(block, around)
        if block.kind is Kind.ITEM:
            self._items.append((block.level, self._label(block)))
        elif is_open:
            self._lead = _lead_in(self._page.text, block)

    def _around(self) -> tuple[str, ...]:
        return (*([self._lead] if self._lead else ()), *(label for _, label in self._items[-_DEEPEST:]))

    def _said(self, block: Block, around: tuple[str, ...]) -> Iterator[_Passage]:
        text = self._page.text
        start, end = _trimmed(text, block.start, block.end)
        if _PUNCTUATION.fullmatch(text, start, end) or not is_visible(text[start:end]):
            return
        for title in self._sections:
            title.carried = True
        sections = tuple(title.section for title in self._sections)
        headings = tuple(label for label in (*(t.label for t in self._sections), *around, *block.context) if label)
        for first, last in _parts(text, start, end, block.kind):
            said = text[first : min(last, first + MAX_LABEL_CHARS)]
            if last - first <= MAX_LABEL_CHARS and (when := stated.dated_line(said)) is not None and sections:
                self.dates.setdefault(sections[-1], when)
            yield _Passage(first, last, headings, sections, stated.dated_start(said))

    def _label(self, block: Block) -> str:
        return block.label or one_line(self._page.text[block.start : min(block.end, block.start + 1000)])


def _is_long(block: Block) -> bool:
    return block.end - block.start > MAX_LABEL_CHARS


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    said = text[start:end]
    return start + len(said) - len(said.lstrip()), end - len(said) + len(said.rstrip())


def _lead_in(text: str, block: Block) -> str:
    """The last sentence of a paragraph, where it leads over to what follows: "The plans are:"."""
    said = text[max(block.start, block.end - MAX_CHUNK_CHARS) : block.end].rstrip().rstrip("*_")
    if not said.endswith((":", "\uff1a")):
        return ""
    ends = [found.end() for found in _SENTENCE_END.finditer(said)]
    return one_line(said[ends[-1] :] if ends else said)


def _parts(text: str, start: int, end: int, kind: Kind) -> Iterable[tuple[int, int]]:
    """A block whole, or by line where each line is a pair of its own: "Plan: Pro", "Price: $20"."""
    if kind not in (Kind.PARAGRAPH, Kind.ITEM) or "\n" not in text[start:end]:
        return [(start, end)]
    found, at = [], start
    for line in text[start:end].split("\n"):
        if not _PAIR.match(line.strip()):
            return [(start, end)]
        found.append(_trimmed(text, at, at + len(line)))
        at += len(line) + 1
    return found


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """A passage in pieces of at most `MAX_CHUNK_CHARS`: cut after a sentence, else a line, else a word."""
    while end - start > MAX_CHUNK_CHARS:
        window = text[start : start + MAX_CHUNK_CHARS]
        ends = [found.end() for found in _SENTENCE_END.finditer(window)]
        at = ends[-1] if ends else max(window.rfind("\n"), window.rfind(" ")) + 1
        yield from _visible(text, start, start + (at or MAX_CHUNK_CHARS))
        start += at or MAX_CHUNK_CHARS
    yield from _visible(text, start, end)


def _visible(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    start, end = _trimmed(text, start, end)
    if start < end and is_visible(text[start:end]):
        yield start, end
