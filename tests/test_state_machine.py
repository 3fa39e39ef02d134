"""Whatever is done to a store, in whatever order: what is not in force leaves by no door, and what is, by each.

Random programs run against the store and against `oracle.py`. Each statement holds a word that no other has; after
each step every way out is searched for the words of notes that the oracle does not hold to be in force. The ways out
are listed in `EGRESS`, and a verb that the list does not know fails a test.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from msgspec import Struct, structs

import upheld
from oracle import RANK, Arrow, Kept, Oracle, Said
from upheld import AsyncMemory, Citation, Conflict, Draft, Key, Memory, Recall, Refused
from upheld.answer import View
from upheld.note import Event, Link, Note, Standing, Verb, Written
from upheld.remember import Journal
from worlds import Clock, Counter, HashEmbedder

RUNS, STEPS = 300, 30
RUNS_LONG, STEPS_LONG = 1_000, 100
SCOPES = ("user/ana", "team/red")
START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
ALL = 1000
POLICY: Mapping[str, Any] = {"kinds": {"ticket": {"ttl": "2d"}}, "consolidate": {"generations": 1000}}
BY = {"document": "document:minutes", "person": "person:ana", "agent": "agent:planner"}
Ways: TypeAlias = Mapping[str, Callable[[Memory, Collection[str]], Iterator[object]]]
_CANARY = re.compile(r"zz[0-9a-f]{12}")


# --- ways out --------------------------------------------------------------------------------------


def words_in(given: object) -> set[str]:
    """The canaries anywhere in what a verb gave."""
    return set(_CANARY.findall(repr(given)))


def unasked(answer: Recall) -> Recall:
    """An answer without the question that its receipt repeats."""
    return structs.replace(answer, receipt=structs.replace(answer.receipt, query=""))


def recalled(memory: Memory, query: str = "memo", **more: Any) -> Iterator[object]:
    """An answer: its lists, and its block for a model."""
    answer = unasked(memory.recall(query, **{"scope": SCOPES, "limit": ALL, **more}))
    yield answer
    yield answer.prompt()


ASKED: tuple[Mapping[str, Any], ...] = (
    {},
    {"scope": SCOPES[0]},
    {"scope": SCOPES[1], "applies": {"environment": "live"}},
    {"limit": 3, "explain": True, "budget_tokens": 60},
    {"vector": HashEmbedder().embed(["memo about it"])[0]},
    {"direction": True},
    {"for_action": "act on it"},
)


def _recalled(ask: Mapping[str, Any], memory: Memory, ids: Collection[str]) -> Iterator[object]:
    return recalled(memory, **ask)


def _list(memory: Memory, ids: Collection[str]) -> Iterator[object]:
    yield memory.list(SCOPES, limit=ALL)
    yield memory.list(SCOPES, limit=2)


CURRENT: Ways = {
    "list": _list,
    "get": lambda memory, ids: (memory.get(id) for id in ids),
    "explain": lambda memory, ids: (memory.explain(id) for id in ids),
    "rests_on": lambda memory, ids: (memory.rests_on(id) for id in ids),
    "supports": lambda memory, ids: (memory.supports(id) for id in ids),
    "export": lambda memory, ids: iter([[*memory.export(current=True)]]),
    "scopes": lambda memory, ids: iter([memory.scopes()]),
}
"""Ways out that give what is in force and no other text, asked about everything or about some notes."""

ANSWERS: Ways = {f"recall {', '.join(ask) or 'everything'}": partial(_recalled, ask) for ask in ASKED}
"""The same for questions; what one is narrowed by must not let anything out."""

LABELLED: Ways = {
    "history": lambda memory, ids: (memory.history(id) for id in ids),
    "recall in history mode": lambda memory, ids: (
        unasked(memory.recall(scope, scope=SCOPES, mode="history", limit=ALL)) for scope in ("memo",)
    ),
    "get in history mode": lambda memory, ids: (memory.get(id, mode="history") for id in ids),
    "list in history mode": lambda memory, ids: iter([memory.list(SCOPES, mode="history", limit=ALL)]),
    "explain in history mode": lambda memory, ids: (memory.explain(id, mode="history") for id in ids),
}
"""Ways out that give the text of notes that do not stand, each beside its standing."""

REVISIONS = ("confirm", "retract", "restore")
"""Verbs that give back the note they are about; the machine looks at each answer."""

RECEIPTS = ("remember", "supersede", "correct", "remember_many", "import_", "ingest", "extract")
"""Verbs that give a writer's own words back to the writer, as what was written, not as what is in force."""

