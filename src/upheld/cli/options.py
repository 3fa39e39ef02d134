"""The options that commands share, and the groups of them that a command may ask for by one parameter.

A command asks for `desk` (every command does) and gets what the five common options say; one that takes a statement
asks for `said`, or `said_instead`, and gets the fields of a draft.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from upheld.note import Certainty, Channel

DEFAULT_STORE = "memory.db"
DEFAULT_DEMO = "upheld-demo.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the common options say; `store` None means the default."""

    store: str | None = None
    policy: str | None = None
    words_only: bool = False
    as_json: bool = False
    no_color: bool = False

    def over(self, below: Options | None) -> Options:
        """These where given, else those below."""
        if below is None:
            return self
        return Options(
            store=self.store or below.store,
            policy=self.policy or below.policy,
            words_only=self.words_only or below.words_only,
            as_json=self.as_json or below.as_json,
            no_color=self.no_color or below.no_color,
        )


def option(*names: str, help: str, **more: Any) -> Any:
    """An option under these names, with its help."""
    return typer.Option(*names, help=help, show_default=False, **more)


def STORE(envvar: str | None = None) -> Any:  # noqa: N802 - reads as the other options do
    """The option that names the store."""
    return option("--store", metavar="FILE", envvar=envvar, help=f"The store, a file. Default: ./{DEFAULT_STORE}")


def POLICY(envvar: str | None = None) -> Any:  # noqa: N802
    """The option that names a policy."""
    return option("--policy", metavar="FILE", envvar=envvar, help="A policy in TOML, laid over the default one.")


WORDS_ONLY = option("--words-only", help="Find by words only, without the embedding model.")
JSON = option("--json", help="Print JSON: one object, or one a line for lists.")
NO_COLOR = option("--no-color", help="Print without colours. NO_COLOR in the environment does the same.")

NoteId = Annotated[str, typer.Argument(metavar="NOTE", help="The id of a note.", show_default=False)]
Scopes = Annotated[
    list[str] | None,
    option("--scope", metavar="SCOPE", help="A scope, by its whole name; may be repeated. Default: default"),
]
Kinds = Annotated[list[str] | None, option("--kind", metavar="KIND", help="Only notes of this kind; may be repeated.")]
By = Annotated[str, option("--by", metavar="CHANNEL:NAME", help="Who says so. Default: person:owner")]
Reason = Annotated[str | None, option("--reason", metavar="TEXT", help="Why.")]
ValidAt = Annotated[
    str | None,
    option("--valid-at", metavar="TIME", help="What was true then: 2026-03-31 (its last moment, UTC) or RFC 3339."),
]
KnownAt = Annotated[
    str | None, option("--known-at", metavar="TIME|SEQ", help="What the store knew then: a time, or a log position.")
]
Mode = Annotated[Literal["answer", "history"], option("--mode", help="history shows what no longer stands as well.")]
Applies = Annotated[
    list[str] | None,
    option("--applies", metavar="NAME=VALUE", help="A condition, as environment=production; may be repeated."),
]


def _parameter(name: str, annotation: Any, default: object = None) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _text(*names: str, help: str, metavar: str = "TEXT") -> Any:
    return Annotated[str | None, option(*names, metavar=metavar, help=help)]


def _texts(*names: str, help: str, metavar: str = "NOTE") -> Any:
    return Annotated[list[str] | None, option(*names, metavar=metavar, help=f"{help}; may be repeated.")]


