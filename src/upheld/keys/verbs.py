"""Clauses with a full verb: *uses*, *moved to*, *does not eat*."""

from __future__ import annotations

from typing import Final

from upheld.keys import meaning as m
from upheld.keys.changes import changed
from upheld.keys.result import Extracted, Topic, category, stated, value_words, without_article
from upheld.keys.subjects import OWNERS, about, noun
from upheld.keys.successors import replaced
from upheld.keys.words import (
    ADVERBS,
    CAN,
    DETERMINERS,
    DO,
    GERUNDS,
    HAVE,
    JOIN,
    KINDS,
    LEMMAS,
    PARTICIPLES,
    PAST,
    PREPOSITIONS,
    THIRD,
    WILL,
)  # fmt: skip

__all__ = ["acted", "predicate"]

_NEGATIVE: Final = frozenset(("not", "never"))
_TIMELY: Final = frozenset(("on", "at", "in", "for", "by"))
_OBJECTS: Final = frozenset(("it", "them", "him", "her", "me", "us", "that", "this"))
_LONGEST_COUNTED: Final = 4  # words; what is longer says more than what is counted
_PUT_WITH: Final = frozenset(("in", "on", "at", "with", "via", "to", "using"))
_AMOUNTS: Final = m.NUMBERS | {"a", "an"}
_MEASURING: Final = frozenset(("cost", "weigh", "take", "last", "measure"))
_PAYING: Final = frozenset(("pay", "charge", "spend"))
_HOLDING: Final = frozenset(("hold", "carry", "contain", "reach", "cover", "deliver"))
_NEEDING: Final = frozenset(("require", "need"))
_PLANNED: Final = frozenset(("schedule", "plan", "set", "take place", "postpone", "delay"))


def acted(words: list[str], kinds: list[int | None], at: int, end: int) -> Extracted | None:
    """The key of a clause with its verb, or the auxiliary in front of it, at ``at``."""
    kind, word = kinds[at], words[at]
    subject_end, denied, ability, past = at, False, "", False
    if kind in (HAVE, DO, WILL, CAN):
        denied = word[-3:] == "n't" or word == "cannot"
        at += 1
        while at < end and (words[at] in ADVERBS or words[at] in _NEGATIVE):
            denied = denied or words[at] in _NEGATIVE
            at += 1
        if at >= end:
            return None
        lemma = words[at]
        if kind == HAVE:
            lemma = PARTICIPLES.get(lemma, "")
            if not lemma:
                if words[at].endswith("ed"):
                    return None
                lemma, past, at = "have", word == "had", at - 1
        elif (kind == WILL and words[0] not in ("We", "we")) or not (lemma in LEMMAS or (denied and lemma.isalpha())):
            return None
        ability = "can " if kind == CAN else ""
    else:
        lemma = THIRD.get(word) or PAST.get(word) or word
        past = word not in THIRD and word in PAST
    while subject_end > 1 and words[subject_end - 1] in ADVERBS:
        subject_end -= 1
    if words[subject_end - 1] == "longer" and words[subject_end - 2 : subject_end - 1] == ["no"]:
        subject_end, denied = subject_end - 2, True
    elif words[subject_end - 1] == "never":
        subject_end, denied = subject_end - 1, True
    rest = value_words(words, at + 1, end)
    if subject_end < 1 or not rest or _is_a_course(word, lemma, rest):
        return None
    if lemma in ("stop", "quit") and rest[0] in GERUNDS and len(rest) > 1 and not denied:
        lemma, rest, denied, past = GERUNDS[rest[0]], rest[1:], True, False
    any_one = words[0] in ("A", "An") and subject_end > 1 and lemma in _MEASURING and m.is_amount(rest[0])
    found = about(words[1:subject_end] if any_one else words[:subject_end])
    if found is None:
        return None
    wording = ability
    if past and lemma in m.STATIVE:  # "worked for": it is over, and a relation of its own
        wording += word
    return predicate(Topic(*found, denied), lemma, rest, wording)


def _is_a_course(word: str, lemma: str, rest: list[str]) -> bool:
    """*Goes from Oslo to Bergen*: what it does again and again, not a change."""
    return word in THIRD and lemma in m.CHANGES and "from" in rest[:-1]


