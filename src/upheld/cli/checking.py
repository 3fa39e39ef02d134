"""The command that needs no store: check holds files of notes against documents."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from upheld.cli.command import Command
from upheld.cli.desk import Desk, counted, visible
from upheld.cli.options import option

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from upheld.check import Checked, Contradicts, Failed

_WIDE = 100
_WORD = re.compile(r"\w+(?:[.,:/-]\w+)*")
_DENYING = frozenset(("no", "not", "never", "cannot"))
_COMMAND = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = {**_COMMAND, ":": "%3A", ",": "%2C"}


def check(
    desk: Desk,
    *,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Markdown, text or JSON Lines files (an export, or drafts), or folders of such.",
            show_default=False,
        ),
    ],
    against: Annotated[
        list[str], option("--against", metavar="PATH", help="A document, or a folder of such; may be repeated.")
    ],
    everything: Annotated[
        bool, option("--all", help="Also what may be a contradiction and is not certain enough to act on.")
    ] = False,
    github: Annotated[bool, option("--github", help="Print annotations for GitHub Actions.")] = False,
) -> None:
    """Find statements in files that documents contradict.

    No store is needed, and nothing is written. Code, quotations and headings are no statements; a document that is
    also among the paths is not held against itself. Exit code 1 where a document contradicts a statement, or a file
    of notes could not be read.
    """
    from upheld.check import check as checked

    began = time.monotonic()
    with desk.progress("checking") as tick:
        found = checked(paths, against, progress=tick)
    seconds = time.monotonic() - began
    shown = found.findings if everything else found.contradictions
    if github:
        sys.stdout.writelines(f"{annotation(each)}\n" for each in shown)
        desk.say(_summary(found, seconds, everything=everything))
    else:
        desk.show(
            _shaped(found, shown, seconds),
            lambda _: _rendered(desk, found, shown, _summary(found, seconds, everything=everything)),
        )
    if github or not desk.options.as_json:
        _complain(desk, found)
    if found.contradictions or any(not each.is_document for each in found.failed):
        raise typer.Exit(1)


def _shaped(found: Checked, shown: Sequence[Contradicts], seconds: float) -> dict[str, Any]:
    """As it leaves as JSON."""
    return {
        "findings": [{name: getattr(each, name) for name in each.__dataclass_fields__} for each in shown],
        "contradictions": len(found.contradictions),
        "proposals": len(found.proposals),
        "statements": found.statements,
        "documents": found.documents,
        "pairs": found.pairs,
        "unanswered": found.unanswered,
        "failed": [_failed(each) for each in found.failed],
        "seconds": round(seconds, 3),
    }


def _failed(each: Failed) -> dict[str, Any]:
    from upheld.wire import error_of

    return {"file": each.file, "line": each.line, "is_document": each.is_document, **error_of(each.error)}


def _complain(desk: Desk, found: Checked) -> None:
    """Say on stderr what the result lacks."""
    for each in found.failed:
        place = each.file if each.line is None else f"{each.file}:{each.line}"
        desk.say(f"{place}: {each.error}", "yellow" if each.is_document else "red")
    if found.unanswered:
        desk.say(f"{found.unanswered:,} pairs were not answered by any judge", "yellow")


def _summary(found: Checked, seconds: float, *, everything: bool) -> str:
    contradicted = counted(len(found.contradictions), "contradiction")
    more = f", {counted(len(found.proposals), 'proposal')}" if found.proposals else ""
    hint = " (--all shows them)" if more and not everything else ""
    looked = ", ".join(
        counted(count, name)
        for count, name in ((found.statements, "statement"), (found.documents, "document"), (found.pairs, "pair"))
    )
    return f"{contradicted}{more}{hint}: {looked}, {seconds:.1f} s"


# --- for GitHub ------------------------------------------------------------------------------------------------------


def annotation(found: Contradicts) -> str:
    """A finding as a workflow command, which GitHub shows at the line that it is about."""
    kind = "warning" if found.acts else "notice"
    said = f"{_document(found)} says: {found.chunk_quote}\nThe note says: {found.claim_quote}\n{found.why}"
    title = "Contradicted by a document" if found.acts else "May be contradicted by a document"
    return (
        f"::{kind} file={_escaped(found.file, _PROPERTY)},line={found.line},title={title}::{_escaped(said, _COMMAND)}"
    )


def _escaped(text: str, signs: Mapping[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)


# --- for people ------------------------------------------------------------------------------------------------------


def _rendered(desk: Desk, found: Checked, shown: Sequence[Contradicts], summary: str) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    wide = desk.out.is_terminal and desk.out.width >= _WIDE
    rows: list[RenderableType] = []
    for each in shown:
        rows += [_beside(each, desk.out.width) if wide else _below(each), _reason(each), Text()]
    rows.append(Text(summary, "bold red" if found.contradictions else "bold" if found.proposals else "bold green"))
    return Group(*rows)


def _beside(found: Contradicts, width: int) -> RenderableType:
    """Both quotes in two columns, each below its place."""
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2), expand=False)
    column = (width - 4) // 2
    grid.add_column(width=column, overflow="fold")
    grid.add_column(width=column, overflow="fold")
    grid.add_row(Text(visible(_note(found)), "dim"), Text(visible(_document(found)), "dim"))
    grid.add_row(*_quotes(found))
    return grid


def _below(found: Contradicts) -> RenderableType:
    """One quote below the other, each after its place."""
    from rich.console import Group
    from rich.text import Text

    places = (_note(found), _document(found))
    return Group(
        *(
            Text.assemble((f"{visible(place)}: ", "dim"), quote)
            for place, quote in zip(places, _quotes(found), strict=True)
        )
    )


def _reason(found: Contradicts) -> Text:
    from rich.text import Text

    since = "" if found.effective_from is None else f" (since {found.effective_from.date().isoformat()})"
    manner = "" if found.acts else "perhaps: "
    return Text(visible(f"  {manner}{found.why}{since}"), "dim italic" if found.acts else "yellow")


def _quotes(found: Contradicts) -> tuple[Text, Text]:
    """Both quotes on one line each, with what only one of them says marked."""
    note, document = (visible(" ".join(quote.split())) for quote in (found.claim_quote, found.chunk_quote))
    return _marked(note, document, "bold red"), _marked(document, note, "bold green")


def _marked(text: str, other: str, style: str) -> Text:
    from rich.text import Text

    from upheld.judges.lexicon import FUNCTION

    known = FUNCTION - _DENYING | {word[0].casefold() for word in _WORD.finditer(other)}
    marked = Text(text)
    for word in _WORD.finditer(text):
        if word[0].casefold() not in known:
            marked.stylize(style, word.start(), word.end())
    return marked


def _note(found: Contradicts) -> str:
    return f"{found.file}:{found.line}"


def _document(found: Contradicts) -> str:
    return found.document if found.document_line is None else f"{found.document}:{found.document_line}"


COMMANDS = (Command("check", check),)
