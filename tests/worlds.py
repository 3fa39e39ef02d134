"""Random logs for the rule to be asked about, and stand-ins for the outside: a clock, ids, an embedder.

A log is drawn line by line, so links and events fall at any position between notes. It is *dense* on purpose: few
notes, many lines about them, few different moments, so that every edge of a period is hit and one note has several
things said about it. A sparse generator lets broken rules live; `test_equivalence.py` counts what this one yields.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from upheld.note import Certainty, Channel, Event, Link, Note, Rel, Verb, moment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from random import Random

    from numpy.typing import NDArray

    from upheld.ports import Writing

Line = Note | Link | Event
T = TypeVar("T")
SCOPES = ("here", "there")
LAST = 9
"""Every time in a random log is one of the instants 0 to 9."""

_WORD = re.compile(r"\w+")
_RELS = (Rel.SUPERSEDES, Rel.DEPENDS_ON, Rel.DERIVED_FROM, Rel.SUPPORTS, Rel.LED_TO)
_VERBS = (Verb.RETRACTED, Verb.CONTRADICTED, Verb.DISPUTED, Verb.UNSOURCED, Verb.CONFIRMED, Verb.ERASED)


# --- the outside ---------------------------------------------------------------------------------


class Clock:
    """A clock that stands still until a test moves it, forwards or back."""

    def __init__(self, now: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def move(self, step: timedelta | None = None, /, **duration: float) -> datetime:
        """Move by a duration, given whole or as `days=`, `hours=`, `microseconds=`; negative goes back."""
        self.now += timedelta(**duration) if step is None else step
        return self.now


class Counter:
    """Ids n1, n2, n3."""

    def __init__(self) -> None:
        self.given = 0

    def __call__(self) -> str:
        self.given += 1
        return f"n{self.given}"


class HashEmbedder:
    """Turns texts into the normed sum of one fixed vector of signs per word: alike where words are shared."""

    model = "hashed-words"
    dimension = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        words = [_WORD.findall(text.lower()) or [""] for text in texts]
        sums = [sum(_signs(word, self.dimension) for word in each) for each in words]
        return np.array([each / np.linalg.norm(each) for each in sums], np.float32).reshape(-1, self.dimension)


_SIGNS: dict[str, NDArray[np.float32]] = {}


def _signs(word: str, dimension: int) -> NDArray[np.float32]:
    if word not in _SIGNS:
        drawn = blake2b(word.encode(), digest_size=dimension // 8).digest()
        _SIGNS[word] = np.unpackbits(np.frombuffer(drawn, np.uint8)).astype(np.float32) * 2 - 1
    return _SIGNS[word]


# --- lines ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moments:
    """The two moments of a question."""

    valid_at: int
    known_at: int


def a_note(
    seq: int,
    *,
    valid_from: int | None = None,
    valid_to: int | None = None,
    expires_at: int | None = None,
    certainty: Certainty = Certainty.REPORTED,
    scope: str = SCOPES[0],
) -> Note:
    """A note whose times are instants; its statement shares one word with all others and has one of its own."""
    return Note(
        seq=seq,
        id=f"n{seq}",
        scope=scope,
        kind="default",
        statement=f"everyone word{seq}",
        subject=None,
        attribute=None,
        value=None,
        subject_key=None,
        attribute_key=None,
        value_key=None,
        single=False,
        applies_when={},
        certainty=certainty,
        channel=Channel.PERSON,
        by="person:ana",
        confidence=0.9,
        valid_from=_moment(valid_from),
        valid_to=_moment(valid_to),
        observed_at=None,
        expires_at=_moment(expires_at),
        recorded_at=moment(seq),
        generation=0,
        sources=(),
    )


def a_link(seq: int, origin: int, rel: Rel, target: int) -> Link:
    return Link(
        seq=seq,
        origin=origin,
        rel=rel,
        target=target,
        authored=True,
        actor="person:ana",
        reason=f"because of {seq}" if seq % 3 else None,
        at=moment(seq),
    )


def an_event(
    seq: int,
    about: int,
    verb: Verb,
    *,
    effective_from: int | None = None,
    against: int | None = None,
    undoes: int | None = None,
) -> Event:
    return Event(
        seq=seq,
        note=about,
        verb=verb,
        actor="person:ana",
        reason=None,
        at=moment(seq),
        effective_from=_moment(effective_from),
        against=against,
        undoes=undoes,
    )


def _moment(instant: int | None) -> datetime | None:
    return None if instant is None else moment(instant)


def write(tx: Writing, log: Iterable[Line]) -> None:
    """Write lines as they are: nothing is checked, so a cycle of replacements can be written too."""
    for line in log:
        if isinstance(line, Note):
            tx.append_notes([(line, None)])
        elif isinstance(line, Link):
            tx.append_link(line)
        else:
            tx.append_event(line)


def told(log: Iterable[Line]) -> str:
    """A log as a failure shows it: one line each, without what never varies."""
    always = a_note(0), a_link(0, 0, Rel.SUPERSEDES, 0), an_event(0, 0, Verb.CONFIRMED)
    lines = []
    for line in log:
        plain = next(each for each in always if isinstance(each, type(line)))
        said = {
            name: getattr(line, name)
            for name in line.__struct_fields__
            if name not in {"seq", "id", "statement", "at", "recorded_at"}
            and getattr(line, name) != getattr(plain, name)
        }
        lines.append(f"{line.seq:3} {type(line).__name__} {said}")
    return "\n".join(lines)


# --- chance --------------------------------------------------------------------------------------


def random_log(chance: Random, *, after: int = 0, notes: int = 7, lines: int = 22) -> list[Line]:
    """A log of at most `lines` lines, `notes` of them notes, at the positions that follow `after`."""
    log: list[Line] = []
    there: list[Note] = []
    said: list[Link | Event] = []
    for seq in range(after + 1, after + 1 + chance.randint(lines // 2, lines)):
        roll = chance.randrange(100)
        if len(there) < 2 or (len(there) < notes and roll < 35):
            there.append(_random_note(chance, seq))
            log.append(there[-1])
        elif said and roll >= 84:
            log.append(_undoing(seq, chance.choice(said)))
        else:
            said.append(_random_link(chance, seq, there) if roll < 66 else _random_event(chance, seq, there))
            log.append(said[-1])
    return log


def _random_note(chance: Random, seq: int) -> Note:
    start = chance.randint(0, LAST - 1) if chance.randrange(5) < 2 else None
    end = chance.randint(0 if start is None else start + 1, LAST) if chance.randrange(4) == 0 else None
    return a_note(
        seq,
        valid_from=start,
        valid_to=end,
        expires_at=chance.randint(0, LAST) if chance.randrange(4) == 0 else None,
        certainty=Certainty.HYPOTHESIS if chance.randrange(7) == 0 else Certainty.REPORTED,
        scope=chance.choice(SCOPES),
    )


def _random_link(chance: Random, seq: int, there: Sequence[Note]) -> Link:
    older, newer = sorted(chance.sample([note.seq for note in there], 2))
    rel = chance.choices(_RELS, (46, 24, 22, 4, 4))[0]
    if rel is Rel.SUPERSEDES and chance.randrange(4) == 0:
        older, newer = newer, older
    return a_link(seq, newer, rel, older)


def _random_event(chance: Random, seq: int, there: Sequence[Note]) -> Event:
    about = chance.choice(there).seq
    verb = chance.choices(_VERBS, (36, 22, 28, 9, 4, 6))[0]
    others = [note.seq for note in there if note.seq != about]
    return an_event(
        seq,
        about,
        verb,
        effective_from=chance.randint(0, LAST) if verb is Verb.CONTRADICTED and chance.randrange(4) > 0 else None,
        against=chance.choice(others) if verb is Verb.DISPUTED and chance.randrange(5) > 0 else None,
    )


def _undoing(seq: int, taken_back: Link | Event) -> Event:
    if isinstance(taken_back, Event):
        about = taken_back.note
    else:
        about = taken_back.target if taken_back.rel is Rel.SUPERSEDES else taken_back.origin
    return an_event(seq, about, Verb.RESTORED, undoes=taken_back.seq)


def random_moments(chance: Random, log: Sequence[Line]) -> Moments:
    """Two moments to ask a log about: on an edge more often than not; a third at the end of the log."""
    first, last = log[0].seq, log[-1].seq
    known_at = last if chance.randrange(3) == 0 else chance.randint(first, last)
    return Moments(valid_at=chance.randint(-1, LAST + 1), known_at=known_at)


# --- making a failure small ----------------------------------------------------------------------


def smallest(steps: Sequence[T], fails: Callable[[Sequence[T]], bool]) -> list[T]:
    """What is left of some failing steps when each that can go, with all that speaks of it, has gone."""
    left = list(steps)
    shrunk = True
    while shrunk:
        shrunk = False
        for gone in reversed(left):
            fewer = _without(left, gone)
            if gone in left and fails(fewer):
                left, shrunk = fewer, True
    return left


def _without(steps: Sequence[T], gone: T) -> list[T]:
    left: list[T] = []
    missing = {gone.seq} if isinstance(gone, Line) else set()
    for step in steps:
        if step is gone or (isinstance(step, Line) and _speaks_of(step) & missing):
            missing |= {step.seq} if isinstance(step, Line) else set()
        else:
            left.append(step)
    return left


def _speaks_of(line: Line) -> set[int | None]:
    if isinstance(line, Link):
        return {line.origin, line.target}
    return {line.note, line.against, line.undoes} if isinstance(line, Event) else set()
