"""The demo: a year of a team's record, filed day by day into a store, and asked beside a plain search.

Then the team's documents are held against it, and one line of one of them is edited.

Nothing is made up on the way: the answers are the library's, the expectations are the record's own, and every figure
at the end is counted from the answers.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from shlex import join
from typing import Any

import typer

from upheld.cli.demo import record as records
from upheld.cli.demo.asking import Asked, Findings, ask_all, plain_store
from upheld.cli.demo.documents import Held, beside, copy, hold
from upheld.cli.desk import Desk
from upheld.cli.options import DEFAULT_DEMO
from upheld.errors import Invalid
from upheld.opening import default_embedder
from upheld.wire import shaped

_WIDTH = 100
_FONTS = re.compile(r"\s*@font-face\s*\{[^}]*\}")


def run(desk: Desk, *, everything: bool, svg: Path | None) -> None:
    """File the record, ask it, edit a document, tell what was found.

    Exit code 1 where an answer is not the expected one, the note did not fall, or anything else did.
    """
    store = Path(desk.options.store or DEFAULT_DEMO)
    record = records.read(records.folder())
    embedder = None if desk.options.words_only else default_embedder()
    calendar = records.Calendar()
    documents = beside(store, record)
    records.make_room(store)
    copy(record, documents)
    with records.opened(store, calendar, embedder) as memory:
        with desk.progress("filing the record") as tick:
            records.file_into(memory, record, calendar, tick)
        with plain_store(memory, record, embedder) as plain:
            findings = ask_all(memory, plain, record)
        held = hold(memory, record, calendar, documents)
    commands = _go_on(store, record.scopes, findings, held, words_only=embedder is None)
    if desk.options.as_json:
        desk.write(_shaped(findings, held, store, commands))
    else:
        _tell(desk, findings, held, store, commands, everything=everything)
    if svg is not None:
        _draw(svg, findings, held)
    if findings.faults or findings.served_old or held.faults or held.served_old:
        raise typer.Exit(1)


def _tell(desk: Desk, findings: Findings, held: Held, store: Path, commands: list[str], *, everything: bool) -> None:
    from upheld.cli.demo.telling import told

    out = desk.out
    out.soft_wrap = False
    out.print(told(findings, held, str(store), commands, everything=everything), width=min(out.width, _WIDTH))


def _draw(svg: Path, findings: Findings, held: Held) -> None:
    from io import StringIO

    from rich.console import Console

    from upheld.cli.demo.telling import pictured

    console = Console(record=True, width=_WIDTH, file=StringIO(), force_terminal=True, highlight=False, markup=False)
    console.print(pictured(findings, held))
    # Without the fonts that it would fetch from elsewhere, and always under the same names.
    drawn = _FONTS.sub("", console.export_svg(title="upheld demo", unique_id="upheld"))
    try:
        svg.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise Invalid(f"cannot write {svg}: {error.strerror}") from None


def _go_on(store: Path, scopes: tuple[str, ...], findings: Findings, held: Held, *, words_only: bool) -> list[str]:
    """Commands that work as they stand, on the store that was just made."""
    beside = Path(sys.executable).with_name("upheld")
    here = Path.cwd()
    program = [str(beside.relative_to(here) if beside.is_relative_to(here) else beside)]
    if not beside.exists():
        program = [sys.executable, "-m", "upheld"]
    place = ["--store", str(store), *(["--words-only"] if words_only else [])]
    within = [word for scope in scopes for word in ("--scope", scope)]
    misled = [each for each in findings.asked if each.misled and each.answer.path]
    asked = (misled or list(findings.asked))[0]
    old = asked.plain[0].id
    return [
        join([*program, "recall", asked.question.ask, *within, *place]),
        join([*program, "recall", asked.question.ask, *within, "--valid-at", "2026-03-31", *place]),
        join([*program, "explain", old, *place]),
        join([*program, "history", old, *place]),
        join([*program, "inbox", *place]),
        *(
            join([*program, "inbox", "undo", str(notice.number), "--by", held.sources[notice.note], *place])
            for notice in held.notices
        ),
        join([*program, "doctor", *place]),
    ]


def _shaped(findings: Findings, held: Held, store: Path, commands: list[str]) -> dict[str, Any]:
    faults = [*findings.faults, *held.faults]
    return {
        "store": str(store),
        "notes": findings.notes,
        "asked": [_shaped_one(each) for each in findings.asked],
        "march": [_shaped_one(then) for then, _ in findings.march],
        "two_times": [_shaped_one(each) for each in findings.two_times],
        "direction": {
            **_shaped_one(findings.direction),
            "moves": [[move.old.id, move.new.id] for move in findings.moves],
        },
        "counts": {
            "questions": len(findings.asked),
            "plain_old_first": findings.misled,
            "old_served": findings.served_old + held.served_old,
            "unexpected": len(faults),
        },
        "document": _shaped_document(held),
        "faults": faults,
        "commands": commands,
    }


def _shaped_document(held: Held) -> dict[str, Any]:
    return {
        "folder": held.folder,
        "documents": held.documents,
        "passages": held.passages,
        "first": shaped(held.first),
        "before": _shaped_one(held.before),
        "edited": held.edit.name,
        "diff": held.diff,
        "second": shaped(held.second),
        "took_ms": round(held.took_s * 1000, 1),
        "notices": [shaped(notice) for notice in held.notices],
        "moved": [{"id": id, "was": was.value, "now": now.value} for id, (was, now) in held.moved.items()],
        "after": _shaped_one(held.after),
        "rests": [_shaped_one(each) for each in held.rests],
        "old_served": held.served_old,
        "faults": held.faults,
    }


def _shaped_one(each: Asked) -> dict[str, Any]:
    return {
        "ask": each.question.ask,
        "plain": [{"id": view.id, "standing": view.standing.value} for view in each.plain],
        "answer": shaped(each.answer),
        "faults": each.faults,
    }
