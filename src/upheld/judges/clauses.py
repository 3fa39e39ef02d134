"""A passage cut into the clauses that it states: sentences, list items, settings and table rows, each with its mood."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from upheld.judges.above import Above, said_above, settings_as_words, titles
from upheld.judges.lexicon import CHANGE_VERBS, FUNCTION, PLACEHOLDERS
from upheld.judges.mood import Mood, mood_of
from upheld.judges.tokens import Token, tokens
from upheld.keys.words import BE, HAVE, KINDS, NOUNS_TOO, PARTICIPLES, PAST, PREPOSITIONS, THIRD, VERB

__all__ = ["Clause", "clauses", "denied", "in_past"]


@dataclass(slots=True)
class Clause:
    """One statement: its tokens, and what stands above it. `start` and `end` bound its quote.

    Of a cell of a table, `cell` is what its row is about, its column and what it holds.
    """

    start: int
    end: int
    text: str
    tokens: tuple[Token, ...]
    mood: Mood
    above: Above = field(default=Above(frozenset(), frozenset(), doubtful=False))
    taken_up: frozenset[str] = frozenset()
    label: bool = False
    struck: bool = False
    cell: tuple[str, str, str] | None = None
    words: frozenset[str] = field(default=frozenset(), init=False)

    @property
    def context(self) -> frozenset[str]:
        """The words that stand above it, and those of the subject that it takes up."""
        return self.above.context | self.taken_up

    def __post_init__(self) -> None:
        self.words = frozenset(token.key for token in self.tokens if token.is_content)


_MOST_CLAUSES: Final = 200
_LONGEST: Final = 700  # characters; what is longer is no sentence
_GLANCE: Final = 120
_ABBREVIATIONS: Final = frozenset(
    "inc ltd corp co mr mrs ms dr st jr sr prof gen no nos vs etc approx dept eg ie e.g i.e a.m p.m u.s al fig sec "
    "bros rev hon gov sen rep pres vol jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_STOP: Final = re.compile(
    r"[.!?。\uff01\uff1f]+[\"'”\u2019)\]*_]*(?=\s|$|[\u3040-\u9fff])|;\s|:\s(?=(?:it|they|we|this|he|she)\b)|\s[—\u2013]\s|\s--\s"
)
_INITIALS: Final = re.compile(r"(?:\w\.)+\w")
_BULLET: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|[a-z]\)|//+|#(?!#)|\*|--)\s+(?:\[[ xX]\]\s+)?")
_HEADING: Final = re.compile(r"\s*(#{1,6})\s+(.*)")
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DISCLAIMED: Final = re.compile(
    r"\bthis (?:page|document|doc|section|article|file|guide|version|text|draft|entry) (?:is|was|has been) "
    r"(?:now |only |still )?(?:out of date|out-of-date|outdated|obsolete|deprecated|archived|superseded|a draft|"
    r"a proposal|an example|historical|not (?:yet )?(?:approved|in force|final|current)|no longer)\b",
    re.IGNORECASE,
)
# A setting behind a comment's sign, an option of a command, a line that a diff takes away.
_SWITCHED_OFF: Final = re.compile(r"\s*(?://+|--|;)\s*[\w.\-]+\s*[:=]\s*\S+\s*|\s*--?[A-Za-z].*")
_RULE: Final = re.compile(r"[\s|:=*_+-]+")
_ROW: Final = re.compile(r"\s*\|.*\|\s*$")
_BAR: Final = re.compile(r"(?<!\\)\|")
_STRUCK: Final = re.compile(r"~~.*?~~|<(?:s|del)>.*?</(?:s|del)>", re.IGNORECASE)
_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_PRONOUN: Final = re.compile(
    r"(?:[Ii]t|[Tt]hey|[Hh]e|[Ss]he|This|That|These|Those|The (?:service|team|plan|company|system|tool|product|"
    r"app|project|value|"
    r"limit|policy|programme|program|contract|deadline|date))\b"
)
_JOINS: Final = frozenset(("and", "but", "while", "whereas", "so", "although", "though", "yet"))
_NEGATIONS: Final = frozenset(("not", "never", "cannot", "neither", "without"))
_NOT_DENYING: Final = frozenset(("only", "just", "more", "less", "fewer", "later", "necessarily", "exceed"))
# Past forms whose effect lasts: "discount approved for X", "we chose Kafka".
_LASTING: Final = frozenset(("approve", "grant", "allocate", "assign", "schedule", "book", "reserve", "agree", "decide",
                             "confirm", "choose", "pick", "select", "adopt", "limit", "cap"))  # fmt: skip
_UNTENSED: Final = frozenset(("set", "cut", "put", "let", "read", "shut", "run", "come", "become", "based", "named"))


def clauses(text: str, *, headings: Sequence[str] = ()) -> list[Clause]:
    """The clauses of a passage in order, with what the headings above it and in it say. Never raises."""
    found: list[Clause] = []
    above = list(headings)
    columns = _cells(above.pop()) if above and _BAR.search(above[-1]) else []  # a row that was cut from its table
    header: list[str] | None = None
    fenced = False
    before: frozenset[str] = frozenset()
    text = _COMMENT.sub(lambda match: re.sub(r"\S", " ", match[0]), text)
    titled = titles(text)
    void = _DISCLAIMED.search(text) is not None
    for start, line in _lines(text):
        if len(found) >= _MOST_CLAUSES:
            break
        if _FENCE.match(line):
            fenced = not fenced
            continue
        if not line.strip() or _RULE.fullmatch(line):
            continue
        if not fenced and (heading := _HEADING.match(line)) is not None:
            above, header, before = [*above[-2:], heading[2]], None, frozenset()
            continue
        frame = said_above(tuple(above), titled.get(start, ()), void=void)
        if _ROW.match(line) or (columns and len(_cells(line)) == len(columns)):
            cells = _cells(line)
            header = header or columns or None
            if header is None:
                header = cells
                continue
            found += _row(line, start, header, cells, frame)
            continue
        header = None
        rest, struck = _struck_out(line, start, frame)
        found += struck
        if _SWITCHED_OFF.fullmatch(rest):
            continue
        bullet = _BULLET.match(rest)
        offset = bullet.end() if bullet is not None else len(rest) - len(rest.lstrip())
        for begin, end in _sentences(rest, offset):
            sentence = rest[begin:end]
            if rest[end : end + 1] == ":" and not any(map(_finite, tokens(sentence))):
                frame = said_above(tuple(above), (*titled.get(start, ()), sentence), void=void)
                continue  # "Session storage: we replaced ..."
            made = list(_clauses(sentence, start + begin, frame, _taken_up(sentence, before)))
            found += made
            if made and not (before and _PRONOUN.match(sentence)):
                before = _subject(made[0])
    return found


def _struck_out(line: str, start: int, frame: Above) -> tuple[str, list[Clause]]:
    """The line without the whole statements that are struck out in it, and those; they are no part of what follows."""
    rest, found = line, []
    for match in _STRUCK.finditer(line):
        inner = tokens(match[0])
        if any(map(_finite, inner)):
            rest = rest[: match.start()] + " " * len(match[0]) + rest[match.end() :]
            part = tuple(token for token in inner if not token.is_mark)
            begin, end = start + match.start(), start + match.end()
            found.append(Clause(begin, end, match[0], part, Mood.STATED, frame, struck=True))
    return rest, found


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their offsets; a line that goes on in the next one, as in wrapped prose, is one with it."""
    at, held, held_at = 0, "", 0
    for raw in text.splitlines(keepends=True):
        line = raw.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029")
        wraps = (
            held
            and line[:1].islower()
            and held.rstrip()[-1:] not in ".!?:|;"
            and len(held) + len(line) < _LONGEST
            and not _BULLET.match(line)
            and len(held.split()) > 4
            and at - held_at == len(held) + 1
        )
        if wraps:
            held += "\n" + line
        else:
            if held:
                yield held_at, held
            held, held_at = line, at
        at += len(raw)
    if held:
        yield held_at, held


