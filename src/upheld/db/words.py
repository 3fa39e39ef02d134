"""Cuts text into the tokens that the full-text index holds and that queries are made of.

The same function serves both sides, in any script. Words keep a trailing `+` or `#` (C++ and C# differ); runs of
scripts that are written without spaces become single characters and pairs, so any part of them is found; symbols
such as emoji are tokens of their own. No text raises, and a token never holds a space or a quote.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import blake2b

MAX_TOKENS = 4096

_ASCII = re.compile(r"[a-z0-9_]+[+#]*")
_SPACED = bytes(code if chr(code).isalnum() or chr(code) == "_" else 32 for code in range(128)).ljust(256)
_ANY = re.compile(r"\w+[+#]*|[^\w\s\x00-\u00bf\u2000-\u206f\u3000-\u303f\ud800-\udfff\ufe00-\ufe0f]")
# Scripts written without spaces between words: Thai to Khmer, CJK, kana, Hangul (agglutinative: pairs find stems).
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+"
)


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order, at most 4,096.

    >>> tokens("O'Brien uses C++ (not C#)")
    ['o', 'brien', 'uses', 'c++', 'not', 'c#']
    >>> tokens("小王住在")
    ['小', '王', '住', '在', '小王', '王住', '住在']
    """
    if text.isascii():
        lowered = text.lower()
        if "+" in lowered or "#" in lowered:
            return _ASCII.findall(lowered)[:MAX_TOKENS]
        return lowered.encode().translate(_SPACED).decode().split()[:MAX_TOKENS]
    folded = unicodedata.normalize("NFKC", text).casefold()
    found: list[str] = []
    for word in _ANY.findall(folded):
        if _UNSPACED.search(word) is None:
            found.append(word)
            continue
        position = 0
        for run in _UNSPACED.finditer(word):
            found += [part for part in (word[position : run.start()],) if part]
            characters = run[0]
            found += characters
            found += [characters[i : i + 2] for i in range(len(characters) - 1)]
            position = run.end()
        found += [part for part in (word[position:],) if part]
    return found[:MAX_TOKENS]


@lru_cache(maxsize=4096)
def scope_token(scope: str) -> str:
    """The single token that stands for a scope in the index."""
    return blake2b(scope.encode(), digest_size=8).hexdigest()


def match(scope: str | None, token: str) -> str:
    """A full-text expression: the notes of a scope, or with None of any, that hold a token."""
    held = f'body : "{token}"'
    return held if scope is None else f'scope : "{scope_token(scope)}" AND {held}'
