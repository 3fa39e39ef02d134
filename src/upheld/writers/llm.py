"""A writer that is a language model: any provider by name, or an endpoint on this machine (extra `llm`).

The notes are data in fences that none of them can close, and a model has no tools but the one that answers. What it
writes counts only after `consolidate.checked`: every sentence on quotes that stand in the notes to the letter, and no
value, number, name or certainty beyond them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from upheld.aside import Operation, Quote, Sentence, Work
from upheld.errors import Misconfigured, Refused, Unavailable
from upheld.judgement import Fault, FaultKind
from upheld.judges.providers import Output, Trouble, model_of, published, spelled, trouble_of
from upheld.judges.spending import Budget, Prices, Purse, Spent, tokens_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

ATTEMPTS: Final = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
TOOL: Final = "sentences"

_QUOTE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"note": {"type": "string"}, "text": {"type": "string"}},
    "required": ["note", "text"],
    "additionalProperties": False,
}
ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "sentences": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "text": {"type": "string"},
                    "quotes": {"type": "array", "items": _QUOTE},
                    "confidence": {"type": ["number", "null"], "minimum": 0, "maximum": 1},
                },
                "required": ["text", "quotes", "confidence"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["sentences"],
    "additionalProperties": False,
}


@cache
def prompt(operation: Operation) -> str:
    """The instructions that go before the notes."""
    return (Path(__file__).parent / f"{operation.value}.md").read_text(encoding="utf-8")


def question(work: Work, mend: str = "") -> str:
    """What a model is shown; `mend` is why its former answer could not be used. Notes are called n1, n2, ..."""
    texts = [note.statement for note in work.notes]
    code = sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]
    while any(code in text for text in texts):
        code = sha256(code.encode()).hexdigest()[:16]
    fenced = "\n\n".join(
        f"[{code} n{place}]\n{text}\n[{code} end of n{place}]" for place, text in enumerate(texts, start=1)
    )
    length = f"Write at most {work.most_chars:,} characters in all.\n\n" if work.operation is Operation.COMPRESS else ""
    again = f"\n\nYour former answer could not be used: {mend}. Answer again." if mend else ""
    return f"{length}The code of this request's fences is {code}.\n\n{fenced}{again}"


class LLM:
    """A writer that asks a model named "openai:gpt-5-mini", "anthropic:claude-haiku-4-5", "http://localhost:1234/v1|name".

    A provider's key is read from its own environment variable; an endpoint's from `api_key_env`, and None sends none.
    `timeout_s` bounds one request in seconds, `answer_tokens` the length of an answer. `prices` default to the
    published ones, where known. What `budget` does not cover is not asked. Transient trouble is tried again, 4 times
    in all, after `sleep` (seconds); an answer that quotes what no note says is asked for once more, with the reason.
    Raises `Misconfigured` for what cannot work.
    """

    def __init__(
        self,
        model: str | Model,
        *,
        api_key_env: str | None = None,
        budget: Budget = Budget(),  # noqa: B008 - frozen
        prices: Prices | None = None,
        timeout_s: float = 120.0,
        answer_tokens: int = 4000,
        output: Output = "tool",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if find_spec("pydantic_ai") is None:
            raise Misconfigured("a language model as writer needs: pip install 'upheld[llm]'")
        if answer_tokens < 1 or not timeout_s > 0:
            raise Misconfigured("answer_tokens must be 1 or more, timeout_s above 0")
        if output not in {"tool", "native"}:
            raise Misconfigured(f"output must be 'tool' or 'native', not {output!r}")
        self._given = model
        self._spelled = spelled(model)
        self._key_env, self._timeout_s, self._answer_tokens = api_key_env, timeout_s, answer_tokens
        self._output, self._sleep = output, sleep
        self._purse = Purse(budget, prices or published(self._spelled))
        samples = [question(Work(operation=each, notes=())) for each in Operation]
        settled = json.dumps([*map(prompt, Operation), *samples, ANSWER, output, answer_tokens])
        self._name = f"llm:{self._spelled}/{sha256(settled.encode()).hexdigest()[:8]}"

    def __repr__(self) -> str:
        return f"LLM({self._name!r})"

    @property
    def name(self) -> str:
        """The model and a digest of all that it is told: another prompt is another writer."""
        return self._name

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        return self._purse.spent

    def write(self, work: Work) -> list[Sentence]:
        """What the model writes, its quotes found in the notes. Raises `Unavailable` where it wrote nothing usable."""
        if not work.notes:
            return []
        # A client of its own for each call, which may come from any thread.
        model = model_of(self._given, self._key_env) if isinstance(self._given, str) else self._given
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._write(model, work))
        with ThreadPoolExecutor(1) as beside:  # a notebook runs an event loop of its own
            return beside.submit(asyncio.run, self._write(model, work)).result()

    async def _write(self, model: Model, work: Work) -> list[Sentence]:
        async with model:
            found = await self._patiently(model, work)
            if isinstance(found, Fault) and found.kind in _MENDABLE:
                found = await self._patiently(model, work, found.detail)
        if isinstance(found, Fault):
            raise _error(self._name, found)
        return found

    async def _patiently(self, model: Model, work: Work, mend: str = "") -> list[Sentence] | Fault:
        attempt = 0
        while True:
            found = await self._once(model, work, mend)
            attempt += 1
            if not isinstance(found, Trouble):
                return found
            if not found.again or attempt == ATTEMPTS:
                return found.fault
            wait = max(FIRST_WAIT_S * 2 ** (attempt - 1), found.after_s)
            await asyncio.to_thread(self._sleep, min(wait, LONGEST_WAIT_S))

    async def _once(self, model: Model, work: Work, mend: str) -> list[Sentence] | Fault | Trouble:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        told, asked = prompt(work.operation), question(work, mend)
        size = (tokens_of(told) + tokens_of(json.dumps(ANSWER)) + tokens_of(asked), self._answer_tokens)
        if (forbidden := self._purse.set_aside(*size)) is not None:
            return Fault(kind=FaultKind.OVER_BUDGET, detail=forbidden)
        took = (0, 0)
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await model_request(
                    model,
                    [ModelRequest(parts=[SystemPromptPart(told), UserPromptPart(asked)])],
                    model_settings={"max_tokens": self._answer_tokens, "temperature": 0.0, "max_retries": 0},
                    model_request_parameters=_parameters(self._output),
                )
            # An endpoint that does not count is taken to have used what was set aside.
            took = (response.usage.input_tokens or size[0], response.usage.output_tokens or size[1])
            return _sentences(_answer(response, self._output), work)
        except Exception as error:  # noqa: BLE001 - a provider may raise anything
            trouble = trouble_of(error)
            if trouble.fault.kind is FaultKind.TIMED_OUT:  # it may be billed all the same
                took = size
            return trouble
        finally:
            self._purse.book(size, took)


_MENDABLE: Final = frozenset({FaultKind.NOT_A_VERDICT, FaultKind.INVENTED_CHUNK_QUOTE, FaultKind.MISSING_QUOTE})


def _error(name: str, fault: Fault) -> Unavailable | Misconfigured | Refused:
    said = f"the writer {name}: {fault.detail or fault.kind.value}"
    if fault.kind is FaultKind.MISCONFIGURED:
        return Misconfigured(said)
    return Refused(said) if fault.kind in {FaultKind.OVER_BUDGET, FaultKind.REFUSED} else Unavailable(said)


def _parameters(output: Output) -> ModelRequestParameters:
    """Make the answer one call of one tool, or (`native`) text that the provider holds to the schema."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if output == "native":
        asked = OutputObjectDefinition(json_schema=ANSWER, name=TOOL, strict=True)
        return ModelRequestParameters(output_mode="native", output_object=asked)
    tool = ToolDefinition(
        name=TOOL, parameters_json_schema=ANSWER, description="Give your sentences.", kind="output", strict=True
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def _answer(response: ModelResponse, output: Output) -> object:
    """What a model answered: the object, or a fault."""
    if response.finish_reason == "content_filter" or "refusal" in (response.provider_details or {}):
        return Fault(kind=FaultKind.REFUSED, detail="the model declined to answer")
    if response.finish_reason == "length":
        return Fault(kind=FaultKind.REFUSED, detail="the answer was cut off at its greatest length: see answer_tokens")
    found: object
    if output == "native":
        found = "".join(part.content for part in response.parts if part.part_kind == "text")
    else:
        calls = [part for part in response.parts if part.part_kind == "tool-call"]
        if len(calls) != 1 or calls[0].tool_name != TOOL:
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"{len(calls)} tool calls instead of one with sentences")
        found = calls[0].args
    try:
        return json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not JSON")


