"""What stands around a clause: openers, labels, further sentences; and which statements have no key at all."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from upheld.keys.chinese import extract_chinese
from upheld.keys.clause import parse
from upheld.keys.instead import MARKS, in_its_place
from upheld.keys.labels import UNDECIDED, assigned, labelled
from upheld.keys.meaning import CHANGES, CHOOSING, when
from upheld.keys.result import RECURRING, Extracted, stated
from upheld.keys.words import (
    BE,
    CONDITIONS,
    DATED,
    END,
    FIRST_WORDS,
    HAVE,
    KINDS,
    LABELS,
    OPENERS,
    PARTICIPLES,
    PAST,
    PLACED,
    POINTS,
    PREPOSITIONS,
    RELATIVE,
    THIRD,
    UNSURE,
    VERB,
    WILL,
    word_set,
)  # fmt: skip

__all__ = ["extract", "first_sentence", "opener_length"]

_LONGEST: Final = 400  # characters; what is longer is a story, not a statement
_MOST_WORDS: Final = 60
_LONGEST_LABEL: Final = 60  # characters
_FARTHEST_COMMA: Final = 8  # words; an opening phrase is short
_MARKS: Final = frozenset("[(*#>|{<-/@~+")  # a list item, a speaker, a quotation, a comment, a path
_OPENS_NOTHING: Final = ("```", "http://", "https://", "www.")
_HEADING: Final = re.compile(r"[^\n]*[^\s.!?;:][ \t]*\n(?:[ \t]*\n|[=-]{3,}[ \t]*(?:\n|$))")
_BREAKS: Final = (". ", ": ", "; ", "? ", "! ", "\n", "\r", "\u2014 ", "\u2013 ")
_STOPS: Final = (". ", "; ", "? ", "! ", ".\n", "\u2014 ", "\u2013 ")
_ASIDE: Final = re.compile(r"\s\([a-z0-9][^()]*\)[.!]?$")
_MARKED_HEADING: Final = re.compile(r"#{1,6} [^\n]*\n")
_LATIN: Final = re.compile(r"[a-z]\s")
_ADDS: Final = re.compile(r"(?:\bnot|n't) (?:only|just|merely|solely)\b")  # "not only X" is X, and more
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_ABBREVIATIONS: Final = word_set("""
    inc ltd corp co llc mr mrs ms dr st jr sr prof gen col sgt capt lt mt ft no nos vs etc approx dept univ bros
    rev hon gov sen rep pres ed vol fig jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri ave rd
""")
_STARTERS: Final = word_set("I The We It He She They This My Our That These Those You There")
_OURSELVES: Final = frozenset(("we", "I"))
_OWNED: Final = frozenset(("the", "my", "our"))
_MYSELF: Final = ("I ", "I'm ", "I've ")
_REASONS: Final = word_set("because since due reason reason: see per source source: according after as")
_TURNS: Final = word_set("not no never then but later now and however instead afterwards yet still")
_TAKEN_UP: Final = frozenset(("instead", "later", "then"))  # the story goes on
_SAME_THING: Final = frozenset(("it", "them", "they", "this", "that"))
_MADE_OTHER: Final = CHANGES | {"replace", "remove", "reject", "stop", "cancel", "end", "retire"}
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
    Extracted(subject='France', attribute='capital', value='Paris', single=True, beside=False)
    >>> extract("Omar no longer eats fish").value
    'not fish'
    >>> extract("I think the capital of France is Paris") is None
    True
    """
    if len(statement) > _LONGEST:
        return None
    if statement[:1].isspace():
        statement = statement.strip()
    if statement[:1] in _MARKS or statement.startswith(_OPENS_NOTHING):
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
    if words[0][-1] in ".)" and _numbers_item(words):
        return None
    if any(map(statement.__contains__, MARKS)):
        if _ADDS.search(statement) is not None:
            return None
        if (found := in_its_place(statement.strip(), _clause)) is not None:
            return found
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
        cut = opener_length(words, low)
        if cut is None:
            return None
        if cut:
            return _opened(words[:cut], words[cut:])
    return parse(words) if "=" not in words else assigned(" ".join(words))


