"""Where an HTTP verifier asks: a URL with places for the subject, the attribute and the scope.

What fills a place is text from strangers. It is percent-encoded, and nothing that a server might still read as a
different path is sent at all: in the path no slash, no backslash and no `.` or `..`, however they are written.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from upheld.errors import Misconfigured
from upheld.verification import Asked

_PLACE = re.compile(r"\{(subject|attribute|scope)\}")
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\]")
_SEPARATES = re.compile(r"[/\\\x00-\x1f\x7f-\x9f]")
PORTS = {"https": 443, "http": 80}
DECODINGS = 4
"""How often a text is decoded to see what a careless server might make of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A URL template, taken apart. `authority` is the host and port as they were given."""

    scheme: str
    host: str
    port: int
    authority: str
    path: str
    query: str

    def target(self, asked: Asked) -> str | None:
        """The path and query for one note; None where its names cannot stand in a URL.

        >>> billing = place("https://billing.example/users/{subject}?of={scope}")
        >>> asked = lambda subject: Asked(note="1", scope="a/b", subject=subject, attribute="plan", value=None,
        ...     statement="", sources=(), recorded_at=None)
        >>> billing.target(asked("Ana?")), billing.target(asked("../admin"))
        ('/users/Ana%3F?of=a%2Fb', None)
        """
        path = _filled(self.path, asked, is_path=True)
        query = _filled(self.query, asked, is_path=False)
        if path is None or query is None:
            return None
        return f"{path}?{query}" if query else path


def place(url: str) -> Place:
    """Take a URL template apart; raises `Misconfigured` for one that could lead anywhere but to one host."""
    clean = isinstance(url, str) and url.isascii() and url.isprintable() and not re.search(r"[\s\"<>\\^`|]", url)
    try:
        parts = urlsplit(url if clean else "")
        port = parts.port
    except ValueError:
        clean, parts, port = False, urlsplit(""), None
    if not clean or parts.scheme not in PORTS or port == 0:
        raise Misconfigured(
            "a verifier's URL must be an https address in plain characters, like https://billing.example/users/{subject}"
        )
    # What is wrong is not shown: a URL of the wrong form may hold a password.
    host = parts.netloc.removesuffix(f":{port}") if port is not None else parts.netloc
    if parts.fragment or not _HOST.fullmatch(host):
        raise Misconfigured(
            "a verifier's URL must hold no user, password or fragment, and no place in the host; "
            "put a token in an environment variable and name it in token_env"
        )
    rest = _PLACE.sub("", parts.path + parts.query)
    if "{" in rest or "}" in rest or "{subject}" not in parts.path + parts.query:
        raise Misconfigured(
            "a verifier's URL must hold {subject}, or all subjects would have one answer; "
            "the other places are {attribute} and {scope}"
        )
    if any(unquote(each) in {".", ".."} for each in parts.path.split("/")):
        raise Misconfigured("a verifier's URL must hold no . or .. in its path; write the path that is meant")
    return Place(
        scheme=parts.scheme,
        host=host.strip("[]").lower(),
        port=PORTS[parts.scheme] if port is None else port,
        authority=parts.netloc.lower(),
        path=parts.path or "/",
        query=parts.query,
    )


def _filled(template: str, asked: Asked, *, is_path: bool) -> str | None:
    filled = []
    for number, part in enumerate(_PLACE.split(template)):
        if number % 2 == 0:
            filled.append(part)
            continue
        value: str = getattr(asked, part)
        if not value or any(unicodedata.category(c) in {"Cc", "Cs"} for c in value):
            return None
        if is_path and not _is_one_step(value):
            return None
        filled.append(quote(value, safe=""))
    return "".join(filled)


def _is_one_step(value: str) -> bool:
    """Whether a text stays one step of a path for servers that decode it again, or fold its characters."""
    plain = value
    for _ in range(DECODINGS):
        before, plain = plain, unicodedata.normalize("NFKC", unquote(plain))
        if plain == before:
            return not _SEPARATES.search(plain) and plain.strip() not in {".", "..", ""}
    return False
