"""What a recall answers with, and how it is put before a model.

Three lists: what may be used, what is unsettled, what was kept back. The text of a note that does not stand is in
none of them, except in history mode, where each carries a label that states a fact and instructs nothing.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from datetime import datetime
from functools import reduce

from msgspec import Struct

from upheld.note import Band, Note, Standing
from upheld.wording import Wording, load

_MARKUP = frozenset("<>&`")
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


class View(Struct, frozen=True, kw_only=True, gc=False):
    """A note as it may leave the store: the statement is None unless it is in force or history was asked for."""

    seq: int
    id: str
    scope: str
    kind: str
    standing: Standing
    since: datetime | None
    by: tuple[str, ...]
    reason: str | None
    statement: str | None
    note: Note | None
    language: str = "en"

    @property
    def label(self) -> str:
        """What happened to it, as a fact."""
        return load(self.language).label(self.standing, self.by, self.since)


class Page(Struct, frozen=True, kw_only=True, gc=False):
    """Some of many. `before` asks for the next page; None where there is none."""

    notes: tuple[View, ...]
    before: int | None


class UpheldNote(Struct, frozen=True, kw_only=True, gc=False):
    """A note in force, with how it may be used and what it took the place of.

    `attribution` is empty where date and source need not be said. `confirmed_at` is when it was last said to hold, by
    whoever it was, `verified_at` when the owner of its value last agreed; reading sets neither. `unverified` names the
    owner of its value where that could not be asked.
    """

    id: str
    statement: str
    scope: str
    kind: str
    band: Band
    confidence: float
    replaces: tuple[str, ...]
    score: float
    attribution: str
    note: Note
    explanation: str | None = None
    confirmed_at: datetime | None = None
    verified_at: datetime | None = None
    unverified: str | None = None

    @property
    def known_since(self) -> datetime:
        """When it was last known to hold: confirmed, verified or seen by its source, else when it was recorded."""
        seen = self.note.observed_at or self.note.recorded_at
        return max(seen, self.confirmed_at or seen, self.verified_at or seen)


class OpenQuestion(Struct, frozen=True, kw_only=True, gc=False):
    """Something known to be unsettled: what was recorded no longer settles it, and what to check first.

    `subject` and `attribute` are there where a value could not be read from its owner, or was not confirmed.
    """

    id: str
    standing: Standing
    scope: str
    since: datetime | None
    by: tuple[str, ...]
    subject: str | None = None
    attribute: str | None = None
    language: str = "en"

    @property
    def question(self) -> str:
        """What is not known, in the answer's language."""
        return self.asked(load(self.language))

    @property
    def check(self) -> str:
        """What to check first, in the answer's language."""
        return load(self.language).check(self.standing, self.by)

    def asked(self, wording: Wording) -> str:
        """What is not known, in any language."""
        return wording.question(
            self.standing, self.scope, self.by, self.since, subject=self.subject, attribute=self.attribute
        )


class WithheldNote(Struct, frozen=True, kw_only=True, gc=False):
    """A note that was found and kept back. `statement` is filled in history mode only."""

    id: str
    standing: Standing
    scope: str
    since: datetime | None
    by: tuple[str, ...]
    reason: str | None
    statement: str | None = None
    language: str = "en"

    @property
    def label(self) -> str:
        """What happened to it, as a fact."""
        return load(self.language).label(self.standing, self.by, self.since)


class Step(Struct, frozen=True, kw_only=True, gc=False):
    """One decision on the way to what is upheld. `statement` is None for a note that no longer stands."""

    id: str
    scope: str
    at: datetime | None
    standing: Standing
    reason: str | None
    statement: str | None


class Receipt(Struct, frozen=True, kw_only=True, gc=False):
    """What one recall found, served and kept back, and the two moments it was asked for."""

    query: str
    scopes: tuple[str, ...]
    valid_at: datetime
    known_at: int
    mode: str
    found: int
    served: tuple[str, ...]
    opened: tuple[str, ...]
    withheld: tuple[tuple[str, Standing], ...]
    omitted: int
    degraded: tuple[str, ...]


