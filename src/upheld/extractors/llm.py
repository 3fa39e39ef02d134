"""An extractor that is a language model: any provider by name, or an endpoint on this machine (extra `llm`).

The messages are data in fences that none of them can close, and a model has no tools but the one that answers. What it
reads counts only after `conversation.offer`: each statement on words of one message to the letter, and then what one
message would write is checked as a whole, like what the rules read.
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

from upheld.conversation.message import Kept, Offer
from upheld.conversation.speaker import name_of
from upheld.errors import Misconfigured, Refused, Unavailable
from upheld.judgement import Fault, FaultKind
from upheld.judges.providers import Output, Trouble, model_of, published, spelled, trouble_of
from upheld.judges.spending import Budget, Prices, Purse, Spent, tokens_of

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

ATTEMPTS: Final = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
TOOL: Final = "statements"
# One answer that cannot be used is asked for again, with the reason.
_MENDABLE: Final = frozenset({FaultKind.NOT_A_VERDICT, FaultKind.INVENTED_CHUNK_QUOTE, FaultKind.MISSING_QUOTE})

_TEXT_OR_NULL: Final = {"type": ["string", "null"]}
ANSWER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "statements": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "message": {"type": "string"},
                    "quote": {"type": "string"},
                    "statement": {"type": "string"},
                    "subject": _TEXT_OR_NULL,
                    "attribute": _TEXT_OR_NULL,
                    "value": _TEXT_OR_NULL,
                    "single": {"type": "boolean"},
                },
                "required": ["message", "quote", "statement", "subject", "attribute", "value", "single"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["statements"],
    "additionalProperties": False,
}


@cache
def prompt() -> str:
    """The instructions that go before the messages."""
    return (Path(__file__).parent / "prompt.md").read_text(encoding="utf-8")


def question(messages: Sequence[Kept], before: Sequence[Kept] = (), mend: str = "") -> str:
    """What a model is shown; `mend` is why its former answer could not be used. Messages are called m1, m2, ..."""
    named = [*((f"c{place}", each) for place, each in enumerate(before, 1))]
    named += [*((f"m{place}", each) for place, each in enumerate(messages, 1))]
    texts = [each.text for _, each in named]
    code = sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]
    while any(code in text for text in texts):
        code = sha256(code.encode()).hexdigest()[:16]
    fenced = "\n\n".join(f"[{code} {name}] {_said(each)}\n{each.text}\n[{code} end of {name}]" for name, each in named)
    again = f"\n\nYour former answer could not be used: {mend}. Answer again." if mend else ""
    return f"The code of this request's fences is {code}.\n\n{fenced}{again}"


def _said(message: Kept) -> str:
    """Who speaks and when. A name is the caller's; line ends, which it cannot hold, would end the line."""
    when = "" if message.at is None else f", {message.at:%A %d %B %Y}"
    return f"{message.role.value}: {name_of(message.by)}{when}"


