"""Since when a clause holds: *as of 1 June 2026*, *moved to B on 2026-02-03*."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from upheld.judges.endings import Change
from upheld.judges.tokens import Token
from upheld.keys.words import KINDS, VERB

__all__ = ["effective"]

_ON: Final = frozenset(("on", "in"))
_TIMELY: Final = frozenset((
    "as of", "as from", "since", "effective", "from", "starting", "beginning", "with effect from", "effect from",
    "since early", "since late", "of",
))  # fmt: skip


def effective(words: Sequence[Token], changed: Change | None) -> tuple[frozenset[Token], datetime | None]:
    """The dates that say since when the clause holds, and the first of them as a moment, if it names year and month."""
    found: list[Token] = []
    values = {*changed.old, *changed.new} if changed is not None else set()
    for at, token in enumerate(words):
        if token.sort != "date" or token in values or not at:
            continue
        before = [other.text.lower() for other in words[max(0, at - 3) : at]]
        last, two, three = before[-1], " ".join(before[-2:]), " ".join(before[-3:])
        told = at > 1 and KINDS.get(words[at - 2].text.lower()) == VERB  # "ends on 31 December"
        happened = changed is not None and last in _ON and not (told and words[at - 2] not in changed.cue)
        if last in _TIMELY - {"of"} or two in _TIMELY or three in _TIMELY or happened:
            found.append(token)
    return frozenset(found), next((day for token in found if (day := _moment(token.key)) is not None), None)


def _moment(date: str) -> datetime | None:
    parts = date.split("-")
    if len(parts[0]) != 4 or not parts[0].isdigit() or len(parts) < 2:
        return None
    try:
        return datetime(int(parts[0]), int(parts[1]), int(parts[2]) if len(parts) > 2 else 1, tzinfo=UTC)
    except ValueError:
        return None
