"""Clauses with *is*, *was*, *has been*."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from upheld.keys import meaning as m
from upheld.keys.changes import changed
from upheld.keys.result import Extracted, Topic, category, qualified, stated, value_words, without_article
from upheld.keys.subjects import OWNERS, about, in_title, noun, plain_subject, relative_subject
from upheld.keys.successors import REPLACED, replaced
from upheld.keys.verbs import predicate
from upheld.keys.words import (
    ADVERBS,
    DEGREES,
    DETERMINERS,
    GERUNDS,
    LEMMAS,
    PARTICIPLES,
    PREPOSITIONS,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["been"]

_NEGATIVE: Final = frozenset(("not", "never"))
_AFTER_BE: Final = ADVERBS | _NEGATIVE | {"no"}
_ARTICLES: Final = frozenset(("a", "an"))
_TIMELY: Final = frozenset(("on", "at", "in", "for", "by"))
_LOOSE: Final = frozenset(("as", "like", "than", "to", "by", "of", "out", "off", "after", "before"))
_AND: Final = frozenset(("and", "or"))
_PARTICLES: Final = frozenset(("up", "down", "out", "off", "over", "away"))
# "by hand", "by post": how, not by whom
_MANNERS: Final = frozenset(("hand", "default", "post", "mail", "email", "phone", "sms", "SMS", "law", "design", "far"))
_RUNNING: Final = frozenset(("out", "up", "low", "late", "behind"))
_PLAIN: Final = Extracted(subject="", attribute="", value="", single=False)  # "none of these": a value as it stands


def been(words: list[str], subject_end: int, be: int, end: int, relative: int) -> Extracted | None:
    """The key of a clause whose subject ends at ``subject_end`` and whose last form of *be* is at ``be``.

    ``relative`` is the position of a *that* or *where* in the subject, -1 without one.
    """
    start, denied = be + 1, words[be][-3:] == "n't"
    while start < end and (word := words[start]) in _AFTER_BE:
        if word in _NEGATIVE:
            denied = True
        elif word == "no":
            if words[start + 1 : start + 2] != ["longer"]:
                break
            denied, start = True, start + 1
        start += 1
    if subject_end < be:  # has not been, will now be
        denied = denied or words[subject_end][-3:] == "n't" or not _NEGATIVE.isdisjoint(words[subject_end:be])
    value = value_words(words, start, end)
    if not value:
        return None
    name = words[:subject_end]
    if 0 < relative < subject_end:
        found = relative_subject(name, relative)
        if found is not None:
            return stated(*found, value, denied=denied)
        if not in_title(words, relative):
            return None
    found = about(name)
    if found is None:
        return None
    topic = Topic(*found, denied)
    if len(value) > 1:
        phrase = _phrase(topic, value)
        if phrase is not _PLAIN:
            return phrase
    return _valued(name, topic, value)


def _phrase(topic: Topic, value: list[str]) -> Extracted | None:
    """Be + something that is no plain value: a preposition, a participle, an office, a kind."""
    first, second = value[0], value[1]
    if topic.attribute and first[0].isupper():
        return _PLAIN
    if first in DEGREES and len(value) > 2 and value[2] in PREPOSITIONS:
        del value[0]
        first, second = second, value[1]
    if first in PREPOSITIONS:
        return _placed(topic, first, value[1:])
    if first in m.NAMING and second not in PREPOSITIONS:
        return topic.says("name", value[1:])
    if not topic.attribute and first[-3:] == "ing" and len(first) > 4 and first.islower():
        lemma = GERUNDS.get(first)
        if lemma is None or lemma in m.CHANGES or first == "going" or second in _RUNNING:
            return None  # on its way, not there yet
        return predicate(topic, lemma, value[1:])
    lemma = PARTICIPLES.get(first)
    if lemma in m.CHANGES:
        change = changed(topic, lemma, value[1:])
        if change is not None:
            return change
    third = value[2] if len(value) > 2 else ""
    if (second == "at" and third in m.BOUNDS) or (first, second) == ("up", "to") or (second, third) == ("up", "to"):
        return None  # "at least six weeks ahead", "up to what fits": how much, not where
    if second == "every" and first.islower() and m.is_span(value[2:]):
        return topic.says(f"{first} every", value[2:])
    if second in _PARTICLES and len(value) > 3 and value[2] in PREPOSITIONS:  # "set up by"
        return _related(topic, f"{first} {second}", value[2], value[3:])
    if second in PREPOSITIONS:
        office = second == "of" and first.isupper()
        if first.isalpha() and (first.islower() or office) and first not in DETERMINERS:
            return _related(topic, first, second, value[2:])
    return _PLAIN if topic.attribute else _office(topic, value)


def _related(topic: Topic, head: str, link: str, rest: list[str]) -> Extracted | None:
    """Be + participle, adjective or office + preposition: *was founded by*, *is married to*, *is head of*."""
    if not rest or (link == "to" and (rest[0] in LEMMAS or rest[0] == "be")):
        return None
    if link == "of" and head not in m.OF_ADJECTIVES and not topic.attribute:
        if head in m.FEW_OF:
            return None
        if head[-1] == "s" and head[-2:] != "ss":
            return topic.says(f"{head} of", rest, single=False)
        if head not in PARTICIPLES and not head.endswith("ed"):
            return _held(topic, [head], rest)
    by_means = link == "by" and (PARTICIPLES.get(head) in m.CHANGES or (rest[0] in _MANNERS and len(rest) == 1))
    if by_means or (head in m.OPINIONS and link != "at"):
        return None
    if rest[0] in PREPOSITIONS:
        return topic.says(f"{head} {link} {rest[0]}", rest[1:], single=False) if len(rest) > 1 else None
    kind = m.when(rest, year=link in ("in", "on")) if link in _TIMELY else ""
    if kind:
        if head in m.SCHEDULING:
            return topic.has("due on" if head == "due" else kind, rest)
        return topic.says(f"{head} {m.CLOCK[kind]}", rest, single=head not in m.MANY_WITH and head not in m.ADJECTIVES)
    if m.is_port(rest):
        return topic.says("port", rest[1:])
    if head == "used":
        if link == "for":
            return topic.is_value_of(without_article(rest), "use for")
        if link == "as" and rest[0] in ("the", "our", "my"):
            return topic.is_value_of(OWNERS.get(rest[0], "we"), noun(rest[1:]))
    phrase = f"{head} {link}"
    phrase = m.SAME_PHRASE.get(phrase, phrase)
    if phrase == REPLACED:
        return replaced(topic, rest)
    sort, rest, one = category(rest)
    if phrase == "located in" and topic.attribute in m.PLACE_NOUNS and not sort:
        return topic.says("", rest)
    single = one or (link == "for" and m.is_span(rest)) or m.is_single(phrase, head, link)
    return topic.says(phrase + sort, rest, single=single)


def _placed(topic: Topic, link: str, rest: list[str]) -> Extracted | None:
    """Be + preposition: a date, a plan, a state or a place."""
    if link in ("on", "at", "in", "by") and (kind := m.when(rest, year=link == "in")):
        return topic.has(kind, rest)
    if len(rest) > 2 and rest[0] == "the" and rest[-1] in m.HELD_NOUNS:
        return stated(topic.subject, rest[-1], rest[1:-1], denied=topic.denied)
    stateful = topic.attribute.rpartition(" ")[2] in m.STATE_NOUNS
    if stateful or (len(rest) == 1 and rest[0] in m.STATES):
        return topic.has("status", [link, *rest])
    if link in _LOOSE or (rest[0].isalpha() and rest[0].islower() and rest[0] not in DETERMINERS):
        return None  # "in charge", "at risk": no place
    if link == "in" and rest[-1] == "format":
        return topic.has("format", rest[:-1])
    sort, rest, one = category(rest)
    if link == "in" and topic.attribute in m.PLACE_NOUNS and not sort:
        return topic.says("", rest)
    phrase = "located in" if link in ("in", "inside", "within") else f"is {link}"
    return topic.says(phrase + sort, rest, single=one or link in ("in", "on", "at", "from", "under"))


def _office(topic: Topic, value: list[str]) -> Extracted | None:
    """*the capital of France*, *Acme's CEO*, *our lead*: the owner has the attribute, the subject is its value."""
    first = value[0]
    single = value[-1] not in m.SHARED_NOUNS
    if first in OWNERS:
        return topic.is_value_of(OWNERS[first], noun(value[1:]), single=single)
    for at, word in enumerate(value[:-1]):
        if word in PREPOSITIONS and at and first in ("the", "a", "an"):
            rest = value[at + 1 :]
            if first == "the" and word in ("of", "for"):
                return _held(topic, value[1:at], rest)
            if word != "of":
                break
            sort, rest, one = category(rest)
            return topic.says(
                f"{noun(value[1:at])} of{sort}", rest, single=one or value[at - 1] not in m.SHARED_NOUNS | m.JOINT_NOUNS
            )
        if word[-2:] == "'s" and len(word) > 2:
            following = value[at + 1]
            if following[0].isupper() and not following.isupper():
                break  # "Alice's Adventures" is a name
            return topic.is_value_of(" ".join([*value[:at], word[:-2]]), noun(value[at + 1 :]), single=single)
    return _PLAIN


