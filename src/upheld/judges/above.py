"""What stands above a line and says what it is about: headings, a title over a list, the parent of a nested setting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from upheld.judges.lexicon import DOUBTFUL_HEADINGS, NEUTRAL, PLACEHOLDERS
from upheld.judges.tokens import Token, tokens
from upheld.keys.words import BE, KINDS, VERB, word_set

__all__ = ["Above", "said_above", "settings_as_words", "titles"]


class Above(NamedTuple):
    """What is said of all that stands below: its words, the words that may narrow it, and whether it is settled.

    `bound` are keys that a note must have as well, since they name one thing of several; `title` is the nearest name.
    """

    context: frozenset[str]
    narrowed: frozenset[str]
    doubtful: bool
    bound: frozenset[str] = frozenset()
    title: str = ""
    void: bool = False


class _Open(NamedTuple):
    """A title that is still open: how far it is indented, and whether an empty line ends it."""

    indent: int
    title: str
    flat: bool


_PARENT: Final = re.compile(r"\s*(?:[-*+•]\s+)?([\w][\w .\-/]{0,59}):\s*")
_SECTION: Final = re.compile(r"\s*\[([\w .:\-]{1,60})\]\s*")
_BULLET: Final = re.compile(r"\s*[-*+•]\s+")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]\s+)?(?:\*\*)?[^\s:|#][^:|]{0,49}:(?:\*\*)?\s+\S")
_RECORD: Final = re.compile(
    r"\s*(?:[-*+•]\s+)?(?:\*\*)?(?:customer|client|account|tenant|name|patient|employee|project|service|vendor|supplier|"
    r"company|product|user|contract|system|component|file|path|profile|namespace|stage|cluster|server|host|site|location|region|environment|team|plan)"
    r"(?: name)?:(?:\*\*)?\s+(\S.{0,59}?)\s*",
    re.IGNORECASE,
)
_LABELLED: Final = re.compile(r"[^:]{2,40}:\s+(?=\S)")
_SETTING: Final = re.compile(r"([\w][\w.\-]*[\w])(?=\s*[:=]\s*\S+\s*$)")
_NUMBERING: Final = re.compile(r"\s*(?:§\s*)?\d{1,3}(?:\.\d{1,3})*[.)]?\s+(?=[^\W\d])")
_EDITION: Final = re.compile(r"(?:19|2[01])\d\d|v?\d{1,3}(?:\.\d{1,4})+|v\d{1,3}", re.IGNORECASE)
_PRESENT: Final = word_set("current now release released notes new effective from since updated changes starting as")
_GENERIC: Final = (
    PLACEHOLDERS
    | NEUTRAL
    | word_set("""
    config configuration spec options properties parameters details general overview defaults default summary limits
    env environment variables data info information facts
