"""The second half of the demo: documents are held against the notes, one line of one of them is edited, a note falls.

The documents are copied beside the store, so that what is edited is nobody's own. Every figure is counted and every
standing compared; what moved and should not have, or did not and should have, is a fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from difflib import unified_diff
from pathlib import Path
from time import perf_counter

from upheld.cli.demo.asking import Asked, ask
from upheld.cli.demo.record import TODAY, Calendar, Edit, Question, Record
from upheld.errors import Conflict, Invalid, Refused
from upheld.inbox import Told
from upheld.memory import Memory
from upheld.note import Standing, Verb
from upheld.sweep import Added

EDITED = TODAY + timedelta(days=1)

_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What became of the notes when the documents were first added, and when one line of them was edited.

    `before` and `after` are the same question around the edit, `rests` what is asked of the notes that rested on the
    fallen one. `took_s` is the time from the edited file to the fallen note with its notice, in seconds. `moved` has
    every note whose standing changed with the edit, and `sources` whose word each note with a notice was.
    """

    folder: str
    edit: Edit
    documents: int
    passages: int
    first: Added
    before: Asked
    diff: tuple[str, ...]
    second: Added
    took_s: float
    notices: tuple[Told, ...]
    sources: Mapping[str, str]
    moved: Mapping[str, tuple[Standing, Standing]]
    after: Asked
    rests: tuple[Asked, ...]
    faults: tuple[str, ...]

    @property
    def all(self) -> tuple[Asked, ...]:
        """Every question that was asked."""
        return (self.before, self.after, *self.rests)

    @property
    def served_old(self) -> int:
        """How many notes that did not stand were delivered."""
        return sum(each.served_old for each in self.all)


def beside(store: Path, record: Record) -> Path:
    """The folder beside a store that the documents are copied to; `Refused` where it holds what is not the demo's."""
    place = store.with_name(f"{store.stem}-documents")
    if not place.exists() and not place.is_symlink():
        return place
    ours = {name for name, _ in _files(record.documents)}
    links = place.is_symlink() or any(each.is_symlink() for each in place.rglob("*"))
    if links or not place.is_dir() or {name for name, _ in _files(place)} - ours:
        raise Refused(f"{place} holds files that are not the demo's; name another store with --store")
    return place


def copy(record: Record, place: Path) -> None:
    """Copy the documents, over an earlier copy where there is one."""
    for name, file in _files(record.documents):
        _write(place / name, file.read_text(encoding="utf-8"))


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.startswith("."):
            yield file.relative_to(folder).as_posix(), file


def _write(file: Path, text: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    except OSError as error:
        raise Invalid(f"cannot write {file}: {error.strerror}") from None


def hold(memory: Memory, record: Record, calendar: Calendar, place: Path) -> Held:
    """Add the documents, edit one of them the day after, add them again, and ask before and after."""
    edit = record.edit
    unread = _standings(memory, record)
    first = memory.corpus.add(place)
    read = _standings(memory, record)
    shelved = memory.corpus.list()
    before = ask(memory, record, Question(ask=edit.ask, expect=(edit.falls,)))

    calendar.now = EDITED
    diff = _edit(place / edit.name, edit)
    started = perf_counter()
    second = memory.corpus.add(place)
    took_s = perf_counter() - started

    moved = _moved(read, _standings(memory, record))
    notices = tuple(told for told in memory.inbox.list(record.scopes) if told.number in second.report.events)
    after = ask(memory, record, _fallen(edit.ask, edit.falls))
    # The record's own questions about what rested on it, with what they now have to say.
    asked = {id: each.ask for each in record.questions for id in each.expect[:1] if id in edit.rests}
    rests = tuple(ask(memory, record, _fallen(question, id)) for id, question in asked.items())
    held = Held(
        folder=place.as_posix(),
        edit=edit,
        documents=len(shelved),
        passages=sum(each.passages for each in shelved),
        first=first,
        before=before,
        diff=diff,
        second=second,
        took_s=took_s,
        notices=notices,
        sources={note.id: note.by for told in notices if (note := memory.get(told.note, mode="history").note)},
        moved=moved,
        after=after,
        rests=rests,
        faults=(),
    )
    return replace(held, faults=(*_early(first, _moved(unread, read)), *_faults(held)))


def _fallen(question: str, id: str) -> Question:
    return Question(ask=question, expect=(), absent=(id,), open_about=(id,))


def _edit(file: Path, edit: Edit) -> tuple[str, ...]:
    """Change the one line, and return what changed: lines that begin with - and +."""
    text = file.read_text(encoding="utf-8")
    if text.count(edit.was) != 1:
        raise Conflict(f"{file} says {text.count(edit.was)} times, not once: {edit.was}")
    changed = text.replace(edit.was, edit.now)
    _write(file, changed)
    lines = unified_diff(text.splitlines(), changed.splitlines(), lineterm="", n=0)
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _standings(memory: Memory, record: Record) -> dict[str, Standing]:
    found: dict[str, Standing] = {}
    before = None
    while True:
        page = memory.list(record.scopes, mode="history", limit=_MOST, before=before)
        found |= {view.id: view.standing for view in page.notes}
        if page.before is None:
            return found
        before = page.before


def _moved(before: Mapping[str, Standing], after: Mapping[str, Standing]) -> dict[str, tuple[Standing, Standing]]:
    return {id: (before[id], now) for id, now in after.items() if before[id] is not now}


def _early(first: Added, moved: Mapping[str, tuple[Standing, Standing]]) -> Iterator[str]:
    """What is wrong with the first reading: the documents agree with the record, so nothing may come of it."""
    yield from (f"{name} could not be read: {error}" for name, error in first.failed)
    yield from (f"{id} is {now.value} before anything was edited" for id, (_, now) in moved.items())
    if first.report.events and not moved:
        yield "documents that agree with the record brought about an event"


def _faults(held: Held) -> Iterator[str]:
    edit = held.edit
    wanted = {edit.falls: Standing.CONTRADICTED, **dict.fromkeys(edit.rests, Standing.NEEDS_CHECK)}
    for id, standing in wanted.items():
        if held.moved.get(id, (None, None))[1] is not standing:
            yield f"{id} is not {standing.value} after the edit"
    yield from (f"{id} is {now.value} after the edit" for id, (_, now) in held.moved.items() if id not in wanted)
    told = [(notice.kind, notice.note) for notice in held.notices]
    if told != [(Verb.CONTRADICTED, edit.falls)]:
        yield f"there is not one notice, about {edit.falls}: {told}"
    yield from (f"{each.question.ask} {fault}" for each in held.all for fault in each.faults)
