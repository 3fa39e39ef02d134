"""How programming languages mark comments and texts: enough to find the former and pass over the latter."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TEXT = {
    '"': r'"(?:[^"\\\n]|\\.)*+"?',
    "'": r"'(?:[^'\\\n]|\\.)*+'?",
    "`": r"`(?:[^`\\]|\\.)*+`?",
    "''": r"'(?:[^'])*+'?",  # doubled to stand for itself
    "'c": r"'(?:[^'\\\n]|\\[^\n]{1,8}?)'",  # one character; an apostrophe alone means something else
}


@dataclass(frozen=True, slots=True)
class Language:
    """Line comments, block comments as pairs, and the texts (by a key of the table above) of one language."""

    lines: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()
    texts: tuple[str, ...] = ('"', "'")

    def scanner(self) -> re.Pattern[str]:
        """Finds the next comment or text. Named groups: `line` and `pair` hold a comment, `open` and `close` marks."""
        pairs = "|".join(
            rf"(?P<o{n}>{re.escape(begin)}+)(?P<pair{n}>(?s:.*?))(?P<c{n}>{re.escape(end)}|\Z)"
            for n, (begin, end) in enumerate(self.pairs)
        )
        # A hash begins a comment only where a word could begin: not in ${name#prefix} or a colour.
        marks = "|".join(rf"(?<!\S){mark}+!?" if mark == "#" else f"{re.escape(mark)}+!?" for mark in self.lines)
        line = rf"(?P<mark>{marks})(?P<line>[^\n]*)" if marks else ""
        texts = "|".join(_TEXT[text] for text in self.texts)
        return re.compile("|".join(filter(None, (pairs, line, texts))))


_BLOCK = (("/*", "*/"),)
_C = Language(("//",), _BLOCK, ('"', "'c"))
_SCRIPT = Language(("//",), _BLOCK, ('"', "'", "`"))
_HASH = Language(("#",))
_SQL = Language(("--",), _BLOCK, ("''",))
_LISP = Language((";",), (), ('"',))

LANGUAGES = {
    **dict.fromkeys("c h cc cpp cxx hh hpp cs java kt kts m mm proto rs scala swift dart zig v sv".split(), _C),
    **dict.fromkeys("js jsx mjs cjs ts tsx mts cts go groovy gradle".split(), _SCRIPT),
    **dict.fromkeys("sh bash zsh fish rb r pl pm jl ex exs nim mk cmake awk tcl".split(), _HASH),
    **dict.fromkeys("clj cljs cljc el lisp scm rkt".split(), _LISP),
    "sql": _SQL,
    "php": Language(("//", "#"), _BLOCK),
    "tf": Language(("#", "//"), _BLOCK, ('"',)),
    "hcl": Language(("#", "//"), _BLOCK, ('"',)),
    "ps1": Language(("#",), (("<#", "#>"),)),
    "lua": Language(("--",), (("--[[", "]]"),)),
    "hs": Language(("--",), (("{-", "-}"),), ('"', "'c")),
    "elm": Language(("--",), (("{-", "-}"),), ('"', "'c")),
    "css": Language((), _BLOCK),
    "scss": Language(("//",), _BLOCK),
    "less": Language(("//",), _BLOCK),
    "ini": Language((";", "#"), (), ()),
    "cfg": Language((";", "#"), (), ()),
    "erl": Language(("%",), (), ('"',)),
    "tex": Language(("%",), (), ()),
    "xml": Language((), (("<!--", "-->"),), ()),
    "vue": Language(("//",), (("<!--", "-->"), *_BLOCK), ('"', "'", "`")),
    "svelte": Language(("//",), (("<!--", "-->"), *_BLOCK), ('"', "'", "`")),
}
"""The language of a suffix."""
