"""What is found, and how its value is cut from the words around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from upheld.keys.meaning import NUMBERS, SCHEDULING, SETTINGS, TIME_ENDS, when
from upheld.keys.words import GERUNDS, PARTICIPLES, PREPOSITIONS, TRAILERS, word_set
from upheld.values.times import DAYS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RECURRING", "Extracted", "Topic", "category", "qualified", "stated", "value_words", "without_article"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A key and its value, as far as grammar shows them.

    ``single`` is True where the grammar says that there is one value at a time (*the X of Y is Z*, *moved to*) and
    False for verbs that commonly hold several (*speaks*, *likes*). A negated statement has the value ``not Z``.
    ``beside`` is True where a later statement may hold all the same: of the past (*was*, *met*), or of one of
    several (*the author*, *Anna's brother*). Texts about one moment are compared by ``single`` alone.
    """

    subject: str
    attribute: str
    value: str
    single: bool
    beside: bool = False

    @property
    def ends(self) -> bool:
        """Whether a later value of the key takes the place of this one."""
        return self.single and not self.beside


_CUTTING: Final = frozenset(("not", "but", "as"))
_TRAILING_PAIRS: Final = frozenset((
    ("for", "now"), ("right", "now"), ("these", "days"), ("so", "far"), ("as", "well"), ("any", "more"),
    ("any", "longer"), ("now", "on"), ("the", "moment"), ("long", "time"), ("this", "time"),
))  # fmt: skip
_PAIR_ENDS: Final = frozenset(last for _, last in _TRAILING_PAIRS)
_TRAILING: Final = TRAILERS | _PAIR_ENDS
_DATING: Final = frozenset(("in", "on", "at", "by", "since", "from", "until"))
_ASIDES: Final = (PREPOSITIONS | GERUNDS.keys() | PARTICIPLES.keys()) - {"of"}
_SETTING: Final = frozenset(("in", "on", "for", "at", "during", "under", "with", "above", "below", "over", "up"))
_MONEY: Final = frozenset("$€£")
_PEOPLE: Final = frozenset(("children", "people", "men", "women", "staff", "everyone"))
RECURRING: Final = frozenset(f"{day}s" for day in DAYS) | word_set("""
    weekdays weekends holidays winter summer spring autumn night nights mornings evenings afternoons
""")


def stated(
    subject: str, attribute: str, value: list[str], *, denied: bool = False, single: bool = True
) -> Extracted | None:
    """Put together what was found; None where a part is missing."""
    text = value[0] if len(value) == 1 else " ".join(value)
    if not (subject and attribute and text):
        return None
    return Extracted(subject=subject, attribute=attribute, value=f"not {text}" if denied else text, single=single)


class Topic(NamedTuple):
    """What a clause is about, and whether it denies what it says of it."""

    subject: str
    attribute: str  # empty where the subject's noun phrase names none
    denied: bool = False

    def says(self, phrase: str, value: list[str], *, single: bool = True) -> Extracted | None:
        """The phrase, after the attribute if there is one, has this value."""
        attribute = self.attribute
        if attribute:
            phrase = f"{attribute} {phrase}" if phrase else attribute
        return stated(self.subject, phrase, value, denied=self.denied, single=single)

    def has(self, attribute: str, value: list[str]) -> Extracted | None:
        """The topic's own attribute has this value; without one, the attribute given."""
        return stated(self.subject, self.attribute or attribute, value, denied=self.denied)

    def is_value_of(self, owner: str, attribute: str, *, single: bool = True) -> Extracted | None:
        """The subject is itself the value: *Paris is the capital of France*."""
        return stated(owner, attribute, [self.subject], denied=self.denied, single=single)


def value_words(words: list[str], start: int, end: int) -> list[str]:
    """The words of the value, without what only says when, or what it is not; empty if a second clause follows."""
    value = words[start:end]
    size = len(value)
    if size > 1:
        if value[-1] in _TRAILING:
            value = _without_trailers(value)
        if not _CUTTING.isdisjoint(value):
            for at in range(1, len(value)):
                word = value[at]
                if word == "but":
                    return []
                if (word == "not" and value[at - 1][-1] == ",") or (word == "as" and value[at + 1 : at + 2] == ["of"]):
                    value = value[:at]
                    break
        for at in range(1, len(value)):
            if value[at - 1][-1] == "," and value[at] in _ASIDES:  # "Redis, running beside the API"
                value = value[:at]
                break
    if not value:
        return value
    last = value[-1]
    if len(value) > 2 and (last[-1].isdigit() or last[0].isdigit() or last.rstrip(",") in TIME_ENDS):
        value = _without_date(value)
        last = value[-1]
    if last[-1] in ",;:":
        value[-1] = last.rstrip(",;:")
        if not value[-1]:
            del value[-1]
    return value


def _without_trailers(value: list[str]) -> list[str]:
    while len(value) > 1:
        if value[-1] in TRAILERS:
            del value[-1]
        elif len(value) > 2 and (value[-2], value[-1]) in _TRAILING_PAIRS:
            del value[-2:]
            if value[-1] in ("at", "from"):  # at the moment, from now on
                del value[-1]
        else:
            break
    return value


def _without_date(value: list[str]) -> list[str]:
    """``PostgreSQL in July 2026`` is PostgreSQL; ``closed on Friday`` stays whole."""
    for at in range(len(value) - 2, max(0, len(value) - 6), -1):
        if value[at] in _DATING and (kind := when(value[at + 1 :], year=True)):
            if kind == "time" and any(when(value[start:at]) == "date" for start in range(max(0, at - 3), at)):
                return value  # "Friday at 9:00": both say when
            adjective = at == 1 and value[0].islower() and value[0].isalpha()
            return value if adjective or value[at - 1] in SCHEDULING else value[:at]
    return value


def category(rest: list[str]) -> tuple[str, list[str], bool]:
    """*the country of Peru*: the kind goes to the attribute, and says that there is one value of it.

    A city or town, the usual kind of place, adds nothing to the attribute.
    """
    if rest[0] == "the" and len(rest) > 3:
        at = 2 if rest[2] == "of" else 3
        if rest[at] == "of" and len(rest) > at + 1 and all(word.islower() for word in rest[1:at]):
            kind = " ".join(rest[1:at])
            return ("" if kind in ("city", "town") else f" {kind}"), rest[at + 1 :], True
    return "", rest, False


def qualified(value: list[str]) -> tuple[list[str], str]:
    """What holds only *in staging*, *on Mondays* or *for guests* says nothing else: that goes to the attribute."""
    if len(value) > 2:
        figure = value[0][0].isdigit() or value[0][0] in _MONEY or value[0] in NUMBERS
        dated = when(value[:1]) != ""
        for at in range(1, len(value) - 1):
            if value[at] not in _SETTING:
                continue
            tail = value[at + 1 :]
            if (figure and not dated) or (dated and value[at] == "for") or _sets_apart(value[at], tail):
                return value[:at], " ".join(value[at:])
    return value, ""


def _sets_apart(link: str, tail: list[str]) -> bool:
    """Whether the words behind a preposition name an environment, days that come round again, or some people.

    What holds *during* something always does.
    """
    last = tail[-1].lower()
    if link == "during" or last in SETTINGS or last in RECURRING:
        return True
    return link == "for" and tail[-1].islower() and (last in _PEOPLE or (last[-1] == "s" and last[-2:] != "ss"))


def without_article(words: Sequence[str]) -> str:
    """The words as a name, without a definite article."""
    return " ".join(words[1:] if words[0] in ("The", "the") else words)