SILENT = ("verify", "close")

EGRESS = {*CURRENT, "recall", "history", *REVISIONS, *RECEIPTS, *SILENT}


def verbs(face: type) -> set[str]:
    own = {name for base in face.__mro__[:-1] for name in vars(base)}
    return {name for name in own if not name.startswith("_") and callable(getattr(face, name))}


@pytest.mark.parametrize("face", [Memory, AsyncMemory])
def test_every_verb_is_a_way_out_that_is_searched(face: type) -> None:
    assert verbs(face) == EGRESS


def test_the_search_sees_what_leaves_and_what_an_answer_carries_anywhere() -> None:
    with upheld.open(":memory:", embedder=HashEmbedder(), clock=Clock(START)) as memory:
        ground = memory.remember("The ground.", scope=SCOPES[0])
        written = memory.remember("A memo says zz0123456789ab.", scope=SCOPES[0], depends_on=ground.id)
        resting = memory.remember("What rests on it.", scope=SCOPES[0], depends_on=written.id)
        by_link = {"rests_on": resting.id, "supports": ground.id}
        for way, ask in {**CURRENT, **ANSWERS, **LABELLED}.items():
            if way not in {"scopes", "recall scope, applies", "recall for_action"}:
                found = words_in([*ask(memory, [by_link.get(way, written.id)])])
                assert found == {"zz0123456789ab"}, way
        answer = memory.recall("memo", scope=SCOPES[0])
        assert "zz0123456789ab" in answer.prompt()
        parts = {part.name: words_in(getattr(answer, part.name)) for part in structs.fields(answer)}
        assert parts["upheld"] == {"zz0123456789ab"}
        assert not parts["withheld"]
        assert not parts["receipt"]


def labelled(given: object) -> Iterator[tuple[set[str], Standing, str]]:
    """Each text in an answer with the standing and the label beside it; text that stands alone has neither."""
    if isinstance(given, View) or hasattr(given, "label"):
        yield words_in((given.statement, getattr(given, "note", None))), given.standing, given.label  # type: ignore[attr-defined]
    elif isinstance(given, Struct) and hasattr(given, "standing") and hasattr(given, "statement"):
        yield words_in(given), given.standing, given.standing.value
    elif isinstance(given, upheld.answer.UpheldNote):
        yield words_in(given), Standing.IN_FORCE, "in force"
    elif isinstance(given, Struct) or is_dataclass(given):
        for part in structs.fields(given) if isinstance(given, Struct) else fields(given):
            yield from labelled(getattr(given, part.name))
    elif isinstance(given, tuple | list):
        for each in given:
            yield from labelled(each)


# --- programs --------------------------------------------------------------------------------------

days = st.none() | st.integers(-3, 6)
picks = st.integers(0, 1 << 16)
times = st.fixed_dictionaries({"begins": days, "lasts": st.none() | st.integers(1, 5), "seen": days})
what = st.fixed_dictionaries(
    {
        "scope": st.sampled_from(SCOPES),
        "key": st.none() | st.sampled_from(["port", "owner"]),
        "value": st.sampled_from(["alpha", "bravo", "delta"]),
        "conditions": st.sampled_from([{}, {}, {"environment": "live"}, {"environment": "test"}]),
        "channel": st.sampled_from(RANK),
        "kind": st.sampled_from(["default", "default", "ticket"]),
        "lease": st.none() | st.none() | st.integers(-1, 5),
        "guess": st.sampled_from([False, False, False, True]),
        "cited": st.booleans(),
    }
)
grounds = st.lists(picks, max_size=2)


