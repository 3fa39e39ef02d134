"""The check: statements of files are paired with the passages of documents that may contradict them, and judged.

    files ──statements──▶ each different one once ──near in words (and meaning)──▶ pairs ──judge──▶ verdicts
    documents ──passages──▶ each different one once ──────────┘

A contradiction acts only if its verdict does, the headings of both sides do not tell them apart, and no document that
is trusted as much and dated no earlier says the same as the statement. What does not act is a proposal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from upheld.check.files import Failed, Notes, StrPath, notes
from upheld.check.shelf import AT_ONCE, Holder, Shelf
from upheld.check.statements import Statement, Wording
from upheld.check.subject import apart, of_file
from upheld.document import Claim, Finding, Pair, Verdict
from upheld.errors import Invalid
from upheld.judgement import Cascade, judged
from upheld.judges import Values
from upheld.note import Channel

if TYPE_CHECKING:
    from upheld.ports import Embedder, Judge

_RANK = {channel: rank for rank, channel in enumerate(Channel)}

Progress: TypeAlias = Callable[[int, int], None]
"""Told how many of how many statements are done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradicts:
    """A statement, and a passage that contradicts it; both quotes stand there to the letter.

    `line` counts from 1; [start, end) is where `claim_quote` stands in the text of `file` (decoded, without a byte
    order mark, line ends as LF), in code points. Where a file holds its text in another form (JSON with escapes, HTML,
    PDF), the offsets or the document's line are None. `acts` False is a proposal, and `why` says why it is no more.
    """

    file: str
    line: int
    start: int | None
    end: int | None
    statement: str
    claim_quote: str
    document: str
    document_line: int | None
    chunk_quote: str
    why: str
    acts: bool
    effective_from: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found, in the order of the files, and what it looked at.

    `unanswered` counts pairs on which no judge gave an answer that counts.
    """

    findings: tuple[Contradicts, ...] = ()
    statements: int = 0
    documents: int = 0
    pairs: int = 0
    unanswered: int = 0
    failed: tuple[Failed, ...] = ()

    @property
    def contradictions(self) -> tuple[Contradicts, ...]:
        """The findings that act."""
        return tuple(each for each in self.findings if each.acts)

    @property
    def proposals(self) -> tuple[Contradicts, ...]:
        """The findings that do not act."""
        return tuple(each for each in self.findings if not each.acts)


def check(
    paths: StrPath | Sequence[StrPath],
    against: StrPath | Sequence[StrPath],
    *,
    judge: Judge | None = None,
    embedder: Embedder | None = None,
    progress: Progress | None = None,
) -> Checked:
    """Find the statements of some files that some documents contradict. Writes nothing, and needs no store.

    Args:
        paths: Markdown, text or JSON Lines files (drafts, or a log as `export` gives it), or folders of such.
        against: Documents that can be read (see `upheld.corpus.read`), or folders of such. One that is also among
            `paths` is not held against itself.
        judge: Default: a cascade of the values judge alone.
        embedder: Also pairs statements with passages near in meaning; the values judge has no use for that.
        progress: Told how far it is.

    Raises:
        Invalid: A path is not there, cannot be read or is no such file, or there is nothing to hold against anything.
            What cannot be read inside a folder is among `failed` instead.
    """
    files, failed = notes(paths)
    shelf = Shelf(embedder)
    failed += shelf.fill(against, {each.identity for each in files})
    if not shelf.documents:
        raise Invalid("there is no document to hold them against: none could be read" if failed else
                      "there is no document to hold them against")  # fmt: skip
    run = _Run(judge or Cascade([Values()]), shelf)
    statements = [(note, each) for note in files for each in note.statements]
    run.put([each for _, each in statements], progress)
    found = [finding for note, each in statements for finding in run.findings(note, each)]
    found.sort(key=lambda one: (one.file, one.line, one.start or 0, not one.acts, one.document, one.document_line or 0))
    return Checked(
        findings=tuple(found),
        statements=len(statements),
        documents=shelf.documents,
        pairs=run.pairs,
        unanswered=run.unanswered,
        failed=tuple(failed),
    )


# --- what is judged --------------------------------------------------------------------------------------------------

_Key: TypeAlias = tuple[object, ...]


def _key(claim: Claim) -> _Key:
    conditions = tuple(sorted((name, tuple(some)) for name, some in claim.applies_when.items()))
    times = (claim.valid_from, claim.valid_to, claim.observed_at)
    return (claim.statement, claim.subject_key, claim.attribute_key, claim.value_key, claim.single, conditions, *times)


class _Hit(NamedTuple):
    wording: Wording
    digest: str
    verdict: Verdict


class _Run:
    """Asks the judge about each different claim once, and says what came of it for each statement."""

    def __init__(self, judge: Judge, shelf: Shelf) -> None:
        self._judge = judge
        self._shelf = shelf
        self._said: dict[_Key, list[tuple[str, Verdict]]] = {}
        self.pairs = 0
        self.unanswered = 0

    def put(self, statements: Sequence[Statement], progress: Progress | None) -> None:
        """Judge all statements."""
        for start in range(0, len(statements), AT_ONCE):
            batch = statements[start : start + AT_ONCE]
            new: Mapping[_Key, Claim] = {
                key: wording.claim
                for each in batch
                for wording in each.wordings
                if (key := _key(wording.claim)) not in self._said
            }
            asked = [
                (key, digest)
                for (key, _), near in zip(new.items(), self._shelf.near([*new.values()]), strict=True)
                for digest in near
            ]
            self._said |= {key: [] for key in new}
            pairs = [Pair(claim=new[key], chunk=self._shelf.chunks[digest]) for key, digest in asked]
            for (key, digest), row in zip(asked, judged(self._judge, pairs), strict=True):
                self.unanswered += row.verdict is None
                if row.verdict is not None and row.verdict.finding in (Finding.CONTRADICTED, Finding.CONSISTENT):
                    self._said[key].append((digest, row.verdict))
            self.pairs += len(pairs)
            if progress is not None:
                progress(start + len(batch), len(statements))

    def findings(self, note: Notes, statement: Statement) -> Iterator[Contradicts]:
        """What documents other than the file itself say against each part of a statement, each passage once."""
        against: dict[tuple[int, str], tuple[_Hit, Holder, str]] = {}
        agree: defaultdict[int, list[Holder]] = defaultdict(list)
        for hit in self._hits(statement):
            part, place = hit.wording.part, (hit.wording.part, hit.digest)
            for holder in self._shelf.holders[hit.digest]:
                if holder.shelved.identity == note.identity:
                    continue
                doubt = self._doubt(statement, hit, holder)
                if hit.verdict.finding is Finding.CONSISTENT:
                    agree[part] += [holder] if not doubt and not holder.shelved.is_note else []
                elif place not in against or (against[place][2] and not doubt):
                    against[place] = (hit, holder, doubt)
        for (part, _), (hit, holder, doubt) in against.items():
            other = next((each for each in agree[part] if _weighs(each, holder)), None)
            said = "" if other is None else f"but {other.shelved.place(other.chunk.start)} says the same as the note"
            yield _contradicts(statement, hit, holder, doubt or said)

    def _hits(self, statement: Statement) -> Iterator[_Hit]:
        for wording in statement.wordings:
            for digest, verdict in self._said[_key(wording.claim)]:
                yield _Hit(wording, digest, verdict)

    def _doubt(self, statement: Statement, hit: _Hit, holder: Holder) -> str:
        """Why the two may speak of different things; a claim that names its heading was judged with it."""
        if hit.wording.headed or statement.is_record:
            return ""
        shelved, chunk = holder
        title = (shelved.document.title,) if shelved.document.title else ()
        other = apart(
            statement.text,
            statement.headings,
            statement.file,
            label=hit.wording.label,
            passage=chunk.text,
            over=(of_file(shelved.file), *title, *chunk.headings),
        )
        return "" if other is None else f"but the note says it of {other!r}, which the document does not name"


def _weighs(each: Holder, against: Holder) -> bool:
    """Whether a passage that agrees with a note stands against one that contradicts it."""
    if _RANK[each.shelved.document.authority] > _RANK[against.shelved.document.authority]:
        return False
    mine, theirs = each.chunk.dated, against.chunk.dated
    return mine is None or theirs is None or mine >= theirs


def _contradicts(statement: Statement, hit: _Hit, holder: Holder, doubt: str) -> Contradicts:
    shelved, chunk = holder
    verdict = hit.verdict
    offset, quote = statement.cut(hit.wording, verdict.claim_quote)
    start = None if statement.start is None else statement.start + offset
    at = chunk.start + max(chunk.text.find(verdict.chunk_quote), 0)
    return Contradicts(
        file=statement.file,
        line=statement.line + statement.text.count("\n", 0, offset) if start is not None else statement.line,
        start=start,
        end=None if start is None else start + len(quote),
        statement=statement.text,
        claim_quote=quote,
        document=shelved.file,
        document_line=None if shelved.lines is None else shelved.lines.at(at),
        chunk_quote=verdict.chunk_quote,
        why=f"{verdict.why}; {doubt}" if doubt and verdict.why else verdict.why or doubt,
        acts=verdict.acts and not doubt,
        effective_from=verdict.effective_from,
    )
