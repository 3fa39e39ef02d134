"""Records of things that changed, as plain statements: answers at two dates, states and their successors, passages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from upheld.errors import Invalid

PAT, STATEBENCH, RAMDOCS = "pat_questions", "statebench", "ramdocs"
THEN, NOW = datetime(2021, 12, 31, tzinfo=UTC), datetime(2023, 12, 31, tzinfo=UTC)
_FOLDERS = {THEN: "Dec2021", NOW: "Dec2023"}
_ROLE = re.compile(r"Who (?:is|was) the (?P<former>previous )?(?P<role>.+?)(?: currently)?\?")
_DOES = re.compile(
    r"Which (?P<noun>[\w ]+?) (?:does|did) \{subject\} (?P<verb>\w+)(?P<particle>(?: \w+)?) "
    r"(?:currently|(?P<former>before the current [\w ]+))\?"
)
_VERSION = re.compile(r"(_v\d+|_corrected|_updated|_new|_final)+$")
_NUMBERED = re.compile(r"fact_\d+")
_STEM = 5  # letters that "renew" and "renewal" share


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The one answer to a question at one date. `said` is the statement of it, `role` what the value is or does.

    `place` is the question without its subject; `former` says that it asks for the value before the present one.
    """

    subject: str
    place: str
    value: str
    said: str
    role: str
    is_role: bool
    former: bool
    at: datetime

    def endings(self) -> tuple[str, ...]:
        """Statements that this is over, without saying what came after."""
        if self.is_role:
            return (
                f"{self.value} is no longer the {self.role}.",
                f"As of June 2023, {self.value} is no longer the {self.role}.",
                f"{self.value} stepped down as the {self.role} in May 2023.",
            )
        over = f"{self.subject} no longer {self.role} {self.value}."
        return (over, f"As of June 2023, {over}")

    def replacements(self, follower: str) -> tuple[str, ...]:
        """Statements that something else took the place."""
        if self.is_role:
            return (
                f"{self.value} was replaced by {follower} as the {self.role}.",
                f"The {self.role} changed from {self.value} to {follower}.",
            )
        return (f"{self.subject} moved from {self.value} to {follower}.",)


def answers(folder: Path) -> list[Answer]:
    """Every single-hop answer of both dates that is the only one to its question, in the order of the files."""
    return [found for at, name in _FOLDERS.items() for found in _answers(folder / name / "PAT-singlehop.json", at)]


def _answers(path: Path, at: datetime) -> Iterator[Answer]:
    for asked in _whole(path).values():
        texts = asked["text answers"]
        if len(texts) == 1 and asked["subject"]["subLabel"]:
            found = _answer(str(asked["template"]), str(asked["subject"]["subLabel"]), str(texts[0]), at)
            if found is not None:
                yield found


def _answer(template: str, subject: str, value: str, at: datetime) -> Answer | None:
    if (match := _ROLE.fullmatch(template)) is not None:
        role, former = match["role"].replace("{subject}", subject), match["former"] is not None
        said = f"The previous {role} was {value}." if former else f"The {role} is {value}."
        place, is_role = match["role"], True
    elif (match := _DOES.fullmatch(template)) is not None:
        place, former, is_role = match["noun"], match["former"] is not None, False
        preposition = match["particle"].strip() or f"the {place} of"
        role = f"{match['verb']}s {preposition}"
        said = f"The previous {place} of {subject} was {value}." if former else f"{subject} {role} {value}."
    else:
        return None
    return Answer(
        subject=subject, place=place, value=value, said=said, role=role, is_role=is_role, former=former, at=at
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What one key of one timeline said, from first to last: as written, and with the key in front as a label."""

    timeline: str
    key: str
    values: tuple[str, ...]

    @property
    def labelled(self) -> tuple[str, ...]:
        """The values behind the name of their key: "Meeting location: Room 302"."""
        return tuple(f"{self.key.replace('_', ' ').capitalize()}: {value}" for value in self.values)

    @property
    def names_itself(self) -> bool:
        """Whether every value holds the words of its key, so that it can stand without the label."""
        words = [word[:_STEM] for word in self.key.split("_")]
        return all(all(word in value.lower() for word in words) for value in self.values)


def states(folder: Path) -> list[State]:
    """Every key with its successive values. Values that only copy a turn of talk ("fact_3") are left out."""
    return [
        state
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
        for state in _states(_object(line, path))
    ]


def _states(timeline: Mapping[str, Any]) -> Iterator[State]:
    known = {name: _VERSION.sub("", fact["key"]) for fact in _facts(timeline) for name in (fact["id"], fact["key"])}
    chains: dict[str, list[str]] = {}
    for fact in _facts(timeline):
        key = known.get(fact["supersedes"] or "", _VERSION.sub("", fact["key"]))
        if fact["supersedes"] or key not in chains:
            chains.setdefault(key, []).append(str(fact["value"]))
    for key, values in chains.items():
        if not _NUMBERED.fullmatch(key):
            yield State(timeline=str(timeline["id"]), key=key, values=tuple(values))


def _facts(timeline: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from timeline["initial_state"]["persistent_facts"]
    for event in timeline["events"]:
        if event["type"] in {"state_write", "supersession"}:
            yield from (write for write in event["writes"] if write["layer"] == "persistent_facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class Passages:
    """The passages that answer one question, as (answer, text): each answer is right for a namesake of its own."""

    question: str
    right: Sequence[tuple[str, str]]


def passages(folder: Path) -> list[Passages]:
    """The right passages of every question; the ones that misinform and the noise are left out."""
    found = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                whole = _object(line, path)
                right = [(str(d["answer"]), str(d["text"])) for d in whole["documents"] if d["type"] == "correct"]
                found.append(Passages(question=str(whole["question"]), right=right))
    return found


def _object(line: str, path: Path) -> dict[str, Any]:
    try:
        read = json.loads(line)
    except ValueError as error:
        raise Invalid(f"{path} holds a line that is no JSON: {error}") from error
    if not isinstance(read, dict):
        raise Invalid(f"{path} holds a line that is no object")
    return read


def _whole(path: Path) -> dict[str, Any]:
    try:
        return _object(path.read_text(encoding="utf-8"), path)
    except OSError as error:
        raise Invalid(f"cannot read {path}: {error.strerror}") from error
