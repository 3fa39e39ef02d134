"""What a clause says is over: *moved from A to B*, *A was replaced by B*, *was retired*, *no longer*, *until*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from upheld.judges.lexicon import (
    CHANGE_NOUNS,
    CHANGE_VERBS,
    ENDED,
    ENDS_ALONE,
    ENDS_OBJECT,
    PARTICLE_VERBS,
)
from upheld.judges.tokens import Token
from upheld.keys.meaning import PLACES
from upheld.keys.words import ADVERBS, BE, GERUNDS, KINDS, LEMMAS, PARTICIPLES, PAST, PREPOSITIONS, THIRD, VERB

__all__ = ["Change", "change", "lemma_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a clause divides what was from what is; all are tokens of the clause.

    `old` no longer holds, `new` holds in its place. `ended` is a thing that is gone, and `by` who ended it. `over` says
    that the whole clause tells of what is no longer so. `cue` are the words that say it, `verb` the lemma among them.
    """

    verb: str
    cue: frozenset[Token] = frozenset()
    old: tuple[Token, ...] = ()
    new: tuple[Token, ...] = ()
    ended: tuple[Token, ...] = ()
    by: tuple[Token, ...] = ()
    over: bool = False


_BE: Final = frozenset("is are was were been be being has have had got gets get".split())
_PASSIVE: Final = frozenset("is are was were been be being got gets get".split())
_INFLECTED: Final = {"rewritten": "rewrite", "rewrote": "rewrite", "rewrites": "rewrite",
               "transferred": "transfer", "transferring": "transfer"}  # fmt: skip
_SUCCEEDED: Final = {
    **dict.fromkeys(("replaced", "replaces", "replace"), "replace"),
    **dict.fromkeys(("superseded", "supersedes", "supersede"), "supersede"),
    **dict.fromkeys(("succeeded", "succeeds"), "succeed"),
    **dict.fromkeys(("supplanted", "supplants"), "supplant"),
}  # fmt: skip
_SWAPPED: Final = frozenset(("with", "by"))
_EXTENDING: Final = frozenset(("extend", "prolong", "postpone", "delay"))
_UNTIL: Final = frozenset(("until", "till", "through"))
_INTO: Final = frozenset(("to", "into", "onto"))
_STOPS: Final = (PREPOSITIONS - {"of", "to"}) | frozenset((
    "because", "since", "when", "which", "that", "while", "after", "before", "due", "as", "and", "but", "starting",
    "effective", "following", "to", "so", "until", "this", "last", "where", "who",
))  # fmt: skip
_MARKS: Final = frozenset(".,;:()!?—\u2013-|=")
_EARLIER: Final = frozenset(("previously", "formerly", "was", "were", "before", "earlier"))
# "the move from A to B was rejected": nothing moved.
_UNDONE: Final = frozenset(
    "rejected declined denied refused vetoed reverted undone cancelled canceled abandoned scrapped blocked failed "
    "withdrawn aborted shelved stalled rolled".split()
)
_RATHER: Final = frozenset((("instead", "of"), ("rather", "than"), ("place", "of"), (",", "not")))
_ON: Final = frozenset(("on", "in"))
_STOPPING: Final = frozenset(("stopped", "stops", "ceased", "ceases", "quit"))

_DISMISSED: Final = frozenset("replaced succeeded dismissed fired sacked ousted removed deposed relieved".split())
_RESIGNED: Final = frozenset(("resigned", "retired"))
_POSTS: Final = frozenset("from his her their the its post position role job office duties".split())

_CUES: Final = (
    frozenset(("from", "used", "until", "till", "instead", "rather", "place", "not", ":", "(", "off", "down", "out"))
    | _DISMISSED
    | _RESIGNED
    | {"left"}
    | ENDED
    | ENDS_ALONE
    | ENDS_OBJECT
    | _SUCCEEDED.keys()
    | _STOPPING
    | _INFLECTED.keys()
    | {past for past, lemma in {**PAST, **PARTICIPLES}.items() if lemma in CHANGE_VERBS}
)


