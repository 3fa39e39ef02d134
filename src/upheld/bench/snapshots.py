"""One set of questions with its answers at several dates: what was learned at the first, and the world at the last.

A folder holds the snapshots, each under a name with a date in it ("Dec2021", "2024-03"), as a folder with a JSON file
of single-hop questions, or as such a file. The earliest is what was learned, the latest is the world; what lies
between them is not read.

Several answers to one question are one value: the set, written in one order, so that two sets are the same value
exactly where they have the same members after canonicalisation.
"""

from __future__ import annotations

import calendar
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from upheld.errors import Invalid, Misconfigured
from upheld.note import MAX_NAME_CHARS
from upheld.values import canonical, canonical_name

FOLDER = "pat_questions"
_BETWEEN = "; "
_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name}
_DIGITS = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)(?:[-_. ]?(?P<month>\d\d))?(?:[-_. ]?(?P<day>\d\d))?(?!\d)")
_NAMED = re.compile(
    r"(?:(?P<before>(?:19|20)\d\d)[-_ ]?)?(?<![a-z])(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"[-_., ]*(?:(?P<day>\d{1,2})[-_., ]+)?(?P<after>(?:19|20)\d\d)?(?!\d)"
)
_FRAME = re.compile(
    r"^(?:who (?:is|was)|which|what (?:is|was)|(?:where|when) (?:is|was)) | (?:does|did)(?= )|currently"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question that both snapshots answer: what it asks about, and both answers, each the set as one value.

    `kind` is its class: the relation that it asks for. `relabelled` says that the same things bear other names now.
    """

    question: str
    subject: str
    attribute: str
    kind: str
    then: str
    now: str
    relabelled: bool

    @property
    def changed(self) -> bool:
        """Whether the two sets of answers differ."""
        return canonical(self.then) != canonical(self.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """What two snapshots have in common, and what was left aside, by reason."""

    learned_at: datetime
    asked_at: datetime
    questions: tuple[Question, ...]
    left_out: Mapping[str, int]


def read(folder: Path) -> Moved:
    """Read the earliest and the latest snapshot of a folder.

    Raises `Misconfigured` where there are not two of different dates, `Invalid` where one is no JSON.
    """
    dated = sorted(_dated(folder), key=lambda found: found[0])
    if len({at for at, _ in dated}) < 2 or dated[0][0] == dated[1][0] or dated[-1][0] == dated[-2][0]:
        names = ", ".join(path.name for _, path in dated) or "none"
        raise Misconfigured(
            f"{folder} needs two snapshots or more, each under a name with a date of its own (Dec2021, 2024-03), and "
            f"in each a JSON file of single-hop questions; found: {names}"
        )
    (learned_at, first), (asked_at, last) = dated[0], dated[-1]
    then, now = _asked(first), _asked(last)
    left_out: Counter[str] = Counter()
    for name, count in (("only at the first date", len(then.keys() - now.keys())),
                        ("only at the last date", len(now.keys() - then.keys()))):  # fmt: skip
        left_out[name] += count
    questions = _apart(_questions(then, now, left_out))
    return Moved(
        learned_at=learned_at,
        asked_at=asked_at,
        questions=tuple(questions),
        left_out={name: count for name, count in left_out.items() if count},
    )


def dated(name: str) -> datetime | None:
    """The last day that a date in a name allows, in UTC; None where the name holds no date.

    >>> [f"{dated(name):%Y-%m-%d}" for name in ("Dec2021", "2024-02", "pat_20240315", "March 5, 2024", "2023")]
    ['2021-12-31', '2024-02-29', '2024-03-15', '2024-03-05', '2023-12-31']
    >>> dated("singlehop") is None
    True
    """
    for match in _NAMED.finditer(name.lower()):
        year = match["after"] or match["before"]
        if year is not None:
            return _last_day(int(year), _MONTHS[match["month"]], int(match["day"] or 0))
    found = _DIGITS.search(name)
    return None if found is None else _last_day(int(found["year"]), int(found["month"] or 0), int(found["day"] or 0))


def _last_day(year: int, month: int, day: int) -> datetime | None:
    """A date whose month or day may be open (0): then the last of them."""
    month = month or 12
    if not 1 <= month <= 12:
        return None
    last = calendar.monthrange(year, month)[1]
    return datetime(year, month, day or last, tzinfo=UTC) if day <= last else None


def answered(texts: Iterable[str]) -> str:
    """Several answers as one value: each once, in the order of their canonical forms.

    >>> answered(["Maurice Louf", "Benoît Demagny", "maurice louf"])
    'Benoît Demagny; Maurice Louf'
    """
    by_form = {canonical(text): text for text in sorted(texts, reverse=True)}
    return _BETWEEN.join(by_form[form] for form in sorted(by_form))


def _dated(folder: Path) -> list[tuple[datetime, Path]]:
    if not folder.is_dir():
        raise Misconfigured(f"there is no folder {folder}")
    found = []
    for path in sorted(folder.iterdir()):
        at, file = dated(path.name), _single_hop(path)
        if at is not None and file is not None:
            found.append((at, file))
    return found


def _single_hop(path: Path) -> Path | None:
    """The file of single-hop questions of a snapshot: itself, or the one that its name tells, or the only one."""
    listed = sorted(path.glob("*.json")) if path.is_dir() else [path] if path.suffix == ".json" else []
    fitting = [each for each in listed if "multi" not in each.name.lower()]
    named = [each for each in fitting if "single" in each.name.lower()]
    chosen = named or fitting
    return chosen[0] if len(chosen) == 1 else None


def _asked(path: Path) -> dict[str, Mapping[str, Any]]:
    """The questions of a file by their words."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Misconfigured(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Invalid(f"{path} is no JSON: {error}") from error
    listed = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()
    keys = list(whole) if isinstance(whole, dict) else [None] * len(listed)
    records = [(key, each) for key, each in zip(keys, listed, strict=True) if isinstance(each, dict)]
    return {str(each.get("question") or key): each for key, each in records}


def _questions(
    then: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]], left_out: Counter[str]
) -> list[tuple[str, Question]]:
    """The questions that both answer, each with what tells its subject from others of the same name."""
    found = []
    for question in then.keys() & now.keys():
        old, new = then[question], now[question]
        subject, item = _subject(old)
        attribute = attribute_of(str(old.get("template") or ""))
        relations = old.get("relations")
        kind = "+".join(map(str, relations)).lower() if isinstance(relations, list) and relations else attribute
        before, after = _texts(old), _texts(new)
        if not subject or not attribute:
            left_out["without a subject or a template"] += 1
        elif not before or not after:
            left_out["without an answer at one of the dates"] += 1
        elif max(len(answered(before)), len(answered(after)), len(subject), len(attribute)) > MAX_NAME_CHARS:
            left_out["too long for a value"] += 1
        else:
            made = Question(
                question=question,
                subject=subject,
                attribute=attribute,
                kind=kind,
                then=answered(before),
                now=answered(after),
                relabelled=set(map(canonical, before)) != set(map(canonical, after)) and _same_things(old, new),
            )
            found.append((item, made))
    return sorted(found, key=lambda each: each[1].question)


