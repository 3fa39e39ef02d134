"""What an extractor other than the rules offers, and what code makes of it: the same checks, the same places.

A model says which message, which words of it to the letter, and what they state. When it holds, under which condition,
how surely, on whose word: code reads that from the message. So nothing that a model writes can be older, surer or
wider than what was said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from upheld import limits, values
from upheld.conversation.message import Kept, Offer
from upheld.conversation.proposal import Left, Proposal, Reading
from upheld.conversation.propose import Shown, shown
from upheld.doubt import holds_doubt, is_guess
from upheld.errors import UpheldError
from upheld.note import Certainty, Key

__all__ = ["offered"]

NO_MESSAGE = "it cites a message that was not shown"
NOT_THERE = "its quote is not in that message"
NOT_A_STATEMENT = "its words are no statement"
UNREADABLE = "it cannot be read"
NO_DAY = "it begins on a day that is not known"
_BEGINS: Final = ("will ", "won't ", "going to ", "'ll ")


def offered(
    offers: Sequence[object], messages: Sequence[Kept], known: Mapping[int, Sequence[str]]
) -> dict[int, Reading]:
    """Check offers about some messages; return for each message what may be proposed of it, and what not and why.

    `known` are the folded statements that were recalled before each message. What cites no message that was shown
    stands under the number 0.
    """
    by_number = {message.number: message for message in messages}
    sentences = {message.number: list(shown(message, known.get(message.number, ()))) for message in messages}
    proposals: dict[int, list[Proposal]] = {message.number: [] for message in messages}
    left: dict[int, list[Left]] = {
        number: [each for each in found if isinstance(each, Left)] for number, found in sentences.items()
    }
    for each in offers:
        if not isinstance(each, Offer) or not isinstance(each.message, int):
            left.setdefault(0, []).append(Left(message=0, start=0, end=0, why=UNREADABLE))
            continue
        message = by_number.get(each.message)
        if message is None:
            left.setdefault(0, []).append(Left(message=0, start=0, end=0, why=NO_MESSAGE))
            continue
        found = _one(each, message, sentences[message.number])
        if isinstance(found, Left):
            left[message.number].append(found)
        else:
            proposals[message.number].append(found)
    return {
        number: Reading(proposals=tuple(proposals.get(number, ())), left=tuple(left.get(number, ())))
        for number in proposals.keys() | left.keys()
    }


def _one(offer: Offer, message: Kept, sentences: Sequence[Shown | Left]) -> Proposal | Left:
    def left(why: str, start: int = 0, end: int = 0) -> Left:
        return Left(message=message.number, start=start, end=end, why=why)

    if not isinstance(offer.quote, str) or not offer.quote.strip() or offer.quote not in message.text:
        return left(NOT_THERE)
    start = message.text.index(offer.quote)
    end = start + len(offer.quote)
    touched = [each for each in sentences if each.start < end and start < each.end]
    refused = [each for each in touched if isinstance(each, Left)]
    if refused or not touched:
        return left(refused[0].why if refused else NOT_A_STATEMENT, start, end)
    found = [each for each in touched if isinstance(each, Shown)]
    try:
        limits.statement(offer.statement)
    except UpheldError:
        return left(UNREADABLE, start, end)
    first = found[0]
    if len({(each.by, tuple(sorted(each.applies_when.items()))) for each in found}) > 1:
        return left(NOT_A_STATEMENT, start, end)
    timed = [each.times for each in found if each.times.valid_from or each.times.valid_to or each.times.unknown]
    if len(timed) > 1 or any(
        each.times.unknown and any(word in each.text.lower() for word in (*_BEGINS, "next ", "until ", "tomorrow"))
        for each in found
    ):
        return left(NO_DAY, start, end)
    times = timed[0] if timed else first.times
    if times.valid_from is None and any(word in each.text.lower() for each in found for word in _BEGINS):
        return left(NO_DAY, start, end)
    unsure = any(each.certainty is Certainty.HYPOTHESIS for each in found)
    unsure = unsure or is_guess(offer.statement) or holds_doubt(offer.statement)
    key, value = _key(offer)
    return Proposal(
        message=message.number,
        # The whole sentences: a quote may not be cut so that its doubt stays behind.
        start=first.start,
        end=found[-1].end,
        statement=offer.statement,
        by=first.by,
        certainty=Certainty.HYPOTHESIS if unsure else Certainty.REPORTED,
        key=key,
        value=value,
        applies_when=first.applies_when,
        valid_from=times.valid_from,
        valid_to=times.valid_to,
        still=times.still,
    )


def _key(offer: Offer) -> tuple[Key | None, str | None]:
    """The key that was offered, where the statement itself names its subject and its value; else grammar looks."""
    parts = (offer.subject, offer.attribute, offer.value)
    if not all(isinstance(part, str) and part.strip() for part in parts) or not isinstance(offer.single, bool):
        return None, None
    subject, attribute, value = str(parts[0]), str(parts[1]), str(parts[2])
    said = values.canonical_name(offer.statement)
    if any(len(part) > 200 or "\n" in part for part in (subject, attribute, value)):
        return None, None
    named = (values.canonical_name(subject), values.canonical_name(value))
    if not all(part and part in said for part in named):
        return None, None
    return Key(subject=subject, attribute=attribute, single=offer.single), value