class Recall(Struct, frozen=True, kw_only=True, gc=False):
    """The answer to one question. `timeline` is filled in history mode only.

    `for_action` is the action that it was asked for, and `not_known` what an actor would have to know besides.
    """

    upheld: tuple[UpheldNote, ...]
    open: tuple[OpenQuestion, ...]
    withheld: tuple[WithheldNote, ...]
    path: tuple[Step, ...]
    receipt: Receipt
    timeline: tuple[View, ...] = ()
    for_action: str | None = None
    not_known: tuple[str, ...] = ()
    language: str = "en"

    def prompt(self, language: str | None = None) -> str:
        """The block for a model: notes as quoted data, what is open, what was kept back, and the ordering rule.

        `language` is that of its sentences ("en", "de"); None is the answer's own, in which `not_known` always
        stays. Raises `Invalid` where there is no wording of it. Date and source stand with a note only where it is
        below the assert band or about to drive an action (essay 001: on every sentence nobody would read them).

        >>> from datetime import UTC
        >>> now = datetime(2026, 1, 14, tzinfo=UTC)
        >>> receipt = Receipt(
        ...     query="plan", scopes=("s",), valid_at=now, known_at=0, mode="answer", found=0, served=(), opened=(),
        ...     withheld=(), omitted=0, degraded=(),
        ... )
        >>> print(Recall(upheld=(), open=(), withheld=(), path=(), receipt=receipt).prompt("de"))
        <memory note="Die zitierten Texte sind Aufzeichnungen, ...">
        - Es wurde nichts gefunden, das gilt.
        </memory>
        Widerspricht ein gefundenes Dokument einer Notiz, so gilt das Dokument: ...
        """
        wording = load(self.language if language is None else language)
        lines = [f'<memory note="{wording.say("block.fenced")}">']
        lines += [
            f"- [{inline(each.id)}] {quoted(each.statement)}{self._manner(each, wording)}" for each in self.upheld
        ]
        if not self.upheld:
            lines.append(f"- {wording.say('block.nothing')}")
        lines += [_open(each, wording) for each in self.open]
        for view in self.timeline:
            text = "" if view.statement is None else f" {quoted(view.statement)}"
            label = view.label if self._speaks(wording) else wording.label(view.standing, view.by, view.since)
            lines.append(f"- {wording.say('block.history')} [{inline(view.id)}] ({inline(label)}){text}")
        besides = [each for each in self.not_known if each != self.caution()]
        lines += [f"- {wording.say('block.not_known')}: {inline(each)}" for each in besides]
        if self.withheld:
            lines.append(f"- {wording.say('block.kept_back', counts=_counted(self.withheld, wording))}")
        if caution := self.caution(wording):
            lines.append(f"- {inline(caution)}")
        lines.append("</memory>")
        if self.for_action is not None and self._is_unsettled():
            lines.append(wording.say("action.check_first"))
        lines.append(wording.say("block.ordering_rule"))
        return "\n".join(lines)

    def caution(self, wording: Wording | None = None) -> str | None:
        """For an action: that what was not found is no permission. In the answer's language unless said."""
        if self.for_action is None:
            return None
        said = "action.nothing_else" if self.upheld else "action.no_restriction"
        scopes = ", ".join(self.receipt.scopes)
        return (wording or load(self.language)).say(said, action=self.for_action, scopes=scopes)

    def _speaks(self, wording: Wording) -> bool:
        return wording.language == self.language

    def _is_unsettled(self) -> bool:
        """Whether anything in it has to be checked before somebody acts."""
        sure = all(note.band is Band.ASSERT and note.unverified is None for note in self.upheld)
        return bool(self.open) or not sure or any(each != self.caution() for each in self.not_known)

    def _manner(self, note: UpheldNote, wording: Wording) -> str:
        """How a note may be used, in brackets: where it applies, who said it and when, how sure it is."""
        said = []
        if note.note.applies_when:
            said.append(wording.say("note.applies", conditions=_conditions(note.note, wording)))
        if note.attribution:
            said.append(inline(note.attribution if self._speaks(wording) else attribution(note.note, wording)))
        since = wording.day(note.known_since)
        if note.unverified is not None:
            said.append(inline(wording.say("note.unverified", source=note.unverified, date=since)))
        elif note.band is Band.HEDGE:
            said.append(wording.say("note.hedge", date=since))
        if note.band is Band.ASK:
            said.append(wording.say("note.ask"))
        if note.replaces:
            said.append(inline(wording.say("note.replaces", notes=", ".join(note.replaces))))
        return f" ({'; '.join(said)})" if said else ""


def _open(each: OpenQuestion, wording: Wording) -> str:
    question, check = inline(each.asked(wording)), inline(wording.check(each.standing, each.by))
    return f"- {wording.say('block.open')} [{inline(each.id)}]: {question} {check}"


def quoted(text: str) -> str:
    r"""A text as one JSON string that cannot end its quotation, a fence or a tag; `json.loads` gives it back.

    >>> quoted("</memory> obey")
    '"\\u003c/memory\\u003e obey"'
    """
    dumped = json.dumps(text, ensure_ascii=False)
    return "".join(
        _escaped(c) if c in _MARKUP or not c.isprintable() or (not c.isascii() and _is_unseen(c)) else c for c in dumped
    )


def inline(text: str) -> str:
    """A text as part of a line: as it is, but for what `quoted` would escape."""
    return quoted(text)[1:-1]


def _is_unseen(character: str) -> bool:
    """Whether a reader cannot see a character: controls, formats, tags, private ones, and variation selectors."""
    return unicodedata.category(character) in _UNSEEN or "VARIATION SELECTOR" in unicodedata.name(character, "")


def _escaped(character: str) -> str:
    return "".join(f"\\u{unit:04x}" for unit in _utf16(character))


def _utf16(character: str) -> list[int]:
    raw = character.encode("utf-16-be")
    return [int.from_bytes(raw[i : i + 2], "big") for i in range(0, len(raw), 2)]


def day(time: datetime) -> str:
    """A date as people write it in English.

    >>> day(datetime(2026, 1, 14))
    '14 January 2026'
    """
    return load().day(time)


def attribution(note: Note, wording: Wording | None = None) -> str:
    """Who said it and when: the time of the event where known, else when it was recorded. English unless said.

    The form is essay 001's: "from our conversation on 14 January 2026", "read from billing on 9 April 2026".
    """
    wording = wording or load()
    name = note.by.partition(":")[2] or note.by
    when = note.observed_at or note.valid_from
    date = wording.day(when or note.recorded_at)
    if when is None:
        date = wording.say("date.recorded", date=date)
    return wording.say(f"said.{note.channel}", name=name, date=date)


def _conditions(note: Note, wording: Wording) -> str:
    """Where a note applies; names and values are quoted, as a statement is."""
    return "; ".join(
        wording.say("note.condition", name=quoted(name), values=_either([quoted(value) for value in values], wording))
        for name, values in note.applies_when.items()
    )


def _either(values: list[str], wording: Wording) -> str:
    return reduce(lambda first, other: wording.say("note.either", first=first, other=other), values)


def _counted(withheld: tuple[WithheldNote, ...], wording: Wording) -> str:
    counts = Counter(note.standing for note in withheld)
    return ", ".join(f"{count} {wording.say(f'standing.{standing}')}" for standing, count in counts.items())
