"""The notes of a JSON Lines file: drafts, or an exported log, of which those count that still stand at its end."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from upheld import limits
from upheld.check.statements import Statement, Wording
from upheld.corpus.characters import decoded
from upheld.document import Claim
from upheld.errors import Invalid, UpheldError
from upheld.note import Rel, Standing, Verb, instant
from upheld.standing import Arrow, Entry, Instant, Recorded, Seq, World, standings
from upheld.values import canonical, canonical_name

_LIVING = frozenset({Standing.IN_FORCE, Standing.NOT_YET, Standing.NEEDS_CHECK, Standing.DISPUTED})


def of_lines(file: str, raw: bytes) -> tuple[list[Statement], list[tuple[int, UpheldError]]]:
    """The statements of a file, and the lines that could not be read, by number.

    A statement's place is known where the line holds it without escapes. Raises `Invalid` for what is no text.
    """
    found: list[Statement] = []
    failed: list[tuple[int, UpheldError]] = []
    log = _Log()
    seqs: dict[int, Seq] = {}
    start = 0
    for number, line in enumerate(decoded(raw).split("\n"), start=1):
        try:
            fields = _object(line) if line.strip() else {}
            if fields.get("line", "note") == "note" and fields:
                found.append(_statement(file, number, start, line, fields))
            if "line" in fields:
                log.take(fields)
                seqs[number] = _whole(fields, "seq")
        except UpheldError as error:
            failed.append((number, error))
        start += len(line) + 1
    living = log.living()
    return [each for each in found if each.line not in seqs or seqs[each.line] in living], failed


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"not valid JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise Invalid("a line must be a JSON object")
    return found


def _statement(file: str, number: int, start: int, line: str, fields: Mapping[str, Any]) -> Statement:
    said = fields.get("statement")
    limits.statement(said)
    assert isinstance(said, str)
    at = line.find(f'"{said}"')
    place = start + at + 1 if at >= 0 and line.count(f'"{said}"') == 1 else None
    wording = Wording(claim=_claim(said, fields))
    return Statement(file=file, line=number, start=place, text=said, wordings=(wording,), is_record=True)


def _claim(said: str, fields: Mapping[str, Any]) -> Claim:
    key = fields.get("key") or {}
    if not isinstance(key, Mapping):
        raise Invalid("key must be an object")
    subject, attribute = key.get("subject", fields.get("subject")), key.get("attribute", fields.get("attribute"))
    value = fields.get("value")
    keyed = all(isinstance(part, str) and part for part in (subject, attribute))
    return Claim(
        statement=said,
        subject_key=canonical_name(str(subject)) if keyed else None,
        attribute_key=canonical_name(str(attribute)) if keyed else None,
        value_key=canonical(value) if keyed and isinstance(value, str) and value else None,
        single=bool(key.get("single", fields.get("single", bool(key)))),
        applies_when=limits.conditions(fields.get("applies_when") or {}),
        valid_from=_time(fields, "valid_from"),
        valid_to=_time(fields, "valid_to"),
        observed_at=_time(fields, "observed_at"),
    )


def _time(fields: Mapping[str, Any], name: str) -> datetime | None:
    return limits.time(fields.get(name), name)


def _whole(fields: Mapping[str, Any], name: str) -> int:
    found = fields.get(name)
    if type(found) is not int:
        raise Invalid(f"{name} must be a whole number")
    return found


class _Log:
    """What the lines of a log say about each other, as the rule reads it."""

    def __init__(self) -> None:
        self._notes: dict[Seq, Recorded] = {}
        self._successors: defaultdict[Seq, list[Arrow]] = defaultdict(list)
        self._grounds: defaultdict[Seq, list[Arrow]] = defaultdict(list)
        self._entries: defaultdict[Seq, list[Entry]] = defaultdict(list)
        self._undone: dict[Seq, Seq] = {}
        self._end: tuple[Seq, int] = (0, 0)

    def take(self, fields: Mapping[str, Any]) -> None:
        """Take in one line. Raises `Invalid` for what no log holds."""
        seq, kind = _whole(fields, "seq"), fields["line"]
        at = _time(fields, "recorded_at" if kind == "note" else "at")
        if at is None:
            raise Invalid("the line does not say when it was written")
        self._end = max(self._end, (seq, instant(at)))
        if kind == "note":
            self._notes[seq] = Recorded(
                seq=seq,
                valid_from=_instant(fields, "valid_from"),
                valid_to=_instant(fields, "valid_to"),
                expires_at=_instant(fields, "expires_at"),
                certainty=str(fields.get("certainty")),
            )
        elif kind == "link":
            origin, rel, target = _whole(fields, "origin"), fields.get("rel"), _whole(fields, "target")
            if rel == Rel.SUPERSEDES:
                self._successors[target].append(Arrow(seq, str(rel), origin))
            elif rel in (Rel.DEPENDS_ON, Rel.DERIVED_FROM):
                self._grounds[origin].append(Arrow(seq, str(rel), target))
        elif kind == "event":
            if fields.get("undoes") is not None:
                self._undone[_whole(fields, "undoes")] = seq
            against = _whole(fields, "against") if fields.get("against") is not None else None
            entry = Entry(seq, _verb(fields), _instant(fields, "effective_from"), against)
            self._entries[_whole(fields, "note")].append(entry)
        else:
            raise Invalid("line must be note, link or event; a draft has none")

    def living(self) -> frozenset[Seq]:
        """The notes that can still be contradicted when the log ends."""
        known = self._notes.keys()
        world = World(
            notes=self._notes,
            successors={seq: tuple(a for a in arrows if a.note in known) for seq, arrows in self._successors.items()},
            grounds={seq: tuple(a for a in arrows if a.note in known) for seq, arrows in self._grounds.items()},
            entries={seq: tuple(entries) for seq, entries in self._entries.items()},
            undone=self._undone,
        )
        last, at = self._end
        ruled = standings(world, known, valid_at=at, known_at=last)
        return frozenset(seq for seq, ruling in ruled.items() if ruling.standing in _LIVING)


def _instant(fields: Mapping[str, Any], name: str) -> Instant | None:
    time = _time(fields, name)
    return None if time is None else instant(time)


def _verb(fields: Mapping[str, Any]) -> Verb:
    verb = next((each for each in Verb if each == fields.get("verb")), None)
    if verb is None:
        raise Invalid(f"verb must be one of {', '.join(Verb)}")
    return verb