def _sentences(line: str, offset: int) -> Iterator[tuple[int, int]]:
    begin = offset
    for stop in _STOP.finditer(line, offset):
        if stop[0].startswith("."):
            word = line[max(begin, stop.start() - 12) : stop.start()].rpartition(" ")[2].lower().strip("(")
            short = word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha()) or _INITIALS.fullmatch(word)
            if short and stop[0] != "..":  # "..": one of the short form, one of the sentence
                continue
            if line[stop.end() : stop.end() + 2].strip()[:1].islower() and not _begins(line, begin, stop):
                continue
        end = stop.end() if stop[0][0] in ".!?。\uff01\uff1f" else stop.start()
        if line[begin:end].strip():
            yield _trimmed(line, begin, end)
        begin = stop.end()
    if line[begin:].strip():
        yield _trimmed(line, begin, len(line))


def _begins(line: str, begin: int, stop: re.Match[str]) -> bool:
    """Whether a small letter behind a full stop begins a sentence, as a term that is written small does."""
    before, behind = tokens(line[begin : stop.start()]), tokens(line[stop.end() : stop.end() + _GLANCE])
    end = next((at for at, token in enumerate(behind) if token.text in (".", "!", "?")), len(behind))
    verb = next((at for at, token in enumerate(behind[:end]) if _finite(token)), 0)
    return len(before) > 3 and any(map(_finite, before)) and verb > 0 and behind[0].text.lower() not in FUNCTION


