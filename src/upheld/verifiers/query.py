"""Reads the query that a person wrote for a database: one statement that reads, with parameters by name.

The database itself has the last word on what may be done (see `sqlite_file` and `postgres`); this says at once, and
in plain words, what could never work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from upheld.errors import Misconfigured

PARAMETERS = ("subject", "attribute", "scope")
MAX_QUERY_CHARS = 64 * 1024

_READS = frozenset({"select", "values", "with"})
_COMMON = r"""
    (?P<gap>\s+|--[^\n]*|/\*.*?\*/)
  | (?P<quoted>{quoted})
  | (?P<cast>::)
  | :(?P<parameter>[A-Za-z_]\w*)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<number>\d[\w.]*)
  | (?P<end>;)
  | (?P<sign>.)
"""
_SQLITE = re.compile(
    _COMMON.format(quoted=r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]"""), re.VERBOSE | re.DOTALL
)
_POSTGRES = re.compile(
    _COMMON.format(
        quoted=r"""[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$"""
    ),
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Query:
    """One statement: for SQLite as it was written, for PostgreSQL with parameters as psycopg writes them."""

    sqlite: str
    postgres: str


def read(query: object, *, postgres: bool) -> Query:
    """One statement that reads, of which `:subject` is a parameter.

    >>> read("select plan from account where name = :subject;", postgres=True).postgres
    'select plan from account where name = %(subject)s'

    Raises `Misconfigured` for anything else, before any database sees it.
    """
    if not isinstance(query, str) or len(query) > MAX_QUERY_CHARS:
        raise Misconfigured(f"a query is a text of at most {MAX_QUERY_CHARS:,} characters")
    kept: list[str] = []
    psycopg: list[str] = []
    named: set[str] = set()
    first: str | None = None
    ended = False
    for token in (_POSTGRES if postgres else _SQLITE).finditer(query):
        kind, text = token.lastgroup, token[0]
        if kind == "tag":  # the last group to close in a $tag$ quote
            kind = "quoted"
        if kind == "end":
            ended = True
        elif kind == "gap" and text.startswith("/*") and "/*" in text[2:]:
            raise Misconfigured("the query has a comment inside a comment; SQLite and PostgreSQL read that differently")
        elif ended and kind != "gap":
            raise Misconfigured("the query has more than one statement; a verifier asks one")
        elif not ended:
            _require_known(kind, text, query[token.end() : token.end() + 1], postgres)
            if kind != "gap" and first is None:
                first = text.lower()
            if kind == "parameter":
                named.add(text[1:])
            kept.append(text)
            psycopg.append(f"%({text[1:]})s" if kind == "parameter" else text.replace("%", "%%"))
    if first not in _READS:
        raise Misconfigured("a verifier only reads: its query starts with SELECT, VALUES or WITH")
    if unknown := sorted(named - set(PARAMETERS)):
        raise Misconfigured(f"the query has the unknown parameter :{unknown[0]}; known: :{', :'.join(PARAMETERS)}")
    if "subject" not in named:
        raise Misconfigured("the query does not name :subject, so it would give every subject the same value")
    return Query(sqlite="".join(kept), postgres="".join(psycopg))


def _require_known(kind: str | None, text: str, following: str, postgres: bool) -> None:
    if kind != "sign":
        return
    if text in {"'", '"'} or (not postgres and text in {"`", "["}):
        raise Misconfigured(f"the query has an opening {text} without its end")
    if text == "/" and following == "*":
        raise Misconfigured("the query has a comment without its end")
    if text == "\0":
        raise Misconfigured("the query holds a NUL character")
    if (not postgres and text in "?@$") or (postgres and text == "$" and following.isdigit()):
        raise Misconfigured(f"parameters are written by name, :{' :'.join(PARAMETERS)}; the query has a {text}")
