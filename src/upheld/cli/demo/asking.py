"""Asks the record's questions, beside a plain search of the same texts, and compares with what its authors expect.

Plain search is this library's own search in a second store, made of the same statements with no links, keys, times or
retractions: everything that was ever written down counts as live. So the two differ in validity and in nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from upheld.answer import Recall, View, quoted
from upheld.cli.demo.record import Question, Record
from upheld.memory import Memory
from upheld.note import Certainty, Draft, Note, Standing
from upheld.opening import open
from upheld.ports import Embedder

SHOWN = 12
_ANSWERED, _OPEN = 9, 3
_PLAIN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and its answer. `plain` is what plain search puts first, each with its standing today."""

    question: Question
    answer: Recall
    plain: tuple[View, ...] = ()
    faults: tuple[str, ...] = ()
    served_old: int = 0

    @property
    def misled(self) -> bool:
        """Whether plain search puts a note first that is not in force."""
        return bool(self.plain) and self.plain[0].standing is not Standing.IN_FORCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One step in the direction: the note it left and the note it led to, both with their texts."""

    old: View
    new: View


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that the demo found."""

    asked: tuple[Asked, ...]
    march: tuple[tuple[Asked, Asked], ...]
    two_times: tuple[Asked, ...]
    direction: Asked
    moves: tuple[Move, ...]
    notes: int

    @property
    def all(self) -> tuple[Asked, ...]:
        """Every question that was asked, at whatever moment."""
        return (*self.asked, *(then for then, _ in self.march), *self.two_times, self.direction)

    @property
    def faults(self) -> tuple[str, ...]:
        """Every answer that is not the one expected."""
        return tuple(f"{each.question.ask} {fault}" for each in self.all for fault in each.faults)

    @property
    def misled(self) -> int:
        """For how many of today's questions plain search puts first what is not in force."""
        return sum(each.misled for each in self.asked)

    @property
    def served_old(self) -> int:
        """How many notes that did not stand were delivered, over all questions."""
        return sum(each.served_old for each in self.all)

    def best(self) -> tuple[Asked, ...]:
        """A dozen that show most: those that mislead a plain search, with and without an answer."""
        ordered = sorted(self.asked, key=lambda each: not each.misled)
        answered = [each for each in ordered if each.question.expect][:_ANSWERED]
        unsettled = [each for each in ordered if not each.question.expect][:_OPEN]
        chosen = [*answered, *unsettled]
        return tuple(each for each in self.asked if each in chosen)


def plain_store(memory: Memory, record: Record, embedder: Embedder | None) -> Memory:
    """A store of the same statements, none of which is told of any other."""
    recorded = {line.id for line in memory.export() if isinstance(line, Note)}
    drafts = [
        Draft(
            statement=entry.line.statement,
            scope=entry.line.scope,
            id=entry.line.id,
            certainty=Certainty.REPORTED,
            extract_key=False,
        )
        for entry in record.entries
        if isinstance(entry.line, Draft) and entry.line.id in recorded
    ]
    plain = open(":memory:", embedder=embedder)
    plain.remember_many(drafts)
    return plain


def ask_all(memory: Memory, plain: Memory, record: Record) -> Findings:
    """Ask everything."""
    asked = tuple(_asked(memory, plain, record, question) for question in record.questions)
    return Findings(
        asked=asked,
        march=tuple((_then(memory, record, then), asked[place]) for then, place in record.march),
        two_times=tuple(_asked(memory, None, record, question) for question in record.two_times),
        direction=_asked(memory, None, record, record.direction),
        moves=tuple(
            Move(old=memory.get(old, mode="history"), new=memory.get(new, mode="history")) for old, new in record.moves
        ),
        notes=sum(memory.scopes().values()),
    )


def ask(memory: Memory, record: Record, question: Question) -> Asked:
    """Ask one question of the memory alone."""
    return _asked(memory, None, record, question)


def _asked(memory: Memory, plain: Memory | None, record: Record, question: Question) -> Asked:
    answer = memory.recall(
        question.ask,
        scope=record.scopes,
        applies=question.applies,
        valid_at=question.valid_at,
        known_at=question.known_at,
    )
    found: tuple[View, ...] = ()
    if plain is not None:
        first = plain.recall(question.ask, scope=record.scopes, limit=_PLAIN)
        found = tuple(memory.get(note.id, mode="history") for note in first.upheld)
    return Asked(
        question=question,
        answer=answer,
        plain=found,
        faults=tuple(_faults(memory, question, answer)),
        served_old=_served_old(memory, question, answer),
    )


def _then(memory: Memory, record: Record, question: Question) -> Asked:
    """Ask of March, as known in March; and as known today, which must come to the same."""
    known_now = _asked(memory, None, record, replace(question, known_at=None))
    known_then = _asked(memory, None, record, question)
    return replace(
        known_then,
        faults=(*known_then.faults, *(f"(known today) {fault}" for fault in known_now.faults)),
        served_old=known_then.served_old + known_now.served_old,
    )


def _faults(memory: Memory, question: Question, answer: Recall) -> list[str]:
    served = [note.id for note in answer.upheld]
    faults: list[str] = []
    if question.expect and served[:1] != [question.expect[0]]:
        faults.append(f"puts {', '.join(served[:1]) or 'nothing'} first, not {question.expect[0]}")
    faults += [f"does not uphold {id}" for id in question.expect[1:] if id not in served]
    block = answer.prompt()
    for id in question.absent:
        text = memory.get(id, mode="history").statement
        if id in served or (text is not None and quoted(text) in block):
            faults.append(f"delivers {id}, which must stay out")
    opened = {each.id for each in answer.open}
    if question.open_about and not opened & set(question.open_about):
        faults.append(f"leaves nothing open about {' or '.join(question.open_about)}")
    return faults


def _served_old(memory: Memory, question: Question, answer: Recall) -> int:
    """How many delivered notes the store itself says did not stand at the moments that were asked of."""
    views = [memory.get(note.id, valid_at=question.valid_at, known_at=question.known_at) for note in answer.upheld]
    return sum(view.standing is not Standing.IN_FORCE for view in views)