COMMON: tuple[inspect.Parameter, ...] = (
    _parameter("store", Annotated[str | None, STORE()]),
    _parameter("policy", Annotated[str | None, POLICY()]),
    _parameter("words_only", Annotated[bool, WORDS_ONLY], False),
    _parameter("as_json", Annotated[bool, JSON], False),
    _parameter("no_color", Annotated[bool, NO_COLOR], False),
)
SAID: tuple[inspect.Parameter, ...] = (
    _parameter("scope", _text("--scope", metavar="SCOPE", help="Where it belongs. Default: default")),
    _parameter("kind", _text("--kind", metavar="KIND", help="A kind of the policy: decision, attribute, ...")),
    _parameter("by", _text("--by", metavar="CHANNEL:NAME", help="Who says so. Default: person:owner")),
    _parameter("subject", _text("--subject", help="What it is about; with --attribute and --value.")),
    _parameter("attribute", _text("--attribute", help="Which attribute of the subject.")),
    _parameter("value", _text("--value", help="The attribute's value.")),
    _parameter(
        "pointer",
        Annotated[bool, option("--pointer", help="The value is not kept, but read from its owner when asked for.")],
        False,
    ),
    _parameter("many", Annotated[bool, option("--many", help="The attribute may have many values at once.")], False),
    _parameter("no_key", Annotated[bool, option("--no-key", help="Do not look for a key in the text.")], False),
    _parameter("applies", Applies),
    _parameter(
        "certainty",
        Annotated[Certainty | None, option("--certainty", help="How sure the source is. Default: from the text")],
    ),
    _parameter("confidence", Annotated[float | None, option("--confidence", metavar="SHARE", help="From 0 to 1.")]),
    _parameter("valid_from", _text("--valid-from", metavar="TIME", help="When it began to hold.")),
    _parameter("valid_to", _text("--valid-to", metavar="TIME", help="When it ceases to hold.")),
    _parameter("observed_at", _text("--observed-at", metavar="TIME", help="When its source saw it.")),
    _parameter("expires_at", _text("--expires-at", metavar="TIME", help="When it must no longer be served.")),
    _parameter(
        "cite",
        Annotated[list[Path] | None, option("--cite", metavar="FILE", help="A document that says so; with --quote.")],
    ),
    _parameter("quote", _texts("--quote", metavar="TEXT", help="What the --cite file says, to the letter")),
    _parameter("source", _texts("--source", metavar="CHANNEL:REF", help="A source by its name alone")),
    _parameter("supersedes", _texts("--supersedes", help="A note whose place it takes")),
    _parameter("alongside", _texts("--alongside", help="A note that took that place already, and shares it")),
    _parameter("depends_on", _texts("--depends-on", help="A note that must stand for it to stand")),
    _parameter("derived_from", _texts("--derived-from", help="A note that it was made from")),
    _parameter("led_by", _texts("--led-by", help="A decision that led to it, in whatever scope")),
    _parameter("reason", _text("--reason", help="Why.")),
    _parameter("id", _text("--id", metavar="ID", help="An id of your own.")),
    _parameter(
        "idempotency_key", _text("--idempotency-key", metavar="KEY", help="The same key again writes nothing anew.")
    ),
)
GROUPS: Mapping[str, tuple[inspect.Parameter, ...]] = {
    "said": SAID,
    "said_instead": tuple(each for each in SAID if each.name != "supersedes"),
}


def conditions(given: Iterable[str] | None) -> dict[str, list[str]]:
    """Conditions from NAME=VALUE texts.

    >>> conditions(["environment=production", "environment=staging"])
    {'environment': ['production', 'staging']}
    """
    found: dict[str, list[str]] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{text!r} is not NAME=VALUE", param_hint="--applies")
        found.setdefault(name, []).append(value)
    return found


def position(given: str | None) -> str | int | None:
    """A time, or a log position where it is a number.

    >>> position("17"), position("2026-03-31")
    (17, '2026-03-31')
    """
    return int(given) if given is not None and given.isdecimal() and len(given) < 19 else given


def draft_fields(said: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a draft from the options of a group, those that were given."""
    from upheld.note import Key

    renamed = {"applies", "subject", "attribute", "many", "no_key", "cite", "quote", "source"}
    found = {name: value for name, value in said.items() if name not in renamed and value is not None}
    if said.get("applies"):
        found["applies_when"] = conditions(said["applies"])
    subject, attribute = said.get("subject"), said.get("attribute")
    if (subject is None) != (attribute is None):
        raise typer.BadParameter("a key needs both --subject and --attribute", param_hint="--subject")
    if subject is not None and attribute is not None:
        found["key"] = Key(subject=subject, attribute=attribute, single=not said.get("many"))
    if said.get("no_key"):
        found["extract_key"] = False
    if evidence := _evidence(said.get("cite") or [], said.get("quote") or [], said.get("source") or []):
        found["sources"] = evidence
    return found


def _evidence(files: list[Path], quotes: list[str], names: list[str]) -> list[Any]:
    from upheld.importers.files import MAX_LINE_BYTES, plain_text
    from upheld.note import Citation, Source

    if len(files) != len(quotes):
        raise typer.BadParameter("give one --quote for each --cite, in the same order", param_hint="--cite")
    found: list[Any] = [
        Citation(original=plain_text(file, MAX_LINE_BYTES), ref=file.as_posix(), quote=quote)
        for file, quote in zip(files, quotes, strict=True)
    ]
    for name in names:
        channel, colon, ref = name.partition(":")
        if not colon or not ref or channel not in {each.value for each in Channel}:
            raise typer.BadParameter(
                f"{name!r} is not CHANNEL:REF; channels: {', '.join(each.value for each in Channel)}",
                param_hint="--source",
            )
        found.append(Source(channel=Channel(channel), ref=ref))
    return found
