"""One clause, already cut out of its statement, to subject, attribute and value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from upheld.keys import meaning as m
from upheld.keys.subjects import OWNERS, about, noun, plain_subject, relative_subject
from upheld.keys.words import (
    ADVERBS, BASE, BE, CAN, DEGREES, DETERMINERS, DO, END, GERUNDS, HAVE, JOIN, KINDS, LEMMAS, NOUNS_TOO, PARTICIPLES, PAST,
    PREPOSITIONS, PRONOUN, RELATIVE, THAN, THIRD, TRAILERS, VERB, WILL,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Extracted", "parse", "stated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """A key and its value, as far as grammar shows them.

    ``single`` is True where the grammar says that there is one value at a time (*the X of Y is Z*, *moved to*) and
    False for verbs that commonly hold several (*speaks*, *likes*). A negated statement has the value ``not Z``.
    """

    subject: str
    attribute: str
    value: str
    single: bool


_FINITE: Final = frozenset((BE, VERB, HAVE, DO, WILL, CAN))
_SELF: Final = frozenset(("I", "i", "We", "we"))
_NEGATIVE: Final = frozenset(("not", "never"))
_ARTICLES: Final = frozenset(("a", "an"))
_BEFORE_TIME: Final = frozenset(("in", "on", "at", "by", "since", "from", "until", "for", "to"))
_TIMELY: Final = frozenset(("on", "at", "in", "for", "by"))


def parse(words: list[str]) -> Extracted | None:
    """The key of one clause, or None. Final punctuation and openers are gone; the words are as written."""
    kinds = list(map(KINDS.get, words))
    be = main = relative = -1
    size = end = len(words)
    for i, kind in enumerate(kinds):
        if kind is None:
            continue
        if kind == BASE:
            if main < 0 and i and _acts(words, i):
                main = i
        elif kind <= VERB:
            if DO <= kind <= CAN and words[i + 1 : i + 2] and words[i + 1][0].isupper():
                continue  # "Copa do Brasil"
            if main >= 0 and (kinds[i - 1] == JOIN or words[i - 1][-1] == ","):
                return None  # a second statement
            if kind == BE:
                if be >= 0 and relative < 0 and (words[be + 1] in DETERMINERS or JOIN in kinds[be:i]):
                    return None
                be = i
                if main < 0:
                    main = i
            elif main < 0:
                main = i
            elif kind != VERB and relative < 0:
                return None
        elif kind == RELATIVE:
            if i and main < 0:
                relative = i if relative < 0 else relative
            elif i > main + 1 and words[i - 1][-1] == ",":
                end = i
                break
            elif i and not (words[i - 1][0].isupper() and words[i + 1 : i + 2] and words[i + 1][0].isupper()):
                return None
        elif kind == END:
            if main >= 0 and i > main + 1 and _ends_value(words, i, main):
                end = i
                break
        elif kind == PRONOUN:
            if main >= 0:
                return None
            if words[i] == "we" and i > 1 and relative < 0 and words[0] == "The":
                words = [*words[:i], "that", *words[i:]]  # "the database we use is ...": a clause without its "that"
                return parse(words)
        elif kind == THAN:
            return None
    if main < 1:
        return None
    if end < size and kinds[end - 1] == JOIN:
        end -= 1
    if be < 0:
        return _acted(words, kinds, main, end) if relative < 0 or _in_title(words, relative) else None
    if main < be and kinds[main] in (DO, CAN):
        return None
    subject_end = be
    if main < be and kinds[main] in (HAVE, WILL):  # has been, will be
        subject_end = main
    elif main < be and relative < 0 and kinds[main] == VERB:
        if words[main + 1] in DETERMINERS or JOIN in kinds[main:be]:
            return None  # "Bob confirmed the port is 5432"
    return _been(words, kinds, subject_end, be, end, relative)


def _ends_value(words: list[str], i: int, main: int) -> bool:
    word, following = words[i], words[i + 1 : i + 2]
    if word == "until":
        return i > main + 2  # but "valid until Friday"
    if word == "starting" or word == "effective":
        return following == ["immediately"] or m.when(words[i + 1 : i + 2]) != "" or following in (["from"], ["in"], ["on"])
    if word == "once":
        return following not in (["a"], ["per"], ["every"])
    return word != "rather" or following == ["than"]


def _acts(words: list[str], i: int) -> bool:
    """Whether the base form at ``i`` is the verb of I, we, or a plural."""
    if words[0] in _SELF:
        return i <= 3 and all(word in ADVERBS for word in words[1:i])
    before = words[i - 1]
    if not before.endswith("s") or before.endswith(("ss", "'s", "us", "is")):
        return False
    return words[i] not in NOUNS_TOO or words[i + 1 : i + 2] in (["on"], ["at"], ["in"], ["to"], ["for"])


def _in_title(words: Sequence[str], at: int) -> bool:
    return words[at - 1][0].isupper() and words[at + 1][0].isupper()


# --- is, was, has been ------------------------------------------------------------------------------------


def _been(
    words: list[str], kinds: list[int | None], subject_end: int, be: int, end: int, relative: int
) -> Extracted | None:
    start, denied = be + 1, words[be].endswith("n't")
    if subject_end < be and words[subject_end].endswith("n't"):
        denied = True
    while start < end:  # not, no longer, adverbs
        word = words[start]
        if word in _NEGATIVE:
            denied = True
        elif word == "no" and words[start + 1 : start + 2] == ["longer"]:
            denied, start = True, start + 1
        elif word not in ADVERBS:
            break
        start += 1
    if subject_end < be - 1:  # has not been, will now be
        between = words[subject_end + 1 : be]
        denied = denied or bool(_NEGATIVE.intersection(between))
    value = _value(words, start, end)
    if not value:
        return None
    if relative > 0 and relative < subject_end:
        found = relative_subject(words[:subject_end], relative)
        if found is not None:
            return stated(found[0], found[1], value, denied=denied)
        if not _in_title(words, relative):
            return None
    found = about(words[:subject_end])
    if found is None:
        return None
    subject, attribute = found
    if len(value) > 1:
        phrase = _phrase(words, subject, attribute, value, denied=denied)
        if phrase is not _PLAIN:
            return phrase
    return _valued(words[:subject_end], subject, attribute, value, denied=denied)


_PLAIN: Final = Extracted(subject="", attribute="", value="", single=False)


def _phrase(
    words: Sequence[str], subject: str, attribute: str, value: list[str], *, denied: bool
) -> Extracted | None:
    """be + something that is no plain value: a preposition, a participle, an office, a kind."""
    first, second = value[0], value[1]
    if first in DEGREES and len(value) > 2 and value[2] in PREPOSITIONS:
        value = value[1:]
        first, second = value[0], value[1]
    if first in PREPOSITIONS:
        return _placed(subject, attribute, first, value[1:], denied=denied)
    if first in m.NAMING:
        return stated(subject, f"{attribute} name".strip(), value[1:], denied=denied)
    if second in m.MEASURES and len(value) == 3:
        return None
    if first in GERUNDS and not attribute:
        lemma = GERUNDS[first]
        if lemma in m.CHANGES or first == "going":
            return None  # on its way, not there yet
        return _predicate(words, subject, "", lemma, value[1:], denied=denied, lasting=False)
    if first in m.CHANGES or PARTICIPLES.get(first) in m.CHANGES:
        changed = _changed(subject, attribute, PARTICIPLES.get(first, first), value[1:], denied=denied)
        if changed is not None:
            return changed
    if second in PREPOSITIONS and first.isalpha() and first.islower() and first not in DETERMINERS:
        return _related(subject, attribute, first, second, value[2:], denied=denied)
    if first in m.SCHEDULING and m.when(value[1:]):
        return stated(subject, attribute or ("due on" if first == "due" else "date"), value[1:], denied=denied)
    if not attribute:
        office = _office(subject, value, denied=denied)
        if office is not _PLAIN:
            return office
    return _PLAIN


def _related(
    subject: str, attribute: str, head: str, link: str, rest: list[str], *, denied: bool
) -> Extracted | None:
    """be + participle, adjective or office + preposition: *was founded by*, *is married to*, *is head of*."""
    if not rest or (link == "to" and (rest[0] in LEMMAS or rest[0] == "be")):
        return None
    if link == "of" and head not in m.OF_ADJECTIVES and not attribute:
        return _held(subject, [head], rest, denied=denied)
    if link in _TIMELY and (kind := m.when(rest, year=link in ("in", "on"))):
        if head in m.SCHEDULING:
            return stated(subject, attribute or ("due on" if head == "due" else kind), rest, denied=denied)
        return stated(subject, f"{attribute} {head} on".lstrip(), rest, denied=denied)
    if head == "used" and link == "for":
        return stated(" ".join(rest), "use for", subject.split(" "), denied=denied)
    if head == "used" and link == "as" and rest[0] in ("the", "our", "my"):
        return stated(OWNERS.get(rest[0], "we"), noun(rest[1:]), subject.split(" "), denied=denied)
    phrase = m.SAME_PHRASE.get(f"{head} {link}", f"{head} {link}")
    category, rest = _category(rest)
    if attribute in m.PLACE_NOUNS and phrase == "located in" and not category:
        phrase = ""
    single = bool(category) or m.is_single(phrase, head, link)
    return stated(subject, f"{attribute} {phrase}{category}".strip(), rest, denied=denied, single=single)


def _placed(subject: str, attribute: str, link: str, rest: list[str], *, denied: bool) -> Extracted | None:
    """be + preposition: a date, a plan, a state or a place."""
    if not rest:
        return None
    if kind := m.when(rest, year=link == "in"):
        return stated(subject, attribute or kind, rest, denied=denied)
    if len(rest) > 2 and rest[0] == "the" and rest[-1] in m.HELD_NOUNS:
        return stated(subject, rest[-1], rest[1:-1], denied=denied)
    if len(rest) == 1 and rest[0] in m.STATES:
        return stated(subject, "status", [link, *rest], denied=denied)
    if link in ("as", "like", "than", "to", "by", "of", "out", "off", "after", "before"):
        return None
    category, rest = _category(rest)
    phrase = "located in" if link in ("in", "inside", "within") else f"is {link}"
    if attribute in m.PLACE_NOUNS and link == "in" and not category:
        phrase = ""
    single = link in ("in", "on", "at", "from", "under")
    return stated(subject, f"{attribute} {phrase}{category}".strip(), rest, denied=denied, single=single)


def _office(subject: str, value: list[str], *, denied: bool) -> Extracted | None:
    """*the capital of France*, *Acme's CEO*, *our lead*: the owner has the attribute, the subject is its value."""
    first = value[0]
    if first in OWNERS:
        return stated(OWNERS[first], noun(value[1:]), subject.split(" "), denied=denied,
                      single=value[-1] not in m.SHARED_NOUNS)  # fmt: skip
    for at, word in enumerate(value[:-1]):
        if word == "of" and at and first in ("the", "a", "an"):
            if first == "the":
                return _held(subject, value[1:at], value[at + 1 :], denied=denied)
            single = value[at - 1] not in m.SHARED_NOUNS
            name = f"{noun(value[1:at])} of"
            category, rest = _category(value[at + 1 :])
            return stated(subject, name + category, rest, denied=denied, single=single)
        if word.endswith("'s") and len(word) > 2:
            if value[at + 1][0].isupper() and not value[at + 1].isupper():
                break
            owner = " ".join([*value[:at], word[:-2]])
            return stated(owner, noun(value[at + 1 :]), subject.split(" "), denied=denied,
                          single=value[-1] not in m.SHARED_NOUNS)  # fmt: skip
    return _PLAIN


