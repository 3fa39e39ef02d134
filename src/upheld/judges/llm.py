"""A judge that is a language model: any provider by name, or an endpoint on this machine (extra `llm`).

Note and passage are data in a fence that neither can close. One request is one pair; the answer is one call of one
tool, and it counts only if `judgement.checked` finds both quotes in the texts. A model has no tools besides, so the
worst that a hostile document can bring about is a verdict about itself.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from upheld import limits
from upheld.document import Chunk, Claim, Finding, Pair, Verdict
from upheld.errors import Invalid, Misconfigured
from upheld.judgement import Fault, FaultKind, Outcome, checked
from upheld.judges.providers import Output, Trouble, answer_of, model_of, parameters, published, spelled, trouble_of
from upheld.judges.spending import Budget, Estimate, Prices, Purse, Spent, tokens_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model

ATTEMPTS: Final = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
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
    parts = {
        "note": claim.statement,
        "note context": "\n".join(context) or "-",
        "passage context": "\n".join([*chunk.headings, *dated]) or "-",
        "passage": chunk.text,
    }
    code = _code(list(parts.values()))
    fenced = "\n\n".join(f"[{code} {name}]\n{text}\n[{code} end of {name}]" for name, text in parts.items())
    again = f"\n\nYour former answer could not be used: {mend}. Answer again." if mend else ""
    return f"The code of this request's fences is {code}.\n\n{fenced}{again}"


def _code(texts: Sequence[str]) -> str:
    """A code that stands in none of the texts, and that no text can foretell since it is made from all of them."""
    code = sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]
    while any(code in text for text in texts):
        code = sha256(code.encode()).hexdigest()[:16]
    return code


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
        if find_spec("pydantic_ai") is None:
            raise Misconfigured("a language model as judge needs: pip install 'upheld[llm]'")
        if acts_from is not None and not 0 <= acts_from <= 1:
            raise Misconfigured(f"acts_from must be a confidence from 0 to 1, or None; not {acts_from}")
        if at_once < 1 or answer_tokens < 1 or not timeout_s > 0:
            raise Misconfigured("at_once and answer_tokens must be 1 or more, timeout_s above 0")
        if output not in {"tool", "native"}:
            raise Misconfigured(f"output must be 'tool' or 'native', not {output!r}")
        self._given = model
        self._spelled = spelled(model)
        self._key_env, self._acts_from = api_key_env, acts_from
        self._timeout_s, self._at_once, self._answer_tokens = timeout_s, at_once, answer_tokens
        self._output, self._sleep = output, sleep
        self._prices = prices or published(self._spelled)
        self._purse = Purse(budget, self._prices)
        settled = json.dumps([prompt(), question(_SAMPLE), ANSWER, acts_from, output, answer_tokens])
        self._name = f"llm:{self._spelled}/{sha256(settled.encode()).hexdigest()[:8]}"

    def __repr__(self) -> str:
        return f"LLM({self._name!r})"

    @property
    def name(self) -> str:
        """The model and a digest of all that it is told: another prompt is another judge."""
        return self._name

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        return self._purse.spent

    def estimate(self, pairs: Sequence[Pair]) -> Estimate:
        """What judging these pairs will take. Asks nobody."""
        entry = [self._input_tokens(question(pair)) for pair in pairs]
        tokens, usual, longest = sum(entry), USUAL_ANSWER_TOKENS * len(entry), self._answer_tokens * len(entry)
        price = most = None
        if self._prices is not None:
            price, most = self._prices.of(tokens, usual), self._prices.of(2 * tokens, 2 * longest)
        return Estimate(calls=len(entry), input_tokens=tokens, output_tokens=usual, price=price, most=most)

    def judge(self, pairs: Sequence[Pair]) -> list[Outcome]:
        """One checked verdict or fault per pair, in order. Raises `Misconfigured` if the model cannot be set up."""
        if not pairs:
            return []
        # A client of its own for each call, which may come from any thread.
        model = model_of(self._given, self._key_env) if isinstance(self._given, str) else self._given
        return _run(self._judge(model, pairs))

    def within(self, budget: Budget) -> LLM:
        """The same judge with a purse of its own, for one run."""
        other = copy(self)
        other._purse = Purse(budget, self._prices)
        return other

    def _input_tokens(self, asked: str) -> int:
        return tokens_of(prompt()) + tokens_of(json.dumps(ANSWER)) + tokens_of(asked)

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
        answer = await self._patiently(model, pair)
        if isinstance(answer, Fault) and answer.kind in _MENDABLE:
            answer = await self._patiently(model, pair, answer.detail)
        return answer

    async def _patiently(self, model: Model, pair: Pair, mend: str = "") -> Outcome | Trouble:
        for attempt in range(ATTEMPTS):
            answer = await self._once(model, pair, mend)
            if not isinstance(answer, Trouble) or not answer.again or attempt == ATTEMPTS - 1:
                break
            wait = max(FIRST_WAIT_S * 2**attempt, answer.after_s)
            await asyncio.to_thread(self._sleep, min(wait, LONGEST_WAIT_S))
        return answer

    async def _once(self, model: Model, pair: Pair, mend: str) -> Outcome | Trouble:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        asked = question(pair, mend)
        try:
            asked.encode()
        except UnicodeEncodeError:
            return Fault(kind=FaultKind.BAD_TEXT, detail="the note or the passage holds half a character")
        aside = (self._input_tokens(asked), self._answer_tokens)
        if (forbidden := self._purse.set_aside(*aside)) is not None:
            return Fault(kind=FaultKind.OVER_BUDGET, detail=forbidden)
        took = (0, 0)
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await model_request(
                    model,
                    [ModelRequest(parts=[SystemPromptPart(prompt()), UserPromptPart(asked)])],
                    model_settings={"max_tokens": self._answer_tokens, "temperature": 0.0, "max_retries": 0},
                    model_request_parameters=parameters(self._output, ANSWER),
                )
            # An endpoint that does not count is taken to have used what was set aside.
            took = (response.usage.input_tokens or aside[0], response.usage.output_tokens or aside[1])
            return checked(self._read(response), pair)
        except Exception as error:  # noqa: BLE001 - a provider may raise anything
            trouble = trouble_of(error)
            if trouble.fault.kind is FaultKind.TIMED_OUT:  # it may be billed all the same
                took = aside
            return trouble
        finally:
            self._purse.book(aside, took)

    # --- reading ---------------------------------------------------------------------------------

    def _read(self, response: ModelResponse) -> object:
        """The verdict that an answer holds, not yet checked."""
        answer: object = answer_of(response, self._output)
        try:
            if isinstance(answer, str):
                answer = json.loads(answer)
        except (ValueError, RecursionError):
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not JSON")
        if isinstance(answer, Fault):
            return answer
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


def _run(asking: Coroutine[Any, Any, list[Outcome]]) -> list[Outcome]:
    """Run to the end, in a thread of its own where this one is already running an event loop (a notebook does)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asking)
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, asking).result()
