"""Every limit of one field, stated in `note.py` and enforced here. What breaks one raises `Invalid` with the fix."""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from upheld import note
from upheld.errors import Invalid, NaiveTime, shown
from upheld.note import Channel

S = TypeVar("S")
T = TypeVar("T", bound=Callable[..., Any])

_CHANNEL_OF = {
    "system": Channel.SYSTEM_OF_RECORD,
    "document": Channel.DOCUMENT,
    "person": Channel.PERSON,
    "user": Channel.PERSON,
    "tool": Channel.TOOL,
    "agent": Channel.AGENT,
}
_CHANNELS = {each.value: each for each in Channel}
_LONGEST_PATH = 4096
_INVISIBLE = frozenset({"Cf", "Cc", "Zs", "Zl", "Zp", "Mn", "Me"})
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?"
)


def statement(value: object) -> None:
    """Refuse what is not a statement: no text, nothing visible, over 16 KiB, NUL, lone surrogates."""
    if not isinstance(value, str):
        raise Invalid(f"a statement must be text, not {type(value).__name__}")
    size = len(encoded(value, "statement"))
    if size > note.MAX_STATEMENT_BYTES:
        raise Invalid(f"the statement has {size:,} bytes; at most {note.MAX_STATEMENT_BYTES:,} fit: split it")
    if not value.strip() or not (value.isascii() or is_visible(value)):
        raise Invalid("the statement is empty: it has no visible character")


def is_visible(value: str) -> bool:
    """Whether a text has at least one character that a reader can see."""
    return any(unicodedata.category(c) not in _INVISIBLE for c in value)


def encoded(value: str, field: str) -> bytes:
    """A text in UTF-8; refuses what databases and files cannot hold: NUL and lone surrogates."""
    if "\0" in value:
        raise Invalid(f"the {field} holds a NUL character; remove it")
    try:
        return value.encode()
    except UnicodeEncodeError as error:
        raise Invalid(f"the {field} holds half of a surrogate pair at character {error.start}") from None


def text(value: object, field: str, limit: int) -> str:
    """A text of at most `limit` characters."""
    if not isinstance(value, str):
        raise Invalid(f"{field} must be text, not {type(value).__name__}")
    if len(value) > limit:
        raise Invalid(f"{field} has {len(value):,} characters; at most {limit:,} fit")
    encoded(value, field)
    return exact(value)


def exact(value: str) -> str:
    """The same text as a `str` and nothing derived from it: an enumeration or a numpy text is text, but not to JSON."""
    return value if type(value) is str else str.__str__(value)


def name(value: object, field: str) -> str:
    """A text on one line with some visible character, of at most 512 characters."""
    if isinstance(value, str) and value.isascii() and value.isprintable() and value.strip():
        return exact(value) if len(value) <= note.MAX_NAME_CHARS else text(value, field, note.MAX_NAME_CHARS)
    found = text(value, field, note.MAX_NAME_CHARS)
    if not found.strip() or not is_visible(found) or any(unicodedata.category(c) == "Cc" for c in found):
        raise Invalid(f"{field}={found[:40]!r} must be one line with some visible character")
    return found


def scope(value: object) -> str:
    """The name of a scope. There is no wildcard and no prefix: a scope is read by its whole name."""
    return _scope(value) if isinstance(value, str) else name(value, "scope")


@lru_cache(maxsize=4096)
def _scope(value: str) -> str:
    return name(value, "scope")


def scopes(value: object) -> tuple[str, ...]:
    """One scope or several, each once."""
    if isinstance(value, str):
        return (scope(value),)
    found = tuple(value) if isinstance(value, Iterable) else ()
    if not 1 <= len(found) <= note.MAX_SCOPES:
        raise Invalid(f"name from 1 to {note.MAX_SCOPES} scopes; there is no 'everything'")
    return tuple(dict.fromkeys(scope(each) for each in found))


def scopes_or_all(value: object) -> tuple[str, ...]:
    """One scope or several; none at all (an empty list, or None) stands for every scope."""
    if value is None or (isinstance(value, list | tuple | set | frozenset) and not value):
        return ()
    return scopes(value)


def listed(value: object, field: str) -> Iterable[Any]:
    """Something to go through one by one. A single text would be gone through by the letter, so it is refused."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise Invalid(f"{field} must be a list, or something else to go through one by one, not {shown(value)}")
    return value


def flag(value: object, field: str) -> bool:
    """True or False: what merely counts as one of them, as "no" counts as true, is refused."""
    if not isinstance(value, bool):
        raise Invalid(f"{field} must be True or False, not {shown(value)}")
    return value


def seconds(value: object, field: str, most: float) -> float:
    """A number of seconds, from 0 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise Invalid(f"{field} must be a number of seconds from 0 to {most:,}, not {shown(value)}")
    return value


def callback(value: T | None, field: str) -> T | None:
    """Something that can be called, or None: found out before there is anything to report."""
    return None if value is None else called(value, field)