@lru_cache(maxsize=8192)
def lemma_of(word: str) -> str:
    """The base form of a verb's inflection; the word itself where it is none."""
    low = word.lower()
    return _INFLECTED.get(low) or PARTICIPLES.get(low) or PAST.get(low) or THIRD.get(low) or GERUNDS.get(low) or low


def change(words: Sequence[Token]) -> Change | None:
    """The change or ending that a clause states, if it states one."""
    lows = [token.text.lower() for token in words]
    if _CUES.isdisjoint(lows):
        return None
    ways = (_over, _ending, _instead) if not _UNDONE.isdisjoint(lows) else _WAYS
    for way in ways:
        found = way(words, lows)
        if found is not None:
            return found
    return None


def _span(words: Sequence[Token], lows: list[str], start: int) -> int:
    """Where the phrase that begins at `start` ends."""
    end = start
    while end < len(words) and (end == start or lows[end] not in _STOPS):
        if lows[end] in _MARKS and not _in_name(words, end):
            break
        end += 1
    return end


def _in_name(words: Sequence[Token], at: int) -> bool:
    """Whether a mark is part of a name: *Robert R. Hale*, *Alpine-Deco*."""
    before, after = words[at - 1 : at], words[at + 1 : at + 2]
    if not before or not after:
        return False
    if words[at].text == ".":
        return len(before[0].text) == 1
    return words[at].text in "-\u2013" and before[0].end == words[at].start and words[at].end == after[0].start


def _cue(words: Sequence[Token], lows: list[str], end: int) -> int:
    """The last word of change in front of `end`; -1 without one."""
    for at in range(end - 1, -1, -1):
        if not words[at].sort and (_changes(lows[at]) or lows[at].removesuffix("s") in CHANGE_NOUNS):
            return at
    return -1


def _changes(word: str) -> bool:
    """Whether a word is a verb of change; a train that *goes* from A to B changes nothing."""
    lasting = word not in ("go", "goes", "going", "set", "sets", "come", "comes")
    return word == "traded" or (lasting and lemma_of(word) in CHANGE_VERBS)


def _from_to(words: Sequence[Token], lows: list[str]) -> Change | None:
    """*moved from A to B*, *down to B from A*; a flight from A to B changes nothing."""
    for at, low in enumerate(lows):
        if low != "from" or at + 1 >= len(lows):
            continue
        cue = _cue(words, lows, at)
        if cue < 0 and lows[at - 1 : at] not in (["up"], ["down"]):
            continue
        end = _span(words, lows, at + 1)
        old = tuple(words[at + 1 : end])
        verb = lemma_of(lows[cue]) if cue >= 0 else "change"
        marks = {words[at], *(words[cue : cue + 1] if cue >= 0 else ())}
        if end < len(lows) and lows[end] in _INTO:
            stop = _span(words, lows, end + 1)
            return Change(verb=verb, old=old, new=tuple(words[end + 1 : stop]), cue=frozenset(marks | {words[end]}))
        for before in range(max(cue, 0), at):
            if lows[before] in _INTO:
                new = tuple(words[before + 1 : _span(words, lows, before + 1)])
                return Change(verb=verb, old=old, new=new, cue=frozenset(marks | {words[before]}))
        if lows[at - 1 : at] in (["up"], ["down"]):
            return Change(verb=verb, old=old, cue=frozenset({*marks, words[at - 1]}))
    return None


def _to(words: Sequence[Token], lows: list[str]) -> Change | None:
    """*moved to B*: what was is not said."""
    for at in range(1, len(lows) - 1):
        verb = lemma_of(lows[at])
        link = lows[at + 1]
        into = link in _INTO or (link in _UNTIL and verb in _EXTENDING)
        if verb in CHANGE_VERBS and into and (PAST.get(lows[at]) or PARTICIPLES.get(lows[at])) == verb:
            new = tuple(words[at + 2 : _span(words, lows, at + 2)])
            if new:
                return Change(verb=verb, new=new, cue=frozenset((words[at], words[at + 1])))
    return None


