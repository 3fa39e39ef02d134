"""StateBench at the level of the context: what would be put before a model, not what a model makes of it.

Each timeline is told to the store in a scope of its own, through the verbs. At each question the block for the model is
searched for the phrases that an answer must and must not mention, as far as the timeline has said them by then; so are
the transcript of all turns so far, and what plain search finds among the same notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import upheld
from upheld.bench.evidence import RowsFile, folder_of, of_kind, share
from upheld.bench.former import folded, says_it_is_over
from upheld.bench.model import embedder_or_words
from upheld.bench.plain import PlainSearch
from upheld.bench.progress import Steps
from upheld.bench.telling import RETIRED, SAID, STANDING, Teller, Told
from upheld.bench.timelines import FOLDER, Ask, read_all
from upheld.memory import Memory
from upheld.ports import Clock, Embedder

SUITE = "statebench"
LIMIT = 10
REPAIR = "repair_propagation"
MUST, MUST_NOT = "must", "must not"
BROKEN = "in what an event retired"
NAMED = "in a text that says itself that it does not hold"
REPLACED = "in a state that stands, though one with it was superseded"
STANDS = "in a state that nothing superseded"
RESTATED = "in a message, though a state with it was superseded"
ONLY_SAID = "in a message, never superseded under a key"
_Row = Mapping[str, Any]


def run(rows: RowsFile, steps: Steps, data: Path, *, embedder: Embedder | None = None, given: bool = False) -> None:
    """Tell every timeline and ask its questions. With `given`, `embedder` is the one to use."""
    timelines = sorted(read_all(folder_of(data, FOLDER)), key=lambda each: each.moments[0].at)
    model = "given"
    if not given:
        embedder, model = embedder_or_words()
    rows.add("timelines", model=model, n=len(timelines), files=sorted({each.file for each in timelines}))
    with TemporaryDirectory(prefix="upheld-bench-") as folder:
        path, times = Path(folder) / "memory.db", [timelines[0].moments[0].at]
        clock: Clock = lambda: times[-1]  # noqa: E731
        with (
            upheld.open(path, embedder=embedder, clock=clock) as memory,
            PlainSearch(path, embedder) as plain,
            steps.step(f"{len(timelines):,} timelines", len(timelines)) as tick,
        ):
            teller = Teller(memory)
            for done, timeline in enumerate(timelines):
                told = Told(timeline.id, timeline.track)
                times[:] = [timeline.moments[0].at]
                for moment in timeline.moments:
                    times.append(max(times[-1], moment.at))
                    if isinstance(moment, Ask):
                        teller.read(told)
                        _ask(rows, memory, plain, told, moment)
                    else:
                        teller.tell(told, moment)
                rows.add("told", timeline=timeline.id, track=timeline.track, states=len(told.states),
                         retired=len(told.retired), turns=len(told.turns), refused=dict(told.refused))  # fmt: skip
                tick(done + 1)


def holds(phrase: str, text: str) -> bool:
    """Whether a phrase stands in a text: as a part of it, whatever the case and the spacing.

    >>> holds("2 weeks", "Due in 12  Weeks."), holds("$50,000", "for $50000")
    (True, False)
    """
    return folded(phrase) in folded(text)


def _named_over(phrase: str, texts: Iterable[tuple[str, str]]) -> bool:
    """Whether a phrase is delivered, by no retired state, and only where the text itself says that it does not hold."""
    by = [(text, origin) for text, origin in texts if holds(phrase, text)]
    return bool(by) and all(origin != RETIRED and says_it_is_over(phrase, text) for text, origin in by)


def _ask(rows: RowsFile, memory: Memory, plain: PlainSearch, told: Told, ask: Ask) -> None:
    answer = memory.recall(ask.prompt, scope=told.scope, limit=LIMIT)
    served = [(note.statement, told.origin(note.id)) for note in answer.upheld]
    served += [(step.statement, told.origin(step.id)) for step in answer.path if step.statement is not None]
    found = plain.search(ask.prompt, scope=told.scope, limit=LIMIT)
    plainly = [(note.statement, told.origin(note.id)) for note in found]
    block = answer.prompt()
    rows.add("question", timeline=told.scope, track=told.track, prompt=ask.prompt, upheld=len(answer.upheld),
             open=len(answer.open), withheld=len(answer.withheld))  # fmt: skip
    for wanted, phrases in ((MUST, ask.must), (MUST_NOT, ask.must_not)):
        for phrase in phrases:
            said: Callable[[str], bool] = partial(holds, phrase)
            by = sorted({origin for text, origin in served if said(text)})
            reworded = any(said(source.excerpt or "") for note in answer.upheld for source in note.note.sources)
            rows.add(
                "phrase",
                timeline=told.scope,
                track=told.track,
                prompt=ask.prompt,
                wanted=wanted,
                phrase=phrase,
                stands_in=told.carriers(said),
                delivered_by=by,
                named_over=_named_over(phrase, served),
                reworded=reworded and not by,
                in_other_lines=said(block) and not by,
                plain_by=sorted({origin for text, origin in plainly if said(text)}),
                plain_named_over=_named_over(phrase, plainly),
                in_transcript=any(said(turn.text) for turn in told.turns),
                texts=[text for text, _ in served if said(text)] if wanted == MUST_NOT else [],
            )


# --- the figures ---------------------------------------------------------------------------------


def figures(rows: Sequence[_Row]) -> dict[str, Any]:
    """Every figure, from the rows alone."""
    exposed = [row for row in of_kind(rows, "phrase") if row["stands_in"]]
    tracks = sorted({row["track"] for row in of_kind(rows, "told")})
    told, read_in = list(of_kind(rows, "told")), next(of_kind(rows, "timelines"))
    repair = [row for row in exposed if row["track"] == REPAIR and row["wanted"] == MUST_NOT]
    asked = [row for row in of_kind(rows, "question") if row["track"] == REPAIR]
    refused: Counter[str] = Counter()
    for row in told:
        refused.update(row["refused"])
    return {
        "n": len(list(of_kind(rows, "question"))),
        **_measured(exposed),
        "repair_propagation_exposed": len(repair),
        "repair_propagation_as_current": sum(map(_as_current, repair)),
        "repair_propagation_named_over": sum(bool(row["delivered_by"]) and not _as_current(row) for row in repair),
        "repair_propagation_delivered": sum(bool(row["delivered_by"]) and not _in_what_stands(row) for row in repair),
        "repair_propagation_in_what_stands": sum(map(_in_what_stands, repair)),
        "repair_propagation_reworded": sum(row["reworded"] for row in repair),
        "repair_propagation_transcript": sum(row["in_transcript"] for row in repair),
        "repair_propagation_plain": sum(bool(row["plain_by"]) for row in repair),
        "repair_propagation_plain_as_current": sum(map(_plainly_as_current, repair)),
        "repair_propagation_open_pct": share(row["open"] for row in asked),
        "tracks": {track: _measured([row for row in exposed if row["track"] == track]) for track in tracks},
        "timelines": len(told),
        "states": sum(row["states"] for row in told),
        "states_retired": sum(row["retired"] for row in told),
        "turns": sum(row["turns"] for row in told),
        "refused": dict(refused),
        "model": read_in["model"],
        "files": read_in["files"],
    }


def _measured(exposed: Sequence[_Row]) -> dict[str, Any]:
    """The figures of some exposed phrases."""
    must = [row for row in exposed if row["wanted"] == MUST]
    banned = [row for row in exposed if row["wanted"] == MUST_NOT]
    superseded = [row for row in banned if RETIRED in row["stands_in"]]
    causes = Counter(cause for row in banned if (cause := _cause(row)) is not None)
    return {
        "exposed": len(banned),
        "superseded_exposed": len(superseded),
        "superseded_delivered_pct": share(RETIRED in row["delivered_by"] for row in superseded),
        "plain_superseded_delivered_pct": share(RETIRED in row["plain_by"] for row in superseded),
        "superseded_as_current_pct": share(map(_as_current, superseded)),
        "plain_superseded_as_current_pct": share(map(_plainly_as_current, superseded)),
        "superseded_anywhere_pct": share(row["delivered_by"] for row in superseded),
        "plain_superseded_anywhere_pct": share(row["plain_by"] for row in superseded),
        "transcript_superseded_anywhere_pct": share(row["in_transcript"] for row in superseded),
        "must_not_delivered_pct": share(row["delivered_by"] for row in banned),
        "plain_must_not_delivered_pct": share(row["plain_by"] for row in banned),
        "transcript_must_not_delivered_pct": share(row["in_transcript"] for row in banned),
        "must_exposed": len(must),
        "must_mention_pct": share(row["delivered_by"] for row in must),
        "plain_must_mention_pct": share(row["plain_by"] for row in must),
        "transcript_must_mention_pct": share(row["in_transcript"] for row in must),
        "residue": dict(sorted(causes.items())),
        "reworded": sum(row["reworded"] for row in banned),
        "in_labels_only": sum(row["in_other_lines"] for row in banned),
    }


def _as_current(row: _Row) -> bool:
    """Whether a phrase is delivered, and not only as what the texts with it say that does not hold."""
    return bool(row["delivered_by"]) and (RETIRED in row["delivered_by"] or not row["named_over"])


def _plainly_as_current(row: _Row) -> bool:
    """The same of plain search."""
    return bool(row["plain_by"]) and (RETIRED in row["plain_by"] or not row["plain_named_over"])


def _in_what_stands(row: _Row) -> bool:
    """Whether a phrase is delivered by a state that stands, and by no retired one."""
    return STANDING in row["delivered_by"] and RETIRED not in row["delivered_by"]


def _cause(row: _Row) -> str | None:
    """Why a phrase is among what is delivered; None where it is not."""
    by: Iterable[str] = row["delivered_by"]
    superseded = RETIRED in row["stands_in"]
    if RETIRED in by:
        return BROKEN
    if by and not _as_current(row):
        return NAMED
    if STANDING in by:
        return REPLACED if superseded else STANDS
    if SAID in by:
        return RESTATED if superseded else ONLY_SAID
    return None
