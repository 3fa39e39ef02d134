"""Any value in any argument of any public verb: a typed error with nothing written, or the verb's own outcome.

What a caller's own function or iterator raises is the caller's, and comes out as it is.
"""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import upheld
from onlooker import all_text, at, log_of
from upheld import Citation, Draft, Invalid, Key, Memory, Misconfigured, UpheldError
from upheld.conversation import Message
from upheld.errors import shown
from upheld.note import MAX_QUERY_CHARS
from worlds import Clock, Counter

GOOD = "The control sample is green."
LONG = 400
"""No message is longer, however long what it is about."""


class Word(StrEnum):
    """A text that is not exactly `str`, as callers' own enumerations are."""

    SCOPE = "ledger"
    BY = "person:ana"
    KIND = "decision"
    ID = "here"
    NONE = "odd"


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [found]
    return found


ODD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "bytes": lambda: b"abc",
    "true": lambda: True,
    "a number": lambda: 1,
    "minus one": lambda: -1,
    "beyond 64 bits": lambda: 2**70,
    "too many digits to print": lambda: 10**5000,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "decimal": lambda: Decimal("1.5"),
    "complex": lambda: 1j,
    "half a pair": lambda: "a\ud800b",
    "nul": lambda: "a\0b",
    "empty": lambda: "",
    "lines": lambda: "a\nb",
    "a megabyte": lambda: "x" * 1_000_000,
    "enumeration": lambda: Word.NONE,
    "empty list": list,
    "list of lists": lambda: [["a"], ["b", ["c"]]],
    "deep list": lambda: nested(50_000),
    "list of numbers": lambda: [1, None, True],
    "set": lambda: {"a"},
    "mapping": lambda: {1: {"a": [2]}},
    "generator": lambda: (each for each in "ab"),
    "range": lambda: range(3),
    "deque": lambda: deque(["a"]),
    "naive time": lambda: datetime(2026, 1, 1),  # noqa: DTZ001 - that is the point
    "before year 1": lambda: datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))),
    "after year 9999": lambda: datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-14))),
    "date": lambda: date(2026, 1, 1),
    "no time": lambda: "2026-13-45",
    "object": object,
    "class": lambda: datetime,
    "array": lambda: np.zeros((2, 3), np.float32),
    "empty array": lambda: np.zeros(0),
    "array of texts": lambda: np.array(["a"]),
    "path": lambda: Path("nowhere"),
    "key": lambda: Key(subject=1, attribute=[]),  # type: ignore[arg-type]
    "citation": lambda: Citation(original="abc", ref="r", start=-(10**5000), end=10**40),
    "drafts": lambda: [Draft(statement="A.", sources=5), Draft(statement="B.", supersedes=5)],  # type: ignore[arg-type]
    "messages": lambda: [Message(role="x", by=1, at="y", text=None)],  # type: ignore[arg-type]
}

NEEDED: dict[str, Any] = {
    "note": "here",
    "statement": "The colour of the sky is blue.",
    "value": "7000",
    "scope": "ledger",
    "query": "port of the ledger",
    "name": "page.md",
    "text": "The port of the ledger is 9.",
    "number": 1,
    "wrong": True,
    "drafts": (),
    "lines": (),
    "messages": (),
    "place": "nowhere",
    "id": "none",
}
"""What a verb must be given while another of its arguments is odd."""

PARTS = ("", "corpus", "inbox", "uses", "reviews", "consolidations", "audits")
NOT_ASKED = {"close", "set_aside", "check", "offer", "doubt", "watch"}
"""Not for callers, or (watch) a generator that ends only when it is told to."""


@pytest.fixture
def memory(clock: Clock, ids: Counter) -> Iterator[Memory]:
    with upheld.open(":memory:", embedder=None, clock=clock, ids=ids) as opened:
        opened.remember("The port of the ledger is 5432.", id="here", scope="ledger")
        opened.audits.run("ledger", seed=1)
        yield opened


