"""From a message to proposals: which of its sentences state something, of whom, when, where it holds, how surely.

A proposal cites the place that it was read from, and counts as what its speaker counts; what was fetched counts as a
tool's word at most. The rules here read plain English; a language model may offer more, and passes the same checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from upheld import keys
from upheld.conversation.conclusions import follows, joined, mark
from upheld.conversation.conditions import conditions
from upheld.conversation.echoes import blocks, is_echo
from upheld.conversation.marks import BINDS
from upheld.conversation.message import Kept, Role
from upheld.conversation.mood import is_one_clause, opener, why_not
from upheld.conversation.proposal import FETCHED_BY, Left, Premise, Proposal, Reading, draft_of
from upheld.conversation.sentences import fetched, sentences, within
from upheld.conversation.speaker import in_third_person, is_first_person, name_of
from upheld.conversation.times import Part, Phrase, Times, times
from upheld.doubt import holds_doubt, is_guess
from upheld.note import Certainty, Channel, Key

__all__ = ["ECHO", "RULES", "Shown", "read", "shown", "timeless", "with_years"]

RULES: Final = "rules/1"
"""The version of these rules: what they read once is not read again."""

ECHO = "an echo of what was recalled in this conversation"
SYSTEM = "a message of the system: not what anybody said"
NOT_ALONE = "it does not say by itself what it is about"
NO_DAY = "it begins on a day that is not known"
NOBODY = "it speaks of its speaker in words that the rules cannot turn"
_POINTS: Final = re.compile(
    r"^(?:it|its|he|she|they|this|that|these|those|there|here|his|her|their|everyone|everybody|someone|somebody|"
    r"something|nobody|nothing|one|some|both|each)\b",
    re.IGNORECASE,
)
_LOOSE: Final = re.compile(r"\b(?:them|him|it|those|these|since then|there)\b(?! (?:is|are) )", re.IGNORECASE)
_NAMES: Final = re.compile(r"(?<=\s)[A-Z0-9]\w*|\w*[_/.]\w+|\w*\d\w*")
_GUESSES: Final = re.compile(
    r"^(?:(?:my|our) (?:best )?(?:guess|hunch|suspicion|theory|hypothesis) is(?: that)?|"
    r"(?:i|we) (?:only )?(?:think|guess|suspect|believe|assume|reckon)(?: that)?|"
    r"maybe|perhaps|probably|possibly|presumably|apparently)[, ]+",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(r"(?:In|On) (?:the )?(?:production|prod|staging|development|dev|testing|qa|sandbox)(?= \w)")
_UPCOMING: Final = re.compile(r"\b(?:will|won't|'ll|going to|shall)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A sentence that may be proposed, with all that its words and its speaker decide; `lead` stood in front of it."""

    start: int
    end: int
    text: str
    by: str
    certainty: Certainty
    times: Times
    applies_when: Mapping[str, tuple[str, ...]]
    lead: str = ""


def read(message: Kept, known: Sequence[str] = (), before: Premise | None = None) -> Reading:
    """Propose what a message states. `known` are folded statements that were recalled in its conversation.

    `before` is what its speaker stated last, if nobody said anything else since: what begins with "so" follows from it.

    >>> from datetime import UTC
    >>> at = datetime(2026, 2, 27, 12, tzinfo=UTC)
    >>> said = Kept(number=1, conversation="c", scope="s", role=Role.USER, by="person:ana", at=at, recorded_at=at,
    ...     text="Hi! I moved to Berlin last Tuesday. Can you update my address?")
    >>> found = read(said)
    >>> [(each.statement, each.valid_from.date().isoformat()) for each in found.proposals]
    [('Ana moved to Berlin on 24 February 2026.', '2026-02-24')]
    >>> [each.why for each in found.left]
    ['it does not say by itself what it is about', 'a question']
    """
    proposals: list[Proposal] = []
    left: list[Left] = []
    last = before if before is not None and before.proposal.by == message.by else None
    for each in shown(message, known):
        found = each if isinstance(each, Left) else _proposed(message, each, last)
        last = None
        if isinstance(found, Left):
            left.append(found)
        else:
            proposals.append(found)
            last = Premise(message, found, each.lead if isinstance(each, Shown) else "")
    return Reading(proposals=tuple(proposals), left=tuple(left), last=last)


