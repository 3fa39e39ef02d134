"""Examines a store: the database under it, the file, the log, the rule, and what can be made again from the log.

Nothing is repaired here. A finding is a sentence that says what is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from upheld.memory import Memory
from upheld.note import Event, Link, Note, instant
from upheld.standing import Seq, standings

AT_ONCE = 2000
SHOWN = 5

_PRAGMAS = ("journal_mode", "synchronous", "foreign_keys", "secure_delete", "page_size", "page_count", "freelist_count")
_WANTED = {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "secure_delete": 1}
_NEEDED = ("ENABLE_FTS5", "THREADSAFE=1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was looked at (`facts`, by name) and what is wrong (`findings`, empty for a healthy store)."""

    store: str
    facts: Mapping[str, str | int | None]
    findings: tuple[str, ...]


def examine(memory: Memory, *, now: datetime) -> Examination:
    """Examine an open store as of `now`. Reads all of it: some seconds for each 100,000 notes.

    >>> import upheld
    >>> from datetime import UTC
    >>> with upheld.open(":memory:", embedder=None) as memory:
    ...     _ = memory.remember("The port of the orders database is 5432.")
    ...     examine(memory, now=datetime(2026, 1, 1, tzinfo=UTC)).findings
    ()
    """
    database = memory._database
    facts: dict[str, str | int | None] = {"sqlite": database.version}
    findings: list[str] = []
    pragmas = {name: database._connection.pragma(name) for name in _PRAGMAS}
    facts |= pragmas
    # A store in memory has no log, and one that lies in a folder closed to us is read without.
    logless = database.path == ":memory:" or (database.is_frozen and pragmas["journal_mode"] == "delete")
    findings += [
        f"{name} is {pragmas[name]}, not {wanted}: something else changed the store's settings"
        for name, wanted in _WANTED.items()
        if pragmas[name] != wanted and not (logless and name == "journal_mode")
    ]
    options = set(database._connection.pragma("compile_options"))
    facts["compiled_with"] = ", ".join(name for name in _NEEDED if name in options)
    findings += [f"SQLite was built without {name}: pip install -U apsw" for name in _NEEDED if name not in options]
    findings += [
        f"integrity: {line}; restore a backup, or export and import into a new store" for line in database.check()
    ]
    if findings and any(finding.startswith("integrity") for finding in findings):
        return Examination(store=database.path, facts=facts, findings=tuple(findings))
    findings += _log(memory, facts)
    findings += _rule(memory, now, facts)
    findings += _vectors(memory, facts)
    return Examination(store=database.path, facts=facts, findings=tuple(findings))


def _log(memory: Memory, facts: dict[str, str | int | None]) -> Iterator[str]:
    """Whether every line of the log stands after the lines it speaks of, and times never go back."""
    counts = {Note: 0, Link: 0, Event: 0}
    last, at = 0, None
    lines: set[Seq] = set()
    wrong: list[str] = []
    for line in memory.export():
        counts[type(line)] += 1
        written = line.recorded_at if isinstance(line, Note) else line.at
        if line.seq <= last:
            wrong.append(f"position {line.seq} is taken twice")
        if at is not None and written < at:
            wrong.append(f"line {line.seq} is dated before the line ahead of it")
        wrong += [
            f"line {line.seq} speaks of {seq}, which is not there" for seq in _spoken_of(line) if seq not in lines
        ]
        last, at = line.seq, written
        lines.add(line.seq)
    facts |= {"notes": counts[Note], "links": counts[Link], "events": counts[Event], "log_position": last}
    yield from _some(wrong, "log: {}; restore a backup")


def _spoken_of(line: Note | Link | Event) -> list[Seq]:
    if isinstance(line, Note):
        return []
    if isinstance(line, Link):
        return [line.origin, line.target]
    return [seq for seq in (line.note, line.against, line.undoes) if seq is not None]


def _rule(memory: Memory, now: datetime, facts: dict[str, str | int | None]) -> Iterator[str]:
    """Whether the rule in SQL, the rule in Python and the searchable image agree on every note."""
    at = instant(now)
    in_force = 0
    differing: list[str] = []
    with memory._database.reading() as reading:
        position = reading.head().seq
        seqs = [line.seq for line in reading.log(0) if isinstance(line, Note)]
        for start in range(0, len(seqs), AT_ONCE):
            part = seqs[start : start + AT_ONCE]
            by_page = standings(reading.world(part), part, valid_at=at, known_at=position)
            by_query = reading.standings(part, valid_at=at, known_at=position)
            in_force += sum(standing.value == "in_force" for standing in by_query.values())
            differing += [
                f"note {seq} is {by_page[seq].standing.value} by the page and {by_query.get(seq)} by the query"
                for seq in part
                if by_query.get(seq) != by_page[seq].standing
            ]
    facts["in_force"] = in_force
    yield from _some(differing, "rule: {}; please report it")
    images = [f"note {seq}" for seq in memory._database.differences(at)]
    yield from _some(images, "projection: {} is searched as what it is not; close the store, and report it")


def _vectors(memory: Memory, facts: dict[str, str | int | None]) -> Iterator[str]:
    database = memory._database
    model = database.setting("embedding_model")
    facts |= {"embedding_model": model, "embedding_dimension": database.setting("embedding_dimension")}
    if pending := database.setting("embedding_pending"):
        yield f"vectors: the change of the embedding model to {pending} was interrupted; finish it: upheld reembed"
    if model is not None:
        facts["without_vector"] = missing = database.count_without_vector(model)
        if missing:
            yield f"vectors: {missing:,} notes have none and are found by words only; make them: upheld reembed"


def _some(wrong: list[str], sentence: str) -> Iterator[str]:
    """The first few of what may be very many."""
    yield from (sentence.format(each) for each in wrong[:SHOWN])
    if len(wrong) > SHOWN:
        yield sentence.format(f"and {len(wrong) - SHOWN:,} more of this")
