"""Labelled pairs of a note and a document, and how they become what a judge is asked.

A note is read as the store reads it, by `admit`. A document is one chunk; a longer one is cut, each cut is judged, and
the strongest verdict counts.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from upheld import pairing, policy
from upheld.admit import admit
from upheld.document import MAX_CHUNK_CHARS, Chunk, Claim, Finding, Pair, Verdict
from upheld.errors import Invalid, Misconfigured, UpheldError
from upheld.note import Draft

if TYPE_CHECKING:
    from upheld.policy import Policy

SEED = 20261130
SILENT = "silent"
KEYED = "keyed"
PROSE = "prose"
LOOKALIKE = "lookalike"
GIVEN = "given"
CONTRADICTS, AGREES, NEUTRAL = "C", "E", "N"
LABELS = (CONTRADICTS, AGREES, NEUTRAL)

_POLICY = policy.load()
_WRITTEN = datetime(2026, 1, 1, tzinfo=UTC)  # admit wants a moment for kinds that expire; the default kind does not
_BAD_LINES_SHOWN = 10
_STRENGTH = (Finding.UNRELATED, Finding.ABSTAIN, Finding.CONSISTENT, Finding.CONTRADICTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One pair and what is true of it: C (contradicts), E (agrees) or N (says nothing of it).

    `part` is the part of the suite, `source` the set it was built from, `tag` what kind of pair it is. `seen` is when
    the note's source saw it, `dated` the document's own date.
    """

    part: str
    source: str
    label: str
    note: str
    doc: str
    tag: str = ""
    seen: datetime | None = None
    dated: datetime | None = None
    applies_when: Mapping[str, str] = field(default_factory=dict)
    headings: tuple[str, ...] = ()

    def pairs(self) -> tuple[Pair, ...]:
        """What a judge is asked: the claim beside each cut of the document. `Invalid` for a note no store takes."""
        claim = claim_of(self.note, seen=self.seen, applies_when=self.applies_when)
        return tuple(Pair(claim=claim, chunk=chunk) for chunk in chunks_of(self.doc, self.headings, self.dated))


def claim_of(
    statement: str,
    *,
    by: Policy = _POLICY,
    seen: datetime | None = None,
    applies_when: Mapping[str, str] | None = None,
) -> Claim:
    """A statement as a claim, its key and value read as for a note. Raises `Invalid` where no store would take it.

    >>> claim_of("The port of orders is 5432.").value_key
    '5432'
    """
    draft = Draft(statement=statement, by="document:bench", observed_at=seen, applies_when=applies_when or {})
    now = _WRITTEN if seen is None else max(seen, _WRITTEN)
    return pairing.claim_of(admit(draft, by, now=now).recorded(seq=1, id="claim", at=now, generation=0))


def chunks_of(text: str, headings: tuple[str, ...] = (), dated: datetime | None = None) -> Iterator[Chunk]:
    """A document as one chunk, or as cuts of at most `MAX_CHUNK_CHARS`, between words where there are any."""
    start = 0
    while start < len(text):
        end = min(start + MAX_CHUNK_CHARS, len(text))
        if end < len(text):
            space = text.rfind(" ", start + 1, end + 1)
            end = end if space < 0 else space
        yield Chunk(start=start, end=end, text=text[start:end], headings=headings, dated=dated)
        start = end


def strongest(verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on a document from those on its cuts: one that acts, then contradicted, consistent, abstained.

    >>> strongest([Verdict(finding=Finding.CONSISTENT), Verdict(finding=Finding.CONTRADICTED)]).finding
    <Finding.CONTRADICTED: 'contradicted'>
    """
    return max(verdicts, key=lambda each: (_STRENGTH.index(each.finding), each.acts, each.confidence))


def sampled(found: Iterable[Labelled], most: int | None, name: str) -> list[Labelled]:
    """At most so many, drawn by a seed that `name` varies, in the order they came; all of them for None."""
    listed = list(found)
    if most is None or len(listed) <= most:
        return listed
    drawn = sorted(chance(name).sample(range(len(listed)), most))
    return [listed[at] for at in drawn]


def chance(name: str) -> random.Random:
    """The source of chance for one part of the suite: the same for the same name."""
    return random.Random(f"{SEED}/{name}")


def read_pairs(path: Path) -> list[Labelled]:
    """The pairs of a JSONL file: `note`, `doc` and `label` (C, E or N) on each line, other fields left aside.

    Raises `Invalid` with the numbers of all bad lines, `Misconfigured` where the file cannot be read.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise Misconfigured(f"cannot read the pairs {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8") from error
    found: list[Labelled] = []
    bad: list[str] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_read_line(line))
            except UpheldError as error:
                bad.append(f"line {number}: {error}")
    if bad:
        more = f"; and {len(bad) - _BAD_LINES_SHOWN} more" if len(bad) > _BAD_LINES_SHOWN else ""
        lines_are = "1 line is" if len(bad) == 1 else f"{len(bad)} lines are"
        raise Invalid(f"{path}: {lines_are} no pair, nothing was judged: {'; '.join(bad[:_BAD_LINES_SHOWN])}{more}")
    if not found:
        raise Invalid(f"{path} holds no pairs: each line is an object with note, doc and label (C, E or N)")
    return found


def _read_line(line: str) -> Labelled:
    try:
        whole: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"not JSON ({error})") from error
    if not isinstance(whole, dict):
        raise Invalid("not an object")
    for name in ("note", "doc"):
        if not isinstance(whole.get(name), str) or not whole[name].strip():
            raise Invalid(f"{name} must be a text that is not empty")
    if whole.get("label") not in LABELS:
        raise Invalid(f"label must be C, E or N, not {whole.get('label')!r}")
    read = Labelled(part=GIVEN, source=GIVEN, label=whole["label"], note=whole["note"], doc=whole["doc"])
    read.pairs()
    return read
