"""Each rule is proved twice: broken in Python, and broken in SQL, it is found out by a fixed set of random logs.

A mutant is the text of the rule with one piece replaced. A piece that is no longer there fails too, so the list
cannot fall behind the rule. What is *not* listed, because it changes no answer: that a successor was recorded by
`known_at` (its link was written later), and that the notes something rests on are gathered along links that hold
(whether they hold is asked again where it counts).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import ModuleType

import pytest

import upheld.db.projection
import upheld.standing
from test_equivalence import ELSEWHERE, Look, Moments, look_back_and_forth, mirrored, notes_of, seen_here_only
from upheld.db.projection import Projection
from upheld.db.session import Session
from upheld.db.sqlite import Sqlite
from upheld.db.statements import STATEMENTS
from upheld.note import Standing
from upheld.standing import World, standings
from worlds import Line, random_log, random_moments, write

pytestmark = pytest.mark.endurance(seconds=0.1)

LOGS, QUESTIONS = 1_000, 3
IMAGES = 100


def replaced(text: str, old: str, new: str, place: int = 0) -> str:
    """A text with one piece of it replaced: the `place`-th of its kind."""
    parts = text.split(old)
    assert len(parts) > place + 1, f"the rule no longer says {old!r}"
    return old.join(parts[: place + 1]) + new + old.join(parts[place + 1 :])


def compiled(module: ModuleType, source: str) -> ModuleType:
    mutant = ModuleType(module.__name__)
    mutant.__package__ = module.__package__
    # In angle brackets, as the name of what is no file: else coverage looks for one.
    exec(compile(source, f"<a mutant of {module.__name__}>", "exec", dont_inherit=True), vars(mutant))
    return mutant


@dataclass(frozen=True, slots=True)
class Asked:
    """One question about one log, and what the rule says."""

    world: World
    notes: tuple[int, ...]
    at: Moments
    says: Mapping[int, Standing]


@dataclass(frozen=True, slots=True)
class Court:
    """Many logs in one store, one after the other, and the questions about them."""

    session: Session
    asked: tuple[Asked, ...]


@pytest.fixture(scope="module")
def court() -> Iterator[Court]:
    database = Sqlite(":memory:", model=None, dimension=0)
    asked: list[Asked] = []
    with database.writing() as session:
        end = 0
        for number in range(LOGS):
            chance = Random(f"mutants {number}")
            log = random_log(chance, after=end)
            end = log[-1].seq
            write(session, log)
            notes = notes_of(log)
            world = session.world(notes)
            for _ in range(QUESTIONS):
                at = random_moments(chance, log)
                ruled = standings(world, notes, valid_at=at.valid_at, known_at=at.known_at)
                says = {seq: ruling.standing for seq, ruling in ruled.items()}
                assert session.standings(notes, valid_at=at.valid_at, known_at=at.known_at) == says
                asked.append(Asked(world, tuple(notes), at, says))
        yield Court(session, tuple(asked))
    database.close()


# --- the rule in Python ----------------------------------------------------------------------------

IN_PYTHON: dict[str, tuple[str, str]] = {
    "no erasure": ("\n    _erased,", ""),
    "no retraction": ("\n    _retracted,", ""),
    "no contradiction": ("\n    _contradicted,", ""),
    "no supersession": ("\n    _superseded,", ""),
    "no beginning": ("\n    _not_yet,", ""),
    "no end": ("\n    _ended,", ""),
    "no expiry": ("\n    _expired,", ""),
    "no hypothesis": ("\n    _proposed,", ""),
    "no dispute": ("if entry.against is None or (", "if False and ("),
    "no lost source": ("\n    _unsourced,", ""),
    "a lost source hides a dispute": ("_disputed,\n    _unsourced,", "_unsourced,\n    _disputed,"),
    "a lost source ends a dispute": (
        "_alone(ask, rival, RULES[:_ALONE]) is IN_FORCE",
        "_alone(ask, rival, (*RULES[:_ALONE], _unsourced)) is IN_FORCE",
    ),
    "a lost source revives what was replaced": (
        "and not ask.entries(successor.seq, Verb.RETRACTED)",
        "and not ask.entries(successor.seq, Verb.RETRACTED) and _unsourced(ask, successor) is None",
    ),
    "a lost source hides fallen grounds": (
        "frozenset({Standing.IN_FORCE, Standing.DISPUTED, Standing.NEEDS_CHECK})",
        "frozenset({Standing.IN_FORCE, Standing.DISPUTED})",
    ),
    "a lost source shakes nothing": (
        "ground is not Standing.IN_FORCE or arrow.note in shaken",
        "ground not in (Standing.IN_FORCE, Standing.NEEDS_CHECK) or arrow.note in shaken",
    ),
    "a lost source corrects": (
        "(ground in _CORRECTED or arrow.note in shaken)",
        "(ground in _CORRECTED or ground is Standing.NEEDS_CHECK or arrow.note in shaken)",
    ),
    "superseded after expired": (
        "_superseded,\n    _not_yet,\n    _ended,\n    _expired,",
        "_not_yet,\n    _ended,\n    _expired,\n    _superseded,",
    ),
    "begun a moment late": ("note.valid_from > ask.valid_at", "note.valid_from >= ask.valid_at"),
    "ended a moment late": ("note.valid_to <= ask.valid_at", "note.valid_to < ask.valid_at"),
    "expired a moment late": ("note.expires_at <= ask.valid_at", "note.expires_at < ask.valid_at"),
    "contradicted a moment late": ("entry.effective_from <= ask.valid_at", "entry.effective_from < ask.valid_at"),
    "contradicted before its date": ("entry.effective_from is None or entry.effective_from <= ask.valid_at", "True"),
    "contradicted only with a date": ("entry.effective_from is None or", "entry.effective_from is not None and"),
    "nothing is taken back": ("and not self.world.undone.get(seq, self.known_at + 1) <= self.known_at", ""),
    "taken back before that was known": (
        "self.world.undone.get(seq, self.known_at + 1) <= self.known_at",
        "seq in self.world.undone",
    ),
    "the future is known": ("return seq <= self.known_at and", "return"),
    "the last line is not known": ("return seq <= self.known_at and", "return seq < self.known_at and"),
    "notes of the future are known": ("for seq in asked if seq <= known_at and", "for seq in asked if"),
    "a successor counts before it began": (
        "(successor.valid_from is None or successor.valid_from <= ask.valid_at)",
        "True",
    ),
    "a successor counts a moment late": ("successor.valid_from <= ask.valid_at", "successor.valid_from < ask.valid_at"),
    "a hypothesis supersedes": ("and successor.certainty != Certainty.HYPOTHESIS", ""),
    "a retracted successor counts": ("and not ask.entries(successor.seq, Verb.RETRACTED)", ""),
    "an expired successor revives": (
        "and successor.certainty != Certainty.HYPOTHESIS",
        "and successor.certainty != Certainty.HYPOTHESIS and _expired(ask, successor) is None",
    ),
    "an ended successor revives": (
        "and successor.certainty != Certainty.HYPOTHESIS",
        "and successor.certainty != Certainty.HYPOTHESIS and _ended(ask, successor) is None",
    ),
    "a contradicted successor revives": (
        "and not ask.entries(successor.seq, Verb.RETRACTED)",
        "and not ask.entries(successor.seq, Verb.RETRACTED) and _contradicted(ask, successor) is None",
    ),
    "no looking through": ("while front:\n        counting", "if front:\n        counting"),
    "stale through one step only": ("(ground in _CORRECTED or arrow.note in shaken)", "ground in _CORRECTED"),
    "stale through any fall": ("ground in _CORRECTED or", "ground is not Standing.IN_FORCE or"),
    "a premise falls by correction only": (
        "ground is not Standing.IN_FORCE or arrow.note in shaken",
        "ground in _CORRECTED",
    ),
    "derived counts as depending": ("arrow.rel == Rel.DERIVED_FROM and", "False and"),
    "no premises": ("arrow.rel == Rel.DEPENDS_ON and", "False and"),
    "an erased origin leaves no mark": ("frozenset({Standing.ERASED, ", "frozenset({"),
    "a retracted origin leaves no mark": ("Standing.RETRACTED, Standing.CONTRADICTED, S", "Standing.CONTRADICTED, S"),
    "a contradicted origin leaves no mark": ("Standing.CONTRADICTED, Standing.SUPERSEDED})", "Standing.SUPERSEDED})"),
    "a superseded origin leaves no mark": (", Standing.SUPERSEDED})", "})"),
    "a fallen rival disputes": ("_alone(ask, rival, RULES[:_ALONE]) is IN_FORCE", "True"),
    "a dispute needs a rival": ("if entry.against is None or (", "if entry.against is not None and ("),
    "disputes hide fallen grounds": (
        "frozenset({Standing.IN_FORCE, Standing.DISPUTED, Standing.NEEDS_CHECK})",
        "frozenset({Standing.IN_FORCE, Standing.NEEDS_CHECK})",
    ),
    "a check before a correction": (
        "{Standing.STALE: [], Standing.NEEDS_CHECK: []}",
        "{Standing.NEEDS_CHECK: [], Standing.STALE: []}",
    ),
}


@pytest.mark.parametrize("name", IN_PYTHON)
def test_a_broken_rule_in_python_is_found_out(court: Court, name: str) -> None:
    mutant = compiled(upheld.standing, replaced(inspect.getsource(upheld.standing), *IN_PYTHON[name]))
    for asked in court.asked:
        ruled = mutant.standings(asked.world, asked.notes, valid_at=asked.at.valid_at, known_at=asked.at.known_at)
        if {seq: ruling.standing for seq, ruling in ruled.items()} != asked.says:
            return
    pytest.fail("no log tells this mutant from the rule")


# --- the rule in SQL -------------------------------------------------------------------------------

CHECKS = {
    "was known": r"(?:link|event)\.seq <= :known_at",
    "was not taken back": r"not exists \(select 1 from event as undo where undo\.undoes = \w+\.seq and .*?:known_at\)",
    "was taken back by then": r"(?<=and )undo\.seq <= :known_at",
}
"""What each arm of the statement asks of each line of the log; there are ten arms after `reached`."""
ARMS = 10
IN_SQL: dict[str, tuple[str, str] | tuple[str, str, int]] = {
    **{
        f"no {state}": (
            f"when exists (select 1 from refuted where refuted.seq = note.seq and verb = '{state}') then '{state}'",
            "when 0 then ''",
        )
        for state in ("erased", "retracted", "contradicted")
    },
    "no supersession": ("when exists (select 1 from replaced where replaced.seq = note.seq) then", "when 0 then"),
    "no beginning": ("when note.valid_from > :valid_at then", "when 0 then"),
    "no end": ("when note.valid_to <= :valid_at then", "when 0 then"),
    "no expiry": ("when note.expires_at <= :valid_at then", "when 0 then"),
    "no hypothesis": ("when note.certainty = 'hypothesis' then", "when 0 then"),
    "no dispute by a rival": ("judged.rival_of = undisputed.seq and rival.state = 'in_force'", "0"),
    "no dispute without a rival": ("event.verb = 'disputed'\n                and event.against is null", "0"),
    "no lost source": ("event.verb = 'unsourced'", "0"),
    "a lost source hides fallen grounds": (
        "when alone.state not in ('in_force', 'disputed', 'needs_check')",
        "when alone.state not in ('in_force', 'disputed')",
    ),
    "a lost source shakes nothing": (
        "(link.rel = 'depends_on' and alone.state <> 'in_force')",
        "(link.rel = 'depends_on' and alone.state not in ('in_force', 'needs_check'))",
    ),
    "a lost source corrects": (
        "and alone.state in ('erased', 'retracted', 'contradicted', 'superseded')",
        "and alone.state in ('erased', 'retracted', 'contradicted', 'superseded', 'needs_check')",
    ),
    "begun a moment late": ("note.valid_from > :valid_at", "note.valid_from >= :valid_at"),
    "ended a moment late": ("note.valid_to <= :valid_at", "note.valid_to < :valid_at"),
    "expired a moment late": ("note.expires_at <= :valid_at", "note.expires_at < :valid_at"),
    "contradicted a moment late": ("event.effective_from <= :valid_at", "event.effective_from < :valid_at"),
    "contradicted before its date": ("or event.effective_from is null or event.effective_from <= :valid_at", "or 1"),
    "contradicted only with a date": ("or event.effective_from is null or", "or"),
    "notes of the future are known": ("where note.seq <= :known_at", "where 1"),
    **{
        f"{name} ({arm})": (old, new, place)
        for place, arm in enumerate(("next", "further"))
        for name, old, new in (
            (
                "a successor counts before it began",
                "and (successor.valid_from is null or successor.valid_from <= :valid_at)",
                "",
            ),
            (
                "a successor counts a moment late",
                "successor.valid_from <= :valid_at",
                "successor.valid_from < :valid_at",
            ),
            ("a hypothesis supersedes", "and successor.certainty <> 'hypothesis'", ""),
            ("a retracted successor counts", "event.note = successor.seq and event.verb = 'retracted'", "0"),
            (
                "an expired successor revives",
                "and successor.certainty <> 'hypothesis'",
                "and successor.certainty <> 'hypothesis' and coalesce(successor.expires_at > :valid_at, 1)",
            ),
        )
    },
    "no looking through": ("where not heirs.counts and", "where 0 and"),
    "supported through one step only": (
        "where link.rel in ('depends_on', 'derived_from')\n     and link.origin",
        "where 0 and link.origin",
    ),
    "stale through any fall": (
        "and alone.state in ('erased', 'retracted', 'contradicted', 'superseded')",
        "and alone.state <> 'in_force'",
    ),
    "a premise falls by correction only": (
        "(link.rel = 'depends_on' and alone.state <> 'in_force')",
        "(link.rel = 'depends_on' and alone.state in ('erased', 'retracted', 'contradicted', 'superseded'))",
    ),
    "no premises": ("(link.rel = 'depends_on' and alone.state <> 'in_force')", "0"),
    "a fallen rival disputes": ("and rival.state = 'in_force'", ""),
    "disputes hide fallen grounds": (
        "when alone.state not in ('in_force', 'disputed', 'needs_check')",
        "when alone.state not in ('in_force', 'needs_check')",
    ),
    "a check before a correction": (
        "and shaken.state = 'stale') then 'stale'",
        "and shaken.state = 'needs_check') then 'needs_check'",
    ),
}
for _state in ("erased", "retracted", "contradicted", "superseded"):
    _whole = "and alone.state in ('erased', 'retracted', 'contradicted', 'superseded')"
    IN_SQL[f"an origin that was {_state} leaves no mark"] = (_whole, _whole.replace(f"'{_state}'", "''"))


def found_out(court: Court, monkeypatch: pytest.MonkeyPatch, mutant: str) -> bool:
    monkeypatch.setitem(STATEMENTS, "standings", mutant)
    return any(
        court.session.standings(asked.notes, valid_at=asked.at.valid_at, known_at=asked.at.known_at) != asked.says
        for asked in court.asked
    )


@pytest.mark.parametrize("name", IN_SQL)
def test_a_broken_rule_in_sql_is_found_out(court: Court, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert found_out(court, monkeypatch, replaced(STATEMENTS["standings"], *IN_SQL[name]))


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("arm", range(ARMS))
def test_no_arm_in_sql_can_do_without_a_check(
    court: Court, monkeypatch: pytest.MonkeyPatch, check: str, arm: int
) -> None:
    text = STATEMENTS["standings"]
    found = [*re.compile(CHECKS[check]).finditer(text, text.index("judged(seq"))]
    assert len(found) == ARMS
    assert found_out(court, monkeypatch, text[: found[arm].start()] + "1" + text[found[arm].end() :])


# --- the searchable image --------------------------------------------------------------------------

IN_THE_IMAGE: dict[str, tuple[str, str]] = {
    "time does not pass": ("while self._moments and self._moments[0][0] <= now:", "while False:"),
    "time passes a moment late": ("self._moments[0][0] <= now", "self._moments[0][0] < now"),
    "a clock set back is not noticed": ("if head < self._position or now < self._now:", "if head < self._position:"),
    "nothing hangs on what changed": (
        '[row[0] for row in session.execute("dependents", {"seqs": as_json(changed)})]',
        "list(changed)",
    ),
    "only a note's own times are expected": (
        '[row[0] for row in session.execute("touching", {"seqs": as_json(seqs)})]',
        "list(seqs)",
    ),
    "changes expect no times": ("        self._expect(session, everyone)\n", ""),
    "new lines are not seen": ("if head != self._position and self._scopes:", "if False:"),
    "lines that came later are not kept": (
        "            self._lines.take(session.lines_on(sorted(heard), down=True))\n",
        "",
    ),
    "lines that were there before are not kept": (
        "            self._lines.take(session.lines_on(lined, down=True))\n",
        "",
    ),
}


def steps_of(number: int) -> Sequence[Line | Look]:
    chance = Random(f"image mutants {number}")
    return look_back_and_forth(chance, random_log(chance))


def first_difference(database: Sqlite, image: Callable[[int], Projection]) -> str:
    for steps in (*map(seen_here_only, ELSEWHERE), *map(steps_of, range(IMAGES))):
        try:
            with database.writing() as tx:
                said = mirrored(Session(tx.execute, tx.execute_many, image(0), None), steps)
                raise _Discarded
        except _Discarded:
            if said:
                return said
    return ""


class _Discarded(Exception):
    pass


@pytest.mark.parametrize("name", IN_THE_IMAGE)
def test_a_broken_image_is_found_out(name: str) -> None:
    source = inspect.getsource(upheld.db.projection)
    mutant = compiled(upheld.db.projection, replaced(source, *IN_THE_IMAGE[name]))
    database = Sqlite(":memory:", model=None, dimension=0)
    assert first_difference(database, mutant.Projection)
    database.close()
