"""What one message would write, as one set of changes: with the message told again as its evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from upheld.conversation.message import Kept
from upheld.conversation.proposal import Earlier, Proposal
from upheld.conversation.retold import retold, stated
from upheld.note import Citation, Draft
from upheld.transition import Ground, Transition

__all__ = ["transition"]


def transition(
    message: Kept, known: Sequence[str], wanted: Sequence[tuple[Proposal, Draft]], *, ruled: bool
) -> Transition:
    """What one message would write, as a whole, with the message told again by names and years as its evidence.

    What a model read is also held against what the rules read: it may say more, and may not leave that out.
    """
    told = {message.number: retold(message, known)}
    evidence = [
        Ground(ref=message.ref, text=told[message.number][0], at=message.at, channel=message.channel, asks=False)
    ]
    if not ruled and (least := stated(message, known)):
        evidence.append(Ground(ref="what it states", text=least, at=message.at, channel=message.channel))
    drafts = []
    for proposal, draft in wanted:
        cited = [Earlier(message, proposal.start, proposal.end)]
        if (earlier := proposal.earlier) is not None:
            cited.insert(0, earlier)
            if earlier.message.number not in told:
                text = told.setdefault(earlier.message.number, retold(earlier.message))[0]
                said = earlier.message
                evidence.append(Ground(ref=said.ref, text=text, at=said.at, channel=said.channel, asks=False))
        sources = tuple(_cited(each, *told[each.message.number]) for each in cited)
        # The times were read by code, from the message and its date; what is left to compare are words.
        drafts.append(replace(draft, valid_from=None, valid_to=None, sources=sources))
    return Transition(evidence=evidence, drafts=drafts)


def _cited(passage: Earlier, text: str, places: Mapping[int, int]) -> Citation:
    """A passage in the text of its message as it was told again."""
    message = passage.message
    start, end = places[passage.start], places[passage.end]
    return Citation(original=text, ref=message.ref, start=start, end=end, channel=message.channel)
