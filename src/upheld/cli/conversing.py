"""The commands about conversations: ingest, extract."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command
from upheld.cli.desk import Desk, counted
from upheld.cli.options import option
from upheld.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from upheld.conversation.message import Message
    from upheld.conversation.outcomes import Extraction, Ingested
    from upheld.messages import Extractor

_SHOWN = 40
_STYLES = {"added": "green", "superseded": "green", "confirmed": "green", "refused": "red", "set_aside": "yellow"}
_STYLES |= {"disputed": "yellow", "missed": "yellow", "offered": "green"}


def ingest(
    desk: Desk,
    *,
    path: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='Messages: JSON Lines (also .gz), a JSON list, or a plain chat export; "-" reads standard input.',
            show_default=False,
        ),
    ],
    scope: Annotated[str, option("--scope", metavar="SCOPE", help="Where it belongs. Default: default")] = "default",
    conversation: Annotated[
        str | None, option("--conversation", metavar="NAME", help="Which conversation it is. Default: the file's name")
    ] = None,
) -> None:
    """Keep the messages of a conversation, word for word.

    Nothing of it is believed: see upheld extract. A message that is there is not kept again, so a conversation that
    went on may be given whole. If any message is bad, none is kept.
    """
    named = conversation or ("default" if path == "-" else Path(path).name.partition(".")[0] or "default")
    messages = [*_messages(path)]
    desk.rehearse(lambda memory: memory.ingest(messages, scope=scope, conversation=named))
    with desk.memory(make=True) as memory:
        found = memory.ingest(messages, scope=scope, conversation=named)
    desk.show(found, lambda _: _ingested(found))


def _messages(path: str) -> Iterator[Message]:
    from upheld.importers import chat

    if path == "-":
        return chat.read_stream(sys.stdin.buffer, "standard input")
    if not Path(path).exists() and not Path(path).is_symlink():
        raise Invalid(f"there is no file {path}")
    return chat.read(Path(path))


def extract(
    desk: Desk,
    *,
    conversation: Annotated[
        str | None, option("--conversation", metavar="NAME", help="Only messages of this conversation.")
    ] = None,
    scope: Annotated[
        str | None, option("--scope", metavar="SCOPE", help="Only messages of this scope. Default: default")
    ] = None,
    llm: Annotated[
        str | None,
        option(
            "--llm", metavar="MODEL", help="Read with a language model: openai:gpt-5-mini, http://localhost:1/v1|x."
        ),
    ] = None,
    api_key_env: Annotated[
        str | None, option("--api-key-env", metavar="NAME", help="The variable that holds the key of an endpoint.")
    ] = None,
    dry_run: Annotated[bool, option("--dry-run", help="Write nothing; say what would be proposed.")] = False,
) -> None:
    """Read what messages state, and write it through the same checks as remember.

    Each note cites the words it was read from, and counts as what their speaker counts. Questions, orders, guesses
    without a subject, echoes of memory and what fetched text asks for are left. What was read is not read again.
    """
    if conversation is None and scope is None:
        scope = "default"
    with desk.memory(embeds=not dry_run) as memory, bar(desk, "reading messages") as tick:
        found = memory.extract(
            conversation, scope=scope, extractor=_extractor(llm, api_key_env), dry_run=dry_run, progress=tick
        )
    desk.show(found, lambda _: _extracted(found))
    kept_out = sum(found.outcomes.get(name, 0) for name in ("set_aside", "missed"))
    if kept_out and not desk.options.as_json:
        desk.say(f"{counted(kept_out, 'passage')} set aside: what would be written goes beyond what was said", "yellow")


def _extractor(model: str | None, api_key_env: str | None) -> Extractor | None:
    if model is None:
        if api_key_env is not None:
            raise typer.BadParameter("it goes with --llm", param_hint="--api-key-env")
        return None
    from upheld.extractors import LLM

    return LLM(model, api_key_env=api_key_env)


def _ingested(found: Ingested) -> RenderableType:
    from upheld.cli import show

    return show.line(
        f"{counted(found.new, 'message')} kept in {found.conversation}",
        (f", {found.known:,} were there" if found.known else "", "dim"),
    )


def _extracted(found: Extraction) -> RenderableType:
    """What came of each passage. What was left is only counted: --json lists it with its place."""
    from rich.console import Group

    from upheld.cli import show

    rows = [show.line((f"{counted(found.messages, 'message')} read by {found.extractor}", "dim"))]
    told = [each for each in found.passages if each.outcome != "left"]
    for each in told[:_SHOWN]:
        style = _STYLES.get(each.outcome, "dim")
        # What went behind another note, or is only guessed, is named by its id: its text leaves through the gate.
        said = each.statement if each.statement and each.outcome in _STYLES else f"message {each.message}"
        rows.append(show.line((f"{each.outcome:<11}", style), (said, style)))
        about = [part for part in (each.note, f"message {each.message}", each.why) if part]
        rows.append(show.line((" · ".join(about), "dim"), indent=11))
    if len(told) > _SHOWN:
        rows.append(show.line((f"and {len(told) - _SHOWN:,} more; --json lists them all", "dim")))
    counts = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in found.outcomes.items())
    rows.append(
        show.line(
            counts or "nothing to read", *([(" (dry run: nothing was written)", "yellow")] if found.dry_run else [])
        )
    )
    return Group(*rows)


COMMANDS = (Command("ingest", ingest), Command("extract", extract))