class LLM:
    """An extractor that asks a model named "openai:gpt-5-mini", "anthropic:claude-haiku-4-5", "http://localhost:1/v1|name".

    A provider's key is read from its own environment variable; an endpoint's from `api_key_env`, and None sends none.
    `timeout_s` bounds one request in seconds, `answer_tokens` the length of an answer. `prices` default to the
    published ones, where known. What `budget` does not cover is not asked. Transient trouble is tried again, 4 times
    in all, after `sleep` (seconds); an answer that quotes what no message says is asked for once more, with the reason,
    and what it then still invents is left out by the checks. Raises `Misconfigured` for what cannot work.
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
            raise Misconfigured("a language model as extractor needs: pip install 'upheld[llm]'")
        if answer_tokens < 1 or not timeout_s > 0:
            raise Misconfigured("answer_tokens must be 1 or more, timeout_s above 0")
        if output not in {"tool", "native"}:
            raise Misconfigured(f"output must be 'tool' or 'native', not {output!r}")
        self._given = model
        self._spelled = spelled(model)
        self._key_env, self._timeout_s, self._answer_tokens = api_key_env, timeout_s, answer_tokens
        self._output, self._sleep = output, sleep
        self._purse = Purse(budget, prices or published(self._spelled))
        settled = json.dumps([prompt(), question(()), ANSWER, output, answer_tokens])
        self._name = f"llm:{self._spelled}/{sha256(settled.encode()).hexdigest()[:8]}"

    def __repr__(self) -> str:
        return f"LLM({self._name!r})"

    @property
    def name(self) -> str:
        """The model and a digest of all that it is told: another prompt is another extractor."""
        return self._name

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        return self._purse.spent

    def extract(self, messages: Sequence[Kept], before: Sequence[Kept] = ()) -> list[Offer]:
        """What the model reads, not yet checked. Raises `Unavailable` where it gave nothing usable."""
        if not messages:
            return []
        # A client of its own for each call, which may come from any thread.
        model = model_of(self._given, self._key_env) if isinstance(self._given, str) else self._given
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._extract(model, messages, before))
        with ThreadPoolExecutor(1) as beside:  # a notebook runs an event loop of its own
            return beside.submit(asyncio.run, self._extract(model, messages, before)).result()

    async def _extract(self, model: Model, messages: Sequence[Kept], before: Sequence[Kept]) -> list[Offer]:
        async with model:
            found = await self._patiently(model, messages, before)
            fault = found if isinstance(found, Fault) else _invented(found, messages)
            if fault is not None and fault.kind in _MENDABLE:
                again = await self._patiently(model, messages, before, fault.detail)
                # Where only a quote was wrong, what else the first answer read is not lost with the second.
                found = found if isinstance(again, Fault) and not isinstance(found, Fault) else again
        if isinstance(found, Fault):
            raise _error(self._name, found)
        return found

    async def _patiently(
        self, model: Model, messages: Sequence[Kept], before: Sequence[Kept], mend: str = ""
    ) -> list[Offer] | Fault:
        attempt = 0
        while True:
            found = await self._once(model, messages, question(messages, before, mend))
            attempt += 1
            if not isinstance(found, Trouble):
                return found
            if not found.again or attempt == ATTEMPTS:
                return found.fault
            wait = max(FIRST_WAIT_S * 2 ** (attempt - 1), found.after_s)
            await asyncio.to_thread(self._sleep, min(wait, LONGEST_WAIT_S))

    async def _once(self, model: Model, messages: Sequence[Kept], asked: str) -> list[Offer] | Fault | Trouble:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        size = (tokens_of(prompt()) + tokens_of(json.dumps(ANSWER)) + tokens_of(asked), self._answer_tokens)
        if (forbidden := self._purse.set_aside(*size)) is not None:
            return Fault(kind=FaultKind.OVER_BUDGET, detail=forbidden)
        took = (0, 0)
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await model_request(
                    model,
                    [ModelRequest(parts=[SystemPromptPart(prompt()), UserPromptPart(asked)])],
                    model_settings={"max_tokens": self._answer_tokens, "temperature": 0.0, "max_retries": 0},
                    model_request_parameters=_parameters(self._output),
                )
            # An endpoint that does not count is taken to have used what was set aside.
            took = (response.usage.input_tokens or size[0], response.usage.output_tokens or size[1])
            return _offers(_answer(response, self._output), messages)
        except Exception as error:  # noqa: BLE001 - a provider may raise anything
            trouble = trouble_of(error)
            if trouble.fault.kind is FaultKind.TIMED_OUT:  # it may be billed all the same
                took = size
            return trouble
        finally:
            self._purse.book(size, took)


def _error(name: str, fault: Fault) -> Unavailable | Misconfigured | Refused:
    said = f"the extractor {name}: {fault.detail or fault.kind.value}"
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
        name=TOOL, parameters_json_schema=ANSWER, description="List the statements.", kind="output", strict=True
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
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"{len(calls)} tool calls instead of one")
        found = calls[0].args
    try:
        return json.loads(found) if isinstance(found, str) else found
    except (ValueError, RecursionError):
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not JSON")


def _offers(answer: object, messages: Sequence[Kept]) -> list[Offer] | Fault:
    """The offers that an answer holds, with the numbers of their messages; 0 for one that was not shown."""
    if isinstance(answer, Fault):
        return answer
    listed = answer.get("statements") if isinstance(answer, Mapping) else None
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not an object with a list of statements")
    numbers = {f"m{place}": message.number for place, message in enumerate(messages, 1)}
    found: list[Offer] = []
    for place, each in enumerate(listed, 1):
        if not isinstance(each, Mapping) or not isinstance(each.get("statement"), str):
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"statement {place} has no text")
        name, quote = each.get("message"), each.get("quote")
        found.append(
            Offer(
                message=numbers.get(name, 0) if isinstance(name, str) else 0,
                quote=quote if isinstance(quote, str) else "",
                statement=each["statement"],
                subject=_text(each.get("subject")),
                attribute=_text(each.get("attribute")),
                value=_text(each.get("value")),
                single=each.get("single") is not False,
            )
        )
    return found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _invented(offers: Sequence[Offer], messages: Sequence[Kept]) -> Fault | None:
    """What is wrong with the first quote that no message holds."""
    texts = {message.number: message.text for message in messages}
    for place, each in enumerate(offers, 1):
        if each.message not in texts:
            return Fault(kind=FaultKind.MISSING_QUOTE, detail=f"statement {place} names no message m1 to m{len(texts)}")
        if not each.quote.strip() or each.quote not in texts[each.message]:
            why = f"statement {place} quotes what is not in its message to the letter"
            return Fault(kind=FaultKind.INVENTED_CHUNK_QUOTE, detail=why)
    return None
