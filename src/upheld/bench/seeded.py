"""Faults put into correct updates: something left out, something changed, something that nobody said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from msgspec import structs

from upheld.bench.updates import MEMORA, Update, words
from upheld.note import Certainty, Citation, Draft
from upheld.transition import Transition

OMISSION, CORRUPTION, INVENTION, CONTROL = "omission", "corruption", "invention", "control"

_NUMBER: Final = re.compile(r"(?<![\w.#/-])\$?\d[\d,]*(?:\.\d+)?(?![\w/-]|\.\d|:\d)")
_ISO: Final = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_DAY: Final = re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b")
_MONTH: Final = re.compile(
    r"\b(January|February|March|April|May|June|July|August|September|October|November|December) (\d{1,2})\b"
)
_NAME: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?: [A-Z][a-z]+)*\b")
_MONTHS: Final = "January February March April May June July August September October November December".split()
_DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_SHARED: Final = 0.25
_OPEN: Final = re.compile(
    r"\b(?:could|would|might|may|maybe|want|let's|if|tentative|thinking|like to|ask)\b|:", re.IGNORECASE
)
_PEOPLE: Final = ("Ingrid Halvorsen", "Tomasz Wrona", "Beatriz Camargo", "Halcyon Freight", "Norvik", "Ostrava")
_DOUBTS: Final = (
    ("My guess is that ", ""),
    ("I think ", ", but I haven't confirmed it"),
    ("Maybe ", ""),
    ("It is not confirmed yet, but ", ""),
    ("Probably ", ""),
    ("", ". But nobody has verified that yet"),
)
_SURE: Final = ("It is confirmed that ", "Definitely: ", "Verified: ", "It is certain that ")
_RULES: Final = (
    "All migrations are safe now.",
    "This must never be changed again.",
    "Every team has always agreed to this.",
    "There are no exceptions anywhere.",
    "Nobody may ever do that.",
)
_MADE_UP: Final = (
    "The contract with {name} was signed.",
    "{name} is responsible for the rollout.",
    "The warehouse lease costs {amount} a month.",
    "The audit starts on 14 March 2031.",
    "The backup server was moved to {name}.",
    "The office closes at 4:35 pm.",
)
_TAILS: Final = (
    " for {count} people",
    " from 14 March 2031",
    ", together with {name}",
    ", because of the merger with {name}",
    ", which caused the outage",
    " at {amount} each",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One transition with what was done to it: its class, and in which way."""

    update: Update
    fault: str
    way: str
    transition: Transition
    changed: str = ""


def as_is(update: Update) -> Transition:
    """The correct update as a transition."""
    return Transition(
        evidence=(*update.said, *update.rest), drafts=update.drafts, before=update.before, retires=update.retires
    )


def cases(update: Update, others: Sequence[Update], chances: Random) -> Iterator[Case]:
    """The control, and one case of every fault that this update can have. `others` lend values and statements."""
    right = as_is(update)
    yield Case(update=update, fault=CONTROL, way="as it is", transition=right)
    yield from _hedged_control(update, chances)
    yield from _omissions(update, right, chances)
    yield from _corruptions(update, right, others, chances)
    yield from _inventions(update, right, others, chances)


def _case(update: Update, fault: str, way: str, transition: Transition, changed: str) -> Case:
    return Case(update=update, fault=fault, way=way, transition=transition, changed=changed)


# Omissions


def _omissions(update: Update, right: Transition, chances: Random) -> Iterator[Case]:
    if update.drafts:
        place = chances.randrange(len(update.drafts))
        left = (*update.drafts[:place], *update.drafts[place + 1 :])
        said = update.drafts[place].statement
        yield _case(update, OMISSION, "a write left out", replace(right, drafts=left), said)
    if update.retires:
        place = chances.randrange(len(update.retires))
        left_ids = (*update.retires[:place], *update.retires[place + 1 :])
        yield _case(update, OMISSION, "an end left out", replace(right, retires=left_ids), update.retires[place])


# Corruptions


def _corruptions(update: Update, right: Transition, others: Sequence[Update], chances: Random) -> Iterator[Case]:
    for way, change in _WAYS.items():
        able = [(at, new) for at, draft in enumerate(update.drafts) if (new := change(draft, update, others, chances))]
        if able:
            at, new = chances.choice(able)
            drafts = (*update.drafts[:at], new, *update.drafts[at + 1 :])
            yield _case(update, CORRUPTION, way, replace(right, drafts=drafts), new.statement)
    yield from _lost_doubt(update, chances)
    yield from _touched(update, right, chances)


