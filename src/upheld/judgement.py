"""Judging around the judges: whatever one returns or raises becomes a checked `Verdict`, or a `Fault`. Pure.

A judge is code or a model that Upheld did not write, reading a document that anybody may have written. So a verdict
counts only if its quotes stand to the letter in the note and in the passage. A fault changes nothing and is counted.

    cheap judge ──acts, consistent, unrelated──▶ final
        │ abstains, faults, or only proposes a contradiction
        ▼
    next judge ...                               the last word other than an abstention or a fault stands
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from inspect import isawaitable
from numbers import Real
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from upheld.document import Finding, Pair, Verdict
from upheld.errors import Misconfigured, Unavailable, UpheldError

if TYPE_CHECKING:
    from upheld.ports import Judge

MAX_WHY_CHARS: Final = 400
_QUOTED: Final = frozenset({Finding.CONTRADICTED, Finding.CONSISTENT})


class FaultKind(StrEnum):
    """What was wrong with what a judge returned."""

    NOT_A_VERDICT = "not_a_verdict"
    BAD_FINDING = "bad_finding"
    BAD_CONFIDENCE = "bad_confidence"
    BAD_ACTS = "bad_acts"
    BAD_TEXT = "bad_text"
    BAD_TIME = "bad_time"
    MISSING_QUOTE = "missing_quote"
    INVENTED_CLAIM_QUOTE = "invented_claim_quote"
    INVENTED_CHUNK_QUOTE = "invented_chunk_quote"
    SAME_QUOTE = "same_quote"
    WRONG_COUNT = "wrong_count"
    REFUSED = "refused"
    RAISED = "raised"
    MISCONFIGURED = "misconfigured"
    TIMED_OUT = "timed_out"
    UNAVAILABLE = "unavailable"
    OVER_BUDGET = "over_budget"
    NOT_RECORDED = "not_recorded"


_PASSING: Final = frozenset({
    FaultKind.MISCONFIGURED, FaultKind.TIMED_OUT, FaultKind.UNAVAILABLE, FaultKind.OVER_BUDGET, FaultKind.NOT_RECORDED,
})  # fmt: skip
_RAISED: Final[dict[type[Exception], FaultKind]] = {
    Misconfigured: FaultKind.MISCONFIGURED, Unavailable: FaultKind.UNAVAILABLE, TimeoutError: FaultKind.TIMED_OUT,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An answer that counts for nothing. `detail` is for a person; it repeats no text of a note, document or key."""

    kind: FaultKind
    detail: str = ""

    @property
    def passes(self) -> bool:
        """Whether it says nothing of the pair: the same question later, or better paid, may be answered."""
        return self.kind in _PASSING


Outcome = Verdict | Fault


def checked(raw: object, pair: Pair) -> Outcome:
    """The verdict that a judge returned for this pair, if it may count; else what is wrong with it. Never raises.

    A contradiction or a confirmation needs a quote from the claim's statement and one from the chunk's text, both
    to the letter: case, dashes and white space included. A quote may not cut a number in two ("30" of "300").
    The verdict returned is a new one, its time in UTC, its `why` one short line.

    >>> from upheld.document import Chunk, Claim
    >>> text = "The limit is 300 a minute."
    >>> pair = Pair(claim=Claim(statement="The limit is 200."), chunk=Chunk(start=0, end=len(text), text=text))
    >>> said = Verdict(finding=Finding.CONTRADICTED, claim_quote="limit is 200", chunk_quote="limit is 300")
    >>> checked(said, pair) == said
    True
    >>> checked(Verdict(finding=Finding.CONTRADICTED, claim_quote="limit is 200", chunk_quote="Limit: 300"), pair).kind
    <FaultKind.INVENTED_CHUNK_QUOTE: 'invented_chunk_quote'>
    """
    if isinstance(raw, Fault):
        return raw
    if not isinstance(raw, Verdict):
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"{type(raw).__name__} instead of a Verdict")
    try:
        return _checked(raw, pair)
    except _Wrong as wrong:
        return wrong.fault
    except Exception as error:  # noqa: BLE001 (a field that cannot even be read)
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"its fields cannot be read: {type(error).__name__}")


class _Wrong(Exception):
    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(detail)
        self.fault = Fault(kind=kind, detail=detail)


