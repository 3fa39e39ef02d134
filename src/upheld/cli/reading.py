"""The commands that read: recall, get, list, history, explain, scopes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from upheld.cli.command import Command
from upheld.cli.desk import Desk
from upheld.cli.options import Applies, Kinds, KnownAt, Mode, NoteId, Scopes, ValidAt, conditions, option, position
from upheld.note import Channel

if TYPE_CHECKING:
    from upheld.document import Chunk

_DEFAULT_SCOPE = ["default"]


def recall(
    desk: Desk,
    *,
    query: Annotated[str, typer.Argument(metavar="QUESTION", help="The question.", show_default=False)],
    scope: Scopes = None,
    limit: Annotated[int, option("--limit", metavar="N", help="At most so many notes. Default: 10")] = 10,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    mode: Mode = "answer",
    applies: Applies = None,
    kind: Kinds = None,
    channel: Annotated[
        list[Channel] | None, option("--channel", help="Only from this channel; may be repeated.")
    ] = None,
    subject: Annotated[str | None, option("--subject", metavar="TEXT", help="Only about this subject.")] = None,
    attribute: Annotated[str | None, option("--attribute", metavar="TEXT", help="Only this attribute.")] = None,
    budget_tokens: Annotated[
        int | None, option("--budget-tokens", metavar="N", help="At most about so many tokens of statements.")
    ] = None,
    vector: Annotated[
        Path | None, option("--vector", metavar="FILE", help="The question already embedded: a JSON list of numbers.")
    ] = None,
    document: Annotated[
        list[Path] | None,
        option("--document", metavar="FILE", help="A document that was retrieved: notes it contradicts are withheld."),
    ] = None,
    for_action: Annotated[
        str | None,
        option("--for-action", metavar="ACTION", help="What is about to be done: asks for confirmed notes only."),
    ] = None,
    direction: Annotated[
        bool, option("--direction", help="Show the whole line of decisions behind the answer.")
    ] = False,
    explain: Annotated[bool, option("--explain", help="Say how each note came to its place.")] = False,
    prompt: Annotated[bool, option("--prompt", help="Print the block for a model.")] = False,
) -> None:
    """Answer a question from what is in force.

    Prints what is upheld, what is open, what was kept back and why, and the line of decisions that led there.
    """
    with desk.memory(embeds=True) as memory:
        answer = memory.recall(
            query,
            scope=scope or _DEFAULT_SCOPE,
            limit=limit,
            valid_at=valid_at,
            known_at=position(known_at),
            mode=mode,
            applies=conditions(applies),
            kinds=kind or (),
            channels=channel or (),
            subject=subject,
            attribute=attribute,
            budget_tokens=budget_tokens,
            vector=None if vector is None else _numbers(vector),
            documents=_chunks(document or ()),
            for_action=for_action,
            direction=direction,
            explain=explain,
        )
    if prompt:
        desk.show({"prompt": answer.prompt()}, lambda _: answer.prompt())
        return
    desk.show(answer, lambda show: show.recalled(answer, explain=explain))


def _chunks(paths: Sequence[Path]) -> list[Chunk]:
    from upheld.corpus.places import file
    from upheld.corpus.read import read
    from upheld.errors import UpheldError

    found: list[Chunk] = []
    for path in paths:
        content = file(path).content
        if isinstance(content, UpheldError):
            raise content
        found += read(path.name, content).chunks
    return found


def _numbers(path: Path) -> list[float]:
    from upheld.errors import Invalid
    from upheld.importers.files import MAX_LINE_BYTES, plain_text
    from upheld.wire import loads

    try:
        found: Any = loads(plain_text(path, MAX_LINE_BYTES))
    except Invalid as error:
        raise Invalid(f"{path} must hold a JSON list of numbers: {error}") from None
    if not isinstance(found, list) or not all(type(each) in (int, float) for each in found):
        raise Invalid(f"{path} must hold a JSON list of numbers")
    return [float(each) for each in found]


def get(desk: Desk, note: NoteId, valid_at: ValidAt = None, known_at: KnownAt = None, mode: Mode = "answer") -> None:
    """One note by its id, with its standing.

    Its text is there if it is in force, or in history mode.
    """
    with desk.memory() as memory:
        view = memory.get(note, valid_at=valid_at, known_at=position(known_at), mode=mode)
    desk.show(view, lambda show: show.viewed(view))


def list_(
    desk: Desk,
    *,
    scope: Scopes = None,
    kind: Kinds = None,
    valid_at: ValidAt = None,
    known_at: KnownAt = None,
    mode: Mode = "answer",
    limit: Annotated[int, option("--limit", metavar="N", help="At most so many notes. Default: 100")] = 100,
    before: Annotated[
        int | None, option("--before", metavar="SEQ", help="Only what was recorded before this log position.")
    ] = None,
) -> None:
    """Notes of some scopes, newest first.

    Those in force, or in history mode all.
    """
    with desk.memory() as memory:
        page = memory.list(
            scope or _DEFAULT_SCOPE,
            kinds=kind or (),
            valid_at=valid_at,
            known_at=position(known_at),
            mode=mode,
            limit=limit,
            before=before,
        )
    more = None if page.before is None else f"more: --before {page.before}"
    desk.show_each(page.notes, lambda show: show.listed(page.notes, more))


def history(desk: Desk, note: NoteId, known_at: KnownAt = None) -> None:
    """What a note replaced and what replaced it, in order."""
    with desk.memory() as memory:
        views = memory.history(note, known_at=position(known_at))
    desk.show_each(views, lambda show: show.listed(views, None))


def explain(
    desk: Desk, note: NoteId, valid_at: ValidAt = None, known_at: KnownAt = None, mode: Mode = "answer"
) -> None:
    """Why a note is upheld or withheld, as a tree."""
    with desk.memory() as memory:
        tree = memory.explain(note, valid_at=valid_at, known_at=position(known_at), mode=mode)
    desk.show(tree, lambda show: show.explained(tree))


def rests_on(desk: Desk, note: NoteId, known_at: KnownAt = None, mode: Mode = "answer") -> None:
    """All that a note rests on, the nearest first."""
    with desk.memory() as memory:
        views = memory.rests_on(note, known_at=position(known_at), mode=mode)
    desk.show_each(views, lambda show: show.listed(views, None))


def supports(desk: Desk, note: NoteId, known_at: KnownAt = None, mode: Mode = "answer") -> None:
    """All that rests on a note, the nearest first.

    What falls if it falls.
    """
    with desk.memory() as memory:
        views = memory.supports(note, known_at=position(known_at), mode=mode)
    desk.show_each(views, lambda show: show.listed(views, None))


def scopes(desk: Desk) -> None:
    """Every scope, with how many notes were recorded in it."""
    with desk.memory() as memory:
        found = memory.scopes()
    desk.show(found, lambda show: show.scopes(found))


COMMANDS = (
    Command("recall", recall),
    Command("get", get),
    Command("list", list_),
    Command("history", history),
    Command("explain", explain),
    Command("rests-on", rests_on),
    Command("supports", supports),
    Command("scopes", scopes),
)
