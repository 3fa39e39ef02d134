"""Numbered facts of which later ones contradict earlier ones, and which of them do, told without any extractor.

A question comes with its accepted answer. The fact that it is about ends with that answer; what stands before it is
the fact's *stem* ("The capital of France is"). Facts with the same stem and another end contradict it. Only the
gold answers and the order of the facts are used: no grammar, no list of relations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from upheld.db.words import tokens
from upheld.errors import Invalid, Misconfigured

FOLDER = "factconsolidation"
_FILE = re.compile(r"factconsolidation_sh_(.+)\.json")
_FACT = re.compile(r"(\d+)\.\s+(\S.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactFile:
    """One file: its label, its facts by number, and its questions with their accepted answers."""

    label: str
    facts: Mapping[int, str]
    questions: Sequence[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What one question is about: the fact that the gold answer stands in, the last fact of its stem, older ones."""

    gold: int
    latest: int
    older: tuple[int, ...]


def read_all(folder: Path) -> list[FactFile]:
    """Every single-hop file of a folder, the smallest first."""
    found = [(match[1], path) for path in sorted(folder.glob("*.json")) if (match := _FILE.fullmatch(path.name))]
    if not found:
        raise Misconfigured(
            f"there is no factconsolidation_sh_*.json in {folder}; --data names the folder that holds {FOLDER}"
        )
    return sorted((read(path, label) for label, path in found), key=lambda each: len(each.facts))


def read(path: Path, label: str) -> FactFile:
    """Read one file."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
        lines = [match for line in whole["context"].splitlines() if (match := _FACT.fullmatch(line.strip()))]
        asked = list(zip(whole["questions"], whole["answers"], strict=True))
        questions = [(str(question), _answers(answers)) for question, answers in asked]
    except OSError as error:
        raise Misconfigured(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Invalid(f"{path} is not a file of facts: {error!r}") from error
    if not lines or not questions:
        raise Invalid(f"{path} holds no numbered facts or no questions")
    return FactFile(label=label, facts={int(line[1]): line[2] for line in lines}, questions=questions)


def _answers(answers: object) -> tuple[str, ...]:
    return tuple(str(each) for each in answers) if isinstance(answers, list) else (str(answers),)


def subject(question: str, answers: Sequence[str], facts: Mapping[int, str]) -> Subject | None:
    """What a question is about; None where no fact ends with an accepted answer.

    Of the facts that end with the answer, the one is meant whose stem shares the largest part of its words with the
    question; of equals, the last.

    >>> subject("What is the capital of Peru?", ["Lima"], {0: "The capital of Peru is Cusco.",
    ...     1: "The capital of Peru is Lima.", 2: "The capital of Chile is Lima."})
    Subject(gold=1, latest=1, older=(0,))
    """
    asked = set(tokens(question))
    best: tuple[float, int, str] | None = None
    for number, fact in facts.items():
        for answer in answers:
            stem = stem_of(fact, answer)
            if stem is not None:
                words = tokens(stem)
                candidate = (sum(word in asked for word in words) / max(len(words), 1), number, stem)
                best = candidate if best is None else max(best, candidate)
    if best is None:
        return None
    _, gold, stem = best
    same = {number: fact for number, fact in facts.items() if fact.startswith(f"{stem} ")}
    latest = max(same)
    older = tuple(sorted(number for number, fact in same.items() if number < latest and fact != same[latest]))
    return Subject(gold=gold, latest=latest, older=older)


def stem_of(fact: str, answer: str) -> str | None:
    """What stands before the answer at the end of a fact.

    >>> stem_of("The capital of Peru is Lima.", "lima")
    'The capital of Peru is'
    """
    text, end = fact.rstrip("."), f" {answer.rstrip('.')}"
    return text[: -len(end)] if text.lower().endswith(end.lower()) and len(text) > len(end) else None
