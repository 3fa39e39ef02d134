"""A writer that is a language model: any provider by name, or an endpoint on this machine (extra `llm`).

The notes are data in fences that none of them can close, and a model has no tools but the one that answers. What it
writes counts only after `consolidate.checked`: every sentence on quotes that stand in the notes to the letter, and no
value, number, name or certainty beyond them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from upheld.aside import Operation, Quote, Sentence, Work
from upheld.judgement import Fault, FaultKind
from upheld.judges.asking import ILL_QUOTED, Asker, Settings, Shown, error_of, fenced, run
from upheld.judges.providers import Form, Output, Trouble
from upheld.judges.spending import Budget, Prices, Spent

if TYPE_CHECKING:
    from pydantic_ai.models import Model

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

FORM: Final = Form(schema=ANSWER, tool="sentences", asks="Give your sentences.", one="with sentences")


@cache
def prompt(operation: Operation) -> str:
    """The instructions that go before the notes."""
    return (Path(__file__).parent / f"{operation.value}.md").read_text(encoding="utf-8")


def question(work: Work, mend: str = "") -> str:
    """What a model is shown; `mend` is why its former answer could not be used. Notes are called n1, n2, ..."""
    shown = [Shown(f"n{place}", note.statement) for place, note in enumerate(work.notes, start=1)]
    length = f"Write at most {work.most_chars:,} characters in all.\n\n" if work.operation is Operation.COMPRESS else ""
    return f"{length}{fenced(shown, mend)}"


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
        settings = Settings(
            api_key_env=api_key_env,
            budget=budget,
            prices=prices,
            timeout_s=timeout_s,
            answer_tokens=answer_tokens,
            output=output,
            sleep=sleep,
        )
        self._asker = Asker(model, FORM, settings, role="writer")
        samples = [question(Work(operation=each, notes=())) for each in Operation]
        self._name = self._asker.name(*map(prompt, Operation), *samples, ANSWER)

    def __repr__(self) -> str:
        return f"LLM({self._name!r})"

    @property
    def name(self) -> str:
        """The model and a digest of all that it is told: another prompt is another writer."""
        return self._name

    @property
    def spent(self) -> Spent:
        """What went out so far."""
        return self._asker.purse.spent

    def write(self, work: Work) -> list[Sentence]:
        """What the model writes, its quotes found in the notes. Raises `Unavailable` where it wrote nothing usable."""
        if not work.notes:
            return []
        return run(self._write(self._asker.client(), work))

    async def _write(self, model: Model, work: Work) -> list[Sentence]:
        async with model:
            found = await self._ask(model, work)
            if isinstance(found, Fault) and found.kind in ILL_QUOTED:
                found = await self._ask(model, work, found.detail)
        if isinstance(found, Fault):
            raise error_of(f"the writer {self._name}", found)
        return found

    async def _ask(self, model: Model, work: Work, mend: str = "") -> list[Sentence] | Fault:
        told, asked = prompt(work.operation), question(work, mend)
        found = await self._asker.ask(model, told, asked, lambda answer: _sentences(answer, work))
        return found.fault if isinstance(found, Trouble) else found


def _sentences(answer: object, work: Work) -> list[Sentence] | Fault:
    """The sentences that an answer holds; what it calls n1 is the first note. What they say is checked elsewhere."""
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
