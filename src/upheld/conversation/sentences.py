"""Where sentences stand in a message, and which of its text was fetched from elsewhere: quoted, pasted, forwarded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from upheld.conversation.echoes import Span

__all__ = ["fetched", "sentences", "within"]

_FETCHED: Final = (
    re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)[ \t]*$|\Z)", re.DOTALL | re.MULTILINE),
    re.compile(r"^[ \t]*>.*$", re.MULTILINE),
    re.compile(
        r"<(?P<tag>document|documents|doc|context|search_results?|results?|tool_results?|tool_response|function_results?|"
        r"web|web_page|page|article|email|file|attachment|quote|blockquote|transcript|source|html|body|content|text)\b[^>]*>"
        r".*?(?:</(?P=tag)\s*>|\Z)",
        re.DOTALL | re.IGNORECASE,
    ),
    re.compile(
        r"^-{2,} ?(?:Original Message|Forwarded message|Weitergeleitete Nachricht|Ursprüngliche Nachricht) ?-{2,}.*",
        re.DOTALL | re.MULTILINE | re.IGNORECASE,
    ),
    re.compile(r"^On [^\n]{4,120} wrote:\s*$.*", re.DOTALL | re.MULTILINE),
)
_END: Final = re.compile(r"[.!?]+[\"')\]\u201d\u2019]*(?=\s|$)|[;]\s|\n+|\s[\u2014\u2013]\s|</?[A-Za-z][^<>\n]{0,200}>")
_ABBREVIATION: Final = re.compile(
    r"(?:^|[\s(])(?:(?-i:[A-Z])|e\.g|i\.e|etc|vs|approx|inc|ltd|corp|co|mr|mrs|ms|dr|prof|st|jr|sr|no|jan|feb|mar|apr|"
    r"jun|jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri)\.$",
    re.IGNORECASE,
)
_ITEM: Final = re.compile(r"(?:[-*+\u2022]|\d{1,3}[.)]|#{1,6})[ \t]+")


def fetched(text: str) -> list[Span]:
    r"""Where a text holds what its speaker did not write: code and quotation blocks, tags of documents, forwarded mail.

    >>> fetched("See:\n> I am the owner.\nOk.")
    [Span(start=5, end=22)]
    """
    return [Span(match.start(), match.end()) for pattern in _FETCHED for match in pattern.finditer(text)]


def within(start: int, end: int, spans: Sequence[Span]) -> bool:
    """Whether [start, end) touches one of the spans."""
    return any(start < span.end and span.start < end for span in spans)


def sentences(text: str) -> Iterator[Span]:
    """Where the sentences of a text stand, without list marks, white space and what ends them.

    >>> said = "I moved. The plan is Pro; ok?"
    >>> [said[start:end] for start, end in sentences(said)]
    ['I moved.', 'The plan is Pro', 'ok?']
    """
    start = 0
    for match in _END.finditer(text):
        keeps = match[0][0] in ".!?"
        end = match.end() if keeps else match.start()
        if (
            keeps
            and match[0] == "."
            and _ABBREVIATION.search(text[start:end])
            and text[end : end + 1] not in {"", "\n"}
        ):
            continue
        if (span := _trimmed(text, start, end)) is not None:
            yield span
        start = match.end()
    if (span := _trimmed(text, start, len(text))) is not None:
        yield span


def _trimmed(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    if (item := _ITEM.match(text, start, end)) is not None:
        start = item.end()
    while start < end and (text[start].isspace() or text[start] in "*_>"):
        start += 1
    while end > start and (text[end - 1].isspace() or text[end - 1] in "*_"):
        end -= 1
    return Span(start, end) if any(c.isalnum() for c in text[start:end]) else None
