"""The statements of notes in files: sentences, list items and table rows, each with its place and what stands above."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from upheld import keys
from upheld.check.subject import named
from upheld.corpus import chunks, markdown, text
from upheld.corpus.blocks import Kind, plain
from upheld.corpus.characters import decoded
from upheld.corpus.stated import front_matter
from upheld.corpus.stated import said as said_of_itself
from upheld.document import Chunk, Claim
from upheld.judges.lexicon import DOUBTFUL_HEADINGS, PLACEHOLDERS
from upheld.note import Channel
from upheld.values import canonical, canonical_name

MARKDOWN = frozenset(("md", "markdown", "mdown", "mkd", "mdx"))
TEXT = frozenset(("txt", "text", "rst", "adoc", "org"))

# What a note says of itself, where no heading says of what else: two files differ in these without a contradiction.
_OF_ITSELF = frozenset(
    "author authors created date deciders description edited id last_updated modified name owner priority published "
    "reviewed reviewers status tags title type updated version".split()
)
_NO_STATEMENT = frozenset((Kind.VERBATIM, Kind.HEADING, Kind.HEADER))
_CELL = re.compile(r"(?<!\\)\|")
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(
    r"""[.!?]["'\u201d\u2019)\]*_`]*\s+(?=[^a-z\s])|[\u3002\uff01\uff1f]["\u201d\u300d\u300f\uff09]?"""
)
_SHORT_LINE = re.compile(r"^.{1,59}\n(?=[^a-z\s])", re.MULTILINE)
_ABBREVIATION = re.compile(
    r"\b(?:e\.g|i\.e|etc|approx|vs|no|nos|inc|ltd|corp|dr|mr|mrs|ms|st|jr|fig|sec|[A-Z])\.\s+$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A statement, or one part of it, as a judge gets it.

    `lead` is how many characters stand before its own words; None where these are put together anew. `label` says that
    it names no subject of its own, `headed` that the heading which names it is part of the claim.
    """

    claim: Claim
    part: int = 0
    lead: int | None = 0
    label: bool = False
    headed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of a file. `start` is its place in the file's text, None where that holds it in another form."""

    file: str
    line: int
    start: int | None
    text: str
    headings: tuple[str, ...] = ()
    wordings: tuple[Wording, ...]
    is_record: bool = False

    def cut(self, wording: Wording, quote: str) -> tuple[int, str]:
        """A quote from a wording, as it stands in the statement: its offset there, and the words."""
        at = wording.claim.statement.find(quote)
        if wording.lead is None or at < 0:
            return 0, self.text
        start, end = max(at - wording.lead, 0), at + len(quote) - wording.lead
        return (start, self.text[start:end]) if end > start else (0, self.text)


class Lines:
    """The numbers of the lines of a text, from 1."""

    def __init__(self, text: str) -> None:
        self._starts = list(accumulate((len(line) + 1 for line in text.split("\n")), initial=0))

    def at(self, offset: int) -> int:
        """The line that a character stands on."""
        return bisect_right(self._starts, offset)


def of_text(file: str, raw: bytes, suffix: str) -> list[Statement]:
    """The statements of a Markdown or plain text file.

    Left out are code, quotations, headings, what the file's head says of it, and what stands under a heading such as
    *Ideas* or *Old*. Raises `Invalid` for what is no text.
    """
    source = decoded(raw, declared=True)
    page = markdown.read(source) if suffix in MARKDOWN else text.read(source)
    body = front_matter(source)[3] if suffix in MARKDOWN else 0
    starts, lines = [block.start for block in page.blocks], Lines(source)
    found: list[Statement] = []
    for chunk in chunks.cut(page, dated=said_of_itself(page, cap=Channel.DOCUMENT).dated):
        kind = page.blocks[bisect_right(starts, chunk.start) - 1].kind
        if chunk.start < body or kind in _NO_STATEMENT or _is_quoted(source, chunk.start) or _is_doubtful(chunk):
            continue
        for start, end in [(0, len(chunk.text))] if kind is Kind.ROW else sentences(chunk.text):
            words = chunk.text[start:end]
            wordings = tuple(_row(words, chunk) if kind is Kind.ROW else _sentence(words, chunk))
            if wordings:
                at = chunk.start + start
                found.append(
                    Statement(
                        file=file, line=lines.at(at), start=at, text=words, headings=chunk.headings, wordings=wordings
                    )
                )
    return found


