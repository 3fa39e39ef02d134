"""One request to a model, as judges, writers and extractors make it: fenced texts, one tool, a purse, and patience.

What is asked and how an answer is read is theirs. Texts are data in fences that none of them can close, and a model has
no tools but the one that answers.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from upheld.errors import Misconfigured, Refused, Unavailable
from upheld.judgement import Fault, FaultKind
from upheld.judges.providers import (
    Form,
    Output,
    Trouble,
    answer_of,
    model_of,
    parameters,
    published,
    spelled,
    trouble_of,
)
from upheld.judges.spending import Budget, Prices, Purse, tokens_of

if TYPE_CHECKING:
    from pydantic_ai.models import Model

ATTEMPTS: Final = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 30.0
ILL_QUOTED: Final = frozenset({FaultKind.NOT_A_VERDICT, FaultKind.INVENTED_CHUNK_QUOTE, FaultKind.MISSING_QUOTE})
"""An answer in the wrong form, or with words that no text holds: asked for once more, with the reason."""
T = TypeVar("T")


class Shown(NamedTuple):
    """One text that a model is shown: its name, itself, and what is said of it in its first fence."""

    name: str
    text: str
    about: str = ""


def fenced(shown: Sequence[Shown], mend: str = "") -> str:
    """Texts in fences with a code of their own; `mend` is why the former answer could not be used."""
    code = code_for([each.text for each in shown])
    blocks = "\n\n".join(
        f"[{code} {name}]{about and f' {about}'}\n{text}\n[{code} end of {name}]" for name, text, about in shown
    )
    again = f"\n\nYour former answer could not be used: {mend}. Answer again." if mend else ""
    return f"The code of this request's fences is {code}.\n\n{blocks}{again}"


def code_for(texts: Sequence[str]) -> str:
    """A code that stands in none of the texts, and that no text can foretell since it is made from all of them."""
    code = sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:16]
    while any(code in text for text in texts):
        code = sha256(code.encode()).hexdigest()[:16]
    return code


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is asked: see the `LLM` that takes these."""

    api_key_env: str | None
    budget: Budget
    prices: Prices | None
    timeout_s: float
    answer_tokens: int
    output: Output
    sleep: Callable[[float], None] = time.sleep


class Asker:
    """Asks one model for answers of one form. `role` is what it does ("writer"); raises `Misconfigured`."""

    def __init__(self, model: str | Model, form: Form, settings: Settings, *, role: str) -> None:
        if find_spec("pydantic_ai") is None:
            raise Misconfigured(f"a language model as {role} needs: pip install 'upheld[llm]'")
        if settings.answer_tokens < 1 or not settings.timeout_s > 0:
            raise Misconfigured("answer_tokens must be 1 or more, timeout_s above 0")
        if settings.output not in {"tool", "native"}:
            raise Misconfigured(f"output must be 'tool' or 'native', not {settings.output!r}")
        self._given = model
        self._form = form
        self._settings = settings
        self._spelled = spelled(model)
        self.prices = settings.prices or published(self._spelled)
        self.purse = Purse(settings.budget, self.prices)

    def name(self, *told: object) -> str:
        """The model and a digest of all that it is told (`told`, as JSON), its form and its settings."""
        settled = json.dumps([*told, self._settings.output, self._settings.answer_tokens])
        return f"llm:{self._spelled}/{sha256(settled.encode()).hexdigest()[:8]}"

    def within(self, budget: Budget) -> Asker:
        """The same with a purse of its own."""
        other = copy(self)
        other.purse = Purse(budget, self.prices)
        return other

    def client(self) -> Model:
        """A client of its own for each call, which may come from any thread."""
        if isinstance(self._given, str):
            return model_of(self._given, self._settings.api_key_env)
        return self._given

    def size(self, told: str, asked: str) -> tuple[int, int]:
        """About how many tokens a request takes at most: in and out."""
        return tokens_of(told) + tokens_of(json.dumps(self._form.schema)) + tokens_of(
            asked
        ), self._settings.answer_tokens

    async def ask(
        self, model: Model, told: str, asked: str, read: Callable[[object], T | Fault]
    ) -> T | Fault | Trouble:
        """What `read` makes of an answer. Transient trouble is tried again, 4 times in all."""
        found = await self._once(model, told, asked, read)
        for attempt in range(ATTEMPTS - 1):
            if not isinstance(found, Trouble) or not found.again:
                break
            wait = max(FIRST_WAIT_S * 2**attempt, found.after_s)
            await asyncio.to_thread(self._settings.sleep, min(wait, LONGEST_WAIT_S))
            found = await self._once(model, told, asked, read)
        return found

    async def _once(
        self, model: Model, told: str, asked: str, read: Callable[[object], T | Fault]
    ) -> T | Fault | Trouble:
        from pydantic_ai.direct import model_request
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        size = self.size(told, asked)
        if (forbidden := self.purse.set_aside(*size)) is not None:
            return Fault(kind=FaultKind.OVER_BUDGET, detail=forbidden)
        took = (0, 0)
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                response = await model_request(
                    model,
                    [ModelRequest(parts=[SystemPromptPart(told), UserPromptPart(asked)])],
                    model_settings={"max_tokens": self._settings.answer_tokens, "temperature": 0.0, "max_retries": 0},
                    model_request_parameters=parameters(self._settings.output, self._form),
                )
            # An endpoint that does not count is taken to have used what was set aside.
            took = (response.usage.input_tokens or size[0], response.usage.output_tokens or size[1])
            answer = answer_of(response, self._settings.output, self._form)
            return answer if isinstance(answer, Fault) else read(answer)
        except Exception as error:  # noqa: BLE001 - a provider may raise anything
            trouble = trouble_of(error)
            if trouble.fault.kind is FaultKind.TIMED_OUT:  # it may be billed all the same
                took = size
            return trouble
        finally:
            self.purse.book(size, took)


def run(asking: Coroutine[Any, Any, T]) -> T:
    """Run to the end, in a thread of its own where this one is already running an event loop (a notebook does)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(asking)
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, asking).result()


def error_of(who: str, fault: Fault) -> Unavailable | Misconfigured | Refused:
    """The error that a fault is to a caller who needs the answer."""
    said = f"{who}: {fault.detail or fault.kind.value}"
    if fault.kind is FaultKind.MISCONFIGURED:
        return Misconfigured(said)
    return Refused(said) if fault.kind in {FaultKind.OVER_BUDGET, FaultKind.REFUSED} else Unavailable(said)
