"""What stands around a clause: openers, labels, further sentences; and which statements have no key at all."""

from __future__ import annotations

import re
from typing import Final

from upheld.keys import meaning as m
from upheld.keys.parse import Extracted, parse, stated
from upheld.keys.subjects import about
from upheld.keys.words import (
    CONDITIONAL, DATED, IMPERATIVE, KINDS, LABELS, NOT_KEYS, OPENERS, PLACED, POINTING, UNSURE,
)  # fmt: skip

__all__ = ["extract"]

_LONGEST: Final = 400  # characters; what is longer is a story, not a statement
_MOST_WORDS: Final = 60
_BREAK: Final = re.compile(r"[.!?;:—–]\s|[\n\r]")
_ABBREVIATIONS: Final = frozenset("""
    inc ltd corp co llc mr mrs ms dr st jr sr prof gen col sgt capt lt mt ft no nos vs etc approx dept univ bros
    rev hon gov sen rep pres ed vol fig jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri ave rd
""".split())
_ELABORATION: Final = re.compile(
    r"(?:because|since|due to|reason|this|that|the reason|it|they|see|per|approved|decided|agreed|source|according|"
    r"after|as|so|which|two|three|effective|previously|before|formerly)\b", re.IGNORECASE)  # fmt: skip
_ASSIGNED: Final = re.compile(r"([A-Za-z_][\w./-]*)\s*=\s*(?![=>])(\S.*)")
_CONTRACTIONS: Final = {
    "I'm": ("I", "am"), "i'm": ("I", "am"), "We're": ("We", "are"), "we're": ("we", "are"),
    "I've": ("I", "have"), "We've": ("We", "have"), "we've": ("we", "have"),
    "We'll": ("We", "will"), "we'll": ("we", "will"), "I'll": ("I", "will"),
}  # fmt: skip
_CJK: Final = re.compile(r"[\u3400-\u9fff]")
_CHINESE: Final = re.compile(
    r"([^，,。；;：:？?\s]{1,20}?)(?:现在|目前)?(住在|搬到|改到|改为|改成|(?<![现正存所实])在|(?<![但还于只就])是|使用|改用)"
    r"([^，,。；;：:？?]{1,30})[。.]?")  # fmt: skip
_CHINESE_UNSURE: Final = re.compile(r"[吗不没？?]|可能|也许|如果|应该|大概|我想|觉得|正在|别")
_CHINESE_WHEN: Final = re.compile(r"(?:下|上|本|这)?(?:周|星期|礼拜)[一二三四五六日天]|\d{1,4}[年月日号点]|[今明后]天|[一二三四五六七八九十]+[月点]")
_CHINESE_PHRASES: Final = {
    "住在": "based in", "搬到": "based in", "在": "located in", "是": "is", "使用": "use", "改用": "use",
    "改到": "is", "改为": "is", "改成": "is",
}  # fmt: skip


def extract(statement: str) -> Extracted | None:
    """Find what a plain statement says: a subject, an attribute and a value; None where that would be a guess.

    Knows English grammar and closed word classes, no data set. Never raises. At most 400 characters are read.

    >>> extract("The capital of France is Paris.")
    Extracted(subject='France', attribute='capital', value='Paris', single=True)
    >>> extract("Omar no longer eats fish").value
    'not fish'
    >>> extract("I think the capital of France is Paris") is None
    True
    """
    if len(statement) > _LONGEST:
        return None
    if not statement.isascii():
        if _CJK.search(statement) is not None:
            return _chinese(statement.strip())
        statement = statement.replace("\u2019", "'").replace("\u2018", "'")
    words = statement.split()
    if not words or len(words) > _MOST_WORDS or not UNSURE.isdisjoint(words):
        return None
    if _BREAK.search(statement) is not None:
        return _broken(statement)
    return _clause(words)


def _clause(words: list[str]) -> Extracted | None:
    last = words[-1]
    if last[-1] in ".!?":
        if last[-1] == "?":
            return None
        if len(last) > 1:
            words[-1] = last[:-1]
    first = words[0]
    if first in _CONTRACTIONS:
        words[:1] = _CONTRACTIONS[first]
    elif len(words) < 3:
        return _assigned(" ".join(words))
    qualifier = ""
    low = first.lower()
    opened = _OPENED.get(low)
    if opened is not None and (len(words) > 3 or opened == 1):
        cut = _opener(words, low)
        if cut is None:
            return None
        qualifier = " ".join(words[:cut]).rstrip(",").lower() if low in PLACED else ""
        if qualifier and m.when(qualifier.split()[1:], year=True):
            qualifier = ""
        if cut:
            words = words[cut:]
            if words[0] in _CONTRACTIONS:
                words[:1] = _CONTRACTIONS[words[0]]
    if "=" in words:
        return _assigned(" ".join(words))
    found = parse(words)
    if found is None or not qualifier:
        return found
    if qualifier.startswith("for ") and found.attribute == "use" and found.subject in ("i", "we"):
        return Extracted(subject=qualifier[4:].removeprefix("the "), attribute="use for", value=found.value, single=True)
    return Extracted(
        subject=found.subject, attribute=f"{found.attribute} {qualifier}", value=found.value, single=found.single
    )