def _proposed(message: Kept, found: Shown, last: Premise | None) -> Proposal | Left:
    """What a sentence states, and what it follows from; or why it states nothing."""
    apart = last is not None and last.message.number != message.number
    concludes = last is not None and last.proposal.by == found.by and follows(found.lead, found.text, last, apart=apart)
    said = _stated(found)
    if not isinstance(said, str):
        proposal = _proposal(message, found, *said)
    elif (
        said == NOT_ALONE
        and concludes
        and last is not None
        and not found.times.phrases
        and (told := joined(found.text, found.start, found.end, message, last))
    ):
        unsure = Certainty.HYPOTHESIS in {found.certainty, told.certainty}
        proposal = replace(
            told,
            certainty=Certainty.HYPOTHESIS if unsure else told.certainty,
            applies_when={**told.applies_when, **found.applies_when},
        )
    else:
        return Left(message=message.number, start=found.start, end=found.end, why=said)
    if not concludes or last is None:
        return proposal
    return replace(proposal, follows=draft_of(last.proposal, last.message).idempotency_key)


def shown(message: Kept, known: Sequence[str] = ()) -> Iterator[Shown | Left]:
    """The sentences of a message, in order: those that may be proposed, and the others with why not."""
    text = message.text
    if message.role is Role.SYSTEM:
        yield Left(message=message.number, start=0, end=len(text), why=SYSTEM)
        return
    recalled, pasted = blocks(text), fetched(text)
    for block in recalled:
        yield Left(message=message.number, start=block.start, end=block.end, why=ECHO)
    for begin, end in sentences(text):
        start = begin
        if within(start, end, recalled):
            continue
        inside = within(start, end, pasted)
        by = FETCHED_BY if inside and message.channel is Channel.PERSON else message.by
        channel = Channel.TOOL if by == FETCHED_BY else message.channel
        if not inside and channel is Channel.PERSON:
            start += opener(text[start:end])
        elif not inside and channel is Channel.AGENT:
            start += mark(text[start:end])
        sentence = text[start:end]
        why = ECHO if is_echo(sentence, known) else why_not(sentence, channel, fetched=inside)
        if why is not None:
            yield Left(message=message.number, start=start, end=end, why=why)
            continue
        doubtful = is_guess(sentence) or holds_doubt(sentence)
        yield Shown(
            start=start,
            end=end,
            text=sentence,
            by=by,
            certainty=Certainty.HYPOTHESIS if doubtful else Certainty.REPORTED,
            times=_times(sentence, message.at),
            applies_when=conditions(sentence),
            lead=text[begin:start],
        )


def _times(sentence: str, at: datetime | None) -> Times:
    """When a sentence holds. Each of several clauses may have a time of its own: only one in front is that of all."""
    found = times(sentence, at)
    if is_one_clause(sentence) or all(each.start == 0 for each in found.phrases if each.is_time):
        return found
    return replace(found, valid_from=None, valid_to=None, still=False)


def _stated(found: Shown) -> tuple[str, Key | None, str | None] | str:
    """The statement of a sentence with its key and value; or why it has none."""
    name, sentence = name_of(found.by), found.text
    has_one_time = found.times.valid_from is not None or found.times.valid_to is not None
    if not has_one_time:
        sentence = with_years(found)
    bare = timeless(sentence, found.times.phrases) if has_one_time else sentence
    if keys.extract(bare) is None and (placed := _PLACED.match(bare)) is not None:
        bare = f"{placed[0]}, {bare[placed.end() :].lstrip()}"
    if is_first_person(sentence):
        turned, bare_turned = in_third_person(sentence, name), in_third_person(bare, name)
        if turned is None or bare_turned is None or found.by == FETCHED_BY or found.by.startswith("tool:"):
            return NOBODY
        sentence, bare = turned, bare_turned
    if not _stands_alone(bare, found.certainty):
        return NOT_ALONE
    if why := _undated(found):
        return why
    moved = [
        each
        for each in found.times.phrases
        if each.period is not None and each.written != found.text[each.start : each.end]
    ]
    if has_one_time and (moved or _misread(sentence, bare)):
        sentence = _with_years(bare, found.times.phrases)
    sentence = sentence[:1].upper() + sentence[1:]
    key = keys.extract(bare)
    if key is None or keys.extract(sentence) == key:
        return sentence, None, None
    return sentence, Key(subject=key.subject, attribute=key.attribute, single=key.ends), key.value