def verb(memory: Memory, part: str, name: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(getattr(memory, part) if part else memory, name)
    return found


def verbs() -> Iterator[tuple[str, str]]:
    with upheld.open(":memory:", embedder=None) as memory:
        for part in PARTS:
            for name, _ in inspect.getmembers(getattr(memory, part) if part else memory, inspect.ismethod):
                if not name.startswith("_") and name not in NOT_ASKED:
                    yield part, name


def arguments(method: Callable[..., Any]) -> list[str]:
    taken = [each for each in inspect.signature(method).parameters if each != "fields"]
    if "fields" in inspect.signature(method).parameters:
        taken += [each for each in Draft.__struct_fields__ if each not in {"statement", "supersedes"}]
    return taken


def refused(method: Callable[..., Any], argument: str, value: object) -> str | None:
    """What is said where a call is refused; None where it is not. A called `datetime` refuses in its own words."""
    given = {argument: value}
    taken = inspect.signature(method).parameters.values()
    needed = {each.name: NEEDED[each.name] for each in taken if each.default is each.empty and each.name in NEEDED}
    named = {**needed, **given}
    ahead = [named.pop(each.name) for each in taken if each.kind is each.POSITIONAL_ONLY]
    try:
        method(*ahead, **named)
    except UpheldError as error:
        return str(error)
    except (TypeError, ValueError):
        if argument != "progress" or value is not datetime:
            raise
    return None


@pytest.mark.endurance(seconds=4)
@pytest.mark.parametrize(("part", "name"), [*verbs()])
def test_any_value_in_any_argument_is_used_or_refused_by_name(memory: Memory, part: str, name: str) -> None:
    method = verb(memory, part, name)
    for argument in arguments(method):
        for odd, made in ODD.items():
            changes, log = memory._database._connection.total_changes(), log_of(memory)
            why = refused(method, argument, made())
            if why is not None:
                assert len(why) < LONG, (argument, odd, why)
                same = memory._database._connection.total_changes() == changes
                assert same or log_of(memory) == log, (argument, odd)
    assert memory.remember(GOOD).id in {each.id for each in memory.recall("control sample").upheld}, "the control"


@pytest.mark.parametrize("argument", inspect.signature(upheld.open).parameters)
def test_a_store_is_opened_with_what_can_serve_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str
) -> None:
    monkeypatch.chdir(tmp_path)  # a bare name is a file of the folder that one is in
    place = tmp_path / "store.db"
    for odd, made in ODD.items():
        given: dict[str, Any] = {"path": place, "embedder": None, argument: made()}
        if argument == "path" and isinstance(given["path"], str | Path) and odd != "lines":
            given["path"] = tmp_path / "below" / given["path"]  # a folder that is not there
        why = ""
        try:
            upheld.open(**given).close()
        except UpheldError as error:
            why = str(error)
        assert len(why) < LONG + len(str(tmp_path)), (odd, why)
        assert not why or not place.exists(), odd
        place.unlink(missing_ok=True)
    with upheld.open(place, embedder=None) as memory:
        assert memory.remember(GOOD).outcome == "added", "the control"


def test_a_name_in_the_place_of_a_model_is_refused_before_there_is_a_store(tmp_path: Path) -> None:
    for given in ({"embedder": "all-MiniLM"}, {"judge": "openai:gpt"}, {"clock": "utc"}, {"policy": 5}):
        with pytest.raises(Invalid, match=next(iter(given))):
            upheld.open(tmp_path / "store.db", **{"embedder": None, **given})  # type: ignore[arg-type]
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("derived", [lambda word: word, lambda word: np.str_(word.value)], ids=["StrEnum", "numpy"])
def test_a_text_of_a_derived_type_is_that_text(tmp_path: Path, derived: Callable[[Word], Any]) -> None:
    scope, by, kind = (derived(each) for each in (Word.SCOPE, Word.BY, Word.KIND))
    with upheld.open(tmp_path / "store.db", embedder=None) as memory:
        written = memory.remember("The ledger opens at nine.", scope=scope, by=by, kind=kind, id=derived(Word.ID))
        memory.remember("Clerks come at eight.", scope="ledger", depends_on=derived(Word.ID), reason=derived(Word.NONE))
        named = (written.note.scope, written.note.by, written.note.kind, written.id)
        assert {type(each) for each in named} == {str}
        assert memory.recall("ledger opens", scope=scope, kinds=[kind]).upheld[0].id == written.id
        assert memory.list(derived(Word.SCOPE), kinds=[kind]).notes[0].id == written.id
        assert memory.get(derived(Word.ID)).note == written.note
    with upheld.open(tmp_path / "store.db", embedder=None) as memory:
        assert memory.list("ledger", mode="history").notes[-1].note == written.note


def test_one_draft_with_fields_of_wrong_types_stops_no_other(memory: Memory) -> None:
    wrong: list[dict[str, Any]] = [
        {name: value}
        for name in Draft.__struct_fields__
        if name not in {"statement", "scope"}
        for value in (5, [5], object(), 10**5000, np.zeros(2))
    ]
    drafts = [Draft(**{"statement": f"Sample {place} is red.", **fields}) for place, fields in enumerate(wrong)]
    *results, last = memory.remember_many([*drafts, Draft(statement=GOOD)])
    assert all(isinstance(each, UpheldError) for each in results), results
    assert isinstance(last, upheld.Written)


def test_trust_may_be_named_and_nothing_else_passes_for_it(memory: Memory) -> None:
    (taken,) = memory.import_([Draft(statement=GOOD, by="system:lab")], trust="tool")  # type: ignore[arg-type]
    assert isinstance(taken, upheld.Written)
    assert taken.note.channel is upheld.Channel.TOOL
    for wrong in ("all", None, 1):
        with pytest.raises(Invalid, match="trust"):
            memory.remember_many([Draft(statement="The control sample is blue.")], trust=wrong)  # type: ignore[arg-type]