_OPENED: Final = {**dict.fromkeys(OPENERS, 1), **dict.fromkeys(DATED | PLACED, 2), **dict.fromkeys(CONDITIONAL, 3)}


def _opener(words: list[str], low: str) -> int | None:
    """How many words the opener takes; None if it makes the statement unusable."""
    bare = low.rstrip(",:")
    for at, word in enumerate(words[:8]):
        if word[-1] == ",":
            if bare in CONDITIONAL:
                return None
            if bare in OPENERS or bare in DATED or bare in PLACED or low in OPENERS:
                return at + 1 if len(words) > at + 2 else None
            break
        if at and KINDS.get(word) in (1, 6) and bare not in DATED:
            break
    if low in OPENERS and words[1][:1].islower() or words[0] in ("Currently", "Now", "Actually", "Today"):
        return 1
    return 0


def _broken(statement: str) -> Extracted | None:
    """A statement with punctuation inside: a label, a key and its value, or several sentences."""
    text = statement.strip()
    label, colon, rest = text.partition(": ")
    if colon and len(label) < 60 and not _ends(label):
        if label.lower() in LABELS:
            return extract(rest)
        keyed = _labelled(label, rest)
        if keyed is not _UNDECIDED:
            return keyed
    parts = _sentences(text)
    if len(parts) == 1:
        return _clause(parts[0].split())
    if any(part.endswith("?") for part in parts):
        return None
    found = _clause(parts[0].split())
    if found is None:
        return None
    for part in parts[1:]:
        words = part.split()
        if not words or not UNSURE.isdisjoint(words):
            return None
        if words[0].lower() in POINTING:
            words[0] = "Xxx"
        words[0] = words[0].rstrip(",")
        reason = _ELABORATION.match(part) is not None and part.split()[0].lower() in (
            "because", "since", "due", "reason", "see", "per", "source", "according", "after", "as")  # fmt: skip
        if not reason and (_clause(words) is not None or words[0].lower() in CONDITIONAL):
            return None
    return found


_UNDECIDED: Final = Extracted(subject="", attribute="", value="", single=False)


def _labelled(label: str, rest: str) -> Extracted | None:
    """``Y: Z``. Undecided where the colon is inside a title (*Alien: Covenant was directed by ...*)."""
    names, value = label.split(), rest.rstrip(".").split()
    low = label.lower()
    if not names or not value:
        return None
    kinds = [KINDS.get(word) for word in value]
    if any(kind is not None and kind <= 6 for kind in kinds) and value[0][0].isupper() and names[-1][0].isupper():
        return _UNDECIDED if value[0] not in ("I", "We", "My", "Our") and low not in NOT_KEYS else None
    if low in NOT_KEYS or names[0].lower() in NOT_KEYS or len(names) > 6 or len(value) > 12:
        return None
    if any(kind is not None and kind in (1, 2, 3, 4, 5, 6, 8, 11) for kind in (*map(KINDS.get, names), *kinds)):
        return None
    if names[0].lower() in POINTING | IMPERATIVE | PLACED | DATED or label[0] in "[(*-#>" or _sentences(rest)[1:]:
        return None
    if any(word in ("I", "we", "you") for word in value) or value[0].lower() in IMPERATIVE - {"yes", "no", "use"}:
        return None
    found = about(names)
    if found is None:
        return None
    subject, attribute = found
    if not attribute:
        attribute = m.when(value) or "is"
    return stated(subject, attribute, value, denied=False)


def _assigned(text: str) -> Extracted | None:
    found = _ASSIGNED.fullmatch(text.rstrip("."))
    if found is None or len(found[2].split()) > 6:
        return None
    return stated(found[1], "is", found[2].split(), denied=False)


def _ends(word: str) -> bool:
    """Whether a full stop after this word ends a sentence."""
    if not word or word[-1] not in ".!?;—–":
        return False
    if word[-1] != ".":
        return True
    stem = word[:-1].lstrip("(\"'")
    return len(stem) > 1 and "." not in stem and stem.lower() not in _ABBREVIATIONS


def _sentences(text: str) -> list[str]:
    parts: list[str] = []
    for line in text.splitlines():
        current: list[str] = []
        words = line.split()
        for at, word in enumerate(words):
            current.append(word)
            following = words[at + 1 : at + 2]
            if following and _ends(word) and (word[-1] in ";—–" or not following[0][0].islower()):
                parts.append(" ".join(current).rstrip(";—– "))
                current = []
        if current:
            parts.append(" ".join(current))
    return [part for part in parts if part]


def _chinese(statement: str) -> Extracted | None:
    found = _CHINESE.fullmatch(statement)
    if found is None or _CHINESE_UNSURE.search(statement) is not None:
        return None
    subject, verb, value = found.groups()
    if not subject or subject in ("他", "她", "它", "这", "那", "他们", "这里", "我们"):
        return None
    owner, of, attribute = subject.partition("的")
    if _CHINESE_WHEN.match(value) is not None:
        phrase = "date"
    else:
        phrase = _CHINESE_PHRASES[verb]
    if of and owner and attribute:
        return Extracted(subject=owner, attribute=attribute, value=value, single=True)
    return Extracted(subject=subject, attribute=phrase, value=value, single=True)
