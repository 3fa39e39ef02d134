"""The sentences of a text, and the parts of it that may be said alone. Pure."""

from __future__ import annotations

import re

_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|ca|no|nr|art|fig|sec|vol|inc|ltd|co|mr|mrs|ms|dr|prof|st|jan|feb|mar|apr|jun|"
    r"jul|aug|sept?|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|a\.m|p\.m)|\b[A-Za-z])\.$",
    re.IGNORECASE,
)
_END = re.compile("[.!?]+[\"'\u201d\u2019)\\]]*(?=\\s)|[\u3002\uff01\uff1f]|\n")
# A sentence that opens so says half of what the one before it says: apart from it, it would say something else.
_LEANS = re.compile(
    r"(?:it|its|this|that|these|those|they|them|their|he|she|his|her|such|there|then|but|however|otherwise|instead|so|"
    r"therefore|thus|hence|also|and|or|yet|still|unless|except|only|both|neither|the (?:former|latter|same))\b",
    re.IGNORECASE,
)


def spans(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand. Two that are not told apart do no harm; one that is cut in two would.

    >>> text = "Use npm, e.g. for the shop. CI runs on Jenkins."
    >>> [text[start:end] for start, end in spans(text)]
    ['Use npm, e.g. for the shop.', 'CI runs on Jenkins.']
    """
    found: list[tuple[int, int]] = []
    begin = 0
    for stop in [*(match.end() for match in _END.finditer(text)), len(text)]:
        piece = text[begin:stop]
        goes_on = text[stop : stop + 2].strip()[:1].islower() or _ABBREVIATION.search(piece) is not None
        if not piece.strip() or (stop < len(text) and goes_on and not piece.endswith("\n")):
            continue
        start = begin + len(piece) - len(piece.lstrip())
        found.append((start, begin + len(piece.rstrip())))
        begin = stop
    return found


def units(text: str) -> list[tuple[int, int]]:
    """Where the parts of a text stand that may be said alone: a sentence, with those behind it that lean on it.

    >>> text = "The port is 5432. It may change. Backups run at two."
    >>> [text[start:end] for start, end in units(text)]
    ['The port is 5432. It may change.', 'Backups run at two.']
    """
    found: list[tuple[int, int]] = []
    for start, end in spans(text):
        if found and _LEANS.match(text[start:end]):
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found