def _trimmed(line: str, begin: int, end: int) -> tuple[int, int]:
    while begin < end and line[begin].isspace():
        begin += 1
    while end > begin and line[end - 1].isspace():
        end -= 1
    return begin, end


def _clauses(text: str, start: int, frame: Above, taken_up: frozenset[str]) -> Iterator[Clause]:
    """One or more clauses of one sentence; all are quoted by the whole sentence."""
    if len(text) > _LONGEST:
        return
    text = settings_as_words(text)
    doubted = frame.void or (frame.doubtful and not _titled(text, frame))
    mood = Mood.UNSURE if doubted else mood_of(text)
    cut = tokens(_STRUCK.sub(lambda match: "\x00" * len(match[0]), text))
    struck = [token for match in _STRUCK.finditer(text) for token in _moved(tokens(match[0].strip("~")), match.start())]
    for stated in _parts([token for token in cut if token.text != "\x00"]):
        part = [*stated, *_as_old(struck)] if struck else stated
        if any(token.is_content or token.sort for token in part):
            label = any(token.text in (":", "=") for token in part[:-1])
            yield Clause(start, start + len(text), text, tuple(part), mood, frame, taken_up, label)


def _titled(text: str, frame: Above) -> bool:
    """Whether the sentence names all that stands above it: the title is its subject's name, and casts no doubt."""
    return frame.narrowed <= {token.text.lower() for token in tokens(text)}


def _moved(part: list[Token], by: int) -> list[Token]:
    return [token._replace(start=token.start + by, end=token.end + by) for token in part]


def _as_old(struck: list[Token]) -> list[Token]:
    """What is struck out reads as ``instead of ...``."""
    mark = struck[0]
    return [Token("instead", "instead", mark.start, mark.start), Token("of", "of", mark.start, mark.start), *struck]


def _parts(sentence: list[Token]) -> Iterator[list[Token]]:
    """Cut *X is a and Y is b* into two; *is stored and encrypted* stays whole."""
    begin = 0
    for at, token in enumerate(sentence):
        low = token.text.lower()
        if low not in _JOINS or at - begin < 3 or at + 3 > len(sentence):
            continue
        if any(map(_finite, sentence[begin:at])) and any(map(_finite, sentence[at + 2 : at + 8])):
            if _finite(sentence[at + 1]):
                continue
            yield sentence[begin:at]
            begin = at + 1
    yield sentence[begin:]


