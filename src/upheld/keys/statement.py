"""What stands around a clause: openers, labels, further sentences; and which statements have no key at all."""

from __future__ import annotations

import re
from typing import Final

from upheld.keys.chinese import extract_chinese
from upheld.keys.clause import parse
from upheld.keys.labels import UNDECIDED, assigned, labelled
from upheld.keys.meaning import when
from upheld.keys.result import Extracted, stated
from upheld.keys.words import (
    BE,
    CONDITIONS,
    DATED,
    FIRST_WORDS,
    KINDS,
    LABELS,
    OPENERS,
    PLACED,
    POINTS,
    UNSURE,
    VERB,
    word_set,
)  # fmt: skip

__all__ = ["extract"]

_LONGEST: Final = 400  # characters; what is longer is a story, not a statement
_MOST_WORDS: Final = 60
_LONGEST_LABEL: Final = 60  # characters
_FARTHEST_COMMA: Final = 8  # words; an opening phrase is short
_MARKS: Final = frozenset("[(*#>|{<-/@~")  # a list item, a speaker, a quotation, a comment, a path
_BREAKS: Final = (". ", ": ", "; ", "? ", "! ", "\n", "\r", "\u2014 ", "\u2013 ")
_ASIDE: Final = re.compile(r"\s\([a-z0-9][^()]*\)[.!]?$")
_LATIN: Final = re.compile(r"[a-z]\s")
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_ABBREVIATIONS: Final = word_set("""
    inc ltd corp co llc mr mrs ms dr st jr sr prof gen col sgt capt lt mt ft no nos vs etc approx dept univ bros
    rev hon gov sen rep pres ed vol fig jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri ave rd
""")
_STARTERS: Final = word_set("I The We It He She They This My Our That These Those You There")
_REASONS: Final = word_set("because since due reason reason: see per source source: according after as")
_TURNS: Final = word_set("not no never then but later now and however instead afterwards yet still")
_TAKEN_UP: Final = frozenset(("it", "them", "instead", "later", "then"))  # the story goes on
_CONTRACTIONS: Final = {
    "I'm": ("I", "is"), "i'm": ("I", "is"), "We're": ("We", "are"), "we're": ("we", "are"),
    "I've": ("I", "have"), "We've": ("We", "have"), "we've": ("we", "have"),
    "We'll": ("We", "will"), "we'll": ("we", "will"), "I'll": ("I", "will"),
}  # fmt: skip
_OPENING: Final = OPENERS | DATED | PLACED | {word for word, role in FIRST_WORDS.items() if role == CONDITIONS}


def extract(statement: str) -> Extracted | None:
    """Find what a plain statement says: a subject, an attribute and a value; None where that would be a guess.

    Knows English grammar and closed word classes, no data set. Never raises, for any text; a statement of more
    than 400 characters has no key.

    >>> extract("The capital of France is Paris.")
    Extracted(subject='France', attribute='capital', value='Paris', single=True)
    >>> extract("Omar no longer eats fish").value
    'not fish'
    >>> extract("I think the capital of France is Paris") is None
    True
    """
    if len(statement) > _LONGEST or statement[:1] in _MARKS:
        return None
    if not statement.isascii():
        if _CJK.search(statement) is not None and _LATIN.search(statement) is None:
            return extract_chinese(statement.strip())
        statement = statement.replace("\u2019", "'").replace("\u2018", "'")
    if ")" in statement:
        statement = _ASIDE.sub("", statement)
    if "," in statement and not UNSURE.isdisjoint(statement.replace(",", " ").split()):
        return None
    words = statement.split()
    if not words or len(words) > _MOST_WORDS or not UNSURE.isdisjoint(words):
        return None
    for mark in _BREAKS:  # nine times faster than one expression for all of them
        if mark in statement:
            return _broken(statement.strip())
    return _clause(words)


