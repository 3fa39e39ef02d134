"""The words in which an answer speaks: one template a language, in `wordings/*.toml`, checked whole when it is read.

A template holds sentences with named places for names, dates and counts. What a note says is never part of one: it is
quoted beside it. So a language is added by adding a file, and no code.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from upheld.errors import Invalid, Misconfigured, shown
from upheld.note import Channel, Standing

ANOTHER_SCOPE = "a note in another scope"
"""What stands among the causes of a standing for a note whose id may not be named; said in the language's own words."""

_PLACES: Mapping[str, str] = {
    "date.day": "day month year",
    "date.recorded": "date",
    "block.fenced": "",
    "block.nothing": "",
    "block.open": "",
    "block.history": "",
    "block.not_known": "",
    "block.kept_back": "counts",
    "block.ordering_rule": "",
    "note.hedge": "date",
    "note.ask": "",
    "note.unverified": "source date",
    "note.applies": "conditions",
    "note.condition": "name values",
    "note.either": "first other",
    "note.replaces": "notes",
    **{f"said.{channel}": "name date" for channel in Channel},
    **{f"label.{standing}": "" for standing in Standing},
    **{f"label.{standing}": "by" for standing in ("superseded", "stale", "needs_check", "disputed", "unverified")},
    "label.unsourced": "",
    "label.doubted": "",
    "label.unconfirmed": "",
    "label.out_of_date": "",
    "label.on": "label date",
    "label.since": "label date",
    "label.another_note": "",
    "label.another_scope": "",
    **{f"standing.{standing}": "" for standing in Standing},
    "question.unsettled": "scope label",
    "question.unverified": "attribute subject source date",
    "question.unconfirmed": "attribute subject date",
    "check.first": "",
    "check.needs_check": "by",
    "check.disputed": "by",
    "check.unsourced": "",
    "check.unverified": "source",
    "check.unconfirmed": "",
    "action.no_restriction": "action scopes",
    "action.nothing_else": "action scopes",
    "action.check_first": "",
}
"""Every sentence that a template must have, with the places that it must use; it has no others."""

_BY_NOTHING = {
    Standing.NEEDS_CHECK: "unsourced",
    Standing.UNVERIFIED: "unconfirmed",
    Standing.DISPUTED: "doubted",
}
"""What is said of a standing that no note brought about: a source is gone, nobody confirmed it, a person denied it."""
_MARKUP = frozenset('<>&`"\\')


@dataclass(frozen=True, slots=True)
class Wording:
    """One language: its name ("en"), the names of its months, and its sentences by table and key ("note.hedge")."""

    language: str
    months: tuple[str, ...]
    sentences: Mapping[str, str]

    def say(self, sentence: str, **places: str) -> str:
        """A sentence with its places filled. What fills them is text of its own, whatever braces it holds."""
        return self.sentences[sentence].format(**places)

    def day(self, time: datetime) -> str:
        """A date as people write it.

        >>> load("en").day(datetime(2026, 1, 14)), load("de").day(datetime(2026, 1, 14))
        ('14 January 2026', '14. Januar 2026')
        """
        return self.say("date.day", day=str(time.day), month=self.months[time.month - 1], year=str(time.year))

    def label(self, standing: Standing, by: Collection[str], since: datetime | None) -> str:
        """What happened to a note, as a fact. `by` names what brought it about: notes, or the owner of its value.

        What a document contradicts without a date was contradicted by a passage that the caller retrieved, for this
        one answer. A note that nobody owns and nobody confirmed has no `by`.

        >>> load("en").label(Standing.SUPERSEDED, ["n7"], datetime(2026, 8, 14))
        'replaced by n7 on 14 August 2026'
        """
        key = str(standing)
        if standing is Standing.CONTRADICTED and since is None:
            key = "out_of_date"
        elif not by:
            key = _BY_NOTHING.get(standing, key)
        said = self.say(f"label.{key}", by=self._names(by))
        if since is None or standing is Standing.IN_FORCE:
            return said
        return self.say(
            "label.since" if standing is Standing.UNVERIFIED else "label.on", label=said, date=self.day(since)
        )

    def question(
        self,
        standing: Standing,
        scope: str,
        by: Collection[str],
        since: datetime | None,
        *,
        subject: str | None = None,
        attribute: str | None = None,
    ) -> str:
        """What is not known. `subject` and `attribute` are named where a value could not be read or was not confirmed.

        >>> load("en").question(Standing.UNVERIFIED, "s", ["billing"], datetime(2026, 1, 14), subject="Ana",
        ...     attribute="plan tier")
        'The plan tier of Ana could not be read from billing since 14 January 2026.'
        """
        if standing is Standing.UNVERIFIED and subject and attribute and since is not None:
            about = {"subject": subject, "attribute": attribute, "date": self.day(since)}
            if by:
                return self.say("question.unverified", source=self._names(by), **about)
            return self.say("question.unconfirmed", **about)
        return self.say("question.unsettled", scope=scope, label=self.label(standing, by, since))

    def check(self, standing: Standing, by: Collection[str]) -> str:
        """What to check first, before anybody acts on an open question."""
        named = self._names(by)
        if standing is Standing.UNVERIFIED:
            return self.say("check.unverified", source=named) if by else self.say("check.unconfirmed")
        if standing in (Standing.DISPUTED, Standing.NEEDS_CHECK) and by:
            return self.say(f"check.{standing}", by=named)
        return self.say("check.unsourced" if standing is Standing.NEEDS_CHECK else "check.first")

    def _names(self, by: Collection[str]) -> str:
        said = [self.say("label.another_scope") if name == ANOTHER_SCOPE else name for name in by]
        return ", ".join(said) or self.say("label.another_note")