def predicate(topic: Topic, lemma: str, rest: list[str], wording: str = "") -> Extracted | None:
    """Verb and what follows it. ``wording`` is the attribute's verb where it is not the lemma, or *can*."""
    first = rest[0]
    if lemma in m.CHANGES:
        change = changed(topic, lemma, rest)
        if change is not None or lemma in m.VALUE_CHANGES:
            return change
    if lemma in ("decide", "agree") and first == "to" and len(rest) > 2 and rest[1] in LEMMAS:
        return predicate(topic, rest[1], rest[2:])
    if (lemma == "decide" and first == "on") or (lemma == "go" and first == "with"):
        lemma, rest = "use", rest[1:]
    if not rest or first in _OBJECTS or not _is_there(lemma, rest):
        return None
    if lemma == "become" and (first[-2:] == "ly" or m.is_opinion(first)):
        return None
    plain = not wording
    verb = wording + lemma if wording in ("", "can ") else wording
    if lemma == "replace" and plain and not topic.denied:
        taken = _replaced(topic, rest)
        if taken is not None:
            return taken
    if lemma in m.CHOOSING:
        chosen = _chosen(topic, verb if lemma == "prefer" or not plain else "use", rest)
        if chosen is not None:
            return chosen
    if rest[0] in PREPOSITIONS or (rest[0] == "place" and lemma == "take" and len(rest) > 2):
        return _directed(topic, verb, rest)
    placed = _stored(topic, verb, rest) if lemma in m.PLACING else None
    if placed is not None or lemma == "have":
        return placed or _had(topic, verb, rest)
    if plain and lemma in m.AGENTS and not topic.attribute and not topic.denied and _definite(rest):
        return topic.is_value_of(without_article(rest), m.AGENTS[lemma] + " by")
    if (kind := m.when(rest)) and f"{lemma} {m.CLOCK[kind]}" in m.SINGLE_PHRASES:
        return topic.says(f"{verb} {m.CLOCK[kind]}", rest)
    if (rest[0] == "every" and m.is_span(rest[1:])) or (lemma in _NEEDING and _is_version(rest)):
        return topic.says(f"{verb} {rest[0]}", rest[1:])
    return _plainly(topic, lemma, verb, rest)


def _replaced(topic: Topic, rest: list[str]) -> Extracted | None:
    """*We replaced A with B*, *B replaced A as the R*."""
    if "with" in rest[1:-1]:
        at = rest.index("with", 1)
        return replaced(Topic(without_article(rest[:at]), ""), rest[at + 1 :])
    if "as" in rest[1:-1] and not topic.attribute:
        at = rest.index("as", 1)
        return replaced(Topic(without_article(rest[:at]), ""), [topic.subject, *rest[at:]])
    return None


def _plainly(topic: Topic, lemma: str, verb: str, rest: list[str]) -> Extracted | None:
    """A verb and its object, with nothing between them."""
    first = rest[0]
    if len(rest) > 3 and rest[2] == "of" and m.is_amount(first) and (len(rest) == 4 or m.is_span(rest[4:])):
        return topic.says(f"{verb} {rest[3]}", [*rest[:2], *rest[4:]])  # 20 mg of lisinopril a day
    sort, rest, one = category(rest)
    phrase = verb + sort
    phrase = m.SAME_PHRASE.get(phrase, phrase)
    lasts = lemma == "take" and m.is_span(rest)
    regular = lemma in _PAYING and m.is_amount(first) and rest[-1] in m.SPANS
    holds = lemma in _HOLDING and m.is_measure(rest)
    single = one or lasts or regular or holds or phrase in m.SINGLE_PHRASES
    return topic.says(phrase, rest, single=single)


def _is_there(lemma: str, rest: list[str]) -> bool:
    """False for what is only intended ("plans to move"), was once ("used to live") or is a limit ("up to 22")."""
    if rest[:2] == ["up", "to"]:
        return False
    if rest[0] != "to" or len(rest) < 2:
        return True
    return lemma != "use" and not (lemma in m.INFINITIVES and rest[1].islower() and rest[1] not in DETERMINERS)


