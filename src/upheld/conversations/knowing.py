"""What one call of `extract` knows so far, and what the store holds under the key of a draft."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from msgspec.structs import replace

from upheld.admit import Admitted
from upheld.conversation.echoes import folded, served
from upheld.conversation.message import Kept
from upheld.conversation.proposal import Premise, Proposal, Reading
from upheld.conversation.propose import read
from upheld.note import Certainty, Draft, Note
from upheld.ports import Database
from upheld.ports import Reading as View

__all__ = ["BEFORE", "Known"]

BEFORE = 6
"""How many earlier messages are looked at, to know what "it" is and what "so" follows from."""
_Key: TypeAlias = tuple[str, ...]


@dataclass(slots=True)
class Known:
    """What one call knows so far: what was recalled in each conversation, what was said last, what it has proposed."""

    database: Database
    recalled: dict[tuple[str, str], list[tuple[int, tuple[str, ...]]]] = field(default_factory=dict)
    last: dict[tuple[str, str], dict[str, Premise]] = field(default_factory=dict)
    said: set[_Key] = field(default_factory=set)
    held: dict[_Key, list[tuple[str, datetime]]] = field(default_factory=dict)

    def before(self, view: View, message: Kept) -> tuple[str, ...]:
        """The folded statements that were recalled in a conversation before a message, and in it."""
        place = (message.conversation, message.scope)
        if place not in self.recalled:
            found = view.messages.recalled(*place)
            self.recalled[place] = [(number, tuple(folded(each) for each in served(text))) for number, text in found]
        if place not in self.last:
            self.last[place] = {}
            for earlier in view.messages.before(message, BEFORE):
                self.read(earlier, self.before(view, earlier))
        return tuple(each for number, listed in self.recalled[place] if number <= message.number for each in listed)

    def read(self, message: Kept, known: Sequence[str]) -> Reading:
        """Read a message by the rules, as it goes on from what its speaker stated last."""
        last = self.last[message.conversation, message.scope]
        found = read(message, known, last.get(message.by))
        if found.proposals:
            last.clear()  # something else was said: nobody's "so" reaches back over it
        last.pop(message.by, None)
        if found.last is not None:
            last[message.by] = found.last
        return found

    def repeats(self, admitted: Admitted) -> bool:
        """Whether what an agent says is held already: that is no second source."""
        key, said = _key(admitted), _said(admitted)
        if said in self.said:
            return True
        with self.database.reading() as view:
            same = view.same_statement(admitted.draft.scope, admitted.draft.statement)
            return bool(same) or (admitted.value_key is not None and _is_held(view, key, admitted.value_key))

    def dated(self, proposal: Proposal, admitted: Admitted) -> Draft:
        """The draft, without its beginning where something else was seen since: what was said last stands.

        "Since January" said in March is about March too. Where another value was seen in February, the beginning is
        in doubt and so unknown; by it the newer word would count as the older.
        """
        draft, key = admitted.draft, _key(admitted)
        self.said.add(_said(admitted))
        if admitted.value_key is None or draft.certainty is Certainty.HYPOTHESIS:
            return draft
        if proposal.still and draft.valid_from is not None and draft.observed_at is not None:
            with self.database.reading() as view:
                seen = [*self.held.get(key, ()), *_seen(view, key)]
            others = [at for value, at in seen if value != admitted.value_key]
            if any(draft.valid_from < at <= draft.observed_at for at in others):
                draft = replace(draft, valid_from=None)
        if (at := draft.valid_from or draft.observed_at) is not None:
            self.held.setdefault(key, []).append((admitted.value_key, at))
        return draft


def _key(admitted: Admitted) -> _Key:
    return (admitted.draft.scope, admitted.subject_key or "", admitted.attribute_key or "")


def _said(admitted: Admitted) -> _Key:
    key = _key(admitted)
    return (*key, admitted.value_key) if admitted.value_key else (key[0], folded(admitted.draft.statement))


def _noted(view: View, key: _Key) -> list[Note]:
    """The notes of a scope with a key."""
    scope, subject, attribute = key
    return [] if not attribute else list(view.notes(view.keyed([scope], [(subject, attribute)])).values())


def _seen(view: View, key: _Key) -> list[tuple[str, datetime]]:
    """The values of a key, each with when it began or was seen."""
    return [
        (note.value_key, note.event_time)
        for note in _noted(view, key)
        if note.value_key is not None and note.event_time is not None and note.certainty is not Certainty.HYPOTHESIS
    ]


def _is_held(view: View, key: _Key, value: str) -> bool:
    return any(note.value_key == value for note in _noted(view, key))
