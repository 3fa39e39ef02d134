"""When a sentence says that it holds: from when, until when, in UTC and half-open.

Days are UTC days, and what is said of a day is resolved against the day of the message. Without one, what needs it is
not known; the day on which something is taken in is never taken for it (essay 004).

    since, from, as of, effective, starting     begins with the period
    until, through                              ends after the day; "until March" ends before March, the earlier reading
    yesterday, in March, last week              something happened: begins with the period
    was, is, will be + yesterday, last week     it is said of the period alone
    is on 5 May, is due tomorrow                is what the sentence says, and no time of it
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import Enum
from typing import Final

from upheld.conversation.calendar import DAY, Period, midnight, worded
from upheld.conversation.phrases import PHRASE, VAGUE, Lean, ahead, period_of
from upheld.keys.words import KINDS, PARTICIPLES, PAST, VERB
from upheld.values.times import DAYS, MONTHS

__all__ = ["Part", "Phrase", "Times", "times"]


class Part(Enum):
    """What a phrase says of the sentence."""

    BEGINS = "begins"
    ENDS = "ends"
    THROUGH = "through"
    WITHIN = "within"
    """At some time in it, or all through it: the verb says which."""
    VALUE = "value"
    """What the sentence says, not when it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """One phrase at [start, end) of a sentence. `period` None is not known; `written` says it with its year."""

    start: int
    end: int
    part: Part
    period: Period | None
    written: str

    @property
    def is_time(self) -> bool:
        """Whether it says when the sentence holds, and is known."""
        return self.period is not None and self.part is not Part.VALUE


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When a sentence holds; None stays unknown. `unknown` are the words of times that could not be resolved.

    `still` says that it began before it was said and holds since ("since March"), not only that it happened then.
    """

    valid_from: datetime | None = None
    valid_to: datetime | None = None
    phrases: tuple[Phrase, ...] = ()
    unknown: tuple[str, ...] = ()
    still: bool = False


_PREPOSITIONS: Final = {
    "since": Part.BEGINS, "ever since": Part.BEGINS, "from": Part.BEGINS, "starting": Part.BEGINS,
    "starting from": Part.BEGINS, "starting on": Part.BEGINS, "starting in": Part.BEGINS,
    "beginning": Part.BEGINS, "beginning on": Part.BEGINS, "beginning in": Part.BEGINS, "as of": Part.BEGINS,
    "as from": Part.BEGINS, "effective": Part.BEGINS, "effective from": Part.BEGINS, "effective as of": Part.BEGINS,
    "with effect from": Part.BEGINS, "until": Part.ENDS, "till": Part.ENDS, "up to": Part.ENDS, "up until": Part.ENDS,
    "before": Part.ENDS, "through": Part.THROUGH, "thru": Part.THROUGH, "through to": Part.THROUGH,
    "in": Part.WITHIN, "on": Part.WITHIN, "at": Part.WITHIN, "during": Part.WITHIN, "for": Part.VALUE,
    "by": Part.VALUE, "of": Part.VALUE, "to": Part.VALUE, "about": Part.VALUE, "between": Part.VALUE,
    "after": Part.VALUE, "around": Part.VALUE, "than": Part.VALUE, "and": Part.VALUE, "or": Part.VALUE,
    "not": Part.VALUE,
}  # fmt: skip
_FOUND: Final = re.compile(
    rf"(?<![\w/.-])(?:(?P<before>{'|'.join(sorted(_PREPOSITIONS, key=len, reverse=True))})\s+)?"
    rf"(?P<phrase>{PHRASE})(?![\w/-])(?P<behind> on(?:wards?)?\b| onwards?\b)?",
)
_FOUND_ANY_CASE: Final = re.compile(
    _FOUND.pattern.replace("(?P<before>", "(?P<before>(?i:").replace(")\\s+)?", "))\\s+)?", 1)
)
_AHEAD: Final = re.compile(
    r"\b[Ii]n (?P<count>\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
    r" (?P<unit>days?|weeks?|months?|years?)\b(?! (?:time )?(?:a|per)\b)(?: time\b)?"
)
_LASTING: Final = re.compile(
    r"\b[Ff]or the (?P<side>next|last|past) (?:(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|"
    r"twelve) )?(?P<unit>days?|weeks?|months?|years?)\b"
)
_NOW_ON: Final = re.compile(r"\b[Ff]rom now on\b|\b[Ss]tarting now\b|\b[Ee]ffective immediately\b")
_VALUE_VERBS: Final = frozenset("""
    is are was were be been due scheduled planned booked starts start ends end begins begin expires expire opens closes
    launches ships falls deadline called named version
