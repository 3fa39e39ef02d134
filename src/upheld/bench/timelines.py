"""Timelines of StateBench: who said and stated what when, and what is asked in between.

A file is JSONL, one timeline a line. Only what a timeline states itself is read into its moments; what an answer must
and must not mention belongs to the question, and nothing that writes looks at it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from upheld.errors import Invalid, Misconfigured

FOLDER = "statebench"
_SPEAKER = re.compile(r"^\[([^\]\[(]+?)\s*(?:\([^\]]*\))?\]:\s*")
_LABEL = re.compile(r"^\[(SCOPE|RESTRICTED):\s*([^\]]+)\]\s*")
_INVALIDATED = re.compile(r"^\[INVALIDATED\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Somebody says something. `is_user` is False for the assistant."""

    at: datetime
    by: str
    text: str
    is_user: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Something is stated under a key. `apart` is the label that keeps it to some readers, or to one context.

    `ends` says that it states no value, but only that what it supersedes is no longer valid.
    """

    at: datetime
    id: str
    key: str
    value: str
    by: str
    supersedes: str | None = None
    depends_on: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    apart: str | None = None
    ends: bool = False

    @property
    def text(self) -> str:
        """The statement: the words of the key, and the value."""
        return f"{self.key.replace('_', ' ')}: {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Something is asked, with what an answer must mention and must not."""

    at: datetime
    prompt: str
    must: tuple[str, ...]
    must_not: tuple[str, ...]


Moment: TypeAlias = Turn | State | Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """One timeline; its moments in the order in which it tells them, and no time of them earlier than one before."""

    id: str
    track: str
    file: str
    moments: tuple[Moment, ...]


def read_all(folder: Path) -> list[Timeline]:
    """Every timeline of every JSONL file of a folder.

    Raises `Misconfigured` where there is no such file, `Invalid` where a line is no timeline.
    """
    files = sorted(folder.glob("*.jsonl"))
    if not files:
        raise Misconfigured(f"there is no *.jsonl in {folder}; --data names the folder that holds {FOLDER}")
    return [timeline for path in files for timeline in _read(path)]


def _read(path: Path) -> Iterator[Timeline]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            whole = json.loads(line)
            yield Timeline(
                id=f"{path.stem}/{whole['id']}",
                track=str(whole["track"]),
                file=path.name,
                moments=tuple(_moments(whole)),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise Invalid(f"{path.name}, line {number}, is no timeline: {error!r}") from error


def _moments(whole: Mapping[str, Any]) -> Iterator[Moment]:
    start = whole["initial_state"]
    now = _time(start["environment"]["now"])
    user = str(start["identity_role"].get("user_name") or "owner")
    for fact in start.get("persistent_facts") or ():
        yield _state(fact, _time(fact["ts"]), user)
    for key, value in start["environment"].items():
        if key != "now" and isinstance(value, str):
            yield _state({"id": key, "key": key, "value": value}, now, user)
    for number, item in enumerate(start.get("working_set") or ()):
        key = f"{item.get('item_type') or 'item'}_{number}"
        yield _state({"id": key, "key": key, "value": item["content"]}, _time(item["ts"]), user)
    for event in whole["events"]:
        at = _time(event["ts"])
        if event["type"] == "conversation_turn":
            yield _turn(event, at, user)
        elif event["type"] == "query":
            truth = event["ground_truth"]
            yield Ask(
                at=at,
                prompt=str(event["prompt"]),
                must=_phrases(truth.get("must_mention")),
                must_not=_phrases(truth.get("must_not_mention")),
            )
        else:
            yield from (_state(each, at, user) for each in event["writes"])


def _time(text: str) -> datetime:
    at = datetime.fromisoformat(text)
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at


def _turn(event: Mapping[str, Any], at: datetime, user: str) -> Turn:
    """A turn; where its text names the speaker in front, that is who speaks.

    >>> told = {"speaker": "user", "text": "[Sarah (VP Operations)]: Budget is $200K."}
    >>> said = _turn(told, datetime(2026, 1, 1, tzinfo=UTC), "Al")
    >>> said.by, said.text
    ('person:Sarah', 'Budget is $200K.')
    """
    text = str(event["text"])
    named = _SPEAKER.match(text)
    is_user = event["speaker"] != "assistant"
    by = f"person:{named[1] if named else user}" if is_user else "agent:assistant"
    return Turn(at=at, by=by, text=text[named.end() :] if named and is_user else text, is_user=is_user)


def _state(told: Mapping[str, Any], at: datetime, user: str) -> State:
    value = str(told["value"])
    label = _LABEL.match(value)
    source = told.get("source") or {}
    return State(
        at=at,
        id=str(told["id"]),
        key=str(told["key"]),
        value=value[label.end() :] if label else value,
        by={"system": "system:record", "policy": "document:policy"}.get(str(source.get("type")), f"person:{user}"),
        supersedes=told.get("supersedes"),
        depends_on=_names(told.get("depends_on")),
        derived=_names(told.get("derived_facts")),
        apart=label[2].strip() if label else None,
        ends=told.get("supersedes") is not None and _INVALIDATED.match(value) is not None,
    )


def _names(listed: Iterable[Any] | None) -> tuple[str, ...]:
    """Ids or keys of states, given as text or as objects that have one."""
    found = (each.get("id") or each.get("key") if isinstance(each, Mapping) else each for each in listed or ())
    return tuple(str(each) for each in found if each)


def _phrases(listed: Iterable[Any] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(each).strip() for each in listed or () if str(each).strip()))
