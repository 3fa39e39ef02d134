"""The corpus: documents that notes are held against. `memory.corpus` has these verbs.

    add      read what changed ▸ keep it ▸ the changed passages, in reverse, find the notes they may contradict
             ▸ judge ▸ apply, each with its notice
    remove   contradicts nothing; notes that nothing else speaks for must be checked
    sweep    the backstop: every living note against every passage that may contradict it

Judges and embedders are asked between transactions. What was kept and not yet judged is remembered in the store, so
a run that was killed is taken up by the next one; no pair is judged twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from upheld import limits
from upheld.corpus import places
from upheld.corpus.read import is_known, read
from upheld.corpus.watch import Stop, changes
from upheld.document import MAX_DOCUMENT_BYTES, Chunk, Document
from upheld.errors import Invalid, NeedsApproval, NotFound, UpheldError, shown
from upheld.intake import batches
from upheld.judging import Court, Run
from upheld.note import Channel, instant
from upheld.pairing import living, notes_for, passages_for
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Judge
from upheld.question import count, every
from upheld.remember import Journal
from upheld.shelf import Shelved, StatedKey
from upheld.standing import Seq
from upheld.sweep import Added, Report, source_again, unsource

Stating: TypeAlias = Callable[[Chunk], Iterable[StatedKey]]
Progress: TypeAlias = Callable[[int, int | None], None]
"""Told how much is done, and of how much where that is known: documents are read before passages are judged."""
Failed: TypeAlias = list[tuple[str, UpheldError]]
Kept: TypeAlias = list[tuple[str, str | None]]
Names: TypeAlias = list[str]
Shelf: TypeAlias = list[Shelved]
Read: TypeAlias = list[Document]
DOCUMENTS_AT_ONCE = 32
NOTES_AT_ONCE = 128


class Corpus:
    """The documents of one store, the judge that compares them with its notes, and what follows from that."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        embedder: Embedder | None,
        judge: Judge,
        stating: Stating,
        clock: Clock,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._court = Court(database=database, policy=policy, judge=judge, clock=clock)
        self._stating = stating
        self._clock = clock

    def add(
        self,
        place: str | Path,
        *,
        authority: Channel | str = Channel.DOCUMENT,
        revision: str | None = None,
        approve: int | None = None,
        progress: Progress | None = None,
    ) -> Added:
        """Read a file, a folder, or a git repository at a `revision`, and hold what changed against the notes.

        `authority` is the channel that its word counts as; a document may say less of itself, never more. `approve`
        allows so many notes to be retired at once. Adding what is there unchanged does no work. Documents of the same
        folder that are gone from it are removed.

        Raises `Invalid` where there is nothing at `place`, `NeedsApproval` where too many notes would be retired:
        then the documents are kept, and no note was changed.
        """
        cap, root = limits.channel(authority, "authority"), limits.path(place, "place")
        told = limits.callback(progress, "progress")
        return self._take(
            _found(root, revision), root.as_posix(), cap, approve=approve, progress=told, whole=root.is_dir()
        )

    def watch(
        self,
        place: str | Path,
        *,
        stop: Stop,
        sleep: Callable[[float], object],
        authority: Channel | str = Channel.DOCUMENT,
        approve: int | None = None,
    ) -> Iterator[Added]:
        """Add a folder, then what changes in it as it changes, until `stop` is set; yield what became of each change.

        `sleep` waits between two looks where the system gives no notices.
        """
        root, cap = limits.path(place, "place"), limits.channel(authority, "authority")
        changed = changes(root, stop=stop, sleep=sleep)
        yield self.add(root, authority=cap, approve=approve)
        for names in changed:
            try:
                yield self._changed(root, names, cap, approve)
            except NeedsApproval as error:
                yield Added(changed=names, failed=((root.as_posix(), error),))

    def _changed(self, root: Path, names: Sequence[str], authority: Channel, approve: int | None) -> Added:
        """Read again what changed in a folder; what is gone is removed."""
        paths = {(root / name).as_posix() for name in names}
        there = [places.file(path, name=path) for path in sorted(paths) if Path(path).exists()]
        added = self._take(there, root.as_posix(), authority, approve=approve, progress=None, whole=False)
        with self._database.reading() as reading:
            gone = tuple(reading.shelf.versions(paths - {each.name for each in there}))
        told = tuple(event for name in gone for event in self._remove(name))
        return replace(added, removed=gone, report=replace(added.report, events=added.report.events + told))

    def add_text(
        self, name: str, text: str, *, authority: Channel | str = Channel.DOCUMENT, approve: int | None = None
    ) -> Added:
        """Keep a text under a name as a document, Markdown unless its suffix is a known one, and hold it against notes.

        >>> import upheld
        >>> memory = upheld.open(":memory:", embedder=None)
        >>> note = memory.remember("The port of the orders database is 5432.")
        >>> added = memory.corpus.add_text("runbook.md", "The port of the orders database is 6432.")
        >>> added.report.to_retire == (note.id,)
        True
        >>> memory.get(note.id).standing
        <Standing.CONTRADICTED: 'contradicted'>
        """
        named, cap = limits.name(name, "name"), limits.channel(authority, "authority")
        found = places.Found(name=named, content=limits.text(text, "text", MAX_DOCUMENT_BYTES).encode())
        media = None if is_known(named) else "md"
        return self._take([found], named, cap, approve=approve, progress=None, whole=False, media=media)

    def list(self, *, removed: bool = False) -> Shelf:
        """The documents, by name; with `removed` also those that are no longer there."""
        with self._database.reading() as reading:
            return reading.shelf.documents(removed=limits.flag(removed, "removed"))

    def remove(self, name: str) -> Report:
        """Take documents out: one by its name, or all that were added from one place. They contradict nothing any more.

        Notes whose only source they were must be checked, and their owners get a notice.
        """
        wanted = limits.text(name, "name", MAX_DOCUMENT_BYTES)
        with self._database.reading() as reading:
            there = reading.shelf.documents()
            names = [each.name for each in there if wanted in {each.name, each.place}]
        if not names:
            raise NotFound(f"there is no document {shown(name)} and no place of that name; see: upheld corpus list")
        return Report(events=tuple(event for each in names for event in self._remove(each)))

    def _remove(self, name: str) -> Sequence[Seq]:
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            version = tx.shelf.remove(name, at=journal.at)
            return [] if version is None else unsource(journal, name, version)

    def _take(
        self,
        found: Iterable[places.Found],
        place: str,
        authority: Channel,
        *,
        approve: int | None,
        progress: Progress | None,
        whole: bool,
        media: str | None = None,
    ) -> Added:
        new: Names = []
        changed: Names = []
        failed: Failed = []
        seen: set[str] = set()
        unchanged = 0
        for batch in batches(found, DOCUMENTS_AT_ONCE):
            seen |= {each.name for each in batch}
            documents = self._read(batch, authority, media, failed)
            unchanged += len(batch) - len(documents)
            for document, former in self._keep(documents, place):
                (new if former is None else changed).append(document)
            if progress is not None:
                progress(len(seen), None)
        unchanged -= len(failed)
        removed = self._gone(place, seen) if whole else []
        told = tuple(event for name in removed for event in self._remove(name))
        report = self._pending(approve, progress)
        return Added(
            new=tuple(new),
            changed=tuple(changed),
            unchanged=unchanged,
            removed=tuple(removed),
            failed=tuple(failed),
            report=replace(report, events=told + report.events),
        )

    def _read(self, batch: Sequence[places.Found], authority: Channel, media: str | None, failed: Failed) -> Read:
        """The documents that are new or changed; what is unchanged is not even parsed."""
        with self._database.reading() as reading:
            known = reading.shelf.versions([each.name for each in batch])
            trusted = reading.shelf.authorities(known)
        documents: Read = []
        for each in batch:
            try:
                if isinstance(each.content, UpheldError):
                    raise each.content
                same = sha256(each.content).hexdigest() == known.get(each.name)
                if not same or trusted[each.name] is not authority:
                    documents.append(read(each.name, each.content, media=media, dated=each.dated, authority=authority))
            except UpheldError as error:
                failed.append((each.name, error))
        return documents

    def _keep(self, documents: Sequence[Document], place: str) -> Kept:
        """Write documents with their keys and vectors; return those that changed, with the version they had."""
        chunks = {chunk.digest: chunk for document in documents for chunk in document.chunks}
        stated = {digest: [*self._stating(chunk)] for digest, chunk in chunks.items()}
        with self._database.reading() as reading:
            unembedded = reading.shelf.unembedded([*chunks]) if self._embedder is not None else []
            trusted = reading.shelf.authorities(document.name for document in documents)
        vectors = {}
        if self._embedder is not None and unembedded:
            rows = self._embedder.embed([_said(chunks[digest]) for digest in unembedded])
            vectors = dict(zip(unembedded, rows, strict=True))
        kept: Kept = []
        with self._database.writing() as tx:
            journal = Journal.open(tx, self._clock())
            for document in documents:
                replaced = tx.shelf.put(document, place=place, at=journal.at, stated=stated, vectors=vectors)
                if replaced is not None:
                    tx.shelf.await_judging([chunk.digest for chunk in replaced.chunks])
                    kept.append((replaced.name, replaced.former))
                elif trusted[document.name] is not document.authority:  # the same words now count for more, or less
                    tx.shelf.await_judging([chunk.digest for chunk in document.chunks])
                    kept.append((document.name, document.version))
            if back := [name for name, former in kept if former is None]:
                source_again(journal, back)
        return kept

    def _gone(self, place: str, seen: set[str]) -> Names:
        """Documents of a folder that are not in it any more, also those that were added from within it."""
        with self._database.reading() as reading:
            there = [each for each in reading.shelf.documents() if each.name not in seen]
        below = "" if place == "." else f"{place.rstrip('/')}/"
        within = [each for each in there if below and each.name.startswith(below) and not Path(each.name).exists()]
        return [each.name for each in there if place == each.place or each in within]

    def _pending(self, approve: int | None, progress: Progress | None) -> Report:
        """Hold every passage that waits for it against the notes that it may contradict."""
        with self._database.reading() as reading:
            waiting = reading.shelf.awaiting()
        run = Run()
        for done, batch in enumerate(batches(waiting, DOCUMENTS_AT_ONCE)):
            with self._database.reading() as reading:
                now = instant(self._clock())
                scopes = [*reading.scopes()]
                vectors = reading.shelf.vectors(batch)
                suspected = []
                for digest, passages in reading.shelf.passages_with(batch).items():
                    chunk = passages[0].chunk
                    seqs = notes_for(reading, chunk, self._stating(chunk), vectors.get(digest), scopes=scopes, now=now)
                    suspected += [(note, chunk) for note in reading.notes(seqs).values()]
            self._court.hear(run, suspected)
            if progress is not None:
                progress(min((done + 1) * DOCUMENTS_AT_ONCE, len(waiting)), len(waiting))
        self._hear_out(run)
        return self._court.apply(run, approve, finished=waiting)

    def _hear_out(self, run: Run) -> None:
        """Hear what else the corpus says of the notes that are contradicted: an older passage may agree with them."""
        for batch in batches(sorted(run.contradicted), NOTES_AT_ONCE):
            with self._database.reading() as reading:
                suspected = passages_for(reading, [*reading.notes(batch).values()], near=False)
            self._court.hear(run, [(note, passage.chunk) for note, passage in suspected])

    def sweep(
        self,
        *,
        scope: str | Sequence[str] = (),
        dry_run: bool = False,
        budget: int | None = None,
        approve: int | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Hold every living note of some scopes (all, if none is named) against the corpus, and apply what is found.

        `dry_run` judges and applies nothing. `budget` is how many pairs may be put to judges; a run that meets it ends
        with `complete` False, and the next goes on there. `approve` allows so many notes to be retired at once.
        Raises `NeedsApproval` as `add` does. Notes that an answer set aside come first.
        """
        scopes, told = limits.scopes_or_all(scope), limits.callback(progress, "progress")
        trial = limits.flag(dry_run, "dry_run")
        run = Run(budget=None if budget is None else count(budget, "budget", most=1 << 40))
        with self._database.reading() as reading:
            listed = every(reading.listed, scopes)
            alive = set(living(reading, listed, instant(self._clock())))
            seqs = [seq for seq in dict.fromkeys(reading.shelf.doubted() + listed) if seq in alive]
        for batch in batches(seqs, NOTES_AT_ONCE):
            with self._database.reading() as reading:
                found = reading.notes(batch)
                notes = [found[seq] for seq in batch if seq in found]
                suspected = [(note, passage.chunk) for note, passage in passages_for(reading, notes)]
            self._court.hear(run, suspected, notes=[note.seq for note in notes])
            if run.left == 0:
                break
            if told is not None:
                told(run.notes, len(seqs))
        return self._court.apply(run, approve, swept=seqs[: run.notes], dry_run=trial)

    def doubt(self, notes: Sequence[Seq]) -> None:
        """Let the next sweep begin with these notes: a passage that somebody retrieved contradicts them."""
        if notes:
            with self._database.writing() as tx:
                tx.shelf.doubt(notes, at=Journal.open(tx, self._clock()).at)


def _said(chunk: Chunk) -> str:
    """A passage as it is embedded: under its nearest heading."""
    return f"{chunk.headings[-1]}\n{chunk.text}" if chunk.headings else chunk.text


def _found(root: Path, revision: str | None) -> Iterator[places.Found]:
    """The documents of a place, named by their path as the caller sees it, so that no two places share a name."""
    if not limits.exists(root):
        raise Invalid(f"there is nothing at {shown(root.as_posix())}")
    if revision is not None:
        limits.name(revision, "revision")
    elif not root.is_dir():
        return iter([places.file(root, name=root.as_posix())])
    listed = places.folder(root) if revision is None else places.revision(root, revision)
    return (replace(each, name=(root / each.name).as_posix()) for each in listed)