def _held(topic: Topic, office: list[str], rest: list[str]) -> Extracted | None:
    if not office:
        return None
    last = office[-1]
    if last[0].isupper() and not last.isupper() and last.lower() not in m.OFFICES:
        return None
    owner = plain_subject(rest)
    if owner is None:
        return None
    if last in m.SHARED_NOUNS:  # a friend of Anna's says nothing of her other friends, but something of hers
        return topic.says(f"{noun(office)} of", rest, single=False)
    return topic.is_value_of(owner, noun(office))


def _valued(name: Sequence[str], topic: Topic, value: list[str]) -> Extracted | None:
    """Be + value: with an attribute the value is taken as it stands; without one it must look like a value."""
    first, size = value[0], len(value)
    attribute = topic.attribute
    if size == 1 and (kind := m.ADJECTIVES.get(first)):
        plain = attribute.rpartition(" ")[2]
        if plain != kind and plain not in m.STATE_NOUNS:
            return stated(without_article(name) if attribute else topic.subject, kind, value, denied=topic.denied)
    if size > 1:
        if first in DEGREES or first == "that" or (first[-2:] == "ly" and first.islower()):
            return None
        if first in m.SCHEDULING and m.when(value[1:]):
            return topic.has("due on" if first == "due" else "date", value[1:])
        if (last := value[-1]) in m.MEASURES and (first[0].isdigit() or first in m.NUMBERS):
            return topic.says(m.MEASURES[last], value[: -2 if value[1] in ("years", "year") and size > 2 else -1])
    if attribute:
        opinion = first.islower() and first.isalpha() and m.is_opinion(first) and (size == 1 or value[1] in _AND)
        last = attribute.rpartition(" ")[2]
        if opinion and not (m.is_grade(first, last) or last in m.CONDITIONS_OF):
            return None
        if size > 1 and first in GERUNDS:
            return None
        value, qualifier = qualified(value[1:] if first in _ARTICLES and size > 1 else value)
        return topic.says(qualifier, value)
    return _bare(name, topic, value)


