"""What is said to follow from what: "so", "therefore", "that is why"; "since", "because", "given that".

Only what the words mark is read, and only right behind what it follows from. It is a proposal: the link is one that
the store may take for it, or lay before a person.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from upheld.conversation.marks import BINDS, CONCLUDES
from upheld.conversation.message import Kept
from upheld.conversation.proposal import Earlier, Premise, Proposal
from upheld.conversation.speaker import in_third_person, is_first_person, name_of

__all__ = ["follows", "joined", "mark", "reasons"]

_CONCLUDES: Final = re.compile(r"\b" + CONCLUDES, re.IGNORECASE)
_LOOSELY: Final = re.compile(r"(?:(?:and|but) )?so\b", re.IGNORECASE)
_PREMISES: Final = re.compile(r"(?:based on|given|since|because|as|considering|seeing)\b", re.IGNORECASE)
_IN_FRONT: Final = re.compile(
    r"(?:since|because|as|given that|considering that)\s+(?P<why>[^,;]{6,300}),\s+\S", re.IGNORECASE
)
_BEHIND: Final = re.compile(r"\b(?:because|since)\s+(?P<why>[^,;]{6,300}?)[.!]*$", re.IGNORECASE)
_NO_REASON: Final = re.compile(r"(?:of|then|\d|it\b|this\b|that\b)", re.IGNORECASE)


def mark(sentence: str) -> int:
    """How many characters in front of a sentence only say that it is a conclusion.

    >>> mark("Therefore, it stays."), mark("So far it stays.")
    (11, 0)
    """
    found = re.match(CONCLUDES, sentence, re.IGNORECASE)
    return found.end() if found is not None else 0


def follows(lead: str, sentence: str, premise: Premise, *, apart: bool) -> bool:
    """Whether a sentence, of which `lead` stood in front, is a conclusion from the one right before it.

    "So" alone also goes on to something else. In a message of its own (`apart`) it concludes only where the premise was
    introduced as one, or where the conclusion binds somebody.

    >>> from upheld.conversation.message import Role
    >>> from datetime import UTC, datetime
    >>> from upheld.note import Certainty
    >>> at = datetime(2026, 2, 27, 12, tzinfo=UTC)
    >>> said = Kept(number=1, conversation="c", scope="s", role=Role.USER, by="person:ana", at=at, recorded_at=at,
    ...     text="The API uses the column.")
    >>> held = Proposal(message=1, start=0, end=24, statement=said.text, by="person:ana", certainty=Certainty.REPORTED)
    >>> premise = Premise(said, held, "")
    >>> [follows("So ", text, premise, apart=True) for text in ("we must not drop it.", "we went out.")]
    [True, False]
    """
    if (found := _last_mark(lead)) is None:
        return False
    if not apart or _LOOSELY.match(found) is None or BINDS.search(sentence) is not None:
        return True
    said = premise.message.text[premise.proposal.start : premise.proposal.end]
    return _PREMISES.match(premise.lead.strip()) is not None or _PREMISES.match(said) is not None


def _last_mark(lead: str) -> str | None:
    found = [match[0] for match in _CONCLUDES.finditer(lead)]
    return found[-1] if found and lead.endswith(found[-1]) else None


def joined(sentence: str, start: int, end: int, message: Kept, premise: Premise) -> Proposal | None:
    """A conclusion that does not stand alone, told with its premise: "The API uses it, so we must not drop it".

    None where it speaks of its speaker in words that cannot be turned.
    """
    held = premise.proposal
    if is_first_person(sentence):
        turned = in_third_person(sentence, name_of(held.by))
        if turned is None:
            return None
        sentence = turned
    elif re.match(r"[A-Z][a-z']*\s", sentence):
        sentence = sentence[:1].lower() + sentence[1:]
    apart = premise.message.number != message.number
    return replace(
        held,
        message=message.number,
        start=start if apart else held.start,
        end=end,
        statement=f"{held.statement.rstrip('.!')}, so {sentence.rstrip('.!')}.",
        key=None,
        value=None,
        is_keyed=False,
        valid_from=None,
        valid_to=None,
        still=False,
        earlier=Earlier(premise.message, held.start, held.end) if apart else None,
    )


def reasons(statement: str) -> tuple[str, ...]:
    """The clauses that a statement gives as its reason, in its own words.

    >>> reasons("The column must stay, because API v1 uses the column."), reasons("Ana lives in Berlin since 2019.")
    (('API v1 uses the column',), ())
    """
    found = [match["why"] for match in (_IN_FRONT.match(statement), _BEHIND.search(statement)) if match is not None]
    return tuple(why.strip() for why in found if _NO_REASON.match(why) is None and len(why.split()) >= _FEW)


_FEW: Final = 3
"""Words that a clause has at least."""
