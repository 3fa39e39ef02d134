"""Several verifiers of one system, asked as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from upheld.ports import Verifier
from upheld.values import canonical_name
from upheld.verification import Asked, Reply, Unavailable

FAILED = Unavailable("asking it failed")


class Joined:
    """One verifier for a system whose attributes are read in several ways, so that it is asked once for all of them.

    `parts` are the verifiers by canonical attribute. They are asked one after another, and what one of them does is
    nothing to the others.
    """

    def __init__(self, source: str, parts: Mapping[str, Verifier]) -> None:
        self._source = source
        self._parts = dict(parts)

    def __repr__(self) -> str:
        return f"Joined({self._source!r}, {self._parts})"

    @property
    def source(self) -> str:
        """The name that all parts share."""
        return self._source

    def verify(self, asked: Sequence[Asked]) -> Sequence[Reply]:
        """Ask each part about its own attributes, and put the replies in order."""
        replies: list[Reply] = [Unavailable("it is not asked about this attribute")] * len(asked)
        places: dict[int, list[int]] = {}
        for number, each in enumerate(asked):
            part = self._parts.get(canonical_name(each.attribute))
            if part is not None:
                places.setdefault(id(part), []).append(number)
        for part in {id(part): part for part in self._parts.values()}.values():
            numbers = places.get(id(part), [])
            if numbers:
                for number, reply in zip(numbers, _heard(part, [asked[number] for number in numbers]), strict=True):
                    replies[number] = reply
        return replies


def _heard(part: Verifier, asked: Sequence[Asked]) -> Sequence[Reply]:
    try:
        replies: object = part.verify(asked)
    except Exception:  # noqa: BLE001 (a stranger's code; its words may hold secrets)
        return [FAILED] * len(asked)
    return replies if isinstance(replies, list | tuple) and len(replies) == len(asked) else [FAILED] * len(asked)
