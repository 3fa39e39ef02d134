"""An embedder behind any endpoint that speaks the OpenAI embeddings protocol, hosted or on this machine.

Uses the standard library's HTTP client, so it adds no dependency. Nothing the endpoint says is trusted: every answer
is checked for count, order, dimension and finite numbers before a row of it is used.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from upheld.errors import Invalid, Misconfigured, Unavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ATTEMPTS = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
PASSING = frozenset({408, 425, 429})  # and all from 500 on
CHUNK = 1 << 16
# Far above what a number takes in JSON, so only an answer that is no list of vectors is longer.
BYTES_PER_NUMBER, BYTES_BESIDES = 64, 1 << 20


class OpenAICompatible:
    """An embedder that asks `base_url`/embeddings, for instance `OpenAICompatible("http://localhost:11434/v1", ...)`.

    `dimension` is how many numbers a vector of `model` has (1 or more); another length is refused. The key is read
    from the environment variable `api_key_env` at each call and kept nowhere; None sends no key. `timeout_s` bounds
    each request in seconds; `batch` is how many texts go in one (1 or more). Too many requests, server errors and
    dropped connections are tried again, 4 times in all, after `sleep` (its argument is in seconds). Redirects are
    refused: the key and the texts go to the address that was given, or nowhere.

    >>> embedder = OpenAICompatible("http://localhost:11434/v1", "nomic-embed-text", dimension=768, api_key_env=None)
    >>> embedder.model
    'openai-compatible/nomic-embed-text/768'
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        dimension: int,
        api_key_env: str | None = "OPENAI_API_KEY",
        timeout_s: float = 30.0,
        batch: int = 128,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = _address(base_url)
        if not model:
            raise Misconfigured("the embedding endpoint needs the name of a model")
        if dimension < 1 or batch < 1 or not timeout_s > 0:
            raise Misconfigured(
                f"dimension ({dimension}) and batch ({batch}) must be 1 or more, timeout_s ({timeout_s}) above 0"
            )
        self._name = model
        self._dimension = dimension
        self._api_key_env = api_key_env
        self._timeout_s = timeout_s
        self._batch = batch
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def __repr__(self) -> str:
        return f"OpenAICompatible({self._url!r}, {self._name!r}, dimension={self._dimension})"

    @property
    def model(self) -> str:
        return f"openai-compatible/{self._name}/{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit row per text, in order.

        Raises `Unavailable` where the endpoint does not answer, or answers with something unusable that it may not
        repeat; `Misconfigured` where the address, the key, the model's name or the dimension must be wrong.
        """
        import numpy as np

        if isinstance(texts, str):
            raise Invalid("embed takes a list of texts, and was given one text; put it in a list")
        rows = np.empty((len(texts), self._dimension), np.float32)
        for start in range(0, len(texts), self._batch):
            some = texts[start : start + self._batch]
            rows[start : start + len(some)] = self._vectors(self._ask(some), len(some))
        return rows

    # --- asking ----------------------------------------------------------------------------------

    def _ask(self, texts: Sequence[str]) -> bytes:
        request = self._request(texts)
        most = BYTES_BESIDES + len(texts) * self._dimension * BYTES_PER_NUMBER
        wait = FIRST_WAIT_S
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._once(request, most)
            except _TryAgainError as passing:
                if attempt == ATTEMPTS:
                    raise Unavailable(f"{self._url}: {passing}, {ATTEMPTS} times in a row") from None
                self._sleep(min(max(wait, passing.after_s), LONGEST_WAIT_S))
                wait *= 2
        raise AssertionError("the last attempt returns or raises")

    def _request(self, texts: Sequence[str]) -> urllib.request.Request:
        """The key is a local variable here only, so that no traceback that prints variables shows it."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "upheld"}
        # Some endpoints refuse the empty text, and a blank says as little.
        question = {"model": self._name, "input": [text or " " for text in texts]}
        try:
            body = json.dumps(question, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise Invalid("a text is not valid Unicode: it holds half a character") from None
        if self._api_key_env is not None:
            headers["Authorization"] = f"Bearer {_key(self._api_key_env)}"
        return urllib.request.Request(self._url, body, headers, method="POST")

    def _once(self, request: urllib.request.Request, most: int) -> bytes:
        # `from None` throughout: the frames of the library's exceptions hold the key.
        end = time.monotonic() + self._timeout_s
        try:
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                return self._read(answer, most, end)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise self._verdict(refusal) from None
        except urllib.error.URLError as failure:
            if isinstance(failure.reason, ssl.SSLCertVerificationError):
                raise Misconfigured(f"{self._url}: its certificate does not verify") from None
            if isinstance(failure.reason, TimeoutError):
                raise self._too_slow() from None
            raise _TryAgainError(f"no connection ({type(failure.reason).__name__})") from None
        except TimeoutError:
            raise self._too_slow() from None
        except (http.client.HTTPException, OSError) as failure:
            raise _TryAgainError(f"the connection broke ({type(failure).__name__})") from None

    def _read(self, answer: http.client.HTTPResponse, most: int, end: float) -> bytes:
        read = bytearray()
        while chunk := answer.read1(CHUNK):
            read += chunk
            if len(read) > most:
                raise Unavailable(f"{self._url} answered with more than {most:,} bytes")
            # A socket's timeout counts from the last byte; one byte a second would never end.
            if time.monotonic() > end:
                raise self._too_slow()
        if answer.length:
            raise http.client.IncompleteRead(b"", answer.length)
        return bytes(read)

    def _verdict(self, refusal: urllib.error.HTTPError) -> Exception:
        status = refusal.code
        if status in PASSING or status >= 500:
            return _TryAgainError(f"status {status}", after_s=_seconds(refusal.headers.get("Retry-After")))
        if 300 <= status < 400:
            return Misconfigured(f"{self._url} redirects (status {status}), which is not followed; give the final URL")
        if status in {401, 403}:
            what = f"check the key in {self._api_key_env}" if self._api_key_env else "it wants a key: give api_key_env"
            return Misconfigured(f"{self._url} refused access (status {status}); {what}")
        return Misconfigured(
            f"{self._url} refused the request (status {status}); check base_url, that it has the model "
            f"{self._name!r}, and that the texts are within its limits"
        )

    def _too_slow(self) -> Unavailable:
        return Unavailable(f"{self._url} did not answer within {self._timeout_s:g} s")

    # --- checking --------------------------------------------------------------------------------

    def _vectors(self, body: bytes, count: int) -> NDArray[np.float64]:
        import numpy as np

        listed = self._listed(body, count)
        for vector in listed:
            if not isinstance(vector, list) or any(type(number) not in {int, float} for number in vector):
                raise Unavailable(f"{self._url} answered with a vector that is not a list of numbers")
            if len(vector) != self._dimension:
                raise Misconfigured(
                    f"{self._url}: {self._name} makes vectors of {len(vector)} numbers, not {self._dimension}; "
                    "correct dimension, or the model's name"
                )
        try:
            rows = np.array(listed, np.float64)
        except OverflowError:
            raise Unavailable(f"{self._url} answered with a number that is too large") from None
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise Unavailable(f"{self._url} answered with a vector that has no direction (zero, NaN or infinite)")
        unit: NDArray[np.float64] = rows / lengths
        return unit

    def _listed(self, body: bytes, count: int) -> list[Any]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError):
            raise Misconfigured(f"{self._url} did not answer with JSON; is base_url right?") from None
        entries = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise Misconfigured(f"{self._url} did not answer with a list of embeddings; is base_url right?")
        if len(entries) != count:
            raise Unavailable(f"{self._url} answered {count} texts with {len(entries)} vectors")
        places = [entry.get("index", place) for place, entry in enumerate(entries)]
        if any(type(place) is not int for place in places) or sorted(places) != list(range(count)):
            raise Unavailable(f"{self._url} answered with vectors whose indexes are not 0 to {count - 1}")
        placed = dict(zip(places, entries, strict=True))
        return [placed[place].get("embedding") for place in range(count)]


