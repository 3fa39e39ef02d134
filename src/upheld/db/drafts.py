"""Drafts as a table keeps them: JSON, of what was said only. Times are instants, as everywhere in the store."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import fields

from upheld.note import Certainty, Channel, Citation, Draft, Key, Source, instant, moment

_DEFAULTS = {field.name: field.default for field in fields(Draft)}
_TIMES = ("valid_from", "valid_to", "observed_at", "expires_at")


def drafts_text(drafts: Sequence[Draft]) -> str:
    """Drafts as a JSON array."""
    return json.dumps([_said(draft) for draft in drafts], ensure_ascii=False)


def drafts_of(text: str) -> tuple[Draft, ...]:
    """The drafts that a JSON array holds."""
    return tuple(_draft(said) for said in json.loads(text))


def _said(draft: Draft) -> dict[str, Any]:
    given = {name: getattr(draft, name) for name in _DEFAULTS}
    return {name: _plain(value) for name, value in given.items() if value != _DEFAULTS[name] and value != {}}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Citation | Source | Key):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    return value


def _draft(said: dict[str, Any]) -> Draft:
    found = dict(said)
    for name in _TIMES:
        if name in found:
            found[name] = moment(found[name])
    if "applies_when" in found:
        allowed = found["applies_when"].items()
        found["applies_when"] = {name: tuple(each) if isinstance(each, list) else each for name, each in allowed}
    if "certainty" in found:
        found["certainty"] = Certainty(found["certainty"])
    if "key" in found:
        found["key"] = Key(**found["key"])
    if "sources" in found:
        found["sources"] = tuple(_source(each) for each in found["sources"])
    for name in ("supersedes", "alongside", "depends_on", "derived_from", "led_by"):
        if name in found:
            found[name] = tuple(found[name])
    return Draft(**found)


def _source(said: dict[str, Any]) -> Citation | Source:
    found = {**said, "channel": Channel(said["channel"])}
    return Citation(**found) if "original" in found else Source(**found)