def _clause(words: list[str]) -> Extracted | None:
    """The key of one sentence without a break in it."""
    last = words[-1]
    if last[-1] in ".!?":
        if last[-1] == "?":
            return None
        if len(last) > 1:
            words[-1] = last[:-1]
    first = words[0]
    if first in _CONTRACTIONS:
        words[:1] = _CONTRACTIONS[first]
    elif first == "I" and words[1:2] == ["am"]:
        words[1] = "is"  # elsewhere "am" is half of a time of day
    elif len(words) < 3:
        return assigned(" ".join(words))
    low = first.lower()
    if low in _OPENING:
        cut = _opener_length(words, low)
        if cut is None:
            return None
        if cut:
            return _opened(words[:cut], words[cut:])
    return parse(words) if "=" not in words else assigned(" ".join(words))


def _opener_length(words: list[str], low: str) -> int | None:
    """How many words the opener takes; None if it makes the rest depend on a condition."""
    bare = low.rstrip(",:")
    for at, word in enumerate(words[:_FARTHEST_COMMA]):
        if word[-1] == ",":
            return None if FIRST_WORDS.get(bare) == CONDITIONS else at + 1
        if at and bare not in DATED and KINDS.get(word) in (BE, VERB):
            break
    single = low in OPENERS and (words[1][:1].islower() or low in ("currently", "now", "actually", "today"))
    return 1 if single else 0


def _opened(opener: list[str], words: list[str]) -> Extracted | None:
    """A clause behind its opener; *in production* qualifies the attribute, *as of June* does not."""
    if words and words[0] in _CONTRACTIONS:
        words[:1] = _CONTRACTIONS[words[0]]
    elif words[:2] == ["I", "am"]:
        words[1] = "is"
    found = parse(words) if len(words) > 2 else None
    if found is None or opener[0].lower() not in PLACED:
        return found
    opener[-1] = opener[-1].rstrip(",")
    if when(opener[1:], year=True):
        return found
    qualifier = " ".join(opener).lower()
    if qualifier.startswith("for ") and found.attribute == "use" and found.subject in ("i", "we"):
        return stated(qualifier[4:].removeprefix("the "), "use for", [found.value])
    return stated(found.subject, f"{found.attribute} {qualifier}", [found.value], single=found.single)


def _broken(text: str) -> Extracted | None:
    """A statement with punctuation inside: a label, a key and its value, or several sentences."""
    label, colon, rest = text.partition(": ")
    if colon and len(label) < _LONGEST_LABEL and not any(map(_ends, label.split())):
        if label.lower() in LABELS:
            return extract(rest)
        keyed = labelled(label, rest)
        if keyed is not UNDECIDED:
            return keyed
    first, *others = _sentences(text)
    found = _clause(first.split())
    if found is None or not all(map(_elaborates, others)):
        return None
    return found


def _elaborates(sentence: str) -> bool:
    """Whether a further sentence gives reasons or colour, and states, turns or takes back nothing."""
    words = sentence.split()
    first = words[0].strip(",").lower()
    if sentence[-1] == "?" or first in _TURNS or not UNSURE.isdisjoint(words) or not _TAKEN_UP.isdisjoint(words[1:]):
        return False
    if first in _REASONS:
        return True
    role = FIRST_WORDS.get(first)
    if role == POINTS:
        words[0] = "X"  # what "it" is does not matter here; that something is said of it does
    return role != CONDITIONS and _clause(words) is None


def _ends(word: str) -> bool:
    """Whether a sentence may end behind this word."""
    if word[-1] != ".":
        return word[-1] in "!?;—–"
    stem = word[:-1].lstrip("(\"'")
    return len(stem) > 1 and "." not in stem and stem.lower() not in _ABBREVIATIONS


def _sentences(text: str) -> list[str]:
    """The sentences, at least one; a full stop behind an abbreviation or in front of a small letter ends none."""
    sentences: list[str] = []
    for line in text.splitlines():
        start, words = 0, line.split()
        for at, word in enumerate(words, start=1):
            after = words[at] if at < len(words) else ""
            ends = _ends(word) and (word[-1] in ";—–" or not after[:1].islower())
            if not after or ends or (word[-1] == "." and after in _STARTERS):
                sentences.append(" ".join(words[start:at]).rstrip(";—– "))
                start = at
    return [sentence for sentence in sentences if sentence] or [text]