def _undated(found: Shown) -> str | None:
    """Why a sentence may not be stated because of a day in it that is not known."""
    if _UPCOMING.search(found.text) and found.times.valid_from is None:
        return NO_DAY
    if not found.times.unknown:
        return None
    known = all(each.period is not None for each in found.times.phrases if each.part is Part.VALUE)
    if (
        _UPCOMING.search(found.text)
        or not known
        or re.search(r"\b(?:next|until|till|tomorrow|soon)\b", found.text, re.IGNORECASE)
    ):
        return NO_DAY
    return None


def _stands_alone(sentence: str, certainty: Certainty) -> bool:
    """Whether somebody who reads only this knows what it is about."""
    inner = _GUESSES.sub("", sentence) if certainty is Certainty.HYPOTHESIS else sentence
    if certainty is Certainty.HYPOTHESIS and _NAMES.search(inner) is not None:
        return True
    if _POINTS.match(inner) or (_LOOSE.search(inner) is not None and is_one_clause(inner)):
        return False
    if BINDS.search(inner) is not None and _NAMES.search(inner) is not None:
        return True  # a rule about something that has a name: few of them have a subject, a verb and a value
    return any(each is not None for each in keys.read(inner[:1].upper() + inner[1:])) and len(inner.split()) > 2


def _misread(sentence: str, bare: str) -> bool:
    """Whether a time in front of a sentence hides its subject from whoever reads it by grammar."""
    found = keys.extract(bare)
    return found is not None and keys.extract(sentence) != found and not sentence.startswith(bare.rstrip(".!")[:12])


def with_years(found: Shown) -> str:
    """A sentence with each known time written out where it stands."""
    parts, place = [], 0
    for phrase in found.times.phrases:
        if phrase.period is not None:
            parts += [found.text[place : phrase.start], phrase.written]
            place = phrase.end
    return "".join((*parts, found.text[place:]))


def timeless(sentence: str, phrases: Sequence[Phrase]) -> str:
    """A sentence without the phrases that say when it holds; a day that is its value stays, with its year."""
    parts, place = [], 0
    for each in phrases:
        if each.is_time or (each.period is not None and each.part is Part.VALUE):
            parts.append(sentence[place : each.start])
            parts.append("" if each.is_time else each.written)
            place = each.end
    bare = re.sub(r"\s+([.,;!?])", r"\1", " ".join(part.strip() for part in (*parts, sentence[place:]) if part.strip()))
    bare = re.sub(r",+(?=[.!]?$)|^[\s,]+", "", bare)
    return bare[:1].upper() + bare[1:] if phrases and sentence[:1].isupper() else bare


def _with_years(bare: str, phrases: Sequence[Phrase]) -> str:
    """The bare sentence with its times behind it, each with its year: "last Tuesday" is another day next month."""
    said = [each.written for each in phrases if each.is_time and each.written]
    end = bare[-1] if bare[-1:] in ".!" else "."
    return f"{bare.rstrip('.!')} {' '.join(said)}{end}" if said else bare


def _proposal(message: Kept, found: Shown, statement: str, key: Key | None, value: str | None) -> Proposal:
    statement = statement if statement[-1:] in ".!" else f"{statement}."
    return Proposal(
        message=message.number,
        start=found.start,
        end=found.end,
        statement=statement,
        by=found.by,
        certainty=found.certainty,
        key=key,
        value=value,
        applies_when=found.applies_when,
        valid_from=found.times.valid_from,
        valid_to=found.times.valid_to,
        still=found.times.still,
    )
