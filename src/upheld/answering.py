"""From a question to its answer: one consistent view, the owners of what it would assert, and then a second view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from upheld.answer import Recall
from upheld.desk import Ask
from upheld.document import Chunk
from upheld.embed.checked import query_vector
from upheld.heed import heed
from upheld.note import instant
from upheld.owners import Owners
from upheld.policy import Policy
from upheld.ports import Clock, Database, Embedder, Judge, Most, Wanted
from upheld.question import Query, moments
from upheld.recall import DEPTH, Answered, recall
from upheld.receipts import Receipts
from upheld.standing import Seq
from upheld.uses import Uses
from upheld.verifying import Verifying


class Answering:
    """How one store answers."""

    def __init__(
        self,
        database: Database,
        *,
        policy: Policy,
        embedder: Embedder | None,
        clock: Clock,
        verifying: Verifying,
        judge: Judge,
        doubt: Callable[[Sequence[Seq]], None],
        uses: Uses,
        receipts: Receipts,
    ) -> None:
        self._database = database
        self._policy = policy
        self._embedder = embedder
        self._clock = clock
        self._verifying = verifying
        self._judge = judge
        self._doubt = doubt
        self.uses = uses
        self._receipts = receipts

    def answer(self, query: Query, vector: object, passages: Sequence[Chunk]) -> Recall:
        """Answer a question; `vector` is the question already embedded, or None.

        What the `passages` that the caller retrieved contradict is withheld, and doubted: the next sweep begins there.
        """
        answer = self._in_force(query, vector)
        if passages:
            found = answer
            answer, doubted = heed(found, passages, self._judge)
            self._doubt(doubted)
            if query.is_latest:
                self.uses.offer(found, passages)
        self._receipts.keep(answer)
        return answer

    def close(self) -> None:
        """Finish what waits to be checked, and write what waits to be written."""
        self.uses.close()
        self._receipts.flush()

    def _in_force(self, query: Query, vector: object) -> Recall:
        """The answer from the store alone, after the owners of what it would assert were asked."""
        depth = max(DEPTH, 2 * query.limit)
        most = (
            Most(depth, depth, depth) if query.mode == "history" else Most(depth, depth // 2, depth // 4, within=True)
        )
        embedded, degraded = query_vector(self._embedder, query.text, vector)

        def once() -> Answered:
            with self._database.reading() as reading:
                at, position = moments(reading, self._clock, query.valid_at, query.known_at)
                valid_at = instant(at)
                wanted = Wanted(
                    scopes=query.scopes,
                    text=query.text,
                    vector=embedded,
                    valid_at=valid_at,
                    known_at=position,
                    now=valid_at if query.valid_at is None else instant(self._clock()),
                    latest=query.is_latest,
                    most=most,
                    filter=query.filter,
                )
                # What was believed at an earlier time is asked of the log alone.
                owned = query.known_at is None
                ask = Ask(
                    wanted=wanted,
                    at=at,
                    mode=query.mode,
                    limit=query.limit,
                    budget_tokens=query.budget_tokens,
                    applies=query.applies,
                    explain=query.explain,
                    degraded=degraded,
                    owners=self._verifying.owners if owned else Owners(),
                    read=self._verifying.read(at) if owned else {},
                    for_action=query.for_action,
                    direction=query.direction,
                )
                return recall(reading, ask, self._policy)

        answer, due = once()
        if due and query.is_latest and self._verifying.learns(due):
            answer, _ = once()
        return answer
