"""What an extracted note stands on: what it says again, and what it is a conclusion from.

A passage that says again what a keyed note holds is *derived from* that note: it is served while the note stands and
falls with it, whenever that is. What was said after the note fell is new evidence, and stands by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace

from upheld import keys, values
from upheld.admit import Admitted
from upheld.conversation.conclusions import reasons
from upheld.conversation.message import Kept
from upheld.conversation.proposal import Proposal
from upheld.conversation.restated import restates
from upheld.note import Certainty, Draft, Note, Standing, instant
from upheld.policy import Policy
from upheld.ports import Reading as View
from upheld.standing import IN_FORCE, Ruling, Seq, standings

__all__ = ["Grounds", "waits_for"]

MOST = 16
"""How many notes one passage is derived from at most, the newest first."""
_GONE = frozenset({Standing.SUPERSEDED, Standing.CONTRADICTED, Standing.RETRACTED, Standing.ENDED, Standing.EXPIRED})


def waits_for(proposal: Proposal, admitted: Admitted, message: Kept, pending: Sequence[Admitted]) -> bool:
    """Whether a proposal may stand on one that is to be written before it."""
    if not pending:
        return False
    if proposal.follows is not None or reasons(proposal.statement):
        return True
    return any(each.value is not None and _says_again(proposal, admitted, message, each) for each in pending)


@dataclass(slots=True)
class Grounds:
    """Finds them in one view, at one moment."""

    view: View
    policy: Policy
    now: datetime
    held: dict[str, list[Note]] = field(default_factory=dict)

    def look(self, scope: str, texts: Iterable[str], value_keys: Iterable[str]) -> None:
        """Find the keyed notes of a scope that some passages may say again."""
        said = "\n".join(values.text.lower(values.text.fold(text)) for text in texts)
        found = self.view.notes(self.view.messages.held_in(said, scope=scope, value_keys=list(value_keys)))
        self.held[scope] = [each for each in found.values() if each.certainty is not Certainty.HYPOTHESIS]

    def grounded(self, proposal: Proposal, admitted: Admitted, draft: Draft, message: Kept) -> Draft:
        """The draft with all that it stands on."""
        premises = self._premises(proposal, draft.scope)
        # A conclusion that quotes its premise is no copy of it.
        copied = [each for each in self._restated(proposal, admitted, message) if each.id not in premises]
        # What a note is derived from holds it up until corrected; one that ends by itself has to hold it up too.
        premises += [each.id for each in copied if each.valid_to is not None or each.expires_at is not None]
        return replace(draft, derived_from=tuple(each.id for each in copied), depends_on=tuple(dict.fromkeys(premises)))

    def _restated(self, proposal: Proposal, admitted: Admitted, message: Kept) -> list[Note]:
        """The keyed notes that a passage says again, but for those that had fallen before it was said."""
        met = [
            each
            for each in self.held.get(admitted.draft.scope, ())
            # Nobody's word falls with the word of somebody who is trusted less.
            if not self.policy.outranks(admitted.channel, each.channel)
            and each.generation < self.policy.consolidate.generations
            and _says_again(proposal, admitted, message, each)
        ]
        ruled = self._ruled(each.seq for each in met)
        found = [each for each in met if not self._fell_before(each, ruled[each.seq], message.at)]
        return sorted(found, key=lambda each: each.seq)[-MOST:]

    def _fell_before(self, note: Note, ruling: Ruling, said_at: datetime | None) -> bool:
        if ruling.standing is Standing.ERASED:
            return True
        if ruling.standing not in _GONE or said_at is None:
            return False
        times = [note.valid_to, note.expires_at]
        if ruling.standing not in {Standing.ENDED, Standing.EXPIRED}:
            by = self.view.notes(ruling.by).values()
            lines = self.view.lines(ruling.because).values()
            times = [each.event_time for each in by] if by else []
            times = times if any(times) else [at for at, _ in lines]
        known = [at for at in times if at is not None]
        return bool(known) and min(known) < said_at

    def _premises(self, proposal: Proposal, scope: str) -> list[str]:
        """The notes that a proposal says it follows from: what was said right before it, or what it names as reason."""
        found: list[Seq] = []
        if proposal.follows is not None:
            found += [seq for _, seq in self.view.requests([proposal.follows]).values()]
        if why := reasons(proposal.statement):
            meant = [seq for each in why for seq in self._meant(each, scope)]
            ruled = self._ruled(meant)
            found += [seq for seq in meant if ruled[seq] is IN_FORCE]
        return list(self.view.ids(found).values())

    def _meant(self, why: str, scope: str) -> list[Seq]:
        """The notes of a scope that a clause states."""
        sentence = f"{why[:1].upper()}{why[1:].rstrip('.')}."
        same = [each.seq for each in self.view.same_statement(scope, sentence)]
        key = keys.extract(sentence)
        if key is None:
            return same
        asked = (values.canonical_name(key.subject), values.canonical_name(key.attribute))
        noted = self.view.notes(self.view.keyed([scope], [asked])).values()
        return [*same, *(each.seq for each in noted if each.value_key == values.canonical(key.value))]

    def _ruled(self, seqs: Iterable[Seq]) -> dict[Seq, Ruling]:
        listed = sorted(set(seqs))
        if not listed:
            return {}
        world = self.view.world(listed)
        return standings(world, listed, valid_at=instant(self.now), known_at=self.view.head().seq)


def _says_again(proposal: Proposal, admitted: Admitted, message: Kept, held: Note | Admitted) -> bool:
    """Whether a passage says again what a note of another key holds; with the same key, the key rule decides."""
    subject, value = held.subject, held.value
    if subject is None or value is None or held.value_key is None:
        return False
    if (held.subject_key, held.attribute_key) == (admitted.subject_key, admitted.attribute_key):
        return False
    statement = held.statement if isinstance(held, Note) else held.draft.statement
    passage = message.text[proposal.start : proposal.end]
    return any(
        restates(said, admitted.value_key, statement=statement, subject=subject, value=value, held_key=held.value_key)
        for said in dict.fromkeys((passage, proposal.statement))
    )