def test_too_many_documents_are_refused_before_they_are_read(memory: Memory) -> None:
    read = 0

    class Counting(list[str]):
        def __iter__(self) -> Iterator[str]:
            nonlocal read
            for each in super().__iter__():
                read += 1
                yield each

    with pytest.raises(Invalid, match="256"):
        memory.recall("port", documents=Counting(["The port is 1."] * 5000))
    assert read == 257


def test_what_a_message_shows_of_a_value_is_short_and_never_fails() -> None:
    class Bad:
        def __repr__(self) -> str:
            raise RuntimeError

    for value in (Bad(), 10**5000, "x" * 10**6, nested(10_000), b"x" * 10**6, {str(n): "x" * 99 for n in range(99)}):
        assert 0 < len(shown(value)) < 130
    assert shown("plan") == "'plan'"


def test_a_query_at_its_limit_is_answered_and_one_beyond_it_is_not(memory: Memory) -> None:
    assert memory.recall("port " * (MAX_QUERY_CHARS // 5), scope="ledger").upheld
    with pytest.raises(Invalid, match="characters"):
        memory.recall("x" * (MAX_QUERY_CHARS + 1))


def test_an_interrupted_beginning_leaves_no_transaction_open(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may come at any moment: what was begun is undone, so the next call finds the store as it was."""

    class Interrupting:
        def __init__(self, wrapped: Any) -> None:
            self.wrapped, self.armed = wrapped, True

        def execute(self, statement: str, *more: Any) -> Any:
            found = self.wrapped.execute(statement, *more)
            if self.armed and statement.startswith("begin"):
                self.armed = False
                raise KeyboardInterrupt
            return found

        def __getattr__(self, name: str) -> Any:
            return getattr(self.wrapped, name)

    database = memory._database
    whole = database._connection
    for attempt in (lambda: memory.remember(GOOD), lambda: memory.recall("control")):
        monkeypatch.setattr(database, "_connection", Interrupting(whole))
        with pytest.raises(KeyboardInterrupt):
            attempt()
        monkeypatch.setattr(database, "_connection", whole)
        assert not whole.in_transaction
    assert memory.remember(GOOD).outcome == "added"


class Closed:
    """A folder in which this process may make no files, whoever runs it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        real = upheld.db.file.os.access  # type: ignore[attr-defined]
        monkeypatch.setattr("upheld.db.file.os.access", lambda path, mode: Path(path) != folder and real(path, mode))


def test_a_reader_without_rights_reads_what_a_writer_wrote_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    """What was written last stands in the log beside the file: without it, what was replaced would be served."""
    path = tmp_path / "store.db"
    with upheld.open(path, embedder=None, clock=clock) as writer:
        old = writer.remember("The port of the ledger is 5432.")
    Closed(monkeypatch, tmp_path)
    with upheld.open(path, embedder=None) as frozen:
        assert frozen.recall("port of the ledger").upheld[0].id == old.id, "the control: nobody writes"
        monkeypatch.undo()
        with upheld.open(path, embedder=None, clock=clock) as writer:
            clock.now = at("2026-02-01")
            new = writer.supersede(old.id, "The port of the ledger is 6432.")
            with pytest.raises(upheld.Unavailable, match="open it again"):
                frozen.recall("port of the ledger")
            Closed(monkeypatch, tmp_path)
            with upheld.open(path, embedder=None) as reader:
                answer = reader.recall("port of the ledger")
                assert [each.id for each in answer.upheld] == [new.id]
                assert "5432" not in all_text(answer.upheld)
                with pytest.raises(upheld.Unavailable, match="read-only"):
                    reader.remember(GOOD)


def test_what_is_no_store_is_left_without_a_file_beside_it(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("not a store " * 100)
    for path in (other, tmp_path / ("x" * 300), tmp_path / "missing" / "store.db"):
        with pytest.raises((upheld.Corrupt, Misconfigured)):
            upheld.open(path, embedder=None)
    assert [*tmp_path.iterdir()] == [other]


def test_times_at_the_ends_of_the_calendar_are_used_or_refused(memory: Memory) -> None:
    for text, moment in (("first", datetime(1, 1, 1, tzinfo=UTC)), ("last", datetime(9999, 12, 31, tzinfo=UTC))):
        written = memory.remember(f"The {text} sample is green.", valid_from=moment)
        assert memory.get(written.id, mode="history").note == written.note


def test_a_value_without_its_key_is_refused_and_not_left_aside(memory: Memory) -> None:
    with pytest.raises(Invalid, match="needs the key"):
        memory.remember("Acme is on the Pro plan.", value="Pro")
    key = Key(subject="Acme", attribute="plan")
    assert memory.remember("Acme is on the Pro plan.", key=key, value="Pro").note.value == "Pro", "the control"
