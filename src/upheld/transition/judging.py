"""What the words leave open goes to a judge: does what a draft rests on contradict it?"""

from __future__ import annotations

from collections.abc import Sequence

from upheld.document import Chunk, Claim, Finding, Pair, Verdict
from upheld.transition.change import Kind, Problem, Transition, keyed, spans

__all__ = ["contradicted", "pairs"]


def pairs(transition: Transition) -> list[tuple[int, Pair]]:
    """Each draft beside each text that it rests on, for a judge."""
    found = []
    for place, draft in enumerate(transition.drafts):
        key = keyed(draft)
        claim = Claim(
            statement=draft.statement,
            subject_key=key.subject,
            attribute_key=key.attribute,
            value_key=key.value,
            single=draft.key.single if draft.key is not None else True,
        )
        for span in spans(transition, draft):
            text = " ".join(span.whole)
            if text:
                found.append((place, Pair(claim=claim, chunk=Chunk(start=0, end=len(text), text=text))))
    return found


def contradicted(asked: Sequence[tuple[int, Pair]], verdicts: Sequence[Verdict | None]) -> tuple[Problem, ...]:
    """The drafts that their own evidence contradicts. Anything but a clear verdict, which may act, changes nothing.

    `verdicts` are those of `judgement.judged`, in the order of `asked`; None where there is only a fault.
    """
    found = {
        place: verdict
        for (place, _), verdict in zip(asked, verdicts, strict=True)
        if verdict is not None and verdict.acts and verdict.finding is Finding.CONTRADICTED
    }
    return tuple(
        Problem(
            kind=Kind.FAITHFULNESS,
            subject=place,
            why=f"its evidence contradicts it: {verdict.chunk_quote!r}",
        )
        for place, verdict in found.items()
    )
