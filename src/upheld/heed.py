"""At use: the passages that the caller retrieved are held against the answer before it leaves. Pure.

What they contradict is withheld from this one answer, with the reason. Nothing is written about it here: the caller's
passages may come from anywhere, so the sweep has to find the same in the corpus before the note itself falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from upheld import judgement
from upheld.answer import Recall, WithheldNote
from upheld.document import Chunk, Finding
from upheld.note import Standing
from upheld.pairing import pairs
from upheld.ports import Judge
from upheld.standing import Seq

OUT_OF_DATE = "contradicted by a retrieved document: the document wins; the note appears to be out of date"


def heed(answer: Recall, chunks: Sequence[Chunk], judge: Judge) -> tuple[Recall, list[Seq]]:
    """The answer without the notes that some passage contradicts for certain, and the positions of those notes."""
    wanted = pairs((note.note, chunk) for note in answer.upheld for chunk in chunks)
    rows = judgement.judged(judge, [*wanted.values()])
    against: set[Seq] = set()
    for (seq, _), row in zip(wanted, rows, strict=True):
        verdict = row.verdict
        if verdict is not None and verdict.finding is Finding.CONTRADICTED and verdict.acts:
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
            label=OUT_OF_DATE,
            reason=None,
        )
        for note in taken
    )
    receipt = replace(
        answer.receipt,
        served=tuple(note.id for note in upheld),
        withheld=answer.receipt.withheld + tuple((note.id, note.standing) for note in withheld),
    )
    return replace(answer, upheld=upheld, withheld=answer.withheld + withheld, receipt=receipt), [*against]
