"""What asking an owner costs a conversation: twenty turns about one value inside one window.

The owner is an HTTP service on this machine, read through the verifier that ships. The same questions are put to a
store with the same notes and no verifiers, in turn, and who goes first alternates, so that noise on the machine falls
on both. Notes are found by words, so no model is in the figures. In a second round the owner is down.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import upheld
from upheld.answer import Recall
from upheld.bench.evidence import RowsFile, milliseconds, of_kind, share
from upheld.bench.progress import Steps
from upheld.memory import Memory
from upheld.note import Band, Draft, Key
from upheld.verifiers.http_json import HttpJson

SUITE = "verify-cost"
TURNS = 20
CONVERSATIONS = 25
OTHERS = 1_000
TURN = timedelta(seconds=2)
"""Between two turns; twenty of them fit into the policy's window of a minute."""
APART = timedelta(minutes=5)
UP, DOWN, OPEN = "up", "down", "open"

_SCOPE, _KIND, _SUBJECT, _ATTRIBUTE, _TIER = "crm", "entitlement", "Acme", "plan tier", "Pro"
_BEGAN = datetime(2026, 4, 9, 9, tzinfo=UTC)
_ASKED = (
    "Which plan tier is Acme on?",
    "Is single sign-on part of Acme's plan tier?",
    "What does the plan tier of Acme include?",
    "May Acme add seats on its plan tier?",
)
_TOPICS = ("billing contact", "shipping city", "account manager", "support channel", "renewal month")
_WORDS = ("amber", "birch", "cobalt", "delta", "ember", "fjord", "grove", "heron")
_Row = Mapping[str, Any]


class Billing:
    """A small billing service: it counts requests, and can be out of order."""

    def __init__(self) -> None:
        self.requests = 0
        self.is_up = True
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._answering())
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/customers/{{subject}}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="upheld-bench-billing")

    def _answering(self) -> type[BaseHTTPRequestHandler]:
        billing = self

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                billing.requests += 1
                body = json.dumps({"plan": {"tier": _TIER}}).encode()
                self.send_response(200 if billing.is_up else 503)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing of requests on stderr."""

        return Answering

    def __enter__(self) -> Billing:
        """Begin to answer."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop answering."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Clock:
    def __init__(self) -> None:
        self.now = _BEGAN

    def __call__(self) -> datetime:
        return self.now


class _Held(NamedTuple):
    """A clock, and two stores with the same notes by it, of which the first has a verifier."""

    clock: _Clock
    owned: Memory
    plain: Memory


def run(
    rows: RowsFile, steps: Steps, *, conversations: int = CONVERSATIONS, turns: int = TURNS, others: int = OTHERS
) -> None:
    """Hold conversations with the owner up, then with the owner down."""
    for state in (UP, DOWN):
        with Billing() as billing, _stores(billing, others) as held:
            _settle(held)
            billing.is_up = state == UP
            with steps.step(f"owner {state}: {conversations} conversations", conversations) as tick:
                for number in range(conversations):
                    _converse(rows, held, billing, turns=turns, state=state, number=number)
                    tick(number + 1)


@contextmanager
def _stores(billing: Billing, others: int) -> Iterator[_Held]:
    """Two stores on disk with the same notes and clock, of which the first has a verifier."""
    clock = _Clock()
    verifier = HttpJson(billing.url, {_ATTRIBUTE: "/plan/tier"}, source="billing", allow_private=True)
    with TemporaryDirectory(prefix="upheld-bench-") as folder:
        where = Path(folder)
        with (
            upheld.open(where / "owned.db", embedder=None, clock=clock, verifiers={_ATTRIBUTE: verifier}) as owned,
            upheld.open(where / "plain.db", embedder=None, clock=clock) as plain,
        ):
            for memory in (owned, plain):
                for result in memory.remember_many(_notes(others)):
                    if isinstance(result, upheld.UpheldError):
                        raise result
            yield _Held(clock, owned, plain)


def _notes(others: int) -> list[Draft]:
    """The note that is asked for, and others that no system owns, a few of them about the same customer."""
    made = [_note(_SUBJECT, _ATTRIBUTE, _TIER)]
    for number in range(others):
        word, topic = _WORDS[number % len(_WORDS)], _TOPICS[number % len(_TOPICS)]
        subject = _SUBJECT if number < len(_TOPICS) else f"{word.title()} {number}"
        made.append(_note(subject, topic, f"{word}-{number}"))
    return made


