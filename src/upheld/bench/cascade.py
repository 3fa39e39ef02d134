"""Conclusions that fall with their premises: the steps of a question as notes, its answer as a note that rests on them.

The first snapshot is written: each step a note with a key, each answer a note that rests on its steps (every other one
by `depends_on`, the rest by `derived_from`), and for each subject a summary that is derived from its answers. Then the
steps of the last snapshot are written, under the same keys, and nothing else: no answer is touched, no job is run. What
has to fall is told from the data alone: every answer one of whose keys got another value, and every summary of such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import upheld
from upheld.bench import deep, hops
from upheld.bench.evidence import RowsFile, folder_of, of_kind, share
from upheld.bench.hops import Conclusion, Learned, Premise
from upheld.bench.plain import PlainSearch
from upheld.bench.progress import Steps, Tick
from upheld.errors import UpheldError
from upheld.memory import Memory
from upheld.note import Draft, Key, Rel, Standing
from upheld.values import canonical

SUITE = "cascade"
SCOPE = "world"
LIMIT = 10
BY = "document:snapshot"
ANSWER, SUMMARY = "answer", "summary"
_FALLEN = frozenset({Standing.STALE, Standing.NEEDS_CHECK})
_Row = Mapping[str, Any]
_Key = tuple[str, str]


def run(rows: RowsFile, steps: Steps, data: Path, *, amounts: deep.Amounts = deep.FULL) -> None:
    """Write both snapshots and ask for every conclusion between and after them; then the deep and the wide case."""
    learned = hops.read(folder_of(data, hops.FOLDER))
    rows.add("snapshots", learned_at=learned.learned_at.isoformat(), asked_at=learned.asked_at.isoformat(),
             left_out=dict(learned.left_out))  # fmt: skip
    with TemporaryDirectory(prefix="upheld-bench-") as folder:
        path = Path(folder) / "memory.db"
        with (
            upheld.open(path, embedder=None, clock=lambda: learned.asked_at) as memory,
            PlainSearch(path, None) as plain,
        ):
            drafts = list(_drafts(learned))
            _tell(rows, memory, [*_first(learned), *drafts], "first")
            resting = {str(draft.id): draft for draft in drafts}
            with steps.step("before the change", len(resting)) as tick:
                before = _asked(memory, resting, tick)
            _tell(rows, memory, _last(learned), "last")
            changed = _changed(learned)
            with steps.step("after it", len(resting)) as tick:
                after = _asked(memory, resting, tick)
            for id, draft in resting.items():
                found = plain.search(_question(draft), scope=SCOPE, limit=LIMIT)
                rows.add(
                    "conclusion",
                    id=id,
                    kind=id.partition(" ")[0],
                    question=_question(draft),
                    statement=draft.statement,
                    rests_on=list(draft.depends_on or draft.derived_from),
                    rel=Rel.DEPENDS_ON if draft.depends_on else Rel.DERIVED_FROM,
                    before=before[id],
                    after=after[id],
                    plain_served=id in {note.id for note in found},
                )
    for key, (old, new) in changed.items():
        rows.add("premise", id=_id(key), subject=key[0], attribute=key[1], then=old, now=new)
    deep.run(rows, steps, amounts)


def _id(key: _Key) -> str:
    """The id of the note that first says what the value of a key is."""
    return f"{key[0]} / {key[1]}"[:512]


def _premise(each: Premise, at: Any, *, id: str | None) -> Draft:
    return Draft(
        statement=f"{each.attribute.partition(' step ')[0]} ({each.about}, {each.attribute.rpartition(' ')[2]}) is "
        f"{each.value}.",
        scope=SCOPE,
        by=BY,
        id=id,
        key=Key(subject=each.subject, attribute=each.attribute),
        value=each.value,
        observed_at=at,
    )


def _first(learned: Learned) -> Iterator[Draft]:
    """The steps as the first snapshot has them, each once."""
    told = {each.key: each for conclusion in learned.conclusions for each in conclusion.premises}
    return (_premise(each, learned.learned_at, id=_id(key)) for key, each in told.items())


def _last(learned: Learned) -> list[Draft]:
    """The steps as the last snapshot has them, each once: nothing says here which of them are new."""
    told = {each.key: each for conclusion in learned.conclusions for each in conclusion.premises_now}
    return [_premise(each, learned.asked_at, id=None) for each in told.values()]


def _drafts(learned: Learned) -> Iterator[Draft]:
    """The answers, each resting on its steps, and the summaries of what is known of a subject."""
    by_subject: dict[str, list[tuple[str, Conclusion]]] = {}
    for number, each in enumerate(learned.conclusions):
        id, grounds = f"{ANSWER} {number}", tuple(dict.fromkeys(_id(step.key) for step in each.premises))
        by_subject.setdefault(each.premises[0].subject, []).append((id, each))
        yield Draft(
            statement=f"{each.question} {each.answer}.",
            scope=SCOPE,
            by="agent:concluder",
            id=id,
            extract_key=False,
            observed_at=learned.learned_at,
            depends_on=grounds if number % 2 else (),
            derived_from=() if number % 2 else grounds,
        )
    for number, (_, told) in enumerate(by_subject.items()):
        said = "; ".join(f"{each.question} {each.answer}" for _, each in told)
        yield Draft(
            statement=f"What is known of {told[0][1].subject}: {said}."[:4000],
            scope=SCOPE,
            by="agent:concluder",
            id=f"{SUMMARY} {number}",
            extract_key=False,
            observed_at=learned.learned_at,
            derived_from=tuple(id for id, _ in told),
        )


def _question(draft: Draft) -> str:
    """What a conclusion is asked for by: all that it says before its first answer."""
    head, _, _ = draft.statement.partition("?" if str(draft.id).startswith(ANSWER) else ":")
    return f"{head}?"


def _tell(rows: RowsFile, memory: Memory, drafts: Sequence[Draft], when: str) -> None:
    """Write drafts, and keep how often each outcome came of it."""
    counts: dict[str, int] = {}
    for result in memory.remember_many(drafts):
        came = "refused" if isinstance(result, UpheldError) else result.outcome
        counts[came] = counts.get(came, 0) + 1
    rows.add("told", when=when, drafts=len(drafts), outcomes=counts)


def _asked(memory: Memory, resting: Mapping[str, Draft], tick: Tick) -> dict[str, dict[str, object]]:
    """How each conclusion stands, and whether its text is served for its question, among ten and as current."""
    found: dict[str, dict[str, object]] = {}
    for done, (id, draft) in enumerate(resting.items()):
        answer = memory.recall(_question(draft), scope=SCOPE, limit=LIMIT)
        served = [note.statement for note in answer.upheld]
        served += [step.statement for step in answer.path if step.statement is not None]
        found[id] = {
            "standing": memory.get(id).standing.value,
            "served": draft.statement in served,
            "open": id in {question.id for question in answer.open},
        }
        tick(done + 1)
    return found


def _changed(learned: Learned) -> dict[_Key, tuple[str, str]]:
    """The keys of the first snapshot that have another value in the last, told from the data alone."""
    now = {each.key: each.value for conclusion in learned.conclusions for each in conclusion.premises_now}
    then = {each.key: each.value for conclusion in learned.conclusions for each in conclusion.premises}
    return {
        key: (value, now[key]) for key, value in then.items() if key in now and canonical(now[key]) != canonical(value)
    }


# --- the figures ---------------------------------------------------------------------------------


def figures(rows: Sequence[_Row]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    conclusions = list(of_kind(rows, "conclusion"))
    steps_away = _steps_away(conclusions, {row["id"] for row in of_kind(rows, "premise")})
    fell = [row for row in conclusions if row["id"] in steps_away]
    stood = [row for row in conclusions if row["id"] not in steps_away]
    told = {row["when"]: row for row in of_kind(rows, "told")}
    met = next(of_kind(rows, "snapshots"))
    marked = [row for row in fell if _is_marked(row)]
    return {
        "n": len(conclusions),
        "n_changed": len(fell),
        "marked_pct": share(_is_marked(row) for row in fell),
        "false_stale_pct": share(row["after"]["standing"] != Standing.IN_FORCE for row in stood),
        "hops_max": max((steps_away[row["id"]] for row in marked), default=0),
        **deep.figures(rows),
        "fallen_served_pct": share(row["after"]["served"] for row in fell),
        "plain_served_fallen_pct": share(row["plain_served"] for row in fell),
        "fallen_open_pct": share(row["after"]["open"] for row in fell),
        "served_before_pct": share(row["before"]["served"] for row in conclusions),
        "standing_served_pct": share(row["after"]["served"] for row in stood),
        "not_in_force_before": sum(row["before"]["standing"] != Standing.IN_FORCE for row in conclusions),
        "answers": sum(row["kind"] == ANSWER for row in conclusions),
        "answers_changed": sum(row["kind"] == ANSWER for row in fell),
        "summaries": sum(row["kind"] == SUMMARY for row in conclusions),
        "summaries_changed": sum(row["kind"] == SUMMARY for row in fell),
        "marked_pct_by_link": {rel: share(_is_marked(row) for row in fell if row["rel"] == rel)
                               for rel in (Rel.DEPENDS_ON.value, Rel.DERIVED_FROM.value)},
        "premises_changed": len(list(of_kind(rows, "premise"))),
        "first_outcomes": told["first"]["outcomes"],
        "last_outcomes": told["last"]["outcomes"],
        "not_marked": [row["id"] for row in fell if not _is_marked(row)],
        "falsely_fallen": [row["id"] for row in stood if row["after"]["standing"] != Standing.IN_FORCE],
        "left_out": met["left_out"],
        "learned_at": met["learned_at"],
        "asked_at": met["asked_at"],
    }  # fmt: skip


def _is_marked(row: _Row) -> bool:
    return row["after"]["standing"] in _FALLEN


def _steps_away(conclusions: Sequence[_Row], changed: set[str]) -> dict[str, int]:
    """How many links lie at most between each conclusion that has to fall and a premise that changed."""
    away: dict[str, int] = dict.fromkeys(changed, 0)
    for row in conclusions:  # every conclusion stands after all that it rests on
        found = [away[ground] for ground in row["rests_on"] if ground in away]
        if found:
            away[row["id"]] = 1 + max(found)
    return {id: steps for id, steps in away.items() if steps}
