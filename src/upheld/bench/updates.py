"""Correct memory updates out of two sets: what was said, what stood before, and what was to be written.

Memora says for each session which operation it asks for, and which messages do. StateBench says what is written after
which turns. An update is taken only where its own messages hold most of the words of each record: what nobody said
cannot be told from an invention. What is left out is counted.
"""

from __future__ import annotations

import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec import structs

from upheld.admit import admit
from upheld.bench.records import STATEBENCH
from upheld.errors import Invalid, Misconfigured
from upheld.note import Citation, Draft, Key, Note
from upheld.policy import load
from upheld.transition import Ground

MEMORA: Final = "memora"
TUNED, HELD_OUT = "tuned", "held out"
"""The rules were written with the first part before one's eyes; of the second, only some false alarms were read."""
_MOST_BEFORE = 12
_SAID = 0.6
_LATE = datetime(2100, 1, 1, tzinfo=UTC)
_WORDS = re.compile(r"\w+")
_INVALIDATED = "[INVALIDATED"
_TURN_OF_TALK = re.compile(r"(?:stated_)?fact_\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One correct update. `said` are the grounds that ask for it; `rest` those around them, which ask for nothing."""

    id: str
    source: str
    part: str
    said: tuple[Ground, ...]
    rest: tuple[Ground, ...] = ()
    before: tuple[Note, ...] = ()
    drafts: tuple[Draft, ...] = ()
    retires: tuple[str, ...] = ()


@dataclass(slots=True)
class _World:
    """What stands after the updates so far."""

    notes: dict[str, Note] = field(default_factory=dict)
    count: int = 0

    def add(self, draft: Draft) -> Note:
        """Record a draft as it is, without asking anyone."""
        self.count += 1
        bare = structs.replace(draft, sources=(), supersedes=())
        note = admit(bare, _POLICY, now=_LATE).recorded(seq=self.count, id=f"n{self.count}", at=_LATE, generation=0)
        for id in draft.supersedes:
            self.notes.pop(id, None)
        self.notes[note.id] = note
        return note

    def around(self, named: Sequence[str]) -> tuple[Note, ...]:
        """The notes that are named, and the last few of the others."""
        others = [note for id, note in self.notes.items() if id not in named][-_MOST_BEFORE:]
        return (*(self.notes[id] for id in named if id in self.notes), *others)


_POLICY = load(None)


def words(text: str) -> set[str]:
    """The words of a text that are longer than two letters, and its numbers, in small letters."""
    return {word for word in _WORDS.findall(text.lower().replace(",", "")) if len(word) > 2 or word.isdigit()}


def holds(record: str, texts: Sequence[str]) -> bool:
    """Whether texts say a record: most of its words, each of its figures, and each capitalised word but the first."""
    there = " ".join(texts).replace(",", "")
    exact = re.findall(r"\d+(?:\.\d+)?|(?<=[\w,;&-] )[A-Z][\w'-]*", record.replace(",", ""))
    found = all(re.search(rf"\b{re.escape(one)}", there, re.IGNORECASE) for one in exact)
    return found and said_by(record, texts) >= _SAID


def said_by(record: str, texts: Sequence[str]) -> float:
    """Which part of a record's words some texts hold, 0 to 1."""
    wanted = words(record)
    there = {word for text in texts for word in words(text)}
    return len(wanted & there) / len(wanted) if wanted else 0.0


# Memora


def from_memora(folder: Path, left_out: Counter[str]) -> Iterator[Update]:
    """The updates of every persona, in the order of its sessions."""
    archives = sorted(folder.glob("*.tar.gz"))
    if not archives:
        raise Misconfigured(f"there is no archive of sessions in {folder}")
    for archive in archives:
        sessions: dict[str, list[dict[str, Any]]] = {}
        with tarfile.open(archive) as packed:
            for member in packed:
                if re.search(r"session_\d+\.json$", member.name) and (file := packed.extractfile(member)) is not None:
                    session = _object(file.read(), member.name)
                    sessions.setdefault(str(session["persona"]), []).append(session)
        for place, persona in enumerate(sorted(sessions)):
            part = TUNED if place < len(sessions) / 2 else HELD_OUT
            ordered = sorted(sessions[persona], key=lambda each: int(each["session_id"]))
            yield from _of_persona(f"{archive.name.partition('.')[0]}/{persona}", part, ordered, left_out)


def _object(raw: bytes | str, name: str) -> dict[str, Any]:
    try:
        read = json.loads(raw)
    except ValueError as error:
        raise Invalid(f"{name} is no JSON: {error}") from error
    if not isinstance(read, dict):
        raise Invalid(f"{name} holds no object")
    return read


def _of_persona(
    name: str, part: str, sessions: Sequence[Mapping[str, Any]], left_out: Counter[str]
) -> Iterator[Update]:
    world = _World()
    for session in sessions:
        if session["operation"] is None:
            continue
        at = datetime.fromisoformat(session["date"]).replace(hour=12, tzinfo=UTC)
        said = tuple(
            Ground(ref=f"{session['session_id']}/{turn['turn']}", text=turn["message"], at=at, asks=True)
            for turn in session["conversation"]
            if turn["share_memory"] and turn["speaker"] == "user_agent"
        )
        wanted = _wanted(session, at)
        found = [change for change in wanted if holds(change.record, [ground.text for ground in said])]
        left_out[f"{MEMORA}: records that no message says"] += len(wanted) - len(found)
        drafts: list[Draft] = []
        retires: list[str] = []
        for change in found:
            old = [note.id for note in world.notes.values() if change.old and note.statement == change.old]
            if change.old and not old:
                left_out[f"{MEMORA}: ends of what was never written"] += 1
            if change.new:
                sources = _cited(change.record, said)
                drafts.append(change.draft(sources, tuple(old)))
            else:
                retires += old
        if (drafts or retires) and len(found) == len(wanted):
            named = [*retires, *(id for draft in drafts for id in draft.supersedes)]
            ended = [_cited(change.record, said) for change in found if not change.new]
            used = {source.ref for cited in (*(draft.sources for draft in drafts), *ended) for source in cited}
            yield Update(
                id=f"{name}/{session['session_id']}",
                source=MEMORA,
                part=part,
                said=tuple(ground for ground in said if ground.ref in used),
                rest=tuple(replace(ground, asks=False) for ground in said if ground.ref not in used),
                before=world.around(named),
                drafts=tuple(drafts),
                retires=tuple(retires),
            )
        for draft in drafts:
            world.add(draft)
        for change in wanted:  # what was not taken as an update still is so
            if change not in found and change.new:
                world.add(change.draft((), ()))
        for id in retires:
            world.notes.pop(id, None)


def _cited(record: str, said: Sequence[Ground]) -> tuple[Citation, ...]:
    """The messages that a record rests on: the one that says most of it, and those that add to it."""
    cited: list[Ground] = []
    while len(cited) < len(said):
        best = max(said, key=lambda g: len(words(record) & set().union(*(words(e.text) for e in (*cited, g)))))
        if best in cited or said_by(record, [g.text for g in (*cited, best)]) <= said_by(
            record, [g.text for g in cited]
        ):
            break
        cited.append(best)
    return tuple(
        Citation(original=ground.text, ref=ground.ref, quote=ground.text, channel=ground.channel) for ground in cited
    )


@dataclass(frozen=True, slots=True)
class _Change:
    """One record: the words that its messages must hold, the statement to be written, and the one that ends."""

    record: str
    new: str = ""
    old: str = ""
    about: tuple[str, str, str] | None = None

    def draft(self, sources: tuple[Citation, ...], supersedes: tuple[str, ...]) -> Draft:
        """The statement to be written; `about` names its subject, attribute and value, where the record does."""
        if self.about is None:
            return Draft(statement=self.new, by="agent:extractor", sources=sources, supersedes=supersedes)
        subject, attribute, value = self.about
        key = Key(subject=subject, attribute=attribute, single=False)
        return Draft(
            statement=self.new, by="agent:extractor", key=key, value=value, sources=sources, supersedes=supersedes
        )


def _wanted(session: Mapping[str, Any], at: datetime) -> list[_Change]:
    details, operation = session["operation_details"], session["operation"]
    item = details.get("item")
    if session["session_type"] == "preference":
        return _preference(details, operation)
    if session["session_type"] == "goal":
        goal = f"{item:,}" if details["subcategory"].endswith("steps") else f"${item}"
        unit = (
            "steps every day" if details["subcategory"].endswith("steps") else f"per week on {details['subcategory']}"
        )
        return [_Change(f"{goal} {'' if unit[0] == 's' else details['subcategory']}", f"My goal is {goal} {unit}.")]
    if isinstance(item, str):
        return _content(details, operation)
    return _activity(item, operation, at) if isinstance(item, dict) else []


def _preference(details: Mapping[str, Any], operation: str) -> list[_Change]:
    now = f"I {details['preference']} {details['item']}."
    if operation == "delete":
        return [_Change(details["item"], old=now)]
    if operation == "update":
        before = f"I {details.get('old_preference', details['preference'])} {details.get('old_item', details['item'])}."
        return [_Change(f"{details['item']} {details.get('old_item', '')}", now, before)]
    return [_Change(details["item"], now)]


def _activity(item: Mapping[str, Any], operation: str, at: datetime) -> list[_Change]:
    if "amount" in item:
        said = f"${item['amount']:.2f} {item['expense_type']}"
        return [_Change(said, f"I spent ${item['amount']:.2f} on {item['expense_type']}.")]
    if "step_count" in item:
        return [_Change(f"{item['step_count']} steps", f"I walked {item['step_count']:,} steps on {at:%Y-%m-%d}.")]
    if "description" in item:
        said = f"To do: {item['description']}."
        return [_Change(item["description"], *(("", said) if operation == "delete" else (said,)))]
    day = datetime.fromisoformat(item["created_at"]) + timedelta(days=int(re.sub(r"\D", "", item["date"])))
    said = f"{item['event_name']} on {day:%Y-%m-%d}."
    if operation == "delete":
        return [_Change(item["event_name"], old=said)]
    if operation == "update":  # the day that the set computes is not the one that its messages name
        return [_Change("\0", said)]
    return [_Change(f"{item['event_name']} {day:%B} {day.day}", said)]


def _content(details: Mapping[str, Any], operation: str) -> list[_Change]:
    name = re.sub(r"_\d+$", "", details["item"]).replace("_", " ")

    def shown(value: object) -> str:
        return f"{value:,}" if isinstance(value, int) else str(value).rstrip(".")

    def said(field: str, value: object) -> str:
        return f"{field.replace('_', ' ').capitalize()} of the {name}: {shown(value)}."

    def about(field: str, value: object) -> tuple[str, str, str]:
        return name, field.replace("_", " "), shown(value)

    found = []
    if operation == "add":
        for key, value in details["content_data"].items():
            listed = value if isinstance(value, list) else [value]
            found += [_Change(shown(each), said(key, each), about=about(key, each)) for each in listed]
        return found
    for change in (*details.get("memory_updates", ()), *details.get("memory_deletes", ())):
        if "added_item" in change:
            field, added = change["field"], change["added_item"]
            found.append(_Change(added, said(field, added), about=about(field, added)))
        elif "removed_item" in change:
            found.append(_Change(change["removed_item"], old=said(change["field"], change["removed_item"])))
        else:
            way, field = change["action"].rpartition("_")[2].replace("revised", "updated"), change["field"]
            old, new = change[f"{way}_from"], change[f"{way}_to"]
            found.append(_Change(f"{old} {new}", said(field, new), said(field, old), about(field, new)))
    return found


# StateBench


def from_statebench(folder: Path, left_out: Counter[str]) -> Iterator[Update]:
    """Every write of every timeline, with the turns that it rests on."""
    for path in sorted(folder.glob("*.jsonl")):
        part = TUNED if path.stem == "train" else HELD_OUT
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip():
                yield from _of_timeline(path.stem, part, _object(line, str(path)), left_out)


def _of_timeline(stem: str, part: str, timeline: Mapping[str, Any], left_out: Counter[str]) -> Iterator[Update]:
    world = _World()
    ids: dict[str, str] = {}
    for fact in timeline["initial_state"]["persistent_facts"]:
        ids[fact["key"]] = ids[fact["id"]] = world.add(_fact(fact["key"], str(fact["value"]))).id
    turns: list[Ground] = []
    later = [str(event["text"]) for event in timeline["events"] if event["type"] == "conversation_turn"]
    for number, event in enumerate(timeline["events"]):
        if event["type"] == "conversation_turn":
            at = datetime.fromisoformat(event["ts"]).replace(tzinfo=UTC)
            turns.append(Ground(ref=f"turn-{len(turns) + 1}", text=event["text"], at=at, asks=False))
        for write in event.get("writes", ()) if event["type"] in {"state_write", "supersession"} else ():
            key, value = str(write["key"]), str(write["value"])
            old = ids.get(write["supersedes"] or "")
            if old not in world.notes or _TURN_OF_TALK.fullmatch(key):
                old = None  # where keys only number turns, each is linked to the one before, whatever it says
            over = old is not None and value.startswith(_INVALIDATED)
            record = world.notes[old].statement if over and old is not None else value
            draft = _fact(key, value, () if old is None else (old,))
            cited = _cited(record, turns[::-1] if over else turns)
            share = said_by(record, [source.original for source in cited])
            if said_by(record, later) > share:
                left_out[f"{STATEBENCH}: writes before the turn that says them"] += 1
            elif not holds(record, [source.original for source in cited]):
                left_out[f"{STATEBENCH}: writes that no turn says"] += 1
            else:
                used = {source.ref for source in cited}
                yield Update(
                    id=f"{stem}/{timeline['id']}/{number}",
                    source=STATEBENCH,
                    part=part,
                    said=tuple(replace(turn, asks=True) for turn in turns if turn.ref == cited[0].ref),
                    rest=tuple(turn for turn in turns if turn.ref != cited[0].ref and turn.ref in used),
                    before=world.around(draft.supersedes),
                    drafts=() if over else (structs.replace(draft, sources=cited),),
                    retires=draft.supersedes if over else (),
                )
            if over and old is not None:
                del world.notes[old]
            else:
                ids[key] = world.add(draft).id


def _fact(key: str, value: str, supersedes: tuple[str, ...] = ()) -> Draft:
    """A write as a draft, under its own key unless that only numbers turns of talk."""
    given = {"key": Key(subject="timeline", attribute=key.replace("_", " ")), "value": value}
    named = {} if _TURN_OF_TALK.fullmatch(key) else given
    return Draft(statement=value, by="agent:extractor", extract_key=False, supersedes=supersedes, **named)  # type: ignore[arg-type]