def _held(subject: str, office: list[str], rest: list[str], *, denied: bool) -> Extracted | None:
    if office[-1][0].isupper() and not office[-1].isupper() and office[-1].lower() not in m.OFFICES:
        return None
    owner = plain_subject(rest)
    if owner is None:
        return None
    single = office[-1] not in m.SHARED_NOUNS
    if not single:  # one friend of Anna's is no news about her other friends, but may be about his
        return stated(subject, f"{noun(office)} of", rest, denied=denied, single=False)
    return stated(owner, noun(office), subject.split(" "), denied=denied)


def _valued(
    name: Sequence[str], subject: str, attribute: str, value: list[str], *, denied: bool
) -> Extracted | None:
    """be + value: with an attribute the value is taken as it stands; without one it must look like a value."""
    first, last = value[0], value[-1]
    kind = m.ADJECTIVES.get(last) if len(value) == 1 else None
    plain = attribute.rpartition(" ")[2]
    if kind and not (attribute and plain in (kind, "color", "status", "state", "mode", "value", "setting", "default")):
        whole = _whole(name) if attribute else subject
        return stated(whole, kind, value, denied=denied)
    if first == "that" or (first in DEGREES and len(value) > 1) or first in ("here", "there", "to"):
        return None
    if first in m.SCHEDULING and m.when(value[1:]):
        return stated(subject, attribute or ("due on" if first == "due" else "date"), value[1:], denied=denied)
    if last in m.MEASURES and len(value) > 1 and first[0].isdigit():
        kept = value[:-2] if value[1:2] in (["years"], ["year"]) else value[:-1]
        return stated(subject, f"{attribute} {m.MEASURES[last]}".strip(), kept, denied=denied)
    if attribute:
        if len(value) == 1 and first.islower() and first.isalpha() and m.is_opinion(first):
            return None
        value = value[1:] if first in _ARTICLES and len(value) > 1 else value
        return stated(subject, attribute, *_qualified(value), denied=denied)
    if first in _ARTICLES:
        return stated(subject, "is", value[1:], denied=denied, single=False) if len(value) > 1 else None
    if kind := m.when(value):
        return stated(subject, kind, value, denied=denied)
    if all(word.isalpha() and word.islower() for word in value):
        named = name[0] not in ("The", "the") and all(word[0].isupper() for word in name)
        if len(value) > 1 or named or m.is_opinion(first) or subject in ("i", "we"):
            if first not in m.NUMBERS:
                return None
    if subject in ("i", "we") and first[0].isupper() and len(value) < 4:
        return stated(subject, "name", value, denied=denied) if subject == "i" else None
    return stated(subject, "is", *_qualified(value), denied=denied)


