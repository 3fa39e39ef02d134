"""The judge that acts on its own: a document states another value for what a note says, or says that it is over.

No model. A verdict needs the same subject and attribute by grammar (`upheld.keys`), or the same frame of words with one
value, denial or ending in it; scope, time, mood and units are compared, and whatever is left open abstains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Generic, TypeVar

from upheld import keys
from upheld.document import Chunk, Claim, Finding, Pair, Verdict
from upheld.judges.clauses import clauses
from upheld.judges.frames import lay
from upheld.judges.gap import Sight
from upheld.judges.lexicon import SETTINGS
from upheld.judges.mood import Mood
from upheld.judges.reading import Reading, read
from upheld.judges.scope import another_case, another_thing, said_as_well
from upheld.judges.stated import Stated, by_key, keys_in
from upheld.judges.tokens import shallow, stem, tokens
from upheld.values import canonical, canonical_name

__all__ = ["Stated", "Values"]

_CHUNKS_KEPT: Final = 4096
_CLAIMS_KEPT: Final = 4096
_CLAIM_CLAUSES: Final = 12
_SHORT: Final = 4
_NEAR: Final = 1 / 3
"""The share of a claim's words from which the next judge is asked, where nothing could be compared."""
_SETTING_STEMS: Final = frozenset(map(stem, SETTINGS))
_UNRELATED: Final = Verdict(finding=Finding.UNRELATED, why="the document says nothing of it")
_NOT_COMPARED: Final = Verdict(finding=Finding.ABSTAIN, confidence=0.0, why="words are shared, no value was compared")


@dataclass(frozen=True, slots=True)
class _Chunk:
    readings: tuple[Reading, ...]
    words: frozenset[str]
    stated: dict[tuple[int, str], tuple[Stated, ...]]


@dataclass(frozen=True, slots=True)
class _Claim:
    readings: tuple[Reading, ...]
    keyed: tuple[str, str, str, bool] | None
    conditions: frozenset[str]
    settings: frozenset[str]
    bound: bool
    single: frozenset[str]
    subject: frozenset[str]


_Kept = TypeVar("_Kept")


