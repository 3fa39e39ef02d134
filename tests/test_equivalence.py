"""The rule is written twice and mirrored once: as Python, as SQL, and in the searchable image. All three agree.

Random logs (`worlds.py`) are asked about at random moments of both times. A failing log is cut down to the lines
that matter before it is shown. What is counted at the end is whether the logs were worth asking about: each standing
must have come up often.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING

import pytest

from upheld.db.projection import Projection
from upheld.db.session import Session
from upheld.db.sqlite import Sqlite
from upheld.note import Event, Link, Note, Standing
from upheld.ports import Filter, Wanted
from upheld.standing import standings
from worlds import LAST, SCOPES, Line, Moments, random_log, random_moments, smallest, told, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WORLDS, WORLDS_LONG = 2_000, 40_000
IMAGES, IMAGES_LONG = 600, 12_000
QUESTIONS = 4
RULED = set(Standing) - {Standing.DEMOTED}
"""What the rule can say. Demotion is a matter of confidence, and decided when a note is served."""


class _Discarded(Exception):
    pass


@pytest.fixture(scope="module")
def database() -> Iterator[Sqlite]:
    opened = Sqlite(":memory:", model=None, dimension=0)
    yield opened
    opened.close()


@contextmanager
def passing(database: Sqlite) -> Iterator[Session]:
    """A session of a store that is as empty afterwards as it was before."""
    try:
        with database.writing() as tx:
            yield Session(tx.execute, tx.execute_many, Projection(0), None)
            raise _Discarded
    except _Discarded:
        pass


def notes_of(log: Iterable[object]) -> list[int]:
    return [line.seq for line in log if isinstance(line, Note)]


def by_python(session: Session, asked: Sequence[int], at: Moments) -> dict[int, Standing]:
    ruled = standings(session.world(asked), asked, valid_at=at.valid_at, known_at=at.known_at)
    return {seq: ruling.standing for seq, ruling in ruled.items()}


def by_sql(session: Session, asked: Sequence[int], at: Moments) -> dict[int, Standing]:
    return session.standings(asked, valid_at=at.valid_at, known_at=at.known_at)


# --- Python and SQL ------------------------------------------------------------------------------


def differing(session: Session, log: Sequence[Line], at: Moments) -> dict[int, tuple[Standing | None, ...]]:
    """The notes on which the rules differ, or on which one rules otherwise when asked about that note alone."""
    asked = notes_of(log)
    answers = [by_sql(session, asked, at), by_python(session, asked, at)]
    if asked:
        alone = [asked[at.valid_at % len(asked)]]
        answers += [{**answers[0], **rule(session, alone, at)} for rule in (by_sql, by_python)]
    said = {seq: tuple(answer.get(seq) for answer in answers) for seq in asked}
    return {seq: each for seq, each in said.items() if len(set(each)) > 1}


def test_python_and_sql_rule_alike_and_every_standing_comes_up_often(database: Sqlite, seed: int, long: bool) -> None:
    seen: Counter[Standing] = Counter()

    def disagree(at: Moments, log: Sequence[Line]) -> bool:
        with passing(database) as session:
            write(session, log)
            return bool(differing(session, log, at))

    for world in range(WORLDS_LONG if long else WORLDS):
        chance = Random(f"{seed} {world}")
        log = random_log(chance)
        with passing(database) as session:
            write(session, log)
            for _ in range(QUESTIONS):
                at = random_moments(chance, log)
                if found := differing(session, log, at):
                    break
                seen.update(by_sql(session, notes_of(log), at).values())
        if found:
            left = smallest(log, partial(disagree, at))
            pytest.fail(f"world {world} at {at}: {found}\n{told(left)}")

    shares = {standing.value: round(seen[standing] / seen.total(), 4) for standing in RULED}
    assert min(shares.values()) >= 0.01, shares


# --- the searchable image ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Look:
    """A search in some scopes at the present moment, and one that looks back."""

    now: int
    scopes: tuple[str, ...]
    back: Moments


def look_back_and_forth(chance: Random, log: Sequence[Line]) -> list[Line | Look]:
    """A log with searches between its lines, while time goes on; now and then the clock is set back."""
    steps: list[Line | Look] = []
    now = -1
    for line in log:
        steps.append(line)
        while chance.randrange(3) == 0:
            now = chance.randint(-1, LAST) if chance.randrange(10) == 0 else now + chance.randint(0, 2)
            scopes = chance.choice((SCOPES, SCOPES[:1], SCOPES[1:]))
            steps.append(Look(now, scopes, random_moments(chance, log[: line.seq])))
    return steps


def hits(session: Session, look: Look, at: Moments, *, latest: bool) -> dict[int, bool]:
    """Every note that a word which all share finds, and whether the search takes it to be in force."""
    wanted = Wanted(
        scopes=look.scopes,
        text="everyone",
        vector=None,
        valid_at=at.valid_at,
        known_at=at.known_at,
        now=look.now,
        latest=latest,
        depth=100,
        filter=Filter(),
    )
    return {hit.seq: hit.in_force for hit in session.search(wanted).by_words}


def mirrored(session: Session, steps: Sequence[Line | Look]) -> str:
    """Go through the steps; say where a search first sees something else than the rule, if anywhere."""
    notes: list[Note] = []
    head = 0
    for step in steps:
        if isinstance(step, Note | Link | Event):
            write(session, [step])
            head = step.seq
            notes += [step] if isinstance(step, Note) else []
            continue
        for at, latest in ((Moments(step.now, head), True), (step.back, False)):
            inside = [note.seq for note in notes if note.scope in step.scopes]
            ruled = by_python(session, inside, at)
            true = {seq: standing is Standing.IN_FORCE for seq, standing in ruled.items()}
            if (seen := hits(session, step, at, latest=latest)) != true:
                return f"{step}, {'now' if latest else 'looking back'}: the search sees {seen}, the rule {true}"
    return ""


def test_the_searchable_image_follows_the_log_and_the_clock(database: Sqlite, seed: int, long: bool) -> None:
    def differs(steps: Sequence[Line | Look]) -> str:
        with passing(database) as session:
            return mirrored(session, steps)

    for world in range(IMAGES_LONG if long else IMAGES):
        chance = Random(f"{seed} image {world}")
        steps = look_back_and_forth(chance, random_log(chance))
        if differs(steps):
            left = smallest(steps, lambda fewer: bool(differs(fewer)))
            shown = [told([step]) if isinstance(step, Note | Link | Event) else str(step) for step in left]
            pytest.fail(f"world {world}: {differs(left)}\n" + "\n".join(shown))