def when(day: int | None) -> datetime | None:
    return None if day is None else START + day * DAY


class Programs(RuleBasedStateMachine):
    """One store and its oracle."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="upheld-")
        self.clock, self.ids, self.oracle = Clock(START), Counter(), Oracle()
        self.memory = self.opened()
        self.made = 0
        self.written: datetime = START
        self.keyed: dict[str, tuple[dict[str, Any], str]] = {}
        self.asked: list[tuple[dict[str, Any], Recall]] = []
        self.recent: list[str] = []
        self.turns = count()

    def opened(self) -> Memory:
        path = Path(self.folder.name) / "store.db"
        return upheld.open(path, policy=POLICY, embedder=HashEmbedder(), clock=self.clock, ids=self.ids)

    def teardown(self) -> None:
        self.memory.close()
        self.folder.cleanup()

    # Writing

    def new_lines(self) -> list[Note | Link | Event]:
        with self.memory._database.reading() as reading:
            return [*reading.log(self.oracle.head)]

    def add(self, lines: Iterable[Note | Link | Event], note: Kept | None = None) -> None:
        """Take over what the log gained. The note among it must be the one that was said."""
        for line in lines:
            assert line.seq == self.oracle.head + 1
            if isinstance(line, Note):
                assert note is not None
                assert line.id == note.id
                assert line.statement == note.statement
                self.oracle.add(note)
                self.written = line.recorded_at
            elif isinstance(line, Link):
                self.oracle.add(Arrow(line.origin, line.rel.value, line.target, line.authored))
                self.written = line.at
            else:
                self.oracle.add(Said(line.note, line.verb.value, line.against, line.undoes))
                self.written = line.at

    def refused(self, call: Callable[[], object], *errors: type[Exception]) -> None:
        with pytest.raises(errors):
            call()
        assert not self.new_lines()

    def unless_retracted(self, kept: Kept, call: Callable[[], Written]) -> Written | None:
        """What a write gave; None where it was refused because just that was retracted, and is no newer now."""
        states = self.oracle.states(self.present())
        retracted = [self.oracle.note(seq) for seq, state in states.items() if state == "retracted"]
        try:
            return call()
        except Refused as refusal:
            why = str(refusal)
        assert any(
            kept.key is not None and (old.key, old.value) == (kept.key, kept.value)
            for old in retracted
            if old.meets(kept)
            if kept.since is None or (old.since is not None and kept.since <= old.since)
        ), why
        assert not self.new_lines()
        self.ids.given = int(kept.id[1:]) - 1
        return None

    def present(self) -> datetime:
        """The moment of a write: the clock's, or the last one of the log where the clock went back."""
        return max(self.clock(), self.written)

    def sight(self, day: int | None) -> datetime | None:
        """When something was seen: never after the present."""
        seen = when(day)
        return None if seen is None else min(seen, self.clock())

    def say(self, text: Mapping[str, Any], time: Mapping[str, Any], **more: Any) -> tuple[Kept, dict[str, Any]]:
        """A note to write, and the same as the arguments of a verb."""
        self.made += 1
        canary = "zz" + blake2b(str(self.made).encode(), digest_size=6).hexdigest()
        begins, seen = when(time["begins"]), self.sight(time["seen"])
        start = begins if begins is not None else START
        ends = None if time["lasts"] is None else start + time["lasts"] * DAY
        lease = when(text["lease"])
        if lease is None and text["kind"] == "ticket":
            lease = self.clock() + 2 * DAY
        key = text["key"]
        kept = Kept(
            id=f"n{self.ids.given + 1}",
            canary=canary,
            scope=text["scope"],
            kind=text["kind"],
            statement=f"A memo says {canary}.",
            key=None if key is None else (text["scope"], key),
            value=None if key is None else text["value"],
            conditions=text["conditions"],
            channel=text["channel"],
            guess=text["guess"],
            begins=begins,
            ends=ends,
            expires=lease,
            seen=seen,
        )
        said: dict[str, Any] = {
            "statement": kept.statement,
            "scope": kept.scope,
            "kind": text["kind"],
            "by": BY[kept.channel],
            "applies_when": kept.conditions,
            "certainty": "hypothesis" if kept.guess else "reported",
            "valid_from": begins,
            "valid_to": ends,
            "observed_at": seen,
            "expires_at": when(text["lease"]),
            "extract_key": False,
            **more,
        }
        if key is not None:
            said |= {"key": Key(subject="the service", attribute=key), "value": kept.value}
        if text["cited"]:
            said["sources"] = [Citation(original=f"So it is: {canary}!", ref="minutes.md", quote=canary)]
        return kept, said

    def pick(self, number: int) -> int:
        notes = self.oracle.notes()
        return notes[number % len(notes)]

    def premises(self, numbers: Iterable[int]) -> list[str]:
        if not self.oracle.notes():
            return []
        return [*dict.fromkeys(self.oracle.note(self.pick(number)).id for number in numbers)]

    def wrote(self, written: Written, kept: Kept, replaces: Iterable[str] = (), rests: Mapping[str, Any] = {}) -> None:
        """Check what a note brought with it, and take it over."""
        if written.note.id != kept.id:  # an equal note was there: it is confirmed, or what was said is history
            self.ids.given -= self.ids.given == int(kept.id[1:])
            lines = self.new_lines()
            assert written.outcome in {"confirmed", "history"}
            assert [line.verb.value for line in lines if isinstance(line, Event)] == ["confirmed"] * len(lines)
            self.add(lines)
            self.recent = [written.note.id]
            return
        before = self.oracle.in_force(self.present())
        lines = self.new_lines()
        self.add(lines, kept)
        seq = self.oracle.position(kept.id)
        authored = [(line.rel.value, line.target) for line in lines if isinstance(line, Link) and line.authored]
        assert [target for rel, target in authored if rel == "supersedes"] == [*map(self.oracle.position, replaces)]
        for rel in ("depends_on", "derived_from"):
            wanted = {self.oracle.position(id) for id in rests.get(rel, ())}
            assert {target for kind, target in authored if kind == rel} == wanted
        drawn = [line for line in lines if isinstance(line, Link) and not line.authored]
        if not replaces:
            for link in drawn:
                self.check_key_rule(link, seq, before)
        if kept.guess:
            assert written.outcome == "proposed"
            assert not drawn
        self.recent = [kept.id, *written.replaces, *written.against]

    def check_key_rule(self, link: Link, seq: int, before: Collection[int]) -> None:
        """A link that nobody authored: between notes of one key, from the later to the earlier, never up in trust."""
        newer, older = self.oracle.note(link.origin), self.oracle.note(link.target)
        assert seq in {link.origin, link.target}
        assert link.rel is upheld.note.Rel.SUPERSEDES
        assert newer.meets(older)
        assert not newer.guess
        if newer.key != older.key:
            by_an_author = self.oracle.replaces(link.target, newer.key) or self.oracle.replaces(link.origin, older.key)
            assert by_an_author, "retired under another key"
        if older.guess:
            return
        if newer.since is not None and older.since is not None and not self.oracle.is_confirmed(link.origin):
            assert newer.since >= older.since
        if link.origin == seq and link.target in before:
            assert RANK.index(newer.channel) <= RANK.index(older.channel), "retired by who is less trusted"
            assert newer.since is not None or older.since is None, "an unknown time beat a known one"
            assert all(older.conditions.get(name) == value for name, value in newer.conditions.items())

    @rule(text=what, time=times, depends_on=grounds, derived_from=grounds)
    def remember(self, text: Any, time: Any, depends_on: list[int], derived_from: list[int]) -> None:
        rests = {"depends_on": self.premises(depends_on), "derived_from": self.premises(derived_from)}
        kept, said = self.say(text, time, **rests)
        if (written := self.unless_retracted(kept, lambda: self.memory.remember(**said))) is not None:
            self.wrote(written, kept, rests=rests)

    @precondition(lambda self: self.oracle.notes())
    @rule(text=what, time=times, old=picks, other=st.none() | picks)
    def supersede(self, text: Any, time: Any, old: int, other: int | None) -> None:
        olds = [*dict.fromkeys(self.pick(number) for number in (old, other) if number is not None)]
        replaces = [self.oracle.note(seq).id for seq in olds]
        kept, said = self.say(text, time)
        states = self.oracle.states(self.present())
        errors: set[type[Exception]] = set()
        if kept.guess:
            errors.add(Refused)
        ends = {end for seq in olds for end in self.oracle.ends(seq)}
        if any(states[end] != "retracted" for end in ends.difference(olds)):
            errors.add(Conflict)
        if any(states[seq] == "retracted" for seq in olds):
            errors.add(Refused)
        if len(replaces) == 1:
            call = lambda: self.memory.supersede(replaces[0], **said)  # noqa: E731
        else:
            call = lambda: self.memory.remember(**said, supersedes=replaces)  # noqa: E731
        if errors:
            self.refused(call, *errors)
            self.ids.given = int(kept.id[1:]) - 1
        else:
            written = self.unless_retracted(kept, call)
            if written is not None:
                assert written.outcome == "superseded"
                assert set(replaces) <= set(written.replaces)
                self.wrote(written, kept, replaces)

    @precondition(lambda self: self.oracle.notes())
    @rule(number=picks, day=days)
    def say_again(self, number: int, day: int | None) -> None:
        """The words of a note once more, without a key: it is confirmed, is history, is new, or must not return."""
        old = self.oracle.note(self.pick(number))
        same = [seq for seq in self.oracle.notes() if self.oracle.note(seq).statement == old.statement]
        same = [seq for seq in same if self.oracle.note(seq).scope == old.scope]
        states = self.oracle.states(self.present())
        seen = self.sight(day)
        new = replace(old, id=f"n{self.ids.given + 1}", key=None, value=None, conditions={}, channel="person")
        new = replace(new, guess=False, kind="default", begins=None, ends=None, expires=None, seen=seen)
        said: dict[str, Any] = {"scope": old.scope, "by": BY["person"], "observed_at": seen, "extract_key": False}

        def call() -> Written:
            return self.memory.remember(old.statement, certainty="reported", **said)

        def news(seq: int) -> bool:
            """Whether it was seen after all that the store knew when that note fell."""
            since = self.oracle.note(seq).since
            return seen is not None and (since is None or seen > since)

        alive = [seq for seq in same if states[seq] == "in_force" and not self.oracle.note(seq).conditions]
        gone = [seq for seq in same if states[seq] == "retracted" and not news(seq)]
        try:
            written = call()
        except Refused:
            assert gone
            assert not self.new_lines()
            self.ids.given = int(new.id[1:]) - 1
            return
        assert not gone or written.outcome in {"confirmed", "history"}
        if seen is None and any(self.oracle.note(seq).kind == "default" for seq in alive):
            assert written.outcome in {"confirmed", "history"}
        self.wrote(written, new)

    @rule(text=what, time=times, key=st.sampled_from(["k1", "k2"]))
    def remember_once(self, text: Any, time: Any, key: str) -> None:
        if key not in self.keyed:
            # Without when it was seen: after the clock went back, the same words would be from the future.
            kept, said = self.say(text, {**time, "seen": None}, idempotency_key=key)
            if (written := self.unless_retracted(kept, lambda: self.memory.remember(**said))) is not None:
                self.wrote(written, kept)
                self.keyed[key] = (said, written.id)
            return
        said, id = self.keyed[key]
        again = self.memory.remember(**said)
        assert (again.outcome, again.id) == ("repeated", id)
        assert not self.new_lines()
        self.refused(lambda: self.memory.remember(**{**said, "statement": "Another memo."}), Conflict)

    # Revising

    def revise(self, verb: str, seq: int, by: str, allowed: bool, expected: Iterable[Said] | None = None) -> None:
        note = self.oracle.note(seq)
        call = getattr(self.memory, verb)
        if not allowed or RANK.index(by) > RANK.index(note.channel):
            self.refused(lambda: call(note.id, by=BY[by]), Refused)
            return
        view = call(note.id, by=BY[by])
        lines = self.new_lines()
        self.add(lines)
        added = self.oracle.lines[-len(lines) :]
        if expected is not None:
            expected = [*expected]
            assert added[: len(expected)] == expected
            added = added[len(expected) :]
        assert all(isinstance(line, Said) and line.verb == "disputed" for line in added)
        standing = self.oracle.states(self.present())[seq]
        assert view.standing.value == standing
        assert (note.canary in words_in(view)) == (standing == "in_force")
        self.recent = [note.id]

    @precondition(lambda self: self.oracle.notes())
    @rule(number=picks, by=st.sampled_from(RANK))
    def retract(self, number: int, by: str) -> None:
        seq = self.pick(number)
        allowed = self.oracle.states(self.present())[seq] != "retracted"
        self.revise("retract", seq, by, allowed, [Said(seq, "retracted")])

    @precondition(lambda self: self.oracle.notes())
    @rule(number=picks, by=st.sampled_from(RANK))
    def restore(self, number: int, by: str) -> None:
        seq = self.pick(number)
        against = self.oracle.against(seq)
        self.revise("restore", seq, by, bool(against), [Said(seq, "restored", undoes=line) for line in against])

    @precondition(lambda self: self.oracle.notes())
    @rule(number=picks, by=st.sampled_from(RANK))
    def confirm(self, number: int, by: str) -> None:
        seq = self.pick(number)
        lost = self.oracle.lost_sources(seq, self.present())
        allowed = self.oracle.states(self.present())[seq] == "in_force" or bool(lost)
        settled = [Said(seq, "restored", undoes=line) for line in lost]
        self.revise("confirm", seq, by, allowed, [*settled, Said(seq, "confirmed")])

    @precondition(lambda self: self.oracle.notes())
    @rule(number=picks)
    def lose_its_source(self, number: int) -> None:
        seq = self.pick(number)
        with self.memory._database.writing() as tx:
            Journal.open(tx, self.clock()).event(seq, Verb.UNSOURCED, actor=BY["document"])
        self.add(self.new_lines())
        self.recent = [self.oracle.note(seq).id]

    # The world

    @rule(hours=st.sampled_from([-30, -6, 0, 6, 18, 24, 36, 60]))
    def time_goes_by(self, hours: int) -> None:
        self.clock.move(hours=hours)

    @precondition(lambda self: self.oracle.notes())
    @rule(number=picks, edge=st.sampled_from(["begins", "ends", "expires"]), off=st.sampled_from([-1, 0, 1]))
    def an_edge_is_reached(self, number: int, edge: str, off: int) -> None:
        moment = getattr(self.oracle.note(self.pick(number)), edge)
        if moment is not None:
            self.clock.now = moment + timedelta(microseconds=off)

    @precondition(lambda self: self.oracle.notes())
    @rule()
    def reopen(self) -> None:
        self.memory.close()
        self.memory = self.opened()

    @rule(number=picks, hours=st.integers(-100, 160))
    def look_back(self, number: int, hours: int) -> None:
        """An answer about the past is what the oracle says, and stays what it is for ever."""
        at, known_at = START + timedelta(hours=hours), number % (self.oracle.head + 1)
        ask: dict[str, Any] = {"query": "memo", "scope": SCOPES, "limit": ALL, "valid_at": at, "known_at": known_at}
        answer = self.memory.recall(**ask)
        stood = self.oracle.in_force(at, known_at)
        assert {note.id for note in answer.upheld} == {self.oracle.note(seq).id for seq in stood}
        assert words_in((answer, answer.prompt())) == {self.oracle.note(seq).canary for seq in stood}
        self.asked.append((ask, answer))

    # What always holds

    @invariant()
    def what_is_in_force_leaves_and_nothing_else(self) -> None:
        """By every verb, about the notes that a step was about and some others; in some of the forms in turn."""
        turn = next(self.turns)
        notes = self.oracle.notes()
        others = [self.oracle.note(notes[turn % len(notes)]).id] if notes else []
        answers, shown = [*ANSWERS.items()], [*LABELLED.items()]
        current = {way: CURRENT[way] for way in ("get", "explain", "scopes")} | dict([answers[turn % len(answers)]])
        self.check_ways_out([*dict.fromkeys([*self.recent[:2], *others])], current, dict([shown[turn % len(shown)]]))
        if turn % 2 and self.asked:
            ask, answer = self.asked[self.oracle.head % len(self.asked)]
            assert self.memory.recall(**ask) == answer, "the past stays as it was told"

    @invariant()
    def one_key_has_one_value(self) -> None:
        live = [self.oracle.note(seq) for seq in self.oracle.in_force(self.present())]
        for one in live:
            for other in live:
                if one.key is not None and one.key == other.key and one.value != other.value:
                    assert not one.meets(other), f"{one.id} and {other.id} are both in force"

    def check_ways_out(self, ids: Collection[str], current: Ways, labelled_ways: Ways) -> None:
        states = self.oracle.states(self.clock())
        in_force = {self.oracle.note(seq) for seq, state in states.items() if state == "in_force"}
        live, stand = {note.canary for note in in_force}, {note.id for note in in_force}
        for way, ask in current.items():
            for given in ask(self.memory, ids):
                assert words_in(given) <= live, f"{way} gives what is not in force"
        for way, ask in labelled_ways.items():
            for given in ask(self.memory, ids):
                beside = [*labelled(given)]
                assert words_in(given) == {word for found, _, _ in beside for word in found}, way
                for found, standing, label in beside:
                    assert label, way
                    if standing is Standing.IN_FORCE:
                        assert found <= live, f"{way} calls in force what is not"
                    else:
                        assert label != "in force", way
        # The other way round: what is in force leaves by each of them.
        now = self.memory.recall("memo", scope=SCOPES, limit=ALL)
        listed = self.memory.list(SCOPES, limit=ALL).notes
        exported = [*self.memory.export(current=True)]
        for way, given in {"recall": now.upheld, "list": listed, "export": exported}.items():
            assert {note.id for note in given} == stand, way
        assert words_in((unasked(now), now.prompt(), listed, exported)) == live
        moments: dict[str, Any] = {"valid_at": self.clock(), "known_at": self.oracle.head}
        assert self.memory.recall("memo", scope=SCOPES, limit=ALL, **moments) == now, "now is this moment"
        for id in ids:
            note = self.oracle.note(self.oracle.position(id))
            view = self.memory.get(id)
            assert view.standing.value == states[self.oracle.position(id)]
            assert view.statement == (note.statement if id in stand else None)
        for id in [id for id in ids if id in stand][:2]:
            note = self.oracle.note(self.oracle.position(id))
            answer = self.memory.recall(note.statement, scope=note.scope)
            assert note.canary in words_in([one.statement for one in answer.upheld])

    @precondition(lambda self: self.oracle.head % 5 == 4)
    @rule()
    def look_at_everything(self) -> None:
        """Every note by every way out; and the log holds what was written, in order, unchanged."""
        self.check_ways_out([self.oracle.note(seq).id for seq in self.oracle.notes()], {**CURRENT, **ANSWERS}, LABELLED)
        log = [*self.memory.export()]
        assert len(log) == self.oracle.head
        for line, known in zip(log, self.oracle.lines, strict=True):
            if isinstance(line, Note):
                assert isinstance(known, Kept)
                expires = (line.valid_from, line.valid_to, line.expires_at, line.observed_at)
                assert expires == (known.begins, known.ends, known.expires, known.seen)
                assert (line.id, line.scope, line.statement) == (known.id, known.scope, known.statement)
            elif isinstance(line, Link):
                assert known == Arrow(line.origin, line.rel.value, line.target, line.authored)
            else:
                assert known == Said(line.note, line.verb.value, line.against, line.undoes)