def _sentences(answer: object, work: Work) -> list[Sentence] | Fault:
    """The sentences that an answer holds; what it calls n1 is the first note. What they say is checked elsewhere."""
    if isinstance(answer, Fault):
        return answer
    listed = answer.get("sentences") if isinstance(answer, Mapping) else None
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not an object with a list of sentences")
    notes = {f"n{place}": note for place, note in enumerate(work.notes, start=1)}
    found: list[Sentence] = []
    for place, each in enumerate(listed, start=1):
        if not isinstance(each, Mapping) or not isinstance(each.get("text"), str):
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"sentence {place} has no text")
        quotes: list[Quote] = []
        for quote in each.get("quotes") or ():
            if not isinstance(quote, Mapping) or quote.get("note") not in notes:
                return Fault(kind=FaultKind.MISSING_QUOTE, detail=f"sentence {place} quotes a note that is not there")
            note, text = notes[quote["note"]], quote.get("text")
            if not isinstance(text, str) or not text.strip() or text not in note.statement:
                why = f"sentence {place} quotes what is not in {quote['note']} to the letter"
                return Fault(kind=FaultKind.INVENTED_CHUNK_QUOTE, detail=why)
            quotes.append(Quote(note=note.id, text=text))
        if not quotes:
            return Fault(kind=FaultKind.MISSING_QUOTE, detail=f"sentence {place} has no quote")
        found.append(Sentence(text=each["text"], quotes=tuple(quotes), confidence=each.get("confidence")))
    return found
