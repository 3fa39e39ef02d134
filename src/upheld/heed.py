"""At use: the passages that the caller retrieved are held against the answer before it leaves. Pure.

What they contradict is withheld from this one answer, with the reason. Nothing is written about it here: the caller's
passages may come from anywhere, so the sweep has to find the same in the corpus before the note itself falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from upheld import judgement
from upheld.answer import Recall, WithheldNote
from upheld.document import Chunk, Finding, Verdict
from upheld.note import Standing
from upheld.pairing import pairs
from upheld.ports import Judge
from upheld.standing import Seq


def heed(answer: Recall, chunks: Sequence[Chunk], judge: Judge) -> tuple[Recall, list[Seq]]:
    """The answer without the notes that some passage contradicts for certain, and the positions of those notes."""
    wanted = pairs((note.note, chunk) for note in answer.upheld for chunk in chunks)
    rows = judgement.judged(judge, [*wanted.values()])
    against: set[Seq] = set()
    for ((seq, _), pair), row in zip(wanted.items(), rows, strict=True):
        if row.verdict is not None and is_against(row.verdict, pair.chunk, answer.receipt.valid_at):
            against.add(seq)
    if not against:
        return answer, []
    upheld = tuple(note for note in answer.upheld if note.note.seq not in against)
    taken = [note for note in answer.upheld if note.note.seq in against]
    withheld = tuple(
        WithheldNote(
            id=note.id,
            standing=Standing.CONTRADICTED,
            scope=note.scope,
            since=None,
            by=(),
            reason=None,
            language=answer.language,
        )
        for note in taken
    )
    receipt = replace(
        answer.receipt,
        served=tuple(note.id for note in upheld),
        withheld=answer.receipt.withheld + tuple((note.id, note.standing) for note in withheld),
    )
    fallen = {note.id for note in taken}
    # A step or a line of history names the note as the rule does; here the passage has the last word.
    path = tuple(
        replace(step, standing=Standing.CONTRADICTED, statement=None) if step.id in fallen else step
        for step in answer.path
    )
    timeline = tuple(
        replace(view, standing=Standing.CONTRADICTED) if view.id in fallen else view for view in answer.timeline
    )
    kept = answer.withheld + withheld
    return replace(answer, upheld=upheld, withheld=kept, path=path, timeline=timeline, receipt=receipt), [*against]


def is_against(verdict: Verdict, chunk: Chunk, at: datetime) -> bool:
    """Whether a verdict takes the note from an answer about a moment: it acts, and from no later than that."""
    since = verdict.effective_from or chunk.dated
    return verdict.finding is Finding.CONTRADICTED and verdict.acts and (since is None or since <= at)
