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
from upheld.note import Event, Link, Note, Rel, Standing, Verb
from upheld.ports import Filter, Most, Wanted
from upheld.standing import World, standings
from worlds import (
    LAST,
    SCOPES,
    Line,
    Moments,
    a_link,
    a_note,
    an_event,
    random_log,
    random_moments,
    smallest,
    told,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WORLDS, WORLDS_LONG = 1_500, 40_000
IMAGES, IMAGES_LONG = 400, 12_000
QUESTIONS = 4
RULED = set(Standing) - {Standing.DEMOTED, Standing.UNVERIFIED}
"""What the rule can say. What is demoted or unverified is decided when a note is served."""


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
    return under(session.world(asked), asked, at)


def under(world: World, asked: Sequence[int], at: Moments) -> dict[int, Standing]:
    ruled = standings(world, asked, valid_at=at.valid_at, known_at=at.known_at)
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


@pytest.mark.endurance(seconds=8)
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
    """A log with searches between its lines, while time goes on; now and then the clock is set back.

    Half of the logs are searched in one scope only, and half late for the first time: what other scopes hold, and
    what was there before, must show in an image that knows it only through the log.
    """
    steps: list[Line | Look] = []
    habits = chance.choice(((SCOPES, SCOPES[:1], SCOPES[1:]), (SCOPES[:1],), (SCOPES, SCOPES[1:]), (SCOPES[1:],)))
    first = chance.choice((log[0], chance.choice(log))).seq
    now = -1
    for line in log:
        steps.append(line)
        looks = 3 if line is log[-1] else 0
        while line.seq >= first and (looks > 0 or chance.randrange(3) == 0):
            looks -= 1
            now = chance.randint(-1, LAST) if chance.randrange(10) == 0 else now + chance.randint(0, 2)
            steps.append(Look(now, chance.choice(habits), random_moments(chance, log[: line.seq])))
    return steps


HERE, THERE = SCOPES
ELSEWHERE: dict[str, list[Line]] = {
    "a premise expires": [a_note(1, scope=THERE, expires_at=4), a_note(2), a_link(3, 2, Rel.DEPENDS_ON, 1)],
    "a premise of a premise ends": [
        a_note(1, scope=THERE, valid_to=4),
        a_note(2, scope=THERE),
        a_link(3, 2, Rel.DEPENDS_ON, 1),
        a_note(4),
        a_link(5, 4, Rel.DERIVED_FROM, 2),
    ],
    "a replacement begins": [a_note(1), a_note(2, scope=THERE, valid_from=4), a_link(3, 2, Rel.SUPERSEDES, 1)],
    "a contradiction of a premise takes effect": [
        a_note(1, scope=THERE),
        an_event(2, 1, Verb.CONTRADICTED, effective_from=4),
        a_note(3),
        a_link(4, 3, Rel.DEPENDS_ON, 1),
    ],
    "a rival begins": [a_note(1), a_note(2, scope=THERE, valid_from=4), an_event(3, 1, Verb.DISPUTED, against=2)],
    "a rival ends": [a_note(1), a_note(2, scope=THERE, valid_to=4), an_event(3, 1, Verb.DISPUTED, against=2)],
}
"""What time alone does to a note here through a note there. At random it comes up in one log of two hundred."""


def seen_here_only(name: str) -> list[Line | Look]:
    """One of those logs, searched here from before until after the moment, and never there."""
    log = ELSEWHERE[name]
    return [*log, *(Look(now, (HERE,), Moments(now, len(log))) for now in (1, 3, 4, 6))]


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_time_does_in_a_scope_that_no_image_holds_shows_at_once(database: Sqlite, name: str) -> None:
    steps = seen_here_only(name)
    with passing(database) as session:
        assert not mirrored(session, steps)
        note = next(line.seq for line in reversed(steps) if isinstance(line, Note) and line.scope == HERE)
        known_at = len(ELSEWHERE[name])
        before, after = (by_sql(session, [note], Moments(now, known_at)) for now in (3, 4))
        assert before != after


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
        most=Most(100, 100, 100),
        filter=Filter(),
    )
    arm = session.search(wanted).by_words
    return {seq: seq in arm.in_force for seq in (*arm.in_force, *arm.linked, *arm.rest)}


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
            kept = session._projection.world(session, inside)
            if kept is None or (given := under(kept, inside, at)) != ruled:
                return f"{step}: by the lines that are kept the rule gives {kept and given}, by the log {ruled}"
            if (below := session._projection.replaced_by(inside, at.known_at)) != session.replaced_by(
                inside, known_at=at.known_at
            ):
                return f"{step}: by the lines that are kept these replace {below}"
            if (why := session._projection.reasons(inside, at.known_at)) != session.reasons(
                inside, known_at=at.known_at
            ):
                return f"{step}: by the lines that are kept they were said because {why}"
    return ""


@pytest.mark.endurance(seconds=8)
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
