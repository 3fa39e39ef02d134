"""A judge that is a language model: any provider by name, or an endpoint on this machine (extra `llm`).

Note and passage are data in a fence that neither can close. One request is one pair; the answer is one call of one
tool, and it counts only if `judgement.checked` finds both quotes in the texts. A model has no tools besides, so the
worst that a hostile document can bring about is a verdict about itself.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import copy
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from upheld import limits
from upheld.document import Chunk, Claim, Finding, Pair, Verdict
from upheld.errors import Invalid, Misconfigured
from upheld.judgement import Fault, FaultKind, Outcome, checked
from upheld.judges.asking import Asker, Settings, Shown, fenced, run
from upheld.judges.providers import Form, Output, Trouble
from upheld.judges.spending import Budget, Estimate, Prices, Spent

if TYPE_CHECKING:
    from pydantic_ai.models import Model

# So many pairs in a row that got no answer: the endpoint is down, and the rest need not wait for it too.
PATIENCE: Final = 5
USUAL_ANSWER_TOKENS: Final = 160
# One answer that cannot be used is asked for again, with the reason.
_MENDABLE: Final = frozenset({
    FaultKind.NOT_A_VERDICT, FaultKind.BAD_FINDING, FaultKind.BAD_CONFIDENCE, FaultKind.BAD_TEXT, FaultKind.BAD_TIME,
    FaultKind.MISSING_QUOTE, FaultKind.INVENTED_CLAIM_QUOTE, FaultKind.INVENTED_CHUNK_QUOTE, FaultKind.SAME_QUOTE,
})  # fmt: skip

ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "claim_quote": {"type": "string"},
        "chunk_quote": {"type": "string"},
        "why": {"type": "string"},
        "finding": {"type": "string", "enum": list(Finding)},
        "effective_from": {"type": ["string", "null"], "description": "YYYY-MM-DD"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["claim_quote", "chunk_quote", "why", "finding", "effective_from", "confidence"],
    "additionalProperties": False,
}

FORM: Final = Form(schema=ANSWER, tool="verdict", asks="Give your verdict.", one="verdict")


@cache
def prompt() -> str:
    """The instructions that go before every pair."""
    return (Path(__file__).parent / "prompt.md").read_text(encoding="utf-8")


def question(pair: Pair, mend: str = "") -> str:
    """What a model is shown of one pair; `mend` is why its former answer could not be used."""
    claim, chunk = pair.claim, pair.chunk
    conditions = [f"{name}: {', '.join(allowed)}" for name, allowed in sorted(claim.applies_when.items())]
    times = [("true from", claim.valid_from), ("true until", claim.valid_to), ("seen at", claim.observed_at)]
    context = conditions + [f"{name}: {at.isoformat()}" for name, at in times if at is not None]
    dated = [] if chunk.dated is None else [f"document dated: {chunk.dated.isoformat()}"]
    return fenced(
        [
            Shown("note", claim.statement),
            Shown("note context", "\n".join(context) or "-"),
            Shown("passage context", "\n".join([*chunk.headings, *dated]) or "-"),
            Shown("passage", chunk.text),
        ],
        mend,
    )


class LLM:
    """A judge that asks a model named "openai:gpt-5-mini", "anthropic:claude-haiku-4-5", "http://localhost:11434/v1|name".

    A provider's key is read from its own environment variable; an endpoint's from `api_key_env`, and None sends none.
    `acts_from` is the confidence (0 to 1) from which a contradiction may retire a note alone; None: it only proposes.
    `timeout_s` bounds one request in seconds, `at_once` how many run side by side (1 or more), `answer_tokens` the
    length of an answer (models that think aloud need more). `prices` default to the published ones, where known.
    What `budget` does not cover is not asked: those pairs come back as faults of the kind `over_budget`. Transient
    trouble is tried again, 4 times in all, after `sleep` (seconds). Raises `Misconfigured` for what cannot work.
    """

    def __init__(
        self,
        model: str | Model,
        *,
        api_key_env: str | None = None,
        acts_from: float | None = 0.9,
        budget: Budget = Budget(),  # noqa: B008 - frozen
        prices: Prices | None = None,
        timeout_s: float = 60.0,
        at_once: int = 4,
        answer_tokens: int = 1000,
        output: Output = "tool",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if acts_from is not None and not 0 <= acts_from <= 1:
            raise Misconfigured(f"acts_from must be a confidence from 0 to 1, or None; not {acts_from}")
        if at_once < 1:
            raise Misconfigured("at_once must be 1 or more")
        self._acts_from, self._at_once = acts_from, at_once
        settings = Settings(
            api_key_env=api_key_env,
            budget=budget,
            prices=prices,
            timeout_s=timeout_s,
            answer_tokens=answer_tokens,
            output=output,
            sleep=sleep,
        )
        self._asker = Asker(model, FORM, settings, role="judge")
        self._name = self._asker.name(prompt(), question(_SAMPLE), ANSWER, acts_from)

    def __repr__(self) -> str:
        return f"LLM({self._name!r})"

    @property
    def name(self) -> str:
        """The model and a digest of all that it is told: another prompt is another judge."""
        return self._name

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        return self._asker.purse.spent

    def estimate(self, pairs: Sequence[Pair]) -> Estimate:
        """What judging these pairs will take. Asks nobody."""
        sizes = [self._asker.size(prompt(), question(pair)) for pair in pairs]
        tokens, longest = sum(size[0] for size in sizes), sum(size[1] for size in sizes)
        usual, prices = USUAL_ANSWER_TOKENS * len(sizes), self._asker.prices
        price = most = None
        if prices is not None:
            price, most = prices.of(tokens, usual), prices.of(2 * tokens, 2 * longest)
        return Estimate(calls=len(sizes), input_tokens=tokens, output_tokens=usual, price=price, most=most)

    def judge(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """One checked verdict or fault per pair, in order. Raises `Misconfigured` if the model cannot be set up."""
        if not pairs:
            return []
        return run(self._judge(self._asker.client(), pairs))

    def within(self, budget: Budget) -> LLM:
        """The same judge with a purse of its own, for one run."""
        other = copy(self)
        other._asker = self._asker.within(budget)
        return other

    # --- asking ----------------------------------------------------------------------------------

    async def _judge(self, model: Model, pairs: Sequence[Pair]) -> list[Outcome]:
        gate = asyncio.Semaphore(self._at_once)
        silent = 0
        closed: Fault | None = None

        async def one(pair: Pair) -> Outcome:
            nonlocal silent, closed
            async with gate:
                if closed is not None:
                    return closed
                outcome = await self._pair(model, pair)
                if isinstance(outcome, Trouble):
                    silent += 1
                    if outcome.for_all:
                        closed = outcome.fault
                    elif silent >= PATIENCE:
                        closed = Fault(kind=FaultKind.UNAVAILABLE, detail=f"not asked: {silent} in a row had no answer")
                    return outcome.fault
                silent = 0
                return outcome

        async with model:
            return list(await asyncio.gather(*(one(pair) for pair in pairs)))

    async def _pair(self, model: Model, pair: Pair) -> Outcome | Trouble:
        answer = await self._ask(model, pair)
        if isinstance(answer, Fault) and answer.kind in _MENDABLE:
            answer = await self._ask(model, pair, answer.detail)
        return answer

    async def _ask(self, model: Model, pair: Pair, mend: str = "") -> Outcome | Trouble:
        asked = question(pair, mend)
        try:
            asked.encode()
        except UnicodeEncodeError:
            return Fault(kind=FaultKind.BAD_TEXT, detail="the note or the passage holds half a character")
        return await self._asker.ask(model, prompt(), asked, lambda answer: checked(self._read(answer), pair))

    # --- reading ---------------------------------------------------------------------------------

    def _read(self, answer: object) -> object:
        """The verdict that an answer holds, not yet checked."""
        if not isinstance(answer, dict) or not ANSWER["properties"].keys() >= answer.keys():
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not an object of the fields asked for")
        return self._verdict(answer)

    def _verdict(self, answer: dict[str, Any]) -> Verdict:
        """The answer's fields as they are: what is wrong with them, `checked` says."""
        said: defaultdict[str, Any] = defaultdict(str, answer)
        finding, confidence, at = said["finding"], said["confidence"], said["effective_from"]
        with suppress(ValueError):
            finding = Finding(finding)
        with suppress(Invalid):
            at = limits.time(at or None, "effective_from")
        sure = self._acts_from is not None and type(confidence) in {int, float} and confidence >= self._acts_from
        return Verdict(
            finding=finding,
            confidence=confidence,
            claim_quote=said["claim_quote"],
            chunk_quote=said["chunk_quote"],
            effective_from=at,
            acts=finding is Finding.CONTRADICTED and sure,
            why=said["why"],
        )


_SAMPLE: Final = Pair(claim=Claim(statement="note"), chunk=Chunk(start=0, end=7, text="passage"))
