"""An extractor that is a language model: any provider by name, or an endpoint on this machine (extra `llm`).

The messages are data in fences that none of them can close, and a model has no tools but the one that answers. What it
reads counts only after `conversation.offer`: each statement on words of one message to the letter, and then what one
message would write is checked as a whole, like what the rules read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from upheld.conversation.message import Kept, Offer
from upheld.conversation.speaker import name_of
from upheld.judgement import Fault, FaultKind
from upheld.judges.asking import ILL_QUOTED, Asker, Settings, Shown, error_of, fenced, run
from upheld.judges.providers import Form, Output, Trouble
from upheld.judges.spending import Budget, Prices, Spent

if TYPE_CHECKING:
    from pydantic_ai.models import Model

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

FORM: Final = Form(schema=ANSWER, tool="statements", asks="List the statements.", one="with statements")


@cache
def prompt() -> str:
    """The instructions that go before the messages."""
    return (Path(__file__).parent / "prompt.md").read_text(encoding="utf-8")


def question(messages: Sequence[Kept], before: Sequence[Kept] = (), mend: str = "") -> str:
    """What a model is shown; `mend` is why its former answer could not be used. Messages are called m1, m2, ..."""
    named = [*((f"c{place}", each) for place, each in enumerate(before, 1))]
    named += [*((f"m{place}", each) for place, each in enumerate(messages, 1))]
    return fenced([Shown(name, each.text, _said(each)) for name, each in named], mend)


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
        settings = Settings(
            api_key_env=api_key_env,
            budget=budget,
            prices=prices,
            timeout_s=timeout_s,
            answer_tokens=answer_tokens,
            output=output,
            sleep=sleep,
        )
        self._asker = Asker(model, FORM, settings, role="extractor")
        self._name = self._asker.name(prompt(), question(()), ANSWER)

    def __repr__(self) -> str:
        return f"LLM({self._name!r})"

    @property
    def name(self) -> str:
        """The model and a digest of all that it is told: another prompt is another extractor."""
        return self._name

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        return self._asker.purse.spent

    def extract(self, messages: Sequence[Kept], before: Sequence[Kept] = ()) -> list[Offer]:
        """What the model reads, not yet checked. Raises `Unavailable` where it gave nothing usable."""
        if not messages:
            return []
        return run(self._extract(self._asker.client(), messages, before))

    async def _extract(self, model: Model, messages: Sequence[Kept], before: Sequence[Kept]) -> list[Offer]:
        async with model:
            found = await self._ask(model, messages, before)
            fault = found if isinstance(found, Fault) else _invented(found, messages)
            if fault is not None and fault.kind in ILL_QUOTED:
                again = await self._ask(model, messages, before, fault.detail)
                # Where only a quote was wrong, what else the first answer read is not lost with the second.
                found = found if isinstance(again, Fault) and not isinstance(found, Fault) else again
        if isinstance(found, Fault):
            raise error_of(f"the extractor {self._name}", found)
        return found

    async def _ask(
        self, model: Model, messages: Sequence[Kept], before: Sequence[Kept], mend: str = ""
    ) -> list[Offer] | Fault:
        asked = question(messages, before, mend)
        found = await self._asker.ask(model, prompt(), asked, lambda answer: _offers(answer, messages))
        return found.fault if isinstance(found, Trouble) else found


def _offers(answer: object, messages: Sequence[Kept]) -> list[Offer] | Fault:
    """The offers that an answer holds, with the numbers of their messages; 0 for one that was not shown."""
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
