"""Reads source code: what its comments and docstrings say. Texts in the code are not the document's word.

The page's text is the source, place by place, with the marks of comments blanked: a chunk begins in the line and
column where its words stand. A comment after code goes with that code, and one in Python with the names around it.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate

from upheld.corpus import text as plain_text
from upheld.corpus.blocks import Block, Page, one_line
from upheld.corpus.languages import LANGUAGES, Language

_PYTHON = Language(("#",), (('"""', '"""'), ("'''", "'''")))
_SAID = ("line", "pair")
_QUOTES = re.compile(r"[a-zA-Z]{0,2}(\"\"\"|'''|\"|')")
_STARS = re.compile(r"(?m)^[ \t]*\*+(?=\s|$)")
_FOR_TOOLS = re.compile(
    r"\s*(?:noqa|type:\s*ignore|pragma[: ]|pylint:|mypy:|ruff:|fmt:|isort:|eslint|prettier|@ts-|tslint|nolint|nosec|"
    r"-\*-|vim?:|region\b|endregion\b|cspell|istanbul|c8 ignore)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Comment:
    """Words of a comment, [start, end), whose mark begins at `mark`; with what they belong to.

    `is_alone` says that only blanks came before it on its line, `is_starred` that its lines may begin with stars.
    """

    mark: int
    start: int
    end: int
    context: tuple[str, ...] = ()
    is_alone: bool = False
    is_starred: bool = False


def read(source: str, suffix: str) -> Page:
    """The page of a source text, in the language of a suffix in `LANGUAGES`, or `py`."""
    found = _python(source) if suffix in ("py", "pyi") else list(_scanned(source, LANGUAGES[suffix]))
    blanked = _blanked(source, found)
    blocks: list[Block] = []
    for comment in _joined(source, found):
        blocks += plain_text.blocks(blanked, comment.start, comment.end, context=comment.context, headings=False)
    return Page(text=blanked, blocks=tuple(blocks))


def _blanked(source: str, comments: list[_Comment]) -> str:
    """The source with the marks before each comment, and the stars down its left side, blanked."""
    parts, at = [], 0
    for comment in comments:
        said = source[comment.start : comment.end]
        parts += [source[at : comment.mark], " " * (comment.start - comment.mark)]
        parts.append(_STARS.sub(lambda stars: " " * len(stars[0]), said) if comment.is_starred else said)
        at = comment.end
    return "".join((*parts, source[at:]))


def _joined(source: str, comments: list[_Comment]) -> Iterator[_Comment]:
    """Line comments one below the other, on lines of their own, are one."""
    start = 0
    for place, comment in enumerate(comments):
        after = comments[place + 1] if place + 1 < len(comments) else None
        between = source[comment.end : after.mark] if after is not None else ""
        goes_on = (
            after is not None
            and comment.is_alone
            and after.is_alone
            and comment.context == after.context
            and between.isspace()
            and between.count("\n") == 1
        )
        if not goes_on:
            yield replace(comments[start], end=comment.end)
            start = place + 1


def _scanned(source: str, language: Language) -> Iterator[_Comment]:
    pattern = language.scanner()
    at = 0
    while found := pattern.search(source, at):
        at = max(found.end(), found.start() + 1)
        name = next((name for name, said in found.groupdict().items() if said is not None and name[:4] in _SAID), None)
        if name is None or (found.start() == 0 and source.startswith("#!")):
            continue
        start, end = found.span(name)
        if language is _PYTHON and name != "line":
            continue
        if not _FOR_TOOLS.match(source, start, end):
            yield replace(_comment(source, found.start(), start, end), is_starred=name != "line")


def _comment(source: str, mark: int, start: int, end: int, names: tuple[str, ...] = ()) -> _Comment:
    start_of_code = max(mark - 1000, 0)  # of a line without end, what is near
    code = one_line(source[max(source.rfind("\n", start_of_code, mark) + 1, start_of_code) : mark])
    return _Comment(mark, start, end, (*names, *([code] if code else ())), is_alone=not code)


def _python(source: str) -> list[_Comment]:
    """Comments and docstrings, each under the classes and functions that it stands in.

    By tokens, since building a tree of hostile source can end the interpreter. What is no Python is scanned for
    comments.
    """
    starts = list(accumulate((len(line) + 1 for line in source.split("\n")), initial=0))
    try:
        return sorted(_tokens(source, starts), key=lambda comment: comment.start)
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError):
        return list(_scanned(source, _PYTHON))


def _tokens(source: str, starts: list[int]) -> Iterator[_Comment]:
    names: list[tuple[str, int, int]] = []  # classes and functions around: depth and column of the body
    depth, opening, before = 0, "", ""
    docstring: _Comment | None = None  # a text that a line begins with, until the line says more
    is_first = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        start = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        # A comment before the end of a block is in it by its column alone.
        around = tuple(name for name, _, column in names if column <= token.start[1])
        match token.type:
            case tokenize.COMMENT:
                first = end - len(token.string.lstrip("#:!"))
                if (start or not token.string.startswith("#!")) and not _FOR_TOOLS.match(source, first, end):
                    yield _comment(source, start, first, end, around)
                continue
            case tokenize.NL:
                continue
            case tokenize.INDENT:
                depth += 1
                if opening:
                    names.append((opening, depth, token.end[1]))
            case tokenize.DEDENT:
                depth -= 1
                while names and names[-1][1] > depth:
                    names.pop()
                continue
            case tokenize.NEWLINE | tokenize.ENDMARKER:
                if docstring is not None:
                    yield docstring
                is_first, docstring = True, None
                continue
        if is_first:
            opening, docstring = "", None
        if token.type == tokenize.STRING and is_first and (quotes := _QUOTES.match(token.string)):
            docstring = _Comment(start, start + quotes.end(), end - len(quotes[1]), around)
        elif token.type != tokenize.INDENT:
            docstring = None
        if token.type == tokenize.NAME and before in ("class", "def"):
            opening = token.string
        before = token.string
        is_first = token.type == tokenize.INDENT