def languages() -> tuple[str, ...]:
    """The languages that there are templates of.

    >>> languages()
    ('de', 'en')
    """
    names = [file.name for file in files("upheld").joinpath("wordings").iterdir()]
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load(language: str = "en") -> Wording:
    """The wording of a language, read once. `Invalid` where there is none, `Misconfigured` where it is not whole.

    >>> load("de").say("block.nothing")
    'Es wurde nichts gefunden, das gilt.'
    """
    if not isinstance(language, str):
        raise Invalid(f"a language is named by a text, as in 'en', not by {shown(language)}")
    return _loaded(language)


@cache
def _loaded(language: str) -> Wording:
    if language not in (known := languages()):
        raise Invalid(f"there is no wording for the language {shown(language)}; known: {', '.join(known)}")
    return read(language, files("upheld").joinpath("wordings", f"{language}.toml").read_text(encoding="utf-8"))


def read(language: str, template: str) -> Wording:
    """A wording from the text of its template: TOML, every sentence there, with just the places that it has to fill.

    `Misconfigured` names all that is missing, unknown, or could not stand in the block as it is.
    """
    try:
        tables = tomllib.loads(template)
    except tomllib.TOMLDecodeError as error:
        raise Misconfigured(f"the wording {language!r} is not valid TOML: {error}") from error
    found = {
        f"{table}.{key}": said
        for table, keys in tables.items()
        for key, said in (keys.items() if isinstance(keys, Mapping) else [("", keys)])
    }
    months = found.pop("date.months", None)
    wrong = [f"{key} is missing" for key in _PLACES.keys() - found.keys()]
    wrong += [f"{key} is unknown" for key in found.keys() - _PLACES.keys()]
    wrong += [
        f"{key} {why}" for key in _PLACES.keys() & found.keys() if (why := _fault(found[key], _PLACES[key].split()))
    ]
    if not isinstance(months, list) or len(months) != 12 or any(_fault(month, []) for month in months):
        wrong.append("date.months must be the names of the twelve months")
    if wrong or not isinstance(months, list):
        raise Misconfigured(f"the wording {language!r} is not usable: {'; '.join(sorted(wrong))}")
    return Wording(language, tuple(months), MappingProxyType(found))


def _fault(said: Any, places: Collection[str]) -> str:
    """What is wrong with a sentence; nothing where it may be used."""
    if not isinstance(said, str) or not said.strip():
        return "must be a text that says something"
    if not said.isprintable() or _MARKUP.intersection(said):
        return "must be one line without quotation marks, markup and backslashes"
    try:
        parts = [part[1:] for part in string.Formatter().parse(said) if part[1] is not None]
    except ValueError as error:
        return f"is not a template: {error}"
    if any(form or turn for _, form, turn in parts):
        return "must name its places plainly, as in {date}"
    if {name for name, _, _ in parts} != set(places):
        return f"must use the places {', '.join(places) or 'none'}, each at least once, and no others"
    return ""