def _directed(topic: Topic, verb: str, rest: list[str]) -> Extracted | None:
    """A verb with a preposition: *lives in*, *works as*."""
    if rest[0] == "place":
        verb, rest = f"{verb} place", rest[1:]
    link, rest = rest[0], rest[1:]
    if not rest or (link == "about" and rest[0][0].isdigit()):
        return None
    if link == "at" and rest[0] in m.BOUNDS:
        return None  # "meets at least twice"
    if link in ("out", "up", "down", "off", "over") and rest[0] in PREPOSITIONS and len(rest) > 1:
        link, rest = f"{link} {rest[0]}", rest[1:]
    if link in _TIMELY and (kind := m.when(rest, year=link == "in")):
        if verb in _PLANNED:
            return topic.has(kind, rest)
        phrase = f"{verb} {m.CLOCK[kind]}"
        return topic.says(phrase, rest, single=phrase in m.SINGLE_PHRASES)
    phrase = f"{verb} {link}"
    phrase = m.SAME_PHRASE.get(phrase, phrase)
    for at in range(1, len(rest) - 1):
        if rest[at] == "as" and rest[at + 1] in DETERMINERS:  # "works at Equinor as an engineer"
            rest = rest[:at]
            break
    if m.is_port(rest):
        return topic.says("port", rest[1:])
    if len(rest) == 1 and rest[0] in m.OPINIONS:
        return None  # "works for free"
    if verb == "depend" and _is_version(rest):
        return topic.says(f"{phrase} {rest[0]}", rest[1:])
    if link == "with" and len(rest) == 2 and rest[1].islower() and (rest[0].isdigit() or rest[0] in m.NUMBERS):
        return topic.says(f"{phrase} number of {rest[1]}", rest[:1])
    sort, rest, one = category(rest)
    return topic.says(phrase + sort, rest, single=one or phrase in m.SINGLE_PHRASES)


def _is_version(words: list[str]) -> bool:
    """*iOS 15*, *numpy 1.24*: a name and a number."""
    return len(words) == 2 and not words[0][0].isdigit() and words[1].lstrip("v")[:1].isdigit()


def _chosen(topic: Topic, verb: str, rest: list[str]) -> Extracted | None:
    """*use Z for Y* and *use Z as our Y*: what it is for makes the key, so that there is one value."""
    for at in range(1, len(rest) - 1):
        word, after = rest[at], rest[at + 1 :]
        if word == "for" or (word == "to" and after[0] in LEMMAS):
            if word == "for" and after[-1] in m.SPANS and (after[0][0].isdigit() or after[0] in _AMOUNTS):
                return topic.says(verb, rest[:at], single=False)  # "have used Kafka for two years"
            purpose = without_article(after)
            if verb == "use" and topic.subject in ("i", "we") and not topic.attribute:
                return stated(purpose, "use for", rest[:at], denied=topic.denied)
            return topic.says(f"{verb} for {purpose}", rest[:at], single=verb[:4] != "can ")
        if word == "as" and verb == "use":
            owner = OWNERS.get(after[0], topic.subject)
            role = noun(after[1:] if after[0] in DETERMINERS else after)
            return Topic(owner, topic.attribute, topic.denied).says(role, rest[:at]) if role else None
    return None


def _stored(topic: Topic, verb: str, rest: list[str]) -> Extracted | None:
    """*stores its data in Z*, *hosts the docs on Z*: what is put there belongs to the key."""
    for at in range(1, min(len(rest) - 1, 5)):
        if rest[at] in _PUT_WITH:
            thing = noun([word for word in rest[:at] if word not in DETERMINERS])
            if not thing or m.when(rest[at + 1 :], year=True) or any(KINDS.get(word) == JOIN for word in rest[:at]):
                return None
            return topic.says(f"{verb} {thing} {rest[at]}", rest[at + 1 :])
    return None


def _had(topic: Topic, verb: str, rest: list[str]) -> Extracted | None:
    """*has 3 children*, *has a timeout of 30 s*: counts and measures are single, the rest is not."""
    first = rest[0]
    if (first.replace(",", "").isdigit() or first in m.NUMBERS) and len(rest) > 1 and rest[1].islower():
        if len(rest) > _LONGEST_COUNTED + 1 or any(word[-1] == "," for word in rest):
            return None
        return topic.says(f"number of {' '.join(rest[1:])}", rest[:1])
    if len(rest) == 4 and rest[2] == "of" and m.is_amount(first):  # 16 GB of RAM
        return topic.says(rest[3], rest[:2])
    if first in ("a", "an") and "of" in rest[2:-1]:
        at = rest.index("of", 2)
        if rest[at + 1][0].isdigit() or rest[at + 1][0] in "$€£" or rest[at + 1] in m.NUMBERS:
            return topic.says(noun(rest[1:at]), rest[at + 1 :])
    rest = rest[1:] if first in ("a", "an", "the", "no") else rest
    return topic.says(verb, rest, single=False) if rest else None


def _definite(rest: list[str]) -> bool:
    """Whether an object is one known thing: a name, or a definite noun phrase."""
    if rest[0] in ("the", "our", "my"):
        return len(rest) > 1
    return rest[0][0].isupper() and not any(word in PREPOSITIONS and word != "of" for word in rest)
