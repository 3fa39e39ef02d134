"""What bears on a note is kept once read: as the log has it, whoever writes, whatever is shed, whatever is undone."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

import upheld
from upheld.db import projection
from upheld.db.lines import Lines
from upheld.db.projection import KEPT_NOTES_BYTES
from upheld.db.session import Session
from upheld.db.sqlite import Sqlite
from upheld.errors import Refused
from upheld.note import Note, Rel, Standing, Verb
from upheld.ports import Filter, Most, Wanted
from upheld.standing import standings
from worlds import LAST, SCOPES, a_link, a_note, an_event, random_log, random_moments, told, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

LOGS = 60


@pytest.fixture
def database() -> Iterator[Sqlite]:
    opened = Sqlite(":memory:", model=None, dimension=0)
    yield opened
    opened.close()


def search(session: Session, scopes: Sequence[str], now: int = LAST) -> None:
    session.search(
        Wanted(
            scopes=tuple(scopes),
            text="everyone",
            vector=None,
            valid_at=now,
            known_at=session.head().seq,
            now=now,
            latest=True,
            most=Most(100, 100, 100),
            filter=Filter(),
        )
    )


def standing(session: Session, seq: int) -> Standing:
    return standings(session.world([seq]), [seq], valid_at=LAST, known_at=session.head().seq)[seq].standing


def differing(session: Session, seqs: Sequence[int], chance: Random, log: Sequence[object]) -> str:
    """Where the session says something else of notes than the database does, if anywhere."""
    read = Lines().take(session.lines_on(seqs, down=True))
    for _ in range(4):
        at = random_moments(chance, log)  # type: ignore[arg-type]
        kept = standings(session.world(seqs), seqs, valid_at=at.valid_at, known_at=at.known_at)
        if kept != standings(read.world, seqs, valid_at=at.valid_at, known_at=at.known_at):
            return f"{at}: {kept}"
        if session.replaced_by(seqs, known_at=at.known_at) != read.replaced_by(seqs, at.known_at):
            return f"{at}: replaced"
        if session.reasons(seqs, known_at=at.known_at) != read.why(seqs, at.known_at):
            return f"{at}: reasons"
    return ""


@pytest.mark.parametrize(
    ("room", "kept"),
    [(0, KEPT_NOTES_BYTES), (1 << 30, KEPT_NOTES_BYTES), (1 << 30, 0), (1 << 30, 4000)],
    ids=["all is shed at once", "nothing is shed", "no note is kept", "few notes are kept"],
)
def test_a_store_that_another_connection_writes_to_says_what_the_log_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, room: int, kept: int
) -> None:
    monkeypatch.setattr(projection, "KEPT_NOTES_BYTES", kept)
    held = 0
    for number in range(LOGS):
        chance = Random(f"{seed} lines {number}")
        log = random_log(chance)
        path = tmp_path / f"{number}.db"
        writer = Sqlite(path, model=None, dimension=0)
        reader = Sqlite(path, model=None, dimension=0, cache_bytes=room)
        notes: list[int] = []
        try:
            for line in log:
                with writer.writing() as tx:
                    write(tx, [line])
                notes += [line.seq] if isinstance(line, Note) else []
                if chance.randrange(3) == 0 or line is log[-1]:
                    with reader.reading() as session:
                        search(session, chance.choice((SCOPES, SCOPES[:1], SCOPES[1:])), now=line.seq)
                        held += session._projection.world(session, notes) is not None
                        found = differing(session, notes, chance, log)
                        assert not found, f"log {number}, after line {line.seq}: {found}\n{told(log)}"
        finally:
            reader.close()
            writer.close()
    assert held > LOGS, "the kept lines were hardly ever asked"


def test_a_transaction_sees_what_it_added_itself(database: Sqlite) -> None:
    with database.writing() as tx:
        write(tx, [a_note(1), a_note(2)])
    with database.writing() as tx:
        search(tx, SCOPES)
        assert standing(tx, 1) is standing(tx, 2) is Standing.IN_FORCE
        write(tx, [an_event(3, 1, Verb.RETRACTED), a_note(4), a_link(5, 4, Rel.SUPERSEDES, 2)])
        assert (standing(tx, 1), standing(tx, 2)) == (Standing.RETRACTED, Standing.SUPERSEDED)
        assert tx.replaced_by([4], known_at=5) == {4: (2, 4)}
        assert tx.reasons([4], known_at=5) == {4: "because of 5"}


def refused(database: Sqlite) -> None:
    with database.writing() as tx:
        write(tx, [an_event(3, 1, Verb.RETRACTED)])
        search(tx, SCOPES)
        assert standing(tx, 1) is Standing.RETRACTED
        raise Refused("for the sake of the test")


def test_lines_that_were_rolled_back_are_not_kept(database: Sqlite) -> None:
    with database.writing() as tx:
        write(tx, [a_note(1), a_note(2)])
    with pytest.raises(Refused):
        refused(database)
    with database.writing() as tx:
        write(tx, [an_event(3, 2, Verb.RETRACTED)])
    with database.reading() as session:
        search(session, SCOPES)
        assert (standing(session, 1), standing(session, 2)) == (Standing.IN_FORCE, Standing.RETRACTED)


def test_what_is_taken_back_by_an_event_on_another_note_is_heard(database: Sqlite) -> None:
    with database.writing() as tx:
        write(tx, [a_note(1), a_note(2), a_note(3), a_link(4, 2, Rel.SUPERSEDES, 1)])
    with database.reading() as session:
        search(session, SCOPES)
        assert standing(session, 1) is Standing.SUPERSEDED
    with database.writing() as tx:
        write(tx, [an_event(5, 3, Verb.RESTORED, undoes=4)])
    with database.reading() as session:
        search(session, SCOPES)
        assert standing(session, 1) is Standing.IN_FORCE
        assert session.replaced_by([2], known_at=5) == {2: (2,)}
        assert session.reasons([2], known_at=5) == {}
        assert session.reasons([2], known_at=4) == {2: "because of 4"}


def test_the_doctor_compares_what_is_kept_with_the_rule(database: Sqlite) -> None:
    with database.writing() as tx:
        write(tx, [a_note(1), a_note(2), a_link(3, 2, Rel.SUPERSEDES, 1)])
    assert database.differences(LAST) == []
    database._projection._lines.successors.clear()
    assert database.differences(LAST) == [1]


def test_a_conflict_does_not_cost_the_images(tmp_path: Path) -> None:
    with upheld.open(tmp_path / "memory.db", embedder=None) as memory:
        old = memory.remember("The plan of Acme is Team.")
        memory.supersede(old.id, "The plan of Acme is Pro.")
        memory.recall("plan")
        images = memory._database._projection._scopes  # type: ignore[attr-defined]
        kept = images["default"]
        with pytest.raises(upheld.Conflict):
            memory.supersede(old.id, "The plan of Acme is Solo.")
        memory.recall("plan")
        assert images["default"] is kept