def _said(draft: Draft, statement: str) -> Draft | None:
    """A draft with other words, its value changed where its words are; None where nothing changed."""
    if statement == draft.statement:
        return None
    value = draft.value
    if value is not None and value in draft.statement:
        before, _, after = draft.statement.partition(value)
        whole = statement.startswith(before) and statement.endswith(after)
        value = statement[len(before) : len(statement) - len(after)] if whole else statement
    return structs.replace(draft, statement=statement, value=value)


def _number(draft: Draft, _: Update, __: Sequence[Update], chances: Random) -> Draft | None:
    found = list(_NUMBER.finditer(_MONTH.sub(lambda m: "x" * len(m[0]), _ISO.sub("0x00000000", draft.statement))))
    if not found:
        return None
    match = chances.choice(found)
    digits = [at for at in range(match.start(), match.end()) if draft.statement[at].isdigit()]
    at = chances.choice(digits)
    other = chances.choice([digit for digit in "123456789" if digit != draft.statement[at]])
    return _said(draft, draft.statement[:at] + other + draft.statement[at + 1 :])


def _date(draft: Draft, _: Update, __: Sequence[Update], chances: Random) -> Draft | None:
    def other_day(match: re.Match[str]) -> str:
        return chances.choice([day for day in _DAYS if day != match[0]])

    def other_month(match: re.Match[str]) -> str:
        day = chances.choice([day for day in range(1, 29) if day != int(match[2])])
        return f"{chances.choice([month for month in _MONTHS if month != match[1]])} {day}"

    def other_date(match: re.Match[str]) -> str:
        return f"{match[1]}-{int(match[2]) % 12 + 1:02d}-{chances.randrange(1, 29):02d}"

    text = draft.statement
    for pattern, change in ((_ISO, other_date), (_MONTH, other_month), (_DAY, other_day)):
        if pattern.search(text):
            return _said(draft, pattern.sub(change, text, count=1))
    return None


def _name(draft: Draft, update: Update, others: Sequence[Update], chances: Random) -> Draft | None:
    found = [match for match in _NAME.finditer(draft.statement) if match[0] not in (*_MONTHS, *_DAYS)]
    lent = [name for other in others for each in other.drafts for name in _NAME.findall(each.statement)]
    lent = [name for name in lent if len(name) > 3 and name not in (*_MONTHS, *_DAYS)]
    if not found or not lent:
        return None
    match = chances.choice(found)
    there = words(" ".join(ground.text for ground in (*update.said, *update.rest)))
    new = chances.choice([name for name in lent if not words(name) & there] or [_PEOPLE[0]])
    return _said(draft, draft.statement[: match.start()] + new + draft.statement[match.end() :])


def _value(draft: Draft, _: Update, others: Sequence[Update], chances: Random) -> Draft | None:
    """Another record's words behind the same beginning: "To do: ...", "I like ..."."""
    for head in ("To do: ", "I like ", "I dislike ", "I spent "):
        if draft.statement.startswith(head):
            lent = [d.statement for o in others for d in o.drafts if d.statement.startswith(head)]
            lent = [text for text in lent if text != draft.statement]
            return _said(draft, chances.choice(lent)) if lent else None
    if draft.key is not None and draft.value and draft.value in draft.statement:
        attribute = draft.key.attribute
        lent = [
            d.value
            for o in others
            for d in o.drafts
            if d.key is not None and d.key.attribute == attribute and d.value and d.value != draft.value
        ]
        return _said(draft, draft.statement.replace(draft.value, chances.choice(lent))) if lent else None
    return None


def _denied(draft: Draft, _: Update, __: Sequence[Update], ___: Random) -> Draft | None:
    text = draft.statement
    for old, new in (("I like ", "I dislike "), ("I dislike ", "I like ")):
        if text.startswith(old):
            return _said(draft, new + text[len(old) :])
    for old, new in ((" is ", " is not "), (" are ", " are not "), (" was ", " was not "), (" must ", " must not "),
                     (" will ", " will not "), (" can ", " cannot "), ("I spent ", "I did not spend "),
                     ("I walked ", "I did not walk ")):  # fmt: skip
        if old in text and f"{old}not " not in text:
            return _said(draft, text.replace(old, new, 1))
    return None


def _sure(draft: Draft, _: Update, __: Sequence[Update], chances: Random) -> Draft | None:
    return structs.replace(draft, statement=chances.choice(_SURE) + draft.statement)


_WAYS: Final = {
    "number": _number,
    "date": _date,
    "name": _name,
    "value": _value,
    "denied": _denied,
    "assurance added": _sure,
}