def _whole(name: Sequence[str]) -> str:
    return " ".join(name[1:] if name[0] in ("The", "the") else name)


# --- verbs ------------------------------------------------------------------------------------------------


def _acted(words: list[str], kinds: list[int | None], at: int, end: int) -> Extracted | None:
    """A clause with a full verb at ``at``, or an auxiliary and the verb behind it."""
    kind, word = kinds[at], words[at]
    subject_end, denied, ability = at, False, ""
    lasting = word in PAST and kind == VERB and word not in THIRD
    if kind in (HAVE, DO, WILL, CAN):
        denied = word.endswith("n't") or word == "cannot"
        nxt = at + 1
        while nxt < end and (words[nxt] in ADVERBS or words[nxt] in _NEGATIVE):
            denied = denied or words[nxt] in _NEGATIVE
            nxt += 1
        if nxt >= end:
            return None
        if kind == HAVE:
            lemma = PARTICIPLES.get(words[nxt]) or "have"
            lasting = lemma == "have" and word == "had"
            at = nxt if lemma != "have" else nxt - 1
        else:
            if kind == WILL and words[0] not in ("We", "we"):
                return None
            lemma, at = words[nxt], nxt
            if not lemma.isalpha() or (lemma not in LEMMAS and not denied):
                return None
            ability = "can " if kind == CAN else ""
    else:
        lemma = THIRD.get(word) or PAST.get(word) or word
    while subject_end > 1 and words[subject_end - 1] in ADVERBS:
        subject_end -= 1
    if words[subject_end - 1] == "longer" and words[subject_end - 2 : subject_end - 1] == ["no"]:
        subject_end, denied = subject_end - 2, True
    elif words[subject_end - 1] == "never":
        subject_end, denied = subject_end - 1, True
    rest = _value(words, at + 1, end)
    if subject_end < 1 or not rest:
        return None
    if lemma in ("stop", "quit") and rest[0] in GERUNDS and not denied:
        lemma, rest, denied, lasting = GERUNDS[rest[0]], rest[1:], True, False
    found = about(words[:subject_end])
    if found is None or not rest:
        return None
    subject, attribute = found
    if attribute and lemma not in m.CHANGES:
        attribute += " "
    return _predicate(words[:subject_end], subject, attribute, lemma, rest, denied=denied,
                      lasting=lasting and lemma in m.STATIVE, ability=ability)  # fmt: skip


