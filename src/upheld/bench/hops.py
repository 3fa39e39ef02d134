"""Questions answered in two steps, at two dates: who is meant, and what is asked of them.

A folder holds the snapshots, each under a name with a date in it ("Dec2021", "2024-03"), as a folder with a JSON file
of multi-hop questions, or as such a file. The earliest is what was learned, the latest is the world; what lies between
them is not read.

A *step* is one attribute of one subject: the first leads from the question's subject to the items in between, the last
from those to the answer. Several items are one value, the set.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from upheld.bench.snapshots import answered, dated
from upheld.errors import Invalid, Misconfigured
from upheld.note import MAX_NAME_CHARS
from upheld.values import canonical

FOLDER = "pat_questions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """One step as one snapshot has it: an attribute of a subject, and its value. `about` is how a person names it."""

    subject: str
    attribute: str
    value: str
    about: str

    @property
    def key(self) -> tuple[str, str]:
        """What it is about: one subject and one attribute, of which one value holds at a time."""
        return (self.subject, self.attribute)


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """One question with its answer, the steps that it was reached by, and those of the last snapshot."""

    question: str
    subject: str
    answer: str
    premises: tuple[Premise, ...]
    premises_now: tuple[Premise, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What two snapshots have in common, and what was left aside, by reason."""

    learned_at: datetime
    asked_at: datetime
    conclusions: tuple[Conclusion, ...]
    left_out: Mapping[str, int]


def read(folder: Path) -> Learned:
    """Read the earliest and the latest snapshot of a folder.

    Raises `Misconfigured` where there are not two of different dates, `Invalid` where one is no JSON.
    """
    found = sorted(_dated(folder), key=lambda each: (each[0], each[1].name))
    if len({at for at, _ in found}) < 2 or found[0][0] == found[1][0] or found[-1][0] == found[-2][0]:
        names = ", ".join(str(path.relative_to(folder)) for _, path in found) or "none"
        raise Misconfigured(
            f"{folder} needs two snapshots or more, each under a name with a date of its own (Dec2021, 2024-03), and "
            f"in each a JSON file of multi-hop questions; found: {names}"
        )
    (learned_at, first), (asked_at, last) = found[0], found[-1]
    then, now = _asked(first), _asked(last)
    left_out = Counter({
        "only at the first date": len(then.keys() - now.keys()),
        "only at the last date": len(now.keys() - then.keys()),
    })  # fmt: skip
    conclusions = tuple(_conclusions(then, now, left_out))
    return Learned(
        learned_at=learned_at,
        asked_at=asked_at,
        conclusions=conclusions,
        left_out={reason: count for reason, count in left_out.items() if count},
    )


def _dated(folder: Path) -> Iterator[tuple[datetime, Path]]:
    if not folder.is_dir():
        raise Misconfigured(f"there is no folder {folder}")
    for path in sorted(folder.iterdir()):
        at = dated(path.name)
        listed = sorted(path.glob("*.json")) if path.is_dir() else [path] if path.suffix == ".json" else []
        several = [file for file in listed if "multi" in file.name.lower()]
        if at is not None and len(several) == 1:
            yield at, several[0]


def _asked(path: Path) -> dict[str, Mapping[str, Any]]:
    """The questions of a file by their words."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Misconfigured(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Invalid(f"{path} is no JSON: {error}") from error
    listed = whole.items() if isinstance(whole, dict) else ((None, each) for each in whole)
    return {str(each.get("question") or key): each for key, each in listed if isinstance(each, dict)}


def _conclusions(
    then: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]], left_out: Counter[str]
) -> Iterator[Conclusion]:
    """The questions that both snapshots answer, step by step, in one order."""
    told: dict[str, tuple[list[Premise], list[Premise]]] = {}
    for question in sorted(then.keys() & now.keys()):
        old, new = _steps(then[question]), _steps(now[question])
        if old is None or new is None:
            left_out["not two steps, or one of them is not told at one of the dates"] += 1
        elif max(len(part) for each in (*old, *new) for part in (each.subject, each.attribute, each.value)) > _LONGEST:
            left_out["too long for a key or a value"] += 1
        else:
            told[question] = (old, new)
    several = _several(old for old, _ in told.values()) | _several(new for _, new in told.values())
    for question, (old, new) in told.items():
        yield Conclusion(
            question=question,
            subject=old[0].about,
            answer=old[-1].value,
            premises=tuple(_apart(each, several, question) for each in old),
            premises_now=tuple(_apart(each, several, question) for each in new),
        )


_LONGEST = MAX_NAME_CHARS // 2


def _steps(asked: Mapping[str, Any]) -> list[Premise] | None:
    """The steps from the subject of a question to its answer; None where one of them is not told.

    >>> found = _steps({"subject": {"subject": "Q1", "subLabel": "Ada"}, "relations": ["P108", "P112"],
    ...     "template": "Who founded the employer of {subject}?", "text answers": ["John Purdue"],
    ...     "intermediate entities": [{"ID": "Q2", "Label": "Purdue"}]})
    >>> [(each.subject, each.value) for each in found]
    [('Ada (Q1)', 'Purdue'), ('Purdue (Q2)', 'John Purdue')]
    """
    subject, relations, template = asked.get("subject"), asked.get("relations"), str(asked.get("template") or "")
    between, answers = asked.get("intermediate entities"), asked.get("text answers")
    answers = answers if isinstance(answers, list) else []
    if not isinstance(subject, dict) or not isinstance(relations, list) or not isinstance(between, list):
        return None
    answers = [each for each in answers if isinstance(each, str) and canonical(each)]
    items = [each for each in between if isinstance(each, dict) and canonical(str(each.get("Label") or ""))]
    named = str(subject.get("subLabel") or "").strip()
    if len(relations) != 2 or not named or not items or len(items) != len(between) or not answers or not template:
        return None  # a longer way has no items for the steps between
    middle = answered(str(each["Label"]) for each in items)
    first, last = (f"{template.replace('{subject}', '...')} step {step}: {relation}".lower()
                   for step, relation in enumerate(relations, 1))  # fmt: skip
    return [
        Premise(subject=f"{named} ({subject.get('subject')})", attribute=first, value=middle, about=named),
        Premise(
            subject=answered(f"{each['Label']} ({each.get('ID')})" for each in items),
            attribute=last,
            value=answered(answers),
            about=middle,
        ),
    ]


def _several(told: Iterable[Sequence[Premise]]) -> set[tuple[str, str]]:
    """The keys that have more than one value in one snapshot: what they are about depends on the question."""
    values: dict[tuple[str, str], set[str]] = {}
    for steps in told:
        for each in steps:
            values.setdefault(each.key, set()).add(canonical(each.value))
    return {key for key, found in values.items() if len(found) > 1}


def _apart(step: Premise, several: Collection[tuple[str, str]], question: str) -> Premise:
    """A step under a key of its own question, where other questions mean something else by its key."""
    if step.key not in several:
        return step
    return replace(step, attribute=f"{step.attribute} ({question})"[:MAX_NAME_CHARS])
