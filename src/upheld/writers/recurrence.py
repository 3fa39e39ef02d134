"""The guess that needs no model: what was the same each time is what is usual.

Three occurrences of one attribute of one subject, all with one value and none with another, are a usual value. One
other value, also one that was replaced since, is an exception, and then nothing is usual.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from upheld.aside import Operation, Quote, Sentence, Work
from upheld.errors import Invalid
from upheld.note import Key

if TYPE_CHECKING:
    from upheld.note import Note

LEAST: Final = 3
"""How many occurrences make a habit."""
_FROM, _STEP, _MOST = 0.3, 0.05, 0.5


class Recurrence:
    """Proposes the usual value of an attribute."""

    @property
    def name(self) -> str:
        """The version of this code."""
        return "recurrence-1"

    def write(self, work: Work) -> list[Sentence]:
        """One guess for each key whose value was always the same, the more often the surer: 0.3 to 0.5.

        >>> Recurrence().write(Work(operation=Operation.INFER, notes=[]))
        []
        """
        if work.operation is not Operation.INFER:
            raise Invalid("this writer sees what recurs; it summarises nothing")
        by_key: dict[tuple[str, str], list[Note]] = defaultdict(list)
        values: dict[tuple[str, str], set[str]] = defaultdict(set)
        for note in (*work.notes, *work.others):
            if note.subject_key is not None and note.attribute_key is not None and note.value_key is not None:
                values[note.subject_key, note.attribute_key].add(note.value_key)
        for note in work.notes:
            if note.subject_key is not None and note.attribute_key is not None and note.value_key is not None:
                by_key[note.subject_key, note.attribute_key].append(note)
        return [_usual(notes) for key, notes in by_key.items() if len(notes) >= LEAST and len(values[key]) == 1]


def _usual(notes: list[Note]) -> Sentence:
    first = notes[0]
    attribute = f"usual {first.attribute}"
    return Sentence(
        text=f"The {attribute} of {first.subject} is {first.value}.",
        quotes=tuple(Quote(note=note.id, text=note.statement) for note in notes),
        confidence=min(_MOST, _FROM + _STEP * (len(notes) - LEAST)),
        key=Key(subject=first.subject or "", attribute=attribute),
        value=first.value,
    )
