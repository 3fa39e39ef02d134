"""Models by name, through pydantic-ai: what they are called, cost and answer with, and what their errors mean."""

from __future__ import annotations

import json
from dataclasses import dataclass
from os import environ
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from upheld.errors import Misconfigured
from upheld.judgement import Fault, FaultKind, fault_of
from upheld.judges.spending import Prices

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

Output = Literal["tool", "native"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What an answer must be: a JSON schema, the name and description of the tool that takes it, and what `one` is."""

    schema: dict[str, Any]
    tool: str
    asks: str
    one: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A request that brought no answer. `again` says that the same request may; `for_all` that no other will."""

    fault: Fault
    again: bool = False
    after_s: float = 0.0
    for_all: bool = False


def spelled(model: str | Model) -> str:
    """A model's name without anything secret, for the judge's name.

    >>> spelled("http://localhost:11434/v1|qwen3:4b")
    'localhost:11434/v1|qwen3:4b'
    """
    if not isinstance(model, str):
        return f"{model.system}:{model.model_name}"
    if "|" in model:
        address, name = endpoint(model)
        return f"{address.partition('://')[2]}|{name}"
    provider, colon, name = model.partition(":")
    if not (provider and colon and name and model.isprintable()) or "://" in model:
        raise Misconfigured(
            f"{model[:80]!r} names no model: write provider:model, for example openai:gpt-5-mini, or for an endpoint "
            "its address, a bar and the model's name, for example http://localhost:11434/v1|qwen3:4b"
        )
    return model


def endpoint(model: str) -> tuple[str, str]:
    """The address and the model's name in "http://localhost:11434/v1|name"."""
    address, _, name = model.partition("|")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0 and address.isascii()
        bare = not (parts.query or parts.fragment or parts.username or parts.password)
    except ValueError:
        usable = bare = False
    if not (usable and name.strip() and model.isprintable()):
        raise Misconfigured(
            "an endpoint is an http or https address, a bar and a model: http://localhost:11434/v1|name"
        )
    if not bare:
        raise Misconfigured("the endpoint's address must hold no user, password, query or fragment; see api_key_env")
    return address.rstrip("/"), name


def published(name: str) -> Prices | None:
    """The published price of a provider's model, from the table that comes with pydantic-ai; None if it lists none."""
    from genai_prices import Usage, calc_price

    provider, _, model = name.partition(":")
    if "|" in name:
        return None
    million = 1_000_000
    try:
        # A price may rise with the length of the question; a pair is far below any such step.
        into = calc_price(Usage(input_tokens=1000), model, provider_id=provider).total_price
        out = calc_price(Usage(output_tokens=1000), model, provider_id=provider).total_price
    except LookupError:
        return None
    return Prices(input=float(into) * million / 1000, output=float(out) * million / 1000)


def model_of(given: str, api_key_env: str | None) -> Model:
    """Set a model up; `Misconfigured` where its name, its key or its provider's package is wrong or missing."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    try:
        if "|" not in given:
            return infer_model(given)
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

        address, name = endpoint(given)
        # Named so that no other provider's key or defaults are taken for it.
        provider = OpenAICompatibleProvider("endpoint", base_url=address, api_key=_key(api_key_env))
        return OpenAIChatModel(name, provider=provider)
    except ImportError as missing:
        raise Misconfigured(f"the judge {spelled(given)} needs another package: {missing}") from None
    except UserError as wrong:
        raise Misconfigured(f"the judge {spelled(given)} cannot be set up: {wrong}") from None


def _key(variable: str | None) -> str:
    if variable is None:
        return "none"  # the client wants some text; an endpoint without keys does not look at it
    key = environ.get(variable, "").strip()
    if not (key and key.isascii() and key.isprintable()):
        wrong = "holds characters that no key can have" if key else "is not set"
        raise Misconfigured(f"{variable} {wrong}; put the endpoint's key there")
    return key


def parameters(output: Output, form: Form) -> ModelRequestParameters:
    """Make the answer one call of one tool, or (`native`) text that the provider holds to the schema."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    if output == "native":
        asked = OutputObjectDefinition(json_schema=form.schema, name=form.tool, strict=True)
        return ModelRequestParameters(output_mode="native", output_object=asked)
    tool = ToolDefinition(
        name=form.tool, parameters_json_schema=form.schema, description=form.asks, kind="output", strict=True
    )
    return ModelRequestParameters(output_mode="tool", output_tools=[tool], allow_text_output=False)


def answer_of(response: ModelResponse, output: Output, form: Form) -> object:
    """What a model answered, read from JSON: the arguments of its one tool call, or a native answer; or a fault."""
    if response.finish_reason == "content_filter" or "refusal" in (response.provider_details or {}):
        return Fault(kind=FaultKind.REFUSED, detail="the model declined to answer")
    if response.finish_reason == "length":
        return Fault(kind=FaultKind.REFUSED, detail="the answer was cut off at its greatest length: see answer_tokens")
    said: object
    if output == "native":
        said = "".join(part.content for part in response.parts if part.part_kind == "text")
    else:
        calls = [part for part in response.parts if part.part_kind == "tool-call"]
        if len(calls) != 1 or calls[0].tool_name != form.tool:
            return Fault(kind=FaultKind.NOT_A_VERDICT, detail=f"{len(calls)} tool calls instead of one {form.one}")
        said = "" if calls[0].args is None else calls[0].args
    try:
        return json.loads(said) if isinstance(said, str) else said
    except (ValueError, RecursionError):
        return Fault(kind=FaultKind.NOT_A_VERDICT, detail="the answer is not JSON")


def trouble_of(error: Exception) -> Trouble:
    """What an exception of a request means. Its message is not kept: it may hold a key, or the texts."""
    from pydantic_ai import exceptions as known

    status = getattr(error, "status_code", None)

    def of(kind: FaultKind, detail: str) -> Fault:
        return Fault(kind=kind, detail=f"{detail} (status {status})" if status is not None else detail)

    if isinstance(error, TimeoutError | known.ModelTimeoutError | known.ModelRequestTimeout):
        return Trouble(fault=of(FaultKind.TIMED_OUT, "no answer within the time given"), again=True)
    if isinstance(error, known.ModelAuthenticationError | known.ModelQuotaExceededError | known.ModelNotFoundError):
        detail = "the provider refused access: check the key, the quota and the model's name"
        return Trouble(fault=of(FaultKind.MISCONFIGURED, detail), for_all=True)
    passing = (
        known.ModelRateLimitError | known.ModelUnavailableError | known.ModelServerError | known.ModelConnectionError
    )
    if isinstance(error, passing) or status in {408, 425}:
        after_s = getattr(error, "retry_after", None) or 0.0
        return Trouble(fault=of(FaultKind.UNAVAILABLE, "the provider does not answer"), again=True, after_s=after_s)
    if isinstance(error, known.UserError | ImportError):
        return Trouble(fault=of(FaultKind.MISCONFIGURED, "the model cannot be asked this way"), for_all=True)
    if isinstance(error, known.ContentFilterError | known.ModelRequestRejectedError | known.ModelHTTPError):
        return Trouble(fault=of(FaultKind.REFUSED, "the provider refused the request"))
    if isinstance(error, known.UnexpectedModelBehavior | known.ModelAPIError):
        return Trouble(fault=of(FaultKind.NOT_A_VERDICT, "the provider's answer cannot be read"))
    return Trouble(fault=fault_of(error))
