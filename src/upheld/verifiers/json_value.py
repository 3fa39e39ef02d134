"""One value out of a JSON document, by a JSON pointer (RFC 6901). A document that can be read two ways is refused."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import TypeAlias

from upheld.errors import Invalid, shown

_STEP = re.compile(r"(?:[^~/]|~[01])*")
_INDEX = re.compile(r"0|[1-9][0-9]{0,8}")

Steps: TypeAlias = tuple[str, ...]


def steps(pointer: str) -> Steps:
    """Read a JSON pointer; raises `Invalid` where it is none.

    >>> steps("/plan/a~1b"), steps("")
    (('plan', 'a/b'), ())
    """
    first, *rest = pointer.split("/")
    if first or not all(_STEP.fullmatch(step) for step in rest):
        raise Invalid(f"{shown(pointer)} is no JSON pointer: write '/plan/tier', with ~1 for / and ~0 for ~ in a name")
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in rest)


def document(body: bytes) -> object:
    """Read JSON; raises `Invalid` for anything that two readers could understand differently.

    Refused are bytes that are no UTF-8, a name that stands twice in one object, NaN and Infinity. Numbers are exact.
    """
    try:
        return json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_float=Decimal,
            parse_int=Decimal,
        )
    # The libraries' messages quote the document.
    except (ValueError, ArithmeticError, RecursionError):
        raise Invalid("it is not JSON that can be read in one way only") from None


def at(found: object, pointer: Steps) -> object:
    """The value that a pointer leads to; None where it leads nowhere.

    >>> at({"plans": [{"tier": "Pro"}]}, steps("/plans/0/tier"))
    'Pro'
    """
    for step in pointer:
        if isinstance(found, dict):
            found = found.get(step)
        elif isinstance(found, list) and _INDEX.fullmatch(step) and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(constant: str) -> object:
    raise ValueError(constant)