class _TryAgainError(Exception):
    """One attempt failed in a way that may pass, at the earliest in `after_s` seconds."""

    def __init__(self, message: str, *, after_s: float = 0.0) -> None:
        super().__init__(message)
        self.after_s = after_s


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        """Follow none: the answer becomes an error like any other."""


def _key(variable: str) -> str:
    key = os.environ.get(variable, "").strip()
    if key and key.isascii() and key.isprintable():
        return key
    wrong = "holds characters that no key can have; was it pasted whole" if key else "is not set"
    del key  # as above
    raise Misconfigured(f"{variable} {wrong}; put the endpoint's key there, or pass api_key_env=None if it needs none")


def _address(base_url: str) -> str:
    """The URL to post to; refuses one that carries more than a place, since errors show it."""
    try:
        parts = urlsplit(base_url)
        clean = base_url.isascii() and base_url.isprintable() and " " not in base_url
        usable = clean and parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
        bare = not (parts.query or parts.fragment or parts.username or parts.password)
    except ValueError:
        usable = bare = False
    if not bare and usable:
        raise Misconfigured("base_url must hold no user, password, query or fragment; a key goes in api_key_env")
    if not usable:
        raise Misconfigured("base_url must be an http or https URL, like https://api.openai.com/v1")
    return f"{base_url.rstrip('/')}/embeddings"


def _seconds(retry_after: str | None) -> float:
    """What a Retry-After header asks for; the form that names a date would need a clock, and is passed over."""
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else 0.0
