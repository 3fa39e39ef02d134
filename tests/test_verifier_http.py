"""Reading values over HTTP: whatever a service, a name or a subject does, only a plain value counts as a reply."""

from __future__ import annotations

import gzip
import socket
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services import Service, client_tls, json_answer, server_tls
from upheld.errors import Misconfigured
from upheld.verification import Asked, Changed, Reply, Unavailable
from upheld.verifiers.addresses import Reach, reach
from upheld.verifiers.exchange import MOST_LOOKING, NoAnswer
from upheld.verifiers.http_json import HttpJson
from upheld.verifiers.place import place
from upheld.verifiers.reply import reply_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

PRO = json_answer('{"plan": {"tier": "Pro"}, "seats": 12}')
TIER = {"plan_tier": "/plan/tier"}
SECRET = "sk-not-to-be-seen-0123456789"
# Far above what any of these takes, far below what a hang would.
BOUND_S = 20.0


def asked(subject: str = "Ana", attribute: str = "plan tier", scope: str = "crm") -> Asked:
    return Asked(
        note="1",
        scope=scope,
        subject=subject,
        attribute=attribute,
        value="Team",
        statement="Ana is on the Team plan.",
        sources=(),
        recorded_at=datetime(2026, 1, 14, tzinfo=UTC),
    )


def on(service: Service, path: str = "/users/{subject}", **settings: Any) -> HttpJson:
    settings = {"pointers": TIER, "allow_private": True, "timeout_s": 10.0, **settings}
    return HttpJson(f"http://127.0.0.1:{service.port}{path}", **settings)


def only(verifier: HttpJson, *about: Asked) -> Reply:
    """The one reply, within a bounded time."""
    start = time.monotonic()
    replies = verifier.verify(about or [asked()])
    assert time.monotonic() - start < BOUND_S
    (reply,) = replies
    return reply


def reason(reply: Reply) -> str:
    assert isinstance(reply, Unavailable)
    assert reply.reason
    assert reply.reason.isprintable()
    return reply.reason


def said(head: str, body: bytes = b"") -> bytes:
    """An answer as it stands, however wrong."""
    return f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{head}\r\n\r\n".encode() + body


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


# --- what it reads -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ('{"plan": {"tier": "Pro"}}', "Pro"),
        ('{"plan": {"tier": " Pro\\n"}}', "Pro"),
        ('{"plan": {"tier": "Größe 7"}}', "Größe 7"),
        ('{"plan": {"tier": true}}', "true"),
        ('{"plan": {"tier": 12}}', "12"),
        ('{"plan": {"tier": 12.50}}', "12.5"),
        ('{"plan": {"tier": -0.0}}', "0"),
        ('{"plan": {"tier": 1e3}}', "1000"),
        ('{"plan": {"tier": 12345678901234567890.125}}', "12345678901234567890.125"),
        ('{"plan": {"tier": "' + "x" * 512 + '"}}', "x" * 512),
    ],
)
def test_a_plain_value_is_read(body: str, value: str) -> None:
    with Service(json_answer(body)) as service:
        assert only(on(service)) == Changed(value)


def test_the_request_asks_for_the_value_as_it_is_now_and_for_nothing_compressed() -> None:
    with Service(PRO) as service:
        only(on(service))
    (head,) = service.heads
    lines = head.decode().split("\r\n")
    assert lines[0] == "GET /users/Ana HTTP/1.1"
    assert f"Host: 127.0.0.1:{service.port}" in lines
    assert {"Accept-Encoding: identity", "Cache-Control: no-cache", "Accept: application/json"} <= set(lines)


def test_one_request_answers_all_attributes_of_a_subject() -> None:
    pointers = {"plan_tier": "/plan/tier", "seats": "/seats", "city": "/contact/city"}
    with Service(PRO) as service:
        replies = on(service, pointers=pointers).verify(
            [asked(), asked(attribute="Seats"), asked(attribute="city"), asked(attribute="colour")]
        )
    assert replies[:2] == [Changed("Pro"), Changed("12")]
    assert reason(replies[2]) == "it has no value"
    assert "attribute" in reason(replies[3])
    assert service.connections == 1