def _bare(name: Sequence[str], topic: Topic, value: list[str]) -> Extracted | None:
    """*The default branch is main*: only what can be told from an opinion is a value."""
    first = value[0]
    if first in _ARTICLES:
        return topic.says("is", value[1:], single=False)
    if kind := m.when(value):
        return topic.says(kind, value)
    own = topic.subject in ("i", "we")
    if len(value) > 1 and first.isalpha() and first.islower() and first not in m.NUMBERS and first != "the":
        return topic.says("is", value) if len(value) == 2 and value[1][0].isdigit() else None
    if first not in m.NUMBERS and all(word.isalpha() and word.islower() for word in value):
        settable = name[-1] in m.PARAMETERS or not m.DEFAULTS.isdisjoint(name)
        if len(value) > 1 or own or not settable or (m.is_opinion(first) and not m.is_grade(first, name[-1])):
            return None
    if own and first[0].isupper():
        for at, word in enumerate(value, start=1):
            if word[-1] == "," or value[at : at + 1] in (["from"], ["at"], ["of"]):
                value = [*value[: at - 1], word.rstrip(",")]
                return topic.says("name", value) if topic.subject == "i" and len(value) < 4 else None
        return topic.says("name", value) if topic.subject == "i" and len(value) == 2 else None
    value, qualifier = qualified(value)
    return topic.says(f"is {qualifier}".rstrip(), value, single=first != "the")
