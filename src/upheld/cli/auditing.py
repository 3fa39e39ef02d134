"""The commands about audits: audit run, questions, answer, report."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from upheld.cli.bars import bar
from upheld.cli.command import Command, Group
from upheld.cli.desk import Desk, counted
from upheld.cli.options import By, Kinds, NoteId, option
from upheld.cli.sweeping import AnyScope
from upheld.errors import Invalid, Misconfigured

if TYPE_CHECKING:
    from upheld.audit import AuditReport

_NEW_POLICY = "policy.toml"
_Chart = Annotated[
    Path | None, option("--chart", metavar="FILE.svg", help="Also draw the wrong rates, as a picture in this file.")
]
_PolicyDiff = Annotated[
    bool, option("--policy-diff", help="Print the change to the policy that follows, and the report to stderr.")
]
_Tolerance = Annotated[
    float,
    option("--tolerance", metavar="SHARE", help="The wrong rate that is put up with, above 0, below 1. Default: 0.1"),
]


def run(
    desk: Desk,
    *,
    scope: AnyScope = None,
    kind: Kinds = None,
    sample: Annotated[
        int, option("--sample", metavar="N", min=1, help="Draw at most so many notes of each kind. Default: 50")
    ] = 50,
    seed: Annotated[
        int | None, option("--seed", metavar="N", min=0, help="Draw as an audit with this seed did. Default: a new one")
    ] = None,
    tolerance: _Tolerance = 0.1,
    chart: _Chart = None,
    policy_diff: _PolicyDiff = False,
    by: By = "person:owner",
) -> None:
    """Draw notes of each kind, check them, and say how many are wrong.

    Each is checked by the system that owns its value; where none does, by the documents; else it waits for a person:
    see upheld audit questions. What an owner or a document says otherwise takes effect.

    What was checked is kept if the audit is interrupted.
    """
    text = _ready(desk, chart, policy_diff)
    with desk.memory() as memory:
        try:
            with bar(desk, "checking notes") as tick:
                found = memory.audits.run(
                    tuple(scope or ()),
                    kinds=tuple(kind or ()),
                    sample=sample,
                    seed=seed,
                    by=by,
                    tolerance=tolerance,
                    progress=tick,
                )
        except KeyboardInterrupt:
            desk.say("what was checked so far is kept: upheld audit report", "yellow")
            raise
    _publish(desk, found, chart, policy_diff, text)
    if found.held_back:
        desk.say(
            f"documents contradict {counted(len(found.held_back), 'note')}, more than may be retired unasked; "
            "to see and allow it: upheld sweep",
            "yellow",
        )
    if waiting := sum(each.open for each in found.kinds):
        desk.say(f"{counted(waiting, 'note')} to ask a person about: upheld audit questions", "yellow")


def questions(
    desk: Desk,
    number: Annotated[
        int | None, typer.Argument(metavar="[NUMBER]", help="Of one audit. Default: of all", min=1, show_default=False)
    ] = None,
) -> None:
    """What waits for a person: notes that nothing else could check.

    For the people who own the notes: a note is shown whether or not it still stands.
    """
    with desk.memory() as memory:
        found = memory.audits.questions(number)
    desk.show_each(found, lambda _: _shows().asked(found))


def answer(
    desk: Desk,
    *,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="The number of an audit.", min=1, show_default=False)],
    note: NoteId,
    verdict: Annotated[
        Literal["right", "wrong"], typer.Argument(metavar="right|wrong", help="Whether it holds.", show_default=False)
    ],
    value: Annotated[str | None, option("--value", metavar="TEXT", help="What holds instead; only with wrong.")] = None,
    by: By = "person:owner",
) -> None:
    """Say whether a note of an audit still holds.

    Right confirms it. Wrong with a value corrects it; without one the note is disputed, and no longer served as
    current.
    """
    with desk.memory(embeds=value is not None) as memory:
        view = memory.audits.answer(number, note, verdict == "wrong", value, by=by)
    desk.show(view, lambda show: show.viewed(view))


def report(
    desk: Desk,
    *,
    number: Annotated[
        int | None,
        typer.Argument(metavar="[NUMBER]", help="Of one audit. Default: all together", min=1, show_default=False),
    ] = None,
    tolerance: _Tolerance = 0.1,
    chart: _Chart = None,
    policy_diff: _PolicyDiff = False,
) -> None:
    """How many notes of each kind audits found wrong, and after how long half of them are.

    Both with 95 % intervals. Where the interval of a half-life excludes what the policy sets, another is suggested.
    """
    text = _ready(desk, chart, policy_diff)
    with desk.memory() as memory:
        found = memory.audits.report(number, tolerance=tolerance)
    _publish(desk, found, chart, policy_diff, text)


def _ready(desk: Desk, chart: Path | None, policy_diff: bool) -> str | None:
    """What the policy file holds, None without one. Refuses what could not be published, before any work is done."""
    if chart is not None and (desk.destination(chart).is_dir() or not chart.parent.is_dir()):
        raise Invalid(f"cannot write {chart}: its folder must be there, and it must be no folder itself")
    if not policy_diff or desk.options.policy is None:
        return None
    try:
        return Path(desk.options.policy).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Misconfigured(f"cannot read the policy file {desk.options.policy}: {why}") from None


def _publish(desk: Desk, found: AuditReport, chart: Path | None, policy_diff: bool, text: str | None) -> None:
    from upheld import wire

    if chart is not None:
        try:
            chart.write_text(wire.chart(found), encoding="utf-8")
        except OSError as error:
            raise Invalid(f"cannot write {chart}: {error.strerror}") from None
    if not policy_diff:
        desk.show(found, lambda _: _shows().audited(found))
        return
    diff = wire.policy_diff(found, text, desk.options.policy or _NEW_POLICY)
    if desk.options.as_json:
        desk.write({**wire.shaped(found), "policy_diff": diff})
        return
    desk.err.print(_shows().audited(found))
    if diff:
        typer.echo(diff, nl=False)
    else:
        desk.say("the audits suggest no change")


def _shows() -> ModuleType:
    """How it looks to people; imported only where something is printed for them."""
    from upheld.cli import show_audits

    return show_audits


COMMANDS = Group(
    "audit",
    "How many notes are wrong, by kind; without a command, a new audit.",
    (Command("run", run), Command("questions", questions), Command("answer", answer), Command("report", report)),
    alone="run",
)