def _succession(words: Sequence[Token], lows: list[str]) -> Change | None:
    for at, low in enumerate(lows):
        verb = _SUCCEEDED.get(low)
        if verb is None or at == 0:
            continue
        passive = any(word in _PASSIVE for word in lows[max(0, at - 3) : at])
        after = at + 1
        if passive or lows[after : after + 1] == ["by"]:
            if lows[after : after + 1] and lows[after] in _SWAPPED and after + 1 < len(lows):
                subject = at
                while subject > 0 and (lows[subject - 1] in _BE or lows[subject - 1] in ADVERBS):
                    subject -= 1
                new = tuple(words[after + 1 : _span(words, lows, after + 1)])
                old = tuple(words[_noun_start(lows, subject) : subject])
                cue = frozenset(words[subject : after + 1])
                return Change(verb=verb, old=old, new=new, cue=cue)
            continue
        end = _span(words, lows, after)
        object_ = tuple(words[after:end])
        if end < len(lows) and lows[end] in _SWAPPED:
            new = tuple(words[end + 1 : _span(words, lows, end + 1)])
            return Change(verb=verb, old=object_, new=new, cue=frozenset((*words[:after], words[end])))
        subject = at
        while subject > 0 and (lows[subject - 1] in _BE or lows[subject - 1] in ADVERBS):
            subject -= 1
        if object_ and subject:
            return Change(verb=verb, old=object_, new=tuple(words[:subject]), cue=frozenset(words[subject:after]))
    return None


def _noun_start(lows: list[str], end: int) -> int:
    """Where the noun phrase that ends at `end` begins: behind the last comma, or at the clause's start."""
    for at in range(end - 1, -1, -1):
        if lows[at] == ",":
            return at + 1
    return 0


def _leaving(words: Sequence[Token], lows: list[str]) -> Change | None:
    """*X stepped down as the R*, *X was replaced as the R by Y*, *X left S*: what X was there is over."""
    for at, low in enumerate(lows[1:-1], 1):
        down = low in ("stepped", "stood") and lows[at + 1] == "down"
        out = low in _DISMISSED and any(word in _PASSIVE for word in lows[max(0, at - 3) : at])
        first = at
        while first > 0 and (lows[first - 1] in _BE or lows[first - 1] in ADVERBS):
            first -= 1
        if low == "left" and first and not any(map(_PASSIVE.__contains__, lows[first:at])):
            place = words[at + 1 : _span(words, lows, at + 1)]
            named = [token for token in place if token.is_content]
            if named and all(token.text[0].isupper() and token.key not in PLACES for token in named):
                return Change(verb="leave", over=True, cue=frozenset(words[first : at + 1]))
        if not (down or out or low in _RESIGNED) or not first:
            continue
        stop = next((place for place in range(at + 1 + down, min(len(lows), at + 8)) if lows[place] == "as"), at)
        if stop == at or not _POSTS.issuperset(lows[at + 1 + down : stop]):
            continue
        by = lows.index("by", stop) if out and "by" in lows[stop:] else len(lows)
        cue = (*words[first : stop + 1], *words[by : _span(words, lows, by + 1)])
        return Change(verb="resign", over=True, cue=frozenset(cue))
    return None


def _instead(words: Sequence[Token], lows: list[str]) -> Change | None:
    """*instead of A*, *rather than A*, *, not A*, *(was A)*."""
    for at in range(1, len(lows)):
        pair = (lows[at - 1], lows[at])
        if lows[at + 1 : at + 2] in (["only"], ["just"]):
            continue
        if pair not in _RATHER and not (pair[0] == "(" and pair[1] in _EARLIER):
            continue
        start = at + 1
        while start < len(words) - 1 and lows[start] in _ON:  # "in #b, not in #a"
            start += 1
        end = len(words) if pair == ("instead", "of") else _span(words, lows, start)
        end = next((stop for stop in range(start, end) if lows[stop] in _MARKS), end)
        if end > start:
            new = tuple(words[_name_start(words, at - 1) : at - 1])
            return Change(verb="", old=tuple(words[start:end]), new=new, cue=frozenset(words[at - 1 : start]))
    return None


