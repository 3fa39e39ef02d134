"""*A was replaced by B as the R*: what took a place, and which place that was."""

from __future__ import annotations

from typing import Final

from upheld.keys.result import Extracted, Topic
from upheld.keys.subjects import about
from upheld.keys.words import DETERMINERS, PREPOSITIONS

__all__ = ["REPLACED", "replaced"]

REPLACED: Final = "replaced by"
_ARTICLES: Final = frozenset(("a", "an"))
_LINKS: Final = PREPOSITIONS - {"of"}


def replaced(topic: Topic, rest: list[str]) -> Extracted | None:
    """What follows *replaced by*. With a role, that has a new holder; what else follows qualifies the attribute.

    Jira may be replaced by one tool as the tracker and by another as the roadmap, MySQL by two in two services.
    """
    at = next((at for at in range(1, len(rest) - 1) if rest[at] in _LINKS), 0)
    if not at or topic.attribute:
        return topic.says(REPLACED, rest)
    role = rest[at + 1 :]
    if rest[at] != "as" or role[0] in _ARTICLES:
        return topic.says(f"{REPLACED} {' '.join(rest[at:])}", rest[:at])
    held = about(role if role[0] in DETERMINERS else ["the", *role])
    return None if held is None else Topic(*held, topic.denied).has("is", rest[:at])