def _predicate(
    name: Sequence[str], subject: str, attribute: str, lemma: str, rest: list[str],
    *, denied: bool, lasting: bool, ability: str = "",
) -> Extracted | None:  # fmt: skip
    first = rest[0]
    if lemma in m.CHANGES:
        changed = _changed(subject, attribute, lemma, rest, denied=denied)
        if changed is not None or lemma in m.VALUE_CHANGES:
            return changed
    if lemma in ("decide", "agree"):
        if first == "to" and len(rest) > 2 and rest[1] in LEMMAS:
            return _predicate(name, subject, attribute, rest[1], rest[2:], denied=denied, lasting=False)
        if first != "on":
            return None
        lemma, rest = "use", rest[1:]
    if first == "to" and rest[1:2] and (rest[1] in LEMMAS or rest[1] == "be") and lemma not in ("like", "love", "hate"):
        return None  # plans to, needs to: not there yet
    if lemma == "go" and first == "with" and len(rest) > 1:
        lemma, rest = "use", rest[1:]
    verb = ability + (_past(name, lemma) if lasting else lemma)
    if lemma in m.CHOOSING:
        chosen = _chosen(subject, attribute, verb, rest, denied=denied)
        if chosen is not None:
            return chosen
    if rest[0] in PREPOSITIONS or (rest[0] == "place" and lemma == "take" and rest[1:2]):
        return _directed(subject, attribute, verb, rest, denied=denied)
    if lemma in m.PLACING:
        placed = _stored(subject, attribute, lemma, rest, denied=denied)
        if placed is not None:
            return placed
    if lemma == "have":
        return _had(subject, attribute, verb, rest, denied=denied)
    if lemma in m.AGENTS and not (attribute or denied or lasting or ability) and _definite(rest):
        return stated(_whole(rest), m.AGENTS[lemma] + " by", subject.split(" "), denied=False)
    category, rest = _category(rest)
    phrase = verb + category
    phrase = m.SAME_PHRASE.get(phrase, phrase)
    single = bool(category) or phrase in m.SINGLE_PHRASES or (lemma in ("last", "take") and rest[0][0].isdigit())
    return stated(subject, attribute + phrase, rest, denied=denied, single=single)