def _doubtful(update: Update, at: int, chances: Random) -> Update | None:
    """The same update, what the draft rests on being unsure of it."""
    draft = update.drafts[at]
    front, back = chances.choice(_DOUBTS)
    cited = [source for source in draft.sources if isinstance(source, Citation)]
    if (
        len(cited) != 1
        or cited[0].original.endswith("?")
        or _OPEN.search(cited[0].original)
        or len(re.findall(r"[.!?](?:\s|$)", cited[0].original)) > 1
    ):
        return None
    old = cited[0].original
    body = old.rstrip(".!")
    new = f"{front}{body[0].lower() if front and not body.startswith('I ') else body[0]}{body[1:]}{back}."
    source = structs.replace(cited[0], original=new, quote=new)
    grounds = tuple(replace(g, text=new) if g.ref == source.ref else g for g in update.said)
    drafts = [
        structs.replace(each, sources=tuple(source if s.ref == source.ref else s for s in each.sources))
        for each in update.drafts
    ]
    return replace(update, said=grounds, drafts=tuple(drafts))


def _lost_doubt(update: Update, chances: Random) -> Iterator[Case]:
    if len(update.drafts) == 1 and (unsure := _doubtful(update, 0, chances)) is not None:
        yield _case(update, CORRUPTION, "doubt lost", as_is(unsure), unsure.drafts[0].statement)


def _hedged_control(update: Update, chances: Random) -> Iterator[Case]:
    if len(update.drafts) == 1 and (unsure := _doubtful(update, 0, chances)) is not None:
        kept = structs.replace(unsure.drafts[0], certainty=Certainty.HYPOTHESIS)
        yield _case(update, CONTROL, "doubt kept", as_is(replace(unsure, drafts=(kept,))), kept.statement)


def _touched(update: Update, right: Transition, chances: Random) -> Iterator[Case]:
    """A standing note that the update has nothing to do with falls, or says something else."""
    named = {*update.retires, *(id for draft in update.drafts for id in draft.supersedes)}
    apart = [note for note in update.before if note.id not in named and _is_apart(update, note.statement)]
    if not apart:
        return
    note = chances.choice(apart)
    if update.drafts:
        at = chances.randrange(len(update.drafts))
        draft = update.drafts[at]
        taking = structs.replace(draft, supersedes=(*draft.supersedes, note.id))
        drafts = (*update.drafts[:at], taking, *update.drafts[at + 1 :])
        yield _case(update, CORRUPTION, "another note replaced", replace(right, drafts=drafts), note.statement)
    retires = (*update.retires, note.id)
    yield _case(update, CORRUPTION, "another note removed", replace(right, retires=retires), note.statement)
    changed = _number(Draft(statement=note.statement), update, (), chances)
    if changed is not None and update.said:
        ground = update.said[0]
        source = Citation(original=ground.text, ref=ground.ref, quote=ground.text, channel=ground.channel)
        drafts = (
            *update.drafts,
            structs.replace(changed, by="agent:extractor", supersedes=(note.id,), sources=(source,)),
        )
        yield _case(update, CORRUPTION, "another note changed", replace(right, drafts=drafts), changed.statement)


# Inventions


def _is_apart(update: Update, statement: str) -> bool:
    """Whether a note is none of the update's business. A timeline is about one matter: few words may be shared."""
    if update.source == MEMORA:
        return True
    there = words(" ".join(ground.text for ground in (*update.said, *update.rest)))
    return len(words(statement) & there) <= _SHARED * len(words(statement))


def _inventions(update: Update, right: Transition, others: Sequence[Update], chances: Random) -> Iterator[Case]:
    ground = update.said[0]
    source = Citation(original=ground.text, ref=ground.ref, quote=ground.text, channel=ground.channel)

    def beside(statement: str) -> Transition:
        invented = Draft(statement=statement, by="agent:extractor", sources=(source,))
        return replace(right, drafts=(*right.drafts, invented))

    there = words(" ".join(each.text for each in (*update.said, *update.rest)))
    lent = [draft.statement for other in others for draft in other.drafts if not words(draft.statement) <= there]
    if lent:
        said = chances.choice(lent)
        yield _case(update, INVENTION, "another's statement", beside(said), said)
    for way, forms in (("a rule of all", _RULES), ("a statement", _MADE_UP)):
        said = _filled(chances.choice(forms), chances)
        yield _case(update, INVENTION, way, beside(said), said)
    if update.drafts:
        at = chances.randrange(len(update.drafts))
        draft = update.drafts[at]
        tail = _filled(chances.choice(_TAILS), chances)
        said = f"{draft.statement.rstrip('.')}{tail}."
        drafts = (*update.drafts[:at], structs.replace(draft, statement=said), *update.drafts[at + 1 :])
        yield _case(update, INVENTION, "a value", replace(right, drafts=drafts), said)


def _filled(form: str, chances: Random) -> str:
    return form.format(
        name=chances.choice(_PEOPLE), count=chances.randrange(211, 989), amount=f"${chances.randrange(211, 989)}.35"
    )