@pytest.mark.endurance(seconds=120)
def test_no_program_brings_out_what_is_not_in_force_or_keeps_back_what_is(long: bool) -> None:
    runs, steps = (RUNS_LONG, STEPS_LONG) if long else (RUNS, STEPS)
    quick = (Phase.generate, Phase.shrink)  # to explain a failure too takes minutes
    run_state_machine_as_test(Programs, settings=settings(max_examples=runs, stateful_step_count=steps, phases=quick))


# --- notes that do not stand, in numbers -----------------------------------------------------------

QUESTIONS = ("which database does the billing service use", "who owns billing", "backups")
LIVE = (
    "The billing service uses the ledger database.",
    "Which team owns billing is written in the register.",
    "Backups of the database run at night.",
    "The billing service does not use the old queue.",
    "The register of who owns what is kept by the office.",
    "Which database backups use is a matter of the service.",
)
DEAD: Mapping[str, Mapping[str, Any]] = {
    "expired": {"expires_at": START - DAY},
    "ended": {"valid_to": START - DAY},
    "not yet": {"valid_from": START + DAY},
    "a hypothesis": {"certainty": "hypothesis"},
    "retracted": {},
}


def answers(memory: Memory) -> list[list[tuple[str, str, float]]]:
    """What is upheld for each question, in order, with how well it fits."""
    found = [memory.recall(question, scope=SCOPES, limit=4).upheld for question in QUESTIONS]
    return [[(note.id, note.band.value, note.score) for note in upheld_notes] for upheld_notes in found]


