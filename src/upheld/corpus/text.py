"""Reads plain text: paragraphs, list items, and headings that are underlined, as in reStructuredText."""

from __future__ import annotations

import re
from collections.abc import Iterator

from upheld.corpus.blocks import Block, Kind, Page, one_line

# A bullet, a number, a letter in brackets; and the fields of docstrings: "@param x", ":param x:".
_ITEM = re.compile(
    r"([ \t]*)(?:[-*+•\u2013]|\d{1,3}[.)]|\((?:\d{1,3}|[a-z])\)|[a-z]\)|@(?=\w)|:(?=\w[^:\n]{0,40}:))"
    r"(?:[ \t]+|(?<=[@:]))(?=\S)"
)
_RULE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*")
_TAB = 8


def read(text: str) -> Page:
    """The page of a plain text; its text is unchanged."""
    return Page(text=text, blocks=tuple(blocks(text)))


def blocks(
    text: str, start: int = 0, end: int | None = None, *, context: tuple[str, ...] = (), headings: bool = True
) -> Iterator[Block]:
    """The blocks of one part of a text. Without `headings` an underlined line is a paragraph like others."""
    lines = list(_lines(text, start, len(text) if end is None else end))
    ranks: dict[str, int] = {}
    items: list[int] = []  # the indents of the items that are open
    at = 0
    while at < len(lines):
        first, last = lines[at]
        if _is_blank(text, first, last) or _RULE.fullmatch(text, first, last):
            at += 1
            continue
        if headings and (rank := _underlined(text, lines, at, ranks)):
            items.clear()
            yield _block(Kind.HEADING, text, first, last, level=rank, context=context)
            at += 2
            continue
        indent = _indent(text, first, last)
        item = _ITEM.match(text, first, last)
        while items and items[-1] >= indent:
            items.pop()
        stop = _end_of_block(text, lines, at)
        if item is not None:
            items.append(indent)
            yield _block(Kind.ITEM, text, item.end(), lines[stop - 1][1], level=len(items), context=context)
        else:
            yield _block(Kind.PARAGRAPH, text, first, lines[stop - 1][1], level=len(items), context=context)
        at = stop


def _block(kind: Kind, text: str, start: int, end: int, *, level: int, context: tuple[str, ...]) -> Block:
    start += len(text[start:end]) - len(text[start:end].lstrip())
    label = one_line(text[start : min(end, start + 1000)]) if kind is Kind.HEADING else ""
    return Block(kind=kind, start=start, end=end, level=level, label=label, context=context)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while start < end:
        at = text.find("\n", start, end)
        yield start, end if at < 0 else at
        start = end if at < 0 else at + 1


def _is_blank(text: str, start: int, end: int) -> bool:
    return start == end or text[start:end].isspace()


def _indent(text: str, start: int, end: int) -> int:
    width = 0
    for sign in text[start : min(end, start + 200)]:
        if sign not in " \t":
            break
        width = width + 1 if sign == " " else (width // _TAB + 1) * _TAB
    return width


def _underlined(text: str, lines: list[tuple[int, int]], at: int, ranks: dict[str, int]) -> int:
    """The rank of a heading by its underline, the first kind met being the highest; 0 if it is none."""
    if at + 1 == len(lines) or (at and not _is_edge(text, *lines[at - 1])) or text[lines[at][0]] in " \t":
        return 0
    title, rule = text[lines[at][0] : lines[at][1]].rstrip(), _RULE.fullmatch(text, *lines[at + 1])
    if rule is None or not 0 < len(title) <= 2 * len(rule[0].rstrip()):
        return 0
    return min(6, ranks.setdefault(rule[1], len(ranks) + 1))


def _is_edge(text: str, start: int, end: int) -> bool:
    return _is_blank(text, start, end) or _RULE.fullmatch(text, start, end) is not None


def _end_of_block(text: str, lines: list[tuple[int, int]], at: int) -> int:
    """The number of the line after a paragraph or item: a blank line, a rule, an item or a heading ends it."""
    at += 1
    while at < len(lines) and not _is_edge(text, *lines[at]) and _ITEM.match(text, *lines[at]) is None:
        at += 1
    return at