""")
)
_DENIED: Final = re.compile(r"(?:not|no|non|other|except|all but)\b", re.IGNORECASE)
_TITLE_WORDS: Final = 6


def titles(text: str) -> Mapping[int, tuple[str, ...]]:
    r"""By the offset of a line, what stands over it in the text: list titles, first fields, parents of settings.

    >>> titles("worker:\n  concurrency: 16"), titles("Globex\n- Plan: Pro")
    ({8: ('worker',)}, {7: ('Globex',)})
    """
    found: dict[int, tuple[str, ...]] = {}
    if "\n" not in text:
        return found
    stack: list[_Open] = []
    for start, line, below in _with_next(text):
        if (section := _SECTION.fullmatch(line)) is not None:
            stack = [_Open(-1, section[1], flat=False)]
            continue
        if not line.strip():
            stack = [opened for opened in stack if not opened.flat]
            continue
        indent = len(line) - len(line.lstrip())
        while stack and not _under(stack[-1], line, indent):
            stack.pop()
        if stack:
            found[start] = tuple(opened.title for opened in stack)
        if (opened := _opens(line, below, indent)) is not None:
            stack.append(opened)
    return found


def _with_next(text: str) -> Iterator[tuple[int, str, str]]:
    lines = text.splitlines(keepends=True)
    at = 0
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        yield at, line.rstrip("\r\n"), below.rstrip("\r\n")
        at += len(line)


def _under(opened: _Open, line: str, indent: int) -> bool:
    if opened.flat:
        return _ITEM.match(line) is not None and indent >= opened.indent
    return indent > opened.indent or (indent == opened.indent and _BULLET.match(line) is not None)


def _opens(line: str, below: str, indent: int) -> _Open | None:
    """The title that a line is for those below it."""
    deeper = len(below) - len(below.lstrip()) > indent or _BULLET.match(below) is not None
    if (parent := _PARENT.fullmatch(line)) is not None:
        return _Open(indent, parent[1], flat=False) if deeper and _is_title(parent[1]) else None
    if _ITEM.match(below) is None:
        return None
    if (record := _RECORD.fullmatch(line)) is not None:
        return _Open(indent, record[1], flat=True)
    plain = not line.startswith(("#", "|", ">")) and _BULLET.match(line) is None
    return _Open(indent, line.strip(), flat=True) if plain and _is_title(line) else None


def _is_title(line: str) -> bool:
    words = tokens(line[:120])
    told = any(token.text in (":", "=", ".", "!", "?", ";", ",") for token in words)
    verb = any(not token.sort and BE <= KINDS.get(token.text.lower(), 0) <= VERB for token in words[1:])
    return 0 < len(words) <= _TITLE_WORDS and not told and not verb


def settings_as_words(line: str) -> str:
    """A setting's key with spaces for its dots, dashes and underscores; as long as it was.

    >>> settings_as_words("mailer.retry_count = 5"), settings_as_words("A well-known fact: e.g. this one")
    ('mailer retry count = 5', 'A well-known fact: e.g. this one')
    """
    found = _SETTING.match(line)
    if found is None:
        return line
    return re.sub(r"[._-]", " ", found[1]) + line[found.end() :]


@lru_cache(maxsize=1024)
def said_above(headings: tuple[str, ...], local: tuple[str, ...] = (), *, void: bool = False) -> Above:
    """What headings, from the outside in, and the titles in the text say of what stands below them.

    `void`: the text says of itself that it does not hold.
    """
    named = tuple(re.sub(r"[._]", " ", title) for title in local)
    words = [[token for token in tokens(each[:200]) if token.is_content or token.sort] for each in (*headings, *named)]
    lows = frozenset(part for line in words for token in line for part in _pieces(token.text.lower()))
    bound = {token.key for line in words[len(headings) :] for token in line if token.text.lower() not in _GENERIC}
    for heading, line in zip(headings, words, strict=False):
        bound |= _one_of_several(heading, line)
    return Above(
        context=frozenset(token.key for line in words for token in line),
        narrowed=lows,
        doubtful=not lows.isdisjoint(DOUBTFUL_HEADINGS) or any(map(_DENIED.match, named)),
        bound=frozenset(bound),
        void=void,
        title=(*headings, *named)[-1] if headings or named else "",
    )


def _pieces(word: str) -> tuple[str, ...]:
    """A word, and what it is put together of: *dev.ini*."""
    return (word, *re.split(r"[._/-]", word)) if not word.isalpha() else (word,)


def _one_of_several(heading: str, words: list[Token]) -> set[str]:
    """What a heading names of several: *Customer: Initech*, *1.0 (2019)*.

    A number in front only counts headings, and what it stands in is the name of all below: *ADR-14: Use PostgreSQL*.
    """
    lead = _LABELLED.match(heading) or _NUMBERING.match(heading)
    labelled = lead is not None and ":" in lead[0] and not any(each.isdigit() for each in lead[0])
    counted = lead.end() if lead is not None and not labelled else 0
    if labelled and lead is not None:
        return {token.key for token in words if token.start >= lead.end() and token.text.lower() not in _GENERIC}
    dated = any(token.sort == "date" and token.key[0] != "-" and token.key.count("-") > 1 for token in words)
    if dated or any(token.text.lower() in _PRESENT for token in words):
        return set()  # a day dates what stands below: it is newer than the note, or older
    return {token.key for token in words if token.start >= counted and _EDITION.fullmatch(token.text)}
