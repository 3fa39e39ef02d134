"""A store that learned its notes at one date, with a clock to be moved, and the systems that own the notes' values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime

import upheld
from upheld.bench.snapshots import Moved, Question
from upheld.memory import Memory
from upheld.note import Certainty, Draft, Key
from upheld.verification import Asked, Changed, Reply, Unavailable

_SCOPE = "world"
NOTHING = "nothing"


class Record:
    """The system of record of one attribute: it holds other values from the moment that each changed."""

    def __init__(self, source: str, now: Callable[[], datetime], *, is_up: bool = True) -> None:
        self.source = source
        self.calls: Counter[str] = Counter()
        self._now = now
        self._is_up = is_up
        self._held: dict[str, tuple[str, str, datetime]] = {}

    def hold(self, question: Question, changed_at: datetime) -> None:
        """Take in both values of a subject."""
        self._held[question.subject] = (question.then, question.now, changed_at)

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        """The value that each subject has now."""
        self.calls[asked[0].subject] += 1
        return [self._reply(each) for each in asked]

    def _reply(self, asked: Asked) -> Reply:
        if not self._is_up:
            return Unavailable("it is down")
        then, now, changed_at = self._held[asked.subject]
        return Changed(now if self._now() >= changed_at else then)


class World:
    """A clock, a store with notes, and the systems that own their values."""

    def __init__(self, moved: Moved) -> None:
        self.now = moved.learned_at
        self.memory: Memory
        self.records: dict[str, Record] = {}

    def ask(self, question: Question) -> tuple[str | None, str]:
        """The value that is served for a question, and how: its band, or that nothing is served."""
        answer = self.memory.recall(
            question.question, scope=_SCOPE, subject=question.subject, attribute=question.attribute, limit=1
        )
        served = next(iter(answer.upheld), None)
        return (None, NOTHING) if served is None else (served.note.value, served.band.value)

    def calls(self, question: Question) -> int:
        """How often the owner of a note was asked about it."""
        record = self.records.get(question.attribute)
        return 0 if record is None else record.calls[question.subject]


@contextmanager
def learned(
    moved: Moved,
    questions: Sequence[Question],
    *,
    owned: bool = True,
    is_up: bool = True,
    kind: str | None = None,
    windows_of: Mapping[str, int] | None = None,
    seen: Sequence[datetime] | None = None,
    changes: Sequence[datetime] | None = None,
) -> Iterator[World]:
    """A store that learned its notes on the first date, of a kind for each class; all else as the policy has it.

    `windows_of` holds minutes by class, `seen` when each note was last verified, `changes` when each value changed
    (the last date, if not given).
    """
    world = World(moved)
    for place, each in enumerate(questions if owned else ()):
        record = world.records.setdefault(each.attribute, Record(each.attribute, lambda: world.now, is_up=is_up))
        record.hold(each, moved.asked_at if changes is None else changes[place])
    listed = {each.kind for each in questions}
    kinds = {name: {"verify_after": f"{windows_of[name]}m"} if windows_of else {} for name in listed}
    drafts = [
        Draft(
            statement=f"The {each.attribute} of {each.subject} is {each.then}.",
            scope=_SCOPE,
            kind=kind or each.kind,
            by="agent:bench",
            key=Key(subject=each.subject, attribute=each.attribute),
            value=each.then,
            certainty=Certainty.REPORTED,
            observed_at=moved.learned_at if seen is None else seen[place],
        )
        for place, each in enumerate(questions)
    ]
    with upheld.open(
        ":memory:",
        policy={"kinds": kinds},
        embedder=None,
        verifiers=world.records if owned else None,
        clock=lambda: world.now,
    ) as world.memory:
        for result in world.memory.remember_many(drafts):
            if isinstance(result, upheld.UpheldError):
                raise result
        yield world
