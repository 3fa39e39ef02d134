"""How audits look to people. Imported only where something is printed for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from rich.console import Group, RenderableType

from upheld.answer import day
from upheld.audit import AuditQuestion, AuditReport, HalfLife, OfKind, duration_text
from upheld.cli.desk import counted
from upheld.cli.show import line
from upheld.cli.show_documents import columns
from upheld.note import Standing
from upheld.rates import Rate

_HEAD = ("kind", "right", "wrong", "open", "wrong rate", "half-life", "policy")


def audited(found: AuditReport) -> RenderableType:
    """Wrong rates and half-lives by kind, and what follows from them."""
    if not found.kinds:
        return line(("No audit has drawn a note.", "bold"))
    rows = [
        (
            each.kind,
            f"{each.right:,}",
            f"{each.wrong:,}",
            f"{each.open:,}",
            _rate(each.rate),
            _half_life(each.half_life, each.needed),
            each.present,
        )
        for each in found.kinds
    ]
    parts: list[RenderableType] = [line((_which(found), "bold")), columns(_HEAD, rows, right={1, 2, 3})]
    parts += [line(("suggested  ", "yellow"), _suggestion(each)) for each in found.kinds if each.suggested]
    parts += [line((f"{each.kind}: {_window(each, found)}", "dim")) for each in found.kinds if each.tolerated]
    parts.append(line(("in brackets: 95 % intervals", "dim")))
    return Group(*parts)


def _which(found: AuditReport) -> str:
    if len(found.audits) != 1:
        first, last = day(found.audits[0].at), day(found.audits[-1].at)
        return f"{counted(len(found.audits), 'audit')}, {first if first == last else f'{first} to {last}'}"
    [audit] = found.audits
    return f"audit {audit.number}, {day(audit.at)}, by {audit.by}, seed {audit.seed}"


def _rate(found: Rate) -> str:
    return f"{found.hits / found.of:.1%} ({found.low:.1%} to {found.high:.1%})" if found.of else "not known"


def _half_life(found: HalfLife | None, needed: int) -> str:
    if found is None:
        return f"{needed:,} more answers needed" if needed else "not known"
    low = None if found.low is None else duration_text(found.low)
    high = None if found.high is None else duration_text(found.high)
    if found.days is None:
        return f"at least {low}" if high is None else f"at most {high}"
    return f"{duration_text(found.days)} ({low} to {high})"


def _suggestion(found: OfKind) -> str:
    return f'[kinds.{found.kind}] half_life = "{found.suggested}", not "{found.present}"; as a change: --policy-diff'


def _window(found: OfKind, report: AuditReport) -> str:
    window = duration_text(found.tolerated or 0)
    said = f"{report.tolerance:.0%} are wrong {window} after they were last seen to hold"
    if found.dropped is None:
        return said
    drops = f"{found.dropped.hits / found.dropped.of:.0%} of those that still hold"
    return f"{said}; a lifetime of {window} drops {drops}, verify_after asks about them"


def asked(found: Sequence[AuditQuestion]) -> RenderableType:
    """What waits for a person, and how to answer."""
    if not found:
        return line(("Nothing waits for a person.", "bold"))
    rows: list[RenderableType] = []
    for each in found:
        seen = f"last seen to hold on {day(each.asked_at - timedelta(days=each.age_days))}"
        now = "" if each.standing is Standing.IN_FORCE else f"now {each.standing.value.replace('_', ' ')}"
        about = [f"audit {each.audit}", f"{each.kind} note in {each.scope}", seen, now]
        rows += [
            line((each.note, "bold"), f"  {each.statement}"),
            line((" · ".join(part for part in about if part), "dim"), indent=4),
        ]
    first = found[0]
    return Group(*rows, line((f'upheld audit answer {first.audit} {first.note} right|wrong [--value "..."]', "dim")))