def called(value: T, field: str) -> T:
    """Something that can be called."""
    if not callable(value):
        raise Invalid(f"{field} must be a function, not {shown(value)}")
    return value


def having(value: S, field: str, *parts: str) -> S:
    """An object with the parts that a port names, whatever its class; a name of a model is none."""
    if isinstance(value, type) or not all(hasattr(value, part) for part in parts):
        raise Invalid(f"{field} must be an object with {' and '.join(parts)}, not {shown(value)}")
    return value


def path(value: object, field: str) -> Path:
    """A path in the file system."""
    if not isinstance(value, str | Path) or not str(value).strip() or "\0" in str(value):
        raise Invalid(f"{field} must be a path, not {shown(value)}")
    if len(str(value)) > _LONGEST_PATH:
        raise Invalid(f"{field} has {len(str(value)):,} characters; at most {_LONGEST_PATH:,} fit")
    try:
        os.fsencode(value)
    except UnicodeEncodeError:
        raise Invalid(f"{field} holds half of a surrogate pair: {shown(str(value))}") from None
    return Path(value)


def exists(place: Path) -> bool:
    """Whether something is at a path; `Invalid` where the system will not say: a name too long, a closed folder."""
    try:
        return place.exists()
    except OSError as error:
        raise Invalid(f"cannot look at {shown(str(place))}: {error.strerror}") from None


def channel_of(by: object) -> Channel:
    """The channel of an actor written as `channel:name`, for example `person:ana` or `agent:planner`."""
    return _channel_of(by) if isinstance(by, str) else _channel_of(name(by, "by"))


@lru_cache(maxsize=4096)
def _channel_of(by: str) -> Channel:
    prefix, _, actor = name(by, "by").partition(":")
    if not actor.strip() or prefix not in _CHANNEL_OF:
        raise Invalid(f"by={by!r} must be one of {', '.join(sorted(_CHANNEL_OF))}, a colon and a name: person:ana")
    return _CHANNEL_OF[prefix]


def channel(value: object, field: str) -> Channel:
    """A channel, or its name."""
    if not isinstance(value, str) or value not in _CHANNELS:
        raise Invalid(f"{field} must be one of {', '.join(_CHANNELS)}, not {shown(value)}")
    return _CHANNELS[value]


def time(value: object, field: str, *, end_of_day: bool = False) -> datetime | None:
    """An aware time in UTC, or None. A time without an offset is refused: it is never taken as local.

    Text may be RFC 3339 with an offset, or a date: its first moment in UTC, or its last with `end_of_day`.

    >>> time("2026-03-31", "known_at", end_of_day=True).isoformat()
    '2026-03-31T23:59:59.999999+00:00'
    """
    if value is None:
        return None
    if isinstance(value, str):
        value = _read_time(value, field, end_of_day)
    if not isinstance(value, datetime):
        raise Invalid(f"{field} must be a datetime or text, not {type(value).__name__}")
    if value.tzinfo is None or value.utcoffset() is None:
        raise NaiveTime(f"{field} has no offset; write for example {value.isoformat()}+00:00")
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise Invalid(f"{field} is outside the years 1 to 9999 in UTC") from None


def _read_time(value: str, field: str, end_of_day: bool) -> datetime:
    try:
        if _DATE.fullmatch(value):
            first = datetime.fromisoformat(f"{value}T00:00:00+00:00")
            return first + timedelta(days=1, microseconds=-1) if end_of_day else first
        if _TIME.fullmatch(value):
            return datetime.fromisoformat(value)
    except (ValueError, OverflowError):
        pass
    raise Invalid(f"{field}={value[:40]!r} is not a time: write 2026-03-31 or 2026-03-31T10:15:00+00:00")


def confidence(value: object, default: float) -> float:
    """A finite number from 0 to 1."""
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1 or math.isnan(value):
        raise Invalid(f"confidence must be a number from 0 to 1, not {shown(value)}")
    return float(value)


def conditions(value: object) -> dict[str, tuple[str, ...]]:
    """Conditions as names with one or more values: {"environment": "production"} or {"env": ["a", "b"]}."""
    if not isinstance(value, Mapping) or len(value) > note.MAX_CONDITIONS:
        raise Invalid(f"conditions must be a mapping of at most {note.MAX_CONDITIONS}: {{'environment': 'production'}}")
    found: dict[str, tuple[str, ...]] = {}
    for named, allowed in value.items():
        condition = name(named, "a condition")
        field = f"condition {condition!r}"
        listed: Sequence[object] = [allowed] if isinstance(allowed, str) else allowed
        if not isinstance(listed, list | tuple | set | frozenset) or not listed:
            raise Invalid(f"{field} needs a text or a list of texts")
        found[condition] = tuple(sorted({text(each, field, note.MAX_NAME_CHARS) for each in listed}))
    return found
