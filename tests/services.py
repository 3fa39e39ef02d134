"""A service that a test scripts down to the byte, on this machine, and a certificate for the name `billing.test`.

The key is of no use outside these tests: nothing but the context made here trusts it.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

Answer = Callable[[socket.socket, bytes], object]

KEY_AND_CERTIFICATE = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggdrPHLBkt4ynWm8Y
1UxNjZ9qlUMsGs81mjMHn2p9PiOhRANCAARVg3BOaNkumZTKLKvvm8Uyt69rcq4G
a0I98J5DRdaUfjR+VH9T+qZEycJJtJMRezQxH41j2XtFeOFTAJ+MGrIk
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBeTCCASCgAwIBAgIBATAKBggqhkjOPQQDAjAXMRUwEwYDVQQDDAxiaWxsaW5n
LnRlc3QwIBcNMjAwMTAxMDAwMDAwWhgPOTk5OTEyMzEyMzU5NTlaMBcxFTATBgNV
BAMMDGJpbGxpbmcudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFWDcE5o
2S6ZlMosq++bxTK3r2tyrgZrQj3wnkNF1pR+NH5Uf1P6pkTJwkm0kxF7NDEfjWPZ
e0V44VMAn4wasiSjWzBZMBcGA1UdEQQQMA6CDGJpbGxpbmcudGVzdDAPBgNVHRMB
Af8EBTADAQH/MA4GA1UdDwEB/wQEAwIChDAdBgNVHQ4EFgQULASR/graL5qBdzkL
4gEUZTgC4HQwCgYIKoZIzj0EAwIDRwAwRAIgVreu0h1OMct8QRosyHfmNgVtwVwF
jZT67Md0+0Rnb8wCIASL/K6uup1C6ZCI1x29lJ31nYOvbRZvhiWF7Wpa0qgY
-----END CERTIFICATE-----
"""


def json_answer(body: str | bytes, *, status: str = "200 OK", kind: str = "application/json", more: str = "") -> bytes:
    """A whole answer with its length."""
    content = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n{more}\r\n"
    return head.encode() + content


class Service:
    """Listens on 127.0.0.1; `answer` is bytes, or is called with the connection and the head of the request.

    With `at_once` it does not wait to be asked. `heads` are the requests it got, `connections` how many connected,
    `done` is set when the test is over.
    """

    def __init__(self, answer: bytes | Answer, tls: ssl.SSLContext | None = None, *, at_once: bool = False) -> None:
        self.heads: list[bytes] = []
        self.connections = 0
        self.done = threading.Event()
        self._answer = answer
        self._tls = tls
        self._at_once = at_once
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._threads = [threading.Thread(target=self._listen)]
        self._threads[0].start()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        with socket.create_connection(("127.0.0.1", self.port)):
            pass  # wakes the listener
        for thread in self._threads:
            thread.join(timeout=30)
        self._listener.close()
        assert not any(thread.is_alive() for thread in self._threads)

    def _listen(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            if self.done.is_set():
                connection.close()
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):  # the other side left
            connection.settimeout(30)
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            head = b""
            while b"\r\n\r\n" not in head and not self._at_once:
                received = connection.recv(65536)
                if not received:
                    break
                head += received
            self.heads.append(head)
            if callable(self._answer):
                self._answer(connection, head)
            else:
                connection.sendall(self._answer)
        connection.close()


def server_tls(folder: Path) -> ssl.SSLContext:
    """What a service for `billing.test` presents."""
    (folder / "key.pem").write_text(KEY_AND_CERTIFICATE)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "key.pem")
    return context


def client_tls() -> ssl.SSLContext:
    """What trusts that certificate, for that name, and no other."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=KEY_AND_CERTIFICATE[KEY_AND_CERTIFICATE.index("-----BEGIN CERT") :])
    return context