def sentences(passage: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a passage stand. Two that are not told apart do no harm: judges look at clauses.

    A short line ends a sentence too, unless the next one goes on in lower case: lists are written so without marks.

    >>> passage = "We use npm, e.g. for the shop. CI runs on Jenkins."
    >>> [passage[start:end] for start, end in sentences(passage)]
    ['We use npm, e.g. for the shop.', 'CI runs on Jenkins.']
    """
    begin = 0
    ends = {found.end() for pattern in (_SENTENCE_END, _SHORT_LINE) for found in pattern.finditer(passage)}
    for end in sorted(ends | {len(passage)}):
        piece = passage[begin:end]
        start = begin + len(piece) - len(piece.lstrip())
        stop = begin + len(piece.rstrip())
        if start < stop and not (end < len(passage) and _ABBREVIATION.search(piece)):
            yield start, stop
            begin = end


def _is_quoted(text: str, at: int) -> bool:
    """Whether a passage stands in a quotation: a mark of one before it on its line."""
    return ">" in text[text.rfind("\n", 0, at) + 1 : at + 1]


def _is_doubtful(chunk: Chunk) -> bool:
    return any(word.lower() in DOUBTFUL_HEADINGS for heading in chunk.headings for word in _WORD.findall(heading))


def _sentence(words: str, chunk: Chunk) -> Iterator[Wording]:
    """A sentence by itself; a label ("Port: 8080") also with the heading that names its subject.

    Judges take a line for a sentence, so wrapped lines become one; no character moves.
    """
    said = words.replace("\n", " ")
    name, value = _labelled(said)
    if not name:
        yield Wording(claim=Claim(statement=said, observed_at=chunk.dated))
        return
    heading = named(chunk.headings)
    if heading is not None:
        yield _headed(said, heading, name, value, chunk)
    if heading is not None or name.lower().replace(" ", "_") not in _OF_ITSELF:
        yield Wording(claim=Claim(statement=said, observed_at=chunk.dated), label=True)


def _headed(said: str, heading: str, name: str, value: str, chunk: Chunk) -> Wording:
    claim = Claim(
        statement=f"{heading} {said}",
        subject_key=canonical_name(heading),
        attribute_key=canonical_name(name),
        value_key=canonical(value),
        single=True,
        observed_at=chunk.dated,
    )
    return Wording(claim=claim, lead=len(heading) + 1, headed=True)


def _labelled(said: str) -> tuple[str, str]:
    """What a label names and its value: ("Port", "8080") of "Port: 8080"; two empty texts where there is none."""
    stripped = said.replace("**", "").replace("`", "").rstrip()
    name, colon, value = stripped.partition(":")
    if not colon or not value[:1].isspace() or not value.strip() or len(name.split()) > 5:
        return "", ""
    found = keys.extract(stripped)
    return (name.strip(), found.value) if found is not None and found.attribute == "is" else ("", "")


def _row(said: str, chunk: Chunk) -> Iterator[Wording]:
    """A row of a table: of its first cell, what each further cell and its column say."""
    columns = chunk.headings[-1].split(" | ") if chunk.headings else []
    cells = [plain(cell.strip()) for cell in _CELL.split(said)]
    if len(cells) < 2 or len(cells) != len(columns) or not cells[0]:
        return
    heading = named(chunk.headings[:-1])
    for part, (column, cell) in enumerate(zip(columns[1:], cells[1:], strict=True)):
        if not cell:
            continue
        if column.lower() not in PLACEHOLDERS:
            yield replace(_headed(f"{column}: {cell}", cells[0], column, cell, chunk), part=part, lead=None)
            continue
        said_of = f"{cells[0]}: {cell}"
        if heading is not None:
            yield replace(_headed(said_of, heading, cells[0], cell, chunk), part=part, lead=None)
        yield Wording(claim=Claim(statement=said_of, observed_at=chunk.dated), part=part, lead=None, label=True)
