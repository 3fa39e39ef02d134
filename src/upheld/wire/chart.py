"""The wrong rate of each kind as a picture: SVG, without scripts, readable in light and dark, and by screen readers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from upheld.answer import day
from upheld.audit import AuditReport, OfKind, duration_text

WIDTH, LEFT, PLOT, ROW, TOP = 860, 150, 360, 56, 84
LIGHT = {"paper": "#ffffff", "ink": "#1f2328", "quiet": "#57606a", "line": "#d0d7de", "bar": "#bc4c00"}
DARK = {"paper": "#0d1117", "ink": "#e6edf3", "quiet": "#9198a1", "line": "#3d444d", "bar": "#f0883e"}

_BAR, _BASELINE, _LONGEST_NAME = 18, 30, 18
_SCALES = (0.05, 0.1, 0.2, 0.5, 1.0)
# What XML cannot hold, not even escaped.
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def chart(found: AuditReport) -> str:
    """A bar for each kind with its 95 % interval, the figures beside it, and all of it once more in words.

    >>> chart(AuditReport(audits=(), tolerance=0.1, kinds=())).count("no audit has drawn a note")
    2
    """
    scale = next(
        each for each in _SCALES if each >= max([0.0, *(kind.rate.high for kind in found.kinds if kind.rate.of)])
    )
    height = TOP + ROW * max(len(found.kinds), 1) + 34
    said = " ".join(_in_words(kind) for kind in found.kinds) or "no audit has drawn a note"
    rows = [part for place, kind in enumerate(found.kinds) for part in _row(kind, TOP + ROW * place, scale)]
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title said">',
        '<title id="title">How many notes are wrong, by kind</title>',
        f'<desc id="said">{_text(said)}</desc>',
        f"<style>{_style(LIGHT)} @media (prefers-color-scheme: dark) {{ {_style(DARK)} }}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{height}"/>',
        '<text class="ink head" x="20" y="32">How many notes are wrong, by kind</text>',
        f'<text class="quiet" x="20" y="54">{_text(_when(found))}</text>',
        *_axis(scale, height),
        *(rows or [f'<text class="quiet" x="20" y="{TOP + _BASELINE}">no audit has drawn a note</text>']),
        "</svg>\n",
    ])  # fmt: skip


def _style(colours: dict[str, str]) -> str:
    fills = " ".join(f".{name} {{ fill: {colours[name]} }}" for name in ("paper", "ink", "quiet", "bar"))
    strokes = f".line {{ stroke: {colours['line']} }} .whisker {{ stroke: {colours['ink']}; stroke-width: 2 }}"
    return f"text {{ font: 13px system-ui, sans-serif }} .head {{ font-size: 17px }} {fills} {strokes}"


def _when(found: AuditReport) -> str:
    if not found.audits:
        return "95 % intervals"
    first, last = day(min(audit.at for audit in found.audits)), day(max(audit.at for audit in found.audits))
    many = f"audit {found.audits[0].number}" if len(found.audits) == 1 else f"{len(found.audits)} audits"
    return f"{many}, {first if first == last else f'{first} to {last}'}; 95 % intervals"


def _axis(scale: float, height: int) -> list[str]:
    parts = []
    for share in (0.0, scale / 2, scale):
        x = _at(share, scale)
        parts.append(f'<line class="line" x1="{x}" x2="{x}" y1="{TOP - 8}" y2="{height - 30}"/>')
        parts.append(f'<text class="quiet" text-anchor="middle" x="{x}" y="{height - 12}">{100 * share:.3g} %</text>')
    return parts


def _row(found: OfKind, top: int, scale: float) -> Sequence[str]:
    short = found.kind if len(found.kind) <= _LONGEST_NAME else found.kind[: _LONGEST_NAME - 1] + "…"
    middle = top + _BASELINE - 5
    parts = [f'<text class="ink" x="20" y="{top + _BASELINE}">{_text(short)}<title>{_text(found.kind)}</title></text>']
    if found.rate.of:
        ends = _at(found.rate.low, scale), _at(found.rate.high, scale)
        start, y = _at(0, scale), middle - _BAR // 2
        long = round(_at(found.rate.hits / found.rate.of, scale) - start, 1)
        parts += [
            f'<rect class="bar" x="{start}" y="{y}" width="{long}" height="{_BAR}"/>',
            f'<line class="whisker" x1="{ends[0]}" x2="{ends[1]}" y1="{middle}" y2="{middle}"/>',
            *(f'<line class="whisker" x1="{x}" x2="{x}" y1="{middle - 6}" y2="{middle + 6}"/>' for x in ends),
        ]
    x = LEFT + PLOT + 24
    parts += [
        f'<text class="ink" x="{x}" y="{top + _BASELINE - 9}">{_text(_rate(found))}</text>',
        f'<text class="quiet" x="{x}" y="{top + _BASELINE + 9}">{_text(_half_life(found))}</text>',
    ]
    return parts


def _at(share: float, scale: float) -> float:
    return round(LEFT + PLOT * share / scale, 1)


def _rate(found: OfKind) -> str:
    waiting = f"; {found.open:,} open" if found.open else ""
    if not found.rate.of:
        return f"nothing answered yet{waiting}"
    low, high = 100 * found.rate.low, 100 * found.rate.high
    return f"{100 * found.rate.hits / found.rate.of:.1f} % ({low:.1f} to {high:.1f}) of {found.rate.of:,}{waiting}"


def _half_life(found: OfKind) -> str:
    fitted = found.half_life
    if fitted is None:
        return f"half-life: {found.needed:,} more answers are needed" if found.needed else "half-life: not known"
    if fitted.low is None or fitted.high is None:
        known = f"at least {duration_text(fitted.low)}" if fitted.low else f"at most {duration_text(fitted.high or 0)}"
        return f"half-life {known}"
    return f"half-life {duration_text(fitted.days or 0)} ({duration_text(fitted.low)} to {duration_text(fitted.high)})"


def _in_words(found: OfKind) -> str:
    return f"{found.kind}: {_rate(found)}, {_half_life(found)}."


def _text(said: str) -> str:
    return escape(_UNWRITABLE.sub("\ufffd", said))