class _Cache(Generic[_Kept]):
    """The last `size` things that were read, by what they were read from."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: dict[object, _Kept] = {}

    def get(self, key: object) -> _Kept | None:
        return self._kept.get(key)

    def keep(self, key: object, value: _Kept) -> _Kept:
        while len(self._kept) >= self._size:
            self._kept.pop(next(iter(self._kept)), None)
        self._kept[key] = value
        return value


class Values:
    """The values judge. Keeps what it read of the last chunks and claims; holds nothing else.

    >>> claim = Claim(statement="The request timeout is 30 seconds.")
    >>> text = "As of 1 June 2026, the request timeout is 45 seconds."
    >>> verdict, = Values().judge([Pair(claim=claim, chunk=Chunk(start=0, end=len(text), text=text))])
    >>> str(verdict.finding), verdict.acts, str(verdict.effective_from.date())
    ('contradicted', True, '2026-06-01')
    """

    def __init__(self) -> None:
        self._chunks: _Cache[_Chunk] = _Cache(_CHUNKS_KEPT)
        self._shallow: _Cache[frozenset[str]] = _Cache(_CHUNKS_KEPT + _CLAIMS_KEPT)
        self._claims: _Cache[_Claim] = _Cache(_CLAIMS_KEPT)

    @property
    def name(self) -> str:
        """A stable id with a version."""
        return "values/4"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Return one verdict per pair, in order. Never raises, whatever the texts."""
        return [self._verdict(pair) for pair in pairs]

    def stated(self, chunk: Chunk) -> tuple[Stated, ...]:
        """The keys that a chunk states as settled, in order of place: what a sweep looks up notes by."""
        known = self._chunk(chunk)
        found: list[Stated] = []
        for reading in known.readings:
            if reading.mood is Mood.STATED:
                found += (each for each in self._keys(known, reading) if each not in found)
        return tuple(found)

    def _chunk(self, chunk: Chunk) -> _Chunk:
        said = (chunk.text, chunk.headings)
        known = self._chunks.get(said)
        if known is None:
            readings = tuple(map(read, clauses(chunk.text, headings=chunk.headings)))
            words = frozenset().union(*(reading.words | reading.context for reading in readings))
            olds = (token.key for reading in readings for token in reading.clause.tokens)
            known = self._chunks.keep(said, _Chunk(readings, words | frozenset(olds), {}))
        return known

    def _claim(self, claim: Claim) -> _Claim:
        conditions = tuple(sorted((name, tuple(some)) for name, some in claim.applies_when.items()))
        key = (claim.statement, claim.subject_key, claim.attribute_key, claim.value_key, claim.single, conditions)
        known = self._claims.get(key)
        if known is None:
            known = self._claims.keep(key, _read_claim(claim))
        return known

    def _keys(self, known: _Chunk, reading: Reading) -> tuple[Stated, ...]:
        place = (reading.clause.start, reading.clause.text)  # the cells of a row share their start
        if place not in known.stated:
            known.stated[place] = keys_in(reading)
        return known.stated[place]

    def _words(self, text: str) -> frozenset[str]:
        words = self._shallow.get(text)
        return self._shallow.keep(text, shallow(text)) if words is None else words

    def _shared(self, claim: Claim, chunk: Chunk) -> tuple[int, int]:
        """How many words of a claim stand in a chunk, and how many it has."""
        mine, theirs = self._words(claim.statement), self._words(" ".join((chunk.text, *chunk.headings)))
        return len(mine & theirs), len(mine)

    def _verdict(self, pair: Pair) -> Verdict:
        claim, chunk = pair.claim, pair.chunk
        shared, words = self._shared(claim, chunk)
        if shared <= (words > _SHORT):  # too few for one to say anything of the other: the usual case, told cheaply
            return _UNRELATED
        mine, theirs = self._claim(claim), self._chunk(chunk)
        against: tuple[Sight, Reading, Reading] | None = None
        agrees: tuple[Sight, Reading, Reading] | None = None
        touched: Sight | None = None
        for note in mine.readings:
            if not _may_touch(note, theirs):
                continue
            for unit in theirs.readings:
                sight = self._sight(pair, mine, note, theirs, unit)
                if sight.finding is Finding.CONTRADICTED:
                    if against is None or sight.confidence > against[0].confidence:
                        against = (sight, note, unit)
                elif sight.finding is Finding.CONSISTENT:
                    agrees = agrees or (sight, note, unit)
                elif sight.finding is Finding.ABSTAIN:
                    touched = touched or sight
        back = (
            agrees is not None
            and agrees[2].change is not None
            and against is not None
            and (agrees[2].clause.start > against[2].clause.start)
        )  # from 5 to 9 in one year, and from 9 to 5 in the next
        if against is not None and not back and (agrees is None or against[2].change is not None):
            return _shown(against, claim, chunk, acts=True)
        if against is not None:
            return Verdict(finding=Finding.ABSTAIN, confidence=0.0, why="the document says both")
        if agrees is not None:
            return _shown(agrees, claim, chunk, acts=False)
        if touched is not None:
            return Verdict(finding=touched.finding, confidence=0.0, why=touched.why)
        # *Unrelated* is final, and a judge that reads whole sentences may see more where a good part of them is shared.
        return _UNRELATED if shared < _NEAR * words else _NOT_COMPARED

    def _sight(self, pair: Pair, mine: _Claim, note: Reading, theirs: _Chunk, unit: Reading) -> Sight:
        sight = lay(note, unit, mine.conditions, mine.single)
        # Words may agree while the value does not: "the port of service 1 is 1", "... is 2". The key has the last word.
        unsettled = sight.finding is not Finding.CONTRADICTED
        if (
            unsettled
            and mine.keyed is not None
            and note is mine.readings[0]
            and mine.subject & (unit.words | unit.context)
        ):
            sight = by_key(mine.keyed, mine.conditions, note, unit, self._keys(theirs, unit)) or sight
        if sight.finding is Finding.UNRELATED:
            return sight
        if (doubt := _doubt(note, unit)) is not None:
            return Sight(Finding.ABSTAIN, 0.0, doubt)
        if (scope := _other_scope(mine, note, unit)) is not None:
            return Sight(Finding.ABSTAIN, 0.0, scope)
        if sight.finding is Finding.CONTRADICTED:
            other = (
                _other_time(pair.claim, pair.chunk, unit)
                or another_case(note, unit)
                or said_as_well(note, unit, theirs.readings)
                or another_thing(note, unit, theirs.readings, pair.chunk.headings)
            )
            if other is not None:
                return Sight(Finding.ABSTAIN, 0.0, other)
        return sight


def _may_touch(note: Reading, chunk: _Chunk) -> bool:
    """Whether enough words are shared to look closer: of a long statement more than one."""
    return len(note.words & chunk.words) > (len(note.words) > _SHORT)