def opener_length(words: list[str], low: str) -> int | None:
    """How many words the opener takes; None if it makes the rest depend on a condition."""
    bare = low.rstrip(",:")
    for at, word in enumerate(words[:_FARTHEST_COMMA]):
        if word[-1] == ",":
            return None if FIRST_WORDS.get(bare) == CONDITIONS else at + 1
        if at and bare not in DATED and KINDS.get(word) in (BE, VERB):
            break
    if low in DATED or low in PLACED:  # without its comma: "for logging we use", "since Monday the phone is"
        for at in range(2, min(len(words) - 2, _FARTHEST_COMMA)):
            ours = words[at] in _OURSELVES and words[at - 1] != "that"
            if ours or (words[at] in _OWNED and when(words[1 + (words[1] == "of") : at], year=True)):
                return at
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
    if when(opener[1:], year=True) and opener[-1].lower() not in RECURRING and _tells_a_change(words):
        return found  # the day is when it changed, not when it holds
    qualifier = " ".join(opener).lower()
    if qualifier.startswith("for ") and found.attribute == "use" and found.subject in ("i", "we"):
        return stated(qualifier[4:].removeprefix("the "), "use for", [found.value])
    return replace(found, attribute=f"{found.attribute} {qualifier}")


def _tells_a_change(words: list[str]) -> bool:
    return any((PAST.get(word) or PARTICIPLES.get(word)) in _MADE_OTHER | CHOOSING for word in words)


def _broken(text: str) -> Extracted | None:
    """A statement with punctuation inside: a label, a key and its value, or several sentences."""
    if "\n" in text and _HEADING.match(text) is not None:
        return None  # a heading names what follows and states nothing
    label, colon, rest = text.partition(": ")
    if colon and len(label) < _LONGEST_LABEL and not any(map(_ends, label.split())):
        if label.lower() in LABELS:
            return extract(rest)
        keyed = labelled(label, rest)
        if keyed is not UNDECIDED:
            return keyed
    first, *others = _sentences(text)
    found = _clause(first.split())
    if found is None or not all(_elaborates(sentence, found) for sentence in others):
        return None
    return found


def _elaborates(sentence: str, found: Extracted) -> bool:
    """Whether a further sentence gives reasons or colour, and states, turns or takes back nothing."""
    words = sentence.split()
    first = words[0].strip(",").lower()
    if sentence[-1] == "?" or first in _TURNS or not UNSURE.isdisjoint(words) or not _TAKEN_UP.isdisjoint(words[1:]):
        return False
    if not _SAME_THING.isdisjoint(words[1:]) and _takes_up(words):
        return False
    if first in _REASONS and first not in DATED:
        return True
    role = FIRST_WORDS.get(first)
    if role == POINTS:
        words[0] = "X"  # what "it" is does not matter here; that something is said of it does
    if role == CONDITIONS:
        return False
    other = _clause(words)
    if other is None:
        return True
    # "I have run it for years": what somebody does besides, while the note is about something else
    return sentence.startswith(_MYSELF) and not other.single and other.subject == "i" != found.subject


def _takes_up(words: list[str]) -> bool:
    """Whether something new is said of what the first sentence was about: "I moved it", "from May it is 25 euros"."""
    for at in range(1, len(words)):
        if words[at] not in _SAME_THING:
            continue
        before = words[at - 1]
        if (PAST.get(before) or THIRD.get(before) or before) in _MADE_OTHER:
            return True
        role = KINDS.get(before)
        if before not in PREPOSITIONS and role not in (RELATIVE, END) and FIRST_WORDS.get(before) != CONDITIONS:
            tail = words[at + 1 :]
            if KINDS.get(tail[0] if tail else "", 0) in (BE, HAVE, WILL, VERB) and _clause(["X", *tail]) is not None:
                return True
    return False


def first_sentence(text: str) -> list[str]:
    """The words of the first sentence behind the headings; empty where a text begins with a list or another mark."""
    if "\n" in text:
        text = text.strip()
        while (heading := _MARKED_HEADING.match(text) or _HEADING.match(text)) is not None:
            text = text[heading.end() :].lstrip()
    if text[:1] in _MARKS or text.startswith(_OPENS_NOTHING):
        return []
    words = text.split()
    if any(map(text.__contains__, _STOPS)):
        for at, word in enumerate(words[:-1], start=1):
            if _ends(word) and (word[-1] != "." or not words[at][0].islower()):
                del words[at:]
                break
    if words:
        words[-1] = words[-1].rstrip(".!?;\u2014\u2013") or words[-1]
    return words


def _numbers_item(words: list[str]) -> bool:
    """Whether the first word numbers an item of a list; "1. FC Lind" is a club."""
    mark = words[0]
    if not mark[:-1].isdigit() or len(words) < 2:
        return False
    return mark[-1] == ")" or words[1] in _STARTERS or words[1][0].islower()


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