def _checked(raw: Verdict, pair: Pair) -> Verdict:
    finding, acts = raw.finding, raw.acts
    if type(finding) is not Finding:
        raise _Wrong(FaultKind.BAD_FINDING, f"its finding is a {type(finding).__name__}, not a Finding")
    if type(acts) is not bool:
        raise _Wrong(FaultKind.BAD_ACTS, f"acts is a {type(acts).__name__}, not true or false")
    confidence, effective_from = _confidence(raw.confidence), _time(raw.effective_from)
    claim_quote, chunk_quote = _text(raw.claim_quote, "claim_quote"), _text(raw.chunk_quote, "chunk_quote")
    why = " ".join(_text(raw.why, "why")[: 4 * MAX_WHY_CHARS].split())[:MAX_WHY_CHARS]
    in_claim, in_chunk = _stands(claim_quote, pair.claim.statement), _stands(chunk_quote, pair.chunk.text)
    if finding in _QUOTED:
        if not claim_quote.strip() or not chunk_quote.strip():
            raise _Wrong(FaultKind.MISSING_QUOTE, f"{finding} without a quote from each text")
        if not in_claim:
            raise _Wrong(FaultKind.INVENTED_CLAIM_QUOTE, "claim_quote does not stand in the note to the letter")
        if not in_chunk:
            raise _Wrong(FaultKind.INVENTED_CHUNK_QUOTE, "chunk_quote does not stand in the passage to the letter")
        if finding is Finding.CONTRADICTED and claim_quote.strip() == chunk_quote.strip():
            raise _Wrong(FaultKind.SAME_QUOTE, "two equal quotes show no contradiction")
    return Verdict(
        finding=finding,
        confidence=confidence,
        claim_quote=claim_quote if in_claim else "",
        chunk_quote=chunk_quote if in_chunk else "",
        effective_from=effective_from,
        acts=acts,
        why=why,
    )


def _confidence(given: object) -> float:
    if type(given) is not bool and isinstance(given, Real):
        with suppress(OverflowError):
            if 0 <= (number := float(given)) <= 1:  # a NaN compares false
                return number
    raise _Wrong(FaultKind.BAD_CONFIDENCE, "confidence is not a number from 0 to 1")


def _time(given: object) -> datetime | None:
    if given is None:
        return None
    try:
        if isinstance(given, datetime) and given.utcoffset() is not None:
            return given.astimezone(UTC)
    except Exception as error:  # noqa: BLE001 (a time zone is code)
        raise _Wrong(FaultKind.BAD_TIME, f"effective_from has no place in UTC: {type(error).__name__}") from None
    raise _Wrong(FaultKind.BAD_TIME, "effective_from is not a time with an offset")


def _text(given: object, field: str) -> str:
    # A subclass could answer `in` and `==` as it likes.
    if type(given) is not str:
        raise _Wrong(FaultKind.BAD_TEXT, f"{field} is a {type(given).__name__}, not text")
    try:
        given.encode()
    except UnicodeEncodeError:
        raise _Wrong(FaultKind.BAD_TEXT, f"{field} holds half a character") from None
    return given


def _stands(quote: str, text: str) -> bool:
    """Whether a quote stands in a text to the letter, with no number of the text cut in two."""
    if not quote.strip() or quote not in text:
        return False
    before = r"(?<!\d)" if quote[0].isdecimal() else ""
    after = r"(?!\d)" if quote[-1].isdecimal() else ""
    return re.search(before + re.escape(quote) + after, text) is not None


def asked(judge: Judge, pairs: Sequence[Pair]) -> list[Outcome]:
    """Put pairs to a judge in one call: one outcome per pair, in order. Only an interrupt is let through.

    Too few or too many answers are all faults, since none is known to belong to its pair. Of a generator that fails
    on the way, what it gave before stands.
    """
    raws: list[object] = []
    answers: object = None
    failed: list[Outcome] = []
    try:
        answers = judge.judge(tuple(pairs)) if pairs else ()
        if not isinstance(answers, Iterable) or isinstance(answers, str | bytes | Mapping | Set):
            failed = [Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"{type(answers).__name__} instead of verdicts")]
        else:
            for raw in answers:
                raws.append(raw)
                if len(raws) > len(pairs):  # it may have no end
                    break
    except Exception as error:  # noqa: BLE001 (that is what this is for)
        failed = [fault_of(error)]
    finally:
        if isinstance(answers, Iterator) or isawaitable(answers):
            with suppress(Exception):  # a generator short of its end, or a coroutine that nobody awaits
                getattr(answers, "close", bool)()
    if not failed and len(raws) != len(pairs):
        count = f"more than {len(pairs)}" if len(raws) > len(pairs) else f"{len(raws)}"
        return [Fault(kind=FaultKind.WRONG_COUNT, detail=f"{count} answers for {len(pairs)} pairs")] * len(pairs)
    outcomes = [checked(raw, pair) for raw, pair in zip(raws, pairs, strict=False)]
    return outcomes + failed * (len(pairs) - len(outcomes))


