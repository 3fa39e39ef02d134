"""What audits suggest for a policy, as the change to its file."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from difflib import unified_diff
from typing import Any

from upheld.audit import AuditReport, OfKind, duration_text


def policy_diff(found: AuditReport, text: str | None, name: str) -> str:
    """The change to a policy that audits suggest, as a unified diff of its TOML; "" where they suggest none.

    `text` is what the file `name` holds, None where there is no such file. A kind whose table the file writes in a
    form that one line cannot change (`kinds = {...}`) is left out; `suggested` says it all the same.
    """
    after = text or ""
    for each in found.kinds:
        if each.suggested is not None:
            after = _with_half_life(after, each.kind, f'half_life = "{each.suggested}"', reason(each, found.tolerance))
    source = "/dev/null" if text is None else name
    lines = unified_diff((text or "").splitlines(keepends=True), after.splitlines(keepends=True), source, name)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def reason(found: OfKind, tolerance: float) -> str:
    """Why a half-life is suggested, and what follows from it, on one line."""
    fitted, answered = found.half_life, found.rate.of
    if fitted is None or found.tolerated is None:
        return f"{answered:,} notes checked; {found.needed:,} more are needed"
    low = "0" if fitted.low is None else duration_text(fitted.low)
    high = "any" if fitted.high is None else duration_text(fitted.high)
    window = duration_text(found.tolerated)
    cost = (
        ""
        if found.dropped is None
        else f", or a ttl that drops {found.dropped.hits / found.dropped.of:.0%} of what holds"
    )
    return f"{low} to {high}, {answered:,} notes checked; {tolerance:.0%} wrong at {window}: for verify_after{cost}"


def _with_half_life(text: str, kind: str, setting: str, why: str) -> str:
    """A policy's text with one setting of one kind changed or added, all else as it was; or the text as it was."""
    end = "\r\n" if "\r\n" in text else "\n"
    named = kind if re.fullmatch(r"[A-Za-z0-9_-]+", kind) else json.dumps(kind, ensure_ascii=False)
    header = re.compile(rf"\s*\[\s*kinds\s*\.\s*(?:{re.escape(named)}|\"{re.escape(kind)}\"|'{re.escape(kind)}')\s*\]")
    lines = text.splitlines(keepends=True)
    line = f"{setting}  # {why}{end}"
    begins = next((place for place, each in enumerate(lines) if header.match(each)), None)
    if begins is None:
        gap = end if text.endswith("\n") else end * 2
        changed = [*lines, f"{gap if text else ''}[kinds.{named}]{end}", line]
    else:
        ends = next((at for at in range(begins + 1, len(lines)) if lines[at].lstrip().startswith("[")), len(lines))
        old = [at for at in range(begins + 1, ends) if re.match(r"\s*half_life\s*=", lines[at])]
        before = lines[: begins + 1] if lines[begins].endswith("\n") else [lines[begins] + end]
        changed = [*lines[: old[0]], line, *lines[old[0] + 1 :]] if old else [*before, line, *lines[begins + 1 :]]
    after = "".join(changed)
    value = tomllib.loads(setting)
    return after if _table(after) == _laid_over(_table(text), kind, value) else text


def _table(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _laid_over(table: dict[str, Any] | None, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    kinds = (table or {}).get("kinds", {})
    return {**(table or {}), "kinds": {**kinds, kind: {**kinds.get(kind, {}), **value}}}
