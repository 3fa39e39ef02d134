"""How what was extracted is written: in order, each note once, with what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from upheld.admit import Admitted
from upheld.aside import Review
from upheld.conversation.message import Kept
from upheld.conversation.outcomes import Passage, again, kept_out, written
from upheld.conversation.proposal import Proposal
from upheld.conversations.grounds import Grounds, waits_for
from upheld.errors import Conflict
from upheld.intake import Intake
from upheld.note import Channel, Draft
from upheld.policy import Policy
from upheld.ports import Clock, Database

__all__ = ["Store", "Wanted"]


class Wanted(NamedTuple):
    """One proposal that passed its checks."""

    message: Kept
    proposal: Proposal
    admitted: Admitted
    draft: Draft


class Store:
    """Writes through the ordinary door."""

    def __init__(self, database: Database, *, policy: Policy, intake: Intake, clock: Clock) -> None:
        self._database = database
        self._policy = policy
        self._intake = intake
        self._clock = clock

    def write(self, wanted: Sequence[Wanted]) -> tuple[list[Passage], list[tuple[int, Review]]]:
        """Write in order; return what came of each, and what waits for a person, with the message it is of."""
        passages: list[Passage] = []
        reviews: list[tuple[int, Review]] = []
        pending: list[Wanted] = []
        for each in wanted:
            if waits_for(each.proposal, each.admitted, each.message, [earlier.admitted for earlier in pending]):
                passages += self._together(pending, reviews)
                pending.clear()
            pending.append(each)
        return passages + self._together(pending, reviews), reviews

    def _together(self, wanted: Sequence[Wanted], reviews: list[tuple[int, Review]]) -> list[Passage]:
        """Write in one transaction what stands on nothing else of it."""
        passages: list[Passage] = []
        grounded: list[Wanted] = []
        for each in self._grounded(wanted):
            review = self._intake.review_of(each.draft, kind=each.admitted.kind, channel=each.admitted.channel)
            if review is not None:
                reviews.append((each.message.number, review))
                passages.append(kept_out(each.proposal, "set_aside", review.why[0]))
            else:
                grounded.append(each)
        if not grounded:
            return passages
        results = self._intake.batch([each.draft for each in grounded], Channel.SYSTEM_OF_RECORD, None)
        with self._database.reading() as view:
            for each, result in zip(grounded, results, strict=True):
                key = each.draft.idempotency_key or ""
                if isinstance(result, Conflict) and (there := view.requests([key])):
                    # It was written before, or by somebody else meanwhile, standing on what was there then.
                    passages.append(again(each.proposal, next(iter(view.ids([there[key][1]]).values()))))
                else:
                    passages.append(written(each.proposal, result))
        return passages

    def _grounded(self, wanted: Sequence[Wanted]) -> list[Wanted]:
        with self._database.reading() as view:
            grounds = Grounds(view, self._policy, self._clock())
            for scope in dict.fromkeys(each.draft.scope for each in wanted):
                here = [each for each in wanted if each.draft.scope == scope]
                passages = [each.message.text[each.proposal.start : each.proposal.end] for each in here]
                texts = [*passages, *(each.proposal.statement for each in here)]
                grounds.look(scope, texts, [each.admitted.value_key for each in here if each.admitted.value_key])
            return [
                each._replace(draft=grounds.grounded(each.proposal, each.admitted, each.draft, each.message))
                for each in wanted
            ]