def _subject(asked: Mapping[str, Any]) -> tuple[str, str]:
    """The name and the item of a question's subject; no name where there is none."""
    subject = asked.get("subject")
    named = subject if isinstance(subject, dict) else {"subLabel": subject}
    return str(named.get("subLabel") or "").strip(), str(named.get("subject") or "")


def attribute_of(template: str) -> str:
    """What a question asks for: its template without the subject and the words that make it a question.

    >>> attribute_of("Who was the previous head coach of the team {subject}?")
    'previous head coach of the team'
    >>> attribute_of("Which team does {subject} play for currently?")
    'team play for'
    """
    without = template.replace("{subject}", " ").replace("?", " ").lower()
    words = " ".join(_FRAME.sub(" ", " ".join(without.split())).split())
    return words.removeprefix("the ").removesuffix(" of")


def _texts(asked: Mapping[str, Any]) -> list[str]:
    texts = asked.get("text answers")
    listed = texts if isinstance(texts, list) else [texts]
    return [text for text in listed if isinstance(text, str) and canonical(text)]


def _same_things(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether two answers name the same items, whatever these are called."""
    items = [
        {str(each.get("ID")) for each in asked.get("answer annotations") or () if isinstance(each, dict)}
        for asked in (old, new)
    ]
    return bool(items[0]) and items[0] == items[1]


def _apart(found: Iterable[tuple[str, Question]]) -> list[Question]:
    """The questions with one key each: of several subjects of one name, the later ones bear their item's number."""
    taken: set[tuple[str, str]] = set()
    kept = []
    for place, (item, each) in enumerate(found):
        subject = each.subject
        if (canonical_name(subject), canonical_name(each.attribute)) in taken:
            subject = f"{subject} ({item or place})"
            if (canonical_name(subject), canonical_name(each.attribute)) in taken:
                subject = f"{each.subject} ({item or place}, {place})"
        taken.add((canonical_name(subject), canonical_name(each.attribute)))
        kept.append(replace(each, subject=subject))
    return kept
