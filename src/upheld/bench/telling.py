"""A timeline told to a store through its verbs: states under their keys, turns as messages that rules read.

What became of each state is kept beside it, told from the timeline alone: it is *retired* where a later state names it
as superseded, or has its key and another value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from upheld.bench.timelines import State, Turn
from upheld.conversation import Message, Role
from upheld.errors import UpheldError
from upheld.memory import Memory
from upheld.note import Key
from upheld.values import canonical

RETIRED, STANDING, SAID = "retired state", "standing state", "message"


@dataclass(slots=True)
class Told:
    """What one timeline has told so far, and which notes came of it."""

    scope: str
    track: str
    states: list[State] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    retired: set[int] = field(default_factory=set)
    notes: dict[int, str] = field(default_factory=dict)
    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)

    def carriers(self, phrase: Callable[[str], bool]) -> list[str]:
        """Where a phrase stands in what was told so far."""
        stated = [at for at, each in enumerate(self.states) if phrase(each.text)]
        said = [SAID for each in self.turns if phrase(each.text)]
        return sorted({*said, *(RETIRED if at in self.retired else STANDING for at in stated)})

    def origin(self, note: str) -> str:
        """What a note came of: a state, retired or not, or a message."""
        places = [place for place, id in self.notes.items() if id == note]
        if not places:
            return SAID
        return RETIRED if self.retired.issuperset(places) else STANDING

    def find(self, name: str) -> int | None:
        """The last state with an id, or else with a key."""
        listed = list(enumerate(self.states))
        by_id = [place for place, each in listed if each.id == name]
        by_key = [place for place, each in listed if each.key == name]
        return next(iter((by_id or by_key)[::-1]), None)


class Teller:
    """Tells timelines to one store, each in a scope of its own."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def tell(self, told: Told, moment: State | Turn) -> None:
        """Write one moment; what the store refuses is counted."""
        if isinstance(moment, Turn):
            told.turns.append(moment)
            return
        try:
            self._state(told, moment)
        except UpheldError as error:
            told.refused[error.code] += 1

    def read(self, told: Told) -> None:
        """Take in what was said since, and let the rules read it."""
        said = [
            Message(role=Role.USER if turn.is_user else Role.ASSISTANT, text=turn.text, by=turn.by, at=turn.at)
            for turn in told.turns[told.read :]
        ]
        told.read = len(told.turns)
        if said:
            self._memory.ingest(said, scope=told.scope, conversation=told.scope)
            self._memory.extract(scope=told.scope)

    def _state(self, told: Told, state: State) -> None:
        place = len(told.states)
        old = None if state.supersedes is None else told.find(state.supersedes)
        same = [at for at, each in enumerate(told.states) if each.key == state.key and each.apart == state.apart]
        premises = [at for name in state.depends_on if (at := told.find(name)) is not None]
        premises += [at for at, each in enumerate(told.states) if {state.id, state.key}.intersection(each.derived)]
        told.states.append(state)
        told.retired |= {at for at in same if canonical(told.states[at].value) != canonical(state.value)}
        if old is not None:
            told.retired.add(old)
        if state.ends:
            told.retired.add(place)  # it says of the old text that it is invalid, and nothing else
            if old is not None:
                self._memory.retract(told.notes[old], by=state.by, reason=state.value)
            return
        written = self._memory.remember(
            state.text,
            scope=told.scope if state.apart is None else f"{told.scope}/{state.apart}",
            by=state.by,
            key=Key(subject="state", attribute=state.key),
            value=state.value,
            observed_at=state.at,
            supersedes=[] if old is None else [told.notes[old]],
            depends_on=[told.notes[at] for at in dict.fromkeys(premises) if at in told.notes],
        )
        told.notes[place] = written.id