def _finite(token: Token) -> bool:
    return not token.sort and BE <= KINDS.get(token.text.lower(), 0) <= VERB


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in _BAR.split(row.strip().strip("|"))]


def _row(line: str, start: int, header: list[str], cells: list[str], frame: Above) -> Iterator[Clause]:
    """A row says of its first cell what each further cell and its column say."""
    if len(cells) < 2 or len(cells) != len(header) or len(cells) > 12:
        return
    begin, end = _trimmed(line, 0, len(line))
    about = frozenset(token.key for token in tokens(header[0]) if token.is_content)
    for name, cell in zip(header[1:], cells[1:], strict=True):
        if not cell:
            continue
        column = "" if name.lower() in PLACEHOLDERS else name
        text = f"{cells[0]} {column}: {cell}"
        mood = Mood.UNSURE if frame.doubtful or frame.void else mood_of(text)
        yield Clause(
            start + begin,
            start + end,
            text,
            tuple(tokens(text)),
            mood,
            frame,
            about,
            label=True,
            cell=(cells[0], column, cell) if column and cells[0] else None,
        )


def _taken_up(sentence: str, before: frozenset[str]) -> frozenset[str]:
    return before if before and _PRONOUN.match(sentence) else frozenset()


def _subject(clause: Clause) -> frozenset[str]:
    """Content words in front of the first finite verb."""
    words: set[str] = set()
    for token in clause.tokens:
        if token.text in (":", "=") or (words and _finite(token)):
            break
        if token.is_content:
            words.add(token.key)
    return frozenset(words) if len(words) <= 6 else frozenset()


def denied(words: Sequence[Token]) -> bool:
    """Whether an odd number of words denies what the clause says."""
    count = 0
    for at, token in enumerate(words):
        low = token.text.lower()
        after = words[at + 1].text.lower() if at + 1 < len(words) else ""
        if low in _NEGATIONS or low.endswith(("n't", "n\u2019t")):
            comma = at and words[at - 1].text == ","
            count += after not in _NOT_DENYING and not (comma and low == "not") and not (low == "not" and not at)
        elif low == "no":
            count += after not in ("more", "less", "fewer", "later", "one", ",", "") and not _ordinal(words, at)
    return count % 2 == 1


def _ordinal(words: Sequence[Token], at: int) -> bool:
    """*No. 37* is a place in an order."""
    behind = words[at + 1 : at + 3]
    return len(behind) == 2 and behind[0].text == "." and behind[1].text[0].isdigit()


def in_past(words: Sequence[Token]) -> bool:
    """Whether the first finite verb is a past form that no present one follows."""
    for at, token in enumerate(words):
        if token.sort or token.is_mark:
            continue
        low = token.text.lower()
        kind = KINDS.get(low, 0)
        if low in ("was", "were", "had", "did", "wasn't", "weren't", "didn't"):
            following = [other.text.lower() for other in words[at + 1 : at + 4]]
            return not any(word in PARTICIPLES and PARTICIPLES[word] in CHANGE_VERBS for word in following)
        if kind in (BE, HAVE) or low in ("does", "do", "can", "will", "must", "shall", "may", "should"):
            return False
        if kind == VERB:
            if THIRD.get(low) in NOUNS_TOO and any(map(_finite, words[at + 1 :])):
                continue  # "cluster upgrades happened"
            if low in PAST and low not in _UNTENSED:
                before = words[at - 1].text.lower() if at else ""
                verb = at > 0 and before not in PREPOSITIONS and before not in FUNCTION
                return verb and PAST[low] not in CHANGE_VERBS and PAST[low] not in _LASTING
            if at:
                return False
    return False
