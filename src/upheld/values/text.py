"""Text reduced to what distinguishes it: one Unicode form, one kind of dash and quote, one name per thing."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ALIASES", "canonical_name", "fold", "lower", "resolve", "trim"]

_ALIASES: Final[dict[str, str]] = {
    "postgres": "postgresql", "postgre": "postgresql", "mongo": "mongodb", "k8s": "kubernetes",
    "js": "javascript", "ts": "typescript", "nodejs": "node.js", "node js": "node.js", "golang": "go",
    "nextjs": "next.js", "react.js": "react", "reactjs": "react", "vue.js": "vue", "vuejs": "vue",
    "vscode": "visual studio code", "vs code": "visual studio code", "mssql": "sql server",
    "ms sql": "sql server", "ms sql server": "sql server", "microsoft sql server": "sql server",
    "aws": "amazon web services", "gcp": "google cloud", "google cloud platform": "google cloud",
    "gh actions": "github actions", "elastic search": "elasticsearch", "rabbit mq": "rabbitmq",
    "apache kafka": "kafka", "mac os": "macos", "os x": "macos", "amazon s3": "s3", "aws s3": "s3",
    "us": "united states", "u.s": "united states", "usa": "united states", "u.s.a": "united states",
    "united states of america": "united states", "uk": "united kingdom", "u.k": "united kingdom",
    "uae": "united arab emirates", "ussr": "soviet union", "prc": "china",
    "people's republic of china": "china", "czechia": "czech republic", "türkiye": "turkey",
    "burma": "myanmar", "nyc": "new york city", "zurich": "zürich", "cologne": "köln",
    "munich": "münchen", "vienna": "wien", "washington dc": "washington, d.c",
    "washington d.c": "washington, d.c", "washington, dc": "washington, d.c",
    "bangalore": "bengaluru", "bombay": "mumbai", "calcutta": "kolkata", "madras": "chennai", "kiev": "kyiv",
    "peking": "beijing", "saigon": "ho chi minh city", "den haag": "hague", "genf": "geneva", "genève": "geneva",
    "praha": "prague", "warszawa": "warsaw", "milano": "milan", "roma": "rome", "firenze": "florence",
    "torino": "turin", "napoli": "naples", "venezia": "venice", "lisboa": "lisbon", "københavn": "copenhagen",
    "göteborg": "gothenburg", "bruxelles": "brussels", "brussel": "brussels", "antwerpen": "antwerp",
    "nürnberg": "nuremberg", "hannover": "hanover", "moskva": "moscow", "sevilla": "seville", "cracow": "kraków",
    "bucurești": "bucharest", "beograd": "belgrade", "constantinople": "istanbul", "holland": "netherlands",
    "deutschland": "germany", "españa": "spain", "italia": "italy", "schweiz": "switzerland",
    "österreich": "austria", "great britain": "united kingdom", "gmt": "utc",
    "azure ad": "microsoft entra id", "azure active directory": "microsoft entra id",
    "entra id": "microsoft entra id", "g suite": "google workspace", "gsuite": "google workspace",
    "office 365": "microsoft 365", "o365": "microsoft 365", "m365": "microsoft 365",
}  # fmt: skip
ALIASES: Final[Mapping[str, str]] = MappingProxyType(_ALIASES)

_COMBINING_RUN: Final = 30  # the Unicode stream-safe limit: normalising longer runs takes quadratic time

_LOOKALIKE: Final = str.maketrans({
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"),
    "\u2044": "/", "\u3002": ".", "\u3001": ",",
})  # fmt: skip
_WRAPPERS: Final = " \t\n\r\x0b\x0c\"'`"
_ENDINGS: Final = _WRAPPERS + ".,;:!"
_LEADING: Final = re.compile(r"(?:[\"'`\s]|(?:the|a|an)[\"'`\s])+(?=.)", re.IGNORECASE | re.DOTALL)
_SPACED: Final = re.compile(r"\s\s+|[^\S ]")
_DROPPED: Final = re.compile(r"""(?<![.,;:!"'`])[.,;:!"'`]++(?=\s|$)|["`]|(?<!\w)'""")


@lru_cache(maxsize=16384)  # attributes are few, and each is asked for several times
def canonical_name(text: str) -> str:
    """The form in which two subjects, or two attributes, are the same name.

    Case, Unicode form, articles, spacing, quotes, a closing possessive and punctuation that ends words do not
    count; every other sign does: ``C++`` is not ``C#`` and ``-5`` is not ``5``.

    >>> canonical_name("The  'Café's'"), canonical_name("prod_1"), canonical_name("C++")
    ('café', 'prod 1', 'c++')
    """
    whole = lower(fold(text)).strip()
    name = whole.replace("_", " ").strip()
    for _ in range(6):  # taking one sign away can lay another bare
        before = name
        if leading := _LEADING.match(name):
            name = name[leading.end() :]
        name = _SPACED.sub(" ", _DROPPED.sub("", name)).strip()
        while name.endswith("'s") and len(name) > 2:
            name = name[:-2].rstrip(_ENDINGS)
        if name == before:
            break
    return name or whole


def fold(text: str) -> str:
    """Compatibility form, one kind of dash and quote, single spaces; the case is kept, units need it."""
    if not text.isascii():
        if len(text) > _COMBINING_RUN:
            text = _stream_safe(text)
        text = unicodedata.normalize("NFKC", text.translate(_LOOKALIKE)).translate(_LOOKALIKE)
    return _SPACED.sub(" ", text)


def _stream_safe(text: str) -> str:
    run, parts = 0, []
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > _COMBINING_RUN:
            parts.append("\u034f")
            run = 1
        parts.append(character)
    return "".join(parts)


def lower(text: str) -> str:
    """Case folded, and still in compatibility form."""
    if text.isascii():
        return text.lower()
    for _ in range(4):  # folding can undo the normal form and the other way round; it settles in two rounds
        lowered = unicodedata.normalize("NFKC", text.casefold())
        if lowered == text:
            break
        text = lowered
    return text


def trim(text: str) -> str:
    """Without what is wrapped around a value: quotes, articles, closing punctuation. Never empties a text."""
    body = text.rstrip(_ENDINGS)
    if found := _LEADING.match(body):
        body = body[found.end() :]
    return body or text.strip()


def resolve(low: str, aliases: Mapping[str, str] | None) -> str:
    """The name that stands behind an alias, through aliases of aliases; the user's table wins."""
    seen = [low]
    while (target := (aliases.get(low) if aliases else None) or _ALIASES.get(low)) is not None:
        low = trim(lower(fold(target)))
        if low in seen:  # the user's aliases run in a circle: any fixed member of it will do
            return min(seen[seen.index(low) :])
        seen.append(low)
    return low
