"""Reads Markdown: block structure by markdown-it, offsets by line. The page's text is the source itself.

The front matter is one block more, under no heading. What no block covers (deeper than 16 levels) is read as plain
paragraphs, so that nothing is lost. Link definitions are paragraphs; HTML without visible text is markup.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from upheld.corpus import markup
from upheld.corpus.blocks import Block, Kind, Page, one_line, plain
from upheld.corpus.stated import front_matter

if TYPE_CHECKING:
    from markdown_it.token import Token

_DEEPEST = 16  # its cost grows with the depth times the lines
_PREFIX = re.compile(r"(?:[ \t]*>)*[ \t]*\|?[ \t]*")
_MARKERS = re.compile(r"(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])|#{1,6}(?=[ \t]))*")


def read(text: str) -> Page:
    """The page of a Markdown text."""
    from markdown_it import MarkdownIt

    head, start, end, body = front_matter(text)
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    # Offsets need no inline structure, and a link definition may hold what was said.
    parser.enable("table").disable(["inline", "reference"])
    blocks = [Block(kind=Kind.PARAGRAPH, start=start, end=end)] if start < end else []
    found = _Lines(text, body)
    found.walk(parser.parse(text[body:]))
    return Page(text=text, blocks=(*blocks, *found.in_order()), head=head)


class _Lines:
    """Places the tokens of one text, which know their lines only."""

    def __init__(self, text: str, body: int) -> None:
        self._text = text
        lines = text[body:].split("\n")
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=body))
        self._covered = bytearray(len(lines))
        self._blocks: list[Block] = []
        self._items: list[bool] = []  # of each list item that is open, whether nothing stood in it yet
        self._quotes = 0

    def walk(self, tokens: list[Token]) -> None:
        """Take in all tokens."""
        at = 0
        while at < len(tokens):
            token = tokens[at]
            match token.type:
                case "list_item_open":
                    self._items.append(True)
                case "list_item_close":
                    self._items.pop()
                case "blockquote_open":
                    self._quotes += 1
                case "blockquote_close":
                    self._quotes -= 1
                case "heading_open" if not self._items and not self._quotes:
                    self._add(Kind.HEADING, token, tokens[at + 1].content, level=int(token.tag[1]))
                case "paragraph_open" | "heading_open":
                    self._add(Kind.PARAGRAPH, token, tokens[at + 1].content)
                case "fence" | "code_block":
                    self._verbatim(token)
                case "html_block" if markup.visible(token.content):
                    self._add(Kind.PARAGRAPH, token, token.content)
                case "html_block" | "hr":
                    self._cover(token)
                case "tr_open":
                    at = self._row(tokens, at)
                case "table_open":
                    self._cover(token)
            at += 1

    def in_order(self) -> list[Block]:
        """All blocks, with those lines that none covers."""
        for number, covered in enumerate(self._covered):
            start, end = self._starts[number], self._line_end(number)
            if not covered and (first := _MARKERS.match(self._text, start, end)) and first.end() < end:
                self._blocks.append(Block(kind=Kind.PARAGRAPH, start=first.end(), end=end))
        return sorted(self._blocks, key=lambda block: block.start)

    def _add(self, kind: Kind, token: Token, content: str, *, level: int = 0) -> None:
        first, last = self._cover(token)
        start, end = self._place(first, content.partition("\n")[0]), self._line_end(last - 1)
        if kind is Kind.HEADING and content.strip():
            # Without the marks that close it, or the line under it.
            end = start + len(content.strip()) if self._text.startswith(content.strip(), start) else end
        elif self._items:
            level = len(self._items)
            kind = Kind.ITEM if self._items[-1] else kind
            self._items[-1] = False
        label = plain(content) if kind in (Kind.HEADING, Kind.ITEM) else ""
        if content.strip():
            self._blocks.append(Block(kind=kind, start=start, end=end, level=level, label=label))

    def _verbatim(self, token: Token) -> None:
        first, _ = self._cover(token)
        lines = token.content.split("\n")
        number = first + (token.type == "fence")
        shown = [place for place, line in enumerate(lines) if line.strip()]
        if shown:
            start = self._place(number + shown[0], lines[shown[0]])
            end = self._line_end(number + shown[-1])
            self._blocks.append(Block(kind=Kind.VERBATIM, start=start, end=end, level=len(self._items)))

    def _row(self, tokens: list[Token], at: int) -> int:
        first, _ = self._cover(tokens[at])
        kind, cells = Kind.ROW, []
        while tokens[at].type != "tr_close":
            kind = Kind.HEADER if tokens[at].type == "th_open" else kind
            if tokens[at].type == "inline":
                cells.append(plain(tokens[at].content))
            at += 1
        line_end = self._line_end(first)
        prefix = _PREFIX.match(self._text, self._starts[first], line_end)
        start = prefix.end() if prefix else self._starts[first]
        row = self._text[start:line_end].rstrip()
        if row.endswith("|") and not row.endswith("\\|"):
            row = row[:-1].rstrip()
        label = one_line(" | ".join(cells)) if kind is Kind.HEADER else ""
        if row and any(cells):
            self._blocks.append(
                Block(kind=kind, start=start, end=start + len(row), level=len(self._items), label=label)
            )
        return at

    def _cover(self, token: Token) -> tuple[int, int]:
        first, last = token.map or [0, 0]
        self._covered[first:last] = b"\1" * (min(last, len(self._covered)) - first)
        return first, last

    def _place(self, number: int, content: str) -> int:
        """Where a line's content begins: what stands before it is markers and indent."""
        start, end = self._starts[number], self._line_end(number)
        line, said = self._text[start:end].rstrip(), content.strip()
        if line.endswith(said):
            return start + len(line) - len(said)
        at = line.find(said)  # a heading that is closed with marks
        return start + max(at, 0)

    def _line_end(self, number: int) -> int:
        return self._starts[number + 1] - 1