def fault_of(error: Exception) -> Fault:
    """The fault that an exception amounts to. Only Upheld's own messages are kept: others may hold a key."""
    kind = next((kind for sort, kind in _RAISED.items() if isinstance(error, sort)), FaultKind.RAISED)
    said = error.args[0] if isinstance(error, UpheldError) and error.args else None
    if type(said) is str:
        return Fault(kind=kind, detail=said[:MAX_WHY_CHARS])
    place, step = "", error.__traceback__
    while step is not None:
        place, step = f" at {PurePath(step.tb_frame.f_code.co_filename).name}:{step.tb_lineno}", step.tb_next
    return Fault(kind=kind, detail=f"{type(error).__name__}{place}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of one pair, the judge whose word that is, all that were asked, and the faults on the way."""

    outcome: Outcome
    judge: str
    asked: tuple[str, ...]
    faults: tuple[tuple[str, Fault], ...] = ()

    @property
    def verdict(self) -> Verdict | None:
        """The verdict, or None where there is only a fault."""
        return self.outcome if isinstance(self.outcome, Verdict) else None

    @property
    def unfinished(self) -> bool:
        """Whether a judge could not be asked that may have decided: such a pair is worth asking again."""
        return _weight(self.outcome) < 3 and any(fault.passes for _, fault in self.faults)


def _weight(outcome: Outcome) -> int:
    """3 is final; the others leave the pair to the next judge."""
    if isinstance(outcome, Fault):
        return 0
    if outcome.finding is Finding.ABSTAIN:
        return 1
    return 2 if outcome.finding is Finding.CONTRADICTED and not outcome.acts else 3


def judged(judge: Judge, pairs: Sequence[Pair]) -> tuple[Judged, ...]:
    """Put pairs to a judge, or to the judges of a `Cascade`: one row per pair, in order."""
    if isinstance(judge, Cascade):
        return judge.judged(pairs)
    return tuple(_row(judge.name, outcome) for outcome in asked(judge, pairs))


def _row(name: str, outcome: Outcome) -> Judged:
    faults = ((name, outcome),) if isinstance(outcome, Fault) else ()
    return Judged(outcome=outcome, judge=name, asked=(name,), faults=faults)


class Cascade:
    """A judge made of several, cheap first (1 or more, with different names).

    A later one is asked only about pairs where the former abstained, faulted, or proposed a contradiction without
    acting on it. The last word other than an abstention or a fault stands, so a proposal stays one until a later
    judge acts on it or says otherwise. What a judge decided is not asked again.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        self.judges = tuple(judges)
        names = [judge.name for judge in self.judges]
        if not names or len(set(names)) < len(names):
            raise Misconfigured(f"a cascade needs one judge or more, each with a name of its own: {names}")
        self._names = tuple(names)

    @property
    def name(self) -> str:
        """The names of its judges, joined: another judge in it makes it another judge."""
        return "+".join(self._names)

    def judge(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """One checked verdict or fault per pair, in order."""
        return [row.outcome for row in self.judged(pairs)]

    def judged(self, pairs: Sequence[Pair]) -> tuple[Judged, ...]:
        """As `judge`, with the judge that decided and those that were asked."""
        rows: dict[int, Judged] = {}
        left = list(range(len(pairs)))
        for name, judge in zip(self._names, self.judges, strict=True):
            for place, outcome in zip(left, asked(judge, [pairs[place] for place in left]), strict=True):
                row = _row(name, outcome)
                rows[place] = _after(rows[place], row) if place in rows else row
            left = [place for place in left if _weight(rows[place].outcome) < 3]
        return tuple(rows[place] for place in range(len(pairs)))


def _after(former: Judged, later: Judged) -> Judged:
    standing = later if _weight(later.outcome) >= _weight(former.outcome) else former
    return replace(standing, asked=former.asked + later.asked, faults=former.faults + later.faults)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts over judged pairs.

    `findings` counts outcomes, `unanswered` those that are only a fault, `acting` the contradictions that may retire
    a note alone. `asked` is how many pairs were put to each judge, `decided` for how many its word stood, and
    `faults` what went wrong, by judge: also where a later judge then decided.
    """

    findings: Mapping[Finding, int] = field(default_factory=dict)
    unanswered: int = 0
    acting: int = 0
    asked: Mapping[str, int] = field(default_factory=dict)
    decided: Mapping[str, int] = field(default_factory=dict)
    faults: Mapping[tuple[str, FaultKind], int] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Iterable[Judged]) -> Tally:
        """Count these rows."""
        rows = tuple(rows)
        verdicts = [(row.judge, row.verdict) for row in rows if row.verdict is not None]
        return cls(
            findings=Counter(verdict.finding for _, verdict in verdicts),
            unanswered=len(rows) - len(verdicts),
            acting=sum(verdict.acts and verdict.finding is Finding.CONTRADICTED for _, verdict in verdicts),
            asked=Counter(name for row in rows for name in row.asked),
            decided=Counter(name for name, verdict in verdicts if verdict.finding is not Finding.ABSTAIN),
            faults=Counter((name, fault.kind) for row in rows for name, fault in row.faults),
        )

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            findings=Counter(self.findings) + Counter(other.findings),
            unanswered=self.unanswered + other.unanswered,
            acting=self.acting + other.acting,
            asked=Counter(self.asked) + Counter(other.asked),
            decided=Counter(self.decided) + Counter(other.decided),
            faults=Counter(self.faults) + Counter(other.faults),
        )