def _note(subject: str, attribute: str, value: str) -> Draft:
    return Draft(
        statement=f"The {attribute} of {subject} is {value}.",
        scope=_SCOPE,
        kind=_KIND,
        by="agent:bench",
        key=Key(subject=subject, attribute=attribute),
        value=value,
    )


def _ask(memory: Memory, turn: int) -> Recall:
    return memory.recall(_ASKED[turn % len(_ASKED)], scope=_SCOPE)


def _settle(held: _Held) -> None:
    """One conversation that is not counted: first recalls read indexes and fill caches."""
    for turn in range(len(_ASKED)):
        for memory in (held.owned, held.plain):
            _ask(memory, turn)
    held.clock.now += APART


def _converse(rows: RowsFile, held: _Held, billing: Billing, *, turns: int, state: str, number: int) -> None:
    """One conversation, a turn a row: what each store took for it, and how the owned value was served."""
    before = billing.requests
    held.clock.now += APART
    for turn in range(turns):
        timed: dict[str, float] = {}
        answers: dict[str, Recall] = {}
        order = [("", held.owned), ("plain_", held.plain)]
        for name, memory in order if (turn + number) % 2 else order[::-1]:
            began, cpu_began = time.perf_counter(), time.thread_time()
            answers[name] = _ask(memory, turn)
            timed[f"{name}ms"] = round(1000 * (time.perf_counter() - began), 4)
            timed[f"{name}cpu_ms"] = round(1000 * (time.thread_time() - cpu_began), 4)
        rows.add("turn", owner=state, conversation=number, turn=turn + 1, calls=billing.requests - before,
                 served=_served(answers[""]), **timed)  # fmt: skip
        held.clock.now += TURN


def _served(answer: Recall) -> str:
    """How the value that the system owns came: its band, or that it is only said to be open, or not at all."""
    for note in answer.upheld:
        if (note.note.subject, note.note.attribute) == (_SUBJECT, _ATTRIBUTE):
            return note.band.value
    return OPEN if any(each.attribute == _ATTRIBUTE for each in answer.open) else "nothing"


# --- the figures ---------------------------------------------------------------------------------


def figures(rows: Sequence[_Row]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    up, down = _of(rows, UP), _of(rows, DOWN)
    return {
        "turns": max(row["turn"] for row in up),
        "conversations": len({row["conversation"] for row in up}),
        "calls": max(row["calls"] for row in up),
        "calls_fewest": _fewest(up),
        **_times(up),
        "asserted_turns_pct": share(row["served"] == Band.ASSERT for row in up),
        "owner_down_calls": max(row["calls"] for row in down),
        "owner_down_calls_fewest": _fewest(down),
        **{f"owner_down_{name}": value for name, value in _times(down).items()},
        "owner_down_asserted_turns_pct": share(row["served"] == Band.ASSERT for row in down),
        "owner_down_open_turns_pct": share(row["served"] == OPEN for row in down),
    }


def _of(rows: Sequence[_Row], state: str) -> list[_Row]:
    return [row for row in of_kind(rows, "turn") if row["owner"] == state]


def _fewest(turns: Sequence[_Row]) -> int:
    """The fewest calls that any conversation made by its end."""
    made = Counter[int]()
    for row in turns:
        made[row["conversation"]] = max(made[row["conversation"]], row["calls"])
    return min(made.values())


def _times(turns: Sequence[_Row]) -> dict[str, float | None]:
    """Medians over all conversations; what verification adds is the median of the differences within one turn."""
    later = [row for row in turns if row["turn"] > 1]
    return {
        "first_turn_ms": milliseconds([row["ms"] for row in turns if row["turn"] == 1], 50),
        "ms_per_turn_after_first": milliseconds([row["ms"] for row in later], 50),
        "plain_ms_per_turn": milliseconds([row["plain_ms"] for row in later], 50),
        "added_ms_per_turn": milliseconds([row["ms"] - row["plain_ms"] for row in later], 50),
        "added_cpu_ms_per_turn": milliseconds([row["cpu_ms"] - row["plain_cpu_ms"] for row in later], 50),
    }
