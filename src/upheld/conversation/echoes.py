"""What is an echo: text that came out of memory, or from whoever set the conversation up. It is not stored again.

Otherwise memory would confirm itself: a note that was recalled, repeated by an agent and read back in looks like a
second source.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Final, NamedTuple, cast

from upheld.wording import load

__all__ = ["Span", "blocks", "folded", "is_echo", "served"]


class Span(NamedTuple):
    """[start, end) of a text."""

    start: int
    end: int


# As `Recall.prompt` writes it; what is not closed goes on to the end.
_BLOCK: Final = re.compile(r"<memory\b[^>]*>.*?(?:</memory\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_SERVED: Final = re.compile(r'^- [^\n"]*\[[^\]\n]*\][^\n"]*("(?:[^"\\\n]|\\.)*")', re.MULTILINE)
_LANGUAGES: Final = ("en", "de")
_SHORTEST: Final = 12
"""Characters; what is shorter stands in many sentences."""


def blocks(text: str) -> list[Span]:
    """Where recalled memory stands in a text: fenced blocks, and the sentences that follow each."""
    if _answer(text) is not None:
        return [Span(0, len(text))]
    found = [Span(match.start(), match.end()) for match in _BLOCK.finditer(text)]
    for language in _LANGUAGES:
        wording = load(language)
        for sentence in ("block.ordering_rule", "action.check_first"):
            said = wording.say(sentence)
            start = text.find(said)
            while start >= 0:
                found.append(Span(start, start + len(said)))
                start = text.find(said, start + 1)
    return found


def served(text: str) -> list[str]:
    r"""The statements that the recalled blocks of a text quote.

    >>> served('<memory note="x">\n- [n1] "The port is 5432."\n</memory>')
    ['The port is 5432.']
    """
    answer = _answer(text)
    found = [] if answer is None else _statements(answer)
    for block in _BLOCK.finditer(text):
        for match in _SERVED.finditer(block[0]):
            with suppress(ValueError):
                found.append(str(json.loads(match[1])))
    return found


def _answer(text: str) -> object | None:
    """The answer of a recall, where a text is one as JSON: what a memory tool gives back."""
    bare = text.strip()
    if not (bare.startswith("{") and '"upheld"' in bare and '"withheld"' in bare):
        return None
    with suppress(ValueError, RecursionError):
        return cast("object", json.loads(bare))
    return bare


def _statements(answer: object) -> list[str]:
    """Every statement in an answer, however deep."""
    if isinstance(answer, Mapping):
        own = answer.get("statement")
        below = [each for value in answer.values() for each in _statements(value)]
        return [*([own] if isinstance(own, str) else []), *below]
    return [each for value in answer for each in _statements(value)] if isinstance(answer, list) else []


def folded(text: str) -> str:
    """A text without case, punctuation and spacing: two that are the same so say the same."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", plain))


def is_echo(sentence: str, known: Iterable[str]) -> bool:
    """Whether a sentence equals or contains one of some statements, all of them as `folded` gives them.

    >>> is_echo("As noted, the port is 5432!", [folded("The port is 5432.")])
    True
    """
    said = f" {folded(sentence)} "
    return any(
        f" {each} " == said or (len(each) >= _SHORTEST and f" {each} " in said) for each in known if each.strip()
    )