def _past(name: Sequence[str], lemma: str) -> str:
    return next((past for past, base in PAST.items() if base == lemma), lemma) if name else lemma


def _directed(
    subject: str, attribute: str, verb: str, rest: list[str], *, denied: bool
) -> Extracted | None:
    """A verb with a preposition: *lives in*, *works as*."""
    if rest[0] == "place":
        verb, rest = f"{verb} place", rest[1:]
    link, rest = rest[0], rest[1:]
    if not rest:
        return None
    if link in ("out", "up", "down", "off", "over") and rest[0] in PREPOSITIONS and len(rest) > 1:
        link, rest = f"{link} {rest[0]}", rest[1:]
    phrase = f"{verb} {link}"
    if link in _TIMELY and (kind := m.when(rest, year=link == "in")):
        phrase = m.SAME_PHRASE.get(f"{verb} on", f"{verb} on")
        return stated(subject, attribute + (kind if phrase == "date" else phrase), rest, denied=denied)
    phrase = m.SAME_PHRASE.get(phrase, phrase)
    category, rest = _category(rest)
    single = bool(category) or phrase in m.SINGLE_PHRASES or phrase.endswith("ed in")
    return stated(subject, attribute + phrase + category, rest, denied=denied, single=single)


def _chosen(
    subject: str, attribute: str, verb: str, rest: list[str], *, denied: bool
) -> Extracted | None:
    """*use Z for Y* and *use Z as our Y*: what it is for makes the key, so that there is one value."""
    for at in range(1, len(rest) - 1):
        if rest[at] == "for" or (rest[at] == "to" and rest[at + 1] in LEMMAS):
            purpose = rest[at + 1 :]
            phrase = "use for" if verb in m.CHOOSING and verb != "prefer" else f"{verb} for"
            if subject in ("i", "we") and not attribute and phrase == "use for":
                return stated(_whole(purpose), phrase, rest[:at], denied=denied)
            return stated(subject, f"{attribute}{phrase} {_whole(purpose)}", rest[:at], denied=denied)
        if rest[at] == "as" and verb != "prefer":
            role = rest[at + 1 :]
            owner = OWNERS.get(role[0], subject)
            role = role[1:] if role[0] in DETERMINERS else role
            return stated(owner, attribute + noun(role), rest[:at], denied=denied) if role else None
    return None


