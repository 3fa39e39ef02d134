"""Whether a document speaks of the same case, time and thing as a note, where the words alone would not tell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from upheld.judges.compare import Comparison, comparable, compare
from upheld.judges.gap import NEUTRAL_STEMS, agree
from upheld.judges.lexicon import FUNCTION, SETTINGS
from upheld.judges.reading import Reading
from upheld.judges.tokens import Token, stem, tokens
from upheld.keys.meaning import SOFTWARE
from upheld.keys.words import PREPOSITIONS

__all__ = ["another_case", "another_thing", "said_as_well"]

_CASES: Final = PREPOSITIONS | {"once", "when", "while", "if"}
_UNDONE: Final = frozenset("reverted undone reversed rolled restored withdrawn cancelled canceled back".split())
_SETTING_STEMS: Final = frozenset(map(stem, SETTINGS))
_YEARS: Final = frozenset(("in", "during", "for", "throughout", "of", "year", "fy"))
_DESCRIBING: Final = frozenset("the this that these those its their his her".split())
_COPULAS: Final = frozenset(("is", "are", "was", "were"))
_ARTICLES: Final = frozenset(("a", "an", "the", "one"))


def another_case(note: Reading, unit: Reading) -> str | None:
    """Why a document that gives another value speaks of another year or place: *In 2023, ...* and *In 2024, ...*."""
    mine, theirs = _opening(note), _opening(unit)
    if (mine - theirs and theirs - mine) or (theirs - mine - note.clause.words and not _tells_since(unit)):
        return "the document speaks of another case"
    stated, given = ({token.key for token in each.values if token.sort != "date"} for each in (note, unit))
    first, second = (_years(each, behind=stated != given) for each in (note, unit))
    if unit.change is None and first and second and not _meet(first, second):
        return "the document speaks of another time"
    return None


def _tells_since(reading: Reading) -> bool:
    """*Starting today, ...*: since when it is so, and not in which case alone."""
    words = reading.clause.tokens
    opening = words[: next((at for at, token in enumerate(words) if token.text == ","), 0)]
    told = {token.key for token in opening if token.is_content} <= NEUTRAL_STEMS | _SETTING_STEMS
    return told and all(token.sort == "date" for token in opening if token.sort)


def _opening(reading: Reading) -> frozenset[str]:
    """What a phrase in front of the clause bounds it to; a date beside a change only says when it came."""
    words = reading.clause.tokens
    end = next((at for at, token in enumerate(words[:9]) if token.text == ","), 0)
    if not end or words[0].text.lower() not in _CASES:
        return frozenset()
    changed = reading.change is not None
    return frozenset(
        token.key
        for token in words[1:end]
        if token.is_content or (token.sort and not (changed and token.sort == "date"))
    )


def _years(reading: Reading, *, behind: bool) -> list[Token]:
    """The years, quarters and months that a clause is bound to; `behind` its verb too, where it says something else."""
    verb = reading.core[reading.verb].start if reading.verb < len(reading.core) else 0
    return [
        token
        for before, token in pairwise(reading.clause.tokens)
        if token.sort == "date"
        and before.text.lower() in _YEARS
        and token.key.count("-") < 2
        and (token.start < verb or behind)
    ]


def _meet(first: Sequence[Token], second: Sequence[Token]) -> bool:
    return any(
        comparable(one, other) and compare(one, other) is not Comparison.DIFFERENT for one in first for other in second
    )


def said_as_well(note: Reading, unit: Reading, said: Sequence[Reading]) -> str | None:
    """Why the document goes back to where the note is: *raised to 9 and then lowered to 5*, *this was reverted*."""
    for other in said:
        same = other.clause.start == unit.clause.start and other.clause.tokens[0].start > unit.clause.tokens[0].start
        goes_on = other.clause.start > unit.clause.start and bool(other.clause.taken_up) and not other.clause.cell
        later = same or goes_on
        if goes_on and not _UNDONE.isdisjoint(token.text.lower() for token in other.clause.tokens):
            return "the document takes it back"
        old = frozenset(other.change.old) if other.change is not None else frozenset()
        told = [token for token in other.values if token not in old]
        if later and any(agree(mine, theirs) for mine in note.values for theirs in told):
            return "the document says both"
    return None


def another_thing(note: Reading, unit: Reading, said: Sequence[Reading], headings: Sequence[str]) -> str | None:
    """Why a note that describes its subject (*the school*) may mean another than the one that the document names."""
    nouns = _described(note)
    if nouns is None:
        return None
    earlier = [reading for reading in said if reading.clause.start < unit.clause.start]
    named = any(_introduces(reading, note) for reading in earlier)
    titled = [tokens(heading[:200]) for heading in headings]
    called = any(
        _calls(words, nouns, note)
        for words in (*titled, *(reading.clause.tokens for reading in earlier if not reading.clause.cell))
    )
    past = note.past and any(
        _named(word) and word.key not in note.words and word.text.lower() not in FUNCTION
        for words in titled
        for word in words
    )
    return "the document names what it speaks of, the note does not" if named or called or past else None


def _described(note: Reading) -> frozenset[str] | None:
    """The nouns of a subject that is described and not named; None where it is named."""
    subject = list(note.core[: note.verb])
    if note.verb >= len(note.core) or not subject:
        return None
    comma = next((at for at, token in enumerate(subject) if token.text == ","), -1)
    if subject[0].text.lower() in PREPOSITIONS:
        subject = subject[comma + 1 :]
    if not subject or subject[0].text.lower() not in _DESCRIBING or any(map(_named, subject[1:])):
        return None
    return frozenset(token.key for token in subject if token.is_content)


def _named(token: Token) -> bool:
    return bool(token.sort) or token.text[0].isupper() or token.key in SOFTWARE or any(map(str.isdigit, token.text))


def _introduces(reading: Reading, note: Reading) -> bool:
    """*Alderby is a village*: a sentence that says what a named thing is, which the note does not name."""
    after = reading.core[reading.verb : reading.verb + 2]
    if len(after) < 2 or after[0].text.lower() not in _COPULAS or after[1].text.lower() not in _ARTICLES:
        return False
    subject = [token for token in reading.core[: reading.verb] if token.is_content]
    return any(token.text[0].isupper() and token.key not in note.words for token in subject)


def _calls(words: Sequence[Token], nouns: frozenset[str], note: Reading) -> bool:
    """*Lincoln High School* calls a school by a name that the note does not use."""
    run: list[Token] = []
    for token in words:
        if token.text[0].isupper() and token.text.lower() not in FUNCTION:
            run.append(token)
            if len(run) > 1 and token.key in nouns and any(other.key not in note.words for other in run[:-1]):
                return True
        else:
            run = []
    return False
