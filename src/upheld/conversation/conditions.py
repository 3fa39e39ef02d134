"""Under which conditions a sentence holds: "in production", "on staging", "for EU customers". Clear cases only.

Where something *is in production*, that is what is said of it, and no condition. A condition that is denied, excepted
or open ("not in production", "except on staging") is none that could be written down.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

__all__ = ["conditions"]

_ENVIRONMENTS: Final[Mapping[str, str]] = {
    "production": "production", "prod": "production", "staging": "staging", "development": "development",
    "dev": "development", "testing": "testing", "qa": "qa", "sandbox": "sandbox", "preview": "preview",
    "canary": "canary",
}  # fmt: skip
_NAMES: Final = "|".join(_ENVIRONMENTS)
_ENVIRONMENT: Final = re.compile(
    rf"\b(?:in|on|for) (?:both )?(?:the |our )?(?P<one>{_NAMES})(?: (?:and|or) (?:in |on )?(?P<two>{_NAMES}))?"
    r"(?: (?:environment|cluster|system|database|servers?))?s?\b(?! (?:line|manager|team|company|costs?))",
    re.IGNORECASE,
)
_GROUP: Final = re.compile(
    r"\b[Ff]or (?:the |our |all )?(?P<which>[A-Z][\w&-]*(?: [A-Z][\w&-]*)?|enterprise|business|free|paid|paying|new|"
    r"existing|internal|external|premium|trial) (?P<group>customers|users|tenants|clients|accounts|subscribers|"
    r"employees)\b"
)
_PREDICATE: Final = re.compile(
    r"\b(?:is|are|was|were|be|been|goes|go|went|deployed|released|rolled out|live|running|runs|put|available|not|"
    r"only not|except|but|unlike|than|outside|besides|as)$",
    re.IGNORECASE,
)


def conditions(sentence: str) -> dict[str, tuple[str, ...]]:
    """Read the conditions of a sentence: names with one or more values, as `applies_when` takes them.

    >>> conditions("In production the port is 5432.")
    {'environment': ('production',)}
    >>> conditions("Orders is in production since May.")
    {}
    """
    found: dict[str, tuple[str, ...]] = {}
    places = [match for match in _ENVIRONMENT.finditer(sentence) if not _is_said_of_it(sentence, match.start())]
    if places:
        named = {_ENVIRONMENTS[each.lower()] for match in places for each in (match["one"], match["two"]) if each}
        # Two places in two clauses: which clause holds where is not ours to say.
        if len(places) == 1:
            found["environment"] = tuple(sorted(named))
    groups = list(_GROUP.finditer(sentence))
    if len(groups) == 1 and not _is_said_of_it(sentence, groups[0].start()):
        found[groups[0]["group"]] = (groups[0]["which"],)
    return found


def _is_said_of_it(sentence: str, start: int) -> bool:
    return _PREDICATE.search(sentence[:start].rstrip(" ,(")) is not None