def _stored(
    subject: str, attribute: str, lemma: str, rest: list[str], *, denied: bool
) -> Extracted | None:
    """*stores its data in Z*, *hosts the docs on Z*: what is put there belongs to the key."""
    for at in range(1, min(len(rest) - 1, 5)):
        if rest[at] in ("in", "on", "at", "with", "via", "to", "using"):
            if m.when(rest[at + 1 :], year=True):
                return None
            thing = noun([word for word in rest[:at] if word not in DETERMINERS])
            if not thing or any(KINDS.get(word) == JOIN for word in rest[:at]):
                return None
            phrase = f"{lemma} {thing} {rest[at]}"
            return stated(subject, attribute + phrase, rest[at + 1 :], denied=denied)
    return None


def _had(subject: str, attribute: str, verb: str, rest: list[str], *, denied: bool) -> Extracted | None:
    """*has 3 children*, *has a timeout of 30 s*: counts and measures are single, the rest is not."""
    if (rest[0][0].isdigit() or rest[0] in m.NUMBERS) and len(rest) > 1 and rest[1].islower():
        return stated(subject, f"{attribute}number of {' '.join(rest[1:])}", rest[:1], denied=denied)
    if rest[0] in _ARTICLES and "of" in rest[2:-1]:
        at = rest.index("of", 2)
        if rest[at + 1][0].isdigit() or rest[at + 1][0] in "$€£" or rest[at + 1] in m.NUMBERS:
            return stated(subject, attribute + noun(rest[1:at]), rest[at + 1 :], denied=denied)
    rest = rest[1:] if rest[0] in ("a", "an", "the", "no") and len(rest) > 1 else rest
    return stated(subject, attribute + verb, rest, denied=denied, single=False)


def _definite(rest: list[str]) -> bool:
    """Whether an object is one known thing: a name, or a definite noun phrase."""
    if rest[0] in ("the", "our", "my"):
        return len(rest) > 1
    return rest[0][0].isupper() and not any(word in PREPOSITIONS and word != "of" for word in rest)


def _changed(
    subject: str, attribute: str, lemma: str, rest: list[str], *, denied: bool
) -> Extracted | None:
    """*moved (Y) (from W) to Z*: the new value, under the key that the old one had where that can be told."""
    if denied or "to" not in rest[:-1] and "for" not in rest[:-1]:
        return None
    source = rest.index("from") if "from" in rest[:-1] else -1
    links = [at for at, word in enumerate(rest[:-1]) if word in ("to", "for" if lemma in ("set", "schedule", "reschedule") else "to") and at > source]
    if not links:
        return None
    at = links[0]
    target = rest[at + 1 :]
    moved = rest[: source if source >= 0 else at]
    if moved and moved[0] in ("up", "down", "back", "forward", "over"):
        moved = moved[1:]
    if moved:  # "we moved the meeting to Friday": the meeting did
        found = about(moved)
        if found is None:
            return None
        subject, attribute = found
    if target[0] in LEMMAS and target[0].islower() and len(target) > 1 and target[0] not in NOUNS_TOO:
        return None
    purpose = ""
    if lemma in m.MOVES and "for" in target[1:-1]:
        cut = target.index("for", 1)
        purpose, target = _whole(target[cut + 1 :]), target[:cut]
    if attribute:
        return stated(subject, attribute.strip(), target, denied=False)
    if kind := m.when(target, year=lemma in m.VALUE_CHANGES):
        return stated(subject, kind if kind else "is", target, denied=False)
    if target[-1] in m.HELD_NOUNS and len(target) > 1:
        return stated(subject, target[-1], target[1:-1] if target[0] in DETERMINERS else target[:-1], denied=False)
    if lemma in m.VALUE_CHANGES:
        return stated(subject, "is", target, denied=False)
    if purpose:
        if subject in ("i", "we"):
            return stated(purpose, "use for", target, denied=False)
        return stated(subject, f"use for {purpose}", target, denied=False)
    phrase = "use" if lemma in ("switch", "migrate", "convert") else m.technology_or_place(target)
    return stated(subject, phrase or "moved to", target, denied=False)


