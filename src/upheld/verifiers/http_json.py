"""A verifier that reads values from an HTTP service that answers with JSON. The standard library's client is enough."""

from __future__ import annotations

import math
import os
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from upheld import limits
from upheld.errors import Invalid, Misconfigured, shown
from upheld.values import canonical_name
from upheld.verification import Asked, Reply, Unavailable
from upheld.verifiers.exchange import Exchange, NoAnswer, connect, resolve
from upheld.verifiers.json_value import Steps, at, document, steps
from upheld.verifiers.place import place
from upheld.verifiers.reply import reply_of

TIMEOUT_S = 2.0
MOST_BYTES = 64 * 1024
MOST_BYTES_EVER = 16 * 1024 * 1024

_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
# What frames a request or says where it goes is ours to write.
_OURS = frozenset(
    "accept accept-encoding connection content-length expect host te trailer transfer-encoding upgrade".split()
)


class HttpJson:
    """A verifier that asks `url` for a JSON document and reads each attribute at its pointer.

    `url` holds {subject}, and may hold {attribute} and {scope}, in its path or query; they are percent-encoded, and a
    name that could change the path is not sent. `pointers` maps attributes to JSON pointers (RFC 6901); one request
    answers all attributes of a subject, unless {attribute} stands in the URL. `source` is the name that is cited; the
    host, where none is given.

    `token_env` names an environment variable with a token, read at each call and kept nowhere: sent as
    "Authorization: Bearer ...", or as it is in the header named `header`. `timeout_s` bounds a whole call, in seconds
    above 0; `most_bytes` a body, from 1 to 16 MiB. `allow_private` also asks this machine and private networks, over
    http too; addresses that are link-local, multicast or reserved are never asked. `tls` is a context for authorities
    of one's own. `resolve`, `connect` and `clock` (seconds) are for tests.

    Raises `Misconfigured` for settings that cannot work. Asking raises nothing for what the service does: whatever is
    no plain value is `Unavailable`. Source: essay 001, "Checking the value against the thing that owns it".

    >>> billing = HttpJson("https://billing.example/users/{subject}", {"plan tier": "/plan/tier"}, source="billing")
    >>> billing.source, billing
    ('billing', HttpJson('billing', host='billing.example', attributes=['plan tier']))
    """

    def __init__(
        self,
        url: str,
        pointers: Mapping[str, str],
        *,
        source: str | None = None,
        token_env: str | None = None,
        header: str | None = None,
        allow_private: bool = False,
        timeout_s: float = TIMEOUT_S,
        most_bytes: int = MOST_BYTES,
        tls: ssl.SSLContext | None = None,
        resolve: Callable[[str, int], Sequence[str]] = resolve,
        connect: Callable[[str, int, float], socket.socket] = connect,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._place = place(url)
        if self._place.scheme == "http" and not allow_private:
            raise Misconfigured("a verifier's URL must be https; http is for private addresses, with allow_private")
        if not (_is_number(timeout_s) and timeout_s > 0):
            raise Misconfigured(f"timeout_s must be a number of seconds above 0, not {shown(timeout_s)}")
        if type(most_bytes) is not int or not 1 <= most_bytes <= MOST_BYTES_EVER:
            raise Misconfigured(f"most_bytes must be from 1 to {MOST_BYTES_EVER:,}, not {shown(most_bytes)}")
        try:
            self._pointers = {canonical_name(name): steps(pointer) for name, pointer in pointers.items()}
            self._source = limits.name(source or self._place.authority, "source")
        except Invalid as error:
            raise Misconfigured(str(error)) from None
        if not self._pointers:
            raise Misconfigured("an HTTP verifier needs a JSON pointer for at least one attribute")
        self._token_env, self._header = token_env, header
        _sure_header(token_env, header)
        self._timeout_s = timeout_s
        self._clock = clock
        self._exchange = Exchange(
            allow_private=allow_private,
            most=most_bytes,
            tls=_default_tls if tls is None else lambda: tls,
            resolve=resolve,
            connect=connect,
            clock=clock,
        )

    def __repr__(self) -> str:
        # Not the URL: its query may hold more than a place.
        return f"HttpJson({self._source!r}, host={self._place.host!r}, attributes={sorted(self._pointers)})"

    @property
    def source(self) -> str:
        """The name of the service."""
        return self._source

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        """Read the values of some notes, with one request for each address that they lead to."""
        until = self._clock() + self._timeout_s
        documents: dict[str, object] = {}
        return [self._reply(each, documents, until) for each in asked]

    def _reply(self, asked: Asked, documents: dict[str, object], until: float) -> Reply:
        pointer: Steps | None = self._pointers.get(canonical_name(asked.attribute))
        if pointer is None:
            return Unavailable("it is not asked about this attribute")
        target = self._place.target(asked)
        if target is None:
            return Unavailable("the subject or scope cannot stand in the path of its URL; put the place in the query")
        if target not in documents:
            documents[target] = self._document(target, until)
        found = documents[target]
        return found if isinstance(found, Unavailable) else reply_of(at(found, pointer))

    def _document(self, target: str, until: float) -> object:
        try:
            return document(self._exchange.get(self._place, target, self._headers(), until))
        except (NoAnswer, Invalid) as error:
            return Unavailable(str(error))

    def _headers(self) -> dict[str, str]:
        """The token is a local variable here only, so that no traceback that prints variables shows it."""
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "Cache-Control": "no-cache",
            "Connection": "close",
            "User-Agent": "upheld",
        }
        if self._token_env is None:
            return headers
        token = os.environ.get(self._token_env, "").strip()
        if not token or not (token.isascii() and token.isprintable()):
            wrong = "holds characters that no token can have" if token else "is not set"
            raise NoAnswer(f"the environment variable {self._token_env} {wrong}")
        return headers | ({"Authorization": f"Bearer {token}"} if self._header is None else {self._header: token})


def _sure_header(token_env: str | None, header: str | None) -> None:
    if header is not None and token_env is None:
        raise Misconfigured("header needs token_env: the environment variable that holds what is sent in it")
    if token_env is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", token_env):
        # Not shown: who gets this wrong has put the token itself there.
        raise Misconfigured("token_env must be the name of an environment variable, not a token")
    if header is not None and (not _HEADER.fullmatch(header) or header.lower() in _OURS):
        raise Misconfigured("header must be the name of a header for the token, like X-Api-Key")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


@cache
def _default_tls() -> ssl.SSLContext:
    """What the system trusts, read once; the file in SSL_CERT_FILE, where that is set."""
    return ssl.create_default_context()
