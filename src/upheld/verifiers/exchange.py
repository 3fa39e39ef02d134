"""One HTTP request for JSON, bounded on every side: where it goes, how long it takes, how much it reads.

The name is resolved once, every address it has is judged, and the connection goes to one that was judged, so a name
that changes its mind in between gains nothing. One deadline covers resolving, connecting, TLS, and every byte. No
redirect is followed and no proxy is used. Nothing that the server says is in an error.
"""

from __future__ import annotations

import http.client
import io
import ipaddress
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from threading import BoundedSemaphore, Thread
from typing import TYPE_CHECKING, Any, cast

from upheld.verifiers.addresses import Reach, reach
from upheld.verifiers.place import Place

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MOST_ADDRESSES = 4
MOST_LOOKING = 32
"""How many look-ups of a name may be unanswered before it is not looked up again: a thread cannot be stopped."""
HEAD_BYTES = 64 * 1024  # above what http.client takes as headers, so that only a flood is longer


class NoAnswer(Exception):
    """The owner did not say, in words for a person and without anything that it sent."""


def resolve(host: str, port: int) -> Sequence[str]:
    """The numeric addresses of a host, as the system finds them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(each[4][0]) for each in found))


def connect(address: str, port: int, timeout_s: float) -> socket.socket:
    """Open a connection to a numeric address; nothing is resolved."""
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout_s)
        sock.connect((address, port))
    except BaseException:
        sock.close()
        raise
    return sock


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """How requests are made. `until` is a moment of `clock`, in seconds; `most` is how many bytes a body may have."""

    allow_private: bool
    most: int
    tls: Callable[[], ssl.SSLContext]
    resolve: Callable[[str, int], Sequence[str]]
    connect: Callable[[str, int, float], socket.socket]
    clock: Callable[[], float]
    looking: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(MOST_LOOKING))

    def get(self, place: Place, target: str, headers: Mapping[str, str], until: float) -> bytes:
        """Ask for a JSON document and return its bytes; raises `NoAnswer` where there is none to be had."""
        # `from None` throughout: the frames and words of the libraries' exceptions hold what was sent and received.
        try:
            with closing(self._connected(place, until)) as plain, closing(self._secured(plain, place, until)) as sock:
                lines = [f"GET {target} HTTP/1.1", f"Host: {place.authority}"]
                lines += [f"{name}: {value}" for name, value in headers.items()]
                sock.settimeout(self._left(until))
                sock.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
                incoming = _Incoming(sock, lambda: self._left(until), self.most + HEAD_BYTES)
                with closing(http.client.HTTPResponse(cast("Any", incoming), method="GET")) as answer:
                    answer.begin()
                    return self._body(answer)
        except TimeoutError:
            raise NoAnswer("did not answer in time") from None
        except ssl.SSLCertVerificationError:
            raise NoAnswer("its certificate does not verify") from None
        except ssl.SSLError:
            raise NoAnswer("no secure connection could be made") from None
        except (http.client.IncompleteRead, http.client.RemoteDisconnected):
            raise NoAnswer("its answer broke off") from None
        except (http.client.HTTPException, ValueError):
            raise NoAnswer("its answer is not HTTP") from None
        except OSError as failure:
            raise NoAnswer(f"no connection ({type(failure).__name__})") from None

    def _left(self, until: float) -> float:
        left = until - self.clock()
        if left <= 0:
            raise TimeoutError
        return left

    # --- reaching ----------------------------------------------------------------------------------

    def _connected(self, place: Place, until: float) -> socket.socket:
        addresses = self._allowed(self._addresses(place, until), place.scheme)
        failure: OSError = OSError()
        for number, address in enumerate(addresses):
            try:
                # A share of the time each, so that one address that swallows packets does not cost the others theirs.
                return self.connect(address, place.port, self._left(until) / (len(addresses) - number))
            except OSError as error:
                failure = error
        raise failure

    def _addresses(self, place: Place, until: float) -> Sequence[str]:
        try:
            return [str(ipaddress.ip_address(place.host))]
        except ValueError:
            pass
        box: SimpleQueue[Sequence[str] | None] = SimpleQueue()

        def look() -> None:
            found: Sequence[str] | None = None
            try:
                found = self.resolve(place.host, place.port)
            except (OSError, ValueError):  # an unknown name; one that is no name at all
                pass
            finally:
                self.looking.release()
                box.put(found)

        if not self.looking.acquire(blocking=False):
            raise NoAnswer("earlier look-ups of its name are still unanswered")
        # The system's resolver takes no deadline, so it is left behind when it is late.
        Thread(target=look, daemon=True, name="upheld-resolve").start()
        try:
            found = box.get(timeout=self._left(until))
        except Empty:
            raise TimeoutError from None
        if not found:
            raise NoAnswer("its name leads to no address")
        return found

    def _allowed(self, addresses: Sequence[str], scheme: str) -> Sequence[str]:
        """The addresses, if all of them may be asked: a name with one foot inside is somebody's trick."""
        reaches = {reach(address) for address in addresses}
        if Reach.NEVER in reaches:
            raise NoAnswer("its name leads to an address that is never asked (link-local, multicast or reserved)")
        if Reach.PRIVATE in reaches and not self.allow_private:
            raise NoAnswer("its name leads to a private address; set allow_private if that is meant")
        if Reach.PUBLIC in reaches and scheme != "https":
            raise NoAnswer("its name leads to a public address, and those are asked over https only")
        return addresses[:MOST_ADDRESSES]

    def _secured(self, sock: socket.socket, place: Place, until: float) -> socket.socket:
        sock.settimeout(self._left(until))
        return sock if place.scheme == "http" else self.tls().wrap_socket(sock, server_hostname=place.host)

    # --- reading -----------------------------------------------------------------------------------

    def _body(self, answer: http.client.HTTPResponse) -> bytes:
        if 300 <= answer.status < 400:
            raise NoAnswer(f"redirects (status {answer.status}), which is not followed; give the final URL")
        if answer.status != 200:
            raise NoAnswer(f"answered with status {answer.status}")
        if not _is_json(answer.headers.get("Content-Type", "")):
            raise NoAnswer("did not answer with JSON")
        if answer.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise NoAnswer("its answer is compressed, which was not asked for")
        body = b"" if (answer.length or 0) > self.most else answer.read(self.most + 1)
        if len(body) > self.most or (answer.length or 0) > self.most:
            raise NoAnswer(f"answered with more than {self.most:,} bytes")
        # Without a length only a closing bracket says that all of it came: 12 may have been 125.
        has_end = answer.chunked or answer.length is not None or body.rstrip().endswith((b"}", b"]"))
        if answer.length or not has_end:
            raise NoAnswer("its answer broke off")
        return body


class _Incoming(io.RawIOBase):
    """What arrives on a socket, until a deadline: a socket's own timeout starts again with every byte."""

    def __init__(self, sock: socket.socket, left: Callable[[], float], most: int) -> None:
        self._sock = sock
        self._left = left
        self._most = most

    def makefile(self, _mode: str) -> io.BufferedReader:
        """Return itself as a file, which is all that `HTTPResponse` asks of a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read some bytes; raises `TimeoutError` after the deadline, and `NoAnswer` for a flood."""
        self._sock.settimeout(self._left())
        count = self._sock.recv_into(buffer)
        self._most -= count
        # Beneath all of HTTP, so that nothing in its framing can ask for more.
        if self._most < 0:
            raise NoAnswer("answered with far more bytes than it may")
        return count


def _is_json(content_type: str) -> bool:
    kind, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = {part.partition("=")[2].strip(' "') for part in parameters if part.startswith("charset")}
    is_json = kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))
    return is_json and charsets <= {"utf-8", "utf8", "us-ascii"}