# --- values -----------------------------------------------------------------------------------------------


def _category(rest: list[str]) -> tuple[str, list[str]]:
    """*the city of Paris*: the kind of value goes to the attribute; a city, the usual kind of place, is dropped."""
    if rest[0] == "the" and "of" in rest[2:4] and len(rest) > 3:
        at = 2 if rest[2] == "of" else 3
        if len(rest) > at + 1 and all(word.islower() for word in rest[1:at]):
            kind = " ".join(rest[1:at])
            return ("" if kind in ("city", "town") else f" {kind}"), rest[at + 1 :]
    return "", rest


def _qualified(value: list[str]) -> tuple[list[str], str]:
    """A figure *in staging* or *for guests* says nothing about other settings: that goes to the attribute."""
    if len(value) > 2:
        for at in range(1, len(value) - 1):
            if value[at] in ("in", "on", "for", "at", "during", "under") and (
                value[0][-1].isdigit() or value[0][0].isdigit() or value[-1].lower() in m.SETTINGS
            ):
                return value[:at], " ".join(value[at:])
    return value, ""


def _value(words: list[str], start: int, end: int) -> list[str]:
    """The words of the value, without what only says when, or what it is not."""
    value = words[start:end]
    while len(value) > 1:
        last = value[-1]
        if last in TRAILERS:
            del value[-1]
        elif last in ("more", "longer") and value[-2] == "any":
            del value[-2:]
        elif last in ("now", "moment", "days", "far", "on", "well", "time") and len(value) > 2:
            cut = 2 if value[-2] in ("for", "right", "these", "so", "as") else 3 if value[-3:] == ["at", "the", "moment"] else 0
            cut = cut or (4 if value[-3:] == ["from", "now", "on"][-3:] and len(value) > 3 else 0)
            if not cut:
                break
            del value[-min(cut, 3) :]
        else:
            break
    for at in range(1, len(value)):
        word = value[at]
        if word == "not" and value[at - 1][-1] == ",":
            value = value[:at]
            break
        if word == "but":
            return []
        if word == "as" and value[at + 1 : at + 2] == ["of"]:
            value = value[:at]
            break
    if len(value) > 2 and (value[-1][-1].isdigit() or value[-1][0].isdigit() or value[-1].rstrip(",") in m.TIME_ENDS):
        for at in range(len(value) - 2, max(0, len(value) - 6), -1):
            if value[at] in _BEFORE_TIME and m.when(value[at + 1 :], year=True):
                if value[at] in ("in", "on", "at", "by", "since", "from", "until") and value[at - 1] not in m.SCHEDULING \
                        and not (at == 1 and value[0].islower() and value[0].isalpha()):
                    value = value[:at]
                break
    if value and value[-1][-1] in ",;:":
        value[-1] = value[-1].rstrip(",;:")
    return value


def stated(
    subject: str, attribute: str, value: list[str], qualifier: str = "", *, denied: bool, single: bool = True
) -> Extracted | None:
    """Put together what was found; None where a part is missing."""
    text = " ".join(value)
    if not (subject and attribute and text):
        return None
    if qualifier:
        attribute = f"{attribute} {qualifier}"
    return Extracted(subject=subject, attribute=attribute, value=f"not {text}" if denied else text, single=single)