""".split())  # fmt: skip
_EVENTLESS: Final = frozenset("closed open blocked frozen paused suspended limited reduced off down out away".split())
_FUTURE: Final = re.compile(r"\b(?:will|won't|'ll|going to|shall|upcoming)\b")
_PASSED: Final = re.compile(r"\b(?:was|were|wasn't|weren't|did|didn't|had|has been|have been|used to)\b")


def times(sentence: str, anchor: datetime | None) -> Times:
    """Read when a sentence holds. `anchor` is when it was said, with an offset; its UTC day is what counts.

    >>> said = datetime(2026, 2, 27, 12, tzinfo=UTC)
    >>> times("Ana moved to Berlin last Tuesday.", said).valid_from.date().isoformat()
    '2026-02-24'
    >>> times("The discount holds until the end of Q3.", said).valid_to.date().isoformat()
    '2026-10-01'
    >>> times("Ana moved to Berlin last Tuesday.", None).unknown
    ('last Tuesday',)
    """
    moment = None if anchor is None else anchor.astimezone(UTC)
    found = _phrases(sentence, moment)
    covered = [(each.start, each.end) for each in found]
    vague = [
        match[0].strip()
        for match in VAGUE.finditer(sentence)
        if not any(start < match.end() and match.start() < end for start, end in covered)
    ]
    fiscal = re.search(r"\b(?:fiscal|financial year|FY ?\d\d)", sentence, re.IGNORECASE) is not None
    if fiscal:
        found = [replace(each, period=None) for each in found]
    unknown = [sentence[each.start : each.end] for each in found if each.period is None]
    begins, ends = _bounds(sentence, [each for each in found if each.is_time])
    if begins is not None and ends is not None and ends <= begins:
        return Times(phrases=tuple(found), unknown=(*unknown, *vague, "a period that ends before it begins"))
    began = any(each.part is Part.BEGINS and each.is_time for each in found) and begins is not None
    return Times(
        valid_from=begins,
        valid_to=ends,
        phrases=tuple(found),
        unknown=(*unknown, *vague),
        still=began and moment is not None and begins is not None and begins <= moment and (ends or moment) >= moment,
    )


def _phrases(sentence: str, moment: datetime | None) -> list[Phrase]:
    today = None if moment is None else moment.date()
    found = [*_lasting(sentence, today), *_ahead(sentence, today)]
    for match in _NOW_ON.finditer(sentence):
        period = None if moment is None else Period(moment, moment, "instant")
        written = "" if moment is None else f"from {worded(Period(moment, moment, 'day'))} on"
        found.append(Phrase(start=match.start(), end=match.end(), part=Part.BEGINS, period=period, written=written))
    for match in _FOUND_ANY_CASE.finditer(sentence):
        if any(match.start() < each.end and each.start < match.end() for each in found):
            continue
        if (phrase := _phrase(sentence, match, today)) is not None:
            found.append(phrase)
    return sorted(found, key=lambda each: each.start)


def _phrase(sentence: str, match: re.Match[str], today: date | None) -> Phrase | None:
    before, text = (match["before"] or "").lower(), match["phrase"]
    bare = not before
    named = text.lower().rstrip(".")
    if bare and (named in MONTHS or named in DAYS or re.fullmatch(r"(?:19|20)\d\d[\d:TZ+-]*|(?:the )?[Qq][1-4]", text)):
        return None  # a number, a label, or part of a name: "2026 users", "Friday deployments", "May is here"
    part = _PREPOSITIONS[before] if before else Part.WITHIN
    if part is Part.WITHIN and _is_value(sentence, match.start()):
        part = Part.VALUE
    lean = _lean(sentence, before, part)
    period = period_of(text, today, lean)
    # "from 1 May on" is one phrase, "last Thursday on the train" is not; nor does a full stop belong to it.
    behind = match["behind"] if part is Part.BEGINS else None
    end = match.end("behind" if behind else "phrase")
    end -= sentence[:end].endswith(".") and end == len(sentence)
    written = _written(before, part, period, behind, sentence[match.start() : end])
    return Phrase(start=match.start(), end=end, part=part, period=period, written=written)


def _is_value(sentence: str, start: int) -> bool:
    """Whether a phrase follows the verb whose value it is: "is on 5 May", "is due tomorrow", "starts next week"."""
    words = re.findall(r"[\w']+", sentence[:start].lower())
    return bool(words) and (words[-1] in _VALUE_VERBS or (words[-1] == "only" and words[-2:-1] == ["is"]))


def _lean(sentence: str, before: str, part: Part) -> Lean:
    if before in {"since", "ever since"}:
        return Lean.PAST
    if part in {Part.ENDS, Part.THROUGH}:
        return Lean.FUTURE
    folded = sentence.lower()
    if _FUTURE.search(folded):
        return Lean.FUTURE
    words = re.findall(r"[\w']+", folded)
    if part is Part.WITHIN and (_PASSED.search(folded) or any(word in PAST for word in words)):
        return Lean.PAST
    return Lean.NEAR


def _written(before: str, part: Part, period: Period | None, behind: str | None, as_said: str) -> str:
    """The phrase with its year: "on 24 February 2026" for "last Tuesday". As it stands where it needs none."""
    if period is None or period.unit == "instant":
        return as_said
    side = f"the {period.unit} of " if period.unit in {"end", "start"} else ""
    whole = period if not side else _whole(period)
    named = side + worded(whole)
    if part is Part.WITHIN:
        return f"{'on' if whole.unit == 'day' and not side else 'at' if side else 'in'} {named}"
    if part is Part.VALUE and not before:
        return f"on {named}" if whole.unit == "day" and not side else named
    return f"{before} {named}{' on' if behind else ''}"


def _whole(period: Period) -> Period:
    """The period again whose end or start was meant, by its length."""
    days = (period.after - period.first) / DAY
    unit = "day" if days == 1 else "week" if days == 7 else "month" if days < 32 else "quarter" if days < 93 else "year"
    return Period(period.first, period.after, unit)


def _lasting(sentence: str, today: date | None) -> list[Phrase]:
    """Find "for the next two weeks" and "for the past year"."""
    found = []
    for match in _LASTING.finditer(sentence):
        forward = match["side"] == "next"
        there = None if today is None else ahead(match["count"] or "one", match["unit"], today, forward=forward)
        period, part, written = None, Part.WITHIN, match[0]
        if there is not None and today is not None:
            if forward:
                period, part = Period(midnight(today), there.first, "lasting"), Part.THROUGH
                written = f"until {worded(Period(there.first - DAY, there.first, 'day'))}"
            else:
                period, part, written = there, Part.BEGINS, f"since {worded(there)}"
        found.append(Phrase(start=match.start(), end=match.end(), part=part, period=period, written=written))
    return found


def _ahead(sentence: str, today: date | None) -> list[Phrase]:
    """Find "in two weeks"."""
    found = []
    for match in _AHEAD.finditer(sentence):
        period = None if today is None else ahead(match["count"], match["unit"], today)
        value = _is_value(sentence, match.start())
        part = Part.VALUE if value else Part.BEGINS
        written = (
            match[0] if period is None else f"{'on' if value else 'from'} {worded(period)}{'' if value else ' on'}"
        )
        found.append(Phrase(start=match.start(), end=match.end(), part=part, period=period, written=written))
    return found


def _bounds(sentence: str, phrases: list[Phrase]) -> tuple[datetime | None, datetime | None]:
    begins: datetime | None = None
    ends: datetime | None = None
    for each in phrases:
        period = each.period
        if period is None:
            continue
        at_end = period.unit == "end"
        if each.part is Part.BEGINS:
            begins = period.after if at_end else period.first
        elif each.part is Part.ENDS:
            # "until 31 March" holds on that day; "until March" and "before Friday" do not.
            through = at_end or (period.unit == "day" and not each.written.startswith("before"))
            ends = period.first if not through else period.after
            if at_end and each.written.startswith("before"):
                ends = period.first
        elif each.part is Part.THROUGH:
            ends = period.after
        elif not at_end and begins is None:
            begins = period.first
            if _is_state(sentence) and period.unit not in {"instant", "start"}:
                ends = period.after
    return begins, ends


def _is_state(sentence: str) -> bool:
    """Whether a sentence says what is or was, and not what happened: "was down", not "was retired"."""
    words = re.findall(r"[\w']+", sentence.lower())
    for at, word in enumerate(words):
        if word in {"is", "are", "was", "were", "be", "isn't", "wasn't", "aren't", "weren't", "am", "i'm", "we're"}:
            then = [each for each in words[at + 1 : at + 4] if each not in {"not", "still", "also", "only", "always"}]
            follows = then[0] if then else ""
            changed = (follows in PARTICIPLES or follows.endswith(("ed", "ing"))) and (follows not in _EVENTLESS)
            return not changed
        if KINDS.get(word) == VERB and word != "will":
            return False
    return False