def _is_of_one_moment(claim: Claim, found: keys.Extracted | None) -> bool:
    """Whether a note with room for later ones beside it ("was directed by Ann") still has one value by its grammar."""
    if found is None or not (found.single and found.beside):
        return False
    said = (canonical_name(found.subject), canonical_name(found.attribute))
    return said == (claim.subject_key, claim.attribute_key)


def _read_claim(claim: Claim) -> _Claim:
    readings = tuple(read(clause) for clause in clauses(claim.statement)[:_CLAIM_CLAUSES] if _states(clause.mood))
    keyed, found = None, keys.extract(claim.statement)
    if claim.subject_key and claim.attribute_key and claim.value_key:
        as_written = found is not None and canonical(found.value) == claim.value_key
        value = found.value if found is not None and as_written else claim.value_key  # its capitals show a name
        keyed = (claim.subject_key, claim.attribute_key, value, claim.single or _is_of_one_moment(claim, found))
    elif found is not None:
        keyed = (canonical_name(found.subject), canonical_name(found.attribute), found.value, found.single)
    single = keyed[2] if keyed is not None and keyed[3] else ""
    allowed = [word for some in claim.applies_when.values() for each in some for word in each.replace("_", " ").split()]
    settings = {SETTINGS[word.lower()] for word in allowed if word.lower() in SETTINGS}
    names = [word for name in claim.applies_when for word in name.replace("_", " ").split()]
    same = [word for word, setting in SETTINGS.items() if setting in settings]
    return _Claim(
        readings=readings,
        keyed=keyed,
        conditions=frozenset(map(stem, [*allowed, *names, *same])),
        settings=frozenset(settings),
        bound=bool(claim.applies_when),
        single=frozenset(token.key for token in tokens(single[:200]) if token.is_content),
        subject=frozenset(token.key for token in tokens(keyed[0][:200])) if keyed is not None else frozenset(),
    )


def _states(mood: Mood) -> bool:
    return mood in (Mood.STATED, Mood.FUTURE)


def _doubt(note: Reading, unit: Reading) -> str | None:
    """Why what the document says there is no statement of how things are."""
    if unit.mood is Mood.STATED:
        return None
    dated = unit.since is not None or any(token.sort in ("date", "time") for token in (*note.values, *unit.values))
    if unit.mood is Mood.FUTURE and (dated or note.mood is Mood.FUTURE):
        return None
    return f"what the document says is {unit.mood.value}"


def _other_scope(mine: _Claim, note: Reading, unit: Reading) -> str | None:
    """Why the document speaks of another case than the note."""
    allowed = mine.conditions | note.clause.words
    said = allowed | {token.key for token in note.clause.tokens}
    if any(word not in said and word not in _SETTING_STEMS for word in unit.clause.above.bound | unit.qualified):
        return "what stands above it names another thing, or one of several"
    if any(stem(word) not in allowed and SETTINGS.get(word) not in mine.settings for word in unit.narrowed):
        return "the document says it under a narrower heading"
    wanted = mine.settings | note.settings
    named = unit.settings | {SETTINGS[word] for word in unit.narrowed if word in SETTINGS}
    if named and wanted and not named & wanted:
        return "the document speaks of another environment"
    if not named and wanted and wanted != {"production"}:
        return "the note holds under conditions that the document does not name"
    if mine.bound and not mine.settings and not mine.conditions & (unit.words | unit.context):
        return "the note holds under conditions that the document does not name"
    return None


def _other_time(claim: Claim, chunk: Chunk, unit: Reading) -> str | None:
    """Why the document speaks of another time than the note."""
    times = [time for time in (unit.since, chunk.dated) if time is not None]
    if not times:
        return None
    said, known = max(times), [time for time in (claim.valid_from, claim.observed_at) if time is not None]
    if known and said < max(known):
        return "the document is older than the note"
    if claim.valid_to is not None and said >= claim.valid_to:
        return "the note had ended before"
    return None


def _shown(seen: tuple[Sight, Reading, Reading], claim: Claim, chunk: Chunk, *, acts: bool) -> Verdict:
    sight, note, unit = seen
    since: datetime | None = unit.since if acts else None
    return Verdict(
        finding=sight.finding,
        confidence=sight.confidence,
        claim_quote=claim.statement[note.clause.start : note.clause.end],
        chunk_quote=chunk.text[unit.clause.start : unit.clause.end],
        effective_from=since,
        acts=acts,
        why=sight.why[:200].replace("\n", " "),
    )