@pytest.mark.endurance(seconds=2)
@pytest.mark.parametrize("opened_again", [False, True], ids=["as it is", "opened again"])
@pytest.mark.parametrize("embedder", [HashEmbedder(), None], ids=["by meaning and words", "by words"])
@pytest.mark.parametrize("many", [1, 10, 1000])
@pytest.mark.parametrize("how", DEAD)
def test_notes_that_do_not_stand_never_change_what_is_upheld(
    tmp_path: Path, how: str, many: int, embedder: HashEmbedder | None, opened_again: bool
) -> None:
    clock, ids, path = Clock(START), Counter(), tmp_path / "store.db"
    memory = upheld.open(path, embedder=embedder, clock=clock, ids=ids)
    live = [Draft(statement=text, scope=SCOPES[place % 2], extract_key=False) for place, text in enumerate(LIVE)]
    memory.remember_many(live)
    before = answers(memory)
    assert all(before)
    said = [f"{QUESTIONS[number % len(QUESTIONS)]}: {'very ' * (number % 3)}so, {number}" for number in range(many)]
    dead = [Draft(statement=text, scope=SCOPES[0], extract_key=False, **DEAD[how]) for text in said]
    written = memory.remember_many(dead)
    assert all(isinstance(one, Written) for one in written)
    if how == "retracted":
        assert answers(memory) != before, "while they stood, they were found"
        for one in written:
            memory.retract(one.id)  # type: ignore[union-attr]
    if opened_again:
        memory.close()
        memory = upheld.open(path, embedder=embedder, clock=clock, ids=ids)
    assert answers(memory) == before
    assert memory.recall(QUESTIONS[0], scope=SCOPES).withheld, "they were met, and kept back"
    memory.close()