def test_an_attribute_in_the_url_takes_a_request_for_each() -> None:
    with Service(lambda line, head: line.sendall(json_answer(f'"{head.split()[1].decode()}"'))) as service:
        verifier = on(service, "/{attribute}/{subject}?in={scope}", pointers={"plan tier": "", "seats": ""})
        replies = verifier.verify([asked(), asked(attribute="seats", scope="a/b"), asked()])
    tier = Changed("/plan%20tier/Ana?in=crm")
    assert replies == [tier, Changed("/seats/Ana?in=a%2Fb"), tier]
    assert service.connections == 2


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/a~1b", "slash"),
        ("/m~0n", "tilde"),
        ("/m~01n", "both"),
        ("/", "empty"),
        ("/list/1", "second"),
        ("/list/01", None),
        ("/list/2", None),
        ("/list/-", None),
        ("/list/-1", None),
        ("/list/١", None),  # digits, but not of ASCII
        ("/0", "zero"),
        ("/a~1b/deeper", None),
        ("", None),
        ("/list", None),
        ("/nothing", None),
        ("/missing", None),
    ],
)
def test_json_pointers_are_those_of_rfc_6901(pointer: str, value: str | None) -> None:
    body = (
        '{"a/b": "slash", "m~n": "tilde", "m~1n": "both", "": "empty", "list": ["first", "second"], "0": "zero",'
        ' "nothing": null}'
    )
    with Service(json_answer(body)) as service:
        reply = only(on(service, pointers={"plan tier": pointer}))
    assert reply == Changed(value) if value is not None else reason(reply)


def test_a_chunked_answer_and_one_that_ends_with_the_connection_are_read() -> None:
    chunked = said("Transfer-Encoding: chunked", b'4\r\n"Pro\r\n1\r\n"\r\n0\r\n\r\n')
    with Service(chunked) as service:
        assert only(on(service, pointers={"plan tier": ""})) == Changed("Pro")
    with Service(b'HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{"plan": {"tier": "Pro"}}') as service:
        assert only(on(service)) == Changed("Pro")


# --- the failures of a service -------------------------------------------------------------------