def _name_start(words: Sequence[Token], end: int) -> int:
    """Where the name that ends at `end` begins; `end` where none stands there."""
    start = end
    while (
        start > 1
        and words[start - 1].is_content
        and (words[start - 1].text[0].isupper() or words[start - 1].text[0] in "#@")
    ):
        start -= 1
    return start


def _over(words: Sequence[Token], lows: list[str]) -> Change | None:
    """*used to*, *was ... until May*, *stopped ...ing*: what the clause says is over."""
    for at in range(1, len(lows)):
        after = lows[at + 1] if at + 1 < len(lows) else ""
        accustomed = lows[at - 2 : at - 1] in (["is"], ["are"], ["get"])
        verb = after in LEMMAS or after in ("be", "have")
        if (lows[at - 1], lows[at]) == ("used", "to") and verb and not accustomed:
            return Change(verb="used", over=True, cue=frozenset((words[at - 1], words[at])))
        if lows[at] in _STOPPING and (after.endswith("ing") or (after == "to" and at + 2 < len(lows))):
            return Change(verb="stop", over=True, cue=frozenset((words[at],)))
    for at in range(2, len(lows)):
        if lows[at] == ":" and lows[at - 1] in ("was", "were", "previously", "formerly"):
            return Change(verb="was", over=True, cue=frozenset(words[: at + 1]))
    if not any(word in ("was", "were", "had") or (word in PAST and word not in LEMMAS) for word in lows):
        return None
    for at, low in enumerate(lows[:-1]):
        dated = [token for token in words[at + 1 : at + 4] if token.sort == "date"]
        if low in ("until", "till") and dated and _EXTENDING.isdisjoint(map(lemma_of, lows)):
            return Change(verb="until", over=True, cue=frozenset((words[at], *dated)))
    return None


def _ending(words: Sequence[Token], lows: list[str]) -> Change | None:
    """*X was retired*, *the contract expired*, *we dropped X*, *approval of X revoked*."""
    for at, low in enumerate(lows):
        form, width = low, 1
        if at + 1 < len(lows) and (low, lows[at + 1]) in PARTICLE_VERBS:
            form, width = PARTICLE_VERBS[low, lows[at + 1]], 2
        elif at + 2 < len(lows) and lows[at + 2] in ("down", "off", "out") and (low, lows[at + 2]) in PARTICLE_VERBS:
            form = PARTICLE_VERBS[low, lows[at + 2]]
        if form not in ENDED and form not in ENDS_OBJECT and form not in ENDS_ALONE:
            continue
        subject = at
        auxiliary = False
        while subject > 0 and (lows[subject - 1] in _BE or lows[subject - 1] in ADVERBS or lows[subject - 1] == "and"
                               or lows[subject - 1] == "deprecated"):  # fmt: skip
            auxiliary = auxiliary or lows[subject - 1] in ("is", "are", "was", "were", "been", "be", "being", "got")
            subject -= 1
        cue = frozenset(words[subject : at + width])
        before = tuple(words[_noun_start(lows, subject) : subject])
        plain = not any(BE <= KINDS.get(word, 0) <= VERB for word in lows[:subject])
        if before and plain and (auxiliary or form in ENDS_ALONE) and form in ENDED | ENDS_ALONE:
            return Change(verb=form, ended=before, cue=cue)
        rest = at + width
        end = _span(words, lows, rest)
        if end < len(lows) and lows[end] == "for" and lows[rest:end] == ["support"]:
            end = _span(words, lows, end + 1)
        if before and not auxiliary and form in ENDS_OBJECT and end > rest and not words[rest].is_mark:
            return Change(verb=form, ended=tuple(words[rest:end]), by=before, cue=cue)
        if before and plain and not auxiliary and form in ENDED and (rest == len(lows) or words[rest].is_mark):
            return Change(verb=form, ended=before, cue=cue)
    return None


_WAYS: Final = (_leaving, _succession, _from_to, _over, _ending, _instead, _to)
