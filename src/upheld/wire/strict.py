"""Reading strictly: one JSON value from a text, and objects with known fields of known types."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from upheld import limits
from upheld.errors import Invalid
from upheld.wire.shapes import JsonObject

MAX_DEPTH = 32
MAX_DIGITS = 19

Read = TypeVar("Read")
Named = TypeVar("Named", bound=StrEnum)
Reader: TypeAlias = Callable[[object, str], Any]
"""Takes a JSON value and where it stands; returns what it means, or raises `Invalid`."""

_STRUCTURE = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|([\[{])|[\]}]', re.DOTALL)
_DIGEST = re.compile(r"[0-9a-f]{64}")
_MOST = 2**63 - 1


def loads(text: str) -> Any:
    """The one JSON value that a text holds; `Invalid` says what is wrong with any other text.

    >>> loads('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    upheld.errors.Invalid: the field 'a' is given twice
    """
    _check_depth(text)
    try:
        return json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_whole_number, parse_float=_finite
        )
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise Invalid(
                f"there is more than one JSON value (the second begins at character {error.pos + 1})"
            ) from None
        raise Invalid(f"not valid JSON at character {error.pos + 1}: {error.msg}") from None


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRUCTURE.finditer(text):
        depth += 0 if found[0][0] == '"' else 1 if found[1] else -1
        if depth > MAX_DEPTH:
            raise Invalid(f"lists and objects are nested more than {MAX_DEPTH} deep")


def _once(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Invalid(f"the field {next(name for name in names if names.count(name) > 1)!r} is given twice")
    return found


def _no_constant(name: str) -> float:
    raise Invalid(f"{name} is not a JSON number")


def _whole_number(digits: str) -> int:
    if len(digits.lstrip("-")) > MAX_DIGITS:
        raise Invalid(f"a number has {len(digits)} digits; at most {MAX_DIGITS} fit")
    return int(digits)


def _finite(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise Invalid(f"the number {digits[:40]} is too large")
    return number


def text(value: object, at: str) -> str:
    """A text that files and databases can hold."""
    if not isinstance(value, str):
        raise Invalid(f"{at} must be text, not {_said(value)}")
    limits.encoded(value, at)
    return value


def digest(value: object, at: str) -> str:
    """A sha256 as it is written: 64 hexadecimal digits, small letters."""
    if not isinstance(value, str) or _DIGEST.fullmatch(value) is None:
        raise Invalid(f"{at} must be a sha256 in 64 hexadecimal digits, not {_said(value)}")
    return value


def flag(value: object, at: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Invalid(f"{at} must be true or false, not {_said(value)}")
    return value


def whole(value: object, at: str) -> int:
    """A whole number from 0 that fits into 64 bits."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST:
        raise Invalid(f"{at} must be a whole number from 0, not {_said(value)}")
    return value


def share(value: object, at: str) -> float:
    """A number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Invalid(f"{at} must be a number from 0 to 1, not {_said(value)}")
    return float(value)


def time(value: object, at: str) -> datetime:
    """A time with its offset, or a date: its first moment in UTC."""
    found = limits.time(text(value, at), at)
    if found is None:
        raise Invalid(f"{at} must be a time")
    return found


def member(kind: type[Named]) -> Callable[[object, str], Named]:
    """One of an enumeration."""
    names = {each.value: each for each in kind}

    def read(value: object, at: str) -> Named:
        if not isinstance(value, str) or value not in names:
            raise Invalid(f"{at} must be one of {', '.join(names)}, not {_said(value)}")
        return names[value]

    return read


def maybe(read: Callable[[object, str], Read]) -> Callable[[object, str], Read | None]:
    """The same, or null."""
    return lambda value, at: None if value is None else read(value, at)


def each(read: Callable[[object, str], Read]) -> Callable[[object, str], tuple[Read, ...]]:
    """A list of the same."""

    def read_all(value: object, at: str) -> tuple[Read, ...]:
        if not isinstance(value, list):
            raise Invalid(f"{at} must be a list, not {_said(value)}")
        return tuple(read(one, f"{at}[{place}]") for place, one in enumerate(value))

    return read_all


def named(read: Callable[[object, str], Read]) -> Callable[[object, str], dict[str, Read]]:
    """An object of any names, each with the same."""
    return lambda value, at: {
        text(name, f"a name in {at}"): read(one, f"{at}.{name}") for name, one in object_at(value, at).items()
    }


def text_or_texts(value: object, at: str) -> str | tuple[str, ...]:
    """One text, or a list of texts."""
    return each(text)(value, at) if isinstance(value, list) else text(value, at)


def made(kind: Callable[..., Read], fields: Mapping[str, Reader], *needed: str) -> Callable[[object, str], Read]:
    """An object of these fields and no others, `needed` among them, made into a `kind`."""

    def read(value: object, at: str) -> Read:
        found = object_at(value, at)
        for name in found:
            if name not in fields:
                raise Invalid(f"{at} has the unknown field {name[:80]!r}; known: {', '.join(fields)}")
        for name in needed:
            if name not in found:
                raise Invalid(f"{at} lacks the field {name!r}")
        return kind(**{name: fields[name](one, name) for name, one in found.items()})

    return read


def object_at(value: object, at: str) -> JsonObject:
    """An object of any fields."""
    if not isinstance(value, dict):
        raise Invalid(f"{at} must be an object, not {_said(value)}")
    return value


def _said(value: object) -> str:
    if isinstance(value, str):
        return repr(value[:40])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"the number {str(value)[:40]}"
    return {dict: "an object", list: "a list", bool: "true or false", type(None): "null"}.get(type(value), "that")