FAILURES = {
    "nothing at all": (b"", "broke off"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "not HTTP"),
    "400": (json_answer('{"plan": {"tier": "Pro"}}', status="400 Bad Request"), "status 400"),
    "401": (json_answer('{"plan": {"tier": "Pro"}}', status="401 Unauthorized"), "status 401"),
    "404": (json_answer('{"plan": {"tier": "Pro"}}', status="404 Not Found"), "status 404"),
    "429": (json_answer('{"plan": {"tier": "Pro"}}', status="429 Too Many Requests"), "status 429"),
    "500": (json_answer('{"plan": {"tier": "Pro"}}', status="500 Oh No"), "status 500"),
    "503": (json_answer('{"plan": {"tier": "Pro"}}', status="503 Later"), "status 503"),
    "204": (b"HTTP/1.1 204 No Content\r\n\r\n", "status 204"),
    "206": (json_answer('{"plan": {"tier": "Pro"}}', status="206 Partial Content"), "status 206"),
    "empty": (json_answer(""), "not JSON"),
    "null": (json_answer("null"), "no value"),
    "null value": (json_answer('{"plan": {"tier": null}}'), "no value"),
    "an object": (json_answer('{"plan": {"tier": {"name": "Pro"}}}'), "no text, number or boolean"),
    "a list": (json_answer('{"plan": {"tier": ["Pro"]}}'), "no text, number or boolean"),
    "missing": (json_answer('{"error": "not found"}'), "no value"),
    "empty text": (json_answer('{"plan": {"tier": "  "}}'), "visible line"),
    "invisible": (json_answer('{"plan": {"tier": "\\u200b\\u00ad"}}'), "visible line"),
    "two lines": (json_answer('{"plan": {"tier": "Pro\\nTeam"}}'), "visible line"),
    "two lines of Unicode": (json_answer('{"plan": {"tier": "Pro\\u2028Team"}}'), "visible line"),
    "a control character": (json_answer('{"plan": {"tier": "Pro\\u0007"}}'), "visible line"),
    "half a character": (json_answer('{"plan": {"tier": "\\ud800"}}'), "visible line"),
    "a long value": (json_answer('{"plan": {"tier": "' + "x" * 513 + '"}}'), "visible line"),
    "NaN": (json_answer('{"plan": {"tier": NaN}}'), "not JSON"),
    "Infinity": (json_answer('{"plan": {"tier": -Infinity}}'), "not JSON"),
    "NaN beside it": (json_answer('{"plan": {"tier": "Pro"}, "seats": NaN}'), "not JSON"),
    "a billion zeros": (json_answer('{"plan": {"tier": 1e999999999}}'), "number"),
    "a billionth": (json_answer('{"plan": {"tier": 1e-999999999}}'), "number"),
    "no exponent fits": (json_answer('{"plan": {"tier": 1e99999999999999999999}}'), "not JSON"),
    "many digits": (json_answer('{"plan": {"tier": ' + "9" * 50_000 + "}}"), "number"),
    "a name twice": (json_answer('{"plan": {"tier": "Team", "tier": "Pro"}}'), "not JSON"),
    "deep": (json_answer("[" * 30_000 + "]" * 30_000), "not JSON"),
    "more after it": (json_answer('{"plan": {"tier": "Pro"}} {}'), "not JSON"),
    "a byte order mark": (json_answer(b'\xef\xbb\xbf{"plan": {"tier": "Pro"}}'), "not JSON"),
    "no UTF-8": (json_answer(b'{"plan": {"tier": "Pr\xf6"}}'), "not JSON"),
    "UTF-16": (json_answer('{"plan": {"tier": "Pro"}}'.encode("utf-16")), "not JSON"),
    "Latin-1": (
        json_answer('{"plan": {"tier": "Pro"}}', kind="application/json; charset=iso-8859-1"),
        "not answer with",
    ),
    "a login page": (json_answer("<!doctype html><title>Sign in</title>", kind="text/html"), "not answer with JSON"),
    "a login page that says JSON": (json_answer("<!doctype html><title>Sign in</title>"), "not JSON"),
    "text": (json_answer('{"plan": {"tier": "Pro"}}', kind="text/plain"), "not answer with JSON"),
    "javascript": (json_answer('{"plan": {"tier": "Pro"}}', kind="application/javascript"), "not answer with JSON"),
    "no content type": (b'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"ab"', "not answer with JSON"),
    "truncated": (said("Content-Length: 100", b'{"plan": {"tier": "Pro"}}'), "broke off"),
    "truncated chunk": (said("Transfer-Encoding: chunked", b'19\r\n{"plan": {"tier": "Pro"}'), "broke off"),
    "no last chunk": (said("Transfer-Encoding: chunked", b'19\r\n{"plan": {"tier": "Pro"}}\r\n'), "broke off"),
    "truncated, no length": (said("Connection: close", b'{"plan": {"tier": "Pr'), "broke off"),
    "gzip": (said("Content-Encoding: gzip\r\nContent-Length: 3", b"\x1f\x8b\x08"), "compressed"),
    "gzip unsaid": (json_answer(gzip.compress(b'{"plan": {"tier": "Pro"}}')), "not JSON"),
    "a long announced body": (said("Content-Length: 1000000000000", b'{"plan"'), "more than 65,536 bytes"),
    "a long body": (json_answer('{"plan": {"tier": "Pro"}' + " " * 65_536 + "}"), "more than 65,536 bytes"),
    "a huge chunk": (said("Transfer-Encoding: chunked", b"fffffffffffffffff\r\n" + b" " * 70_000), "more than"),
    "a negative chunk": (said("Transfer-Encoding: chunked", b"-1\r\n" + b" " * 400_000), "bytes"),
    "a chunk of no size": (said("Transfer-Encoding: chunked", b"zz\r\n\r\n"), "broke off"),
    "a long header": (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", "not HTTP"),
    "many headers": (b"HTTP/1.1 200 OK\r\n" + b"X: x\r\n" * 200 + b"\r\n", "not HTTP"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_is_no_plain_value_verifies_nothing(name: str) -> None:
    answer, expected = FAILURES[name]
    with Service(answer) as service:
        found = reason(only(on(service)))
    assert expected in found
    assert "Pro" not in found
    assert "Sign in" not in found
    assert service.connections == 1  # nothing is tried again


def test_the_same_service_is_read_once_it_answers_well() -> None:
    answers = [answer for answer, _ in FAILURES.values()]
    with Service(lambda line, _: line.sendall(answers.pop() if answers else PRO)) as service:
        verifier = on(service)
        while answers:
            reason(only(verifier))
        assert only(verifier) == Changed("Pro")


def test_a_bomb_is_not_unpacked() -> None:
    bomb = gzip.compress(b'{"plan": {"tier": "Pro"}, "x": "' + b"0" * 20_000_000 + b'"}')
    with Service(said(f"Content-Encoding: gzip\r\nContent-Length: {len(bomb)}", bomb)) as service:
        assert "compressed" in reason(only(on(service)))


@pytest.mark.parametrize(
    ("start", "again"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X: x\r\n"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (said("Connection: close", b"["), b'"x", ' * 1000),
        (said("Transfer-Encoding: chunked"), b"1\r\n[\r\n" * 100),
        (said("Transfer-Encoding: chunked", b'4\r\n"Ab"\r\n0\r\n'), b"X: x\r\n" * 100),
    ],
    ids=["headers", "continue", "body", "chunks", "trailers"],
)
def test_a_flood_is_cut_off(start: bytes, again: bytes) -> None:
    sent = []

    def flood(line: socket.socket, _: bytes) -> None:
        line.sendall(start)
        while len(sent) * len(again) < 100_000_000:
            line.sendall(again)
            sent.append(1)

    with Service(flood) as service:
        reason(only(on(service)))
    assert len(sent) * len(again) < 50_000_000  # the sockets' buffers hold some


# --- time ----------------------------------------------------------------------------------------


def test_a_service_that_says_nothing_is_left_in_time() -> None:
    with Service(lambda *_: service.done.wait(60)) as service:
        assert reason(only(on(service, timeout_s=0.2))) == "did not answer in time"


@pytest.mark.parametrize("where", ["head", "body", "continue"])
def test_a_slow_drip_does_not_outlast_the_deadline(where: str) -> None:
    clock, sent = FakeClock(), bytearray()
    whole = b"HTTP/1.1 100 Continue\r\n\r\n" * 1000 + PRO if where == "continue" else PRO
    head = whole.index(b"\r\n\r\n") + 4 if where == "body" else 0

    def drip(line: socket.socket, _: bytes) -> None:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.sendall(whole[:head])
        for byte in whole[head:]:
            clock.now += 1
            line.sendall(bytes([byte]))
            sent.append(byte)
            if clock.now > 200:  # far past the deadline: stay connected, say no more
                service.done.wait(60)
                return

    with Service(drip) as service:
        assert reason(only(on(service, timeout_s=5.0, clock=clock))) == "did not answer in time"


def test_a_drip_within_the_deadline_is_read() -> None:
    clock = FakeClock()

    def drip(line: socket.socket, _: bytes) -> None:
        for byte in PRO:
            clock.now += 1
            line.sendall(bytes([byte]))

    with Service(drip) as service:
        assert only(on(service, timeout_s=len(PRO) + 1.0, clock=clock)) == Changed("Pro")


def test_one_deadline_covers_all_requests_of_a_call() -> None:
    clock = FakeClock()

    def late(line: socket.socket, _: bytes) -> None:
        clock.now += 10
        line.sendall(PRO)

    pointers = {"plan tier": "/plan/tier", "seats": "/seats"}
    with Service(late) as service:
        verifier = on(service, "/{attribute}/{subject}", pointers=pointers, timeout_s=5.0, clock=clock)
        replies = verifier.verify([asked(), asked(attribute="seats")])
    assert reason(replies[1]) == "did not answer in time"
    assert service.connections == 1


def test_a_name_that_is_not_resolved_in_time_is_left() -> None:
    over = threading.Event()

    def slow(host: str, port: int) -> Sequence[str]:
        over.wait(60)
        return ["93.184.216.34"]

    verifier = HttpJson("https://billing.test/{subject}", TIER, timeout_s=0.2, resolve=slow, connect=never)
    try:
        assert reason(only(verifier)) == "did not answer in time"
    finally:
        over.set()


def test_look_ups_that_hang_do_not_pile_up() -> None:
    over, looked = threading.Event(), []

    def slow(host: str, port: int) -> Sequence[str]:
        looked.append(host)
        over.wait(60)
        return []

    verifier = HttpJson("https://billing.test/{subject}", TIER, timeout_s=0.01, resolve=slow, connect=never)
    try:
        for _ in range(MOST_LOOKING):
            assert reason(only(verifier)) == "did not answer in time"
        assert "look-ups" in reason(only(verifier))
        assert len(looked) == MOST_LOOKING
    finally:
        over.set()
    quick = HttpJson("https://billing.test/{subject}", TIER, timeout_s=10.0, resolve=lambda *_: [], connect=never)
    for _ in range(2 * MOST_LOOKING):
        assert reason(only(quick)) == "its name leads to no address"


def test_a_handshake_that_never_ends_is_left_in_time() -> None:
    with Service(b"") as service:
        # It reads the greeting as a head that does not end, and waits for more of it.
        verifier = HttpJson(
            f"https://localhost:{service.port}/{{subject}}",
            TIER,
            allow_private=True,
            timeout_s=0.2,
            resolve=lambda *_: ["127.0.0.1"],
        )
        assert reason(only(verifier)) == "did not answer in time"
    assert service.connections == 1


def never(address: str, port: int, timeout_s: float) -> socket.socket:
    raise AssertionError(f"connected to {address}")


# --- redirects, proxies --------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
@pytest.mark.parametrize("elsewhere", ["http://127.0.0.1:{port}/", "//127.0.0.1:{port}/", "/here"])
def test_a_redirect_is_not_followed(status: str, elsewhere: str) -> None:
    with Service(PRO) as other:
        to = elsewhere.format(port=other.port)
        with Service(json_answer('{"plan": {"tier": "Pro"}}', status=status, more=f"Location: {to}\r\n")) as service:
            assert "redirects" in reason(only(on(service)))
    assert (service.connections, other.connections) == (1, 0)


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with Service(PRO) as proxy, Service(json_answer('{"plan": {"tier": "Team"}}')) as service:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert only(on(service)) == Changed("Team")
    assert proxy.connections == 0


# --- where it may go -----------------------------------------------------------------------------

INSIDE = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "::1",
    "fd00::1",
]
NEVER = [
    *("0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
    *("192.0.0.192", "192.0.2.1", "198.18.0.1", "192.88.99.1", "168.63.129.16", "100.100.100.200"),
    *("::", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "fe80::1", "fe80::1%1", "fec0::1"),
    *("ff02::1", "2002:7f00:1::", "2001:0:4136:e378::", "2001:db8::1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe"),
    *("64:ff9b:1::1", "100::1", "fd00:ec2::254", "5f00::1", "4000::1", "no address"),
]
OUTSIDE = ["1.1.1.1", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::1.1.1.1"]


def test_every_address_has_a_reach() -> None:
    assert {address: reach(address) for address in INSIDE} == dict.fromkeys(INSIDE, Reach.PRIVATE)
    assert {address: reach(address) for address in NEVER} == dict.fromkeys(NEVER, Reach.NEVER)
    assert {address: reach(address) for address in OUTSIDE} == dict.fromkeys(OUTSIDE, Reach.PUBLIC)


@given(st.ip_addresses())
def test_what_python_calls_private_is_not_public(address: Any) -> None:
    if reach(str(address)) is Reach.PUBLIC and address not in _nat64():
        assert address.is_global
        assert not address.is_multicast


def _nat64() -> Any:
    import ipaddress

    return ipaddress.ip_network("64:ff9b::/96")


@pytest.fixture
def public(tmp_path: Path) -> Iterator[Any]:
    """A service behind a public address: what is connected to instead is on this machine, and is written down."""
    with Service(PRO, server_tls(tmp_path)) as service:
        service.reached = []  # type: ignore[attr-defined]

        def connect(address: str, port: int, timeout_s: float) -> socket.socket:
            service.reached.append((address, port))  # type: ignore[attr-defined]
            return socket.create_connection(("127.0.0.1", service.port), timeout_s)

        service.connect = connect  # type: ignore[attr-defined]
        yield service


def named(
    service: Any, *addresses: str, url: str = "https://billing.test/users/{subject}", **settings: Any
) -> HttpJson:
    settings = {"tls": client_tls(), "timeout_s": 10.0, **settings}
    return HttpJson(url, TIER, resolve=lambda *_: addresses, connect=service.connect, **settings)


@pytest.mark.parametrize("address", OUTSIDE)
def test_a_public_address_is_asked_over_tls(public: Any, address: str) -> None:
    assert only(named(public, address)) == Changed("Pro")
    assert public.reached == [(address, 443)]
    assert b"Host: billing.test\r\n" in public.heads[0]


@pytest.mark.parametrize("address", [*INSIDE, *NEVER])
def test_a_name_that_leads_inside_is_not_asked(public: Any, address: str) -> None:
    expected = "private" if address in INSIDE else "never asked"
    assert expected in reason(only(named(public, address)))
    assert "never asked" in reason(only(named(public, "1.1.1.1", "169.254.169.254", allow_private=True)))
    assert expected in reason(only(named(public, "1.1.1.1", address)))  # one foot inside is enough
    assert public.reached == []


@pytest.mark.parametrize("address", INSIDE)
def test_a_private_address_is_asked_where_that_is_meant(public: Any, address: str) -> None:
    assert only(named(public, address, allow_private=True)) == Changed("Pro")


@pytest.mark.parametrize("address", NEVER)
def test_no_setting_opens_what_is_never_asked(public: Any, address: str) -> None:
    assert "never asked" in reason(only(named(public, address, allow_private=True)))
    assert public.reached == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "2130706433", "0x7f000001", "127.1", "0177.0.0.1", "localhost"])
def test_an_inside_address_is_known_however_it_is_written(host: str) -> None:
    reason(only(HttpJson(f"https://{host}/{{subject}}", TIER, connect=never)))


def test_the_address_that_was_judged_is_the_one_that_is_reached(public: Any) -> None:
    answers = [["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]]
    asked_for = []

    def rebinding(host: str, port: int) -> Sequence[str]:
        asked_for.append((host, port))
        return answers.pop(0)

    verifier = HttpJson(
        "https://billing.test/users/{subject}",
        TIER,
        tls=client_tls(),
        resolve=rebinding,
        connect=public.connect,
        timeout_s=10.0,
    )
    assert only(verifier) == Changed("Pro")
    assert (asked_for, public.reached) == ([("billing.test", 443)], [("93.184.216.34", 443)])
    assert "private" in reason(only(verifier))  # judged again at each call
    assert len(public.reached) == 1


def test_the_next_address_is_tried_where_one_does_not_answer(public: Any) -> None:
    tried = []

    def connect(address: str, port: int, timeout_s: float) -> socket.socket:
        tried.append((address, timeout_s))
        if address == "2606:4700::1111":
            raise TimeoutError
        return public.connect(address, port, timeout_s)

    verifier = HttpJson(
        "https://billing.test/users/{subject}",
        TIER,
        tls=client_tls(),
        resolve=lambda *_: ["2606:4700::1111", "1.1.1.1"],
        connect=connect,
        timeout_s=10.0,
        clock=FakeClock(),
    )
    assert only(verifier) == Changed("Pro")
    assert tried == [("2606:4700::1111", 5.0), ("1.1.1.1", 10.0)]


def test_a_name_that_leads_nowhere_is_no_answer() -> None:
    def unknown(host: str, port: int) -> Sequence[str]:
        raise socket.gaierror(-2, "Name or service not known")

    for lookup in (unknown, lambda *_: []):
        verifier = HttpJson("https://billing.test/{subject}", TIER, resolve=lookup, connect=never)
        assert reason(only(verifier)) == "its name leads to no address"


def test_a_closed_port_is_no_answer() -> None:
    with Service(PRO) as service:
        pass
    assert reason(only(on(service))) == "no connection (ConnectionRefusedError)"


def test_plain_http_stays_inside(public: Any) -> None:
    with pytest.raises(Misconfigured, match="https"):
        HttpJson("http://billing.test/{subject}", TIER)
    over_http = named(public, "1.1.1.1", url="http://billing.test/{subject}", allow_private=True)
    assert "https only" in reason(only(over_http))
    assert public.reached == []


# --- TLS -----------------------------------------------------------------------------------------


def test_a_certificate_that_nobody_vouches_for_is_refused(public: Any) -> None:
    assert reason(only(named(public, "1.1.1.1", tls=None))) == "its certificate does not verify"
    assert public.heads in ([], [b""])  # nothing was said to it


def test_a_certificate_for_another_name_is_refused(public: Any) -> None:
    other = named(public, "1.1.1.1", url="https://other.test/{subject}")
    assert reason(only(other)) == "its certificate does not verify"


def test_a_service_without_tls_is_not_asked_over_it() -> None:
    with Service(PRO, at_once=True) as service:
        url = f"https://127.0.0.1:{service.port}/{{subject}}"
        verifier = HttpJson(url, TIER, allow_private=True, timeout_s=10.0)
        assert reason(only(verifier)) == "no secure connection could be made"
    assert not any(b"GET" in head for head in service.heads)


# --- the URL -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "",
        "billing.test/{subject}",
        "ftp://billing.test/{subject}",
        "file:///etc/passwd?{subject}",
        f"https://ana:{SECRET}@billing.test/{{subject}}",
        f"https://{SECRET}@billing.test/{{subject}}",
        "https://billing.test@evil.test/{subject}",
        "https://{subject}/users",
        "https://{subject}.billing.test/users",
        "https://billing.test:{subject}/users",
        "https://billing.test:99999/{subject}",
        "https://billing.test:0/{subject}",
        "https:///{subject}",
        "https://billing.test/{subject}#fragment",
        "https://billing.test/users",
        "https://billing.test/{subject}/{value}",
        "https://billing.test/{subject}/{",
        "https://billing.test/{subject.__class__}",
        "https://billing.test/{subject!r}",
        "https://billing.test/{{subject}}/{}",
        "https://billing.test/a/../{subject}",
        "https://billing.test/%2e%2e/{subject}",
        "https://billing.test/ {subject}",
        "https://billing.test/\r\nX: y{subject}",
        "https://billing.test\\@evil.test/{subject}",
        "https://bücher.test/{subject}",
        "https://[fe80::1%25eth0]/{subject}",
    ],
)
def test_a_url_that_could_lead_elsewhere_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured) as refused:
        HttpJson(url, TIER)
    assert SECRET not in str(refused.value)


HOSTILE = [
    *("..", ".", "../admin", "..\\admin", "a/../b", "a/b", "a\\b", "/etc/passwd", "//evil.test/x", "https://evil.test"),
    *("%2e%2e", "%2E%2E%2fadmin", "..%2fadmin", "%252e%252e", "a%2fb", "a%5cb", "a%252fb", "a%25252525252fb"),
    *("．．", "a／b", "‥", "a＼b", "％2f", " .. ", "   ", "", "a%0d%0ab", "\ud800"),
    *("a\r\nHost: evil.test", "a\nb", "a\x00b", "a\x85b"),
]  # fmt: skip


@pytest.mark.parametrize("subject", HOSTILE)
def test_a_subject_that_could_change_the_path_is_not_sent(subject: str) -> None:
    with Service(PRO) as service:
        assert "subject" in reason(only(on(service), asked(subject)))
        assert service.connections == 0
        assert only(on(service), asked("Ana")) == Changed("Pro")


@pytest.mark.parametrize(
    ("subject", "sent"),
    [
        ("Ana?admin=1", "Ana%3Fadmin%3D1"),
        ("Ana#x", "Ana%23x"),
        ("Ana;v=2", "Ana%3Bv%3D2"),
        ("100%", "100%25"),
        ("50%20off", "50%2520off"),
        ("a&b=c", "a%26b%3Dc"),
        ("ana@example.test", "ana%40example.test"),
        ("{scope}", "%7Bscope%7D"),
        ("Zoë 東京", "Zo%C3%AB%20%E6%9D%B1%E4%BA%AC"),
        ("...", "..."),
        ("x" * 512, "x" * 512),
    ],
)
def test_a_subject_is_one_step_of_the_path(subject: str, sent: str) -> None:
    with Service(PRO) as service:
        assert only(on(service, "/users/{subject}/plan"), asked(subject)) == Changed("Pro")
    assert service.heads[0].split(b"\r\n")[0] == f"GET /users/{sent}/plan HTTP/1.1".encode()


@given(st.text(max_size=40))
def test_no_subject_changes_the_shape_of_the_target(subject: str) -> None:
    template = place("https://billing.test/users/{subject}/plan?of={scope}&x=1")
    target = template.target(asked(subject, scope="a/b"))
    if target is not None:
        assert target.isascii()
        assert target.isprintable()
        path, _, query = target.partition("?")
        assert path.count("/") == 3
        assert path.startswith("/users/")
        assert path.endswith("/plan")
        assert query == "of=a%2Fb&x=1"


def test_a_query_takes_what_a_path_does_not() -> None:
    with Service(PRO) as service:
        verifier = on(service, "/plan?user={subject}&scope={scope}")
        assert only(verifier, asked("../a&b=c%2f", scope="project/x")) == Changed("Pro")
        reason(only(verifier, asked("a\r\nb")))
    assert [head.split()[1] for head in service.heads] == [b"/plan?user=..%2Fa%26b%3Dc%252f&scope=project%2Fx"]


# --- secrets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "line"), [(None, f"Authorization: Bearer {SECRET}"), ("X-Api-Key", f"X-Api-Key: {SECRET}")]
)
def test_a_token_is_read_from_the_environment(header: str | None, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with Service(PRO) as service:
        verifier = on(service, token_env="BILLING_TOKEN", header=header)
        monkeypatch.delenv("BILLING_TOKEN", raising=False)
        assert "BILLING_TOKEN is not set" in reason(only(verifier))
        monkeypatch.setenv("BILLING_TOKEN", SECRET + "\n")
        assert only(verifier) == Changed("Pro")
        monkeypatch.setenv("BILLING_TOKEN", SECRET + "\r\nX-Admin: yes")
        assert "no token can have" in reason(only(verifier))
    (head,) = service.heads
    assert line.encode() in head.split(b"\r\n")


def test_a_token_is_nowhere_but_in_the_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("BILLING_TOKEN", SECRET)
    caplog.set_level(0)
    shown = []
    echoes = [
        json_answer(SECRET, status=f"401 {SECRET}"),
        json_answer(SECRET),
        f"HTTP/1.1 {SECRET}\r\n\r\n".encode(),
        f"{SECRET}\r\n\r\n".encode(),
        f"HTTP/1.1 302 {SECRET}\r\nLocation: http://{SECRET}/\r\n\r\n".encode(),
        said("Transfer-Encoding: chunked", SECRET.encode() + b"\r\n"),
    ]
    with Service(lambda line, _: line.sendall(echoes.pop())) as service:
        verifier = on(service, token_env="BILLING_TOKEN", header="X-Api-Key")
        while echoes:
            shown.append(reason(only(verifier)))
    shown += [repr(verifier), str(vars(verifier)), capsys.readouterr().out, capsys.readouterr().err, caplog.text]
    assert not any(SECRET in text for text in shown)
    assert all(SECRET.encode() in head for head in service.heads)


def test_no_error_of_a_library_stays_behind_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A traceback that prints variables would show the token in the frames of a chained error."""
    monkeypatch.setenv("BILLING_TOKEN", SECRET)
    with Service(b"nothing of HTTP\r\n\r\n") as service:
        verifier = on(service, token_env="BILLING_TOKEN")
        with pytest.raises(NoAnswer) as failed:
            verifier._exchange.get(verifier._place, "/", verifier._headers(), time.monotonic() + 10)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


@pytest.mark.parametrize(
    "settings",
    [
        {"token_env": SECRET},
        {"token_env": ""},
        {"header": "X-Api-Key"},
        {"token_env": "TOKEN", "header": "Host"},
        {"token_env": "TOKEN", "header": "content-length"},
        {"token_env": "TOKEN", "header": "X-Api-Key: x\r\nY"},
        {"token_env": "TOKEN", "header": ""},
        {"timeout_s": 0},
        {"timeout_s": float("nan")},
        {"timeout_s": float("inf")},
        {"timeout_s": True},
        {"most_bytes": 0},
        {"most_bytes": 1 << 40},
        {"pointers": {}},
        {"pointers": {"plan": "plan"}},
        {"pointers": {"plan": "/a~2"}},
        {"source": "two\nlines"},
    ],
)
def test_a_setting_that_cannot_work_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(Misconfigured) as refused:
        HttpJson("https://billing.test/{subject}", **{"pointers": TIER, **settings})
    assert SECRET not in str(refused.value)


# --- together ------------------------------------------------------------------------------------


def test_many_threads_may_ask_at_once() -> None:
    with Service(lambda line, head: line.sendall(json_answer(f'"{head.split()[1].decode()}"'))) as service:
        verifier = on(service, "/{subject}", pointers={"plan tier": ""})
        found: dict[int, Reply] = {}

        def ask(number: int) -> None:
            found[number] = only(verifier, asked(f"u{number}"))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: Changed(f"/u{number}") for number in range(16)}


@pytest.mark.parametrize("answer", [b"", PRO, b"HTTP/1.1 302 x\r\n\r\n", json_answer("x" * 70_000)])
def test_no_connection_stays_open(answer: bytes) -> None:
    closed = threading.Event()

    def watch(line: socket.socket, _: bytes) -> None:
        try:
            line.sendall(answer)
            line.shutdown(socket.SHUT_WR)
            while line.recv(65536):
                pass
        except TimeoutError:
            return
        except OSError:  # closed with something unread, or not yet sent
            pass
        closed.set()

    with Service(watch) as service:
        only(on(service))
        assert closed.wait(BOUND_S)


@given(st.floats() | st.integers() | st.decimals() | st.text() | st.booleans() | st.none() | st.binary() | st.dates())
def test_any_value_becomes_one_visible_line_or_nothing(value: object) -> None:
    reply = reply_of(value)
    if isinstance(reply, Changed):
        assert reply.value.strip() == reply.value != ""
        assert len(reply.value.splitlines()) == 1
        assert len(reply.value) <= 512
        if isinstance(value, float):
            assert float(reply.value) == value
    else:
        reason(reply)
